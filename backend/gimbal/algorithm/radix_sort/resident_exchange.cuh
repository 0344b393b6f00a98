// What the blocks of the radix sort in one launch (radix_resident_sort.cuh), which wait for one another, find out about
// their keys and exchange: before any key is moved minimum, maximum, flags (sortedness among them) and number of
// duplicates; in each pass the digit histograms of their shares of the keys.
//
// Each block publishes what it has found and reads what all others have, in tagged words (grid/launch_plan.h), each
// of which is valid or not as a whole. No other memory is read because of them, so relaxed accesses suffice.
//
// The counts of two digits share a word. Their tables alternate between passes: a block publishes its counts of a pass
// when it has read all those of the pass before, so by then nobody reads the table of two passes before.
//
// sync_team() is a barrier of all members (grid/team.cuh), at most once in a pass. It needs one word per block
// only: a block reaches the barrier of a pass after it has read that pass' counts of all blocks, which these publish
// when they have left the barrier before.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_words.h>

#include <gimbal/grid/team.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <unsigned BlockThreads, class Bits>
struct key_range_exchange {
  static constexpr unsigned warps = BlockThreads / simt::warp_threads;
  static constexpr unsigned halves = sizeof(Bits) / 4;  ///< of 32 bits, in the bits of a key
  static constexpr unsigned max_flag = 2;               ///< the highest bit of the flags
  static constexpr unsigned words_per_block = 2 * halves + 1;
  static constexpr std::size_t word_count(unsigned blocks) { return std::size_t{blocks} * words_per_block; }

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

  struct shared {
    key_range of_warp[warps];
  };

  std::uint64_t* words;
  std::uint32_t tag;

