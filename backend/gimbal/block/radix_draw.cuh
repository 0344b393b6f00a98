// Ranking the keys of a warp by a digit: every key draws a slot from its digit's counter, which holds the next free
// one.
//
//   by additions   one addition per key that returns the old count. Stable if the hardware serves the lanes of a warp
//   from
//                  the lowest to the highest, and their additions in program order. Neither is documented: the caller
//                  verifies what it got.
//   by votes       lanes with the same digit find each other by one vote per bit, and the last of them adds for all.
//                  Documented behaviour alone: one lane adds at a time, and sync_warp() separates the turns.
//   by position    all keys of the tile have one digit: the slot follows from the position.
#pragma once

#include <cuda/std/bit>
#include <gimbal/block/radix_key.cuh>
#include <gimbal/simt/match_bits.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

enum class radix_ranking { by_additions, by_votes, by_position };

/// `most` of a tile's keys, by groups of digits, have the same one. Where many have, additions would queue up at one
/// address.
template <unsigned TileItems, unsigned CrowdedPart, unsigned Groups>
GIMBAL_DEVICE radix_ranking choose_ranking(const unsigned (&most)[Groups], bool by_votes)
{
  unsigned top = 0;
  GIMBAL_UNROLL
  for (unsigned g = 0; g < Groups; ++g) {
    top = most[g] > top ? most[g] : top;
  }
  return top == TileItems                            ? radix_ranking::by_position
         : by_votes || top > TileItems / CrowdedPart ? radix_ranking::by_votes
                                                     : radix_ranking::by_additions;
}

/// A counter per warp and digit: first of keys, then the next free slot for such a key.
template <unsigned Warps>
struct radix_counters {
  unsigned of_warp[Warps][radix_size];

  /// This warp's.
  template <class Context>
  GIMBAL_DEVICE void clear(Context& ctx)
  {
    GIMBAL_UNROLL
    for (unsigned d = ctx.lane(); d < radix_size; d += simt::warp_threads) {
      of_warp[ctx.warp()][d] = 0;
    }
    ctx.sync_warp();  // all zero before the first is added to
  }

  template <class Context>
  GIMBAL_DEVICE void add(Context& ctx, unsigned digit)
  {
    ctx.atomic_shared(of_warp[ctx.warp()][digit]).fetch_add(1u, ::cuda::std::memory_order_relaxed);
  }

  GIMBAL_DEVICE unsigned total(unsigned digit) const
  {
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < Warps; ++w) {
      sum += of_warp[w][digit];
    }
    return sum;
  }

  /// From counts to slots: those of the digit are `slot` and up, in order of the warps.
  GIMBAL_DEVICE void start(unsigned digit, unsigned slot)
  {
    GIMBAL_UNROLL
    for (unsigned w = 0; w < Warps; ++w) {
      const unsigned count = of_warp[w][digit];
      of_warp[w][digit] = slot;
      slot += count;
    }
  }
};

/// Of `digit` the low `Bits` bits tell digits apart.
template <unsigned Bits = radix_bits, class Context>
GIMBAL_DEVICE unsigned draw_by_votes(Context& ctx, unsigned* next_slots, unsigned digit)
{
  const unsigned peers = simt::match_bits<Bits>(ctx, digit);
  const unsigned below = ::cuda::std::popcount(peers & ((1u << ctx.lane()) - 1));
  const unsigned last = 31 - ::cuda::std::countl_zero(peers);
  unsigned slot = 0;
  if (ctx.lane() == last) {
    slot = ctx.atomic_shared(next_slots[digit]).fetch_add(below + 1, ::cuda::std::memory_order_relaxed);
  }
  ctx.sync_warp();  // the next item's last lane adds after this one
  return ctx.shfl(slot, last) + below;
}

/// slot[j] = slot of the key whose digit is digit_of(j), for j < Count; first_slot + j * 32 by position.
template <unsigned Count, class Context, class DigitOf>
GIMBAL_DEVICE void draw_slots(
  Context& ctx, radix_ranking ranking, unsigned* next_slots, unsigned first_slot, DigitOf digit_of,
  unsigned (&slot)[Count])
{
  if (ranking == radix_ranking::by_additions) {
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Count; ++j) {
      slot[j] = ctx.count_by_lanes(next_slots[digit_of(j)]);
    }
  } else if (ranking == radix_ranking::by_votes) {
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Count; ++j) {
      slot[j] = draw_by_votes(ctx, next_slots, digit_of(j));
    }
  } else {
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Count; ++j) {
      slot[j] = first_slot + j * simt::warp_threads;
    }
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
