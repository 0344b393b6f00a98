// Expand: from where segments begin to which segment each item is in: f(i, s, offsets[s]) for every item i, s being the
// last segment with offsets[s] <= i; before the first offset s is -1 and its begin 0.
//
// Algorithm: one tile per block. Two warps search the offsets, 32 at a time, for the segment of the tile's
// first item and for the first segment after the tile; each item searches those in between by bisection, of which there
// are as many as fit into a tile, or more where some have no items. (The load-balancing search of moderngpu cuts the
// merged path of items and segments into even parts, by a launch of its own; here the items alone are even, in one
// launch.)
//
// Bytes moved: each offset once, and again from the cache, 32 of them for each round of a search, of which a few
//   suffice per tile where segments are of similar lengths, and 2^30 segments take 7 at most; and what f moves.
// Launches: one, none for no items. Storage: none.
// Determinism: f is called once for each item, in any order. Progress: blocks do not wait for each other.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>
#include <gimbal/grid/launch_plan.h>

#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/segment_heads.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Tuning, class OffsetIt, class F>
struct expand_kernel {
  static constexpr const char* step = "expand";
  static constexpr const char* clearing = "";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned tile_items = block_threads * Tuning::items_per_thread;

  struct shared {
    index_type found[2];  // the segment after that of the tile's first item, and the first that begins after the tile
  };

  OffsetIt offsets;
  index_type segment_count;
  index_type n;
  F f;

  index_type blocks() const { return gimbal::tiles_of(n, tile_items); }
  index_type words_needed() const { return no_words; }
  void take(const launch_words&) {}

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const index_type first = static_cast<index_type>(ctx.block()) * tile_items;
    const unsigned valid = n - first < tile_items ? static_cast<unsigned>(n - first) : tile_items;
    block::find_offsets_between(ctx, offsets, segment_count, n, first + 1, first + valid, smem.found);
    ctx.sync_block();  // the tile's segments are known
    for (unsigned index = ctx.thread(); index < valid; index += block_threads) {
      const index_type item = first + index;
      const index_type s = block::first_offset_from(offsets, smem.found[0], smem.found[1], item + 1) - 1;
      f(item, s, s < 0 ? 0 : block::load_as<index_type>(offsets + s));
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
