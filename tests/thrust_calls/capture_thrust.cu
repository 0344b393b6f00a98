// Tests Thrust calls on a stream that is being captured into a graph. A call that would have to wait throws, before it
// has done anything and without harm to the capture; any other is recorded, and the graph does on every replay what the
// call would do. Which calls wait is checked on the host executor as well.
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "thrust_support.h"

#if GIMBAL_GPU
#include "gpu/gpu_stream.h"
#endif

namespace capture_thrust_test {

using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::point;

struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};
struct twice {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return static_cast<int>(2u * static_cast<unsigned>(x)); }
};
struct sum {
  GIMBAL_HOST_DEVICE int operator()(int x, int y) const
  {
    return static_cast<int>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
  }
};
struct by_last_digit {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return (l & 15) < (r & 15); }
};

/// n items at `x`, which a call may also write, and room for as many results at `out`.
struct tested_call {
  const char* name;
  std::function<void(int* x, int* out, std::size_t n)> run;
};

template <class Policy>
std::vector<tested_call> calls_with_a_result(Policy policy)
{
  return {
    {"reduce", [=](int* x, int*, std::size_t n) { thrust::reduce(policy, x, x + n, 0, sum{}); }},
    {"transform_reduce",
     [=](int* x, int*, std::size_t n) { thrust::transform_reduce(policy, x, x + n, twice{}, 0, sum{}); }},
    {"inner_product",
     [=](int* x, int* y, std::size_t n) { thrust::inner_product(policy, x, x + n, y, 0, sum{}, sum{}); }},
    {"count", [=](int* x, int*, std::size_t n) { thrust::count(policy, x, x + n, 7); }},
    {"count_if", [=](int* x, int*, std::size_t n) { thrust::count_if(policy, x, x + n, is_odd{}); }},
    {"min_element", [=](int* x, int*, std::size_t n) { thrust::min_element(policy, x, x + n); }},
    {"max_element", [=](int* x, int*, std::size_t n) { thrust::max_element(policy, x, x + n); }},
    {"minmax_element", [=](int* x, int*, std::size_t n) { thrust::minmax_element(policy, x, x + n); }},
    {"any_of", [=](int* x, int*, std::size_t n) { thrust::any_of(policy, x, x + n, is_odd{}); }},
    {"all_of", [=](int* x, int*, std::size_t n) { thrust::all_of(policy, x, x + n, is_odd{}); }},
    {"find", [=](int* x, int*, std::size_t n) { thrust::find(policy, x, x + n, 7); }},
    {"mismatch", [=](int* x, int* y, std::size_t n) { thrust::mismatch(policy, x, x + n, y); }},
    {"equal", [=](int* x, int* y, std::size_t n) { thrust::equal(policy, x, x + n, y); }},
    {"is_sorted", [=](int* x, int*, std::size_t n) { thrust::is_sorted(policy, x, x + n); }},
    {"is_partitioned", [=](int* x, int*, std::size_t n) { thrust::is_partitioned(policy, x, x + n, is_odd{}); }},
    {"reduce_by_key",
     [=](int* x, int* out, std::size_t n) { thrust::reduce_by_key(policy, x, x + n / 2, x, out, out + n / 2); }},
    {"partition", [=](int* x, int*, std::size_t n) { thrust::partition(policy, x, x + n, is_odd{}); }},
    {"stable_partition",
     [=](int* x, int* y, std::size_t n) { thrust::stable_partition(policy, x, x + n, y, is_odd{}); }},
    {"partition_copy",
     [=](int* x, int* out, std::size_t n) {
       thrust::partition_copy(policy, x, x + n / 2, out, out + n / 2, is_odd{});
     }},
    {"copy_if", [=](int* x, int* out, std::size_t n) { thrust::copy_if(policy, x, x + n, out, is_odd{}); }},
    {"remove_if", [=](int* x, int*, std::size_t n) { thrust::remove_if(policy, x, x + n, is_odd{}); }},
    {"remove_copy", [=](int* x, int* out, std::size_t n) { thrust::remove_copy(policy, x, x + n, out, 7); }},
    {"unique", [=](int* x, int*, std::size_t n) { thrust::unique(policy, x, x + n); }},
    {"unique_copy", [=](int* x, int* out, std::size_t n) { thrust::unique_copy(policy, x, x + n, out); }},
    {"unique_by_key", [=](int* x, int*, std::size_t n) { thrust::unique_by_key(policy, x, x + n / 2, x + n / 2); }},
    {"unique_by_key_copy",
     [=](int* x, int* out, std::size_t n) { thrust::unique_by_key_copy(policy, x, x + n / 2, x, out, out + n / 2); }},
  };
}

