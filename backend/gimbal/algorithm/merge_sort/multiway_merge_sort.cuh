// Merge sort in few sweeps. algorithm/merge_sort/merge_sort.cuh gives what holds for all merge strategies, and when
// this one is chosen.
//
// Algorithm: tiles are sorted within a block, as large as shared memory and registers allow; then every sweep merges up
// to 16 neighbouring runs, each block one tile of output. The items of a tile form one piece of each run, found by an
// exact stable split of the runs at both ends of the tile (collective/multiway_split.cuh). The block loads the pieces
// into shared memory and merges pairs of them there until one is left (merge path, collective/merge.cuh), so that an
// item travels through memory once for four levels of merging.
//
// Where the splits are searched: one search is a chain of 15 to 25 rounds, which in the merging blocks would add to the
// time that their shared memory is held idle. So all splits of a sweep are searched beforehand, in parallel, each by a
// warp, in a launch of their own.
//
// Traffic: 1 + s times 2 (keys + values), s = ceil(log_ways(n / tile)); launches: 1 + 2 s.
// Storage beside the buffers: 8 bytes for each tile and way, less than a hundredth of the keys.
#pragma once

#include <gimbal/algorithm/merge_sort/tuning.h>

#include <cuda/std/bit>
#include <gimbal/algorithm/merge_sort/merge_tile_sort.cuh>
#include <gimbal/collective/multiway_split.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The runs that one sweep merges: `run_items` each (the last may be shorter), `ways` neighbours together.
struct multiway_runs {
  index_type* splits;  ///< of each tile: how many items of each of its runs are merged before it
  index_type n;
  index_type run_items;
  unsigned tile_items;
  unsigned ways;
  unsigned group_tiles;  ///< tiles of output of one merge

  GIMBAL_DEVICE unsigned tile_in_group(unsigned tile) const { return tile % group_tiles; }

  /// Where run j of those that a tile is merged from begins, and the one before ends.
  GIMBAL_DEVICE index_type edge(unsigned tile, unsigned j) const
  {
    const index_type position = static_cast<index_type>(tile - tile_in_group(tile)) * tile_items + j * run_items;
    return position < n ? position : n;
  }

  GIMBAL_DEVICE index_type& split(unsigned tile, unsigned j) const
  {
    return splits[static_cast<index_type>(tile) * ways + j];
  }
};

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
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    Compare less = compare;
    const unsigned tile = ctx.block() * warps + ctx.warp();
    if (tile >= tiles) {
      return;
    }
    ctx.let_next_launch_start();
    const unsigned run = block::multiway_split::run_of(ctx.lane(), runs.ways);
    const index_type begin = runs.edge(tile, run);
    const index_type end = runs.edge(tile, run + 1);
    const index_type group_items = runs.edge(tile, runs.ways) - runs.edge(tile, 0);
    const index_type wanted = static_cast<index_type>(runs.tile_in_group(tile)) * runs.tile_items;
    block::multiway_split search(ctx, runs.ways, begin, end, group_items, wanted);
    keys.read(source, [&](auto from) {
      const auto key_at = [&](index_type i) { return block::load_as<key_type>(from + i); };
      search.search(ctx, key_at, smem.samples[ctx.warp()], less);
    });
    if (ctx.lane() == 0 || block::multiway_split::run_of(ctx.lane() - 1, runs.ways) != run) {
      runs.split(tile, run) = search.split();
    }
  }
};

/// Merges the runs of one sweep; each block makes one tile of the result.
template <class Tuning, class Keys, class Values, class Compare>
struct multiway_merge_kernel {
  using shape = merge_shape<Tuning, Tuning::ways, Keys, Values>;
  using key_type = typename shape::key_type;
  using tile = typename shape::tile;
  static constexpr unsigned most_runs = block::multiway_split::most_runs;
  static_assert(
    ::cuda::std::has_single_bit(Tuning::ways) && Tuning::ways >= 2 && Tuning::ways <= most_runs,
    "pieces are merged in pairs until one is left");
  static constexpr unsigned block_threads = shape::block_threads;
  static constexpr unsigned most_early_blocks = shape::most_early_blocks;
  static constexpr unsigned resident_blocks = shape::resident_blocks;
  static constexpr unsigned items = shape::items;

