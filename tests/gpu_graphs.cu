// Device-wide calls captured into graphs: as the first call of a process, in every mode of capture; nothing but kernels and memsets
// in the graph; replayed many times on data that change, while other streams work.
#include <gimbal/device.h>
#include <gimbal/memory.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "gpu_calls.h"
#include "gpu_stream.h"

namespace graphs {

struct arrays {
  unsigned* in;
  unsigned* positions;  // 0, 1, ...
  unsigned* out;
  unsigned* positions_out;
  long long* count;
  long long n;
};

/// Counts what is wrong, and adds up what must cancel out over all items.
struct findings {
  unsigned long long wrong;
  unsigned balance;

  __device__ void expect(bool is_right) { atomicAdd(&wrong, is_right ? 0ull : 1ull); }
  __device__ void add(unsigned amount) { atomicAdd(&balance, amount); }
};

struct is_odd {
  __host__ __device__ bool operator()(unsigned x) const { return x % 2 != 0; }
};
struct is_less {
  __host__ __device__ bool operator()(unsigned l, unsigned r) const { return l < r; }
};
struct same_run {
  __host__ __device__ bool operator()(unsigned l, unsigned r) const { return l >> 8 == r >> 8; }
};

// Of each family the call, and what has to hold of its results at place i.

struct reduce {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceReduce::Sum(storage, bytes, a.in, a.out, a.n, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.add(a.in[i] - (i == 0 ? a.out[0] : 0));
  }
};

struct scan {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceScan::ExclusiveSum(storage, bytes, a.in, a.out, a.n, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.expect(a.out[i] == (i == 0 ? 0 : a.out[i - 1] + a.in[i - 1]));
  }
};

struct scan_by_key {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceScan::ExclusiveSumByKey(storage, bytes, a.in, a.in, a.out, a.n, same_run{}, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    const bool is_head = i == 0 || !same_run{}(a.in[i - 1], a.in[i]);
    found.expect(a.out[i] == (is_head ? 0 : a.out[i - 1] + a.in[i - 1]));
  }
};

// Items grow with their place: what grows in the output, too, and is as many of a kind as there are, is all of that kind, in order.

struct select {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceSelect::If(storage, bytes, a.in, a.out, a.count, a.n, is_odd{}, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    if (i < *a.count) {
      found.expect(a.out[i] % 2 != 0 && (i == 0 || a.out[i - 1] < a.out[i]));
      found.add(0u - 1u);
    }
    found.add(a.in[i] % 2);
  }
};

struct partition {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DevicePartition::If(storage, bytes, a.in, a.out, a.count, a.n, is_odd{}, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    select::check(a, i, found);
    if (i >= *a.count) {  // rejected items, from the end backwards
      found.expect(a.out[i] % 2 == 0 && (i == *a.count || a.out[i - 1] > a.out[i]));
    }
  }
};

struct sort {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceRadixSort::SortKeys(storage, bytes, a.in, a.out, a.n, 0, 32, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.expect(i == 0 || a.out[i - 1] <= a.out[i]);
    found.add(a.out[i] - a.in[i]);
  }
};

struct sort_pairs {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceRadixSort::SortPairs(
      storage, bytes, a.in, a.out, a.positions, a.positions_out, a.n, 0, 32, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    sort::check(a, i, found);
    const unsigned position = a.positions_out[i];
    found.expect(position < a.n && a.in[position] == a.out[i]);
    found.expect(i == 0 || a.out[i - 1] < a.out[i] || a.positions_out[i - 1] < position);
  }
};

struct merge_sort : sort {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceMergeSort::SortKeysCopy(storage, bytes, a.in, a.out, a.n, is_less{}, on);
  }
};

/// Of the given step. `grows`: with the place.
__global__ void change_items(const unsigned* step, unsigned* in, long long n, bool grows)
{
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned x = static_cast<unsigned>(i) * 2654435761u + *step * 40503u;
    x = (x ^ x >> 15) * 2246822519u;
    in[i] = grows ? 2 * static_cast<unsigned>(i) + x % 2 : x;
  }
}

template <class Family>
__global__ void check_items(arrays a, findings* found)
{
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * blockDim.x) {
    Family::check(a, i, *found);
  }
}

__global__ void next_step(unsigned* step, findings* found)
{
  ++*step;
  found->wrong += found->balance != 0;
  found->balance = 0;
}

/// The arrays of a call, with its storage.
struct memory {
  explicit memory(std::size_t n) : in(n), positions(n), out(n), positions_out(n), count(1)
  {
    std::vector<unsigned> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0u);
    test::raw_copy(positions.data(), numbers.data(), n * sizeof(unsigned));
  }
  arrays all()
  {
    return {
      in.data(), positions.data(), out.data(), positions_out.data(), count.data(), static_cast<long long>(in.size())};
  }

  test::device_array<unsigned> in;
  test::device_array<unsigned> positions;
  test::device_array<unsigned> out;
  test::device_array<unsigned> positions_out;
  test::device_array<long long> count;
};

