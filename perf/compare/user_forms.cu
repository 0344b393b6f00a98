// What Thrust's users pass where the other comparisons have arrays of one type: sums of a wider type than the items', items
// of several numbers made of others, counts of equal keys, and tuples from several arrays. (iterators.cu has more.)
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
#include <gimbal/algorithm/run_length/reduce_by_key.cuh>

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
    [=] {
      *result.stock = thrust::transform_reduce(thrust::device, in, in + n, to_moments{}, moments{}, add_moments{});
    },
    [=] {
      *result.gimbal = thrust::transform_reduce(gimbal::par, in, in + n, to_moments{}, moments{}, add_moments{});
    });
}

/// Points in three dimensions, and the box around some.
struct point {
  std::int32_t x[3];
};
struct box {
  point least, greatest;
};
struct to_point {
  __host__ __device__ point operator()(std::int32_t value) const { return {{value, value * 5 % 127, value * 7 % 127}}; }
};
struct to_box {
  __host__ __device__ box operator()(const point& at) const { return {at, at}; }
};
struct join_boxes {
  __host__ __device__ box operator()(const box& a, const box& b) const
  {
    box both = a;
    for (int d = 0; d < 3; ++d) {
      both.least.x[d] = b.least.x[d] < a.least.x[d] ? b.least.x[d] : a.least.x[d];
      both.greatest.x[d] = b.greatest.x[d] > a.greatest.x[d] ? b.greatest.x[d] : a.greatest.x[d];
    }
    return both;
  }
};
void compare_boxes(comparison& c)
{
  const int n = c.n();
  const std::int32_t* const values = make_values<std::int32_t>(c);
  point* const points = c.array<point>(n);
  thrust::transform(thrust::device, values, values + n, points, to_point{});
  c.moves([=] { return n * sizeof(point); }, "read");
  const box all{{{999, 999, 999}}, {{-999, -999, -999}}};
  const twin<box> result = c.returned<box>();
  const auto call = [=](auto policy) {
    return thrust::transform_reduce(policy, points, points + n, to_box{}, all, join_boxes{});
  };
  c.wall([=] { *result.stock = call(thrust::device); }, [=] { *result.gimbal = call(gimbal::par); });
}

/// How many items each run of keys has.
template <class Key>
struct cut_off {
  __host__ __device__ Key operator()(std::int32_t key) const { return static_cast<Key>(key); }
};
template <class Key, class Count>
void compare_counts(comparison& c)
{
  const int n = c.n();
  const std::int32_t* const runs_of = make_runs(c).keys;
  Key* const keys = c.array<Key>(n);
  thrust::transform(thrust::device, runs_of, runs_of + n, keys, cut_off<Key>{});
  const auto ones = thrust::make_constant_iterator(Count{1});
  const twin<Key> keys_out = c.output<Key>(n);
  const twin<Count> sums = c.output<Count>(n);
  const twin<std::int64_t> count = c.output<std::int64_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(
        storage, bytes, keys, keys_out.stock, ones, sums.stock, count.stock, ::cuda::std::plus<>{}, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::reduce_by_key(
               storage, bytes, static_cast<const Key*>(keys), ones, keys_out.gimbal, sums.gimbal, count.gimbal, n,
               ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{}, nullptr)
        .code;
    });
  const twin<std::ptrdiff_t> runs = c.returned<std::ptrdiff_t>();
  c.moves([=] { return n * sizeof(Key) + *runs.stock * (sizeof(Key) + sizeof(Count)); });
  const auto call = [=](auto policy, Key* keys_to, Count* sums_to, std::ptrdiff_t* runs) {
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

/// Values from three arrays.
void compare_zipped_values(comparison& c)
{
  using part = std::int32_t;
  const int n = c.n();
  const part* const keys_in = make_keys<part>(c);
  const part* const values_in = make_values<part>(c);
  c.moves([=] { return 2 * 4 * sizeof(part) * n; });
  const twin<part> keys{c.array<part>(n), c.array<part>(n)};
  c.in_place(keys, keys_in, n);
  twin<part> values[3];
  for (twin<part>& each : values) {
    each = {c.array<part>(n), c.array<part>(n)};
    c.in_place(each, values_in, n);
  }
  const auto stock = thrust::make_zip_iterator(values[0].stock, values[1].stock, values[2].stock);
  const auto gimbal = thrust::make_zip_iterator(values[0].gimbal, values[1].gimbal, values[2].gimbal);
  c.wall(
    [=] { thrust::stable_sort_by_key(thrust::device, keys.stock, keys.stock + n, stock); },
    [=] { thrust::stable_sort_by_key(gimbal::par, keys.gimbal, keys.gimbal + n, gimbal); });
}

const implementation here[] = {
  {"exclusive_scan_widened", "i32+i64", compare_widened<std::int32_t, std::int64_t>},
  {"reduce_moments", "u32", compare_moments},
  {"reduce_boxes", "i32x3", compare_boxes},
  {"reduce_by_key_counts", "i32", compare_counts<std::int32_t, std::int32_t>},
  {"reduce_by_key_counts", "u8", compare_counts<std::uint8_t, std::uint64_t>},
  {"sort_tuples", "i32x2", compare_tuples<false>},
  {"sort_tuples_by_key", "i32x2+i32", compare_tuples<true>},
  {"sort_by_key_zipped", "i32+i32x3", compare_zipped_values},
};

}  // namespace

}  // namespace perf
