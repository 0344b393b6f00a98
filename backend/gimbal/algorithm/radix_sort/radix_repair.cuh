// Writing a tile of a radix pass anew, after the order that additions gave was found not to be stable.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_draw.cuh>
#include <gimbal/algorithm/radix_sort/radix_slots.cuh>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// By votes, of which one warp goes through the tile's `valid` items, from `first` on, and sends each to its place at
/// once. Slow, and never seen to be needed. `next_slots`: memory of the block, one word for each digit.
template <class Order, bool MovesKeys, class Context, class Keys, class Values>
GIMBAL_DEVICE void write_radix_tile_anew(
  Context& ctx, const radix_step& now, index_type first, unsigned valid, const block::radix_run* runs,
  unsigned* next_slots, const Keys& keys, const Values& values)
{
  using key_type = typename Keys::value_type;
  for (unsigned d = ctx.lane(); d < block::radix_size; d += simt::warp_threads) {
    next_slots[d] = runs[d].first;
  }
  ctx.sync_warp();  // all slots are known before the first is drawn
  for (unsigned from = 0; from < valid; from += simt::warp_threads) {
    const unsigned p = from + ctx.lane();
    key_type key = block::last_key<Order, key_type>();  // behind the last item: comes last
    if (p < valid) {
      keys.read(now.source, [&](auto source) { key = block::load_as<key_type>(source + (first + p)); });
    }
    const unsigned digit = now.range.template digit<Order>(key);
    const index_type place = block::draw_by_votes(ctx, next_slots, digit) + runs[digit].shift;
    if (p < valid) {
      if constexpr (MovesKeys) {
        keys.write(now.target, [&](auto out) { *(out + place) = key; });
      }
      if constexpr (bytes_of_values<Values> != 0) {
        using value_type = typename Values::value_type;
        values.read(now.value_source, [&](auto source) {
          values.write(
            now.target, [&](auto out) { *(out + place) = block::load_as<value_type>(source + (first + p)); });
        });
      }
    }
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
