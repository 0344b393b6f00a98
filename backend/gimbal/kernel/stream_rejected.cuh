// Where a streamed select or partition (stream_partition.cuh) brings the rejected items of its tiles.
#pragma once

#include <gimbal/block/segments.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// Where the rejected items of a streamed tile go: target(tile, before, count, total) is where the run of `count` items
/// begins, `before` items being rejected before the tile. Only what `may_wait` reads the number of all selected items,
/// for tiles that it waits with.
struct stream_no_rejected {
  static constexpr auto order = block::others::dropped;
  static constexpr bool may_wait = false;
};
template <class Value>
struct stream_rejected_to {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = false;
  Value* out;

  GIMBAL_DEVICE Value* target(unsigned, index_type before, unsigned, const index_type&) const { return out + before; }
};
/// The first of all in front of `end`, those that follow in front of it.
template <class Value>
struct stream_rejected_before {
  static constexpr auto order = block::others::reversed;
  static constexpr bool may_wait = false;
  Value* end;

  GIMBAL_DEVICE Value* target(unsigned, index_type before, unsigned count, const index_type&) const
  {
    return end - before - count;
  }
};
/// Behind the selected ones. The last tiles, all that the rings hold at the same time, wait there until the number of
/// selected items is known; the rejected items of the tiles before go into a buffer, and their number to `*buffered`.
template <class Value>
struct stream_rejected_behind {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = true;
  Value* buffer;         // null if all tiles wait
  index_type* buffered;  // null if all tiles wait
  Value* data = nullptr;
  unsigned first_waiting = 0;

  GIMBAL_DEVICE bool waits(unsigned tile) const { return tile >= first_waiting; }
  GIMBAL_DEVICE Value* target(unsigned tile, index_type before, unsigned, const index_type& total) const
  {
    return waits(tile) ? data + total + before : buffer + before;
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
