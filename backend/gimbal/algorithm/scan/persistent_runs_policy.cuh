// Runs of equal keys in large arrays: the first key of each run and, where there are values, the first value or the
// fold of all values of the run. What reduce_by_key.cuh and the unique forms of partition.cuh do for any sequence.
//
// Algorithm: a policy of the engine (pipeline/persistent_kernel.cuh). Reduce warps load what comes through other
// iterators than pointers, find the heads of a tile, a segment per lane, and compact keys and values of runs, a chunk
// per warp, in place in the stage. A tile's aggregate is its number of heads and the fold of the values from the last
// head on. The prefix-wait warp works out where each chunk's runs go, and store warps store them.
//
// Each item is thus looked at once, and what waits for the server is no more than the results. Of a run that began
// before its chunk only the part in the chunk is folded there; the store warps put the rest before it. The head in
// front of which a run ends is in the chunk that stores the run's total; the last run ends in the last chunk.
//
// Bytes moved: each key and value is read once, each result written once; beside them 16 bytes per tile and word of
//   a tile's aggregate.
// Equality: called once per pair of neighbours.
// Operator: associative; operands are combined in order.
// Determinism: the tree depends on the number of items alone; floating-point results are the same bits in every run.
//
// Memory order: a reduce warp looks at one key of another's chunk, the last one: that place is not written where keys
// are compacted, unless all of the chunk are heads, and then none is moved.
//
// In place (keys and values go where they come from): runs are stored at or before their chunk, over items of tiles
// before it and of its own. A tile is published after `reduced`: all that is ever loaded of it has been, and the key
// before it. What it publishes depends on these loads, and where a tile is stored on what all tiles before it have
// published; so no item is overwritten before it has been loaded, as simt::reuse_needs_order has it. The key before
// tile t could be overwritten earlier only by the block of tile t - 1, if nothing was dropped up to there, and then its
// chunk, being in place already, is not stored at all.
#pragma once

#include <gimbal/tile/iterators.h>
#include <gimbal/tuning.h>

#include <gimbal/algorithm/scan/segment_fold.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/persistent_io.cuh>
#include <gimbal/pipeline/persistent_kernel.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// `count` items to `out`. By a whole warp.
template <class T, class Context, class OutputIt>
GIMBAL_DEVICE void store_by_warp(Context& ctx, const uninit<T>* source, OutputIt out, unsigned count)
{
  constexpr unsigned group = 4;  // loads before the first store
  constexpr unsigned threads = simt::warp_threads;
  for (unsigned k = ctx.lane(); k < count; k += group * threads) {
    uninit<T> item[group];
    const OutputIt mine = out + k;
    block::for_left<false, group, threads>(count - k, [&](unsigned i) { item[i] = source[k + i * threads]; });
    block::for_left<false, group, threads>(
      count - k, [&](unsigned i) { block::store_as(mine + i * threads, item[i].get()); });
  }
}

}  // namespace block

namespace algorithm {

/// `Values`: what becomes of the values beside the keys, as no_run_values.
template <class Tuning, class KeyIn, class KeyOut, class Values, class CountIt, class Equal>
struct persistent_runs_policy : persistent_policy {
  static constexpr const char* step = "runs as a stream";
  static constexpr const char* clearing = "clearing of the words of a stream of runs";
  static constexpr bool serves_apart = true;

  using key = value_type_of<KeyIn>;
  using value = typename Values::value;
  using piece = typename Values::template state<std::uint32_t>;  // what a part of a tile amounts to
  using prefix = typename Values::template state<index_type>;
  using key_source = block::persistent_source<KeyIn, false>;
  using value_source = typename Values::source;
  using server = block::prefix_server<prefix, simt::reuse_needs_order, piece>;

  static constexpr bool copies_keys = key_source::copies;
  static constexpr bool copies_values = value_source::copies;
  static constexpr bool loads_values = Values::has_values && !copies_values;
  static constexpr unsigned copies = copies_keys + copies_values;  // for each tile

