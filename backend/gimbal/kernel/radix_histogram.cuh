// First step of a radix sort: for every pass and digit, where in the output the first key with that digit belongs.
//
// One sweep over the keys counts the digits of all passes: passes permute the keys but never change how many have a
// digit. Blocks count in shared memory and add their counts to global ones; the block that finishes last turns those
// into exclusive sums. Traffic: the keys once. Counts are integers, so the result does not depend on the order of
// additions. No block waits for another. Counters are replicated (`copies`, one per lane modulo their number), because
// equal digits in a warp add to one address one after the other.
//
// If asked to, it also finds out whether the keys are in order already, which costs nothing where they are not: a
// thread that has seen two neighbours out of order looks at no others.
#pragma once

#include <cuda/std/functional>
#include <gimbal/block/radix_key.cuh>
#include <gimbal/block/scan.cuh>
#include <gimbal/block/tile.cuh>
#include <gimbal/kernel/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// What the kernels of one radix sort share, beside the look-back descriptors. Cleared before the histogram.
template <unsigned MostPasses>
struct radix_state {
  std::uint64_t bins[MostPasses][block::radix_size];  ///< keys with that digit
  unsigned finished_blocks;                           ///< of the histogram
  unsigned tickets[2];                                ///< tiles claimed, in launches of even and odd number
  /// Per pass and digit: position of the next such key. Each launch of a pass reads one row and writes the other.
  index_type bases[MostPasses][2][block::radix_size];
  unsigned is_skipped[MostPasses];  ///< all keys have the same digit, or are in order already; if noted
  unsigned has_negative_zero;       ///< among floating-point keys; if noted
  unsigned is_out_of_order;         ///< some key comes before one that is ordered before it; if noted
};

/// `Notes`: also note what else a sort may make use of.
template <class Tuning, class Order, class Keys, bool Notes = false>
struct radix_histogram_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = Tuning::histogram_threads;
  static constexpr unsigned items = Tuning::histogram_items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr unsigned most_passes = block::most_radix_passes<key_type>;
  static constexpr unsigned copies = Tuning::histogram_copies;
  static constexpr unsigned bins_per_thread = (block::radix_size + block_threads - 1) / block_threads;
  using bin_scan = block::scan<std::uint64_t, block_threads>;

  struct shared {
    unsigned counts[most_passes][block::radix_size][copies];
    typename bin_scan::shared scan;
    bool is_last;
  };

  Keys keys;
  index_type n;
  index_type tiles;
  block::digit_plan plan;
  radix_state<most_passes>* state;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    clear_counts(ctx, smem);
    ctx.sync_block();  // all counts are zero
    bool is_in_order = Notes;
    for (index_type tile = ctx.block(); tile < tiles; tile += ctx.blocks()) {
      if ((tile + 1) * tile_items < n) {
        count_tile<true>(ctx, smem, tile, is_in_order);
      } else {
        count_tile<false>(ctx, smem, tile, is_in_order);
      }
    }
    ctx.sync_block();  // all counts of this block are complete
    add_counts(ctx, smem);
    ctx.sync_block();  // all additions of this block come before its arrival
    if (ctx.thread() == 0) {
      smem.is_last = arrive_last(ctx);
    }
    ctx.sync_block();  // every thread knows whether the counts of all blocks are complete
    if (smem.is_last) {
      for (unsigned pass = 0; pass < plan.passes; ++pass) {
        std::uint64_t bins[bins_per_thread];
        uninit<std::uint64_t> before;
        before.set(load_bins(ctx, pass, bins));
        bin_scan::scan_warps(ctx, smem.scan, before, block_threads, ::cuda::std::plus<std::uint64_t>{});
        ctx.sync_block();  // the totals of all warps are there
        store_bases(ctx, smem, pass, bins, before);
        ctx.sync_block();  // they have been read before the next pass writes its own
      }
    }
  }

