// What the blocks of the radix sort in one launch (radix_resident_sort.cuh) know of their keys: what they rank them by,
// and what they find out and exchange.
//
// Keys are ranked by a digit or by their linear bin. Linear binning scales keys linearly from their range [min, max] to
// 32-bit fixed point, monotonically, so that uniformly distributed keys fall into equally wide bins (the upper bits of
// the scaled key) in equal numbers, whatever their range. Integers are scaled by their upper 32 bits, counted from the
// highest bit in which minimum and maximum differ. Floating-point keys are scaled by value, as uniformly distributed
// values are far from uniform in their bits: a subtraction and a multiplication, both of which round monotonically.
//
// Blocks, which wait for one another, exchange the minimum, the maximum, flags (sortedness among them) and the number
// of duplicates before any key is moved, and in each pass the digit histograms of their shares of the keys. Each block
// publishes what it has found and reads what all others have, in tagged words (grid/launch_plan.h), each of which is
// valid or not as a whole. No other memory is read because of them, so relaxed accesses suffice.
//
// The counts of two digits share a word. Their tables alternate between passes: a block publishes its counts of a pass
// when it has read all those of the pass before, so by then nobody reads the table of two passes before.
//
// sync_team() is a barrier of all members (grid/team.cuh), at most once in a pass. It needs one word per block only: a
// block reaches the barrier of a pass after it has read that pass' counts of all blocks, which these publish when they
// have left the barrier before.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_words.h>

#include <cstring>
#include <cuda/std/limits>
#include <gimbal/grid/exchange.cuh>
#include <gimbal/grid/team.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <class Bits>
inline constexpr bool can_bin_keys_linearly = sizeof(Bits) == 4 || sizeof(Bits) == 8;

/// Linear binning of keys of a type, which serves those for which can_bin_keys_linearly is true.
template <class Bits>
struct linear_binning {
  using order_type = radix_order<Bits>;
  static constexpr unsigned bin_shift = 32 - radix_bits;  ///< a scaled key's bin is what is left of it
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
  Bits last_key;  ///< own bits of the greatest key

