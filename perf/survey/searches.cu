// Measures searches, and queries that are answered by them, as users write them.
#include <thrust/equal.h>
#include <thrust/find.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
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

const implementation all_finite("all_of", "finite float, all are", [](comparison& c) {
  const float* const x = numbers<float>(c);
  returns<bool>(c, [=](auto policy, int n) { return thrust::all_of(policy, x, x + n, is_finite{}); });
});

const implementation any_true("any_of", "bool, none is", [](comparison& c) {
  const auto* const x = made_of<bool, std::uint8_t>(c, 1);
  returns<bool>(c, [=](auto policy, int n) { return thrust::any_of(policy, x, x + n, is_true{}); });
});

const implementation any_at_once("any_of", "float, at once", [](comparison& c) {
  const float* const x = numbers<float>(c);
  returns<bool>(c, [=](auto policy, int n) { return thrust::any_of(policy, x, x + n, is_below{0}); });
});

template <class T>
void find_nothing(comparison& c)
{
  const T* const x = numbers<T>(c);
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::find(policy, x, x + n, T{100}) - x; });
}

const implementation find_at_once("find", "float, at once", [](comparison& c) {
  const float* const x = numbers<float>(c);
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::find(policy, x, x + n, 1.0f) - x; });
});

/// In an ascending sequence.
const implementation find_halfway("find_if_not", "float, halfway", [](comparison& c) {
  float* const x = ascending<float>(c);
  const is_below pred{static_cast<float>(c.n() / 2)};
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::find_if_not(policy, x, x + n, pred) - x; });
});

template <class T>
void equal(comparison& c)
{
  const T* const x = numbers<T>(c);
  const T* const y = numbers<T>(c);
  returns<bool>(c, [=](auto policy, int n) { return thrust::equal(policy, x, x + n, y); });
}

struct are_close {
  __host__ __device__ bool operator()(float a, float b) const { return a - b < 1e-3f && b - a < 1e-3f; }
};
const implementation mismatch("mismatch", "float, close", [](comparison& c) {
  const float* const x = numbers<float>(c);
  const float* const y = numbers<float>(c);
  returns<std::ptrdiff_t>(
    c, [=](auto policy, int n) { return thrust::mismatch(policy, x, x + n, y, are_close{}).first - x; });
});

template <class Key>
void is_sorted(comparison& c)
{
  Key* const x = ascending<Key>(c);
  returns<bool>(c, [=](auto policy, int n) { return thrust::is_sorted(policy, x, x + n); });
}

const implementation edges_are_sorted("is_sorted_until", "zip(int, int)", [](comparison& c) {
  int* const from = ascending<int>(c);
  const auto edges = thrust::make_zip_iterator(from, numbers<int>(c));
  returns<std::ptrdiff_t>(
    c, [=](auto policy, int n) { return thrust::is_sorted_until(policy, edges, edges + n) - edges; });
});

const implementation is_partitioned("is_partitioned", "float", [](comparison& c) {
  float* const x = ascending<float>(c);
  const is_below pred{static_cast<float>(c.n() / 3)};
  returns<bool>(c, [=](auto policy, int n) { return thrust::is_partitioned(policy, x, x + n, pred); });
});

const implementation here[] = {
  {"find", "float, none", find_nothing<float>},
  {"find", "char, none", find_nothing<signed char>},
  {"narrow", "find, u8", find_nothing<u8>},
  {"narrow", "equal, u8", equal<u8>},
  {"narrow", "equal, u16", equal<u16>},
  {"equal", "float", equal<float>},
  {"equal", "double", equal<double>},
  {"is_sorted", "float", is_sorted<float>},
  {"is_sorted", "long long", is_sorted<long long>},
};

}  // namespace

}  // namespace perf
