// Compares gimbal::DeviceReduce with CUB's.
#include <gimbal/cub/reduce.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "device_support.h"
#include "support.h"

using namespace device_calls;

namespace {

#if GIMBAL_GPU
using stock_reduce = cub::DeviceReduce;
#else
using stock_reduce = void;
#endif

/// Orders by the distance from zero.
struct nearer {
  GIMBAL_HOST_DEVICE static int distance(int x) { return x < 0 ? -x : x; }
  GIMBAL_HOST_DEVICE bool operator()(int a, int b) const { return distance(a) < distance(b); }
};

struct times_100 {
  GIMBAL_HOST_DEVICE int operator()(std::int8_t x) const { return 100 * x; }
};

/// A map that scales by x, as a function of a number.
struct map_of {
  GIMBAL_HOST_DEVICE affine operator()(int x) const
  {
    return {static_cast<unsigned>(2 * x + 1), static_cast<unsigned>(x)};
  }
};

}  // namespace

TEST_CASE("DeviceReduce: Reduce, Sum, Min and Max")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 1);
    const thrust::device_vector<int> data(in.begin(), in.end());
    const int sum = std::accumulate(in.begin(), in.end(), 0);
    const auto run = [&](auto way, auto call) {
      thrust::device_vector<int> out(1, -77);
      way([&](auto&&... s) { return call(raw(data), raw(out), s...); });
      return to_host(out)[0];
    };
    check_ways<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        using type = typename decltype(calls)::type;
        return run(way, [&](auto first, auto out, auto&&... s) { return type::Sum(s..., first, out, n); });
      },
      sum);
    check_ways<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        using type = typename decltype(calls)::type;
        return run(way, [&](auto first, auto out, auto&&... s) {
          return type::Min(s..., first, out, static_cast<unsigned>(n));
        });
      },
      n == 0 ? std::numeric_limits<int>::max() : *std::min_element(in.begin(), in.end()));
    check_ways<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        using type = typename decltype(calls)::type;
        return run(way, [&](auto first, auto out, auto&&... s) {
          return type::Max(s..., first, out, static_cast<std::int64_t>(n));
        });
      },
      n == 0 ? std::numeric_limits<int>::lowest() : *std::max_element(in.begin(), in.end()));
    check_ways<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        using type = typename decltype(calls)::type;
        return run(way, [&](auto first, auto out, auto&&... s) {
          return type::Reduce(s..., first, out, static_cast<std::size_t>(n), ::cuda::std::plus<>{}, 1000);
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

/// Any NaN for a NaN: newer CCCL's cuda::maximum and minimum make one of their own of two.
template <class T>
bool are_same_bits(const T& a, const T& b)
{
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (!(a == a) && !(b == b));
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
  check_ways<gimbal::DeviceReduce, stock_reduce>(
    [&](auto calls, auto way) {
      thrust::device_vector<std::int64_t> out(1, -77);
      way([&](auto&&... s) { return decltype(calls)::type::Sum(s..., raw(data), raw(out), n); });
      return to_host(out)[0];
    },
    std::int64_t{100} * n);
  check_ways<gimbal::DeviceReduce, stock_reduce>(
    [&](auto calls, auto way) {
      thrust::device_vector<std::int64_t> out(1, -77);
      const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), square{});
      way([&](auto&&... s) { return decltype(calls)::type::Sum(s..., squares, raw(out), n); });
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
      return gimbal::DeviceReduce::Reduce(s, b, raw(data), raw(out), n, compose_affine{}, affine{3, 5});
    });
    CHECK(to_host(out)[0] == std::accumulate(in.begin(), in.end(), affine{3, 5}, compose_affine{}));
  }
}

TEST_CASE("DeviceReduce: TransformReduce")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 21);
    const thrust::device_vector<int> data(in.begin(), in.end());
    std::int64_t squares = 5;
    affine composed{3, 5};
    for (const int x : in) {
      squares += std::int64_t{x} * x;
      composed = compose_affine{}(composed, map_of{}(x));
    }
    check_ways<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        thrust::device_vector<std::int64_t> out(1, -77);
        way([&](auto&&... s) {
          return decltype(calls)::type::TransformReduce(
            s..., raw(data), raw(out), n, ::cuda::std::plus<>{}, square{}, std::int64_t{5});
        });
        return to_host(out)[0];
      },
      squares);
    const auto compose_all = [&](auto way) {
      thrust::device_vector<affine> out(1);
      way([&](auto&&... s) {
        return gimbal::DeviceReduce::TransformReduce(
          s..., raw(data), raw(out), n, compose_affine{}, map_of{}, affine{3, 5});
      });
      return to_host(out)[0];
    };
    CHECK(compose_all(with_storage{}) == composed);
    CHECK(compose_all(without_storage{}) == composed);
  }
}

