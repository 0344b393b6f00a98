#include <gimbal/cub/merge_sort.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cub/device/device_merge_sort.cuh>

#include "measure.h"

namespace perf {

namespace {

/// A comparator nobody can recognise. Items that differ in the low bits alone are equivalent, so that a sort which is
/// not stable gives other bytes.
struct by_high_bits {
  __host__ __device__ bool operator()(std::int32_t a, std::int32_t b) const { return (a >> 4) < (b >> 4); }
};

}  // namespace

void compare_merge_sort(session& run)
{
  constexpr int limit = 26;
  const std::size_t largest = run.largest_size(limit);
  const buffer<std::int32_t> in(largest), stock_out(largest), gimbal_out(largest);
  fill_random(reinterpret_cast<std::uint32_t*>(in.get()), largest, 13);

  for (const int log2 : run.sizes(limit)) {
    const int n = 1 << log2;
    const std::size_t bytes_out = n * sizeof(std::int32_t);
    const std::int32_t* const first = in.get();
    std::vector<std::int32_t> expected;  // up to 2^20, by the host
    if (log2 <= 20) {
      expected = download(first, n);
      std::stable_sort(expected.begin(), expected.end(), by_high_bits{});
    }

    duel device;
    device.stock.reset = [=] { poison(stock_out.get(), stock_poison, bytes_out); };
    device.stock.run = with_storage([=](void* storage, std::size_t& bytes) {
      return cub::DeviceMergeSort::SortKeysCopy(storage, bytes, first, stock_out.get(), n, by_high_bits{});
    });
    device.gimbal.reset = [=] { poison(gimbal_out.get(), gimbal_poison, bytes_out); };
    device.gimbal.run = with_storage([=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceMergeSort::SortKeysCopy(storage, bytes, first, gimbal_out.get(), n, by_high_bits{});
    });
    device.agree = [=] {
      return same_words(stock_out.get(), gimbal_out.get(), n)
             && (expected.empty() || download(gimbal_out.get(), n) == expected);
    };

    duel wall = device;
    wall.stock.reset = [=] { copy(stock_out.get(), first, bytes_out); };
    wall.stock.run = [=] { thrust::sort(thrust::device, stock_out.get(), stock_out.get() + n, by_high_bits{}); };
    wall.gimbal.reset = [=] { copy(gimbal_out.get(), first, bytes_out); };
    wall.gimbal.run = [=] { thrust::sort(gimbal::par, gimbal_out.get(), gimbal_out.get() + n, by_high_bits{}); };

    run.compare("sort (comparator)", "i32", log2, device, wall);
  }
}

}  // namespace perf
