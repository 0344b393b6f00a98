// The first launch of kernel/multiway_merge_sort.cuh: how the sort is cut up, and the kernel that sorts each tile.
//
// Each thread sorts its own few items in registers, then threads merge each other's runs in shared memory, twice as
// many in each round. While the threads of a merge are all of one warp, a warp barrier is enough; it orders shared
// memory among them, and nobody else touches their places. Stable; where values are sorted along, each key carries the
// place that it came from, and values are fetched once, in the end.
#pragma once

#include <gimbal/tuning_sort.h>

#include <gimbal/block/merge_tile.cuh>
#include <gimbal/kernel/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

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
      result.thread_items = share < items ? static_cast<unsigned>(share) : items;
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

/// Sorts each tile by itself.
template <class Tuning, class Keys, class Values, class Compare>
struct multiway_tile_sort_kernel {
  using shape = multiway_merge_shape<Tuning, Keys, Values>;
  using value_type = typename shape::value_type;
  using tile = typename shape::tile;
  using shared = typename tile::shared;
  static constexpr unsigned block_threads = shape::block_threads;
  static constexpr unsigned most_early_blocks = tuning::multiway_merge_early_blocks(shape::has_values);
  static constexpr unsigned items = shape::items;

  Keys keys;
  Values values;
  sort_place target;
  index_type n;
  unsigned thread_items;
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned tile_items = shape::full_threads * thread_items;
    const index_type first = static_cast<index_type>(ctx.block()) * tile_items;
    const unsigned valid = n - first < tile_items ? static_cast<unsigned>(n - first) : tile_items;
    Compare less = compare;
    typename tile::piece mine;
    tile::striped::load_async(ctx, smem.keys, keys.input + first, valid);
    ctx.sync_block();  // the tile is there
    tile::read(smem, ctx.thread() * thread_items, thread_items, valid, mine);
    tile::sort(mine, less);
    for (unsigned threads = 1; threads * thread_items < valid; threads *= 2) {
      tile::write(smem, mine);  // nobody else has read these places since they were last written and waited for
      block::sync_threads(ctx, 2 * threads);  // runs of `threads` threads are there
      merge_runs(ctx, smem, threads, valid, less, mine);
      block::sync_threads(ctx, 2 * threads);  // both runs have been read
    }
    tile::write(smem, mine);
    ctx.sync_block();  // the sorted tile is there
    ctx.let_next_launch_start();
    keys.write(target, [&](auto to) { tile::striped::store(ctx, smem.keys, to + first, valid); });
    if constexpr (shape::has_values) {
      move_values(ctx, smem, first, valid);
    }
  }

private:
  /// Merge neighbouring runs of `threads` threads each; each thread takes its piece of the result.
  template <class Context>
  GIMBAL_DEVICE void merge_runs(
    Context& ctx, const shared& smem, unsigned threads, unsigned valid, Compare& less, typename tile::piece& mine) const
  {
    const unsigned first_thread = ctx.thread() & ~(2 * threads - 1);
    const auto edge = [&](unsigned thread) {
      const unsigned place = thread * thread_items;
      return place < valid ? place : valid;
    };
    const block::run_pair runs{edge(first_thread), edge(first_thread + threads), edge(first_thread + 2 * threads)};
    tile::merge(smem, runs, (ctx.thread() - first_thread) * thread_items, thread_items, less, mine);
    tile::follow_origins(smem, mine);
  }

  template <class Context>
  GIMBAL_DEVICE void move_values(Context& ctx, const shared& smem, index_type first, unsigned valid) const
  {
    uninit<value_type> value[items];
    const auto source = values.input + first;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const unsigned place = i * block_threads + ctx.thread();
      if (place < valid) {
        value[i].set(block::load_as<value_type>(source + smem.origin[place]));
      }
    }
    ctx.sync_block();  // in place, all values of the tile are read before the first is overwritten
    values.write(target, [&](auto to) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        const unsigned place = i * block_threads + ctx.thread();
        if (place < valid) {
          *(to + (first + place)) = value[i].get();
        }
      }
    });
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
