// Exclusive sums of what no array holds: converted and counted items.
#include <gimbal/cub/scan.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include <cub/device/device_scan.cuh>

#include "inputs.h"

namespace perf {

namespace {

using sum = std::int32_t;

template <class InputIt>
void compare_sum_of(comparison& c, InputIt in)
{
  const int n = c.n();
  const twin<sum> out = c.output<sum>(n);
  c.device(
    [=](void* storage, std::size_t& bytes) { return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out.stock, n); },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::ExclusiveSum(storage, bytes, in, out.gimbal, n);
    });
  c.wall(
    [=] { thrust::exclusive_scan(thrust::device, in, in + n, out.stock); },
    [=] { thrust::exclusive_scan(gimbal::par, in, in + n, out.gimbal); });
}

struct widen {
  // Takes a computation: that a load waits for it makes a difference.
  __host__ __device__ sum operator()(std::int8_t x) const { return x * x; }
};

void compare_transformed(comparison& c)
{
  const int n = c.n();
  const std::int8_t* const in = make_values<std::int8_t>(c);
  c.moves([=] { return n * (sizeof(std::int8_t) + sizeof(sum)); });
  compare_sum_of(c, thrust::make_transform_iterator(in, widen{}));
}

// Sums beyond 2^31 would overflow a signed type.
using count = std::uint32_t;

void compare_counting(comparison& c)
{
  const int n = c.n();
  c.moves([=] { return n * sizeof(sum); }, "write");
  compare_sum_of(c, thrust::make_counting_iterator(count{0}));
}

const implementation here[] = {
  {"exclusive_scan_transform", "i8", compare_transformed},
  {"exclusive_scan_counting", "u32", compare_counting},
};

}  // namespace

}  // namespace perf
