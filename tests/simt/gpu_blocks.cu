// Tests the blocks of storage that gimbal keeps, on true streams: who is given which while kernels run, streams that
// are destroyed, default streams of threads, captures, limits. block_cache.cu has what can be seen without a GPU.
#include <gimbal/gimbal.h>
#include <thrust/merge.h>
#include <thrust/sort.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "gpu/gpu_calls.h"
#include "gpu/gpu_stream.h"

namespace blocks {

/// Until it is told to end, two seconds at most: a test that waits for it fails, and does not hang.
__global__ void hold(const volatile int* ends)
{
  long long begin = 0;
  long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (*ends == 0 && now - begin < 2000000000);
}

/// Keeps a stream at work as long as it lives.
class holder {
public:
  explicit holder(cudaStream_t on)
  {
    test::check_cuda(cudaHostAlloc(&ends_, sizeof(int), cudaHostAllocMapped));
    *ends_ = 0;
    hold<<<1, 1, 0, on>>>(ends_);
    test::check_cuda(cudaGetLastError());
    test::check_cuda(cudaEventCreateWithFlags(&end_, cudaEventDisableTiming));
    test::check_cuda(cudaEventRecord(end_, on));
  }
  holder(const holder&) = delete;
  ~holder()
  {
    end();
    cudaEventDestroy(end_);
    cudaFreeHost(const_cast<int*>(ends_));
  }
  /// False if it had ended by itself: somebody has waited for it.
  bool end()
  {
    const bool is_running = cudaEventQuery(end_) == cudaErrorNotReady;
    *ends_ = 1;
    cudaEventSynchronize(end_);
    return is_running;
  }

private:
  volatile int* ends_ = nullptr;
  cudaEvent_t end_ = nullptr;  // the stream may be destroyed
};

void* take(std::size_t bytes, cudaStream_t on)
{
  void* memory = nullptr;
  REQUIRE_FALSE(gimbal::simt::pool_allocate(memory, bytes, on, "test"));
  return memory;
}
void give_back(void* memory, cudaStream_t on) { gimbal::simt::pool_free(memory, on); }
void* lend(std::size_t bytes, cudaStream_t on)
{
  void* const memory = take(bytes, on);
  give_back(memory, on);
  return memory;
}

/// The device has seen several streams, all blocks have gone, and the kernel of `holder` is loaded.
void begin_anew()
{
  for (int i = 0; i < 2; ++i) {
    const test::stream own;
    holder(own.get()).end();
    lend(1000, own.get());
  }
  gimbal::release_memory();
}

constexpr std::size_t bytes = 5 << 20;

struct by_last_digits {
  __host__ __device__ bool operator()(std::uint32_t l, std::uint32_t r) const { return (l & 0xffff) < (r & 0xffff); }
};

/// What takes storage, without waiting.
void sort(cudaStream_t on, test::device_array<std::uint32_t>& data)
{
  thrust::stable_sort(gimbal::par_nosync.on(on), data.data(), data.data() + data.size(), by_last_digits{});
}
std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> values)
{
  std::stable_sort(values.begin(), values.end(), by_last_digits{});
  return values;
}

}  // namespace blocks

TEST_CASE("a stream has its block again at once, another when its work has ended")
{
  blocks::begin_anew();
  const test::stream first;
  const test::stream second;
  void* of_first = nullptr;
  void* of_second = nullptr;
  {
    blocks::holder held(first.get());
    of_first = blocks::lend(blocks::bytes, first.get());
    CHECK(blocks::lend(blocks::bytes, first.get()) == of_first);
    of_second = blocks::lend(blocks::bytes, second.get());
    CHECK(of_second != of_first);
    test::check_cuda(cudaStreamSynchronize(second.get()));
    const test::stream third;
    CHECK(blocks::lend(blocks::bytes, third.get()) == of_second);
    CHECK(held.end());  // nobody has waited for it
  }
  const test::stream fourth;
  const std::size_t before = gimbal::memory_held().held;
  std::set<void*> both{blocks::take(blocks::bytes, fourth.get()), blocks::take(blocks::bytes, fourth.get())};
  CHECK(both == std::set<void*>{of_first, of_second});
  CHECK(gimbal::memory_held().held == before);
  CHECK(gimbal::memory_held().used == before);
  for (void* const memory : both) {
    blocks::give_back(memory, fourth.get());
  }
}

