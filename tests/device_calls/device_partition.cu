// Compares gimbal::DevicePartition with CUB's.
#include <gimbal/cub/partition.h>

#include "device_support.h"
#include "support.h"

using namespace device_calls;

namespace {

#if GIMBAL_GPU
using stock_partition = cub::DevicePartition;
#else
using stock_partition = void;
#endif

constexpr int untouched = -77;

/// The rejected items fill the end from the back.
std::vector<int> partitioned(std::vector<int> picked, const std::vector<int>& rejected)
{
  const std::size_t count = picked.size();
  picked.insert(picked.end(), rejected.rbegin(), rejected.rend());
  picked.push_back(static_cast<int>(count));
  return picked;
}

}  // namespace

TEST_CASE("DevicePartition: the rejected items stand at the end in reverse order")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 15);
    const std::vector<int> flag = small_numbers<int>(n, 16);
    const thrust::device_vector<int> data(in.begin(), in.end());
    const thrust::device_vector<int> flags(flag.begin(), flag.end());
    std::vector<int> positive, others, flagged, unflagged;
    for (int i = 0; i < n; ++i) {
      (in[i] > 0 ? positive : others).push_back(in[i]);
      (flag[i] != 0 ? flagged : unflagged).push_back(in[i]);
    }
    const auto run = [&](auto way, auto call) {
      thrust::device_vector<int> out(n, untouched);
      count_vector<unsigned> count(1, 77u);
      way([&](auto&&... s) { return call(raw(data), raw(out), raw(count), s...); });
      check_equal(to_host(data), in);
      return with_count(out, static_cast<unsigned>(count[0]));
    };
    check_ways<gimbal::DevicePartition, stock_partition>(
      [&](auto calls, auto way) {
        return run(way, [&](auto first, auto out, auto count, auto&&... s) {
          return decltype(calls)::type::If(s..., first, out, count, n, is_positive{});
        });
      },
      partitioned(positive, others));
    check_ways<gimbal::DevicePartition, stock_partition>(
      [&](auto calls, auto way) {
        return run(way, [&](auto first, auto out, auto count, auto&&... s) {
          return decltype(calls)::type::Flagged(s..., first, raw(flags), out, count, static_cast<std::int64_t>(n));
        });
      },
      partitioned(flagged, unflagged));
  }
}

#if GIMBAL_GPU
struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

TEST_CASE("DevicePartition: three ways, each in order, by CUB")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 18);
    const thrust::device_vector<int> data(in.begin(), in.end());
    std::vector<int> first, second, rest;
    for (const int x : in) {
      (x > 0 ? first : x % 2 != 0 ? second : rest).push_back(x);
    }
    // The three outputs as long as the input, what is not written as it was, and the counts.
    std::vector<int> wanted;
    for (const std::vector<int>* part : {&first, &second, &rest}) {
      wanted.insert(wanted.end(), part->begin(), part->end());
      wanted.insert(wanted.end(), n - part->size(), untouched);
    }
    wanted.push_back(static_cast<int>(first.size()));
    wanted.push_back(static_cast<int>(second.size()));
    const auto run = [&](auto way, auto call) {
      thrust::device_vector<int> out(3 * n + 2, untouched);
      int* const to = raw(out);
      way([&](auto&&... s) { return call(raw(data), to, to + n, to + 2 * n, to + 3 * n, s...); });
      check_equal(to_host(data), in);
      return to_host(out);
    };
    check_ways<gimbal::DevicePartition, stock_partition>(
      [&](auto calls, auto way) {
        return run(way, [&](auto from, auto a, auto b, auto c, auto count, auto&&... s) {
          return decltype(calls)::type::If(s..., from, a, b, c, count, n, is_positive{}, is_odd{});
        });
      },
      wanted);
  }
}
#endif

TEST_CASE("DevicePartition: refused calls")
{
  const int n = 100003;
  thrust::device_vector<int> data(n, 1), out(n, untouched), count(1, untouched);
  using gimbal::DevicePartition;
  refuses_small_storage([&](void* s, std::size_t& b) {
    return DevicePartition::Flagged(s, b, raw(data), raw(data), raw(out), raw(count), n);
  });
  refuses_small_storage([&](void* s, std::size_t& b) {
    return DevicePartition::If(s, b, raw(data), raw(out), raw(count), n, is_positive{});
  });
  check_equal(to_host(out), std::vector<int>(n, untouched));
  check_equal(to_host(count), std::vector<int>(1, untouched));

  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(
    DevicePartition::If(nullptr, bytes, raw(data), raw(out), raw(count), ~std::size_t{0}, is_positive{}) == invalid);
  CHECK(DevicePartition::If(raw(data), raw(out), raw(count), -1, is_positive{}) == invalid);
}
