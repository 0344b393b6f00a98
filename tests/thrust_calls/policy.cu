// Tests the policies: eight forms, streams, allocators, waiting, what falls back to stock, and calls from device code.
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "thrust_support.h"

namespace policy_test {

using gimbal::route::signature;
using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::point;

/// A stream of its own where there are streams.
class own_stream {
public:
#if GIMBAL_GPU
  own_stream() { test::check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~own_stream() { cudaStreamDestroy(stream_); }
#endif
  gimbal::simt::stream_type get() const { return stream_; }
  void wait() const { REQUIRE(gimbal::simt::wait(stream_, "test").code == gimbal::simt::success); }

private:
  gimbal::simt::stream_type stream_{};
};

struct is_even {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 == 0; }
  GIMBAL_HOST_DEVICE bool operator()(const test::fat& x) const { return x.key % 2 == 0; }
};

struct evens_first {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return l % 2 == 0 && r % 2 != 0; }
};

/// A routed call that returns a value, one that does not, and a call that is not routed, all under one policy.
template <class Policy>
void use(const Policy& policy, bool waits)
{
  const int n = 30000;
  thrust::device_vector<int> x(n), sums(n);
  const long hits = gimbal::route::hits(signature::reduce) + gimbal::route::hits(signature::inclusive_scan);
  thrust::sequence(policy, x.begin(), x.end());  // not routed
  const long before = counted(point::wait);
  thrust::inclusive_scan(policy, x.begin(), x.end(), sums.begin());
  CHECK(counted(point::wait) == before + (waits ? 1 : 0));
  CHECK(thrust::reduce(policy, x.begin(), x.end()) == n / 2 * (n - 1));
  CHECK(counted(point::wait) == before + (waits ? 2 : 1));
  CHECK(sums[n - 1] == n / 2 * (n - 1));
  CHECK(gimbal::route::hits(signature::reduce) + gimbal::route::hits(signature::inclusive_scan) == hits + 2);
  thrust::stable_sort(policy, x.begin(), x.end(), evens_first{});       // takes storage
  CHECK(thrust::is_sorted(policy, x.begin(), x.end(), evens_first{}));  // waits
  CHECK(x[n / 2] == 1);
}

TEST_CASE("the eight forms of the policies")
{
  const own_stream stream;
  test::counting_allocator::counts counts;
  test::counting_allocator allocator{&counts};
  SECTION("par") { use(gimbal::par, true); }
  SECTION("par.on(stream)") { use(gimbal::par.on(stream.get()), true); }
  SECTION("par(allocator)") { use(gimbal::par(allocator), true); }
  SECTION("par(allocator).on(stream)") { use(gimbal::par(allocator).on(stream.get()), true); }
  SECTION("par_nosync") { use(gimbal::par_nosync, false); }
  SECTION("par_nosync.on(stream)") { use(gimbal::par_nosync.on(stream.get()), false); }
  SECTION("par_nosync(allocator)") { use(gimbal::par_nosync(allocator), false); }
  SECTION("par_nosync(allocator).on(stream)") { use(gimbal::par_nosync(allocator).on(stream.get()), false); }
  CHECK(counts.live == 0);
  CHECK(test::pool_used() == 0);
}

TEST_CASE("an allocator by value, by reference and as a temporary")
{
  test::counting_allocator::counts counts;
  test::counting_allocator allocator{&counts};
  const test::counting_allocator& constant = allocator;
  use(gimbal::par(allocator), true);
  const int once = counts.allocated;
  CHECK(once > 0);
  use(gimbal::par(constant), true);
  CHECK(counts.allocated == 2 * once);
  use(gimbal::par(test::counting_allocator{&counts}), true);
  CHECK(counts.allocated == 3 * once);
  CHECK(counts.live == 0);
}

TEST_CASE("temporary storage comes from the allocator alone")
{
  test::counting_allocator::counts counts;
  test::counting_allocator allocator{&counts};
  const auto policy = gimbal::par(allocator);
  const long pool = counted(point::allocate);
  thrust::device_vector<int> x = test::to_device(test::random_values<int>(20000, 1));
  thrust::sort(policy, x.begin(), x.end());
  CHECK(thrust::is_sorted(policy, x.begin(), x.end()));
  CHECK(counts.allocated > 0);
  CHECK(counted(point::allocate) == pool);
}

