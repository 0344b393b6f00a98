// Head flags of the persistent segmented scan (persistent_scan_policy.cuh). Keys or flags, one for each item, are
// copied beside the items where they are in an array; keys that are not, the lanes that reduce load.
//
// Offsets become bits, one per item in the storage of the call, by a launch beforehand. Each of its blocks searches for
// the offsets of a tile, from where they are guessed from how many there are in all, and sets bits in shared memory.
//
// Bytes moved: each key, flag or offset once, and for each item of segments by offsets a bit out and in.
// Balance: offsets of segments without items are passed over by the block that makes the bits of the item after them.
// Progress: the blocks of the launch do not wait for each other.
// Memory order: reduce warps leave the bits of their lanes in the stage, where store warps read them after `ready`,
//   before they release it.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>
#include <gimbal/tile/iterators.h>

#include <gimbal/algorithm/scan/persistent_scan_policy.cuh>
#include <gimbal/algorithm/scan/segment_fold.cuh>
#include <gimbal/tile/segment_heads.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Head flags, a bit for each of a lane's items, the first lowest: reduce warps leave them in the stage for the lanes
/// that scan. Beside this they have
///
///   find(ctx, tiles, copied, tile, warp)   by all lanes of a reduce warp: the bits of a lane's items, from what has
///                                          been copied of the tile
///   load(ctx, tiles, first, target, full)  where they are copied; by one thread: copy what those of the tile from
///                                          `first` on are made of, of copied_bytes<Tiles>, and arrive at `full`
///   fetch_ahead(ctx, tiles, first)         where they are not; by one lane of a reduce warp: see to it that what heads
///                                          of the chunk from `first` on are made of is in the L2 cache
struct staged_heads : no_head_flags {
  static constexpr bool exist = true;
  template <unsigned Warps>
  struct stage {
    std::uint32_t heads[Warps][simt::warp_threads];
  };
};

// ---- keys and flags

/// Head flags from keys or flags in memory, one per item. `IsHead`: whether an item is a head, given its own key or
/// flag and, where it looks back, the one before.
template <class KeyOrFlag, class IsHead, bool LooksBack>
struct staged_head_flags : staged_heads {
  using key_or_flag = KeyOrFlag;
  static constexpr bool copies = true;
  /// Before those of the tile, loaded with them.
  static constexpr unsigned lead = LooksBack ? simt::items_of_vectors(sizeof(key_or_flag)) : 0;
  template <class Tiles>
  static constexpr std::size_t copied_bytes = (lead + Tiles::tile_items) * sizeof(key_or_flag) + 16;

  block::misaligned_source<key_or_flag> source;
  IsHead is_head;

  template <class Context, class Tiles>
  GIMBAL_DEVICE void load(
    Context& ctx, const Tiles& tiles, index_type first, unsigned char* target, simt::phase_barrier& full) const
  {
    source.load(ctx, tiles, first - index_type{lead}, lead + Tiles::tile_items, target, full);
  }

  /// This lane's heads.
  template <class Context, class Tiles>
  GIMBAL_DEVICE std::uint32_t find(
    Context& ctx, const Tiles& tiles, const unsigned char* copied, unsigned tile, unsigned warp) const
  {
    constexpr unsigned items = Tiles::segment_items;
    const unsigned before = warp * Tiles::chunk_items + ctx.lane() * items;  // in the tile
    const index_type first = Tiles::first_of(tile) + before;
    const block::valid_range valid = tiles.valid(first, items);
    if (valid.hi == 0) {
      return 0;
    }
    const bool is_first = first == 0;
    const unsigned char* const tile_begin = copied + lead * sizeof(key_or_flag) + source.misalignment;
    const unsigned char* const chunk = tile_begin + warp * Tiles::chunk_items * sizeof(key_or_flag);
    uninit<key_or_flag> previous;
    if (LooksBack && !is_first) {
      previous = (reinterpret_cast<const uninit<key_or_flag>*>(tile_begin) + before)[-1];
    }
    uninit<key_or_flag> own[items];
    if (valid.hi == items && source.misalignment == 0) {
      block::lane_segment<key_or_flag, items>::read(chunk, ctx.lane(), own);
      return block::find_heads<true>(valid, is_first, previous, own, is_head);
    }
    block::lane_segment<key_or_flag, items>::read_items(chunk, ctx.lane(), own);
    return block::find_heads<false>(valid, is_first, previous, own, is_head);
  }
};

template <class Flag>
struct flag_is_set {
  GIMBAL_DEVICE bool operator()(const Flag&, const Flag& own) const { return static_cast<bool>(own); }
};

