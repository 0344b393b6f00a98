// Calls on items of 1 and 2 bytes, of each family: images, text, samples, flags, labels.
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include <cuda/functional>

#include "survey.h"

namespace perf {

namespace {

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;

constexpr int all_values = 1 << 16;  // more of a small type's than it has

// ---- scans

template <class T>
void exclusive_sum(comparison& c)
{
  const T* const x = numbers<T>(c);
  writes<T>(c, [=](auto policy, int n, T* out) { thrust::exclusive_scan(policy, x, x + n, out); });
}

const implementation exclusive_sum_from("narrow", "exclusive_scan, u8 from a value", [](comparison& c) {
  const u8* const x = numbers<u8>(c);
  writes<u8>(c, [=](auto policy, int n, u8* out) { thrust::exclusive_scan(policy, x, x + n, out, u8{3}); });
});

template <class T>
void inclusive_sum(comparison& c)
{
  const T* const x = numbers<T>(c);
  writes<T>(c, [=](auto policy, int n, T* out) { thrust::inclusive_scan(policy, x, x + n, out); });
}

template <class T, class Op>
void running(comparison& c)
{
  const T* const x = numbers<T>(c, all_values, -all_values / 2);
  writes<T>(c, [=](auto policy, int n, T* out) { thrust::inclusive_scan(policy, x, x + n, out, Op{}); });
}

const implementation exclusive_maximum("narrow", "exclusive_scan, i8, maximum", [](comparison& c) {
  const i8* const x = numbers<i8>(c, all_values, -all_values / 2);
  writes<i8>(
    c, [=](auto policy, int n, i8* out) { thrust::exclusive_scan(policy, x, x + n, out, i8{0}, ::cuda::maximum<>{}); });
});

struct is_letter {
  __host__ __device__ int operator()(u8 x) const { return x < 5; }
};
const implementation places_of_letters("narrow", "transform_inclusive_scan, letters", [](comparison& c) {
  const u8* const x = numbers<u8>(c);
  writes<int>(c, [=](auto policy, int n, int* out) {
    thrust::transform_inclusive_scan(policy, x, x + n, out, is_letter{}, thrust::plus<int>());
  });
});

/// Keys in runs of about eight.
template <class Key>
struct run_of_eight {
  __host__ __device__ Key operator()(std::uint64_t i) const { return static_cast<Key>(i / 8 % 251); }
};

template <class Key, class T>
void sum_by_key(comparison& c)
{
  const Key* const keys = items(c, run_of_eight<Key>{});
  const T* const x = numbers<T>(c);
  writes<T>(c, [=](auto policy, int n, T* out) { thrust::inclusive_scan_by_key(policy, keys, keys + n, x, out); });
}

template <class Key, class T>
void exclusive_sum_by_key(comparison& c)
{
  const Key* const keys = items(c, run_of_eight<Key>{});
  const T* const x = numbers<T>(c);
  writes<T>(c, [=](auto policy, int n, T* out) { thrust::exclusive_scan_by_key(policy, keys, keys + n, x, out); });
}

// ---- reductions

template <class T, class Sum>
void sum(comparison& c)
{
  const T* const x = numbers<T>(c);
  returns<Sum>(c, [=](auto policy, int n) { return thrust::reduce(policy, x, x + n, Sum{0}); });
}

const implementation greatest("narrow", "reduce, u16, maximum", [](comparison& c) {
  const u16* const x = numbers<u16>(c, all_values, -all_values / 2);
  returns<u16>(c, [=](auto policy, int n) { return thrust::reduce(policy, x, x + n, u16{0}, ::cuda::maximum<u16>{}); });
});

template <class T>
void place_of_greatest(comparison& c)
{
  const T* const x = numbers<T>(c, all_values, -all_values / 2);
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::max_element(policy, x, x + n) - x; });
}

