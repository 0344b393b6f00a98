// Scan-vector calls that combine items: scan and back_scan, exclusive and inclusive, reduce, distribute, enumerate, and
// the segmented copy. See scan_vector.h for what holds for all calls.
#pragma once

#include <gimbal/scan_vector/call.h>
#include <gimbal/thrust/reduce.h>
#include <gimbal/thrust/scan.h>

GIMBAL_NAMESPACE_BEGIN

namespace vectors {

namespace detail {

/// What an exclusive scan begins with.
template <class Monoid>
auto initial(algorithm::exclusive_scan_tag, const Monoid& monoid)
{
  static_assert(Monoid::has_identity, "exclusive scans begin with an identity: see make_monoid");
  return monoid.identity;
}
template <class Monoid>
no_init initial(algorithm::inclusive_scan_tag, const Monoid&)
{
  return {};
}

// One scan over all forms of outputs; of vectors read backwards `in` and `out` are reversed.

template <class Derived, class Kind, class InputIt, class OutputIt, class Monoid>
OutputIt scan(
  const execution_policy<Derived>& policy, const char* name, Kind kind, InputIt in, index_type n, OutputIt out,
  const Monoid& monoid)
{
  return adaptor::scan(
    detail::mutable_policy(policy), name, kind, in, in + n, out, monoid.op, detail::initial(kind, monoid));
}

template <class Derived, class Kind, class InputIt, class OutputIt, class TotalIt, class Monoid>
auto scan(
  const execution_policy<Derived>& policy, const char* name, Kind kind, InputIt in, index_type n,
  const with_total<OutputIt, TotalIt>& out, const Monoid& monoid)
{
  using T = typename Monoid::value_type;
  static_assert(Monoid::has_identity, "the total of no items is an identity: see make_monoid");
  static_assert(
    simt::is_supported_value_v<T>, "totals are of values that are copied bytewise and have at most 128 bytes");
  const auto scan_to = [&](auto total, temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
    return algorithm::scan_plan(kind, in, adaptor::unwrap(out.out), n, monoid.op, detail::initial(kind, monoid), total)
      .run(storage, bytes, stream);
  };
  if constexpr (::cuda::std::is_same<TotalIt, to_host>::value) {
    return detail::run_for_result<T>(
      policy, name, n, sizeof(T), monoid.identity,
      [&](temporary_storage storage, std::size_t& bytes, T* total, simt::stream_type stream) {
        return scan_to(total, storage, bytes, stream);
      });
  } else if (n == 0) {
    detail::copy_items(policy, name, block::make_constant_iterator(monoid.identity), 1, out.total);
    return out.out;
  } else {
    detail::run(
      policy, name, n, sizeof(T), [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
        return scan_to(adaptor::unwrap(out.total), storage, bytes, stream);
      });
    return out.out + n;
  }
}

/// The output of a scan that reads its n items backwards.
template <class OutputIt>
auto written_backwards(OutputIt out, index_type n)
{
  return detail::written_from_end(out, n);
}
template <class OutputIt, class TotalIt>
auto written_backwards(const with_total<OutputIt, TotalIt>& out, index_type n)
{
  const auto results = detail::written_from_end(out.out, n);
  return with_total<std::remove_const_t<decltype(results)>, TotalIt>(results, out.total);
}

/// What a scan backwards returns, given what the scan of the reversed vector returned.
template <class OutputIt, class Returned>
OutputIt end_of(OutputIt out, index_type n, const Returned&)
{
  return out + n;
}
template <class OutputIt, class TotalIt, class Returned>
OutputIt end_of(const with_total<OutputIt, TotalIt>& out, index_type n, const Returned&)
{
  return out.out + n;
}
template <class OutputIt, class Returned>
Returned end_of(const with_total<OutputIt, to_host>&, index_type, const Returned& total)
{
  return total;
}

template <class Derived, class Kind, class InputIt, class Out, class Monoid>
auto back_scan(
  const execution_policy<Derived>& policy, const char* name, Kind kind, InputIt first, InputIt last, Out out,
  const Monoid& monoid)
{
  using T = typename Monoid::value_type;
  const index_type n = adaptor::length(first, last);
  const auto in = thrust::make_reverse_iterator(detail::items<T>(first) + n);
  return detail::end_of(out, n, detail::scan(policy, name, kind, in, n, detail::written_backwards(out, n), monoid));
}

template <class Out>
inline constexpr bool has_totals_v = false;
template <class OutputIt, class TotalIt>
inline constexpr bool has_totals_v<with_totals<OutputIt, TotalIt>> = true;
template <class Heads>
inline constexpr bool has_offsets_v = false;
template <class OffsetIt>
inline constexpr bool has_offsets_v<segment_offsets<OffsetIt>> = true;

template <class Derived, class Kind, class InputIt, class Heads, class Out, class Monoid>
auto segmented_scan(
  const execution_policy<Derived>& policy, const char* name, Kind kind, InputIt first, InputIt last, Heads heads,
  Out out, const Monoid& monoid)
{
  using T = typename Monoid::value_type;
  const auto in = detail::items<T>(first);
  const index_type n = adaptor::length(first, last);
  // Segments without items have a total, too, where they are numbered.
  if constexpr (has_totals_v<Out> && has_offsets_v<Heads> && Monoid::has_identity) {
    return adaptor::segmented_scan(policy, name, kind, in, in + n, heads, out, monoid.identity, monoid.op, no_totals{});
  } else {
    return adaptor::segmented_scan(
      policy, name, kind, in, in + n, heads, out, detail::initial(kind, monoid), monoid.op, no_totals{});
  }
}

template <class Derived, class Kind, class InputIt, class Heads, class OutputIt, class Monoid>
OutputIt segmented_back_scan(
  const execution_policy<Derived>& policy, const char* name, Kind kind, InputIt first, InputIt last, Heads heads,
  OutputIt out, const Monoid& monoid)
{
  static_assert(!has_totals_v<OutputIt>, "totals of segments come from the scan forwards");
  using T = typename Monoid::value_type;
  const index_type n = adaptor::length(first, last);
  const auto in = thrust::make_reverse_iterator(detail::items<T>(first) + n);
  adaptor::segmented_scan(
    policy, name, kind, in, in + n, detail::heads_from_end(heads, n), detail::written_from_end(out, n),
    detail::initial(kind, monoid), monoid.op, no_totals{});
  return out + n;
}

}  // namespace detail

/// out[i] = identity op x[0] op ... op x[i - 1]. `out` is an iterator, whose end is returned, or
///
///   with_total(out)           the call returns the total, identity op x[0] op ... op x[n - 1]: one wait, one pass
///   with_total(out, where)    the total is written to *where; returns the end of the output
///
/// Operator and type are the monoid's; items are converted to that. `out` may equal `first`. It is one launch, which
/// reads and writes each item once; no storage to speak of. For its total an exclusive scan reads the last item twice.
/// The book's scan (page 6, by the thesis, line 196), the total as in the thesis, line 338.
template <class Derived, class InputIt, class Out, class Monoid>
auto scan(const execution_policy<Derived>& policy, InputIt first, InputIt last, Out out, const Monoid& monoid)
{
  using T = typename Monoid::value_type;
  return detail::scan(
    policy, "scan", algorithm::exclusive_scan_tag{}, detail::items<T>(first), adaptor::length(first, last), out,
    monoid);
}
/// out[i] = x[0] op ... op x[i]; all else is as in scan. A semigroup will do, except for totals.
template <class Derived, class InputIt, class Out, class Monoid>
auto inclusive_scan(const execution_policy<Derived>& policy, InputIt first, InputIt last, Out out, const Monoid& monoid)
{
  using T = typename Monoid::value_type;
  return detail::scan(
    policy, "inclusive_scan", algorithm::inclusive_scan_tag{}, detail::items<T>(first), adaptor::length(first, last),
    out, monoid);
}

/// The scan of each segment: out[i] = identity op x[h] op ... op x[i - 1], h being the head of i's segment. `out` is an
/// iterator, or gimbal::with_totals(out, totals) to have each segment's total written too. Returns the end of the
/// output.
///
/// This is exclusive_segmented_scan of segmented_scan.h, which describes aliasing, launches and storage; the total of a
/// segment without items is the identity. Bytes: items, flags and results once. The book's segmented scan (page 45, by
/// the thesis, line 216); the totals as in the thesis, line 342, which intends them, though its interface lacks them
/// (line 500).
template <class Derived, class InputIt, class Heads, class Out, class Monoid>
auto scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, Out out, const Monoid& monoid)
{
  return detail::segmented_scan(policy, "scan", algorithm::exclusive_scan_tag{}, first, last, heads, out, monoid);
}
/// The same, inclusive: out[i] = x[h] op ... op x[i]. A semigroup will do; it leaves totals of segments without items
/// as they are.
template <class Derived, class InputIt, class Heads, class Out, class Monoid>
auto inclusive_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, Out out, const Monoid& monoid)
{
  return detail::segmented_scan(
    policy, "inclusive_scan", algorithm::inclusive_scan_tag{}, first, last, heads, out, monoid);
}

