// Sorts by comparators, in the shapes that there are: merged in pairs, in few sweeps, by ranks.
#pragma once

#include <cub/device/device_merge_sort.cuh>
#include <gimbal/algorithm/merge_sort/merge_sort.cuh>

#include "tune.h"

namespace perf {

/// Keys of 8-byte words that are compared by the first of them.
template <unsigned Words, unsigned Compared>
using words = record_of<std::uint64_t, Words, Compared>;

struct greater {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const
  {
    return b < a;
  }
};

template <unsigned Ways, unsigned Threads, unsigned Items>
struct shape : blocks_of<Threads, Items> {
  static constexpr unsigned ways = Ways;
  static std::string name() { return name_of(Ways, " ways ", Threads, " threads of ", Items); }

  template <class... All>
  static gimbal::status sort(const All&... all)
  {
    return gimbal::algorithm::multiway_merge_sort<shape>(all...);
  }
};
template <unsigned Threads, unsigned Items>
struct in_pairs : blocks_of<Threads, Items> {
  static std::string name() { return name_of("in pairs ", Threads, " threads of ", Items); }

  template <class Keys, class Values, class... All>
  static gimbal::status sort(const Keys& keys, const Values& values, gimbal::index_type*, const All&... all)
  {
    return gimbal::algorithm::pairwise_merge_sort<in_pairs>(keys, values, all...);
  }
};

template <unsigned Items>
struct by_ranks {
  static constexpr unsigned tile_items = Items;
  static std::string name() { return name_of("by ranks from tiles of ", Items); }

  template <class Keys, class Values, class... All>
  static gimbal::status sort(const Keys& keys, const Values& values, gimbal::index_type*, const All&... all)
  {
    return gimbal::algorithm::rank_merge_sort<by_ranks>(keys, values, all...);
  }
};

struct by_default {
  static std::string name() { return "default"; }
};

/// From `in` to `out`, which may be the same; values as well, or none.
template <class... Shapes, class Key, class ValuesIn, class ValuesOut>
void variants(tuning_run& r, const Key* in, Key* out, ValuesIn values_in, ValuesOut values_out)
{
  namespace algorithm = gimbal::algorithm;
  const auto n = static_cast<gimbal::index_type>(r.n());
  r.variants<Shapes...>([=](auto shape, void* storage, std::size_t& bytes) {
    if constexpr (std::is_same_v<decltype(shape), by_default>) {
      return algorithm::merge_sort(storage, bytes, in, out, values_in, values_out, n, greater{}, nullptr).code;
    } else {
      auto keys = algorithm::make_sort_array(in, out);
      auto values = algorithm::as_moved(algorithm::make_sort_array(values_in, values_out));
      gimbal::storage_layout layout;
      algorithm::add_sort_buffers(layout, keys, values, n, 2);
      gimbal::index_type* splits = nullptr;
      layout.add(&splits, r.n() / 8 + 16);  // as many as tiles of 128 items or more need, of up to 16 ways
      gimbal::status placed;
      return (layout.place(storage, bytes, placed) ? shape.sort(keys, values, splits, n, greater{}, nullptr) : placed)
        .code;
    }
  });
}

template <class Key, class... Shapes>
void keys(tuning_run& r)
{
  const std::size_t n = r.n();
  const Key* const in = r.random_array<Key>();
  const twin<Key> out = r.output<Key>(n);
  r.moves(2 * n * sizeof(Key));
  r.stock([=](auto&&... storage) {
    return cub::DeviceMergeSort::SortKeysCopy(storage..., in, out.stock, static_cast<std::int64_t>(n), greater{});
  });
  variants<Shapes...>(r, in, out.gimbal, gimbal::algorithm::no_values{}, gimbal::algorithm::no_values{});
}

/// In place, as stock sorts pairs.
template <class Key, class... Shapes>
void pairs(tuning_run& r)
{
  const std::size_t n = r.n();
  const Key* const in = r.random_array<Key>();
  const twin<Key> keys = r.changed_in_place(in, n);
  const twin<Key> values = r.changed_in_place(in, n);
  r.moves(4 * n * sizeof(Key));
  r.stock([=](auto&&... storage) {
    return cub::DeviceMergeSort::StableSortPairs(
      storage..., keys.stock, values.stock, static_cast<std::int64_t>(n), greater{});
  });
  variants<Shapes...>(
    r, static_cast<const Key*>(keys.gimbal), keys.gimbal, static_cast<const Key*>(values.gimbal), values.gimbal);
}

}  // namespace perf
