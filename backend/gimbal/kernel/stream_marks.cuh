// What the kernel of stream_engine.cuh asks of marks, things beside the items that say something about each: here where
// there are none; stream_segmented_scan.cuh, offset_marks.cuh and offset_copies.cuh have others.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// What a marker has to do: groups of `members` markers take the tiles of the block in turn.
struct marker_share {
  unsigned marker;
  unsigned members;
  unsigned block;
  unsigned blocks;
  unsigned tiles;  // of all blocks

  GIMBAL_DEVICE unsigned group() const { return marker / members; }
  GIMBAL_DEVICE unsigned member() const { return marker % members; }
};

/// No marks beside the items.
struct no_marks {
  static constexpr bool copies = false;
  static constexpr unsigned markers = 0;
  static constexpr unsigned most_slots = 2;
  static constexpr std::size_t beside_bytes = 0;
  template <unsigned Warps, unsigned Items>
  struct stage {
  };
  template <unsigned Slots, class Tiles>
  struct ring {
    static constexpr std::size_t slot_bytes = 0;
  };

  static GIMBAL_DEVICE unsigned together(unsigned, unsigned) { return 1; }
  template <class Context, class Ring>
  GIMBAL_DEVICE void start(Context&, Ring&, unsigned, unsigned, unsigned) const
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

  template <class Context, class Tiles, class Ring, class Position, class Stage>
  GIMBAL_DEVICE std::uint32_t find(
    Context&, const Tiles&, const Ring&, const Position&, Stage&, unsigned, unsigned) const
  {
    return 0;
  }
  template <class Context, class Stage>
  GIMBAL_DEVICE std::uint32_t found(Context&, const Stage&, unsigned) const
  {
    return 0;
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