struct square {
  __host__ __device__ long long operator()(long long x) const { return x * x; }
};
const implementation energy("narrow", "transform_reduce, energy of i16", [](comparison& c) {
  const i16* const x = numbers<i16>(c);
  returns<long long>(c, [=](auto policy, int n) {
    return thrust::transform_reduce(policy, x, x + n, square{}, 0ll, thrust::plus<long long>());
  });
});

const implementation count_letters("narrow", "count_if, letters", [](comparison& c) {
  const u8* const x = numbers<u8>(c);
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::count_if(policy, x, x + n, is_letter{}); });
});

// ---- selections

template <class T>
struct is_below {
  int limit;
  __host__ __device__ bool operator()(T x) const { return x < limit; }
};

template <class T>
void copy_half(comparison& c)
{
  const T* const x = numbers<T>(c, 200, -100);
  const is_below<T> choice{std::is_unsigned_v<T> ? 100 : 0};
  writes_some<T>(c, [=](auto policy, int n, T* out) { return thrust::copy_if(policy, x, x + n, out, choice); });
}

template <class T, class Flag>
void copy_flagged(comparison& c)
{
  const T* const x = numbers<T>(c);
  const Flag* const flags = numbers<Flag>(c, 2, 0);
  writes_some<T>(c, [=](auto policy, int n, T* out) {
    return thrust::copy_if(policy, x, x + n, flags, out, ::cuda::std::identity{});
  });
}

/// Where the letters stand.
const implementation places_of_few("narrow", "copy_if, places of letters", [](comparison& c) {
  const u8* const x = numbers<u8>(c, 100);
  const thrust::counting_iterator<int> places(0);
  writes_some<int>(
    c, [=](auto policy, int n, int* out) { return thrust::copy_if(policy, places, places + n, x, out, is_letter{}); });
});

template <class T>
void remove_zeros(comparison& c)
{
  shrinks(c, numbers<T>(c), [=](auto policy, int n, auto* x) { return thrust::remove(policy, x, x + n, T{0}); });
}

template <class T>
void partition_in_place(comparison& c)
{
  const is_below<T> choice{std::is_unsigned_v<T> ? 100 : 0};
  changes(c, numbers<T>(c, 200, -100), [=](auto policy, int n, auto* x) {
    thrust::stable_partition(policy, x, x + n, choice);
  });
}

template <class T>
void unique_in_place(comparison& c)
{
  shrinks(
    c, items(c, run_of_eight<T>{}), [=](auto policy, int n, auto* x) { return thrust::unique(policy, x, x + n); });
}

/// Run lengths: where each run begins.
const implementation starts_of_runs("narrow", "unique_by_key_copy, u8, counting", [](comparison& c) {
  const u8* const keys = items(c, run_of_eight<u8>{});
  const thrust::counting_iterator<int> places(0);
  writes_some<u8, int>(c, [=](auto policy, int n, u8* keys_out, int* out) {
    return thrust::unique_by_key_copy(policy, keys, keys + n, places, keys_out, out).first;
  });
});

template <class Key, class T>
void sum_of_runs(comparison& c)
{
  const Key* const keys = items(c, run_of_eight<Key>{});
  const T* const x = numbers<T>(c);
  writes_some<Key, T>(c, [=](auto policy, int n, Key* keys_out, T* out) {
    return thrust::reduce_by_key(policy, keys, keys + n, x, keys_out, out).first;
  });
}

// ---- sorts

template <class T>
void sort_keys(comparison& c)
{
  changes(c, numbers<T>(c, all_values, -all_values / 2), [=](auto policy, int n, auto* x) {
    thrust::sort(policy, x, x + n);
  });
}

template <class Key, class T>
void sort_pairs(comparison& c)
{
  changes(c, numbers<Key>(c, all_values, -all_values / 2), numbers<T>(c), [=](auto policy, int n, auto* keys, auto* x) {
    thrust::stable_sort_by_key(policy, keys, keys + n, x);
  });
}

