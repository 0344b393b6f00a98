// Calls that gimbal leaves to stock: they must not take longer for it.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/merge.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include "survey.h"

namespace perf {

namespace {

struct twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};
struct add_one {
  __host__ __device__ void operator()(float& x) const { x += 1; }
};
struct is_large {
  __host__ __device__ bool operator()(float x) const { return x > 1000; }
};

struct arrays {
  int n;
  const float* x;
  twin<float> out;
};
/// Numbers, and an output of as many.
arrays make_arrays(comparison& c)
{
  c.may_fall_back();
  return {c.n(), numbers<float>(c, c.n()), c.output<float>(c.n())};
}

void transform(comparison& c)
{
  const arrays a = make_arrays(c);
  call_both(c, [=](auto policy, side of) { thrust::transform(policy, a.x, a.x + a.n, of(a.out), twice{}); });
}
void copy(comparison& c)
{
  const arrays a = make_arrays(c);
  call_both(c, [=](auto policy, side of) { thrust::copy(policy, a.x, a.x + a.n, of(a.out)); });
}
void fill(comparison& c)
{
  const arrays a = make_arrays(c);
  call_both(c, [=](auto policy, side of) { thrust::fill(policy, of(a.out), of(a.out) + a.n, 3.0f); });
}
void sequence(comparison& c)
{
  const arrays a = make_arrays(c);
  call_both(c, [=](auto policy, side of) { thrust::sequence(policy, of(a.out), of(a.out) + a.n); });
}
void for_each(comparison& c)
{
  c.may_fall_back();
  const int n = c.n();
  const auto x = changed_in_place(c, static_cast<const float*>(numbers<float>(c, n)), n);
  call_both(c, [=](auto policy, side of) { thrust::for_each(policy, of(x), of(x) + n, add_one{}); });
}
void reverse(comparison& c)
{
  c.may_fall_back();
  const int n = c.n();
  const auto x = changed_in_place(c, static_cast<const float*>(numbers<float>(c, n)), n);
  call_both(c, [=](auto policy, side of) { thrust::reverse(policy, of(x), of(x) + n); });
}
void replace_if(comparison& c)
{
  c.may_fall_back();
  const int n = c.n();
  const auto x = changed_in_place(c, static_cast<const float*>(numbers<float>(c, n, 2000, 0)), n);
  call_both(c, [=](auto policy, side of) { thrust::replace_if(policy, of(x), of(x) + n, is_large{}, 0.0f); });
}
void gather(comparison& c)
{
  const arrays a = make_arrays(c);
  const int* const places = numbers<int>(c, a.n, a.n, 0);
  call_both(c, [=](auto policy, side of) { thrust::gather(policy, places, places + a.n, a.x, of(a.out)); });
}
void scatter(comparison& c)
{
  const arrays a = make_arrays(c);
  const auto back = thrust::make_reverse_iterator(thrust::make_counting_iterator(a.n));
  call_both(c, [=](auto policy, side of) { thrust::scatter(policy, a.x, a.x + a.n, back, of(a.out)); });
}
void adjacent_difference(comparison& c)
{
  const arrays a = make_arrays(c);
  call_both(c, [=](auto policy, side of) { thrust::adjacent_difference(policy, a.x, a.x + a.n, of(a.out)); });
}

const int* sorted_numbers(comparison& c, int n)
{
  int* const x = numbers<int>(c, n, 1 << 30, 0);
  thrust::sort(thrust::device, x, x + n);
  return x;
}
void merge(comparison& c)
{
  c.may_fall_back();
  const int n = c.n() / 2;
  const int* const x = sorted_numbers(c, n);
  const int* const y = sorted_numbers(c, n);
  const auto out = c.output<int>(2 * n);
  call_both(c, [=](auto policy, side of) { thrust::merge(policy, x, x + n, y, y + n, of(out)); });
}
void set_intersection(comparison& c)
{
  c.may_fall_back();
  const int n = c.n() / 2;
  const int* const x = sorted_numbers(c, n);
  const int* const y = sorted_numbers(c, n);
  const auto out = c.output<int>(n);
  const auto count = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(count) = thrust::set_intersection(policy, x, x + n, y, y + n, of(out)) - of(out);
  });
}
void lower_bound(comparison& c)
{
  c.may_fall_back();
  const int n = c.n();
  const int* const x = sorted_numbers(c, n);
  const int* const wanted = numbers<int>(c, n, 1 << 30, 0);
  const auto out = c.output<int>(n);
  call_both(c, [=](auto policy, side of) { thrust::lower_bound(policy, x, x + n, wanted, wanted + n, of(out)); });
}
void unique_count(comparison& c)
{
  c.may_fall_back();
  const int n = c.n();
  const int* const x = numbers<int>(c, n, 2, 0);
  const auto result = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::unique_count(policy, x, x + n); });
}
void swap_ranges(comparison& c)
{
  c.may_fall_back();
  const int n = c.n();
  const auto x = changed_in_place(c, static_cast<const float*>(numbers<float>(c, n)), n);
  const auto y = changed_in_place(c, static_cast<const float*>(numbers<float>(c, n, 5)), n);
  call_both(c, [=](auto policy, side of) { thrust::swap_ranges(policy, of(x), of(x) + n, of(y)); });
}

const implementation here[] = {
  {"left to stock", "transform", transform},
  {"left to stock", "copy", copy},
  {"left to stock", "fill", fill},
  {"left to stock", "sequence", sequence},
  {"left to stock", "for_each", for_each},
  {"left to stock", "reverse", reverse},
  {"left to stock", "replace_if", replace_if},
  {"left to stock", "gather", gather},
  {"left to stock", "scatter", scatter},
  {"left to stock", "adjacent_difference", adjacent_difference},
  {"left to stock", "merge", merge},
  {"left to stock", "set_intersection", set_intersection},
  {"left to stock", "lower_bound", lower_bound},
  {"left to stock", "unique_count", unique_count},
  {"left to stock", "swap_ranges", swap_ranges},
};

}  // namespace

}  // namespace perf
