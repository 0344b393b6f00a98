// Whether the keys of a radix sort are in order already: what warps find out while they do something else with the input, which costs
// nothing to speak of where they are not.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A note of neighbours.
inline constexpr unsigned seen_out_of_order = 1;

/// That, or 0: what a warp sees of its keys, of which key[i] is that at `mine` + 32 i in `source` if there are so many as `n`, and of
/// those behind them, by the bits that the plan sorts by. The same in all lanes.
template <class Order, unsigned Count, class Context, class Source, class Key>
GIMBAL_DEVICE unsigned look_at_order(
  Context& ctx, const Source& source, index_type mine, unsigned n, const block::digit_plan& plan,
  const Key (&key)[Count])
{
  using bits_type = block::radix_key_bits<Key>;
  const bits_type sorted = plan.template sorted_mask<bits_type>();
  const auto bits_of = [&](const Key& k) { return static_cast<bits_type>(block::ordered_bits<Order>(k) & sorted); };
  // Most inputs show it in a few keys, which are here already.
  const bits_type first = bits_of(key[0]);
  const bits_type next = ctx.shfl_down(first, 1);
  const bool has_next = mine + 1 < index_type{n} && ctx.lane() + 1 < simt::warp_threads;
  if (ctx.ballot(has_next && first > next) != 0) {
    return seen_out_of_order;
  }
  bool descends = false;
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Count; ++i) {
    const index_type behind = mine + i * simt::warp_threads + 1;
    if (behind < index_type{n}) {
      descends = descends || bits_of(key[i]) > bits_of(block::load_as<Key>(source + behind));
    }
  }
  return ctx.ballot(descends) != 0 ? seen_out_of_order : 0;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
