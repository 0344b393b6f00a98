// Tests what a failed call throws, that it leaks nothing and that the next call works; and what calls cost in steady
// state.
#include <thrust/count.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <numeric>

#include "thrust_support.h"

namespace errors_test {

using gimbal::par;
using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::fail_next;
using gimbal::simt::instrument::point;

struct is_even {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 == 0; }
};
struct by_last_digit {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return (l & 15) < (r & 15); }
};

/// One routed call, its name in messages, and whether it is undefined after a failure what its range holds.
struct tested_call {
  const char* name;
  std::function<void(thrust::device_vector<int>& x, thrust::device_vector<int>& out)> run;
  bool in_place;
  bool takes_storage = true;  // from the policy's allocator
};

/// `policy` is passed on to one call of each kind of kernel.
template <class Policy>
std::vector<tested_call> calls(Policy policy)
{
  using vector = thrust::device_vector<int>;
  return {
    {"reduce", [=](vector& x, vector&) { thrust::reduce(policy, x.begin(), x.end()); }, false, false},
    {"any_of", [=](vector& x, vector&) { thrust::any_of(policy, x.begin(), x.end(), is_even{}); }, false, false},
    {"mismatch", [=](vector& x, vector& y) { thrust::mismatch(policy, x.begin(), x.end(), y.begin()); }, false, false},
    {"inclusive_scan", [=](vector& x, vector& out) { thrust::inclusive_scan(policy, x.begin(), x.end(), out.begin()); },
     false, false},
    {"exclusive_scan_by_key",
     [=](vector& x, vector& out) { thrust::exclusive_scan_by_key(policy, x.begin(), x.end(), x.begin(), out.begin()); },
     false, false},
    {"inclusive_scan_by_key",  // over its keys
     [=](vector& x, vector&) { thrust::inclusive_scan_by_key(policy, x.begin(), x.end(), x.begin(), x.begin()); }, true,
     false},
    {"reduce_by_key",
     [=](vector& x, vector& out) {
       thrust::reduce_by_key(policy, x.begin(), x.end(), x.begin(), out.begin(), out.begin() + x.size());
     },
     false, false},
    {"copy_if", [=](vector& x, vector& out) { thrust::copy_if(policy, x.begin(), x.end(), out.begin(), is_even{}); },
     false, false},
    {"unique_by_key_copy",
     [=](vector& x, vector& out) {
       thrust::unique_by_key_copy(policy, x.begin(), x.end(), x.begin(), out.begin(), out.begin() + x.size());
     },
     false, false},
    {"stable_partition", [=](vector& x, vector&) { thrust::stable_partition(policy, x.begin(), x.end(), is_even{}); },
     true},
    {"sort", [=](vector& x, vector&) { thrust::sort(policy, x.begin(), x.end()); }, true},
    {"stable_sort", [=](vector& x, vector&) { thrust::stable_sort(policy, x.begin(), x.end(), by_last_digit{}); },
     true},
  };
}

constexpr std::size_t n = 30000;

struct fixture {
  std::vector<int> values = test::random_values<int>(n, 17);
  thrust::device_vector<int> x = test::to_device(values);
  thrust::device_vector<int> out = thrust::device_vector<int>(2 * n);
};

/// The calls of a sound program still work.
void check_next_call(fixture& f)
{
  f.x = test::to_device(f.values);
  const unsigned sum = std::accumulate(f.values.begin(), f.values.end(), 0u);
  CHECK(thrust::reduce(par, f.x.begin(), f.x.end(), 0u) == sum);
  thrust::inclusive_scan(par, f.x.begin(), f.x.end(), f.out.begin());
  CHECK(static_cast<unsigned>(static_cast<int>(f.out[n - 1])) == sum);
}

/// Takes every free slot for results, so that the next call has to allocate pinned memory.
class no_free_slots {
public:
  no_free_slots()
  {
    fail_next(point::pinned_allocate);
    bool is_exhausted = false;
    while (!is_exhausted) {
      taken_.push_back(std::make_unique<gimbal::result_slot<int>>());
      is_exhausted = static_cast<bool>(taken_.back()->take());
    }
  }

private:
  std::vector<std::unique_ptr<gimbal::result_slot<int>>> taken_;
};

