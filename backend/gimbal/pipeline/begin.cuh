// How a kernel begins whose blocks are a team (grid/team.cuh) and have a ring of tiles in flight.
//
// While the team is found, loads are under way as if all blocks belonged to it. If they do not, which is when other kernels hold a
// part of the GPU, a member waits for what it has asked for and begins anew with the tiles that are its own.
#pragma once

#include <gimbal/grid/team.cuh>
#include <gimbal/pipeline/ring.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// By all threads of a block, one of which `asks` who belongs to the team. True if the block does; `own` is what it works with then.
/// Of the kernel, by all threads each:
///   deal_of(place)                    what the member at this place works with
///   prepare(ctx, smem, own, anew)     initialise the barriers, as init_barrier() does, and ask for the first tile
///   ask_for_more(ctx, smem, own)      when that is done: ask for what else need not wait for a tile
///   settle(ctx, smem, own)            wait until all that has been asked for has landed
/// and a `place` in its shared memory.
template <class Context, class Shared, class Kernel>
GIMBAL_DEVICE bool begin_as_team(
  Context& ctx, Shared& smem, const Kernel& kernel, bool asks, typename Kernel::deal& own)
{
  const auto all = static_cast<unsigned>(ctx.blocks());
  const unsigned order = asks ? kernel.team.join(ctx) : 0;
  own = kernel.deal_of({static_cast<unsigned>(ctx.block()), all});
  kernel.prepare(ctx, smem, own, false);
  ctx.sync_block();  // the barriers are initialised
  kernel.ask_for_more(ctx, smem, own);
  if (asks) {
    smem.place = kernel.team.meet(ctx, order);
  }
  ctx.sync_block();  // the team is known
  const team_place place = smem.place;
  if (place.members < all) {
    kernel.settle(ctx, smem, own);
    ctx.sync_block();  // nothing is under way, and nobody looks at a barrier
    if (place.members == 0) {
      return false;
    }
    own = kernel.deal_of(place);
    kernel.prepare(ctx, smem, own, true);
    ctx.sync_block();  // the barriers are initialised
    kernel.ask_for_more(ctx, smem, own);
  }
  return true;
}

}  // namespace block

GIMBAL_NAMESPACE_END
