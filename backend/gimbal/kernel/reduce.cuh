// Reduce: x0 op x1 op ... op x(n-1) in one launch.
//
// Algorithm: every block folds its share of the input into one partial result (reduce_shares.cuh) and posts it; the
// block that starts last folds the posts. Bytes moved: each item is read once. Launches: one. Storage: none of the
// call's. Posts are tagged words retained for the stream (launch_words), one value per block, at most tuning's
// `blocks`; for streams that can have none, words of the pool, with a fill. Operator: associative. Operators known to
// be commutative (plus, min, ... on arithmetic types, the search for a least item) read whole vectors and combine items
// strided; all others combine every item in order. Determinism: the tree is a function of n and the types alone:
// shares, lanes and posts are combined in fixed positions, whatever the timing, the device or the pointer's alignment,
// and whichever block does it. Floating-point results are the same bits in every run. Forward progress: blocks draw a
// ticket when they start, and only the one with the last ticket waits for others: all of them are running then, and
// none of them waits. The answer to the ticket comes while the items are read. Memory order: posts carry their own
// validity (exchange.cuh) and nothing else is handed over, so relaxed accesses suffice. The last
// ticket to be drawn sets the counter back, when nobody of this launch asks any more.
#pragma once

#include <gimbal/block/accumulator.h>
#include <gimbal/retained_words.h>
#include <gimbal/tuning.h>
#include <gimbal/workspace.h>

#include <cuda/std/bit>
#include <gimbal/block/exchange.cuh>
#include <gimbal/kernel/reduce_shares.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

template <class T, class InputIt, class OutputIt, class Op, class Init, class Tuning>
struct reduce_kernel {
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned resident_blocks =
    tuning::reduce_resident_threads(reduce_share<T, InputIt, Op, Tuning>::has_small_items) / block_threads;

  using share = reduce_share<T, InputIt, Op, Tuning>;
  using posts_type = block::exchange<T, false>;

  struct warp_results {
    uninit<T> value[warps];
    bool exists[warps];
  };

  struct shared {
    typename share::shared own;
    warp_results round[2];  // of items, of posts
    bool starts_last;
  };

  InputIt in;
  index_type n;
  index_type stride;  // of the share
  OutputIt out;
  Op op;
  Init init;
  posts_type posts;  // one per block; unused by a single block, as are the next two
  std::uint32_t tag;
  unsigned* started;  // blocks; zero at launch and at the end

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const bool draws = ctx.thread() == 0 && ctx.blocks() > 1;
    const unsigned ticket = draws ? ctx.draw_ticket(*started, ctx.blocks()) : ctx.blocks();
    uninit<T> value;
    bool has_value = share::fold(ctx, smem.own, in, n, stride, op, value);
    if (ctx.thread() == 0) {
      smem.starts_last = ticket == ctx.blocks() - 1;  // not asked before: the answer comes beside the items
    }
    GIMBAL_NO_UNROLL  // the second round, of the block that starts last, finds its instructions in the cache
      for (unsigned round = 0;; ++round)
    {
      fold_warp(ctx, smem.round[round], has_value, value);
      ctx.sync_block();  // every warp's result is written, and starts_last
      fold_warps(ctx, smem.round[round], value);
      if (round == 1 || ctx.blocks() == 1) {
        break;
      }
      if (ctx.thread() == 0) {
        posts.write(ctx, ctx.block(), tag, value.get());
      }
      if (!smem.starts_last) {
        return;
      }
      has_value = fold_posts(ctx, value);
    }
    if (ctx.thread() == 0) {
      write_result(value);
    }
  }

