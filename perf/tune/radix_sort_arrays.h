// What the sweeps of radix sorts sort, with stock's call for it.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "tune.h"

namespace perf {

template <class T>
struct sort_arrays {
  const T* in;
  T* expected;
  T* out;

  explicit sort_arrays(tuning_run& r) : sort_arrays(r, r.random_array<T>(r.n())) {}
  sort_arrays(tuning_run& r, const T* input) : in(input), expected(r.array<T>(r.n())), out(r.array<T>(r.n()))
  {
    r.output(expected, out, r.n() * sizeof(T));
  }
};

/// Calls variants(keys in, keys out, values in, values out), beside stock's sort of keys alone.
template <class Key, class Variants>
void sort_keys_of(tuning_run& r, const Key* keys, Variants variants)
{
  const sort_arrays<Key> k(r, keys);
  r.moves(2 * r.n() * sizeof(Key));
  r.stock([k, n = r.n()](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, k.in, k.expected, static_cast<std::int32_t>(n));
  });
  variants(k.in, k.out, gimbal::algorithm::no_values{}, gimbal::algorithm::no_values{});
}

template <class Key, class Variants>
void sort_keys(tuning_run& r, Variants variants)
{
  sort_keys_of<Key>(r, r.random_array<Key>(r.n()), variants);
}

template <class Key, class Value, class Variants>
void sort_pairs(tuning_run& r, Variants variants)
{
  const sort_arrays<Key> k(r);
  const sort_arrays<Value> v(r);
  r.moves(2 * r.n() * (sizeof(Key) + sizeof(Value)));
  r.stock([k, v, n = r.n()](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
      storage, bytes, k.in, k.expected, v.in, v.expected, static_cast<std::int32_t>(n));
  });
  variants(k.in, k.out, v.in, v.out);
}

/// The radix engine with numbers of its own.
template <class Engine, class Key, class ValuesIn, class ValuesOut>
void engine_variant(tuning_run& r, const Key* in, Key* out, ValuesIn values_in, ValuesOut values_out)
{
  r.variant(Engine::name(), [=, n = static_cast<gimbal::index_type>(r.n())](void* storage, std::size_t& bytes) {
    namespace algorithm = gimbal::algorithm;
    gimbal::simt::status result;
    const bool could = algorithm::radix_engine_sort<Engine>(
      result, storage, bytes, algorithm::ascending{}, algorithm::make_sort_array(in, out),
      algorithm::make_sort_array(values_in, values_out), n, 0, 8 * sizeof(Key), nullptr);
    return could ? result.code : cudaErrorInvalidConfiguration;
  });
}

}  // namespace perf
