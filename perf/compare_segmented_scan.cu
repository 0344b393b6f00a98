// Segmented scan by head flags. Stock has no such call: what it is measured against is the by-key scan that a user of
// stock would write, whose keys take four bytes an item where the flags take one.
#include <gimbal/gimbal.h>
#include <gimbal/segmented_scan.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include <cub/device/device_scan.cuh>
#include <gimbal/kernel/segmented_scan.cuh>

#include "measure.h"

namespace perf {

void compare_segmented_scan(session& run)
{
  const std::size_t largest = run.largest_size();
  const buffer<std::int32_t> keys(largest), in(largest), stock_out(largest), gimbal_out(largest);
  const buffer<std::uint8_t> flags(largest);
  fill_runs(keys.get(), flags.get(), largest, 512, 4);
  fill_small(in.get(), largest, 4);

  for (const int log2 : run.sizes()) {
    const int n = 1 << log2;
    const std::size_t bytes_out = n * sizeof(std::int32_t);
    const std::int32_t* const key = keys.get();
    const std::uint8_t* const flag = flags.get();
    const std::int32_t* const first = in.get();

    duel device;
    device.stock.reset = [=] { poison(stock_out.get(), stock_poison, bytes_out); };
    device.stock.run = with_storage([=](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSumByKey(storage, bytes, key, first, stock_out.get(), n);
    });
    device.gimbal.reset = [=] { poison(gimbal_out.get(), gimbal_poison, bytes_out); };
    device.gimbal.run = with_storage([=](void* storage, std::size_t& bytes) {
      return gimbal::kernel::segmented_scan(
               storage, bytes, gimbal::kernel::exclusive_scan_tag{},
               gimbal::heads_from_flags<const std::uint8_t*>{flag}, first, gimbal_out.get(), n, ::cuda::std::plus<>{},
               std::int32_t{0}, gimbal::no_totals{}, nullptr)
        .code;
    });
    device.agree = [=] { return same_words(stock_out.get(), gimbal_out.get(), n); };

    duel wall = device;
    wall.stock.run = [=] { thrust::exclusive_scan_by_key(thrust::device, key, key + n, first, stock_out.get()); };
    wall.gimbal.run = [=] { gimbal::exclusive_segmented_scan(gimbal::par, first, first + n, flag, gimbal_out.get()); };

    run.compare("segmented_scan by flags", "i32", log2, device, wall);
  }
}

}  // namespace perf
