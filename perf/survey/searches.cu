// Searches, and questions that are answered by them, as users write them.
#include <thrust/equal.h>
#include <thrust/find.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include "survey.h"

namespace perf {

namespace {

struct is_finite {
  __host__ __device__ bool operator()(float x) const { return x - x == 0; }
};
struct is_true {
  __host__ __device__ bool operator()(bool x) const { return x; }
};
struct is_below {
  float limit;
  __host__ __device__ bool operator()(float x) const { return x < limit; }
};

void all_finite(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n);
  const auto result = c.returned<bool>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::all_of(policy, x, x + n, is_finite{}); });
}

void any_true(comparison& c)
{
  const int n = c.n();
  const bool* const x = reinterpret_cast<const bool*>(numbers<std::uint8_t>(c, n, 1));
  const auto result = c.returned<bool>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::any_of(policy, x, x + n, is_true{}); });
}

void any_at_once(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n);
  const auto result = c.returned<bool>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::any_of(policy, x, x + n, is_below{0}); });
}

template <class T>
void find_nothing(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto result = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::find(policy, x, x + n, T{100}) - x; });
}

void find_at_once(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n);
  const auto result = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::find(policy, x, x + n, 1.0f) - x; });
}

/// In an ascending sequence.
void find_halfway(comparison& c)
{
  const int n = c.n();
  float* const x = c.array<float>(n);
  thrust::sequence(thrust::device, x, x + n);
  const is_below pred{static_cast<float>(n / 2)};
  const auto result = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::find_if_not(policy, x, x + n, pred) - x; });
}

template <class T>
void equal(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const T* const y = numbers<T>(c, n);
  const auto result = c.returned<bool>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::equal(policy, x, x + n, y); });
}

struct are_close {
  __host__ __device__ bool operator()(float a, float b) const { return a - b < 1e-3f && b - a < 1e-3f; }
};
void mismatch(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n);
  const float* const y = numbers<float>(c, n);
  const auto result = c.returned<std::ptrdiff_t>();
  call_both(
    c, [=](auto policy, side of) { *of(result) = thrust::mismatch(policy, x, x + n, y, are_close{}).first - x; });
}

template <class Key>
void is_sorted(comparison& c)
{
  const int n = c.n();
  Key* const x = c.array<Key>(n);
  thrust::sequence(thrust::device, x, x + n);
  const auto result = c.returned<bool>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::is_sorted(policy, x, x + n); });
}

void edges_are_sorted(comparison& c)
{
  const int n = c.n();
  int* const from = c.array<int>(n);
  thrust::sequence(thrust::device, from, from + n);
  const auto edges = thrust::make_zip_iterator(from, numbers<int>(c, n));
  const auto result = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::is_sorted_until(policy, edges, edges + n) - edges; });
}

void is_partitioned(comparison& c)
{
  const int n = c.n();
  float* const x = c.array<float>(n);
  thrust::sequence(thrust::device, x, x + n);
  const is_below pred{static_cast<float>(n / 3)};
  const auto result = c.returned<bool>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::is_partitioned(policy, x, x + n, pred); });
}

const implementation here[] = {
  {"all_of", "finite float, all are", all_finite},
  {"any_of", "bool, none is", any_true},
  {"any_of", "float, at once", any_at_once},
  {"find", "float, none", find_nothing<float>},
  {"find", "char, none", find_nothing<signed char>},
  {"find", "float, at once", find_at_once},
  {"find_if_not", "float, halfway", find_halfway},
  {"equal", "float", equal<float>},
  {"equal", "double", equal<double>},
  {"equal", "char", equal<signed char>},
  {"mismatch", "float, close", mismatch},
  {"is_sorted", "float", is_sorted<float>},
  {"is_sorted", "long long", is_sorted<long long>},
  {"is_sorted_until", "zip(int, int)", edges_are_sorted},
  {"is_partitioned", "float", is_partitioned},
};

}  // namespace

}  // namespace perf