TEST_CASE("DeviceReduce: ReduceByKey")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> key = small_numbers<int>(n, 22);
    const std::vector<std::int8_t> in = small_numbers<std::int8_t>(n, 23);
    const thrust::device_vector<int> keys(key.begin(), key.end());
    const thrust::device_vector<std::int8_t> data(in.begin(), in.end());
    // Keys, sums and their number, one behind the other; what is not written stays.
    std::vector<int> wanted_keys(n, -77), wanted_sums(n, -77);
    int runs = 0;
    for (int i = 0; i < n; ++i) {
      if (i == 0 || key[i] != key[i - 1]) {
        wanted_keys[runs] = key[i];
        wanted_sums[runs++] = 0;
      }
      wanted_sums[runs - 1] += 100 * in[i];  // more than 8 bits hold
    }
    std::vector<int> wanted = wanted_keys;
    wanted.insert(wanted.end(), wanted_sums.begin(), wanted_sums.end());
    wanted.push_back(runs);
    check_ways<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        thrust::device_vector<int> out(2 * n + 1, -77);
        const auto scaled = thrust::make_transform_iterator(raw(data), times_100{});
        way([&](auto&&... s) {
          return decltype(calls)::type::ReduceByKey(
            s..., raw(keys), raw(out), scaled, raw(out) + n, raw(out) + 2 * n, ::cuda::std::plus<>{}, n);
        });
        return to_host(out);
      },
      wanted);
  }
}

TEST_CASE("DeviceReduce: runs of 8-bit integers add up as int, as + does")
{
  const int n = 5000;
  const thrust::device_vector<int> keys(n, 3);
  const thrust::device_vector<std::int8_t> data(n, 100);
  check_ways<gimbal::DeviceReduce, stock_reduce>(
    [&](auto calls, auto way) {
      thrust::device_vector<int> out(3, -77);
      way([&](auto&&... s) {
        return decltype(calls)::type::ReduceByKey(
          s..., raw(keys), raw(out), raw(data), raw(out) + 1, raw(out) + 2, ::cuda::std::plus<>{},
          static_cast<std::int64_t>(n));
      });
      return to_host(out);
    },
    std::vector<int>{3, 100 * n, 1});
}

namespace {

/// An item and its position, of what std:: finds.
template <class It>
std::vector<std::int64_t> found(It first, It at)
{
  return {*at, at - first};
}

/// The last of the greatest.
template <class Less>
std::vector<int>::const_iterator last_greatest(const std::vector<int>& in, Less less)
{
  auto best = in.begin();
  for (auto it = in.begin(); it != in.end(); ++it) {
    best = less(*it, *best) ? best : it;
  }
  return best;
}

}  // namespace

TEST_CASE("DeviceReduce: ArgMin and ArgMax")
{
  for (const int n : sizes()) {
    if (n == 0) {
      continue;  // below: CUB writes nothing
    }
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 24);
    const thrust::device_vector<int> data(in.begin(), in.end());
    const auto run = [&](auto way, auto call) {
      thrust::device_vector<std::int64_t> out(2, -77);
      way([&](auto&&... s) { return call(raw(data), raw(out), raw(out) + 1, s...); });
      return to_host(out);
    };
    check_ways<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        return run(way, [&](auto first, auto value, auto index, auto&&... s) {
          return decltype(calls)::type::ArgMin(s..., first, value, index, n);
        });
      },
      found(in.begin(), std::min_element(in.begin(), in.end())));
    check_ways<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        return run(way, [&](auto first, auto value, auto index, auto&&... s) {
          return decltype(calls)::type::ArgMax(s..., first, value, index, n);
        });
      },
      found(in.begin(), std::max_element(in.begin(), in.end())));
    check_newest<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        return run(way, [&](auto first, auto value, auto index, auto&&... s) {
          return decltype(calls)::type::ArgMin(s..., first, value, index, n, nearer{});
        });
      },
      found(in.begin(), std::min_element(in.begin(), in.end(), nearer{})));
    check_newest<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls, auto way) {
        return run(way, [&](auto first, auto value, auto index, auto&&... s) {
          return decltype(calls)::type::ArgMax(s..., first, value, index, n, nearer{});
        });
      },
      found(in.begin(), std::max_element(in.begin(), in.end(), nearer{})));
  }
}

