// Buckets of a radix sort (a most significant digit first step): keys that share their leading digits. Where every bucket fits into a
// block's shared memory, passes by the leading digits are enough, and blocks sort the buckets (radix_bucket_sort.cuh). Of 8-byte keys.
//
// Leading digits are the last ones of those in which keys differ. Whether buckets will be small enough is estimated before the
// first pass (radix_sample.cuh); where they begin, and whether each of them does fit, is found out behind the last. If a bucket
// does not fit, or too many of its keys are alike, which the sample makes unlikely, the sort falls back to passes by all digits,
// from its present state: all that was done so far has kept the order of equal keys.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_histogram.cuh>
#include <gimbal/collective/radix_key.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What the launches of a sort by buckets share.
template <class State>
struct radix_buckets {
  State* state;
  unsigned* starts;  ///< for every unit of items, and for the end: where the next bucket begins

  /// Whether that is the strategy still. A launch's blocks may give it up meanwhile, so threads that must agree ask once.
  // Relaxed: later launches act on it.
  template <class Context>
  GIMBAL_DEVICE bool are_taken(Context& ctx) const
  {
    return ctx.atomic(state->decision.strategy).load(::cuda::std::memory_order_relaxed) == radix_strategy::by_bucket;
  }
  // Relaxed: later launches read it; blocks of this one only to save work.
  template <class Context>
  GIMBAL_DEVICE void give_up(Context& ctx) const
  {
    ctx.atomic(state->decision.strategy).store(radix_strategy::buckets_failed, ::cuda::std::memory_order_relaxed);
  }
  /// Bits of a key below its leading digits.
  GIMBAL_DEVICE unsigned shift() const { return state->decision.bits; }

  /// The first of the block's share of `units` units of items; it ends before the first of the next block.
  template <class Context>
  static GIMBAL_DEVICE unsigned first_unit(const Context& ctx, unsigned units, unsigned block)
  {
    return static_cast<unsigned>(static_cast<std::uint64_t>(units) * block / ctx.blocks());
  }
};

/// Finds where buckets begin, for every unit of items.
template <class Shape, class Keys, class State>
struct radix_bucket_start_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = 128;
  static constexpr unsigned most_early_blocks =
    0;  // else all blocks would start on the few multiprocessors that are free first
  static constexpr unsigned unit = Shape::unit_items;
  static constexpr unsigned reach = Shape::most_bucket_items;
  struct shared {};

  Keys keys;
  block::radix_order<key_type> order;
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
      const auto leading = [&](unsigned i) { return order.ordered(block::load_as<key_type>(source + i)) >> shift; };
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
