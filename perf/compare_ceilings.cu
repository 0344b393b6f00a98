// What bounds every kernel: the rate of a copy and of a read, at each size.
#include "measure.h"

namespace perf {

namespace {

constexpr unsigned read_threads = 512;
constexpr unsigned read_unroll = 4;

/// Reads every word once and writes nothing unless a sum that never occurs does.
__global__ void __launch_bounds__(read_threads) read_all(const uint4* in, std::size_t count, unsigned* out)
{
  const std::size_t stride = std::size_t{gridDim.x} * read_threads;
  std::size_t i = std::size_t{blockIdx.x} * read_threads + threadIdx.x;
  unsigned sum = 0;
  for (; i + (read_unroll - 1) * stride < count; i += read_unroll * stride) {
    uint4 words[read_unroll];
#pragma unroll
    for (unsigned u = 0; u < read_unroll; ++u) {
      words[u] = in[i + u * stride];
    }
#pragma unroll
    for (unsigned u = 0; u < read_unroll; ++u) {
      sum |= words[u].x | words[u].y | words[u].z | words[u].w;
    }
  }
  for (; i < count; i += stride) {
    sum |= in[i].x | in[i].y | in[i].z | in[i].w;
  }
  if (sum == 0xffffffffu && count == 0) {
    *out = sum;
  }
}

}  // namespace

void compare_ceilings(session& run)
{
  int processors = 0;
  PERF_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const std::size_t largest = run.largest_size();
  const buffer<std::uint32_t> in(largest), out(largest);
  fill_random(in.get(), largest, 14);

  for (const int log2 : run.sizes()) {
    if (log2 < 20) {
      continue;
    }
    const std::size_t bytes = sizeof(std::uint32_t) << log2;
    ceiling found;
    found.log2 = log2;
    found.copy = run.rate(2 * bytes, log2, [=] { copy(out.get(), in.get(), bytes); });
    found.read = run.rate(bytes, log2, [=] {
      const std::size_t count = bytes / sizeof(uint4);
      const std::size_t needed = (count + read_threads * read_unroll - 1) / (read_threads * read_unroll);
      const std::size_t most = std::size_t{4} * static_cast<unsigned>(processors);
      read_all<<<static_cast<unsigned>(needed < most ? needed : most), read_threads>>>(
        reinterpret_cast<const uint4*>(in.get()), count, out.get());
      PERF_CHECK(cudaGetLastError());
    });
    std::printf(
      "%-24s %-8s 2^%-2d copy %7.0f GB/s, read %7.0f GB/s\n", "ceilings", "4 bytes", log2, found.copy, found.read);
    std::fflush(stdout);
    run.ceilings.push_back(found);
  }
}

}  // namespace perf
