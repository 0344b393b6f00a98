// Scans by key and runs whose keys, values or equality gather what they read: by a list of places in no order, of items of
// two kinds.
#include <gimbal/cub/scan.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/unique.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <gimbal/algorithm/run_length/reduce_by_key.cuh>

#include "inputs.h"

namespace perf {

namespace {

using item = std::int32_t;
using place = std::uint32_t;
using plus = ::cuda::std::plus<>;

__global__ void scatter_kernel(const std::uint32_t* random, place* list, item* kinds, unsigned n)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    list[i] = random[i] % n;
    kinds[i] = static_cast<item>(random[i] >> 30 & 1);
  }
}

struct scattered_items {
  const place* list;
  const item* kinds;
};
scattered_items make_scattered(comparison& c)
{
  const auto n = static_cast<unsigned>(c.n());
  place* const list = c.array<place>(n);
  item* const kinds = c.array<item>(n);
  scatter_kernel<<<(n + 255) / 256, 256>>>(make_items<std::uint32_t>(c), list, kinds, n);
  PERF_CHECK(cudaGetLastError());
  return {list, kinds};
}

/// Places are equal if items of the same kind are there.
struct names_equal {
  const item* kinds;
  __host__ __device__ bool operator()(place a, place b) const { return kinds[a] == kinds[b]; }
};
struct kind_at {
  scattered_items in;
  __host__ __device__ item operator()(place i) const { return in.kinds[in.list[i]]; }
};

template <class KeyIt, class InputIt, class Equal = ::cuda::std::equal_to<>>
void compare_scan(comparison& c, KeyIt keys, InputIt in, std::size_t bytes_each, Equal equal = {})
{
  const int n = c.n();
  const twin<item> out = c.output<item>(n);
  c.moves([=] { return n * bytes_each; });
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, out.stock, n, equal);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, out.gimbal, n, equal);
    });
  c.wall(
    [=] { thrust::inclusive_scan_by_key(thrust::device, keys, keys + n, in, out.stock, equal); },
    [=] { thrust::inclusive_scan_by_key(gimbal::par, keys, keys + n, in, out.gimbal, equal); });
}

void compare_scan_of_permuted(comparison& c)
{
  const scattered_items s = make_scattered(c);
  compare_scan(c, s.kinds, thrust::make_permutation_iterator(make_values<item>(c), s.list), 4 * sizeof(item));
}

void compare_scan_by_names(comparison& c)
{
  const scattered_items s = make_scattered(c);
  compare_scan(c, s.list, make_values<item>(c), 4 * sizeof(item), names_equal{s.kinds});
}

void compare_scan_by_looked_up(comparison& c)
{
  const auto keys =
    thrust::make_transform_iterator(thrust::make_counting_iterator(place{0}), kind_at{make_scattered(c)});
  compare_scan(c, keys, make_values<item>(c), 4 * sizeof(item));
}

void compare_reduce_by_permuted(comparison& c)
{
  const int n = c.n();
  const scattered_items s = make_scattered(c);
  const auto keys = thrust::make_permutation_iterator(s.kinds, s.list);
  const item* const in = make_values<item>(c);
  const twin<item> keys_out = c.output<item>(n);
  const twin<item> sums = c.output<item>(n);
  const twin<std::int64_t> count = c.output<std::int64_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(
        storage, bytes, keys, keys_out.stock, in, sums.stock, count.stock, plus{}, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::reduce_by_key(
               storage, bytes, keys, in, keys_out.gimbal, sums.gimbal, count.gimbal, n, ::cuda::std::equal_to<>{},
               plus{}, nullptr)
        .code;
    });
  const twin<std::ptrdiff_t> left = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (std::size_t{3} * n + 2 * *left.stock) * sizeof(item); });
  const auto call = [=](auto policy, item* keys_to, item* sums_to, std::ptrdiff_t* left) {
    *left = thrust::reduce_by_key(policy, keys, keys + n, in, keys_to, sums_to).first - keys_to;
  };
  c.wall(
    [=] { call(thrust::device, keys_out.stock, sums.stock, left.stock); },
    [=] { call(gimbal::par, keys_out.gimbal, sums.gimbal, left.gimbal); });
}

void compare_unique_by_names(comparison& c)
{
  const int n = c.n();
  const scattered_items s = make_scattered(c);
  const names_equal equal{s.kinds};
  const twin<place> out = c.output<place>(n);
  const twin<std::ptrdiff_t> left = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (std::size_t{2} * n + *left.stock) * sizeof(item); });
  c.wall(
    [=] { *left.stock = thrust::unique_copy(thrust::device, s.list, s.list + n, out.stock, equal) - out.stock; },
    [=] { *left.gimbal = thrust::unique_copy(gimbal::par, s.list, s.list + n, out.gimbal, equal) - out.gimbal; });
}

const implementation here[] = {
  {"inclusive_scan_by_key_permuted", "i32", compare_scan_of_permuted},
  {"inclusive_scan_by_key_names", "i32", compare_scan_by_names},
  {"inclusive_scan_by_key_looked_up", "i32", compare_scan_by_looked_up},
  {"reduce_by_key_permuted", "i32", compare_reduce_by_permuted},
  {"unique_copy_names", "i32", compare_unique_by_names},
};

}  // namespace

}  // namespace perf
