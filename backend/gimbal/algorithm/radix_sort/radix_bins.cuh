// Counts of the digits of all passes of a radix sort: of a block's keys in shared memory, of all keys in global memory, and
// from those the place of the first key with each digit. Passes permute the keys but never change how many have a digit.
//
// A kernel's blocks clear() their counts, add() every digit, then add_to() the global bins; in the block that arrives last
// (is_last()), for_each() turns the bins into places. A block's counters are replicated (`Copies`, selected by the lane), because
// atomics of a warp to one address serialise.
#pragma once

#include <cuda/std/functional>
#include <gimbal/collective/radix_key.cuh>
#include <gimbal/collective/scan.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// All keys with a digit; all zero before the first are added and after for_each().
using radix_bin_row = std::uint64_t[radix_size];

/// What for_each() reports for a digit.
struct radix_bin {
  unsigned digit;
  std::uint64_t count;
  index_type before;  ///< keys with smaller digits
};

template <unsigned BlockThreads, unsigned MostPasses, unsigned Copies>
struct radix_bins {
  static constexpr unsigned at_once = Copies < 8 ? Copies : 8;
  static constexpr unsigned bins_per_thread = (radix_size + BlockThreads - 1) / BlockThreads;
  using bin_scan = scan<std::uint64_t, BlockThreads>;

  struct shared {
    unsigned counts[MostPasses][radix_size][Copies];
    typename bin_scan::shared scan;
    bool is_last;
  };

  template <class Context>
  static GIMBAL_DEVICE void clear(Context& ctx, shared& smem, unsigned passes)
  {
    unsigned* const counts = &smem.counts[0][0][0];
    const unsigned used = passes * radix_size * Copies;
    GIMBAL_NO_UNROLL
    for (unsigned c = ctx.thread(); c < used; c += BlockThreads) {
      counts[c] = 0;
    }
  }

  /// Counts the digit `range` of a key's ordered_bits. After a barrier behind clear().
  template <class Context, class Bits>
  static GIMBAL_DEVICE void add(Context& ctx, shared& smem, unsigned pass, const digit_range& range, Bits ordered)
  {
    auto* const counts = reinterpret_cast<unsigned char*>(smem.counts[pass]);
    const unsigned own = offset_of(range, ordered) | ctx.lane() % Copies * unsigned{sizeof(unsigned)};
    ctx.atomic_shared(*reinterpret_cast<unsigned*>(counts + own)).fetch_add(1, ::cuda::std::memory_order_relaxed);
  }

  /// After a barrier behind the last add(). `excess(pass, digit)` of the counted keys are padding.
  // Relaxed: the additions are ordered before the reading of the sums by the arrival.
  template <class Context, class Excess>
  static GIMBAL_DEVICE void add_to(
    Context& ctx, const shared& smem, radix_bin_row* bins, unsigned passes, Excess excess)
  {
    for (unsigned bin = ctx.thread(); bin < passes * radix_size; bin += BlockThreads) {
      const unsigned pass = bin / radix_size;
      const unsigned digit = bin % radix_size;
      unsigned count = 0;
      GIMBAL_NO_UNROLL
      for (unsigned from = 0; from < Copies; from += at_once) {
        GIMBAL_UNROLL
        for (unsigned c = 0; c < at_once; ++c) {
          count += smem.counts[pass][digit][(from + c + ctx.lane()) % Copies];
        }
      }
      count -= excess(pass, digit);
      if (count != 0) {
        ctx.atomic(bins[pass][digit]).fetch_add(count, ::cuda::std::memory_order_relaxed);
      }
    }
  }

  /// Whether this block is the last to arrive; `arrived` is 0 before the first arrival and after the last.
  // Release: this block's additions come first. Acquire: the last to arrive sees those of all others.
  template <class Context>
  static GIMBAL_DEVICE bool is_last(Context& ctx, shared& smem, unsigned& arrived)
  {
    ctx.sync_block();  // all additions of this block come before its arrival
    if (ctx.thread() == 0) {
      smem.is_last = ctx.atomic(arrived).fetch_add(1, ::cuda::std::memory_order_acq_rel) == ctx.blocks() - 1;
      if (smem.is_last) {
        ctx.atomic(arrived).store(0u, ::cuda::std::memory_order_relaxed);
      }
    }
    ctx.sync_block();  // every thread knows whether the counts of all blocks are complete
    return smem.is_last;
  }

  /// `found(bin)` for every digit, by one thread each. Empties the bins.
  template <class Context, class Found>
  static GIMBAL_DEVICE void for_each(Context& ctx, shared& smem, radix_bin_row& bins, Found found)
  {
    std::uint64_t own[bins_per_thread];
    std::uint64_t sum = 0;
    GIMBAL_UNROLL
    for (unsigned k = 0; k < bins_per_thread; ++k) {
      const unsigned digit = ctx.thread() * bins_per_thread + k;
      own[k] = digit < radix_size ? ctx.atomic(bins[digit]).load(::cuda::std::memory_order_relaxed) : 0;
      sum += own[k];
    }
    uninit<std::uint64_t> before;
    before.set(sum);
    bin_scan::scan_warps(ctx, smem.scan, before, BlockThreads, ::cuda::std::plus<std::uint64_t>{});
    ctx.sync_block();  // the totals of all warps are there
    const bool is_first = !bin_scan::prefix(ctx, smem.scan, before, ::cuda::std::plus<std::uint64_t>{});
    std::uint64_t through = is_first ? 0 : before.get();
    GIMBAL_UNROLL
    for (unsigned k = 0; k < bins_per_thread; ++k) {
      const unsigned digit = ctx.thread() * bins_per_thread + k;
      if (digit < radix_size) {
        ctx.atomic(bins[digit]).store(std::uint64_t{0}, ::cuda::std::memory_order_relaxed);
        found(radix_bin{digit, own[k], static_cast<index_type>(through)});
      }
      through += own[k];
    }
    ctx.sync_block();  // the totals have been read: the next call may write its own
  }

private:
  /// Byte offset of a digit's counters within a pass. The key is rotated so that its digit becomes the offset, an instruction less
  /// than shifting down and up again: instructions bound a histogram.
  template <class Bits>
  static GIMBAL_DEVICE unsigned offset_of(const digit_range& range, Bits ordered)
  {
    constexpr unsigned place = 2 + simt::bit_width(Copies) - 1;
    static_assert(Copies == 1u << (place - 2), "the offsets of digits and of copies have bits of their own");
    const unsigned mask = ((1u << range.bits) - 1) << place;
    if constexpr (sizeof(Bits) <= sizeof(std::uint32_t)) {
      const std::uint32_t bits = ordered;
      const unsigned right = (range.shift - place) % 32;
      return (bits >> right | bits << (32 - right) % 32) & mask;
    } else {
      return static_cast<unsigned>(ordered >> range.shift) << place & mask;
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