TEST_CASE("a fallback uses the policy's allocator, or the pool")
{
  const std::size_t n = 3000;
  std::vector<test::fat> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i].key = static_cast<int>(i);
  }
  const auto x = test::to_device(values);
  const auto stable_partition = [&](const auto& policy) {
    auto y = x;
    const long fallbacks = gimbal::route::fallbacks();
    CHECK(thrust::stable_partition(policy, y.begin(), y.end(), is_even{}) - y.begin() == n / 2);
    CHECK(gimbal::route::fallbacks() > fallbacks);
    const std::vector<test::fat> got = test::to_host(y);
    CHECK(got[1].key == 2);
    CHECK(got[n / 2].key == 1);
  };
  test::counting_allocator::counts counts;
  test::counting_allocator allocator{&counts};
  const long pool = counted(point::allocate);
  stable_partition(gimbal::par(allocator));
  CHECK(counts.allocated > 0);
  CHECK(counts.live == 0);
  CHECK(counted(point::allocate) == pool);
  stable_partition(gimbal::par);
  stable_partition(gimbal::par_nosync);
  CHECK(counted(point::allocate) > pool + 1);
  CHECK(test::pool_used() == 0);
}

struct my_policy : gimbal::execution_policy<my_policy> {};

TEST_CASE("a policy of the user's own is routed") { use(my_policy{}, true); }

TEST_CASE("memory is held between calls and given back on request")
{
  thrust::device_vector<int> x = test::to_device(test::random_values<int>(50000, 1));
  thrust::sort(gimbal::par, x.begin(), x.end());
  CHECK(test::pool_used() == 0);
  const std::size_t held = gimbal::memory_held().held;
  CHECK(held > 0);
  thrust::sort(gimbal::par, x.begin(), x.end());
  CHECK(gimbal::memory_held().held == held);
  gimbal::release_memory();
  CHECK(gimbal::memory_held().held == 0);
  thrust::sort(gimbal::par, x.begin(), x.end());
  CHECK(thrust::is_sorted(gimbal::par, x.begin(), x.end()));
}

#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM  // the default stream has nothing to do with these
/// What a thread does with gimbal::par: on a GPU all of it runs in that thread, on the host executor it is routed.
struct in_device_code {
  int* values;
  int n;
  int* results;

  GIMBAL_HOST_DEVICE void operator()(int i) const
  {
    int* const first = values + i * n;
    int* const last = first + n;
    int* const result = results + i * 8;
    result[0] = thrust::reduce(gimbal::par, first, last, 1);
    result[1] = static_cast<int>(thrust::count_if(gimbal::par, first, last, is_even{}));
    result[2] = static_cast<int>(thrust::min_element(gimbal::par_nosync, first, last) - first);
    result[3] = thrust::any_of(gimbal::par, first, last, is_even{})
                && thrust::find_if(gimbal::par, first, last, is_even{}) != last
                && !thrust::equal(gimbal::par, first, last - 1, first + 1);
    thrust::sort(gimbal::par, first, last);
    result[4] = first[0];
    result[5] = first[n - 1];
    result[6] = static_cast<int>(thrust::stable_partition(gimbal::par, first, last, is_even{}) - first);
    thrust::inclusive_scan(gimbal::par, first, last, first);
    result[7] = last[-1];
  }
};

