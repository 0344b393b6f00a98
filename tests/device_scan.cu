// gimbal::DeviceReduce and gimbal::DeviceScan beside CUB's.
#include <gimbal/cub/reduce.h>
#include <gimbal/cub/scan.h>

#include "device_calls.h"
#include "support.h"

#if GIMBAL_GPU
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#endif

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

using namespace device_calls;

namespace {

#if GIMBAL_GPU
using stock_reduce = cub::DeviceReduce;
using stock_scan = cub::DeviceScan;
#else
using stock_reduce = void;
using stock_scan = void;
#endif

/// x -> a * x + b modulo 2^32; composition is associative and does not commute.
struct affine {
  unsigned a, b;
  friend bool operator==(const affine& x, const affine& y) { return x.a == y.a && x.b == y.b; }
};

struct compose {
  GIMBAL_HOST_DEVICE affine operator()(const affine& first, const affine& second) const
  {
    return {first.a * second.a, first.b * second.a + second.b};
  }
};

std::vector<affine> affine_maps(std::size_t count, unsigned seed)
{
  std::mt19937 random(seed);
  std::vector<affine> maps(count);
  for (affine& map : maps) {
    map = {static_cast<unsigned>(random()) | 1, static_cast<unsigned>(random())};
  }
  return maps;
}

struct same_half {
  GIMBAL_HOST_DEVICE bool operator()(int a, int b) const { return (a >> 1) == (b >> 1); }
};

struct square {
  GIMBAL_HOST_DEVICE std::int64_t operator()(std::int64_t x) const { return x * x; }
};

struct take_maximum {
  GIMBAL_HOST_DEVICE int operator()(int a, int b) const { return a < b ? b : a; }
};

/// The expected results: `start` is the value in front of each run, absent for sums without one.
template <class Out, class T, class Op, class SameRun>
std::vector<Out> scanned(const std::vector<T>& in, bool inclusive, bool has_init, T init, Op op, SameRun same_run)
{
  std::vector<Out> out(in.size());
  T running = init;
  bool exists = has_init;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i > 0 && !same_run(i - 1, i)) {
      running = init;
      exists = has_init;
    }
    const T next = exists ? op(running, in[i]) : in[i];
    out[i] = inclusive ? next : running;
    running = next;
    exists = true;
  }
  return out;
}

const auto one_run = [](std::size_t, std::size_t) { return true; };

}  // namespace

TEST_CASE("DeviceReduce: Reduce, Sum, Min and Max")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 1);
    const thrust::device_vector<int> data(in.begin(), in.end());
    const int sum = std::accumulate(in.begin(), in.end(), 0);
    const auto run = [&](auto call) {
      thrust::device_vector<int> out(1, -77);
      two_phases([&](void* storage, std::size_t& bytes) { return call(storage, bytes, raw(data), raw(out)); });
      return to_host(out)[0];
    };
    check<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls) {
        using type = typename decltype(calls)::type;
        return run([&](void* s, std::size_t& b, auto first, auto out) { return type::Sum(s, b, first, out, n); });
      },
      sum);
    check<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls) {
        using type = typename decltype(calls)::type;
        return run([&](void* s, std::size_t& b, auto first, auto out) {
          return type::Min(s, b, first, out, static_cast<unsigned>(n));
        });
      },
      n == 0 ? std::numeric_limits<int>::max() : *std::min_element(in.begin(), in.end()));
    check<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls) {
        using type = typename decltype(calls)::type;
        return run([&](void* s, std::size_t& b, auto first, auto out) {
          return type::Max(s, b, first, out, static_cast<std::int64_t>(n));
        });
      },
      n == 0 ? std::numeric_limits<int>::lowest() : *std::max_element(in.begin(), in.end()));
    check<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls) {
        using type = typename decltype(calls)::type;
        return run([&](void* s, std::size_t& b, auto first, auto out) {
          return type::Reduce(s, b, first, out, static_cast<std::size_t>(n), ::cuda::std::plus<>{}, 1000);
        });
      },
      1000 + sum);
  }
}

/// The extremes of `in` by gimbal, the least first.
template <class T>
std::vector<T> extremes(const std::vector<T>& in)
{
  test::device_array<T> data(in);
  test::device_array<T> out(2);
  const auto n = static_cast<std::int64_t>(in.size());
  two_phases([&](void* s, std::size_t& b) { return gimbal::DeviceReduce::Min(s, b, data.data(), out.data(), n); });
  two_phases([&](void* s, std::size_t& b) { return gimbal::DeviceReduce::Max(s, b, data.data(), out.data() + 1, n); });
  return out.to_host();
}

