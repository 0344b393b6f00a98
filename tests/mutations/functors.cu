// Finds functors that were called on what is no item, and operators of reductions on what is not adjacent:
// self_checking_items.h.
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>

#include "check.h"
#include "self_checking_items.h"

using namespace operands;

template <class T>
bool check(std::size_t size)
{
  constexpr std::size_t beside = 64;
  std::vector<unsigned char> memory((size + 2 * beside) * sizeof(T), 0xcd);
  T* const first = reinterpret_cast<T*>(memory.data()) + beside;
  T* const last = first + size;
  for (std::size_t i = 0; i < size; ++i) {
    first[i] = make_item<T>(noise(i / 3) % most_v<T> + 1);
  }
  unsigned found = 0;
  const strays log{&found};
  std::vector<T> out(size);
  const auto is_right = [&](const char* name) {
    if (found != 0) {
      std::printf("%s: a functor was called on what is no item\n", name);
    }
    return found == 0;
  };
  thrust::reduce(gimbal::par, first, last, make_item<T>(2), add{log});
  thrust::find_if(gimbal::par, first, last, is_none{log});
  thrust::min_element(gimbal::par, first, last, less{log});
  if (!is_right("reductions")) {
    return false;
  }
  const thrust::counting_iterator<std::uint32_t> count(0);
  std::vector<range<std::uint32_t>> ranges(size);
  std::transform(count, count + size, ranges.begin(), range_of_item<range<std::uint32_t>>{});
  thrust::reduce(gimbal::par, ranges.data(), ranges.data() + size, range<std::uint32_t>{}, join_ranges{log});
  if (!is_right("neighbours")) {
    return false;
  }
  thrust::inclusive_scan(gimbal::par, first, last, out.begin(), add{log});
  thrust::exclusive_scan_by_key(gimbal::par, first, last, first, out.begin(), make_item<T>(2), equal{log}, add{log});
  if (!is_right("scans")) {
    return false;
  }
  thrust::copy_if(gimbal::par, first, last, out.begin(), is_odd{log});
  thrust::unique_copy(gimbal::par, first, last, out.begin(), equal{log});
  if (!is_right("selections")) {
    return false;
  }
  thrust::sort(gimbal::par, first, last, less{log});
  return is_right("sorts");
}

int main()
{
  return run_schedules({1, 7, 33, 1000, 4097, 20011}, check<std::uint32_t>, 1)
         || run_schedules({65541}, check<std::uint64_t>, 1);
}
