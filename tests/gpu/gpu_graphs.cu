// Tests device-wide calls captured into graphs: as the first call of a process, in every mode of capture; with nothing
// but kernels and memsets in the graph; replayed many times on data that change, while other streams work.
#include <gimbal/memory.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "gpu_calls.h"
#include "gpu_families.h"
#include "gpu_stream.h"

namespace graphs {

using namespace families;

__global__ void next_step(unsigned* step, findings* found)
{
  ++*step;
  found->wrong += found->balance != 0;
  found->balance = 0;
}

/// So many replays, each on other items; the number of wrong findings.
template <class Family>
unsigned long long wrong_replays(std::size_t n, unsigned replays, cudaStream_t on, cudaStreamCaptureMode mode)
{
  memory of_call(n);
  test::device_array<unsigned> step(std::vector<unsigned>{1});
  test::device_array<findings> found(std::vector<findings>{{0, 0}});
  std::size_t bytes = 0;
  REQUIRE(Family::call(nullptr, bytes, of_call.all(), on) == cudaSuccess);
  test::device_array<unsigned char> storage(bytes);
  cudaError_t called = cudaSuccess;
  test::capture graph(on, mode, [&] { called = Family::call(storage.data(), bytes, of_call.all(), on); });
  REQUIRE(called == cudaSuccess);
  REQUIRE_FALSE(graph.nodes().empty());
  for (const cudaGraphNodeType type : graph.nodes()) {
    CHECK((type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemset));
  }
  for (unsigned r = 0; r < replays; ++r) {
    change_items<<<32, 256, 0, on>>>(step.data(), of_call.in.data(), of_call.all().n, Family::grows);
    graph.launch(on);
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
  "a first call", "[.first_call]", families::reduce, families::scan, families::scan_by_key, families::select,
  families::partition, families::transform_reduce, families::arg_max, families::reduce_by_key,
  families::run_length_encode, families::nontrivial_runs, families::segmented_scan, families::find_if, families::sort,
  families::sort_pairs, families::sort_decomposed, families::merge_sort)
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
       {"reduce", "scan", "scan_by_key", "select", "partition", "transform_reduce", "arg_max", "reduce_by_key",
        "run_length_encode", "nontrivial_runs", "segmented_scan", "find_if", "sort", "sort_pairs", "sort_decomposed",
        "merge_sort"}) {
    for (int mode = 0; mode < 3; ++mode) {  // global, of the thread, relaxed
      const std::string call = "GIMBAL_CAPTURE_MODE=" + std::to_string(mode) + " '" + graphs::this_program()
                               + "' 'a first call - families::" + family + "' >/dev/null";
      INFO(call);
      CHECK(std::system(call.c_str()) == 0);
    }
  }
}

TEMPLATE_TEST_CASE(
  "a graph of a call is right in every replay, while other streams work", "[graphs]", families::reduce, families::scan,
  families::scan_by_key, families::select, families::partition, families::reduce_by_key, families::arg_max,
  families::run_length_encode, families::nontrivial_runs, families::segmented_scan, families::find_if, families::sort,
  families::sort_pairs, families::sort_decomposed, families::merge_sort)
{
  const graphs::other_work beside;
  const test::stream own;
  const auto mode = cudaStreamCaptureModeThreadLocal;  // the others allocate
  CHECK(graphs::wrong_replays<TestType>(3000, 100000, own.get(), mode) == 0);
  CHECK(graphs::wrong_replays<TestType>(300000, 5000, own.get(), mode) == 0);
  CHECK(graphs::wrong_replays<TestType>(5000011, 50, own.get(), mode) == 0);
}
