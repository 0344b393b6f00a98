// Head flags of the persistent segmented scan (persistent_scan_policy.cuh) from keys or flags, one for each item:
// copied beside the items where they are in an array, else loaded by the lanes that reduce, who turn them into bits.
#pragma once

#include <gimbal/tile/iterators.h>

#include <gimbal/algorithm/scan/head_flags.cuh>
#include <gimbal/algorithm/scan/segment_fold.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Keys before those of a tile that are loaded with them.
template <class Key, class IsHead>
inline constexpr unsigned lead_of_v = IsHead::looks_back ? simt::items_of_vectors(sizeof(Key)) : 0;

/// Head flags from keys or flags in memory, one per item. `IsHead`: whether an item is a head, given its own key or
/// flag and the one before.
template <class KeyOrFlag, class IsHead>
struct staged_head_flags
    : copied_heads<block::misaligned_source<KeyOrFlag>, lead_of_v<KeyOrFlag, IsHead>, 8 * sizeof(KeyOrFlag), 16> {
  using key_or_flag = KeyOrFlag;
  static constexpr std::size_t lead_bytes = lead_of_v<KeyOrFlag, IsHead> * sizeof(key_or_flag);

  IsHead is_head;

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
    const unsigned char* const tile_begin = copied + lead_bytes + this->source.misalignment;
    const unsigned char* const chunk = tile_begin + warp * Tiles::chunk_items * sizeof(key_or_flag);
    uninit<key_or_flag> previous;
    if (IsHead::looks_back && !is_first) {
      previous = (reinterpret_cast<const uninit<key_or_flag>*>(tile_begin) + before)[-1];
    }
    uninit<key_or_flag> own[items];
    if (valid.hi == items && this->source.misalignment == 0) {
      block::lane_segment<key_or_flag, items>::read(chunk, ctx.lane(), own);
      return block::find_heads<true>(valid, is_first, previous, own, is_head);
    }
    block::lane_segment<key_or_flag, items>::read_items(chunk, ctx.lane(), own);
    return block::find_heads<false>(valid, is_first, previous, own, is_head);
  }
};

template <class Equal>
struct key_changes : block::differs<Equal> {
  static constexpr bool looks_back = true;
};

template <class Flag>
struct flag_is_set {
  static constexpr bool looks_back = false;

  GIMBAL_DEVICE bool operator()(const Flag&, const Flag& own) const { return static_cast<bool>(own); }
};

/// Of keys or flags in an array; none where there is no array, or where they are too large.
template <class It, class IsHead>
auto copied_head_flags(It keys_or_flags, IsHead is_head)
{
  using item = value_type_of<It>;
  if constexpr (block::is_array_v<It> && simt::is_supported_value_v<item> && sizeof(item) <= 16) {
    return staged_head_flags<item, IsHead>{{{}, block::misaligned_source<item>::of(keys_or_flags, 0)}, is_head};
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

}  // namespace algorithm

GIMBAL_NAMESPACE_END
