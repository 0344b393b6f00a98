// Marks of a streaming segmented scan (stream_segmented_scan.cuh) whose keys come through an iterator that is no array, as
// row numbers computed from a count do: the folding lanes ask for the keys of their items themselves.
//
// Keys that are computed, as row numbers are, each lane computes for its own items. Where an iterator may read memory, lanes ask for
// neighbouring items, a row of the warp after the other, so that what lies side by side is read so, and each item's key once; the
// heads of a row are a ballot, of which lanes take the bits of their own items.
//
// The key before a tile may have been overwritten by the results of the tile before, for nobody knows what an iterator
// reads. Whether a tile begins with a head is therefore found out by a launch of its own before, unless the iterator reads
// no memory.
#pragma once

#include <gimbal/block/may_overlap.h>

#include <gimbal/block/segment_heads.cuh>
#include <gimbal/block/stream_tiles.cuh>
#include <gimbal/kernel/stream_marks.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// `is_head`: of the first item of each tile; null if the keys before may be asked for.
template <class KeyIt, class Equal>
struct loaded_heads {
  heads_from_keys<KeyIt, Equal> heads;
  const unsigned char* is_head;
};

template <class KeyIt, class Equal>
struct loaded_head_marks : no_mark_ring, staged_heads {
  using key = value_type_of<KeyIt>;

  loaded_heads<KeyIt, Equal> from;  // positions are items: tiles do not follow addresses

  /// This lane's heads.
  template <class Context, class Tiles, class Ring, class Position>
  GIMBAL_DEVICE std::uint32_t find(
    Context& ctx, const Tiles& tiles, const Ring&, const Position&, unsigned tile, unsigned warp) const
  {
    constexpr unsigned items = Tiles::segment_items;
    static_assert(items <= 32, "the heads of one lane fit into a word");
    const index_type chunk = Tiles::first_of(tile) + warp * Tiles::chunk_items;
    // Whether the first item of a tile is a head is known.
    const bool is_known = warp == 0 && (from.is_head != nullptr || chunk == 0);
    const bool is_head = is_known && (chunk == 0 || from.is_head[tile] != 0);
    if constexpr (block::spans_of<KeyIt>::are_none) {
      const index_type first = chunk + ctx.lane() * items;
      return find_in_turn<items>(first, tiles.valid(first, items).hi, is_known && ctx.lane() == 0, is_head);
    } else {
      return find_by_rows<items>(ctx, chunk, tiles.valid(chunk, Tiles::chunk_items).hi, is_known, is_head);
    }
  }

private:
  /// Of `count` neighbouring items.
  template <unsigned Items>
  GIMBAL_DEVICE std::uint32_t find_in_turn(index_type first, unsigned count, bool is_known, bool is_head) const
  {
    std::uint32_t heads = 0;
    if (count > 0) {
      uninit<key> previous;
      if (!is_known) {
        previous.set(load(first - 1));
      }
      const auto ask = [&](unsigned i) {
        const key own = load(first + i);
        heads |= std::uint32_t{i == 0 && is_known ? is_head : is_change(previous.get(), own)} << i;
        previous.set(own);
      };
      if (count == Items) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < Items; ++i) {
          ask(i);
        }
      } else {
        for (unsigned i = 0; i < count; ++i) {
          ask(i);
        }
      }
    }
    return heads;
  }

  /// Of the `count` items of a warp's chunk, by the whole warp.
  template <unsigned Items, class Context>
  GIMBAL_DEVICE std::uint32_t find_by_rows(
    Context& ctx, index_type chunk, unsigned count, bool is_known, bool is_head) const
  {
    constexpr unsigned last_lane = simt::warp_threads - 1;
    constexpr unsigned batch = sizeof(key) <= 8    ? Items
                               : sizeof(key) <= 32 ? 4
                                                   : 1;  // rows that are asked for together
    const unsigned lane = ctx.lane();
    std::uint32_t row_heads = 0;  // of the row of the lane's number
    uninit<key> before;           // the last key of the row before, in the last lane
    if (lane == last_lane && count > 0 && !is_known) {
      before.set(load(chunk - 1));
    }
    GIMBAL_UNROLL
    for (unsigned first_row = 0; first_row < Items; first_row += batch) {
      uninit<key> own[batch];
      GIMBAL_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const unsigned i = (first_row + b) * simt::warp_threads + lane;
        if (i < count) {
          own[b].set(load(chunk + i));
        }
      }
      GIMBAL_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const unsigned row = first_row + b;
        const unsigned i = row * simt::warp_threads + lane;
        const uninit<key> previous = ctx.shfl(lane == last_lane ? before : own[b], lane + last_lane);
        before = own[b];
        const bool is_own_head = i < count && (i == 0 && is_known ? is_head : is_change(previous.get(), own[b].get()));
        const std::uint32_t heads = ctx.ballot(is_own_head);
        row_heads = lane == row ? heads : row_heads;
      }
    }
    const unsigned begin = lane * Items;
    const std::uint64_t low = ctx.shfl(row_heads, begin / 32);
    const std::uint64_t high = ctx.shfl(row_heads, begin / 32 + 1);
    return static_cast<std::uint32_t>((high << 32 | low) >> begin % 32) & (0xffffffffu >> (32 - Items));
  }

  GIMBAL_DEVICE key load(index_type i) const { return block::load_as<key>(from.heads.keys + i); }
  GIMBAL_DEVICE bool is_change(const key& before, const key& own) const
  {
    Equal equal = from.heads.equal;  // a copy, for the user's call operator may be non-const
    return !equal(before, own);
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
