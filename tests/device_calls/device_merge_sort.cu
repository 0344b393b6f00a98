// Compares gimbal::DeviceMergeSort with CUB's.
#include <gimbal/cub/merge_sort.h>

#include "device_support.h"

#if GIMBAL_GPU
#include <cub/device/device_merge_sort.cuh>
#endif

#include <numeric>

using namespace device_calls;

namespace {

#if GIMBAL_GPU
using stock_sort = cub::DeviceMergeSort;
#else
using stock_sort = void;
#endif

/// Many keys are equivalent, so that an unstable sort gives another result.
struct by_high_bits {
  GIMBAL_HOST_DEVICE bool operator()(int a, int b) const { return (a >> 24) > (b >> 24); }
};

}  // namespace

TEST_CASE("DeviceMergeSort: every form")
{
  for (const int n : sizes()) {
    INFO("n = " << n);
    std::mt19937 random(10);
    std::vector<int> key(n);
    std::vector<std::int64_t> value(n);
    for (int i = 0; i < n; ++i) {
      key[i] = static_cast<int>(random());
      value[i] = i;
    }
    const thrust::device_vector<int> keys(key.begin(), key.end());
    const thrust::device_vector<std::int64_t> values(value.begin(), value.end());
    std::vector<std::int64_t> order = value;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return by_high_bits{}(key[a], key[b]); });
    std::vector<int> sorted;
    for (const std::int64_t i : order) {
      sorted.push_back(key[i]);
    }

    const auto keys_in_place = [&](auto call) {
      thrust::device_vector<int> data = keys;
      two_phases([&](void* s, std::size_t& b) { return call(s, b, raw(data)); });
      return to_host(data);
    };
    const auto keys_copied = [&](auto call) {
      thrust::device_vector<int> out(n, 77);
      two_phases([&](void* s, std::size_t& b) { return call(s, b, raw(keys), raw(out)); });
      check_equal(to_host(keys), key);
      return to_host(out);
    };
    // The values are the keys' old positions: they tell the order of the keys and of equivalent ones.
    const auto pairs_in_place = [&](auto call) {
      thrust::device_vector<int> data = keys;
      thrust::device_vector<std::int64_t> moved = values;
      two_phases([&](void* s, std::size_t& b) { return call(s, b, raw(data), raw(moved)); });
      check_equal(to_host(data), sorted);
      return to_host(moved);
    };
    const by_high_bits compare;
    check<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return keys_in_place(
          [&](void* s, std::size_t& b, auto data) { return decltype(calls)::type::SortKeys(s, b, data, n, compare); });
      },
      sorted);
    check<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return keys_in_place([&](void* s, std::size_t& b, auto data) {
          return decltype(calls)::type::StableSortKeys(s, b, data, static_cast<std::int64_t>(n), compare);
        });
      },
      sorted);
    check<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return keys_copied([&](void* s, std::size_t& b, auto in, auto out) {
          return decltype(calls)::type::SortKeysCopy(s, b, in, out, n, compare);
        });
      },
      sorted);
    check<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return keys_copied([&](void* s, std::size_t& b, auto in, auto out) {
          return decltype(calls)::type::StableSortKeysCopy(s, b, in, out, n, compare);
        });
      },
      sorted);
    check<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return pairs_in_place([&](void* s, std::size_t& b, auto data, auto moved) {
          return decltype(calls)::type::SortPairs(s, b, data, moved, n, compare);
        });
      },
      order);
    check<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return pairs_in_place([&](void* s, std::size_t& b, auto data, auto moved) {
          return decltype(calls)::type::StableSortPairs(s, b, data, moved, n, compare);
        });
      },
      order);
    check<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        thrust::device_vector<int> out(n, 77);
        thrust::device_vector<std::int64_t> moved(n, 77);
        two_phases([&](void* s, std::size_t& b) {
          return decltype(calls)::type::SortPairsCopy(s, b, raw(keys), raw(values), raw(out), raw(moved), n, compare);
        });
        check_equal(to_host(out), sorted);
        return to_host(moved);
      },
      order);
  }
}

