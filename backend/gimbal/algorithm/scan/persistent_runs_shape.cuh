// The types and numbers of a stream of runs that follow from its arguments.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tuning.h>

#include <gimbal/algorithm/scan/run_values.cuh>
#include <gimbal/pipeline/persistent_io.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Values`: what becomes of the values beside the keys, see run_values.cuh.
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
  /// Of a lane: whole vectors of keys and of values, which lanes read by vectors; or an odd number, which they read one by
  /// one without a bank conflict: where tiles follow addresses, so many that the first lane of all has one.
  static constexpr unsigned items = Tuning::lane_items != 0 ? Tuning::lane_items : fitting_items / unit * unit;
  static constexpr bool is_possible = Tuning::lane_items != 0
                                        ? !Values::tiles_follow_addresses || items >= unit
                                        : items > 0 && items % key_unit == 0 && items % value_unit == 0;

  static constexpr unsigned warps = Tuning::reduce_warps;
  static constexpr unsigned reduce_groups = Tuning::reduce_groups;
  using tiles = block::persistent_tiles<warps, items == 0 ? 1 : items>;

  static constexpr std::size_t skewed_bytes = Values::tiles_follow_addresses ? 0 : 16;
  static constexpr std::size_t stage_bytes =
    item_bytes * tiles::tile_items + 2 * skewed_bytes + warps * (sizeof(piece) + sizeof(prefix) + 8) + 64;
  static constexpr unsigned fitting_stages = static_cast<unsigned>(Tuning::ring_bytes / stage_bytes);
  static constexpr unsigned most_stages = fitting_stages < Tuning::most_stages ? fitting_stages : Tuning::most_stages;
  /// A stage belongs to one group of reduce warps: who waits for its next phase has seen the one before.
  static constexpr unsigned stages =
    (most_stages < 2 * reduce_groups ? 2 * reduce_groups : most_stages) / reduce_groups * reduce_groups;
  static constexpr unsigned loads_ahead = tuning::stream_loads_ahead(item_bytes * tiles::tile_items);

  struct stage_memory {
    alignas(16) unsigned char keys[tiles::tile_items * sizeof(key) + skewed_bytes];
    alignas(16) unsigned char values[Values::has_values ? tiles::tile_items * value_bytes + skewed_bytes : 1];
    uninit<piece> total[warps];
    uninit<prefix> before[warps];       // what stands before each chunk
    std::uint32_t starts_a_run[warps];  // whether the chunk's first item is a head
    simt::phase_barrier full;
    simt::phase_barrier reduced;
    simt::phase_barrier ready;
    simt::phase_barrier empty;
  };
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
