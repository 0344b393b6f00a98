// Scan-vector calls that make room: allocate gives each length a segment, expand fills the segments, head_flags marks
// where they begin. See scan_vector.h for what holds for all calls.
#pragma once

#include <gimbal/scan_vector/call.h>
#include <gimbal/scan_vector/scan.h>

GIMBAL_NAMESPACE_BEGIN

namespace vectors {

namespace detail {

template <class Derived, class OffsetIt, class OutputIt, class F>
OutputIt expand(
  const execution_policy<Derived>& policy, const char* name, const segment_offsets<OffsetIt>& offsets, OutputIt first,
  OutputIt last, F f)
{
  using function = functor::make_from_place<F, decltype(adaptor::unwrap(first))>;
  const auto heads = adaptor::heads_of(offsets);
  const index_type n = adaptor::length(first, last);
  detail::run_plan(
    policy, name, n, sizeof(index_type),
    algorithm::expand_plan(heads.offsets, heads.segment_count, n, function{f, adaptor::unwrap(first)}));
  return first + n;
}

}  // namespace detail

/// offsets[s] = lengths[0] + ... + lengths[s - 1]: each length becomes a segment. `offsets` is an iterator, whose end
/// is returned, with_total(offsets), for which the call returns the total number of slots, or with_total(offsets,
/// where).
///
///   const auto n = vectors::allocate(par, lengths.begin(), lengths.end(), vectors::with_total(offsets.begin()));
///   thrust::device_vector<int> line_of(n);
///   vectors::expand(par, gimbal::segment_offsets(offsets.begin(), offsets.end()), line_of.begin(), line_of.end());
///
/// Lengths are not negative; offsets are of the type that `offsets` holds, which the total fits into. `offsets` may
/// equal `lengths`. It is one launch, a scan of the lengths; what depends on the number of slots, which are yet to be
/// allocated, is left to expand and head_flags. The book's Allocating Elements (page 48).
template <class Derived, class LengthIt, class Out>
auto allocate(const execution_policy<Derived>& policy, LengthIt lengths_first, LengthIt lengths_last, Out offsets)
{
  using offset = detail::count_of<Out>;
  return detail::scan(
    policy, "allocate", algorithm::exclusive_scan_tag{}, detail::items<offset>(lengths_first),
    adaptor::length(lengths_first, lengths_last), offsets, vectors::plus<offset>());
}

/// Which segment each slot is in: out[i] = s with offsets[s] <= i and i before the next offset, for [first, last); -1
/// before the first offset. Returns `last`.
///
/// Offsets, of any integer type, do not decrease and are at most last - first; segments may be empty. It is one launch,
/// which reads the offsets and writes each slot once; no storage. `out` overlaps nothing.
template <class Derived, class OffsetIt, class OutputIt>
OutputIt expand(
  const execution_policy<Derived>& policy, const segment_offsets<OffsetIt>& offsets, OutputIt first, OutputIt last)
{
  return detail::expand(policy, "expand", offsets, first, last, functor::segment_of_place{});
}

/// out[i] = f(s, i - offsets[s]): what a function makes of the segment and the index in it, both index_type. Before the
/// first offset s is -1, and indices count from 0. All else is as above.
template <class Derived, class OffsetIt, class OutputIt, class F>
OutputIt expand(
  const execution_policy<Derived>& policy, const segment_offsets<OffsetIt>& offsets, OutputIt first, OutputIt last, F f)
{
  return detail::expand(policy, "expand", offsets, first, last, f);
}

/// out[i] = 1 where a segment with items begins, else 0: the head flags of the segments.
template <class Derived, class OffsetIt, class OutputIt>
OutputIt head_flags(
  const execution_policy<Derived>& policy, const segment_offsets<OffsetIt>& offsets, OutputIt first, OutputIt last)
{
  return detail::expand(policy, "head_flags", offsets, first, last, functor::begins_segment{});
}

}  // namespace vectors

GIMBAL_NAMESPACE_END
