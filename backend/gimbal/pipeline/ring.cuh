// Rings of stages in shared memory, through which the roles of a block hand on tiles.
#pragma once

#include <gimbal/simt/simt.cuh>

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

/// A barrier, which is the one that has been in its place before made `anew` where another deal of the tiles needs it.
template <class Context>
GIMBAL_DEVICE void init_barrier(Context& ctx, simt::phase_barrier& barrier, unsigned arrivals, bool anew)
{
  if (anew) {
    ctx.invalidate(barrier);
  }
  ctx.init(barrier, arrivals);
}

/// A producer's loads that may be on their way: at most `most`, which is at least 1.
///
/// A ring is deep because tiles wait in it for what stands before them. Were all its stages asked for at once, the words
/// by which blocks tell each other what they hold (exchange.cuh) would queue behind all these bytes, and results would
/// be stored only when nearly all has been loaded. So few loads as keep memory busy are under way at a time.
template <unsigned Stages>
struct load_window {
  unsigned most;
  unsigned count = 0;
  ring_position<Stages> oldest = {};

  /// Before a load whose stage is empty. `landed(s)`: the barrier at which the load into stage s arrives.
  template <class Context, class Landed>
  GIMBAL_DEVICE void make_room(Context& ctx, Landed landed)
  {
    if (count < most && count < Stages) {
      ++count;
    } else {
      ctx.wait(landed(oldest.stage), oldest.parity);
      oldest.advance();
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
