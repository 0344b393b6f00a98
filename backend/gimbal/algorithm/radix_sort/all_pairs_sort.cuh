// Rank sort of so few keys that comparing each with every other takes less time than the latencies of any other algorithm.
//
// A block has 32 keys of its own, one in each lane of every warp. Its warps divide all keys among them, 32 at a time, and
// count how many precede each of the block's own: smaller ones, and equal ones that came earlier. The sum over the warps is the
// key's place. The time depends neither on the keys nor on the schedule.
//
// Order: stable. Equal bits, and -0.0 and +0.0, keep their order.
// Traffic: every block reads all keys, nearly all of them from the L2 cache; values once, and both are written once.
// Launches: 1. Storage: none, in place words kept for the stream, the keys' and values' too.
// In place: no block writes before all have read (grid/reader_barrier.cuh: progress and memory order). Else no block waits for another.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/collective/smaller_keys.cuh>
#include <gimbal/grid/all_pairs_launch.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What keys are sorted by.
template <class Bits>
struct radix_sorted_bits {
  block::radix_order<Bits> order;
  block::digit_plan plan;

  GIMBAL_DEVICE Bits of(Bits own) const { return plan.sorted_bits(order.ordered(own)); }
};

template <class Shape, class Keys, class Values>
struct all_pairs_sort_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  using group_of_keys = block::smaller_keys<sizeof(key_type)>;
  using word = typename group_of_keys::word;  ///< the bits sorted by
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = Shape::resident_blocks;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned group_items = simt::warp_threads;
  static constexpr unsigned batch = Shape::batch;  ///< groups of a warp in flight
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool fills_output = false;
  using writer = all_pairs_writer<Keys, Values>;

  struct shared {
    group_of_keys others[warps][batch];
    unsigned before[warps][group_items];  ///< how many of the warp's keys precede the block's own
    typename writer::shared written;
  };

  Keys keys;
  Values values;
  radix_sorted_bits<key_type> sorted;
  unsigned count;
  writer results;  ///< waits if in place

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned own = ctx.block() * group_items + ctx.lane();
    const bool is_writer = ctx.warp() == 0 && own < count;
    const unsigned entered = results.enter(ctx);
    key_type next[batch];
    uninit<typename writer::value_type> value;
    load_batch(ctx, ctx.warp(), next);
    const key_type key = load_key(own);
    if constexpr (has_values) {
      if (is_writer) {
        value.set(block::load_as<value_type>(values.input + static_cast<index_type>(own)));
      }
    }
    smem.before[ctx.warp()][ctx.lane()] = count_before(ctx, smem, sorted_bits(key), next, entered);
    ctx.sync_block();  // the counts of all warps are there
    const index_type place = is_writer ? sum_before(ctx, smem) : 0;
    results.write(ctx, smem.written, keys, values, is_writer, place, key, value);
  }

private:
  /// Positions behind the last key repeat it.
  GIMBAL_DEVICE key_type load_key(unsigned position) const
  {
    return block::load_as<key_type>(keys.input + static_cast<index_type>(position < count ? position : count - 1));
  }
  GIMBAL_DEVICE word sorted_bits(const key_type& key) const { return sorted.of(key); }

  /// Groups `first`, `first` + warps and so on.
  template <class Context>
  GIMBAL_DEVICE void load_batch(const Context& ctx, unsigned first, key_type (&key)[batch]) const
  {
    GIMBAL_UNROLL
    for (unsigned g = 0; g < batch; ++g) {
      key[g] = load_key((first + g * warps) * group_items + ctx.lane());
    }
  }

  /// How many of the warp's share of all keys precede the key with these bits. Loads are a batch ahead.
  template <class Context>
  GIMBAL_DEVICE unsigned count_before(
    Context& ctx, shared& smem, word bits, key_type (&next)[batch], unsigned entered) const
  {
    const unsigned groups = (count + group_items - 1) / group_items;
    unsigned before = 0;
    GIMBAL_NO_UNROLL
    for (unsigned begun = 0; begun < groups; begun += warps * batch) {
      const unsigned first = begun + ctx.warp();
      stage(ctx, smem, first, next);
      if (begun + warps * batch < groups) {
        load_batch(ctx, first + warps * batch, next);
      } else {
        results.arrive(ctx, entered);
      }
      GIMBAL_NO_UNROLL
      for (unsigned g = 0; g < batch && first + g * warps < groups; ++g) {
        const unsigned group = first + g * warps;
        // Equal keys of earlier groups precede, too: all but the greater ones, whose complements are smaller.
        const bool is_earlier = group < ctx.block();
        const unsigned less = smem.others[ctx.warp()][g].count(is_earlier ? bits ^ group_of_keys::last : bits);
        before += is_earlier ? group_items - less : less;
        if (group == ctx.block()) {
          before += simt::popcount(ctx.match_any(bits) & ((1u << ctx.lane()) - 1));
        }
      }
    }
    return before;
  }

  /// Stages a batch in shared memory, complemented for groups before the block's own. Places behind the last key get the greatest
  /// bits.
  template <class Context>
  GIMBAL_DEVICE void stage(Context& ctx, shared& smem, unsigned first, const key_type (&key)[batch]) const
  {
    ctx.sync_warp();  // the batch before has been read
    GIMBAL_UNROLL
    for (unsigned g = 0; g < batch; ++g) {
      const unsigned group = first + g * warps;
      const bool exists = group * group_items + ctx.lane() < count;
      const word bits = exists ? sorted_bits(key[g]) : group_of_keys::last;
      smem.others[ctx.warp()][g].set(ctx.lane(), group < ctx.block() ? bits ^ group_of_keys::last : bits);
    }
    ctx.sync_warp();  // the batch is there
  }

  template <class Context>
  static GIMBAL_DEVICE unsigned sum_before(const Context& ctx, const shared& smem)
  {
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      sum += smem.before[w][ctx.lane()];
    }
    return sum;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
