// What the kernel of stream_engine.cuh asks of marks, things beside the items that say something about each: here where
// there are none; stream_segmented_scan.cuh, loaded_heads.cuh, offset_marks.cuh and offset_copies.cuh have others.
//
// Marks that `come_first` are looked for before the items have landed: a folder has that time for them. Not those that
// markers find, which takes longer than the items take to land.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What a marker has to do: `groups` of `members` markers take the tiles of the block in turn; those that make no whole group
/// have nothing to do.
struct marker_share {
  unsigned marker;
  unsigned members;
  unsigned groups;
  unsigned block;
  unsigned blocks;
  unsigned tiles;  // of all blocks

  GIMBAL_DEVICE unsigned group() const { return marker / members; }
  GIMBAL_DEVICE unsigned member() const { return marker % members; }
};

/// Marks that say where heads are, a bit for each of a lane's items, the first lowest: folders leave them in the stage for
/// the scanning lanes.
struct staged_heads {
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
  template <class Context, class Tiles>
  static GIMBAL_DEVICE void fetch_ahead(Context&, const Tiles&, index_type)
  {
  }
};

/// No memory beside the items.
struct no_mark_ring {
  static constexpr bool copies = false;
  static constexpr bool come_first = true;
  static constexpr unsigned markers = 0;
  static constexpr unsigned most_slots = 2;
  static constexpr std::size_t beside_bytes = 0;
  template <unsigned Slots, class Tiles>
  struct ring_type {
    static constexpr std::size_t slot_bytes = 0;
  };

  static GIMBAL_DEVICE unsigned together(unsigned, unsigned) { return 1; }
  template <class Context, class Ring>
  GIMBAL_DEVICE void start(Context&, Ring&, unsigned, unsigned, unsigned, unsigned, bool) const
  {
  }
  template <class Context, class Ring>
  GIMBAL_DEVICE void clear(Context&, Ring&, unsigned) const
  {
  }
  template <class Context, class Ring, class Position>
  GIMBAL_DEVICE void release(Context&, Ring&, const Position&) const
  {
  }
};

/// Items without marks.
struct no_marks : no_mark_ring {
  template <unsigned Warps, unsigned Items>
  struct stage {
  };

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
  template <class Context, class Tiles>
  static GIMBAL_DEVICE void fetch_ahead(Context&, const Tiles&, index_type)
  {
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
