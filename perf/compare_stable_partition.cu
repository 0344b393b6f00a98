// Stable partition in place: a Thrust call; CUB has none.
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/partition.h>

#include "measure.h"

namespace perf {

namespace {

struct is_odd {
  __host__ __device__ bool operator()(std::int32_t x) const { return (x & 1) != 0; }
};

}  // namespace

void compare_stable_partition(session& run)
{
  const std::size_t largest = run.largest_size();
  const buffer<std::int32_t> in(largest), stock_data(largest), gimbal_data(largest);
  fill_small(in.get(), largest, 6);

  for (const int log2 : run.sizes()) {
    const int n = 1 << log2;
    const std::size_t bytes = n * sizeof(std::int32_t);
    const auto counts = host_array<std::ptrdiff_t>(2);

    duel wall;
    wall.stock.reset = [=] { copy(stock_data.get(), in.get(), bytes); };
    wall.stock.run = [=] {
      std::int32_t* const data = stock_data.get();
      counts[0] = thrust::stable_partition(thrust::device, data, data + n, is_odd{}) - data;
    };
    wall.gimbal.reset = [=] { copy(gimbal_data.get(), in.get(), bytes); };
    wall.gimbal.run = [=] {
      std::int32_t* const data = gimbal_data.get();
      counts[1] = thrust::stable_partition(gimbal::par, data, data + n, is_odd{}) - data;
    };
    wall.agree = [=] { return counts[0] == counts[1] && same_words(stock_data.get(), gimbal_data.get(), n); };

    run.compare("stable_partition", "i32", log2, {}, wall);
  }
}

}  // namespace perf
