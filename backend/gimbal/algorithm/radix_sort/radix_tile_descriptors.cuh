// Tile descriptors of a radix pass for decoupled look-back, one chain per digit: a tile publishes how many of its keys have the digit
// (its aggregate), and then how many keys of its own and of all tiles before have it (its inclusive prefix).
//
// Status and count share a word, so relaxed accesses suffice. The words are not cleared between the launches of a pass: every
// launch ends with an inclusive prefix in each word, and the status codes of a launch are those of the launch before with the highest
// bit flipped, so what that one left (or the zeros before the first) reads as "invalid":
//
//               invalid   aggregate   inclusive prefix
//   even launch   00         01             10
//   odd launch    10         11             00
//
// A few warps look back while all others write, so instructions are scarce: a lane walks back tile by tile for all of its digits
// at once, and masks a digit out when its sum is complete.
#pragma once

#include <gimbal/collective/radix_key.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// A lane has `DigitsPerLane` digits, 32 apart, and reads `Window` preceding tiles at a time.
template <unsigned DigitsPerLane, unsigned Window>
struct radix_tile_descriptors {
  static constexpr unsigned count_bits = 30;
  static constexpr unsigned count_mask = (1u << count_bits) - 1;
  static constexpr unsigned aggregate = 1u << count_bits;
  static constexpr unsigned inclusive_prefix = 2u << count_bits;

  unsigned* words;  ///< [tile][digit]
  unsigned parity;  ///< of the launch's number among those of all passes

  /// Xor with this turns the status codes of an odd launch into those of an even one and back.
  GIMBAL_DEVICE unsigned flip() const { return parity << (count_bits + 1); }

  template <class Context>
  GIMBAL_DEVICE auto word_at(Context& ctx, unsigned tile, unsigned digit) const
  {
    return ctx.atomic(words[std::size_t{tile} * radix_size + digit]);
  }

  template <class Context>
  GIMBAL_DEVICE void publish_aggregate(Context& ctx, unsigned tile, unsigned digit, unsigned count) const
  {
    word_at(ctx, tile, digit).store((aggregate | count) ^ flip(), ::cuda::std::memory_order_relaxed);
  }

  template <class Context>
  GIMBAL_DEVICE void publish_inclusive_prefix(Context& ctx, unsigned tile, unsigned digit, unsigned count) const
  {
    word_at(ctx, tile, digit).store((inclusive_prefix | count) ^ flip(), ::cuda::std::memory_order_relaxed);
  }

  /// For tiles [first, end), which this launch lacks and a later one may have: leaves their words as those of its own tiles.
  /// By `threads` threads.
  template <class Context>
  GIMBAL_DEVICE void publish_empty(Context& ctx, unsigned first, unsigned end, unsigned thread, unsigned threads) const
  {
    GIMBAL_NO_UNROLL
    for (unsigned tile = first; tile < end; ++tile) {
      GIMBAL_NO_UNROLL
      for (unsigned digit = thread; digit < radix_size; digit += threads) {
        publish_inclusive_prefix(ctx, tile, digit, 0);
      }
    }
  }

  /// sums[k] = keys with digit `digit + 32 * k` in the tiles before `tile`. Tile 0 publishes an inclusive prefix at once, so the
  /// walk ends there at the latest; loads that would reach beyond it read it again.
  template <class Context>
  GIMBAL_DEVICE void look_back(Context& ctx, unsigned tile, unsigned digit, unsigned (&sums)[DigitsPerLane]) const
  {
    unsigned pending[DigitsPerLane];  // all ones, or zero once the sum is complete
    GIMBAL_UNROLL
    for (unsigned k = 0; k < DigitsPerLane; ++k) {
      pending[k] = tile == 0 ? 0 : ~0u;
      sums[k] = 0;
    }
    unsigned left = tile;  // not yet added
    while (any(pending) != 0) {
      unsigned read[Window][DigitsPerLane];
      GIMBAL_UNROLL
      for (unsigned w = 0; w < Window; ++w) {
        const unsigned back = left > w ? left - 1 - w : 0;
        GIMBAL_UNROLL
        for (unsigned k = 0; k < DigitsPerLane; ++k) {
          read[w][k] = word_at(ctx, back, digit + k * simt::warp_threads).load(::cuda::std::memory_order_relaxed);
        }
      }
      const unsigned added = add(read, pending, sums);
      left = left > added ? left - added : 0;
      if (added == 0) {
        ctx.spin_wait();
      }
    }
  }

private:
  static GIMBAL_DEVICE unsigned any(const unsigned (&pending)[DigitsPerLane])
  {
    unsigned bits = 0;
    GIMBAL_UNROLL
    for (unsigned k = 0; k < DigitsPerLane; ++k) {
      bits |= pending[k];
    }
    return bits;
  }

  /// Adds the nearest tiles, up to the first that has no valid word for a pending digit. Returns how many tiles that were.
  GIMBAL_DEVICE unsigned add(
    const unsigned (&read)[Window][DigitsPerLane], unsigned (&pending)[DigitsPerLane],
    unsigned (&sums)[DigitsPerLane]) const
  {
    unsigned added = 0;
    bool is_known = true;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < Window; ++w) {
      unsigned state[DigitsPerLane];
      GIMBAL_UNROLL
      for (unsigned k = 0; k < DigitsPerLane; ++k) {
        state[k] = (read[w][k] ^ flip()) | ~pending[k];  // complete sums need nothing more
        is_known = is_known && state[k] >= aggregate;
      }
      if (is_known) {
        ++added;
        GIMBAL_UNROLL
        for (unsigned k = 0; k < DigitsPerLane; ++k) {
          sums[k] += state[k] & pending[k] & count_mask;
          pending[k] = state[k] >= inclusive_prefix ? 0 : pending[k];
        }
      }
    }
    return added;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
