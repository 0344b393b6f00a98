// Merge sort in few sweeps: keys, or keys and values, by any comparator. The entry is kernel/merge_sort.cuh, which
// chooses between this and merging in pairs.
//
// Algorithm: tiles are sorted within a block, as large as shared memory and registers bear; then every sweep merges
// `ways` (2 or 4) neighbouring runs, each block one tile of output. The items of a tile form one piece of each run,
// found by an exact stable split of the runs at both ends of the tile (block/multiway_split.cuh). The block loads the
// pieces into shared memory and merges pairs of them there until one is left (merge path, block/merge.cuh; Green,
// McColl & Bader 2012), so that an item travels through memory once for two levels of merging. Only keys are merged;
// values are fetched from where their keys were.
//
// Where the splits are searched: one search is a chain of about log9(items of the runs) loads. While all blocks of a
// sweep run at once, two warps of each block search its two ends. Beyond, every block but the first ones would add that
// chain to the time that its shared memory waits, so all splits of a sweep are searched beforehand, side by side, a
// warp each, in a launch of their own.
//
// Comparator: a strict weak ordering, called on keys of the input only, each time with copies of them. Stable. A
// comparator that is none gives an unspecified result; no access leaves the arrays, and the sort ends.
// Keys and values: any supported value type (simt/value.cuh); no default constructor needed.
// Traffic: 1 + s times 2 (keys + values), s = ceil(log4(n / largest tile)).
// Launches: 1 + s while tiles <= Tuning::filling_tiles, beyond it 1 + 2 s. With the tuning for 4-byte keys: up to 4096
//   items 1; 34,748 2; 138,992 3; 555,968 4; 2^20 5; 2^21 5; 2^24 13; 2^26 15.
// Storage: n keys and n values; at most one tile: none. The splits pass from launch to launch in memory that the sweep
//   is about to write; where that is no plain memory but an output iterator's, the last sweep searches in its blocks.
// Aliasing: keys_out may be keys_in and values_out may be values_in; no other overlap. Otherwise the input stays as it
//   is; the output is also used as a buffer, so it must be readable and of the input's value type.
// Determinism: as far as the comparator's: which items are compared depends on the input alone. No block waits for
// another; launches on one stream order all memory between them.
#pragma once

#include <gimbal/tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/block/multiway_split.cuh>
#include <gimbal/kernel/multiway_tile_sort.cuh>
#include <gimbal/kernel/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// The runs that one sweep merges: `run_items` each (the last may be shorter), `Ways` neighbours together.
template <unsigned Ways>
struct multiway_runs {
  index_type n;
  index_type run_items;
  unsigned tile_items;
  unsigned group_tiles;  ///< tiles of output of one merge

  GIMBAL_DEVICE unsigned tile_in_group(unsigned tile) const { return tile % group_tiles; }

  GIMBAL_DEVICE unsigned valid_in(unsigned tile) const
  {
    const index_type left = n - static_cast<index_type>(tile) * tile_items;
    return left < tile_items ? static_cast<unsigned>(left) : tile_items;
  }

  /// Where the runs that a tile is merged from begin, and behind them where the last ends.
  GIMBAL_DEVICE void find_edges(unsigned tile, index_type (&edge)[Ways + 1]) const
  {
    const index_type begin = static_cast<index_type>(tile - tile_in_group(tile)) * tile_items;
    GIMBAL_UNROLL
    for (unsigned j = 0; j <= Ways; ++j) {
      const index_type place = begin + j * run_items;
      edge[j] = place < n ? place : n;
    }
  }
};

/// Where a launch leaves the splits of a tile for the next one: in the memory of the tile's own result, which holds
/// nothing that is needed. The block that merges the tile reads them before it stores the result; no other looks there.
template <unsigned Ways, class Key>
struct multiway_split_room {
  Key* result;  ///< null: there is none

  GIMBAL_DEVICE bool is_in(index_type tile_items) const
  {
    return result != nullptr && tile_items * sizeof(Key) >= 2 * Ways * sizeof(index_type) + (alignof(index_type) - 1);
  }

  /// Of the tile whose result begins at `first`: splits at its begin, then at its end.
  GIMBAL_DEVICE index_type* splits(index_type first) const
  {
    constexpr std::uintptr_t alignment = alignof(index_type);
    const auto address = reinterpret_cast<std::uintptr_t>(result + first);
    return reinterpret_cast<index_type*>((address + alignment - 1) / alignment * alignment);
  }
};

