// Keys in random order by a comparator: sweeps of many runs with various tiles, merging in pairs, and by ranks.
#include <cub/device/device_merge_sort.cuh>
#include <gimbal/algorithm/merge_sort/merge_sort.cuh>

#include "tune.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace algorithm = gimbal::algorithm;

struct greater {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const
  {
    return a > b;
  }
};

template <unsigned Ways, unsigned Threads, unsigned Items>
struct shape {
  static constexpr unsigned ways = Ways;
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
  static constexpr index_type lone_tile_items = 4096;
  static constexpr index_type filling_tiles = 132 * 2;

  static std::string name()
  {
    return std::to_string(Ways) + " ways " + std::to_string(Threads) + " threads of " + std::to_string(Items);
  }
};
template <unsigned Threads, unsigned Items>
struct in_pairs {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
  static std::string name() { return "in pairs " + std::to_string(Threads) + " threads of " + std::to_string(Items); }
};

template <unsigned Items, unsigned Levels>
struct by_ranks {
  static constexpr unsigned tile_items = Items;
  static constexpr unsigned sweep_levels = Levels;
  static std::string name()
  {
    return "by ranks from tiles of " + std::to_string(Items) + ", " + std::to_string(Levels) + " levels a sweep";
  }
};

/// A key of 16 bytes: by its first half.
struct wide_key {
  std::uint64_t first;
  std::uint64_t second;
  friend __host__ __device__ bool operator>(const wide_key& a, const wide_key& b) { return a.first > b.first; }
};

/// One of 32 bytes, likewise.
struct large_key : wide_key {
  std::uint64_t others[2];
};

struct by_default {
  static std::string name() { return "default"; }
};
template <class Shape>
using tuning_of = std::conditional_t<std::is_same_v<Shape, by_default>, void, Shape>;

template <class Shape, class Key>
void variant(tuning_run& r, const Key* in, Key* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return algorithm::merge_sort<tuning_of<Shape>>(
             storage, bytes, in, out, algorithm::no_values{}, algorithm::no_values{}, n, greater{}, nullptr)
      .code;
  });
}

template <class... Shapes, class Key>
void keys(tuning_run& r, const Key*)
{
  const std::size_t n = r.n();
  const Key* const in = r.random_array<Key>(n);
  Key* const expected = r.array<Key>(n);
  Key* const out = r.array<Key>(n);
  r.output(expected, out, n * sizeof(Key));
  r.moves(2 * n * sizeof(Key));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceMergeSort::SortKeysCopy(storage, bytes, in, expected, static_cast<std::int64_t>(n), greater{});
  });
  (variant<Shapes>(r, in, out), ...);
}

/// In place, as stock sorts pairs.
template <class Shape, class Key>
void pairs_variant(tuning_run& r, Key* keys, Key* values)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return algorithm::merge_sort<tuning_of<Shape>>(
             storage, bytes, static_cast<const Key*>(keys), keys, static_cast<const Key*>(values), values, n, greater{},
             nullptr)
      .code;
  });
}

template <class... Shapes, class Key>
void pairs(tuning_run& r, const Key*)
{
  const std::size_t n = r.n();
  const Key* const in = r.random_array<Key>(n);
  Key* const keys = r.array<Key>(n);
  Key* const values = r.array<Key>(n);
  Key* const stock_keys = r.array<Key>(n);
  Key* const stock_values = r.array<Key>(n);
  r.in_place(stock_keys, keys, in, n * sizeof(Key));
  r.in_place(stock_values, values, in, n * sizeof(Key));
  r.moves(4 * n * sizeof(Key));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceMergeSort::StableSortPairs(
      storage, bytes, stock_keys, stock_values, static_cast<std::int64_t>(n), greater{});
  });
  (pairs_variant<Shapes>(r, keys, values), ...);
}

const tuning_subject u32{"merge_sort u32", [](tuning_run& r) {
                           keys<
                             by_default, in_pairs<256, 17>, shape<16, 512, 27>, shape<16, 256, 23>, shape<8, 512, 27>,
                             shape<4, 512, 27>, by_ranks<256, 4>>(r, static_cast<const std::uint32_t*>(nullptr));
                         }};
const tuning_subject u64{"merge_sort u64", [](tuning_run& r) {
                           keys<by_default, shape<16, 256, 17>, shape<16, 256, 11>, shape<16, 128, 17>>(
                             r, static_cast<const std::uint64_t*>(nullptr));
                         }};
const tuning_subject wide{"merge_sort 16 bytes", [](tuning_run& r) {
                            keys<by_default, shape<8, 256, 7>, shape<16, 256, 7>, shape<16, 128, 7>>(
                              r, static_cast<const wide_key*>(nullptr));
                          }};
const tuning_subject large{
  "merge_sort 32 bytes", [](tuning_run& r) {
    keys<by_default, in_pairs<256, 3>, shape<8, 256, 5>, shape<16, 128, 7>, by_ranks<512, 4>, by_ranks<256, 4>>(
      r, static_cast<const large_key*>(nullptr));
  }};
const tuning_subject u32_pairs{"merge_sort pairs of u32", [](tuning_run& r) {
                                 pairs<by_default, shape<16, 256, 17>>(r, static_cast<const std::uint32_t*>(nullptr));
                               }};
const tuning_subject u64_pairs{
  "merge_sort pairs of u64", [](tuning_run& r) { pairs<by_default>(r, static_cast<const std::uint64_t*>(nullptr)); }};

}  // namespace

}  // namespace perf