/// The scan of the vector read from its last item on: out[i] = identity op x[n - 1] op ... op x[i + 1]. Operands come
/// in this order. All else, totals included, is as in scan. This is the book's back-scan.
template <class Derived, class InputIt, class Out, class Monoid>
auto back_scan(const execution_policy<Derived>& policy, InputIt first, InputIt last, Out out, const Monoid& monoid)
{
  return detail::back_scan(policy, "back_scan", algorithm::exclusive_scan_tag{}, first, last, out, monoid);
}
/// The same, inclusive: out[i] = x[n - 1] op ... op x[i].
template <class Derived, class InputIt, class Out, class Monoid>
auto inclusive_back_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Out out, const Monoid& monoid)
{
  return detail::back_scan(policy, "inclusive_back_scan", algorithm::inclusive_scan_tag{}, first, last, out, monoid);
}

/// The same for each segment: out[i] = identity op x[e - 1] op ... op x[i + 1], e being the end of i's segment. `out`
/// may equal `first`, but not the flags. There are no totals, which scan has. It is one launch by flags, two by offsets
/// of more than 2^22 bytes.
template <class Derived, class InputIt, class Heads, class OutputIt, class Monoid>
OutputIt back_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, OutputIt out, const Monoid& monoid)
{
  return detail::segmented_back_scan(
    policy, "back_scan", algorithm::exclusive_scan_tag{}, first, last, heads, out, monoid);
}
/// The same, inclusive: out[i] = x[e - 1] op ... op x[i].
template <class Derived, class InputIt, class Heads, class OutputIt, class Monoid>
OutputIt inclusive_back_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, OutputIt out, const Monoid& monoid)
{
  return detail::segmented_back_scan(
    policy, "inclusive_back_scan", algorithm::inclusive_scan_tag{}, first, last, heads, out, monoid);
}

