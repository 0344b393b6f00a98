// Reductions in two passes, by atomic additions, and by ticket: how the partial results of blocks come together.
//
// After the forms in Wilt, "The CUDA Handbook" (2013), chapter 12. All read the input in the same way, a fixed grid
// striding over it, and differ in what follows:
//
//   two-pass        every block writes its partial result; a second launch of one block sums these
//   atomic threads  every thread adds what it has to the result: no tree, as many atomic additions as threads
//   atomic blocks   every block adds its partial result to the result: one atomic addition per block
//   ticket          every block writes its partial result and takes a ticket; who gets the last one sums these
//
// Blocks sum by the tree of v4 (reduction.cuh: last_warp_tree), for any number of whole warps.
// Bytes moved: each item is read once. Launches: two-pass 2; atomic 1 and a fill of 4 bytes; ticket 1 and a fill of 4
// bytes. Types: the atomic rungs take integers alone, since the order of their additions is nobody's choice. Memory
// order: the atomic additions carry everything themselves and are relaxed. The ticket is an acquire-release increment:
// a block writes its partial result before it takes one, and whoever takes the last sees all of them; the block's other
// threads see them by the barrier after it.
#pragma once

#include <perf/ladder/reduction.cuh>

namespace ladder {

template <class T, unsigned Threads>
struct atomic_threads_kernel {
  static constexpr unsigned block_threads = Threads;
  struct shared {};

  const T* in;
  index_type n;
  T* out;  // zero at launch

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.atomic(*out).fetch_add(load_strided<T, Threads>::sum(ctx, in, n), order::memory_order_relaxed);
  }
};

template <class T, unsigned Threads>
struct atomic_blocks_kernel {
  static constexpr unsigned block_threads = Threads;
  using tree = last_warp_tree<T, Threads>;
  using shared = typename tree::shared;

  const T* in;
  index_type n;
  T* out;  // zero at launch

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const T sum = tree::fold(ctx, smem, load_strided<T, Threads>::sum(ctx, in, n));
    if (ctx.thread() == 0) {
      ctx.atomic(*out).fetch_add(sum, order::memory_order_relaxed);
    }
  }
};

template <class T, unsigned Threads>
struct ticket_kernel {
  static constexpr unsigned block_threads = Threads;
  using tree = last_warp_tree<T, Threads>;
  struct shared {
    typename tree::shared sums;
    bool is_last_block;
  };

  const T* in;
  index_type n;
  T* out;
  T* partials;       // one per block
  unsigned* ticket;  // zero at launch

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const T sum = tree::fold(ctx, smem.sums, load_strided<T, Threads>::sum(ctx, in, n));
    if (ctx.thread() == 0) {
      smem.is_last_block = hand_in(ctx, sum);
    }
    ctx.sync_block();  // is_last_block is written, the tree's memory is free, and all partial results are visible
    if (!smem.is_last_block) {
      return;
    }
    T all{};
    for (unsigned p = ctx.thread(); p < ctx.blocks(); p += Threads) {
      all += partials[p];
    }
    all = tree::fold(ctx, smem.sums, all);
    if (ctx.thread() == 0) {
      *out = all;
    }
  }

private:
  template <class Context>
  GIMBAL_DEVICE bool hand_in(Context& ctx, T sum) const
  {
    partials[ctx.block()] = sum;
    return ctx.atomic(*ticket).fetch_add(1u, order::memory_order_acq_rel) + 1 == ctx.blocks();
  }
};

/// Clears the result and launches a kernel that adds to it. No storage.
template <class Shape, template <class, unsigned> class Kernel>
struct atomic_rung {
  template <class T>
  static status run(void* storage, std::size_t& bytes, const T* in, index_type n, T* out, simt::stream_type stream)
  {
    static_assert(std::is_integral<T>::value, "the order of atomic additions is not fixed");
    if (const placement at = place(storage, bytes); !at.is_done) {
      return at.state;
    }
    GIMBAL_TRY(simt::fill_bytes(out, 0, sizeof(T), stream, "clearing of the result"));
    const Kernel<T, Shape::threads> kernel{in, n, out};
    return simt::launch(kernel, bounded_grid(n, Shape::threads, Shape::blocks), stream, "atomic reduction");
  }
};

// The rungs.

/// By a fixed grid, whose second pass is one block.
template <class Shape = classical_shape>
struct two_pass : reduction_rung<Shape, load_strided, last_warp_tree, true> {
  static constexpr const char* name = "two-pass";
};
template <class Shape = classical_shape>
struct atomic_each_thread : atomic_rung<Shape, atomic_threads_kernel> {
  static constexpr const char* name = "atomic, every thread";
};
template <class Shape = classical_shape>
struct atomic_each_block : atomic_rung<Shape, atomic_blocks_kernel> {
  static constexpr const char* name = "atomic, every block";
};
template <class Shape = classical_shape>
struct ticket {
  static constexpr const char* name = "ticket";

  template <class T>
  static status run(void* storage, std::size_t& bytes, const T* in, index_type n, T* out, simt::stream_type stream)
  {
    const index_type blocks = bounded_grid(n, Shape::threads, Shape::blocks);
    ticket_kernel<T, Shape::threads> kernel{in, n, out, nullptr, nullptr};
    if (const placement at = place(storage, bytes, &kernel.partials, blocks, &kernel.ticket, 1); !at.is_done) {
      return at.state;
    }
    GIMBAL_TRY(simt::fill_bytes(kernel.ticket, 0, sizeof(unsigned), stream, "clearing of the ticket"));
    return simt::launch(kernel, blocks, stream, "reduction by ticket");
  }
};

}  // namespace ladder
