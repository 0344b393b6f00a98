// How a stream of runs (persistent_runs.cuh) gets its keys and values into a stage: arrays by bulk copies of the producer, what
// comes through other iterators by loads of the reduce warps.
#pragma once

#include <gimbal/algorithm/scan/persistent_runs_shape.cuh>
#include <gimbal/pipeline/persistent_io.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

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
      found = reinterpret_cast<const uninit<key>*>(keys.origin + keys.skew)[position];
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

  /// What is not copied of the warp's chunk that begins at position `first`, to its places in the stage as soon as that is
  /// empty: all of it is in flight at the same time. The chunk that begins at `next` is fetched ahead.
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
