// What a merge sort should do: keys of several kinds, comparators, and the order that std::stable_sort gives.
#pragma once

#include <thrust/tuple.h>

#include <algorithm>
#include <gimbal/algorithm/merge_sort/merge_sort.cuh>
#include <numeric>

#include "support.h"

namespace merge_sort_reference {

namespace algorithm = gimbal::algorithm;
using gimbal::index_type;
using gimbal::algorithm::no_values;

/// Each way to sort has an entry, which a test calls with a tuning of its own: one that is based on the way. Many runs
/// at a time take room for splits, too.
template <class Tuning>
struct in_pairs {
  template <class Keys, class Values, class... All>
  static gimbal::status sort(const Keys& keys, const Values& values, index_type*, const All&... all)
  {
    return algorithm::pairwise_merge_sort<Tuning>(keys, values, all...);
  }
};
template <class Tuning>
struct in_few_sweeps {
  template <class... All>
  static gimbal::status sort(const All&... all)
  {
    return algorithm::multiway_merge_sort<Tuning>(all...);
  }
};
template <class Tuning>
struct by_ranks {
  template <class Keys, class Values, class... All>
  static gimbal::status sort(const Keys& keys, const Values& values, index_type*, const All&... all)
  {
    return algorithm::rank_merge_sort<Tuning>(keys, values, all...);
  }
};
template <class Tuning>
struct by_all_pairs {
};

/// algorithm::merge_sort by `Way`, with as much storage as any takes, or, void, as its table says.
template <class Way, class KeyIn, class KeyOut, class ValueIn, class ValueOut, class Compare>
gimbal::status merge_sort(
  void* storage, std::size_t& bytes, KeyIn keys_in, KeyOut keys_out, ValueIn values_in, ValueOut values_out,
  index_type n, Compare compare)
{
  const gimbal::simt::stream_type stream = 0;
  if constexpr (std::is_void_v<Way>) {
    return algorithm::merge_sort(storage, bytes, keys_in, keys_out, values_in, values_out, n, compare, stream);
  } else {
    auto keys = algorithm::make_sort_array(keys_in, keys_out);
    auto values = algorithm::as_moved(algorithm::make_sort_array(values_in, values_out));
    if constexpr (std::is_base_of_v<by_all_pairs<Way>, Way>) {
      using kernel = algorithm::all_pairs_merge_kernel<Way, decltype(keys), decltype(values), Compare>;
      const algorithm::all_pairs_row<kernel> row(n > 0, {keys, values, {compare}, static_cast<unsigned>(n)});
      return gimbal::plan_of(row).run(storage, bytes, stream);
    } else {
      gimbal::storage_layout layout;
      algorithm::add_sort_buffers(layout, keys, values, n, 2);
      index_type* splits = nullptr;
      layout.add(&splits, static_cast<std::size_t>(n));  // as many as tiles of no more ways than items need
      gimbal::status placed;
      return layout.place(storage, bytes, placed) && n > 0 ? Way::sort(keys, values, splits, n, compare, stream)
                                                           : placed;
    }
  }
}

/// Tiles so small that short inputs take many sweeps.
template <unsigned Ways, unsigned BlockThreads, unsigned Items>
struct small_multiway : in_few_sweeps<small_multiway<Ways, BlockThreads, Items>> {
  static constexpr unsigned ways = Ways;
  static constexpr unsigned block_threads = BlockThreads;
  static constexpr unsigned items_per_thread = Items;
};

/// Tiles of two warps.
struct small_ranks : by_ranks<small_ranks> {
  static constexpr unsigned tile_items = 64;
};

struct less {
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& l, const T& r) const
  {
    return l < r;
  }
};
struct greater {
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& l, const T& r) const
  {
    return r < l;
  }
};

/// Looks its keys up in a table, as a sort of indices does, and orders by what is there, or by no ordering at all.
/// Reports a key that is none of the input's.
struct by_table {
  const unsigned* table;
  unsigned size;
  unsigned* foreign;
  bool is_ordering = true;
  GIMBAL_DEVICE bool operator()(unsigned l, unsigned r) const
  {
    if (l >= size || r >= size) {
      *foreign = 1;
      return false;
    }
    return is_ordering ? table[l] < table[r] : ((l * 2654435761u ^ r * 40503u) >> 7 & 1) != 0;
  }
};

/// 128 bytes, the largest key; only the address of a real one leads from its first word to its last.
struct large {
  std::uint32_t word[32];
  large() = delete;
  explicit large(std::uint32_t value) : word{}
  {
    word[0] = value;
    word[31] = ~value;
  }
  friend GIMBAL_HOST_DEVICE bool operator<(const large& l, const large& r) { return l.word[0] < r.word[0]; }
  friend bool operator==(const large& l, const large& r) { return std::memcmp(&l, &r, sizeof(large)) == 0; }
  friend std::ostream& operator<<(std::ostream& out, const large& v) { return out << v.word[0]; }
};

