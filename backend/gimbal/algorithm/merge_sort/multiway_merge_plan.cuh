// How algorithm/merge_sort/multiway_merge_sort.cuh cuts a sort up.
#pragma once

#include <gimbal/algorithm/merge_sort/tuning.h>

#include <gimbal/algorithm/merge_sort/merge_tile_sort.cuh>
#include <gimbal/collective/merge_tile.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// How a sort of n items is cut up.
struct multiway_merge_plan {
  unsigned thread_items;  ///< of a tile
  unsigned tile_items;    ///< for runs of the first sweep and for blocks of every kernel
  index_type tiles;
  unsigned sweeps;
  unsigned levels;      ///< of merging in pairs, in all sweeps
  bool searches_apart;  ///< splits have a launch of their own

  /// How many runs a sweep merges: the levels are spread evenly, the first sweeps take those left over.
  unsigned ways(unsigned sweep) const { return 1u << (levels / sweeps + (sweep < levels % sweeps ? 1 : 0)); }
};

/// What the kernels of one sort have in common.
template <class Tuning, class Keys, class Values>
struct multiway_merge_shape {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr unsigned ways = Tuning::ways;  ///< the most that a sweep merges
  static_assert(ways == 2 || ways == 4 || ways == 8 || ways == 16, "pieces are merged in pairs until one is left");
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items = Tuning::items_per_thread;
  // Each pair of pieces gets threads of its own, the last of which may have less than its share to do.
  static constexpr unsigned full_threads = block_threads - (ways / 2 - 1);
  using tile = block::merge_tile<key_type, has_values, block_threads, items>;
  static constexpr unsigned most_early_blocks = tuning::multiway_merge_early_blocks(has_values);
  static constexpr unsigned resident_blocks =  // of the kernel that merges
    tuning::multiway_merge_resident_threads(sizeof(key_type), bytes_of_values<Values>) / block_threads;

  static constexpr index_type largest_tile = index_type{full_threads} * items;

  static multiway_merge_plan plan(index_type n)
  {
    const auto quotient = [](index_type a, index_type b) { return a / b + (a % b != 0); };
    const index_type lone = largest_tile < Tuning::lone_tile_items ? largest_tile : Tuning::lone_tile_items;
    const index_type fewest_tiles = quotient(n, largest_tile);
    multiway_merge_plan result{items, 0, 0, 0, 0, false};
    index_type most_tiles = 1;
    while (most_tiles < fewest_tiles || (result.sweeps == 0 && n > lone)) {
      most_tiles *= ways;
      ++result.sweeps;
    }
    if (fewest_tiles < Tuning::filling_tiles) {  // the smallest tiles that take no further sweep
      const index_type share = quotient(n, most_tiles * full_threads) | 1;
      const index_type wanted = share < least_thread_items ? least_thread_items : share;
      result.thread_items = wanted < items ? static_cast<unsigned>(wanted) : items;
    }
    result.tile_items = full_threads * result.thread_items;
    result.tiles = quotient(n, result.tile_items);
    while (index_type{1} << result.levels < result.tiles) {
      ++result.levels;
    }
    result.searches_apart = result.tiles > Tuning::filling_tiles;
    return result;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
