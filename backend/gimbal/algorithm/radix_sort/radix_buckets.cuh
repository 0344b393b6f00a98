// Buckets of a radix sort (a most significant digit first step): keys that share their leading digits. Where every
// bucket fits into a block's shared memory, passes by the leading digits are enough, and blocks sort the buckets
// (radix_bucket_sort.cuh). This serves 8-byte keys.
//
// Leading digits are the last ones of those in which keys differ. Whether buckets will be small enough is judged by the
// histogram of all digits (radix_histogram.cuh), as if digits did not depend on one another: then the fullest bucket
// has as large a share of the keys as the product of those that the most frequent values of its digits have. So digits
// in which hardly any keys differ, such as the exponents of small numbers, do not count. Many equal keys, which crowd
// in their bucket, are noticed by comparing some keys of each block with one another.
//
// Where buckets begin, and whether each of them does fit, is found out after the last pass. If a bucket does not fit,
// or too many of its keys are alike, the sort falls back to passes by all digits, from its present state: all that was
// done so far has kept the order of equal keys.
//
// A block puts keys into bins (key_bins) in any order: it clears the bins, adds every key, sums the bins up and starts
// them, with a barrier after each; a key's slot is the first of its bin plus the number of keys added before it. Four
// neighbouring bins share a word: first their counts, of 8 bits each; once started, the first bin's first slot, and in
// 6 bits each the offsets from it at which the others begin. So a bin may have up to `most_in_bin` keys. Overflow is
// noticed even if a count wraps, from the old counts that the additions returned.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_words.h>

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

namespace algorithm {

/// How a sort proceeds.
enum class radix_strategy : unsigned {
  by_digits,       ///< a pass for each digit in which keys differ
  already_sorted,  ///< nothing to sort
  by_bucket,       ///< passes for the leading digits, then buckets (radix_buckets.cuh)
  buckets_failed   ///< found after those passes: now a pass for each digit
};

/// What the launches of a sort by buckets share.
template <class State>
struct radix_buckets {
  State* state;
  unsigned* starts;  ///< for every unit of items, and for the end: where the next bucket begins

  /// Whether that is still the strategy. Other blocks may give it up meanwhile, so threads that must agree load it
  /// once.
  // Relaxed: later launches act on it.
  template <class Context>
  GIMBAL_DEVICE bool are_taken(Context& ctx) const
  {
    return ctx.atomic(state->decision.strategy).load(::cuda::std::memory_order_relaxed) == radix_strategy::by_bucket;
  }
  // Relaxed: later launches read it; blocks of this one only to save work.
  template <class Context>
  GIMBAL_DEVICE void give_up(Context& ctx) const
  {
    ctx.atomic(state->decision.strategy).store(radix_strategy::buckets_failed, ::cuda::std::memory_order_relaxed);
  }
  /// Bits of a key below its leading digits.
  GIMBAL_DEVICE unsigned shift() const { return state->decision.bits; }

  /// The first of the block's share of `units` units of items; it ends before the first of the next block.
  template <class Context>
  static GIMBAL_DEVICE unsigned first_unit(const Context& ctx, unsigned units, unsigned block)
  {
    return static_cast<unsigned>(static_cast<std::uint64_t>(units) * block / ctx.blocks());
  }
};

/// Passes that buckets must save, as sorting them takes longer than one pass.
inline constexpr unsigned least_saved_by_buckets = 2;

/// Which digits may lead, and what their buckets may hold.
struct radix_bucket_limits {
  unsigned least_leading;  ///< for uniformly distributed keys
  unsigned most_leading;   ///< 0: no buckets
  unsigned most_expected;  ///< keys of the fullest bucket
  unsigned most_load;      ///< keys of a bucket that share the two digits below
  unsigned most_equal;     ///< keys that equal another one, among those that are compared
};

/// Finds where buckets begin, for every unit of items.
template <class Shape, class Keys, class State>
struct radix_bucket_start_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = 128;
  static constexpr unsigned most_early_blocks =
    0;  // else all blocks would start on the few multiprocessors that are free first
  static constexpr unsigned unit = Shape::unit_items;
  static constexpr unsigned reach = Shape::most_bucket_items;
  struct shared {};

  Keys keys;
  block::radix_order<key_type> order;
  unsigned n;
  radix_buckets<State> buckets;

  /// One for every unit, and one for the end.
  static unsigned starts(index_type n) { return static_cast<unsigned>((n + unit - 1) / unit) + 1; }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.let_next_launch_start();
    const index_type position = (static_cast<index_type>(ctx.block()) * block_threads + ctx.thread()) * unit;
    const unsigned shift = buckets.shift();
    if (!buckets.are_taken(ctx) || position >= static_cast<index_type>(n) + unit) {
      return;
    }
    const unsigned nominal = position < n ? static_cast<unsigned>(position) : n;
    const unsigned start = nominal == 0 ? 0 : find_start(nominal, shift);
    if (start - nominal > reach) {
      buckets.give_up(ctx);
    }
    buckets.starts[position / unit] = start;
  }

private:
  /// Binary search for the first bucket that begins at or after `from`; something beyond `reach` if there is none
  /// within it.
  GIMBAL_DEVICE unsigned find_start(unsigned from, unsigned shift) const
  {
    unsigned found = from;
    keys.read(sort_buffer::output, [&](auto source) {
      const auto leading = [&](unsigned i) { return order.ordered(block::load_as<key_type>(source + i)) >> shift; };
      const auto before = leading(from - 1);
      unsigned end = n - from <= reach ? n : from + reach + 1;  // not before the start, or beyond reach
      while (found < end) {
        const unsigned middle = found + (end - found) / 2;
        if (leading(middle) == before) {
          found = middle + 1;
        } else {
          end = middle;
        }
      }
    });
    return found;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
