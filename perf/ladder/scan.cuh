// Exclusive scans, from the first that works in parallel to the single pass:
//
//   Hillis-Steele        log2 n sweeps over all items, each adds what stands 2^k before: few steps, n log n additions
//   Blelloch             a tree over the items in global memory, up and down again: 2n additions, 2 log2 n launches, and
//                        near the top of the tree strides so long that of each sector read one word is used
//   scan, then propagate the tree stays in one tile's shared memory (padded against bank collisions); the tiles' totals
//                        are scanned in the same way, level by level, and added to the tiles: 4n words moved
//   look-back            tiles learn what stands before them while they run: one launch, 2n words moved
//
// Hillis & Steele, "Data parallel algorithms" (1986); Blelloch, "Prefix sums and their applications" (1990); Harris,
// Sengupta & Owens, "Parallel prefix sum (scan) with CUDA" (2007); Merrill & Garland, "Single-pass parallel prefix scan
// with decoupled look-back" (2016).
//
// Operators: associative; scan_tiles (scan, then propagate) keeps the order of operands and takes any value type, the
// other rungs add. Determinism: the tree depends on n and the shape alone, except in look-back, where it depends on
// timing: the rung takes integers. Forward progress: look-back waits for tiles with lower tickets, whose blocks are
// running.
#pragma once

#include <perf/ladder/rung.h>

namespace ladder {

// ---- Hillis-Steele

struct hillis_steele_scan {
  static constexpr const char* name = "Hillis-Steele";

  template <class T>
  static status run(void* storage, std::size_t& bytes, const T* in, index_type n, T* out, simt::stream_type stream)
  {
    T* other = nullptr;
    if (const placement at = place(storage, bytes, &other, n); !at.is_done) {
      return at.state;
    }
    const unsigned sweeps = n <= 2 ? 1 : ceil_log2(n);
    for (unsigned k = 0; k < sweeps; ++k) {
      T* const target = (sweeps - k) % 2 == 1 ? out : other;  // the last one writes the result
      const index_type shift = k == 0 ? 1 : 0;                // the first one makes the scan exclusive
      const index_type distance = (index_type{1} << k) + shift;
      GIMBAL_TRY(for_each_position(n, stream, "sweep of a Hillis-Steele scan", [=] LADDER_LAMBDA(auto&, index_type i) {
        target[i] = (i >= shift ? in[i - shift] : T{}) + (i >= distance ? in[i - distance] : T{});
      }));
      in = target;
    }
    return {};
  }
};

// ---- Blelloch, over global memory

struct blelloch_scan {
  static constexpr const char* name = "Blelloch";

  template <class T>
  static status run(void* storage, std::size_t& bytes, const T* in, index_type n, T* out, simt::stream_type stream)
  {
    const index_type leaves = n <= 2 ? 2 : index_type{1} << ceil_log2(n);  // two: a tree has a root
    T* tree = nullptr;
    if (const placement at = place(storage, bytes, &tree, leaves); !at.is_done) {
      return at.state;
    }
    if (n == 0) {
      return {};
    }
    GIMBAL_TRY(for_each_position(leaves, stream, "padding for a Blelloch scan", [=] LADDER_LAMBDA(auto&, index_type i) {
      tree[i] = i < n ? in[i] : T{};
    }));
    // Node i of the level whose subtrees have `width` items: left sum onto right sum.
    for (index_type width = 2; width < leaves; width *= 2) {
      GIMBAL_TRY(for_each_position(leaves / width, stream, "up-sweep", [=] LADDER_LAMBDA(auto&, index_type i) {
        const index_type right = (i + 1) * width - 1;
        tree[right] += tree[right - width / 2];
      }));
    }
    // What stands before a node goes to its left child; that plus the left sum to its right child. The root starts
    // with zero.
    for (index_type width = leaves; width >= 2; width /= 2) {
      const bool is_root = width == leaves;
      GIMBAL_TRY(for_each_position(leaves / width, stream, "down-sweep", [=] LADDER_LAMBDA(auto&, index_type i) {
        const index_type right = (i + 1) * width - 1;
        const index_type left = right - width / 2;
        const T before = is_root ? T{} : tree[right];
        tree[right] = before + tree[left];
        tree[left] = before;
      }));
    }
    return for_each_position(
      n, stream, "copy of a Blelloch scan", [=] LADDER_LAMBDA(auto&, index_type i) { out[i] = tree[i]; });
  }
};

// ---- scan, then propagate

/// Scans each tile for itself and writes the tiles' totals.
template <class T, class Op, unsigned Threads>
struct scan_tiles_kernel {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned tile = 2 * Threads;
  static_assert((Threads & (Threads - 1)) == 0, "the tree has a power of two of leaves");

  // A word of padding every 32: the strides of the tree are powers of two, which would meet in one bank.
  static GIMBAL_HOST_DEVICE constexpr unsigned at(unsigned i) { return i + i / simt::warp_threads; }

