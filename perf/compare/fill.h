// Arrays that a function of an item's number makes, on the device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "measure.h"

namespace perf {

/// A bijective mix of a place in one of many streams of words: every word is independent of its neighbours.
__host__ __device__ inline std::uint64_t mixed(std::uint64_t stream, std::uint64_t place)
{
  std::uint64_t z = stream + (place + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
__host__ __device__ inline std::uint64_t mixed(std::uint64_t place) { return mixed(0, place); }

/// All bits of it random.
struct random_word {
  __host__ __device__ std::uint64_t operator()(std::size_t i) const { return mixed(i); }
};

inline constexpr unsigned fill_threads = 256;

template <class T, class F>
__global__ void __launch_bounds__(fill_threads) fill_kernel(T* out, std::size_t count, F f)
{
  for (std::size_t i = std::size_t{blockIdx.x} * fill_threads + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * fill_threads) {
    out[i] = f(i);
  }
}

template <class T, class F>
void fill(T* out, std::size_t count, F f)
{
  constexpr std::size_t most_blocks = 4096;
  const std::size_t blocks = std::min(most_blocks, (count + fill_threads - 1) / fill_threads);
  fill_kernel<<<static_cast<unsigned>(blocks), fill_threads>>>(out, count, f);
  PERF_CHECK(cudaGetLastError());
}

}  // namespace perf
