// Ranks and writes a tile of a radix pass a second time, after the order that atomics gave turned out not to be stable.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_rank_methods.cuh>
#include <gimbal/algorithm/radix_sort/radix_slots.cuh>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// One warp ranks the tile's `valid` items, from `first` on, by match_any and writes each to its place. Slow, but never seen to be
/// needed. `digit_offsets`: shared memory, one word for each digit.
template <class Order, class Context, class Keys, class Values>
GIMBAL_DEVICE void rerank_radix_tile(
  Context& ctx, const radix_step& now, index_type first, unsigned valid, const block::radix_run* runs,
  unsigned* digit_offsets, const Keys& keys, const Values& values)
{
  using key_type = typename Keys::value_type;
  for (unsigned d = ctx.lane(); d < block::radix_size; d += simt::warp_threads) {
    digit_offsets[d] = runs[d].first;
  }
  ctx.sync_warp();  // all offsets are there before the first is added to
  for (unsigned from = 0; from < valid; from += simt::warp_threads) {
    const unsigned p = from + ctx.lane();
    key_type key = block::last_key<Order, key_type>();  // behind the last item: ordered last
    if (p < valid) {
      keys.read(now.source, [&](auto source) { key = block::load_as<key_type>(source + (first + p)); });
    }
    const unsigned digit = now.range.template digit<Order>(key);
    const index_type place = block::rank_by_match_any(ctx, digit_offsets, digit) + runs[digit].shift;
    if (p < valid) {
      keys.write(now.target, [&](auto out) { *(out + place) = key; });
      if constexpr (bytes_of_values<Values> != 0) {
        using value_type = typename Values::value_type;
        values.read(now.source, [&](auto source) {
          values.write(
            now.target, [&](auto out) { *(out + place) = block::load_as<value_type>(source + (first + p)); });
        });
      }
    }
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
