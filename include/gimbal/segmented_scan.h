// Segmented scan under a policy (policy.h, which this header does not include, as it brings every routed algorithm): a
// scan that restarts at every head. Thrust has only the form by equal keys.
//
//   inclusive_segmented_scan(policy, first, last, heads, out)              with +
//   inclusive_segmented_scan(policy, first, last, heads, out, op)
//   inclusive_segmented_scan(policy, first, last, heads, out, init, op)
//   exclusive_segmented_scan(policy, first, last, heads, out)              with + and a value-initialised init
//   exclusive_segmented_scan(policy, first, last, heads, out, init)        with +
//   exclusive_segmented_scan(policy, first, last, heads, out, init, op)
//
// `heads` is an iterator over one flag per item, of any type convertible to bool, or segment_offsets(first, last).
// `out` is an iterator, or with_totals(out, totals) to have each segment's total written too:
//
//   gimbal::exclusive_segmented_scan(gimbal::par, v.begin(), v.end(), flags.begin(), out.begin());
//   gimbal::inclusive_segmented_scan(gimbal::par, v.begin(), v.end(), gimbal::segment_offsets(o.begin(), o.end()),
//                                    gimbal::with_totals(out.begin(), sums.begin()));
//
// Over several GPUs: distributed/segmented_scan.h.
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>

#include <gimbal/algorithm/scan/segmented_scan.cuh>

GIMBAL_NAMESPACE_BEGIN

/// Heads given by where segments start: segment s holds the items [first[s], first[s + 1]), the last one all that
/// follow. Offsets, of any integer type, must not decrease nor exceed the number of items; equal offsets make empty
/// segments. Items before the first offset form a segment of their own, which has no number and no total.
template <class OffsetIt>
struct segment_offsets {
  segment_offsets(OffsetIt begin, OffsetIt end) : first(begin), last(end) {}

  OffsetIt first;
  OffsetIt last;
};

/// An output with totals: segment s's total, `[init op] x[h] op ... op x[e - 1]` over its items, goes to totals[s].
/// With head flags segments are numbered in order from 0; a range needs room for as many totals as it has segments.
/// With offsets each offset has a total; that of a segment without items is init, or left as it was where the scan has
/// no init.
template <class OutputIt, class TotalIt>
struct with_totals {
  with_totals(OutputIt results, TotalIt sums) : out(results), totals(sums) {}

  OutputIt out;
  TotalIt totals;
};

namespace adaptor {

template <class FlagIt>
auto heads_of(FlagIt flags)
{
  return heads_from_flags<decltype(adaptor::unwrap(flags))>{adaptor::unwrap(flags)};
}
template <class OffsetIt>
auto heads_of(const segment_offsets<OffsetIt>& offsets)
{
  return heads_from_offsets<decltype(adaptor::unwrap(offsets.first))>{
    adaptor::unwrap(offsets.first), adaptor::length(offsets.first, offsets.last)};
}

/// One call serves all forms of heads and outputs; returns the end of the output.
template <class Derived, class Kind, class InputIt, class Heads, class OutputIt, class Init, class Op, class Totals>
OutputIt segmented_scan(
  const execution_policy<Derived>& policy, const char* name, Kind kind, InputIt first, InputIt last, Heads heads,
  OutputIt out, Init init, Op op, Totals totals)
{
  static_assert(
    is_random_access_v<InputIt> && is_random_access_v<OutputIt>, "segmented scans take random access iterators");
  static_assert(
    simt::is_supported_value_v<accumulator_t<Op, InputIt, Init>>,
    "segmented scans take values that are copied bytewise and have at most 128 bytes");
  const index_type n = adaptor::length(first, last);
  call<Derived> step(const_cast<execution_policy<Derived>&>(policy), name, n, sizeof(value_of<InputIt>));
  auto plan = algorithm::segmented_scan_plan(
    kind, adaptor::heads_of(heads), adaptor::unwrap(first), adaptor::unwrap(out), n, op, init, totals);
  step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
  step.finish();
  return out + n;
}
template <class Derived, class Kind, class InputIt, class Heads, class OutputIt, class Init, class Op, class TotalIt>
OutputIt segmented_scan(
  const execution_policy<Derived>& policy, const char* name, Kind kind, InputIt first, InputIt last, Heads heads,
  with_totals<OutputIt, TotalIt> out, Init init, Op op, no_totals)
{
  return adaptor::segmented_scan(
    policy, name, kind, first, last, heads, out.out, init, op, adaptor::unwrap(out.totals));
}

}  // namespace adaptor

