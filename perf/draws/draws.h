// What the files of sorts write against: a draw, and the code that compares one combination of keys and values.
#pragma once

#include <gimbal/cub/merge_sort.h>
#include <gimbal/cub/radix_sort.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "../compare/comparison.h"
#include "../compare/functors.h"
#include "generator.h"

namespace perf {

/// How a sort is called: CUB's call by device time, or Thrust's by the wall clock.
enum class call_kind { device, thrust, thrust_stable };

struct draw;

/// One combination of types, known to main() by its name. Its kernels are compiled once for all draws.
struct subject {
  std::string name;
  key_kind kind;
  unsigned item_bytes;  ///< of key and value
  bool is_merge_sort;
  void (*compare)(comparison&, const draw&);
};

struct draw {
  const subject* what;
  call_kind call;
  distribution keys;
};

/// Adds a subject to those that are drawn.
struct drawn_subject {
  explicit drawn_subject(subject made);
};

template <class Word, unsigned Words, unsigned Compared>
struct key_maker<record_of<Word, Words, Compared>> {
  static constexpr unsigned bits = 8 * sizeof(Word);
  static constexpr unsigned words = Compared;
  static constexpr bool is_real = false;
  static_assert(Words <= most_words);

  __host__ __device__ static record_of<Word, Words, Compared> make(
    const distribution& d, std::uint64_t j, std::uint64_t value)
  {
    record_of<Word, Words, Compared> key;
    for (unsigned w = 0; w < Words; ++w) {
      key.word[w] = static_cast<Word>(w < Compared ? word_of(d, w, value) : mixed(j, w));
    }
    return key;
  }
};

/// A value of 16 bytes.
struct alignas(16) wide_value {
  std::uint64_t word[2];
};

/// The number of its item, by which stability is seen.
template <class Value>
struct number_of_item {
  __host__ __device__ Value operator()(std::uint64_t i) const
  {
    if constexpr (std::is_integral<Value>::value) {
      return static_cast<Value>(i);
    } else {
      return {{i, ~i}};
    }
  }
};

template <class Key>
const Key* make_keys(comparison& c, const distribution& d)
{
  Key* const items = c.filled<Key>(d.n, [d] __device__(std::uint64_t i) { return key_of_item<Key>(d, i); });
  if (d.order == arrangement::random) {
    return items;
  }
  thrust::stable_sort(thrust::device(memory_of_stock()), items, items + d.n, thrust::less<Key>{});
  return c.filled<Key>(d.n, [=] __device__(std::uint64_t i) { return items[source_of(d, i)]; });
}

template <class Value>
const Value* make_values(comparison& c)
{
  return c.filled<Value>(c.n(), number_of_item<Value>{});
}

/// Thrust's calls in place, by the wall clock. Of keys alone or with one array of values, as all that follows.
template <class Key, class... Value>
void compare_thrust(comparison& c, call_kind call, twin<Key> keys, twin<Value>... values)
{
  const auto in_place = [&](auto sort) {
    c.wall(thrust::device(memory_of_stock()), gimbal::par, [=, n = c.n()](auto policy, side of) {
      sort(call == call_kind::thrust_stable, policy, of(keys), of(keys) + n, of(values)..., thrust::less<Key>{});
    });
  };
  if constexpr (sizeof...(Value) == 0) {
    in_place(
      [](bool is_stable, auto... of_call) { is_stable ? thrust::stable_sort(of_call...) : thrust::sort(of_call...); });
  } else {
    in_place([](bool is_stable, auto... of_call) {
      is_stable ? thrust::stable_sort_by_key(of_call...) : thrust::sort_by_key(of_call...);
    });
  }
}

template <class Key, class... Value>
void compare_radix_of(comparison& c, call_kind call, const Key* in, const Value*... values)
{
  const int n = c.n();
  if (call != call_kind::device) {
    compare_thrust(c, call, c.changed_in_place(in, n), c.changed_in_place(values, n)...);
    return;
  }
  const auto into = [&](twin<Key> out, twin<Value>... values_out) {
    c.device<cub::DeviceRadixSort, gimbal::DeviceRadixSort>([=](auto calls, side of, auto&&... storage) {
      if constexpr (sizeof...(Value) == 0) {
        return calls.SortKeys(storage..., in, of(out), n);
      } else {
        return calls.SortPairs(storage..., in, of(out), values..., of(values_out)..., n);
      }
    });
  };
  into(c.output<Key>(n), c.output<Value>(n)...);
}
template <class Key, class... Value>
void compare_radix(comparison& c, const draw& drawn)
{
  compare_radix_of(c, drawn.call, make_keys<Key>(c, drawn.keys), make_values<Value>(c)...);
}

/// By comparisons, in place by either call.
template <class Key, class... Value>
void compare_merge_of(comparison& c, call_kind call, twin<Key> keys, twin<Value>... values)
{
  if (call != call_kind::device) {
    compare_thrust(c, call, keys, values...);
    return;
  }
  c.device<cub::DeviceMergeSort, gimbal::DeviceMergeSort>([=, n = c.n()](auto calls, side of, auto&&... storage) {
    const thrust::less<Key> less{};
    if constexpr (sizeof...(Value) == 0) {
      return calls.StableSortKeys(storage..., of(keys), n, less);
    } else {
      return calls.StableSortPairs(storage..., of(keys), of(values)..., n, less);
    }
  });
}
template <class Key, class... Value>
void compare_merge(comparison& c, const draw& drawn)
{
  const int n = c.n();
  compare_merge_of(
    c, drawn.call, c.changed_in_place(make_keys<Key>(c, drawn.keys), n),
    c.changed_in_place(make_values<Value>(c), n)...);
}

template <class Key, class... Value>
subject radix(const char* name)
{
  return {name, kind_of<Key>, (sizeof(Key) + ... + sizeof(Value)), false, compare_radix<Key, Value...>};
}
template <class Key, class... Value>
subject merge(const char* name)
{
  return {name, kind_of<Key>, (sizeof(Key) + ... + sizeof(Value)), true, compare_merge<Key, Value...>};
}

}  // namespace perf
