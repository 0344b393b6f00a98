// Tests streams of a GPU: host threads that call at the same time on streams of their own, kernels of several calls
// resident together, and calls captured into a graph and replayed on other data.
#include <gimbal/gimbal.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>

#include "gpu_calls.h"
#include "gpu_families.h"
#include "gpu_stream.h"
#include "support.h"

namespace streams {

/// What no radix sort serves.
struct by_remainder {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 1009 < b % 1009; }
};

using test::stream;

/// Makes calls that follow soon believe that so many other streams work.
void pretend_others(unsigned count)
{
  std::this_thread::sleep_for(std::chrono::milliseconds(1));  // nobody is active any longer
  for (unsigned i = 0; i < count; ++i) {
    gimbal::simt::active_streams(reinterpret_cast<cudaStream_t>(std::uintptr_t{0x100000} + i));
  }
}

/// Sums of fractions: every other grouping has other bits.
template <class Call>
void check_bits_beside_others(std::size_t items_of_a_sum, Call call)
{
  const std::size_t n = 3000001;
  std::vector<float> values(n);
  std::vector<int> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = 1.0f / static_cast<float>(1 + (i * 2654435761u >> 7) % 1000);
    keys[i] = static_cast<int>(i / 700);
  }
  test::device_array<float> in(values);
  test::device_array<int> in_keys(keys);
  for (const std::size_t size : {1000ul, 70001ul, 300007ul, 1048576ul, 3000001ul}) {
    std::vector<float> alone;
    for (const unsigned others : {0u, 1u, 3u, 7u}) {
      INFO("n = " << size << ", " << others << " other streams");
      test::device_array<float> out(size);
      pretend_others(others);
      call(in.data(), in_keys.data(), size, out.data());
      const std::vector<float> sums = out.to_host();
      if (others == 0) {
        alone = sums;
      } else {
        CHECK(std::memcmp(sums.data(), alone.data(), ((size - 1) / items_of_a_sum + 1) * sizeof(float)) == 0);
      }
    }
  }
}

}  // namespace streams

TEST_CASE("streams that have been given work lately are counted")
{
  gimbal::simt::stream_traffic traffic;
  CHECK(traffic.note(1) == 1);
  CHECK(traffic.note(1) == 1);
  CHECK(traffic.note(2) == 2);
  CHECK(traffic.note(1) == 2);
  unsigned all = 0;
  for (std::uint64_t stream = 1; stream <= 40; ++stream) {
    all = traffic.note(stream);
  }
  CHECK(all == 16);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(traffic.note(3) == 1);
  constexpr std::int64_t nanoseconds_of_a_minute = 60'000'000'000;
  CHECK(traffic.note(4, nanoseconds_of_a_minute) == 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(traffic.note(3) == 2);  // the other one has work in the queue
}

TEMPLATE_TEST_CASE(
  "calls beside other streams that work take the storage that was asked for without them, and are right", "",
  families::reduce, families::scan, families::scan_by_key, families::select, families::partition,
  families::partition_in_place, families::sort, families::sort_pairs, families::sort_in_place, families::merge_sort,
  families::merge_sort_in_place)
{
  const streams::stream own;
  for (const std::size_t n : {1000, 3000, 8000, 65537, 300000, (1 << 20) + 3, 3000001, 5000011}) {
    families::memory of_call(n);
    const families::arrays a = of_call.all();
    for (const unsigned asking_others : {0u, 7u}) {
      std::size_t bytes = 0;
      streams::pretend_others(asking_others);
      REQUIRE(TestType::call(nullptr, bytes, a, own.get()) == cudaSuccess);
      test::device_array<unsigned char> storage(bytes);
      test::device_array<unsigned> step(std::vector<unsigned>{1});
      for (const unsigned others : {0u, 1u, 2u, 3u, 7u}) {
        INFO("n = " << n << ", " << others << " other streams, when asked " << asking_others);
        test::device_array<families::findings> found(std::vector<families::findings>{{0, 0}});
        streams::pretend_others(others);
        families::change_items<<<32, 256, 0, own.get()>>>(step.data(), a.in, a.n, TestType::grows);
        REQUIRE(TestType::call(storage.data(), bytes, a, own.get()) == cudaSuccess);
        families::check_items<TestType><<<32, 256, 0, own.get()>>>(a, found.data());
        families::findings now{};
        test::check_cuda(cudaMemcpyAsync(&now, found.data(), sizeof(now), cudaMemcpyDeviceToHost, own.get()));
        test::check_cuda(cudaStreamSynchronize(own.get()));
        CHECK(now.wrong == 0);
        CHECK(now.balance == 0);
      }
    }
  }
}

TEST_CASE("sums of fractions have the same bits beside other streams that work")
{
  streams::check_bits_beside_others(1, [](const float* in, const int*, std::size_t n, float* out) {
    thrust::inclusive_scan(gimbal::par, in, in + n, out);
  });
  streams::check_bits_beside_others(1, [](const float* in, const int* keys, std::size_t n, float* out) {
    thrust::inclusive_scan_by_key(gimbal::par, keys, keys + n, in, out);
  });
  test::device_array<int> keys_out(3000001);
  streams::check_bits_beside_others(700, [&](const float* in, const int* keys, std::size_t n, float* out) {
    thrust::reduce_by_key(gimbal::par, keys, keys + n, in, keys_out.data(), out);
  });
}

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
  // A merge sort by all pairs, whose blocks wait for each other; by ranks, in pairs, and in few sweeps, all of which
  // let the next launch start early. Scans of one block, of blocks that wait for each other, and a stream.
  for (const std::size_t n : {1500u, 3000u, 40000u, 500003u, 5000011u}) {
    INFO("n = " << n);
    const streams::stream own(0, flags);
    test::device_array<std::uint32_t> data(n);
    test::device_array<std::uint32_t> by_remainders(n);
    test::device_array<std::uint32_t> sums(n);
    const auto policy = gimbal::par_nosync.on(own.get());

    test::capture graph(own.get(), mode, [&] {
      thrust::inclusive_scan(policy, data.data(), data.data() + n, sums.data());
      thrust::sort(policy, data.data(), data.data() + n);
      thrust::stable_sort(policy, by_remainders.data(), by_remainders.data() + n, streams::by_remainder{});
    });

    for (std::uint64_t replay = 0; replay < 5; ++replay) {
      std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n, replay);
      test::raw_copy(data.data(), values.data(), n * sizeof(std::uint32_t));
      test::raw_copy(by_remainders.data(), values.data(), n * sizeof(std::uint32_t));
      graph.replay(own.get());
      std::vector<std::uint32_t> wanted(n);
      std::partial_sum(values.begin(), values.end(), wanted.begin());
      CHECK(sums.to_host() == wanted);
      std::vector<std::uint32_t> wanted_by_remainders = values;
      std::stable_sort(wanted_by_remainders.begin(), wanted_by_remainders.end(), streams::by_remainder{});
      CHECK(by_remainders.to_host() == wanted_by_remainders);
      std::sort(values.begin(), values.end());
      CHECK(data.to_host() == values);
    }
  }
}
