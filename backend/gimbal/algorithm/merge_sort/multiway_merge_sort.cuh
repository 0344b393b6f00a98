// Merge sort in few sweeps: keys, or keys and values, by any comparator. The entry is algorithm/merge_sort/merge_sort.cuh, which
// chooses between this and merging in pairs.
//
// Algorithm: tiles are sorted within a block, as large as shared memory and registers bear; then every sweep merges up
// to 16 neighbouring runs, each block one tile of output. The items of a tile form one piece of each run, found by an
// exact stable split of the runs at both ends of the tile (collective/multiway_split.cuh). The block loads the pieces into
// shared memory and merges pairs of them there until one is left (merge path, collective/merge.cuh; Green, McColl & Bader
// 2012), so that an item travels through memory once for four levels of merging. Only keys are merged; values are
// fetched from where their keys were. A level is left out where it would merge nothing, as in sorted input.
//
// Where the splits are searched: one search is a chain of 15 to 25 rounds. While all blocks of a sweep run at once, two
// warps of each block search its two ends. Beyond, every block but the first ones would add that chain to the time that
// its shared memory waits, so all splits of a sweep are searched beforehand, side by side, a warp each, in a launch of
// their own.
//
// Comparator: a strict weak ordering, called on keys of the input only, each time with copies of them. Stable. A
// comparator that is none gives an unspecified result; no access leaves the arrays, and the sort ends.
// Keys and values: any supported value type (simt/value.cuh); no default constructor needed.
// Traffic: 1 + s times 2 (keys + values), s = ceil(log_ways(n / largest tile)).
// Launches: 1 + s while tiles <= Tuning::filling_tiles, beyond it 1 + 2 s.
// Storage: n keys and n values; at most one tile: none. The splits pass from launch to launch in memory that the sweep
//   is about to write; where that is no plain memory but an output iterator's, the last sweep searches in its blocks.
// Aliasing: keys_out may be keys_in and values_out may be values_in; no other overlap. Otherwise the input stays as it
//   is; the output is also used as a buffer, so it must be readable and of the input's value type.
// Determinism: as far as the comparator's: which items are compared depends on the input alone. No block waits for
// another of its launch. A launch may start early (simt/cuda_launch.cuh) and waits for the end of the one in front,
// which has waited in turn: so all launches in front have ended before a block reads or writes what they share.
#pragma once

#include <gimbal/algorithm/merge_sort/tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/merge_sort/merge_tile_sort.cuh>
#include <gimbal/algorithm/merge_sort/multiway_runs.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Merges the runs of one sweep; each block makes one tile of the result.
template <class Tuning, class Keys, class Values, class Compare>
struct multiway_merge_kernel {
  using shape = multiway_merge_shape<Tuning, Keys, Values>;
  using key_type = typename shape::key_type;
  using value_type = typename shape::value_type;
  using tile = typename shape::tile;
  static constexpr unsigned most_runs = block::multiway_split::most_runs;
  static constexpr unsigned block_threads = shape::block_threads;
  static constexpr unsigned most_early_blocks = shape::most_early_blocks;
  static constexpr unsigned resident_blocks = shape::resident_blocks;
  static constexpr unsigned items = shape::items;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned searching_warps = warps < 2 ? warps : 2;
  static constexpr bool are_copied_async = block::copies_async_v<key_type, const key_type*>;

  /// Where a tile's items come from: a piece of each run, one behind the other in shared memory. Those that are the
  /// second of two in the first merge lie there in reverse order.
  struct pieces {
    unsigned edge[most_runs + 1];      ///< where they begin, and behind them where the last ends
    unsigned first_thread[most_runs];  ///< edge / items of a thread
    index_type offset[most_runs];  ///< the place in the array is this plus, or in reverse less, that in shared memory
    unsigned present;              ///< one bit each: it is not empty
  };

  struct shared : tile::shared {
    block::multiway_samples<key_type> samples[searching_warps];
    index_type split[2][most_runs];  ///< items of each run before the tile, and through it
    pieces from;
  };

