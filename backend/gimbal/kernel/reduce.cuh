// Reduce: x0 op x1 op ... op x(n-1) in one launch.
//
// Algorithm: every block folds its share of the input into one partial result; the block that finishes last folds the
// partial results (the "last block" scheme of Harris' reduction series, without atomics on values).
// Bytes moved: each item is read once. Launches: one.
// Storage: none of the call's. One accumulator per block, at most tuning's `blocks`, and a 4-byte counter lie in memory
// retained for the stream (launch_scratch); for streams that can have none, in the pool, with a fill of 256 bytes.
// Operator: associative. Operators known to be commutative (plus, min, ... on arithmetic types) read whole vectors and
// combine items strided; all others combine every item in order.
// Determinism: the tree is a function of n and the types alone: shares, lanes and partial results are combined in fixed
// positions, whatever the timing, the device or the pointer's alignment. Floating-point results are the same bits in
// every run. Forward progress: none is assumed; no block waits for another. Memory order: a block writes its partial
// result, then increments the counter (acquire-release). The increments form one release sequence, so the block that
// reads the last count sees all partial results.
#pragma once

#include <gimbal/block/accumulator.h>
#include <gimbal/retained_words.h>
#include <gimbal/tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/block/scan.cuh>
#include <gimbal/block/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// The share of one block in a commutative reduce: whole tiles, strided over the grid. Each thread reads `vector_items`
/// neighbours at a time and folds all it reads into one value.
template <class T, class InputIt, class Op, class Tuning>
struct strided_share {
  using value_type = value_type_of<InputIt>;

  static constexpr bool is_contiguous = ::cuda::std::is_pointer<InputIt>::value;
  static constexpr unsigned vector_bytes = 16;
  static constexpr unsigned vector_items =
    is_contiguous && sizeof(value_type) < vector_bytes ? vector_bytes / sizeof(value_type) : 1;
  static constexpr unsigned vectors = (Tuning::items_per_thread + vector_items - 1) / vector_items;
  static constexpr unsigned items = vectors * vector_items;
  static constexpr index_type tile_items = index_type{items} * Tuning::block_threads;

  struct shared {};

  /// Blocks that have work, at most `most`.
  static index_type blocks(index_type n, index_type most)
  {
    const index_type tiles = (n + tile_items - 1) / tile_items;
    return tiles < most ? tiles : most;
  }

  /// Folds the block's share; returns the number of lanes of this warp, the first ones, whose `folded` holds a value.
  template <class Context>
  static GIMBAL_DEVICE unsigned fold(Context& ctx, shared&, InputIt in, index_type n, Op op, uninit<T>& folded)
  {
    const index_type first = ctx.block() * tile_items;
    bool has_value = false;
    for (index_type base = first; base < n; base += tile_items * ctx.blocks()) {
      const unsigned valid = static_cast<unsigned>(n - base < tile_items ? n - base : tile_items);
      has_value |= fold_tile(ctx, in + base, valid, op, folded, has_value);
    }
    // Items fill the first row of vectors before any other, so the threads that got any are the first ones.
    const index_type first_tile = n - first < tile_items ? n - first : tile_items;
    const unsigned threads = static_cast<unsigned>((first_tile + vector_items - 1) / vector_items);
    const unsigned below = ctx.warp() * simt::warp_threads;
    return threads <= below ? 0 : threads - below < simt::warp_threads ? threads - below : simt::warp_threads;
  }

private:
  // Folds this thread's items of one tile onto `folded`; true if there were any.
  template <class Context>
  static GIMBAL_DEVICE bool fold_tile(
    Context& ctx, InputIt in, unsigned valid, Op op, uninit<T>& folded, bool has_value)
  {
    uninit<value_type> item[items];
    const bool is_full = valid == tile_items;
    GIMBAL_UNROLL
    for (unsigned v = 0; v < vectors; ++v) {
      const unsigned first = (v * Tuning::block_threads + ctx.thread()) * vector_items;
      load_vector(in, first, valid, is_full, &item[v * vector_items]);
    }
    if (ctx.thread() * vector_items >= valid) {
      return false;
    }
    uninit<T> tile;
    tile.set(static_cast<T>(item[0].get()));
    GIMBAL_UNROLL
    for (unsigned i = 1; i < items; ++i) {
      const unsigned position =
        (i / vector_items * Tuning::block_threads + ctx.thread()) * vector_items + i % vector_items;
      if (is_full || position < valid) {
        tile.set(static_cast<T>(op(tile.get(), item[i].get())));
      }
    }
    folded.set(has_value ? static_cast<T>(op(folded.get(), tile.get())) : tile.get());
    return true;
  }

