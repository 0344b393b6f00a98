#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>
#include <gimbal/kernel/reduce_by_key.cuh>

#include "inputs.h"

namespace perf {

namespace {

using item = std::int32_t;

void compare_reduce_by_key(comparison& c)
{
  const int n = c.n();
  const item* const keys = make_runs(c).keys;
  const item* const values = make_values<item>(c);
  const twin<item> keys_out = c.output<item>(n), sums = c.output<item>(n);
  const twin<std::int64_t> count = c.output<std::int64_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(
        storage, bytes, keys, keys_out.stock, values, sums.stock, count.stock, ::cuda::std::plus<>{}, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::kernel::reduce_by_key(
               storage, bytes, keys, values, keys_out.gimbal, sums.gimbal, count.gimbal, n, ::cuda::std::equal_to<>{},
               ::cuda::std::plus<>{}, nullptr)
        .code;
    });

  const twin<std::ptrdiff_t> left = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (n + *left.stock) * 2 * sizeof(item); });
  const auto call = [=](auto policy, item* keys_to, item* sums_to, std::ptrdiff_t* left) {
    *left = thrust::reduce_by_key(policy, keys, keys + n, values, keys_to, sums_to).first - keys_to;
  };
  c.wall(
    [=] { call(thrust::device, keys_out.stock, sums.stock, left.stock); },
    [=] { call(gimbal::par, keys_out.gimbal, sums.gimbal, left.gimbal); });
}

const implementation here("reduce_by_key", "i32+i32", compare_reduce_by_key);

}  // namespace

}  // namespace perf
