// Bins of a block's keys, into which they are put in any order: the block clears the bins, adds every key, sums the
// bins up and starts them, with a barrier after each; a key's slot is the first of its bin plus the number of keys
// added before it.
//
// Four neighbouring bins share a word: first their counts, of 8 bits each; once started, the first bin's first slot,
// and in 6 bits each the offsets from it at which the others begin. So a bin may have up to `most_in_bin` keys.
// Overflow is noticed even if a count wraps, from the old counts that the additions returned.
#pragma once

#include <cuda/std/functional>
#include <gimbal/collective/scan.cuh>
#include <gimbal/simt/packed_bytes.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <unsigned BlockThreads, unsigned Bins>
struct key_bins {
  static constexpr unsigned most_in_bin = 21;
  static constexpr unsigned most_slots = 1u << 14;

  using words = simt::vector16;
  static constexpr unsigned vector_bins = 16;
  static constexpr unsigned vectors = Bins / vector_bins;
  static constexpr unsigned vectors_per_thread = (vectors + BlockThreads - 1) / BlockThreads;
  static constexpr unsigned warps = BlockThreads / simt::warp_threads;
  static_assert(Bins % vector_bins == 0, "whole vectors");

  /// Bins after the others that are not summed up: lanes without a key add there.
  static constexpr unsigned spare_bins = 4 * simt::warp_threads;
  template <class Context>
  static GIMBAL_DEVICE unsigned spare_bin(const Context& ctx)
  {
    return Bins + 4 * ctx.lane();
  }

  struct shared {
    words bin[vectors + spare_bins / vector_bins];
    unsigned keys[warps];  ///< in a warp's bins
    unsigned most[warps];  ///< keys in the fullest bin that one of the warp's keys is in
  };

  template <class Context>
  static GIMBAL_DEVICE void clear(Context& ctx, shared& smem)
  {
    for (unsigned v = ctx.thread(); v < vectors; v += BlockThreads) {
      smem.bin[v] = words{};
    }
  }

  /// Returns how many keys were added to the bin before; meaningless from 256 keys on.
  // Relaxed: the barrier that follows orders the counts.
  template <class Context>
  static GIMBAL_DEVICE unsigned add(Context& ctx, shared& smem, unsigned bin)
  {
    const unsigned shift = 8 * (bin % 4);
    const unsigned before =
      ctx.atomic_shared(word_of(smem, bin)).fetch_add(1u << shift, ::cuda::std::memory_order_relaxed);
    return before >> shift & 0xff;
  }

  /// `most_before`: the maximum that add() returned to the thread. Returns the number of keys in the bins of the lower
  /// lanes.
  template <class Context>
  static GIMBAL_DEVICE unsigned sum(Context& ctx, shared& smem, unsigned most_before)
  {
    unsigned own = 0;
    for_each_vector(ctx, smem, [&](const words& counts) {
      GIMBAL_UNROLL
      for (const unsigned word : counts.word) {
        own = simt::add_bytes<false>(word, own);
      }
    });
    uninit<unsigned> through;
    through.set(own);
    block::warp_inclusive_scan(ctx, through, simt::warp_threads, ::cuda::std::plus<unsigned>{});
    const unsigned most = simt::warp_greatest(ctx, most_before) + 1;
    if (ctx.lane() == simt::warp_threads - 1) {
      smem.keys[ctx.warp()] = through.get();
      smem.most[ctx.warp()] = most;
    }
    return through.get() - own;
  }

  /// Number of keys in the fullest bin, if it has at most `most_in_bin`; else more than that.
  template <class Context>
  static GIMBAL_DEVICE unsigned most(Context& ctx, const shared& smem)
  {
    return simt::warp_greatest(ctx, ctx.lane() < warps ? smem.most[ctx.lane()] : 0u);
  }

  /// Turns counts into first slots; `before` is what sum() returned.
  template <class Context>
  static GIMBAL_DEVICE void start(Context& ctx, shared& smem, unsigned before)
  {
    unsigned slot = before + simt::warp_sum(ctx, ctx.lane() < ctx.warp() ? smem.keys[ctx.lane()] : 0u);
    for_each_vector(ctx, smem, [&](words& bins) {
      GIMBAL_UNROLL
      for (unsigned& word : bins.word) {
        const unsigned through = word * 0x01010101u;  // byte by byte, an inclusive scan of the four counts
        word = slot << 18 | (through & 63) | (through >> 2 & 63 << 6) | (through >> 4 & 63 << 12);
        slot += through >> 24;
      }
    });
  }

  static GIMBAL_DEVICE unsigned first_slot(shared& smem, unsigned bin)
  {
    const unsigned word = word_of(smem, bin);
    return (word >> 18) + (word << 6 >> 6 * (bin % 4) & 63);
  }

private:
  static_assert(3 * most_in_bin < 64 && warps <= simt::warp_threads, "offsets have 6 bits, and each warp a lane");

  static GIMBAL_DEVICE unsigned& word_of(shared& smem, unsigned bin)
  {
    return reinterpret_cast<unsigned*>(smem.bin)[bin / 4];
  }

  /// Calls f for the thread's vectors of bins, in order.
  template <class Context, class F>
  static GIMBAL_DEVICE void for_each_vector(Context& ctx, shared& smem, F f)
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < vectors_per_thread; ++i) {
      const unsigned v = ctx.thread() * vectors_per_thread + i;
      if (v < vectors) {
        f(smem.bin[v]);
      }
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