template <class T>
struct less_magnitude {
  __host__ __device__ bool operator()(T a, T b) const { return (a < 0 ? -a : a) < (b < 0 ? -b : b); }
};
const implementation sort_by_magnitude("narrow", "stable_sort, i16 by magnitude", [](comparison& c) {
  changes(c, numbers<i16>(c, all_values, -all_values / 2), [=](auto policy, int n, auto* x) {
    thrust::stable_sort(policy, x, x + n, less_magnitude<i16>{});
  });
});

// ---- searches

const implementation find_absent("narrow", "find, u8", [](comparison& c) {
  const u8* const x = numbers<u8>(c);
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::find(policy, x, x + n, u8{99}) - x; });
});

template <class T>
void equal_arrays(comparison& c)
{
  const T* const x = numbers<T>(c);
  const T* const y = numbers<T>(c);
  returns<bool>(c, [=](auto policy, int n) { return thrust::equal(policy, x, x + n, y); });
}

const implementation here[] = {
  {"narrow", "exclusive_scan, u8", exclusive_sum<u8>},
  {"narrow", "exclusive_scan, i16", exclusive_sum<i16>},
  {"narrow", "inclusive_scan, i8", inclusive_sum<i8>},
  {"narrow", "inclusive_scan, u16", inclusive_sum<u16>},
  {"narrow", "inclusive_scan, u8, maximum", running<u8, ::cuda::maximum<u8>>},
  {"narrow", "inclusive_scan, i16, minimum", running<i16, ::cuda::minimum<>>},
  {"narrow", "inclusive_scan, u8, xor", running<u8, thrust::bit_xor<u8>>},
  {"narrow", "inclusive_scan_by_key, u8, u8", sum_by_key<u8, u8>},
  {"narrow", "inclusive_scan_by_key, u16, i16", sum_by_key<u16, i16>},
  {"narrow", "exclusive_scan_by_key, u8, u8", exclusive_sum_by_key<u8, u8>},
  {"narrow", "exclusive_scan_by_key, int, i16", exclusive_sum_by_key<int, i16>},
  {"narrow", "reduce, u8 in u8", sum<u8, u8>},
  {"narrow", "reduce, u8 in int", sum<u8, int>},
  {"narrow", "reduce, i16 in long long", sum<i16, long long>},
  {"narrow", "max_element, u8", place_of_greatest<u8>},
  {"narrow", "max_element, i16", place_of_greatest<i16>},
  {"narrow", "copy_if, u8", copy_half<u8>},
  {"narrow", "copy_if, i16", copy_half<i16>},
  {"narrow", "copy_if, u8 by u8", copy_flagged<u8, u8>},
  {"narrow", "copy_if, u16 by int", copy_flagged<u16, int>},
  {"narrow", "remove, u8", remove_zeros<u8>},
  {"narrow", "remove, i16", remove_zeros<i16>},
  {"narrow", "stable_partition, u8", partition_in_place<u8>},
  {"narrow", "stable_partition, i16", partition_in_place<i16>},
  {"narrow", "unique, u8", unique_in_place<u8>},
  {"narrow", "unique, u16", unique_in_place<u16>},
  {"narrow", "reduce_by_key, u8, u8", sum_of_runs<u8, u8>},
  {"narrow", "reduce_by_key, u16, i16", sum_of_runs<u16, i16>},
  {"narrow", "reduce_by_key, int, u8", sum_of_runs<int, u8>},
  {"narrow", "sort, i8", sort_keys<i8>},
  {"narrow", "sort, i16", sort_keys<i16>},
  {"narrow", "stable_sort_by_key, u8, u8", sort_pairs<u8, u8>},
  {"narrow", "stable_sort_by_key, u16, u16", sort_pairs<u16, u16>},
  {"narrow", "stable_sort_by_key, i16, double", sort_pairs<i16, double>},
  {"narrow", "stable_sort_by_key, int, u8", sort_pairs<int, u8>},
  {"narrow", "equal, u8", equal_arrays<u8>},
  {"narrow", "equal, u16", equal_arrays<u16>},
};

}  // namespace

}  // namespace perf
