// Reduce: x0 op x1 op ... op x(n-1) in one launch.
//
// Algorithm: few items are one block's, which needs no other (tile_reduction). Of more, every block folds its share
//   into one aggregate (reduce_shares.cuh) and publishes it; the block that starts last reduces the aggregates.
// Bytes moved: each item is read once.
// Launches: one.
// Storage: words (launch_plan.h) for a value per block, of which there are at most tuning's `blocks`; none for one.
// Operator: associative; called on items, on results of its own and on the initial value alone. Operators known to be
//   commutative (plus, min, ... on arithmetic types, the search for a least item) combine items strided; all others
//   combine every item in order, and every call joins what two neighbouring ranges of items amount to, the left one
//   first. Arrays, and such as a function makes items of, are read by whole vectors (array_items.cuh).
// Determinism: the tree is a function of n and the types alone: shares, lanes and aggregates are combined in fixed
//   positions, whatever the timing, the device or the pointer's alignment, and whichever block does it. So no number in
//   tuning's rows may depend on the machine. Floating-point results are the same bits in every run, on every device and
//   on the host executor, where the operator itself is: a compiler may contract a product and the sum it goes into. An
//   extended lambda of a transform iterator is another type than a host program's lambda: its array is read by vectors
//   only if it says that it takes copies.
// Forward progress: blocks draw a ticket when they start, and only the one with the last ticket waits for others: all
//   of them are running then, and none of them waits. The answer to the ticket comes while the items are read.
// Memory order: aggregates carry their own validity (exchange.cuh) and nothing else is handed over, so relaxed accesses
//   suffice. The last ticket to be drawn sets the counter back, when no other block of this launch reads it any more.
#pragma once

#include <gimbal/algorithm/reduce/tuning.h>
#include <gimbal/grid/launch_plan.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/workspace.h>

#include <cuda/std/limits>
#include <gimbal/algorithm/reduce/reduce_shares.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/exchange.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Fold over the threads of a block in two steps, over lanes and over warps, with a barrier of the caller's in between:
///
///   fold::lanes(ctx, smem.fold, has_value, value, op);
///   ctx.sync_block();                                   every warp's result is written
///   fold::warps(ctx, smem.fold, value, op);             in thread 0
///
/// Those lanes have a value that are a warp's first, and those warps that are the block's first. Operands are combined
/// in order, save where integers are folded by an instruction.
template <class T, unsigned Warps>
struct fold {
  static_assert(Warps <= simt::warp_threads, "a warp folds the results of all warps");

  struct shared {
    uninit<T> value[Warps];
    bool exists[Warps];
  };

  template <class Context, class Op>
  static GIMBAL_DEVICE void lanes(Context& ctx, shared& smem, bool has_value, uninit<T>& value, Op op)
  {
    fold_lanes<simt::warp_threads>(ctx, has_value, value, op);
    keep(ctx, smem, has_value, value);
  }

  /// In place of lanes(), where a warp's first lane has the fold of all.
  template <class Context>
  static GIMBAL_DEVICE void keep(Context& ctx, shared& smem, bool has_value, const uninit<T>& value)
  {
    if (ctx.lane() == 0) {
      smem.value[ctx.warp()] = value;
      smem.exists[ctx.warp()] = has_value;
    }
  }

  template <class Context, class Op>
  static GIMBAL_DEVICE void warps(Context& ctx, const shared& smem, uninit<T>& value, Op op)
  {
    if (ctx.warp() != 0) {
      return;
    }
    bool exists = false;
    if (ctx.lane() < Warps) {
      exists = smem.exists[ctx.lane()];
      value = smem.value[ctx.lane()];
    }
    fold_lanes<Warps>(ctx, exists, value, op);
  }

private:
  using word = ::cuda::std::conditional_t<::cuda::std::is_signed<T>::value, std::int32_t, std::uint32_t>;
  using limits = ::cuda::std::numeric_limits<word>;