/// Of keys or flags in an array; none where there is no array, or where they are too large.
template <bool LooksBack, class It, class IsHead>
auto copied_head_flags(It keys_or_flags, IsHead is_head)
{
  using item = value_type_of<It>;
  if constexpr (block::is_array_v<It> && simt::is_supported_value_v<item> && sizeof(item) <= 16) {
    return staged_head_flags<item, IsHead, LooksBack>{
      {}, block::misaligned_source<item>::of(keys_or_flags, 0), is_head};
  } else {
    return no_head_flags{};
  }
}

/// Keys that lanes load from memory, through the L1 cache.
template <class KeyIt>
inline constexpr bool are_read_by_lanes_v = !block::is_array_v<KeyIt> && !block::base_arrays<KeyIt>::are_none;

/// Keys that come through an iterator that is no array, as row numbers computed from a count do: the lanes that reduce
/// load the keys of their items themselves.
///
/// Keys that are computed, as row numbers are, each lane computes for its own items. Where an iterator may read memory,
/// lanes load neighbouring items, a row of the warp after the other, so that loads are coalesced, and each item's key
/// is read once; the heads of a row are a ballot, of which lanes take the bits of their own items.
///
/// The key before a tile may have been overwritten by the results of the tile before, for nobody knows what an iterator
/// reads. So no tile looks back: the last warp of a tile looks at the first key of the next one, and what the tile
/// publishes says whether that is a head (segment_state). The results that overwrite this key depend on what is
/// published, and that on the key, as simt::reuse_needs_order has it.
template <class KeyIt, class Equal>
struct loaded_head_flags : staged_heads {
  using key = value_type_of<KeyIt>;
  static constexpr bool tells_next = are_read_by_lanes_v<KeyIt>;

  heads_from_keys<KeyIt, Equal> from;

  /// This lane's heads. With tells_next: not whether the first item of a tile is one, but of the first tile; and in the
  /// bit after those of the last lane's items whether the next tile begins with one.
  template <class Context, class Tiles>
  GIMBAL_DEVICE std::uint32_t find(
    Context& ctx, const Tiles& tiles, const unsigned char*, unsigned tile, unsigned warp) const
  {
    constexpr unsigned items = Tiles::segment_items;
    static_assert(items + tells_next <= 32, "the bits of one lane fit into a word");
    const index_type chunk = Tiles::first_of(tile) + warp * Tiles::chunk_items;
    if constexpr (tells_next) {
      const bool is_last = warp + 1 == Tiles::tile_items / Tiles::chunk_items && chunk + Tiles::chunk_items < tiles.end;
      return find_by_rows<items>(ctx, chunk, tiles.valid(chunk, Tiles::chunk_items).hi, warp == 0, is_last);
    } else {
      const index_type first = chunk + ctx.lane() * items;
      return find_in_turn<items>(first, tiles.valid(first, items).hi);
    }
  }

  /// See to it that the keys of that chunk, where they come from arrays, are in the L2 cache when they are loaded. By
  /// one lane.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void fetch_ahead(Context& ctx, const Tiles& tiles, index_type first) const
  {
    block::iterator_source<key, KeyIt>{from.keys}.fetch_ahead(ctx, tiles, first);
  }

private:
  /// Of `count` neighbouring items.
  template <unsigned Items>
  GIMBAL_DEVICE std::uint32_t find_in_turn(index_type first, unsigned count) const
  {
    if (count == 0) {
      return 0;
    }
    uninit<key> previous;
    if (first > 0) {
      previous.set(load(first - 1));
    }
    const auto find = [&](auto is_full) {
      constexpr bool has_all = decltype(is_full)::value;
      uninit<key> own[Items];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        if (has_all || i < count) {
          own[i].set(load(first + i));
        }
      }
      return block::find_heads<has_all>({0, count}, first == 0, previous, own, block::differs<Equal>{from.equal});
    };
    return count == Items ? find(::cuda::std::true_type{}) : find(::cuda::std::false_type{});
  }

  /// Of the `count` items of a warp's chunk, by the whole warp: the first, the last of a tile that another one follows.
  template <unsigned Items, class Context>
  GIMBAL_DEVICE std::uint32_t find_by_rows(
    Context& ctx, index_type chunk, unsigned count, bool is_first, bool is_last) const
  {
    constexpr unsigned last_lane = simt::warp_threads - 1;
    constexpr unsigned batch = sizeof(key) <= 8 ? Items : sizeof(key) <= 32 ? 4 : 1;  // rows that are loaded together
    const unsigned lane = ctx.lane();
    std::uint32_t row_heads = 0;  // of the row of the lane's number
    uninit<key> before;           // in the last lane: the last key of the row before
    uninit<key> next;             // in the last lane: of the next tile
    if (lane == last_lane && count > 0 && !is_first) {
      before.set(load(chunk - 1));
    }
    if (lane == last_lane && is_last) {
      next.set(load(chunk + Items * simt::warp_threads));
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
        const uninit<key> previous = ctx.shfl(gimbal::choose(lane == last_lane, before, own[b]), lane + last_lane);
        before = own[b];
        const bool is_own_head =
          i < count && (i == 0 && is_first ? chunk == 0 : is_change(previous.get(), own[b].get()));
        const std::uint32_t heads = ctx.ballot(is_own_head);
        row_heads = lane == row ? heads : row_heads;
      }
    }
    const unsigned begin = lane * Items;
    const std::uint64_t low = ctx.shfl(row_heads, begin / 32);
    const std::uint64_t high = ctx.shfl(row_heads, begin / 32 + 1);
    const auto heads = static_cast<std::uint32_t>((high << 32 | low) >> begin % 32) & (0xffffffffu >> (32 - Items));
    const bool is_next_head = lane == last_lane && is_last && is_change(before.get(), next.get());
    return heads | std::uint32_t{is_next_head} << Items;
  }

  GIMBAL_DEVICE key load(index_type i) const { return block::load_as<key>(from.keys + i); }
  GIMBAL_DEVICE bool is_change(const key& before, const key& own) const
  {
    return block::differs<Equal>{from.equal}(before, own);
  }
};

