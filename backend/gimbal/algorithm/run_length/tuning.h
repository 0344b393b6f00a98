// Numbers of what reduces or selects by runs of equal keys: reduce by key, unique, unique by key.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Reduce by key. An odd number of items per thread, as for scan. Measured on one H200, 2026-11-20, 2^28 i32 by u32 in
/// runs of 1 to 512: 15 items 1597 microseconds, 11 items 1751, 7 items 2207. Values of 32 bytes, 2^26, wall times of
/// stock: 2.3, and 2.5 with an item a thread and 64 registers; they are streamed. Other sizes untuned.
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

/// What runs are of, as far as the warps of a stream differ: keys alone, and such of which more than 128 bytes make whole vectors;
/// keys and values of 4 bytes; values of 8 bytes by keys of one byte, by other narrower ones and by keys of 8; values of more than 16 and than 64 bytes.
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

/// Runs of equal keys as a stream: unique, unique by key, reduce by key. Measured on one H200, 2026-11-22, reduce by
/// key of 2^28 i32 by i32 in runs of about 2 and 256, microseconds: two groups of reduce warps 914 and 674, one 911 and 692,
/// one with 80 bytes a lane 1041 and 804; as tiles of blocks 1950 and 1626. f64 by i32: 64 bytes a lane 1480 and 1140,
/// 96 bytes 1875 and 1438, one group of 96 bytes 1540 and 1145. From 2^13 items on 0.69 to 0.97 of stock. Keys alone:
/// as tiles of blocks faster up to 2^17. 2026-11-24, values of 24 and 32 bytes by i32, as much of them as belongs to a
/// vector of keys a lane, wall-time ratio to stock, 2^20 and 2^24: one group 0.57, 0.50 and 0.51, 0.38, two 0.62, 0.55 and
/// 0.60, 0.48, as tiles of blocks 1.22, 2.03 and 1.10, 1.31; 32 bytes, device time, 2^12, 2^14, 3 * 2^13, 2^15 1.32,
/// 1.19, 1.07, 1.02, as tiles of blocks 0.98, 0.91, 0.88, 1.37. Other sizes untuned. On the host executor as for
/// streaming scans. `ValueBytes` is 0 for keys alone. 2026-11-24, i32, ratio to stock, 2^20, 2^22, 2^28, runs of 2 and 256:
/// reduce by key with 8 and 4 store warps 0.87, 0.78, 0.84 and 0.90, 0.85, 0.79 (4: 0.91, 0.85, 0.84 and 0.93, 0.89, 0.80), with 80 bytes a
/// lane 0.96, 0.88, 1.04 and 0.93, 0.90, 0.99, three groups of 6 0.89, 0.85, 0.91 and 0.91, 0.87, 0.90, of 8 - , 0.87, 0.93 and - , 0.93,
/// 0.94; unique by key in runs of 2 with 8 and 4 store warps 0.78, 0.73, 0.81 and 0.83, 0.81, 0.80, three groups 0.85, 0.81, 0.89. f64 by
/// i32: 6 reduce warps and 6 store warps 0.90, 0.83, 0.85 and 0.94, 0.92, 0.87, 8 and 4 0.93, 0.90, 0.85 and 0.94, 0.94, 0.88, 8 and 8 0.88,
/// 0.86, 0.87 and 0.94, 0.93, 0.89, 6 and 4 0.99, 0.93, 0.92 and 1.01, 0.95, 0.90, four groups of 4 0.96, 0.92, 0.89 and 1.04, 1.03,
/// 0.95. Keys alone in runs of 256, 2^28, one, two and three groups of 8 0.72, 0.69, 0.66; one of 12 0.69, of 16 0.78; two of 12
/// 0.70; six of 4 with 112 bytes a lane 0.65; two blocks of one group of 8 0.74, of two of 6 0.70. 2026-11-25, 2^18, 2^20, 2^22,
/// 2^24, 2^26, odd numbers of items, which no bank conflicts: f64 by i32, runs of 256, two groups of 6, 6 store warps, 8 items (64
/// bytes) 0.96, 0.94, 0.92, 0.90, 0.89, 7 items 0.90, 0.94, 0.92, 0.83, 0.80, 9 items 0.90, 0.92, 0.91, 0.89, 0.87, three groups, 9
/// items 0.91, 0.91, 0.90, 0.85, 0.83; squares of f64 by i32 0.87, 0.94, 0.84, 0.92, 0.96; 0.85, 0.90, 0.82, 0.84, 0.87; 0.81, 0.88,
/// 0.80, 0.79, 0.78; 0.83, 0.91, 0.79, 0.75, 0.74, by computed rows 0.86, 0.96, 0.91, 0.97, 1.01; 0.83, 0.91, 0.85, 0.89, 0.92; 0.83,
/// 0.90, 0.81, 0.82, 0.84; 0.82, 0.90, 0.78, 0.73, 0.71; ones by u64 in runs of 16, two groups of 8, 4 store warps, 8, 9, 11 items 0.91,
/// 0.94, 1.02, 1.15, 1.20; 0.88, 0.89, 0.93, 0.95, 0.95; 0.93, 0.85, 0.86, 0.87, 0.84. Of 4-byte keys and values 12 items (48 bytes)
/// stay best; of i64 by i64 9 and 7 items with 6 reduce warps and 6 store warps 0.86, 0.93, 0.93, 0.96, 0.99; 0.90, 0.93, 0.89, 0.93, 0.95.
/// One H100, 2026-11-25, calls, 2^20, 2^22, 2^24, 2^26: f64 by u64, 10 items, 7 and 9 with 6 reduce warps and 6 store warps 0.63, 0.84, 1.03, 1.10;
/// 0.60, 0.71, 0.86, 0.93; 0.58, 0.74, 0.89, 0.95, i64 by u64 0.64, 0.78, 0.95, 0.99; 0.58, 0.69, 0.78, 0.83; 0.57, 0.71, 0.81, 0.88; ones of
/// 8 bytes by u8, 17, 19 and 21 items 0.64, 0.72, 0.84, 0.90; 0.63, 0.70, 0.81, 0.82; 0.64, 0.76, 0.91, 0.98 (as tiles of blocks 0.94, 1.40,
/// 2.08, 2.45), device time, 2^20, 2^22, 2^24, 2^26, 9 and 19 items 0.94, 0.81, 0.75, 0.73; 1.25, 1.04, 0.93, 0.91. By i32, 2^18, 2^20, 2^22: 40 bytes, 3 items 0.48, 0.49, 0.46 (2.05, 3.93, 5.44); an item of 64, 96 and 128 bytes,
/// 8 reduce warps and 4 store warps 0.60, 0.62, 0.59; 0.95, 0.82, 0.67; 1.17, 1.09, 1.07, 4 and 4 0.68, 0.75, 0.80; 0.73, 0.67, 0.60; 1.03, 0.94, 0.86, 4 and
/// 2 0.64, 0.78, 0.81; 0.66, 0.63, 0.61; 0.92, 0.90, 0.88 (128 bytes as tiles of blocks 1.80, 2.24, 2.45). Keys alone of 28, 36 and 60 bytes
/// 0.71, 0.75, 0.72; 0.88, 0.83, 0.72; 1.02, 1.06, 1.07 (of 60 as tiles of blocks 1.13, 1.40, 1.56).
/// With the key before a tile loaded a tile ahead, one H200, 2026-11-26, 2^18, 2^20, 3 * 2^19, 2^21, 2^22, 2^24, 2^28: i32 by i32 in runs of 2, one group of 8, 8 store warps
/// 0.87, 0.86, 0.85, 0.80, 0.77, 0.80, 0.83 (before - , 0.86, - , 0.81, 0.79, 0.83, 0.85), two 0.90, 0.87, 0.85, 0.79, 0.77, 0.81, 0.84, one of 10 and 10 0.87, 0.91, 0.90, 0.82, 0.84, 0.88, 0.93, of 6 and
/// 6 0.87, 0.89, 0.91, 0.83, 0.83, 0.85, 0.87; of 256, one group 0.86, 0.87, 0.88, 0.85, 0.82, 0.82, 0.79 (before, 2^28, 0.87), two 0.87, 0.88, 0.90, 0.85, 0.82, 0.82, 0.80; unique by key
/// in runs of 2, one group of 8, 8 store warps 0.82, 0.80, 0.84, 0.74, 0.72, 0.77, 0.80, two and 4 0.83, 0.85, 0.92, 0.82, 0.80, 0.80, 0.80. Keys alone in runs of 2 and 256, one of 8 and 8 store warps
/// 0.82, 0.83, 0.83, 0.81, 0.73, 0.74, 0.74; 0.80, 0.82, 0.83, 0.81, 0.75, 0.77, 0.66, 4 store warps 0.80, 0.82, 0.83, 0.82, 0.76, 0.75, 0.73; 0.80, 0.83, 0.84, 0.84, 0.79, 0.78, 0.66 (before - , 0.81, - , 0.82,
/// 0.76, 0.76, 0.74; - , 0.84, - , 0.83, 0.79, 0.79, 0.71), two and 4 0.81, 0.84, 0.85, 0.82, 0.76, 0.77, 0.76; 0.83, 0.87, 0.82, 0.84, 0.79, 0.79, 0.70. f64 by i32, 7 items, two groups of 6, 6 store warps 0.92, 0.95,
/// 0.88, 0.90, 0.90, 0.83, 0.79, one of 8 and 8 0.90, 0.92, 0.84, 0.87, 0.89, 0.85, 0.82.
/// `MayGather`: iterators or the equality read places far from each other, or may do so; each such read in flight takes a line of the
/// L1 cache, which has what shared memory leaves. One H200, 2026-11-26, calls, 2^20, 2^22, 2^24, 2^26, 2^28, in no order, two groups of reduce warps in 200, 160,
/// 128 KB: counts of equal items that a list gathers 0.74, 0.82, 1.07, 1.06, 1.06; 0.68, 0.77, 0.93, 1.02, 1.04; 0.71, 0.81, 0.92, 1.01, 1.03; by permuted keys
/// 0.74, 0.83, 1.10, 1.07, 1.06; 0.65, 0.78, 0.95, 1.00, 1.01; 0.68, 0.77, 0.94, 1.01, 1.02; sums of permuted values 0.72, 0.80, 1.07, 1.02, 1.02; 0.69, 0.78,
/// 0.93, 0.99, 1.01; 0.68, 0.77, 0.92, 1.00, 1.01; unique 0.67, 0.79, 0.89, 1.01, 1.04 (three groups 0.70, 0.87, 1.05, 1.06, 1.07); 0.63, 0.78, 0.87, 1.01,
/// 1.04; 0.70, 0.79, 0.89, 1.01, 1.04; one group in 160 KB 0.65, 0.80, 0.90, 0.99, 1.02. The same in order, 2^28: counts 0.71, 0.74, 0.92 and 1.11, unique 0.57,
/// 0.60, 0.60 and 0.71. Device time, 2^18, 2^20, 2^22, 2^24, 2^26, 2^28, a random list, 160 and 96 KB: sums by permuted keys 0.99, 0.99, 1.01, 1.00, 1.00, 1.00; 0.98, 0.96,
/// 0.97, 0.98, 1.00, 1.00, of permuted values 0.90, 0.95, 0.93, 0.99, 1.00, 1.00; 0.90, 0.95, 0.90, 0.98, 1.00, 1.00; two groups of 6 reduce warps and 6 store warps alike; unique by an
/// equality that gathers, microseconds, 2^26, 2^28, 160, 96, 62 KB 1702, 7444; 1692, 7398; - , 7430 (stock's call 7560).
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
/// Reduce by key of what comes through iterators: from so many items on as a stream; before, as tiles of blocks, which load
/// each key twice. Measured on one H200, 2026-11-24, rows of 256 as keys, ratio to stock, 2^12, 2^14, 2^16, 2^17: 0.66, 0.63, 0.68, 0.71, as
/// tiles of blocks 1.20, 1.13, 1.18, 1.26; 2^10 and 2^11 as tiles 0.89, 0.91. Squares as values, as tiles 0.62 to 0.93. One H200,
/// 2026-11-26, 2^10 and 2^11, as tiles of blocks and as a stream of small tiles: squares by i32 0.64, 0.77 and 0.53, 0.53, ones by i32
/// 0.91, 0.87 and 0.88, 0.80, ones of 8 bytes by u8 0.80, 1.10 and 0.97, 0.90.
inline constexpr index_type loaded_runs_from_items = index_type{1} << (GIMBAL_GPU ? 11 : 14);
inline constexpr index_type loaded_keys_from_items = index_type{1} << (GIMBAL_GPU ? 11 : 13);
/// Reduce by key of few items: tiles of a vector a lane, so that little code is fetched, once for each block, and more
/// blocks have a tile. Measured on one H200, 2026-11-22, i32 by i32 in runs of 2, ratio to stock, beside tiles of 48
/// bytes a lane: 2^12 0.75 (0.92), 2^14 0.87 (1.09), 2^16 0.88 (1.00), 2^17 0.89 (1.02). 2026-11-24, values of 32 bytes by
/// i32 in runs of 2, 2^10, 2^11, 2^13, 2^15, 2^16, 2^17, 2^18: 2 reduce warps and 4 store warps 0.87, 0.82, 0.87, 0.84, 0.77, 0.81, 0.78; 4
/// and 4 0.99, 0.97, 0.99, 0.90, 0.82, 0.79, 0.65; 8 and 4 1.14, 1.21, 1.25, 1.03, 0.91, 0.83, 0.70; 2 and 2 0.92, 0.84, 0.94,
/// 0.87, 0.87, 0.88, 0.81; 3 and 6 0.96, 0.91, 0.92, 0.89, 0.79, 0.76, 0.72; tiles as blocks 0.96, 1.02, 1.01, 1.37, 1.15, 1.33,
/// 1.44. One H100, 2026-11-25, 2^10, 2^12, 2^14, 2^16, 2^17, 2^18: 40 bytes by i32, 3 items by 4 reduce warps and 4 store warps 0.79, 0.83, 0.83,
/// 0.72, 0.65, 0.60, by 8 and 4 in 200 KB 0.89, 0.96, 0.85, 0.73, 0.68, 0.52, by 2 and 4 0.75, 0.78, 0.84, 0.72, 0.76, 0.71, one item by 4 and 4
/// 0.74, 0.83, 0.81, 0.76, 0.85, 0.80, tiles as blocks 0.85, 0.87, 1.36, 1.81, 2.24, 2.92; ones of 8 bytes by u8, 2^11, 2^14, 2^17, 2^18, 5 items by 4
/// and 4 0.80, 0.83, 0.90, 0.96, a vector of keys by 8 and 8 1.13, 1.09, 1.00, 1.04. Other sizes untuned.
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

}  // namespace tuning

GIMBAL_NAMESPACE_END
