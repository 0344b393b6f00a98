// Scan of few items: the results of scan.cuh in one round of blocks.
//
// Algorithm: a lane holds its items in registers from the first load to the last store. A warp scans rows, of which
//   each lane has some neighbours; a warp scans the warps' totals; each block publishes its total and reduces the
//   totals of all blocks before it. One round trip to the L2 cache, where tiles that look back or wait for a server
//   take several.
// Code: a cold kernel waits for its instructions as long as for its items, so the loads come first and the code is one
//   path for whole and partial tiles.
// Bytes moved: each item is read once and each result written once.
// Launches: one.
// Storage: tagged words (launch_plan.h) for a value per block; none for one.
// Operator: associative; operands are combined in order. Called on valid items only.
// Determinism: the tree is a function of the number of items alone. Floating-point results are the same bits in every
// run.
// Forward progress: a block waits for those with lower numbers alone, which begin before it (simt::start::in_order).
// Memory order: aggregates carry their own validity (exchange.cuh) and nothing else is handed over.
// Aliasing: out may equal in, because a lane writes where it alone has read, after it has.
#pragma once

#include <gimbal/algorithm/scan/tuning.h>
#include <gimbal/grid/launch_plan.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>

#include <cstring>
#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/exchange.cuh>
#include <gimbal/tile/vector_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// What a lane writes of a row of results, vectors of 16 bytes where an array takes them, single results where not:
/// `Neighbours` results of each lane, from position `first` on, accumulated in type T.
template <class T, class OutputIt, unsigned Neighbours>
struct row_results {
  /// What an array holds, where numbers are converted when stored.
  using stored = ::cuda::std::conditional_t<
    is_array_v<OutputIt>&& ::cuda::std::is_arithmetic<T>::value&& ::cuda::std::is_arithmetic<
      value_type_of<OutputIt>>::value,
    value_type_of<OutputIt>, T>;
  static constexpr bool are_vectors =
    is_array_v<OutputIt> && ::cuda::std::is_same<value_type_of<OutputIt>, stored>::value && Neighbours > 1
    && Neighbours * sizeof(stored) % sizeof(simt::vector16) == 0
    && (4 % sizeof(stored) == 0 || sizeof(stored) % 4 == 0);

  template <class Context>
  static GIMBAL_DEVICE void store(Context& ctx, OutputIt out, index_type first, const uninit<T> (&value)[Neighbours])
  {
    if constexpr (are_vectors) {
      stored* const target = block::raw_iterator(out) + first;
      if (reinterpret_cast<std::uintptr_t>(target) % sizeof(simt::vector16) == 0) {
        uninit<stored> converted[Neighbours];
        GIMBAL_UNROLL
        for (unsigned i = 0; i < Neighbours; ++i) {
          converted[i].set(static_cast<stored>(value[i].get()));
        }
        GIMBAL_UNROLL
        for (unsigned v = 0; v < Neighbours * sizeof(stored) / sizeof(simt::vector16); ++v) {
          simt::vector16 vector;
          std::memcpy(&vector, reinterpret_cast<const unsigned char*>(converted) + v * sizeof vector, sizeof vector);
          ctx.store_vector(reinterpret_cast<simt::vector16*>(target) + v, vector);
        }
        return;
      }
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Neighbours; ++i) {
      block::store_as(out + (first + i), value[i].get());
    }
  }
};

}  // namespace block

namespace algorithm {

/// `Init` is `T`, or `no_init` where the scan starts with the first item.
template <class Tuning, scan_kind Kind, class T, class InputIt, class OutputIt, class Op, class Init>
struct resident_scan_kernel {
  using items_type = block::lane_items<InputIt, simt::warp_threads, Tuning::lane_items, block::is_packed_v<InputIt>>;

  static constexpr simt::start starts = simt::start::in_order;
  static constexpr const char* step = "scan";
  static constexpr const char* clearing = "clearing of the block aggregates of a scan";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned most_rows = items_type::vectors;        // of a warp
  static constexpr unsigned neighbours = items_type::vector_items;  // of a lane, in a row: a vector
  static constexpr bool has_init = is_combined_init_v<Init>;
  static_assert(warps <= simt::warp_threads, "one warp scans the totals of all warps");

  using results = block::row_results<T, OutputIt, neighbours>;

  struct shared {
    uninit<T> warp_total[warps];
    uninit<T> before;  // the block, with the initial value
  };

  InputIt in;
  OutputIt out;
  unsigned n;
  unsigned rows;  // of each warp; found by blocks()
  block::combine<T, Op> op;
  Init init;
  block::exchange<T> aggregates;
  std::uint32_t tag;

  // ---- host

  static constexpr index_type block_row_items = index_type{block_threads} * neighbours;
  static constexpr index_type most_items = Tuning::most_blocks * most_rows * block_row_items;

