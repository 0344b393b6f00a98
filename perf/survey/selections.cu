// Selections and partitions as users write them.
#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
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

template <class T>
void copy_negative(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto out = c.output<T>(n);
  const auto count = c.returned<std::ptrdiff_t>();
  call_both(
    c, [=](auto policy, side of) { *of(count) = thrust::copy_if(policy, x, x + n, of(out), is_negative{}) - of(out); });
}

template <class T, class Flag>
void copy_flagged(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const Flag* const flags = numbers<Flag>(c, n, 2, 0);
  const auto out = c.output<T>(n);
  const auto count = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(count) = thrust::copy_if(policy, x, x + n, flags, of(out), is_set{}) - of(out);
  });
}

template <class Flag, class Index>
void indices_of_flagged(comparison& c)
{
  const int n = c.n();
  const auto places = thrust::make_counting_iterator(Index{0});
  const Flag* const flags = numbers<Flag>(c, n, 10, -1);
  const auto out = c.output<Index>(n);
  const auto count = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(count) = thrust::copy_if(policy, places, places + n, flags, of(out), is_set{}) - of(out);
  });
}

struct differs_from_neighbour {
  const int* x;
  __host__ __device__ bool operator()(int i) const { return i == 0 || x[i] != x[i - 1]; }
};
void indices_of_heads(comparison& c)
{
  const int n = c.n();
  const auto places = thrust::make_counting_iterator(0);
  const int* const x = numbers<int>(c, n, 4, 0);
  const auto out = c.output<int>(n);
  const auto count = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(count) = thrust::copy_if(policy, places, places + n, of(out), differs_from_neighbour{x}) - of(out);
  });
}

struct place_below {
  unsigned n;
  __host__ __device__ int operator()(std::uint64_t i) const { return static_cast<int>(mixed_word{}(i) % n); }
};
struct names_negative {
  const float* x;
  __host__ __device__ bool operator()(int i) const { return x[i] < 0; }
};
void listed_negative(comparison& c)
{
  const int n = c.n();
  const int* const list = items(c, n, place_below{static_cast<unsigned>(n)});
  const float* const x = numbers<float>(c, n);
  const auto out = c.output<int>(n);
  const auto count = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(count) = thrust::copy_if(policy, list, list + n, of(out), names_negative{x}) - of(out);
  });
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
  const int n = c.n();
  const auto* const source = reinterpret_cast<const particle<Words>*>(numbers<float>(c, std::size_t{Words} * n));
  const auto left = c.returned<std::ptrdiff_t>();
  const auto x = changed_in_place(c, source, n, [left] { return static_cast<std::size_t>(*left.stock); });
  call_both(c, [=](auto policy, side of) {
    *of(left) = thrust::remove_if(policy, of(x), of(x) + n, is_outside<Words>{}) - of(x);
  });
}

struct first_is_negative {
  template <class Tuple>
  __host__ __device__ bool operator()(const Tuple& t) const
  {
    return thrust::get<0>(t) < 0;
  }
};
void remove_zipped_particles(comparison& c)
{
  const int n = c.n();
  const auto left = c.returned<std::ptrdiff_t>();
  const auto compared = [left] { return static_cast<std::size_t>(*left.stock); };
  twin<float> x[4];
  for (int a = 0; a < 4; ++a) {
    x[a] = changed_in_place(c, numbers<float>(c, n), n, compared);
  }
  const auto x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
  call_both(c, [=](auto policy, side of) {
    const auto first = thrust::make_zip_iterator(of(x0), of(x1), of(x2), of(x3));
    *of(left) = thrust::remove_if(policy, first, first + n, first_is_negative{}) - first;
  });
}

template <class T>
void remove_value(comparison& c)
{
  const int n = c.n();
  const auto left = c.returned<std::ptrdiff_t>();
  const auto x = changed_in_place(
    c, static_cast<const T*>(numbers<T>(c, n)), n, [left] { return static_cast<std::size_t>(*left.stock); });
  call_both(c, [=](auto policy, side of) { *of(left) = thrust::remove(policy, of(x), of(x) + n, T{1}) - of(x); });
}

void remove_by_stencil(comparison& c)
{
  const int n = c.n();
  const bool* const flags = reinterpret_cast<const bool*>(numbers<std::uint8_t>(c, n, 2));
  const auto left = c.returned<std::ptrdiff_t>();
  const auto x = changed_in_place(
    c, static_cast<const double*>(numbers<double>(c, n)), n, [left] { return static_cast<std::size_t>(*left.stock); });
  call_both(
    c, [=](auto policy, side of) { *of(left) = thrust::remove_if(policy, of(x), of(x) + n, flags, is_set{}) - of(x); });
}

void copy_zipped(comparison& c)
{
  const int n = c.n();
  const auto x = thrust::make_zip_iterator(numbers<float>(c, n), thrust::make_counting_iterator(0));
  const auto values = c.output<float>(n);
  const auto places = c.output<int>(n);
  const auto count = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    const auto out = thrust::make_zip_iterator(of(values), of(places));
    *of(count) = thrust::copy_if(policy, x, x + n, out, first_is_negative{}) - out;
  });
}

