// Inclusive scans with operators other than a plus that a library may recognise.
#include <gimbal/cub/scan.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/scan.h>

#include <cub/device/device_scan.cuh>

#include "inputs.h"

namespace perf {

namespace {

template <class T, class Op>
void compare_inclusive(comparison& c, const T* in, Op op)
{
  const int n = c.n();
  const twin<T> out = c.output<T>(n);
  c.moves([=] { return 2 * sizeof(T) * n; });
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveScan(storage, bytes, in, out.stock, op, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::InclusiveScan(storage, bytes, in, out.gimbal, op, n);
    });
  c.wall(
    [=] { thrust::inclusive_scan(thrust::device, in, in + n, out.stock, op); },
    [=] { thrust::inclusive_scan(gimbal::par, in, in + n, out.gimbal, op); });
}

template <class T>
void compare_max(comparison& c)
{
  compare_inclusive(c, make_items<T>(c), thrust::maximum<T>{});
}

void compare_lambda(comparison& c)
{
  compare_inclusive(
    c, make_values<std::int32_t>(c), [] __host__ __device__(std::int32_t a, std::int32_t b) { return a + b; });
}

struct times {
  __host__ __device__ matrix2 operator()(const matrix2& x, const matrix2& y) const
  {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

void compare_matrix(comparison& c) { compare_inclusive(c, make_values<matrix2>(c), times{}); }

const implementation here[] = {
  {"inclusive_scan_max", "i32", compare_max<std::int32_t>},
  {"inclusive_scan_max", "u8", compare_max<std::uint8_t>},
  {"inclusive_scan_lambda", "i32", compare_lambda},
  {"inclusive_scan_matrix", "u32x4", compare_matrix},
};

}  // namespace

}  // namespace perf
