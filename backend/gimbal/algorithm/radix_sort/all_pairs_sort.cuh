// Rank sort of so few keys that comparing the bits of each with all others takes less time than the latencies of any other algorithm
// (grid/all_pairs_launch.cuh).
//
// Order: stable. Equal bits, and -0.0 and +0.0, keep their order.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/collective/smaller_keys.cuh>
#include <gimbal/grid/all_pairs_launch.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// By the bits that a plan says.
template <class Bits>
struct order_of_bits {
  using group = block::smaller_keys<sizeof(Bits)>;
  using word = typename group::word;  ///< the bits sorted by
  static constexpr bool fills_output = false;

  block::radix_order<Bits> order;
  block::digit_plan plan;

  GIMBAL_DEVICE word compared(Bits own) const { return plan.sorted_bits(order.ordered(own)); }

  /// Complemented for groups before the block's own. Places behind the last key get the greatest bits.
  GIMBAL_DEVICE void stage(group& to, unsigned lane, const uninit<Bits>& key, bool is_present, bool is_earlier) const
  {
    const word bits = is_present ? compared(key.get()) : group::last;
    to.set(lane, is_earlier ? bits ^ group::last : bits);
  }

  /// Equal keys of earlier groups precede, too: all but the greater ones, whose complements are smaller.
  template <class Context>
  GIMBAL_DEVICE unsigned count(Context& ctx, const group& other, unsigned number, unsigned, word bits) const
  {
    const bool is_earlier = number < ctx.block();
    const unsigned less = other.count(is_earlier ? bits ^ group::last : bits);
    unsigned before = is_earlier ? simt::warp_threads - less : less;
    if (number == ctx.block()) {
      before += simt::popcount(ctx.match_any(bits) & ((1u << ctx.lane()) - 1));
    }
    return before;
  }
};

template <class Shape, class Keys, class Values>
using all_pairs_sort_kernel = all_pairs_kernel<Shape, order_of_bits<typename Keys::value_type>, Keys, Values>;

}  // namespace algorithm

GIMBAL_NAMESPACE_END
