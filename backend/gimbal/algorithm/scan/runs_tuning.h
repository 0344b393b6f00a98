// Numbers of what reduces or selects by runs of equal keys: reduce by key, unique, unique by key.
#pragma once

#include <gimbal/algorithm/scan/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Persistent runs of keys and values (persistent_runs.cuh).
struct runs_row {
  unsigned reduce_warps;  ///< of a group
  unsigned reduce_groups;
  unsigned store_warps;
  std::size_t lane_bytes;            ///< of the larger of keys and values; 0: none such
  unsigned lane_items = 0;           ///< 0: what lane_bytes hold
  std::size_t ring_kilobytes = 200;  ///< of shared memory for all stages
  unsigned most_stages = 12;
};
/// The bytes of as many items of the larger of both as fill whole vectors of keys and of values.
constexpr std::size_t whole_vectors_bytes(std::size_t key_bytes, std::size_t value_bytes)
{
  const std::size_t keys = simt::items_of_vectors(key_bytes);
  const std::size_t values = value_bytes == 0 ? 1 : simt::items_of_vectors(value_bytes);
  return (keys < values ? values : keys) * (key_bytes < value_bytes ? value_bytes : key_bytes);
}
/// Of values of which so many are too much for a lane it holds few, an odd number, without bank conflicts; 0 of others.
constexpr unsigned few_lane_values(std::size_t key_bytes, std::size_t value_bytes)
{
  if (whole_vectors_bytes(key_bytes, value_bytes) <= (value_bytes > 16 ? 128 : 64)) {
    return 0;
  }
  return value_bytes >= 64  ? 1
         : value_bytes > 16 ? 3
                            : odd_items(64, key_bytes < value_bytes ? value_bytes : key_bytes);
}

/// `value_bytes` is 0 for keys alone. Lanes hold odd numbers of items, and of large values as many as belong to a
/// vector of keys. record: persistent_runs, persistent_runs_odd_items (f64 by i32, 2^24: 7 items 0.83, 8 items 0.90),
/// persistent_runs_wide, persistent_runs_structs, persistent_runs_large. Two groups of warps reduce, but one keys and
/// words, which is as fast and leaves room for more store warps. record: persistent_runs_roles,
/// persistent_runs_key_ahead
constexpr runs_row runs_row_of(std::size_t key_bytes, std::size_t value_bytes, bool are_arrays, bool may_gather)
{
  const std::size_t whole_bytes = whole_vectors_bytes(key_bytes, value_bytes);
  const unsigned few = few_lane_values(key_bytes, value_bytes);
  if (value_bytes == 0) {
    const std::size_t lane_bytes = 80 < whole_bytes && whole_bytes <= 256 ? whole_bytes : 80;
    return whole_bytes > 128 ? runs_row{4, 2, 4, lane_bytes} : runs_row{8, 1, 8, lane_bytes};
  }
  if (value_bytes > 16) {
    const std::size_t lane_bytes = whole_bytes < 64 ? 64 : whole_bytes;
    return value_bytes > 64 ? runs_row{4, 1, 2, lane_bytes, few} : runs_row{8, 1, 4, lane_bytes, few};
  }
  if (key_bytes == 4 && value_bytes == 4) {
    return {8, are_arrays && !may_gather ? 1u : 2u, 8, 48};
  }
  if (key_bytes <= 8 && value_bytes == 8) {
    return {6, are_arrays ? 2u : 3u, 6, 64, are_arrays ? 7u : 9u};
  }
  return {
    8, 2, 4,
    key_bytes != value_bytes ? 64u
    : key_bytes < 4          ? 48u
                             : 80u,
    key_bytes == 8 && value_bytes == 4 ? 11 : few};
}

/// Persistent runs of equal keys: unique, unique by key, reduce by key. Other sizes untuned.
/// Tiles as blocks are faster up to `least_items`. record: persistent_runs_from.
/// `MayGather`: iterators or the equality read places far from each other, or may do so; each such read in flight takes
/// a line of the L1 cache, which has what shared memory leaves, so that stages take less. record:
/// persistent_runs_gathered (unique, 2^20: 160 KB 0.63, 200 KB 0.67), persistent_runs_gathered_in_order,
/// persistent_runs_gathered_device, persistent_runs_gathering_equality
template <std::size_t KeyBytes, std::size_t ValueBytes, bool AreArrays = true, bool MayGather = false>
struct persistent_runs {
  static constexpr runs_row row = [] {
    runs_row chosen = runs_row_of(KeyBytes, ValueBytes, AreArrays, MayGather);
    if (MayGather) {
      chosen.ring_kilobytes = KeyBytes == 4 && ValueBytes == 4 ? 96 : 160;
    }
    if (!GIMBAL_GPU) {  // as for scans
      chosen.reduce_warps = 2;
      chosen.store_warps = 2;
    }
    return chosen;
  }();
  static constexpr index_type least_items = index_type{1}
                                            << (!GIMBAL_GPU       ? 14
                                                : ValueBytes == 0 ? 18
                                                : ValueBytes > 16 ? 15
                                                                  : 12);
};

/// Large values take few warps. record: persistent_few_runs_structs, persistent_few_runs_large. Other sizes untuned.
constexpr runs_row few_runs_row(std::size_t key_bytes, std::size_t value_bytes, bool are_arrays)
{
  if (value_bytes > 16) {
    const unsigned few = few_lane_values(key_bytes, value_bytes);
    return {few != 0 ? 4u : 2u, 1, 4, whole_vectors_bytes(key_bytes, value_bytes), few, 80};
  }
  if (key_bytes == 1 && value_bytes == 8 && !are_arrays) {  // counts
    return {4, 1, 4, 0, 5, 64, 4};
  }
  const bool are_small = key_bytes <= 8 && value_bytes <= 8;
  return {8, 1, 8, are_small ? whole_vectors_bytes(key_bytes, value_bytes) : 0, 0, 64, 4};
}
/// Reduce by key of few items: tiles of a vector a lane, so that little code is fetched, once for each block, and more
/// blocks have a tile. record: persistent_few_runs (2^14: 0.87, beside 1.09). Of fewer that come through iterators
/// tiles as blocks are faster. record: loaded_runs (2^12: 0.66, as tiles 1.20), loaded_runs_few
template <std::size_t KeyBytes, std::size_t ValueBytes, bool AreArrays = true>
struct persistent_few_runs {
  static constexpr runs_row row = few_runs_row(KeyBytes, ValueBytes, AreArrays);
  static constexpr index_type least_items = AreArrays ? 1 : index_type{1} << 11;
  static constexpr index_type most_items = GIMBAL_GPU ? index_type{1} << 17 : 0;
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
