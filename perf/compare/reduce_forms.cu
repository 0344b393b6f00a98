// Measures reductions other than sums.
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>

#include <limits>

#include "reduce.h"

namespace perf {

namespace {

using item = std::int32_t;

/// By `call(policy)`, which reads `arrays` of n items.
template <class T, class Call>
void compare_reading(comparison& c, std::size_t arrays, Call call)
{
  c.moves([arrays, n = c.n()] { return arrays * n * sizeof(item); }, "read");
  returned_by_both<T>(c, [=](auto policy, side) { return call(policy); });
}

const implementation max("reduce_max", "i32", [](comparison& c) {
  const int n = c.n();
  const item* const in = make_items<item>(c);
  c.moves([=] { return n * sizeof(item); }, "read");
  const twin<item> largest = c.output<item>(1);
  c.device<cub::DeviceReduce, gimbal::DeviceReduce>(
    [=](auto calls, side of, auto&&... storage) { return calls.Max(storage..., in, of(largest), n); });
  c.forget_outputs();
  constexpr item least = std::numeric_limits<item>::lowest();
  returned_by_both<item>(
    c, [=](auto policy, side) { return thrust::reduce(policy, in, in + n, least, thrust::maximum<item>{}); });
});

template <class... Ops>
void compare_inner_products(comparison& c, Ops... ops)
{
  const int n = c.n();
  const item* const in = make_items<item>(c);
  const item* const other = make_values<item>(c);
  compare_reading<item>(c, 2, [=](auto policy) { return thrust::inner_product(policy, in, in + n, other, 0, ops...); });
}
const implementation inner_product("inner_product", "i32", [](comparison& c) { compare_inner_products(c); });

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
const implementation inner_product_greatest("inner_product_greatest", "i32", [](comparison& c) {
  compare_inner_products(c, greater{}, distance{});
});

const implementation min_element("min_element", "i32", [](comparison& c) {
  const int n = c.n();
  const item* const in = make_items<item>(c);
  compare_reading<std::ptrdiff_t>(c, 1, [=](auto policy) { return thrust::min_element(policy, in, in + n) - in; });
});

/// Of what there is not.
const implementation find("find", "i32", [](comparison& c) {
  const int n = c.n();
  const item* const in = make_values<item>(c);
  constexpr item other = 1000;
  compare_reading<std::ptrdiff_t>(c, 1, [=](auto policy) { return thrust::find(policy, in, in + n, other) - in; });
});

/// Of two equal arrays.
const implementation equal("equal", "i32", [](comparison& c) {
  const int n = c.n();
  const item* const in = make_values<item>(c);
  item* const other = c.array<item>(n);
  copy(other, in, n * sizeof(item));
  compare_reading<bool>(c, 2, [=](auto policy) { return thrust::equal(policy, in, in + n, other); });
});

const implementation count_if("count_if", "i32", [](comparison& c) {
  const int n = c.n();
  const item* const in = make_items<item>(c);
  const selects<item> predicate(c.distribution());
  compare_reading<std::ptrdiff_t>(c, 1, [=](auto policy) { return thrust::count_if(policy, in, in + n, predicate); });
});

}  // namespace

}  // namespace perf
