// Find if: the first item that a predicate holds for.
//
// Algorithm: blocks take tiles strided over the grid and test them, until they know of a match before their next tile.
//   The nearest match known anywhere is loaded by one thread of each block, beside its items. The others read it in
//   shared memory, without a barrier but for one after the first tile, as most matches that are found early are found
//   in some block's first tile. Blocks that start when others have ended load it before they read.
// Bytes moved: each item is read at most once; a tile or two per block are read after the first match was seen.
// Launches: one.
// Storage: 256 bytes (launch_plan.h) for the nearest match and a counter of finished blocks. The last block to
//   finish writes the answer, because the result may live in host memory, which is too far away to be read before each
//   tile.
// Determinism: the answer is a function of the input; how many items are read is not.
// Forward progress: none is assumed.
// Memory order: what is known of matches is relaxed, as to know less only costs time; the counter's acquire-release
//   increments make every block's matches visible to the last one.
#pragma once

#include <gimbal/grid/launch_plan.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/tuning.h>
#include <gimbal/workspace.h>

#include <cuda/functional>
#include <gimbal/collective/scan.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Find if. More blocks read more tiles after the first match; fewer leave memory idle: with these a call without a
/// match runs at the speed of a read. record: find_if. Other sizes untuned.
template <std::size_t ValueBytes>
struct find_if {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = items_for_bytes(64, ValueBytes, 16);
  static constexpr unsigned blocks = multiprocessors * 16;
  static constexpr unsigned first_blocks = multiprocessors * 8;  // that start at once
};

}  // namespace tuning

namespace algorithm {

template <class InputIt, class Predicate, class OutputIt, class Tuning>
struct find_if_kernel {
  static constexpr const char* step = "launch of find_if_kernel";
  static constexpr const char* clearing = "clearing of the counters of find_if";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr index_type tile_items = index_type{block_threads} * Tuning::items_per_thread;

  /// Of a match at item i, n - i: the nearer to the first item, the greater. 0: none.
  using nearness = index_type;

  struct progress {
    nearness nearest;
    unsigned finished_blocks;
  };

  struct shared {
    nearness nearest;  // found by this block, or read from others
    bool has_to_read;
  };

  InputIt in;
  index_type n;
  Predicate predicate;
  OutputIt out;
  progress* global;

  index_type blocks() const
  {
    const index_type tiles = n == 0 ? 1 : gimbal::tiles_of(n, tile_items);  // a block finds nothing among no items
    return tiles < index_type{Tuning::blocks} ? tiles : index_type{Tuning::blocks};
  }
  index_type words_needed() const { return 0; }
  void take(const launch_words& words) { global = words.template counters<progress>(); }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const index_type first = ctx.block() * tile_items;
    if (ctx.thread() == 0) {
      const bool asks = ctx.block() >= Tuning::first_blocks;
      smem.nearest = asks ? ctx.atomic(global->nearest).load(::cuda::std::memory_order_relaxed) : 0;
      smem.has_to_read = n - first > smem.nearest;
    }
    ctx.sync_block();  // both are written
    if (smem.has_to_read) {
      search_tile(ctx, smem, first);
      ctx.sync_block();  // all hear of matches now, and of later tiles' a tile later
      const index_type stride = tile_items * ctx.blocks();
      for (index_type base = first + stride; base < n && n - base > known_to_warp(ctx, smem); base += stride) {
        search_tile(ctx, smem, base);
      }
    }
    ctx.sync_block();  // what the whole block has found comes before its count
    if (ctx.thread() == 0) {
      finish(ctx);
    }
  }

private:
  /// One lane loads, so that the warp stays together.
  template <class Context>
  GIMBAL_DEVICE nearness known_to_warp(Context& ctx, shared& smem) const
  {
    nearness nearest = 0;
    if (ctx.lane() == 0) {
      nearest = ctx.atomic_shared(smem.nearest).load(::cuda::std::memory_order_relaxed);
    }
    return ctx.shfl(nearest, 0);
  }

  template <class Context>
  GIMBAL_DEVICE void search_tile(Context& ctx, shared& smem, index_type base) const
  {
    // Asked for beside the items, by one thread for the block.
    const nearness elsewhere =
      ctx.thread() == 0 ? ctx.atomic(global->nearest).load(::cuda::std::memory_order_relaxed) : 0;
    const nearness own = nearest_in_tile(ctx, base);
    const nearness nearest = elsewhere > own ? elsewhere : own;
    if (ctx.ballot(nearest != 0) == 0) {
      return;
    }
    uninit<nearness> of_warp;
    of_warp.set(nearest);
    block::warp_fold(ctx, of_warp, simt::warp_threads, ::cuda::maximum<nearness>{});
    if (ctx.lane() == 0) {
      const nearness known =
        ctx.atomic_shared(smem.nearest).fetch_max(of_warp.get(), ::cuda::std::memory_order_relaxed);
      if (of_warp.get() > known) {
        ctx.atomic(global->nearest).fetch_max(of_warp.get(), ::cuda::std::memory_order_relaxed);
      }
    }
  }

  /// Among the thread's items, which come in their order.
  template <class Context>
  GIMBAL_DEVICE nearness nearest_in_tile(Context& ctx, index_type base) const
  {
    Predicate holds = predicate;
    const index_type begin = base + ctx.thread();
    const InputIt mine = in + begin;
    const unsigned left = static_cast<unsigned>(n - base < tile_items ? n - base : tile_items);
    unsigned found = ~0u;
    if (left == tile_items) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Tuning::items_per_thread; ++i) {
        if (static_cast<bool>(holds(mine[i * block_threads])) && found == ~0u) {
          found = i * block_threads;
        }
      }
    } else {
      for (unsigned i = 0; ctx.thread() + i < left && found == ~0u; i += block_threads) {
        if (static_cast<bool>(holds(mine[i]))) {
          found = i;
        }
      }
    }
    return found == ~0u ? 0 : n - (begin + found);
  }

  template <class Context>
  GIMBAL_DEVICE void finish(Context& ctx) const
  {
    const unsigned before = ctx.atomic(global->finished_blocks).fetch_add(1u, ::cuda::std::memory_order_acq_rel);
    if (before + 1 == ctx.blocks()) {
      const nearness nearest = ctx.atomic(global->nearest).load(::cuda::std::memory_order_relaxed);
      // Nobody reads it after the last one; the next launch on the stream starts from zero again.
      ctx.atomic(global->nearest).store(0, ::cuda::std::memory_order_relaxed);
      ctx.atomic(global->finished_blocks).store(0u, ::cuda::std::memory_order_relaxed);
      block::store_as(out, n - nearest);
    }
  }
};

/// The arguments are those of find_if().
template <class Tuning = void, class InputIt, class Predicate, class OutputIt>
auto find_if_plan(InputIt in, index_type n, Predicate predicate, OutputIt out)
{
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::find_if<sizeof(value_type_of<InputIt>)>, Tuning>;
  using kernel_type = find_if_kernel<InputIt, Predicate, OutputIt, chosen>;

  return gimbal::plan_of(kernel_row<kernel_type>(true, {in, n, predicate, out, nullptr}));
}

/// `*out` = the least i of [0, n) for which `predicate(in[i])` holds, or n. `out` is device-accessible and takes
/// index_type.
template <class Tuning = void, class InputIt, class Predicate, class OutputIt>
status find_if(
  const temporary_storage& storage, std::size_t& storage_bytes, InputIt in, index_type n, Predicate predicate,
  OutputIt out, simt::stream_type stream)
{
  return algorithm::find_if_plan<Tuning>(in, n, predicate, out).run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
