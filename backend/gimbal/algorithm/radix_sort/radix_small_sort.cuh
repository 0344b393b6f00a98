// Radix sort of what one block can hold, in one launch: keys stay in registers and pass through shared memory once per
// digit, with three barriers each.
//
// Keys are divided evenly among all warps. An atomic addition that returns the old count ranks a key within its warp; sums over
// warps and digits turn that into a slot. Values do not take part: a key carries the position it came from, and at the end every value
// is fetched from there. Traffic: keys and values twice. Works in place: all is read before one item is written.
//
// The lane order that atomic ranking relies on is verified once, at the end, by comparing all neighbours:
//   * Where positions are carried, neighbours must ascend by (bits sorted by, position). Whatever the ranks were, the
//     slots hold a permutation, and only the stable order passes.
//   * Integers sorted by all their bits do without positions: equal keys are the same, so any sorted order is right.
//   * Integers alone, sorted by a range of bits, are ranked by match_any (radix_rank_methods.cuh).
// If the order fails, the result is discarded and the sort starts again with match_any.
#pragma once

#include <cuda/std/functional>
#include <gimbal/algorithm/radix_sort/radix_rank_methods.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Order, class Keys, class Values>
struct radix_small_sort_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  using bits_type = block::radix_key_bits<key_type>;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned items = Shape::items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr unsigned digit_groups = block::radix_size / simt::warp_threads;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool has_origins =
    has_values || block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point;
  static constexpr unsigned no_digit = block::radix_size;  ///< of places without a key
  static_assert(tile_items <= 1u << 16, "positions in a tile have 16 bits");

  struct shared {
    uninit<key_type> keys[tile_items];
    std::uint16_t origins[has_origins ? tile_items : 1];  ///< where the keys came from
    unsigned
      counts[warps]
            [block::radix_size + 1];  ///< keys of the warp, later their first slots relative to the digit group's
    unsigned group_totals[digit_groups];
    unsigned is_unstable;
  };

  Keys keys;
  Values values;
  block::digit_plan plan;
  unsigned count;
  bool is_by_range;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned held = (count + block_threads - 1) / block_threads;  // items of a thread
    bool by_match_any = !Shape::ranks_by_atomics || (!has_origins && is_by_range);
    key_type key[items];
    std::uint16_t origin[items];
    if (ctx.thread() == 0) {
      smem.is_unstable = 0;
    }
    for (bool is_done = false; !is_done; by_match_any = true) {
      load_keys(ctx, held, key, origin);
      for (unsigned pass = 0; pass < plan.passes; ++pass) {
        const block::digit_range range = plan.range(pass);
        unsigned rank[items];
        rank_in_warp(ctx, smem, range, held, by_match_any, key, rank);
        ctx.sync_block();  // the counts of all warps are there, and every key has left shared memory
        sum_counts(ctx, smem);
        ctx.sync_block();  // every warp's slots are there
        scatter(ctx, smem, range, held, key, origin, rank);
        ctx.sync_block();  // the keys are there in their new order
        gather(ctx, smem, held, key, origin);
      }
      is_done = by_match_any || is_stable(ctx, smem);
    }
    store(ctx, held, key, origin);
  }

