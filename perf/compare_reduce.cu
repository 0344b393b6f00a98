#include <gimbal/cub/reduce.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>

#include "measure.h"

namespace perf {

void compare_reduce(session& run)
{
  const buffer<std::int32_t> in(run.largest_size());
  const buffer<std::int32_t> stock_out(1), gimbal_out(1);
  fill_small(in.get(), run.largest_size(), 1);

  for (const int log2 : run.sizes()) {
    const int n = 1 << log2;
    const std::int32_t* const first = in.get();

    duel device;
    device.stock.reset = [=] { poison(stock_out.get(), stock_poison, sizeof(std::int32_t)); };
    device.stock.run = with_storage([=](void* storage, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(storage, bytes, first, stock_out.get(), n);
    });
    device.gimbal.reset = [=] { poison(gimbal_out.get(), gimbal_poison, sizeof(std::int32_t)); };
    device.gimbal.run = with_storage([=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceReduce::Sum(storage, bytes, first, gimbal_out.get(), n);
    });
    device.agree = [=] { return download_one(stock_out.get()) == download_one(gimbal_out.get()); };

    const auto sums = host_array<std::int32_t>(2);  // stock's, gimbal's
    duel wall;
    wall.stock.reset = [=] { sums[0] = -1; };
    wall.stock.run = [=] { sums[0] = thrust::reduce(thrust::device, first, first + n); };
    wall.gimbal.reset = [=] { sums[1] = -2; };
    wall.gimbal.run = [=] { sums[1] = thrust::reduce(gimbal::par, first, first + n); };
    wall.agree = [=] { return sums[0] == sums[1]; };

    run.compare("reduce", "i32", log2, device, wall);
  }
}

}  // namespace perf
