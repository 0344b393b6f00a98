// Expand: from where segments begin to which segment each item is in: f(i, s, offsets[s]) for every item i, s being the
// last segment with offsets[s] <= i; before the first offset s is -1 and its begin 0.
//
// Algorithm: one tile per block. Two warps search the offsets, 32 at a time, for the segment of the tile's
// first item and for the first segment after the tile. Each segment in between that has items leaves its number at its
// first item in shared memory; a maximum scan over the tile brings it to the others. (The load-balancing search of
// moderngpu cuts the merged path of items and segments into even parts, by a launch of its own; here the items alone
// are even, in one launch.)
//
// Bytes moved: each offset twice (the second time from the cache), 32 of them for each round of a search, of which a
//   few suffice per tile where segments are of similar lengths, and 2^30 segments take 7 at most; and what f moves.
// Launches: one, none for no items. Storage: none.
// Balance: segments without items are passed over by the block that holds the item after them, `block_threads` at a
// time.
// Determinism: f is called once for each item, in any order. Progress: blocks do not wait for each other.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>
#include <gimbal/grid/launch_plan.h>

#include <cuda/functional>
#include <gimbal/collective/scan.cuh>
#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/segment_heads.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Tuning, class OffsetIt, class F>
struct expand_kernel {
  static constexpr const char* step = "expand";
  static constexpr const char* clearing = "";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;

  using tile = block::tile<index_type, block_threads, items_per_thread>;
  using threads = block::scan<index_type, block_threads>;

  struct shared {
    typename tile::shared segments;  // of each item, counted from that of the first
    typename threads::shared totals;
    index_type found[2];  // the segment after that of the tile's first item, and the first that begins after the tile
  };

  OffsetIt offsets;
  index_type segment_count;
  index_type n;
  F f;

  index_type blocks() const { return gimbal::tiles_of(n, tile::items); }
  index_type words_needed() const { return no_words; }
  void take(const launch_words&) {}

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const index_type first = static_cast<index_type>(ctx.block()) * tile::items;
    const unsigned valid = n - first < tile::items ? static_cast<unsigned>(n - first) : tile::items;
    const unsigned active = tile::active_threads(valid);
    block::find_offsets_between(ctx, offsets, segment_count, n, first + 1, first + valid, smem.found);
    uninit<index_type> number[items_per_thread];
    for (unsigned i = 0; i < items_per_thread; ++i) {
      number[i].set(0);
    }
    tile::write(ctx, smem.segments, number);
    ctx.sync_block();  // no item has a number of its own, and the tile's segments are known

    const index_type base = smem.found[0] - 1;  // the segment of the tile's first item
    for (index_type s = base + 1 + ctx.thread(); s < smem.found[1]; s += block_threads) {
      const index_type begin = block::load_as<index_type>(offsets + s);
      const bool has_items = s + 1 == segment_count || block::load_as<index_type>(offsets + (s + 1)) != begin;
      if (has_items) {
        smem.segments.item[begin - first].set(s - base);
      }
    }
    ctx.sync_block();  // the numbers of all segments that begin in the tile are at their first items

    tile::read(ctx, smem.segments, number);
    uninit<index_type> greatest = block::fold_items(items_per_thread, number, ::cuda::maximum<index_type>{});
    threads::scan_warps(ctx, smem.totals, greatest, active, ::cuda::maximum<index_type>{});
    ctx.sync_block();  // the warps' greatest numbers are written
    if (ctx.thread() < active) {
      const bool exists = threads::prefix(ctx, smem.totals, greatest, ::cuda::maximum<index_type>{});
      block::scan_items<scan_kind::inclusive>(
        items_per_thread, exists, greatest, number, ::cuda::maximum<index_type>{});
      tile::write(ctx, smem.segments, number);
    }
    ctx.sync_block();  // every item has its segment

    GIMBAL_UNROLL
    for (unsigned i = 0; i < items_per_thread; ++i) {
      const unsigned index = i * block_threads + ctx.thread();
      if (index < valid) {
        const index_type s = base + smem.segments.item[index].get();
        f(first + index, s, s < 0 ? 0 : block::load_as<index_type>(offsets + s));
      }
    }
  }
};

/// The plan of this kernel. `Tuning` void: the default shape.
template <class Tuning = void, class OffsetIt, class F>
auto expand_plan(OffsetIt offsets, index_type segment_count, index_type n, F f)
{
  using chosen = ::cuda::std::conditional_t<::cuda::std::is_void<Tuning>::value, tuning::expand, Tuning>;
  using kernel_type = expand_kernel<chosen, OffsetIt, F>;
  return gimbal::plan_of(kernel_row<kernel_type>(n > 0, {offsets, segment_count, n, f}));
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
