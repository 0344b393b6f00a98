// What the tiles of one radix pass tell each other: per tile and digit, how many keys with that digit it holds, and as
// soon as that is known, how many it and all tiles before it hold. (Decoupled look-back, one chain per digit.)
//
// A word is all there is to know: status and count share it, so relaxed accesses do. Words are never cleared between
// passes. Every pass leaves every word at "all so far", and there are two codes for that, used in turn: in one pass the
// words the pass before left read as "nothing known". Before the first pass they are zero.
#pragma once

#include <gimbal/block/radix_key.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// `DigitsPerLane` digits are looked after by a lane, 32 apart; `Window` tiles before are looked at at a time.
template <unsigned DigitsPerLane, unsigned Window>
struct radix_tally {
  static constexpr unsigned count_bits = 30;
  static constexpr unsigned count_mask = (1u << count_bits) - 1;
  static constexpr unsigned of_tile = 1u << count_bits;

  unsigned* words;  ///< [tile][digit]
  unsigned parity;  ///< of the pass

  GIMBAL_DEVICE unsigned of_all_so_far() const { return (2u + parity) << count_bits; }

  template <class Context>
  GIMBAL_DEVICE auto word(Context& ctx, index_type tile, unsigned digit) const
  {
    return ctx.atomic(words[tile * radix_size + digit]);
  }

  template <class Context>
  GIMBAL_DEVICE void publish_tile(Context& ctx, index_type tile, unsigned digit, unsigned count) const
  {
    word(ctx, tile, digit).store(of_tile | count, ::cuda::std::memory_order_relaxed);
  }

  template <class Context>
  GIMBAL_DEVICE void publish_all_so_far(Context& ctx, index_type tile, unsigned digit, unsigned count) const
  {
    word(ctx, tile, digit).store(of_all_so_far() | count, ::cuda::std::memory_order_relaxed);
  }

  /// sums[k] = keys with digit `digit + 32 * k` in the tiles [first, tile).
  template <class Context>
  GIMBAL_DEVICE void look_back(
    Context& ctx, index_type first, index_type tile, unsigned digit, unsigned (&sums)[DigitsPerLane]) const
  {
    unsigned left[DigitsPerLane];  // tiles not yet added
    GIMBAL_UNROLL
    for (unsigned k = 0; k < DigitsPerLane; ++k) {
      left[k] = static_cast<unsigned>(tile - first);
      sums[k] = 0;
    }
    bool is_waiting = tile != first;
    while (is_waiting) {
      unsigned seen[DigitsPerLane][Window];
      GIMBAL_UNROLL
      for (unsigned k = 0; k < DigitsPerLane; ++k) {
        GIMBAL_UNROLL
        for (unsigned w = 0; w < Window; ++w) {
          if (w < left[k]) {
            seen[k][w] = word(ctx, first + left[k] - 1 - w, digit + k * simt::warp_threads)
                           .load(::cuda::std::memory_order_relaxed);
          }
        }
      }
      is_waiting = false;
      GIMBAL_UNROLL
      for (unsigned k = 0; k < DigitsPerLane; ++k) {
        add(seen[k], left[k], sums[k]);
        is_waiting = is_waiting || left[k] != 0;
      }
      if (is_waiting) {
        ctx.spin_wait();
      }
    }
  }

private:
  /// Adds words from the nearest tile on, up to the first that tells nothing or tells all.
  GIMBAL_DEVICE void add(const unsigned (&seen)[Window], unsigned& left, unsigned& sum) const
  {
    bool goes_on = left != 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < Window; ++w) {
      if (goes_on) {
        const unsigned status = seen[w] & ~count_mask;
        const bool is_all = status == of_all_so_far();
        const bool is_known = is_all || status == of_tile;
        sum += is_known ? seen[w] & count_mask : 0;
        left = is_all ? 0 : is_known ? left - 1 : left;
        goes_on = is_known && left != 0;
      }
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
