// Digit histograms of a launch whose blocks wait for one another: each block publishes the histogram of its share of the keys and
// reads those of all shares. A block may also publish flags about the input, whose union all blocks get with the counts of the first
// pass.
//
// The counts of two digits share a tagged word (retained_words.h), which is valid or not as a whole. With relaxed accesses no other
// memory may be read on the strength of it. Tables alternate between passes: a block
// publishes its counts of a pass when it has read all those of the pass before, so by then nobody reads the table of two
// passes before.
//
// sync_team() is a barrier of all members (grid/grid_barrier.cuh), at most once in a pass. It needs one word per block only: a block
// reaches the barrier of a pass after it has read that pass' counts of all blocks, which these publish when they have left
// the barrier before.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/grid/grid_barrier.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

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
    unsigned flags;                       ///< union of the blocks' flags; 0 at first
  };

  std::uint64_t* words;
  std::uint32_t first_tag;

  static constexpr std::size_t word_count(unsigned blocks) { return std::size_t{blocks} * (2 * pairs + 2); }

  /// After a barrier behind the last write to `own`.
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

  /// The member's flags, once.
  template <class Context>
  GIMBAL_DEVICE void publish_flags(Context& ctx, unsigned member, unsigned flags) const
  {
    if (ctx.thread() == 0) {
      flag_word(ctx, member).store(std::uint64_t{flags} << 32 | first_tag, ::cuda::std::memory_order_relaxed);
    }
  }

  /// Waits for all members; leaves the union of their flags in `smem.flags`.
  template <class Context>
  GIMBAL_DEVICE void collect_flags(Context& ctx, shared& smem, unsigned members) const
  {
    for (unsigned b = ctx.thread(); b < members; b += BlockThreads) {
      std::uint64_t read = 0;
      while (static_cast<std::uint32_t>(read = flag_word(ctx, b).load(::cuda::std::memory_order_relaxed))
             != first_tag) {
        ctx.spin_wait();
      }
      ctx.atomic_shared(smem.flags).fetch_or(static_cast<unsigned>(read >> 32), ::cuda::std::memory_order_relaxed);
    }
  }

  /// The digit's counts of all slices, after a barrier.
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

  template <class Context>
  GIMBAL_DEVICE auto flag_word(Context& ctx, unsigned block) const
  {
    return ctx.atomic(words[std::size_t{ctx.blocks()} * (2 * pairs + 1) + block]);
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

GIMBAL_NAMESPACE_END