/// Splits the runs that a tile is merged from at the tile's first or last item, by a warp. Lane 0 calls store(j, split)
/// with how many items of run j come before.
template <unsigned Ways, class Key, class Context, class Keys, class Compare, class Store>
GIMBAL_DEVICE void split_runs(
  Context& ctx, const Keys& keys, sort_place source, const multiway_runs<Ways>& runs, unsigned tile, bool at_end,
  uninit<Key>* sample, Compare& less, Store store)
{
  index_type edge[Ways + 1];
  runs.find_edges(tile, edge);
  index_type count[Ways];
  GIMBAL_UNROLL
  for (unsigned j = 0; j < Ways; ++j) {
    count[j] = edge[j + 1] - edge[j];
  }
  const index_type group_items = edge[Ways] - edge[0];
  const index_type wanted = static_cast<index_type>(runs.tile_in_group(tile) + at_end) * runs.tile_items;
  block::multiway_split<Ways> search(count, wanted < group_items ? wanted : group_items);
  keys.read(source, [&](auto from) {
    const auto key_at = [&](unsigned run, index_type i) {
      return block::load_as<Key>(from + (edge[0] + run * runs.run_items + i));
    };
    search.search(ctx, key_at, sample, less);
  });
  if (ctx.lane() == 0) {
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Ways; ++j) {
      store(j, search.of(j));
    }
  }
}

/// Splits the runs at the first item of every tile, a warp each: there this tile begins and the one before ends.
template <class Tuning, class Keys, class Compare>
struct multiway_split_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned ways = Tuning::ways;
  static constexpr unsigned block_threads = 128;
  static constexpr unsigned warps = block_threads / simt::warp_threads;

  struct shared {
    uninit<key_type> sample[block_threads];
  };

  Keys keys;
  sort_place source;
  multiway_runs<ways> runs;
  unsigned tiles;
  multiway_split_room<ways, key_type> room;
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    Compare less = compare;
    const unsigned tile = ctx.block() * warps + ctx.warp();
    if (tile >= tiles) {
      return;
    }
    uninit<key_type>* const sample = smem.sample + ctx.warp() * simt::warp_threads;
    const index_type first = static_cast<index_type>(tile) * runs.tile_items;
    split_runs<ways, key_type>(ctx, keys, source, runs, tile, false, sample, less, [&](unsigned j, index_type split) {
      if (room.is_in(runs.valid_in(tile))) {
        room.splits(first)[j] = split;
      }
      if (runs.tile_in_group(tile) != 0 && room.is_in(runs.tile_items)) {
        room.splits(first - runs.tile_items)[ways + j] = split;
      }
    });
  }
};

/// Merges the runs of one sweep; each block makes one tile of the result.
template <class Tuning, class Keys, class Values, class Compare>
struct multiway_merge_kernel {
  using shape = multiway_merge_shape<Tuning, Keys, Values>;
  using key_type = typename shape::key_type;
  using value_type = typename shape::value_type;
  using tile = typename shape::tile;
  static constexpr unsigned ways = shape::ways;
  static constexpr unsigned block_threads = shape::block_threads;
  static constexpr unsigned resident_blocks =
    tuning::multiway_merge_resident_threads(sizeof(key_type), bytes_of_values<Values>) / block_threads;
  static constexpr unsigned items = shape::items;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static_assert(block_threads >= (warps < 2 ? 1 : 2) * block::multiway_split<ways>::shared_items, "room for samples");

  struct shared : tile::shared {
    index_type split[2][ways];  ///< items of each run before the tile, and through it
  };

  /// Where a tile's items come from: a piece of each run, one behind the other in shared memory.
  struct pieces {
    unsigned edge[ways + 1];  ///< where they begin, and behind them where the last ends
    index_type offset[ways];  ///< from a place in shared memory to that in the array

    GIMBAL_DEVICE index_type position(unsigned place) const
    {
      index_type chosen = offset[0];
      GIMBAL_UNROLL
      for (unsigned j = 1; j < ways; ++j) {
        chosen = place < edge[j] ? chosen : offset[j];
      }
      return place + chosen;
    }
  };

