#include <gimbal/cub/radix_sort.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "measure.h"

namespace perf {

namespace {

template <class Key>
void compare_keys(session& run, const std::string& items)
{
  const std::size_t largest = run.largest_size();
  const buffer<Key> in(largest), stock_out(largest), gimbal_out(largest);
  fill_random(reinterpret_cast<std::uint32_t*>(in.get()), largest, 10);

  for (const int log2 : run.sizes()) {
    const int n = 1 << log2;
    const std::size_t bytes_out = n * sizeof(Key);
    const Key* const first = in.get();
    std::vector<Key> expected;  // up to 2^20, by the host
    if (log2 <= 20) {
      expected = download(first, n);
      std::sort(expected.begin(), expected.end());
    }

    duel device;
    device.stock.reset = [=] { poison(stock_out.get(), stock_poison, bytes_out); };
    device.stock.run = with_storage([=](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, first, stock_out.get(), n);
    });
    device.gimbal.reset = [=] { poison(gimbal_out.get(), gimbal_poison, bytes_out); };
    device.gimbal.run = with_storage([=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceRadixSort::SortKeys(storage, bytes, first, gimbal_out.get(), n);
    });
    device.agree = [=] {
      return same_words(stock_out.get(), gimbal_out.get(), n)
             && (expected.empty() || download(gimbal_out.get(), n) == expected);
    };

    duel wall = device;
    wall.stock.reset = [=] { copy(stock_out.get(), first, bytes_out); };
    wall.stock.run = [=] { thrust::sort(thrust::device, stock_out.get(), stock_out.get() + n); };
    wall.gimbal.reset = [=] { copy(gimbal_out.get(), first, bytes_out); };
    wall.gimbal.run = [=] { thrust::sort(gimbal::par, gimbal_out.get(), gimbal_out.get() + n); };

    run.compare("sort (radix)", items, log2, device, wall);
  }
}

}  // namespace

void compare_radix_sort(session& run)
{
  compare_keys<std::int32_t>(run, "i32");
  compare_keys<std::uint32_t>(run, "u32");
}

}  // namespace perf
