// Compares gimbal::DeviceSelect with CUB's.
#include <gimbal/cub/select.h>

#include "device_support.h"

#if GIMBAL_GPU
#include <cub/device/device_select.cuh>
#endif

using namespace device_calls;

namespace {

#if GIMBAL_GPU
using stock_select = cub::DeviceSelect;
#else
using stock_select = void;
#endif

constexpr int untouched = -77;

/// The selected items in front, the tail as it was; the count behind.
std::vector<int> selected(std::vector<int> picked, std::vector<int> tail)
{
  const std::size_t count = picked.size();
  picked.insert(picked.end(), tail.begin() + count, tail.end());
  picked.push_back(static_cast<int>(count));
  return picked;
}

}  // namespace

TEST_CASE("DeviceSelect: If, Flagged, FlaggedIf and Unique, copied and in place")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 11);
    const std::vector<int> flag = small_numbers<int>(n, 12);
    const thrust::device_vector<int> data(in.begin(), in.end());
    const thrust::device_vector<int> flags(flag.begin(), flag.end());
    const std::vector<int> poison(n, untouched);
    std::vector<int> positive, flagged, flagged_positive, unique;
    for (int i = 0; i < n; ++i) {
      if (in[i] > 0) {
        positive.push_back(in[i]);
      }
      if (flag[i] != 0) {
        flagged.push_back(in[i]);
      }
      if (flag[i] > 0) {
        flagged_positive.push_back(in[i]);
      }
      if (i == 0 || in[i] != in[i - 1]) {
        unique.push_back(in[i]);
      }
    }
    // In place the tail's contents are the call's own business: only what is selected is compared.
    const auto copied = [&](auto way, auto call) {
      thrust::device_vector<int> out(n, untouched);
      count_vector<int> count(1, untouched);
      way([&](auto&&... s) { return call(raw(data), raw(out), raw(count), s...); });
      check_equal(to_host(data), in);
      return with_count(out, count[0]);
    };
    const auto in_place = [&](auto way, auto call) {
      thrust::device_vector<int> both = data;
      count_vector<std::int64_t> count(1, untouched);
      way([&](auto&&... s) { return call(raw(both), raw(count), s...); });
      const auto found = static_cast<std::size_t>(std::int64_t{count[0]});
      REQUIRE(found <= both.size());
      both.resize(found);
      return to_host(both);
    };

    check_ways<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return copied(way, [&](auto first, auto out, auto count, auto&&... s) {
          return decltype(calls)::type::If(s..., first, out, count, n, is_positive{});
        });
      },
      selected(positive, poison));
    check_ways<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return in_place(way, [&](auto both, auto count, auto&&... s) {
          return decltype(calls)::type::If(s..., both, count, n, is_positive{});
        });
      },
      positive);
    check_ways<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return copied(way, [&](auto first, auto out, auto count, auto&&... s) {
          return decltype(calls)::type::Flagged(s..., first, raw(flags), out, count, n);
        });
      },
      selected(flagged, poison));
    check_ways<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return in_place(way, [&](auto both, auto count, auto&&... s) {
          return decltype(calls)::type::Flagged(s..., both, raw(flags), count, n);
        });
      },
      flagged);
    check_ways<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return copied(way, [&](auto first, auto out, auto count, auto&&... s) {
          return decltype(calls)::type::FlaggedIf(s..., first, raw(flags), out, count, n, is_positive{});
        });
      },
      selected(flagged_positive, poison));
    check_ways<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return in_place(way, [&](auto both, auto count, auto&&... s) {
          return decltype(calls)::type::FlaggedIf(s..., both, raw(flags), count, n, is_positive{});
        });
      },
      flagged_positive);
    check_ways<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return copied(way, [&](auto first, auto out, auto count, auto&&... s) {
          return decltype(calls)::type::Unique(s..., first, out, count, n);
        });
      },
      selected(unique, poison));
  }
}

