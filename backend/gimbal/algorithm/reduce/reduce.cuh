// Reduce: x0 op x1 op ... op x(n-1) in one launch.
//
// Algorithm: few items are one block's, which needs no other. Where there are more, every block folds its share into
//   one aggregate and publishes it; the block that starts last reduces the aggregates.
// Bytes moved: each item is read once.
// Launches: one.
// Storage: tagged words (launch_plan.h) for a value per block, of which there are at most tuning's `blocks`; none for
//   one.
// Operator: associative; called on items, on results of its own and on the initial value alone. Operators known to be
//   commutative (plus, min, ... on arithmetic types, the search for a least item) combine items strided; all others
//   combine every item in order, and every call joins what two neighbouring ranges of items amount to, the left one
//   first. Arrays, and those that a function makes items of, are read by whole vectors (array_items.cuh).
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

#include <gimbal/algorithm/reduce/reduce_ordered_shares.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/exchange.cuh>
#include <gimbal/simt/packed_bytes.cuh>
#include <gimbal/tile/tile.cuh>
#include <gimbal/tile/vector_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// True of an operator that has `tracked_type` (functors.h), what a thread keeps of a tile: a count, or a search for a
/// best item.
template <class Op, class = void>
inline constexpr bool tracks_items_v = false;
template <class Op>
inline constexpr bool tracks_items_v<Op, ::cuda::std::void_t<typename Op::tracked_type>> = true;

/// What a reduce accumulates in: `accumulator_t`, or what an operator that tracks items says.
template <class Op, class InputIt, class Init, class = void>
struct reduce_accumulator {
  using type = accumulator_t<Op, InputIt, Init>;
};
template <class Op, class InputIt, class Init>
struct reduce_accumulator<Op, InputIt, Init, ::cuda::std::void_t<typename Op::tracked_type>> {
  using type = typename Op::accumulator;
};

/// The share of a block whose operator may take items in any fixed order: tiles strided over the grid, rows of vectors.
/// Each thread folds all it reads into one value. What is left after the last whole vector falls to the first threads
/// of block 0, an item each.
///
/// A share's `fold` returns whether the thread has a value; the first lanes of each of the first warps do, or one lane
/// where the share `folds_warps`. Which item is folded where is a function of n and the types alone.
template <class T, class InputIt, class Op, class Tuning>
struct strided_share {
  static constexpr bool is_packed = block::is_packed_v<InputIt>;
  using lane_items = block::lane_items<
    InputIt, Tuning::block_threads, is_packed ? Tuning::items_per_thread : Tuning::single_items_per_thread, is_packed>;
  using value_type = value_type_of<InputIt>;

  static constexpr bool has_small_items =  // and operators that are known, and no function: few registers
    is_packed && !block::array_items<InputIt>::maps && !tracks_items_v<Op>;
  static constexpr unsigned resident_threads = has_small_items ? tuning::reduce_resident_threads : 0;
  static constexpr unsigned tile_threads = has_small_items ? Tuning::tile_threads : Tuning::block_threads;
  static constexpr bool folds_warps = false;

  struct shared {};

  /// Blocks that have work.
  static index_type blocks(index_type n)
  {
    constexpr index_type most = has_small_items ? Tuning::blocks : Tuning::many_blocks;
    const index_type tile = extent(n, 0);
    const index_type vectors = n / vector_items;
    const index_type tiles = vectors <= tile ? 1 : (vectors + tile - 1) / tile;
    return tiles < most ? tiles : most;
  }

  /// The vectors of a tile: all that the threads of a block can hold. What comes one by one may take long to be made,
  /// so that of few items each thread has but few, and more blocks some.
  static index_type extent(index_type n, index_type)
  {
    if constexpr (is_packed) {
      return tile_vectors;
    }
    constexpr index_type most_rows = lane_items::vectors;
    const index_type rows = n / (index_type{Tuning::spread_blocks} * Tuning::block_threads);
    return Tuning::block_threads * (rows < most_rows ? rows < 2 ? 2 : rows : most_rows);
  }

