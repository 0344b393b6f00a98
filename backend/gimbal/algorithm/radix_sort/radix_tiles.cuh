// The tiles of a launch of the radix engine, which passes claim one by one (radix_pass.cuh) and other steps take as one range.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

struct radix_tiles {
  index_type n;             ///< items of all launches of a step
  unsigned tile_size;       ///< items of all tiles but the last; a whole number of warps' shares
  unsigned lane_items;      ///< items of a lane that has a full share
  unsigned parts = 1;       ///< launches that a step takes
  unsigned part_tiles = 0;  ///< tiles of all of these but the last
  // Of this launch:
  unsigned part = 0;
  index_type first_tile = 0;
  unsigned tiles = 0;
  unsigned* ticket = nullptr;       ///< number of tiles claimed
  unsigned* next_ticket = nullptr;  ///< of the next launch

  /// The launch's items.
  GIMBAL_DEVICE index_type begin() const { return first_of(0); }
  GIMBAL_DEVICE index_type end() const { return first_of(tiles) < n ? first_of(tiles) : n; }

  template <class Context>
  GIMBAL_DEVICE unsigned claim_tile(Context& ctx) const
  {
    return ctx.atomic(*ticket).fetch_add(1, ::cuda::std::memory_order_relaxed);  // orders nothing but itself
  }

  GIMBAL_DEVICE index_type first_of(unsigned tile) const { return (first_tile + tile) * tile_size; }
  GIMBAL_DEVICE unsigned valid_of(unsigned tile) const
  {
    const index_type left = n - first_of(tile);
    return left < tile_size ? static_cast<unsigned>(left) : tile_size;
  }

  /// True if the tile has items for the warp, each of which can hold `warp_items`.
  template <class Context>
  GIMBAL_DEVICE bool has_items(const Context& ctx, unsigned warp_items, unsigned tile) const
  {
    return valid_of(tile) > ctx.warp() * warp_items;
  }
  /// True if it has all that the warp can hold.
  template <class Context>
  GIMBAL_DEVICE bool has_share(const Context& ctx, unsigned warp_items, unsigned tile) const
  {
    return valid_of(tile) >= (ctx.warp() + 1) * warp_items;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