  /// For keys in [first, last], given as ordered bits. False if they cannot be scaled: all keys are equal or, of
  /// floating-point keys, one is NaN or infinite, or the span or the scale overflows.
  static GIMBAL_DEVICE bool of(const order_type& order, Bits first, Bits last, linear_binning& found)
  {
    found.last_key = order.own(last);
    return order.is_floating() ? of_values(value_of(order.own(first)), value_of(found.last_key), found.reals)
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

template <unsigned BlockThreads, class Bits>
struct key_range_exchange {
  static constexpr unsigned warps = BlockThreads / simt::warp_threads;
  static constexpr unsigned halves = sizeof(Bits) / 4;  ///< of 32 bits, in the bits of a key
  static constexpr unsigned max_flag = 2;               ///< the highest bit of the flags
  /// Minimum, maximum and flags of some keys; of none, the identity of the reduction.
  struct key_range {
    Bits inverted_min = 0;    ///< complement of the least key's ordered_bits, so that 0 is the identity
    Bits max = 0;             ///< ordered_bits of the greatest key
    unsigned flags = 0;       ///< up to `max_flag`
    unsigned duplicates = 0;  ///< keys that equal another one, among those that were compared

    GIMBAL_DEVICE Bits least() const { return static_cast<Bits>(~inverted_min); }
    GIMBAL_DEVICE void include(Bits bits)
    {
      const auto complement = static_cast<Bits>(~bits);
      inverted_min = inverted_min < complement ? complement : inverted_min;
      max = max < bits ? bits : max;
    }
  };

  using table = exchange<key_range>;
  static constexpr std::size_t word_count(unsigned blocks) { return table::word_count(blocks); }

  struct shared {
    key_range of_warp[warps];
  };

  std::uint64_t* words;
  std::uint32_t tag;

  /// The reduction over all threads of all members. There are no more members than a block has threads.
  template <class Context>
  GIMBAL_DEVICE key_range collect(Context& ctx, shared& smem, const team_member& place, key_range own) const
  {
    GIMBAL_NO_UNROLL
    for (unsigned scope = 0; scope < 2; ++scope) {  // the block's threads, then all blocks, one a thread
      if (scope == 1) {
        own = exchange_with_all(ctx, place, own);
      }
      own = of_warp(ctx, own);
      if (ctx.lane() == 0) {
        smem.of_warp[ctx.warp()] = own;
      }
      ctx.sync_block();  // the ranges of all warps are there
      own = of_warp(ctx, ctx.lane() < warps ? smem.of_warp[ctx.lane()] : key_range{});
      ctx.sync_block();  // every warp has read them
    }
    return own;
  }

private:
  /// Publishes the block's range; gives each thread that of the member with its number.
  template <class Context>
  GIMBAL_DEVICE key_range exchange_with_all(Context& ctx, const team_member& place, const key_range& of_block) const
  {
    const table ranges{words, ctx.blocks()};
    if (ctx.thread() == 0) {
      ranges.write(ctx, place.number, tag, of_block);
    }
    if (ctx.thread() >= place.members) {
      return {};
    }
    return ranges.wait(ctx, ctx.thread(), tag);
  }

  template <class Context>
  static GIMBAL_DEVICE key_range of_warp(Context& ctx, const key_range& own)
  {
    key_range all;
    all.inverted_min = warp_max(ctx, own.inverted_min);
    all.max = warp_max(ctx, own.max);
    GIMBAL_NO_UNROLL
    for (unsigned bit = 1; bit <= max_flag; bit *= 2) {
      all.flags |= ctx.ballot((own.flags & bit) != 0) != 0 ? bit : 0;
    }
    all.duplicates = simt::warp_sum(ctx, own.duplicates);
    return all;
  }
  template <class Context>
  static GIMBAL_DEVICE Bits warp_max(Context& ctx, Bits bits)
  {
    if constexpr (halves == 1) {
      return simt::warp_greatest(ctx, static_cast<std::uint32_t>(bits));
    } else {
      const auto upper = static_cast<std::uint32_t>(bits >> 32);
      const std::uint32_t upper_max = simt::warp_greatest(ctx, upper);
      const auto lower = upper == upper_max ? static_cast<std::uint32_t>(bits) : 0u;
      return Bits{upper_max} << 32 | simt::warp_greatest(ctx, lower);
    }
  }
};

template <unsigned BlockThreads>
struct radix_histogram_exchange {
  static constexpr unsigned pairs = radix_size / 2;  ///< of digits
  /// Slices of the shares, whose counts are added up in parallel.
  static constexpr unsigned slices = BlockThreads >= 4 * pairs ? 4 : BlockThreads >= 2 * pairs ? 2 : 1;
  static constexpr unsigned window = 8;  ///< loads in flight
  static constexpr unsigned max_count = 0xffff;

  struct shared {
    unsigned own[radix_size];             ///< keys of this share
    unsigned before[slices][radix_size];  ///< keys of the slice's shares before this one
    unsigned all[slices][radix_size];     ///< keys of all shares of the slice
  };

  std::uint64_t* words;
  std::uint32_t first_tag;

  static constexpr std::size_t word_count(unsigned blocks) { return std::size_t{blocks} * (2 * pairs + 1); }

  /// A barrier must separate it from the last write to `own`.
  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, const shared& smem, unsigned pass, unsigned share) const
  {
    for (unsigned pair = ctx.thread(); pair < pairs; pair += BlockThreads) {
      const unsigned counts = smem.own[2 * pair] | smem.own[2 * pair + 1] << 16;
      ctx.atomic(words_of(ctx, pass, share)[pair])
        .store(std::uint64_t{counts} << 32 | (first_tag + pass), ::cuda::std::memory_order_relaxed);
    }
  }

  /// Waits for all shares, which are as many as there are blocks or fewer; fills `before` of the given one, and `all`.
  template <class Context>
  GIMBAL_DEVICE void collect(Context& ctx, shared& smem, unsigned pass, unsigned share, unsigned shares) const
  {
    for (unsigned w = ctx.thread(); w < slices * pairs; w += BlockThreads) {
      const unsigned pair = w % pairs;
      const unsigned slice = w / pairs;
      const unsigned slice_shares = (shares + slices - 1) / slices;
      const unsigned end = (slice + 1) * slice_shares < shares ? (slice + 1) * slice_shares : shares;
      unsigned before[2] = {};
      unsigned all[2] = {};
      for (unsigned b = slice * slice_shares; b < end; b += window) {
        unsigned counts[window];
        read_counts(ctx, pass, pair, b, end, counts);
        GIMBAL_UNROLL
        for (unsigned k = 0; k < window; ++k) {
          const unsigned low = counts[k] & 0xffffu;
          const unsigned high = counts[k] >> 16;
          const bool is_before = b + k < share;
          before[0] += is_before ? low : 0;
          before[1] += is_before ? high : 0;
          all[0] += low;
          all[1] += high;
        }
      }
      for (unsigned d = 0; d < 2; ++d) {
        smem.before[slice][2 * pair + d] = before[d];
        smem.all[slice][2 * pair + d] = all[d];
      }
    }
  }

  /// The same for a block that sorts alone.
  template <class Context>
  static GIMBAL_DEVICE void use_own(Context& ctx, shared& smem)
  {
    for (unsigned w = ctx.thread(); w < slices * radix_size; w += BlockThreads) {
      const unsigned digit = w % radix_size;
      const unsigned slice = w / radix_size;
      smem.before[slice][digit] = 0;
      smem.all[slice][digit] = slice == 0 ? smem.own[digit] : 0;
    }
  }

  /// The digit's counts of all slices; a barrier must have ordered them.
  static GIMBAL_DEVICE unsigned sum(const unsigned (&of_slice)[slices][radix_size], unsigned digit)
  {
    unsigned total = 0;
    GIMBAL_UNROLL
    for (unsigned slice = 0; slice < slices; ++slice) {
      total += of_slice[slice][digit];
    }
    return total;
  }

  /// A barrier of all members, after which what they wrote can be read.
  template <class Context>
  GIMBAL_DEVICE void sync_team(Context& ctx, unsigned pass, const team_member& place) const
  {
    const grid_barrier barrier{words + std::size_t{ctx.blocks()} * (2 * pairs), first_tag + pass};
    barrier.arrive(ctx, place);
    barrier.wait(ctx, place);
  }

private:
  /// A share's counts of a pass: a word for each pair of digits.
  template <class Context>
  GIMBAL_DEVICE std::uint64_t* words_of(const Context& ctx, unsigned pass, unsigned share) const
  {
    return words + (pass % 2 * ctx.blocks() + share) * pairs;
  }

  /// counts[k] = those of share first + k, 0 from `end` on.
  template <class Context>
  GIMBAL_DEVICE void read_counts(
    Context& ctx, unsigned pass, unsigned pair, unsigned first, unsigned end, unsigned (&counts)[window]) const
  {
    const std::uint32_t tag = first_tag + pass;
    std::uint64_t* const of_pair = words_of(ctx, pass, first) + pair;
    std::uint64_t read[window];
    GIMBAL_UNROLL
    for (unsigned k = 0; k < window; ++k) {
      read[k] = tag;
      if (first + k < end) {
        read[k] = ctx.atomic(of_pair[k * pairs]).load(::cuda::std::memory_order_relaxed);
      }
    }
    GIMBAL_UNROLL
    for (unsigned k = 0; k < window; ++k) {
      while (static_cast<std::uint32_t>(read[k]) != tag) {
        ctx.spin_wait();
        read[k] = ctx.atomic(of_pair[k * pairs]).load(::cuda::std::memory_order_relaxed);
      }
      counts[k] = static_cast<unsigned>(read[k] >> 32);
    }
  }
};

}  // namespace block