  struct shared {
    T tree[tile + tile / simt::warp_threads];
  };

  const T* in;
  index_type n;
  T* out;
  T* totals;  // one per tile, or null: not asked for
  Op op;
  T identity;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const index_type first = index_type{ctx.block()} * tile;
    for_each_of_tile<tile>(ctx, [&](unsigned i) { smem.tree[at(i)] = first + i < n ? in[first + i] : identity; });
    ctx.sync_block();  // the tile is in shared memory
    climb(ctx, smem);
    if (ctx.thread() == 0) {
      turn(ctx, smem);
    }
    ctx.sync_block();  // the root has been replaced
    descend(ctx, smem);
    for_each_of_tile<tile>(ctx, [&](unsigned i) {
      if (first + i < n) {
        out[first + i] = smem.tree[at(i)];
      }
    });
  }

private:
  template <class Context>
  GIMBAL_DEVICE void climb(Context& ctx, shared& smem) const
  {
    for (unsigned width = 2; width <= tile; width *= 2) {
      if (ctx.thread() < tile / width) {
        const unsigned right = (ctx.thread() + 1) * width - 1;
        smem.tree[at(right)] = op(smem.tree[at(right - width / 2)], smem.tree[at(right)]);
      }
      ctx.sync_block();  // the sums of this width are complete
    }
  }

  template <class Context>
  GIMBAL_DEVICE void turn(Context& ctx, shared& smem) const
  {
    if (totals != nullptr) {
      totals[ctx.block()] = smem.tree[at(tile - 1)];
    }
    smem.tree[at(tile - 1)] = identity;
  }

  template <class Context>
  GIMBAL_DEVICE void descend(Context& ctx, shared& smem) const
  {
    for (unsigned width = tile; width >= 2; width /= 2) {
      if (ctx.thread() < tile / width) {
        const unsigned right = (ctx.thread() + 1) * width - 1;
        const unsigned left = right - width / 2;
        const T before = smem.tree[at(right)];
        smem.tree[at(right)] = op(before, smem.tree[at(left)]);
        smem.tree[at(left)] = before;
      }
      ctx.sync_block();  // both children know what stands before them
    }
  }
};

template <class T>
struct add {
  GIMBAL_HOST_DEVICE T operator()(const T& left, const T& right) const { return left + right; }
};

template <class Shape = classical_shape>
struct scan_then_propagate {
  static constexpr const char* name = "scan, then propagate";

  template <class T>
  static status run(void* storage, std::size_t& bytes, const T* in, index_type n, T* out, simt::stream_type stream)
  {
    return run(storage, bytes, in, n, out, add<T>{}, T{}, stream);
  }

  template <class T, class Op>
  static status run(
    void* storage, std::size_t& bytes, const T* in, index_type n, T* out, Op op, T identity, simt::stream_type stream)
  {
    T* totals[most_levels] = {};  // of the tiles of each level; scanned where they are
    gimbal::storage_layout layout;
    for (unsigned level = 0; level + 1 < levels(n); ++level) {
      layout.add(&totals[level], tiles(n, level));
    }
    status state;
    if (!layout.place(storage, bytes, state)) {
      return state;
    }
    if (n == 0) {
      return {};
    }

    for (unsigned level = 0; level < levels(n); ++level) {
      const T* const source = level == 0 ? in : totals[level - 1];
      T* const target = level == 0 ? out : totals[level - 1];
      const kernel<T, Op> scan{source, items(n, level), target, totals[level], op, identity};
      GIMBAL_TRY(simt::launch(scan, tiles(n, level), stream, "scan of tiles"));
    }
    for (unsigned level = levels(n) - 1; level-- > 0;) {
      T* const target = level == 0 ? out : totals[level - 1];
      const T* const before = totals[level];  // of each tile
      GIMBAL_TRY(for_each_position(
        items(n, level), stream, "propagation of totals",
        [=] LADDER_LAMBDA(auto&, index_type i) { target[i] = op(before[i / tile], target[i]); }));
    }
    return {};
  }

private:
  template <class T, class Op>
  using kernel = scan_tiles_kernel<T, Op, Shape::threads>;
  static constexpr index_type tile = 2 * Shape::threads;
  static constexpr unsigned most_levels = 12;  // 64^11 items

  // Level 0 are the items, every other level the totals of the tiles of the one below; the last level is a single tile.
  static index_type items(index_type n, unsigned level)
  {
    while (level-- > 0) {
      n = ceil_div(n, tile);
    }
    return n;
  }
  static index_type tiles(index_type n, unsigned level) { return items(n, level + 1); }
  static unsigned levels(index_type n)
  {
    unsigned level = 1;
    while (tiles(n, level - 1) > 1) {
      ++level;
    }
    return level;
  }
};

}  // namespace ladder
