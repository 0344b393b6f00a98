// Scans, with keys and without, as users write them.
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include <cuda/functional>
#include <cuda/std/complex>

#include "survey.h"

namespace perf {

namespace {

template <class T, class Init>
void sum(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto out = c.output<Init>(n);
  call_both(c, [=](auto policy, side of) { thrust::exclusive_scan(policy, x, x + n, of(out), Init{}); });
}

template <class T>
void sum_in_place(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, numbers<T>(c, n), n);
  call_both(c, [=](auto policy, side of) { thrust::inclusive_scan(policy, of(x), of(x) + n, of(x)); });
}

struct is_small {
  __host__ __device__ bool operator()(int x) const { return x < 0; }
};
void places_of_selected(comparison& c)
{
  const int n = c.n();
  const int* const x = numbers<int>(c, n);
  const auto out = c.output<int>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::transform_exclusive_scan(policy, x, x + n, of(out), is_small{}, 0, thrust::plus<int>());
  });
}

void places_of_flagged(comparison& c)
{
  const int n = c.n();
  const bool* const flags = reinterpret_cast<const bool*>(numbers<std::uint8_t>(c, n, 2));
  const auto out = c.output<int>(n);
  call_both(c, [=](auto policy, side of) { thrust::exclusive_scan(policy, flags, flags + n, of(out), 0); });
}

void running_maximum(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n, 1 << 23);
  const auto out = c.output<float>(n);
  call_both(
    c, [=](auto policy, side of) { thrust::inclusive_scan(policy, x, x + n, of(out), ::cuda::maximum<float>()); });
}

template <class T>
void sum_of_suffixes(comparison& c)
{
  const int n = c.n();
  const auto x = thrust::make_reverse_iterator(numbers<T>(c, n) + n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::inclusive_scan(policy, x, x + n, thrust::make_reverse_iterator(of(out) + n));
  });
}

/// y -> a * y + b, of numbers modulo 2^32: a linear recurrence.
template <class T>
struct affine {
  T a, b;
};
template <class T>
struct then {
  __host__ __device__ affine<T> operator()(const affine<T>& first, const affine<T>& second) const
  {
    return {first.a * second.a, first.b * second.a + second.b};
  }
};
template <class T>
struct to_affine {
  __host__ __device__ affine<T> operator()(std::uint64_t i) const
  {
    const std::uint64_t word = mixed_word{}(i);
    return {static_cast<T>(word | 1), static_cast<T>(word >> 32)};
  }
};
template <class T>
void recurrence(comparison& c)
{
  const int n = c.n();
  const affine<T>* const x = items(c, n, to_affine<T>{});
  const auto out = c.output<affine<T>>(n);
  call_both(c, [=](auto policy, side of) { thrust::inclusive_scan(policy, x, x + n, of(out), then<T>{}); });
}

/// Segments by a flag beside each value, as it is done where there is no scan by key.
using flagged = thrust::tuple<float, int>;
struct add_flagged {
  __host__ __device__ flagged operator()(const flagged& a, const flagged& b) const
  {
    return {
      thrust::get<1>(b) ? thrust::get<0>(b) : thrust::get<0>(a) + thrust::get<0>(b),
      thrust::get<1>(a) | thrust::get<1>(b)};
  }
};
void segmented_by_hand(comparison& c)
{
  const int n = c.n();
  const auto x = thrust::make_zip_iterator(numbers<float>(c, n), numbers<int>(c, n, 20, -18));
  const auto sums = c.output<float>(n);
  const auto flags = c.output<int>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::inclusive_scan(policy, x, x + n, thrust::make_zip_iterator(of(sums), of(flags)), add_flagged{});
  });
}

void sum_of_complex(comparison& c)
{
  using complex = ::cuda::std::complex<double>;
  const int n = c.n();
  const complex* const x = reinterpret_cast<const complex*>(numbers<double>(c, std::size_t{2} * n));
  const auto out = c.output<complex>(n);
  call_both(c, [=](auto policy, side of) { thrust::inclusive_scan(policy, x, x + n, of(out)); });
}

void sum_of_constants(comparison& c)
{
  const int n = c.n();
  const auto x = thrust::make_constant_iterator(3);
  const auto out = c.output<int>(n);
  call_both(c, [=](auto policy, side of) { thrust::exclusive_scan(policy, x, x + n, of(out)); });
}

struct halved {
  __host__ __device__ float operator()(float x) const { return x / 2; }
};
void sum_transformed_on_the_way_out(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n);
  const auto out = c.output<float>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::inclusive_scan(policy, x, x + n, thrust::make_transform_output_iterator(of(out), halved{}));
  });
}

void sum_scattered(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n);
  const auto out = c.output<float>(n);
  const auto back = thrust::make_reverse_iterator(thrust::make_counting_iterator(n));
  call_both(c, [=](auto policy, side of) {
    thrust::inclusive_scan(policy, x, x + n, thrust::make_permutation_iterator(of(out), back));
  });
}

/// Rows of `items` numbers in an image.
struct row_of {
  int row_items;
  __host__ __device__ int operator()(int i) const { return i / row_items; }
};
auto rows(int row_items)
{
  return thrust::make_transform_iterator(thrust::make_counting_iterator(0), row_of{row_items});
}
template <class T, int RowItems>
void sum_of_rows(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::inclusive_scan_by_key(policy, rows(RowItems), rows(RowItems) + n, x, of(out));
  });
}

