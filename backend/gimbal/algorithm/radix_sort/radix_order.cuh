// Tests by warps that read the input of a radix sort for another purpose: whether the keys are already sorted, at next to no cost
// where they are not, and whether keys are equal.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Flag: two neighbours are out of order.
inline constexpr unsigned flag_out_of_order = 1;

/// That, or 0, from comparing each of a warp's keys with the next one by the bits that the plan sorts by. key[i] is the key at
/// `mine` + 32 i in `source`, which has `n`. The same in all lanes.
template <unsigned Count, class Context, class Source, class Bits>
GIMBAL_DEVICE unsigned test_order(
  Context& ctx, const block::radix_order<Bits>& order, const Source& source, index_type mine, unsigned n,
  const block::digit_plan& plan, const Bits (&key)[Count])
{
  const Bits sorted = plan.template sorted_mask<Bits>();
  const auto bits_of = [&](Bits own) { return static_cast<Bits>(order.ordered(own) & sorted); };
  // In most unsorted inputs a few keys show it, which are in registers already.
  const Bits first = bits_of(key[0]);
  const Bits next = ctx.shfl_down(first, 1);
  const bool has_next = mine + 1 < index_type{n} && ctx.lane() + 1 < simt::warp_threads;
  if (ctx.ballot(has_next && first > next) != 0) {
    return flag_out_of_order;
  }
  bool descends = false;
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Count; ++i) {
    const index_type behind = mine + i * simt::warp_threads + 1;
    if (behind < index_type{n}) {
      descends = descends || bits_of(key[i]) > bits_of(block::load_as<Bits>(source + behind));
    }
  }
  return ctx.ballot(descends) != 0 ? flag_out_of_order : 0;
}

/// 1 for each lane whose key a lower lane has, too. `exists` is false in lanes without a key.
template <class Context, class Bits>
GIMBAL_DEVICE unsigned count_duplicates(Context& ctx, Bits ordered, bool exists)
{
  const unsigned peers = ctx.match_any(ordered) & ctx.ballot(exists);
  return exists && (peers & ((1u << ctx.lane()) - 1)) != 0 ? 1 : 0;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
