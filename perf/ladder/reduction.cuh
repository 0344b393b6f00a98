// The eight steps of the reduction ladder, v0 to v7: sums of n items, each rung one change away from the one below it.
//
// After Harris, "Optimizing parallel reduction in CUDA" (2007), and its retellings. A rung is a way to load and a way
// to fold a block's values (a tree):
//
//   v0 interleaved, divergent      in global memory; of 2d threads the first adds
//   v1 interleaved, strided        shared memory; thread t adds at 2dt: whole warps work or rest, banks collide
//   v2 sequential                  thread t adds at t + d: no collisions
//   v3 first add on load           each thread loads two items: no half of a block idles from the start
//   v4 last warp unrolled          no block barrier once one warp is left
//   v5 completely unrolled         the number of threads is a constant, and so is every step
//   v6 many items per thread       a fixed grid strides over the input
//   v7 shuffles and vectors        registers instead of shared memory, 16 bytes a load
//
// Bytes moved: each item is read once (v0 also writes and reads back in place), partial results of a block are read by
// the next pass. Launches: as many as it takes to come down to one block; a fixed grid needs two. No thread relies on
// others of its warp being in step: where one warp is left, sync_warp stands between a write and the read of it.
// The order of additions depends on n and the shape alone.
#pragma once

#include <perf/ladder/rung.h>

namespace ladder {

// ---- trees: the sum of one value per thread, for thread 0; what other threads get is of no use. `shared` may be used
// anew after a block barrier.

/// Thread t of the first d adds the value d further on: neighbours touch neighbouring words, whatever d.
template <class T, class Context>
GIMBAL_DEVICE void halve(Context& ctx, T* sum, unsigned d)
{
  if (ctx.thread() < d) {
    sum[ctx.thread()] += sum[ctx.thread() + d];
  }
}

/// The last 2 * 32 of `Power` values, by the first warp alone.
template <unsigned Power, class T, class Context>
GIMBAL_DEVICE void halve_in_warp(Context& ctx, T* sum)
{
  if (ctx.warp() != 0) {
    return;
  }
  GIMBAL_UNROLL
  for (unsigned d = Power > simt::warp_threads ? simt::warp_threads : simt::warp_threads / 2; d > 0; d /= 2) {
    halve(ctx, sum, d);
    ctx.sync_warp();  // d sums are left; lanes need not be in step
  }
}

/// `Steps::run<Power>(ctx, sum)` sums a power of two of values; those beyond it are folded onto the front first.
template <class T, unsigned Threads, class Steps>
struct stepwise_tree {
  struct shared {
    T sum[Threads];
  };

  template <class Context>
  static GIMBAL_DEVICE T fold(Context& ctx, shared& smem, T value)
  {
    constexpr unsigned power = floor_power(Threads);
    smem.sum[ctx.thread()] = value;
    ctx.sync_block();  // every thread's value is written
    if constexpr (power != Threads) {
      if (ctx.thread() >= power) {
        smem.sum[ctx.thread() - power] += value;
      }
      ctx.sync_block();  // a power of two is left
    }
    Steps::template run<power>(ctx, smem.sum);
    return ctx.thread() == 0 ? smem.sum[0] : value;
  }
};

/// Thread t adds at position 2dt, distance d = 1, 2, 4, ...: neighbours are always at work together, but their
/// addresses are 2d words apart and fall into ever fewer banks.
struct interleaved_steps {
  template <unsigned Power, class T, class Context>
  static GIMBAL_DEVICE void run(Context& ctx, T* sum)
  {
    for (unsigned d = 1; d < Power; d *= 2) {
      const unsigned first = 2 * d * ctx.thread();
      if (first + d < Power) {
        sum[first] += sum[first + d];
      }
      ctx.sync_block();  // the sums over 2d values are complete
    }
  }
};
/// By halves, in a loop with a barrier of the block for each step; what is left for one warp needs none, if
/// `LeavesWarp`.
template <bool LeavesWarp>
struct looped_steps {
  template <unsigned Power, class T, class Context>
  static GIMBAL_DEVICE void run(Context& ctx, T* sum)
  {
    for (unsigned d = Power / 2; d > (LeavesWarp ? simt::warp_threads : 0); d /= 2) {
      halve(ctx, sum, d);
      ctx.sync_block();  // d sums are left
    }
    if constexpr (LeavesWarp) {
      halve_in_warp<Power>(ctx, sum);
    }
  }
};
/// The same with every step written out: the number of threads is a constant.
struct unrolled_steps {
  template <unsigned Power, class T, class Context>
  static GIMBAL_DEVICE void run(Context& ctx, T* sum)
  {
    GIMBAL_UNROLL
    for (unsigned d = Power / 2; d > simt::warp_threads; d /= 2) {
      halve(ctx, sum, d);
      ctx.sync_block();  // d sums are left
    }
    halve_in_warp<Power>(ctx, sum);
  }
};
template <class T, unsigned Threads>
using interleaved_tree = stepwise_tree<T, Threads, interleaved_steps>;
template <class T, unsigned Threads>
using sequential_tree = stepwise_tree<T, Threads, looped_steps<false>>;
template <class T, unsigned Threads>
using last_warp_tree = stepwise_tree<T, Threads, looped_steps<true>>;
template <class T, unsigned Threads>
using unrolled_tree = stepwise_tree<T, Threads, unrolled_steps>;

/// Lanes pass sums on through registers; shared memory holds one value per warp.
template <class T, unsigned Threads>
struct shuffle_tree {
  static constexpr unsigned warps = Threads / simt::warp_threads;
  struct shared {
    T warp_sum[warps];
  };

