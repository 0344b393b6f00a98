// The comparison of radix sorts, whose types are spread over several files: each costs seconds to compile.
#pragma once

#include <gimbal/cub/radix_sort.h>
#include <thrust/sort.h>

#include <cub/device/device_radix_sort.cuh>

#include "sides.h"

namespace perf {

/// CUB's sort of keys alone, or with an array of values.
template <bool HasValues, class Calls, class... Args>
cudaError_t radix_sort_call(Calls calls, Args&&... of_call)
{
  if constexpr (HasValues) {
    return calls.SortPairs(of_call...);
  } else {
    return calls.SortKeys(of_call...);
  }
}

template <class Key, class... Value>
void compare_sort_of(comparison& c, const Key* keys, const Value*... values)
{
  const int n = c.n();
  c.moves([=] { return 2 * (sizeof(Key) + ... + sizeof(Value)) * n; });
  const auto sort_into = [&](twin<Key> keys_out, twin<Value>... values_out) {
    c.device<cub::DeviceRadixSort, gimbal::DeviceRadixSort>([=](auto calls, side of, auto&&... storage) {
      return radix_sort_call<sizeof...(Value) != 0>(
        calls, storage..., keys, of(keys_out), values..., of(values_out)..., n);
    });
    c.forget_outputs();
    c.in_place(keys_out, keys, n);
    (c.in_place(values_out, values, n), ...);
    call_both(c, [=](auto policy, side of) {
      if constexpr (sizeof...(Value) == 0) {
        thrust::sort(policy, of(keys_out), of(keys_out) + n);
      } else {
        thrust::sort_by_key(policy, of(keys_out), of(keys_out) + n, of(values_out)...);
      }
    });
  };
  sort_into(c.output<Key>(n), c.output<Value>(n)...);
}

/// Of keys alone, or with one array of values.
template <class Key, class... Value>
void compare_sort(comparison& c)
{
  compare_sort_of(c, make_keys<Key>(c), make_items<Value>(c)...);
}

}  // namespace perf
