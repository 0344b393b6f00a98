// Numbers of the scan-vector calls that have kernels of their own.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Distribute: vectors of the output for each thread, and as many bytes of items that are stored one by one. More where
/// the reduction, which has the numbers of reduce, takes so many registers that few blocks are resident. Untuned.
constexpr unsigned distribute_vectors(std::size_t value_bytes) { return value_bytes > 32 ? 16 : 4; }

/// Split in one launch. Flags are counted in `shares` of at most `share_tiles` tiles; every block that moves a tile
/// reads the counts of all shares. Calls of more than `most_items` take two launches, of which the second is
/// persistent: from 2^24 on that is faster, as its bulk copies keep more bytes in flight. Other numbers untuned. The
/// host's shares are few, so that they have several tiles. record: split_in_one_launch (2^22 0.81, 2^25 1.12).
template <std::size_t ValueBytes>
struct split {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = items_for_bytes(32, ValueBytes, 8);
  static constexpr unsigned shares = GIMBAL_GPU ? 512 : 16;
  static constexpr unsigned share_tiles = 32;
  static constexpr std::int64_t most_items = std::int64_t{1} << 22;
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