template <class T>
bool are_same_bits(const T& a, const T& b)
{
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

struct no_numbers {};  // where the toolkit has none

TEMPLATE_TEST_CASE(
  "DeviceReduce: extremes are items", "", float, double, std::int8_t, std::int64_t,
#if GIMBAL_HAS_INT128
  __int128,
#endif
#if GIMBAL_HAS_HALF
  __half,
#endif
#if GIMBAL_HAS_BFLOAT16
  __nv_bfloat16,
#endif
  no_numbers)
{
  using T = TestType;
  if constexpr (!std::is_same_v<T, no_numbers>) {
    using limits = ::cuda::std::numeric_limits<T>;
    CHECK(are_same_bits(extremes(std::vector<T>{})[0], T(limits::max())));
    CHECK(are_same_bits(extremes(std::vector<T>{})[1], T(limits::lowest())));
    std::vector<T> numbers{limits::max(), limits::lowest(), static_cast<T>(7)};
    if constexpr (limits::has_infinity) {
      numbers.push_back(limits::infinity());
      numbers.push_back(-limits::infinity());
    }
    if constexpr (limits::has_quiet_NaN) {
      numbers.push_back(limits::quiet_NaN());
    }
    for (const int n : {1, 3, 31, 33, 1025, 5000, 100003}) {
      INFO("n = " << n);
      for (const T& number : numbers) {
        const std::vector<T> found = extremes(std::vector<T>(n, number));
        CHECK(are_same_bits(found[0], number));
        CHECK(are_same_bits(found[1], number));
      }
      // Some of all but NaN.
      std::vector<T> in(n, static_cast<T>(7));
      in[n / 2] = numbers[limits::has_infinity ? 3 : 0];
      in[n / 3] = numbers[limits::has_infinity ? 4 : 1];
      const auto wanted = std::minmax_element(in.begin(), in.end());
      CHECK(are_same_bits(extremes(in)[0], *wanted.first));
      CHECK(are_same_bits(extremes(in)[1], *wanted.second));
    }
  }
}

TEST_CASE("DeviceReduce: accumulator types and iterators")
{
  const int n = 5000;
  const std::vector<std::int8_t> in(n, 100);
  const thrust::device_vector<std::int8_t> data(in.begin(), in.end());
  check<gimbal::DeviceReduce, stock_reduce>(
    [&](auto calls) {
      thrust::device_vector<std::int64_t> out(1, -77);
      two_phases([&](void* s, std::size_t& b) { return decltype(calls)::type::Sum(s, b, raw(data), raw(out), n); });
      return to_host(out)[0];
    },
    std::int64_t{100} * n);
  check<gimbal::DeviceReduce, stock_reduce>(
    [&](auto calls) {
      thrust::device_vector<std::int64_t> out(1, -77);
      const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), square{});
      two_phases([&](void* s, std::size_t& b) { return decltype(calls)::type::Sum(s, b, squares, raw(out), n); });
      return to_host(out)[0];
    },
    std::int64_t{n - 1} * n * (2 * n - 1) / 6);
}

TEST_CASE("DeviceReduce: an operator that does not commute")
{
  for (const int n : {1, 33, 4097, 100003}) {
    const std::vector<affine> in = affine_maps(n, 2);
    const thrust::device_vector<affine> data(in.begin(), in.end());
    thrust::device_vector<affine> out(1);
    two_phases([&](void* s, std::size_t& b) {
      return gimbal::DeviceReduce::Reduce(s, b, raw(data), raw(out), n, compose{}, affine{3, 5});
    });
    CHECK(to_host(out)[0] == std::accumulate(in.begin(), in.end(), affine{3, 5}, compose{}));
  }
}