  // The fold over the lanes that have a value, none but the first `Lanes`, in lane 0.
  template <unsigned Lanes, class Context, class Op>
  static GIMBAL_DEVICE void fold_lanes(Context& ctx, bool has_value, uninit<T>& value, Op op)
  {
    ctx.sync_warp();  // known to be together, lanes exchange values without code for those that are not
    if constexpr (sizeof(T) <= 8 && adds_integers_v<Op, T, T>) {
      using sum = ::cuda::std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
      value.set(static_cast<T>(simt::warp_sum(ctx, has_value ? static_cast<sum>(value.get()) : sum{0})));
    } else if constexpr (sizeof(T) <= 4 && takes_greater_v<Op, T>) {
      value.set(static_cast<T>(simt::warp_greatest(ctx, has_value ? static_cast<word>(value.get()) : (limits::min)())));
    } else if constexpr (sizeof(T) <= 4 && takes_lesser_v<Op, T>) {
      value.set(static_cast<T>(simt::warp_least(ctx, has_value ? static_cast<word>(value.get()) : (limits::max)())));
    } else {
      const unsigned lanes = simt::popcount(ctx.ballot(has_value));
      block::warp_fold<Lanes>(ctx, value, lanes, op);
    }
  }
};

}  // namespace block

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
  static constexpr const char* step = "launch of reduce_kernel for one tile";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned resident_blocks = 0;
  static constexpr bool is_one_tile = true;
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

  // ---- host

  index_type blocks() const { return 1; }
  index_type words_needed() const { return no_words; }
  void take(const launch_words&) {}

  // ---- device

  /// `value` in thread 0. All items have been read before a barrier of the block.
  template <class Context>
  GIMBAL_DEVICE bool reduce(Context& ctx, shared& smem, uninit<T>& value) const
  {
    const bool has_value = share::template fold<reach::one_tile>(ctx, smem.own, in, n, 0, op, value);
    if constexpr (share::folds_warps) {
      fold::keep(ctx, smem.folded, has_value, value);
    } else {
      fold::lanes(ctx, smem.folded, has_value, value, op);
    }
    ctx.sync_block();  // the results of all warps are there
    fold::warps(ctx, smem.folded, value, op);
    return true;
  }
};

/// The reduction of any number of items, in two blocks or more. OrdersMemory: what a block has read before comes before
/// what is done with the result.
template <class T, class InputIt, class Op, class Tuning, bool OrdersMemory = false>
struct grid_reduction {
  static constexpr const char* step = "launch of reduce_kernel";
  static constexpr bool is_one_tile = false;
  static constexpr unsigned block_threads = Tuning::block_threads;
  using value_type = T;
  using share = reduce_share<T, InputIt, Op, Tuning>;
  using fold = block::fold<T, block_threads / simt::warp_threads>;
  using aggregates_type = block::exchange<T, OrdersMemory>;

  static constexpr unsigned resident_blocks = share::resident_threads / block_threads;

  struct shared {
    typename share::shared own;
    typename fold::shared folded[2];  // of items, of aggregates
    bool starts_last;
  };

  InputIt in;
  index_type n;
  Op op;
  index_type extent = 0;            // of the share
  aggregates_type aggregates = {};  // one per block
  std::uint32_t tag = 0;
  unsigned* started = nullptr;  // blocks; zero at launch and at the end

  // ---- host

