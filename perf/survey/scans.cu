// Measures scans, with keys and without, as users write them.
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include <cuda/functional>
#include <cuda/std/complex>

#include "../compare/functors.h"
#include "survey.h"

namespace perf {

namespace {

/// Of n items from `x` on, into an array; or by n keys.
template <class T, class InputIt, class... InitAndOp>
void scans_exclusively(comparison& c, InputIt x, InitAndOp... rest)
{
  writes<T>(c, [=](auto policy, int n, T* out) { thrust::exclusive_scan(policy, x, x + n, out, rest...); });
}
template <class T, class InputIt, class... Op>
void scans_inclusively(comparison& c, InputIt x, Op... op)
{
  writes<T>(c, [=](auto policy, int n, T* out) { thrust::inclusive_scan(policy, x, x + n, out, op...); });
}
template <class T, class KeyIt, class InputIt>
void scans_exclusively_by_key(comparison& c, KeyIt keys, InputIt x)
{
  writes<T>(c, [=](auto policy, int n, T* out) { thrust::exclusive_scan_by_key(policy, keys, keys + n, x, out); });
}
template <class T, class KeyIt, class InputIt, class... EqualAndOp>
void scans_inclusively_by_key(comparison& c, KeyIt keys, InputIt x, EqualAndOp... rest)
{
  writes<T>(
    c, [=](auto policy, int n, T* out) { thrust::inclusive_scan_by_key(policy, keys, keys + n, x, out, rest...); });
}

template <class T, class Init>
void sum(comparison& c)
{
  scans_exclusively<Init>(c, numbers<T>(c), Init{});
}

template <class T>
void sum_in_place(comparison& c)
{
  changes(c, numbers<T>(c), [=](auto policy, int n, auto* x) { thrust::inclusive_scan(policy, x, x + n, x); });
}

struct is_small {
  __host__ __device__ bool operator()(int x) const { return x < 0; }
};
const implementation places_of_selected("transform_exclusive_scan", "places of selected", [](comparison& c) {
  const int* const x = numbers<int>(c);
  writes<int>(c, [=](auto policy, int n, int* out) {
    thrust::transform_exclusive_scan(policy, x, x + n, out, is_small{}, 0, thrust::plus<int>());
  });
});

const implementation places_of_flagged("exclusive_scan", "places of bool", [](comparison& c) {
  scans_exclusively<int>(c, made_of<bool, std::uint8_t>(c, 2), 0);
});

template <class T, class Op>
void running(comparison& c)
{
  scans_inclusively<T>(c, numbers<T>(c, 1 << 23), Op{});
}

const implementation exclusive_sum_from("narrow", "exclusive_scan, u8 from a value", [](comparison& c) {
  scans_exclusively<u8>(c, numbers<u8>(c), u8{3});
});
const implementation exclusive_maximum("narrow", "exclusive_scan, i8, maximum", [](comparison& c) {
  scans_exclusively<i8>(c, numbers<i8>(c, 1 << 8, -(1 << 7)), i8{0}, ::cuda::maximum<>{});
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

template <class T>
void sum_of_suffixes(comparison& c)
{
  const auto x = thrust::make_reverse_iterator(numbers<T>(c) + c.n());
  writes<T>(c, [=](auto policy, int n, T* out) {
    thrust::inclusive_scan(policy, x, x + n, thrust::make_reverse_iterator(out + n));
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
    const std::uint64_t word = mixed(i);
    return {static_cast<T>(word | 1), static_cast<T>(word >> 32)};
  }
};
template <class T>
void recurrence(comparison& c)
{
  scans_inclusively<affine<T>>(c, items(c, to_affine<T>{}), then<T>{});
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
const implementation segmented_by_hand("inclusive_scan", "segmented by zip(float, int)", [](comparison& c) {
  const auto x = thrust::make_zip_iterator(numbers<float>(c), numbers<int>(c, 20, -18));
  writes<float, int>(c, [=](auto policy, int n, float* sums, int* flags) {
    thrust::inclusive_scan(policy, x, x + n, thrust::make_zip_iterator(sums, flags), add_flagged{});
  });
});

const implementation sum_of_complex("inclusive_scan", "complex<double>", [](comparison& c) {
  using complex = ::cuda::std::complex<double>;
  scans_inclusively<complex>(c, made_of<complex, double>(c));
});

const implementation sum_of_constants("exclusive_scan", "constant", [](comparison& c) {
  scans_exclusively<int>(c, thrust::make_constant_iterator(3));
});

struct halved {
  __host__ __device__ float operator()(float x) const { return x / 2; }
};
const implementation sum_transformed_on_the_way_out("inclusive_scan", "float into transform_output", [](comparison& c) {
  const float* const x = numbers<float>(c);
  writes<float>(c, [=](auto policy, int n, float* out) {
    thrust::inclusive_scan(policy, x, x + n, thrust::make_transform_output_iterator(out, halved{}));
  });
});

const implementation sum_scattered("inclusive_scan", "float into permutation", [](comparison& c) {
  const float* const x = numbers<float>(c);
  const auto back = thrust::make_reverse_iterator(thrust::make_counting_iterator(c.n()));
  writes<float>(c, [=](auto policy, int n, float* out) {
    thrust::inclusive_scan(policy, x, x + n, thrust::make_permutation_iterator(out, back));
  });
});

/// Rows of an image.
template <class T, int RowItems>
void sum_of_rows(comparison& c)
{
  const auto rows = thrust::make_transform_iterator(thrust::make_counting_iterator(0), row_of{RowItems});
  scans_inclusively_by_key<T>(c, rows, numbers<T>(c));
}

/// Keys of which each stands about eight times in a row.
template <class Key>
struct eighth {
  __host__ __device__ Key operator()(std::uint64_t i) const { return static_cast<Key>((i + mixed(i >> 4) % 16) / 8); }
};
template <class Key, class T>
void sum_by_key(comparison& c)
{
  scans_exclusively_by_key<T>(c, items(c, eighth<Key>{}), numbers<T>(c));
}

template <class Key, class T>
void running_by_key(comparison& c)
{
  scans_inclusively_by_key<T>(c, items(c, eighth<Key>{}), numbers<T>(c));
}

/// The number of each item within its run.
const implementation rank_by_key("exclusive_scan_by_key", "int, constant", [](comparison& c) {
  scans_exclusively_by_key<int>(c, items(c, eighth<int>{}), thrust::make_constant_iterator(1));
});

/// Each head's value to all of its run.
struct first_of_both {
  template <class T>
  __host__ __device__ T operator()(const T& first, const T&) const
  {
    return first;
  }
};
const implementation head_to_all("inclusive_scan_by_key", "int, head to all", [](comparison& c) {
  scans_inclusively_by_key<int>(c, items(c, eighth<int>{}), numbers<int>(c), thrust::equal_to<int>(), first_of_both{});
});

const implementation sum_by_zipped_keys("inclusive_scan_by_key", "zip(int, short), float", [](comparison& c) {
  const auto keys = thrust::make_zip_iterator(items(c, eighth<int>{}), items(c, eighth<short>{}));
  scans_inclusively_by_key<float>(c, keys, numbers<float>(c));
});

struct same_cell {
  __host__ __device__ bool operator()(float a, float b) const { return static_cast<int>(a) == static_cast<int>(b); }
};
const implementation maximum_by_cell("inclusive_scan_by_key", "float cells, maximum in place", [](comparison& c) {
  const float* const keys = items(c, eighth<float>{});
  changes(c, numbers<float>(c), [=](auto policy, int n, auto* x) {
    thrust::inclusive_scan_by_key(policy, keys, keys + n, x, x, same_cell{}, ::cuda::maximum<float>());
  });
});

const implementation sum_by_reversed_key("inclusive_scan_by_key", "reversed int, float", [](comparison& c) {
  const auto keys = thrust::make_reverse_iterator(items(c, eighth<int>{}) + c.n());
  const auto x = thrust::make_reverse_iterator(numbers<float>(c) + c.n());
  writes<float>(c, [=](auto policy, int n, float* out) {
    thrust::inclusive_scan_by_key(policy, keys, keys + n, x, thrust::make_reverse_iterator(out + n));
  });
});

const implementation here[] = {
  {"exclusive_scan", "unsigned char in unsigned", sum<unsigned char, unsigned>},
  {"exclusive_scan", "float in double", sum<float, double>},
  {"inclusive_scan", "short in place", sum_in_place<short>},
  {"inclusive_scan", "double in place", sum_in_place<double>},
  {"inclusive_scan", "suffixes, float", sum_of_suffixes<float>},
  {"inclusive_scan", "suffixes, char", sum_of_suffixes<char>},
  {"inclusive_scan", "recurrence of 8 bytes", recurrence<unsigned>},
  {"inclusive_scan", "recurrence of 16 bytes", recurrence<unsigned long long>},
  {"inclusive_scan_by_key", "rows of 28 floats", sum_of_rows<float, 28>},
  {"inclusive_scan_by_key", "rows of 640 bytes", sum_of_rows<unsigned char, 640>},
  {"exclusive_scan_by_key", "int, float", sum_by_key<int, float>},
  {"exclusive_scan_by_key", "long long, double", sum_by_key<long long, double>},
  {"exclusive_scan_by_key", "unsigned char, int", sum_by_key<unsigned char, int>},
  {"inclusive_scan", "maximum of float", running<float, ::cuda::maximum<float>>},
  {"narrow", "exclusive_scan, u8", sum<u8, u8>},
  {"narrow", "exclusive_scan, i16", sum<i16, i16>},
  {"narrow", "inclusive_scan, i8", running<i8, thrust::plus<i8>>},
  {"narrow", "inclusive_scan, u16", running<u16, thrust::plus<u16>>},
  {"narrow", "inclusive_scan, u8, maximum", running<u8, ::cuda::maximum<u8>>},
  {"narrow", "inclusive_scan, i16, minimum", running<i16, ::cuda::minimum<>>},
  {"narrow", "inclusive_scan, u8, xor", running<u8, thrust::bit_xor<u8>>},
  {"narrow", "inclusive_scan_by_key, u8, u8", running_by_key<u8, u8>},
  {"narrow", "inclusive_scan_by_key, u16, i16", running_by_key<u16, i16>},
  {"narrow", "exclusive_scan_by_key, u8, u8", sum_by_key<u8, u8>},
  {"narrow", "exclusive_scan_by_key, int, i16", sum_by_key<int, i16>},
};

}  // namespace

}  // namespace perf