  // One 16-byte access where the address allows it; the same items one by one where not.
  static GIMBAL_DEVICE void load_vector(
    InputIt in, unsigned first, unsigned valid, bool is_full, uninit<value_type>* item)
  {
    if constexpr (is_contiguous && vector_items > 1) {
      struct alignas(vector_bytes) vector {
        uninit<value_type> item[vector_items];
      };
      const bool is_aligned = reinterpret_cast<std::uintptr_t>(in) % vector_bytes == 0;
      if (is_aligned && (is_full || first + vector_items <= valid)) {
        const vector whole = *reinterpret_cast<const vector*>(in + first);
        GIMBAL_UNROLL
        for (unsigned i = 0; i < vector_items; ++i) {
          item[i] = whole.item[i];
        }
        return;
      }
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < vector_items; ++i) {
      if (is_full || first + i < valid) {
        item[i].set(block::load_as<value_type>(in + first + i));
      }
    }
  }
};

/// The share of one block in a reduce whose operator need not commute: each warp takes a run of neighbouring tiles of
/// its own and folds them from left to right.
template <class T, class InputIt, class Op, class Tuning>
struct ordered_share {
  using value_type = value_type_of<InputIt>;

  static constexpr unsigned warps = Tuning::block_threads / simt::warp_threads;
  static constexpr unsigned items = Tuning::items_per_thread | 1;  // odd: blocked reads hit distinct banks
  static constexpr index_type tile_items = index_type{items} * simt::warp_threads;

  struct shared {
    uninit<value_type> item[warps][items * simt::warp_threads];
  };

  static GIMBAL_HOST_DEVICE index_type tiles_per_warp(index_type n, index_type blocks)
  {
    const index_type tiles = (n + tile_items - 1) / tile_items;
    const index_type all_warps = blocks * warps;
    return (tiles + all_warps - 1) / all_warps;
  }

  static index_type blocks(index_type n, index_type most)
  {
    const index_type tiles = (n + tile_items - 1) / tile_items;
    const index_type wanted = (tiles + warps - 1) / warps < most ? (tiles + warps - 1) / warps : most;
    const index_type per_block = tiles_per_warp(n, wanted) * warps;
    return (tiles + per_block - 1) / per_block;  // rounding up may leave the last blocks without work
  }

  template <class Context>
  static GIMBAL_DEVICE unsigned fold(Context& ctx, shared& smem, InputIt in, index_type n, Op op, uninit<T>& folded)
  {
    const index_type run = tiles_per_warp(n, ctx.blocks()) * tile_items;
    const index_type first = (index_type{ctx.block()} * warps + ctx.warp()) * run;
    const index_type end = first + run < n ? first + run : n;
    uninit<value_type>* const item = smem.item[ctx.warp()];
    for (index_type base = first; base < end; base += tile_items) {
      const unsigned valid = static_cast<unsigned>(end - base < tile_items ? end - base : tile_items);
      for (unsigned i = ctx.lane(); i < valid; i += simt::warp_threads) {
        item[i].set(block::load_as<value_type>(in + base + i));
      }
      ctx.sync_warp();  // the tile is in shared memory
      const unsigned lanes = (valid + items - 1) / items;
      uninit<T> tile;
      if (ctx.lane() < lanes) {
        tile.set(static_cast<T>(item[ctx.lane() * items].get()));
        GIMBAL_UNROLL
        for (unsigned i = 1; i < items; ++i) {
          const unsigned position = ctx.lane() * items + i;
          if (position < valid) {
            tile.set(static_cast<T>(op(tile.get(), item[position].get())));
          }
        }
      }
      block::warp_fold(ctx, tile, lanes, op);
      if (ctx.lane() == 0) {
        folded.set(base == first ? tile.get() : static_cast<T>(op(folded.get(), tile.get())));
      }
      ctx.sync_warp();  // all lanes have read: the next tile may overwrite
    }
    return first < end ? 1 : 0;
  }
};

template <class T, class InputIt, class OutputIt, class Op, class Init, class Tuning>
struct reduce_kernel {
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr bool is_strided = is_commutative_v<Op, T, value_type_of<InputIt>>;

  using share = ::cuda::std::conditional_t<
    is_strided, strided_share<T, InputIt, Op, Tuning>, ordered_share<T, InputIt, Op, Tuning>>;

