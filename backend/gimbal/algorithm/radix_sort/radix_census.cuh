// How the blocks of one launch count the digits of all their keys together: for each share of the keys, of which there are as many
// as blocks, somebody publishes how many keys it has with every digit, and whoever needs them reads what is published of all. Either
// all blocks belong to a team (grid/team.cuh), each with a share, or its members have several each.
//
// Besides, a block may note something of the input, which all learn with the counts of the first pass.
//
// The counts of two digits share a tagged word (retained_words.h), which is valid or not as a whole, and no other
// memory is read on the strength of it: relaxed accesses suffice, unless it is asked for more. A table takes the tags of every second pass: a block
// publishes its counts of a pass when it has read all those of the pass before, so by then nobody reads the table of
// two passes before.
//
// `join` is a barrier of all members (grid/grid_barrier.cuh). A block joins once in a pass that
// has been counted since the last time, and was counted by blocks that had left the barrier before; so one word per
// block suffices.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/grid/grid_barrier.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <unsigned BlockThreads>
struct radix_census {
  static constexpr unsigned pairs = radix_size / 2;  ///< of digits
  /// Parts in which the blocks' counts are added up side by side.
  static constexpr unsigned parts = BlockThreads >= 4 * pairs ? 4 : BlockThreads >= 2 * pairs ? 2 : 1;
  static constexpr unsigned window = 8;  ///< words asked for at a time
  static constexpr unsigned most_count = 0xffff;

  struct shared {
    unsigned own[radix_size];            ///< keys of this share
    unsigned before[parts][radix_size];  ///< of the part's shares that come before this one
    unsigned all[parts][radix_size];     ///< of all shares of the part
    unsigned noted;                      ///< what the blocks have noted of the input; 0 at first
  };

  std::uint64_t* words;
  std::uint32_t first_tag;

  static constexpr std::size_t word_count(unsigned blocks) { return std::size_t{blocks} * (2 * pairs + 2); }

  /// After a barrier behind the last write to `own`. OrdersMemory: what the block has read and written before comes before what
  /// any block does that has collected.
  template <bool OrdersMemory = false, class Context>
  GIMBAL_DEVICE void publish(Context& ctx, const shared& smem, unsigned pass, unsigned share) const
  {
    constexpr auto order = OrdersMemory ? ::cuda::std::memory_order_release : ::cuda::std::memory_order_relaxed;
    for (unsigned pair = ctx.thread(); pair < pairs; pair += BlockThreads) {
      const unsigned counts = smem.own[2 * pair] | smem.own[2 * pair + 1] << 16;
      word(ctx, pass, share, pair).store(std::uint64_t{counts} << 32 | (first_tag + pass), order);
    }
  }

  /// Fills `before`, of that share, and `all`.
  template <bool OrdersMemory = false, class Context>
  GIMBAL_DEVICE void collect(Context& ctx, shared& smem, unsigned pass, unsigned share) const
  {
    for (unsigned w = ctx.thread(); w < parts * pairs; w += BlockThreads) {
      const unsigned pair = w % pairs;
      const unsigned part = w / pairs;
      const unsigned part_blocks = (ctx.blocks() + parts - 1) / parts;
      const unsigned end = (part + 1) * part_blocks < ctx.blocks() ? (part + 1) * part_blocks : ctx.blocks();
      unsigned before[2] = {};
      unsigned all[2] = {};
      for (unsigned b = part * part_blocks; b < end; b += window) {
        unsigned counts[window];
        read_counts<OrdersMemory>(ctx, pass, pair, b, end, counts);
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
        smem.before[part][2 * pair + d] = before[d];
        smem.all[part][2 * pair + d] = all[d];
      }
    }
  }

  /// The same of a block that sorts alone.
  template <class Context>
  static GIMBAL_DEVICE void take_own(Context& ctx, shared& smem)
  {
    for (unsigned w = ctx.thread(); w < parts * radix_size; w += BlockThreads) {
      const unsigned digit = w % radix_size;
      const unsigned part = w / radix_size;
      smem.before[part][digit] = 0;
      smem.all[part][digit] = part == 0 ? smem.own[digit] : 0;
    }
  }

  /// What the block has to tell of the input, bit by bit, once.
  template <class Context>
  GIMBAL_DEVICE void publish_note(Context& ctx, unsigned noted) const
  {
    if (ctx.thread() == 0) {
      note(ctx, ctx.block()).store(std::uint64_t{noted} << 32 | first_tag, ::cuda::std::memory_order_relaxed);
    }
  }

  /// All bits that some block has published, in `noted`.
  template <class Context>
  GIMBAL_DEVICE void collect_notes(Context& ctx, shared& smem) const
  {
    for (unsigned b = ctx.thread(); b < ctx.blocks(); b += BlockThreads) {
      std::uint64_t read = 0;
      while (static_cast<std::uint32_t>(read = note(ctx, b).load(::cuda::std::memory_order_relaxed)) != first_tag) {
        ctx.spin_wait();
      }
      ctx.atomic_shared(smem.noted).fetch_or(static_cast<unsigned>(read >> 32), ::cuda::std::memory_order_relaxed);
    }
  }

  /// The digit's counts of all parts, after a barrier.
  static GIMBAL_DEVICE unsigned sum(const unsigned (&of_part)[parts][radix_size], unsigned digit)
  {
    unsigned total = 0;
    GIMBAL_UNROLL
    for (unsigned part = 0; part < parts; ++part) {
      total += of_part[part][digit];
    }
    return total;
  }

  /// Wait for all members; what they wrote before can be read then.
  template <class Context>
  GIMBAL_DEVICE void join(Context& ctx, unsigned pass, const team_place& place) const
  {
    const grid_barrier joined{words + std::size_t{ctx.blocks()} * (2 * pairs), first_tag + pass};
    joined.arrive(ctx, place);
    joined.wait(ctx, place);
  }

private:
  template <class Context>
  GIMBAL_DEVICE auto word(Context& ctx, unsigned pass, unsigned block, unsigned pair) const
  {
    return ctx.atomic(words[(std::size_t{pass % 2} * ctx.blocks() + block) * pairs + pair]);
  }

  template <class Context>
  GIMBAL_DEVICE auto note(Context& ctx, unsigned block) const
  {
    return ctx.atomic(words[std::size_t{ctx.blocks()} * (2 * pairs + 1) + block]);
  }

  /// counts[k] = those of block first + k, 0 from `end` on.
  template <bool OrdersMemory, class Context>
  GIMBAL_DEVICE void read_counts(
    Context& ctx, unsigned pass, unsigned pair, unsigned first, unsigned end, unsigned (&counts)[window]) const
  {
    constexpr auto order = OrdersMemory ? ::cuda::std::memory_order_acquire : ::cuda::std::memory_order_relaxed;
    const std::uint32_t tag = first_tag + pass;
    std::uint64_t read[window];
    GIMBAL_UNROLL
    for (unsigned k = 0; k < window; ++k) {
      read[k] = tag;
      if (first + k < end) {
        read[k] = word(ctx, pass, first + k, pair).load(order);
      }
    }
    GIMBAL_UNROLL
    for (unsigned k = 0; k < window; ++k) {
      while (static_cast<std::uint32_t>(read[k]) != tag) {
        ctx.spin_wait();
        read[k] = word(ctx, pass, first + k, pair).load(order);
      }
      counts[k] = static_cast<unsigned>(read[k] >> 32);
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
