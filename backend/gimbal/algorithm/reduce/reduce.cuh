// Reduce: x0 op x1 op ... op x(n-1) in one launch.
//
// Algorithm: few items are one block's, which needs no other (reduce_tile_kernel). Of more, every block folds its share
//   into one aggregate (reduce_shares.cuh) and publishes it; the block that starts last reduces the aggregates.
// Bytes moved: each item is read once.
// Launches: one.
// Storage: words (retained_words.h) for a value per block, of which there are at most tuning's `blocks`; none for one.
// Operator: associative; called on items, on results of its own and on the initial value alone. Operators known to be
//   commutative (plus, min, ... on arithmetic types, the search for a least item) combine items strided; all others combine
//   every item in order, and every call joins what two neighbouring ranges of items amount to, the left one first. Arrays, and such as a function makes items of, are read by whole vectors (array_items.cuh).
// Determinism: the tree is a function of n and the types alone: shares, lanes and aggregates are combined in fixed
//   positions, whatever the timing, the device or the pointer's alignment, and whichever block does it. So no number in tuning's
//   rows may depend on the machine. Floating-point results are the same bits in every run, on every device and on the host
//   executor, where the operator itself is: a compiler may contract a product and the sum it goes into. An extended lambda of
//   a transform iterator is another type than a host program's lambda: its array is read by vectors only if it says that it
//   takes copies.
// Forward progress: blocks draw a ticket when they start, and only the one with the last ticket waits for others: all
//   of them are running then, and none of them waits. The answer to the ticket comes while the items are read.
// Memory order: aggregates carry their own validity (exchange.cuh) and nothing else is handed over, so relaxed accesses
//   suffice. The last ticket to be drawn sets the counter back, when no other block of this launch reads it any more.
#pragma once

#include <gimbal/algorithm/reduce/tuning.h>
#include <gimbal/grid/retained_words.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/reduce/reduce_shares.cuh>
#include <gimbal/collective/fold.cuh>
#include <gimbal/grid/block_aggregates.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class T, class OutputIt, class Op, class Init>
GIMBAL_DEVICE void write_folded(OutputIt out, Op op, const Init& init, const uninit<T>& folded)
{
  if constexpr (is_combined_init_v<Init>) {
    block::store_as(out, static_cast<T>(op(static_cast<T>(init), folded.get())));
  } else {
    block::store_as(out, folded.get());
  }
}

/// One block's reduction of one tile at most.
template <class T, class InputIt, class Op, class Tuning>
struct tile_reduction {
  static constexpr unsigned block_threads = Tuning::block_threads;
  using value_type = T;
  using share = reduce_share<T, InputIt, Op, Tuning>;
  using fold = block::fold<T, block_threads / simt::warp_threads>;

  struct shared {
    typename share::shared own;
    typename fold::shared folded;
  };

  InputIt in;
  unsigned n;
  Op op;

  /// `value` in thread 0. All items have been read before a barrier of the block.
  template <class Context>
  GIMBAL_DEVICE void reduce(Context& ctx, shared& smem, uninit<T>& value) const
  {
    const bool has_value = share::template fold<reach::one_tile>(ctx, smem.own, in, n, 0, op, value);
    if constexpr (share::folds_warps) {
      fold::keep(ctx, smem.folded, has_value, value);
    } else {
      fold::lanes(ctx, smem.folded, has_value, value, op);
    }
    ctx.sync_block();  // the results of all warps are there
    fold::warps(ctx, smem.folded, value, op);
  }
};

/// The reduction of any number of items, in two blocks or more. OrdersMemory: what a block has read before comes before what is done
/// with the result.
template <class T, class InputIt, class Op, class Tuning, bool OrdersMemory = false>
struct grid_reduction {
  static constexpr unsigned block_threads = Tuning::block_threads;
  using value_type = T;
  using share = reduce_share<T, InputIt, Op, Tuning>;
  using fold = block::fold<T, block_threads / simt::warp_threads>;
  using aggregates_type = block::block_aggregates<T, OrdersMemory>;

