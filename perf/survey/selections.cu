// Measures selections and partitions as users write them.
#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/unique.h>

#include "survey.h"

namespace perf {

namespace {

struct is_negative {
  template <class T>
  __host__ __device__ bool operator()(const T& x) const
  {
    return x < 0;
  }
};
struct is_set {
  template <class T>
  __host__ __device__ bool operator()(const T& x) const
  {
    return x != 0;
  }
};

/// Half of 200 numbers, which of signed ones are the negative.
template <class T>
struct is_of_half {
  __host__ __device__ bool operator()(T x) const { return x < (std::is_unsigned_v<T> ? 100 : 0); }
};
template <class T>
const T* numbers_to_halve(comparison& c)
{
  return numbers<T>(c, 200, -100);
}

template <class T>
void copy_half(comparison& c)
{
  const T* const x = numbers_to_halve<T>(c);
  writes_some<T>(
    c, [=](auto policy, int n, T* out) { return thrust::copy_if(policy, x, x + n, out, is_of_half<T>{}); });
}

template <class T, class InputIt, class Flag>
void copies_flagged(comparison& c, InputIt x, const Flag* flags)
{
  writes_some<T>(
    c, [=](auto policy, int n, T* out) { return thrust::copy_if(policy, x, x + n, flags, out, is_set{}); });
}
template <class T, class Flag>
void copy_flagged(comparison& c)
{
  copies_flagged<T>(c, numbers<T>(c), numbers<Flag>(c, 2, 0));
}
/// Of `Values` numbers all but the zeros.
template <class Flag, class Index, int Values = 10>
void indices_of_flagged(comparison& c)
{
  copies_flagged<Index>(c, thrust::make_counting_iterator(Index{0}), numbers<Flag>(c, Values, -1));
}

template <unsigned Words>
struct particle {
  float word[Words];
};
template <unsigned Words>
struct is_outside {
  __host__ __device__ bool operator()(const particle<Words>& p) const { return p.word[0] < 0; }
};
template <unsigned Words>
void remove_particles(comparison& c)
{
  const auto* const source = made_of<particle<Words>, float>(c);
  shrinks(
    c, source, [=](auto policy, int n, auto* x) { return thrust::remove_if(policy, x, x + n, is_outside<Words>{}); });
}

struct first_is_negative {
  template <class Tuple>
  __host__ __device__ bool operator()(const Tuple& t) const
  {
    return thrust::get<0>(t) < 0;
  }
};
const implementation remove_zipped_particles("remove_if", "zip of four floats", [](comparison& c) {
  const int n = c.n();
  const auto left = c.returned<std::ptrdiff_t>();
  const auto compared = [left] { return static_cast<std::size_t>(*left.stock); };
  const auto copy = [&] { return c.changed_in_place<float>(numbers<float>(c), n, compared); };
  const auto x0 = copy(), x1 = copy(), x2 = copy(), x3 = copy();
  call_both(c, [=](auto policy, side of) {
    const auto first = thrust::make_zip_iterator(of(x0), of(x1), of(x2), of(x3));
    *of(left) = thrust::remove_if(policy, first, first + n, first_is_negative{}) - first;
  });
});

template <class T>
void remove_value(comparison& c)
{
  shrinks(c, numbers<T>(c), [=](auto policy, int n, auto* x) { return thrust::remove(policy, x, x + n, T{1}); });
}

const implementation remove_by_stencil("remove_if", "double by bools", [](comparison& c) {
  const auto* const flags = made_of<bool, std::uint8_t>(c, 2);
  shrinks(c, numbers<double>(c), [=](auto policy, int n, auto* x) {
    return thrust::remove_if(policy, x, x + n, flags, is_set{});
  });
});

const implementation copy_zipped("copy_if", "zip(float, counting)", [](comparison& c) {
  const auto x = thrust::make_zip_iterator(numbers<float>(c), thrust::make_counting_iterator(0));
  writes_some<float, int>(c, [=](auto policy, int n, float* values, int* places) {
    const auto out = thrust::make_zip_iterator(values, places);
    return thrust::copy_if(policy, x, x + n, out, first_is_negative{}) - out;
  });
});

template <class T>
void stable_partition_in_place(comparison& c)
{
  partitions(c, numbers_to_halve<T>(c), [=](auto policy, int n, auto* x) {
    return thrust::stable_partition(policy, x, x + n, is_of_half<T>{});
  });
}

const implementation partition_by_stencil("stable_partition", "int by a stencil", [](comparison& c) {
  const int* const stencil = numbers<int>(c);
  partitions(c, numbers<int>(c, c.n(), 0), [=](auto policy, int n, auto* x) {
    return thrust::stable_partition(policy, x, x + n, stencil, is_negative{});
  });
});

const implementation copy_what_is_rejected("remove_copy_if", "long long", [](comparison& c) {
  const long long* const x = numbers<long long>(c);
  writes_some<long long>(c, [=](auto policy, int n, long long* out) {
    return thrust::remove_copy_if(policy, x, x + n, out, is_negative{});
  });
});

template <class T>
void unique_in_place(comparison& c)
{
  shrinks(c, numbers<T>(c, 3), [=](auto policy, int n, auto* x) { return thrust::unique(policy, x, x + n); });
}

/// Edges of a graph, from two arrays.
const implementation unique_edges("unique_copy", "zip(int, int)", [](comparison& c) {
  const auto edges = thrust::make_zip_iterator(numbers<int>(c, 2, 0), numbers<int>(c, 2, 0));
  writes_some<int, int>(c, [=](auto policy, int n, int* from, int* to) {
    const auto out = thrust::make_zip_iterator(from, to);
    return thrust::unique_copy(policy, edges, edges + n, out) - out;
  });
});

template <class Key, class Value>
void unique_by_key(comparison& c)
{
  const int n = c.n();
  const auto left = c.returned<std::ptrdiff_t>();
  const auto compared = [left] { return static_cast<std::size_t>(*left.stock); };
  const auto keys = c.changed_in_place<Key>(numbers<Key>(c, 2, 0), n, compared);
  const auto values = c.changed_in_place<Value>(numbers<Value>(c), n, compared);
  call_both(c, [=](auto policy, side of) {
    *of(left) = thrust::unique_by_key(policy, of(keys), of(keys) + n, of(values)).first - of(keys);
  });
}

/// Where each key's run begins.
template <class Key>
void heads_of_keys(comparison& c)
{
  const Key* const keys = numbers<Key>(c, 2, 0);
  writes_some<Key, int>(c, [=](auto policy, int n, Key* keys_out, int* places) {
    return thrust::unique_by_key_copy(policy, keys, keys + n, thrust::make_counting_iterator(0), keys_out, places)
      .first;
  });
}

const implementation here[] = {
  {"copy_if", "negative float", copy_half<float>},
  {"copy_if", "negative double", copy_half<double>},
  {"copy_if", "double by ints", copy_flagged<double, int>},
  {"copy_if", "char by long longs", copy_flagged<char, long long>},
  {"copy_if", "indices of floats, long long", indices_of_flagged<float, long long>},
  {"remove_if", "particles of 16 bytes", remove_particles<4>},
  {"remove_if", "particles of 28 bytes", remove_particles<7>},
  {"remove_if", "particles of 48 bytes", remove_particles<12>},
  {"remove", "int", remove_value<int>},
  {"remove", "unsigned char", remove_value<unsigned char>},
  {"stable_partition", "float", stable_partition_in_place<float>},
  {"stable_partition", "short", stable_partition_in_place<short>},
  {"unique", "int", unique_in_place<int>},
  {"unique", "double", unique_in_place<double>},
  {"unique", "char", unique_in_place<char>},
  {"unique_by_key", "int, float", unique_by_key<int, float>},
  {"unique_by_key", "long long, int", unique_by_key<long long, int>},
  {"unique_by_key_copy", "int, counting", heads_of_keys<int>},
  {"narrow", "copy_if, u8", copy_half<u8>},
  {"narrow", "copy_if, i16", copy_half<i16>},
  {"narrow", "copy_if, u8 by u8", copy_flagged<u8, u8>},
  {"narrow", "copy_if, u16 by int", copy_flagged<u16, int>},
  {"narrow", "copy_if, places of half of u8", indices_of_flagged<u8, int, 2>},
  {"narrow", "remove, i16", remove_value<i16>},
  {"narrow", "stable_partition, u8", stable_partition_in_place<u8>},
  {"narrow", "stable_partition, i16", stable_partition_in_place<i16>},
  {"narrow", "unique, u8", unique_in_place<u8>},
  {"narrow", "unique, u16", unique_in_place<u16>},
  {"narrow", "unique_by_key_copy, u8, counting", heads_of_keys<u8>},
};

}  // namespace

}  // namespace perf
