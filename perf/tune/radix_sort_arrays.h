// What the sweeps of radix sorts sort, with stock's call for it.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "tune.h"

namespace perf {

/// Of keys alone.
struct no_value {};
template <class Value>
constexpr std::size_t bytes_of = std::is_same_v<Value, no_value> ? 0 : sizeof(Value);

/// Calls variants(keys in, keys out, values in, values out), beside stock's sort.
template <class Key, class Value, class Variants>
void sort_arrays(tuning_run& r, Variants variants)
{
  const auto n = static_cast<std::int32_t>(r.n());
  const Key* const keys = r.random_array<Key>();
  const twin<Key> keys_out = r.output<Key>(n);
  r.moves(2 * r.n() * (sizeof(Key) + bytes_of<Value>));
  if constexpr (bytes_of<Value> == 0) {
    r.stock([=](auto&&... storage) { return cub::DeviceRadixSort::SortKeys(storage..., keys, keys_out.stock, n); });
    variants(keys, keys_out.gimbal, gimbal::algorithm::no_values{}, gimbal::algorithm::no_values{});
  } else {
    const Value* const values = r.random_array<Value>();
    const twin<Value> values_out = r.output<Value>(n);
    r.stock([=](auto&&... storage) {
      return cub::DeviceRadixSort::SortPairs(storage..., keys, keys_out.stock, values, values_out.stock, n);
    });
    variants(keys, keys_out.gimbal, values, values_out.gimbal);
  }
}

/// The radix engine with numbers of its own.
template <class... Engines, class Key, class ValuesIn, class ValuesOut>
void engine_variants(tuning_run& r, const Key* in, Key* out, ValuesIn values_in, ValuesOut values_out)
{
  namespace algorithm = gimbal::algorithm;
  const auto n = static_cast<gimbal::index_type>(r.n());
  r.variants<Engines...>([=](auto engine, void* storage, std::size_t& bytes) {
    return algorithm::radix_sort_arrays<decltype(engine)>(
             storage, bytes, algorithm::ascending{}, algorithm::make_sort_array(in, out),
             algorithm::make_sort_array(values_in, values_out), n, 0, 8 * sizeof(Key), nullptr)
      .code;
  });
}

}  // namespace perf