private:
  template <class Context>
  static GIMBAL_DEVICE unsigned position(const Context& ctx, unsigned held, unsigned i)
  {
    return (ctx.warp() * held + i) * simt::warp_threads + ctx.lane();
  }
  /// Calls f(i, position) for the items of this thread that exist.
  template <class Context, class F>
  GIMBAL_DEVICE void for_each_item(const Context& ctx, unsigned held, F f) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (i < held && position(ctx, held, i) < count) {
        f(i, position(ctx, held, i));
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void load_keys(
    Context& ctx, unsigned held, key_type (&key)[items], std::uint16_t (&origin)[items]) const
  {
    for_each_item(ctx, held, [&](unsigned i, unsigned p) {
      key[i] = block::load_as<key_type>(keys.input + p);
      origin[i] = static_cast<std::uint16_t>(p);
    });
  }

  /// Seldom called: a copy for each item would be half of a kernel that sorts overflowing buckets.
  template <class Context>
  static GIMBAL_DEVICE_NOINLINE unsigned rank_by_match_any(Context ctx, unsigned* counts, unsigned digit)
  {
    return block::rank_by_match_any<block::radix_bits + 1>(ctx, counts, digit);
  }

  template <class Context>
  GIMBAL_DEVICE void rank_in_warp(
    Context& ctx, shared& smem, const block::digit_range& range, unsigned held, bool by_match_any,
    const key_type (&key)[items], unsigned (&rank)[items]) const
  {
    unsigned* const counts = smem.counts[ctx.warp()];
    ctx.sync_warp();  // the warp has read its slots of the pass before
    for (unsigned d = ctx.lane(); d <= block::radix_size; d += simt::warp_threads) {
      counts[d] = 0;
    }
    ctx.sync_warp();  // all zero before the first is added to
    const auto digit_of = [&](unsigned i) {
      return position(ctx, held, i) < count ? range.digit<Order>(key[i]) : no_digit;
    };
    if (by_match_any) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        if (i < held) {
          rank[i] = rank_by_match_any(ctx, counts, digit_of(i));
        }
      }
    } else {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        if (i < held) {
          rank[i] = ctx.count_by_lanes(counts[digit_of(i)]);
        }
      }
    }
  }

  /// Turns counts into the slots of the warps' first such keys, relative to the first slot of the group of 32 digits.
  template <class Context>
  GIMBAL_DEVICE void sum_counts(Context& ctx, shared& smem) const
  {
    for (unsigned digit = ctx.thread(); digit < block::radix_size; digit += block_threads) {
      unsigned own[warps];
      unsigned total = 0;
      GIMBAL_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        own[w] = smem.counts[w][digit];
        total += own[w];
      }
      uninit<unsigned> through;
      through.set(total);
      block::warp_inclusive_scan(ctx, through, simt::warp_threads, ::cuda::std::plus<unsigned>{});
      if (ctx.lane() == simt::warp_threads - 1) {
        smem.group_totals[digit / simt::warp_threads] = through.get();
      }
      unsigned slot = through.get() - total;
      GIMBAL_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        smem.counts[w][digit] = slot;
        slot += own[w];
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void scatter(
    Context& ctx, shared& smem, const block::digit_range& range, unsigned held, const key_type (&key)[items],
    const std::uint16_t (&origin)[items], const unsigned (&rank)[items]) const
  {
    unsigned before_group = 0;  // slots of the groups before group number lane % 8
    GIMBAL_UNROLL
    for (unsigned g = 0; g + 1 < digit_groups; ++g) {
      before_group += g < ctx.lane() % digit_groups ? smem.group_totals[g] : 0;
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (i < held) {
        const bool exists = position(ctx, held, i) < count;
        const unsigned digit = exists ? range.digit<Order>(key[i]) : 0;
        const unsigned before = ctx.shfl(before_group, digit / simt::warp_threads);
        if (exists) {
          const unsigned slot = before + smem.counts[ctx.warp()][digit] + rank[i];
          smem.keys[slot].set(key[i]);
          if constexpr (has_origins) {
            smem.origins[slot] = origin[i];
          }
        }
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void gather(
    Context& ctx, const shared& smem, unsigned held, key_type (&key)[items], std::uint16_t (&origin)[items]) const
  {
    for_each_item(ctx, held, [&](unsigned i, unsigned p) {
      key[i] = smem.keys[p].get();
      if constexpr (has_origins) {
        origin[i] = smem.origins[p];
      }
    });
  }

  /// The bits that are sorted by.
  GIMBAL_DEVICE bits_type sorted_bits(const key_type& key) const
  {
    if (plan.bits == 0) {
      return 0;
    }
    const bits_type ones = static_cast<bits_type>(~bits_type{0});
    return static_cast<bits_type>(block::ordered_bits<Order>(key) >> plan.begin_bit)
           & static_cast<bits_type>(ones >> (8 * sizeof(key_type) - plan.bits));
  }

  template <class Context>
  GIMBAL_DEVICE bool is_stable(Context& ctx, shared& smem) const
  {
    bool is_ordered = true;
    for (unsigned p = ctx.thread(); p + 1 < count; p += block_threads) {
      const bits_type bits = sorted_bits(smem.keys[p].get());
      const bits_type next = sorted_bits(smem.keys[p + 1].get());
      if constexpr (has_origins) {
        is_ordered = is_ordered && (bits < next || (bits == next && smem.origins[p] < smem.origins[p + 1]));
      } else {
        is_ordered = is_ordered && bits <= next;
      }
    }
    if (!is_ordered) {
      ctx.atomic_shared(smem.is_unstable).store(1u, ::cuda::std::memory_order_relaxed);
    }
    ctx.sync_block();  // every thread has verified its items
    return smem.is_unstable == 0;
  }

  template <class Context>
  GIMBAL_DEVICE void store(
    Context& ctx, unsigned held, const key_type (&key)[items], const std::uint16_t (&origin)[items]) const
  {
    for_each_item(ctx, held, [&](unsigned i, unsigned p) { *(keys.output + p) = key[i]; });
    if constexpr (has_values) {
      uninit<value_type> value[items];
      for_each_item(
        ctx, held, [&](unsigned i, unsigned) { value[i].set(block::load_as<value_type>(values.input + origin[i])); });
      ctx.sync_block();  // in place, all values are read before the first is overwritten
      for_each_item(ctx, held, [&](unsigned i, unsigned p) { *(values.output + p) = value[i].get(); });
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
