// Partition and stable partition in place; CUB has none of the latter.
#include <gimbal/cub/partition.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/partition.h>

#include <cub/device/device_partition.cuh>

#include "inputs.h"

namespace perf {

namespace {

template <class T>
void compare_partition_copy(comparison& c)
{
  const int n = c.n();
  const T* const in = make_items<T>(c);
  const selects<T> predicate(c.distribution());
  c.moves([=] { return 2 * sizeof(T) * n; });

  // The Thrust form has two outputs, at 0 and at n.
  const twin<T> out = c.output<T>(2 * static_cast<std::size_t>(n));
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DevicePartition::If(storage, bytes, in, out.stock, count.stock, n, predicate);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DevicePartition::If(storage, bytes, in, out.gimbal, count.gimbal, n, predicate);
    });

  const twin<std::ptrdiff_t> selected = c.returned<std::ptrdiff_t>(), rejected = c.returned<std::ptrdiff_t>();
  const auto call = [=](auto policy, T* to, std::ptrdiff_t* selected, std::ptrdiff_t* rejected) {
    const auto ends = thrust::stable_partition_copy(policy, in, in + n, to, to + n, predicate);
    *selected = ends.first - to;
    *rejected = ends.second - to - n;
  };
  c.wall(
    [=] { call(thrust::device, out.stock, selected.stock, rejected.stock); },
    [=] { call(gimbal::par, out.gimbal, selected.gimbal, rejected.gimbal); });
}

template <class T>
void compare_stable_partition(comparison& c)
{
  const int n = c.n();
  const T* const in = make_items<T>(c);
  const selects<T> predicate(c.distribution());
  c.moves([=] { return 2 * sizeof(T) * n; });

  const twin<T> data{c.array<T>(n), c.array<T>(n)};
  c.in_place(data, in, n);
  const twin<std::ptrdiff_t> selected = c.returned<std::ptrdiff_t>();
  c.wall(
    [=] {
      *selected.stock = thrust::stable_partition(thrust::device, data.stock, data.stock + n, predicate) - data.stock;
    },
    [=] {
      *selected.gimbal = thrust::stable_partition(gimbal::par, data.gimbal, data.gimbal + n, predicate) - data.gimbal;
    });
}

const implementation here[] = {
  {"partition_copy", "i8", compare_partition_copy<std::int8_t>},
  {"partition_copy", "i32", compare_partition_copy<std::int32_t>},
  {"partition_copy", "i64", compare_partition_copy<std::int64_t>},
  {"stable_partition", "i8", compare_stable_partition<std::int8_t>},
  {"stable_partition", "i32", compare_stable_partition<std::int32_t>},
  {"stable_partition", "i64", compare_stable_partition<std::int64_t>},
};

}  // namespace

}  // namespace perf
