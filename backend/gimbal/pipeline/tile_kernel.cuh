// The tile driver: a block for each tile, and decoupled look-back between them (grid/look_back.cuh; Merrill & Garland
// 2016). For any number of items, on any GPU. What a tile amounts to is a policy: algorithm/scan/scan_tile_policy.cuh,
// algorithm/select/select_tile_policy.cuh.
//
// Launches: one. Storage: tagged words (launch_plan.h), 8 bytes * (1 + 1/32 + 1/1024) per tile and 4 bytes of a total.
// Progress: see look_back.cuh.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/grid/look_back.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The items of a block: `valid` ones from item `first` on.
struct tile_extent {
  unsigned number;
  index_type first;
  unsigned valid;
  bool is_last;

  static GIMBAL_DEVICE tile_extent of(unsigned number, unsigned tiles, index_type n, unsigned items)
  {
    const index_type first = static_cast<index_type>(number) * items;
    return {number, first, n - first < items ? static_cast<unsigned>(n - first) : items, number + 1 == tiles};
  }
};

/// A policy has
///
///   step, clearing                 names of the launch and of what clears its words, for errors
///   block_threads, tile_items, resident_blocks
///   total                          the type of what a tile amounts to
///   orders_tiles                   what the block has read comes before what blocks of later tiles write (look_back.cuh);
///                                  of the type, or of a call
///   shared, held                   of a block, and what a thread keeps in registers from one phase to the next
///   load(ctx, smem, tile, held)    what the block reads of memory, to shared memory or registers
///   fold(ctx, smem, tile, held)    what the tile amounts to, in parts
///   total_of(smem, tile)           joined, by any thread, after a barrier
///   combine()                      the operator of totals
///   holds_items                    whether threads hold their items in registers: then the fold reads no shared memory
///   arrange(ctx, smem, tile, held) if so: puts them into shared memory for store(), while other blocks get the total
///   start(exists, before)          completes what is before the tile, if it exists, by what is before all items
///   store(ctx, smem, tile, before, held)   the results of the tile; `before` is not set for the first tile, unless start() has
template <class Policy>
struct tile_kernel {
  using total = typename Policy::total;
  static constexpr simt::start starts = simt::start::in_order;
  static constexpr const char* step = Policy::step;
  static constexpr const char* clearing = Policy::clearing;
  static constexpr unsigned block_threads = Policy::block_threads;
  static constexpr unsigned resident_blocks = Policy::resident_blocks;

  struct shared {
    typename Policy::shared own;
    uninit<total> before;
  };

  Policy policy;
  index_type n;
  block::look_back<total> totals;

  // ---- host

  index_type blocks() const { return totals.tiles; }
  index_type words_needed() const { return totals.words_needed(); }
  void take(const launch_words& held) { totals.take(held); }

  // ---- device

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const tile_extent tile = tile_extent::of(ctx.block(), totals.tiles, n, Policy::tile_items);
    typename Policy::held held;
    policy.load(ctx, smem.own, tile, held);
    if constexpr (!Policy::holds_items) {
      ctx.sync_block();  // what the tile reads is in shared memory
    }
    policy.fold(ctx, smem.own, tile, held);
    ctx.sync_block();  // the parts of the tile's total are written, and its items have been read

    uninit<total> own;
    if (ctx.warp() == 0) {
      own.set(policy.total_of(smem.own, tile));
      if (ctx.lane() == 0) {
        with_look_back([&](const auto& tiles) { tiles.publish(ctx, tile.number, own.get()); });
      }
    }
    if constexpr (Policy::holds_items) {
      policy.arrange(ctx, smem.own, tile, held);
    }
    if (ctx.warp() == 0) {
      uninit<total> before;
      const bool exists = with_look_back(
        [&](const auto& tiles) { return tiles.prefix(ctx, tile.number, own.get(), policy.combine(), before); });
      if (ctx.lane() == 0) {
        policy.start(exists, before);
        smem.before = before;
      }
    }
    ctx.sync_block();  // what is before the tile is written
    policy.store(ctx, smem.own, tile, smem.before, held);
  }

private:
  /// Calls `use` with the look-back, which orders memory if the policy asks for it.
  template <class Use>
  GIMBAL_DEVICE auto with_look_back(Use use) const
  {
    return policy.orders_tiles ? use(block::look_back<total, true>{totals.tiles, totals.words, totals.tag})
                               : use(totals);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
