// Whether the keys of a radix sort are in order already, or in reverse order and to be turned round (radix_reverse.cuh): what
// warps find out while they do something else with the input, which costs nothing to speak of where the keys are neither.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Notes of neighbours that were seen.
inline constexpr unsigned seen_out_of_order = 1;
inline constexpr unsigned seen_out_of_reverse = 2;
inline constexpr unsigned seen_both = seen_out_of_order | seen_out_of_reverse;

/// What a warp sees of its keys, of which key[i] is that at `mine` + 32 i in `source` if there are so many as `n`, and of
/// those behind them, by the bits that the plan sorts by. The same in all lanes.
template <class Order, unsigned Count, class Context, class Source, class Key>
GIMBAL_DEVICE unsigned look_at_order(
  Context& ctx, const Source& source, index_type mine, unsigned n, const block::digit_plan& plan,
  const Key (&key)[Count])
{
  using bits_type = block::radix_key_bits<Key>;
  const bits_type sorted = plan.template sorted_mask<bits_type>();
  const auto see = [&](bool is_seen, bits_type own, bits_type next) {
    return (ctx.ballot(is_seen && own > next) != 0 ? seen_out_of_order : 0)
           | (ctx.ballot(is_seen && own < next) != 0 ? seen_out_of_reverse : 0);
  };
  const auto bits_of = [&](const Key& k) { return static_cast<bits_type>(block::ordered_bits<Order>(k) & sorted); };
  // Most inputs show both in a few keys, which are here already.
  const bits_type first = bits_of(key[0]);
  unsigned seen = see(mine + 1 < index_type{n} && ctx.lane() + 1 < simt::warp_threads, first, ctx.shfl_down(first, 1));
  if (seen == seen_both) {
    return seen;
  }
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Count; ++i) {
    const index_type behind = mine + i * simt::warp_threads + 1;
    const bool exists = behind < index_type{n};
    const bits_type own = bits_of(key[i]);
    seen |= see(exists, own, exists ? bits_of(block::load_as<Key>(source + behind)) : bits_type{});
  }
  return seen;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
