// A barrier between the reading and the writing of a launch that works in place, for blocks that need not all be
// resident.
//
// Each block joins a team (team.cuh) when it begins, arrives when it has read its input, with a value for the others,
// and waits for all of them. On a GPU with room for all blocks that is a grid barrier. Where other kernels hold a part
// of the GPU, some blocks begin only when others have ended: one that has looked `most_looks` times closes the team,
// unless all have joined. Then no block waits any more: each leaves its results in a buffer, and the last of all to
// leave, when all have read and nobody works any more, writes them.
//
// All blocks agree on which it is. If the team was never closed, no wait fails. If it was, some block joined later, and
// says so with its value: a block that has all values has that one's, too.
//
// Progress: a wait ends when all blocks have arrived, which have begun, or when the team is closed, which any block can
// do while one is missing.
//
// Memory order: values are exchanged with release and acquire (exchange.cuh), so what a block has read comes before
// what any block writes that has waited successfully. What blocks have stored to their buffers comes before what the
// last one to leave does (team.cuh).
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/grid/exchange.cuh>
#include <gimbal/grid/team.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

struct reader_barrier {
  using aggregates_type = exchange<std::uint32_t, true>;

  team readers = {};
  aggregates_type values = {};  ///< of 31 bits
  std::uint32_t tag = 0;

  static GIMBAL_HOST_DEVICE constexpr std::size_t word_count(std::size_t blocks)
  {
    return aggregates_type::word_count(blocks);
  }
  /// In the first words that a launch of so many blocks has taken.
  static reader_barrier of(const launch_words& words, unsigned blocks)
  {
    return {words.team(tuning::most_team_looks(1)), {words.words(), blocks}, words.first_tag()};
  }

  /// By the thread that has joined, after a barrier of the block that its loads precede.
  template <class Context>
  GIMBAL_DEVICE void arrive(Context& ctx, unsigned order, std::uint32_t value = 0) const
  {
    readers.reopen(ctx, {order, order + 1});  // if all have joined, and so none can close the team
    values.write(ctx, ctx.block(), tag, value | (order == team::late ? closed : 0));
  }

  /// By all lanes of a warp: `visit(block, value)` for the values of all blocks, as they arrive, divided between the
  /// lanes. False, to all lanes, if the block is to leave its results in a buffer; the last block to leave may call it
  /// again, when all values have arrived.
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
      [&] { return ++looks <= readers.most_looks || ctx.ballot(ctx.lane() == 0 && readers.is_closed(ctx)) == 0; });
    return ctx.ballot(!arrived || (all_values & closed) != 0) == 0;
  }

private:
  static constexpr unsigned closed = 1u << 31;
};

}  // namespace block

GIMBAL_NAMESPACE_END
