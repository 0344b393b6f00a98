// Minimum, maximum, flags (sortedness among them) and number of duplicates of all keys of a launch whose blocks wait for one another,
// before any key is moved.
//
// Each block publishes what it has found and reads what all others have, in tagged words (retained_words.h), each of which is
// valid or not as a whole. No other memory is read on the strength of them, so relaxed accesses suffice.
#pragma once

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

  /// Of some keys; of none, the identity of the reduction.
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

}  // namespace block

GIMBAL_NAMESPACE_END