/// Returns identity op x[0] op ... op x[n - 1].
///
/// It is one launch, which reads each item once, and one wait, with par_nosync too. See reduce of thrust/reduce.h.
template <class Derived, class InputIt, class Monoid>
auto reduce(const execution_policy<Derived>& policy, InputIt first, InputIt last, const Monoid& monoid)
{
  using T = typename Monoid::value_type;
  static_assert(Monoid::has_identity, "the reduction of no items is an identity: see make_monoid");
  const auto in = detail::items<T>(first);
  return adaptor::reduce(
    detail::mutable_policy(policy), "reduce", in, in + adaptor::length(first, last), monoid.identity, monoid.op);
}

/// *where = identity op x[0] op ... op x[n - 1], which stays on the device: it is one launch, without a wait of its
/// own.
template <class Derived, class InputIt, class OutputIt, class Monoid>
void reduce(const execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt where, const Monoid& monoid)
{
  using T = typename Monoid::value_type;
  static_assert(Monoid::has_identity, "the reduction of no items is an identity: see make_monoid");
  static_assert(
    simt::is_supported_value_v<T>, "reduce takes values that are copied bytewise and have at most 128 bytes");
  const index_type n = adaptor::length(first, last);
  if (n == 0) {
    detail::copy_items(policy, "reduce", block::make_constant_iterator(monoid.identity), 1, where);
    return;
  }
  detail::run(
    policy, "reduce", n, sizeof(T), [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
      return algorithm::reduce(
        storage, bytes, detail::items<T>(first), n, adaptor::unwrap(where), monoid.op, no_init{}, stream);
    });
}

/// The reduction of each segment: totals[s] = x[h] op ... op x[e - 1] over its items [h, e). Segments are numbered as
/// in gimbal::with_totals; of those without items it is the identity. It is one launch, which reads items and flags
/// once and writes the totals.
template <class Derived, class InputIt, class Heads, class TotalIt, class Monoid>
void reduce(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, TotalIt totals,
  const Monoid& monoid)
{
  detail::segmented_scan(
    policy, "reduce", algorithm::inclusive_scan_tag{}, first, last, heads,
    gimbal::with_totals<thrust::discard_iterator<>, TotalIt>(thrust::discard_iterator<>{}, totals), monoid);
}

/// out[i] = x[0] op ... op x[n - 1], the same for all. Returns the end of the output.
///
/// `out` may equal `first`. It is one launch, whose first blocks reduce and whose others wait for them, as no slot can
/// be written before all items have been read: items are read once and results written once, which have the bits of
/// what reduce writes to the device.
/// Storage: none, or a state with a value for each block that reduces where the stream keeps none. A semigroup will do.
/// The book's distribute (page 42, by the thesis, line 285); thesis 4.2.4, line 350.
template <class Derived, class InputIt, class OutputIt, class Monoid>
OutputIt distribute(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, const Monoid& monoid)
{
  using T = typename Monoid::value_type;
  static_assert(
    simt::is_supported_value_v<T>, "distribute takes values that are copied bytewise and have at most 128 bytes");
  const index_type n = adaptor::length(first, last);
  const auto in = detail::items<T>(first);
  detail::run(
    policy, "distribute", n, sizeof(T), [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
      return algorithm::distribute(storage, bytes, in, adaptor::unwrap(out), n, monoid.op, stream);
    });
  return out + n;
}

