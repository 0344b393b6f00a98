// Head flags of persistent_scan_policy.cuh. Of keys or flags they are in item_head_flags.cuh, of offsets in
// offset_head_flags.cuh.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/algorithm/scan/persistent_scan_policy.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Head flags, a bit for each of a lane's items, the first lowest: reduce warps leave them in the stage for the lanes
/// that scan. Beside this they have
///
///   find(ctx, tiles, ring, at, tile, warp)   by all lanes of a reduce warp: the bits of a lane's items
///   fetch_ahead(ctx, tiles, first)           unless they are copied; by one lane of a reduce warp: see to it that what
///                                            heads of the chunk from `first` on are made of is in the L2 cache
struct staged_heads : no_head_flags {
  static constexpr bool exist = true;
  template <unsigned Warps, unsigned Items>
  struct stage {
    std::uint32_t heads[Warps][simt::warp_threads];
  };

  /// False: the keys or flags do not lie as the tiles need them.
  bool is_aligned() const { return true; }
};

/// What `Source` brings beside the items by bulk copies that one lane of the helper starts: `ItemBits` for each item,
/// of a tile and of `Lead` items before it, with up to `AroundBytes` around them.
template <class Source, unsigned Lead, unsigned ItemBits, unsigned AroundBytes>
struct copied_head_slots : staged_heads {
  static constexpr bool copies = true;
  static constexpr unsigned most_slots = 4;

  /// Slots of their own: reduce warps are done with what they read long before the stage is free.
  template <unsigned Slots, class Tiles>
  struct ring_type {
    struct slot_memory {
      alignas(16) unsigned char chunk[(Lead + Tiles::tile_items) * ItemBits / 8 + AroundBytes];
      simt::phase_barrier full;
      simt::phase_barrier empty;
    };
    slot_memory slot[Slots];
    static constexpr std::size_t slot_bytes = sizeof(slot_memory::chunk);
  };

  Source source;

  bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(source.origin) % 16 == 0; }

  /// As those of persistent_policy; the helper does them.
  template <class Policy, class Context, class Ring, class Scheduler>
  GIMBAL_DEVICE void init(Context& ctx, Ring& ring, const Scheduler&, unsigned first_warp, bool again) const
  {
    block::for_stages_of_warp(ctx, Policy::flag_slots, first_warp, first_loads<Policy>, [&](unsigned s) {
      block::init_barrier(ctx, ring.slot[s].full, 1, again);
      block::init_barrier(ctx, ring.slot[s].empty, Policy::warps, again);
    });
  }
  template <class Policy, class Context, class Tiles, class Ring, class Scheduler>
  GIMBAL_DEVICE void begin(Context& ctx, const Tiles& tiles, Ring& ring, const Scheduler& own) const
  {
    if (ctx.lane() == 0) {
      block::ring_position<Policy::flag_slots> at;
      GIMBAL_NO_UNROLL
      for (unsigned k = 0; k < own.issued(first_loads<Policy>); ++k, at.advance()) {
        load(ctx, tiles, own.tile(k), ring, at);
      }
    }
  }
  template <class Policy, class Context, class Ring, class Scheduler>
  GIMBAL_DEVICE void settle(Context& ctx, Ring& ring, const Scheduler& own) const
  {
    if (ctx.lane() == 0) {
      for (unsigned k = 0; k < own.issued(first_loads<Policy>); ++k) {
        ctx.wait(ring.slot[k].full, 0);
      }
    }
  }
  template <class Policy, class Context, class Tiles, class Ring, class Scheduler>
  GIMBAL_DEVICE void help(Context& ctx, const Tiles& tiles, Ring& ring, const Scheduler& own) const
  {
    if (ctx.lane() == 0) {
      const unsigned issued = own.issued(first_loads<Policy>);
      block::load_window<Policy::flag_slots> window{Policy::loads_ahead, issued};
      block::ring_position<Policy::flag_slots> at;
      at.advance(issued);
      GIMBAL_NO_UNROLL
      for (unsigned tile = own.tile(issued); tile < own.tiles; tile += own.server.blocks, at.advance()) {
        window.acquire(ctx, [&](unsigned s) -> simt::phase_barrier& { return ring.slot[s].full; });
        load(ctx, tiles, tile, ring, at);
      }
    }
  }

  /// By one lane of each reduce warp, after a barrier of the warp, before which every lane has stored bits made of the
  /// keys or flags that it has read: its loads have been answered, and the next copy into the slot needs no fence to
  /// stay after them.
  template <class Context, class Ring, class Position>
  GIMBAL_DEVICE void release(Context& ctx, Ring& ring, const Position& at) const
  {
    ctx.arrive(ring.slot[at.stage].empty);
  }

private:
  template <class Policy>
  static constexpr unsigned first_loads =
    Policy::loads_ahead < Policy::flag_slots ? Policy::loads_ahead : Policy::flag_slots;

  template <class Context, class Tiles, class Ring, class Position>
  GIMBAL_DEVICE void load(Context& ctx, const Tiles& tiles, unsigned tile, Ring& ring, const Position& at) const
  {
    auto& slot = ring.slot[at.stage];
    ctx.wait(slot.empty, at.parity ^ 1);  // the slot has been read
    source.load(ctx, tiles, Tiles::first_of(tile) - index_type{Lead}, Lead + Tiles::tile_items, slot.chunk, slot.full);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
