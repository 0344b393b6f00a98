// Measures what Thrust's users pass where the other comparisons have arrays of one type: sums of a wider type than the
// items', items of several numbers made of others, counts of equal keys, and tuples from several arrays. (iterators.cu
// has more.)
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "functors.h"
#include "reduce.h"
#include "reduce_by_key.h"
#include "scan.h"

namespace perf {

namespace {

template <class Item, class Sum>
void compare_widened(comparison& c)
{
  const int n = c.n();
  const Item* const in = make_values<Item>(c);
  const twin<Sum> out = c.output<Sum>(n);
  c.moves([=] { return n * (sizeof(Item) + sizeof(Sum)); });
  c.device<cub::DeviceScan, gimbal::DeviceScan>([=](auto calls, side of, auto&&... storage) {
    return calls.ExclusiveScan(storage..., in, of(out), ::cuda::std::plus<>{}, Sum{}, n);
  });
  call_both(c, [=](auto policy, side of) { thrust::exclusive_scan(policy, in, in + n, of(out), Sum{}); });
}

/// Of integers, so that both sums are the same.
using integers = moments<std::uint32_t>;
struct to_moments {
  __host__ __device__ integers operator()(std::uint32_t x) const { return integers::of(x); }
};
const implementation sum_of_moments("reduce_moments", "u32", [](comparison& c) {
  const int n = c.n();
  const auto* const in = reinterpret_cast<const std::uint32_t*>(make_values<std::int32_t>(c));
  const auto made = thrust::make_transform_iterator(in, to_moments{});
  c.moves([=] { return n * sizeof(*in); }, "read");
  const twin<integers> sum = c.output<integers>(1);
  c.device<cub::DeviceReduce, gimbal::DeviceReduce>([=](auto calls, side of, auto&&... storage) {
    return calls.Reduce(storage..., made, of(sum), n, add_moments{}, integers{});
  });
  c.forget_outputs();
  returned_by_both<integers>(c, [=](auto policy, side) {
    return thrust::transform_reduce(policy, in, in + n, to_moments{}, integers{}, add_moments{});
  });
});

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
const implementation boxes("reduce_boxes", "i32x3", [](comparison& c) {
  const int n = c.n();
  const std::int32_t* const values = make_values<std::int32_t>(c);
  point* const points = c.array<point>(n);
  thrust::transform(thrust::device, values, values + n, points, to_point{});
  c.moves([=] { return n * sizeof(point); }, "read");
  const box all{{{999, 999, 999}}, {{-999, -999, -999}}};
  returned_by_both<box>(c, [=](auto policy, side) {
    return thrust::transform_reduce(policy, points, points + n, to_box{}, all, join_boxes{});
  });
});

/// How many items each run of keys has.
template <class Key, class Count>
void compare_counts(comparison& c)
{
  const std::int32_t* const runs_of = make_runs(c).keys;
  const Key* const keys = c.filled<Key>(c.n(), [=] __device__(std::size_t i) { return static_cast<Key>(runs_of[i]); });
  compare_reduced_by_key<Key, Count>(c, keys, thrust::make_constant_iterator(Count{1}), sizeof(Key));
}

/// Pairs (major, minor) from two arrays, of which the first has about a thousand different numbers.
template <bool HasValues>
void compare_tuples(comparison& c)
{
  using part = std::int32_t;
  const int n = c.n();
  const part* const minor = make_values<part>(c);
  const part* const major = c.filled<part>(n, [=] __device__(std::size_t i) { return minor[i] & 1023; });
  c.moves([=] { return 2 * (HasValues ? 3 : 2) * sizeof(part) * n; });
  const twin<part> first = c.changed_in_place(major, n);
  const twin<part> second = c.changed_in_place(minor, n);
  const auto keys = [=](side of) { return thrust::make_zip_iterator(of(first), of(second)); };
  if constexpr (HasValues) {
    const twin<part> values = c.changed_in_place(minor, n);
    call_both(c, [=](auto policy, side of) { thrust::sort_by_key(policy, keys(of), keys(of) + n, of(values)); });
  } else {
    call_both(c, [=](auto policy, side of) { thrust::sort(policy, keys(of), keys(of) + n); });
  }
}

/// Values from three arrays.
const implementation zipped_values("sort_by_key_zipped", "i32+i32x3", [](comparison& c) {
  using part = std::int32_t;
  const int n = c.n();
  const part* const keys_in = make_keys<part>(c);
  const part* const values_in = make_values<part>(c);
  c.moves([=] { return 2 * 4 * sizeof(part) * n; });
  const twin<part> keys = c.changed_in_place(keys_in, n);
  const twin<part> x = c.changed_in_place(values_in, n);
  const twin<part> y = c.changed_in_place(values_in, n);
  const twin<part> z = c.changed_in_place(values_in, n);
  call_both(c, [=](auto policy, side of) {
    thrust::stable_sort_by_key(policy, of(keys), of(keys) + n, thrust::make_zip_iterator(of(x), of(y), of(z)));
  });
});

const implementation here[] = {
  {"exclusive_scan_widened", "i32+i64", compare_widened<std::int32_t, std::int64_t>},
  {"reduce_by_key_counts", "i32", compare_counts<std::int32_t, std::int32_t>},
  {"reduce_by_key_counts", "u8", compare_counts<std::uint8_t, std::uint64_t>},
  {"sort_tuples", "i32x2", compare_tuples<false>},
  {"sort_tuples_by_key", "i32x2+i32", compare_tuples<true>},
};

}  // namespace

}  // namespace perf