private:
  // The fold over the lanes that have a value, which are the first ones, in lane 0 and in `results`.
  template <class Context>
  GIMBAL_DEVICE void fold_warp(Context& ctx, warp_results& results, bool has_value, uninit<T>& value) const
  {
    fold_lanes<simt::warp_threads>(ctx, has_value, value);
    if (ctx.lane() == 0) {
      results.value[ctx.warp()] = value;
      results.exists[ctx.warp()] = has_value;
    }
  }

  // The fold over the warps that have a result, which are the first ones, in thread 0.
  template <class Context>
  GIMBAL_DEVICE void fold_warps(Context& ctx, const warp_results& results, uninit<T>& value) const
  {
    if (ctx.warp() != 0) {
      return;
    }
    static_assert(warps <= simt::warp_threads, "a warp folds the results of all warps");
    bool exists = false;
    if (ctx.lane() < warps) {
      exists = results.exists[ctx.lane()];
      value = results.value[ctx.lane()];
    }
    fold_lanes<warps>(ctx, exists, value);
  }

  // The fold over the lanes that have a value, which are the first ones and none but the first `Lanes`, in lane 0.
  template <unsigned Lanes, class Context>
  GIMBAL_DEVICE void fold_lanes(Context& ctx, bool has_value, uninit<T>& value) const
  {
    if constexpr (sizeof(T) <= 4 && adds_integers_v<Op, T, T>) {
      value.set(static_cast<T>(simt::warp_sum(ctx, has_value ? static_cast<std::uint32_t>(value.get()) : 0)));
    } else {
      const unsigned lanes = static_cast<unsigned>(::cuda::std::popcount(ctx.ballot(has_value)));
      block::warp_fold<Lanes>(ctx, value, lanes, op);
    }
  }

  // Each thread folds a run of neighbouring posts, as they arrive; returns whether it has any, as the first threads do.
  template <class Context>
  GIMBAL_DEVICE bool fold_posts(Context& ctx, uninit<T>& value) const
  {
    constexpr unsigned batch = sizeof(T) <= 8 ? 2 : 1;  // asked for at the same time
    Op combine = op;
    const unsigned run = (ctx.blocks() + block_threads - 1) / block_threads;
    const unsigned first = ctx.thread() * run;
    const unsigned end = first + run < ctx.blocks() ? first + run : ctx.blocks();
    for (unsigned base = first; base < end; base += batch) {
      uninit<T> post[batch];
      while (!read_posts(ctx, base, end, post)) {
        ctx.spin_wait();
      }
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        if (base + i < end) {
          value.set(base + i == first ? post[i].get() : static_cast<T>(combine(value.get(), post[i].get())));
        }
      }
    }
    return first < end;
  }

  // The posts from `base` on, of those before `end`; false if not all have arrived.
  template <class Context, unsigned Batch>
  GIMBAL_DEVICE bool read_posts(Context& ctx, unsigned base, unsigned end, uninit<T> (&post)[Batch]) const
  {
    bool is_complete = true;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Batch; ++i) {
      if (base + i < end && !posts.read(ctx, base + i, tag, post[i])) {
        is_complete = false;
      }
    }
    return is_complete;
  }

  GIMBAL_DEVICE void write_result(const uninit<T>& value) const
  {
    if constexpr (::cuda::std::is_same<Init, no_init>::value) {
      *out = value.get();
    } else {
      Op combine = op;
      *out = static_cast<T>(combine(static_cast<T>(init), value.get()));
    }
  }
};

/// Writes the initial value: the result for no items at all.
template <class T, class OutputIt, class Init>
struct reduce_nothing_kernel {
  static constexpr unsigned block_threads = 32;
  struct shared {};

  OutputIt out;
  Init init;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    if (ctx.thread() == 0) {
      *out = static_cast<T>(init);
    }
  }
};

/// `*out = init op x0 op ... op x(n-1)`, without `init` where it is `no_init{}`; `*out = init` for n = 0, and nothing
/// is written for n = 0 without `init`. Accumulates in `accumulator_t<Op, InputIt, Init>`.
template <class Tuning = void, class InputIt, class OutputIt, class Op, class Init>
status reduce(
  void* storage, std::size_t& storage_bytes, InputIt in, index_type n, OutputIt out, Op op, Init init,
  simt::stream_type stream)
{
  using T = typename reduce_accumulator<Op, InputIt, Init>::type;
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::reduce<sizeof(value_type_of<InputIt>)>, Tuning>;
  using kernel_type = reduce_kernel<T, InputIt, OutputIt, Op, Init, chosen>;

  const index_type blocks = n > 0 ? kernel_type::share::blocks(n) : 1;
  kernel_type kernel{in, n, kernel_type::share::stride(n, blocks), out, op, init, {}, 0, nullptr};
  status state;
  if (!storage_layout{}.place(storage, storage_bytes, state)) {
    return state;
  }

  if (n == 0) {
    if constexpr (!::cuda::std::is_same<Init, no_init>::value) {
      return simt::launch(
        reduce_nothing_kernel<T, OutputIt, Init>{out, init}, 1, stream, "launch of reduce_nothing_kernel");
    }
    return {};
  }
  launch_words held;
  if (blocks > 1) {
    using posts_type = typename kernel_type::posts_type;
    GIMBAL_TRY(held.take(stream, posts_type::word_count(blocks), 1, "clearing of the posts of reduce"));
    kernel.posts = {held.words(), static_cast<unsigned>(blocks)};
    kernel.tag = held.first_tag();
    kernel.started = held.ticket();
  }
  return simt::launch(kernel, blocks, stream, "launch of reduce_kernel");
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
