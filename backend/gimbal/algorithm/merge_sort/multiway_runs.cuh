// Where the runs of a sweep of algorithm/merge_sort/multiway_merge_sort.cuh are split, and where the splits are left
// for it.
#pragma once

#include <gimbal/algorithm/merge_sort/tuning.h>

#include <gimbal/collective/multiway_split.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The runs that one sweep merges: `run_items` each (the last may be shorter), `ways` neighbours together.
struct multiway_runs {
  index_type n;
  index_type run_items;
  unsigned tile_items;
  unsigned ways;
  unsigned group_tiles;  ///< tiles of output of one merge

  GIMBAL_DEVICE unsigned tile_in_group(unsigned tile) const { return tile % group_tiles; }

  GIMBAL_DEVICE unsigned valid_in(unsigned tile) const
  {
    const index_type left = n - static_cast<index_type>(tile) * tile_items;
    return left < tile_items ? static_cast<unsigned>(left) : tile_items;
  }

  /// Where run j of those that a tile is merged from begins, and the one before ends.
  GIMBAL_DEVICE index_type edge(unsigned tile, unsigned j) const
  {
    const index_type position = static_cast<index_type>(tile - tile_in_group(tile)) * tile_items + j * run_items;
    return position < n ? position : n;
  }
};

/// Where a launch leaves the splits of a tile for the next one: in the memory of the tile's own result, which holds
/// nothing that is needed. The block that merges the tile reads them before it stores the result; no other looks there.
template <class Key>
struct multiway_split_room {
  static constexpr unsigned most_runs = block::multiway_split::most_runs;
  Key* result;  ///< null: there is none

  GIMBAL_DEVICE bool is_in(index_type tile_items) const
  {
    return result != nullptr
           && static_cast<std::size_t>(tile_items) * sizeof(Key)
                >= 2 * most_runs * sizeof(index_type) + (alignof(index_type) - 1);
  }

  /// Where the splits of the tile whose result begins at `first` are: those at its beginning, then (side 1) at its end.
  GIMBAL_DEVICE index_type* splits(index_type first, unsigned side) const
  {
    constexpr std::uintptr_t alignment = alignof(index_type);
    const auto address = reinterpret_cast<std::uintptr_t>(result + first);
    return reinterpret_cast<index_type*>((address + alignment - 1) / alignment * alignment) + side * most_runs;
  }
};

/// Splits the runs that a tile is merged from at the tile's first or last item, by a warp. One lane of each run calls
/// store(run, split) with how many of its items come before.
template <class Key, class Context, class Keys, class Compare, class Store>
GIMBAL_DEVICE void split_runs(
  Context& ctx, const Keys& keys, sort_buffer source, const multiway_runs& runs, unsigned tile, bool at_end,
  block::multiway_samples<Key>& samples, Compare& less, Store store)
{
  const unsigned run = block::multiway_split::run_of(ctx.lane(), runs.ways);
  const index_type begin = runs.edge(tile, run);
  const index_type end = runs.edge(tile, run + 1);
  const index_type group_items = runs.edge(tile, runs.ways) - runs.edge(tile, 0);
  const index_type wanted = static_cast<index_type>(runs.tile_in_group(tile) + at_end) * runs.tile_items;
  block::multiway_split search(ctx, runs.ways, begin, end, group_items, wanted < group_items ? wanted : group_items);
  keys.read(source, [&](auto from) {
    const auto key_at = [&](index_type i) { return block::load_as<Key>(from + i); };
    search.search(ctx, key_at, samples, less);
  });
  if (ctx.lane() == 0 || block::multiway_split::run_of(ctx.lane() - 1, runs.ways) != run) {
    store(run, search.split());
  }
}

/// Splits the runs at the first item of every tile, one warp for each: there this tile begins and the one before ends.
template <class Keys, class Compare, bool HasValues>
struct multiway_split_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = 128;
  static constexpr unsigned most_early_blocks = tuning::merge_sort_early_blocks(HasValues);
  static constexpr unsigned warps = block_threads / simt::warp_threads;

  struct shared {
    block::multiway_samples<key_type> samples[warps];
  };

  Keys keys;
  sort_buffer source;
  multiway_runs runs;
  unsigned tiles;
  multiway_split_room<key_type> room;
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    Compare less = compare;
    const unsigned tile = ctx.block() * warps + ctx.warp();
    if (tile >= tiles) {
      return;
    }
    const index_type first = static_cast<index_type>(tile) * runs.tile_items;
    const auto store = [&](unsigned run, index_type split) {
      if (room.is_in(runs.valid_in(tile))) {
        room.splits(first, 0)[run] = split;
      }
      if (runs.tile_in_group(tile) != 0 && room.is_in(runs.tile_items)) {
        room.splits(first - runs.tile_items, 1)[run] = split;
      }
    };
    ctx.let_next_launch_start();
    algorithm::split_runs<key_type>(ctx, keys, source, runs, tile, false, smem.samples[ctx.warp()], less, store);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
