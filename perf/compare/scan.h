// The comparisons of sums whose types are spread over several files: each costs seconds to compile.
#pragma once

#include <gimbal/cub/scan.h>
#include <thrust/scan.h>

#include <cub/device/device_scan.cuh>

#include "sides.h"

namespace perf {

/// Exclusive sums of n items from `in` on, of which each takes so many bytes of memory.
template <class T, class InputIt>
void compare_sums_of(comparison& c, InputIt in, std::size_t bytes_each, const char* bound = "copy")
{
  const int n = c.n();
  const twin<T> out = c.output<T>(n);
  c.moves([=] { return n * (bytes_each + sizeof(T)); }, bound);
  c.device<cub::DeviceScan, gimbal::DeviceScan>(
    [=](auto calls, side of, auto&&... storage) { return calls.ExclusiveSum(storage..., in, of(out), n); });
  call_both(c, [=](auto policy, side of) { thrust::exclusive_scan(policy, in, in + n, of(out)); });
}

template <class T>
void compare_exclusive_sum(comparison& c)
{
  compare_sums_of<T>(c, make_values<T>(c), sizeof(T));
}

/// Inclusive sums by key; key and item take so many bytes of memory.
template <class T, class KeyIt, class InputIt, class... Equal>
void compare_sums_by_key(comparison& c, KeyIt keys, InputIt in, std::size_t bytes_each, Equal... equal)
{
  const int n = c.n();
  const twin<T> out = c.output<T>(n);
  c.moves([=] { return n * (bytes_each + sizeof(T)); });
  c.device<cub::DeviceScan, gimbal::DeviceScan>([=](auto calls, side of, auto&&... storage) {
    return calls.InclusiveSumByKey(storage..., keys, in, of(out), n, equal...);
  });
  call_both(
    c, [=](auto policy, side of) { thrust::inclusive_scan_by_key(policy, keys, keys + n, in, of(out), equal...); });
}

}  // namespace perf