  Keys keys;
  Values values;
  sort_place source;
  sort_place target;
  multiway_runs<ways> runs;
  unsigned thread_items;
  multiway_split_room<ways, key_type> room;  ///< none: splits are searched here
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const index_type first = static_cast<index_type>(ctx.block()) * runs.tile_items;
    Compare less = compare;
    typename tile::piece mine;
    find_splits(ctx, smem, less);
    ctx.sync_block();  // both ends of the tile are known, and the search has done with the samples
    const pieces from = find_pieces(ctx, smem);
    load_keys(ctx, smem, from);
    ctx.sync_block();  // the pieces are there
    merge_first(ctx, smem, from, less, mine);
    ctx.sync_block();  // the pieces have been read
    tile::write(smem, mine);
    ctx.sync_block();  // pairs of pieces are merged
    if (ways == 4 && from.edge[ways / 2] != 0 && from.edge[ways / 2] != from.edge[ways]) {  // else it is one pair
      merge_second(ctx, smem, from, less, mine);
      ctx.sync_block();  // both pairs have been read
      tile::write(smem, mine);
      ctx.sync_block();  // the merged tile is there
    }
    keys.write(target, [&](auto to) { tile::striped::store(ctx, smem.keys, to + first, from.edge[ways]); });
    if constexpr (shape::has_values) {
      move_values(ctx, smem, find_pieces(ctx, smem), first);  // found again rather than kept in registers
    }
  }

private:
  /// Reads where the tile begins and where it ends, or has one warp search for each (or one for both).
  template <class Context>
  GIMBAL_DEVICE void find_splits(Context& ctx, shared& smem, Compare& less) const
  {
    if (room.is_in(runs.valid_in(ctx.block()))) {
      read_splits(ctx, smem);
      return;
    }
    for (unsigned side = ctx.warp(); side < 2; side += warps) {
      uninit<key_type>* const sample = smem.keys.item + ctx.warp() * simt::warp_threads;
      split_runs<ways, key_type>(
        ctx, keys, source, runs, ctx.block(), side == 1, sample, less,
        [&](unsigned j, index_type split) { smem.split[side][j] = split; });
    }
  }

  /// The last tile of a merge ends with the runs.
  template <class Context>
  GIMBAL_DEVICE void read_splits(Context& ctx, shared& smem) const
  {
    const index_type* const splits = room.splits(static_cast<index_type>(ctx.block()) * runs.tile_items);
    const unsigned tile_after = ctx.block() + 1;
    if (ctx.thread() < ways) {
      smem.split[0][ctx.thread()] = splits[ctx.thread()];
      if (tile_after < ctx.blocks() && runs.tile_in_group(tile_after) != 0) {
        smem.split[1][ctx.thread()] = splits[ways + ctx.thread()];
      } else {
        const index_type begin =
          static_cast<index_type>(ctx.block() - runs.tile_in_group(ctx.block())) * runs.tile_items;
        const index_type left = runs.n - begin - ctx.thread() * runs.run_items;
        smem.split[1][ctx.thread()] = left < 0 ? 0 : left < runs.run_items ? left : runs.run_items;
      }
    }
  }

  /// With a strict weak ordering the pieces make up the tile exactly; with any other, never more.
  template <class Context>
  GIMBAL_DEVICE pieces find_pieces(Context& ctx, const shared& smem) const
  {
    index_type edge[ways + 1];
    runs.find_edges(ctx.block(), edge);
    pieces result;
    result.edge[0] = 0;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < ways; ++j) {
      const index_type begin = smem.split[0][j];
      const index_type count = smem.split[1][j] - begin;
      const unsigned room = runs.tile_items - result.edge[j];
      result.edge[j + 1] = result.edge[j] + (count < 0 ? 0 : count < room ? static_cast<unsigned>(count) : room);
      result.offset[j] = edge[j] + begin - result.edge[j];
    }
    return result;
  }

  template <class Context>
  GIMBAL_DEVICE void load_keys(Context& ctx, shared& smem, const pieces& from) const
  {
    keys.read(source, [&](auto it) {
      if constexpr (block::copies_async_v<key_type, decltype(it)>) {
        GIMBAL_UNROLL
        for (unsigned j = 0; j < ways; ++j) {
          block::copy_run(
            ctx, smem.keys.item + from.edge[j], it + (from.offset[j] + from.edge[j]), from.edge[j + 1] - from.edge[j]);
        }
        ctx.wait_copies();
      } else {
        uninit<key_type> key[items];  // all loads are issued before the first store to shared memory
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const unsigned place = i * block_threads + ctx.thread();
          if (place < from.edge[ways]) {
            key[i].set(block::load_as<key_type>(it + from.position(place)));
          }
        }
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const unsigned place = i * block_threads + ctx.thread();
          if (place < from.edge[ways]) {
            smem.keys.item[place] = key[i];
          }
        }
      }
    });
  }

  /// The first pair of pieces is merged by the threads from the first on, the second pair from the last on.
  template <class Context>
  GIMBAL_DEVICE void merge_first(
    Context& ctx, const shared& smem, const pieces& from, Compare& less, typename tile::piece& mine) const
  {
    block::run_pair pair{from.edge[0], from.edge[1], from.edge[2]};
    unsigned diagonal = ctx.thread() * thread_items;
    if constexpr (ways == 4) {
      if (diagonal >= pair.end) {
        pair = {from.edge[2], from.edge[3], from.edge[4]};
        diagonal = (block_threads - 1 - ctx.thread()) * thread_items;
      }
    }
    tile::merge(smem, pair, diagonal, thread_items, less, mine);
  }

  template <class Context>
  GIMBAL_DEVICE void merge_second(
    Context& ctx, const shared& smem, const pieces& from, Compare& less, typename tile::piece& mine) const
  {
    const block::run_pair pair{from.edge[0], from.edge[ways / 2], from.edge[ways]};
    tile::merge(smem, pair, ctx.thread() * thread_items, thread_items, less, mine);
    tile::follow_origins(smem, mine);
  }

  template <class Context>
  GIMBAL_DEVICE void move_values(Context& ctx, const shared& smem, const pieces& from, index_type first) const
  {
    values.read(source, [&](auto it) {
      values.write(target, [&](auto to) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const unsigned place = i * block_threads + ctx.thread();
          if (place < from.edge[ways]) {
            *(to + (first + place)) = block::load_as<value_type>(it + from.position(smem.origin[place]));
          }
        }
      });
    });
  }
};