  Keys keys;
  Values values;
  sort_place source;
  sort_place target;
  multiway_runs runs;
  unsigned thread_items;
  multiway_split_room<key_type> room;  ///< none: splits are searched here
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    Compare less = compare;
    typename tile::piece mine;
    const bool is_split = room.is_in(runs.valid_in(ctx.block()));
    if (!is_split) {
      search_splits(ctx, smem, less);
      ctx.sync_block();  // both ends of the tile are known
    }
    if (ctx.warp() == 0) {
      place_pieces(ctx, smem, is_split);
    }
    ctx.sync_block();  // it is known which pieces the tile is made of
    const unsigned first_level = level_from(1, smem.from.present);
    load_keys(ctx, smem, first_level);
    ctx.sync_block();  // the pieces are there
    for (unsigned merged = first_level; merged < runs.ways;) {
      const unsigned begin = merge_pairs(ctx, smem, merged, less, mine);
      if (merged != first_level) {
        tile::follow_origins(smem, mine);
      }
      merged = level_from(2 * merged, smem.from.present);
      ctx.sync_block();  // the pieces have been read
      tile::write_run(smem, mine, run_of(smem.from, begin, merged));
      ctx.sync_block();  // pairs of pieces are merged
    }
    const index_type first = static_cast<index_type>(ctx.block()) * runs.tile_items;
    const unsigned valid = smem.from.edge[runs.ways];
    ctx.let_next_launch_start();
    keys.write(target, [&](auto to) { tile::striped::store(ctx, smem.keys, to + first, valid); });
    if constexpr (shape::has_values) {
      move_values(ctx, smem, first, valid, first_level);
    }
  }