  static constexpr unsigned resident_blocks = share::resident_threads / block_threads;

  struct shared {
    typename share::shared own;
    typename fold::shared folded[2];  // of items, of aggregates
    bool starts_last;
  };

  InputIt in;
  index_type n;
  index_type extent;  // of the share
  Op op;
  aggregates_type aggregates;  // one per block
  std::uint32_t tag;
  unsigned* started;  // blocks; zero at launch and at the end

  // ---- host

  static grid_reduction of(InputIt in, index_type n, Op op)
  {
    const index_type blocks = share::blocks(n);
    return {in, n, share::extent(n, blocks), op, {{nullptr, static_cast<unsigned>(blocks)}}, 0, nullptr};
  }
  /// Words for the aggregates, and `more` behind them.
  status take(launch_words& words, std::size_t more = 0)
  {
    GIMBAL_TRY(words.take(
      aggregates_type::word_count(aggregates.slot_count) + more, 1, "clearing of the block aggregates of reduce"));
    aggregates.words = words.words();
    tag = words.first_tag();
    started = words.ticket();
    return {};
  }

  // ---- device

  /// True in the block that starts last: `value` in its thread 0.
  template <class Context>
  GIMBAL_DEVICE bool reduce(Context& ctx, shared& smem, uninit<T>& value) const
  {
    const unsigned ticket = ctx.thread() == 0 ? ctx.draw_ticket(*started, ctx.blocks()) : 0;
    bool has_value = share::template fold<reach::strided_tiles>(ctx, smem.own, in, n, extent, op, value);
    if (ctx.thread() == 0) {
      smem.starts_last = ticket == ctx.blocks() - 1;  // not before: the ticket arrives beside the items
    }
    GIMBAL_NO_UNROLL  // the second round, of the block that starts last, finds its instructions in the cache
      for (unsigned round = 0;; ++round)
    {
      if (share::folds_warps && round == 0) {
        fold::keep(ctx, smem.folded[round], has_value, value);
      } else {
        fold::lanes(ctx, smem.folded[round], has_value, value, op);
      }
      if (round == 1 && has_few_aggregates(ctx)) {
        break;  // all of them are the first warp's
      }
      ctx.sync_block();  // every warp's result is written, and starts_last
      fold::warps(ctx, smem.folded[round], value, op);
      if (round == 1) {
        break;
      }
      if (ctx.thread() == 0) {
        aggregates.write(ctx, ctx.block(), tag, value.get());
      }
      if (!smem.starts_last) {
        return false;
      }
      has_value = reduce_aggregates(ctx, value);
    }
    return true;
  }

private:
  template <class Context>
  static GIMBAL_DEVICE bool has_few_aggregates(Context& ctx)
  {
    return ctx.blocks() <= Tuning::warp_aggregates;
  }

  // Each thread reduces a run of neighbouring aggregates; returns whether it has any, as the first threads do.
  template <class Context>
  GIMBAL_DEVICE bool reduce_aggregates(Context& ctx, uninit<T>& value) const
  {
    const unsigned threads = has_few_aggregates(ctx) ? simt::warp_threads : block_threads;
    const unsigned run = (ctx.blocks() + threads - 1) / threads;
    return aggregates.reduce_run(ctx, tag, ctx.thread() * run, run, ctx.blocks(), op, value);
  }
};

/// Writes what one block reduces, of no items the initial value.
template <class Reduction, class OutputIt, class Init>
struct reduce_tile_kernel {
  static constexpr unsigned block_threads = Reduction::block_threads;
  using shared = typename Reduction::shared;