template <class T>
void stable_partition_in_place(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, static_cast<const T*>(numbers<T>(c, n)), n);
  const auto split = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(split) = thrust::stable_partition(policy, of(x), of(x) + n, is_negative{}) - of(x);
  });
}

void partition_by_stencil(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, static_cast<const int*>(numbers<int>(c, n, n, 0)), n);
  const int* const stencil = numbers<int>(c, n);
  const auto split = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(split) = thrust::stable_partition(policy, of(x), of(x) + n, stencil, is_negative{}) - of(x);
  });
}

void partition_copy_to_both_ends(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n);
  const auto out = c.output<float>(n);
  const auto split = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    const auto ends =
      thrust::partition_copy(policy, x, x + n, of(out), thrust::make_reverse_iterator(of(out) + n), is_negative{});
    *of(split) = ends.first - of(out);
  });
}

void copy_what_is_rejected(comparison& c)
{
  const int n = c.n();
  const long long* const x = numbers<long long>(c, n);
  const auto out = c.output<long long>(n);
  const auto left = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(left) = thrust::remove_copy_if(policy, x, x + n, of(out), is_negative{}) - of(out);
  });
}

template <class T>
void unique_in_place(comparison& c)
{
  const int n = c.n();
  const auto left = c.returned<std::ptrdiff_t>();
  const auto x = changed_in_place(
    c, static_cast<const T*>(numbers<T>(c, n, 3)), n, [left] { return static_cast<std::size_t>(*left.stock); });
  call_both(c, [=](auto policy, side of) { *of(left) = thrust::unique(policy, of(x), of(x) + n) - of(x); });
}

/// Edges of a graph, from two arrays.
void unique_edges(comparison& c)
{
  const int n = c.n();
  const auto edges = thrust::make_zip_iterator(numbers<int>(c, n, 2, 0), numbers<int>(c, n, 2, 0));
  const auto from = c.output<int>(n);
  const auto to = c.output<int>(n);
  const auto left = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    const auto out = thrust::make_zip_iterator(of(from), of(to));
    *of(left) = thrust::unique_copy(policy, edges, edges + n, out) - out;
  });
}

template <class Key, class Value>
void unique_by_key(comparison& c)
{
  const int n = c.n();
  const auto left = c.returned<std::ptrdiff_t>();
  const auto compared = [left] { return static_cast<std::size_t>(*left.stock); };
  const auto keys = changed_in_place(c, static_cast<const Key*>(numbers<Key>(c, n, 2, 0)), n, compared);
  const auto values = changed_in_place(c, static_cast<const Value*>(numbers<Value>(c, n)), n, compared);
  call_both(c, [=](auto policy, side of) {
    *of(left) = thrust::unique_by_key(policy, of(keys), of(keys) + n, of(values)).first - of(keys);
  });
}

/// Where each key's run begins.
void heads_of_keys(comparison& c)
{
  const int n = c.n();
  const int* const keys = numbers<int>(c, n, 2, 0);
  const auto keys_out = c.output<int>(n);
  const auto places = c.output<int>(n);
  const auto left = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    *of(left) =
      thrust::unique_by_key_copy(policy, keys, keys + n, thrust::make_counting_iterator(0), of(keys_out), of(places))
        .first
      - of(keys_out);
  });
}

const implementation here[] = {
  {"copy_if", "negative char", copy_negative<signed char>},
  {"copy_if", "negative float", copy_negative<float>},
  {"copy_if", "negative double", copy_negative<double>},
  {"copy_if", "int by bytes", copy_flagged<int, std::uint8_t>},
  {"copy_if", "double by ints", copy_flagged<double, int>},
  {"copy_if", "char by long longs", copy_flagged<char, long long>},
  {"copy_if", "indices of bytes, int", indices_of_flagged<std::uint8_t, int>},
  {"copy_if", "indices of floats, long long", indices_of_flagged<float, long long>},
  {"copy_if", "indices of heads", indices_of_heads},
  {"copy_if", "listed, by what they name", listed_negative},
  {"copy_if", "zip(float, counting)", copy_zipped},
  {"remove_if", "particles of 16 bytes", remove_particles<4>},
  {"remove_if", "particles of 28 bytes", remove_particles<7>},
  {"remove_if", "particles of 48 bytes", remove_particles<12>},
  {"remove_if", "zip of four floats", remove_zipped_particles},
  {"remove_if", "double by bools", remove_by_stencil},
  {"remove", "int", remove_value<int>},
  {"remove", "unsigned char", remove_value<unsigned char>},
  {"remove_copy_if", "long long", copy_what_is_rejected},
  {"stable_partition", "float", stable_partition_in_place<float>},
  {"stable_partition", "short", stable_partition_in_place<short>},
  {"stable_partition", "int by a stencil", partition_by_stencil},
  {"partition_copy", "float to both ends", partition_copy_to_both_ends},
  {"unique", "int", unique_in_place<int>},
  {"unique", "double", unique_in_place<double>},
  {"unique", "char", unique_in_place<char>},
  {"unique_copy", "zip(int, int)", unique_edges},
  {"unique_by_key", "int, float", unique_by_key<int, float>},
  {"unique_by_key", "long long, int", unique_by_key<long long, int>},
  {"unique_by_key_copy", "int, counting", heads_of_keys},
};

}  // namespace

}  // namespace perf