private:
  /// One warp searches where the tile begins, another (or the same) where it ends.
  template <class Context>
  GIMBAL_DEVICE void search_splits(Context& ctx, shared& smem, Compare& less) const
  {
    if (ctx.warp() < searching_warps) {
      for (unsigned side = ctx.warp(); side < 2; side += searching_warps) {
        algorithm::split_runs<key_type>(
          ctx, keys, source, runs, ctx.block(), side == 1, smem.samples[ctx.warp()], less,
          [&](unsigned run, index_type split) { smem.split[side][run] = split; });
      }
    }
  }

  /// Items of a run before the tile (side 0) or through it. The last tile of a merge ends with the runs.
  template <class Context>
  GIMBAL_DEVICE index_type split_of(Context& ctx, const shared& smem, bool is_split, unsigned side, unsigned run) const
  {
    if (!is_split) {
      return smem.split[side][run];
    }
    const unsigned tile_after = ctx.block() + 1;
    if (side == 1 && !(tile_after < ctx.blocks() && runs.tile_in_group(tile_after) != 0)) {
      return runs.edge(ctx.block(), run + 1) - runs.edge(ctx.block(), run);
    }
    return room.splits(static_cast<index_type>(ctx.block()) * runs.tile_items, side)[run];
  }

  /// By the first warp, a lane for each run. With a strict weak ordering the pieces make up the tile exactly; with any
  /// other, never more.
  template <class Context>
  GIMBAL_DEVICE void place_pieces(Context& ctx, shared& smem, bool is_split) const
  {
    const unsigned run = ctx.lane();
    const bool is_run = run < runs.ways;
    const index_type begin = is_run ? split_of(ctx, smem, is_split, 0, run) : 0;
    const index_type count = is_run ? split_of(ctx, smem, is_split, 1, run) - begin : 0;
    const index_type most = runs.tile_items;
    index_type edge = count < 0 ? 0 : count < most ? count : most;  // behind the piece
    for (unsigned distance = 1; distance < most_runs; distance *= 2) {
      const index_type before = ctx.shfl_up(edge, distance);
      edge += ctx.lane() < distance ? 0 : before;
    }
    edge = edge < most ? edge : most;
    const index_type last_edge = ctx.shfl_up(edge, 1);
    const index_type first = run == 0 ? 0 : last_edge;
    const unsigned present = ctx.ballot(is_run && first < edge);
    const bool is_reversed = (run & level_from(1, present)) != 0;
    if (is_run) {
      smem.from.edge[run] = static_cast<unsigned>(first);
      smem.from.first_thread[run] = static_cast<unsigned>(first) / thread_items;
      smem.from.offset[run] = runs.edge(ctx.block(), run) + begin + (is_reversed ? edge - 1 : -first);
      if (run + 1 == runs.ways) {
        smem.from.edge[run + 1] = static_cast<unsigned>(edge);
        smem.from.present = present;
      }
    }
  }

  /// The number of pieces in a group, `merged` or more, from which on merging pairs of groups brings two together that
  /// are not empty; `ways` where none does.
  GIMBAL_DEVICE unsigned level_from(unsigned merged, unsigned present) const
  {
    for (unsigned half = 1; half < merged; half *= 2) {
      present |= present >> half;  // groups that are not empty have a bit at their first piece
    }
    while (merged < runs.ways) {
      const unsigned first_of_pairs = merged == 1 ? 0x5555 : merged == 2 ? 0x1111 : merged == 4 ? 0x0101 : 0x0001;
      if ((present & present >> merged & first_of_pairs) != 0) {
        return merged;
      }
      present |= present >> merged;
      merged *= 2;
    }
    return runs.ways;
  }

  /// The group of `merged` pieces that piece `piece` belongs to. Of all of them, if there is nothing left to merge.
  GIMBAL_DEVICE typename tile::run run_of(const pieces& from, unsigned piece, unsigned merged) const
  {
    const unsigned first = piece & ~(merged - 1);
    return {(piece & merged) != 0, from.edge[first], from.edge[first + merged]};
  }

  GIMBAL_DEVICE unsigned piece_at(const pieces& from, unsigned place) const
  {
    unsigned result = 0;
    for (unsigned half = runs.ways / 2; half > 0; half /= 2) {
      result += place < from.edge[result + half] ? 0 : half;
    }
    return result;
  }

  /// Of the item at a place in shared memory, before anything is merged.
  GIMBAL_DEVICE index_type position(const pieces& from, unsigned place, unsigned first_level) const
  {
    const unsigned piece = piece_at(from, place);
    return (piece & first_level) != 0 ? from.offset[piece] - place : from.offset[piece] + place;
  }

  template <class Context>
  GIMBAL_DEVICE void load_keys(Context& ctx, shared& smem, unsigned first_level) const
  {
    const unsigned valid = smem.from.edge[runs.ways];
    keys.read(source, [&](auto it) {
      if constexpr (::cuda::std::is_same_v<decltype(it), const key_type*>) {
        load_share(ctx, smem, it, valid, first_level);
        ctx.wait_copies();
      } else {
        uninit<key_type> key[items];  // all loads are issued before the first store to shared memory
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const unsigned place = i * block_threads + ctx.thread();
          if (place < valid) {
            key[i].set(block::load_as<key_type>(it + position(smem.from, place, first_level)));
          }
        }
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const unsigned place = i * block_threads + ctx.thread();
          if (place < valid) {
            smem.keys.item[place] = key[i];
          }
        }
        if (ctx.thread() < block::merge_steps && valid > 0) {
          smem.before[ctx.thread()].set(block::load_as<key_type>(it + position(smem.from, 0, first_level)));
        }
      }
    });
  }

  /// The warp's share of the tile, piece after piece. Asynchronous copies are only started.
  template <class Context>
  GIMBAL_DEVICE void load_share(
    Context& ctx, shared& smem, const key_type* keys_at, unsigned valid, unsigned first_level) const
  {
    if (ctx.thread() < block::merge_steps && valid > 0) {
      const key_type* const any = keys_at + position(smem.from, 0, first_level);
      if constexpr (are_copied_async) {
        ctx.copy_async(smem.before[ctx.thread()], any);
      } else {
        smem.before[ctx.thread()].set(*any);
      }
    }
    constexpr unsigned share = items * simt::warp_threads;
    unsigned place = ctx.warp() * share;
    const unsigned end = place + share < valid ? place + share : valid;
    if (place >= end) {
      return;
    }
    for (unsigned piece = piece_at(smem.from, place); place < end; ++piece) {
      const unsigned piece_end = smem.from.edge[piece + 1];
      const unsigned until = piece_end < end ? piece_end : end;
      const bool is_reversed = (piece & first_level) != 0;
      load_piece(ctx, smem, keys_at + smem.from.offset[piece], is_reversed, place + ctx.lane(), until);
      place = until;
    }
  }

  /// Every 32nd of the places [place, end): what stands as far behind `from`, or, reversed, in front of it.
  template <class Context>
  static GIMBAL_DEVICE void load_piece(
    Context& ctx, shared& smem, const key_type* from, bool is_reversed, unsigned place, unsigned end)
  {
    if constexpr (!are_copied_async) {
      load_in_batches(ctx, smem, from, is_reversed, place, end);
    } else if (is_reversed) {
      for (; place < end; place += simt::warp_threads) {
        ctx.copy_async(smem.keys.item[place], from - place);
      }
    } else {
      for (; place < end; place += simt::warp_threads) {
        ctx.copy_async(smem.keys.item[place], from + place);
      }
    }
  }

  template <class Context>
  static GIMBAL_DEVICE void load_in_batches(
    Context&, shared& smem, const key_type* from, bool is_reversed, unsigned first, unsigned end)
  {
    constexpr unsigned batch = 8;  // loads that are in flight together
    const index_type step = is_reversed ? -1 : 1;
    for (; first < end; first += batch * simt::warp_threads) {
      uninit<key_type> key[batch];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        const unsigned place = first + i * simt::warp_threads;
        if (place < end) {
          key[i].set(from[step * place]);
        }
      }
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        const unsigned place = first + i * simt::warp_threads;
        if (place < end) {
          smem.keys.item[place] = key[i];
        }
      }
    }
  }

  /// Merges pairs of `merged` neighbouring pieces each. Every pair has threads of its own: as many before its first as
  /// whole pieces of a thread fit before it, and one for each pair in front. Returns the first piece of the thread's.
  template <class Context>
  GIMBAL_DEVICE unsigned merge_pairs(
    Context& ctx, const shared& smem, unsigned merged, Compare& less, typename tile::piece& mine) const
  {
    unsigned first = 0;
    unsigned first_thread = 0;
    for (unsigned next = 2 * merged, pair = 1; next < runs.ways; next += 2 * merged, ++pair) {
      const unsigned begins = smem.from.first_thread[next] + pair;
      if (ctx.thread() >= begins) {
        first = next;
        first_thread = begins;
      }
    }
    const unsigned* const edge = smem.from.edge + first;
    const block::run_pair pair{edge[0], edge[merged], edge[2 * merged]};
    tile::merge(smem, pair, (ctx.thread() - first_thread) * thread_items, thread_items, less, mine);
    return first;
  }

  template <class Context>
  GIMBAL_DEVICE void move_values(
    Context& ctx, const shared& smem, index_type first, unsigned valid, unsigned first_level) const
  {
    values.read(source, [&](auto it) {
      values.write(target, [&](auto to) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const unsigned place = i * block_threads + ctx.thread();
          if (place < valid) {
            const unsigned origin = first_level < runs.ways ? smem.origin[place] : place;
            *(to + (first + place)) = block::load_as<value_type>(it + position(smem.from, origin, first_level));
          }
        }
      });
    });
  }
};

