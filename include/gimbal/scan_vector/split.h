// Scan-vector calls that bring items together by flags: split and unsplit, flag_merge, pack. See scan_vector.h for what
// holds for all calls.
#pragma once

#include <gimbal/scan_vector/call.h>
#include <gimbal/scan_vector/scan.h>
#include <gimbal/thrust/select.h>

GIMBAL_NAMESPACE_BEGIN

namespace vectors {

namespace detail {

/// Forms of outputs of split: `out` alone, whose end of false items is returned, or with where to write their number.
template <class Derived, class InputIt, class OutputIt, class CountedIt, class Selector>
OutputIt split(
  const execution_policy<Derived>& policy, const char* name, InputIt in, index_type n, OutputIt out, CountedIt counted,
  Selector falses)
{
  const index_type where = detail::run_for_result<index_type>(
    policy, name, n, sizeof(value_type_of<InputIt>), 0,
    [&](temporary_storage storage, std::size_t& bytes, index_type* result, simt::stream_type stream) {
      return algorithm::split(storage, bytes, in, adaptor::unwrap(out), n, counted, falses, result, stream);
    });
  return out + where;
}
template <class Derived, class InputIt, class OutputIt, class CountIt, class CountedIt, class Selector>
OutputIt split(
  const execution_policy<Derived>& policy, const char* name, InputIt in, index_type n,
  const with_total<OutputIt, CountIt>& out, CountedIt counted, Selector falses)
{
  if (n == 0) {
    detail::copy_items(policy, name, block::make_constant_iterator(index_type{0}), 1, out.total);
    return out.out;
  }
  detail::run(
    policy, name, n, sizeof(value_type_of<InputIt>),
    [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
      return algorithm::split(
        storage, bytes, in, adaptor::unwrap(out.out), n, counted, falses, adaptor::unwrap(out.total), stream);
    });
  return out.out + n;
}

/// The split of each segment, or its inverse.
template <class Derived, class FlagIt, class Heads, class Move>
void split_segments(
  const execution_policy<Derived>& policy, const char* name, FlagIt flags, index_type n, std::size_t value_bytes,
  Heads heads, Move move)
{
  detail::run(
    policy, name, n, value_bytes, [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
      return algorithm::segmented_split(
        storage, bytes, adaptor::heads_of(heads), adaptor::heads_of(detail::heads_from_end(heads, n)),
        adaptor::unwrap(flags), n, move, stream);
    });
}

}  // namespace detail

/// The items without a flag before those with one, both in their order. Returns where the latter begin in `out`; of
/// with_total(out, where) the number of the first is written to *where, nobody waits, and the end is returned.
///
/// Flags are of any type convertible to bool. `out` overlaps nothing. It is one launch, whose first blocks count flags,
/// as the position of an item with a flag is not known before, and whose others move items: flags are read twice, items
/// read and written once. Storage: none, or a state for each tile where the stream keeps none. More than 2^22 items
/// take two launches, a reduce that counts and a persistent select; storage: one count besides theirs. The book's split
/// (page 43, by the thesis, line 362, of radix sort); thesis 6.1, line 628, by eight calls.
template <class Derived, class InputIt, class FlagIt, class Out>
auto split(const execution_policy<Derived>& policy, InputIt first, InputIt last, FlagIt flags, Out out)
{
  using selector = algorithm::select_if_stencil<decltype(adaptor::unwrap(flags)), functor::clear_as<bool>>;
  return detail::split(
    policy, "split", adaptor::unwrap(first), adaptor::length(first, last), out,
    adaptor::transformed<index_type>(flags, functor::clear_as<index_type>{}), selector{adaptor::unwrap(flags), {}});
}

/// The same by pred(x[i]) instead of a flag, which is not stored: items are read twice. `pred` must return the same
/// each time.
template <class Derived, class InputIt, class Out, class Predicate>
auto split_if(const execution_policy<Derived>& policy, InputIt first, InputIt last, Out out, Predicate pred)
{
  using falses = functor::negated<Predicate>;
  return detail::split(
    policy, "split_if", adaptor::unwrap(first), adaptor::length(first, last), out,
    adaptor::transformed<index_type>(first, functor::one_if<falses>{{pred}}), algorithm::select_if<falses>{{pred}});
}

/// True for numbers in which this bit is set: split_if by it is a step of the split-radix sort.
struct bit_is_set {
  unsigned bit;

  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& x) const
  {
    return (x >> bit & 1) != 0;
  }
};

/// The same within each segment: its items without a flag before its others. Returns the end of the output.
///
/// `out` overlaps nothing. It is two scans, one backwards that counts for each item those without a flag after it in
/// its segment, one that counts those with a flag before it and moves: flags and heads are read twice, the first counts
/// written and read, items read and written once; two launches, three by offsets of more than 2^22 bytes.
/// Storage: 4 bytes for each item, 8 from 2^32 items on.
template <class Derived, class InputIt, class FlagIt, class Heads, class OutputIt>
OutputIt split(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, FlagIt flags, Heads heads, OutputIt out)
{
  using move = functor::split_move<decltype(adaptor::unwrap(first)), decltype(adaptor::unwrap(out)), false>;
  const index_type n = adaptor::length(first, last);
  detail::split_segments(
    policy, "split", flags, n, sizeof(adaptor::value_of<InputIt>), heads,
    move{adaptor::unwrap(first), adaptor::unwrap(out)});
  return out + n;
}

