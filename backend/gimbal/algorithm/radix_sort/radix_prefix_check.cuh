// Behind the passes of a radix sort by a prefix, so many leading digits that keys which have them in common are, as far as
// a sample tells (radix_sample.cuh), the same: such keys stand side by side now, and are in order if they are the same.
// Where keys repeat, as numbers that a hash function made of names do, that spares the passes for the other digits.
//
// Whether it is so is found out here. Traffic: the keys once. A run of keys with the same prefix that is not in order is
// left to radix_crowded_sort.cuh, if a block can hold it; a larger one, or too many of them, leaves the sort to passes by
// all digits.
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
  static constexpr unsigned batch = 4;  // trips to memory at a time
  static constexpr unsigned row = simt::warp_threads;
  static constexpr unsigned most_items = Shape::block_threads * Shape::items_per_thread;  // of a run that is left
  // Of so many items one may begin a run that is left, which bounds what sorting them costs. Untuned.
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
    if (ctx.ballot(is_taken(ctx)) == 0) {  // others may give up meanwhile: a warp decides as one
      return;
    }
    constexpr unsigned warps = block_threads / simt::warp_threads;
    const index_type stride = static_cast<index_type>(ctx.blocks()) * warps * batch * row;
    const index_type first = static_cast<index_type>(ctx.block() * warps + ctx.warp()) * batch * row;
    for (index_type from = first; from + 1 < n; from += stride) {
      bool descends[batch];
      if (ctx.ballot(look(ctx, static_cast<unsigned>(from), descends)) != 0) {
        leave_runs(ctx, static_cast<unsigned>(from), descends);
      }
    }
  }

private:
  template <class Context>
  GIMBAL_DEVICE bool is_taken(Context& ctx) const
  {
    return buckets.is_way(ctx, radix_way::by_prefix);
  }

  GIMBAL_DEVICE bits_type load(unsigned i) const
  {
    return block::ordered_bits<Order>(block::load_as<key_type>(keys.output + i));
  }

  /// Which of a lane's items in the rows from `from` on come behind the next; whether any does.
  template <class Context>
  GIMBAL_DEVICE bool look(const Context& ctx, unsigned from, bool (&descends)[batch]) const
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
  GIMBAL_DEVICE void leave_runs(Context& ctx, unsigned from, const bool (&descends)[batch]) const
  {
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      for (unsigned lanes = ctx.ballot(descends[j]); lanes != 0; lanes &= lanes - 1) {
        leave_run(ctx, from + j * row + simt::countr_zero(lanes));
      }
    }
  }

  /// Leaves the run that has the item `at`, which comes behind the next, unless another item before it does: then whoever
  /// has seen that one leaves it. The whole warp looks for the run's ends.
  template <class Context>
  GIMBAL_DEVICE void leave_run(Context& ctx, unsigned at) const
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
    if (ctx.lane() == 0 && is_taken(ctx)) {
      leave(ctx, {begin, end - begin});
    }
  }

  /// How many lanes from the first on have it so.
  template <class Context>
  static GIMBAL_DEVICE unsigned leading_lanes(Context& ctx, bool is_so)
  {
    return static_cast<unsigned>(::cuda::std::countr_one(ctx.ballot(is_so)));
  }

  template <class Context>
  GIMBAL_DEVICE void leave(Context& ctx, radix_group run) const
  {
    const bool is_too_much = run.count > most_items           ? true
                             : run.count <= small_group_items ? buckets.leave_small(ctx, run) >= n / small_run_period
                                                              : buckets.leave(ctx, run) >= n / run_period;
    if (is_too_much) {
      buckets.give_up(ctx);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
