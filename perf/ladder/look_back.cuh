// The single-pass scan as it was published: decoupled look-back, a window of 32 tiles at a time.
//
// Merrill & Garland, "Single-pass parallel prefix scan with decoupled look-back" (2016). Each block takes a ticket for
// its tile, publishes the tile's sum, then adds up what the tiles before it have published until it meets one that
// already knows everything before itself. Bytes moved: 2n words and 8 bytes per tile. Launches: one and a fill. Items
// are 32-bit integers: how many tiles are added at a time depends on timing, so floating-point sums would too. Memory
// order: a descriptor is one 8-byte word that holds state and value together and nothing else depends on it, so it is
// stored and loaded relaxed. Forward progress: a block waits for lower tickets alone, whose blocks are running.
#pragma once

#include <perf/ladder/scan.cuh>

namespace ladder {

/// What a tile has published: nothing, its own sum, or the sum through its end.
struct descriptor {
  enum state : std::uint32_t { nothing, tile_sum, sum_through };

  static GIMBAL_DEVICE std::uint64_t pack(state s, std::uint32_t value) { return std::uint64_t{s} << 32 | value; }
  static GIMBAL_DEVICE state state_of(std::uint64_t word) { return static_cast<state>(word >> 32); }
  static GIMBAL_DEVICE std::uint32_t value_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
};

template <unsigned Threads>
struct look_back_scan_kernel {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned warps = Threads / simt::warp_threads;
  static constexpr unsigned items = 9;  // odd: a thread's run of items starts in a bank of its own
  static constexpr unsigned tile = items * Threads;

  struct shared {
    std::uint32_t item[tile];
    std::uint32_t warp_sum[warps];
    std::uint32_t before_tile;
    unsigned tile_number;
  };

  const std::uint32_t* in;
  index_type n;
  std::uint32_t* out;
  std::uint64_t* descriptors;  // zero at launch, one per tile, and before them the ticket

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      smem.tile_number = claim(ctx);
    }
    ctx.sync_block();  // the tile is known
    const index_type first = index_type{smem.tile_number} * tile;
    for_each_of_tile<tile>(ctx, [&](unsigned i) { smem.item[i] = first + i < n ? in[first + i] : 0; });
    ctx.sync_block();  // the items are in shared memory
    const std::uint32_t own = sum_run(ctx, smem);
    const std::uint32_t through = scan_warp(ctx, own);
    if (ctx.lane() == simt::warp_threads - 1) {
      smem.warp_sum[ctx.warp()] = through;
    }
    ctx.sync_block();  // the warps' sums are written
    if (ctx.warp() == 0) {
      look_back(ctx, smem);
    }
    ctx.sync_block();  // the sum before the tile is known
    scan_run(ctx, smem, smem.before_tile + sum_of_warps(smem, ctx.warp()) + through - own);
    ctx.sync_block();  // the results are in shared memory
    for_each_of_tile<tile>(ctx, [&](unsigned i) {
      if (first + i < n) {
        out[first + i] = smem.item[i];
      }
    });
  }