  template <reach Reach, class Context>
  static GIMBAL_DEVICE bool fold(
    Context& ctx, shared&, InputIt in, index_type n, index_type extent, Op op, uninit<T>& folded)
  {
    bool has_value = adds_integers_v<Op, T, value_type>;  // of these 0: a register that the ticket needs
    if constexpr (adds_integers_v<Op, T, value_type>) {
      folded.set(T{0});
    }
    const auto add = [&](const T& value) {
      folded.set(has_value ? static_cast<T>(op(folded.get(), value)) : value);
      has_value = true;
    };
    const unsigned rest = static_cast<unsigned>(n) % vector_items;
    const bool has_rest = vector_items > 1 && (Reach == reach::one_tile || ctx.block() == 0) && ctx.thread() < rest;
    const auto rest_position = [&] { return n - rest + ctx.thread(); };
    if constexpr (Reach == reach::one_tile) {
      // A cold kernel waits for its instructions as long as for items, so the loads come first.
      const unsigned vectors = static_cast<unsigned>(n) / vector_items;
      const unsigned first = ctx.thread() * vector_items;
      lane_items items;
      uninit<value_type> item;
      if (ctx.thread() < vectors) {
        items.load(in + first, vectors - ctx.thread());
      }
      if (has_rest) {
        item.set(block::load_as<value_type>(in + rest_position()));
      }
      if (ctx.thread() < vectors) {
        add(fold_tile(in, items, first, vectors - ctx.thread(), op));
      }
      if (has_rest) {
        add(fold_item(item.get(), rest_position(), op));
      }
    } else {
      if (has_rest) {
        folded.set(fold_item(block::load_as<value_type>(in + rest_position()), rest_position(), op));
        has_value = true;
      }
      const unsigned held = is_packed ? tile_vectors : static_cast<unsigned>(extent);
      const index_type vectors = n / vector_items;
      const index_type stride = index_type{ctx.blocks()} * held;
      GIMBAL_NO_UNROLL
      for (index_type more = vectors - index_type{ctx.block()} * held - ctx.thread(); more > 0; more -= stride) {
        const index_type first = (vectors - more) * vector_items;
        const unsigned left = more < held ? static_cast<unsigned>(more) : held;
        lane_items items;
        items.load(in + first, left);
        add(fold_tile(in, items, first, left, op));
      }
    }
    return has_value;
  }

private:
  static constexpr unsigned vector_items = lane_items::vector_items;
  static constexpr unsigned tile_vectors = lane_items::vectors * Tuning::block_threads;
  // Integers of 1 or 2 bytes are added 4 bytes at a time: sums modulo 2^32 are sums modulo any smaller power of two,
  // and those of one tile do not overflow.
  static constexpr bool adds_words = has_small_items && sizeof(value_type) <= 2 && adds_integers_v<Op, T, value_type>;

  static GIMBAL_DEVICE T
  fold_item(const value_type& item, [[maybe_unused]] index_type position, [[maybe_unused]] Op& op)
  {
    if constexpr (tracks_items_v<Op>) {
      return typename Op::tracked_type(op, item).at(position);
    } else {
      return static_cast<T>(item);
    }
  }

  // The thread's items, of which the first is at `first`, in one of the tile's last `left` vectors.
  static GIMBAL_DEVICE T fold_tile(const InputIt& in, const lane_items& items, index_type first, unsigned left, Op& op)
  {
    if constexpr (tracks_items_v<Op>) {
      // Counts are 32 bits wide and places constants: an item costs a comparison and an addition, or two selections.
      typename Op::tracked_type tile(op, items.get(in, 0).get());
      GIMBAL_UNROLL
      for (unsigned i = 1; i < lane_items::items; ++i) {
        if (lane_items::has(i, left)) {
          tile.visit(op, items.get(in, i).get(), lane_items::offset(i));
        }
      }
      return tile.at(first);
    } else if constexpr (adds_words) {
      constexpr bool is_signed = ::cuda::std::is_signed_v<value_type>;
      std::uint32_t sum = 0;
      GIMBAL_UNROLL
      for (unsigned w = 0; w < lane_items::words; ++w) {
        if (lane_items::has_word(w, left)) {
          const std::uint32_t word = items.word_at(w);
          sum =
            sizeof(value_type) == 1 ? simt::add_bytes<is_signed>(word, sum) : simt::add_halves<is_signed>(word, sum);
        }
      }
      return static_cast<T>(static_cast<::cuda::std::conditional_t<is_signed, std::int32_t, std::uint32_t>>(sum));
    } else {
      uninit<T> tile;
      block::for_left<!lane_items::is_packed, lane_items::vectors, Tuning::block_threads>(
        left, [&](unsigned v) { block::fold_vector(in, items, v, v == 0, op, tile); });
      return tile.get();
    }
  }
};

