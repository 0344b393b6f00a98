#include <gimbal/cub/partition.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/partition.h>

#include <cub/device/device_partition.cuh>

#include "measure.h"

namespace perf {

namespace {

struct is_odd {
  __host__ __device__ bool operator()(std::int32_t x) const { return (x & 1) != 0; }
};

}  // namespace

void compare_partition(session& run)
{
  const std::size_t largest = run.largest_size();
  const buffer<std::int32_t> in(largest), stock_out(2 * largest), gimbal_out(2 * largest);
  const buffer<std::int32_t> stock_count(1), gimbal_count(1);
  fill_small(in.get(), largest, 5);

  for (const int log2 : run.sizes()) {
    const int n = 1 << log2;
    const std::size_t bytes_out = 2 * n * sizeof(std::int32_t);
    const std::int32_t* const first = in.get();

    duel device;
    device.stock.reset = [=] {
      poison(stock_out.get(), stock_poison, bytes_out);
      poison(stock_count.get(), stock_poison, sizeof(std::int32_t));
    };
    device.stock.run = with_storage([=](void* storage, std::size_t& bytes) {
      return cub::DevicePartition::If(storage, bytes, first, stock_out.get(), stock_count.get(), n, is_odd{});
    });
    device.gimbal.reset = [=] {
      poison(gimbal_out.get(), gimbal_poison, bytes_out);
      poison(gimbal_count.get(), gimbal_poison, sizeof(std::int32_t));
    };
    device.gimbal.run = with_storage([=](void* storage, std::size_t& bytes) {
      return gimbal::DevicePartition::If(storage, bytes, first, gimbal_out.get(), gimbal_count.get(), n, is_odd{});
    });
    device.agree = [=] {
      return download_one(stock_count.get()) == download_one(gimbal_count.get())
             && same_words(stock_out.get(), gimbal_out.get(), n) && is_poison(gimbal_out.get() + n, gimbal_poison, n);
    };

    // The Thrust form has two outputs, at 0 and at n.
    const auto counts = host_array<std::ptrdiff_t>(4);  // selected, rejected of stock, then of gimbal
    duel wall = device;
    wall.stock.run = [=] {
      std::int32_t* const out = stock_out.get();
      const auto ends = thrust::stable_partition_copy(thrust::device, first, first + n, out, out + n, is_odd{});
      counts[0] = ends.first - out;
      counts[1] = ends.second - out - n;
    };
    wall.gimbal.run = [=] {
      std::int32_t* const out = gimbal_out.get();
      const auto ends = thrust::stable_partition_copy(gimbal::par, first, first + n, out, out + n, is_odd{});
      counts[2] = ends.first - out;
      counts[3] = ends.second - out - n;
    };
    wall.agree = [=] {
      const std::int32_t* const a = stock_out.get();
      const std::int32_t* const b = gimbal_out.get();
      return counts[0] == counts[2] && counts[1] == counts[3] && counts[0] + counts[1] == n
             && same_words(a, b, counts[0]) && same_words(a + n, b + n, counts[1])
             && is_poison(b + counts[0], gimbal_poison, n - counts[0])
             && is_poison(b + n + counts[1], gimbal_poison, n - counts[1]);
    };

    run.compare("partition_copy", "i32", log2, device, wall);
  }
}

}  // namespace perf
