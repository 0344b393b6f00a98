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
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) { thrust::exclusive_scan(policy, x, x + n, of(out)); });
}

template <class T>
void exclusive_sum_from(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) { thrust::exclusive_scan(policy, x, x + n, of(out), T{3}); });
}

template <class T>
void inclusive_sum(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) { thrust::inclusive_scan(policy, x, x + n, of(out)); });
}

template <class T, class Op>
void running(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n, all_values, -all_values / 2);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) { thrust::inclusive_scan(policy, x, x + n, of(out), Op{}); });
}

template <class T>
void exclusive_maximum(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n, all_values, -all_values / 2);
  const auto out = c.output<T>(n);
  call_both(
    c, [=](auto policy, side of) { thrust::exclusive_scan(policy, x, x + n, of(out), T{0}, ::cuda::maximum<>{}); });
}

struct is_letter {
  __host__ __device__ int operator()(u8 x) const { return x < 5; }
};
void places_of_letters(comparison& c)
{
  const int n = c.n();
  const u8* const x = numbers<u8>(c, n);
  const auto out = c.output<int>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::transform_inclusive_scan(policy, x, x + n, of(out), is_letter{}, thrust::plus<int>());
  });
}

/// Keys in runs of about eight.
template <class Key>
struct run_of_eight {
  __host__ __device__ Key operator()(std::uint64_t i) const { return static_cast<Key>(i / 8 % 251); }
};

template <class Key, class T>
void sum_by_key(comparison& c)
{
  const int n = c.n();
  const Key* const keys = items(c, n, run_of_eight<Key>{});
  const T* const x = numbers<T>(c, n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) { thrust::inclusive_scan_by_key(policy, keys, keys + n, x, of(out)); });
}

template <class Key, class T>
void exclusive_sum_by_key(comparison& c)
{
  const int n = c.n();
  const Key* const keys = items(c, n, run_of_eight<Key>{});
  const T* const x = numbers<T>(c, n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) { thrust::exclusive_scan_by_key(policy, keys, keys + n, x, of(out)); });
}

// ---- reductions

template <class T, class Sum>
void sum(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto total = c.returned<Sum>();
  call_both(c, [=](auto policy, side of) { *of(total) = thrust::reduce(policy, x, x + n, Sum{0}); });
}

template <class T>
void greatest(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n, all_values, -all_values / 2);
  const auto most = c.returned<T>();
  call_both(c, [=](auto policy, side of) { *of(most) = thrust::reduce(policy, x, x + n, T{0}, ::cuda::maximum<T>{}); });
}

template <class T>
void place_of_greatest(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n, all_values, -all_values / 2);
  const auto place = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(place) = thrust::max_element(policy, x, x + n) - x; });
}

struct square {
  __host__ __device__ long long operator()(long long x) const { return x * x; }
};
template <class T>
void energy(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto total = c.returned<long long>();
  call_both(c, [=](auto policy, side of) {
    *of(total) = thrust::transform_reduce(policy, x, x + n, square{}, 0ll, thrust::plus<long long>());
  });
}

void count_letters(comparison& c)
{
  const int n = c.n();
  const u8* const x = numbers<u8>(c, n);
  const auto found = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(found) = thrust::count_if(policy, x, x + n, is_letter{}); });
}

// ---- selections

template <class T>
struct is_below {
  int limit;
  __host__ __device__ bool operator()(T x) const { return x < limit; }
};

template <class T>
void copy_half(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n, 200, -100);
  const auto kept = c.returned<std::ptrdiff_t>();
  const auto out = c.output<T>(n);
  const is_below<T> choice{std::is_unsigned_v<T> ? 100 : 0};
  call_both(c, [=](auto policy, side of) { *of(kept) = thrust::copy_if(policy, x, x + n, of(out), choice) - of(out); });
}

template <class T, class Flag>
void copy_flagged(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const Flag* const flags = numbers<Flag>(c, n, 2, 0);
  const auto kept = c.returned<std::ptrdiff_t>();
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) {
    *of(kept) = thrust::copy_if(policy, x, x + n, flags, of(out), ::cuda::std::identity{}) - of(out);
  });
}