  /// Sets `rows`, too.
  index_type blocks()
  {
    constexpr unsigned single_rows = most_rows < Tuning::single_rows ? most_rows : Tuning::single_rows;
    rows = blocks_of(1);  // in one block, if it has so many, which waits for no other
    if (rows > single_rows) {
      for (rows = 1; rows < most_rows && blocks_of(rows) > Tuning::spread_blocks; ++rows) {
      }
    }
    aggregates.slot_count = blocks_of(rows);
    return aggregates.slot_count;
  }
  index_type words_needed() const
  {
    const unsigned count = aggregates.slot_count;
    return count == 1 ? no_words : static_cast<index_type>(block::exchange<T>::word_count(count));
  }
  void take(const launch_words& held)
  {
    aggregates.words = held.words();
    tag = held.first_tag();
  }

  // ---- device

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned warp_vectors = rows * simt::warp_threads;
    const unsigned block_first = ctx.block() * warps * warp_vectors;
    const unsigned first = block_first + ctx.warp() * warp_vectors;
    const unsigned behind = first < vectors() ? vectors() - first : 0;
    const unsigned left = behind < warp_vectors ? behind : warp_vectors;  // vectors that the warp has

    uninit<T> value[most_rows][neighbours];
    load(ctx, first, left, value);
    uninit<T> rest[1];  // an item of those that make no whole vector, in the first lanes
    load_rest(ctx, rest);
    uninit<T> below[most_rows];  // the fold of what is before the lane's items of a row, in its warp
    scan_rows(ctx, smem, left, value, below);
    ctx.sync_block();  // the warps' totals are written

    const bool is_active = ctx.lane() < warps && block_first + ctx.lane() * warp_vectors < vectors();
    const unsigned active_warps = simt::popcount(ctx.ballot(is_active));
    uninit<T> before = smem.warp_total[is_active ? ctx.lane() : 0];
    block::warp_inclusive_scan(ctx, before, active_warps, op);
    uninit<T> total = ctx.shfl(before, active_warps == 0 ? 0 : active_warps - 1);
    before = ctx.shfl(before, ctx.warp() == 0 ? 0 : ctx.warp() - 1);
    if (ctx.blocks() > 1) {
      if (ctx.warp() == 0) {
        exchange_with_other_blocks(ctx, smem, total);
      }
      ctx.sync_block();  // what is before the block is known
    }
    if (left > 0) {
      const bool exists = complete(ctx, smem, ctx.warp() > 0, before);
      write_rows(ctx, first, left, value, below, exists, before);
    }
    if constexpr (neighbours > 1) {
      write_rest(ctx, smem, active_warps > 0, total, rest);
    }
  }

private:
  /// With so many rows for each warp.
  unsigned blocks_of(unsigned warp_rows) const
  {
    const index_type items = warp_rows * block_row_items;
    const index_type blocks = (index_type{n} - n % neighbours + items - 1) / items;
    return blocks == 0 ? 1 : static_cast<unsigned>(blocks);
  }

