// Quicksort of all segments at once (Blelloch, page 46): in each round the first item of every segment is its pivot,
// the segment is split into what is less, equal and greater, and each part becomes a segment. It is compared with
// thrust::sort, which is the better sort: a quicksort takes some 2 log n rounds over all items.
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sort.h>

#include "program.h"

using keys_type = thrust::device_vector<int>;
using flags_type = thrust::device_vector<unsigned char>;

/// 0: less than the pivot, 1: equal, 2: greater.
struct part_of {
  HOST_DEVICE unsigned char operator()(int x, int pivot) const
  {
    return static_cast<unsigned char>((x >= pivot) + (x > pivot));
  }
};
struct bit_of_part {
  int bit;
  HOST_DEVICE unsigned char operator()(unsigned char part) const { return (part & bit) != 0; }
};
struct begins {
  HOST_DEVICE unsigned char operator()(unsigned char head, unsigned char part, unsigned char part_before) const
  {
    return head != 0 || part != part_before;
  }
};
struct is_behind_greater {
  HOST_DEVICE bool operator()(int x, int before) const { return x < before; }
};

void quicksort(keys_type& x)
{
  const auto n = x.size();
  keys_type other(n), before(n);
  flags_type heads(n, 0), part(n), other_part(n), bit(n), part_before(n);
  thrust::device_vector<bool> descends(n);
  while (true) {
    v::shift(par, x.begin(), x.end(), before.begin(), 1, std::numeric_limits<int>::min());
    v::map(par, x.begin(), x.end(), before.begin(), descends.begin(), is_behind_greater{});
    if (!v::reduce(par, descends.begin(), descends.end(), v::logical_or())) {
      return;
    }
    v::copy(par, x.begin(), x.end(), heads.begin(), other.begin());
    v::map(par, x.begin(), x.end(), other.begin(), part.begin(), part_of{});
    // By two bits of three parts, from the lower one on, each with the parts that the items bring along.
    for (const int mask : {1, 2}) {
      v::map(par, part.begin(), part.end(), bit.begin(), bit_of_part{mask});
      const auto items = thrust::make_zip_iterator(x.begin(), part.begin());
      const auto split = thrust::make_zip_iterator(other.begin(), other_part.begin());
      v::split(par, items, items + static_cast<std::ptrdiff_t>(n), bit.begin(), heads.begin(), split);
      x.swap(other);
      part.swap(other_part);
    }
    v::shift(par, part.begin(), part.end(), part_before.begin(), 1, static_cast<unsigned char>(0));
    v::map(par, heads.begin(), heads.end(), part.begin(), part_before.begin(), heads.begin(), begins{});
  }
}

int main(int argc, char** argv)
{
  const options o = read_options(argc, argv, std::size_t{1} << 22, 1000);
  std::vector<int> wanted(o.items);
  std::mt19937 random(2);
  std::generate(wanted.begin(), wanted.end(), [&] { return static_cast<int>(random() % (2 * o.items)); });
  const keys_type keys(wanted.begin(), wanted.end());
  keys_type sorted, stock;
  const double gimbal_ms = milliseconds([&] {
    sorted = keys;
    quicksort(sorted);
  });
  const double stock_ms = milliseconds([&] {
    stock = keys;
    thrust::sort(thrust::device, stock.begin(), stock.end());
  });
  std::sort(wanted.begin(), wanted.end());
  return report("quicksort", o.items, "sort", stock_ms, gimbal_ms, on_host(stock) == wanted, on_host(sorted) == wanted);
}
