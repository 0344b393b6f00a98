// Selection by a predicate of the items.
#include <gimbal/cub/select.h>
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/remove.h>

#include <cub/device/device_select.cuh>

#include "inputs.h"

namespace perf {

namespace {

template <class T>
void compare_copy_if(comparison& c)
{
  const int n = c.n();
  const T* const in = make_items<T>(c);
  const selects<T> predicate(c.distribution());
  const twin<T> out = c.output<T>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::If(storage, bytes, in, out.stock, count.stock, n, predicate);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::If(storage, bytes, in, out.gimbal, count.gimbal, n, predicate);
    });

  const twin<std::ptrdiff_t> selected = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (n + *selected.stock) * sizeof(T); });
  c.wall(
    [=] { *selected.stock = thrust::copy_if(thrust::device, in, in + n, out.stock, predicate) - out.stock; },
    [=] { *selected.gimbal = thrust::copy_if(gimbal::par, in, in + n, out.gimbal, predicate) - out.gimbal; });
}

/// In place. The name says what share is kept.
void compare_remove_if(comparison& c)
{
  using item = std::int32_t;
  const int n = c.n();
  const item* const in = make_items<item>(c);
  const selects<item> keep(c.distribution());
  const auto drop = [keep] __host__ __device__(item x) { return !keep(x); };
  const twin<item> data{c.array<item>(n), c.array<item>(n)};
  const twin<std::ptrdiff_t> left = c.returned<std::ptrdiff_t>();
  c.in_place(data, in, n, [=] { return static_cast<std::size_t>(*left.stock); });
  c.moves([=] { return (n + *left.stock) * sizeof(item); });
  c.wall(
    [=] { *left.stock = thrust::remove_if(thrust::device, data.stock, data.stock + n, drop) - data.stock; },
    [=] { *left.gimbal = thrust::remove_if(gimbal::par, data.gimbal, data.gimbal + n, drop) - data.gimbal; });
}

const implementation here[] = {
  {"copy_if", "i8", compare_copy_if<std::int8_t>},
  {"copy_if", "i32", compare_copy_if<std::int32_t>},
  {"copy_if", "i64", compare_copy_if<std::int64_t>},
  {"copy_if", "u64x4", compare_copy_if<u64x4>},
  {"copy_if", "u64x5", compare_copy_if<u64x5>},
  {"remove_if", "i32", compare_remove_if},
};

}  // namespace

}  // namespace perf
