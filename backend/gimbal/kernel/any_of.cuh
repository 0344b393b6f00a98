// Any of: whether a predicate holds for at least one item.
//
// Algorithm: blocks take tiles strided over the grid and test them; a thread that finds an item sets a flag, for which
//   one thread of each block asks beside its items. The others learn of it in shared memory, without a barrier but for one
//   behind the first tile, as most matches that are found early are found in some block's first tile. Blocks that start
//   when others have ended ask before they read.
// Bytes moved: each item is read at most once; a tile or two per block are read after the first match was seen.
// Launches: one.
// Storage: none of the call's; the flag and a counter of finished blocks live in memory that is retained for the stream
//   (launch_scratch), or for streams that can have none in the pool, and then a fill of 256 bytes. The last block to
//   finish writes the answer, because the result may live in host memory, which is too far away to be asked before each
//   tile.
// Determinism: the answer is a function of the input; how many items are read is not.
// Forward progress: none is assumed.
// Memory order: both flags are relaxed, as a stale one only costs time; the counter's acquire-release increments make
//   every block's flag visible to the last one.
#pragma once

#include <gimbal/block/accumulator.h>
#include <gimbal/retained_words.h>
#include <gimbal/tuning.h>
#include <gimbal/workspace.h>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

template <class InputIt, class Predicate, class OutputIt, class Tuning>
struct any_of_kernel {
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr index_type tile_items = index_type{block_threads} * Tuning::items_per_thread;

  struct flags {
    int is_found;
    unsigned finished_blocks;
  };

  struct shared {
    unsigned is_found;  // by this block, or heard of
    int was_found;      // before the block began
  };

  InputIt in;
  index_type n;
  Predicate predicate;
  OutputIt out;
  flags* global;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const auto is_found_anywhere = ctx.atomic(global->is_found);
    if (ctx.thread() == 0) {
      smem.is_found = 0;
      smem.was_found =
        ctx.block() < Tuning::first_blocks ? 0 : is_found_anywhere.load(::cuda::std::memory_order_relaxed);
    }
    ctx.sync_block();  // both are written
    if (smem.was_found == 0) {
      const auto is_found_here = ctx.atomic_shared(smem.is_found);
      const index_type first = ctx.block() * tile_items;
      for (index_type base = first; base < n; base += tile_items * ctx.blocks()) {
        if (base != first && is_found_here.load(::cuda::std::memory_order_relaxed) != 0) {
          break;
        }
        // Asked for beside the items, by one thread for the block.
        const int heard = ctx.thread() == 0 ? is_found_anywhere.load(::cuda::std::memory_order_relaxed) : 0;
        if (holds_in_tile(ctx, base)) {
          is_found_anywhere.store(1, ::cuda::std::memory_order_relaxed);
          is_found_here.store(1, ::cuda::std::memory_order_relaxed);
        } else if (heard != 0) {
          is_found_here.store(1, ::cuda::std::memory_order_relaxed);
        }
        if (base == first) {
          ctx.sync_block();  // all hear of it now, and of later tiles a tile later
        }
      }
    }
    ctx.sync_block();  // the whole block's stores to the flag come before its count
    if (ctx.thread() == 0) {
      const unsigned before = ctx.atomic(global->finished_blocks).fetch_add(1u, ::cuda::std::memory_order_acq_rel);
      if (before + 1 == ctx.blocks()) {
        const int is_found = ctx.atomic(global->is_found).load(::cuda::std::memory_order_relaxed);
        // Nobody asks after the last one; the next launch on the stream starts from zero again.
        ctx.atomic(global->is_found).store(0, ::cuda::std::memory_order_relaxed);
        ctx.atomic(global->finished_blocks).store(0u, ::cuda::std::memory_order_relaxed);
        *out = is_found;
      }
    }
  }

private:
  template <class Context>
  GIMBAL_DEVICE bool holds_in_tile(Context& ctx, index_type base) const
  {
    Predicate holds = predicate;
    bool is_found = false;
    const InputIt mine = in + (base + ctx.thread());
    const unsigned left = static_cast<unsigned>(n - base < tile_items ? n - base : tile_items);
    if (left == tile_items) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Tuning::items_per_thread; ++i) {
        is_found |= static_cast<bool>(holds(mine[i * block_threads]));
      }
    } else {
      for (unsigned i = ctx.thread(); i < left; i += block_threads) {
        is_found |= static_cast<bool>(holds(mine[i - ctx.thread()]));
      }
    }
    return is_found;
  }
};

/// Writes 0: the answer for no items at all.
template <class OutputIt>
struct any_of_nothing_kernel {
  static constexpr unsigned block_threads = 32;
  struct shared {};

  OutputIt out;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    if (ctx.thread() == 0) {
      *out = 0;
    }
  }
};

/// `*out = 1` if `predicate(in[i])` for some i in [0, n), else 0. `out` is device-accessible.
template <class Tuning = void, class InputIt, class Predicate, class OutputIt>
status any_of(
  void* storage, std::size_t& storage_bytes, InputIt in, index_type n, Predicate predicate, OutputIt out,
  simt::stream_type stream)
{
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::any_of<sizeof(value_type_of<InputIt>)>, Tuning>;
  using kernel_type = any_of_kernel<InputIt, Predicate, OutputIt, chosen>;

  kernel_type kernel{in, n, predicate, out, nullptr};
  status state;
  if (!storage_layout{}.place(storage, storage_bytes, state)) {
    return state;
  }

  if (n == 0) {
    return simt::launch(any_of_nothing_kernel<OutputIt>{out}, 1, stream, "launch of any_of_nothing_kernel");
  }
  launch_scratch scratch;
  GIMBAL_TRY(scratch.take(stream, 0));
  kernel.global = scratch.template head<typename kernel_type::flags>();
  const index_type tiles = (n + kernel_type::tile_items - 1) / kernel_type::tile_items;
  const index_type blocks = tiles < index_type{chosen::blocks} ? tiles : index_type{chosen::blocks};
  return simt::launch(kernel, blocks, stream, "launch of any_of_kernel");
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