/// Where the letters stand.
void places_of_few(comparison& c)
{
  const int n = c.n();
  const u8* const x = numbers<u8>(c, n, 100);
  const thrust::counting_iterator<int> places(0);
  const auto kept = c.returned<std::ptrdiff_t>();
  const auto out = c.output<int>(n);
  call_both(c, [=](auto policy, side of) {
    *of(kept) = thrust::copy_if(policy, places, places + n, x, of(out), is_letter{}) - of(out);
  });
}

template <class T>
void remove_zeros(comparison& c)
{
  const int n = c.n();
  const auto kept = c.returned<std::ptrdiff_t>();
  const auto x = changed_in_place(c, numbers<T>(c, n), n, [=] { return static_cast<std::size_t>(*kept.stock); });
  call_both(c, [=](auto policy, side of) { *of(kept) = thrust::remove(policy, of(x), of(x) + n, T{0}) - of(x); });
}

template <class T>
void partition_in_place(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, numbers<T>(c, n, 200, -100), n);
  const is_below<T> choice{std::is_unsigned_v<T> ? 100 : 0};
  call_both(c, [=](auto policy, side of) { thrust::stable_partition(policy, of(x), of(x) + n, choice); });
}

template <class T>
void unique_in_place(comparison& c)
{
  const int n = c.n();
  const auto kept = c.returned<std::ptrdiff_t>();
  const auto x = changed_in_place(c, items(c, n, run_of_eight<T>{}), n, [=] { return static_cast<std::size_t>(*kept.stock); });
  call_both(c, [=](auto policy, side of) { *of(kept) = thrust::unique(policy, of(x), of(x) + n) - of(x); });
}

/// Run lengths: where each run begins.
template <class Key>
void starts_of_runs(comparison& c)
{
  const int n = c.n();
  const Key* const keys = items(c, n, run_of_eight<Key>{});
  const thrust::counting_iterator<int> places(0);
  const auto runs = c.returned<std::ptrdiff_t>();
  const auto keys_out = c.output<Key>(n);
  const auto out = c.output<int>(n);
  call_both(c, [=](auto policy, side of) {
    *of(runs) = thrust::unique_by_key_copy(policy, keys, keys + n, places, of(keys_out), of(out)).first - of(keys_out);
  });
}

template <class Key, class T>
void sum_of_runs(comparison& c)
{
  const int n = c.n();
  const Key* const keys = items(c, n, run_of_eight<Key>{});
  const T* const x = numbers<T>(c, n);
  const auto runs = c.returned<std::ptrdiff_t>();
  const auto keys_out = c.output<Key>(n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) {
    *of(runs) = thrust::reduce_by_key(policy, keys, keys + n, x, of(keys_out), of(out)).first - of(keys_out);
  });
}

// ---- sorts

template <class T>
void sort_keys(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, numbers<T>(c, n, all_values, -all_values / 2), n);
  call_both(c, [=](auto policy, side of) { thrust::sort(policy, of(x), of(x) + n); });
}

template <class Key, class T>
void sort_pairs(comparison& c)
{
  const int n = c.n();
  const auto keys = changed_in_place(c, numbers<Key>(c, n, all_values, -all_values / 2), n);
  const auto x = changed_in_place(c, numbers<T>(c, n), n);
  call_both(c, [=](auto policy, side of) { thrust::stable_sort_by_key(policy, of(keys), of(keys) + n, of(x)); });
}

template <class T>
struct less_magnitude {
  __host__ __device__ bool operator()(T a, T b) const { return (a < 0 ? -a : a) < (b < 0 ? -b : b); }
};
template <class T>
void sort_by_magnitude(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, numbers<T>(c, n, all_values, -all_values / 2), n);
  call_both(c, [=](auto policy, side of) { thrust::stable_sort(policy, of(x), of(x) + n, less_magnitude<T>{}); });
}

// ---- searches

template <class T>
void find_absent(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto place = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(place) = thrust::find(policy, x, x + n, T{99}) - x; });
}