template <class Policy>
std::vector<tested_call> calls_without_result(Policy policy)
{
  return
  {
    {"inclusive_scan", [=](int* x, int* out, std::size_t n) { thrust::inclusive_scan(policy, x, x + n, out, sum{}); }},
      {"exclusive_scan",
       [=](int* x, int* out, std::size_t n) { thrust::exclusive_scan(policy, x, x + n, out, 1, sum{}); }},
      {"transform_inclusive_scan",
       [=](int* x, int* out, std::size_t n) {
         thrust::transform_inclusive_scan(policy, x, x + n, out, twice{}, sum{});
       }},
      {"inclusive_scan_by_key",
       [=](int* x, int* out, std::size_t n) {
         thrust::inclusive_scan_by_key(policy, x, x + n, x, out, thrust::equal_to<int>{}, sum{});
       }},
      {"inclusive_scan_by_key",  // over its keys
       [=](int* x, int*, std::size_t n) {
         thrust::inclusive_scan_by_key(policy, x, x + n, x, x, thrust::equal_to<int>{}, sum{});
       }},
      {"exclusive_segmented_scan",
       [=](int* x, int* out, std::size_t n) { gimbal::exclusive_segmented_scan(policy, x, x + n, x, out, 1, sum{}); }},
      {"distribute",  // in place
       [=](int* x, int*, std::size_t n) {
         gimbal::vectors::distribute(policy, x, x + n, x, gimbal::vectors::plus<int>());
       }},
      {"split_if",
       [=](int* x, int* out, std::size_t n) {
         const auto where = gimbal::vectors::with_total(out, thrust::discard_iterator<>{});
         gimbal::vectors::split_if(policy, x, x + n, where, gimbal::vectors::bit_is_set{3});
       }},
      {"distribute",  // of segments
       [=](int* x, int* out, std::size_t n) {
         gimbal::vectors::distribute(policy, x, x + n, x, out, gimbal::vectors::max<int>());
       }},
      {"sort", [=](int* x, int*, std::size_t n) { thrust::sort(policy, x, x + n); }},
      {"sort_by_key", [=](int* x, int*, std::size_t n) { thrust::sort_by_key(policy, x, x + n / 2, x + n / 2); }},
      {"stable_sort", [=](int* x, int*, std::size_t n) { thrust::stable_sort(policy, x, x + n, by_last_digit{}); }},
      {"argsort", [=](int* x, int* out, std::size_t n) { gimbal::argsort(policy, x, x + n, out); }},
      {"radix_sort", [=](int* x, int*, std::size_t n) { gimbal::radix_sort(policy, x, x + n, twice{}); }},
#if GIMBAL_HAS_REDUCE_INTO
      {"reduce_into", [=](int* x, int* out, std::size_t n) { thrust::reduce_into(policy, x, x + n, out, 0, sum{}); }},
#endif
  };
}

/// All that a call could take from the library or enqueue.
std::vector<long> counted_steps()
{
  return {
    counted(point::launch), counted(point::fill), counted(point::allocate), counted(point::pinned_allocate),
    counted(point::wait)};
}

/// Each call throws an error that names it and has done nothing.
void check_refusals(
  const std::vector<tested_call>& calls, const std::function<void(const std::function<void()>&)>& captured)
{
  constexpr std::size_t n = 5000;
  const auto values = test::random_values<int>(n, 11);
  for (const tested_call& call : calls) {
    INFO(call.name);
    test::device_array<int> x(values);
    test::device_array<int> out(values);
    const std::vector<long> before = counted_steps();
    captured([&] {
      try {
        call.run(x.data(), out.data(), n);
        FAIL_CHECK("nothing thrown");
      } catch (const thrust::system_error& error) {
        INFO(error.what());
        CHECK(error.code().value() == static_cast<int>(gimbal::simt::error_stream_capture_unsupported));
        CHECK(std::string(error.what()).find("gimbal " + std::string(call.name) + " of ") != std::string::npos);
      }
    });
    CHECK(counted_steps() == before);
    test::require_equal(x.to_host(), values);
    test::require_equal(out.to_host(), values);
  }
}