  /// Finds the share, too.
  index_type blocks()
  {
    aggregates.slot_count = static_cast<unsigned>(share::blocks(n));
    extent = share::extent(n, aggregates.slot_count);
    return aggregates.slot_count;
  }
  index_type words_needed() const
  {
    return static_cast<index_type>(aggregates_type::word_count(aggregates.slot_count));
  }
  void take(const launch_words& words)
  {
    aggregates.words = words.words();
    tag = words.first_tag();
    started = words.ticket();
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

/// Writes what a Reduction, one of the two above, amounts to; of no items, which are one tile, the initial value.
template <class Reduction, class OutputIt, class Init>
struct reduce_kernel {
  static constexpr const char* step = Reduction::step;
  static constexpr const char* clearing = "clearing of the block aggregates of reduce";
  static constexpr unsigned block_threads = Reduction::block_threads;
  static constexpr unsigned resident_blocks = Reduction::resident_blocks;
  using shared = typename Reduction::shared;
  using value_type = typename Reduction::value_type;

  Reduction reduction;
  OutputIt out;
  Init init;

  index_type blocks() { return reduction.blocks(); }
  index_type words_needed() const { return reduction.words_needed(); }
  void take(const launch_words& words) { reduction.take(words); }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if constexpr (Reduction::is_one_tile && !::cuda::std::is_same<Init, no_init>::value) {
      if (reduction.n == 0) {
        if (ctx.thread() == 0) {
          block::store_as(out, static_cast<value_type>(init));
        }
        return;
      }
    }
    uninit<value_type> value;
    if (reduction.reduce(ctx, smem, value) && ctx.thread() == 0) {
      algorithm::write_folded(out, reduction.op, init, value);
    }
  }
};

/// The table of reductions: which shape takes n items, for the kernels that a room makes of tile_reduction and
/// grid_reduction.
///
///   items                                            shape
///   one small tile, if the share has such            a block of small_tile_threads
///   one tile                                         a block of the share's tile_tuning
///   folds that want more rows, more_rows_from_items  a grid, with_more_rows
///   any                                              a grid
///
/// `Tuning` void: chosen by the size of the items.
template <class T, class Tuning, class InputIt, class Op, bool OrdersMemory = false>
struct reduction_table {
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::reduce<sizeof(typename block::array_items<InputIt>::item)>, Tuning>;
  using share = reduce_share<T, InputIt, Op, chosen>;
  static constexpr bool has_small_tile = share::small_tile_threads > 0;
  static constexpr bool has_more_rows = wants_more_rows_v<T, InputIt>;
  using small_tuning =
    single_block<chosen, has_small_tile ? share::small_tile_threads : unsigned{chosen::block_threads}>;
  using small_tile = tile_reduction<T, InputIt, Op, small_tuning>;
  using tile = tile_reduction<T, InputIt, Op, typename share::tile_tuning>;
  using grid_of_more_rows = grid_reduction<T, InputIt, Op, with_more_rows<chosen>, OrdersMemory>;
  using grid = grid_reduction<T, InputIt, Op, chosen, OrdersMemory>;

  bool is_small_tile;
  bool is_tile;
  bool takes_more_rows;
  bool is_grid;

  explicit reduction_table(index_type n)
      : is_small_tile(has_small_tile && small_tile::share::blocks(n) <= 1),
        is_tile(!is_small_tile && tile::share::blocks(n) <= 1),
        takes_more_rows(has_more_rows && !is_small_tile && !is_tile && n >= index_type{chosen::more_rows_from_items}),
        is_grid(!is_small_tile && !is_tile && !takes_more_rows)
  {
  }
};

/// The arguments are those of reduce().
template <class Tuning = void, class InputIt, class OutputIt, class Op, class Init>
auto reduce_plan(InputIt in, index_type n, OutputIt out, Op op, Init init)
{
  using T = typename reduce_accumulator<Op, InputIt, Init>::type;
  using table = reduction_table<T, Tuning, InputIt, Op>;
  const table is(n);
  const bool has_result = n > 0 || !::cuda::std::is_same<Init, no_init>::value;
  const auto few = static_cast<unsigned>(n);
  return gimbal::plan_of(
    kernel_row<reduce_kernel<typename table::small_tile, OutputIt, Init>, table::has_small_tile>(
      has_result && is.is_small_tile, {{in, few, op}, out, init}),
    kernel_row<reduce_kernel<typename table::tile, OutputIt, Init>>(
      has_result && is.is_tile, {{in, few, op}, out, init}),
    kernel_row<reduce_kernel<typename table::grid_of_more_rows, OutputIt, Init>, table::has_more_rows>(
      is.takes_more_rows, {{in, n, op}, out, init}),
    kernel_row<reduce_kernel<typename table::grid, OutputIt, Init>>(is.is_grid, {{in, n, op}, out, init}));
}

/// `*out = init op x0 op ... op x(n-1)`, without `init` where it is `no_init{}` or `result_of_nothing`; `*out = init`
/// for n = 0, and nothing is written for n = 0 and `no_init{}`. Accumulates in `accumulator_t<Op, InputIt, Init>`.
template <class Tuning = void, class InputIt, class OutputIt, class Op, class Init>
status reduce(
  const temporary_storage& storage, std::size_t& storage_bytes, InputIt in, index_type n, OutputIt out, Op op,
  Init init, simt::stream_type stream)
{
  return algorithm::reduce_plan<Tuning>(in, n, out, op, init).run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
