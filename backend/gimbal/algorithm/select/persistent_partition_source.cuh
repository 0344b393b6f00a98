// Where a streamed partition finds its items: tiles of an array and of the array beside it, loaded into stages of
// shared memory by bulk copies, and the flags of the selected items. Items that come through another iterator than a
// pointer are loaded by warps of their own.
//
// Tiles begin at multiples of 16 bytes: item i is at i + `skipped` in them, and the first tile lacks its first
// `skipped` items. Segments (algorithm/select/segments.cuh) of which only a part exists, one at either end of the
// array, are loaded item by item. An array beside the items has a place modulo 16 of its own: of it whole vectors are
// copied, which hold some entries of the tiles before and after, too; entries in vectors that reach out of the array
// are loaded one by one. Nobody reads them once the selector has been called, so they have a ring of their own, with
// fewer stages.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/tile/iterators.h>

#include <cstring>
#include <gimbal/algorithm/select/segments.cuh>
#include <gimbal/algorithm/select/selectors.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Tile, class InputIt, class Selector, unsigned Stages>
struct persistent_partition_source {
  using stencil_type = stencil_of<Selector>;
  using extent = typename Tile::extent;
  using value = ::cuda::std::remove_cv_t<value_type_of<InputIt>>;
  static constexpr bool is_loaded = !::cuda::std::is_pointer<InputIt>::value;
  static constexpr bool has_stencil = stencil_type::bytes > 0;
  static constexpr unsigned stencil_stages = !has_stencil                             ? 1
                                             : tuning::stream_stencil_stages < Stages ? tuning::stream_stencil_stages
                                                                                      : Stages;

  struct stage {
    simt::vector16 items[Tile::vectors];
  };
  struct stencil_stage {
    simt::vector16 entries[(Tile::items * stencil_type::bytes + 2 * block::vector_bytes) / block::vector_bytes];
  };

  InputIt in;
  index_type n;
  unsigned skipped;
  Selector selector;  // of the whole array beside the items
  const unsigned char* stencil_begin;