  template <class Context>
  static GIMBAL_DEVICE T fold(Context& ctx, shared& smem, T value)
  {
    value = fold_warp(ctx, value);
    if (ctx.lane() == 0) {
      smem.warp_sum[ctx.warp()] = value;
    }
    ctx.sync_block();  // every warp's sum is written
    if (ctx.warp() == 0) {
      value = fold_warp(ctx, ctx.lane() < warps ? smem.warp_sum[ctx.lane()] : T{});
    }
    return value;
  }

private:
  template <class Context>
  static GIMBAL_DEVICE T fold_warp(Context& ctx, T value)
  {
    GIMBAL_UNROLL
    for (unsigned d = simt::warp_threads / 2; d > 0; d /= 2) {
      value += ctx.shfl_down(value, d);
    }
    return value;
  }
};

// ---- loads: this thread's share of the input, summed. `tile` is how many items a block takes.

template <class T, unsigned Threads>
struct load_one {
  static constexpr unsigned tile = Threads;

  template <class Context>
  static GIMBAL_DEVICE T sum(Context& ctx, const T* in, index_type n)
  {
    const index_type i = global_thread(ctx);
    return i < n ? in[i] : T{};
  }
};

template <class T, unsigned Threads>
struct load_two {
  static constexpr unsigned tile = 2 * Threads;

  template <class Context>
  static GIMBAL_DEVICE T sum(Context& ctx, const T* in, index_type n)
  {
    const index_type first = index_type{ctx.block()} * tile + ctx.thread();
    const index_type second = first + Threads;
    return second < n ? in[first] + in[second] : first < n ? in[first] : T{};
  }
};

template <class T, unsigned Threads>
struct load_strided {
  static constexpr unsigned tile = 2 * Threads;

  template <class Context>
  static GIMBAL_DEVICE T sum(Context& ctx, const T* in, index_type n)
  {
    T sum{};
    for (index_type i = global_thread(ctx); i < n; i += all_threads(ctx)) {
      sum += in[i];
    }
    return sum;
  }
};

/// 16 bytes at a time between the first and the last aligned address, four loads in flight; what lies outside, item by
/// item.
template <class T, unsigned Threads>
struct load_vectors {
  static constexpr unsigned vector_items = 16 / sizeof(T);
  static constexpr unsigned in_flight = 4;
  static constexpr unsigned tile = Threads * vector_items * in_flight;

  struct alignas(16) vector {
    T item[vector_items];
  };

  template <class Context>
  static GIMBAL_DEVICE T sum(Context& ctx, const T* in, index_type n)
  {
    const unsigned beyond = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(in) % sizeof(vector) / sizeof(T));
    const index_type before_aligned = (vector_items - beyond) % vector_items;
    const index_type head = before_aligned < n ? before_aligned : n;
    const index_type count = (n - head) / vector_items;
    const vector* const vectors = reinterpret_cast<const vector*>(in + head);
    const index_type me = global_thread(ctx);
    const index_type stride = all_threads(ctx);

    T sum = me < head ? in[me] : T{};
    const index_type tail = head + count * vector_items + me;
    if (tail < n) {
      sum += in[tail];
    }
    index_type i = me;
    for (; i + (in_flight - 1) * stride < count; i += in_flight * stride) {
      vector loaded[in_flight];
      GIMBAL_UNROLL
      for (unsigned u = 0; u < in_flight; ++u) {
        loaded[u] = vectors[i + u * stride];
      }
      GIMBAL_UNROLL
      for (unsigned u = 0; u < in_flight; ++u) {
        sum += sum_of(loaded[u]);
      }
    }
    for (; i < count; i += stride) {
      sum += sum_of(vectors[i]);
    }
    return sum;
  }

private:
  static GIMBAL_DEVICE T sum_of(const vector& v)
  {
    T sum = v.item[0];
    GIMBAL_UNROLL
    for (unsigned k = 1; k < vector_items; ++k) {
      sum += v.item[k];
    }
    return sum;
  }
};

// ---- kernels: one partial result per block