TEST_CASE("DeviceSelect: Unique by any equality, copied and in place")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> in = small_numbers<int>(n, 17);
    const thrust::device_vector<int> data(in.begin(), in.end());
    std::vector<int> equal, near;
    for (int i = 0; i < n; ++i) {
      if (i == 0 || in[i] != in[i - 1]) {
        equal.push_back(in[i]);
      }
      if (i == 0 || !same_half{}(in[i - 1], in[i])) {
        near.push_back(in[i]);
      }
    }
    const auto in_place = [&](auto way, auto call) {
      thrust::device_vector<int> both = data;
      count_vector<int> count(1, untouched);
      way([&](auto&&... s) { return call(raw(both), raw(count), s...); });
      both.resize(static_cast<std::size_t>(int{count[0]}));
      return to_host(both);
    };
    check_newest<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        thrust::device_vector<int> out(n, untouched);
        count_vector<int> count(1, untouched);
        way([&](auto&&... s) {
          return decltype(calls)::type::Unique(s..., raw(data), raw(out), raw(count), n, same_half{});
        });
        return with_count(out, count[0]);
      },
      selected(near, std::vector<int>(n, untouched)));
    check_newest<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return in_place(
          way, [&](auto both, auto count, auto&&... s) { return decltype(calls)::type::Unique(s..., both, count, n); });
      },
      equal);
    check_newest<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return in_place(way, [&](auto both, auto count, auto&&... s) {
          return decltype(calls)::type::Unique(s..., both, count, n, same_half{});
        });
      },
      near);
  }
}

TEST_CASE("DeviceSelect: UniqueByKey")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    const std::vector<int> key = small_numbers<int>(n, 13);
    const std::vector<int> value = small_numbers<int>(n, 14);
    const thrust::device_vector<int> keys(key.begin(), key.end()), values(value.begin(), value.end());
    std::vector<int> near_keys, near_values, equal_keys, equal_values;
    for (int i = 0; i < n; ++i) {
      if (i == 0 || !same_half{}(key[i - 1], key[i])) {
        near_keys.push_back(key[i]);
        near_values.push_back(value[i]);
      }
      if (i == 0 || key[i - 1] != key[i]) {
        equal_keys.push_back(key[i]);
        equal_values.push_back(value[i]);
      }
    }
    const std::vector<int> poison(n, untouched);
    const auto run = [&](auto way, const std::vector<int>& expected_values, auto call) {
      thrust::device_vector<int> keys_out(n, untouched), values_out(n, untouched);
      count_vector<int> count(1, untouched);
      way([&](auto&&... s) { return call(raw(keys), raw(values), raw(keys_out), raw(values_out), raw(count), s...); });
      check_equal(with_count(values_out, count[0]), selected(expected_values, poison));
      return with_count(keys_out, count[0]);
    };
    check_ways<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return run(way, equal_values, [&](auto k, auto v, auto ko, auto vo, auto count, auto&&... s) {
          return decltype(calls)::type::UniqueByKey(s..., k, v, ko, vo, count, n);
        });
      },
      selected(equal_keys, poison));
    check_ways<gimbal::DeviceSelect, stock_select>(
      [&](auto calls, auto way) {
        return run(way, near_values, [&](auto k, auto v, auto ko, auto vo, auto count, auto&&... s) {
          return decltype(calls)::type::UniqueByKey(s..., k, v, ko, vo, count, static_cast<unsigned>(n), same_half{});
        });
      },
      selected(near_keys, poison));
  }
}

TEST_CASE("DeviceSelect: refused calls")
{
  const int n = 100003;
  thrust::device_vector<int> data(n, 1), out(n, untouched), count(1, untouched);
  using gimbal::DeviceSelect;
  refuses_small_storage(
    [&](void* s, std::size_t& b) { return DeviceSelect::If(s, b, raw(data), raw(out), raw(count), n, is_positive{}); });
  refuses_small_storage([&](void* s, std::size_t& b) {
    return DeviceSelect::UniqueByKey(s, b, raw(data), raw(data), raw(out), raw(out), raw(count), n);
  });
  check_equal(to_host(out), std::vector<int>(n, untouched));
  check_equal(to_host(count), std::vector<int>(1, untouched));

  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(DeviceSelect::If(nullptr, bytes, raw(data), raw(out), raw(count), -1, is_positive{}) == invalid);
  CHECK(DeviceSelect::Unique(nullptr, bytes, raw(data), raw(out), raw(count), -1) == invalid);
  CHECK(DeviceSelect::If(raw(data), raw(out), raw(count), -1, is_positive{}) == invalid);
  // 0 is the default stream, as for CUB; no other number is a stream.
  CHECK(
    DeviceSelect::If(nullptr, bytes, raw(data), raw(out), raw(count), n, is_positive{}, 0) == gimbal::simt::success);
  CHECK(DeviceSelect::If(nullptr, bytes, raw(data), raw(out), raw(count), n, is_positive{}, 7) == invalid);
  CHECK(DeviceSelect::Unique(raw(data), static_cast<int*>(nullptr), n) == invalid);
}