  static constexpr std::size_t value_bytes = Values::has_values ? sizeof(value) : 0;
  static constexpr std::size_t larger_bytes = sizeof(key) > value_bytes ? sizeof(key) : value_bytes;
  static constexpr std::size_t item_bytes = sizeof(key) + value_bytes;
  static constexpr unsigned key_unit = simt::items_of_vectors(sizeof(key));
  static constexpr unsigned value_unit = Values::has_values ? simt::items_of_vectors(sizeof(value)) : 1;
  static constexpr unsigned unit = key_unit > value_unit ? key_unit : value_unit;
  static constexpr unsigned fitting_items =
    Tuning::row.lane_bytes / larger_bytes < 32 ? static_cast<unsigned>(Tuning::row.lane_bytes / larger_bytes) : 32;
  /// Of a lane: whole vectors of keys and of values, which lanes read by vectors; or an odd number, which they read one
  /// by one without a bank conflict.
  static constexpr unsigned items = Tuning::row.lane_items != 0 ? Tuning::row.lane_items : fitting_items / unit * unit;
  static constexpr bool is_possible = items > 0;
  static constexpr unsigned warps = Tuning::row.reduce_warps;
  static constexpr unsigned reduce_warps = warps;
  static constexpr unsigned reduce_groups = Tuning::row.reduce_groups;
  static constexpr unsigned store_warps = Tuning::row.store_warps;
  static constexpr unsigned store_groups = 1;
  static constexpr unsigned resident_blocks = 1;
  using tiles_type = block::persistent_tiles<warps, items == 0 ? 1 : items>;
  static constexpr unsigned chunk_items = tiles_type::chunk_items;

  /// Arrays lie in the stage as they do in memory, up to 15 bytes after a multiple of 16.
  struct stage_memory {
    alignas(16) unsigned char keys[tiles_type::tile_items * sizeof(key) + 16];
    alignas(16) unsigned char values[Values::has_values ? tiles_type::tile_items * sizeof(value) + 16 : 1];
    uninit<piece> total[warps];
    uninit<prefix> before[warps];       // what is before each chunk
    std::uint32_t starts_a_run[warps];  // whether the chunk's first item is a head
    simt::phase_barrier full;
    simt::phase_barrier reduced;
    simt::phase_barrier ready;
    simt::phase_barrier empty;
  };
  static constexpr unsigned fitting_stages =
    static_cast<unsigned>(Tuning::row.ring_kilobytes * 1024 / sizeof(stage_memory));
  static constexpr unsigned most_stages =
    fitting_stages < Tuning::row.most_stages ? fitting_stages : Tuning::row.most_stages;
  /// A stage belongs to one group of reduce warps: who waits for its next phase has seen the one before.
  static constexpr unsigned stages =
    (most_stages < 2 * reduce_groups ? 2 * reduce_groups : most_stages) / reduce_groups * reduce_groups;
  static constexpr unsigned loads_ahead = tuning::persistent_loads_ahead(item_bytes * tiles_type::tile_items);
  static constexpr unsigned most_loads = loads_ahead < stages ? loads_ahead : stages;
  static constexpr unsigned first_loads = most_loads;

  struct shared {
    stage_memory stage[stages];
    typename server::shared served;
    block::team_member place;
  };

  key_source keys;
  KeyOut keys_out;
  Values values;
  CountIt run_count;
  tiles_type tiles;
  Equal equal;
  bool is_in_place;

  GIMBAL_DEVICE auto combine() const { return values.join(); }

  // ---- loads

  /// Starts the copies of a tile: the keys in lane 0, the values in the next, or in lane 0 if keys are not copied.
  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared&, stage_memory& stage, unsigned tile, unsigned) const
  {
    const index_type first = tiles_type::first_of(tile);
    if constexpr (copies_keys) {
      if (ctx.lane() == 0) {
        keys.load(ctx, tiles, first, tiles_type::tile_items, stage.keys, stage.full);
      }
    }
    if constexpr (copies_values) {
      if (ctx.lane() == copies - 1) {
        values.in.load(ctx, tiles, first, tiles_type::tile_items, stage.values, stage.full);
      }
    }
  }

  // ---- reduce

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void reduce(Context& ctx, shared& smem, const Scheduler& own, unsigned reduce_warp) const
  {
    const unsigned warp = reduce_warp % warps;
    const unsigned group = reduce_warp / warps;
    const index_type items_on = index_type{reduce_groups} * own.server.blocks * tiles_type::tile_items;
    const auto key_before = [&](index_type first) {  // the key before a chunk, in lane 0
      uninit<key> found;
      if ((!copies_keys || warp == 0) && ctx.lane() == 0 && first > 0 && first < tiles.end) {
        found = key_at(first - 1);
      }
      return found;
    };
    uninit<key> next_previous;  // that of the group's next tile is loaded a tile ahead, so that nobody waits for it
    if constexpr (copies_keys) {
      next_previous = key_before(tiles_type::first_of(own.tile(group)));
    }
    const auto fold_tile = [&](unsigned tile, stage_memory& stage, unsigned parity) {
      const index_type first = tiles_type::first_of(tile) + warp * chunk_items;
      uninit<key> previous = next_previous;
      if constexpr (copies_keys) {
        next_previous = key_before(first + items_on);
      } else {
        previous = key_before(first);
      }
      if constexpr (!copies_keys || loads_values) {
        load_chunk(ctx, stage, warp, parity, first, first + items_on);
      }
      if constexpr (copies > 0) {
        ctx.wait(stage.full, parity);  // keys and values have landed
      }
      if (copies_keys && warp > 0 && ctx.lane() == 0) {
        previous = keys_of(stage, warp)[-1];
      }
      if (tiles.is_full(tiles_type::first_of(tile), tiles_type::tile_items)) {
        fold_chunk<true>(ctx, stage, warp, first, previous);
      } else {
        fold_chunk<false>(ctx, stage, warp, first, previous);
      }
      ctx.bulk_fence();  // what is written here comes before the next bulk copy into the stage
      ctx.sync_warp();   // all lanes have read and written
      if (ctx.lane() == 0) {
        ctx.arrive(stage.reduced);
      }
    };
    own.for_tiles_of_group(smem.stage, group, reduce_groups, fold_tile);
  }

