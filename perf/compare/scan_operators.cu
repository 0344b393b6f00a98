// Measures inclusive scans with operators other than a plus that a library may recognise.
#include <thrust/functional.h>

#include "scan.h"

namespace perf {

namespace {

template <class T, class Op>
void compare_inclusive(comparison& c, const T* in, Op op)
{
  const int n = c.n();
  const twin<T> out = c.output<T>(n);
  c.moves([=] { return 2 * sizeof(T) * n; });
  c.device<cub::DeviceScan, gimbal::DeviceScan>(
    [=](auto calls, side of, auto&&... storage) { return calls.InclusiveScan(storage..., in, of(out), op, n); });
  call_both(c, [=](auto policy, side of) { thrust::inclusive_scan(policy, in, in + n, of(out), op); });
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

const implementation matrix("inclusive_scan_matrix", "u32x4", [](comparison& c) {
  compare_inclusive(c, make_values<matrix2>(c), times{});
});

const implementation here[] = {
  {"inclusive_scan_max", "i32", compare_max<std::int32_t>},
  {"inclusive_scan_max", "u8", compare_max<std::uint8_t>},
  {"inclusive_scan_lambda", "i32", compare_lambda},
};

}  // namespace

}  // namespace perf
