// Writes a tile of a radix pass from its slots (radix_slots.cuh) to the output: keys, then values.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_slots.cuh>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Slots, unsigned Threads, unsigned Batch, class Context, class Shared, class Values, class Key>
GIMBAL_DEVICE void write_radix_values(
  Context& ctx, const Shared& smem, const radix_step& now, unsigned side, const Values& values, const Key* keys_out)
{
  const auto digit = [&](typename Slots::bits_type key) { return now.range.template digit_of_bits<Key>(key); };
  const block::radix_run* const runs = smem.runs[side];
  const unsigned used = smem.used[side];
  values.write(now.target, [&](auto out) {
    if constexpr (Slots::has_value_vectors && ::cuda::std::is_pointer_v<decltype(out)>) {
      if (Slots::are_aligned_alike(keys_out, out)) {
        return Slots::template write_value_units<Threads, Batch>(ctx, smem.keys, runs, used, digit, smem.values, out);
      }
    }
    Slots::template write_values<Threads>(ctx, smem.keys, runs, used, digit, smem.origins, smem.values, out);
  });
}

/// By the first `Threads` threads, `Batch` vectors of each in flight. False if the tile is not in a stable order.
template <
  class Slots, unsigned Threads, unsigned Batch, class Order, class Context, class Shared, class Keys, class Values>
GIMBAL_DEVICE bool write_radix_tile(
  Context& ctx, const Shared& smem, const radix_step& now, unsigned side, const Keys& keys, const Values& values)
{
  using key_type = typename Keys::value_type;
  using bits_type = typename Slots::bits_type;
  const auto digit = [&](bits_type key) { return now.range.template digit_of_bits<key_type>(key); };
  const block::radix_run* const runs = smem.runs[side];
  bool is_stable = true;
  keys.write(now.target, [&](auto out) {
    const auto write_keys = [&](const auto& witness, auto follow, auto follow_one) {
      const bool inside = Slots::template write_units<Threads, Batch, Order>(
        ctx, smem.keys, runs, smem.used[side], digit, out, witness, follow);
      const bool at_ends = Slots::template write_ends<Threads, Order>(ctx, smem.keys, runs, out, witness, follow_one);
      is_stable = inside && at_ends;
    };
    const auto nothing = [](const block::radix_run&, unsigned) {};
    if constexpr (bytes_of_values<Values> == 0) {
      const auto lower = static_cast<bits_type>((bits_type{1} << now.range.shift) - (bits_type{1} << now.sorted_from));
      if (block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point && smem.joins_zeros) {
        write_keys(typename Slots::template key_order<true>{smem.keys, lower}, nothing, nothing);
      } else {
        write_keys(typename Slots::template key_order<false>{smem.keys, lower}, nothing, nothing);
      }
    } else {
      const typename Slots::origin_order witness{smem.origins};
      bool is_done = false;
      if constexpr (Slots::has_equal_vectors && Values::is_plain_output) {
        values.write(now.target, [&](auto values_out) {
          if (Slots::are_aligned_alike(out, values_out)) {
            write_keys(
              witness,
              [&](const block::radix_run& run, unsigned v) {
                const auto place = values_out + (run.shift + v * Slots::vector_items);
                *reinterpret_cast<block::radix_vector*>(place) = smem.values.vector[v];
              },
              [&](const block::radix_run& run, unsigned slot) {
                values_out[run.shift + slot] = smem.values.value[slot].get();
              });
            is_done = true;
          }
        });
      }
      if (!is_done) {
        write_keys(witness, nothing, nothing);
        algorithm::write_radix_values<Slots, Threads, Batch>(ctx, smem, now, side, values, out);
      }
    }
  });
  return is_stable;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
