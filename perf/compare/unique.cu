// The first item of each run.
#include <gimbal/cub/select.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/unique.h>

#include <cub/device/device_select.cuh>

#include "inputs.h"

namespace perf {

namespace {

using item = std::int32_t;

void compare_unique(comparison& c)
{
  const int n = c.n();
  const item* const in = make_runs(c).keys;
  const twin<item> out = c.output<item>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::Unique(storage, bytes, in, out.stock, count.stock, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::Unique(storage, bytes, in, out.gimbal, count.gimbal, n);
    });

  const twin<std::ptrdiff_t> left = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (n + *left.stock) * sizeof(item); });
  c.wall(
    [=] { *left.stock = thrust::unique_copy(thrust::device, in, in + n, out.stock) - out.stock; },
    [=] { *left.gimbal = thrust::unique_copy(gimbal::par, in, in + n, out.gimbal) - out.gimbal; });
}

void compare_unique_by_key(comparison& c)
{
  const int n = c.n();
  const item* const keys = make_runs(c).keys;
  const item* const values = make_values<item>(c);
  const twin<item> keys_out = c.output<item>(n), values_out = c.output<item>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::UniqueByKey(
        storage, bytes, keys, values, keys_out.stock, values_out.stock, count.stock, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::UniqueByKey(
        storage, bytes, keys, values, keys_out.gimbal, values_out.gimbal, count.gimbal, n);
    });

  const twin<std::ptrdiff_t> left = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (n + *left.stock) * 2 * sizeof(item); });
  const auto call = [=](auto policy, item* keys_to, item* values_to, std::ptrdiff_t* left) {
    *left = thrust::unique_by_key_copy(policy, keys, keys + n, values, keys_to, values_to).first - keys_to;
  };
  c.wall(
    [=] { call(thrust::device, keys_out.stock, values_out.stock, left.stock); },
    [=] { call(gimbal::par, keys_out.gimbal, values_out.gimbal, left.gimbal); });
}

const implementation here[] = {
  {"unique_copy", "i32", compare_unique},
  {"unique_by_key_copy", "i32+i32", compare_unique_by_key},
};

}  // namespace

}  // namespace perf
