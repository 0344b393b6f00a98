// Where segments start: three descriptions of it (adjacent keys, head flags, offsets), and what finds offsets. The
// first item of all always starts a segment.
//
// By keys a tile does not know whether its first item is a head: where the results overwrite the keys, the key before
// it may be gone. So each tile looks at the first key of the next one.
#pragma once

#include <gimbal/tile/functors.h>
#include <gimbal/tile/iterators.h>

#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

// `has_numbers`: segments are numbered by the description, empty ones too, and not by the heads that were found.
// `tells_next`: a tile asks whether the first item of the next tile is a head, and not whether its own is.

/// A segment starts at item i if i == 0 or !equal(keys[i - 1], keys[i]).
template <class KeyIt, class Equal>
struct heads_from_keys {
  static constexpr bool has_numbers = false;
  static constexpr bool tells_next = true;

  KeyIt keys;
  Equal equal;

  /// Of an item that is not the first.
  GIMBAL_DEVICE bool is_head(index_type i) const
  {
    using key = value_type_of<KeyIt>;
    const functor::negated<Equal> differs{equal};
    key before = block::load_as<key>(keys + (i - 1));
    key own = block::load_as<key>(keys + i);
    return differs(before, own);
  }
};

/// A segment starts at item i if i == 0 or flags[i], of any type convertible to bool.
template <class FlagIt>
struct heads_from_flags {
  static constexpr bool has_numbers = false;
  static constexpr bool tells_next = false;

  FlagIt flags;

  GIMBAL_DEVICE bool is_head(index_type i) const { return block::load_as<bool>(flags + i); }
};

/// Segment s holds the items from offsets[s] to offsets[s + 1], the last one to the end. Offsets do not decrease and
/// are at most the number of items; equal offsets make empty segments. Items before offsets[0] form a segment without a
/// number.
template <class OffsetIt>
struct heads_from_offsets {
  static constexpr bool has_numbers = true;
  static constexpr bool tells_next = false;

  OffsetIt offsets;
  index_type segment_count;

  /// Whether segment s of `n` items has none of them.
  GIMBAL_DEVICE bool is_empty(index_type s, index_type n) const
  {
    const index_type end = s + 1 < segment_count ? block::load_as<index_type>(offsets + (s + 1)) : n;
    return block::load_as<index_type>(offsets + s) == end;
  }
};

namespace block {

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

}  // namespace block

GIMBAL_NAMESPACE_END
