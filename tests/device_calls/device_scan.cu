// Compares gimbal::DeviceScan with CUB's.
#include <gimbal/cub/scan.h>

#include "device_support.h"
#include "support.h"

#if GIMBAL_GPU
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
using stock_scan = cub::DeviceScan;
#else
using stock_scan = void;
#endif

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

TEST_CASE("DeviceScan: sums")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 3);
    const thrust::device_vector<int> data(in.begin(), in.end());
    for (const bool inclusive : {false, true}) {
      const std::vector<int> expected = scanned<int>(in, inclusive, true, 0, std::plus<>{}, one_run);
      check_ways<gimbal::DeviceScan, stock_scan>(
        [&](auto calls, auto way) {
          using type = typename decltype(calls)::type;
          thrust::device_vector<int> out(n, -77);
          way([&](auto&&... s) {
            return inclusive ? type::InclusiveSum(s..., raw(data), raw(out), n)
                             : type::ExclusiveSum(s..., raw(data), raw(out), n);
          });
          return to_host(out);
        },
        expected);
      check_ways<gimbal::DeviceScan, stock_scan>(
        [&](auto calls, auto way) {
          using type = typename decltype(calls)::type;
          thrust::device_vector<int> both = data;
          way([&](auto&&... s) {
            return inclusive ? type::InclusiveSum(s..., raw(both), n) : type::ExclusiveSum(s..., raw(both), n);
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
    const auto in_place = [&](auto way, auto call) {
      thrust::device_vector<affine> both = data;
      way([&](auto&&... s) { return call(raw(both), s...); });
      return to_host(both);
    };
    const auto copied = [&](auto way, auto call) {
      thrust::device_vector<affine> out(n);
      way([&](auto&&... s) { return call(raw(data), raw(out), s...); });
      return to_host(out);
    };
    const std::vector<affine> exclusive = scanned<affine>(in, false, true, init, compose_affine{}, one_run);
    check_ways<gimbal::DeviceScan, stock_scan>(
      [&](auto calls, auto way) {
        return copied(way, [&](auto first, auto out, auto&&... s) {
          return decltype(calls)::type::ExclusiveScan(s..., first, out, compose_affine{}, init, n);
        });
      },
      exclusive);
    check_ways<gimbal::DeviceScan, stock_scan>(
      [&](auto calls, auto way) {
        return in_place(way, [&](auto both, auto&&... s) {
          return decltype(calls)::type::ExclusiveScan(s..., both, compose_affine{}, init, n);
        });
      },
      exclusive);
    const std::vector<affine> inclusive = scanned<affine>(in, true, false, init, compose_affine{}, one_run);
    check_ways<gimbal::DeviceScan, stock_scan>(
      [&](auto calls, auto way) {
        return copied(way, [&](auto first, auto out, auto&&... s) {
          return decltype(calls)::type::InclusiveScan(s..., first, out, compose_affine{}, n);
        });
      },
      inclusive);
    check_ways<gimbal::DeviceScan, stock_scan>(
      [&](auto calls, auto way) {
        return in_place(way, [&](auto both, auto&&... s) {
          return decltype(calls)::type::InclusiveScan(s..., both, compose_affine{}, n);
        });
      },
      inclusive);
    check_ways<gimbal::DeviceScan, stock_scan>(
      [&](auto calls, auto way) {
        return copied(way, [&](auto first, auto out, auto&&... s) {
          return decltype(calls)::type::InclusiveScanInit(s..., first, out, compose_affine{}, init, n);
        });
      },
      scanned<affine>(in, true, true, init, compose_affine{}, one_run));
  }
}

TEST_CASE("DeviceScan: accumulator types")
{
  const int n = 3000;
  const std::vector<std::int8_t> in(n, 100);
  const thrust::device_vector<std::int8_t> data(in.begin(), in.end());
  // int8 items add up as int, as + does.
  check_ways<gimbal::DeviceScan, stock_scan>(
    [&](auto calls, auto way) {
      thrust::device_vector<int> out(n, -77);
      way([&](auto&&... s) { return decltype(calls)::type::InclusiveSum(s..., raw(data), raw(out), n); });
      return to_host(out);
    },
    scanned<int>(std::vector<int>(in.begin(), in.end()), true, false, 0, std::plus<>{}, one_run));
  // A double in front makes the sums double.
  check_ways<gimbal::DeviceScan, stock_scan>(
    [&](auto calls, auto way) {
      thrust::device_vector<double> out(n, -77);
      way([&](auto&&... s) {
        return decltype(calls)::type::ExclusiveScan(s..., raw(data), raw(out), ::cuda::std::plus<>{}, 0.5, n);
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
    const auto run = [&](auto way, auto call) {
      thrust::device_vector<int> out(n, -77);
      way([&](auto&&... s) { return call(raw(keys), raw(data), raw(out), s...); });
      return to_host(out);
    };
    check_ways<gimbal::DeviceScan, stock_scan>(
      [&](auto calls, auto way) {
        return run(way, [&](auto k, auto v, auto out, auto&&... s) {
          return decltype(calls)::type::ExclusiveSumByKey(s..., k, v, out, n);
        });
      },
      scanned<int>(in, false, true, 0, std::plus<>{}, same_key));
    check_ways<gimbal::DeviceScan, stock_scan>(
      [&](auto calls, auto way) {
        return run(way, [&](auto k, auto v, auto out, auto&&... s) {
          return decltype(calls)::type::InclusiveSumByKey(s..., k, v, out, n, same_half{});
        });
      },
      scanned<int>(in, true, false, 0, std::plus<>{}, near_key));
    check_ways<gimbal::DeviceScan, stock_scan>(
      [&](auto calls, auto way) {
        return run(way, [&](auto k, auto v, auto out, auto&&... s) {
          return decltype(calls)::type::ExclusiveScanByKey(s..., k, v, out, take_maximum{}, -2, n, same_half{});
        });
      },
      scanned<int>(in, false, true, -2, take_maximum{}, near_key));
    check_ways<gimbal::DeviceScan, stock_scan>(
      [&](auto calls, auto way) {
        return run(way, [&](auto k, auto v, auto out, auto&&... s) {
          return decltype(calls)::type::InclusiveScanByKey(s..., k, v, out, take_maximum{}, n);
        });
      },
      scanned<int>(in, true, false, 0, take_maximum{}, same_key));
  }
}

TEST_CASE("DeviceScan: refused calls")
{
  const int n = 100003;
  thrust::device_vector<int> data(n, 1), out(n, -77);
  using gimbal::DeviceScan;

  refuses_small_storage(
    [&](void* s, std::size_t& b) { return DeviceScan::ExclusiveSum(s, b, raw(data), raw(out), n); });
  refuses_small_storage(
    [&](void* s, std::size_t& b) { return DeviceScan::InclusiveSumByKey(s, b, raw(data), raw(data), raw(out), n); });
  CHECK(to_host(out) == std::vector<int>(n, -77));

  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(DeviceScan::ExclusiveSum(nullptr, bytes, raw(data), raw(out), std::int64_t{-5}) == invalid);
  CHECK(DeviceScan::InclusiveSum(nullptr, bytes, raw(data), static_cast<short>(-1)) == invalid);
  CHECK(DeviceScan::ExclusiveSumByKey(nullptr, bytes, raw(data), raw(data), raw(out), -1) == invalid);
  CHECK(DeviceScan::ExclusiveSum(raw(data), raw(out), -5) == invalid);
  CHECK(DeviceScan::InclusiveSum(static_cast<int*>(nullptr), raw(out), n) == invalid);
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
