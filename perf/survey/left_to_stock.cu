// Calls that gimbal leaves to stock, with temporary storage and without: they must not take longer for it. These alone
// need not run on gimbal's kernels (rows.cu).
#include <thrust/merge.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include "survey.h"

namespace perf {

namespace {

struct twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};
const implementation transform("left to stock", "transform", [](comparison& c) {
  const float* const x = numbers<float>(c);
  writes<float>(c, [=](auto policy, int n, float* out) { thrust::transform(policy, x, x + n, out, twice{}); });
});

const int* sorted_numbers(comparison& c, int n)
{
  int* const x = some_numbers<int>(c, n, 1 << 30, 0);
  thrust::sort(thrust::device, x, x + n);
  return x;
}
const implementation merge("left to stock", "merge", [](comparison& c) {
  const int n = c.n() / 2;
  const int* const x = sorted_numbers(c, n);
  const int* const y = sorted_numbers(c, n);
  const auto out = c.output<int>(2 * n);
  call_both(c, [=](auto policy, side of) { thrust::merge(policy, x, x + n, y, y + n, of(out)); });
});
const implementation set_intersection("left to stock", "set_intersection", [](comparison& c) {
  const int n = c.n() / 2;
  const int* const x = sorted_numbers(c, n);
  const int* const y = sorted_numbers(c, n);
  const auto out = c.output<int>(n);
  const auto count = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(count) = thrust::set_intersection(policy, x, x + n, y, y + n, of(out)) - of(out);
  });
});
const implementation unique_count("left to stock", "unique_count", [](comparison& c) {
  const int* const x = numbers<int>(c, 2, 0);
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::unique_count(policy, x, x + n); });
});

}  // namespace

}  // namespace perf