template <class T, class InputIt, class Op, class Tuning>
using reduce_share = ::cuda::std::conditional_t<
  tracks_items_v<Op> || is_commutative_v<Op, T, value_type_of<InputIt>>, strided_share<T, InputIt, Op, Tuning>,
  ordered_share_for<T, InputIt, Op, Tuning>>;

/// What a launch reduces: one tile, by one block, which needs no other, or any number of items, by two blocks or more.
/// OrdersMemory: what a block has read before comes before what is done with the result.
template <reach Reach, class T, class InputIt, class Op, class Tuning, bool OrdersMemory = false>
struct reduction {
  static constexpr bool is_one_tile = Reach == reach::one_tile;
  static constexpr unsigned block_threads = Tuning::block_threads;
  using value_type = T;
  using share = reduce_share<T, InputIt, Op, Tuning>;
  using fold = block::fold<T, block_threads / simt::warp_threads>;
  using aggregates_type = block::exchange<T, OrdersMemory>;

  static constexpr unsigned resident_blocks = is_one_tile ? 0 : share::resident_threads / block_threads;

  struct shared {
    typename share::shared own;
    typename fold::shared folded[is_one_tile ? 1 : 2];  // of items, of aggregates
    bool starts_last;
  };

  InputIt in;
  ::cuda::std::conditional_t<is_one_tile, unsigned, index_type> n;
  Op op;
  index_type extent = 0;            // of the share
  aggregates_type aggregates = {};  // one per block
  std::uint32_t tag = 0;
  unsigned* started = nullptr;  // blocks; zero at launch and at the end

  // ---- host

  /// Finds the share, too.
  index_type blocks()
  {
    aggregates.slot_count = is_one_tile ? 1 : static_cast<unsigned>(share::blocks(n));
    extent = is_one_tile ? 0 : share::extent(n, aggregates.slot_count);
    return aggregates.slot_count;
  }
  index_type words_needed() const
  {
    return is_one_tile ? no_words : static_cast<index_type>(aggregates_type::word_count(aggregates.slot_count));
  }
  void take(const launch_words& words)
  {
    aggregates.words = words.words();
    tag = words.first_tag();
    started = words.ticket();
  }

  // ---- device

