// A barrier between the reading and the writing of a launch that works in place, for blocks that need not all be
// resident.
//
// Each block enters when it begins, arrives when it has read its input, with a value for the others, and waits for all
// of them. On a GPU with room for all blocks that is a grid barrier. Where other kernels hold a part of the GPU, some
// blocks begin only when others have ended: one that has looked `most_looks` times closes the entrance, unless all have
// entered. Then no block waits any more: each leaves its results in a buffer, and the last of all to leave, when all
// have read and nobody works any more, writes them.
//
// All blocks agree on which it is. If the entrance was never closed, no wait fails. If it was, some block entered
// later, and says so with its value: a block that has all values has that one's, too.
//
// Progress: a wait ends when all blocks have arrived, which have begun, or when the entrance is closed, which any block
// can do while one is missing.
//
// Memory order: values are exchanged with release and acquire (exchange.cuh), so what a block has read comes before
// what any block writes that has waited successfully. A block leaves with release and acquire, so the last one sees the
// buffers of all others.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/grid/exchange.cuh>
#include <gimbal/grid/team.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

struct reader_barrier {
  using aggregates_type = exchange<std::uint32_t, true>;

  /// All zero between launches.
  struct counters {
    unsigned entered;
    unsigned left;
  };

  counters* count = nullptr;
  aggregates_type values = {};  ///< of 31 bits
  std::uint32_t tag = 0;
  unsigned most_looks = 0;

  static GIMBAL_HOST_DEVICE constexpr std::size_t word_count(std::size_t blocks)
  {
    return aggregates_type::word_count(blocks);
  }
  /// In the first words that a launch of so many blocks has taken.
  static reader_barrier of(const launch_words& words, unsigned blocks)
  {
    return {words.counters<counters>(), {words.words(), blocks}, words.first_tag(), tuning::most_team_looks(1)};
  }

  /// By one thread of each block, early: what arrive() needs.
  template <class Context>
  GIMBAL_DEVICE unsigned enter(Context& ctx) const
  {
    return ctx.atomic(count->entered).fetch_add(1u, ::cuda::std::memory_order_relaxed);
  }

  /// By the same thread, after a barrier of the block that its loads precede.
  template <class Context>
  GIMBAL_DEVICE void arrive(Context& ctx, unsigned order, std::uint32_t value = 0) const
  {
    if (order + 1 == ctx.blocks()) {  // and so not closed
      ctx.atomic(count->entered).store(0u, ::cuda::std::memory_order_relaxed);
    }
    values.write(ctx, ctx.block(), tag, value | (order & closed));
  }

  /// By all lanes of a warp: `visit(block, value)` for the values of all blocks, as they arrive, divided between the
  /// lanes. False if the block is to leave its results in a buffer, to all lanes.
  template <class Context, class Visit>
  GIMBAL_DEVICE bool wait(Context& ctx, Visit visit) const
  {
    unsigned looks = 0;
    std::uint32_t all_values = 0;
    const bool arrived = values.visit(
      ctx, tag,
      [&](unsigned b, std::uint32_t value) {
        all_values |= value;
        visit(b, value & ~closed);
      },
      [&] { return ++looks <= most_looks || ctx.ballot(ctx.lane() == 0 && is_closed(ctx)) == 0; });
    return ctx.ballot(!arrived || (all_values & closed) != 0) == 0;
  }
  /// The same when all have arrived, by the last block.
  template <class Context, class Visit>
  GIMBAL_DEVICE void visit(Context& ctx, Visit visit) const
  {
    values.visit(
      ctx, tag, [&](unsigned b, std::uint32_t value) { visit(b, value & ~closed); }, [] { return true; });
  }

  /// By one thread of each block whose wait has failed, after a barrier of the block that its stores to the buffer
  /// precede. True if the block is the last one: it writes all results, and reads the buffers after another barrier of
  /// the block.
  template <class Context>
  GIMBAL_DEVICE bool leave(Context& ctx) const
  {
    if (ctx.atomic(count->left).fetch_add(1u, ::cuda::std::memory_order_acq_rel) + 1 != ctx.blocks()) {
      return false;
    }
    ctx.atomic(count->entered).store(0u, ::cuda::std::memory_order_relaxed);
    ctx.atomic(count->left).store(0u, ::cuda::std::memory_order_relaxed);
    return true;
  }

private:
  static constexpr unsigned closed = 1u << 31;

  /// Closes the entrance unless all blocks have entered: then the count is theirs, or has been cleared.
  template <class Context>
  GIMBAL_DEVICE bool is_closed(Context& ctx) const
  {
    unsigned entered = ctx.atomic(count->entered).load(::cuda::std::memory_order_relaxed);
    while ((entered & closed) == 0) {
      if (entered == 0 || entered == ctx.blocks()) {
        return false;
      }
      if (ctx.atomic(count->entered)
            .compare_exchange_strong(
              entered, entered | closed, ::cuda::std::memory_order_relaxed, ::cuda::std::memory_order_relaxed)) {
        return true;
      }
    }
    return true;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
