// What a stage of the runs of many items (persistent_runs.cuh) holds, how keys and values get there, arrays by bulk
// copies of the producer, what comes through other iterators by loads of the reduce warps, what a lane finds among its
// own, and what becomes of values.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tuning.h>

#include <gimbal/algorithm/scan/segment_fold.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/persistent_io.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>
#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/segment_heads.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Which of a lane's valid items are heads, the first item lowest. `is_first`: the first of them is the first of all;
/// otherwise that is item 0, and `previous` the key before it.
template <bool IsFull, class Key, unsigned Items, class Equal>
GIMBAL_DEVICE std::uint32_t find_heads(
  valid_range valid, bool is_first, const uninit<Key>& previous, const uninit<Key> (&own)[Items], const Equal& equal)
{
  std::uint32_t heads = 0;
  const auto ask = [&](unsigned i, const uninit<Key>& before) {
    heads |= std::uint32_t{differs<Equal>{equal}(before.get(), own[i].get())} << i;
  };
  GIMBAL_UNROLL
  for (unsigned i = 1; i < Items; ++i) {
    if (IsFull || (i > valid.lo && i < valid.hi)) {
      ask(i, own[i - 1]);
    }
  }
  // The first item last: an equality that gathers finds in the L1 cache what the lane below has just read.
  if (is_first) {
    heads |= std::uint32_t{1} << valid.lo;
  } else if (IsFull || valid.hi > 0) {
    ask(0, previous);
  }
  return heads;
}

/// The heads among a lane's items to `to[0...]`.
template <class T, unsigned Items>
GIMBAL_DEVICE void gather_heads(std::uint32_t heads, const uninit<T> (&own)[Items], uninit<T>* to)
{
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Items; ++i) {
    if ((heads >> i & 1) != 0) {
      *to++ = own[i];
    }
  }
}

/// `count` items to `out`. By a whole warp.
template <class T, class Context, class OutputIt>
GIMBAL_DEVICE void store_by_warp(Context& ctx, const uninit<T>* source, OutputIt out, unsigned count)
{
  constexpr unsigned group = 4;  // loads before the first store
  constexpr unsigned threads = simt::warp_threads;
  for (unsigned k = ctx.lane(); k < count; k += group * threads) {
    uninit<T> item[group];
    GIMBAL_UNROLL
    for (unsigned i = 0; i < group; ++i) {
      if (k + i * threads < count) {
        item[i] = source[k + i * threads];
      }
    }
    const OutputIt mine = out + k;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < group; ++i) {
      if (k + i * threads < count) {
        block::store_as(mine + i * threads, item[i].get());
      }
    }
  }
}

}  // namespace block

namespace algorithm {

// ---- what becomes of the values beside the keys of runs: there are none, the first of each run is kept, or those of a
// run are folded.
// A stretch of items amounts to a state: how many heads it has and, where values are folded, the fold of those from the
// last head on, or of all if there is no head.

namespace detail {

/// Let positions count from `shift` items before the first one; false if that is no multiple of 16.
template <class Source>
bool start_at(Source& values, index_type shift)
{
  if constexpr (Source::copies && !Source::is_misaligned) {
    values = Source::of(reinterpret_cast<const typename Source::item*>(values.origin), shift);
    return reinterpret_cast<std::uintptr_t>(values.origin) % 16 == 0;
  }
  return true;
}

}  // namespace detail

/// The interface of values, start_at() on the host before all else: there are none.
struct no_run_values {
  struct value {};
  struct source {
    static constexpr bool copies = false;
  };
  template <class Count>
  using state = segment_fold<void, Count>;
  static constexpr bool has_values = false;
  static constexpr bool folds = false;
  static constexpr bool tiles_follow_addresses = true;

  bool start_at(index_type) { return true; }

