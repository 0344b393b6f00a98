// Rank sort of so few keys that comparing the bits of each with all others takes less time than the latencies of any
// other algorithm (grid/all_pairs_launch.cuh). 32 keys lie in shared memory, in a form that is quick to compare, and
// every lane reads them all, a vector at a time.
//
// Order: stable. Equal bits, and -0.0 and +0.0, keep their order.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_words.h>

#include <gimbal/grid/all_pairs_launch.cuh>
#include <gimbal/simt/count_less.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Counts smaller keys, of `KeyBytes` bytes.
template <std::size_t KeyBytes>
class smaller_keys {
public:
  /// The bits to be compared.
  using word = ::cuda::std::conditional_t<KeyBytes <= 4, std::uint32_t, std::uint64_t>;
  static constexpr word last = static_cast<word>(~word{0});  ///< no bits exceed these

  GIMBAL_DEVICE void set(unsigned lane, word bits) { vectors_[lane / vector_items].of[lane % vector_items] = bits; }

  GIMBAL_DEVICE unsigned count(word bits) const
  {
    float counts[2] = {};
    GIMBAL_UNROLL
    for (unsigned v = 0; v < simt::warp_threads / vector_items; ++v) {
      const vector others = vectors_[v];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < vector_items; ++i) {
        simt::count_less(counts[i % 2], others.of[i], bits);
      }
    }
    return static_cast<unsigned>(counts[0] + counts[1]);
  }

private:
  static constexpr unsigned vector_items = 16 / sizeof(word);
  struct alignas(16) vector {
    word of[vector_items];
  };
  vector vectors_[simt::warp_threads / vector_items];
};

}  // namespace block

namespace algorithm {

/// Compares by the bits that a plan selects.
template <class Bits>
struct order_of_bits {
  using group = block::smaller_keys<sizeof(Bits)>;
  using word = typename group::word;  ///< the bits sorted by
  static constexpr bool fills_output = false;

  block::radix_order<Bits> order;
  block::digit_plan plan;

  GIMBAL_DEVICE word compared(Bits own) const { return plan.sorted_bits(order.ordered(own)); }

  /// Bits are complemented for groups before the block's own. Slots after the last key get the greatest bits.
  GIMBAL_DEVICE void stage(group& to, unsigned lane, const uninit<Bits>& key, bool is_present, bool is_earlier) const
  {
    const word bits = is_present ? compared(key.get()) : group::last;
    to.set(lane, is_earlier ? bits ^ group::last : bits);
  }

  /// Equal keys of earlier groups precede, too: these are all but the greater ones, whose complements are smaller.
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
