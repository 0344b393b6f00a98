#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>
#include <gimbal/algorithm/run_length/reduce_by_key.cuh>

#include "inputs.h"

namespace perf {

namespace {

using key = std::int32_t;

template <class T>
void compare_reduce_by_key(comparison& c)
{
  const int n = c.n();
  const key* const keys = make_runs(c).keys;
  const T* const values = make_values<T>(c);
  const twin<key> keys_out = c.output<key>(n);
  const twin<T> sums = c.output<T>(n);
  const twin<std::int64_t> count = c.output<std::int64_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(
        storage, bytes, keys, keys_out.stock, values, sums.stock, count.stock, ::cuda::std::plus<>{}, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::reduce_by_key(
               storage, bytes, keys, values, keys_out.gimbal, sums.gimbal, count.gimbal, n, ::cuda::std::equal_to<>{},
               ::cuda::std::plus<>{}, nullptr)
        .code;
    });

  const twin<std::ptrdiff_t> left = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (n + *left.stock) * (sizeof(key) + sizeof(T)); });
  const auto call = [=](auto policy, key* keys_to, T* sums_to, std::ptrdiff_t* left) {
    *left = thrust::reduce_by_key(policy, keys, keys + n, values, keys_to, sums_to).first - keys_to;
  };
  c.wall(
    [=] { call(thrust::device, keys_out.stock, sums.stock, left.stock); },
    [=] { call(gimbal::par, keys_out.gimbal, sums.gimbal, left.gimbal); });
}

const implementation here[] = {
  {"reduce_by_key", "i32+i32", compare_reduce_by_key<std::int32_t>},
  {"reduce_by_key", "i32+f32", compare_reduce_by_key<float>},
  {"reduce_by_key", "i32+f64", compare_reduce_by_key<double>},
  {"reduce_by_key", "i32+u64x4", compare_reduce_by_key<u64x4>},
  {"reduce_by_key", "i32+u64x5", compare_reduce_by_key<u64x5>},
};

}  // namespace

}  // namespace perf
