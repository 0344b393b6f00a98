// Segmented scans over a communicator, with the signatures of gimbal/segmented_scan.h.
//
//   thrust::device_vector<double> x = ...;             // this rank's part of the items
//   thrust::device_vector<std::int64_t> rows = ...;    // this rank's part of the offsets: where segments begin
//   gimbal::inclusive_segmented_scan(
//     gimbal::par.over(ranks), x.begin(), x.end(), gimbal::segment_offsets(rows.begin(), rows.end()),
//     gimbal::with_totals(x.begin(), sums.begin()));   // sums[s]: of the segment that begins at rows[s]
//
// Results are those of one call on the ranks' parts, one after another. A segment may span ranks. The rest is as for
// scans (scan.h). For totals alone, a segmented reduction, the output is a thrust::make_discard_iterator().
//
// Head flags: one for each of a rank's items; the first of the whole sequence counts as set. A segment's total goes to
// the rank where it begins: each rank numbers its own from 0.
//
// Offsets: the ranks' parts of them, one after another, are those of the whole sequence, in which an item's position
// may exceed 2^32. They do not depend on which rank has which items: one rank may pass all and the others none, or each
// as many as it likes. Each must be at least the one before, on whatever rank, and at most the number of all items,
// else every rank throws an error of the first rank that has passed a wrong one. A segment's total goes to the rank
// that has passed its offset; those of empty segments are as on one GPU.
//
// A call by offsets reads them twice before it scans, and sends each to the rank that has its item; totals come back.
// Each rank has a copy of both. Ranks wait for each other 8 times, with totals 11 times, 13 without init.
#pragma once

#include <gimbal/distributed/exchange.h>
#include <gimbal/distributed/find.h>
#include <gimbal/distributed/scan.h>
#include <gimbal/segmented_scan.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class TotalIt>
inline constexpr bool has_totals_v = !::cuda::std::is_same_v<TotalIt, no_totals>;

/// What calls by flags and by offsets share. `heads_from(i)` are those of the items from i on, of which item i is one;
/// `count_totals(i)` is how many of the totals belong to segments that begin among them and have items.
template <
  class T, class Local, class Kind, class FlagIt, class HeadAt, class InputIt, class OutputIt, class Op, class Init,
  class HeadsFrom, class CountTotals, class TotalIt>
void scan_segments(
  distributed_call<Local>& call, const char* name, Kind kind, FlagIt flags, HeadAt head_at, InputIt first, index_type n,
  OutputIt out, Op op, Init init, HeadsFrom heads_from, CountTotals count_totals, TotalIt totals)
{
  const auto start = adaptor::fold_init(init);
  const auto carry =
    adaptor::gather_carry<bool, T>(call, flags, first, n, head_at, ranks::joins_without_flag{}, op, start);
  const index_type rest = carry.continued;
  // The total of the last segment, which may go on. Its items may be overwritten by the scan, and it by the rank's own.
  [[maybe_unused]] rank_buffer<Local, T> last_total(call);
  [[maybe_unused]] index_type count = 0;
  if constexpr (has_totals_v<TotalIt>) {
    call.step([&] {
      last_total.allocate(1);
      count = count_totals(rest);
    });
    adaptor::fold_last_run<T>(call, first, n, rest, head_at, count > 0, last_total.get(), op, start);
  }
  call.step([&] {
    adaptor::scan_part(call.local(), name, kind, first, rest, out, op, carry.value);
    adaptor::segmented_scan(
      call.local(), name, kind, first + rest, first + n, heads_from(rest), out + rest, init, op, totals);
    if constexpr (has_totals_v<TotalIt>) {
      if (count > 0) {
        call.once(ranks::store_fold<T, TotalIt>{last_total.get(), totals + (count - 1)});
      }
    }
  });
}

template <class Local, class Kind, class InputIt, class FlagIt, class OutputIt, class Init, class Op, class TotalIt>
OutputIt distributed_segmented_scan(
  distributed_policy<Local>& policy, const char* name, Kind kind, InputIt first, InputIt last, FlagIt heads,
  OutputIt out, Init init, Op op, TotalIt totals)
{
  using accumulator = accumulator_t<Op, InputIt, Init>;
  check_passed<iterators<InputIt, FlagIt, OutputIt>, values<accumulator>>();
  const index_type n = adaptor::length(first, last);
  const auto flags = adaptor::unwrap(heads);
  const ranks::head_by_flags<std::remove_const_t<decltype(flags)>> head_at{flags};
  distributed_call<Local> call(policy, name, n, sizeof(value_of<InputIt>));
  adaptor::scan_segments<accumulator>(
    call, name, kind, flags, head_at, first, n, out, op, init, [&](index_type from) { return heads + from; },
    [&](index_type from) {
      const thrust::counting_iterator<index_type> begin(from + 1);
      return from == n ? 0 : 1 + thrust::count_if(call.local(), begin, begin + (n - from - 1), head_at);
    },
    totals);
  call.finish();
  return out + n;
}

