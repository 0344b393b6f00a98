// Rings of stages in shared memory, through which the roles of a block hand on tiles, and the scheduler that assigns the tiles of a
// launch to the members of a team (grid/team.cuh).
#pragma once

#include <gimbal/grid/team.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// The stage, and the parity of its phases, of the tile that a role has come to.
template <unsigned Stages>
struct ring_position {
  unsigned stage = 0;
  unsigned parity = 0;

  GIMBAL_DEVICE void advance()
  {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  GIMBAL_DEVICE void advance(unsigned steps)
  {
    for (stage += steps; stage >= Stages; stage -= Stages) {
      parity ^= 1;
    }
  }
};

/// `body(s)` for each of `stages` that this warp is to initialise the barriers of, by one lane: warp `first` has the first `own` ones,
/// at least one, and can use them at once. The other warps share out the others: an initialisation takes a while, and lanes do it one
/// after the other.
template <class Context, class Body>
GIMBAL_DEVICE void for_stages_of_warp(Context& ctx, unsigned stages, unsigned first, unsigned own, Body body)
{
  constexpr unsigned others = Context::block_threads / simt::warp_threads - 1;
  const bool is_first = ctx.warp() == first || others == 0;
  const unsigned number = (ctx.warp() + others - first) % (others + 1);  // of the others
  const unsigned end = is_first && others != 0 && own < stages ? own : stages;
  for (unsigned s = is_first ? 0 : own + number; s < end; s += is_first ? 1 : others) {
    if (ctx.lane() == 0) {
      body(s);
    }
  }
}

/// Initialise a barrier; `anew`: one that is initialised already and is needed for another schedule of the tiles.
template <class Context>
GIMBAL_DEVICE void init_barrier(Context& ctx, simt::phase_barrier& barrier, unsigned arrivals, bool anew)
{
  if (anew) {
    ctx.invalidate(barrier);
  }
  ctx.init(barrier, arrivals);
}

/// A producer's loads that may be in flight: at most `most`, which is at least 1.
///
/// A ring is deep because tiles wait in it for their prefixes. Were all its stages loaded at once, the words
/// through which blocks exchange values (exchange.cuh) would queue behind all these bytes, and results would
/// be stored only when nearly all has been loaded. So no more loads are in flight at a time than keep memory busy.
template <unsigned Stages>
struct load_window {
  unsigned most;
  unsigned count = 0;
  ring_position<Stages> oldest = {};

  /// Before a load whose stage is empty. `landed(s)`: the barrier at which the load into stage s arrives.
  template <class Context, class Landed>
  GIMBAL_DEVICE void acquire(Context& ctx, Landed landed)
  {
    if (count < most && count < Stages) {
      ++count;
    } else {
      ctx.wait(landed(oldest.stage), oldest.parity);
      oldest.advance();
    }
  }
};

// ---- tile scheduler

/// What a member works with. Its tiles are server.blocks apart. `Server`: a prefix_server.
template <class Server>
struct tile_scheduler {
  unsigned first_tile;
  unsigned tiles;  // of all members
  bool serves;
  bool is_alone;
  Server server;

  /// Every member has tiles; member 0 serves beside.
  static GIMBAL_DEVICE tile_scheduler to_all(const team_place& place, unsigned tiles, const Server& server)
  {
    return {place.number, tiles, place.number == 0, place.members == 1, server.with(place.members)};
  }
  /// Member 0 serves and has no tiles; but if it is alone it has all of them, and nobody serves.
  static GIMBAL_DEVICE tile_scheduler to_others(const team_place& place, unsigned tiles, const Server& server)
  {
    return place.members == 1
             ? tile_scheduler{0, tiles, false, true, server.with(1)}
             : tile_scheduler{place.number - 1, tiles, place.number == 0, false, server.with(place.members - 1)};
  }

  /// The member's k-th tile, counted from 0, if it is one.
  GIMBAL_DEVICE unsigned tile(unsigned k) const { return first_tile + k * server.blocks; }

  /// By the thread that has the prefix of a tile: if it is the last one, all members have published tiles, or serve, and so know the
  /// team.
  template <class Context>
  GIMBAL_DEVICE void reopen_behind(Context& ctx, const team& all, const team_place& place, unsigned tile) const
  {
    if (tile + 1 == tiles) {
      all.reopen(ctx, place);
    }
  }

  /// For how many of its tiles loads are issued in the beginning, `most` at most.
  GIMBAL_DEVICE unsigned issued(unsigned most) const
  {
    unsigned count = 0;
    for (unsigned t = first_tile; count < most && t < tiles; t += server.blocks) {
      ++count;
    }
    return count;
  }

  /// `body(tile, stage, parity)` for each of its tiles but the first `skipped`, with the stage of the ring that it has.
  template <class Stage, unsigned Stages, class Body>
  GIMBAL_DEVICE void for_tiles(Stage (&ring)[Stages], Body body, unsigned skipped = 0) const
  {
    for_tiles_of_group(ring, skipped, 1, body);
  }
  /// For those that one of `groups` groups of warps has, which take turns.
  template <class Stage, unsigned Stages, class Body>
  GIMBAL_DEVICE void for_tiles_of_group(Stage (&ring)[Stages], unsigned group, unsigned groups, Body body) const
  {
    ring_position<Stages> at;
    for (unsigned turn = 0; turn < group; ++turn) {
      at.advance();
    }
    GIMBAL_NO_UNROLL
    for (unsigned t = tile(group); t < tiles; t += groups * server.blocks) {
      body(t, ring[at.stage], at.parity);
      for (unsigned turn = 0; turn < groups; ++turn) {
        at.advance();
      }
    }
  }
};

/// How a kernel begins whose blocks are a team and have a ring of tiles in flight; by all threads of a block, one of which `joins`
/// the team. True if the block does; scheduler_of(smem.place) is what it works with then.
///
/// While the team is found, loads are in flight as if all blocks belonged to it. If they do not, which is when other kernels hold a
/// part of the GPU, a member waits for the loads it has issued, whose sources another may have overwritten by then, discards them, and
/// begins anew with the tiles that are its own.
///
/// Of `loads`, by all threads each:
///   scheduler_of(place)           what the member at this place works with, a tile_scheduler
///   prepare(ctx, smem, own, anew) initialise the barriers, as init_barrier() does, and issue loads that need not wait for a tile
///   settle(ctx, smem, own)        wait until all issued loads have landed
template <class Context, class Shared, class Loads>
GIMBAL_DEVICE bool begin_as_team(Context& ctx, Shared& smem, const team& all, const Loads& loads, bool joins)
{
  const unsigned order = joins ? all.join(ctx) : 0;
  bool is_known = false;
  team_place place = team_place::of_all(ctx);
  GIMBAL_NO_UNROLL
  for (;; is_known = true) {
    const auto own = loads.scheduler_of(place);
    if (is_known || simt::may_load_on_a_guess) {
      loads.prepare(ctx, smem, own, is_known && simt::may_load_on_a_guess);
    }
    if (joins && !is_known) {
      smem.place = all.wait(ctx, order);
    }
    ctx.sync_block();  // the barriers are initialised, and the team is known
    if (is_known) {
      return true;
    }
    place = smem.place;
    if constexpr (simt::may_load_on_a_guess) {
      if (place.members == ctx.blocks()) {
        return true;
      }
      loads.settle(ctx, smem, own);
      ctx.sync_block();  // nothing is in flight, and nobody looks at a barrier
    }
    if (place.members == 0) {
      return false;
    }
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