/// The reduction of each segment to all of its slots: out[i] = x[h] op ... op x[e - 1] over the segment [h, e) of i.
///
/// `out` may equal `first`, but not the flags. By offsets it is two launches, which read
/// the items once and write the results once; storage: a value for each segment. By flags it is two launches, a
/// reduction by key and a scan, both of which read the flags; storage: a value for each item, as there may be as many
/// segments.
template <class Derived, class InputIt, class Heads, class OutputIt, class Monoid>
OutputIt distribute(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, OutputIt out, const Monoid& monoid)
{
  using T = typename Monoid::value_type;
  static_assert(
    simt::is_supported_value_v<T>, "distribute takes values that are copied bytewise and have at most 128 bytes");
  const index_type n = adaptor::length(first, last);
  const auto in = detail::items<T>(first);
  detail::run(
    policy, "distribute", n, sizeof(T), [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
      return algorithm::segmented_distribute(
        storage, bytes, adaptor::heads_of(heads), in, adaptor::unwrap(out), n, monoid.op, stream);
    });
  return out + n;
}

/// The first item of each segment to all of its slots: out[i] = x[h]. Returns the end of the output.
///
/// By flags it is a segmented scan: one launch, which reads items and flags once and writes the results once; `out` may
/// equal `first`. By offsets it is an expand: one launch, which reads only the first item of each segment; `out`
/// overlaps nothing. The book's copy (page 42, by the thesis, line 265).
template <class Derived, class InputIt, class Heads, class OutputIt>
OutputIt copy(const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, OutputIt out)
{
  using T = adaptor::value_of<InputIt>;
  if constexpr (detail::has_offsets_v<Heads>) {
    const index_type n = adaptor::length(first, last);
    using first_place = block::constant_iterator<index_type>;
    using move =
      functor::gather_in_segment<first_place, decltype(adaptor::unwrap(first)), decltype(adaptor::unwrap(out))>;
    detail::run(
      policy, "copy", n, sizeof(T), [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
        return algorithm::for_each_with_head(
          storage, bytes, adaptor::heads_of(heads), n,
          move{first_place(0), adaptor::unwrap(first), adaptor::unwrap(out)}, stream);
      });
    return out + n;
  } else {
    return detail::segmented_scan(
      policy, "copy", algorithm::inclusive_scan_tag{}, first, last, heads, out, vectors::first<T>());
  }
}

/// out[i] = the number of flags that are set among flags[0] ... flags[i - 1]. `out` is an iterator or a with_total,
/// whose total is the number of all that are set, as of scan. Returns the end of the output, or the total.
///
/// Flags are of any type convertible to bool; counts of the integers that `out` holds, else of index_type, which it
/// converts. It is one launch, which reads the flags and writes the counts. `out` may equal the flags. Thesis:
/// Enumerate, line 249 (there: the book's page 42).
template <class Derived, class FlagIt, class Out>
auto enumerate(const execution_policy<Derived>& policy, FlagIt flags_first, FlagIt flags_last, Out out)
{
  using count = detail::count_of<Out>;
  const auto flags = adaptor::transformed<count>(flags_first, functor::flag_as<count>{});
  return detail::scan(
    policy, "enumerate", algorithm::exclusive_scan_tag{}, flags, adaptor::length(flags_first, flags_last), out,
    vectors::plus<count>());
}

/// The same within each segment: out[i] = how many of flags[h] ... flags[i - 1] are set. `out` is an iterator or
/// gimbal::with_totals(out, totals). It is one launch (without totals two by offsets of more than 2^22 bytes).
template <class Derived, class FlagIt, class Heads, class Out>
auto enumerate(const execution_policy<Derived>& policy, FlagIt flags_first, FlagIt flags_last, Heads heads, Out out)
{
  using count = detail::count_of<Out>;
  const auto flags = adaptor::transformed<count>(flags_first, functor::flag_as<count>{});
  return detail::segmented_scan(
    policy, "enumerate", algorithm::exclusive_scan_tag{}, flags, flags + adaptor::length(flags_first, flags_last),
    heads, out, vectors::plus<count>());
}

}  // namespace vectors

GIMBAL_NAMESPACE_END