template <class T>
void equal_arrays(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const T* const y = numbers<T>(c, n);
  const auto same = c.returned<bool>();
  call_both(c, [=](auto policy, side of) { *of(same) = thrust::equal(policy, x, x + n, y); });
}

const implementation here[] = {
  {"narrow", "exclusive_scan, u8", exclusive_sum<u8>},
  {"narrow", "exclusive_scan, i16", exclusive_sum<i16>},
  {"narrow", "exclusive_scan, u8 from a value", exclusive_sum_from<u8>},
  {"narrow", "inclusive_scan, i8", inclusive_sum<i8>},
  {"narrow", "inclusive_scan, u16", inclusive_sum<u16>},
  {"narrow", "inclusive_scan, u8, maximum", running<u8, ::cuda::maximum<u8>>},
  {"narrow", "inclusive_scan, i16, minimum", running<i16, ::cuda::minimum<>>},
  {"narrow", "inclusive_scan, u8, xor", running<u8, thrust::bit_xor<u8>>},
  {"narrow", "exclusive_scan, i8, maximum", exclusive_maximum<i8>},
  {"narrow", "transform_inclusive_scan, letters", places_of_letters},
  {"narrow", "inclusive_scan_by_key, u8, u8", sum_by_key<u8, u8>},
  {"narrow", "inclusive_scan_by_key, u16, i16", sum_by_key<u16, i16>},
  {"narrow", "exclusive_scan_by_key, u8, u8", exclusive_sum_by_key<u8, u8>},
  {"narrow", "exclusive_scan_by_key, int, i16", exclusive_sum_by_key<int, i16>},
  {"narrow", "reduce, u8 in u8", sum<u8, u8>},
  {"narrow", "reduce, u8 in int", sum<u8, int>},
  {"narrow", "reduce, i16 in long long", sum<i16, long long>},
  {"narrow", "reduce, u16, maximum", greatest<u16>},
  {"narrow", "max_element, u8", place_of_greatest<u8>},
  {"narrow", "max_element, i16", place_of_greatest<i16>},
  {"narrow", "transform_reduce, energy of i16", energy<i16>},
  {"narrow", "count_if, letters", count_letters},
  {"narrow", "copy_if, u8", copy_half<u8>},
  {"narrow", "copy_if, i16", copy_half<i16>},
  {"narrow", "copy_if, u8 by u8", copy_flagged<u8, u8>},
  {"narrow", "copy_if, u16 by int", copy_flagged<u16, int>},
  {"narrow", "copy_if, places of letters", places_of_few},
  {"narrow", "remove, u8", remove_zeros<u8>},
  {"narrow", "remove, i16", remove_zeros<i16>},
  {"narrow", "stable_partition, u8", partition_in_place<u8>},
  {"narrow", "stable_partition, i16", partition_in_place<i16>},
  {"narrow", "unique, u8", unique_in_place<u8>},
  {"narrow", "unique, u16", unique_in_place<u16>},
  {"narrow", "unique_by_key_copy, u8, counting", starts_of_runs<u8>},
  {"narrow", "reduce_by_key, u8, u8", sum_of_runs<u8, u8>},
  {"narrow", "reduce_by_key, u16, i16", sum_of_runs<u16, i16>},
  {"narrow", "reduce_by_key, int, u8", sum_of_runs<int, u8>},
  {"narrow", "sort, i8", sort_keys<i8>},
  {"narrow", "sort, i16", sort_keys<i16>},
  {"narrow", "stable_sort_by_key, u8, u8", sort_pairs<u8, u8>},
  {"narrow", "stable_sort_by_key, u16, u16", sort_pairs<u16, u16>},
  {"narrow", "stable_sort_by_key, i16, double", sort_pairs<i16, double>},
  {"narrow", "stable_sort_by_key, int, u8", sort_pairs<int, u8>},
  {"narrow", "stable_sort, i16 by magnitude", sort_by_magnitude<i16>},
  {"narrow", "find, u8", find_absent<u8>},
  {"narrow", "equal, u8", equal_arrays<u8>},
  {"narrow", "equal, u16", equal_arrays<u16>},
};

}  // namespace

}  // namespace perf
