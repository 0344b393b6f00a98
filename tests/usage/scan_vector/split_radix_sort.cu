// Split-radix sort: a stable split by each bit of the keys, from the lowest on (thesis, 6.2).
#include <thrust/partition.h>

#include "program.h"

using keys_type = thrust::device_vector<std::uint32_t>;

void split_radix_sort(keys_type& keys, keys_type& other, thrust::device_vector<index_type>& zeros)
{
  for (unsigned bit = 0; bit < 32; ++bit) {
    // Nobody asks how many zeros there are, so nobody waits.
    v::split_if(
      gimbal::par_nosync, keys.begin(), keys.end(), v::with_total(other.begin(), zeros.begin()), v::bit_is_set{bit});
    keys.swap(other);
  }
}

struct bit_is_clear {
  unsigned bit;
  HOST_DEVICE bool operator()(std::uint32_t x) const { return (x >> bit & 1) == 0; }
};

void stock_sort(keys_type& keys)
{
  for (unsigned bit = 0; bit < 32; ++bit) {
    thrust::stable_partition(thrust::device, keys.begin(), keys.end(), bit_is_clear{bit});
  }
}

int main(int argc, char** argv)
{
  const options o = read_options(argc, argv, std::size_t{1} << 24, 3000);
  std::vector<std::uint32_t> wanted(o.items);
  std::mt19937 random(1);
  std::generate(wanted.begin(), wanted.end(), [&] { return static_cast<std::uint32_t>(random()); });
  const keys_type keys(wanted.begin(), wanted.end());
  keys_type sorted, other(o.items), stock;
  thrust::device_vector<index_type> zeros(1);
  const double gimbal_ms = milliseconds([&] {
    sorted = keys;
    split_radix_sort(sorted, other, zeros);
  });
  const double stock_ms = milliseconds([&] {
    stock = keys;
    stock_sort(stock);
  });
  std::sort(wanted.begin(), wanted.end());
  return report(
    "split-radix sort", o.items, "stable_partition by each bit", stock_ms, gimbal_ms, on_host(stock) == wanted,
    on_host(sorted) == wanted);
}