  /// Where a tile's items come from: a piece of each run, one after the other in shared memory. Pieces that are the
  /// second of two in the first merge lie there in reverse order.
  struct pieces {
    unsigned edge[most_runs + 1];      ///< where they begin, and after these where the last ends
    unsigned first_thread[most_runs];  ///< edge / items of a thread
    index_type offset[most_runs];      ///< index in the array: this plus, or in reverse minus, the one in shared memory
    unsigned present;                  ///< one bit each: it is not empty
  };

  struct shared : tile::shared {
    pieces from;
  };

  Keys keys;
  Values values;
  sort_buffer source;
  sort_buffer target;
  multiway_runs runs;
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    Compare less = compare;
    typename tile::piece mine;
    if (ctx.warp() == 0) {
      place_pieces(ctx, smem);
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
    keys.write(target, [&](auto to) { tile::striped::store_run(ctx, smem.keys.item, to + first, valid); });
    if constexpr (shape::has_values) {
      const auto origin = [&](unsigned slot) { return first_level < runs.ways ? smem.origin[slot] : slot; };
      const auto at = [&](unsigned slot) { return position(smem.from, origin(slot), first_level); };
      values.read(source, [&](auto from) {
        values.write(target, [&](auto to) { tile::gather_values(ctx, from, to + first, valid, at); });
      });
    }
  }

private:
  /// Items of a run through the tile. The last tile of a merge ends with the runs.
  template <class Context>
  GIMBAL_DEVICE index_type split_after(Context& ctx, unsigned run) const
  {
    const unsigned tile_after = ctx.block() + 1;
    const bool is_inside = tile_after < ctx.blocks() && runs.tile_in_group(tile_after) != 0;
    return is_inside ? runs.split(tile_after, run) : runs.edge(ctx.block(), run + 1) - runs.edge(ctx.block(), run);
  }

  /// To be called by the first warp, a lane for each run. With a strict weak ordering the pieces make up the tile
  /// exactly; with any other, never more.
  template <class Context>
  GIMBAL_DEVICE void place_pieces(Context& ctx, shared& smem) const
  {
    const unsigned run = ctx.lane();
    const bool is_run = run < runs.ways;
    const index_type begin = is_run ? runs.split(ctx.block(), run) : 0;
    const index_type count = is_run ? split_after(ctx, run) - begin : 0;
    const index_type most = runs.tile_items;
    index_type edge = count < 0 ? 0 : count < most ? count : most;  // end of the piece
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
      smem.from.first_thread[run] = static_cast<unsigned>(first) / items;
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

  /// The group of `merged` pieces that piece `piece` belongs to: the group of all pieces, if nothing is left to merge.
  GIMBAL_DEVICE typename tile::run run_of(const pieces& from, unsigned piece, unsigned merged) const
  {
    const unsigned first = piece & ~(merged - 1);
    return {(piece & merged) != 0, from.edge[first], from.edge[first + merged]};
  }

  GIMBAL_DEVICE unsigned piece_at(const pieces& from, unsigned slot) const
  {
    unsigned result = 0;
    for (unsigned half = runs.ways / 2; half > 0; half /= 2) {
      result += slot < from.edge[result + half] ? 0 : half;
    }
    return result;
  }

  /// Position in the array of the item at an index in shared memory, before anything is merged.
  GIMBAL_DEVICE index_type position(const pieces& from, unsigned slot, unsigned first_level) const
  {
    const unsigned piece = piece_at(from, slot);
    return (piece & first_level) != 0 ? from.offset[piece] - slot : from.offset[piece] + slot;
  }

  /// Each warp loads its share of the tile, piece after piece.
  template <class Context>
  GIMBAL_DEVICE void load_keys(Context& ctx, shared& smem, unsigned first_level) const
  {
    const unsigned valid = smem.from.edge[runs.ways];
    constexpr unsigned share = items * simt::warp_threads;
    const unsigned begin = ctx.warp() * share;
    const unsigned end = begin + share < valid ? begin + share : valid;
    keys.read(source, [&](auto from) {
      unsigned slot = begin;
      for (unsigned piece = piece_at(smem.from, slot); slot < end; ++piece) {
        const unsigned piece_end = smem.from.edge[piece + 1];
        const unsigned until = piece_end < end ? piece_end : end;
        load_piece(ctx, smem, from + smem.from.offset[piece], (piece & first_level) != 0, slot + ctx.lane(), until);
        slot = until;
      }
      if (ctx.thread() < block::merge_steps && valid > 0) {
        smem.before[ctx.thread()].set(block::load_as<key_type>(from + position(smem.from, 0, first_level)));
      }
    });
    ctx.wait_copies();
  }

  /// Fills every 32nd of the slots [slot, end) with the item as far after `from` or, reversed, before it. Asynchronous
  /// copies are only started.
  template <class Context, class Iterator>
  static GIMBAL_DEVICE void load_piece(
    Context& ctx, shared& smem, Iterator from, bool is_reversed, unsigned slot, unsigned end)
  {
    if constexpr (!block::copies_async_v<key_type, Iterator>) {
      load_in_batches(smem, from, is_reversed, slot, end);
    } else if (is_reversed) {
      for (; slot < end; slot += simt::warp_threads) {
        ctx.copy_async(smem.keys.item[slot], from - slot);
      }
    } else {
      for (; slot < end; slot += simt::warp_threads) {
        ctx.copy_async(smem.keys.item[slot], from + slot);
      }
    }
  }

  template <class Iterator>
  static GIMBAL_DEVICE void load_in_batches(shared& smem, Iterator from, bool is_reversed, unsigned first, unsigned end)
  {
    constexpr unsigned batch = 8;  // loads that are in flight together
    const index_type step = is_reversed ? -1 : 1;
    for (; first < end; first += batch * simt::warp_threads) {
      uninit<key_type> key[batch];
      block::for_left<false, batch, simt::warp_threads>(end - first, [&](unsigned i) {
        key[i].set(block::load_as<key_type>(from + step * (first + i * simt::warp_threads)));
      });
      block::for_left<false, batch, simt::warp_threads>(
        end - first, [&](unsigned i) { smem.keys.item[first + i * simt::warp_threads] = key[i]; });
    }
  }

  /// Merges pairs of `merged` neighbouring pieces each. Every pair has threads of its own: its first thread follows as
  /// many as whole pieces of a thread fit before the pair, and one for each earlier pair. Returns the thread's first
  /// piece.
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
    tile::merge(smem, pair, (ctx.thread() - first_thread) * items, less, mine);
    return first;
  }
};

