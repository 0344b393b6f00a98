// Sorts what earlier launches deferred: groups of buckets with an overflowing bin (radix_bucket_sort.cuh, radix_word_sort.cuh) and runs
// that radix_prefix_check.cuh found out of order. Each is sorted in place by one block, by the digits in which its keys differ
// (radix_small_sort.cuh), small ones by a warp that compares every item with every other.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_buckets.cuh>
#include <gimbal/algorithm/radix_sort/radix_small_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A sort's output from an item on, as an array that is sorted in place.
template <class Array>
struct subarray_in_place;
template <class In, class Out>
struct subarray_in_place<sort_array<In, Out>> {
  using array = sort_array<In, Out>;
  using type = ::cuda::std::conditional_t<
    array::is_plain_output, sort_array<const typename array::value_type*, Out>, sort_array<Out, Out>>;
  static GIMBAL_DEVICE type of(const array& whole, index_type first)
  {
    return {whole.output + first, whole.output + first, nullptr};
  }
};
template <>
struct subarray_in_place<sort_array<no_values, no_values>> {
  using type = sort_array<no_values, no_values>;
  static GIMBAL_DEVICE type of(const type& none, index_type) { return none; }
};

template <class Shape, class Order, class Keys, class Values, class State>
struct radix_overflow_sort_kernel {
  using bits_type = block::radix_key_bits<typename Keys::value_type>;
  using digit_sort = radix_small_sort_kernel<
    Shape, Order, typename subarray_in_place<Keys>::type, typename subarray_in_place<Values>::type>;
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
    if (buckets.is_strategy(ctx, radix_strategy::leading_digits_failed)) {
      return;
    }
    sort_small_groups(ctx);
    sort_groups(ctx, smem);
  }

private:
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr bool has_values = bytes_of_values<Values> != 0;

  template <class Context>
  GIMBAL_DEVICE void sort_small_groups(Context& ctx) const
  {
    constexpr unsigned warps = block_threads / simt::warp_threads;
    const unsigned groups = buckets.state->small_groups;
    for (unsigned g = ctx.block() * warps + ctx.warp(); g < groups; g += ctx.blocks() * warps) {
      sort_by_warp(ctx, *(buckets.small_end - 1 - g));
    }
  }

  /// One item per lane; all are read before the first is written.
  template <class Context>
  GIMBAL_DEVICE void sort_by_warp(Context& ctx, radix_group now) const
  {
    const bool exists = ctx.lane() < now.count;
    const index_type mine = static_cast<index_type>(now.first) + ctx.lane();
    uninit<key_type> key;
    uninit<value_type> value;
    bits_type bits{};
    if (exists) {
      key.set(block::load_as<key_type>(keys.output + mine));
      bits = block::ordered_bits<Order>(key.get());
      if constexpr (has_values) {
        values.read(sort_place::output, [&](auto source) { value.set(block::load_as<value_type>(source + mine)); });
      }
    }
    unsigned place = 0;
    for (unsigned other = 0; other < now.count; ++other) {
      const bits_type others = ctx.shfl(bits, other);
      place += others < bits || (others == bits && other < ctx.lane()) ? 1 : 0;
    }
    ctx.sync_warp();  // every lane has read its item
    if (exists) {
      keys.output[now.first + place] = key.get();
      if constexpr (has_values) {
        values.write(sort_place::output, [&](auto target) {
          *(target + static_cast<index_type>(now.first + place)) = value.get();
        });
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void sort_groups(Context& ctx, shared& smem) const
  {
    const unsigned groups = buckets.state->overflow_groups;
    if (ctx.block() >= groups) {
      return;
    }
    const unsigned leading_from = buckets.shift();
    const auto leading = [&](unsigned i) {
      return static_cast<bits_type>(
        block::ordered_bits<Order>(block::load_as<typename Keys::value_type>(keys.output + i)) >> leading_from);
    };
    for (unsigned g = ctx.block(); g < groups; g += ctx.blocks()) {
      const radix_group now = buckets.overflow[g];
      const auto different = static_cast<bits_type>(leading(now.first) ^ leading(now.first + now.count - 1));
      const unsigned bits = simt::bit_width(different) + leading_from;
      const block::digit_plan lower{0, bits, (bits + block::radix_bits - 1) / block::radix_bits};
      ctx.sync_block();  // every thread knows the bits, and is done with the group before
      digit_sort{
        subarray_in_place<Keys>::of(keys, now.first), subarray_in_place<Values>::of(values, now.first), lower,
        now.count, false}(ctx, smem);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