/// A call captured into a graph, of kernels and memsets alone.
template <class Family>
class captured_call {
public:
  captured_call(const arrays& a, cudaStream_t on, cudaStreamCaptureMode mode)
  {
    std::size_t bytes = 0;
    REQUIRE(Family::call(nullptr, bytes, a, on) == cudaSuccess);
    test::check_cuda(cudaMalloc(&storage_, bytes));
    cudaGraph_t graph = nullptr;
    test::check_cuda(cudaStreamBeginCapture(on, mode));
    const cudaError_t called = Family::call(storage_, bytes, a, on);
    const cudaError_t ended = cudaStreamEndCapture(on, &graph);
    REQUIRE(called == cudaSuccess);
    REQUIRE(ended == cudaSuccess);
    std::size_t count = 0;
    test::check_cuda(cudaGraphGetNodes(graph, nullptr, &count));
    REQUIRE(count > 0);
    std::vector<cudaGraphNode_t> nodes(count);
    test::check_cuda(cudaGraphGetNodes(graph, nodes.data(), &count));
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      test::check_cuda(cudaGraphNodeGetType(node, &type));
      CHECK((type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemset));
    }
    test::check_cuda(cudaGraphInstantiate(&executable_, graph, 0));
    test::check_cuda(cudaGraphDestroy(graph));
  }
  captured_call(const captured_call&) = delete;
  captured_call& operator=(const captured_call&) = delete;
  ~captured_call()
  {
    cudaGraphExecDestroy(executable_);
    cudaFree(storage_);
  }

  void replay(cudaStream_t on) { test::check_cuda(cudaGraphLaunch(executable_, on)); }

private:
  void* storage_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

/// So many replays, each on other items; the number of wrong findings.
template <class Family>
unsigned long long wrong_replays(std::size_t n, unsigned replays, cudaStream_t on, cudaStreamCaptureMode mode)
{
  constexpr bool grows =
    std::is_same_v<Family, select> || std::is_same_v<Family, partition> || std::is_same_v<Family, scan_by_key>;
  memory of_call(n);
  test::device_array<unsigned> step(std::vector<unsigned>{1});
  test::device_array<findings> found(std::vector<findings>{{0, 0}});
  captured_call<Family> call(of_call.all(), on, mode);
  for (unsigned r = 0; r < replays; ++r) {
    change_items<<<32, 256, 0, on>>>(step.data(), of_call.in.data(), of_call.all().n, grows);
    call.replay(on);
    check_items<Family><<<32, 256, 0, on>>>(of_call.all(), found.data());
    next_step<<<1, 1, 0, on>>>(step.data(), found.data());
  }
  test::check_cuda(cudaGetLastError());
  test::check_cuda(cudaStreamSynchronize(on));
  CHECK(step.to_host()[0] == replays + 1);
  return found.to_host()[0].wrong;
}

/// Calls on streams of their own, as long as it lives.
class other_work {
public:
  other_work()
  {
    for (const std::size_t n : {std::size_t{3000}, std::size_t{300000}}) {
      threads_.emplace_back([this, n] {
        const test::stream own;
        for (std::uint64_t seed = 0; !ends_; ++seed) {
          all_right_ = all_right_ && test::calls_are_right(own.get(), n, seed);
        }
      });
    }
  }
  ~other_work()
  {
    ends_ = true;
    for (std::thread& thread : threads_) {
      thread.join();
    }
    CHECK(all_right_);
  }

private:
  std::atomic<bool> ends_{false};
  std::atomic<bool> all_right_{true};
  std::vector<std::thread> threads_;
};

std::string this_program()
{
  char path[4096] = {};
  REQUIRE(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
  return path;
}

}  // namespace graphs

TEMPLATE_TEST_CASE(
  "a first call", "[.first_call]", graphs::reduce, graphs::scan, graphs::scan_by_key, graphs::select, graphs::partition,
  graphs::sort, graphs::sort_pairs, graphs::merge_sort)
{
  const char* const mode = std::getenv("GIMBAL_CAPTURE_MODE");
  REQUIRE(mode != nullptr);
  const test::stream own;
  CHECK(
    graphs::wrong_replays<TestType>(300000, 3, own.get(), static_cast<cudaStreamCaptureMode>(std::atoi(mode))) == 0);
  CHECK(gimbal::memory_held().held == 0);  // the pool was not used
}

TEST_CASE("any call may be the first of its process, in a capture of any mode")
{
  for (const char* family :
       {"reduce", "scan", "scan_by_key", "select", "partition", "sort", "sort_pairs", "merge_sort"}) {
    for (int mode = 0; mode < 3; ++mode) {  // global, of the thread, relaxed
      const std::string call = "GIMBAL_CAPTURE_MODE=" + std::to_string(mode) + " '" + graphs::this_program()
                               + "' 'a first call - graphs::" + family + "' >/dev/null";
      INFO(call);
      CHECK(std::system(call.c_str()) == 0);
    }
  }
}

TEMPLATE_TEST_CASE(
  "a graph of a call is right in every replay, while other streams work", "[graphs]", graphs::reduce, graphs::scan,
  graphs::scan_by_key, graphs::select, graphs::partition, graphs::sort, graphs::sort_pairs, graphs::merge_sort)
{
  const graphs::other_work beside;
  const test::stream own;
  const auto mode = cudaStreamCaptureModeThreadLocal;  // the others allocate
  CHECK(graphs::wrong_replays<TestType>(3000, 100000, own.get(), mode) == 0);
  CHECK(graphs::wrong_replays<TestType>(300000, 5000, own.get(), mode) == 0);
  CHECK(graphs::wrong_replays<TestType>(5000011, 50, own.get(), mode) == 0);
}
