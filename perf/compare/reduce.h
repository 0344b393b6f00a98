// The comparison of sums, whatever their items come from.
#pragma once

#include <gimbal/cub/reduce.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>

#include "sides.h"

namespace perf {

template <class T, class InputIt>
void compare_sum_of(comparison& c, InputIt in)
{
  const int n = c.n();
  c.moves([=] { return n * sizeof(T); }, "read");
  const twin<T> sum = c.output<T>(1);
  c.device<cub::DeviceReduce, gimbal::DeviceReduce>(
    [=](auto calls, side of, auto&&... storage) { return calls.Sum(storage..., in, of(sum), n); });
  c.forget_outputs();
  returned_by_both<T>(c, [=](auto policy, side) { return thrust::reduce(policy, in, in + n, T{}); });
}

}  // namespace perf
