// What Thrust's users pass in place of arrays: items computed from those of an array, chosen from it, or numbered; rows as
// keys. Other forms have files of their own (scan_iterators.cu).
#include <gimbal/cub/reduce.h>
#include <gimbal/cub/scan.h>
#include <gimbal/cub/select.h>
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <gimbal/algorithm/run_length/reduce_by_key.cuh>

#include "inputs.h"

namespace perf {

namespace {

using key = std::int32_t;
using item = std::int32_t;

/// Takes a computation, which waits for what is loaded.
struct square {
  template <class T>
  __host__ __device__ T operator()(T x) const
  {
    return static_cast<T>(x * x);
  }
};
template <class T>
auto squares(const T* in)
{
  return thrust::make_transform_iterator(in, square{});
}

struct row_of {
  std::int32_t row_items;
  __host__ __device__ key operator()(std::int32_t i) const { return i / row_items; }
};
auto rows(comparison& c)
{
  const std::string& runs = c.distribution();  // runs_m: rows of m items
  const int row_items = std::stoi(runs.substr(runs.find('_') + 1));
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::int32_t{0}), row_of{row_items});
}

/// Places far from each other; each one once where `n` has no prime factor but 2 and 3.
struct scattered {
  std::uint32_t n;
  __host__ __device__ std::uint32_t operator()(std::uint32_t i) const
  {
    return static_cast<std::uint32_t>(std::uint64_t{i} * 40503 % n);
  }
};

template <class T>
void compare_reduce(comparison& c)
{
  const int n = c.n();
  const auto in = squares(make_values<T>(c));
  c.moves([=] { return n * sizeof(T); }, "read");
  const twin<T> sum = c.output<T>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) { return cub::DeviceReduce::Sum(storage, bytes, in, sum.stock, n); },
    [=](void* storage, std::size_t& bytes) { return gimbal::DeviceReduce::Sum(storage, bytes, in, sum.gimbal, n); });
  c.forget_outputs();
  const twin<T> result = c.returned<T>();
  c.wall(
    [=] { *result.stock = thrust::reduce(thrust::device, in, in + n, T{}); },
    [=] { *result.gimbal = thrust::reduce(gimbal::par, in, in + n, T{}); });
}

void compare_permutation(comparison& c)
{
  const int n = c.n();
  const auto place =
    thrust::make_transform_iterator(thrust::make_counting_iterator(0u), scattered{static_cast<std::uint32_t>(n)});
  const auto in = thrust::make_permutation_iterator(make_values<item>(c), place);
  const twin<item> out = c.output<item>(n);
  c.moves([=] { return 2 * n * sizeof(item); });
  c.device(
    [=](void* storage, std::size_t& bytes) { return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out.stock, n); },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::ExclusiveSum(storage, bytes, in, out.gimbal, n);
    });
  c.wall(
    [=] { thrust::exclusive_scan(thrust::device, in, in + n, out.stock); },
    [=] { thrust::exclusive_scan(gimbal::par, in, in + n, out.gimbal); });
}

template <class T, class KeyIt, class InputIt>
void compare_by_key(comparison& c, KeyIt keys, InputIt in)
{
  const int n = c.n();
  const twin<T> out = c.output<T>(n);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, out.stock, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, out.gimbal, n);
    });
  c.wall(
    [=] { thrust::inclusive_scan_by_key(thrust::device, keys, keys + n, in, out.stock); },
    [=] { thrust::inclusive_scan_by_key(gimbal::par, keys, keys + n, in, out.gimbal); });
}

template <class T>
void compare_scan_squares_by_key(comparison& c)
{
  const int n = c.n();
  c.moves([=] { return (sizeof(key) + 2 * sizeof(T)) * n; });
  compare_by_key<T>(c, make_runs(c).keys, squares(make_values<T>(c)));
}

void compare_scan_by_rows(comparison& c)
{
  const int n = c.n();
  c.moves([=] { return 2 * sizeof(item) * n; });
  compare_by_key<item>(c, rows(c), make_values<item>(c));
}