/// v0. Sums up in place: the input is overwritten.
template <class T, unsigned Threads>
struct in_place_kernel {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned tile = Threads;
  struct shared {};

  T* in;
  index_type n;
  T* out;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const index_type i = global_thread(ctx);
    for (unsigned d = 1; d < Threads; d *= 2) {
      if (ctx.thread() % (2 * d) == 0 && ctx.thread() + d < Threads && i + d < n) {
        in[i] += in[i + d];
      }
      ctx.sync_block();  // the sums over 2d items are complete
    }
    if (ctx.thread() == 0) {
      out[ctx.block()] = i < n ? in[i] : T{};
    }
  }
};

/// v1 to v7.
template <class T, unsigned Threads, template <class, unsigned> class Load, template <class, unsigned> class Tree>
struct partial_kernel {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned tile = Load<T, Threads>::tile;
  using tree = Tree<T, Threads>;
  using shared = typename tree::shared;

  const T* in;
  index_type n;
  T* out;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const T sum = tree::fold(ctx, smem, Load<T, Threads>::sum(ctx, in, n));
    if (ctx.thread() == 0) {
      out[ctx.block()] = sum;
    }
  }
};

// ---- passes

/// Pass after pass of `Kernel` until one block is left, whose partial result is `*out`. `most` bounds the grid of a
/// kernel that strides; 0: one block for each tile.
template <class Kernel, class T, class In>
status reduce_in_passes(
  void* storage, std::size_t& storage_bytes, In* in, index_type n, T* out, index_type most, simt::stream_type stream)
{
  const auto grid = [most](index_type items) {
    return most == 0 ? grid_for(items, Kernel::tile) : bounded_grid(items, Kernel::tile, most);
  };
  T* partials[2] = {};  // written in turn
  if (const placement at = place(storage, storage_bytes, &partials[0], grid(n), &partials[1], grid(grid(n)));
      !at.is_done) {
    return at.state;
  }

  const index_type blocks = grid(n);
  GIMBAL_TRY(simt::launch(Kernel{in, n, blocks == 1 ? out : partials[0]}, blocks, stream, "first pass of a reduction"));
  unsigned last = 0;
  for (index_type left = blocks; left > 1; last = 1 - last) {
    const index_type next = most == 0 ? grid(left) : 1;  // a kernel that strides needs no third pass
    T* const target = next == 1 ? out : partials[1 - last];
    GIMBAL_TRY(simt::launch(Kernel{partials[last], left, target}, next, stream, "next pass of a reduction"));
    left = next;
  }
  return {};
}

/// The rungs. `run(storage, storage_bytes, in, n, out, stream)` writes the sum of n items to `*out`.
template <class Shape, template <class, unsigned> class Load, template <class, unsigned> class Tree, bool IsStrided>
struct reduction_rung {
  template <class T>
  static status run(void* storage, std::size_t& bytes, const T* in, index_type n, T* out, simt::stream_type stream)
  {
    using kernel = partial_kernel<T, Shape::threads, Load, Tree>;
    return reduce_in_passes<kernel>(storage, bytes, in, n, out, IsStrided ? Shape::blocks : 0, stream);
  }
};

/// Overwrites its items.
template <class Shape = classical_shape>
struct reduction_v0 {
  static constexpr const char* name = "v0 interleaved, divergent";

  template <class T>
  static status run(void* storage, std::size_t& bytes, T* in, index_type n, T* out, simt::stream_type stream)
  {
    return reduce_in_passes<in_place_kernel<T, Shape::threads>>(storage, bytes, in, n, out, 0, stream);
  }
};
template <class Shape = classical_shape>
struct reduction_v1 : reduction_rung<Shape, load_one, interleaved_tree, false> {
  static constexpr const char* name = "v1 interleaved, strided";
};
template <class Shape = classical_shape>
struct reduction_v2 : reduction_rung<Shape, load_one, sequential_tree, false> {
  static constexpr const char* name = "v2 sequential";
};
template <class Shape = classical_shape>
struct reduction_v3 : reduction_rung<Shape, load_two, sequential_tree, false> {
  static constexpr const char* name = "v3 first add on load";
};
template <class Shape = classical_shape>
struct reduction_v4 : reduction_rung<Shape, load_two, last_warp_tree, false> {
  static constexpr const char* name = "v4 last warp unrolled";
};
template <class Shape = classical_shape>
struct reduction_v5 : reduction_rung<Shape, load_two, unrolled_tree, false> {
  static constexpr const char* name = "v5 completely unrolled";
};
template <class Shape = classical_shape>
struct reduction_v6 : reduction_rung<Shape, load_strided, unrolled_tree, true> {
  static constexpr const char* name = "v6 many items per thread";
};
template <class Shape = classical_shape>
struct reduction_v7 : reduction_rung<Shape, load_vectors, shuffle_tree, true> {
  static constexpr const char* name = "v7 shuffles and vectors";
};

}  // namespace ladder
