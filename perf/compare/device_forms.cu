// Measures device-wide calls that have no form in Thrust, by the device's clock, beside CUB's.
#include <gimbal/device.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>

#include "sides.h"

namespace perf {

namespace {

/// The least or the greatest item, and where it stands.
template <class T, bool Greatest>
void compare_arg(comparison& c)
{
  const int n = c.n();
  const T* const in = make_items<T>(c);
  const twin<T> extreme = c.output<T>(1);
  const twin<std::int64_t> place = c.output<std::int64_t>(1);
  c.moves([=] { return n * sizeof(T); }, "read");
  c.device<cub::DeviceReduce, gimbal::DeviceReduce>([=](auto calls, side of, auto&&... storage) {
    if constexpr (Greatest) {
      return calls.ArgMax(storage..., in, of(extreme), of(place), n);
    } else {
      return calls.ArgMin(storage..., in, of(extreme), of(place), n);
    }
  });
}

struct squared {
  __host__ __device__ std::int64_t operator()(std::int32_t x) const { return std::int64_t{x} * x; }
};

/// Sums of squares.
void compare_transform_reduce(comparison& c)
{
  const int n = c.n();
  const std::int32_t* const in = make_values<std::int32_t>(c);
  const twin<std::int64_t> sum = c.output<std::int64_t>(1);
  c.moves([=] { return n * sizeof(std::int32_t); }, "read");
  c.device<cub::DeviceReduce, gimbal::DeviceReduce>([=](auto calls, side of, auto&&... storage) {
    return calls.TransformReduce(storage..., in, of(sum), n, ::cuda::std::plus<>{}, squared{}, std::int64_t{0});
  });
}

void compare_encode(comparison& c)
{
  const int n = c.n();
  const std::int32_t* const in = make_runs(c).keys;
  const twin<std::int32_t> items = c.output<std::int32_t>(n), lengths = c.output<std::int32_t>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device<cub::DeviceRunLengthEncode, gimbal::DeviceRunLengthEncode>([=](auto calls, side of, auto&&... storage) {
    return calls.Encode(storage..., in, of(items), of(lengths), of(count), n);
  });
  c.moves([=] { return (n + 2 * std::size_t(download(count.stock))) * sizeof(std::int32_t); });
}

/// Two keys in a struct.
struct record {
  std::uint16_t group;
  std::uint16_t rest;  // no padding: results are compared byte for byte
  std::uint32_t number;
};
struct keys_of_record {
  __host__ __device__ ::cuda::std::tuple<std::uint16_t&, std::uint32_t&> operator()(record& r) const
  {
    return {r.group, r.number};
  }
};
struct random_record {
  __host__ __device__ record operator()(std::size_t i) const
  {
    const auto word = static_cast<std::uint32_t>(mixed(i));
    return {static_cast<std::uint16_t>(word), 0, word * 2654435761u};
  }
};

void compare_decomposed(comparison& c)
{
  const int n = c.n();
  const record* const in = c.filled<record>(n, random_record{});
  const twin<record> out = c.output<record>(n);
  c.moves([=] { return 2 * sizeof(record) * n; });
  c.device<cub::DeviceRadixSort, gimbal::DeviceRadixSort>([=](auto calls, side of, auto&&... storage) {
    return calls.SortKeys(storage..., in, of(out), n, keys_of_record{});
  });
}

const implementation here[] = {
  {"arg_min", "i32", compare_arg<std::int32_t, false>},     {"arg_max", "u64", compare_arg<std::uint64_t, true>},
  {"transform_reduce", "i32", compare_transform_reduce},    {"run_length_encode", "i32", compare_encode},
  {"radix_sort_decomposed", "u16+u32", compare_decomposed},
};

}  // namespace

}  // namespace perf