TEST_CASE("DeviceScan: sums")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 3);
    const thrust::device_vector<int> data(in.begin(), in.end());
    for (const bool inclusive : {false, true}) {
      const std::vector<int> expected = scanned<int>(in, inclusive, true, 0, std::plus<>{}, one_run);
      check<gimbal::DeviceScan, stock_scan>(
        [&](auto calls) {
          using type = typename decltype(calls)::type;
          thrust::device_vector<int> out(n, -77);
          two_phases([&](void* s, std::size_t& b) {
            return inclusive ? type::InclusiveSum(s, b, raw(data), raw(out), n)
                             : type::ExclusiveSum(s, b, raw(data), raw(out), n);
          });
          return to_host(out);
        },
        expected);
      check<gimbal::DeviceScan, stock_scan>(
        [&](auto calls) {
          using type = typename decltype(calls)::type;
          thrust::device_vector<int> both = data;
          two_phases([&](void* s, std::size_t& b) {
            return inclusive ? type::InclusiveSum(s, b, raw(both), n) : type::ExclusiveSum(s, b, raw(both), n);
          });
          return to_host(both);
        },
        expected);
    }
  }
}

TEST_CASE("DeviceScan: an operator that does not commute, with and without an initial value")
{
  const affine init{3, 5};
  for (const int n : {0, 1, 33, 4097, 20011}) {
    INFO("n = " << n);
    const std::vector<affine> in = affine_maps(n, 4);
    const thrust::device_vector<affine> data(in.begin(), in.end());
    const auto in_place = [&](auto call) {
      thrust::device_vector<affine> both = data;
      two_phases([&](void* s, std::size_t& b) { return call(s, b, raw(both)); });
      return to_host(both);
    };
    const auto copied = [&](auto call) {
      thrust::device_vector<affine> out(n);
      two_phases([&](void* s, std::size_t& b) { return call(s, b, raw(data), raw(out)); });
      return to_host(out);
    };
    const std::vector<affine> exclusive = scanned<affine>(in, false, true, init, compose{}, one_run);
    check<gimbal::DeviceScan, stock_scan>(
      [&](auto calls) {
        return copied([&](void* s, std::size_t& b, auto first, auto out) {
          return decltype(calls)::type::ExclusiveScan(s, b, first, out, compose{}, init, n);
        });
      },
      exclusive);
    check<gimbal::DeviceScan, stock_scan>(
      [&](auto calls) {
        return in_place([&](void* s, std::size_t& b, auto both) {
          return decltype(calls)::type::ExclusiveScan(s, b, both, compose{}, init, n);
        });
      },
      exclusive);
    const std::vector<affine> inclusive = scanned<affine>(in, true, false, init, compose{}, one_run);
    check<gimbal::DeviceScan, stock_scan>(
      [&](auto calls) {
        return copied([&](void* s, std::size_t& b, auto first, auto out) {
          return decltype(calls)::type::InclusiveScan(s, b, first, out, compose{}, n);
        });
      },
      inclusive);
    check<gimbal::DeviceScan, stock_scan>(
      [&](auto calls) {
        return in_place([&](void* s, std::size_t& b, auto both) {
          return decltype(calls)::type::InclusiveScan(s, b, both, compose{}, n);
        });
      },
      inclusive);
    check<gimbal::DeviceScan, stock_scan>(
      [&](auto calls) {
        return copied([&](void* s, std::size_t& b, auto first, auto out) {
          return decltype(calls)::type::InclusiveScanInit(s, b, first, out, compose{}, init, n);
        });
      },
      scanned<affine>(in, true, true, init, compose{}, one_run));
  }
}

TEST_CASE("DeviceScan: accumulator types")
{
  const int n = 3000;
  const std::vector<std::int8_t> in(n, 100);
  const thrust::device_vector<std::int8_t> data(in.begin(), in.end());
  // int8 items add up as int, as + does.
  check<gimbal::DeviceScan, stock_scan>(
    [&](auto calls) {
      thrust::device_vector<int> out(n, -77);
      two_phases(
        [&](void* s, std::size_t& b) { return decltype(calls)::type::InclusiveSum(s, b, raw(data), raw(out), n); });
      return to_host(out);
    },
    scanned<int>(std::vector<int>(in.begin(), in.end()), true, false, 0, std::plus<>{}, one_run));
  // A double in front makes the sums double.
  check<gimbal::DeviceScan, stock_scan>(
    [&](auto calls) {
      thrust::device_vector<double> out(n, -77);
      two_phases([&](void* s, std::size_t& b) {
        return decltype(calls)::type::ExclusiveScan(s, b, raw(data), raw(out), ::cuda::std::plus<>{}, 0.5, n);
      });
      return to_host(out);
    },
    scanned<double>(std::vector<double>(in.begin(), in.end()), false, true, 0.5, std::plus<>{}, one_run));
}