TEST_CASE("a stream is destroyed while it works, and another gets its handle")
{
  blocks::begin_anew();
  cudaStream_t first = nullptr;
  test::check_cuda(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  std::vector<std::unique_ptr<test::stream>> later;
  {
    const auto begin = std::chrono::steady_clock::now();
    blocks::holder held(first);
    void* const of_first = blocks::lend(blocks::bytes, first);
    test::check_cuda(cudaStreamDestroy(first));
    for (int i = 0; i < 20; ++i) {
      later.push_back(std::make_unique<test::stream>());
      const void* const memory = blocks::lend(blocks::bytes, later.back()->get());
      if (std::chrono::steady_clock::now() - begin < std::chrono::seconds(1)) {
        CHECK(memory != of_first);
      }
    }
    held.end();
    test::check_cuda(cudaDeviceSynchronize());
    std::set<void*> all;
    for (int i = 0; i < 21; ++i) {
      all.insert(blocks::take(blocks::bytes, later[0]->get()));
    }
    CHECK(all.count(of_first) == 1);  // it is not lost
    for (void* const memory : all) {
      blocks::give_back(memory, later[0]->get());
    }
  }
}

TEST_CASE("the default stream of a thread is no other's")
{
  blocks::begin_anew();
  std::thread([] {
    blocks::holder held(cudaStreamPerThread);
    void* const mine = blocks::lend(blocks::bytes, cudaStreamPerThread);
    void* others = nullptr;
    std::thread([&others] { others = blocks::lend(blocks::bytes, cudaStreamPerThread); }).join();
    CHECK(others != mine);
    CHECK(blocks::lend(blocks::bytes, cudaStreamPerThread) == mine);
    CHECK(held.end());
  }).join();
}

TEST_CASE("storage of a capture is the graph's, and what is kept is not in it")
{
  blocks::begin_anew();
  constexpr std::size_t n = 500000;
  const test::stream own;
  const auto values = test::random_values<std::uint32_t>(n, 1);
  test::device_array<std::uint32_t> data(values);
  blocks::sort(own.get(), data);  // leaves a block
  test::check_cuda(cudaStreamSynchronize(own.get()));
  const auto mode =
    GENERATE(cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed);
  const test::stream others[4];
  CHECK(gimbal::memory_held().held > 0);
  // Beside it, by this thread and another: an event is asked, the driver allocates and frees.
  const auto beside = [&](const test::stream& first, const test::stream& second) {
    const std::size_t previous = gimbal::limit_memory(200 << 20);
    blocks::lend(blocks::bytes, first.get());
    blocks::lend(blocks::bytes, second.get());
    blocks::lend(300 << 20, second.get());
    gimbal::limit_memory(previous);
  };
  test::capture graph(own.get(), mode, [&] {
    blocks::sort(own.get(), data);
    CHECK_NOTHROW(beside(others[0], others[1]));
    std::thread([&] { beside(others[2], others[3]); }).join();
  });
  CHECK(gimbal::memory_held().used == 0);
  const std::vector<cudaGraphNodeType> types = graph.nodes();
  const auto allocations = std::count(types.begin(), types.end(), cudaGraphNodeTypeMemAlloc);
  CHECK(allocations > 0);
  CHECK(allocations == std::count(types.begin(), types.end(), cudaGraphNodeTypeMemFree));
  test::device_array<std::uint32_t> data_beside(n);
  for (std::uint64_t replay = 0; replay < 10; ++replay) {
    const auto now = test::random_values<std::uint32_t>(n, 2 + replay);
    test::raw_copy(data.data(), now.data(), n * sizeof(std::uint32_t));
    test::raw_copy(data_beside.data(), now.data(), n * sizeof(std::uint32_t));
    graph.launch(own.get());
    blocks::sort(others[0].get(), data_beside);
    test::check_cuda(cudaDeviceSynchronize());
    const auto wanted = blocks::sorted(now);
    CHECK(data.to_host() == wanted);
    CHECK(data_beside.to_host() == wanted);
  }
}

TEST_CASE("beyond the limit a block goes back when it is not used any more")
{
  blocks::begin_anew();
  const test::stream own;
  const std::size_t previous = gimbal::limit_memory(0);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto values = test::random_values<std::uint32_t>(1000000, seed);
    test::device_array<std::uint32_t> data(values);
    blocks::sort(own.get(), data);
    CHECK(cudaStreamQuery(own.get()) == cudaSuccess);
    CHECK(gimbal::memory_held().held == 0);
    CHECK(data.to_host() == blocks::sorted(values));
  }
  gimbal::limit_memory(previous);
}

TEST_CASE("threads, whose streams come and go, sort without waiting")
{
  blocks::begin_anew();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&wrong, t] {
      std::mt19937 random(t);
      for (int round = 0; round < 12; ++round) {
        std::vector<std::vector<std::uint32_t>> values;
        std::vector<std::unique_ptr<test::device_array<std::uint32_t>>> data;
        for (int s = 0; s < 6; ++s) {
          values.push_back(test::random_values<std::uint32_t>(20000 + random() % 400000, random()));
          data.push_back(std::make_unique<test::device_array<std::uint32_t>>(values.back()));
        }
        for (std::size_t s = 0; s < data.size(); s += 2) {
          const test::stream own;  // destroyed while it works
          blocks::sort(own.get(), *data[s]);
          blocks::sort(s % 4 == 0 ? own.get() : cudaStreamPerThread, *data[s + 1]);
        }
        cudaDeviceSynchronize();
        for (std::size_t s = 0; s < data.size(); ++s) {
          wrong += data[s]->to_host() != blocks::sorted(values[s]);
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(wrong == 0);
  CHECK(gimbal::memory_held().used == 0);
}

TEST_CASE("calls left to stock use the same blocks, and in steady state nothing is allocated")
{
  blocks::begin_anew();
  const test::stream own;
  const std::size_t n = 100000;
  auto values = test::random_values<std::uint32_t>(n, 7);
  std::sort(values.begin(), values.end());
  test::device_array<std::uint32_t> x(values);
  test::device_array<std::uint32_t> out(2 * n);
  std::vector<std::uint32_t> wanted;
  std::merge(values.begin(), values.end(), values.begin(), values.end(), std::back_inserter(wanted));
  std::size_t free_before = 0;
  std::size_t total = 0;
  std::size_t held = 0;
  for (int i = 0; i < 50; ++i) {
    thrust::merge(gimbal::par_nosync.on(own.get()), x.data(), x.data() + n, x.data(), x.data() + n, out.data());
    if (i == 0) {
      held = gimbal::memory_held().held;
      test::check_cuda(cudaMemGetInfo(&free_before, &total));
    }
  }
  CHECK(held > 0);
  CHECK(gimbal::memory_held().held == held);
  std::size_t free_now = 0;
  test::check_cuda(cudaMemGetInfo(&free_now, &total));
  CHECK(free_now == free_before);
  test::check_cuda(cudaStreamSynchronize(own.get()));
  CHECK(out.to_host() == wanted);
}
