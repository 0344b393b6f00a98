#include <gimbal/cub/scan.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <cub/device/device_scan.cuh>

#include "measure.h"

namespace perf {

void compare_scan(session& run)
{
  const std::size_t largest = run.largest_size();
  const buffer<std::int32_t> in(largest), stock_out(largest), gimbal_out(largest);
  fill_small(in.get(), largest, 2);

  for (const int log2 : run.sizes()) {
    const int n = 1 << log2;
    const std::size_t bytes_out = n * sizeof(std::int32_t);
    const std::int32_t* const first = in.get();

    duel device;
    device.stock.reset = [=] { poison(stock_out.get(), stock_poison, bytes_out); };
    device.stock.run = with_storage([=](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(storage, bytes, first, stock_out.get(), n);
    });
    device.gimbal.reset = [=] { poison(gimbal_out.get(), gimbal_poison, bytes_out); };
    device.gimbal.run = with_storage([=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::ExclusiveSum(storage, bytes, first, gimbal_out.get(), n);
    });
    device.agree = [=] { return same_words(stock_out.get(), gimbal_out.get(), n); };

    duel wall = device;
    wall.stock.run = [=] { thrust::exclusive_scan(thrust::device, first, first + n, stock_out.get()); };
    wall.gimbal.run = [=] { thrust::exclusive_scan(gimbal::par, first, first + n, gimbal_out.get()); };

    run.compare("exclusive_scan", "i32", log2, device, wall);
  }
}

}  // namespace perf
