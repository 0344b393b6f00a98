// What persistent_scan_policy.cuh asks of head flags. Of keys or flags they are in item_head_flags.cuh, of offsets in
// offset_head_flags.cuh.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A plain scan has no head flags. The interface of head flags, all of which derive from this: `Policy` is the
/// persistent_scan_policy, `own` the block's tile_scheduler, `ring` memory beside the stages, of `Slots` slots.
struct no_head_flags {
  static constexpr bool copies = false;  // by a helper, bulk copies bring what the heads are made of
  static constexpr unsigned most_slots = 2;
  template <unsigned Warps, unsigned Items>
  struct stage {
  };
  template <unsigned Slots, class Tiles>
  struct ring_type {
    static constexpr std::size_t slot_bytes = 0;
  };

  /// Of arrays in the storage, and what is launched beforehand to fill them.
  std::size_t array_bytes() const { return 0; }
  status prepare(const launch_words&) { return {}; }

  /// init(ctx, ring, own, first helper, again), by all warps at the beginning; then what the helper does, if there is
  /// one (persistent_policy).
  template <class Policy, class Context, class Ring, class Scheduler>
  GIMBAL_DEVICE void init(Context&, Ring&, const Scheduler&, unsigned, bool) const
  {
  }
  template <class Policy, class Context, class Tiles, class Ring, class Scheduler>
  GIMBAL_DEVICE void begin(Context&, const Tiles&, Ring&, const Scheduler&) const
  {
  }
  template <class Policy, class Context, class Ring, class Scheduler>
  GIMBAL_DEVICE void settle(Context&, Ring&, const Scheduler&) const
  {
  }
  template <class Policy, class Context, class Tiles, class Ring, class Scheduler>
  GIMBAL_DEVICE void help(Context&, const Tiles&, Ring&, const Scheduler&) const
  {
  }

  /// By all lanes of a reduce warp: the bits of a lane's items, the first lowest, kept in the stage for store warps.
  template <class Context, class Tiles, class Ring, class Position>
  static GIMBAL_DEVICE std::uint32_t find(Context&, const Tiles&, const Ring&, const Position&, unsigned, unsigned)
  {
    return 0;
  }
  template <class Context, class Stage>
  static GIMBAL_DEVICE void leave(Context&, Stage&, unsigned, std::uint32_t)
  {
  }
  template <class Context, class Stage>
  static GIMBAL_DEVICE std::uint32_t found(Context&, const Stage&, unsigned)
  {
    return 0;
  }
  /// By one lane of a reduce warp: see to it that what the heads of the chunk from `first` on are made of is in the L2
  /// cache; and, after a barrier of the warp, that the slot has been read.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void fetch_ahead(Context&, const Tiles&, index_type) const
  {
  }
  template <class Context, class Ring, class Position>
  GIMBAL_DEVICE void release(Context&, Ring&, const Position&) const
  {
  }
};

/// Head flags, a bit for each of a lane's items, the first lowest: reduce warps leave them in the stage for the lanes
/// that scan.
struct staged_heads : no_head_flags {
  template <unsigned Warps, unsigned Items>
  struct stage {
    std::uint32_t heads[Warps][simt::warp_threads];
  };

  template <class Context, class Stage>
  static GIMBAL_DEVICE void leave(Context& ctx, Stage& in, unsigned warp, std::uint32_t heads)
  {
    in.heads[warp][ctx.lane()] = heads;
  }
  template <class Context, class Stage>
  static GIMBAL_DEVICE std::uint32_t found(Context& ctx, const Stage& in, unsigned warp)
  {
    return in.heads[warp][ctx.lane()];
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
