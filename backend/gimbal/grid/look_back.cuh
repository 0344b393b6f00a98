// Single-pass look-back: what all tiles before a tile amount to, while other blocks still work on them.
// After Merrill & Garland, "Single-pass parallel prefix scan with decoupled look-back" (2016), but with fixed trees, so
// that floating-point results are the same bits whatever the timing.
//
// Tiles are combined in aligned groups of 32 and rows of 32 groups. A tile publishes its aggregate as soon as it has
// it, the last tile of a group the group's aggregate, the last tile of a row the prefix through that row:
//
//   prefix of t = prefix through the row before  op  groups of t's row before t's  op  tiles of t's group before t
//
// Each of the two folds takes one warp, one lane per descriptor. Only rows form a chain, one link per 1024 tiles.
//
// Progress: a block's tile has its number, and it waits for lower ones alone. Blocks begin in the order of their
// numbers (simt::start::in_order), so nothing waits for a block that has not begun; one that has must only keep being
// scheduled.
//
// Memory order: a descriptor is a value in tagged words (exchange.cuh), which carry their own validity, so relaxed
// accesses suffice for the value itself. A kernel that writes what another tile's block has read (in-place partition)
// needs more: with OrdersMemory every access to global memory by the block of tile s before it publishes happens before
// whatever the block of tile t > s does after its look-back (see the steps in the code).
//
// Cost: 8 bytes stored per tile and 4-byte word of the value (launch_plan.h). A single tile needs none.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/exchange.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <class Value, bool OrdersMemory = false>
struct look_back {
  unsigned tiles = 0;
  std::uint64_t* words = nullptr;  // none of this is accessed if there is a single tile
  std::uint32_t tag = 0;

  // ---- host

  /// A single tile takes none.
  index_type words_needed() const { return tiles <= 1 ? no_words : static_cast<index_type>(word_count()); }
  /// Before each launch.
  void take(const launch_words& held)
  {
    words = held.words();
    tag = held.first_tag();
  }

  // ---- device: one block per tile

  /// Publish `tile`'s aggregate. For one thread of the block.
  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, unsigned tile, const Value& aggregate) const
  {
    // OrdersMemory: a barrier of the kernel's body has ordered the block's accesses before this release.
    if (tiles > 1) {
      tile_level().write(ctx, tile, tag, aggregate);
    }
  }

  /// Put into `prefix`, in lane 0, the aggregates of all tiles before `tile`, folded. For one whole warp; `aggregate`
  /// is lane 0's, and has been published: work that others need not wait for may be done in between. False for tile 0,
  /// which has no prefix.
  template <class Context, class Op>
  GIMBAL_DEVICE bool prefix(Context& ctx, unsigned tile, const Value& aggregate, Op op, uninit<Value>& prefix) const
  {
    prefix.set(aggregate);  // any value, in lanes and tiles that get none
    if (tiles == 1) {
      return false;
    }
    const unsigned lane = ctx.lane();
    const unsigned group = tile / fan;
    const unsigned row = group / fan;
    const unsigned tiles_before = tile % fan;    // in the group
    const unsigned groups_before = group % fan;  // in the row

    // The descriptors further back are mostly complete: load them now, beside the wait for the near ones. Lanes that
    // have none to load pass any value on in the folds.
    uninit<Value> of_tiles;
    uninit<Value> of_groups;
    uninit<Value> of_rows;
    of_tiles.set(aggregate);
    of_groups.set(aggregate);
    of_rows.set(aggregate);
    bool has_groups = lane >= groups_before || group_level().read(ctx, group - groups_before + lane, tag, of_groups);
    bool has_rows = lane > 0 || row == 0 || row_level().read(ctx, row - 1, tag, of_rows);

    if (lane < tiles_before) {
      while (!tile_level().read(ctx, tile - tiles_before + lane, tag, of_tiles)) {
        ctx.spin_wait();
      }
    }
    block::warp_fold(ctx, of_tiles, tiles_before, op);
    // OrdersMemory: what the lanes acquired comes before what lane 0 releases for the group.
    if constexpr (OrdersMemory) {
      ctx.sync_warp();
    }
    if (tiles_before == fan - 1 && lane == 0) {
      group_level().write(ctx, group, tag, op(of_tiles.get(), aggregate));
    }

    while (!has_groups) {
      ctx.spin_wait();
      has_groups = group_level().read(ctx, group - groups_before + lane, tag, of_groups);
    }
    while (!has_rows) {
      ctx.spin_wait();
      has_rows = row_level().read(ctx, row - 1, tag, of_rows);
    }
    block::warp_fold(ctx, of_groups, groups_before, op);
    // OrdersMemory: as above, for the row and for the barrier by which the caller hands the prefix to the block.
    if constexpr (OrdersMemory) {
      ctx.sync_warp();
    }
    if (lane == 0) {
      const bool has_groups_before = groups_before > 0;
      if (has_groups_before) {
        prefix = of_groups;
      }
      if (tiles_before > 0) {
        prefix.set(has_groups_before ? op(prefix.get(), of_tiles.get()) : of_tiles.get());
      }
      if (row > 0) {
        prefix.set(tile % (fan * fan) > 0 ? op(of_rows.get(), prefix.get()) : of_rows.get());
      }
      if (tile % (fan * fan) == fan * fan - 1) {
        row_level().write(ctx, row, tag, op(prefix.get(), aggregate));
      }
    }
    return tile > 0;
  }

private:
  static constexpr unsigned fan = simt::warp_threads;

  using level = exchange<Value, OrdersMemory>;
  GIMBAL_HOST_DEVICE level tile_level() const { return {words, tiles}; }
  GIMBAL_HOST_DEVICE level group_level() const { return {words + level::word_count(tiles), tiles / fan}; }
  GIMBAL_HOST_DEVICE level row_level() const
  {
    return {words + level::word_count(std::size_t{tiles} + tiles / fan), tiles / (fan * fan)};
  }
  std::size_t word_count() const { return level::word_count(std::size_t{tiles} + tiles / fan + tiles / (fan * fan)); }
};

}  // namespace block

GIMBAL_NAMESPACE_END
