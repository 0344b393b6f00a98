// The policy of scans for the tile driver (pipeline/tile_kernel.cuh): scan.cuh, segmented_scan.cuh, reduce_by_key.cuh.
//
// Each thread folds its consecutive items, the block scans the threads' results, one warp looks back for the prefix of
// the tile, and every thread folds its items once more, this time after everything before them. What a lane does with
// its items, where heads of segments come from, and what becomes of segments' totals are parameters.
#pragma once

#include <gimbal/tile/iterators.h>

#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>
#include <gimbal/pipeline/tile_kernel.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

/// No totals of segments wanted. The interface is that of segment_totals.
struct no_totals {
  static constexpr bool exist = false;
};

namespace algorithm {

/// A plain scan has no heads. The interface is that of tile_heads.
struct no_tile_heads {
  static constexpr bool exist = false;
  template <unsigned BlockThreads, unsigned Items>
  struct shared {
  };
};

/// In place of an output: none.
struct no_results {};

/// `Lanes`: what a lane does with its items, as plain_lanes.
template <class Tuning, class Lanes, class Heads, class InputIt, class OutputIt, class Totals = no_totals>
struct scan_tile_policy {
  static constexpr const char* step = "scan";
  static constexpr const char* clearing = "clearing of the look-back state of a scan";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;
  static constexpr unsigned resident_blocks = Tuning::resident_threads / block_threads;
  static constexpr bool orders_tiles = Lanes::orders_tiles;
  static constexpr bool holds_items = false;

  using value = typename Lanes::value;
  using total = typename Lanes::fold;
  using tile = block::tile<value, block_threads, items_per_thread>;
  using threads = block::scan<total, block_threads>;
  static constexpr unsigned tile_items = tile::items;

  struct shared {
    typename tile::shared items;
    typename Heads::template shared<block_threads, items_per_thread> heads;
    typename threads::shared totals;
  };
  struct held {
    std::uint32_t heads = 0;  // bits of the thread's items
    uninit<total> running;    // fold of the lanes below in the warp
  };

  Heads heads;
  InputIt in;
  OutputIt out;
  index_type n;
  Lanes lanes;
  Totals totals;

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem, const tile_extent& of, held& own) const
  {
    if constexpr (Heads::exist) {
      heads.begin(ctx, smem.heads, of, n);
    }
    tile::load(ctx, smem.items, in + of.first, of.valid);
    if constexpr (Heads::exist) {
      ctx.sync_block();  // no head flag is set, and the tile's segments are known
      own.heads = heads.set(ctx, smem.heads, of);
    }
    if constexpr (Totals::exist) {
      totals.begin(ctx, heads, smem.heads, n, lanes.init);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void fold(Context& ctx, shared& smem, const tile_extent& of, held& own) const
  {
    const unsigned count = tile::thread_valid(ctx, of.valid);
    if constexpr (Heads::exist) {
      own.heads |= heads.of_thread(ctx, smem.heads, count);
    }
    uninit<value> items[items_per_thread];
    tile::read(ctx, smem.items, items);
    lanes.template fold_items<false>({0, count}, own.heads, items, own.running);
    threads::scan_warps(ctx, smem.totals, own.running, tile::active_threads(of.valid), combine());
  }

  GIMBAL_DEVICE total total_of(const shared& smem, const tile_extent& of) const
  {
    return threads::total(smem.totals, tile::active_threads(of.valid), combine());
  }
  GIMBAL_DEVICE auto combine() const { return lanes.combine(); }
  GIMBAL_DEVICE void start(bool exists, uninit<total>& before) const
  {
    if constexpr (Lanes::has_start) {
      before.set(exists ? combine()(lanes.start(), before.get()) : lanes.start());
    }
  }

  template <class Context>
  GIMBAL_DEVICE void store(
    Context& ctx, shared& smem, const tile_extent& of, const uninit<total>& before, held& own) const
  {
    const unsigned count = tile::thread_valid(ctx, of.valid);
    uninit<value> items[items_per_thread];
    tile::read(ctx, smem.items, items);  // once more: kept in registers across the look-back they cost 19 registers
    if (count > 0) {
      bool exists = threads::prefix(ctx, smem.totals, own.running, combine());
      if (Lanes::has_start || of.number > 0) {
        own.running.set(exists ? combine()(before.get(), own.running.get()) : before.get());
        exists = true;
      }
      [[maybe_unused]] const index_type begin = of.first + ctx.thread() * items_per_thread;
      const auto at_head = [&](unsigned i, index_type segments, bool has_sum, const uninit<value>& sum) {
        if constexpr (Totals::exist) {
          totals.at_head(heads, smem.heads, begin + i, segments, has_sum, sum);
        }
      };
      lanes.template scan_items<false>({0, count}, own.heads, exists, own.running, items, items, at_head);
      if constexpr (Totals::exist) {
        if (begin + count == n) {
          uninit<value> sum;
          sum.set(own.running.get().value);
          totals.at_head(heads, smem.heads, n, own.running.get().heads, true, sum);
        }
      }
    }
    if constexpr (!::cuda::std::is_same<OutputIt, no_results>::value) {
      tile::write(ctx, smem.items, items);  // each thread where it alone has read
      ctx.sync_block();                     // the results are in shared memory
      tile::store(ctx, smem.items, out + of.first, of.valid);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
