#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>
#include <gimbal/kernel/reduce_by_key.cuh>

#include "measure.h"

namespace perf {

void compare_reduce_by_key(session& run)
{
  const std::size_t largest = run.largest_size();
  const buffer<std::int32_t> keys(largest), values(largest);
  const buffer<std::int32_t> stock_keys(largest), stock_sums(largest), gimbal_keys(largest), gimbal_sums(largest);
  const buffer<std::int64_t> stock_count(1), gimbal_count(1);
  fill_runs(keys.get(), nullptr, largest, 512, 9);
  fill_small(values.get(), largest, 9);

  for (const int log2 : run.sizes()) {
    const int n = 1 << log2;
    const std::size_t bytes_out = n * sizeof(std::int32_t);
    const std::int32_t* const key = keys.get();
    const std::int32_t* const value = values.get();
    const auto agree = [=](std::ptrdiff_t stock_runs, std::ptrdiff_t gimbal_runs) {
      return stock_runs == gimbal_runs && same_words(stock_keys.get(), gimbal_keys.get(), stock_runs)
             && same_words(stock_sums.get(), gimbal_sums.get(), stock_runs)
             && is_poison(gimbal_keys.get() + stock_runs, gimbal_poison, n - stock_runs)
             && is_poison(gimbal_sums.get() + stock_runs, gimbal_poison, n - stock_runs);
    };

    duel device;
    device.stock.reset = [=] {
      poison(stock_keys.get(), stock_poison, bytes_out);
      poison(stock_sums.get(), stock_poison, bytes_out);
      poison(stock_count.get(), stock_poison, sizeof(std::int64_t));
    };
    device.stock.run = with_storage([=](void* storage, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(
        storage, bytes, key, stock_keys.get(), value, stock_sums.get(), stock_count.get(), ::cuda::std::plus<>{}, n);
    });
    device.gimbal.reset = [=] {
      poison(gimbal_keys.get(), gimbal_poison, bytes_out);
      poison(gimbal_sums.get(), gimbal_poison, bytes_out);
      poison(gimbal_count.get(), gimbal_poison, sizeof(std::int64_t));
    };
    device.gimbal.run = with_storage([=](void* storage, std::size_t& bytes) {
      return gimbal::kernel::reduce_by_key(
               storage, bytes, key, value, gimbal_keys.get(), gimbal_sums.get(), gimbal_count.get(), n,
               ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{}, nullptr)
        .code;
    });
    device.agree = [=] { return agree(download_one(stock_count.get()), download_one(gimbal_count.get())); };

    const auto counts = host_array<std::ptrdiff_t>(2);
    duel wall = device;
    wall.stock.run = [=] {
      const auto ends = thrust::reduce_by_key(thrust::device, key, key + n, value, stock_keys.get(), stock_sums.get());
      counts[0] = ends.first - stock_keys.get();
    };
    wall.gimbal.run = [=] {
      const auto ends = thrust::reduce_by_key(gimbal::par, key, key + n, value, gimbal_keys.get(), gimbal_sums.get());
      counts[1] = ends.first - gimbal_keys.get();
    };
    wall.agree = [=] { return agree(counts[0], counts[1]); };

    run.compare("reduce_by_key", "i32,i32", log2, device, wall);
  }
}

}  // namespace perf
