#include <gimbal/cub/select.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/unique.h>

#include <cub/device/device_select.cuh>

#include "measure.h"

namespace perf {

void compare_unique(session& run)
{
  const std::size_t largest = run.largest_size();
  const buffer<std::int32_t> in(largest), stock_out(largest), gimbal_out(largest);
  const buffer<std::int32_t> stock_count(1), gimbal_count(1);
  fill_runs(in.get(), nullptr, largest, 3, 8);

  for (const int log2 : run.sizes()) {
    const int n = 1 << log2;
    const std::size_t bytes_out = n * sizeof(std::int32_t);
    const std::int32_t* const first = in.get();
    const auto agree = [=](std::ptrdiff_t stock_selected, std::ptrdiff_t gimbal_selected) {
      return stock_selected == gimbal_selected && same_words(stock_out.get(), gimbal_out.get(), stock_selected)
             && is_poison(gimbal_out.get() + stock_selected, gimbal_poison, n - stock_selected);
    };

    duel device;
    device.stock.reset = [=] {
      poison(stock_out.get(), stock_poison, bytes_out);
      poison(stock_count.get(), stock_poison, sizeof(std::int32_t));
    };
    device.stock.run = with_storage([=](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::Unique(storage, bytes, first, stock_out.get(), stock_count.get(), n);
    });
    device.gimbal.reset = [=] {
      poison(gimbal_out.get(), gimbal_poison, bytes_out);
      poison(gimbal_count.get(), gimbal_poison, sizeof(std::int32_t));
    };
    device.gimbal.run = with_storage([=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::Unique(storage, bytes, first, gimbal_out.get(), gimbal_count.get(), n);
    });
    device.agree = [=] { return agree(download_one(stock_count.get()), download_one(gimbal_count.get())); };

    const auto counts = host_array<std::ptrdiff_t>(2);
    duel wall = device;
    wall.stock.run = [=] {
      counts[0] = thrust::unique_copy(thrust::device, first, first + n, stock_out.get()) - stock_out.get();
    };
    wall.gimbal.run = [=] {
      counts[1] = thrust::unique_copy(gimbal::par, first, first + n, gimbal_out.get()) - gimbal_out.get();
    };
    wall.agree = [=] { return agree(counts[0], counts[1]); };

    run.compare("unique_copy", "i32", log2, device, wall);
  }
}

}  // namespace perf