// ---- offsets

/// A bit of each item, by a block for each tile.
template <class OffsetIt>
struct offset_bits_kernel {
  static constexpr const char* step = "head flags of a segmented scan by offsets";
  static constexpr unsigned block_threads = 256;

  struct shared {
    std::uint32_t word[tuning::offset_bits::most_words];
    index_type found[2];  // offsets: the first of the tile, and the first after it
  };

  heads_from_offsets<OffsetIt> heads;
  index_type n;
  std::uint32_t* bits;
  unsigned words = 0;  // of a tile

  status launch(simt::stream_type stream)
  {
    const index_type all = (n + 31) / 32;
    const index_type even = gimbal::tiles_of(all, tuning::offset_bits::most_tiles);
    words = even < tuning::offset_bits::most_words ? static_cast<unsigned>(even) : tuning::offset_bits::most_words;
    return simt::launch(*this, gimbal::tiles_of(all, words), stream, step);
  }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const index_type first = index_type{ctx.block()} * words * 32;
    const unsigned valid = n - first < words * 32 ? static_cast<unsigned>(n - first) : words * 32;
    for (unsigned w = ctx.thread(); w < words; w += block_threads) {
      smem.word[w] = 0;
    }
    block::find_offsets_between(ctx, heads.offsets, heads.segment_count, n, first, first + valid, smem.found);
    ctx.sync_block();  // no bit is set, and the tile's offsets are known
    block::set_heads(ctx, smem.word, heads.offsets, smem.found, first, valid);
    ctx.sync_block();  // the bits of the tile's heads are set
    for (unsigned w = ctx.thread(); w * 32 < valid; w += block_threads) {
      bits[first / 32 + w] = smem.word[w];
    }
  }
};

template <class OffsetIt>
struct offset_head_flags : staged_heads {
  static constexpr bool copies = true;
  static constexpr index_type vector_items = 128;  // a vector has the bits of so many
  /// A tile's bits, and those that share vectors with them.
  template <class Tiles>
  static constexpr std::size_t copied_bytes = (Tiles::tile_items / vector_items + 3) * sizeof(simt::vector16);

  offset_bits_kernel<OffsetIt> made;

  std::size_t array_bytes() const
  {
    return static_cast<std::size_t>(gimbal::tiles_of(made.n, vector_items)) * sizeof(simt::vector16);
  }
  status prepare(const launch_words& words)
  {
    made.bits = words.arrays<std::uint32_t>();
    return made.launch(words.stream());
  }

  template <class Context, class Tiles>
  GIMBAL_DEVICE void load(
    Context& ctx, const Tiles& tiles, index_type first, unsigned char* target, simt::phase_barrier& full) const
  {
    const index_type begin = first / vector_items;
    const index_type end = (first + tiles.valid(first, Tiles::tile_items).hi + vector_items - 1) / vector_items;
    const auto bytes = static_cast<unsigned>(end - begin) * unsigned{sizeof(simt::vector16)};
    ctx.arrive_expecting(full, bytes);
    ctx.bulk_load(target, reinterpret_cast<const simt::vector16*>(made.bits) + begin, bytes, full);
  }

  /// This lane's heads.
  template <class Context, class Tiles>
  GIMBAL_DEVICE std::uint32_t find(
    Context& ctx, const Tiles& tiles, const unsigned char* copied, unsigned tile, unsigned warp) const
  {
    constexpr unsigned items = Tiles::segment_items;
    const index_type first = Tiles::first_of(tile);
    const unsigned before = warp * Tiles::chunk_items + ctx.lane() * items;  // in the tile
    return block::bits_at(
      reinterpret_cast<const std::uint32_t*>(copied), static_cast<unsigned>(first % vector_items) + before,
      tiles.valid(first + before, items).hi);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