  /// Index of the first item of a tile; that of the first tile is negative if it lacks items.
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
    const unsigned char* const stencil_end = stencil_begin + n * stencil_type::bytes;
    const unsigned char* begin = stencil_begin + (first_index(t) + valid.first) * stencil_type::bytes;
    const unsigned char* end = stencil_begin + (first_index(t) + valid.last) * stencil_type::bytes;
    begin -= block::phase_of(begin);
    begin += begin < stencil_begin ? block::vector_bytes : 0;
    end += (block::vector_bytes - block::phase_of(end)) % block::vector_bytes;
    end -= end > stencil_end ? block::vector_bytes : 0;
    return {begin, end > begin ? static_cast<unsigned>(end - begin) : 0};
  }

  /// Start the bulk copies of a tile. The bytes count towards the phase of `loaded` at which this thread arrives.
  template <class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, stage& to, stencil_stage& stencil_to, simt::phase_barrier& loaded, unsigned t) const
  {
    const extent valid = extent_of(t);
    const unsigned begin = valid.first_segment();
    const unsigned end = valid.last_segment();
    const unsigned segments = !is_loaded && end > begin ? end - begin : 0;
    const unsigned bytes = segments * Tile::segment_vectors * block::vector_bytes;
    if constexpr (!has_stencil) {
      ctx.arrive_expecting(loaded, bytes);
    } else {
      const window beside = window_of(t, valid);
      ctx.arrive_expecting(loaded, bytes + beside.bytes);
      if (beside.bytes > 0) {
        ctx.bulk_load(stencil_to.entries, beside.begin, beside.bytes, loaded);
      }
    }
    if constexpr (!is_loaded) {
      if (bytes > 0) {
        const value* const source = in + (first_index(t) + begin * Tile::segment_items);
        ctx.bulk_load(to.items + begin * Tile::segment_vectors, source, bytes, loaded);
      }
    }
  }

  /// Load the items of a tile that fall to one of `Loaders` warps, store them to `to` once `wait()` has returned, and
  /// see to it that those of tile `next` come no longer from memory but from the L2 cache.
  template <unsigned Loaders, class Context, class Wait>
  GIMBAL_DEVICE void load_items(Context& ctx, stage& to, unsigned t, unsigned next, unsigned loader, Wait wait) const
  {
    constexpr unsigned warp_items = Tile::items / Loaders;
    constexpr unsigned lane_items = warp_items / simt::warp_threads;
    constexpr unsigned at_a_time = lane_items < most_at_a_time ? lane_items : most_at_a_time;
    static_assert(lane_items % at_a_time == 0 && Tile::items % Loaders == 0, "all warps and lanes have as many items");
    const unsigned valid = extent_of(t).last;
    const unsigned first = loader * warp_items;
    for (unsigned done = 0; done < lane_items; done += at_a_time) {
      const unsigned own = first + done * simt::warp_threads + ctx.lane();
      const unsigned left = valid > own ? valid - own : 0;
      const InputIt mine = in + (first_index(t) + own);
      uninit<value> item[at_a_time];  // all of it is in flight at the same time
      block::for_left<true, at_a_time, simt::warp_threads>(
        left, [&](unsigned i) { item[i].set(block::load_as<value>(mine + i * simt::warp_threads)); });
      if (done == 0) {
        if (ctx.lane() == 0) {
          fetch_ahead(ctx, index_type{next} * Tile::items + first, warp_items);
        }
        wait();
      }
      uninit<value>* const target = reinterpret_cast<uninit<value>*>(to.items) + own;
      block::for_left<true, at_a_time, simt::warp_threads>(
        left, [&](unsigned i) { target[i * simt::warp_threads] = item[i]; });
    }
  }

  /// See to it that the items of a tile that fall to one of `Loaders` warps are in the L2 cache when it loads them. By
  /// one lane.
  template <unsigned Loaders, class Context>
  GIMBAL_DEVICE void fetch_items(Context& ctx, unsigned t, unsigned loader) const
  {
    constexpr unsigned warp_items = Tile::items / Loaders;
    fetch_ahead(ctx, index_type{t} * Tile::items + loader * warp_items, warp_items);
  }

  /// The flags of this lane's items in a share of a tile that has landed.
  template <class Context>
  GIMBAL_DEVICE typename Tile::flags_type flags_of(
    Context& ctx, stage& landed, const stencil_stage& stencil_landed, unsigned t, unsigned share) const
  {
    const extent valid = extent_of(t);
    const auto* const entries = reinterpret_cast<const unsigned char*>(stencil_landed.entries);
    if constexpr (!has_stencil) {
      if (valid.count() == Tile::items) {
        return select_from_share(ctx, landed, entries, share);
      }
    }
    const window beside = window_of(t, valid);
    if constexpr (has_stencil) {
      const unsigned char* const begin = stencil_begin + first_index(t) * stencil_type::bytes;
      const bool is_whole = valid.count() == Tile::items && beside.has(begin, Tile::items * stencil_type::bytes);
      if (is_whole && (begin - beside.begin) % stencil_segment::part_bytes == 0) {
        return select_from_share(ctx, landed, entries + (begin - beside.begin), share);
      }
    }
    typename Tile::flags_type flags = 0;
    GIMBAL_UNROLL
    for (unsigned row = 0; row < Tile::rows; ++row) {
      const unsigned first = Tile::first_item(ctx, share, row);
      std::uint32_t of_row = 0;
      if (!valid.has(first) || !valid.has(first + Tile::segment_items - 1)) {
        of_row = select_one_by_one(ctx, landed, t, valid, first);
      } else if constexpr (!has_stencil) {
        of_row = select_from_segment(landed, first, selector);
      } else {
        const unsigned char* const flag = stencil_begin + (first_index(t) + first) * stencil_type::bytes;
        of_row = beside.has(flag, Tile::segment_items * stencil_type::bytes)
                   ? select_from_segment(landed, first, stencil_type::over(selector, entries + (flag - beside.begin)))
                   : select_one_by_one(ctx, landed, t, valid, first);
      }
      flags |= typename Tile::flags_type{of_row} << (row * Tile::segment_items);
    }
    return flags;
  }

  /// The stencil of a lane's segment, in registers.
  struct stencil_segment {
    static constexpr unsigned bytes = Tile::segment_items * stencil_type::bytes;
    /// The largest unit that it is a number of, up to a vector.
    static constexpr unsigned part_bytes =
      has_stencil ? (bytes | block::vector_bytes) & -(bytes | block::vector_bytes) : 1;
    using part = ::cuda::std::conditional_t<
      part_bytes == block::vector_bytes, simt::vector16,
      ::cuda::std::conditional_t<
        part_bytes == 8, std::uint64_t,
        ::cuda::std::conditional_t<
          part_bytes == 4, std::uint32_t, ::cuda::std::conditional_t<part_bytes == 2, std::uint16_t, unsigned char>>>>;

    alignas(block::vector_bytes) unsigned char entries[has_stencil ? bytes : 1];

    /// `first`: the index of the segment's first item, whose entry lies at a multiple of a part.
    GIMBAL_DEVICE void read(const unsigned char* tile, unsigned first)
    {
      const part* const from = reinterpret_cast<const part*>(tile + first * stencil_type::bytes);
      GIMBAL_UNROLL
      for (unsigned w = 0; w < bytes / part_bytes; ++w) {
        const part word = from[w];
        std::memcpy(entries + w * part_bytes, &word, part_bytes);
      }
    }
  };

  /// Select from a share of a tile that lacks no items, nor entries beside them; all are loaded before the first is
  /// used. `entries` has that of the tile's first item.
  template <class Context>
  GIMBAL_DEVICE typename Tile::flags_type select_from_share(
    const Context& ctx, const stage& landed, const unsigned char* entries, unsigned share) const
  {
    typename Tile::segment row[Tile::rows];
    stencil_segment beside[Tile::rows];
    GIMBAL_UNROLL
    for (unsigned r = 0; r < Tile::rows; ++r) {
      Tile::read(landed.items, Tile::first_item(ctx, share, r), row[r]);
      if constexpr (has_stencil) {
        beside[r].read(entries, Tile::first_item(ctx, share, r));
      }
    }
    std::uint32_t words[Tile::flags_words] = {};  // 64 bits in one take an instruction more each
    GIMBAL_UNROLL
    for (unsigned r = 0; r < Tile::rows; ++r) {
      const Selector own = stencil_type::over(selector, beside[r].entries);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Tile::segment_items; ++i) {
        const bool is_selected = own.selects(nullptr, i, row[r].item[i].get());
        const unsigned bit = r * Tile::segment_items + i;
        if (is_selected) {
          words[bit / 32] |= std::uint32_t{1} << (bit % 32);
        }
      }
    }
    return Tile::join(words);
  }

  /// Select from a whole segment; `own` has the entry beside its first item at index 0.
  static GIMBAL_DEVICE std::uint32_t select_from_segment(const stage& landed, unsigned first, const Selector& own)
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

  /// Select from what exists of a segment at an end of the array; its items go into the stage for those who scatter.
  template <class Context>
  GIMBAL_DEVICE std::uint32_t select_one_by_one(
    Context& ctx, stage& landed, unsigned t, const extent& valid, unsigned first) const
  {
    std::uint32_t flags = 0;
    for (unsigned i = 0; i < Tile::segment_items; ++i) {
      if (valid.has(first + i)) {
        const index_type index = first_index(t) + first + i;
        uninit<value>& slot = reinterpret_cast<uninit<value>*>(landed.items)[first + i];
        if constexpr (!is_loaded) {
          slot.set(in[index]);
        }
        uninit<value> item = slot;
        flags |= static_cast<std::uint32_t>(selector.selects(in, index, item.get())) << i;
      }
    }
    ctx.bulk_fence();  // the items stored here come before the next bulk copy into the stage
    return flags;
  }

private:
  static constexpr unsigned most_at_a_time = 16;  // items in a lane's registers

  template <class Context>
  GIMBAL_DEVICE void fetch_ahead(Context& ctx, index_type first, unsigned items) const
  {
    if (first < n && (!block::gathers_v<InputIt> || n < tuning::fetched_gathers)) {
      const index_type left = n - first;
      block::fetch_ahead(ctx, in + first, left < items ? left : items);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