  // ---- what a tile amounts to, and what is before it

  GIMBAL_DEVICE uninit<piece> total_of(const stage_memory& stage, unsigned tile) const
  {
    return block::fold_items(active_warps(tile), stage.total, values.join());
  }

  /// What is before each chunk of a tile, from what is before the tile.
  template <class Context, class Scheduler>
  GIMBAL_DEVICE bool set_prefix(
    Context&, shared&, const Scheduler&, stage_memory& stage, unsigned tile, uninit<prefix> before, nothing) const
  {
    const unsigned active = active_warps(tile);
    uninit<piece> total[warps];  // all are read before the first is needed
    GIMBAL_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      total[w] = stage.total[w];
    }
    GIMBAL_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      if (w < active) {
        if (tile > 0 || w > 0) {
          stage.before[w] = before;
        }
        before.set(through(tile > 0 || w > 0, before, total[w]));
      }
    }
    return true;
  }

  // ---- store

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void store(Context& ctx, shared& smem, const Scheduler& own, unsigned store_warp) const
  {
    own.for_tiles(smem.stage, [&](unsigned tile, stage_memory& stage, unsigned parity) {
      ctx.wait(stage.ready, parity);  // where the chunks' runs go is known
      const unsigned active = active_warps(tile);
      for (unsigned w = store_warp; w < active; w += store_warps) {
        store_chunk(ctx, stage, tile, w);
        if (tile + 1 == own.tiles && w + 1 == active && ctx.lane() == 0) {
          finish(stage, tile, w);
        }
      }
      ctx.bulk_fence();
      ctx.sync_warp();  // all lanes have read
      if (ctx.lane() == 0) {
        ctx.arrive(stage.empty);
      }
    });
  }

