// Where segments start: three descriptions of it (adjacent keys, head flags, offsets), each turned into one bit per
// item of a tile. The first item of all always starts a segment.
//
// Keys and offsets may need one word per tile made beforehand, its boundary:
//   keys     whether the tile's first item is a head. The tile itself cannot look at the key before it when the results
//            overwrite the keys: the block of the tile before may have done so already.
//   offsets  the first offset that is not before the tile, so that no block has to search all offsets.
#pragma once

#include <gimbal/tile/iterators.h>

#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

/// A segment starts at item i if i == 0 or !equal(keys[i - 1], keys[i]).
template <class KeyIt, class Equal>
struct heads_from_keys {
  KeyIt keys;
  Equal equal;
};

/// A segment starts at item i if i == 0 or flags[i], of any type convertible to bool.
template <class FlagIt>
struct heads_from_flags {
  FlagIt flags;
};

/// Segment s holds the items from offsets[s] to offsets[s + 1], the last one to the end. Offsets do not decrease and
/// are at most the number of items; equal offsets make empty segments. Items before offsets[0] form a segment without a
/// number.
template <class OffsetIt>
struct heads_from_offsets {
  OffsetIt offsets;
  index_type segment_count;
};

namespace block {

/// Whether an item begins a run or a segment, being unlike the one before it.
template <class Equal>
struct differs {
  Equal equal;

  template <class Before, class Own>
  GIMBAL_DEVICE bool operator()(Before&& before, Own&& own) const
  {
    Equal copy = equal;  // the user's call operator may be non-const
    return !static_cast<bool>(copy(static_cast<Before&&>(before), static_cast<Own&&>(own)));
  }
};

/// Position of the first of [begin, end) whose offset is at least `item`.
template <class OffsetIt>
GIMBAL_DEVICE index_type first_offset_from(OffsetIt offsets, index_type begin, index_type end, index_type item)
{
  while (begin < end) {
    const index_type middle = begin + (end - begin) / 2;
    if (block::load_as<index_type>(offsets + middle) < item) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// A position from which at most `slack` offsets lie before `item` and none after it is passed over, of `count`
/// offsets, for a whole warp: 32 offsets are loaded at a time, first at growing distances from `guess`.
template <class Context, class OffsetIt>
GIMBAL_DEVICE index_type
warp_offsets_from(Context& ctx, OffsetIt offsets, index_type count, index_type item, index_type guess, index_type slack)
{
  constexpr unsigned half = simt::warp_threads / 2;
  constexpr index_type nearest = 16;
  const auto probed = [&](unsigned probe) {
    const index_type at = probe < half ? guess - (nearest << (half - 1 - probe)) : guess + (nearest << (probe - half));
    return at < 0 ? -1 : at < count ? at : count;
  };
  const auto is_before = [&](index_type at) {
    return at < 0 || (at < count && block::load_as<index_type>(offsets + at) < item);
  };
  const unsigned passed = simt::popcount(ctx.ballot(is_before(probed(ctx.lane()))));
  index_type begin = passed == 0 ? 0 : probed(passed - 1) + 1;
  index_type end = passed == simt::warp_threads ? count : probed(passed);
  while (end - begin > slack) {
    const index_type step = (end - begin + simt::warp_threads - 1) / simt::warp_threads;
    const index_type at = begin + step * (ctx.lane() + 1) - 1;
    begin += step * simt::popcount(ctx.ballot(at < end && is_before(at)));
    end = begin + step - 1 < end ? begin + step - 1 : end;
  }
  return begin;
}

/// Bits of a tile, set at heads.
template <unsigned BlockThreads, unsigned Items>
struct head_bits {
  static_assert(Items <= 32, "the heads of one thread fit into a word");

  static constexpr unsigned words = BlockThreads * Items / 32;

  struct shared {
    std::uint32_t word[words + 1];  // one more, read but not used
  };

  template <class Context>
  static GIMBAL_DEVICE void clear(Context& ctx, shared& smem)
  {
    for (unsigned w = ctx.thread(); w < words + 1; w += BlockThreads) {
      smem.word[w] = 0;
    }
  }

  /// Set every bit from is_head(index), called for valid items in striped order.
  template <class Context, class IsHead>
  static GIMBAL_DEVICE void set_head_flags(Context& ctx, shared& smem, unsigned valid, IsHead is_head)
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      const unsigned index = i * BlockThreads + ctx.thread();
      const std::uint32_t word = ctx.ballot(index < valid && is_head(index));
      if (ctx.lane() == 0) {
        smem.word[index / 32] = word;
      }
    }
  }

  /// The bits of this thread's items in blocked order, item 0 lowest.
  template <class Context>
  static GIMBAL_DEVICE std::uint32_t of_thread(Context& ctx, const shared& smem, unsigned count)
  {
    const unsigned first = ctx.thread() * Items;
    const std::uint64_t both = smem.word[first / 32] | std::uint64_t{smem.word[first / 32 + 1]} << 32;
    return static_cast<std::uint32_t>(both >> first % 32) & static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  }
};

/// The interface of a description of heads. `has_numbers`: segments are numbered by the description, empty ones
/// too, and not by the heads that were found. `boundary_count(tiles)` boundaries are made beforehand by boundary(tile *
/// tile_items, n), unless there is a single tile or needs_boundaries() says no; then `boundaries` is null.
template <class Heads>
struct head_source;

template <class KeyIt, class Equal>
struct head_source<heads_from_keys<KeyIt, Equal>> {
  using boundary_type = unsigned char;
  static constexpr bool has_numbers = false;
  static constexpr bool has_boundaries = true;
  static constexpr index_type boundary_count(index_type tiles) { return tiles; }