/// Keys of which each stands about eight times in a row.
template <class Key>
struct eighth {
  __host__ __device__ Key operator()(std::uint64_t i) const
  {
    return static_cast<Key>((i + mixed_word{}(i >> 4) % 16) / 8);
  }
};
template <class Key, class T>
void sum_by_key(comparison& c)
{
  const int n = c.n();
  const Key* const keys = items(c, n, eighth<Key>{});
  const T* const x = numbers<T>(c, n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) { thrust::exclusive_scan_by_key(policy, keys, keys + n, x, of(out)); });
}

/// The number of each item within its run.
void rank_by_key(comparison& c)
{
  const int n = c.n();
  const int* const keys = items(c, n, eighth<int>{});
  const auto out = c.output<int>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::exclusive_scan_by_key(policy, keys, keys + n, thrust::make_constant_iterator(1), of(out));
  });
}

/// Each head's value to all of its run.
struct first_of_both {
  template <class T>
  __host__ __device__ T operator()(const T& first, const T&) const
  {
    return first;
  }
};
void head_to_all(comparison& c)
{
  const int n = c.n();
  const int* const keys = items(c, n, eighth<int>{});
  const int* const x = numbers<int>(c, n);
  const auto out = c.output<int>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::inclusive_scan_by_key(policy, keys, keys + n, x, of(out), thrust::equal_to<int>(), first_of_both{});
  });
}

void sum_by_zipped_keys(comparison& c)
{
  const int n = c.n();
  const auto keys = thrust::make_zip_iterator(items(c, n, eighth<int>{}), items(c, n, eighth<short>{}));
  const float* const x = numbers<float>(c, n);
  const auto out = c.output<float>(n);
  call_both(c, [=](auto policy, side of) { thrust::inclusive_scan_by_key(policy, keys, keys + n, x, of(out)); });
}

struct same_cell {
  __host__ __device__ bool operator()(float a, float b) const { return static_cast<int>(a) == static_cast<int>(b); }
};
void maximum_by_cell(comparison& c)
{
  const int n = c.n();
  const float* const keys = items(c, n, eighth<float>{});
  const auto x = changed_in_place(c, numbers<float>(c, n), n);
  call_both(c, [=](auto policy, side of) {
    thrust::inclusive_scan_by_key(policy, keys, keys + n, of(x), of(x), same_cell{}, ::cuda::maximum<float>());
  });
}

template <class T>
void sum_by_reversed_key(comparison& c)
{
  const int n = c.n();
  const auto keys = thrust::make_reverse_iterator(items(c, n, eighth<int>{}) + n);
  const auto x = thrust::make_reverse_iterator(numbers<T>(c, n) + n);
  const auto out = c.output<T>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::inclusive_scan_by_key(policy, keys, keys + n, x, thrust::make_reverse_iterator(of(out) + n));
  });
}

const implementation here[] = {
  {"exclusive_scan", "int", sum<int, int>},
  {"exclusive_scan", "unsigned char in unsigned", sum<unsigned char, unsigned>},
  {"exclusive_scan", "int in long long", sum<int, long long>},
  {"exclusive_scan", "float in double", sum<float, double>},
  {"inclusive_scan", "short in place", sum_in_place<short>},
  {"inclusive_scan", "double in place", sum_in_place<double>},
  {"transform_exclusive_scan", "places of selected", places_of_selected},
  {"exclusive_scan", "places of bool", places_of_flagged},
  {"inclusive_scan", "maximum of float", running_maximum},
  {"inclusive_scan", "suffixes, float", sum_of_suffixes<float>},
  {"inclusive_scan", "suffixes, char", sum_of_suffixes<char>},
  {"inclusive_scan", "recurrence of 8 bytes", recurrence<unsigned>},
  {"inclusive_scan", "recurrence of 16 bytes", recurrence<unsigned long long>},
  {"inclusive_scan", "segmented by zip(float, int)", segmented_by_hand},
  {"inclusive_scan", "complex<double>", sum_of_complex},
  {"exclusive_scan", "constant", sum_of_constants},
  {"inclusive_scan", "float into transform_output", sum_transformed_on_the_way_out},
  {"inclusive_scan", "float into permutation", sum_scattered},
  {"inclusive_scan_by_key", "rows of 1920 floats", sum_of_rows<float, 1920>},
  {"inclusive_scan_by_key", "rows of 28 floats", sum_of_rows<float, 28>},
  {"inclusive_scan_by_key", "rows of 640 bytes", sum_of_rows<unsigned char, 640>},
  {"exclusive_scan_by_key", "int, float", sum_by_key<int, float>},
  {"exclusive_scan_by_key", "long long, double", sum_by_key<long long, double>},
  {"exclusive_scan_by_key", "unsigned char, int", sum_by_key<unsigned char, int>},
  {"exclusive_scan_by_key", "int, constant", rank_by_key},
  {"inclusive_scan_by_key", "int, head to all", head_to_all},
  {"inclusive_scan_by_key", "zip(int, short), float", sum_by_zipped_keys},
  {"inclusive_scan_by_key", "float cells, maximum in place", maximum_by_cell},
  {"inclusive_scan_by_key", "reversed int, float", sum_by_reversed_key<float>},
};

}  // namespace

}  // namespace perf