template <class KeyIt, class InputIt>
void compare_reduce_by_key(comparison& c, KeyIt keys, InputIt in, std::size_t key_bytes)
{
  const int n = c.n();
  const twin<key> keys_out = c.output<key>(n);
  const twin<item> sums = c.output<item>(n);
  const twin<std::int64_t> count = c.output<std::int64_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(
        storage, bytes, keys, keys_out.stock, in, sums.stock, count.stock, ::cuda::std::plus<>{}, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::reduce_by_key(
               storage, bytes, keys, in, keys_out.gimbal, sums.gimbal, count.gimbal, n, ::cuda::std::equal_to<>{},
               ::cuda::std::plus<>{}, nullptr)
        .code;
    });
  const twin<std::ptrdiff_t> left = c.returned<std::ptrdiff_t>();
  c.moves([=] { return n * (key_bytes + sizeof(item)) + *left.stock * (sizeof(key) + sizeof(item)); });
  const auto call = [=](auto policy, key* keys_to, item* sums_to, std::ptrdiff_t* left) {
    *left = thrust::reduce_by_key(policy, keys, keys + n, in, keys_to, sums_to).first - keys_to;
  };
  c.wall(
    [=] { call(thrust::device, keys_out.stock, sums.stock, left.stock); },
    [=] { call(gimbal::par, keys_out.gimbal, sums.gimbal, left.gimbal); });
}

void compare_reduce_squares_by_key(comparison& c)
{
  compare_reduce_by_key(c, make_runs(c).keys, squares(make_values<item>(c)), sizeof(key));
}

void compare_reduce_by_rows(comparison& c) { compare_reduce_by_key(c, rows(c), make_values<item>(c), 0); }

/// The numbers of the items that a predicate selects.
void compare_indices(comparison& c)
{
  const int n = c.n();
  const auto in = thrust::make_counting_iterator(std::int32_t{0});
  const item* const stencil = make_items<item>(c);
  const selects<item> predicate(c.distribution());
  const twin<std::int32_t> out = c.output<std::int32_t>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::FlaggedIf(storage, bytes, in, stencil, out.stock, count.stock, n, predicate);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::FlaggedIf(storage, bytes, in, stencil, out.gimbal, count.gimbal, n, predicate);
    });
  const twin<std::ptrdiff_t> selected = c.returned<std::ptrdiff_t>();
  c.moves([=] { return n * sizeof(item) + *selected.stock * sizeof(std::int32_t); });
  c.wall(
    [=] { *selected.stock = thrust::copy_if(thrust::device, in, in + n, stencil, out.stock, predicate) - out.stock; },
    [=] { *selected.gimbal = thrust::copy_if(gimbal::par, in, in + n, stencil, out.gimbal, predicate) - out.gimbal; });
}

void compare_copy_squares_if(comparison& c)
{
  const int n = c.n();
  const auto in = squares(reinterpret_cast<const std::uint32_t*>(make_items<item>(c)));
  const selects<std::uint32_t> predicate(c.distribution());
  const twin<std::uint32_t> out = c.output<std::uint32_t>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::If(storage, bytes, in, out.stock, count.stock, n, predicate);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::If(storage, bytes, in, out.gimbal, count.gimbal, n, predicate);
    });
  const twin<std::ptrdiff_t> selected = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (n + *selected.stock) * sizeof(std::uint32_t); });
  c.wall(
    [=] { *selected.stock = thrust::copy_if(thrust::device, in, in + n, out.stock, predicate) - out.stock; },
    [=] { *selected.gimbal = thrust::copy_if(gimbal::par, in, in + n, out.gimbal, predicate) - out.gimbal; });
}

const implementation here[] = {
  {"reduce_transform", "i32", compare_reduce<std::int32_t>},
  {"reduce_transform", "f64", compare_reduce<double>},
  {"exclusive_scan_permutation", "i32", compare_permutation},
  {"inclusive_scan_by_key_transform", "i32+i32", compare_scan_squares_by_key<std::int32_t>},
  {"inclusive_scan_by_key_transform", "i32+f64", compare_scan_squares_by_key<double>},
  {"inclusive_scan_by_key_rows", "i32", compare_scan_by_rows},
  {"reduce_by_key_transform", "i32+i32", compare_reduce_squares_by_key},
  {"reduce_by_key_rows", "i32", compare_reduce_by_rows},
  {"copy_if_indices", "i32", compare_indices},
  {"copy_if_transform", "u32", compare_copy_squares_if},
};

}  // namespace

}  // namespace perf