  heads_from_keys<KeyIt, Equal> heads;
  boundary_type* boundaries;

  template <class OutputIt>
  static bool needs_boundaries(const heads_from_keys<KeyIt, Equal>& heads, OutputIt out, index_type n)
  {
    return block::may_overlap(heads.keys, out, n);
  }

  GIMBAL_DEVICE bool boundary(index_type first, index_type n) const { return first < n && is_head(first); }

  template <class Bits, class Context>
  GIMBAL_DEVICE void set_head_flags(
    Context& ctx, typename Bits::shared& smem, unsigned tile, index_type first, unsigned valid) const
  {
    Bits::set_head_flags(ctx, smem, valid, [&](unsigned index) {
      return index == 0 && boundaries != nullptr ? boundaries[tile] != 0 : is_head(first + index);
    });
  }

private:
  GIMBAL_DEVICE bool is_head(index_type i) const
  {
    using key = value_type_of<KeyIt>;
    const differs<Equal> is_change{heads.equal};
    return i == 0 || is_change(block::load_as<key>(heads.keys + (i - 1)), block::load_as<key>(heads.keys + i));
  }
};

template <class FlagIt>
struct head_source<heads_from_flags<FlagIt>> {
  using boundary_type = unsigned char;
  static constexpr bool has_numbers = false;
  static constexpr bool has_boundaries = false;
  static constexpr index_type boundary_count(index_type) { return 0; }

  heads_from_flags<FlagIt> heads;
  boundary_type* boundaries;

  template <class Bits, class Context>
  GIMBAL_DEVICE void set_head_flags(
    Context& ctx, typename Bits::shared& smem, unsigned, index_type first, unsigned valid) const
  {
    const FlagIt flags = heads.flags + first;
    Bits::set_head_flags(
      ctx, smem, valid, [&](unsigned index) { return first + index == 0 || block::load_as<bool>(flags + index); });
  }
};

template <class OffsetIt>
struct head_source<heads_from_offsets<OffsetIt>> {
  using boundary_type = index_type;
  static constexpr bool has_numbers = true;
  static constexpr bool has_boundaries = true;
  static constexpr index_type boundary_count(index_type tiles) { return tiles + 1; }

  heads_from_offsets<OffsetIt> heads;
  boundary_type* boundaries;

  template <class OutputIt>
  static bool needs_boundaries(const heads_from_offsets<OffsetIt>&, OutputIt, index_type)
  {
    return true;
  }

  GIMBAL_DEVICE index_type boundary(index_type first, index_type n) const
  {
    return first >= n ? heads.segment_count : block::first_offset_from(heads.offsets, 0, heads.segment_count, first);
  }

  /// The segments that start in the tile; in the last tile, those that start at the end too.
  GIMBAL_DEVICE index_type segments_begin(unsigned tile) const { return boundaries == nullptr ? 0 : boundaries[tile]; }
  GIMBAL_DEVICE index_type segments_end(unsigned tile) const
  {
    return boundaries == nullptr ? heads.segment_count : boundaries[tile + 1];
  }

  GIMBAL_DEVICE bool is_empty(index_type s, index_type n) const
  {
    const index_type end = s + 1 < heads.segment_count ? block::load_as<index_type>(heads.offsets + (s + 1)) : n;
    return block::load_as<index_type>(heads.offsets + s) == end;
  }

  /// Needs the bits cleared and a barrier before it.
  template <class Bits, class Context>
  GIMBAL_DEVICE void set_head_flags(
    Context& ctx, typename Bits::shared& smem, unsigned tile, index_type first, unsigned valid) const
  {
    const index_type end = segments_end(tile);
    for (index_type s = segments_begin(tile) + ctx.thread(); s < end; s += Context::block_threads) {
      const index_type index = block::load_as<index_type>(heads.offsets + s) - first;
      if (index < valid) {
        set(ctx, smem, static_cast<unsigned>(index));
      }
    }
    if (ctx.thread() == 0 && first == 0) {
      set(ctx, smem, 0);
    }
  }

private:
  template <class Context, class Shared>
  static GIMBAL_DEVICE void set(Context& ctx, Shared& smem, unsigned index)
  {
    // Relaxed: the barrier that follows orders the bits.
    ctx.atomic_shared(smem.word[index / 32]).fetch_or(1u << index % 32, ::cuda::std::memory_order_relaxed);
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
