// Every call ends, with the right results, while another kernel holds a part of the GPU, from none of it to all but one
// multiprocessor.
#include <chrono>
#include <thread>

#include "gpu_families.h"
#include "gpu_stream.h"

namespace {

/// Until it is told to end.
__global__ void hold(const volatile int* ends)
{
  while (*ends == 0) {
    __nanosleep(20000);
  }
}

/// Holds so many multiprocessors, each by a block with nearly all of its shared memory, as long as it lives.
class holder {
public:
  explicit holder(int multiprocessors)
  {
    constexpr int shared_bytes = 200 << 10;
    test::check_cuda(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    if (multiprocessors > 0) {
      hold<<<multiprocessors, 32, shared_bytes, held_.get()>>>(ends_.data());
      test::check_cuda(cudaGetLastError());
      // What comes behind the holder's launch may begin before its blocks: a kernel of the caller's would have its
      // place then.
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  ~holder()
  {
    const int one = 1;
    CHECK(cudaMemcpyAsync(ends_.data(), &one, sizeof(one), cudaMemcpyHostToDevice, setter_.get()) == cudaSuccess);
    CHECK(cudaStreamSynchronize(held_.get()) == cudaSuccess);
  }

private:
  test::device_array<int> ends_{std::vector<int>{0}};
  test::stream held_;
  test::stream setter_{-5};  // as high as there is
};

/// Whether all that the stream has been given ends soon.
bool ends(cudaStream_t stream)
{
  const auto begin = std::chrono::steady_clock::now();
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(10)) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEMPLATE_TEST_CASE(
  "calls end while another kernel holds a part of the GPU", "[busy]", families::reduce, families::scan,
  families::scan_by_key, families::select, families::partition, families::partition_in_place, families::sort,
  families::sort_pairs, families::sort_in_place, families::merge_sort, families::merge_sort_in_place,
  families::reduce_by_key, families::run_length_encode, families::segmented_scan, families::find_if)
{
  int multiprocessors = 0;
  test::check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const test::stream own(-5);
  for (const std::size_t n : {1000, 2000, 3000, 8000, 65537, 300000, (1 << 20) + 3, 5000011, 1 << 24}) {
    families::memory of_call(n);
    const families::arrays a = of_call.all();
    std::size_t bytes = 0;
    REQUIRE(TestType::call(nullptr, bytes, a, own.get()) == cudaSuccess);
    test::device_array<unsigned char> storage(bytes);
    test::device_array<unsigned> step(std::vector<unsigned>{1});
    for (const int held : {0, multiprocessors / 4, multiprocessors / 2, multiprocessors - 12, multiprocessors - 1}) {
      INFO("n = " << n << ", " << held << " multiprocessors held");
      test::device_array<families::findings> found(std::vector<families::findings>{{0, 0}});
      const holder rest(held);
      for (int repeated = 0; repeated < 3; ++repeated) {
        families::change_items<<<32, 256, 0, own.get()>>>(step.data(), a.in, a.n, TestType::grows);
        if (repeated < 2) {  // the last one is beside the other kernel, if a team was small
          gimbal::small_teams::instance().forget();
        }
        REQUIRE(TestType::call(storage.data(), bytes, a, own.get()) == cudaSuccess);
        families::check_items<TestType><<<32, 256, 0, own.get()>>>(a, found.data());
        test::check_cuda(cudaGetLastError());
        REQUIRE(ends(own.get()));
      }
      families::findings now{};
      test::check_cuda(cudaMemcpyAsync(&now, found.data(), sizeof(now), cudaMemcpyDeviceToHost, own.get()));
      test::check_cuda(cudaStreamSynchronize(own.get()));
      CHECK(now.wrong == 0);
      CHECK(now.balance == 0);
    }
  }
}

TEST_CASE("calls after a small team expect another", "[busy]")
{
  int multiprocessors = 0;
  test::check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const test::stream own(-5);
  families::memory of_call(1 << 22);
  const families::arrays a = of_call.all();
  std::size_t bytes = 0;
  REQUIRE(families::select::call(nullptr, bytes, a, own.get()) == cudaSuccess);
  test::device_array<unsigned char> storage(bytes);
  gimbal::small_teams& teams = gimbal::small_teams::instance();
  for (const bool is_held : {false, true}) {
    INFO("held: " << is_held);
    const holder rest(is_held ? multiprocessors - 1 : 0);
    teams.forget();
    REQUIRE(families::select::call(storage.data(), bytes, a, own.get()) == cudaSuccess);
    REQUIRE(ends(own.get()));
    CHECK(teams.is_expected() == is_held);
  }
  for (unsigned calls = 1; calls < gimbal::tuning::calls_after_small_team; ++calls) {
    REQUIRE(teams.is_expected());
  }
  CHECK_FALSE(teams.is_expected());
  teams.forget();
}
