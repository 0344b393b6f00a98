// Where segments start: three descriptions of it (adjacent keys, head flags, offsets), each turned into one bit per
// item of a tile. The first item of all always starts a segment.
//
// By keys a tile does not know whether its first item is a head: where the results overwrite the keys, the key before
// it may be gone. So each tile looks at the first key of the next one.
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

/// Which of `count` offsets are of the items from `first` to `after`, of `n`: found[0] and found[1] are the first that
/// are not before these. By a block, two warps of which search if it has them.
template <class Context, class OffsetIt>
GIMBAL_DEVICE void find_offsets_between(
  Context& ctx, OffsetIt offsets, index_type count, index_type n, index_type first, index_type after,
  index_type (&found)[2])
{
  for (unsigned i = ctx.warp(); i < 2; i += Context::block_threads / simt::warp_threads) {
    const index_type item = i == 0 ? first : after;
    const auto guess =
      static_cast<index_type>(static_cast<double>(item) / static_cast<double>(n) * static_cast<double>(count));
    const index_type begin = block::warp_offsets_from(ctx, offsets, count, item, guess, 0);
    if (ctx.lane() == 0) {
      found[i] = begin;
    }
  }
}

/// `count` bits from number `first` on, the first lowest; at most 32, and a word after them is read but not used.
GIMBAL_DEVICE std::uint32_t bits_at(const std::uint32_t* words, unsigned first, unsigned count)
{
  const std::uint64_t both = words[first / 32] | std::uint64_t{words[first / 32 + 1]} << 32;
  return static_cast<std::uint32_t>(both >> first % 32) & static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
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
    return block::bits_at(smem.word, ctx.thread() * Items, count);
  }
};

/// The interface of a description of heads. `has_numbers`: segments are numbered by the description, empty ones too,
/// and not by the heads that were found. `tells_next`: with TellsNext is_head(first item of the next tile) is asked as
/// well, as this bit of a tile is not set but of the first one.
template <class Heads>
struct head_source;

template <class KeyIt, class Equal>
struct head_source<heads_from_keys<KeyIt, Equal>> {
  static constexpr bool has_numbers = false;
  static constexpr bool tells_next = true;
  struct shared {};

  heads_from_keys<KeyIt, Equal> heads;

  template <class Bits, bool TellsNext, class Context>
  GIMBAL_DEVICE void set_head_flags(
    Context& ctx, typename Bits::shared& smem, const shared&, index_type first, unsigned valid) const
  {
    Bits::set_head_flags(ctx, smem, valid, [&](unsigned index) {
      return index == 0 && (TellsNext || first == 0) ? first == 0 : is_head(first + index);
    });
  }
  /// Of an item that is not the first.
  GIMBAL_DEVICE bool is_head(index_type i) const
  {
    using key = value_type_of<KeyIt>;
    const differs<Equal> is_change{heads.equal};
    key before = block::load_as<key>(heads.keys + (i - 1));
    key own = block::load_as<key>(heads.keys + i);
    return is_change(before, own);
  }
};

template <class FlagIt>
struct head_source<heads_from_flags<FlagIt>> {
  static constexpr bool has_numbers = false;
  static constexpr bool tells_next = false;
  struct shared {};

  heads_from_flags<FlagIt> heads;

  template <class Bits, bool TellsNext, class Context>
  GIMBAL_DEVICE void set_head_flags(
    Context& ctx, typename Bits::shared& smem, const shared&, index_type first, unsigned valid) const
  {
    const FlagIt flags = heads.flags + first;
    Bits::set_head_flags(
      ctx, smem, valid, [&](unsigned index) { return first + index == 0 || block::load_as<bool>(flags + index); });
  }
};

template <class OffsetIt>
struct head_source<heads_from_offsets<OffsetIt>> {
  static constexpr bool has_numbers = true;
  static constexpr bool tells_next = false;
  struct shared {
    index_type segments[2];  // the first that starts in the tile, and the first that starts after it: find_segments()
  };

  heads_from_offsets<OffsetIt> heads;

  /// In the last tile those that start at the end are counted too.
  template <class Context>
  GIMBAL_DEVICE void find_segments(Context& ctx, shared& smem, index_type first, unsigned valid, index_type n) const
  {
    if (valid < n) {
      const index_type after = first + valid < n ? first + valid : n + 1;
      block::find_offsets_between(ctx, heads.offsets, heads.segment_count, n, first, after, smem.segments);
    } else if (ctx.thread() == 0) {
      smem.segments[0] = 0;
      smem.segments[1] = heads.segment_count;
    }
  }

  GIMBAL_DEVICE bool is_empty(index_type s, index_type n) const
  {
    const index_type end = s + 1 < heads.segment_count ? block::load_as<index_type>(heads.offsets + (s + 1)) : n;
    return block::load_as<index_type>(heads.offsets + s) == end;
  }

  /// Needs the bits cleared and a barrier before it.
  template <class Bits, bool TellsNext, class Context>
  GIMBAL_DEVICE void set_head_flags(
    Context& ctx, typename Bits::shared& smem, const shared& own, index_type first, unsigned valid) const
  {
    constexpr unsigned batch = 8;  // loads in flight at a time: short segments have many offsets in a tile
    for (index_type s = own.segments[0] + ctx.thread(); s < own.segments[1]; s += batch * Context::block_threads) {
      unsigned index[batch];
      GIMBAL_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const index_type at = s + b * Context::block_threads;
        const index_type item = at < own.segments[1] ? block::load_as<index_type>(heads.offsets + at) - first : valid;
        index[b] = item < valid ? static_cast<unsigned>(item) : valid;
      }
      GIMBAL_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        if (index[b] < valid) {
          set(ctx, smem, index[b]);
        }
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
