// Tests what the last parameter of device-wide calls may be: streams of any kind and, with CCCL 3.5 and newer,
// environments, whose memory resources are used, whose requirements hold and whose tunings take a call to CUB's
// kernels.
#include <gimbal/device.h>
#include <gimbal/memory.h>

#include <numeric>
#if GIMBAL_HAS_ENVIRONMENTS
#include <cuda/__execution/policy.h>
#endif

#include "device_support.h"
#include "gpu/gpu_stream.h"
#include "support.h"
#include "thrust_support.h"

namespace device_environments_test {

using device_calls::raw;
using gimbal::DevicePartition;
using gimbal::DeviceReduce;
using gimbal::DeviceScan;
using gimbal::DeviceSelect;
using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::point;
using test::to_host;

constexpr int n = 20000;

struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

/// As PyTorch's and rmm's.
struct stream_of_a_library {
  cudaStream_t stream;
  operator cudaStream_t() const { return stream; }
};

struct arrays {
  std::vector<int> values = [] {
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }();
  thrust::device_vector<int> in = values;
  thrust::device_vector<int> out = thrust::device_vector<int>(3 * n, -77);
  thrust::device_vector<long long> number = thrust::device_vector<long long>(2, -77);
};

/// Holds back all work of a stream, so that only what is enqueued there waits for it.
__global__ void hold(volatile int* goes_on)
{
  while (*goes_on == 0) {
  }
}

/// A call on the held stream ends after it is let go: `call(arrays&, stream)`.
template <class Stream, class Call>
void is_on_stream(Stream (*of)(cudaStream_t), const Call& call)
{
  const test::stream own;
  int* goes_on = nullptr;
  test::check_cuda(cudaMallocHost(&goes_on, sizeof(int)));
  *goes_on = 1;
  arrays a;
  REQUIRE(call(a, of(own.get())) == cudaSuccess);  // whatever the first call sets up
  test::check_cuda(cudaDeviceSynchronize());
  a = arrays{};
  test::check_cuda(cudaDeviceSynchronize());
  *goes_on = 0;
  hold<<<1, 1, 0, own.get()>>>(goes_on);
  CHECK(call(a, of(own.get())) == cudaSuccess);
  CHECK(cudaStreamQuery(own.get()) == cudaErrorNotReady);
  *goes_on = 1;
  test::check_cuda(cudaStreamSynchronize(own.get()));
  CHECK(a.number[0] != -77);
  test::check_cuda(cudaFreeHost(goes_on));
}

template <class Stream>
void all_calls_are_on_stream(Stream (*of)(cudaStream_t))
{
  is_on_stream(of, [](arrays& a, auto stream) { return DeviceReduce::Sum(raw(a.in), raw(a.number), n, stream); });
  is_on_stream(of, [](arrays& a, auto stream) {
    return DeviceReduce::ArgMax(raw(a.in), raw(a.number), raw(a.number) + 1, n, stream);
  });
  is_on_stream(
    of, [](arrays& a, auto stream) { return DeviceScan::InclusiveSum(raw(a.in), raw(a.number), 1, stream); });
  is_on_stream(of, [](arrays& a, auto stream) {
    return DeviceSelect::If(raw(a.in), raw(a.out), raw(a.number), n, is_odd{}, stream);
  });
  is_on_stream(of, [](arrays& a, auto stream) {
    return DevicePartition::If(raw(a.in), raw(a.out), raw(a.number), n, is_odd{}, stream);
  });
}

TEST_CASE("streams of any kind")
{
  all_calls_are_on_stream<cudaStream_t>([](cudaStream_t s) { return s; });
  all_calls_are_on_stream<stream_of_a_library>([](cudaStream_t s) { return stream_of_a_library{s}; });
  all_calls_are_on_stream<cuda::stream_ref>([](cudaStream_t s) { return cuda::stream_ref(s); });
}

TEST_CASE("streams of any kind, in two phases")
{
  const test::stream own;
  arrays a;
  const auto run = [&](auto stream) {
    device_calls::two_phases(
      [&](void* s, std::size_t& b) { return DeviceReduce::Sum(s, b, raw(a.in), raw(a.number), n, stream); });
    CHECK(a.number[0] == n * (n - 1ll) / 2);
    device_calls::two_phases([&](void* s, std::size_t& b) {
      return DeviceSelect::If(s, b, raw(a.in), raw(a.out), raw(a.number), n, is_odd{}, stream);
    });
    CHECK(a.number[0] == n / 2);
  };
  run(nullptr);
  run(stream_of_a_library{nullptr});
  run(cuda::stream_ref(cudaStream_t{}));
  std::size_t bytes = 0;
  CHECK(DeviceScan::ExclusiveSum(nullptr, bytes, raw(a.in), raw(a.out), n, 0) == cudaSuccess);
  CHECK(DeviceSelect::If(nullptr, bytes, raw(a.in), raw(a.out), raw(a.number), n, is_odd{}, 0) == cudaSuccess);
}

TEST_CASE("calls in one phase are captured, with their storage")
{
  const test::stream own;
  arrays a;
  cudaError_t called = cudaSuccess;
  test::capture graph(own.get(), cudaStreamCaptureModeGlobal, [&] {
    called = DeviceReduce::Sum(raw(a.in), raw(a.number), n, own.get());
  });
  REQUIRE(called == cudaSuccess);
  for (int replay = 0; replay < 3; ++replay) {
    a.in[0] = replay;
    test::check_cuda(cudaDeviceSynchronize());
    graph.replay(own.get());
    CHECK(a.number[0] == n * (n - 1ll) / 2 + replay);
  }
}

TEST_CASE("what the kernels do not take is CUB's, in one phase too")
{
  using test::fat;
  std::vector<fat> values(n);
  for (int i = 0; i < n; ++i) {
    values[i].key = i % 100;
  }
  const thrust::device_vector<fat> in = values;
  thrust::device_vector<fat> out(1);
  const long launches = counted(point::launch);
  REQUIRE(DeviceReduce::Reduce(raw(in), raw(out), n, ::cuda::std::plus<>{}, fat{}) == cudaSuccess);
  CHECK(counted(point::launch) == launches);
  CHECK(to_host(out)[0] == std::accumulate(values.begin(), values.end(), fat{}));
}

#if GIMBAL_HAS_ENVIRONMENTS

namespace execution = ::cuda::execution;
using ::cuda::std::execution::env;
using ::cuda::std::execution::prop;

struct allocations {
  int made = 0;
  int live = 0;
  cudaStream_t last = nullptr;
  bool fails = false;
};

/// Counts what it gives.
struct counting_resource {
  allocations* count;

