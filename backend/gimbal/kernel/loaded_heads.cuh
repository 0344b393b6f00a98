// Marks of a streaming segmented scan (stream_segmented_scan.cuh) whose keys come through an iterator that is no array, as
// row numbers computed from a count do: the folding lanes ask for the keys of their items themselves.
//
// A lane's keys follow each other, so what an iterator reads from memory is read in strides; neighbouring lanes' keys share
// sectors, which the L1 cache keeps.
//
// The key before a tile may have been overwritten by the results of the tile before, for nobody knows what an iterator
// reads. Whether a tile begins with a head is therefore found out by a launch of its own before, unless the iterator reads
// no memory.
#pragma once

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
struct loaded_head_marks : no_mark_ring, head_bits {
  using key = value_type_of<KeyIt>;

  loaded_heads<KeyIt, Equal> from;  // positions are items: tiles do not follow addresses

  /// This lane's heads.
  template <class Context, class Tiles, class Ring, class Position>
  GIMBAL_DEVICE std::uint32_t find(
    Context& ctx, const Tiles& tiles, const Ring&, const Position&, unsigned tile, unsigned warp) const
  {
    constexpr unsigned items = Tiles::segment_items;
    static_assert(items <= 32, "the heads of one lane fit into a word");
    const unsigned before = warp * Tiles::chunk_items + ctx.lane() * items;  // in the tile
    const index_type first = Tiles::first_of(tile) + before;
    const unsigned count = tiles.valid(first, items).hi;
    std::uint32_t heads = 0;
    if (count > 0) {
      uninit<key> previous;
      const bool is_known = before == 0 && (from.is_head != nullptr || first == 0);  // of the first item
      if (!is_known) {
        previous.set(load(first - 1));
      }
      const auto ask = [&](unsigned i) {
        const key own = load(first + i);
        const bool is_head =
          i == 0 && is_known ? first == 0 || from.is_head[tile] != 0 : is_change(previous.get(), own);
        heads |= std::uint32_t{is_head} << i;
        previous.set(own);
      };
      if (count == items) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
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

private:
  GIMBAL_DEVICE key load(index_type i) const { return block::load_as<key>(from.heads.keys + i); }
  GIMBAL_DEVICE bool is_change(const key& before, const key& own) const
  {
    Equal equal = from.heads.equal;  // a copy, for the user's call operator may be non-const
    return !equal(before, own);
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