  struct shared {
    typename share::shared own;
    uninit<T> warp_partial[warps];
    uninit<T> warp_last[warps];
    unsigned char warp_has_partial[warps];
    bool is_last_block;
  };

  InputIt in;
  index_type n;
  OutputIt out;
  Op op;
  Init init;
  uninit<T>* partials;        // one per block; unused by a single block
  unsigned* finished_blocks;  // zero at launch and at the end; unused by a single block

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    uninit<T> value;
    const unsigned lanes = share::fold(ctx, smem.own, in, n, op, value);
    block::warp_fold(ctx, value, lanes, op);
    if (ctx.lane() == 0) {
      smem.warp_partial[ctx.warp()] = value;
      smem.warp_has_partial[ctx.warp()] = lanes > 0;
    }
    ctx.sync_block();  // every warp's partial result is written
    if (ctx.thread() == 0) {
      fold_warps(smem, value);
    }
    if (ctx.blocks() == 1) {
      if (ctx.thread() == 0) {
        write_result(value);
      }
      return;
    }

    if (ctx.thread() == 0) {
      smem.is_last_block = hand_in(ctx, value);
    }
    ctx.sync_block();  // is_last_block is written, and with it the other blocks' partial results are visible
    if (!smem.is_last_block) {
      return;
    }

    const unsigned threads = fold_partials(ctx, value);
    const unsigned below = ctx.warp() * simt::warp_threads;
    const unsigned last_lanes = threads <= below                       ? 0
                                : threads - below < simt::warp_threads ? threads - below
                                                                       : simt::warp_threads;
    block::warp_fold(ctx, value, last_lanes, op);
    if (ctx.lane() == 0 && last_lanes > 0) {
      smem.warp_last[ctx.warp()] = value;
    }
    ctx.sync_block();  // every warp's fold of partial results is written
    if (ctx.thread() == 0) {
      Op combine = op;
      for (unsigned w = 1; w * simt::warp_threads < threads; ++w) {
        value.set(static_cast<T>(combine(value.get(), smem.warp_last[w].get())));
      }
      write_result(value);
    }
  }

private:
  // The warps with a partial result are the first ones.
  GIMBAL_DEVICE void fold_warps(const shared& smem, uninit<T>& value) const
  {
    Op combine = op;
    for (unsigned w = 1; w < warps && smem.warp_has_partial[w]; ++w) {
      value.set(static_cast<T>(combine(value.get(), smem.warp_partial[w].get())));
    }
  }

  template <class Context>
  GIMBAL_DEVICE bool hand_in(Context& ctx, const uninit<T>& value) const
  {
    partials[ctx.block()] = value;
    const unsigned before = ctx.atomic(*finished_blocks).fetch_add(1u, ::cuda::std::memory_order_acq_rel);
    const bool is_last = before + 1 == ctx.blocks();
    if (is_last) {
      // Nobody counts after the last one; the next launch on the stream starts from zero again.
      ctx.atomic(*finished_blocks).store(0u, ::cuda::std::memory_order_relaxed);
    }
    return is_last;
  }

  // Each thread folds a run of neighbouring partial results; returns how many threads, the first ones, had any.
  template <class Context>
  GIMBAL_DEVICE unsigned fold_partials(Context& ctx, uninit<T>& value) const
  {
    Op combine = op;
    const unsigned run = (ctx.blocks() + block_threads - 1) / block_threads;
    const unsigned first = ctx.thread() * run;
    for (unsigned p = first; p < first + run && p < ctx.blocks(); ++p) {
      value.set(p == first ? partials[p].get() : static_cast<T>(combine(value.get(), partials[p].get())));
    }
    return (ctx.blocks() + run - 1) / run;
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
  using T = accumulator_t<Op, InputIt, Init>;
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::reduce<sizeof(value_type_of<InputIt>)>, Tuning>;
  using kernel_type = reduce_kernel<T, InputIt, OutputIt, Op, Init, chosen>;

  const index_type blocks = n > 0 ? kernel_type::share::blocks(n, chosen::blocks) : 0;
  kernel_type kernel{in, n, out, op, init, nullptr, nullptr};
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
  launch_scratch scratch;
  if (blocks > 1) {
    GIMBAL_TRY(scratch.take(stream, blocks * sizeof(uninit<T>)));
    kernel.finished_blocks = scratch.template head<unsigned>();
    kernel.partials = scratch.template body<uninit<T>>();
  }
  return simt::launch(kernel, blocks, stream, "launch of reduce_kernel");
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
