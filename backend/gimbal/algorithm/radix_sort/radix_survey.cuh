// What all blocks of one launch, which run at the same time, find out of their keys together before any of these is moved.
//
// Each block publishes what it has found and reads what all others have: in tagged words (retained_words.h), each of which is
// valid or not as a whole. No other memory is read on the strength of them, so relaxed accesses suffice.
#pragma once

#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <unsigned BlockThreads, class Bits>
struct radix_survey {
  static constexpr unsigned warps = BlockThreads / simt::warp_threads;
  static constexpr unsigned halves = sizeof(Bits) / 4;  ///< of 32 bits, in the bits of a key
  static constexpr unsigned most_seen = 2;              ///< of the bits of notes
  static constexpr unsigned words_per_block = 2 * halves + 1;
  static constexpr std::size_t word_count(unsigned blocks) { return std::size_t{blocks} * words_per_block; }

  /// Of some keys. Those of none are the second operand of fold() that changes nothing.
  struct findings {
    Bits not_least = 0;   ///< ordered_bits of the first key, complemented
    Bits last = 0;        ///< of the last key
    unsigned seen = 0;    ///< notes, bit by bit, up to `most_seen`
    unsigned equals = 0;  ///< keys that equal another one, of those that were compared

    GIMBAL_DEVICE Bits least() const { return static_cast<Bits>(~not_least); }
    GIMBAL_DEVICE void add(Bits bits)
    {
      const auto complement = static_cast<Bits>(~bits);
      not_least = not_least < complement ? complement : not_least;
      last = last < bits ? bits : last;
    }
  };

  struct shared {
    findings of_warp[warps];
  };

  std::uint64_t* words;
  std::uint32_t tag;

  /// Findings of all threads of all blocks. There are no more blocks than a block has threads.
  template <class Context>
  GIMBAL_DEVICE findings collect(Context& ctx, shared& smem, findings own) const
  {
    GIMBAL_NO_UNROLL
    for (unsigned scope = 0; scope < 2; ++scope) {  // the block's threads, then blocks, one a thread
      if (scope == 1) {
        publish(ctx, own);
        own = ctx.thread() < ctx.blocks() ? read(ctx, ctx.thread()) : findings{};
      }
      own = of_warp(ctx, own);
      if (ctx.lane() == 0) {
        smem.of_warp[ctx.warp()] = own;
      }
      ctx.sync_block();  // the findings of all warps are there
      own = of_warp(ctx, ctx.lane() < warps ? smem.of_warp[ctx.lane()] : findings{});
      ctx.sync_block();  // every warp has read them
    }
    return own;
  }

private:
  template <class Context>
  static GIMBAL_DEVICE findings of_warp(Context& ctx, const findings& own)
  {
    findings all;
    all.not_least = greatest(ctx, own.not_least);
    all.last = greatest(ctx, own.last);
    GIMBAL_NO_UNROLL
    for (unsigned bit = 1; bit <= most_seen; bit *= 2) {
      all.seen |= ctx.ballot((own.seen & bit) != 0) != 0 ? bit : 0;
    }
    all.equals = simt::warp_sum(ctx, own.equals);
    return all;
  }
  template <class Context>
  static GIMBAL_DEVICE Bits greatest(Context& ctx, Bits bits)
  {
    if constexpr (halves == 1) {
      return simt::warp_greatest(ctx, static_cast<std::uint32_t>(bits));
    } else {
      const auto upper = static_cast<std::uint32_t>(bits >> 32);
      const std::uint32_t most = simt::warp_greatest(ctx, upper);
      const auto lower = upper == most ? static_cast<std::uint32_t>(bits) : 0u;
      return Bits{most} << 32 | simt::warp_greatest(ctx, lower);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, const findings& of_block) const
  {
    std::uint32_t told = of_block.seen | of_block.equals << 8;
    if (ctx.thread() >= 1 && ctx.thread() < words_per_block) {
      const unsigned half = ctx.thread() - 1;
      told = static_cast<std::uint32_t>((half < halves ? of_block.not_least : of_block.last) >> 32 * (half % halves));
    }
    if (ctx.thread() < words_per_block) {
      word(ctx, ctx.block(), ctx.thread()).store(std::uint64_t{told} << 32 | tag, ::cuda::std::memory_order_relaxed);
    }
  }

  template <class Context>
  GIMBAL_DEVICE findings read(Context& ctx, unsigned block) const
  {
    std::uint64_t told[words_per_block];
    GIMBAL_UNROLL
    for (unsigned w = 0; w < words_per_block; ++w) {
      told[w] = word(ctx, block, w).load(::cuda::std::memory_order_relaxed);
    }
    GIMBAL_UNROLL
    for (unsigned w = 0; w < words_per_block; ++w) {
      while (static_cast<std::uint32_t>(told[w]) != tag) {
        ctx.spin_wait();
        told[w] = word(ctx, block, w).load(::cuda::std::memory_order_relaxed);
      }
    }
    findings found;
    found.seen = static_cast<unsigned>(told[0] >> 32) & 0xff;
    found.equals = static_cast<unsigned>(told[0] >> 40);
    GIMBAL_UNROLL
    for (unsigned half = 0; half < halves; ++half) {
      found.not_least |= static_cast<Bits>(static_cast<Bits>(told[1 + half] >> 32) << 32 * half);
      found.last |= static_cast<Bits>(static_cast<Bits>(told[1 + halves + half] >> 32) << 32 * half);
    }
    return found;
  }

  template <class Context>
  GIMBAL_DEVICE auto word(Context& ctx, unsigned block, unsigned which) const
  {
    return ctx.atomic(words[which * ctx.blocks() + block]);
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