  GIMBAL_DEVICE unsigned vectors() const { return n / neighbours; }

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, unsigned first, unsigned left, uninit<T> (&value)[most_rows][neighbours]) const
  {
    items_type items;
    if (ctx.lane() < left) {
      items.load(in + (first + ctx.lane()) * neighbours, left - ctx.lane());
    }
    GIMBAL_UNROLL
    for (unsigned r = 0; r < most_rows; ++r) {
      if (r * simt::warp_threads + ctx.lane() < left) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < neighbours; ++i) {
          value[r][i].set(static_cast<T>(items.get(in, r * neighbours + i).get()));
        }
      }
    }
  }

  // Scans the warp's rows, one after the other, and leaves their total in shared memory.
  template <class Context>
  GIMBAL_DEVICE void scan_rows(
    Context& ctx, shared& smem, unsigned left, const uninit<T> (&value)[most_rows][neighbours],
    uninit<T> (&below)[most_rows]) const
  {
    uninit<T> total;
    GIMBAL_UNROLL
    for (unsigned r = 0; r < most_rows; ++r) {
      if (r * simt::warp_threads >= left) {
        break;
      }
      const unsigned behind = left - r * simt::warp_threads;
      const unsigned active = behind < simt::warp_threads ? behind : simt::warp_threads;
      uninit<T> folded = value[r][0];
      if (neighbours > 1 && ctx.lane() < active) {
        folded = block::fold_items(neighbours, value[r], op);
      }
      block::warp_inclusive_scan(ctx, folded, active, op);
      const uninit<T> row_total = ctx.shfl(folded, active - 1);
      below[r] = ctx.shfl_up(folded, 1);
      if (r == 0) {
        total = row_total;
      } else {
        if (ctx.lane() < active) {
          below[r].set(ctx.lane() == 0 ? total.get() : op(total.get(), below[r].get()));
        }
        total.set(op(total.get(), row_total.get()));
      }
    }
    if (left > 0 && ctx.lane() == 0) {
      smem.warp_total[ctx.warp()] = total;
    }
  }

  // Posts the block's total and folds those of all blocks before it. By the first warp.
  template <class Context>
  GIMBAL_DEVICE void exchange_with_other_blocks(Context& ctx, shared& smem, const uninit<T>& total) const
  {
    if (ctx.lane() == 0 && ctx.block() + 1 < ctx.blocks()) {
      aggregates.write(ctx, ctx.block(), tag, total.get());
    }
    if (ctx.block() > 0) {
      const unsigned run = (ctx.block() + simt::warp_threads - 1) / simt::warp_threads;
      uninit<T> others;
      const bool has_others = aggregates.reduce_run(ctx, tag, ctx.lane() * run, run, ctx.block(), op, others);
      block::warp_fold(ctx, others, simt::popcount(ctx.ballot(has_others)), op);
      if (ctx.lane() == 0) {
        if constexpr (has_init) {
          others.set(op(init, others.get()));
        }
        smem.before = others;
      }
    }
  }

  // `before`, of this block's items, if it has any (`exists`), completed to all before; false if there are none.
  template <class Context>
  GIMBAL_DEVICE bool complete(Context& ctx, const shared& smem, bool exists, uninit<T>& before) const
  {
    if (ctx.block() > 0) {
      before.set(exists ? op(smem.before.get(), before.get()) : smem.before.get());
      return true;
    }
    if constexpr (has_init) {
      before.set(exists ? op(init, before.get()) : init);
      return true;
    } else {
      return exists;
    }
  }

  // `before` of the warp, if it `exists`.
  template <class Context>
  GIMBAL_DEVICE void write_rows(
    Context& ctx, unsigned first, unsigned left, uninit<T> (&value)[most_rows][neighbours],
    const uninit<T> (&below)[most_rows], bool exists, const uninit<T>& before) const
  {
    GIMBAL_UNROLL
    for (unsigned r = 0; r < most_rows; ++r) {
      const unsigned mine = r * simt::warp_threads + ctx.lane();
      if (r * simt::warp_threads >= left) {
        break;
      }
      if (mine < left) {
        uninit<T> running = before;
        if (mine > 0) {
          running.set(exists ? op(before.get(), below[r].get()) : below[r].get());
        }
        block::scan_items<Kind>(neighbours, exists || mine > 0, running, value[r], op);
        results::store(ctx, out, index_type{first + mine} * neighbours, value[r]);
      }
    }
  }

  // The items after all whole vectors are the last block's first warp's, one for each lane.
  template <class Context>
  GIMBAL_DEVICE unsigned rest_count(Context& ctx) const
  {
    return neighbours > 1 && ctx.block() + 1 == ctx.blocks() && ctx.warp() == 0 ? n % neighbours : 0;
  }
  template <class Context>
  GIMBAL_DEVICE void load_rest(Context& ctx, uninit<T> (&rest)[1]) const
  {
    if (ctx.lane() < rest_count(ctx)) {
      rest[0].set(block::load_as<T>(in + (n - n % neighbours + ctx.lane())));
    }
  }
  /// `total`: of the block's vectors, if it has any.
  template <class Context>
  GIMBAL_DEVICE void write_rest(
    Context& ctx, const shared& smem, bool has_total, uninit<T>& total, uninit<T> (&rest)[1]) const
  {
    const unsigned count = rest_count(ctx);
    if (count > 0) {
      bool exists = complete(ctx, smem, has_total, total);
      uninit<T> folded = rest[0];
      block::warp_inclusive_scan(ctx, folded, count, op);
      const uninit<T> lower = ctx.shfl_up(folded, 1);
      if (ctx.lane() < count) {
        if (ctx.lane() > 0) {
          total.set(exists ? op(total.get(), lower.get()) : lower.get());
          exists = true;
        }
        block::scan_items<Kind>(1, exists, total, rest, op);
        block::store_as(out + (n - count + ctx.lane()), rest[0].get());
      }
    }
  }
};

/// By the arguments of scan().
template <class Tuning, class Kind, class InputIt, class OutputIt, class Op, class Init>
using resident_scan_kernel_for = resident_scan_kernel<
  Tuning, Kind::value, accumulator_t<Op, InputIt, Init>, InputIt, OutputIt, Op,
  kernel_init_t<accumulator_t<Op, InputIt, Init>, Init>>;

}  // namespace algorithm

GIMBAL_NAMESPACE_END
