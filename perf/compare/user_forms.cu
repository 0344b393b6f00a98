// What Thrust's users pass where the other comparisons have arrays of one type: sums of a wider type than the items', items
// of several numbers made of one, counts of equal keys, and tuples from several arrays. (iterators.cu has more.)
#include <gimbal/cub/reduce.h>
#include <gimbal/cub/scan.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <gimbal/kernel/reduce_by_key.cuh>

#include "inputs.h"

namespace perf {

namespace {

template <class Item, class Sum>
void compare_widened(comparison& c)
{
  const int n = c.n();
  const Item* const in = make_values<Item>(c);
  const twin<Sum> out = c.output<Sum>(n);
  c.moves([=] { return n * (sizeof(Item) + sizeof(Sum)); });
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveScan(storage, bytes, in, out.stock, ::cuda::std::plus<>{}, Sum{}, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::ExclusiveScan(storage, bytes, in, out.gimbal, ::cuda::std::plus<>{}, Sum{}, n);
    });
  c.wall(
    [=] { thrust::exclusive_scan(thrust::device, in, in + n, out.stock, Sum{}); },
    [=] { thrust::exclusive_scan(gimbal::par, in, in + n, out.gimbal, Sum{}); });
}

/// Of integers, so that both sums are the same.
struct moments {
  std::uint32_t count;
  std::uint32_t sum;
  std::uint32_t squares;
};
struct to_moments {
  __host__ __device__ moments operator()(std::uint32_t x) const { return {1, x, x * x}; }
};
struct add_moments {
  __host__ __device__ moments operator()(const moments& a, const moments& b) const
  {
    return {a.count + b.count, a.sum + b.sum, a.squares + b.squares};
  }
};
void compare_moments(comparison& c)
{
  const int n = c.n();
  const auto* const in = reinterpret_cast<const std::uint32_t*>(make_values<std::int32_t>(c));
  const auto made = thrust::make_transform_iterator(in, to_moments{});
  c.moves([=] { return n * sizeof(*in); }, "read");
  const twin<moments> sum = c.output<moments>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceReduce::Reduce(storage, bytes, made, sum.stock, n, add_moments{}, moments{});
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceReduce::Reduce(storage, bytes, made, sum.gimbal, n, add_moments{}, moments{});
    });
  c.forget_outputs();
  const twin<moments> result = c.returned<moments>();
  c.wall(
    [=] { *result.stock = thrust::transform_reduce(thrust::device, in, in + n, to_moments{}, moments{}, add_moments{}); },
    [=] { *result.gimbal = thrust::transform_reduce(gimbal::par, in, in + n, to_moments{}, moments{}, add_moments{}); });
}

/// How many items each run of keys has.
void compare_counts(comparison& c)
{
  using key = std::int32_t;
  const int n = c.n();
  const key* const keys = make_runs(c).keys;
  const auto ones = thrust::make_constant_iterator(std::int32_t{1});
  const twin<key> keys_out = c.output<key>(n);
  const twin<std::int32_t> sums = c.output<std::int32_t>(n);
  const twin<std::int64_t> count = c.output<std::int64_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(
        storage, bytes, keys, keys_out.stock, ones, sums.stock, count.stock, ::cuda::std::plus<>{}, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::kernel::reduce_by_key(
               storage, bytes, keys, ones, keys_out.gimbal, sums.gimbal, count.gimbal, n, ::cuda::std::equal_to<>{},
               ::cuda::std::plus<>{}, nullptr)
        .code;
    });
  const twin<std::ptrdiff_t> runs = c.returned<std::ptrdiff_t>();
  c.moves([=] { return n * sizeof(key) + *runs.stock * 2 * sizeof(key); });
  const auto call = [=](auto policy, key* keys_to, std::int32_t* sums_to, std::ptrdiff_t* runs) {
    *runs = thrust::reduce_by_key(policy, keys, keys + n, ones, keys_to, sums_to).first - keys_to;
  };
  c.wall(
    [=] { call(thrust::device, keys_out.stock, sums.stock, runs.stock); },
    [=] { call(gimbal::par, keys_out.gimbal, sums.gimbal, runs.gimbal); });
}

/// Pairs (major, minor) from two arrays, of which the first has about a thousand different numbers.
struct few_different {
  __host__ __device__ std::int32_t operator()(std::int32_t x) const { return x & 1023; }
};
template <bool HasValues>
void compare_tuples(comparison& c)
{
  using part = std::int32_t;
  const int n = c.n();
  const part* const minor = make_values<part>(c);
  part* const major = c.array<part>(n);
  thrust::transform(thrust::device, minor, minor + n, major, few_different{});
  c.moves([=] { return 2 * (HasValues ? 3 : 2) * sizeof(part) * n; });
  const twin<part> first{c.array<part>(n), c.array<part>(n)};
  const twin<part> second{c.array<part>(n), c.array<part>(n)};
  c.in_place(first, static_cast<const part*>(major), n);
  c.in_place(second, minor, n);
  const auto keys = [](part* a, part* b) { return thrust::make_zip_iterator(a, b); };
  if constexpr (HasValues) {
    const twin<part> values{c.array<part>(n), c.array<part>(n)};
    c.in_place(values, minor, n);
    c.wall(
      [=] {
        const auto at = keys(first.stock, second.stock);
        thrust::sort_by_key(thrust::device, at, at + n, values.stock);
      },
      [=] {
        const auto at = keys(first.gimbal, second.gimbal);
        thrust::sort_by_key(gimbal::par, at, at + n, values.gimbal);
      });
  } else {
    c.wall(
      [=] {
        const auto at = keys(first.stock, second.stock);
        thrust::sort(thrust::device, at, at + n);
      },
      [=] {
        const auto at = keys(first.gimbal, second.gimbal);
        thrust::sort(gimbal::par, at, at + n);
      });
  }
}

const implementation here[] = {
  {"exclusive_scan_widened", "i32+i64", compare_widened<std::int32_t, std::int64_t>},
  {"reduce_moments", "u32", compare_moments},
  {"reduce_by_key_counts", "i32", compare_counts},
  {"sort_tuples", "i32x2", compare_tuples<false>},
  {"sort_tuples_by_key", "i32x2+i32", compare_tuples<true>},
};

}  // namespace

}  // namespace perf