  void* allocate(cuda::stream_ref stream, std::size_t bytes, std::size_t)
  {
    if (count->fails) {
      throw std::bad_alloc{};
    }
    void* memory = nullptr;
    test::check_cuda(cudaMallocAsync(&memory, bytes, stream.get()));
    ++count->made;
    ++count->live;
    count->last = stream.get();
    return memory;
  }
  void deallocate(cuda::stream_ref stream, void* memory, std::size_t, std::size_t)
  {
    --count->live;
    test::check_cuda(cudaFreeAsync(memory, stream.get()));
  }
  void* allocate_sync(std::size_t bytes, std::size_t alignment)
  {
    return allocate(cuda::stream_ref(cudaStream_t{}), bytes, alignment);
  }
  void deallocate_sync(void* memory, std::size_t bytes, std::size_t alignment)
  {
    deallocate(cuda::stream_ref(cudaStream_t{}), memory, bytes, alignment);
  }
  bool operator==(const counting_resource& other) const { return count == other.count; }
  bool operator!=(const counting_resource& other) const { return count != other.count; }
};

TEST_CASE("storage comes from the environment's memory resource")
{
  const test::stream own;
  arrays a;
  allocations count;
  const auto resource = prop{cuda::mr::__get_memory_resource_t{}, counting_resource{&count}};
  const env with_both{cuda::stream_ref(own.get()), resource};
  const long from_pool = counted(point::allocate);
  const long launches = counted(point::launch);
  CHECK(DeviceReduce::Sum(raw(a.in), raw(a.number), n, with_both) == cudaSuccess);
  CHECK(DeviceScan::ExclusiveSum(raw(a.in), raw(a.out), n, with_both) == cudaSuccess);
  CHECK(DeviceSelect::If(raw(a.in), raw(a.out), raw(a.number), n, is_odd{}, with_both) == cudaSuccess);
  CHECK(DevicePartition::If(raw(a.in), raw(a.out), raw(a.number), n, is_odd{}, with_both) == cudaSuccess);
  test::check_cuda(cudaStreamSynchronize(own.get()));
  CHECK(count.made == 4);
  CHECK(count.live == 0);
  CHECK(count.last == own.get());
  CHECK(counted(point::allocate) == from_pool);
  CHECK(counted(point::launch) > launches);
  count.fails = true;
  CHECK(DeviceReduce::Sum(raw(a.in), raw(a.number), n, with_both) == cudaErrorMemoryAllocation);
  CHECK(count.live == 0);
}

/// Whether a call's kernels are gimbal's.
template <class Call>
bool is_gimbals(const Call& call)
{
  const long launches = counted(point::launch);
  CHECK(call() == cudaSuccess);
  test::check_cuda(cudaDeviceSynchronize());
  return counted(point::launch) > launches;
}

TEST_CASE("execution policies")
{
  const test::stream own;
  arrays a;
  CHECK(DeviceReduce::Sum(raw(a.in), raw(a.number), n, execution::gpu) == cudaSuccess);
  test::check_cuda(cudaDeviceSynchronize());
  CHECK(a.number[0] == n * (n - 1ll) / 2);
  const cuda::stream_ref stream(own.get());
  CHECK(
    DeviceScan::InclusiveSum(raw(a.in), raw(a.out), n, execution::gpu.with(cuda::get_stream, stream)) == cudaSuccess);
  test::check_cuda(cudaStreamSynchronize(own.get()));
  CHECK(a.out[n - 1] == n * (n - 1ll) / 2);
}

TEST_CASE("requirements that gimbal's kernels meet stay with them")
{
  arrays a;
  const auto run_to_run = execution::require(execution::determinism::run_to_run);
  const auto gpu_to_gpu = execution::require(execution::determinism::gpu_to_gpu);
  CHECK(is_gimbals([&] { return DeviceReduce::Sum(raw(a.in), raw(a.number), n, run_to_run); }));
  CHECK(is_gimbals([&] { return DeviceReduce::Sum(raw(a.in), raw(a.number), n, gpu_to_gpu); }));
  CHECK(is_gimbals([&] { return DeviceReduce::ArgMin(raw(a.in), raw(a.number), raw(a.number) + 1, n, gpu_to_gpu); }));
  CHECK(is_gimbals([&] { return DeviceScan::InclusiveSum(raw(a.in), raw(a.out), n, gpu_to_gpu); }));
  CHECK(is_gimbals([&] { return DeviceSelect::If(raw(a.in), raw(a.out), raw(a.number), n, is_odd{}, gpu_to_gpu); }));
  const thrust::device_vector<float> in(n, 0.5f);
  thrust::device_vector<float> out(n);
  CHECK(is_gimbals([&] { return DeviceReduce::Sum(raw(in), raw(out), n, gpu_to_gpu); }));
  CHECK(out[0] == n / 2);
  CHECK(is_gimbals([&] { return DeviceScan::InclusiveSum(raw(in), raw(out), n, run_to_run); }));
  CHECK(out[n - 1] == n / 2);
}

struct reduce_tuning {
  __host__ __device__ constexpr auto operator()(cuda::compute_capability) const -> cub::ReducePolicy
  {
    const auto policy = cub::ReducePassPolicy{64, 1, 1, cub::BLOCK_REDUCE_WARP_REDUCTIONS, cub::LOAD_DEFAULT};
    return {policy, policy};
  }
};

TEST_CASE("a tuning takes the call to CUB's kernels")
{
  arrays a;
  const auto tuned = execution::tune(reduce_tuning{});
  CHECK_FALSE(is_gimbals([&] { return DeviceReduce::Sum(raw(a.in), raw(a.number), n, tuned); }));
  CHECK(a.number[0] == n * (n - 1ll) / 2);
  CHECK_FALSE(is_gimbals([&] { return DeviceReduce::ArgMax(raw(a.in), raw(a.number), raw(a.number) + 1, n, tuned); }));
  CHECK(a.number[0] == n - 1);
  CHECK(a.number[1] == n - 1);
}

TEST_CASE("numbers that the host does not know are CUB's")
{
  arrays a;
  thrust::device_vector<int> few(1, 100);
  const cuda::args::deferred count(raw(few));
  CHECK_FALSE(is_gimbals([&] { return DeviceReduce::Sum(raw(a.in), raw(a.number), count); }));
  CHECK(a.number[0] == 99 * 100 / 2);
  CHECK_FALSE(is_gimbals([&] {
    return DeviceReduce::TransformReduce(raw(a.in), raw(a.number), count, ::cuda::std::plus<>{}, is_odd{}, 0);
  }));
  CHECK(a.number[0] == 50);
  CHECK_FALSE(
    is_gimbals([&] { return DeviceScan::InclusiveScanInit(raw(a.in), raw(a.out), ::cuda::std::plus<>{}, count, n); }));
  CHECK(a.out[1] == 101);
  CHECK_FALSE(is_gimbals([&] {
    return DeviceScan::ExclusiveScan(raw(a.in), raw(a.out), ::cuda::std::plus<>{}, cub::FutureValue<int>(raw(few)), n);
  }));
  CHECK(a.out[2] == 101);
}

#endif

}  // namespace device_environments_test
