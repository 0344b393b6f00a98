// Every call ends, with the right results, on a stream that has a small share of the multiprocessors, of which the
// calls do not know: a green context, as partitions of a GPU (MIG) and limits of a service (MPS) are.
#include <cuda.h>

#include "gpu_families.h"

namespace {

/// An entry of the driver, as programs need not link it.
template <class Function>
Function* of_driver(const char* name)
{
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  test::check_cuda(cudaGetDriverEntryPointByVersion(name, &found, CUDA_VERSION, cudaEnableDefault, &result));
  REQUIRE(result == cudaDriverEntryPointSuccess);
  return reinterpret_cast<Function*>(found);
}
#define GIMBAL_OF_DRIVER(name) of_driver<decltype(::name)>(#name)

/// A stream whose kernels run on so many multiprocessors, or a few more, as the device divides them.
class share_of_multiprocessors {
public:
  explicit share_of_multiprocessors(unsigned multiprocessors)
  {
    test::check_cuda(cudaFree(nullptr));
    CUdevResource all{};
    REQUIRE(GIMBAL_OF_DRIVER(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS);
    CUdevResource part{};
    CUdevResource rest{};
    unsigned parts = 1;
    REQUIRE(
      GIMBAL_OF_DRIVER(cuDevSmResourceSplitByCount)(&part, &parts, &all, &rest, 0, multiprocessors) == CUDA_SUCCESS);
    REQUIRE(parts == 1);
    count = part.sm.smCount;
    CUdevResourceDesc described{};
    REQUIRE(GIMBAL_OF_DRIVER(cuDevResourceGenerateDesc)(&described, &part, 1) == CUDA_SUCCESS);
    REQUIRE(GIMBAL_OF_DRIVER(cuGreenCtxCreate)(&context_, described, 0, CU_GREEN_CTX_DEFAULT_STREAM) == CUDA_SUCCESS);
    CUstream created = nullptr;
    REQUIRE(GIMBAL_OF_DRIVER(cuGreenCtxStreamCreate)(&created, context_, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS);
    stream = created;
  }
  ~share_of_multiprocessors()
  {
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(GIMBAL_OF_DRIVER(cuGreenCtxDestroy)(context_) == CUDA_SUCCESS);
  }

  unsigned count = 0;
  cudaStream_t stream = nullptr;

private:
  CUgreenCtx context_ = nullptr;
};

}  // namespace

TEMPLATE_TEST_CASE(
  "calls on a small share of the multiprocessors", "[small_share]", families::reduce, families::scan,
  families::scan_by_key, families::select, families::partition, families::partition_in_place, families::sort,
  families::sort_pairs, families::sort_in_place, families::merge_sort, families::merge_sort_in_place)
{
  int multiprocessors = 0;
  test::check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  for (const unsigned wanted :
       {8u, static_cast<unsigned>(multiprocessors) / 7, static_cast<unsigned>(multiprocessors) / 2}) {
    const share_of_multiprocessors own(wanted);
    REQUIRE(own.count < static_cast<unsigned>(multiprocessors));
    for (const std::size_t n : {1000, 3000, 65537, 300000, (1 << 20) + 3, 5000011, 1 << 24}) {
      INFO("n = " << n << ", " << own.count << " of " << multiprocessors << " multiprocessors");
      families::memory of_call(n);
      const families::arrays a = of_call.all();
      std::size_t bytes = 0;
      REQUIRE(TestType::call(nullptr, bytes, a, own.stream) == cudaSuccess);
      test::device_array<unsigned char> storage(bytes);
      test::device_array<unsigned> step(std::vector<unsigned>{1});
      test::device_array<families::findings> found(std::vector<families::findings>{{0, 0}});
      test::check_cuda(cudaDeviceSynchronize());
      for (int repeated = 0; repeated < 3; ++repeated) {
        families::change_items<<<32, 256, 0, own.stream>>>(step.data(), a.in, a.n, TestType::grows);
        gimbal::small_teams::instance().forget();  // the kernels whose teams are small are tested here
        REQUIRE(TestType::call(storage.data(), bytes, a, own.stream) == cudaSuccess);
        families::check_items<TestType><<<32, 256, 0, own.stream>>>(a, found.data());
        test::check_cuda(cudaGetLastError());
      }
      families::findings now{};
      test::check_cuda(cudaMemcpyAsync(&now, found.data(), sizeof(now), cudaMemcpyDeviceToHost, own.stream));
      test::check_cuda(cudaStreamSynchronize(own.stream));
      CHECK(now.wrong == 0);
      CHECK(now.balance == 0);
    }
  }
}