  /// The reduction over all threads of all members. There are no more members than a block has threads.
  template <class Context>
  GIMBAL_DEVICE key_range collect(Context& ctx, shared& smem, const team_place& place, key_range own) const
  {
    GIMBAL_NO_UNROLL
    for (unsigned scope = 0; scope < 2; ++scope) {  // the block's threads, then all blocks, one a thread
      if (scope == 1) {
        publish(ctx, place.number, own);
        own = ctx.thread() < place.members ? read(ctx, ctx.thread()) : key_range{};
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

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, unsigned member, const key_range& of_block) const
  {
    std::uint32_t data = of_block.flags | of_block.duplicates << 8;
    if (ctx.thread() >= 1 && ctx.thread() < words_per_block) {
      const unsigned half = ctx.thread() - 1;
      data = static_cast<std::uint32_t>((half < halves ? of_block.inverted_min : of_block.max) >> 32 * (half % halves));
    }
    if (ctx.thread() < words_per_block) {
      word_at(ctx, member, ctx.thread()).store(std::uint64_t{data} << 32 | tag, ::cuda::std::memory_order_relaxed);
    }
  }

  template <class Context>
  GIMBAL_DEVICE key_range read(Context& ctx, unsigned block) const
  {
    std::uint64_t data[words_per_block];
    GIMBAL_UNROLL
    for (unsigned w = 0; w < words_per_block; ++w) {
      data[w] = word_at(ctx, block, w).load(::cuda::std::memory_order_relaxed);
    }
    GIMBAL_UNROLL
    for (unsigned w = 0; w < words_per_block; ++w) {
      while (static_cast<std::uint32_t>(data[w]) != tag) {
        ctx.spin_wait();
        data[w] = word_at(ctx, block, w).load(::cuda::std::memory_order_relaxed);
      }
    }
    key_range range;
    range.flags = static_cast<unsigned>(data[0] >> 32) & 0xff;
    range.duplicates = static_cast<unsigned>(data[0] >> 40);
    GIMBAL_UNROLL
    for (unsigned half = 0; half < halves; ++half) {
      range.inverted_min |= static_cast<Bits>(static_cast<Bits>(data[1 + half] >> 32) << 32 * half);
      range.max |= static_cast<Bits>(static_cast<Bits>(data[1 + halves + half] >> 32) << 32 * half);
    }
    return range;
  }

  template <class Context>
  GIMBAL_DEVICE auto word_at(Context& ctx, unsigned block, unsigned which) const
  {
    return ctx.atomic(words[which * ctx.blocks() + block]);
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
      word_at(ctx, pass, share, pair)
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
  GIMBAL_DEVICE void sync_team(Context& ctx, unsigned pass, const team_place& place) const
  {
    const grid_barrier barrier{words + std::size_t{ctx.blocks()} * (2 * pairs), first_tag + pass};
    barrier.arrive(ctx, place);
    barrier.wait(ctx, place);
  }

private:
  template <class Context>
  GIMBAL_DEVICE auto word_at(Context& ctx, unsigned pass, unsigned block, unsigned pair) const
  {
    return ctx.atomic(words[(std::size_t{pass % 2} * ctx.blocks() + block) * pairs + pair]);
  }

  /// counts[k] = those of share first + k, 0 from `end` on.
  template <class Context>
  GIMBAL_DEVICE void read_counts(
    Context& ctx, unsigned pass, unsigned pair, unsigned first, unsigned end, unsigned (&counts)[window]) const
  {
    const std::uint32_t tag = first_tag + pass;
    std::uint64_t read[window];
    GIMBAL_UNROLL
    for (unsigned k = 0; k < window; ++k) {
      read[k] = tag;
      if (first + k < end) {
        read[k] = word_at(ctx, pass, first + k, pair).load(::cuda::std::memory_order_relaxed);
      }
    }
    GIMBAL_UNROLL
    for (unsigned k = 0; k < window; ++k) {
      while (static_cast<std::uint32_t>(read[k]) != tag) {
        ctx.spin_wait();
        read[k] = word_at(ctx, pass, first + k, pair).load(::cuda::std::memory_order_relaxed);
      }
      counts[k] = static_cast<unsigned>(read[k] >> 32);
    }
  }
};

}  // namespace block

namespace algorithm {

/// Flag: two neighbours are out of order.
inline constexpr unsigned flag_out_of_order = 1;

/// Returns that flag, or 0, from comparing each of a warp's keys with the next one by the bits that the plan sorts by.
/// key[i] is the key at `mine` + 32 i in `source`, which has `n`. The same in all lanes.
template <unsigned Count, class Context, class Source, class Bits>
GIMBAL_DEVICE unsigned test_order(
  Context& ctx, const block::radix_order<Bits>& order, const Source& source, index_type mine, unsigned n,
  const block::digit_plan& plan, const Bits (&key)[Count])
{
  const Bits sorted = plan.template sorted_mask<Bits>();
  const auto bits_of = [&](Bits own) { return static_cast<Bits>(order.ordered(own) & sorted); };
  // Most unsorted inputs show it in a few keys, which are already in registers.
  const Bits first = bits_of(key[0]);
  const Bits next = ctx.shfl_down(first, 1);
  const bool has_next = mine + 1 < index_type{n} && ctx.lane() + 1 < simt::warp_threads;
  if (ctx.ballot(has_next && first > next) != 0) {
    return flag_out_of_order;
  }
  bool descends = false;
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Count; ++i) {
    const index_type behind = mine + i * simt::warp_threads + 1;
    if (behind < index_type{n}) {
      descends = descends || bits_of(key[i]) > bits_of(block::load_as<Bits>(source + behind));
    }
  }
  return ctx.ballot(descends) != 0 ? flag_out_of_order : 0;
}

/// 1 for each lane whose key a lower lane has, too. `exists` is false in lanes without a key.
template <class Context, class Bits>
GIMBAL_DEVICE unsigned count_duplicates(Context& ctx, Bits ordered, bool exists)
{
  const unsigned peers = ctx.match_any(ordered) & ctx.ballot(exists);
  return exists && (peers & ((1u << ctx.lane()) - 1)) != 0 ? 1 : 0;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