/// The inverse of the split of each segment: out becomes what split made `first` of, by these flags and heads. Its
/// costs are the same. Returns the end of the output.
template <class Derived, class FlagIt, class Heads, class InputIt, class OutputIt>
OutputIt unsplit(
  const execution_policy<Derived>& policy, FlagIt flags_first, FlagIt flags_last, Heads heads, InputIt first,
  OutputIt out)
{
  using move = functor::split_move<decltype(adaptor::unwrap(first)), decltype(adaptor::unwrap(out)), true>;
  const index_type n = adaptor::length(flags_first, flags_last);
  detail::split_segments(
    policy, "unsplit", flags_first, n, sizeof(adaptor::value_of<InputIt>), heads,
    move{adaptor::unwrap(first), adaptor::unwrap(out)});
  return out + n;
}

/// The inverse of split: out[i] is the next item of `trues` where flags[i] is set, else the next of `falses`. Returns
/// the end of the output.
///
/// After a split `falses` is its output and `trues` what it returned; values are as in select. `out` overlaps nothing.
/// It is one launch, a scan of the flags that writes none of its counts: flags are read once, for what they select
/// again from the cache; items read and written once. It does the same for segments, as the packed items of each lie
/// after those of the segments before. The name is the book's.
template <class Derived, class FlagIt, class FalseIt, class TrueIt, class OutputIt>
OutputIt flag_merge(
  const execution_policy<Derived>& policy, FlagIt flags_first, FlagIt flags_last, FalseIt falses, TrueIt trues,
  OutputIt out)
{
  using T = detail::one_of<OutputIt, adaptor::value_of<FalseIt>, adaptor::value_of<TrueIt>>;
  using take = functor::take_next<
    T, decltype(adaptor::unwrap(flags_first)), decltype(adaptor::unwrap(falses)), decltype(adaptor::unwrap(trues)),
    decltype(adaptor::unwrap(out))>;
  const auto flags = adaptor::transformed<index_type>(flags_first, functor::flag_as<index_type>{});
  const index_type n = adaptor::length(flags_first, flags_last);
  const auto taken = gimbal::written_by(
    take{adaptor::unwrap(flags_first), adaptor::unwrap(falses), adaptor::unwrap(trues), adaptor::unwrap(out)});
  detail::run(
    policy, "flag_merge", n, sizeof(T), [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
      return algorithm::scan_plan(
               algorithm::exclusive_scan_tag{}, flags, taken, n, ::cuda::std::plus<index_type>{}, index_type{0})
        .run(storage, bytes, stream);
    });
  return out + n;
}

/// The items with a flag, in their order. Returns their end in `out`; of with_total(out, count) their number is written
/// to *count, nobody waits, and nothing is returned.
///
/// Flags are of any type convertible to bool. `out` may equal `first`. It is one launch, which reads items and flags
/// once and writes what it keeps once; see copy_if of thrust/select.h. The name is the book's.
template <class Derived, class InputIt, class FlagIt, class OutputIt>
OutputIt pack(const execution_policy<Derived>& policy, InputIt first, InputIt last, FlagIt flags, OutputIt out)
{
  return adaptor::copy_if(detail::mutable_policy(policy), "pack", first, last, flags, out, functor::flag_as<bool>{});
}
template <class Derived, class InputIt, class FlagIt, class OutputIt, class CountIt>
void pack(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, FlagIt flags,
  const with_total<OutputIt, CountIt>& out)
{
  static_assert(!::cuda::std::is_same<CountIt, to_host>::value, "pack returns the end of what it keeps by itself");
  using selector = algorithm::select_flagged<decltype(adaptor::unwrap(flags))>;
  const index_type n = adaptor::length(first, last);
  if (n == 0) {
    detail::copy_items(policy, "pack", block::make_constant_iterator(index_type{0}), 1, out.total);
    return;
  }
  detail::run(
    policy, "pack", n, sizeof(adaptor::value_of<InputIt>),
    [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
      return algorithm::select_plan(
               adaptor::unwrap(first), n, selector{adaptor::unwrap(flags)}, adaptor::unwrap(out.out),
               algorithm::discard_rejected{}, adaptor::unwrap(out.total))
        .run(storage, bytes, stream);
    });
}

/// The same for segments: lengths[s] becomes the number of items that segment s has now. allocate makes offsets of
/// them. It is two launches, a segmented reduction of the flags, and pack.
template <class Derived, class InputIt, class FlagIt, class Heads, class OutputIt, class LengthIt>
OutputIt pack(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, FlagIt flags, Heads heads, OutputIt out,
  LengthIt lengths)
{
  using count = detail::count_of<LengthIt>;
  const auto ones = adaptor::transformed<count>(flags, functor::flag_as<count>{});
  vectors::reduce(policy, ones, ones + adaptor::length(first, last), heads, lengths, vectors::plus<count>());
  return vectors::pack(policy, first, last, flags, out);
}

}  // namespace vectors

GIMBAL_NAMESPACE_END
