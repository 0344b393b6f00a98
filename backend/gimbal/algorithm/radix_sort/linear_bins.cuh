// Bins of keys, for sorts of keys that are distributed evenly, and how a key gets its bin or, in the radix sort in one
// launch (radix_resident_pass.cuh), its digit.
//
// Linear binning: scales keys linearly from their range [min, max] to 32-bit fixed point, monotonically, so that
// uniformly distributed keys fall into equally wide bins (the upper bits of the scaled key) in equal numbers, whatever
// their range. Integers are scaled by their upper 32 bits, counted from the highest bit in which minimum and maximum
// differ. Floating-point keys are scaled by value, as uniformly distributed values are far from uniform in their bits:
// a subtraction and a multiplication, both of which round monotonically.
//
// A block puts keys into bins (key_bins) in any order: it clears the bins, adds every key, sums the bins up and starts
// them, with a barrier after each; a key's slot is the first of its bin plus the number of keys added before it. Four
// neighbouring bins share a word: first their counts, of 8 bits each; once started, the first bin's first slot, and in
// 6 bits each the offsets from it at which the others begin. So a bin may have up to `most_in_bin` keys. Overflow is
// noticed even if a count wraps, from the old counts that the additions returned.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_words.h>

#include <cstring>
#include <cuda/std/functional>
#include <cuda/std/limits>
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

template <class Bits>
inline constexpr bool can_bin_keys_linearly = sizeof(Bits) == 4 || sizeof(Bits) == 8;

template <class Bits>
struct linear_binning {
  using order_type = radix_order<Bits>;
  using real = ::cuda::std::conditional_t<sizeof(Bits) == 8, double, float>;
  static constexpr unsigned bits = 8 * sizeof(Bits);

  struct of_integers {
    Bits least;       ///< ordered bits of the least key
    unsigned shift;   ///< to the left, of a key minus that: so that the greatest key's highest bit is set
    unsigned factor;  ///< of the upper 32 bits, over 2^31
  };
  struct of_reals {
    real origin;  ///< the least key in order
    real scale;   ///< negative in descending order
  };
  union {
    of_integers integers;
    of_reals reals;
  };

  /// For keys in [first, last], given as ordered bits. False if they cannot be scaled: all keys are equal or, of
  /// floating-point keys, one is NaN or infinite, or the span or the scale overflows.
  static GIMBAL_DEVICE bool of(const order_type& order, Bits first, Bits last, linear_binning& found)
  {
    return order.is_floating() ? of_values(value_of(order.own(first)), value_of(order.own(last)), found.reals)
                               : of_span(first, static_cast<Bits>(last - first), found.integers);
  }

  /// Scales keys that are given as their own bits.
  template <unsigned Count>
  GIMBAL_DEVICE void scale(const order_type& order, const Bits (&key)[Count], unsigned (&scaled)[Count]) const
  {
    if (order.is_floating()) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Count; ++i) {
        scaled[i] = static_cast<unsigned>((value_of(key[i]) - reals.origin) * reals.scale);
      }
      return;
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Count; ++i) {
      const unsigned upper = upper_bits(static_cast<Bits>(order.flip(key[i]) - integers.least), integers.shift);
      scaled[i] = static_cast<unsigned>(std::uint64_t{upper} * integers.factor >> 31);
    }
  }

private:
  static GIMBAL_DEVICE bool of_span(Bits first, Bits span, of_integers& found)
  {
    if (span == 0) {
      return false;
    }
    found.least = first;
    found.shift = simt::countl_zero(span);
    // Less than 2^63 / (1 + upper bits of the span) by more than the rounding error of a float.
    const auto upper = static_cast<float>(upper_bits(span, found.shift));
    found.factor = static_cast<unsigned>(9.2233e18f / (upper + 512.0f));
    return true;
  }
  static GIMBAL_DEVICE bool of_values(real first, real last, of_reals& found)
  {
    constexpr real most = (::cuda::std::numeric_limits<real>::max)();
    constexpr auto bins_end = static_cast<real>(4.29e9);  // less than 2^32 by more than the rounding error
    found.origin = first;
    const real span = last - first;
    found.scale = bins_end / span;
    return magnitude(span) <= most && magnitude(found.scale) <= most;
  }
  static GIMBAL_DEVICE unsigned upper_bits(Bits difference, unsigned shift)
  {
    return static_cast<unsigned>(static_cast<Bits>(difference << shift) >> (bits - 32));
  }
  static GIMBAL_DEVICE real magnitude(real value) { return value < 0 ? -value : value; }
  static GIMBAL_DEVICE real value_of(Bits own)
  {
    real value;
    std::memcpy(&value, &own, sizeof(value));
    return value;
  }
};

/// A substitute for keys that cannot be binned.
struct no_linear_binning {};

}  // namespace block

namespace algorithm {

/// What a pass by linear bins needs to know.
template <class Bits>
struct radix_linear_bin {
  using binning_type = ::cuda::std::conditional_t<
    block::can_bin_keys_linearly<Bits>, block::linear_binning<Bits>, block::no_linear_binning>;
  static constexpr unsigned bin_shift = 32 - block::radix_bits;

  binning_type binning;
  Bits last_key;
};

/// What a pass ranks keys by: a digit of their ordered bits, from which those of the least key may be subtracted, or
/// their linear bin. Which of the two is tested once for several keys: the code of a pass is the same for both. Keys
/// are given by their own bits.
template <class Bits, bool MayBin>
struct radix_digit_or_bin {
  block::radix_order<Bits> order;
  block::digit_range range;
  Bits least = 0;
  radix_linear_bin<Bits> bin = {};
  bool bins = false;

  GIMBAL_DEVICE bool is_linear_bin() const { return MayBin && bins; }

  /// The bits from which all digits are taken. `by` is the order, as the caller has it.
  template <unsigned Count>
  GIMBAL_DEVICE void bits(const block::radix_order<Bits>& by, const Bits (&key)[Count], Bits (&found)[Count]) const
  {
    by.ordered(key, found);
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Count; ++i) {
      found[i] = static_cast<Bits>(found[i] - least);
    }
  }

  template <unsigned Count>
  GIMBAL_DEVICE void find(const Bits (&key)[Count], unsigned (&digit)[Count]) const
  {
    if constexpr (MayBin) {
      if (bins) {
        bin.binning.scale(order, key, digit);
        GIMBAL_UNROLL
        for (unsigned i = 0; i < Count; ++i) {
          digit[i] >>= radix_linear_bin<Bits>::bin_shift;
        }
        return;
      }
    }
    Bits ordered[Count];
    bits(order, key, ordered);
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Count; ++i) {
      digit[i] = range.digit(ordered[i]);
    }
  }

  /// The key that is ordered last, for padding.
  GIMBAL_DEVICE Bits last() const { return is_linear_bin() ? bin.last_key : order.own(static_cast<Bits>(least - 1)); }
  /// The digit of that key.
  GIMBAL_DEVICE unsigned last_digit() const
  {
    const Bits key[1] = {last()};
    unsigned digit[1];
    find(key, digit);
    return digit[0];
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
