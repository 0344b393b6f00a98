// Putting a tile of a radix pass into its slots anew, after the order that additions gave was found not to be stable.
#pragma once

#include <gimbal/block/radix_draw.cuh>
#include <gimbal/block/radix_slots.cuh>
#include <gimbal/kernel/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// By votes, of which one warp goes through the tile from first to last. Slow, and never seen to be needed.
template <class Slots, unsigned TileItems, class Order, class Context, class Shared, class Keys, class Values>
GIMBAL_DEVICE void rank_radix_tile_anew(
  Context& ctx, Shared& smem, const radix_step& now, index_type first, const block::radix_run* runs,
  unsigned* next_slots, const Keys& keys, const Values& values)
{
  using key_type = typename Keys::value_type;
  using bits_type = typename Slots::bits_type;
  for (unsigned d = ctx.lane(); d < block::radix_size; d += simt::warp_threads) {
    next_slots[d] = runs[d].first;
  }
  ctx.sync_warp();  // all slots are known before the first is drawn
  for (unsigned p = ctx.lane(); p < TileItems; p += simt::warp_threads) {
    bits_type key = 0;
    keys.read(now.source, [&](auto source) {
      key = block::distinct_bits<Order>(block::load_as<key_type>(source + (first + p)));
    });
    const unsigned slot = block::draw_by_votes(ctx, next_slots, now.range.template digit_of_bits<key_type>(key));
    smem.keys.key[slot] = key;
    if constexpr (bytes_of_values<Values> != 0) {
      using value_type = typename Values::value_type;
      smem.origins.origin[slot] = static_cast<std::uint16_t>(p);
      values.read(now.source, [&](auto source) {
        smem.values.value[Slots::value_place(slot, p)].set(block::load_as<value_type>(source + (first + p)));
      });
    }
  }
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
