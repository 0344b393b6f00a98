// Numbers of what reduces or selects by runs of equal keys: reduce by key, unique, unique by key.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Reduce by key. An odd number of items per thread, as for scan, and as many as registers hold. record: reduce_by_key.
/// Values of 32 bytes and more are slow so, and are streamed. record: reduce_by_key_structs. Other sizes untuned.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct reduce_by_key {
  static constexpr std::size_t larger_bytes = KeyBytes > ValueBytes ? KeyBytes : ValueBytes;
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread =
    (items_for_bytes(larger_bytes > 8 ? 96 : 64, larger_bytes, 16) - 1) / 2 * 2 + 1;
};
/// Threads a multiprocessor must have registers for: 64 each. 0: not said.
constexpr unsigned reduce_by_key_resident_threads(std::size_t larger_bytes, unsigned items_per_thread)
{
  return larger_bytes > 8 || larger_bytes * items_per_thread > 64 ? 0 : 1024;
}

/// What runs are of, as far as the warps of a stream differ: keys alone, and such of which more than 128 bytes make
/// whole vectors; keys and values of 4 bytes; values of 8 bytes by keys of one byte, by other narrower ones and by keys
/// of 8; values of more than 16 and than 64 bytes.
enum class runs_of {
  keys,
  long_keys,
  words,
  numbers_by_bytes,
  numbers_by_narrower,
  wide_numbers,
  large_values,
  larger_values,
  others
};

struct runs_roles {
  unsigned reduce_warps;  ///< of a group
  unsigned reduce_groups;
  unsigned store_warps;
};
constexpr runs_roles roles_of(runs_of kind, bool are_arrays, bool may_gather)
{
  switch (kind) {
    case runs_of::keys:
      return may_gather ? runs_roles{8, 2, 4} : runs_roles{8, 1, 8};
    case runs_of::long_keys:
      return {4, 2, 4};
    case runs_of::words:
      return {8, are_arrays && !may_gather ? 1u : 2u, 8};
    case runs_of::numbers_by_narrower:
      return {6, are_arrays ? 2u : 3u, 6};
    case runs_of::numbers_by_bytes:
      return {6, 2, 6};
    case runs_of::wide_numbers:
      return {6, 2, 6};
    case runs_of::large_values:
      return {8, 1, 4};
    case runs_of::larger_values:
      return {4, 1, 2};
    case runs_of::others:
      break;
  }
  return {8, 2, 4};
}