/// out[i] = [init op] x[h] op ... op x[i], where h is the head of i's segment: the last item at or before i that is
/// flagged or an offset, or item 0. Returns the end of the output.
///
/// `op` must be associative; operands are combined in order, so it need not be commutative. The accumulator is
/// the decayed result of op(init, item), without an init the items' type; results and totals are converted from it. It
/// must be bytewise copyable and of at most 128 bytes, otherwise the call does not compile: there is no stock to fall
/// back to. `out` may equal `first` or the flags; offsets and totals overlap nothing else. Counts are 64-bit; without
/// items nothing runs, except that the totals of empty segments are written if there is an init.
///
/// Runs on the policy's stream; `par` waits for the end, `par_nosync` does not. Temporary storage, from the retained
/// pool or the policy's allocator: with offsets and without totals a bit per item, from 2^22 bytes of items on; else
/// none to speak of. Each item is read once and each result written once, besides one read of each flag, or two of each
/// offset. Results are the same bits in every run, floating point included.
///
/// Throws thrust::system_error naming this call, or an exception derived from std::bad_alloc. To be called from host
/// code. Source: the scan of pairs of Schwartz (1980) on the single-pass scan of Merrill & Garland (2016); see
/// algorithm/scan/segmented_scan.cuh.
template <class Derived, class InputIt, class Heads, class Out, class Init, class Op>
auto inclusive_segmented_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, Out out, Init init, Op op)
{
  return adaptor::segmented_scan(
    policy, "inclusive_segmented_scan", algorithm::inclusive_scan_tag{}, first, last, heads, out, init, op,
    no_totals{});
}

/// The same without an initial value.
template <class Derived, class InputIt, class Heads, class Out, class Op>
auto inclusive_segmented_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, Out out, Op op)
{
  return gimbal::inclusive_segmented_scan(policy, first, last, heads, out, no_init{}, op);
}

/// The same with +.
template <class Derived, class InputIt, class Heads, class Out>
auto inclusive_segmented_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, Out out)
{
  return gimbal::inclusive_segmented_scan(policy, first, last, heads, out, no_init{}, ::cuda::std::plus<>{});
}

/// out[i] = init op x[h] op ... op x[i - 1], where h is the head of i's segment, so out[h] = init; all else is as in
/// inclusive_segmented_scan. Totals include the last item.
template <class Derived, class InputIt, class Heads, class Out, class Init, class Op>
auto exclusive_segmented_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, Out out, Init init, Op op)
{
  return adaptor::segmented_scan(
    policy, "exclusive_segmented_scan", algorithm::exclusive_scan_tag{}, first, last, heads, out, init, op,
    no_totals{});
}

/// The same with +.
template <class Derived, class InputIt, class Heads, class Out, class Init>
auto exclusive_segmented_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, Out out, Init init)
{
  return gimbal::exclusive_segmented_scan(policy, first, last, heads, out, init, ::cuda::std::plus<>{});
}

/// The same with + and a value-initialised item as the initial value.
template <class Derived, class InputIt, class Heads, class Out>
auto exclusive_segmented_scan(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, Out out)
{
  return gimbal::exclusive_segmented_scan(
    policy, first, last, heads, out, adaptor::value_of<InputIt>{}, ::cuda::std::plus<>{});
}

GIMBAL_NAMESPACE_END
