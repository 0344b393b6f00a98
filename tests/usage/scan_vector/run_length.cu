// Run-length encoding and decoding: the heads of runs are packed with their positions; lengths are allocated and
// expanded.
#include <thrust/binary_search.h>
#include <thrust/gather.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include "program.h"

using text = thrust::device_vector<unsigned char>;
using counts = thrust::device_vector<index_type>;

struct differs {
  HOST_DEVICE unsigned char operator()(int x, int before) const { return x != before; }
};
struct distance {
  HOST_DEVICE index_type operator()(index_type from, index_type to) const { return to - from; }
};
struct one_less {
  HOST_DEVICE index_type operator()(index_type i) const { return i - 1; }
};
/// The value of a run, whatever the place in it.
struct value_of_run {
  const unsigned char* values;
  HOST_DEVICE unsigned char operator()(index_type run, index_type) const { return values[run]; }
};

void encode(const text& x, text& heads, text& values, counts& starts, counts& lengths)
{
  const auto n = static_cast<index_type>(x.size());
  v::map(par, x.begin() + 1, x.end(), x.begin(), heads.begin() + 1, differs{});
  const thrust::counting_iterator<index_type> places(0);
  const auto runs = v::pack(par, places, places + n, heads.begin(), starts.begin()) - starts.begin();
  v::pack(par, x.begin(), x.end(), heads.begin(), values.begin());
  // Each run is as long as it is to the next start; behind the last one is the end.
  starts[static_cast<std::size_t>(runs)] = n;
  lengths.resize(static_cast<std::size_t>(runs));
  v::map(par, starts.begin(), starts.begin() + runs, starts.begin() + 1, lengths.begin(), distance{});
}

void decode(const text& values, const counts& lengths, counts& offsets, text& x)
{
  offsets.resize(lengths.size());
  x.resize(static_cast<std::size_t>(v::allocate(par, lengths.begin(), lengths.end(), v::with_total(offsets.begin()))));
  v::expand(
    par, gimbal::segment_offsets(offsets.begin(), offsets.end()), x.begin(), x.end(),
    value_of_run{thrust::raw_pointer_cast(values.data())});
}

int main(int argc, char** argv)
{
  const options o = read_options(argc, argv, std::size_t{1} << 26, 20000);
  std::vector<unsigned char> wanted;
  std::mt19937 random(4);
  while (wanted.size() < o.items) {
    wanted.insert(wanted.end(), 1 + random() % 30, static_cast<unsigned char>(random()));
  }
  const text x(wanted.begin(), wanted.end());
  const std::size_t n = x.size();
  text heads(n, 1), values(n), decoded, stock_values(n), stock_decoded(n);
  counts starts(n + 1), lengths, offsets, stock_lengths(n), owner(n);
  const double gimbal_ms = milliseconds([&] {
    encode(x, heads, values, starts, lengths);
    decode(values, lengths, offsets, decoded);
  });
  std::size_t runs = 0;
  const double stock_ms = milliseconds([&] {
    const auto ends = thrust::reduce_by_key(
      thrust::device, x.begin(), x.end(), thrust::constant_iterator<index_type>(1), stock_values.begin(),
      stock_lengths.begin());
    runs = static_cast<std::size_t>(ends.first - stock_values.begin());
    counts stock_offsets(runs);
    thrust::exclusive_scan(
      thrust::device, stock_lengths.begin(), stock_lengths.begin() + static_cast<std::ptrdiff_t>(runs),
      stock_offsets.begin());
    const thrust::counting_iterator<index_type> places(0);
    thrust::upper_bound(
      thrust::device, stock_offsets.begin(), stock_offsets.end(), places, places + static_cast<index_type>(n),
      owner.begin());
    const auto run = thrust::make_transform_iterator(owner.begin(), one_less{});
    thrust::gather(
      thrust::device, run, run + static_cast<std::ptrdiff_t>(n), stock_values.begin(), stock_decoded.begin());
  });
  std::vector<index_type> serial;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || wanted[i] != wanted[i - 1]) {
      serial.push_back(0);
    }
    ++serial.back();
  }
  const bool stock_is_right = on_host(stock_decoded) == wanted && runs == serial.size();
  const bool is_right = on_host(decoded) == wanted && on_host(lengths) == serial;
  return report(
    "run-length encode, decode", n, "reduce_by_key, scan, upper_bound, gather", stock_ms, gimbal_ms, stock_is_right,
    is_right);
}