TEST_CASE("DeviceMergeSort: in one phase")
{
  for (const int n : {0, 1, 1000, 20011}) {
    CAPTURE(n);
    std::mt19937 random(11);
    std::vector<int> key(n), place(n);
    for (int i = 0; i < n; ++i) {
      key[i] = static_cast<int>(random());
      place[i] = i;
    }
    std::vector<int> order = place;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return by_high_bits{}(key[a], key[b]); });
    std::vector<int> sorted;
    for (const int i : order) {
      sorted.push_back(key[i]);
    }
    const thrust::device_vector<int> keys(key.begin(), key.end()), values(place.begin(), place.end());
    const by_high_bits compare;
    using arrays = std::vector<std::vector<int>>;  // keys and values that are given, and those that are written to
    const auto run = [&](auto call) {
      thrust::device_vector<int> in = keys, in2 = values, out(n, 77), out2(n, 77);
      one_phase([&] { return call(raw(in), raw(in2), raw(out), raw(out2)); });
      return arrays{to_host(in), to_host(in2), to_host(out), to_host(out2)};
    };
    const std::vector<int> untouched(n, 77);
    const arrays keys_in_place{sorted, place, untouched, untouched};
    const arrays keys_copied{key, place, sorted, untouched};
    const arrays pairs_in_place{sorted, order, untouched, untouched};
    const arrays pairs_copied{key, place, sorted, order};
    check_in_one_phase<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return run([&](int* k, int*, int*, int*) { return decltype(calls)::type::SortKeys(k, n, compare); });
      },
      keys_in_place);
    check_in_one_phase<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return run([&](int* k, int*, int*, int*) { return decltype(calls)::type::StableSortKeys(k, n, compare); });
      },
      keys_in_place);
    check_in_one_phase<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return run([&](int* k, int*, int* o, int*) { return decltype(calls)::type::SortKeysCopy(k, o, n, compare); });
      },
      keys_copied);
    check_in_one_phase<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return run(
          [&](int* k, int*, int* o, int*) { return decltype(calls)::type::StableSortKeysCopy(k, o, n, compare); });
      },
      keys_copied);
    check_in_one_phase<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return run([&](int* k, int* v, int*, int*) { return decltype(calls)::type::SortPairs(k, v, n, compare); });
      },
      pairs_in_place);
    check_in_one_phase<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return run(
          [&](int* k, int* v, int*, int*) { return decltype(calls)::type::StableSortPairs(k, v, n, compare); });
      },
      pairs_in_place);
    check_in_one_phase<gimbal::DeviceMergeSort, stock_sort>(
      [&](auto calls) {
        return run(
          [&](int* k, int* v, int* o, int* w) { return decltype(calls)::type::SortPairsCopy(k, v, o, w, n, compare); });
      },
      pairs_copied);
  }
  CHECK(
    gimbal::DeviceMergeSort::SortKeys(static_cast<int*>(nullptr), 1, by_high_bits{})
    == gimbal::simt::error_invalid_value);
}

TEST_CASE("DeviceMergeSort: refused calls")
{
  const int n = 100003;
  thrust::device_vector<int> keys(n, 1), out(n, 77);
  using gimbal::DeviceMergeSort;
  const by_high_bits compare;
  refuses_small_storage(
    [&](void* s, std::size_t& b) { return DeviceMergeSort::SortKeysCopy(s, b, raw(keys), raw(out), n, compare); });
  check_equal(to_host(out), std::vector<int>(n, 77));

  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(DeviceMergeSort::SortKeys(nullptr, bytes, raw(keys), -1, compare) == invalid);
  CHECK(DeviceMergeSort::SortPairs(nullptr, bytes, raw(keys), raw(out), std::int64_t{-1}, compare) == invalid);
}