  Reduction reduction;
  OutputIt out;
  Init init;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    using value_type = typename Reduction::value_type;
    uninit<value_type> value;
    if constexpr (!::cuda::std::is_same<Init, no_init>::value) {
      if (reduction.n == 0) {
        if (ctx.thread() == 0) {
          block::store_as(out, static_cast<value_type>(init));
        }
        return;
      }
    }
    reduction.reduce(ctx, smem, value);
    if (ctx.thread() == 0) {
      algorithm::write_folded(out, reduction.op, init, value);
    }
  }
};

/// Writes what all blocks of the launch reduce.
template <class Reduction, class OutputIt, class Init>
struct reduce_kernel {
  static constexpr unsigned block_threads = Reduction::block_threads;
  static constexpr unsigned resident_blocks = Reduction::resident_blocks;
  using shared = typename Reduction::shared;

  Reduction reduction;
  OutputIt out;
  Init init;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    uninit<typename Reduction::value_type> value;
    if (reduction.reduce(ctx, smem, value) && ctx.thread() == 0) {
      algorithm::write_folded(out, reduction.op, init, value);
    }
  }
};

/// The table: `in_tile(tuning)` where one block reduces the n items, else `in_blocks(tuning)`. `Tuning` void: chosen by the size of
/// the items.
template <class T, class Tuning, class InputIt, class Op, class InTile, class InBlocks>
status choose_reduction(index_type n, InTile in_tile, InBlocks in_blocks)
{
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::reduce<sizeof(typename block::array_items<InputIt>::item)>, Tuning>;
  using share = reduce_share<T, InputIt, Op, chosen>;
  if constexpr (share::small_tile_threads > 0) {
    using small_block = lone_block<chosen, share::small_tile_threads>;
    if (reduce_share<T, InputIt, Op, small_block>::blocks(n) <= 1) {
      return in_tile(small_block{});
    }
  }
  using tile_tuning = typename share::tile_tuning;
  if (reduce_share<T, InputIt, Op, tile_tuning>::blocks(n) <= 1) {
    return in_tile(tile_tuning{});
  }
  if constexpr (wants_more_rows_v<T, InputIt>) {
    if (n >= chosen::more_rows_from_items) {
      return in_blocks(with_more_rows<chosen>{});
    }
  }
  return in_blocks(chosen{});
}

/// `*out = init op x0 op ... op x(n-1)`, without `init` where it is `no_init{}` or `result_of_nothing`; `*out = init` for
/// n = 0, and nothing is written for n = 0 and `no_init{}`. Accumulates in `accumulator_t<Op, InputIt, Init>`.
template <class Tuning = void, class InputIt, class OutputIt, class Op, class Init>
status reduce(
  temporary_storage storage, std::size_t& storage_bytes, InputIt in, index_type n, OutputIt out, Op op, Init init,
  simt::stream_type stream)
{
  using T = typename reduce_accumulator<Op, InputIt, Init>::type;
  const auto launches = [&](launch_words& words) -> status {
    if (n == 0 && ::cuda::std::is_same<Init, no_init>::value) {
      return {};
    }
    const auto in_tile = [&](auto tuning) -> status {
      using reduction = tile_reduction<T, InputIt, Op, decltype(tuning)>;
      const reduce_tile_kernel<reduction, OutputIt, Init> kernel{{in, static_cast<unsigned>(n), op}, out, init};
      return words.launch(kernel, 1, "launch of reduce_tile_kernel");
    };
    const auto in_blocks = [&](auto tuning) -> status {
      using reduction = grid_reduction<T, InputIt, Op, decltype(tuning)>;
      reduce_kernel<reduction, OutputIt, Init> kernel{reduction::of(in, n, op), out, init};
      GIMBAL_TRY(kernel.reduction.take(words));
      return words.launch(kernel, kernel.reduction.aggregates.slot_count, "launch of reduce_kernel");
    };
    return algorithm::choose_reduction<T, Tuning, InputIt, Op>(n, in_tile, in_blocks);
  };
  return gimbal::call_launches(storage, storage_bytes, launches, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
