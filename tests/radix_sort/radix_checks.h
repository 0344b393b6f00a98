// What radix sorts are checked by, whatever runs them: a test defines `driver<Tuning>` with
//   sort<Order>(keys_in, keys_out, values_in, values_out, n, begin, end)
//   values_shift, how many values are left out before those that are sorted
#pragma once

#include <thrust/tuple.h>

#include <algorithm>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>
#include <numeric>

#include "radix_reference.h"
#include "support.h"

namespace algorithm = gimbal::algorithm;
using gimbal::index_type;
using gimbal::algorithm::no_values;
using test::ascending;
using test::cell;
using test::descending;
using test::every_shape;
using test::make_keys;
using test::permuted;
using test::require_same_bits;
using test::shape;
using test::sorted_order;

template <class Tuning>
struct driver;

template <class Key>
inline constexpr int all_bits = 8 * sizeof(Key);

template <class Key>
Key* pointer(test::device_array<cell<Key>>& keys)
{
  return reinterpret_cast<Key*>(keys.data());
}

template <class Value>
Value value_of_index(std::uint32_t i)
{
  if constexpr (std::is_same_v<Value, test::bytes3>) {
    return {static_cast<unsigned char>(i), static_cast<unsigned char>(i >> 8), static_cast<unsigned char>(i >> 16)};
  } else if constexpr (std::is_same_v<Value, test::tagged>) {
    return {static_cast<std::int32_t>(i), static_cast<std::int32_t>(~i)};
  } else if constexpr (std::is_same_v<Value, test::matrix>) {
    return {i, ~i, i * 3, i * 5};
  } else if constexpr (std::is_same_v<Value, thrust::tuple<int, double>>) {
    return Value(static_cast<int>(i), i * 0.5);
  } else if constexpr (std::is_constructible_v<Value, std::uint32_t>) {
    return static_cast<Value>(i);
  } else {
    Value value{};
    std::memcpy(static_cast<void*>(&value), &i, sizeof(i));
    return value;
  }
}
template <class Value>
std::vector<Value> values_of_indices(std::size_t n)
{
  std::vector<Value> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(value_of_index<Value>(static_cast<std::uint32_t>(i)));
  }
  return values;
}

/// Keys alone, copied and in place, at addresses that are aligned for nothing but a key.
template <class Tuning, class Order, class Key>
void check_keys(const std::vector<cell<Key>>& keys, int begin = 0, int end = all_bits<Key>, std::size_t shift = 1)
{
  const std::vector<cell<Key>> wanted = permuted(keys, sorted_order<Order, Key>(keys, begin, end));
  INFO("n = " << keys.size() << ", bits " << begin << " to " << end << ", shifted by " << shift);
  test::device_array<cell<Key>> in(keys, shift);
  test::device_array<cell<Key>> out(keys.size(), shift);
  const auto sort_to = [&](test::device_array<cell<Key>>& to) {
    driver<Tuning>::template sort<Order>(
      pointer<Key>(in), pointer<Key>(to), no_values{}, no_values{}, keys.size(), begin, end);
    require_same_bits(to.to_host(), wanted);
  };
  sort_to(out);
  require_same_bits(in.to_host(), keys);
  sort_to(in);
}

/// Keys with their positions as values, which show whether the sort was stable, copied and in place.
template <class Tuning, class Order, class Key, class Value = std::uint32_t>
void check_pairs(const std::vector<cell<Key>>& keys, int begin = 0, int end = all_bits<Key>, std::size_t shift = 0)
{
  const std::vector<Value> values = values_of_indices<Value>(keys.size());
  const std::vector<std::uint32_t> order = sorted_order<Order, Key>(keys, begin, end);
  const std::vector<cell<Key>> wanted_keys = permuted(keys, order);
  const std::vector<Value> wanted_values = permuted(values, order);
  INFO("n = " << keys.size() << ", bits " << begin << " to " << end << ", shifted by " << shift);
  constexpr std::size_t values_shift = driver<Tuning>::values_shift;
  test::device_array<cell<Key>> in(keys, shift);
  test::device_array<cell<Key>> out(keys.size(), shift);
  test::device_array<Value> values_in(values, shift + values_shift);
  test::device_array<Value> values_out(keys.size(), values_shift);
  const auto sort_to = [&](test::device_array<cell<Key>>& to, test::device_array<Value>& values_to) {
    driver<Tuning>::template sort<Order>(
      pointer<Key>(in), pointer<Key>(to), values_in.data(), values_to.data(), keys.size(), begin, end);
    require_same_bits(to.to_host(), wanted_keys);
    test::require_equal(values_to.to_host(), wanted_values);
  };
  {
    INFO("copied");
    sort_to(out, values_out);
    require_same_bits(in.to_host(), keys);
    test::require_equal(values_in.to_host(), values);
  }
  if constexpr (std::is_integral_v<Value> && sizeof(Value) >= 4) {
    INFO("without values, which stand for the positions");
    test::device_array<Value> positions(keys.size(), values_shift);
    driver<Tuning>::template sort<Order>(
      pointer<Key>(in), pointer<Key>(out), static_cast<const Value*>(nullptr), positions.data(), keys.size(), begin,
      end);
    test::require_equal(positions.to_host(), wanted_values);
  }
  INFO("in place");
  sort_to(in, values_in);
}