/// The offsets of segments that begin on this rank, got from the ranks that have passed them.
template <class Local, class OffsetIt>
class rank_offsets {
public:
  using offset = value_of<OffsetIt>;

  /// Each rank has `n` items and passes `count` offsets from `first` on, of which `descent` is the first that is less
  /// than the one before, if one is.
  rank_offsets(
    distributed_call<Local>& call, const char* name, index_type n, OffsetIt first, index_type count, index_type descent)
      : name_(name), call_(call), passed_(call, first, count), limits_(call), below_(call), own_(call), heads_(call)
  {
    const index_type ranks = call.size();
    call.step([&] {
      refuse_if(descent < count, "offset of a segment that is less than the one before");
      passed_.load();
      limits_.allocate(ranks + 1);
      below_.allocate(ranks + 1);
      heads_.allocate(1);
    });
    const std::vector<index_type> numbers = call.gather_numbers({n, count});
    const rank_ranges items(adaptor::numbers_of_ranks(numbers, 2, 0));
    held_ = rank_ranges(adaptor::numbers_of_ranks(numbers, 2, 1));
    before_ = items.begin[own_rank()];

    // An offset goes to the rank that has its item, one of the end of all items to the last rank.
    std::vector<index_type> limits = items.begin;
    limits.push_back(items.end.back() + 1);
    std::vector<std::uint64_t> own_below(limits.size());
    std::vector<std::uint64_t> all_below(limits.size());
    call.copy(limits_.get(), limits.data(), limits.size() * sizeof(limits[0]));
    call.for_each(
      static_cast<unsigned>(limits.size()),
      ranks::count_offsets_below<offset>{passed_.get(), count, limits_.get(), below_.get()});
    call.sum_counts(below_.get(), own_below, all_below);
    std::vector<index_type> received;
    for (std::size_t r = 0; r + 1 < limits.size(); ++r) {
      received.push_back(static_cast<index_type>(all_below[r + 1] - all_below[r]));
    }
    wanted_ = rank_ranges(received);
    count_ = received[own_rank()];
    call.step([&] {
      refuse_if(
        own_below.front() > 0 || own_below.back() < static_cast<std::uint64_t>(count),
        "offset of a segment that is no position in the whole sequence");
      own_.allocate(count_);
    });
    call.finish();
    exchange(passed_.get(), own_.get());
  }

  index_type count() const { return count_; }
  /// As offsets into the rank's items from item i on.
  auto from(index_type i) const
  {
    return adaptor::transformed<index_type>(own_.get(), ranks::offset_from{before_ + i});
  }
  /// Waits for the stream.
  ranks::own_heads heads(index_type n)
  {
    ranks::own_heads heads{};
    call_.once(ranks::find_own_heads<decltype(from(0))>{from(0), count_, n, heads_.get()});
    call_.copy(&heads, heads_.get(), sizeof(heads));
    call_.wait();
    return heads;
  }

  /// Exchanges values of offsets: from those that the rank has passed to those that it has got, and back.
  template <class T>
  void exchange(const T* of_passed, T* of_own) const
  {
    adaptor::exchange_ranges(call_, of_passed, held_, of_own, wanted_);
  }
  template <class T>
  void exchange_back(const T* of_own, T* of_passed) const
  {
    adaptor::exchange_ranges(call_, of_own, wanted_, of_passed, held_);
  }

private:
  void refuse_if(bool is_wrong, const char* which) const
  {
    if (is_wrong) {
      adaptor::throw_failure(simt::failure(simt::error_invalid_value, which), name_);
    }
  }
  std::size_t own_rank() const { return static_cast<std::size_t>(call_.rank()); }

  const char* name_;
  distributed_call<Local>& call_;
  rank_array<Local, OffsetIt> passed_;
  rank_buffer<Local, index_type> limits_;
  rank_buffer<Local, std::uint64_t> below_;
  rank_buffer<Local, offset> own_;
  rank_buffer<Local, ranks::own_heads> heads_;
  rank_ranges held_;    // of all offsets, by the ranks that have passed them
  rank_ranges wanted_;  // and by those that get them
  index_type count_ = 0;
  index_type before_ = 0;
};

