// What the kernel of stream_engine.cuh asks of marks, things beside the items that say something about each: here where
// there are none; stream_segmented_scan.cuh has others.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// Marks that are not copied, and have no ring of their own.
struct uncopied_marks {
  static constexpr bool copies = false;
  static constexpr std::size_t bytes = 0;
  template <unsigned Slots, class Tiles>
  struct ring {
  };

  template <class Context, class Ring>
  GIMBAL_DEVICE void start(Context&, Ring&, unsigned) const
  {
  }
  template <class Context, class Ring, class Position>
  GIMBAL_DEVICE void release(Context&, Ring&, const Position&) const
  {
  }
};

/// No marks beside the items.
struct no_marks : uncopied_marks {
  static constexpr unsigned markers = 0;
  template <unsigned Warps, unsigned Items>
  struct stage {
  };

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
