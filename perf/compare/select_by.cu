// Measures selection by a second sequence: a stencil that a predicate tests, flags, or what a predicate reads by
// itself.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cuda/std/functional>

#include "functors.h"
#include "select.h"

namespace perf {

namespace {

using item = std::int32_t;

const implementation stencil("copy_if_stencil", "i32", [](comparison& c) {
  const item* const stencil = make_items<item>(c);
  compare_selected_by_stencil<item>(c, make_values<item>(c), stencil, 2 * sizeof(item));
});

using flag = std::uint8_t;

struct flag_of {
  selects<item> predicate;
  __host__ __device__ flag operator()(item x) const { return predicate(x) ? 1 : 0; }
};

const implementation flags("copy_if_flags", "i32", [](comparison& c) {
  const int n = c.n();
  const item* const in = make_items<item>(c);
  flag* const flags = c.array<flag>(n);
  thrust::transform(thrust::device, in, in + n, flags, flag_of{selects<item>(c.distribution())});
  compare_selected<item>(
    c, sizeof(item) + sizeof(flag),
    [=](auto calls, item* out, std::int32_t* count, auto&&... storage) {
      return calls.Flagged(storage..., in, flags, out, count, n);
    },
    [=](auto policy, item* out) { return thrust::copy_if(policy, in, in + n, flags, out, ::cuda::std::identity{}); });
});

struct modulo {
  unsigned n;
  __host__ __device__ item operator()(std::uint32_t x) const { return static_cast<item>(x % n); }
};
struct names_some {
  const item* named;
  selects<item> some;
  __host__ __device__ bool operator()(item i) const { return some(named[i]); }
};
/// Of a list of numbers of items, in no order, those that name some.
const implementation listed("copy_if_listed", "i32", [](comparison& c) {
  const int n = c.n();
  item* const list = c.array<item>(n);
  const std::uint32_t* const random = make_items<std::uint32_t>(c);
  thrust::transform(thrust::device, random, random + n, list, modulo{static_cast<unsigned>(n)});
  const names_some names{make_items<item>(c), selects<item>(c.distribution())};
  compare_selected_if<item>(c, static_cast<const item*>(list), names, 2 * sizeof(item));
});

/// Of all numbers, those at which runs of equal keys begin.
const implementation heads("copy_if_heads", "i32", [](comparison& c) {
  compare_selected_if<item>(c, thrust::counting_iterator<item>(0), begins_run{make_runs(c).keys}, sizeof(item));
});

}  // namespace

}  // namespace perf