namespace algorithm {

/// What a pass ranks keys by: a digit of their ordered bits, from which those of the least key may be subtracted, or
/// their linear bin. Which of the two is tested once for several keys: the code of a pass is the same for both. Keys
/// are given by their own bits.
template <class Bits, bool MayBin>
struct radix_digit_or_bin {
  block::radix_order<Bits> order;
  block::digit_range range;
  Bits least = 0;
  block::linear_binning<Bits> binning = {};
  bool bins = false;

  GIMBAL_DEVICE bool is_linear_bin() const { return MayBin && bins; }

  template <unsigned Count>
  GIMBAL_DEVICE void find(const Bits (&key)[Count], unsigned (&digit)[Count]) const
  {
    if constexpr (MayBin) {
      if (bins) {
        binning.scale(order, key, digit);
        GIMBAL_UNROLL
        for (unsigned i = 0; i < Count; ++i) {
          digit[i] >>= block::linear_binning<Bits>::bin_shift;
        }
        return;
      }
    }
    Bits ordered[Count];
    order.ordered(key, ordered);
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Count; ++i) {
      digit[i] = range.digit(static_cast<Bits>(ordered[i] - least));
    }
  }

  /// The key that is ordered last, for padding.
  GIMBAL_DEVICE Bits last() const
  {
    return is_linear_bin() ? binning.last_key : order.own(static_cast<Bits>(least - 1));
  }
  /// The digit of that key.
  GIMBAL_DEVICE unsigned last_digit() const
  {
    const Bits key[1] = {last()};
    unsigned digit[1];
    find(key, digit);
    return digit[0];
  }
};

/// Flag: two neighbours are out of order.
inline constexpr unsigned flag_out_of_order = 1;

/// Returns that flag, or 0, from comparing each of a warp's keys with the next one by the bits that the plan sorts by.
/// key[i] is the key at `mine` + 32 i in `source`, which has `n`. The same in all lanes.
template <unsigned Count, class Context, class Source, class Bits>
GIMBAL_DEVICE unsigned test_order(
  Context& ctx, const block::radix_order<Bits>& order, const Source& source, index_type mine, index_type n,
  const block::digit_plan& plan, const Bits (&key)[Count])
{
  const Bits sorted = plan.template sorted_mask<Bits>();
  const auto bits_of = [&](Bits own) { return static_cast<Bits>(order.ordered(own) & sorted); };
  // Most unsorted inputs show it in a few keys, which are already in registers.
  const Bits first = bits_of(key[0]);
  const Bits next = ctx.shfl_down(first, 1);
  const bool has_next = mine + 1 < n && ctx.lane() + 1 < simt::warp_threads;
  if (ctx.ballot(has_next && first > next) != 0) {
    return flag_out_of_order;
  }
  bool descends = false;
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Count; ++i) {
    const index_type behind = mine + i * simt::warp_threads + 1;
    if (behind < n) {
      descends = descends || bits_of(key[i]) > bits_of(block::load_as<Bits>(source + behind));
    }
  }
  return ctx.ballot(descends) != 0 ? flag_out_of_order : 0;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