template <class Local, class Kind, class InputIt, class OffsetIt, class OutputIt, class Init, class Op, class TotalIt>
OutputIt distributed_segmented_scan(
  distributed_policy<Local>& policy, const char* name, Kind kind, InputIt first, InputIt last,
  segment_offsets<OffsetIt> passed, OutputIt out, Init init, Op op, TotalIt totals)
{
  using accumulator = accumulator_t<Op, InputIt, Init>;
  using offset = value_of<OffsetIt>;
  check_passed<iterators<InputIt, OffsetIt, OutputIt>, values<accumulator>>();
  static_assert(is_count_v<offset>, "offsets of segments are integers");
  const index_type n = adaptor::length(first, last);
  const index_type count = adaptor::length(passed.first, passed.last);
  bool descends = false;
  const index_type descent =
    adaptor::distributed_sorted(policy, name, passed.first, passed.last, ::cuda::std::less<offset>{}, descends);

  distributed_call<Local> call(policy, name, n, sizeof(value_of<InputIt>));
  rank_offsets<Local, OffsetIt> offsets(call, name, n, passed.first, count, descent);
  const ranks::own_heads heads = offsets.heads(n);
  const auto scan = [&](auto own_totals) {
    adaptor::scan_segments<accumulator>(
      call, name, kind, heads, heads, first, n, out, op, init,
      [&](index_type i) { return segment_offsets(offsets.from(i), offsets.from(i) + offsets.count()); },
      [&](index_type) { return heads.offsets; }, own_totals);
  };
  if constexpr (has_totals_v<TotalIt>) {
    using total = value_of<TotalIt>;
    check_passed<iterators<TotalIt>, values<total>>();
    rank_array<Local, TotalIt> passed_totals(call, totals, count);
    rank_buffer<Local, total> own_totals(call);
    call.step([&] {
      passed_totals.load();
      own_totals.allocate(offsets.count());
    });
    if constexpr (::cuda::std::is_same_v<Init, no_init>) {  // those of empty segments stay
      call.finish();
      offsets.exchange(passed_totals.get(), own_totals.get());
    }
    scan(own_totals.get());
    call.finish();
    offsets.exchange_back(own_totals.get(), passed_totals.get());
    call.step([&] { passed_totals.store(); });
  } else {
    scan(totals);
  }
  call.finish();
  return out + n;
}

template <class Local, class Kind, class InputIt, class Heads, class OutputIt, class Init, class Op>
OutputIt distributed_segmented_scan(
  const distributed_policy<Local>& policy, const char* name, Kind kind, InputIt first, InputIt last, Heads heads,
  OutputIt out, Init init, Op op)
{
  return adaptor::distributed_segmented_scan(
    const_cast<distributed_policy<Local>&>(policy), name, kind, first, last, heads, out, init, op, no_totals{});
}
template <class Local, class Kind, class InputIt, class Heads, class OutputIt, class TotalIt, class Init, class Op>
OutputIt distributed_segmented_scan(
  const distributed_policy<Local>& policy, const char* name, Kind kind, InputIt first, InputIt last, Heads heads,
  with_totals<OutputIt, TotalIt> out, Init init, Op op)
{
  return adaptor::distributed_segmented_scan(
    const_cast<distributed_policy<Local>&>(policy), name, kind, first, last, heads, out.out, init, op,
    adaptor::unwrap(out.totals));
}

}  // namespace adaptor

template <class Local, class InputIt, class Heads, class Out, class Init, class Op>
auto inclusive_segmented_scan(
  const distributed_policy<Local>& policy, InputIt first, InputIt last, Heads heads, Out out, Init init, Op op)
{
  return adaptor::distributed_segmented_scan(
    policy, "inclusive_segmented_scan", algorithm::inclusive_scan_tag{}, first, last, heads, out, init, op);
}

template <class Local, class InputIt, class Heads, class Out, class Op>
auto inclusive_segmented_scan(
  const distributed_policy<Local>& policy, InputIt first, InputIt last, Heads heads, Out out, Op op)
{
  return gimbal::inclusive_segmented_scan(policy, first, last, heads, out, no_init{}, op);
}

template <class Local, class InputIt, class Heads, class Out>
auto inclusive_segmented_scan(
  const distributed_policy<Local>& policy, InputIt first, InputIt last, Heads heads, Out out)
{
  return gimbal::inclusive_segmented_scan(policy, first, last, heads, out, no_init{}, ::cuda::std::plus<>{});
}

template <class Local, class InputIt, class Heads, class Out, class Init, class Op>
auto exclusive_segmented_scan(
  const distributed_policy<Local>& policy, InputIt first, InputIt last, Heads heads, Out out, Init init, Op op)
{
  return adaptor::distributed_segmented_scan(
    policy, "exclusive_segmented_scan", algorithm::exclusive_scan_tag{}, first, last, heads, out, init, op);
}

template <class Local, class InputIt, class Heads, class Out, class Init>
auto exclusive_segmented_scan(
  const distributed_policy<Local>& policy, InputIt first, InputIt last, Heads heads, Out out, Init init)
{
  return gimbal::exclusive_segmented_scan(policy, first, last, heads, out, init, ::cuda::std::plus<>{});
}

template <class Local, class InputIt, class Heads, class Out>
auto exclusive_segmented_scan(
  const distributed_policy<Local>& policy, InputIt first, InputIt last, Heads heads, Out out)
{
  return gimbal::exclusive_segmented_scan(policy, first, last, heads, out, value_type_of<InputIt>{});
}

GIMBAL_NAMESPACE_END
