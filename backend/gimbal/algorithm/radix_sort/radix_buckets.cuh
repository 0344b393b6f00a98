// Buckets of a radix sort (a most significant digit first step): keys that share their leading digits. Where every bucket fits into a
// block's shared memory, passes by the leading digits are enough, and blocks sort the buckets: radix_word_sort.cuh those of
// 4-byte keys, radix_bucket_sort.cuh those of 8.
//
// Leading digits are the last ones of those in which keys differ. Whether buckets will be small enough is estimated before the
// first pass (radix_sample.cuh); where they begin, and whether each of them does fit, is found out behind the last. If a bucket
// does not fit, which the sample makes unlikely, the sort falls back to passes by all digits, from its present state: all that was
// done so far has kept the order of equal keys.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_histogram.cuh>
#include <gimbal/collective/radix_key.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Consecutive buckets.
struct radix_group {
  unsigned first;  ///< item
  unsigned count;
};
inline constexpr unsigned small_group_items = simt::warp_threads;  ///< at most

/// The tables of a sort by buckets.
template <class State>
struct radix_buckets {
  State* state;
  unsigned* starts;        ///< for every unit of items, and for the end: where the next bucket begins
  radix_group* overflow;   ///< groups that are deferred to another launch
  radix_group* small_end;  ///< the end of those that are small, stored backwards from here

  /// Whether that is the strategy still: blocks of the same launch may give it up.
  // Relaxed: later launches act on it.
  template <class Context>
  GIMBAL_DEVICE bool is_strategy(Context& ctx, radix_strategy strategy) const
  {
    return ctx.atomic(state->decision.strategy).load(::cuda::std::memory_order_relaxed) == strategy;
  }
  template <class Context>
  GIMBAL_DEVICE bool are_taken(Context& ctx) const
  {
    return is_strategy(ctx, radix_strategy::by_bucket);
  }
  // Relaxed: later launches read it; blocks of this one only to save work.
  template <class Context>
  GIMBAL_DEVICE void give_up(Context& ctx) const
  {
    ctx.atomic(state->decision.strategy)
      .store(radix_strategy::leading_digits_failed, ::cuda::std::memory_order_relaxed);
  }
  /// Bits of a key below its leading digits.
  GIMBAL_DEVICE unsigned shift() const { return state->decision.bits; }

  /// The first of the block's share of `units` units of items; it ends before the first of the next block.
  template <class Context>
  static GIMBAL_DEVICE unsigned first_unit(const Context& ctx, unsigned units, unsigned block)
  {
    return static_cast<unsigned>(static_cast<std::uint64_t>(units) * block / ctx.blocks());
  }

  /// Defers a group to radix_overflow_sort.cuh; returns how many were deferred before. One thread calls it.
  // Relaxed: the lists are read by the next launch.
  template <class Context>
  GIMBAL_DEVICE unsigned defer(Context& ctx, radix_group group) const
  {
    const unsigned before = ctx.atomic(state->overflow_groups).fetch_add(1u, ::cuda::std::memory_order_relaxed);
    overflow[before] = group;
    return before;
  }
  /// The same for groups that a warp can sort.
  template <class Context>
  GIMBAL_DEVICE unsigned defer_small(Context& ctx, radix_group group) const
  {
    const unsigned before = ctx.atomic(state->small_groups).fetch_add(1u, ::cuda::std::memory_order_relaxed);
    *(small_end - 1 - before) = group;
    return before;
  }
};

/// Finds where buckets begin, for every unit of items.
template <class Shape, class Order, class Keys, class State>
struct radix_bucket_start_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = 128;
  static constexpr unsigned most_early_blocks =
    0;  // else all blocks would start on the few multiprocessors that are free first
  static constexpr unsigned unit = Shape::unit_items;
  static constexpr unsigned reach = Shape::most_bucket_items;
  struct shared {};

  Keys keys;
  unsigned n;
  radix_buckets<State> buckets;

  /// One for every unit, and one behind the last item.
  static unsigned starts(index_type n) { return static_cast<unsigned>((n + unit - 1) / unit) + 1; }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.let_next_launch_start();
    const index_type place = (static_cast<index_type>(ctx.block()) * block_threads + ctx.thread()) * unit;
    const unsigned shift = buckets.shift();
    if (!buckets.are_taken(ctx) || place >= static_cast<index_type>(n) + unit) {
      return;
    }
    const unsigned nominal = place < n ? static_cast<unsigned>(place) : n;
    const unsigned start = nominal == 0 ? 0 : find_start(nominal, shift);
    if (start - nominal > reach) {
      buckets.give_up(ctx);
    }
    buckets.starts[place / unit] = start;
  }

private:
  /// Binary search for the first bucket that begins at or behind `from`; something beyond `reach` if there is none within it.
  GIMBAL_DEVICE unsigned find_start(unsigned from, unsigned shift) const
  {
    unsigned found = from;
    keys.read(sort_place::output, [&](auto source) {
      const auto leading = [&](unsigned i) {
        return block::ordered_bits<Order>(block::load_as<key_type>(source + i)) >> shift;
      };
      const auto before = leading(from - 1);
      unsigned end = n - from <= reach ? n : from + reach + 1;  // not before the start, or beyond reach
      while (found < end) {
        const unsigned middle = found + (end - found) / 2;
        if (leading(middle) == before) {
          found = middle + 1;
        } else {
          end = middle;
        }
      }
    });
    return found;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
