// Reductions other than sums.
#include <gimbal/cub/reduce.h>
#include <gimbal/gimbal.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>
#include <limits>

#include "inputs.h"

namespace perf {

namespace {

using item = std::int32_t;

void compare_max(comparison& c)
{
  const int n = c.n();
  const item* const in = make_items<item>(c);
  c.moves([=] { return n * sizeof(item); }, "read");

  const twin<item> largest = c.output<item>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) { return cub::DeviceReduce::Max(storage, bytes, in, largest.stock, n); },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceReduce::Max(storage, bytes, in, largest.gimbal, n);
    });

  c.forget_outputs();
  const twin<item> result = c.returned<item>();
  constexpr item least = std::numeric_limits<item>::lowest();
  c.wall(
    [=] { *result.stock = thrust::reduce(thrust::device, in, in + n, least, thrust::maximum<item>{}); },
    [=] { *result.gimbal = thrust::reduce(gimbal::par, in, in + n, least, thrust::maximum<item>{}); });
}

void compare_inner_product(comparison& c)
{
  const int n = c.n();
  const item* const in = make_items<item>(c);
  const item* const other = make_values<item>(c);
  c.moves([=] { return 2 * n * sizeof(item); }, "read");
  const twin<item> result = c.returned<item>();
  c.wall(
    [=] { *result.stock = thrust::inner_product(thrust::device, in, in + n, other, 0); },
    [=] { *result.gimbal = thrust::inner_product(gimbal::par, in, in + n, other, 0); });
}

struct greater {
  __host__ __device__ item operator()(item a, item b) const { return a < b ? b : a; }
};
struct distance {
  __host__ __device__ item operator()(item a, item b) const
  {
    const auto difference = static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b);
    return static_cast<item>((a < b ? -difference : difference) & 0x7fffffffu);
  }
};
/// By operators of which nothing is known.
void compare_inner_product_greatest(comparison& c)
{
  const int n = c.n();
  const item* const in = make_items<item>(c);
  const item* const other = make_values<item>(c);
  c.moves([=] { return 2 * n * sizeof(item); }, "read");
  const twin<item> result = c.returned<item>();
  c.wall(
    [=] { *result.stock = thrust::inner_product(thrust::device, in, in + n, other, 0, greater{}, distance{}); },
    [=] { *result.gimbal = thrust::inner_product(gimbal::par, in, in + n, other, 0, greater{}, distance{}); });
}

void compare_min_element(comparison& c)
{
  const int n = c.n();
  const item* const in = make_items<item>(c);
  c.moves([=] { return n * sizeof(item); }, "read");
  const twin<std::ptrdiff_t> position = c.returned<std::ptrdiff_t>();
  c.wall(
    [=] { *position.stock = thrust::min_element(thrust::device, in, in + n) - in; },
    [=] { *position.gimbal = thrust::min_element(gimbal::par, in, in + n) - in; });
}

/// Of what there is not.
void compare_find(comparison& c)
{
  const int n = c.n();
  const item* const in = make_values<item>(c);
  c.moves([=] { return n * sizeof(item); }, "read");
  constexpr item other = 1000;
  const twin<std::ptrdiff_t> position = c.returned<std::ptrdiff_t>();
  c.wall(
    [=] { *position.stock = thrust::find(thrust::device, in, in + n, other) - in; },
    [=] { *position.gimbal = thrust::find(gimbal::par, in, in + n, other) - in; });
}

/// Of two equal arrays.
void compare_equal(comparison& c)
{
  const int n = c.n();
  const item* const in = make_values<item>(c);
  item* const other = c.array<item>(n);
  copy(other, in, n * sizeof(item));
  c.moves([=] { return 2 * n * sizeof(item); }, "read");
  const twin<bool> result = c.returned<bool>();
  c.wall(
    [=] { *result.stock = thrust::equal(thrust::device, in, in + n, other); },
    [=] { *result.gimbal = thrust::equal(gimbal::par, in, in + n, other); });
}

void compare_count_if(comparison& c)
{
  const int n = c.n();
  const item* const in = make_items<item>(c);
  const selects<item> predicate(c.distribution());
  c.moves([=] { return n * sizeof(item); }, "read");
  const twin<std::ptrdiff_t> count = c.returned<std::ptrdiff_t>();
  c.wall(
    [=] { *count.stock = thrust::count_if(thrust::device, in, in + n, predicate); },
    [=] { *count.gimbal = thrust::count_if(gimbal::par, in, in + n, predicate); });
}

const implementation here[] = {
  {"reduce_max", "i32", compare_max},
  {"inner_product", "i32", compare_inner_product},
  {"inner_product_greatest", "i32", compare_inner_product_greatest},
  {"min_element", "i32", compare_min_element},
  {"count_if", "i32", compare_count_if},
  {"find", "i32", compare_find},
  {"equal", "i32", compare_equal},
};

}  // namespace

}  // namespace perf
