// Behind the passes of a radix sort by a prefix: by so many leading digits that, as a sample suggests (radix_sample.cuh), keys that
// share them are equal. Such keys are neighbours now, and sorted if they are equal. Where keys repeat, as hashes of repeated names
// do, that saves the passes for the other digits.
//
// This launch tests it. Traffic: the keys once. A run of keys with the same prefix that is not sorted is deferred to
// radix_overflow_sort.cuh, if a block can hold it; a larger run, or too many of them, makes the sort fall back to passes by all digits.
#pragma once

#include <cuda/std/bit>
#include <gimbal/algorithm/radix_sort/radix_buckets.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Order, class Keys, class State>
struct radix_prefix_check_kernel {
  using key_type = typename Keys::value_type;
  using bits_type = block::radix_key_bits<key_type>;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = Shape::resident_blocks;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned batch = 4;  // loads in flight
  static constexpr unsigned row = simt::warp_threads;
  static constexpr unsigned most_items = Shape::block_threads * Shape::items_per_thread;  // of a deferred run
  // One deferred run in so many items is allowed, which bounds the cost of sorting them. Untuned.
  static constexpr unsigned small_run_period = 64;
  static constexpr unsigned run_period = most_items;
  struct shared {};

  Keys keys;
  unsigned n;
  radix_buckets<State> buckets;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.let_next_launch_start();
    if (ctx.ballot(is_chosen(ctx)) == 0) {  // one decision per warp, as other blocks may give up meanwhile
      return;
    }
    constexpr unsigned warps = block_threads / simt::warp_threads;
    const index_type stride = static_cast<index_type>(ctx.blocks()) * warps * batch * row;
    const index_type first = static_cast<index_type>(ctx.block() * warps + ctx.warp()) * batch * row;
    for (index_type from = first; from + 1 < n; from += stride) {
      bool descends[batch];
      if (ctx.ballot(find_descents(ctx, static_cast<unsigned>(from), descends)) != 0) {
        defer_runs(ctx, static_cast<unsigned>(from), descends);
      }
    }
  }

private:
  template <class Context>
  GIMBAL_DEVICE bool is_chosen(Context& ctx) const
  {
    return buckets.is_strategy(ctx, radix_strategy::by_prefix);
  }

  GIMBAL_DEVICE bits_type load(unsigned i) const
  {
    return block::ordered_bits<Order>(block::load_as<key_type>(keys.output + i));
  }

  /// Which of a lane's items in the rows from `from` on are greater than the next; whether any is.
  template <class Context>
  GIMBAL_DEVICE bool find_descents(const Context& ctx, unsigned from, bool (&descends)[batch]) const
  {
    bits_type own[batch];
    bits_type next[batch];
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      const unsigned i = from + j * row + ctx.lane();
      descends[j] = i < n - 1;
      own[j] = descends[j] ? load(i) : bits_type{};
      next[j] = descends[j] ? load(i + 1) : bits_type{};
    }
    bool any = false;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      descends[j] = own[j] > next[j];
      any = any || descends[j];
    }
    return any;
  }

  template <class Context>
  GIMBAL_DEVICE void defer_runs(Context& ctx, unsigned from, const bool (&descends)[batch]) const
  {
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      for (unsigned lanes = ctx.ballot(descends[j]); lanes != 0; lanes &= lanes - 1) {
        defer_run(ctx, from + j * row + simt::countr_zero(lanes));
      }
    }
  }

  /// Defers the run of the item `at`, which is greater than the next, unless that holds for an earlier item of the run, too: the warp
  /// that finds that one defers the run. The whole warp searches for the run's ends.
  template <class Context>
  GIMBAL_DEVICE void defer_run(Context& ctx, unsigned at) const
  {
    const unsigned shift = buckets.shift();
    const bits_type prefix = static_cast<bits_type>(load(at) >> shift);
    unsigned begin = at;
    for (unsigned same = row; same == row && at - begin <= most_items; begin -= same) {
      const bool exists = ctx.lane() < begin;
      const unsigned i = exists ? begin - 1 - ctx.lane() : 0;
      const bits_type bits = load(i);
      same = leading_lanes(ctx, exists && static_cast<bits_type>(bits >> shift) == prefix);
      if (ctx.ballot(ctx.lane() < same && bits > load(i + 1)) != 0) {
        return;
      }
    }
    unsigned end = at + 1;
    for (unsigned same = row; same == row && end - begin <= most_items; end += same) {
      const unsigned i = end + ctx.lane();
      same = leading_lanes(ctx, i < n && static_cast<bits_type>(load(i < n ? i : n - 1) >> shift) == prefix);
    }
    if (ctx.lane() == 0 && is_chosen(ctx)) {
      defer(ctx, {begin, end - begin});
    }
  }

  /// Number of consecutive lanes, from the first on, for which it is true.
  template <class Context>
  static GIMBAL_DEVICE unsigned leading_lanes(Context& ctx, bool is_so)
  {
    return static_cast<unsigned>(::cuda::std::countr_one(ctx.ballot(is_so)));
  }

  template <class Context>
  GIMBAL_DEVICE void defer(Context& ctx, radix_group run) const
  {
    const bool is_too_much = run.count > most_items           ? true
                             : run.count <= small_group_items ? buckets.defer_small(ctx, run) >= n / small_run_period
                                                              : buckets.defer(ctx, run) >= n / run_period;
    if (is_too_much) {
      buckets.give_up(ctx);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
