// What the rungs of the ladder share: sizes of grids, and the way a rung is written.
//
// A rung is a struct with a `name` and a static `run(storage, storage_bytes, ..., n, ..., stream)` in two phases, as
// every entry of the backend: without storage it stores the bytes it needs, with storage it enqueues the work. Rungs
// are right for every n from 0 and for every alignment of their pointers. They are classical kernels, written to be
// measured and read, not to be used: the shapes below are the ones of their day, and nobody tuned them.
#pragma once

#include <gimbal/workspace.h>

namespace ladder {

using gimbal::index_type;
using gimbal::status;
namespace simt = gimbal::simt;
namespace order = ::cuda::std;  // memory_order_*

/// Threads of a block and, where a grid is fixed, the number of its blocks.
template <unsigned Threads, unsigned Blocks>
struct shape {
  static_assert(Threads % simt::warp_threads == 0, "whole warps");
  static constexpr unsigned threads = Threads;
  static constexpr unsigned blocks = Blocks;
};
using classical_shape = shape<256, 1056>;

constexpr index_type ceil_div(index_type a, index_type b) { return (a + b - 1) / b; }

/// A grid of at least one block with `items` items for each.
constexpr index_type grid_for(index_type n, index_type items) { return n == 0 ? 1 : ceil_div(n, items); }

/// The same, with at most `most` blocks.
constexpr index_type bounded_grid(index_type n, index_type items, index_type most)
{
  const index_type wanted = grid_for(n, items);
  return wanted < most ? wanted : most;
}

/// Smallest k with 2^k >= n.
constexpr unsigned ceil_log2(index_type n)
{
  unsigned k = 0;
  while ((index_type{1} << k) < n) {
    ++k;
  }
  return k;
}

/// The largest power of two that is not above `n`.
GIMBAL_HOST_DEVICE constexpr unsigned floor_power(unsigned n)
{
  unsigned p = 1;
  while (2 * p <= n) {
    p *= 2;
  }
  return p;
}

inline void add_arrays(gimbal::storage_layout&) {}
template <class T, class... Rest>
void add_arrays(gimbal::storage_layout& layout, T** array, index_type items, Rest... rest)
{
  layout.add(array, static_cast<std::size_t>(items));
  add_arrays(layout, rest...);
}

/// The end of a rung's first phase, or of a call with too little storage.
struct placement {
  bool is_done;
  status state;
};
/// Points arrays, each followed by its number of items, into a rung's storage. Not done if there is none or too little.
template <class... ArraysAndItems>
placement place(void* storage, std::size_t& bytes, ArraysAndItems... arrays)
{
  gimbal::storage_layout layout;
  add_arrays(layout, arrays...);
  status state;
  const bool is_done = layout.place(storage, bytes, state);
  return {is_done, state};
}

/// Position of this thread among all threads of the grid.
template <class Context>
GIMBAL_DEVICE index_type global_thread(Context& ctx)
{
  return index_type{ctx.block()} * Context::block_threads + ctx.thread();
}

/// How many threads the grid has.
template <class Context>
GIMBAL_DEVICE index_type all_threads(Context& ctx)
{
  return index_type{ctx.blocks()} * Context::block_threads;
}

/// `at(i)` for each of a tile's positions, by all threads of a block.
template <unsigned Tile, class Context, class At>
GIMBAL_DEVICE void for_each_of_tile(Context& ctx, At at)
{
  for (unsigned i = ctx.thread(); i < Tile; i += Context::block_threads) {
    at(i);
  }
}

// What a rung does at each position is a lambda beside its launch.
#ifdef __CUDACC__
#define LADDER_LAMBDA __device__
#else
#define LADDER_LAMBDA
#endif

/// A kernel without shared memory that does one thing at each position: `at(ctx, i)`.
template <class At>
struct each_kernel {
  static constexpr unsigned block_threads = 256;
  struct shared {};

  At at;
  index_type n;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    for (index_type i = global_thread(ctx); i < n; i += all_threads(ctx)) {
      at(ctx, i);
    }
  }
};

/// One thread for each position. Nothing is launched for no positions.
template <class At>
status for_each_position(index_type n, simt::stream_type stream, const char* step, const At& at)
{
  if (n == 0) {
    return {};
  }
  const each_kernel<At> kernel{at, n};
  return simt::launch(kernel, bounded_grid(n, kernel.block_threads, 0x7fffffff), stream, step);
}

}  // namespace ladder
