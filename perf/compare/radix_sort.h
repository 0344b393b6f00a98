// The comparison of radix sorts, whose types are spread over several files: each costs seconds to compile.
#pragma once

#include <gimbal/cub/radix_sort.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cub/device/device_radix_sort.cuh>

#include "inputs.h"

namespace perf {

template <class Key>
void compare_keys(comparison& c)
{
  const int n = c.n();
  const Key* const in = make_keys<Key>(c);
  c.moves([=] { return 2 * sizeof(Key) * n; });

  const twin<Key> out = c.output<Key>(n);
  c.device(
    [=](void* storage, std::size_t& bytes) { return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out.stock, n); },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceRadixSort::SortKeys(storage, bytes, in, out.gimbal, n);
    });

  c.forget_outputs();
  c.in_place(out, in, n);
  c.wall(
    [=] { thrust::sort(thrust::device, out.stock, out.stock + n); },
    [=] { thrust::sort(gimbal::par, out.gimbal, out.gimbal + n); });
}

template <class Key, class Value>
void compare_pairs(comparison& c)
{
  const int n = c.n();
  const Key* const keys = make_keys<Key>(c);
  const Value* const values = make_items<Value>(c);
  c.moves([=] { return 2 * (sizeof(Key) + sizeof(Value)) * n; });

  const twin<Key> keys_out = c.output<Key>(n);
  const twin<Value> values_out = c.output<Value>(n);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, keys, keys_out.stock, values, values_out.stock, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceRadixSort::SortPairs(storage, bytes, keys, keys_out.gimbal, values, values_out.gimbal, n);
    });

  c.forget_outputs();
  c.in_place(keys_out, keys, n);
  c.in_place(values_out, values, n);
  c.wall(
    [=] { thrust::sort_by_key(thrust::device, keys_out.stock, keys_out.stock + n, values_out.stock); },
    [=] { thrust::sort_by_key(gimbal::par, keys_out.gimbal, keys_out.gimbal + n, values_out.gimbal); });
}

}  // namespace perf