/// Runs of equal keys as a stream: unique, unique by key, reduce by key. `ValueBytes` is 0 for keys alone. Other sizes
/// untuned; on the host executor as for streaming scans.
/// What a lane holds: odd numbers of items, which no bank conflicts, and of large values as many as belong to a vector
/// of keys. record:
/// stream_runs, stream_runs_odd_items (f64 by i32, 2^24: 7 items 0.83, 8 items 0.90), stream_runs_wide,
/// stream_runs_structs, stream_runs_large.
/// Roles: two groups of reduce warps, but one for keys and for words, which is as fast and leaves room for more store
/// warps. record:
/// stream_runs_roles, stream_runs_key_ahead. Tiles as blocks are faster up to `least_items`. record: stream_runs_from.
/// `MayGather`: iterators or the equality read places far from each other, or may do so; each such read in flight takes
/// a line of the L1 cache, which has what shared memory leaves, so that stages take less. record: stream_runs_gathered
/// (unique, 2^20: 160 KB 0.63, 200 KB 0.67), stream_runs_gathered_in_order, stream_runs_gathered_device,
/// stream_runs_gathering_equality
template <std::size_t KeyBytes, std::size_t ValueBytes, bool AreArrays = true, bool MayGather = false>
struct stream_runs {
  static constexpr std::size_t larger_bytes = KeyBytes > ValueBytes ? KeyBytes : ValueBytes;
  static constexpr std::size_t vector_of_keys = KeyBytes < 16 ? 16 / KeyBytes : 1;
  static constexpr std::size_t key_unit = simt::items_of_vectors(KeyBytes);
  static constexpr std::size_t value_unit = ValueBytes == 0 ? 1 : simt::items_of_vectors(ValueBytes);
  static constexpr std::size_t whole_keys_bytes = key_unit * KeyBytes;
  static constexpr runs_of kind = ValueBytes == 0   ? whole_keys_bytes > 128 ? runs_of::long_keys : runs_of::keys
                                  : ValueBytes > 64 ? runs_of::larger_values
                                  : ValueBytes > 16 ? runs_of::large_values
                                  : KeyBytes == 1 && ValueBytes == 8 ? runs_of::numbers_by_bytes
                                  : KeyBytes < 8 && ValueBytes == 8  ? runs_of::numbers_by_narrower
                                  : KeyBytes == 8 && ValueBytes == 8 ? runs_of::wide_numbers
                                  : KeyBytes == 4 && ValueBytes == 4 ? runs_of::words
                                                                     : runs_of::others;
  static constexpr runs_roles gpu_roles = roles_of(kind, AreArrays, MayGather);
  static constexpr runs_roles roles = GIMBAL_GPU ? gpu_roles : runs_roles{2, gpu_roles.reduce_groups, 2};
  static constexpr unsigned reduce_warps = roles.reduce_warps;
  static constexpr unsigned reduce_groups = roles.reduce_groups;
  static constexpr unsigned store_warps = roles.store_warps;
  /// Where as many as fill whole vectors of keys and of values are too much for a lane.
  static constexpr bool are_few = ValueBytes != 0
                                  && (key_unit < value_unit ? value_unit : key_unit) * larger_bytes
                                       > (ValueBytes > 16 ? 128 : 64);
  static constexpr unsigned few_items = ValueBytes >= 64  ? 1
                                        : ValueBytes > 16 ? 3
                                                          : (items_for_bytes(64, larger_bytes, 16) - 1) / 2 * 2 + 1;
  static constexpr unsigned lane_items =  // 0: what lane_bytes hold
    kind == runs_of::wide_numbers                                 ? 7
    : kind == runs_of::numbers_by_narrower && KeyBytes == 4       ? AreArrays ? 7 : 9
    : kind == runs_of::numbers_by_bytes                           ? AreArrays ? 17 : 11
    : kind == runs_of::others && KeyBytes == 8 && ValueBytes == 4 ? 11
    : are_few                                                     ? few_items
                                                                  : 0;
  static constexpr std::size_t lane_bytes =  // of the larger of keys and values
    ValueBytes == 0 ? (80 < whole_keys_bytes && whole_keys_bytes <= 256 ? whole_keys_bytes : 80)
    : KeyBytes == ValueBytes && KeyBytes <= 4 ? 48
    : KeyBytes == ValueBytes                  ? 80
    : ValueBytes > 16 && vector_of_keys* ValueBytes > 64 && vector_of_keys* ValueBytes <= 128
      ? vector_of_keys* ValueBytes
      : 64;
  static constexpr std::size_t ring_bytes =  // of shared memory for all stages
    std::size_t{
      !MayGather               ? 200
      : kind == runs_of::words ? 96
                               : 160}
    * 1024;
  static constexpr unsigned most_stages = 12;
  static constexpr unsigned resident_blocks = 1;
  static constexpr index_type least_items = index_type{1}
                                            << (!GIMBAL_GPU       ? 14
                                                : ValueBytes == 0 ? 18
                                                : ValueBytes > 16 ? 15
                                                                  : 12);
};
/// Reduce by key of what comes through iterators: from so many items on as a stream; before, as tiles of blocks, which
/// load each key twice. record: loaded_runs (2^12: 0.66, as tiles 1.20), loaded_runs_few
inline constexpr index_type loaded_runs_from_items = index_type{1} << (GIMBAL_GPU ? 11 : 14);
inline constexpr index_type loaded_keys_from_items = index_type{1} << (GIMBAL_GPU ? 11 : 13);
/// Reduce by key of few items: tiles of a vector a lane, so that little code is fetched, once for each block, and more
/// blocks have a tile. record: stream_few_runs (2^14: 0.87, beside 1.09). Large values take few warps. record:
/// stream_few_runs_structs, stream_few_runs_large. Other sizes untuned.
template <std::size_t KeyBytes, std::size_t ValueBytes, bool AreArrays = true>
struct stream_few_runs {
  using many = stream_runs<KeyBytes, ValueBytes, AreArrays>;
  static constexpr std::size_t smaller_bytes = KeyBytes < ValueBytes ? KeyBytes : ValueBytes;
  static constexpr std::size_t larger_bytes = KeyBytes < ValueBytes ? ValueBytes : KeyBytes;
  static constexpr bool are_counts = KeyBytes == 1 && ValueBytes == 8 && !AreArrays;
  static constexpr bool are_few = many::are_few && ValueBytes > 16;  // in a lane
  static constexpr bool are_large = ValueBytes > 16 && !are_few && many::vector_of_keys * ValueBytes <= 128;
  static constexpr unsigned reduce_warps = are_few || are_counts ? 4 : are_large ? 2 : 8;
  static constexpr unsigned reduce_groups = 1;
  static constexpr unsigned store_warps = are_few || are_counts || are_large ? 4 : 8;
  static constexpr unsigned lane_items = are_few ? many::few_items : are_counts ? 5 : 0;
  static constexpr std::size_t lane_bytes =  // 0: none such
    are_large          ? many::vector_of_keys * ValueBytes
    : larger_bytes > 8 ? 0
                       : 16 / smaller_bytes* larger_bytes;
  static constexpr std::size_t ring_bytes = std::size_t{are_large || are_few ? 80 : 64} * 1024;
  static constexpr unsigned most_stages = are_large || are_few ? 12 : 4;
  static constexpr unsigned resident_blocks = 1;
  static constexpr index_type least_items = 1;
  static constexpr index_type most_items = GIMBAL_GPU ? index_type{1} << 17 : 0;
};

/// Of nontrivial runs: of more items CUB's device-wide call is faster (perf/compare/device_forms.cu: 2^16 0.73 to 0.84
/// of its time, 2^17 1.29 to 1.50).
inline constexpr index_type most_nontrivial_items = 1 << 16;

}  // namespace tuning

GIMBAL_NAMESPACE_END