private:
  static constexpr bool folds = Values::folds;

  GIMBAL_DEVICE unsigned active_warps(unsigned tile) const
  {
    return tiles.pieces_with_items(tiles_type::first_of(tile), warps, chunk_items);
  }

  /// The key at a position that has one.
  GIMBAL_DEVICE uninit<key> key_at(index_type position) const
  {
    uninit<key> found;
    if constexpr (copies_keys) {
      found = reinterpret_cast<const uninit<key>*>(keys.origin + keys.misalignment)[position];
    } else {
      found.set(block::load_as<key>(keys.in + position));
    }
    return found;
  }

  /// What is not copied of a warp's chunk that begins at position `first`, to its places in the stage as soon as that
  /// is empty: all of it is in flight at the same time. The chunk that begins at `next` is fetched ahead.
  template <class Context>
  GIMBAL_DEVICE void load_chunk(
    Context& ctx, stage_memory& stage, unsigned warp, unsigned parity, index_type first, index_type next) const
  {
    uninit<key> own_key[items];
    uninit<value> own_value[items];
    if constexpr (!copies_keys) {
      keys.load(ctx, tiles, first, own_key);
    }
    if constexpr (loads_values) {
      values.in.load(ctx, tiles, first, own_value);
    }
    if (ctx.lane() == 0) {
      if constexpr (!copies_keys) {
        keys.fetch_ahead(ctx, tiles, next);
      }
      if constexpr (loads_values) {
        values.in.fetch_ahead(ctx, tiles, next);
      }
    }
    ctx.wait(stage.empty, parity ^ 1);  // the stage has been read
    if constexpr (!copies_keys) {
      keys.put(ctx, tiles, first, own_key, reinterpret_cast<unsigned char*>(keys_of(stage, warp)));
    }
    if constexpr (loads_values) {
      values.in.put(ctx, tiles, first, own_value, reinterpret_cast<unsigned char*>(values_of(stage, warp)));
    }
    ctx.sync_warp();  // the chunk is in shared memory
  }

  /// A warp's chunk of a tile.
  GIMBAL_DEVICE uninit<key>* keys_of(stage_memory& stage, unsigned warp) const
  {
    return reinterpret_cast<uninit<key>*>(stage.keys + keys.misalignment) + warp * chunk_items;
  }
  GIMBAL_DEVICE uninit<value>* values_of(stage_memory& stage, unsigned warp) const
  {
    if constexpr (Values::has_values) {
      return reinterpret_cast<uninit<value>*>(stage.values + values.in.misalignment) + warp * chunk_items;
    } else {
      return nullptr;
    }
  }

  template <bool IsFull, class Context>
  GIMBAL_DEVICE void fold_chunk(
    Context& ctx, stage_memory& stage, unsigned warp, index_type first, uninit<key>& previous) const
  {
    const index_type own_first = first + ctx.lane() * items;
    const block::valid_range valid = IsFull ? block::valid_range{0, items} : tiles.valid(own_first, items);
    const unsigned active = IsFull ? simt::warp_threads : tiles.pieces_with_items(first, simt::warp_threads, items);
    uninit<key> own_key[items];
    block::read_segment(keys, stage.keys + warp * chunk_items * sizeof(key), ctx.lane(), own_key);
    uninit<value> own_value[items];
    if constexpr (Values::has_values) {
      block::read_segment(values.in, stage.values + warp * chunk_items * sizeof(value), ctx.lane(), own_value);
    }
    const uninit<key> left = ctx.shfl_up(own_key[items - 1], 1);
    if (ctx.lane() > 0) {
      previous = left;
    }
    const std::uint32_t heads =
      block::find_heads<IsFull>(valid, own_first == 0, previous, own_key, block::differs<Equal>{equal});

    uninit<piece> state;
    if (IsFull || valid.lo < valid.hi) {
      state.set(values.template fold_items<IsFull>(valid, heads, own_value));
    }
    block::warp_inclusive_scan(ctx, state, active, values.join());
    if (active > 0 && ctx.lane() == active - 1) {
      stage.total[warp] = state;
    }
    if (ctx.lane() == 0) {
      stage.starts_a_run[warp] = heads & 1;
    }
    const uninit<piece> before = ctx.shfl_up(state, 1);
    ctx.sync_warp();  // all lanes have read the chunk, and its number of heads is written
    if ((IsFull || valid.lo < valid.hi) && heads != 0) {
      const unsigned slot = ctx.lane() > 0 ? Values::heads_of(before.get()) : 0;
      if (Values::heads_of(stage.total[warp].get()) < chunk_items) {
        block::gather_heads(heads, own_key, keys_of(stage, warp) + slot);
      }
      if constexpr (folds) {
        values.template gather_totals<IsFull>(
          valid, heads, ctx.lane() > 0, before, own_value, values_of(stage, warp) + slot);
      } else if constexpr (Values::has_values) {
        block::gather_heads(heads, own_value, values_of(stage, warp) + slot);
      }
    }
  }

  /// What is before a chunk, if anything is, and the chunk.
  GIMBAL_DEVICE prefix through(bool exists, const uninit<prefix>& before, const uninit<piece>& total) const
  {
    return exists ? values.join()(before.get(), total.get()) : static_cast<prefix>(total.get());
  }

  template <class Context>
  GIMBAL_DEVICE void store_chunk(Context& ctx, stage_memory& stage, unsigned tile, unsigned w) const
  {
    const unsigned count = Values::heads_of(stage.total[w].get());
    const index_type before = tile > 0 || w > 0 ? Values::heads_of(stage.before[w].get()) : 0;
    const index_type end = tiles_type::first_of(tile) + (w + 1) * chunk_items;
    if (count == 0 || (is_in_place && before + count == end)) {
      return;  // nothing to store, or each item is where it belongs
    }
    block::store_by_warp(ctx, keys_of(stage, w), keys_out + before, count);
    if constexpr (folds) {
      const auto* const totals = values_of(stage, w);
      if (before > 0 && ctx.lane() == 0) {
        block::store_as(
          values.out + (before - 1), values.first_total(stage.before[w].get(), stage.starts_a_run[w] != 0, totals[0]));
      }
      block::store_by_warp(ctx, totals + 1, values.out + before, count - 1);
    } else if constexpr (Values::has_values) {
      block::store_by_warp(ctx, values_of(stage, w), values.out + before, count);
    }
  }

  /// After the last chunk of all: the total of the last run, and the number of runs.
  GIMBAL_DEVICE void finish(const stage_memory& stage, unsigned tile, unsigned w) const
  {
    const prefix all = through(tile > 0 || w > 0, stage.before[w], stage.total[w]);
    const index_type runs = Values::heads_of(all);
    if constexpr (folds) {
      block::store_as(values.out + (runs - 1), all.value);
    }
    block::store_as(run_count, runs);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
