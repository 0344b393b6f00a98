// What the sweeps of radix sorts sort, with stock's call for it.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "tune.h"

namespace perf {

/// Calls variants(keys in, keys out, values in, values out), beside stock's sort of keys alone.
template <class Key, class Variants>
void sort_keys(tuning_run& r, Variants variants)
{
  const Key* const keys = r.random_array<Key>(r.n());
  const twin<Key> out = r.output<Key>(r.n());
  r.moves(2 * r.n() * sizeof(Key));
  r.stock([=, n = static_cast<std::int32_t>(r.n())](auto&&... storage) {
    return cub::DeviceRadixSort::SortKeys(storage..., keys, out.stock, n);
  });
  variants(keys, out.gimbal, gimbal::algorithm::no_values{}, gimbal::algorithm::no_values{});
}

template <class Key, class Value, class Variants>
void sort_pairs(tuning_run& r, Variants variants)
{
  const Key* const keys = r.random_array<Key>(r.n());
  const twin<Key> keys_out = r.output<Key>(r.n());
  const Value* const values = r.random_array<Value>(r.n());
  const twin<Value> values_out = r.output<Value>(r.n());
  r.moves(2 * r.n() * (sizeof(Key) + sizeof(Value)));
  r.stock([=, n = static_cast<std::int32_t>(r.n())](auto&&... storage) {
    return cub::DeviceRadixSort::SortPairs(storage..., keys, keys_out.stock, values, values_out.stock, n);
  });
  variants(keys, keys_out.gimbal, values, values_out.gimbal);
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
