// What the tiles of one radix pass tell each other: per tile and digit, how many keys with that digit it holds, and as
// soon as that is known, how many it and all tiles before it hold. (Decoupled look-back, one chain per digit.)
//
// A word is all there is to know: status and count share it, so relaxed accesses do. Words are not cleared between
// launches of a pass. Every launch leaves every word at "all so far", and the codes of a launch are those of the one before
// with the highest bit flipped, so that what that one left, or zero before the first, reads as "nothing known":
//
//               nothing   of the tile   all so far
//   even launch   00          01            10
//   odd launch    10          11            00
//
// Looking back is done by few warps while all others write, hence at few instructions: a lane goes back tile by tile
// for all of its digits at once, and a digit whose sum is complete is masked out.
#pragma once

#include <gimbal/collective/radix_key.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// `DigitsPerLane` digits are looked after by a lane, 32 apart; `Window` tiles before are looked at at a time.
template <unsigned DigitsPerLane, unsigned Window>
struct radix_tally {
  static constexpr unsigned count_bits = 30;
  static constexpr unsigned count_mask = (1u << count_bits) - 1;
  static constexpr unsigned of_tile = 1u << count_bits;
  static constexpr unsigned of_all_so_far = 2u << count_bits;

  unsigned* words;  ///< [tile][digit]
  unsigned parity;  ///< of the launch, among those of passes

  /// Added to a word without carry, turns the codes of an odd launch into those of an even one and back.
  GIMBAL_DEVICE unsigned flip() const { return parity << (count_bits + 1); }

  template <class Context>
  GIMBAL_DEVICE auto word(Context& ctx, unsigned tile, unsigned digit) const
  {
    return ctx.atomic(words[std::size_t{tile} * radix_size + digit]);
  }

  template <class Context>
  GIMBAL_DEVICE void publish_tile(Context& ctx, unsigned tile, unsigned digit, unsigned count) const
  {
    word(ctx, tile, digit).store((of_tile | count) ^ flip(), ::cuda::std::memory_order_relaxed);
  }

  template <class Context>
  GIMBAL_DEVICE void publish_all_so_far(Context& ctx, unsigned tile, unsigned digit, unsigned count) const
  {
    word(ctx, tile, digit).store((of_all_so_far | count) ^ flip(), ::cuda::std::memory_order_relaxed);
  }

  /// Words of tiles [first, end), which the launch does not have, are left as it leaves those of its own. By `threads` threads.
  template <class Context>
  GIMBAL_DEVICE void leave(Context& ctx, unsigned first, unsigned end, unsigned thread, unsigned threads) const
  {
    GIMBAL_NO_UNROLL
    for (unsigned tile = first; tile < end; ++tile) {
      GIMBAL_NO_UNROLL
      for (unsigned digit = thread; digit < radix_size; digit += threads) {
        publish_all_so_far(ctx, tile, digit, 0);
      }
    }
  }

  /// sums[k] = keys with digit `digit + 32 * k` in the tiles before. The first of them knows all so far, so nothing is added
  /// from beyond it, and loads that reach there may as well read it again.
  template <class Context>
  GIMBAL_DEVICE void look_back(Context& ctx, unsigned tile, unsigned digit, unsigned (&sums)[DigitsPerLane]) const
  {
    unsigned open[DigitsPerLane];  // all bits, or none if the sum is complete
    GIMBAL_UNROLL
    for (unsigned k = 0; k < DigitsPerLane; ++k) {
      open[k] = tile == 0 ? 0 : ~0u;
      sums[k] = 0;
    }
    unsigned left = tile;  // not yet added
    while (any(open) != 0) {
      unsigned seen[Window][DigitsPerLane];
      GIMBAL_UNROLL
      for (unsigned w = 0; w < Window; ++w) {
        const unsigned back = left > w ? left - 1 - w : 0;
        GIMBAL_UNROLL
        for (unsigned k = 0; k < DigitsPerLane; ++k) {
          seen[w][k] = word(ctx, back, digit + k * simt::warp_threads).load(::cuda::std::memory_order_relaxed);
        }
      }
      const unsigned added = add(seen, open, sums);
      left = left > added ? left - added : 0;
      if (added == 0) {
        ctx.spin_wait();
      }
    }
  }

private:
  static GIMBAL_DEVICE unsigned any(const unsigned (&open)[DigitsPerLane])
  {
    unsigned bits = 0;
    GIMBAL_UNROLL
    for (unsigned k = 0; k < DigitsPerLane; ++k) {
      bits |= open[k];
    }
    return bits;
  }

  /// Adds the nearest tiles, up to the first that tells nothing of an open digit, and says how many.
  GIMBAL_DEVICE unsigned add(
    const unsigned (&seen)[Window][DigitsPerLane], unsigned (&open)[DigitsPerLane],
    unsigned (&sums)[DigitsPerLane]) const
  {
    unsigned added = 0;
    bool goes_on = true;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < Window; ++w) {
      unsigned told[DigitsPerLane];
      GIMBAL_UNROLL
      for (unsigned k = 0; k < DigitsPerLane; ++k) {
        told[k] = (seen[w][k] ^ flip()) | ~open[k];  // complete sums need nothing more
        goes_on = goes_on && told[k] >= of_tile;
      }
      if (goes_on) {
        ++added;
        GIMBAL_UNROLL
        for (unsigned k = 0; k < DigitsPerLane; ++k) {
          sums[k] += told[k] & open[k] & count_mask;
          open[k] = told[k] >= of_all_so_far ? 0 : open[k];
        }
      }
    }
    return added;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
