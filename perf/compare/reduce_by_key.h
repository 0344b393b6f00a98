// The comparison of sums by key, whatever keys and values come from.
#pragma once

#include <gimbal/cub/reduce.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>

#include "sides.h"

namespace perf {

/// Key and value take so many bytes of memory.
template <class Key, class T, class KeyIt, class InputIt>
void compare_reduced_by_key(comparison& c, KeyIt keys, InputIt in, std::size_t bytes_each)
{
  const int n = c.n();
  const twin<Key> keys_out = c.output<Key>(n);
  const twin<T> sums = c.output<T>(n);
  const twin<std::int64_t> count = c.output<std::int64_t>(1);
  c.device<cub::DeviceReduce, gimbal::DeviceReduce>([=](auto calls, side of, auto&&... storage) {
    return calls.ReduceByKey(storage..., keys, of(keys_out), in, of(sums), of(count), ::cuda::std::plus<>{}, n);
  });
  const twin<std::ptrdiff_t> left = returned_by_both<std::ptrdiff_t>(c, [=](auto policy, side of) {
    return thrust::reduce_by_key(policy, keys, keys + n, in, of(keys_out), of(sums)).first - of(keys_out);
  });
  c.moves([=] { return n * bytes_each + *left.stock * (sizeof(Key) + sizeof(T)); });
}

}  // namespace perf