  GIMBAL_DEVICE add_heads_op join() const { return {}; }
  template <bool IsFull, class Value, unsigned Items>
  GIMBAL_DEVICE state<std::uint32_t> fold_items(
    block::valid_range, std::uint32_t heads, const uninit<Value> (&)[Items]) const
  {
    return {static_cast<std::uint32_t>(simt::popcount(heads))};
  }
};

/// Of arrays. Where tiles follow addresses, a lane has at least as many items as keys fill a vector, and so many large
/// values it cannot have. (The largest are not streamed. record: run_values_largest)
template <class Value>
using first_value_source = ::cuda::std::conditional_t<
  (32 < sizeof(Value) && sizeof(Value) <= 64), block::misaligned_source<Value>, block::memory_source<Value>>;

/// The first value of each run.
template <class Value, class ValueOut, class Source = first_value_source<Value>>
struct first_run_values : no_run_values {
  using value = Value;
  static constexpr bool has_values = true;
  static constexpr bool tiles_follow_addresses = Source::copies && !Source::is_misaligned;

  using source = Source;
  source in;
  ValueOut out;

  bool start_at(index_type shift) { return detail::start_at(in, shift); }
};

/// The fold of the values of each run. `AreArrays`: keys and values.
template <class ValueIn, class ValueOut, class Op, bool AreArrays = block::is_array_v<ValueIn>>
struct folded_run_values {
  using value = value_type_of<ValueIn>;
  template <class Count>
  using state = segment_fold<value, Count>;
  static constexpr bool has_values = true;
  static constexpr bool folds = true;
  /// Any tree gives the same result, and keys and values have addresses.
  static constexpr bool tiles_follow_addresses = AreArrays && ::cuda::std::is_integral<value>::value;

  using source = block::persistent_source<ValueIn, tiles_follow_addresses>;
  source in;
  ValueOut out;
  block::combine<value, Op> op;

  bool start_at(index_type shift) { return detail::start_at(in, shift); }

  GIMBAL_DEVICE segment_op<value, Op> join() const { return {op}; }

  /// The state of a lane's valid items, of which there is at least one.
  template <bool IsFull, unsigned Items>
  GIMBAL_DEVICE state<std::uint32_t> fold_items(
    block::valid_range valid, std::uint32_t heads, const uninit<value> (&own)[Items]) const
  {
    const uninit<value> open = algorithm::fold_since_head<IsFull>(op, no_init{}, valid, heads, own);
    return {open.get(), static_cast<std::uint32_t>(simt::popcount(heads))};
  }

  /// For each head of this lane the total of the run that ends before it, as far as it is in the chunk, to the
  /// head's slot `to[0...]`; nothing for a head with nothing before it. `before`: the state of the chunk up to this
  /// lane, if that exists.
  template <bool IsFull, unsigned Items>
  GIMBAL_DEVICE void gather_totals(
    block::valid_range valid, std::uint32_t heads, bool exists, const uninit<state<std::uint32_t>>& before,
    const uninit<value> (&own)[Items], uninit<value>* to) const
  {
    uninit<value> open;
    if (exists) {
      open.set(before.get().value);
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (IsFull || (i >= valid.lo && i < valid.hi)) {
        const bool is_head = (heads >> i & 1) != 0;
        if (is_head) {
          if (exists) {
            *to = open;
          }
          ++to;
        }
        open.set(is_head || !exists ? own[i].get() : op(open.get(), own[i].get()));
        exists = true;
      }
    }
  }

  /// The total of the run that ends before a chunk's first head: `before`, and what `part` of it is in the chunk.
  GIMBAL_DEVICE value first_total(const state<wide_count>& before, bool is_all, const uninit<value>& part) const
  {
    return is_all ? before.value : op(before.value, part.get());
  }
};

// ---- the stage

/// `Values`: what becomes of the values beside the keys, as no_run_values.
template <class Tuning, class KeyIn, class Values>
struct persistent_runs_shape {
  using key = value_type_of<KeyIn>;
  using value = typename Values::value;
  using piece = typename Values::template state<std::uint32_t>;  // what a part of a tile amounts to
  using prefix = typename Values::template state<wide_count>;
  using key_source = block::persistent_source<KeyIn, Values::tiles_follow_addresses>;
  using value_source = typename Values::source;