/// kernel::merge_sort by this file's kernels.
template <class Tuning, class Keys, class Values, class Compare>
[[nodiscard]] status multiway_merge_sort(
  void* storage, std::size_t& storage_bytes, Keys keys, Values values, index_type n, Compare compare,
  simt::stream_type stream)
{
  using shape = multiway_merge_shape<Tuning, Keys, Values>;
  using split_kernel = multiway_split_kernel<Tuning, Keys, Compare>;
  constexpr unsigned ways = shape::ways;
  const multiway_merge_plan plan = shape::plan(n);

  storage_layout layout;
  if (plan.sweeps > 0) {
    layout.add(&keys.buffer, static_cast<std::size_t>(n));
    if constexpr (shape::has_values) {
      layout.add(&values.buffer, static_cast<std::size_t>(n));
    }
  }
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  const unsigned passes = 1 + plan.sweeps;
  const std::size_t blocks = static_cast<std::size_t>(plan.tiles);
  GIMBAL_TRY(simt::launch(
    multiway_tile_sort_kernel<Tuning, Keys, Values, Compare>{
      keys, values, target_of_pass(0, passes), n, plan.thread_items, compare},
    blocks, stream, "merge sort: sorting tiles"));
  index_type run_tiles = 1;
  for (unsigned pass = 1; pass < passes; ++pass, run_tiles *= ways) {
    const index_type group_tiles = run_tiles * ways < plan.tiles ? run_tiles * ways : plan.tiles;
    const multiway_runs<ways> runs{n, run_tiles * plan.tile_items, plan.tile_items, static_cast<unsigned>(group_tiles)};
    const sort_place source = source_of_pass(pass, passes);
    const sort_place target = target_of_pass(pass, passes);
    const multiway_split_room<ways, typename shape::key_type> room{plan.searches_apart ? keys.memory(target) : nullptr};
    if (room.result != nullptr) {
      const std::size_t split_blocks = (blocks + split_kernel::warps - 1) / split_kernel::warps;
      GIMBAL_TRY(simt::launch(
        split_kernel{keys, source, runs, static_cast<unsigned>(blocks), room, compare}, split_blocks, stream,
        "merge sort: splitting runs"));
    }
    GIMBAL_TRY(simt::launch(
      multiway_merge_kernel<Tuning, Keys, Values, Compare>{
        keys, values, source, target, runs, plan.thread_items, room, compare},
      blocks, stream, "merge sort: merging runs"));
  }
  return {};
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
