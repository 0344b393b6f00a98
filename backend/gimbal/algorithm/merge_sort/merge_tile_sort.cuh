// What the strategies of merging runs have in common: how many sweeps they take, their tiles, and a first launch, in
// which each block sorts a tile.
//
// Each thread sorts its own few items in registers, then threads merge each other's runs in shared memory, twice as
// many in each round. While the threads of a merge all belong to one warp, a warp barrier is enough; it orders shared
// memory among them, and no other thread touches their slots. The sort is stable; where values are sorted too, each key
// carries the position that it came from, and values are fetched once, at the end.
#pragma once

#include <gimbal/algorithm/merge_sort/tuning.h>

#include <gimbal/collective/merge.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Sweeps over all items until of so many runs one is left: each merges up to 2^`most_levels` neighbours together, in
/// pairs once per level.
struct merge_sweeps {
  unsigned levels;  ///< in all sweeps
  unsigned count;

  merge_sweeps(index_type runs, unsigned most_levels)
      : levels(runs < 2 ? 0 : simt::bit_width(static_cast<std::uint64_t>(runs - 1))),
        count((levels + most_levels - 1) / most_levels)
  {
  }

  /// Levels are spread evenly; the first sweeps take the remainder.
  unsigned levels_of(unsigned sweep) const { return levels / count + (sweep < levels % count ? 1 : 0); }
};

/// What the kernels of a sort have in common that merges up to `Ways` runs in a sweep.
template <class Tuning, unsigned Ways, class Keys, class Values>
struct merge_shape {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items = Tuning::items_per_thread;
  // Each of several pairs of pieces gets threads of its own, the last of which may have less than a full share to do.
  static constexpr unsigned full_threads = block_threads - (Ways / 2 - 1);
  static constexpr unsigned tile_items = full_threads * items;
  using tile = block::merge_tile<key_type, has_values, block_threads, items>;
  static constexpr unsigned most_early_blocks = tuning::merge_sort_early_blocks(has_values);
  static constexpr unsigned resident_blocks =  // 0 in pairs: unspecified
    Ways == 2 ? 0 : tuning::multiway_merge_resident_threads(sizeof(key_type), bytes_of_values<Values>) / block_threads;

  static index_type tiles(index_type n) { return n / tile_items + (n % tile_items != 0); }
};

/// Sorts each tile by itself.
template <class Shape, class Keys, class Values, class Compare>
struct merge_tile_sort_kernel {
  using value_type = typename Shape::value_type;
  using tile = typename Shape::tile;
  using shared = typename tile::shared;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned most_early_blocks = Shape::most_early_blocks;
  /// Keys alone take fewer registers, except those of 1 and 2 bytes: nvcc 13.0 gave 2-byte ones 81 a thread.
  static constexpr unsigned resident_blocks =
    Shape::has_values || sizeof(typename Shape::key_type) < 4 ? Shape::resident_blocks : 0;
  static constexpr unsigned items = Shape::items;
  static constexpr unsigned tile_items = Shape::tile_items;

  Keys keys;
  Values values;
  sort_buffer target;
  index_type n;
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const index_type first = static_cast<index_type>(ctx.block()) * tile_items;
    const unsigned valid = n - first < tile_items ? static_cast<unsigned>(n - first) : tile_items;
    Compare less = compare;
    if constexpr (Shape::has_values) {
      ctx.let_next_launch_start();
    }
    typename tile::piece mine;
    tile::striped::load_async(ctx, smem.keys, keys.input + first, valid);
    ctx.sync_block();  // the tile is there
    tile::read(smem, ctx.thread() * items, valid, mine);
    tile::sort(mine, less);
    for (unsigned threads = 1; threads * items < valid; threads *= 2) {
      // No other thread has read these slots since they were last written and waited for.
      tile::write_run(smem, mine, run_of(ctx.thread(), threads, valid));
      block::sync_threads(ctx, 2 * threads);  // runs of `threads` threads are there
      // The threads of two neighbouring runs, from `first_thread` on, each take their piece of the merge.
      const unsigned first_thread = ctx.thread() & ~(2 * threads - 1);
      const block::run_pair runs{
        edge(first_thread, valid), edge(first_thread + threads, valid), edge(first_thread + 2 * threads, valid)};
      tile::merge(smem, runs, (ctx.thread() - first_thread) * items, less, mine);
      tile::follow_origins(smem, mine);
      block::sync_threads(ctx, 2 * threads);  // both runs have been read
    }
    tile::write(smem, mine);
    ctx.sync_block();  // the sorted tile is there
    if constexpr (!Shape::has_values) {
      ctx.let_next_launch_start();
    }
    keys.write(target, [&](auto to) { tile::striped::store_run(ctx, smem.keys.item, to + first, valid); });
    if constexpr (Shape::has_values) {
      move_values(ctx, smem, first, valid);
    }
  }

private:
  /// The first item of a thread, or the end of the tile.
  static GIMBAL_DEVICE unsigned edge(unsigned thread, unsigned valid)
  {
    const unsigned slot = thread * items;
    return slot < valid ? slot : valid;
  }

  /// The run of `threads` threads that a thread is one of.
  static GIMBAL_DEVICE typename tile::run run_of(unsigned thread, unsigned threads, unsigned valid)
  {
    const unsigned first = thread & ~(threads - 1);
    return {(thread & threads) != 0, edge(first, valid), edge(first + threads, valid)};
  }

  template <class Context>
  GIMBAL_DEVICE void move_values(Context& ctx, const shared& smem, index_type first, unsigned valid) const
  {
    uninit<value_type> value[items];
    const unsigned left = block::left_from(ctx.thread(), valid);
    block::for_left<false, items, block_threads>(left, [&](unsigned i) {
      const unsigned from = smem.origin[i * block_threads + ctx.thread()];
      value[i].set(block::load_as<value_type>(values.input + (first + from)));
    });
    ctx.sync_block();  // in place, all values of the tile are read before the first is overwritten
    values.write(target, [&](auto to) {
      block::for_left<false, items, block_threads>(
        left, [&](unsigned i) { *(to + (first + (i * block_threads + ctx.thread()))) = value[i].get(); });
    });
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
