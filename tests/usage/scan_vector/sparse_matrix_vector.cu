// Sparse matrix times vector (Blelloch's segmented sums): products of all entries, summed over the segments that rows
// are.
#include <thrust/binary_search.h>
#include <thrust/fill.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scatter.h>

#include "program.h"

struct product {
  template <class Pair>
  HOST_DEVICE double operator()(const Pair& entry) const
  {
    return thrust::get<0>(entry) * thrust::get<1>(entry);
  }
};
struct row_of {
  HOST_DEVICE int operator()(int row_behind) const { return row_behind - 1; }
};

int main(int argc, char** argv)
{
  // Rows of 0 to 31 entries, now and then a long one; whole numbers, so that sums are exact in any order.
  const options o = read_options(argc, argv, std::size_t{1} << 20, 500);
  std::mt19937 random(5);
  std::vector<int> offsets, columns;
  std::vector<double> entries, x(o.items), wanted(o.items, 0);
  std::generate(x.begin(), x.end(), [&] { return static_cast<double>(random() % 100); });
  for (std::size_t row = 0; row < o.items; ++row) {
    offsets.push_back(static_cast<int>(entries.size()));
    const std::size_t count = random() % 1000 == 0 ? 5000 : random() % 32;
    for (std::size_t e = 0; e < count; ++e) {
      columns.push_back(static_cast<int>(random() % o.items));
      entries.push_back(static_cast<double>(random() % 100));
      wanted[row] += entries.back() * x[static_cast<std::size_t>(columns.back())];
    }
  }
  const thrust::device_vector<int> row_offsets(offsets.begin(), offsets.end()), column(columns.begin(), columns.end());
  const thrust::device_vector<double> entry(entries.begin(), entries.end()), vector(x.begin(), x.end());
  thrust::device_vector<double> y(o.items), stock(o.items), sums(o.items);
  thrust::device_vector<int> row(entries.size()), distinct(o.items);

  const auto factor = thrust::make_permutation_iterator(vector.begin(), column.begin());
  const auto products = thrust::make_transform_iterator(thrust::make_zip_iterator(entry.begin(), factor), product{});
  const auto n = static_cast<std::ptrdiff_t>(entries.size());
  const double gimbal_ms = milliseconds([&] {
    v::reduce(
      par, products, products + n, gimbal::segment_offsets(row_offsets.begin(), row_offsets.end()), y.begin(),
      v::plus<double>());
  });
  const double stock_ms = milliseconds([&] {
    const thrust::counting_iterator<int> places(0);
    thrust::upper_bound(
      thrust::device, row_offsets.begin(), row_offsets.end(), places, places + static_cast<int>(n), row.begin());
    const auto rows = thrust::make_transform_iterator(row.begin(), row_of{});
    const auto ends = thrust::reduce_by_key(thrust::device, rows, rows + n, products, distinct.begin(), sums.begin());
    thrust::fill(thrust::device, stock.begin(), stock.end(), 0.0);  // rows without entries
    thrust::scatter(thrust::device, sums.begin(), ends.second, distinct.begin(), stock.begin());
  });
  return report(
    "sparse matrix-vector", entries.size(), "upper_bound, reduce_by_key, scatter", stock_ms, gimbal_ms,
    on_host(stock) == wanted, on_host(y) == wanted);
}