/// How many `splits` a sort in few sweeps needs room for.
template <class Tuning, class Keys, class Values>
index_type multiway_split_count(index_type n)
{
  return merge_shape<Tuning, Tuning::ways, Keys, Values>::tiles(n) * Tuning::ways;
}

/// algorithm::merge_sort in few sweeps, with buffers of n keys and n values.
template <class Tuning, class Keys, class Values, class Compare>
[[nodiscard]] status multiway_merge_sort(
  const Keys& keys, const Values& values, index_type* splits, index_type n, Compare compare, simt::stream_type stream)
{
  using shape = merge_shape<Tuning, Tuning::ways, Keys, Values>;
  using split_kernel = multiway_split_kernel<Keys, Compare, shape::has_values>;
  const index_type tiles = shape::tiles(n);
  const merge_sweeps sweeps(tiles, simt::bit_width(Tuning::ways) - 1);
  const unsigned passes = 1 + sweeps.count;
  GIMBAL_TRY(simt::launch(
    merge_tile_sort_kernel<shape, Keys, Values, Compare>{keys, values, target_of_pass(0, passes), n, compare}, tiles,
    stream, "merge sort: sorting tiles"));
  index_type run_tiles = 1;
  for (unsigned pass = 1; pass < passes; ++pass) {
    const unsigned ways = 1u << sweeps.levels_of(pass - 1);
    const index_type group_tiles = run_tiles * ways < tiles ? run_tiles * ways : tiles;
    const multiway_runs runs{
      splits, n, run_tiles * shape::tile_items, shape::tile_items, ways, static_cast<unsigned>(group_tiles)};
    const sort_buffer source = source_of_pass(pass, passes);
    GIMBAL_TRY(simt::launch(
      split_kernel{keys, source, runs, static_cast<unsigned>(tiles), compare},
      (tiles + split_kernel::warps - 1) / split_kernel::warps, stream, "merge sort: splitting runs"));
    const multiway_merge_kernel<Tuning, Keys, Values, Compare> kernel{
      keys, values, source, target_of_pass(pass, passes), runs, compare};
    GIMBAL_TRY(simt::launch(kernel, tiles, stream, "merge sort: merging runs"));
    run_tiles *= ways;
  }
  return {};
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
