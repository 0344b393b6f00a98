// A radix sort of keys that are in reverse order: they are turned round, in one launch and without a look at any digit.
//
// Keys that are equal in order must not be turned round among themselves, unless they are equal in all bits and have no
// values. They stand side by side; how far such a run reaches is found by steps that double and then halve, mostly within
// what the neighbouring threads read; long runs are left to other ways (radix_order.cuh). Traffic: keys and values once in and once out.
#pragma once

#include <gimbal/kernel/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// `n` keys of which none comes before one that is ordered behind it.
template <class Order, class Source, class Bits>
struct reversed_keys {
  using key_type = value_type_of<Source>;

  Source source;
  index_type n;
  Bits sorted;  ///< the bits that are sorted by

  GIMBAL_DEVICE Bits bits(index_type i) const
  {
    return block::ordered_bits<Order>(block::load_as<key_type>(source + i)) & sorted;
  }

  /// Where a stable sort has the key at `i`, whose bits are `own`.
  GIMBAL_DEVICE index_type place(index_type i, Bits own) const
  {
    const index_type behind = equals(n - 1 - i, [&](index_type d) { return bits(i + d) == own; });
    const index_type before = equals(i, [&](index_type d) { return bits(i - d) == own; });
    return n - 1 - i - behind + before;
  }

private:
  /// How many of the `room` next keys in one direction are equal; `is_equal(d)`: whether that at distance d is.
  template <class IsEqual>
  static GIMBAL_DEVICE index_type equals(index_type room, IsEqual is_equal)
  {
    index_type found = 0;
    index_type step = 1;
    while (found + step <= room && is_equal(found + step)) {
      found += step;
      step *= 2;
    }
    for (step /= 2; step > 0; step /= 2) {
      found += found + step <= room && is_equal(found + step) ? step : 0;
    }
    return found;
  }
};

/// Items [first, end) of the n that a step turns round. `keeps_equals`: keys that are equal in order keep theirs.
template <unsigned Batch, class Order, class Context, class Keys, class Values>
GIMBAL_DEVICE void reverse_items(
  Context& ctx, const radix_step& now, const Keys& keys, const Values& values, const block::digit_plan& plan,
  bool keeps_equals, index_type n, index_type first, index_type end)
{
  using key_type = typename Keys::value_type;
  using bits_type = block::radix_key_bits<key_type>;
  using value_type = typename Values::value_type;
  constexpr bool has_values = bytes_of_values<Values> != 0;
  keys.read(now.source, [&](auto source) {
    const reversed_keys<Order, decltype(source), bits_type> reversed{source, n, plan.template sorted_mask<bits_type>()};
    for_items_of_launch<Batch>(ctx, first, end, [&](index_type i, index_type stride) {
      key_type key[Batch];
      [[maybe_unused]] uninit<value_type> value[Batch];
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Batch; ++j) {
        if (i + j * stride < end) {
          key[j] = block::load_as<key_type>(source + (i + j * stride));
        }
      }
      if constexpr (has_values) {
        values.read(now.value_source, [&](auto value_source) {
          GIMBAL_UNROLL
          for (unsigned j = 0; j < Batch; ++j) {
            if (i + j * stride < end) {
              value[j].set(block::load_as<value_type>(value_source + (i + j * stride)));
            }
          }
        });
      }
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Batch; ++j) {
        const index_type own = i + j * stride;
        if (own < end) {
          const bits_type bits = block::ordered_bits<Order>(key[j]) & reversed.sorted;
          const index_type place = keeps_equals ? reversed.place(own, bits) : n - 1 - own;
          keys.write(now.target, [&](auto out) { *(out + place) = key[j]; });
          if constexpr (has_values) {
            values.write(now.target, [&](auto out) { *(out + place) = value[j].get(); });
          }
        }
      }
    });
  });
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
