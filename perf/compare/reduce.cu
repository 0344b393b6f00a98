#include <gimbal/cub/reduce.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>

#include "inputs.h"

namespace perf {

namespace {

template <class T>
void compare_sum(comparison& c)
{
  const int n = c.n();
  const T* const in = make_values<T>(c);
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

const implementation here[] = {
  {"reduce", "i8", compare_sum<std::int8_t>},   {"reduce", "i16", compare_sum<std::int16_t>},
  {"reduce", "i32", compare_sum<std::int32_t>}, {"reduce", "i64", compare_sum<std::int64_t>},
  {"reduce", "f32", compare_sum<float>},        {"reduce", "f64", compare_sum<double>},
  {"reduce", "u64x4", compare_sum<u64x4>},
};

}  // namespace

}  // namespace perf