  /// True in the block that starts last: `value` in its thread 0. All its items have been read before a barrier of the
  /// block.
  template <class Context>
  GIMBAL_DEVICE bool reduce(Context& ctx, shared& smem, uninit<T>& value) const
  {
    if constexpr (is_one_tile) {
      const bool has_value = share::template fold<Reach>(ctx, smem.own, in, n, extent, op, value);
      if constexpr (!share::folds_warps) {
        fold::lanes(ctx, has_value, value, op);
      }
      fold::keep(ctx, smem.folded[0], has_value, value);
      ctx.sync_block();  // the results of all warps are there
      fold::warps(ctx, smem.folded[0], value, op);
      return true;
    } else {
      return reduce_in_grid(ctx, smem, value);
    }
  }

private:
  template <class Context>
  GIMBAL_DEVICE bool reduce_in_grid(Context& ctx, shared& smem, uninit<T>& value) const
  {
    const unsigned ticket = ctx.thread() == 0 ? ctx.draw_ticket(*started, ctx.blocks()) : 0;
    bool has_value = share::template fold<Reach>(ctx, smem.own, in, n, extent, op, value);
    if (ctx.thread() == 0) {
      smem.starts_last = ticket == ctx.blocks() - 1;  // not before: the ticket arrives beside the items
    }
    // Asked when it is needed: kept, it takes registers from the items.
    const auto has_few_aggregates = [&] { return ctx.blocks() <= Tuning::warp_aggregates; };
    GIMBAL_NO_UNROLL  // the second round, of the block that starts last, finds its instructions in the cache
      for (unsigned round = 0;; ++round)
    {
      if (!share::folds_warps || round == 1) {
        fold::lanes(ctx, has_value, value, op);
      }
      fold::keep(ctx, smem.folded[round], has_value, value);
      if (round == 1 && has_few_aggregates()) {
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
      // Each thread reduces a run of neighbouring aggregates; the first ones have some.
      const unsigned threads = has_few_aggregates() ? simt::warp_threads : block_threads;
      const unsigned run = (ctx.blocks() + threads - 1) / threads;
      has_value = aggregates.reduce_run(ctx, tag, ctx.thread() * run, run, ctx.blocks(), op, value);
    }
    return true;
  }
};

/// Writes what a Reduction amounts to; of no items, which are one tile, the initial value.
template <class Reduction, class OutputIt, class Init>
struct reduce_kernel {
  static constexpr const char* step = "launch of reduce_kernel";
  static constexpr const char* clearing = "clearing of the block aggregates of reduce";
  static constexpr unsigned block_threads = Reduction::block_threads;
  static constexpr unsigned resident_blocks = Reduction::resident_blocks;
  using shared = typename Reduction::shared;
  using T = typename Reduction::value_type;

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
          block::store_as(out, static_cast<T>(init));
        }
        return;
      }
    }
    uninit<T> value;
    if (reduction.reduce(ctx, smem, value) && ctx.thread() == 0) {
      if constexpr (is_combined_init_v<Init>) {
        auto op = reduction.op;
        block::store_as(out, static_cast<T>(op(static_cast<T>(init), value.get())));
      } else {
        block::store_as(out, value.get());
      }
    }
  }
};

/// A block that takes all items, if it can.
template <class Tuning, unsigned Threads>
struct single_block : Tuning {
  static constexpr unsigned block_threads = Threads;
};

/// The plan of a launch that reduces n items: of a Kernel<reduction, Rest...>, which is made of a reduction and `rest`.
/// Nothing is launched where there is neither an item nor an initial value.
///
///   items                                            reduction
///   one tile                                         a block of the share's tile_threads
///   folds that want more rows, more_rows_from_items  a grid, with_more_rows
///   any                                              a grid
///
/// `Tuning` void: chosen by the size of the items.
template <
  template <class, class...> class Kernel, class Tuning, class Init, bool OrdersMemory = false, class InputIt, class Op,
  class... Rest>
auto reduction_plan(InputIt in, index_type n, Op op, const Rest&... rest)
{
  using T = typename reduce_accumulator<Op, InputIt, Init>::type;
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::reduce<sizeof(typename block::array_items<InputIt>::item)>, Tuning>;
  using block_tuning = single_block<chosen, reduce_share<T, InputIt, Op, chosen>::tile_threads>;
  using one_tile = reduction<reach::one_tile, T, InputIt, Op, block_tuning>;
  using grid_of_more_rows = reduction<reach::grid, T, InputIt, Op, with_more_rows<chosen>, OrdersMemory>;
  using grid = reduction<reach::grid, T, InputIt, Op, chosen, OrdersMemory>;
  constexpr bool has_more_rows = wants_more_rows_v<T, InputIt>;
  const bool has_result = n > 0 || !::cuda::std::is_same<Init, no_init>::value;
  const bool is_tile = one_tile::share::blocks(n) <= 1;
  const bool takes_more_rows = has_more_rows && !is_tile && n >= index_type{chosen::more_rows_from_items};
  return gimbal::plan_of(
    kernel_row<Kernel<one_tile, Rest...>>(is_tile && has_result, {{in, static_cast<unsigned>(n), op}, rest...}),
    kernel_row<Kernel<grid_of_more_rows, Rest...>, has_more_rows>(takes_more_rows, {{in, n, op}, rest...}),
    kernel_row<Kernel<grid, Rest...>>(!is_tile && !takes_more_rows, {{in, n, op}, rest...}));
}

/// The arguments are those of reduce().
template <class Tuning = void, class InputIt, class OutputIt, class Op, class Init>
auto reduce_plan(InputIt in, index_type n, OutputIt out, Op op, Init init)
{
  return algorithm::reduction_plan<reduce_kernel, Tuning, Init>(in, n, op, out, init);
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
