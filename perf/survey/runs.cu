// Measures reductions by key as users write them: histograms, sparse matrices, centres of clusters.
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>

#include <cuda/functional>

#include "../compare/functors.h"
#include "survey.h"

namespace perf {

namespace {

/// In order; each stands about sixteen times.
template <class Key>
struct sorted_key {
  __host__ __device__ Key operator()(std::uint64_t i) const { return static_cast<Key>((i + mixed(i >> 5) % 32) / 16); }
};
template <class Key>
const Key* sorted_keys(comparison& c)
{
  return items(c, sorted_key<Key>{});
}

/// Of n keys and values, into arrays.
template <class Key, class T, class KeyIt, class InputIt, class... EqualAndOp>
void reduces_by_key(comparison& c, KeyIt keys, InputIt x, EqualAndOp... rest)
{
  writes_some<Key, T>(c, [=](auto policy, int n, Key* keys_out, T* out) {
    return thrust::reduce_by_key(policy, keys, keys + n, x, keys_out, out, rest...).first;
  });
}

template <class Key, class T>
void sums(comparison& c)
{
  reduces_by_key<Key, T>(c, sorted_keys<Key>(c), numbers<T>(c));
}

template <class Key, class Count>
void histogram(comparison& c)
{
  reduces_by_key<Key, Count>(c, sorted_keys<Key>(c), thrust::make_constant_iterator(Count{1}));
}

/// Entries of a sparse matrix: those at the same place are added.
const implementation sum_of_entries("reduce_by_key", "entries of a matrix, zip(int, int), double", [](comparison& c) {
  const auto places = thrust::make_zip_iterator(sorted_keys<int>(c), sorted_keys<int>(c));
  const double* const x = numbers<double>(c);
  writes_some<int, int, double>(c, [=](auto policy, int n, int* rows, int* columns, double* out) {
    return thrust::reduce_by_key(policy, places, places + n, x, thrust::make_zip_iterator(rows, columns), out).second
           - out;
  });
});

/// Coordinates and a count, summed for each cluster.
using cluster = thrust::tuple<float, float, float, int>;
struct add_clusters {
  __host__ __device__ cluster operator()(const cluster& a, const cluster& b) const
  {
    return {
      thrust::get<0>(a) + thrust::get<0>(b), thrust::get<1>(a) + thrust::get<1>(b),
      thrust::get<2>(a) + thrust::get<2>(b), thrust::get<3>(a) + thrust::get<3>(b)};
  }
};
const implementation sum_of_clusters("reduce_by_key", "clusters, zip of three floats and a count", [](comparison& c) {
  const int* const keys = sorted_keys<int>(c);
  const auto x = thrust::make_zip_iterator(
    numbers<float>(c), numbers<float>(c, 5), numbers<float>(c, 3), thrust::make_constant_iterator(1));
  writes_some<int, float, float, float, int>(
    c, [=](auto policy, int n, int* keys_out, float* sums_x, float* sums_y, float* sums_z, int* counts) {
      const auto out = thrust::make_zip_iterator(sums_x, sums_y, sums_z, counts);
      return thrust::reduce_by_key(policy, keys, keys + n, x, keys_out, out, thrust::equal_to<int>(), add_clusters{})
        .first;
    });
});

template <class T, int RowItems>
void sum_of_rows(comparison& c)
{
  const auto rows = thrust::make_transform_iterator(thrust::make_counting_iterator(0), row_of{RowItems});
  const T* const x = numbers<T>(c);
  writes_some<T>(c, [=](auto policy, int n, T* out) {
    return thrust::reduce_by_key(policy, rows, rows + n, x, thrust::make_discard_iterator(), out).second;
  });
}

/// As a column of a matrix that is stored by rows.
struct transposed {
  int rows, columns;
  __host__ __device__ int operator()(int i) const { return i % rows * columns + i / rows; }
};
const implementation sum_of_columns("reduce_by_key", "columns of a matrix", [](comparison& c) {
  constexpr int rows = 512;
  const int columns = c.n() / rows;
  const int n = rows * columns;
  const auto places = thrust::make_counting_iterator(0);
  const auto keys = thrust::make_transform_iterator(places, row_of{rows});
  const auto x = thrust::make_permutation_iterator(
    some_numbers<float>(c, n), thrust::make_transform_iterator(places, transposed{rows, columns}));
  const auto out = c.output<float>(columns);
  call_both(c, [=](auto policy, side of) {
    thrust::reduce_by_key(policy, keys, keys + n, x, thrust::make_discard_iterator(), of(out));
  });
});

template <class Key, class T>
void maxima(comparison& c)
{
  reduces_by_key<Key, T>(c, sorted_keys<Key>(c), numbers<T>(c, 1 << 20), thrust::equal_to<Key>(), ::cuda::maximum<T>());
}

struct cell_of {
  __host__ __device__ unsigned operator()(std::uint64_t key) const { return static_cast<unsigned>(key >> 2); }
};
const implementation sums_by_computed_keys("reduce_by_key", "computed keys", [](comparison& c) {
  const auto keys = thrust::make_transform_iterator(sorted_keys<std::uint64_t>(c), cell_of{});
  reduces_by_key<unsigned, float>(c, keys, numbers<float>(c));
});

/// Values that stand in another order than the keys.
const implementation sums_of_gathered("reduce_by_key", "gathered values", [](comparison& c) {
  const auto x = thrust::make_permutation_iterator(numbers<float>(c), numbers<int>(c, c.n(), 0));
  reduces_by_key<int, float>(c, sorted_keys<int>(c), x);
});

/// A product of two arrays, as of a sparse matrix with a vector.
struct times {
  __host__ __device__ float operator()(const thrust::tuple<float, float>& both) const
  {
    return thrust::get<0>(both) * thrust::get<1>(both);
  }
};
const implementation sparse_matrix_times_vector("reduce_by_key", "sparse matrix times vector", [](comparison& c) {
  const auto chosen = thrust::make_permutation_iterator(numbers<float>(c, 5, -2), numbers<int>(c, c.n(), 0));
  const auto x = thrust::make_transform_iterator(thrust::make_zip_iterator(numbers<float>(c), chosen), times{});
  reduces_by_key<int, float>(c, sorted_keys<int>(c), x);
});

const implementation here[] = {
  {"reduce_by_key", "unsigned, unsigned", sums<unsigned, unsigned>},
  {"reduce_by_key", "long long, double", sums<long long, double>},
  {"reduce_by_key", "short, float", sums<short, float>},
  {"reduce_by_key", "histogram of unsigned long long", histogram<unsigned long long, unsigned>},
  {"reduce_by_key", "histogram of unsigned short", histogram<unsigned short, long long>},
  {"reduce_by_key", "rows of 3 doubles", sum_of_rows<double, 3>},
  {"narrow", "reduce_by_key, u8, u8", sums<u8, u8>},
  {"narrow", "reduce_by_key, u16, i16", sums<u16, i16>},
  {"narrow", "reduce_by_key, int, u8", sums<int, u8>},
  {"reduce_by_key", "maxima, int, float", maxima<int, float>},
  {"reduce_by_key", "maxima, int, char", maxima<int, signed char>},
};

}  // namespace

}  // namespace perf
