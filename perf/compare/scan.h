// The comparison of exclusive sums, whose types are spread over several files: each costs seconds to compile.
#pragma once

#include <gimbal/cub/scan.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <cub/device/device_scan.cuh>

#include "inputs.h"

namespace perf {

template <class T>
void compare_exclusive_sum(comparison& c)
{
  const int n = c.n();
  const T* const in = make_values<T>(c);
  const twin<T> out = c.output<T>(n);
  c.moves([=] { return 2 * sizeof(T) * n; });
  c.device(
    [=](void* storage, std::size_t& bytes) { return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out.stock, n); },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::ExclusiveSum(storage, bytes, in, out.gimbal, n);
    });
  c.wall(
    [=] { thrust::exclusive_scan(thrust::device, in, in + n, out.stock); },
    [=] { thrust::exclusive_scan(gimbal::par, in, in + n, out.gimbal); });
}

}  // namespace perf
