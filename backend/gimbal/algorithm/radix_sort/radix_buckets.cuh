// Buckets of a radix sort: keys whose leading digits are the same. Where every bucket fits into a block's shared memory,
// passes by those digits alone are enough, and blocks put the buckets in order: radix_word_sort.cuh
// those of 4-byte keys, radix_bucket_sort.cuh those of 8.
//
// Leading digits are those of the last passes, of the digits that are not the same in all keys. Whether buckets will be
// small enough is estimated before the first pass (radix_sample.cuh); where they begin, and whether each of them does fit, is
// found out behind the last. Buckets that do not fit, which the sample makes unlikely, leave the sort to passes by all
// digits: all that was done until then has kept the order of equal keys.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_histogram.cuh>
#include <gimbal/collective/radix_key.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Some buckets in order.
struct radix_group {
  unsigned first;  ///< item
  unsigned count;
};
inline constexpr unsigned small_group_items = simt::warp_threads;  ///< at most

/// How a sort makes buckets of its keys, and what it knows of them.
template <class State>
struct radix_buckets {
  State* state;
  unsigned* starts;        ///< of every unit of items, and of their end: the first bucket that begins there or behind
  radix_group* crowded;    ///< groups of buckets that are left to another launch
  radix_group* small_end;  ///< of those that are small, each before the last

  /// True if, as far as is known, the sort is that way: a launch may find out that it was in vain.
  // Relaxed: it is acted upon in later launches.
  template <class Context>
  GIMBAL_DEVICE bool is_way(Context& ctx, radix_way way) const
  {
    return ctx.atomic(state->course.way).load(::cuda::std::memory_order_relaxed) == way;
  }
  template <class Context>
  GIMBAL_DEVICE bool are_taken(Context& ctx) const
  {
    return is_way(ctx, radix_way::by_bucket);
  }
  // Relaxed: read by later launches, and by others to save themselves work.
  template <class Context>
  GIMBAL_DEVICE void give_up(Context& ctx) const
  {
    ctx.atomic(state->course.way).store(radix_way::in_vain, ::cuda::std::memory_order_relaxed);
  }
  /// Bits of a key below its leading digits.
  GIMBAL_DEVICE unsigned shift() const { return state->course.bits; }

  /// The first of the `units` units of items that are the block's part; the next block's is behind its last.
  template <class Context>
  static GIMBAL_DEVICE unsigned first_unit(const Context& ctx, unsigned units, unsigned block)
  {
    return static_cast<unsigned>(static_cast<std::uint64_t>(units) * block / ctx.blocks());
  }

  /// Leaves a group to radix_crowded_sort.cuh; returns how many were left before. One thread calls it.
  // Relaxed: the lists are read by the next launch.
  template <class Context>
  GIMBAL_DEVICE unsigned leave(Context& ctx, radix_group group) const
  {
    const unsigned before = ctx.atomic(state->crowded_groups).fetch_add(1u, ::cuda::std::memory_order_relaxed);
    crowded[before] = group;
    return before;
  }
  /// The same, of groups that a warp can sort.
  template <class Context>
  GIMBAL_DEVICE unsigned leave_small(Context& ctx, radix_group group) const
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
    0;  // they would all come to lie on the few multiprocessors that are free first
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
  /// The first start of a bucket that is not before `from`, if it is within reach; else something beyond that.
  GIMBAL_DEVICE unsigned find_start(unsigned from, unsigned shift) const
  {
    unsigned found = from;
    keys.read(sort_place::output, [&](auto source) {
      const auto leading = [&](unsigned i) {
        return block::ordered_bits<Order>(block::load_as<key_type>(source + i)) >> shift;
      };
      const auto before = leading(from - 1);
      unsigned end = n - from <= reach ? n : from + reach + 1;  // at or behind the start, or beyond reach
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
