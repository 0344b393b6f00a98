// Measures partition and stable partition in place; CUB has none of the latter.
#include <gimbal/cub/partition.h>
#include <thrust/partition.h>

#include <cub/device/device_partition.cuh>

#include "sides.h"

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
  c.device<cub::DevicePartition, gimbal::DevicePartition>(
    [=](auto calls, side of, auto&&... storage) { return calls.If(storage..., in, of(out), of(count), n, predicate); });

  const twin<std::ptrdiff_t> selected = c.returned<std::ptrdiff_t>(), rejected = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) {
    T* const to = of(out);
    const auto ends = thrust::stable_partition_copy(policy, in, in + n, to, to + n, predicate);
    *of(selected) = ends.first - to;
    *of(rejected) = ends.second - to - n;
  });
}

template <class T>
void compare_stable_partition(comparison& c)
{
  const int n = c.n();
  const selects<T> predicate(c.distribution());
  c.moves([=] { return 2 * sizeof(T) * n; });
  counted_by_both(c, c.changed_in_place(make_items<T>(c), n), [=](auto policy, T* data) {
    return thrust::stable_partition(policy, data, data + n, predicate);
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
