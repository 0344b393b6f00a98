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
  unsigned has_joined_zero;       ///< a key is the zero that counts as the other one; if noted
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
  static constexpr unsigned at_once = copies < 8 ? copies : 8;
  static constexpr unsigned bins_per_thread = (block::radix_size + block_threads - 1) / block_threads;
  static constexpr unsigned resident_blocks = block_threads == 1024 ? 1 : 0;
  using bits_type = block::radix_key_bits<key_type>;
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
    ctx.let_next_launch_start();
    clear_counts(ctx, smem);
    ctx.sync_block();  // all counts are zero
    bool is_in_order = Notes;
    for (index_type tile = ctx.block(); tile < tiles; tile += ctx.blocks()) {
      count_tile(ctx, smem, tile, is_in_order);
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
    GIMBAL_NO_UNROLL
    for (unsigned c = ctx.thread(); c < used; c += block_threads) {
      counts[c] = 0;
    }
  }

  /// One pass after the other, in one piece of code: all of a thread's keys keep the adders busy. What fills up the
  /// last tile is counted, too, and taken off again by add_counts().
  template <class Context>
  GIMBAL_DEVICE void count_tile(Context& ctx, shared& smem, index_type tile, bool& is_in_order) const
  {
    const index_type first = tile * tile_items + ctx.thread();
    const index_type left = n - first;  // from this thread's first key on
    const int room = left < static_cast<index_type>(tile_items) ? static_cast<int>(left) : static_cast<int>(tile_items);
    key_type loaded[items];
    load_tile(first, room, loaded);
    bits_type bits[items];
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      bits[i] = block::ordered_bits<Order>(loaded[i]);
    }
    note(ctx, first, room, loaded, bits, is_in_order);
    const unsigned copy = ctx.lane() % copies;
    const unsigned width = plan.width();
    GIMBAL_NO_UNROLL
    for (unsigned pass = 0; pass < plan.passes; ++pass) {
      const block::digit_range range = plan.range(pass, width);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        unsigned& count = smem.counts[pass][range.digit_of_ordered(bits[i])][copy];
        ctx.atomic_shared(count).fetch_add(1, ::cuda::std::memory_order_relaxed);
      }
    }
  }

  /// The thread's keys from `first` on; those `room` and more behind it do not exist and are ordered behind all others.
  GIMBAL_DEVICE void load_tile(index_type first, int room, key_type (&loaded)[items]) const
  {
    keys.read(sort_place::input, [&](auto source) {
      const auto mine = source + first;
      if (room == static_cast<int>(tile_items)) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          loaded[i] = block::load_as<key_type>(mine + i * block_threads);
        }
      } else {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const bool exists = static_cast<int>(i * block_threads) < room;
          loaded[i] = exists ? block::load_as<key_type>(mine + i * block_threads) : block::last_key<Order, key_type>();
        }
      }
    });
  }

  // Relaxed: negative zeros are read by later launches, the order after the block's arrival, as its counts are.
  template <class Context>
  GIMBAL_DEVICE void note(
    Context& ctx, index_type first, int room, const key_type (&loaded)[items], const bits_type (&bits)[items],
    bool& is_in_order) const
  {
    if constexpr (Notes && block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point) {
      bool is_found = false;
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        is_found = is_found || block::is_joined_zero<Order>(loaded[i]);
      }
      if (is_found) {
        ctx.atomic(state->has_joined_zero).store(1u, ::cuda::std::memory_order_relaxed);
      }
    }
    if (Notes && is_in_order) {
      is_in_order = are_in_order(first, room, bits);
      if (!is_in_order) {
        ctx.atomic(state->is_out_of_order).store(1u, ::cuda::std::memory_order_relaxed);
      }
    }
  }

  /// Each with the key behind it.
  GIMBAL_DEVICE bool are_in_order(index_type first, int room, const bits_type (&bits)[items]) const
  {
    bool are = true;
    const bits_type sorted = plan.template sorted_mask<bits_type>();
    keys.read(sort_place::input, [&](auto source) {
      const auto behind = source + (first + 1);
      const int last = first + static_cast<index_type>(tile_items) < n ? room : room - 1;  // has none behind it
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        if (static_cast<int>(i * block_threads) < last) {
          const bits_type next = block::ordered_bits<Order>(block::load_as<key_type>(behind + i * block_threads));
          are = are & ((bits[i] & sorted) <= (next & sorted));
        }
      }
    });
    return are;
  }

  // Relaxed: the additions are ordered before the reading of the sums by the arrival.
  template <class Context>
  GIMBAL_DEVICE void add_counts(Context& ctx, shared& smem) const
  {
    const bool has_last = (tiles - 1) % static_cast<index_type>(ctx.blocks()) == static_cast<index_type>(ctx.block());
    const unsigned fill = has_last ? static_cast<unsigned>(tiles * tile_items - n) : 0;
    for (unsigned bin = ctx.thread(); bin < plan.passes * block::radix_size; bin += block_threads) {
      const unsigned pass = bin / block::radix_size;
      const unsigned digit = bin % block::radix_size;
      unsigned count = 0;
      GIMBAL_NO_UNROLL
      for (unsigned from = 0; from < copies; from += at_once) {
        GIMBAL_UNROLL
        for (unsigned c = 0; c < at_once; ++c) {
          count += smem.counts[pass][digit][(from + c + ctx.lane()) % copies];
        }
      }
      count -= digit == plan.range(pass).template digit<Order>(block::last_key<Order, key_type>()) ? fill : 0;
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
