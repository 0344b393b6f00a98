// One call of each family on a stream, for tests of streams and devices that run on a GPU alone.
#pragma once

#include <gimbal/gimbal.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <numeric>

#include "support.h"

namespace test {

struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(std::uint32_t value) const { return value % 2 != 0; }
};

/// One call of each family on `on`, each result compared with the host's. True if all are right.
inline bool calls_are_right(cudaStream_t on, std::size_t n, std::uint64_t seed)
{
  const std::vector<std::uint32_t> values = random_values<std::uint32_t>(n, seed);
  device_array<std::uint32_t> data(values);
  device_array<std::uint32_t> out(n);
  const auto policy = gimbal::par.on(on);
  std::vector<std::uint32_t> wanted(n);
  bool right = true;

  const std::uint32_t sum = thrust::reduce(policy, data.data(), data.data() + n, std::uint32_t{0});
  right = right && sum == std::accumulate(values.begin(), values.end(), std::uint32_t{0});

  thrust::inclusive_scan(policy, data.data(), data.data() + n, out.data());
  std::partial_sum(values.begin(), values.end(), wanted.begin());
  right = right && out.to_host() == wanted;

  thrust::stable_partition(policy, data.data(), data.data() + n, is_odd{});
  wanted = values;
  std::stable_partition(wanted.begin(), wanted.end(), is_odd{});
  right = right && data.to_host() == wanted;

  thrust::sort(policy, data.data(), data.data() + n);
  std::sort(wanted.begin(), wanted.end());
  return right && data.to_host() == wanted;
}

}  // namespace test