TEST_CASE("the exception names call, step, size and cause")
{
  fixture f;
#if GIMBAL_GPU
  const std::size_t n = 5000000;  // so many are sorted in passes, which count in words that are cleared
#else
  const std::size_t n = 5000;
#endif
  const test::streams_last kept(false);  // words lie in storage, and are cleared
  f.x.resize(n);
  const auto message = [&](point p) -> std::string {
    fail_next(p);
    try {
      thrust::sort(par, f.x.begin(), f.x.end());
    } catch (const thrust::system_error& error) {
      CHECK(error.code().value() == static_cast<int>(gimbal::simt::error_launch_failure));
      return error.what();
    } catch (const std::bad_alloc& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  for (const point p : {point::launch, point::fill, point::wait, point::allocate}) {
    const std::string text = message(p);
    INFO(text);
    CHECK(text.find("sort of " + std::to_string(n) + " elements of 4 bytes") != std::string::npos);
    const bool is_allocation = p == point::allocate;
    const std::string step = is_allocation      ? "allocation of "
                             : p == point::wait ? "wait for the stream"
                             : p == point::fill ? "clearing"
                                                : "sort";
    CHECK(text.find(step) != std::string::npos);
    const auto code = is_allocation ? gimbal::simt::error_memory_allocation : gimbal::simt::error_launch_failure;
    CHECK(text.find(gimbal::simt::error_name(code)) != std::string::npos);
  }
}

TEST_CASE("running out of memory throws an exception derived from std::bad_alloc")
{
  fixture f;
  fail_next(point::allocate);
  CHECK_THROWS_AS(thrust::sort(par, f.x.begin(), f.x.end()), std::bad_alloc);
  {
    const no_free_slots taken;
    fail_next(point::pinned_allocate);
    CHECK_THROWS_AS(thrust::reduce(par, f.x.begin(), f.x.end()), std::bad_alloc);
  }
  check_next_call(f);
}

TEST_CASE("after a failure of any step of any call nothing is leaked and the next call works")
{
  fixture f;
  test::counting_allocator::counts counts;
  test::counting_allocator allocator{&counts};
  const auto check_all = [&](const std::vector<tested_call>& tested) {
    for (const tested_call& call : tested) {
      for (const point p : {point::launch, point::fill, point::wait, point::allocate}) {
        for (long k = 1; k <= 40; ++k) {
          INFO(call.name << ", point " << static_cast<int>(p) << ", step " << k);
          f.x = test::to_device(f.values);
          fail_next(p, k);
          bool has_failed = false;
          try {
            call.run(f.x, f.out);
          } catch (const thrust::system_error& error) {
            has_failed = true;
            CHECK(p != point::allocate);
            CHECK(std::string(error.what()).find(call.name) != std::string::npos);
          } catch (const std::bad_alloc&) {
            has_failed = true;
            CHECK(p == point::allocate);
          }
          fail_next(p, 0);
          CHECK(test::pool_used() == 0);
          CHECK(counts.live == 0);
          if (!call.in_place) {
            test::require_equal(test::to_host(f.x), f.values);
          }
          if (!has_failed) {
            break;  // fewer than k such steps
          }
          CHECK(k < 40);
        }
      }
      check_next_call(f);
    }
  };
  SECTION("with the pool") { check_all(calls(par)); }
  SECTION("with the pool, nosync") { check_all(calls(gimbal::par_nosync)); }
  SECTION("with the user's allocator") { check_all(calls(par(allocator))); }
}

struct allocator_failure {
  int code;
};

struct throwing_allocator {
  using value_type = char;
  char* allocate(std::ptrdiff_t) { throw allocator_failure{42}; }
  void deallocate(char*, std::size_t) { FAIL("nothing was allocated"); }
};

TEST_CASE("an exception of the user's allocator reaches the user")
{
  fixture f;
  throwing_allocator allocator;
  for (const tested_call& call : calls(par(allocator))) {
    INFO(call.name);
    f.x = test::to_device(f.values);
    if (call.takes_storage) {
      CHECK_THROWS_AS(call.run(f.x, f.out), allocator_failure);
    } else {
      CHECK_NOTHROW(call.run(f.x, f.out));
    }
    if (call.takes_storage || !call.in_place) {
      test::require_equal(test::to_host(f.x), f.values);  // nothing has run, or nothing that writes there
    }
  }
  check_next_call(f);
}

TEST_CASE("a policy with a stream that cannot be used")
{
  fixture f;
#if GIMBAL_GPU
  // A stream that records a graph cannot be waited for, and what is recorded is not run.
  cudaStream_t stream = nullptr;
  test::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (const tested_call& call : calls(par.on(stream))) {
    INFO(call.name);
    test::check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CHECK_THROWS_AS(call.run(f.x, f.out), std::exception);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) {
      cudaGraphDestroy(graph);
    }
    cudaGetLastError();
  }
  test::check_cuda(cudaStreamDestroy(stream));
#else
  for (const tested_call& call : calls(par.on(gimbal::simt::invalid_stream()))) {
    INFO(call.name);
    CHECK_THROWS_AS(call.run(f.x, f.out), thrust::system_error);
    test::require_equal(test::to_host(f.x), f.values);
  }
#endif
  CHECK(test::pool_used() == 0);
  check_next_call(f);
}

#if GIMBAL_GPU
TEST_CASE("an error that others left behind is neither reported nor in the way")
{
  fixture f;
  CHECK(cudaMemset(nullptr, 0, 1) != cudaSuccess);  // pending until somebody asks
  check_next_call(f);
  cudaGetLastError();
}
#endif

/// A result of several words.
struct large {
  char text[103];
};

TEST_CASE("a result that no kernel writes is an error, and its slot is as good as new")
{
  {
    gimbal::host_result<large> result;
    REQUIRE(result.take().code == gimbal::simt::success);
    const gimbal::status missing = result.wait({});
    CHECK(missing.code == gimbal::simt::error_launch_failure);
    large written = {};
    std::strcpy(written.text, "a kernel writes it late");
    test::device_array<large> in(std::vector<large>{written});
    const large* const from = in.data();
    REQUIRE_FALSE(gimbal::algorithm::copy(from, result.output(), 1, {}));
    CHECK(result.wait({}).code == gimbal::simt::success);
    CHECK(std::string(result.value().text) == written.text);
  }
  gimbal::host_result<large> next;
  REQUIRE(next.take().code == gimbal::simt::success);
  CHECK(next.wait({}).code == gimbal::simt::error_launch_failure);
}

TEST_CASE("in steady state calls neither allocate nor wait twice")
{
  const test::streams_last kept(true);  // else words are a second block
  fixture f;
  for (const tested_call& call : calls(par)) {
    call.run(f.x, f.out);
  }
  const std::size_t held = gimbal::memory_held().held;
  const long pinned = counted(point::pinned_allocate);
  for (const tested_call& call : calls(par)) {
    INFO(call.name);
    const long waits = counted(point::wait);
    const long allocations = counted(point::allocate);
    call.run(f.x, f.out);
    CHECK(counted(point::wait) == waits + 1);
    CHECK(counted(point::allocate) <= allocations + 1);  // one block of the pool
  }
  CHECK(gimbal::memory_held().held == held);
  CHECK(counted(point::pinned_allocate) == pinned);
}

TEST_CASE("small problems take one launch and no storage")
{
  const std::size_t few = 500;
  auto x = test::to_device(test::random_values<int>(few, 3));
  thrust::device_vector<int> out(2 * few);
  for (const tested_call& call : calls(par)) {
    INFO(call.name);
    const long launches = counted(point::launch);
    call.run(x, out);
    CHECK(counted(point::launch) == launches + 1);
  }
}

TEST_CASE("empty ranges touch nothing")
{
  thrust::device_vector<int> x, out(2);
  const long launches = counted(point::launch);
  for (const tested_call& call : calls(par)) {
    call.run(x, out);
  }
  CHECK(counted(point::launch) == launches);
}

}  // namespace errors_test