template <class T>
T make(std::uint32_t v)
{
  if constexpr (std::is_same_v<T, test::bytes3>) {
    return {static_cast<unsigned char>(v), static_cast<unsigned char>(v >> 8), static_cast<unsigned char>(v >> 16)};
  } else if constexpr (std::is_same_v<T, test::tagged>) {
    return {static_cast<std::int32_t>(v % 1000), static_cast<std::int32_t>(v)};
  } else if constexpr (std::is_same_v<T, test::matrix>) {
    return {v, ~v, v * 3, v * 5};
  } else if constexpr (std::is_same_v<T, test::wide>) {
    return {v * 0.5, static_cast<std::int64_t>(v % 1000) - 500};
  } else if constexpr (std::is_same_v<T, thrust::tuple<int, double>>) {
    return T(static_cast<int>(v % 100), v * 0.5);
  } else {
    return static_cast<T>(v);
  }
}

enum class shape { random, few, constant, sorted, reversed };
constexpr shape every_shape[] = {shape::random, shape::few, shape::constant, shape::sorted, shape::reversed};

template <class T>
std::vector<T> make_keys(std::size_t n, shape s, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<T> keys;
  for (std::size_t i = 0; i < n; ++i) {
    const auto place = static_cast<std::uint32_t>(i);
    switch (s) {
      case shape::random:
        keys.push_back(make<T>(static_cast<std::uint32_t>(random())));
        break;
      case shape::few:
        keys.push_back(make<T>(random() % 4));
        break;
      case shape::constant:
        keys.push_back(make<T>(7));
        break;
      case shape::sorted:
        keys.push_back(make<T>(place));
        break;
      case shape::reversed:
        keys.push_back(make<T>(static_cast<std::uint32_t>(n) - place));
        break;
    }
  }
  return keys;
}

template <class T>
std::vector<T> make_values(std::size_t n)
{
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(make<T>(static_cast<std::uint32_t>(i)));
  }
  return values;
}

template <class T, class Compare>
std::vector<std::uint32_t> sorted_order(const std::vector<T>& keys, Compare compare)
{
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(
    order.begin(), order.end(), [&](std::uint32_t l, std::uint32_t r) { return compare(keys[l], keys[r]); });
  return order;
}

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<std::uint32_t>& order)
{
  std::vector<T> result;
  for (const std::uint32_t from : order) {
    result.push_back(values[from]);
  }
  return result;
}

/// Keys and values, copied and in place, with the input compared afterwards.
template <class Tuning, class Value, class Key, class Compare>
void check_pairs(const std::vector<Key>& keys, Compare compare)
{
  const index_type n = static_cast<index_type>(keys.size());
  const std::vector<Value> values = make_values<Value>(keys.size());
  const std::vector<std::uint32_t> order = sorted_order(keys, compare);
  INFO("n = " << n);
  test::device_array<Key> keys_in(keys);
  test::device_array<Value> values_in(values);
  {
    INFO("copied");
    test::device_array<Key> keys_out(keys.size());
    test::device_array<Value> values_out(keys.size());
    test::run([&](void* storage, std::size_t& bytes) {
      return merge_sort<Tuning>(
        storage, bytes, static_cast<const Key*>(keys_in.data()), keys_out.data(),
        static_cast<const Value*>(values_in.data()), values_out.data(), n, compare);
    });
    test::require_equal(keys_out.to_host(), permuted(keys, order));
    test::require_equal(values_out.to_host(), permuted(values, order));
    test::require_equal(keys_in.to_host(), keys);
    test::require_equal(values_in.to_host(), values);
  }
  INFO("in place");
  test::run([&](void* storage, std::size_t& bytes) {
    return merge_sort<Tuning>(
      storage, bytes, keys_in.data(), keys_in.data(), values_in.data(), values_in.data(), n, compare);
  });
  test::require_equal(keys_in.to_host(), permuted(keys, order));
  test::require_equal(values_in.to_host(), permuted(values, order));
}

/// Sorts indices by what a table holds, or by no ordering, and sees that only these are compared.
template <class Tuning>
void check_compared_keys(std::size_t n, bool is_ordering = true)
{
  INFO("n = " << n);
  const std::vector<unsigned> table = make_keys<unsigned>(n, shape::few, n);
  test::device_array<unsigned> device_table(table);
  test::device_array<unsigned> foreign(std::vector<unsigned>{0});
  test::device_array<unsigned> indices(make_values<unsigned>(n));
  const by_table compare{device_table.data(), static_cast<unsigned>(n), foreign.data(), is_ordering};
  test::run([&](void* storage, std::size_t& bytes) {
    return merge_sort<Tuning>(
      storage, bytes, indices.data(), indices.data(), no_values{}, no_values{}, static_cast<index_type>(n), compare);
  });
  REQUIRE(foreign.to_host()[0] == 0);
  if (is_ordering) {
    test::require_equal(indices.to_host(), sorted_order(table, less{}));
  }
}

#ifdef GIMBAL_INSTRUMENT
/// How many a sort of n keys takes.
template <class Tuning>
long launches_of(std::size_t n)
{
  namespace instrument = gimbal::simt::instrument;
  test::device_array<unsigned> data(make_keys<unsigned>(n, shape::random, 1));
  const long before = instrument::counted(instrument::point::launch);
  test::run([&](void* storage, std::size_t& bytes) {
    return merge_sort<Tuning>(
      storage, bytes, data.data(), data.data(), no_values{}, no_values{}, static_cast<index_type>(n), less{});
  });
  return instrument::counted(instrument::point::launch) - before;
}
#endif

}  // namespace merge_sort_reference