TEST_CASE("DeviceReduce: ArgMinMax and ArgMinLastMax")
{
  using gimbal::DeviceReduce;
  for (const int n : sizes()) {
    if (n == 0) {
      continue;
    }
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 25);
    const thrust::device_vector<int> data(in.begin(), in.end());
    // CUB has neither before CCCL 3.6.
    const auto check_both = [&](auto call, auto least, auto greatest) {
      std::vector<std::int64_t> wanted = found(in.begin(), least);
      const std::vector<std::int64_t> second = found(in.begin(), greatest);
      wanted.insert(wanted.end(), second.begin(), second.end());
      const auto run = [&](auto way) {
        thrust::device_vector<std::int64_t> out(4, -77);
        std::int64_t* const to = raw(out);
        way([&](auto&&... s) { return call(raw(data), to, to + 1, to + 2, to + 3, s...); });
        return to_host(out);
      };
      check_equal(run(with_storage{}), wanted);
      check_equal(run(without_storage{}), wanted);
    };
    check_both(
      [&](auto first, auto a, auto b, auto c, auto d, auto&&... s) {
        return DeviceReduce::ArgMinMax(s..., first, a, b, c, d, n);
      },
      std::min_element(in.begin(), in.end()), std::max_element(in.begin(), in.end()));
    check_both(
      [&](auto first, auto a, auto b, auto c, auto d, auto&&... s) {
        return DeviceReduce::ArgMinLastMax(s..., first, a, b, c, d, n);
      },
      std::min_element(in.begin(), in.end()), last_greatest(in, std::less<>{}));
    check_both(
      [&](auto first, auto a, auto b, auto c, auto d, auto&&... s) {
        return DeviceReduce::ArgMinMax(s..., first, a, b, c, d, n, nearer{});
      },
      std::min_element(in.begin(), in.end(), nearer{}), std::max_element(in.begin(), in.end(), nearer{}));
    check_both(
      [&](auto first, auto a, auto b, auto c, auto d, auto&&... s) {
        return DeviceReduce::ArgMinLastMax(s..., first, a, b, c, d, n, nearer{});
      },
      std::min_element(in.begin(), in.end(), nearer{}), last_greatest(in, nearer{}));
  }
}

TEST_CASE("DeviceReduce: extrema of nothing, as CUB documents them")
{
  using gimbal::DeviceReduce;
  const int* const none = nullptr;
  constexpr std::int64_t most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::lowest();
  thrust::device_vector<std::int64_t> out(4, -77);
  std::int64_t* const to = raw(out);
  const auto written = [&](auto call) {
    with_storage{}(call);
    return to_host(out);
  };
  using numbers = std::vector<std::int64_t>;
  const auto min = [&](auto&&... s) { return DeviceReduce::ArgMin(s..., none, to, to + 1, 0); };
  check_equal(written(min), numbers{most, 1, -77, -77});
  const auto max = [&](auto&&... s) { return DeviceReduce::ArgMax(s..., none, to, to + 1, 0); };
  check_equal(written(max), numbers{least, 1, -77, -77});
  const auto by_other = [&](auto&&... s) { return DeviceReduce::ArgMin(s..., none, to, to + 1, 0, nearer{}); };
  check_equal(written(by_other), numbers{0, 1, -77, -77});
  const auto both = [&](auto&&... s) { return DeviceReduce::ArgMinMax(s..., none, to, to + 1, to + 2, to + 3, 0); };
  check_equal(written(both), numbers{most, 1, least, 1});
}

_CCCL_SUPPRESS_DEPRECATED_PUSH  // by CUB
  TEST_CASE("DeviceReduce: extrema as pairs")
{
  using pair = gimbal::KeyValuePair<int, int>;
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 26);
    const thrust::device_vector<int> data(in.begin(), in.end());
    const auto run = [&](auto call) {
      test::device_array<pair> out(1);
      two_phases([&](void* s, std::size_t& b) { return call(s, b, raw(data), out.data()); });
      const pair got = out.to_host()[0];
      return std::vector<std::int64_t>{got.value, got.key};
    };
    using numbers = std::vector<std::int64_t>;
    check<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls) {
        return run([&](void* s, std::size_t& b, auto first, auto out) {
          return decltype(calls)::type::ArgMin(s, b, first, out, n);
        });
      },
      n == 0 ? numbers{std::numeric_limits<int>::max(), 1} : found(in.begin(), std::min_element(in.begin(), in.end())));
    check<gimbal::DeviceReduce, stock_reduce>(
      [&](auto calls) {
        return run([&](void* s, std::size_t& b, auto first, auto out) {
          return decltype(calls)::type::ArgMax(s, b, first, out, n);
        });
      },
      n == 0 ? numbers{std::numeric_limits<int>::lowest(), 1}
             : found(in.begin(), std::max_element(in.begin(), in.end())));
  }
}
_CCCL_SUPPRESS_DEPRECATED_POP

TEST_CASE("DeviceReduce: refused calls")
{
  const int n = 100003;
  thrust::device_vector<int> data(n, 1), out(1, -77);
  using gimbal::DeviceReduce;
  refuses_small_storage([&](void* s, std::size_t& b) { return DeviceReduce::Sum(s, b, raw(data), raw(out), n); });
  CHECK(to_host(out)[0] == -77);
  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(DeviceReduce::Sum(nullptr, bytes, raw(data), raw(out), -1) == invalid);
  CHECK(DeviceReduce::Min(nullptr, bytes, raw(data), raw(out), ~std::size_t{0}) == invalid);
  // In one phase there is no question: pointers are looked at.
  int* const none = nullptr;
  CHECK(DeviceReduce::Sum(raw(data), raw(out), -1) == invalid);
  CHECK(DeviceReduce::Sum(none, raw(out), n) == invalid);
  CHECK(DeviceReduce::Sum(raw(data), none, 0) == invalid);
  CHECK(DeviceReduce::ArgMin(raw(data), raw(out), none, n) == invalid);
  CHECK(to_host(out)[0] == -77);
}