  static constexpr std::size_t value_bytes = Values::has_values ? sizeof(value) : 1;
  static constexpr std::size_t item_bytes = sizeof(key) + (Values::has_values ? value_bytes : 0);
  static constexpr std::size_t larger_bytes = sizeof(key) > value_bytes ? sizeof(key) : value_bytes;
  static constexpr unsigned key_unit = simt::items_of_vectors(sizeof(key));
  static constexpr unsigned value_unit = Values::has_values ? simt::items_of_vectors(value_bytes) : 1;
  static constexpr unsigned unit = key_unit > value_unit ? key_unit : value_unit;
  static constexpr unsigned fitting_items =
    Tuning::lane_bytes / larger_bytes < 32 ? static_cast<unsigned>(Tuning::lane_bytes / larger_bytes) : 32;
  /// Of a lane: whole vectors of keys and of values, which lanes read by vectors; or an odd number, which they read one
  /// by one without a bank conflict: where tiles follow addresses, so many that the first lane of all has one.
  static constexpr unsigned items = Tuning::lane_items != 0 ? Tuning::lane_items : fitting_items / unit * unit;
  static constexpr bool is_possible = Tuning::lane_items != 0
                                        ? !Values::tiles_follow_addresses || items >= unit
                                        : items > 0 && items % key_unit == 0 && items % value_unit == 0;

  static constexpr unsigned warps = Tuning::reduce_warps;
  static constexpr unsigned reduce_groups = Tuning::reduce_groups;
  using tiles = block::persistent_tiles<warps, items == 0 ? 1 : items>;

  static constexpr std::size_t misalignment_bytes = Values::tiles_follow_addresses ? 0 : 16;
  static constexpr std::size_t stage_bytes =
    item_bytes * tiles::tile_items + 2 * misalignment_bytes + warps * (sizeof(piece) + sizeof(prefix) + 8) + 64;
  static constexpr unsigned fitting_stages = static_cast<unsigned>(Tuning::ring_bytes / stage_bytes);
  static constexpr unsigned most_stages = fitting_stages < Tuning::most_stages ? fitting_stages : Tuning::most_stages;
  /// A stage belongs to one group of reduce warps: who waits for its next phase has seen the one before.
  static constexpr unsigned stages =
    (most_stages < 2 * reduce_groups ? 2 * reduce_groups : most_stages) / reduce_groups * reduce_groups;
  static constexpr unsigned loads_ahead = tuning::stream_loads_ahead(item_bytes * tiles::tile_items);

  struct stage_memory {
    alignas(16) unsigned char keys[tiles::tile_items * sizeof(key) + misalignment_bytes];
    alignas(16) unsigned char values[Values::has_values ? tiles::tile_items * value_bytes + misalignment_bytes : 1];
    uninit<piece> total[warps];
    uninit<prefix> before[warps];       // what is before each chunk
    std::uint32_t starts_a_run[warps];  // whether the chunk's first item is a head
    simt::phase_barrier full;
    simt::phase_barrier reduced;
    simt::phase_barrier ready;
    simt::phase_barrier empty;
  };
};

template <class Shape, class Values>
struct persistent_runs_source {
  using key = typename Shape::key;
  using value = typename Shape::value;
  using stage_memory = typename Shape::stage_memory;
  using tiles_type = typename Shape::tiles;
  static constexpr unsigned items = Shape::items;
  static constexpr bool copies_keys = Shape::key_source::copies;
  static constexpr bool copies_values = Shape::value_source::copies;
  static constexpr bool loads_values = Values::has_values && !copies_values;
  static constexpr bool loads_any = !copies_keys || loads_values;
  static constexpr unsigned copies = copies_keys + copies_values;  // for each tile

  const typename Shape::key_source& keys;
  const Values& values;
  const tiles_type& tiles;

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

  /// Starts the copies of a tile: the keys in lane 0, the values in the next, or in lane 0 if keys are not copied.
  template <class Context>
  GIMBAL_DEVICE void copy(Context& ctx, stage_memory& stage, unsigned tile) const
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

  /// What is not copied of the warp's chunk that begins at position `first`, to its places in the stage as soon as that
  /// is empty: all of it is in flight at the same time. The chunk that begins at `next` is fetched ahead.
  template <class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, stage_memory& stage, unsigned parity, index_type first, index_type next, uninit<key>* keys_to,
    uninit<value>* values_to) const
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
      keys.put(ctx, tiles, first, own_key, reinterpret_cast<unsigned char*>(keys_to));
    }
    if constexpr (loads_values) {
      values.in.put(ctx, tiles, first, own_value, reinterpret_cast<unsigned char*>(values_to));
    }
    ctx.sync_warp();  // the chunk is in shared memory
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
