// Where a streamed partition finds its items: tiles of an array and of what stands beside it, brought into stages of
// shared memory by bulk copies, and the flags of the selected items.
//
// Tiles begin at multiples of 16 bytes: item i has place i + `skipped` in them, and the first tile lacks its first
// `skipped` items. Segments (block/segments.cuh) of which only a part exists, one at either end of the array, are
// loaded item by item. An array beside the items has a place modulo 16 of its own: of it whole vectors are copied,
// which hold some entries of the tiles before and behind, too; entries in vectors that reach out of the array are
// loaded one by one.
#pragma once

#include <gimbal/block/segments.cuh>
#include <gimbal/kernel/stream_selectors.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

template <class Tile, class Value, class Selector>
struct stream_partition_source {
  using side = side_of<Selector>;
  using extent = typename Tile::extent;

  struct stage {
    simt::vector16 items[Tile::vectors];
    simt::vector16 beside[(Tile::items * side::bytes + 2 * block::vector_bytes) / block::vector_bytes];
  };

  const Value* in;
  index_type n;
  unsigned skipped;
  Selector selector;  // of the whole array beside the items
  const unsigned char* side_begin;

  /// Index of the item at place 0 of a tile; that of the first tile is negative if it lacks items.
  GIMBAL_DEVICE index_type first_index(unsigned t) const { return index_type{t} * Tile::items - skipped; }

  GIMBAL_DEVICE extent extent_of(unsigned t) const
  {
    const index_type left = n - first_index(t);
    return {t == 0 ? skipped : 0, left < Tile::items ? static_cast<unsigned>(left) : Tile::items};
  }

  /// What bulk copies bring of the array beside the items for a tile: whole vectors inside that array.
  struct window {
    const unsigned char* begin;
    unsigned bytes;

    GIMBAL_DEVICE bool has(const unsigned char* item, unsigned item_bytes) const
    {
      return item >= begin && item + item_bytes <= begin + bytes;
    }
  };
  GIMBAL_DEVICE window window_of(unsigned t, const extent& valid) const
  {
    const unsigned char* const side_end = side_begin + n * side::bytes;
    const unsigned char* begin = side_begin + (first_index(t) + valid.first) * side::bytes;
    const unsigned char* end = side_begin + (first_index(t) + valid.last) * side::bytes;
    begin -= block::phase_of(begin);
    begin += begin < side_begin ? block::vector_bytes : 0;
    end += (block::vector_bytes - block::phase_of(end)) % block::vector_bytes;
    end -= end > side_end ? block::vector_bytes : 0;
    return {begin, end > begin ? static_cast<unsigned>(end - begin) : 0};
  }

  /// Ask for a tile. The bytes count towards the phase of `loaded` at which this thread arrives.
  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, stage& to, simt::phase_barrier& loaded, unsigned t) const
  {
    const extent valid = extent_of(t);
    const unsigned begin = valid.first_segment();
    const unsigned end = valid.last_segment();
    const unsigned segments = end > begin ? end - begin : 0;
    const unsigned bytes = segments * Tile::segment_vectors * block::vector_bytes;
    if constexpr (side::bytes == 0) {
      ctx.arrive_expecting(loaded, bytes);
    } else {
      const window beside = window_of(t, valid);
      ctx.arrive_expecting(loaded, bytes + beside.bytes);
      if (beside.bytes > 0) {
        ctx.bulk_load(to.beside, beside.begin, beside.bytes, loaded);
      }
    }
    if (bytes > 0) {
      const Value* const source = in + (first_index(t) + begin * Tile::segment_items);
      ctx.bulk_load(to.items + begin * Tile::segment_vectors, source, bytes, loaded);
    }
  }

  /// The flags of this lane's items in a share of a tile that has landed.
  template <class Context>
  GIMBAL_DEVICE std::uint32_t flags_of(Context& ctx, stage& landed, unsigned t, unsigned share) const
  {
    const extent valid = extent_of(t);
    if constexpr (side::bytes == 0) {
      if (valid.count() == Tile::items) {
        return ask_share(ctx, landed, share);
      }
    }
    const window beside = window_of(t, valid);
    std::uint32_t flags = 0;
    GIMBAL_UNROLL
    for (unsigned row = 0; row < Tile::rows; ++row) {
      const unsigned first = Tile::first_item(ctx, share, row);
      std::uint32_t of_row = 0;
      if (!valid.has(first) || !valid.has(first + Tile::segment_items - 1)) {
        of_row = ask_one_by_one(landed, t, valid, first);
      } else if constexpr (side::bytes == 0) {
        of_row = ask_segment(landed, first, selector);
      } else {
        const unsigned char* const flag = side_begin + (first_index(t) + first) * side::bytes;
        const auto* const flags_landed = reinterpret_cast<const unsigned char*>(landed.beside);
        of_row = beside.has(flag, Tile::segment_items * side::bytes)
                   ? ask_segment(landed, first, side::over(selector, flags_landed + (flag - beside.begin)))
                   : ask_one_by_one(landed, t, valid, first);
      }
      flags |= of_row << (row * Tile::segment_items);
    }
    return flags;
  }

  /// Ask about a share of a tile that lacks no items; all are asked for before the first is used.
  template <class Context>
  GIMBAL_DEVICE std::uint32_t ask_share(const Context& ctx, const stage& landed, unsigned share) const
  {
    typename Tile::segment row[Tile::rows];
    GIMBAL_UNROLL
    for (unsigned r = 0; r < Tile::rows; ++r) {
      Tile::read(landed.items, Tile::first_item(ctx, share, r), row[r]);
    }
    std::uint32_t flags = 0;
    GIMBAL_UNROLL
    for (unsigned r = 0; r < Tile::rows; ++r) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Tile::segment_items; ++i) {
        const bool is_selected = selector.selects(nullptr, i, row[r].item[i].get());
        flags |= static_cast<std::uint32_t>(is_selected) << (r * Tile::segment_items + i);
      }
    }
    return flags;
  }

  /// Ask about a whole segment; `own` has what stands beside its first item at index 0.
  static GIMBAL_DEVICE std::uint32_t ask_segment(const stage& landed, unsigned first, const Selector& own)
  {
    typename Tile::segment items;
    Tile::read(landed.items, first, items);
    std::uint32_t flags = 0;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Tile::segment_items; ++i) {
      flags |= static_cast<std::uint32_t>(own.selects(nullptr, i, items.item[i].get())) << i;
    }
    return flags;
  }

  /// Ask about what exists of a segment at an end of the array; its items go into the stage for those who scatter.
  GIMBAL_DEVICE std::uint32_t ask_one_by_one(stage& landed, unsigned t, const extent& valid, unsigned first) const
  {
    std::uint32_t flags = 0;
    for (unsigned i = 0; i < Tile::segment_items; ++i) {
      if (valid.has(first + i)) {
        const index_type index = first_index(t) + first + i;
        uninit<Value> item;
        item.set(in[index]);
        reinterpret_cast<uninit<Value>*>(landed.items)[first + i] = item;
        flags |= static_cast<std::uint32_t>(selector.selects(in, index, item.get())) << i;
      }
    }
    return flags;
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
