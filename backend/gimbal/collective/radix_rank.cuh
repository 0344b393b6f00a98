// Stable ranking of a tile by one digit, the core of a radix sort pass.
//
// A tile is held "striped by warp": item i of a lane is at position warp * 32 * items + i * 32 + lane, so a warp owns a
// run of positions and its items come in order of i, then lane. Within a warp the lanes that hold the same digit find
// one another (match_any, by a ballot per bit); the last of them adds their number to the warp's counter of that digit
// and hands the old count to the others. Old count + number of such lanes below = rank among the warp's equal digits.
// Nothing depends on the order in which the hardware serves atomics to one address: one lane adds at a time, and
// sync_warp() separates the turns. Sums over warps, then over digits, turn these ranks into positions in the sorted
// tile.
#pragma once

#include <cuda/std/functional>
#include <gimbal/collective/scan.cuh>
#include <gimbal/simt/match_bits.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <unsigned BlockThreads, unsigned Items, unsigned DigitBits = 8>
struct radix_rank {
  static constexpr unsigned radix_size = 1u << DigitBits;
  static constexpr unsigned warps = BlockThreads / simt::warp_threads;
  /// Thread t works on digits t * digits_per_thread and up, as far as they are less than radix_size.
  static constexpr unsigned digits_per_thread = (radix_size + BlockThreads - 1) / BlockThreads;
  static_assert(BlockThreads % simt::warp_threads == 0 && BlockThreads <= 1024, "whole warps");
  static_assert(Items * simt::warp_threads < (1u << 16), "the count of a warp and the lane share a word");

  using digit_scan = scan<unsigned, BlockThreads>;

  struct shared {
    unsigned counts[warps][radix_size];  ///< per warp and digit: a count, later the position of the first such item
    typename digit_scan::shared scan;
  };

  /// Where in shared memory the item with a slot may stand. The items that a warp puts into slots together may have
  /// slots a power of two apart: so it is in sorted input, whose digits are equally frequent. With places left free
  /// between them they have different banks. That of slot k * BlockThreads + t, t <= BlockThreads, is the sum of those
  /// of k * BlockThreads and t.
  static GIMBAL_HOST_DEVICE constexpr unsigned padded(unsigned slot)
  {
    return slot + slot / simt::warp_threads + slot / BlockThreads;
  }

  /// Calls f(k, digit) for the digits of this thread, k < digits_per_thread.
  template <class Context, class F>
  static GIMBAL_DEVICE void for_each_digit(const Context& ctx, F f)
  {
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_thread; ++k) {
      const unsigned digit = ctx.thread() * digits_per_thread + k;
      if (digit < radix_size) {
        f(k, digit);
      }
    }
  }

  /// Those of this warp.
  template <class Context>
  static GIMBAL_DEVICE void clear_counts(Context& ctx, shared& smem)
  {
    unsigned* const counts = smem.counts[ctx.warp()];
    ctx.sync_warp();  // the warp has read what an earlier pass left in its counts
    GIMBAL_UNROLL
    for (unsigned d = ctx.lane(); d < radix_size; d += simt::warp_threads) {
      counts[d] = 0;
    }
    ctx.sync_warp();  // all zero before the first is added to
  }

  /// ranks[i] = rank of item i among the items of this warp with the same digit, after those that it has ranked since
  /// it cleared its counts; adds them to the counts.
  template <class Context, class DigitOf>
  static GIMBAL_DEVICE void rank_more(Context& ctx, shared& smem, DigitOf digit_of, unsigned (&ranks)[Items])
  {
    unsigned* const counts = smem.counts[ctx.warp()];
    const unsigned lanes_below = (1u << ctx.lane()) - 1;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      const unsigned digit = digit_of(i);
      const unsigned peers = simt::match_bits<DigitBits>(ctx, digit);
      const unsigned below = simt::popcount(peers & lanes_below);
      const unsigned last = 31 - simt::countl_zero(peers);
      unsigned old = 0;
      if (ctx.lane() == last) {
        old = ctx.atomic_shared(counts[digit]).fetch_add(below + 1, ::cuda::std::memory_order_relaxed);
      }
      ctx.sync_warp();  // the next item's last lane adds after this one
      ranks[i] = old | below << 16 | last << 24;
    }
    // Handing the counts over in a loop of its own keeps several of the additions above in flight.
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      const unsigned old = ctx.shfl(ranks[i], ranks[i] >> 24) & 0xffffu;
      ranks[i] = old + (ranks[i] >> 16 & 0xffu);
    }
  }

  /// After a barrier: totals[k] = items of the tile with this thread's k-th digit; counts become sums over earlier
  /// warps.
  template <class Context>
  static GIMBAL_DEVICE void sum_warps(const Context& ctx, shared& smem, unsigned (&totals)[digits_per_thread])
  {
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_thread; ++k) {
      totals[k] = 0;
    }
    for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      unsigned count[warps];
      GIMBAL_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        count[w] = smem.counts[w][digit];
      }
      GIMBAL_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        smem.counts[w][digit] = totals[k];
        totals[k] += count[w];
      }
    });
  }

  /// First half of the sum over digits: what a barrier must separate from `start_digits`.
  template <class Context>
  static GIMBAL_DEVICE uninit<unsigned> sum_digits(
    Context& ctx, shared& smem, const unsigned (&totals)[digits_per_thread])
  {
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_thread; ++k) {
      sum += totals[k];
    }
    uninit<unsigned> before;
    before.set(sum);
    digit_scan::scan_warps(ctx, smem.scan, before, BlockThreads, ::cuda::std::plus<unsigned>{});
    return before;
  }

  /// After a barrier: starts[k] = position in the sorted tile of the first item with this thread's k-th digit; counts
  /// become the same per warp.
  template <class Context>
  static GIMBAL_DEVICE void start_digits(
    Context& ctx, shared& smem, uninit<unsigned> before, const unsigned (&totals)[digits_per_thread],
    unsigned (&starts)[digits_per_thread])
  {
    const bool is_first = !digit_scan::prefix(ctx, smem.scan, before, ::cuda::std::plus<unsigned>{});
    unsigned start = is_first ? 0 : before.get();
    for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      starts[k] = start;
      GIMBAL_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        smem.counts[w][digit] += start;
      }
      start += totals[k];
    });
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
