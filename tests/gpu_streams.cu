// Streams of a GPU: host threads that call at the same time on streams of their own, kernels of several calls resident
// together, and calls captured into a graph and replayed on other data.
#include <gimbal/gimbal.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <thread>

#include "gpu_calls.h"
#include "gpu_stream.h"
#include "support.h"

namespace streams {

/// What no radix sort serves.
struct by_remainder {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 1009 < b % 1009; }
};

using test::stream;

}  // namespace streams

TEST_CASE("host threads call at the same time, each on a stream of its own")
{
  int least = 0;
  int greatest = 0;
  test::check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&wrong, t, least, greatest] {
      const streams::stream own(t % 2 == 0 ? least : greatest);
      for (int round = 0; round < 6; ++round) {
        const std::size_t n = round % 2 == 0 ? 1000 + 37 * t : 700001 + 1013 * t;
        if (!test::calls_are_right(own.get(), n, 100 * t + round)) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(wrong == 0);
}

TEST_CASE("nosync calls on several streams run beside each other")
{
  // Far more tiles than fit, from several kernels that wait for tiles of their own: none may keep the others out.
  constexpr std::size_t n = std::size_t{1} << 24;
  constexpr int calls = 4;
  const std::vector<std::uint32_t> ones(n, 1);
  std::vector<std::unique_ptr<streams::stream>> on;
  std::vector<std::unique_ptr<test::device_array<std::uint32_t>>> data;
  for (int c = 0; c < calls; ++c) {
    on.push_back(std::make_unique<streams::stream>());
    data.push_back(std::make_unique<test::device_array<std::uint32_t>>(ones));
  }
  test::check_cuda(cudaDeviceSynchronize());
  for (int round = 0; round < 3; ++round) {
    for (int c = 0; c < calls; ++c) {
      const auto policy = gimbal::par_nosync.on(on[c]->get());
      thrust::inclusive_scan(policy, data[c]->data(), data[c]->data() + n, data[c]->data());
    }
  }
  test::check_cuda(cudaDeviceSynchronize());
  std::vector<std::uint32_t> wanted = ones;
  for (int round = 0; round < 3; ++round) {
    std::partial_sum(wanted.begin(), wanted.end(), wanted.begin());
  }
  for (int c = 0; c < calls; ++c) {
    CHECK(data[c]->to_host() == wanted);
  }
}

TEST_CASE("calls captured into a graph are replayed on other data")
{
  const auto [flags, mode] = GENERATE(
    std::pair(unsigned{cudaStreamNonBlocking}, cudaStreamCaptureModeThreadLocal),
    std::pair(unsigned{cudaStreamDefault}, cudaStreamCaptureModeGlobal));
  // A merge sort by all pairs, whose blocks meet; by ranks, in pairs, and in few sweeps, all of which let the next launch
  // start early. Scans of one block, of blocks that meet, and a stream.
  for (const std::size_t n : {1500u, 3000u, 40000u, 500003u, 5000011u}) {
    INFO("n = " << n);
    const streams::stream own(0, flags);
    test::device_array<std::uint32_t> data(n);
    test::device_array<std::uint32_t> by_remainders(n);
    test::device_array<std::uint32_t> sums(n);
    const auto policy = gimbal::par_nosync.on(own.get());

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    test::check_cuda(cudaStreamBeginCapture(own.get(), mode));
    thrust::inclusive_scan(policy, data.data(), data.data() + n, sums.data());
    thrust::sort(policy, data.data(), data.data() + n);
    thrust::stable_sort(policy, by_remainders.data(), by_remainders.data() + n, streams::by_remainder{});
    test::check_cuda(cudaStreamEndCapture(own.get(), &graph));
    test::check_cuda(cudaGraphInstantiate(&executable, graph, 0));

    for (std::uint64_t replay = 0; replay < 5; ++replay) {
      std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n, replay);
      test::raw_copy(data.data(), values.data(), n * sizeof(std::uint32_t));
      test::raw_copy(by_remainders.data(), values.data(), n * sizeof(std::uint32_t));
      test::check_cuda(cudaGraphLaunch(executable, own.get()));
      test::check_cuda(cudaStreamSynchronize(own.get()));
      std::vector<std::uint32_t> wanted(n);
      std::partial_sum(values.begin(), values.end(), wanted.begin());
      CHECK(sums.to_host() == wanted);
      std::vector<std::uint32_t> wanted_by_remainders = values;
      std::stable_sort(wanted_by_remainders.begin(), wanted_by_remainders.end(), streams::by_remainder{});
      CHECK(by_remainders.to_host() == wanted_by_remainders);
      std::sort(values.begin(), values.end());
      CHECK(data.to_host() == values);
    }
    test::check_cuda(cudaGraphExecDestroy(executable));
    test::check_cuda(cudaGraphDestroy(graph));
  }
}
