#include <gimbal/cub/radix_sort.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <numeric>

#include "measure.h"

namespace perf {

void compare_radix_sort_pairs(session& run)
{
  using item = std::uint32_t;
  const std::size_t largest = run.largest_size();
  const buffer<item> keys(largest), values(largest);
  const buffer<item> stock_keys(largest), stock_values(largest), gimbal_keys(largest), gimbal_values(largest);
  fill_random(keys.get(), largest, 11);
  fill_random(values.get(), largest, 12);

  for (const int log2 : run.sizes()) {
    const int n = 1 << log2;
    const std::size_t bytes_out = n * sizeof(item);
    std::vector<item> expected_keys, expected_values;  // up to 2^20, by the host
    if (log2 <= 20) {
      const std::vector<item> key = download(keys.get(), n), value = download(values.get(), n);
      std::vector<item> order(n);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](item a, item b) { return key[a] < key[b]; });
      for (const item i : order) {
        expected_keys.push_back(key[i]);
        expected_values.push_back(value[i]);
      }
    }

    duel device;
    device.stock.reset = [=] {
      poison(stock_keys.get(), stock_poison, bytes_out);
      poison(stock_values.get(), stock_poison, bytes_out);
    };
    device.stock.run = with_storage([=](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(
        storage, bytes, keys.get(), stock_keys.get(), values.get(), stock_values.get(), n);
    });
    device.gimbal.reset = [=] {
      poison(gimbal_keys.get(), gimbal_poison, bytes_out);
      poison(gimbal_values.get(), gimbal_poison, bytes_out);
    };
    device.gimbal.run = with_storage([=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceRadixSort::SortPairs(
        storage, bytes, keys.get(), gimbal_keys.get(), values.get(), gimbal_values.get(), n);
    });
    device.agree = [=] {
      return same_words(stock_keys.get(), gimbal_keys.get(), n)
             && same_words(stock_values.get(), gimbal_values.get(), n)
             && (expected_keys.empty() || (download(gimbal_keys.get(), n) == expected_keys && download(gimbal_values.get(), n) == expected_values));
    };

    duel wall = device;
    wall.stock.reset = [=] {
      copy(stock_keys.get(), keys.get(), bytes_out);
      copy(stock_values.get(), values.get(), bytes_out);
    };
    wall.stock.run = [=] {
      thrust::sort_by_key(thrust::device, stock_keys.get(), stock_keys.get() + n, stock_values.get());
    };
    wall.gimbal.reset = [=] {
      copy(gimbal_keys.get(), keys.get(), bytes_out);
      copy(gimbal_values.get(), values.get(), bytes_out);
    };
    wall.gimbal.run = [=] {
      thrust::sort_by_key(gimbal::par, gimbal_keys.get(), gimbal_keys.get() + n, gimbal_values.get());
    };

    run.compare("sort_by_key (radix)", "u32,u32", log2, device, wall);
  }
}

}  // namespace perf
