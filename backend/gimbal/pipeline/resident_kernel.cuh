// The resident driver: a block for each of few tiles, which holds it from the first load to the last store, so that
// results may overwrite any of the items. What a tile amounts to is a policy, as in the tile driver (tile_kernel.cuh),
// and its total is a count: algorithm/select/select_tile_policy.cuh.
//
// Algorithm: a block loads its tile and publishes its total; with those of all blocks, which have read by then, it
// knows what is before its tile and what all amount to. Where not all blocks can be resident each leaves its tile in a
// buffer, and the last block moves all of them to where they belong. A block that is alone waits for nobody.
//
// Launches: one. Storage: a tagged word for each block (launch_plan.h); of several blocks n items, too.
// Progress, memory order: see grid/reader_barrier.cuh. All loads come before any store.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/grid/reader_barrier.cuh>
#include <gimbal/pipeline/tile_kernel.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The sums of totals: of the tiles before one, of its own, of all.
struct all_totals {
  std::uint32_t before;
  std::uint32_t own;
  std::uint32_t all;
};

/// Beside what the tile driver asks for, and in place of its store(), a policy that holds its items has
///
///   value                                  of an item
///   store(ctx, smem, tile, totals, held)   the results of the tile
///   keep(ctx, smem, tile, buffer)          or the tile, as it has been arranged, to the buffer, by all threads; and later
///   bring(ctx, tile, totals, buffer)       the results of a tile from there, by a warp
template <class Policy>
struct resident_kernel {
  using value = typename Policy::value;
  static constexpr const char* step = Policy::step;
  static constexpr const char* clearing = Policy::clearing;
  static constexpr unsigned block_threads = Policy::block_threads;

  struct shared {
    typename Policy::shared own;
    all_totals totals;
    bool is_in_time;
    bool is_last;
  };

  Policy policy;
  index_type n;
  unsigned tiles;
  value* buffer = nullptr;
  block::reader_barrier barrier = {};

  // ---- host

  index_type blocks() const { return tiles; }
  index_type words_needed() const { return static_cast<index_type>(block::reader_barrier::word_count(tiles)); }
  void take(const launch_words& held)
  {
    barrier = block::reader_barrier::of(held, tiles);
    buffer = held.arrays<value>();
  }

  // ---- device

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const tile_extent tile = extent_of(ctx.block());
    const unsigned order = ctx.thread() == 0 ? barrier.readers.join(ctx) : 0;
    typename Policy::held held;
    policy.load(ctx, smem.own, tile, held);
    policy.fold(ctx, smem.own, tile, held);
    ctx.sync_block();  // the parts of the tile's total are written; all loads precede the arrival

    std::uint32_t total = 0;
    if (ctx.warp() == 0) {
      total = static_cast<std::uint32_t>(policy.total_of(smem.own, tile));
      if (ctx.lane() == 0) {
        barrier.arrive(ctx, order, total);
      }
    }
    policy.arrange(ctx, smem.own, tile, held);
    if (ctx.warp() == 0) {
      all_totals totals = {0, total, total};
      const bool is_in_time = tiles == 1 || find_totals(ctx, tile, totals);
      if (ctx.lane() == 0) {
        smem.totals = totals;
        smem.is_in_time = is_in_time;
      }
    }
    ctx.sync_block();  // the items are arranged; their places are known, and all blocks have read

    if (smem.is_in_time) {
      policy.store(ctx, smem.own, tile, smem.totals, held);
    } else {
      leave(ctx, smem);
    }
  }

private:
  GIMBAL_DEVICE tile_extent extent_of(unsigned tile) const
  {
    return tile_extent::of(tile, tiles, n, Policy::tile_items);
  }

  /// By a warp, with the totals of all blocks. False if the block is to leave its tile in the buffer.
  template <class Context>
  GIMBAL_DEVICE bool find_totals(Context& ctx, const tile_extent& tile, all_totals& totals) const
  {
    all_totals found = {};
    const bool is_in_time = barrier.wait(ctx, [&](unsigned block, std::uint32_t total) {
      found.before += block < tile.number ? total : 0;
      found.own += block == tile.number ? total : 0;
      found.all += total;
    });
    totals = {simt::warp_sum(ctx, found.before), simt::warp_sum(ctx, found.own), simt::warp_sum(ctx, found.all)};
    return is_in_time;
  }

  /// The block's tile into the buffer. The last block moves all to where they belong, a warp each.
  template <class Context>
  GIMBAL_DEVICE_NOINLINE void leave(Context ctx, shared& smem) const
  {
    policy.keep(ctx, smem.own, extent_of(ctx.block()), buffer);
    ctx.sync_block();  // the tile is in the buffer
    if (ctx.thread() == 0) {
      smem.is_last = barrier.readers.leave(ctx, ctx.blocks());
    }
    ctx.sync_block();  // the buffer is full if the block is the last
    for (unsigned t = ctx.warp(); smem.is_last && t < tiles; t += block_threads / simt::warp_threads) {
      const tile_extent other = extent_of(t);
      all_totals totals;
      find_totals(ctx, other, totals);
      policy.bring(ctx, other, totals, buffer);
    }
  }
};

/// Its row: blocks that wait for others have a buffer.
template <class Policy>
struct resident_row : kernel_row<resident_kernel<Policy>> {
  using kernel_row<resident_kernel<Policy>>::kernel_row;

  std::size_t array_bytes()
  {
    return this->kernel.tiles > 1 ? static_cast<std::size_t>(this->kernel.n) * sizeof(typename Policy::value) : 0;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
