// Groups of buckets that radix_bucket_sort.cuh left, as many keys of theirs crowd in few places: sorted by the digits in
// which they differ, each by one block (radix_small_sort.cuh), in place.
#pragma once

#include <cuda/std/bit>
#include <gimbal/kernel/radix_buckets.cuh>
#include <gimbal/kernel/radix_small_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// The output of a sort's array from an item on, to be sorted in place.
template <class Array>
struct part_in_place;
template <class In, class Out>
struct part_in_place<sort_array<In, Out>> {
  using array = sort_array<In, Out>;
  using type = ::cuda::std::conditional_t<
    array::is_plain_output, sort_array<const typename array::value_type*, Out>, sort_array<Out, Out>>;
  static GIMBAL_DEVICE type of(const array& whole, index_type first)
  {
    return {whole.output + first, whole.output + first, nullptr};
  }
};
template <>
struct part_in_place<sort_array<no_values, no_values>> {
  using type = sort_array<no_values, no_values>;
  static GIMBAL_DEVICE type of(const type& none, index_type) { return none; }
};

template <class Shape, class Order, class Keys, class Values, class State>
struct radix_crowded_sort_kernel {
  using bits_type = block::radix_key_bits<typename Keys::value_type>;
  using digit_sort =
    radix_small_sort_kernel<Shape, Order, typename part_in_place<Keys>::type, typename part_in_place<Values>::type>;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  using shared = typename digit_sort::shared;

  Keys keys;
  Values values;
  radix_buckets<State> buckets;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    ctx.let_next_launch_start();
    const unsigned groups = buckets.state->crowded_groups;
    if (ctx.block() >= groups) {
      return;
    }
    const unsigned leading_from = buckets.shift();
    const auto leading = [&](unsigned i) {
      return static_cast<bits_type>(
        block::ordered_bits<Order>(block::load_as<typename Keys::value_type>(keys.output + i)) >> leading_from);
    };
    for (unsigned g = ctx.block(); g < groups; g += ctx.blocks()) {
      const radix_group now = buckets.crowded[g];
      const auto different = static_cast<bits_type>(leading(now.first) ^ leading(now.first + now.count - 1));
      const unsigned bits = static_cast<unsigned>(::cuda::std::bit_width(different)) + leading_from;
      const block::digit_plan lower{0, bits, (bits + block::radix_bits - 1) / block::radix_bits};
      ctx.sync_block();  // every thread knows the bits, and is done with the group before
      digit_sort{
        part_in_place<Keys>::of(keys, now.first), part_in_place<Values>::of(values, now.first), lower, now.count,
        false}(ctx, smem);
    }
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