TEST_CASE("calls from device code behave as on the host")
{
  const int n = 50;
  const std::vector<int> values = {3, -5, 8, 0, -1, 9, -100, 7, 2, -3};
  std::vector<int> repeated;
  for (int i = 0; i < 4 * n; ++i) {
    repeated.push_back(values[i % values.size()] + i / n);
  }
  auto x = test::to_device(repeated);
  thrust::device_vector<int> results(4 * 8);
  thrust::for_each(
    thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(4),
    in_device_code{thrust::raw_pointer_cast(x.data()), n, thrust::raw_pointer_cast(results.data())});
  const std::vector<int> got = test::to_host(results);
  for (int i = 0; i < 4; ++i) {
    const std::vector<int> mine(repeated.begin() + i * n, repeated.begin() + (i + 1) * n);
    const int sum = std::accumulate(mine.begin(), mine.end(), 0);
    CHECK(got[i * 8] == sum + 1);
    CHECK(got[i * 8 + 1] == std::count_if(mine.begin(), mine.end(), is_even{}));
    CHECK(got[i * 8 + 2] == 6);
    CHECK(got[i * 8 + 3] == 1);
    CHECK(got[i * 8 + 4] == -100 + i);  // negative keys come first
    CHECK(got[i * 8 + 5] == 9 + i);
    CHECK(got[i * 8 + 6] == got[i * 8 + 1]);
    CHECK(got[i * 8 + 7] == sum);
  }
}

#if GIMBAL_GPU
TEST_CASE("lambdas for the device alone")
{
  const int n = 5000;
  thrust::device_vector<int> x(n), out(n);
  thrust::sequence(gimbal::par, x.begin(), x.end());
  const auto odd = [] __device__(int i) { return i % 2 != 0; };
  const auto sum = [] __device__(int l, int r) { return l + r; };
  const auto later = [] __device__(int l, int r) { return l > r; };
  const auto block = [] __device__(int l, int r) { return l / 10 == r / 10; };
  CHECK(thrust::count_if(gimbal::par, x.begin(), x.end(), odd) == n / 2);
  CHECK(thrust::none_of(gimbal::par, x.begin(), x.end(), odd) == false);
  CHECK(thrust::max_element(gimbal::par, x.begin(), x.end(), later) == x.begin());
  thrust::inclusive_scan(gimbal::par, x.begin(), x.end(), out.begin(), sum);
  CHECK(out[n - 1] == n / 2 * (n - 1));
  thrust::exclusive_scan(gimbal::par, x.begin(), x.end(), out.begin(), 1, sum);
  CHECK(out[n - 1] == n / 2 * (n - 1) - (n - 1) + 1);
  thrust::inclusive_scan_by_key(gimbal::par, x.begin(), x.end(), x.begin(), out.begin(), block, sum);
  CHECK(out[19] == 145);
  CHECK(thrust::unique_copy(gimbal::par, x.begin(), x.end(), out.begin(), block) - out.begin() == n / 10);
  CHECK(thrust::copy_if(gimbal::par, x.begin(), x.end(), out.begin(), odd) - out.begin() == n / 2);
  CHECK(thrust::stable_partition(gimbal::par, x.begin(), x.end(), odd) - x.begin() == n / 2);
  thrust::sort(gimbal::par, x.begin(), x.end(), later);
  CHECK(x[0] == n - 1);
}

#endif
#endif

#if GIMBAL_GPU
TEST_CASE("a policy without a stream uses the default stream of this compilation")
{
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  const cudaStream_t expected = cudaStreamPerThread;
#else
  const cudaStream_t expected = cudaStreamLegacy;
#endif
  gimbal::par_policy policy;
  CHECK(gimbal::adaptor::stream_of(policy) == expected);
}

TEST_CASE("nosync calls return before their kernels have run, on the stream of the policy")
{
  const own_stream stream;
  const int n = 100000;
  thrust::device_vector<int> x(n, 1), out(n);
  const auto policy = gimbal::par_nosync.on(stream.get());
  thrust::inclusive_scan(policy, x.begin(), x.end(), out.begin());  // the kernel is loaded before the stream is held up
  stream.wait();

  std::atomic<bool> release{false};
  const auto hold = [](void* flag) {
    while (!static_cast<std::atomic<bool>*>(flag)->load()) {
    }
  };
  test::check_cuda(cudaLaunchHostFunc(stream.get(), hold, &release));
  thrust::inclusive_scan(policy, x.begin(), x.end(), x.begin());
  CHECK(cudaStreamQuery(stream.get()) == cudaErrorNotReady);
  release = true;
  stream.wait();
  CHECK(x[n - 1] == n);
}
#endif

}  // namespace policy_test