TEST_CASE("DeviceScan: by key")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> key = small_numbers<int>(n, 5);
    const std::vector<int> in = small_numbers<int>(n, 6);
    const thrust::device_vector<int> keys(key.begin(), key.end()), data(in.begin(), in.end());
    const auto same_key = [&](std::size_t i, std::size_t j) { return key[i] == key[j]; };
    const auto near_key = [&](std::size_t i, std::size_t j) { return same_half{}(key[i], key[j]); };
    const auto run = [&](auto call) {
      thrust::device_vector<int> out(n, -77);
      two_phases([&](void* s, std::size_t& b) { return call(s, b, raw(keys), raw(data), raw(out)); });
      return to_host(out);
    };
    check<gimbal::DeviceScan, stock_scan>(
      [&](auto calls) {
        return run([&](void* s, std::size_t& b, auto k, auto v, auto out) {
          return decltype(calls)::type::ExclusiveSumByKey(s, b, k, v, out, n);
        });
      },
      scanned<int>(in, false, true, 0, std::plus<>{}, same_key));
    check<gimbal::DeviceScan, stock_scan>(
      [&](auto calls) {
        return run([&](void* s, std::size_t& b, auto k, auto v, auto out) {
          return decltype(calls)::type::InclusiveSumByKey(s, b, k, v, out, n, same_half{});
        });
      },
      scanned<int>(in, true, false, 0, std::plus<>{}, near_key));
    check<gimbal::DeviceScan, stock_scan>(
      [&](auto calls) {
        return run([&](void* s, std::size_t& b, auto k, auto v, auto out) {
          return decltype(calls)::type::ExclusiveScanByKey(s, b, k, v, out, take_maximum{}, -2, n, same_half{});
        });
      },
      scanned<int>(in, false, true, -2, take_maximum{}, near_key));
    check<gimbal::DeviceScan, stock_scan>(
      [&](auto calls) {
        return run([&](void* s, std::size_t& b, auto k, auto v, auto out) {
          return decltype(calls)::type::InclusiveScanByKey(s, b, k, v, out, take_maximum{}, n);
        });
      },
      scanned<int>(in, true, false, 0, take_maximum{}, same_key));
  }
}

TEST_CASE("DeviceReduce and DeviceScan: refused calls")
{
  const int n = 100003;
  thrust::device_vector<int> data(n, 1), out(n, -77);
  using gimbal::DeviceReduce;
  using gimbal::DeviceScan;

  refuses_small_storage([&](void* s, std::size_t& b) { return DeviceReduce::Sum(s, b, raw(data), raw(out), n); });
  refuses_small_storage(
    [&](void* s, std::size_t& b) { return DeviceScan::ExclusiveSum(s, b, raw(data), raw(out), n); });
  refuses_small_storage(
    [&](void* s, std::size_t& b) { return DeviceScan::InclusiveSumByKey(s, b, raw(data), raw(data), raw(out), n); });
  CHECK(to_host(out) == std::vector<int>(n, -77));

  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(DeviceReduce::Sum(nullptr, bytes, raw(data), raw(out), -1) == invalid);
  CHECK(DeviceReduce::Min(nullptr, bytes, raw(data), raw(out), ~std::size_t{0}) == invalid);
  CHECK(DeviceScan::ExclusiveSum(nullptr, bytes, raw(data), raw(out), std::int64_t{-5}) == invalid);
  CHECK(DeviceScan::InclusiveSum(nullptr, bytes, raw(data), static_cast<short>(-1)) == invalid);
  CHECK(DeviceScan::ExclusiveSumByKey(nullptr, bytes, raw(data), raw(data), raw(out), -1) == invalid);
}

TEST_CASE("DeviceScan: a user's stream")
{
  const int n = 20011;
  thrust::device_vector<int> data(n, 1), out(n, -77);
#if GIMBAL_GPU
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
#else
  gimbal::stream_type stream = {};
#endif
  std::size_t bytes = 0;
  REQUIRE(gimbal::DeviceScan::InclusiveSum(nullptr, bytes, raw(data), n, stream) == gimbal::simt::success);
  thrust::device_vector<unsigned char> storage(bytes);
  REQUIRE(
    gimbal::DeviceScan::InclusiveSum(raw(storage), bytes, raw(data), raw(out), n, stream) == gimbal::simt::success);
  REQUIRE_FALSE(gimbal::simt::wait(stream, "end of a scan"));
  CHECK(to_host(out)[n - 1] == n);
#if GIMBAL_GPU
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
#endif
}