/// algorithm::merge_sort by this file's kernels.
template <class Tuning, class Keys, class Values, class Compare>
[[nodiscard]] status multiway_merge_sort(
  temporary_storage storage, std::size_t& storage_bytes, Keys keys, Values values, index_type n, Compare compare,
  simt::stream_type stream)
{
  using shape = multiway_merge_shape<Tuning, Keys, Values>;
  using split_kernel = multiway_split_kernel<Keys, Compare, shape::has_values>;
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
  const index_type blocks = plan.tiles;
  GIMBAL_TRY(simt::launch(
    merge_tile_sort_kernel<shape, unsigned, Keys, Values, Compare>{
      keys, values, target_of_pass(0, passes), n, plan.thread_items, compare},
    blocks, stream, "merge sort: sorting tiles"));
  index_type run_tiles = 1;
  for (unsigned pass = 1; pass < passes; ++pass) {
    const unsigned ways = plan.ways(pass - 1);
    const index_type group_tiles = run_tiles * ways < plan.tiles ? run_tiles * ways : plan.tiles;
    const multiway_runs runs{n, run_tiles * plan.tile_items, plan.tile_items, ways, static_cast<unsigned>(group_tiles)};
    const sort_place source = source_of_pass(pass, passes);
    const sort_place target = target_of_pass(pass, passes);
    const multiway_split_room<typename shape::key_type> room{plan.searches_apart ? keys.memory(target) : nullptr};
    if (room.result != nullptr) {
      const index_type split_blocks = (blocks + split_kernel::warps - 1) / split_kernel::warps;
      GIMBAL_TRY(simt::launch(
        split_kernel{keys, source, runs, static_cast<unsigned>(blocks), room, compare}, split_blocks, stream,
        "merge sort: splitting runs"));
    }
    GIMBAL_TRY(simt::launch(
      multiway_merge_kernel<Tuning, Keys, Values, Compare>{
        keys, values, source, target, runs, plan.thread_items, room, compare},
      blocks, stream, "merge sort: merging runs"));
    run_tiles *= ways;
  }
  return {};
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
