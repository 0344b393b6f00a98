// A grid barrier of the members of a team (team.cuh), which may be all blocks of a launch: each publishes that it has arrived and waits
// for the others.
//
// What a block has read and written before it arrived comes before what any block does that has waited: the barrier before a
// thread publishes, the release of the block's tagged word (retained_words.h), the acquire by a thread of each other block, and that
// block's barrier.
#pragma once

#include <gimbal/grid/team.cuh>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

struct grid_barrier {
  std::uint64_t* words;  ///< one for each block
  std::uint64_t tag;

  template <class Context>
  GIMBAL_DEVICE void arrive(Context& ctx) const
  {
    arrive(ctx, team_place::of_all(ctx));
  }
  template <class Context>
  GIMBAL_DEVICE void arrive(Context& ctx, const team_place& place) const
  {
    ctx.sync_block();  // all warps have done what comes before
    if (ctx.thread() == 0) {
      ctx.atomic(words[place.number]).store(tag, ::cuda::std::memory_order_release);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void wait(Context& ctx) const
  {
    wait(ctx, team_place::of_all(ctx));
  }
  template <class Context>
  GIMBAL_DEVICE void wait(Context& ctx, const team_place& place) const
  {
    for (unsigned b = ctx.thread(); b < place.members; b += Context::block_threads) {
      while (ctx.atomic(words[b]).load(::cuda::std::memory_order_acquire) != tag) {
        ctx.spin_wait();
      }
    }
    ctx.sync_block();  // all have arrived
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
