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
  static constexpr index_type filling_tiles = multiprocessors * 2;

  static std::string name() { return name_of(Ways, " ways ", Threads, " threads of ", Items); }
};
template <unsigned Threads, unsigned Items>
struct in_pairs {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
  static std::string name() { return name_of("in pairs ", Threads, " threads of ", Items); }
};

template <unsigned Items, unsigned Levels>
struct by_ranks {
  static constexpr unsigned tile_items = Items;
  static constexpr unsigned sweep_levels = Levels;
  static std::string name() { return name_of("by ranks from tiles of ", Items, ", ", Levels, " levels a sweep"); }
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

/// From `in` to `out`, which may be the same; values as well, or none.
template <class... Shapes, class Key, class ValuesIn, class ValuesOut>
void variants(tuning_run& r, const Key* in, Key* out, ValuesIn values_in, ValuesOut values_out)
{
  const auto n = static_cast<index_type>(r.n());
  const auto variant = [&](auto shape) {
    r.variant(shape.name(), [=](void* storage, std::size_t& bytes) {
      return algorithm::merge_sort<tuning_of<decltype(shape)>>(
               storage, bytes, in, out, values_in, values_out, n, greater{}, nullptr)
        .code;
    });
  };
  (variant(Shapes{}), ...);
}

template <class Key, class... Shapes>
void keys(tuning_run& r)
{
  const std::size_t n = r.n();
  const Key* const in = r.random_array<Key>(n);
  const twin<Key> out = r.output<Key>(n);
  r.moves(2 * n * sizeof(Key));
  r.stock([=](auto&&... storage) {
    return cub::DeviceMergeSort::SortKeysCopy(storage..., in, out.stock, static_cast<std::int64_t>(n), greater{});
  });
  variants<Shapes...>(r, in, out.gimbal, algorithm::no_values{}, algorithm::no_values{});
}

/// In place, as stock sorts pairs.
template <class Key, class... Shapes>
void pairs(tuning_run& r)
{
  const std::size_t n = r.n();
  const Key* const in = r.random_array<Key>(n);
  const twin<Key> keys = r.in_place(in, n);
  const twin<Key> values = r.in_place(in, n);
  r.moves(4 * n * sizeof(Key));
  r.stock([=](auto&&... storage) {
    return cub::DeviceMergeSort::StableSortPairs(
      storage..., keys.stock, values.stock, static_cast<std::int64_t>(n), greater{});
  });
  variants<Shapes...>(
    r, static_cast<const Key*>(keys.gimbal), keys.gimbal, static_cast<const Key*>(values.gimbal), values.gimbal);
}

const tuning_subject u32{
  "merge_sort u32", keys<
                      std::uint32_t, by_default, in_pairs<256, 17>, shape<16, 512, 27>, shape<16, 256, 23>,
                      shape<8, 512, 27>, shape<4, 512, 27>, by_ranks<256, 4>>};
const tuning_subject u64{
  "merge_sort u64", keys<std::uint64_t, by_default, shape<16, 256, 17>, shape<16, 256, 11>, shape<16, 128, 17>>};
const tuning_subject wide{
  "merge_sort 16 bytes", keys<wide_key, by_default, shape<8, 256, 7>, shape<16, 256, 7>, shape<16, 128, 7>>};
const tuning_subject large{
  "merge_sort 32 bytes",
  keys<
    large_key, by_default, in_pairs<256, 3>, shape<8, 256, 5>, shape<16, 128, 7>, by_ranks<512, 4>, by_ranks<256, 4>>};
const tuning_subject u32_pairs{"merge_sort pairs of u32", pairs<std::uint32_t, by_default, shape<16, 256, 17>>};
const tuning_subject u64_pairs{"merge_sort pairs of u64", pairs<std::uint64_t, by_default>};

}  // namespace

}  // namespace perf