private:
  // Relaxed: a ticket orders nothing but itself.
  template <class Context>
  GIMBAL_DEVICE unsigned claim(Context& ctx) const
  {
    return static_cast<unsigned>(ctx.atomic(descriptors[0]).fetch_add(std::uint64_t{1}, order::memory_order_relaxed));
  }

  template <class Context>
  static GIMBAL_DEVICE std::uint32_t sum_run(Context& ctx, const shared& smem)
  {
    std::uint32_t sum = 0;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      sum += smem.item[ctx.thread() * items + i];
    }
    return sum;
  }

  // Each item becomes the sum before it; the run starts with `before`.
  template <class Context>
  static GIMBAL_DEVICE void scan_run(Context& ctx, shared& smem, std::uint32_t before)
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      std::uint32_t& item = smem.item[ctx.thread() * items + i];
      const std::uint32_t value = item;
      item = before;
      before += value;
    }
  }

  // Inclusive.
  template <class Context>
  static GIMBAL_DEVICE std::uint32_t scan_warp(Context& ctx, std::uint32_t value)
  {
    GIMBAL_UNROLL
    for (unsigned d = 1; d < simt::warp_threads; d *= 2) {
      const std::uint32_t below = ctx.shfl_up(value, d);
      if (ctx.lane() >= d) {
        value += below;
      }
    }
    return value;
  }

  static GIMBAL_DEVICE std::uint32_t sum_of_warps(const shared& smem, unsigned count)
  {
    std::uint32_t sum = 0;
    for (unsigned w = 0; w < count; ++w) {
      sum += smem.warp_sum[w];
    }
    return sum;
  }

  // By one warp: publish the tile's sum, gather what stands before it, publish the sum through its end.
  template <class Context>
  GIMBAL_DEVICE void look_back(Context& ctx, shared& smem) const
  {
    const std::uint32_t own = sum_of_warps(smem, warps);
    if (ctx.lane() == 0) {
      publish(ctx, smem.tile_number, descriptor::tile_sum, own);
    }
    std::uint32_t before = 0;
    for (index_type end = smem.tile_number; end > 0;) {
      const bool is_complete = add_window(ctx, end, before);
      end = is_complete || end < simt::warp_threads ? 0 : end - simt::warp_threads;
    }
    if (ctx.lane() == 0) {
      publish(ctx, smem.tile_number, descriptor::sum_through, before + own);
      smem.before_tile = before;
    }
  }

  // Adds the up to 32 tiles that end before `end`, the nearest in lane 0, back to the first that knows everything
  // before it. True if there is one.
  template <class Context>
  GIMBAL_DEVICE bool add_window(Context& ctx, index_type end, std::uint32_t& before) const
  {
    std::uint64_t word = descriptor::pack(descriptor::sum_through, 0);  // before the first tile there is nothing
    if (ctx.lane() < end) {
      word = wait_for(ctx, end - 1 - ctx.lane());
    }
    const unsigned complete = ctx.ballot(descriptor::state_of(word) == descriptor::sum_through);
    const bool counts = (complete & ((1u << ctx.lane()) - 1)) == 0;  // no nearer tile is complete
    std::uint32_t sum = counts ? descriptor::value_of(word) : 0;
    GIMBAL_UNROLL
    for (unsigned d = simt::warp_threads / 2; d > 0; d /= 2) {
      sum += ctx.shfl_down(sum, d);
    }
    before += ctx.shfl(sum, 0);
    return complete != 0;
  }

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, unsigned tile_number, descriptor::state state, std::uint32_t value) const
  {
    ctx.atomic(descriptors[1 + tile_number]).store(descriptor::pack(state, value), order::memory_order_relaxed);
  }

  template <class Context>
  GIMBAL_DEVICE std::uint64_t wait_for(Context& ctx, index_type tile_number) const
  {
    for (;;) {
      const std::uint64_t word = ctx.atomic(descriptors[1 + tile_number]).load(order::memory_order_relaxed);
      if (descriptor::state_of(word) != descriptor::nothing) {
        return word;
      }
      ctx.spin_wait();
    }
  }
};

template <class Shape = classical_shape>
struct look_back_scan {
  static constexpr const char* name = "look-back";

  static status run(
    void* storage, std::size_t& bytes, const std::uint32_t* in, index_type n, std::uint32_t* out,
    simt::stream_type stream)
  {
    using kernel_type = look_back_scan_kernel<Shape::threads>;
    const index_type tiles = ceil_div(n, kernel_type::tile);
    kernel_type kernel{in, n, out, nullptr};
    if (const placement at = place(storage, bytes, &kernel.descriptors, 1 + tiles); !at.is_done) {
      return at.state;
    }
    if (n == 0) {
      return {};
    }
    GIMBAL_TRY(simt::fill_bytes(
      kernel.descriptors, 0, (1 + tiles) * sizeof(std::uint64_t), stream, "clearing of the descriptors"));
    return simt::launch(kernel, tiles, stream, "look-back scan");
  }
};

}  // namespace ladder