private:
  template <class Context>
  GIMBAL_DEVICE void clear_counts(Context& ctx, shared& smem) const
  {
    unsigned* const counts = &smem.counts[0][0][0];
    const unsigned used = plan.passes * block::radix_size * copies;
    for (unsigned c = ctx.thread(); c < used; c += block_threads) {
      counts[c] = 0;
    }
  }

  /// Of an inner tile all items exist, and some key comes after each: nothing needs a test.
  template <bool IsInner, class Context>
  GIMBAL_DEVICE void count_tile(Context& ctx, shared& smem, index_type tile, bool& is_in_order) const
  {
    const index_type first = tile * tile_items + ctx.thread();
    const auto exists = [&](unsigned i) { return IsInner || first + i * block_threads < n; };
    key_type loaded[items];
    keys.read(sort_place::input, [&](auto source) {
      const auto mine = source + first;
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        if (exists(i)) {
          loaded[i] = block::load_as<key_type>(mine + i * block_threads);
        }
      }
    });
    if constexpr (Notes && block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point) {
      note_negative_zeros(ctx, exists, loaded);
    }
    if (Notes && is_in_order) {
      is_in_order = are_in_order<IsInner>(first, loaded);
      if (!is_in_order) {
        // Relaxed: ordered before the block's arrival, as its counts are.
        ctx.atomic(state->is_out_of_order).store(1u, ::cuda::std::memory_order_relaxed);
      }
    }
    const unsigned copy = ctx.lane() % copies;
    GIMBAL_UNROLL
    for (unsigned pass = 0; pass < most_passes; ++pass) {
      if (pass < plan.passes) {
        const block::digit_range range = plan.range(pass);
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          if (exists(i)) {
            unsigned& count = smem.counts[pass][range.digit<Order>(loaded[i])][copy];
            ctx.atomic_shared(count).fetch_add(1, ::cuda::std::memory_order_relaxed);
          }
        }
      }
    }
  }

  // Relaxed: read by later launches.
  template <class Context, class Exists>
  GIMBAL_DEVICE void note_negative_zeros(Context& ctx, Exists exists, const key_type (&loaded)[items]) const
  {
    bool is_found = false;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      is_found = is_found || (exists(i) && block::is_negative_zero(loaded[i]));
    }
    if (is_found) {
      ctx.atomic(state->has_negative_zero).store(1u, ::cuda::std::memory_order_relaxed);
    }
  }

  /// Each with the key behind it.
  template <bool IsInner>
  GIMBAL_DEVICE bool are_in_order(index_type first, const key_type (&loaded)[items]) const
  {
    bool are = true;
    keys.read(sort_place::input, [&](auto source) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        const index_type position = first + i * block_threads;
        if (IsInner || position < n - 1) {
          const key_type next = block::load_as<key_type>(source + (position + 1));
          are = are && plan.template sorted_bits<Order>(loaded[i]) <= plan.template sorted_bits<Order>(next);
        }
      }
    });
    return are;
  }

  // Relaxed: the additions are ordered before the reading of the sums by the arrival.
  template <class Context>
  GIMBAL_DEVICE void add_counts(Context& ctx, shared& smem) const
  {
    for (unsigned bin = ctx.thread(); bin < plan.passes * block::radix_size; bin += block_threads) {
      const unsigned pass = bin / block::radix_size;
      const unsigned digit = bin % block::radix_size;
      unsigned count = 0;
      GIMBAL_UNROLL
      for (unsigned c = 0; c < copies; ++c) {
        count += smem.counts[pass][digit][(c + ctx.lane()) % copies];
      }
      if (count != 0) {
        ctx.atomic(state->bins[pass][digit]).fetch_add(count, ::cuda::std::memory_order_relaxed);
      }
    }
  }

  // Release: this block's additions come first. Acquire: the last to arrive sees those of all others.
  template <class Context>
  GIMBAL_DEVICE bool arrive_last(Context& ctx) const
  {
    const unsigned arrived = ctx.atomic(state->finished_blocks).fetch_add(1, ::cuda::std::memory_order_acq_rel);
    return arrived == ctx.blocks() - 1;
  }

  template <class Context>
  GIMBAL_DEVICE std::uint64_t load_bins(Context& ctx, unsigned pass, std::uint64_t (&bins)[bins_per_thread]) const
  {
    std::uint64_t sum = 0;
    GIMBAL_UNROLL
    for (unsigned k = 0; k < bins_per_thread; ++k) {
      const unsigned digit = ctx.thread() * bins_per_thread + k;
      const bool exists = digit < block::radix_size;
      bins[k] = exists ? ctx.atomic(state->bins[pass][digit]).load(::cuda::std::memory_order_relaxed) : 0;
      sum += bins[k];
    }
    return sum;
  }

  template <class Context>
  GIMBAL_DEVICE void store_bases(
    Context& ctx, shared& smem, unsigned pass, const std::uint64_t (&bins)[bins_per_thread],
    uninit<std::uint64_t> before) const
  {
    // Relaxed: as with the counts.
    const bool is_in_order = ctx.atomic(state->is_out_of_order).load(::cuda::std::memory_order_relaxed) == 0;
    const bool is_first = !bin_scan::prefix(ctx, smem.scan, before, ::cuda::std::plus<std::uint64_t>{});
    std::uint64_t base = is_first ? 0 : before.get();
    GIMBAL_UNROLL
    for (unsigned k = 0; k < bins_per_thread; ++k) {
      const unsigned digit = ctx.thread() * bins_per_thread + k;
      if (digit < block::radix_size) {
        state->bases[pass][0][digit] = static_cast<index_type>(base);
        const bool is_skipped = is_in_order ? digit == 0 : bins[k] == static_cast<std::uint64_t>(n);
        if (Notes && is_skipped) {  // one thread's finding
          state->is_skipped[pass] = 1;
        }
      }
      base += bins[k];
    }
  }
};

/// Blocks of the histogram: enough to fill a device, and so many that no block counts 2^32 keys.
template <class Kernel>
index_type radix_histogram_blocks(index_type tiles, index_type preferred)
{
  constexpr index_type most_tiles = (index_type{1} << 31) / Kernel::tile_items;
  const index_type least = (tiles + most_tiles - 1) / most_tiles;
  return tiles < preferred ? tiles : least < preferred ? preferred : least;
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