#if !GIMBAL_GPU

TEST_CASE("calls that wait refuse a stream that is being captured")
{
  const auto stream = gimbal::simt::capturing_stream();
  const auto run = [](const std::function<void()>& call) { call(); };
  check_refusals(calls_with_a_result(gimbal::par.on(stream)), run);
  check_refusals(calls_with_a_result(gimbal::par_nosync.on(stream)), run);
  check_refusals(calls_without_result(gimbal::par.on(stream)), run);
}

TEST_CASE("calls that do not wait take a stream that is being captured")
{
  constexpr std::size_t n = 5000;
  for (const tested_call& call : calls_without_result(gimbal::par_nosync.on(gimbal::simt::capturing_stream()))) {
    INFO(call.name);
    test::device_array<int> x(test::random_values<int>(n, 12));
    test::device_array<int> out(n);
    const long waits = counted(point::wait);
    CHECK_NOTHROW(call.run(x.data(), out.data(), n));
    CHECK(counted(point::wait) == waits);
  }
}

#else

using test::capture;

const auto all_modes = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed};

TEST_CASE("calls that wait refuse a stream that is being captured, and the capture goes on")
{
  const test::stream own(0, cudaStreamNonBlocking);
  for (const cudaStreamCaptureMode mode : all_modes) {
    INFO("mode " << static_cast<int>(mode));
    const auto empty = [&](const std::function<void()>& call) {
      CHECK(capture(own.get(), mode, call).nodes().empty());
    };
    check_refusals(calls_with_a_result(gimbal::par.on(own.get())), empty);
    check_refusals(calls_with_a_result(gimbal::par_nosync.on(own.get())), empty);
    check_refusals(calls_without_result(gimbal::par.on(own.get())), empty);
  }
}

TEST_CASE("calls that do not wait are recorded, and replayed on other data")
{
  const test::stream own(0, cudaStreamNonBlocking);
  const auto mode =
    GENERATE(cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed);
  const std::vector<tested_call> wanted_calls = calls_without_result(gimbal::par);
  const std::vector<tested_call> calls = calls_without_result(gimbal::par_nosync.on(own.get()));
  for (const std::size_t n : {std::size_t{1}, std::size_t{500}, std::size_t{30000}, std::size_t{1000003}}) {
    for (std::size_t c = 0; c < calls.size(); ++c) {
      INFO(calls[c].name << " of " << n);
      test::device_array<int> x(n);
      test::device_array<int> out(n);
      capture recorded(own.get(), mode, [&] { calls[c].run(x.data(), out.data(), n); });
      for (std::uint64_t replay = 0; replay < 5; ++replay) {
        const auto values = test::random_values<int>(n, 100 * replay + c);
        test::device_array<int> wanted_x(values);
        test::device_array<int> wanted_out(values);
        wanted_calls[c].run(wanted_x.data(), wanted_out.data(), n);
        test::raw_copy(x.data(), values.data(), n * sizeof(int));
        test::raw_copy(out.data(), values.data(), n * sizeof(int));
        recorded.replay(own.get());
        test::require_equal(x.to_host(), wanted_x.to_host());
        test::require_equal(out.to_host(), wanted_out.to_host());
      }
    }
  }
}

TEST_CASE("beside a stream that is captured in any mode, calls on another work")
{
  const test::stream captured(0, cudaStreamNonBlocking);
  const test::stream own(0, cudaStreamNonBlocking);
  const std::size_t n = 30000;
  const auto values = test::random_values<int>(n, 13);
  for (const cudaStreamCaptureMode mode : all_modes) {
    INFO("mode " << static_cast<int>(mode));
    test::device_array<int> x(values);
    int sum_of_all = 0;
    capture recorded(captured.get(), mode, [&] {
      const auto policy = gimbal::par.on(own.get());
      CHECK_NOTHROW(sum_of_all = thrust::reduce(policy, x.data(), x.data() + n, 0, sum{}));
      CHECK_NOTHROW(thrust::sort(policy, x.data(), x.data() + n));
    });
    CHECK(recorded.nodes().empty());
    std::vector<int> wanted = values;
    std::sort(wanted.begin(), wanted.end());
    test::require_equal(x.to_host(), wanted);
    CHECK(sum_of_all == std::accumulate(values.begin(), values.end(), 0, sum{}));
  }
}

#endif

}  // namespace capture_thrust_test
