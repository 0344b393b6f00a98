// Numbers of segmented scans.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Bytes of accumulators: calls that are no streams where concurrent streams saturate a GPU. One H200, 2026-11-27, calls of 8, 16, 32 threads, rates of
/// stock's, sums of i32 by key, 2^17, 2^18, 2^19, 2^20: as streams 1.00, 0.72, 0.72; 0.93, 0.73, 0.72; 1.04, 0.77, 0.78; 1.10, 0.88, 1.12; in
/// tiles 1.73, 1.47, 1.60; 1.46, 1.36, 1.38; 0.90, 0.88, 0.86; 0.68, 0.66, 0.65.
inline constexpr index_type most_saturated_segmented_bytes = index_type{1} << 20;

/// What says where segments begin; `many_offsets` are those that come by bulk copies, keys with `wide` in it have more than 4 bytes,
/// `made_keys` come from a counting iterator, lanes load `read_keys` from memory.
enum class segment_starts { keys, wide_keys, made_keys, read_keys, wide_read_keys, flags, offsets, many_offsets };
constexpr bool are_read(segment_starts starts)
{
  return starts == segment_starts::read_keys || starts == segment_starts::wide_read_keys;
}

/// What a streaming segmented scan is of, as far as its warps differ. Arrays: of more than 16 bytes an item; with many offsets; of
/// 4 bytes or fewer by keys in an array; of more by wide ones; by keys that an iterator makes, that lanes read, and that it gathers by a list or by
/// places that it computes; by keys in an array whose equality gathers; others. Values that come through an iterator: of more than 16 bytes, more than 4,
/// others, the same by keys that lanes read, and gathered ones, likewise.
enum class segments_of {
  large_values,
  many_offsets,
  words_by_keys,
  numbers_by_wide_keys,
  made_keys,
  read_keys,
  wide_read_keys,
  gathered_keys,
  keys_of_computed_places,
  gathering_equality,
  arrays,
  loaded_large_values,
  loaded_numbers,
  loaded_values,
  loaded_values_by_read_keys,
  gathered_values,
  values_of_computed_places
};
constexpr segments_of segments_kind(std::size_t value_bytes, bool is_array, segment_starts starts, gathering gathers)
{
  const bool may_gather = gathers != gathering::none;
  if (!is_array) {
    return value_bytes > 16                 ? segments_of::loaded_large_values
           : gathers == gathering::computed ? segments_of::values_of_computed_places
           : may_gather                     ? segments_of::gathered_values
           : value_bytes > 4                ? segments_of::loaded_numbers
           : are_read(starts)               ? segments_of::loaded_values_by_read_keys
                                            : segments_of::loaded_values;
  }
  const bool are_numbers = 1 < value_bytes && value_bytes <= 8;
  const bool are_keys = starts == segment_starts::keys || starts == segment_starts::wide_keys;  // in an array
  return value_bytes > 16                                          ? segments_of::large_values
         : starts == segment_starts::many_offsets                  ? segments_of::many_offsets
         : are_keys && may_gather && value_bytes <= 8              ? segments_of::gathering_equality
         : are_keys && value_bytes <= 4                            ? segments_of::words_by_keys
         : starts == segment_starts::wide_keys && value_bytes <= 8 ? segments_of::numbers_by_wide_keys
         : (starts == segment_starts::made_keys || are_read(starts)) && are_numbers
           ? gathers == gathering::computed             ? segments_of::keys_of_computed_places
             : may_gather                               ? segments_of::gathered_keys
             : starts == segment_starts::wide_read_keys ? segments_of::wide_read_keys
             : starts == segment_starts::read_keys      ? segments_of::read_keys
                                                        : segments_of::made_keys
           : segments_of::arrays;
}

struct segments_shape {
  unsigned scanner_warps;  ///< of a group, and as many reduce warps
  unsigned server_warps;
  unsigned reduce_groups;
  unsigned scanner_groups;
  unsigned lane_bytes;
  unsigned ring_kilobytes;
};
constexpr segments_shape large_segments(segments_of kind, std::size_t value_bytes)
{
  const bool are_words = value_bytes <= 4;
  switch (kind) {
    case segments_of::large_values:
      return {8, 8, 1, 1, 160, 220};
    case segments_of::many_offsets:
      return {8, 4, 1, 1, 80, 220};
    case segments_of::words_by_keys:
      return {8, 8, 1, 1, 64, 220};
    case segments_of::numbers_by_wide_keys:
      return {8, 8, 1, 1, 48, 220};
    case segments_of::made_keys:
      return {8, 5, 2, 1, 80, 220};
    case segments_of::loaded_values_by_read_keys:
    case segments_of::read_keys:
      return {8, 5, 2, 1, 48, 160};
    case segments_of::wide_read_keys:
      return {6, 5, 2, 1, 48, 160};
    case segments_of::gathered_keys:
      return {6, 5, 2, 1, 48, are_words ? 62u : 96u};
    case segments_of::keys_of_computed_places:
      return {6, 5, 3, 1, 48, 160};
    case segments_of::gathering_equality:
      return are_words ? segments_shape{6, 8, 1, 1, 48, 62} : segments_shape{5, 4, 2, 1, 112, 128};
    case segments_of::loaded_large_values:
      return {6, 5, 2, 1, 160, 200};
    case segments_of::loaded_numbers:
    case segments_of::loaded_values:
      return {6, 5, 2, 1, 80, 200};
    case segments_of::gathered_values:
      return are_words ? segments_shape{6, 5, 2, 1, 48, 96} : segments_shape{5, 5, 2, 1, 80, 96};
    case segments_of::values_of_computed_places:
      return {4, 5, 4, 1, 80, 160};
    case segments_of::arrays:
      break;
  }
  return {8, 8, 1, 1, 80, 220};
}
constexpr segments_shape small_segments(segments_of kind, std::size_t value_bytes)
{
  switch (kind) {
    case segments_of::large_values:
      return {4, 4, 1, 1, 96, 220};
    case segments_of::numbers_by_wide_keys:
      return {8, 8, 1, 1, 80, 220};
    case segments_of::gathering_equality:
      return {6, 8, 1, 1, 48, value_bytes <= 4 ? 62u : 96u};
    case segments_of::loaded_large_values:
      return {4, 4, 2, 1, 96, 190};
    case segments_of::loaded_numbers:
      return {4, 8, 2, 1, 80, 190};
    case segments_of::loaded_values:
      return {6, 8, 2, 1, 48, 160};
    case segments_of::words_by_keys:
    case segments_of::loaded_values_by_read_keys:
    case segments_of::read_keys:
    case segments_of::wide_read_keys:
    case segments_of::gathered_keys:
    case segments_of::keys_of_computed_places:
    case segments_of::gathered_values:
      return large_segments(kind, value_bytes);
    case segments_of::values_of_computed_places:
      return {4, 5, 4, 1, 48, 160};
    default:
      return {8, 8, 1, 1, 48, 220};
  }
}
/// Bytes of items, of 4 bytes at least, from which on tiles are large.
constexpr unsigned large_segments_from_log2(segments_of kind, std::size_t value_bytes)
{
  switch (kind) {
    case segments_of::numbers_by_wide_keys:
      return 27;
    case segments_of::values_of_computed_places:
    case segments_of::gathering_equality:
      return 25;
    case segments_of::large_values:
    case segments_of::loaded_large_values:
    case segments_of::loaded_numbers:
      return 24;
    case segments_of::made_keys:
      return value_bytes <= 4 ? 24 : 23;
    default:
      return 23;
  }
}

/// Streaming segmented scan: from `from_items` on, where a single tile of the look-back kernel is no longer as fast,
/// tiny and then small tiles, so that more blocks have one, then large ones, so that the server has fewer to answer.
/// Measured on one H200, 2026-11-22, i32, microseconds, beside the next larger shape: in runs of 256 by flags 2^12 7.0
/// (8.2), 2^16 7.9 (8.5), by offsets 2^12 7.2 (8.1), 2^16 8.3 (8.7), 2^17 9.0 (9.0), 2^18 9.7 (9.2), 2^19 12.2 (10.5);
/// by key 2^20 13.3 (13.9), 2^21 both 17.9; large against small tiles by key 2^28 839 (992), by offsets 586 (654).
/// Larger tiles (112 bytes a lane): 2^28 by key 994, by offsets 645. 6 scan warps: by key 932, by offsets 569. f64 by
/// key: small tiles up to 2^20 items, not 2^21, 2^20 15.0 (15.8); 112 bytes a lane 2^28 1619 (1379). 2026-11-24,
/// structs by key, wall-time ratio to stock, 2^20 and 2^24, 80, 128 and 160 bytes a lane: 24 bytes 0.95, 0.87; 0.97, 0.86;
/// 0.77, 0.50; 32 bytes 1.28, 1.34; 0.77, 0.59; 0.73, 0.51; at 80 with 4 scan warps and 4 or 8 servers 1.70, 1.82; 1.44,
/// 1.53; with 12 scan warps 1.71, 1.74. 32 bytes by key, 2^11, 2^14, 2^16, 2^17, 2^18, 2^19, small tiles of 96 bytes a lane
/// by 4 scan warps and 4 servers 0.81, 0.83, 0.85, 0.83, 0.83, 0.82, large ones 1.44, 1.30, 1.19, 1.07, 0.89, 0.78, 96
/// bytes by 8 and 8 1.18, 1.10, 1.01, 0.95, 0.87, 0.78, 32 bytes by 8 and 8 0.98, 0.99, 0.95, 1.06, 1.12, 1.19, by 4 and
/// 4 0.72, 0.83, 1.10, 1.29, 1.50, 1.64, look-back kernel 0.75, 0.89, 0.96, 1.23, 1.49, 1.74. i32, ratio to stock,
/// 2^10, 2^11, 2^12, 2^13, 2^14, 2^15, 2^16, 2^17, tiny tiles by 4 scan warps and 4 servers: by key 0.73, 0.71, 0.67, 0.68, 0.69, 0.74, 0.74, 0.89, by flags 0.70,
/// 0.71, 0.65, 0.66, 0.69, 0.75, 0.72, 0.87; by 8 and 8: by key 0.78, 0.82, 0.73, 0.73, 0.77, 0.77, 0.78, 0.82, by flags
/// 0.74, 0.81, 0.73, 0.71, 0.75, 0.80, 0.74, 0.75 (small tiles 2^17 0.83, 0.81); 8 and 4, 6 and 6, 4 and 8, 6 and 4
/// between them. With a server that loads ahead, 2026-11-24, i32 in runs of 256, 2^20, 2^21, 2^22,
/// 2^24, 2^28: by key, 8 scan warps and 8 servers 0.91, 0.81, 0.79, 0.78, 0.79, two groups of 5 reduce warps and of 5 scan warps with 6 servers 0.90,
/// 0.83, 0.76, 0.72, 0.73 (8 servers 0.92, 0.80, 0.75, 0.74, 0.75, two groups of 4 and 6 servers 0.93, 0.88, 0.82, 0.79, 0.78), by flags 0.82,
/// 0.69, 0.61, 0.59, 0.59 and 0.84, 0.74, 0.67, 0.63, 0.62; f64 by key, 2^22, 2^27 0.85, 0.96 and 0.92, 1.00, which spills. By copied
/// offsets, runs of 1, 2^20, 2^22, 2^24, 2^28, 8 scan warps and 8 servers 1.07, 1.02, 0.98, 1.04, with 4 servers, which leave 72 registers a
/// thread for 64, 1.05, 0.95, 0.81, 0.78, with 3 1.09, 0.99, 0.83, 0.80; by loaded ones, runs of 256, with 8 and 4 0.91, 0.61, 0.58, 0.57 and
/// 0.84, 0.63, 0.58, 0.55. Values that come through an iterator, squares by key in runs of 256, 2^18, 2^20, 2^22, 2^24, 2^27, two groups of 6
/// reduce warps, 6 scan warps, 5 servers, in 220 KB: i32 - , 0.95, 0.79, 0.78, 0.80, f64 - , 1.03, 0.93, 1.03, 1.12; in 200 KB, so that loads have an L1
/// cache to go through: 0.90, 0.91, 0.76, 0.75, 0.76 and 0.80, 0.98, 0.88, 0.94, 1.01; in 160 KB - , 0.96, 0.81, 0.83, 0.84 and - , 0.97, 0.88,
/// 0.98, 1.05; three groups of 5, 5 servers, 160 KB 0.96, 0.94, 0.79, 0.84, 0.85 (0.75 in another run) and 0.81, 1.02, 0.94, 1.04, 1.11. Tiles of
/// 4 scan warps and 8 servers, 190 KB, 2^17, 2^18, 2^19, 2^20, 2^21 i32 0.82, 0.90, 0.85, 0.87, 0.82, f64 0.69, 0.77, 0.88, 0.96, 0.79, of 6 and 8, 48
/// bytes a lane, 160 KB 0.71, 0.84, 0.86, 0.88, 0.83 and 0.70, 0.76, 0.90, 0.98, 0.81. Rows computed from a counting iterator as keys, 2^12, 2^14, 2^16, 2^18,
/// 2^20, 2^22, 2^27 0.76, 0.77, 0.84, 0.95, 0.98, 0.85, 0.73 (as tiles of blocks 1.13, 1.21, 1.12, 1.46, 1.37, 1.50, 1.55); with head flags computed before
/// items have landed, 2^20, 3 * 2^19, 2^21, 2^22, 2^24, 2^28, small tiles by 8 and 8 0.95, 1.01, 0.91, 0.89, 0.97, 0.99, by two groups of 8 reduce warps and 5 servers
/// 0.98, 1.07, 0.95, 0.94, 0.90, 0.90, large ones by 8 and 8 1.09, 1.08, 0.95, 0.85, 0.77, 0.73, by two groups 1.05, 1.13, 0.95, 0.86, 0.72, 0.64; f64 small 1.13, 1.03,
/// 1.05, 1.14, 1.36, 1.48, large by 8 and 8 1.09, 0.93, 0.96, 0.96, 1.01, 1.03, by two groups 1.12, 0.96, 0.98, 0.99, 0.98, 0.98. 2026-11-26, calls, u8 by u8, 2^21, 2^22,
/// 2^24, 2^28, 32 items a lane 0.92, 0.86, 0.72, 0.58, 16 1.05, 1.00, 1.03, 1.04, by int 0.98, 0.89, 0.77, 0.71 and 1.01, 0.95, 0.91, 0.93, by long 0.98, 0.96,
/// 0.96, 1.00 and 0.97, 0.92, 1.04, 1.14.
/// By key, the key before a tile copied with the tile's, one H200, 2026-11-26, 2^18, 2^19, 3 * 2^18, 2^20, 3 * 2^19, 2^21, 2^22, 2^24, 2^27, before and after: i32 8 and 8, 48 bytes a
/// lane 0.82, 0.81, 0.80, 0.84, 0.88, 0.79, 0.78, 0.80, 0.88; 0.81, 0.79, 0.78, 0.85, 0.85, 0.76, 0.74, 0.73, 0.74, two groups of 5 and 5 0.83, 0.82, 0.84, 0.85, 0.90, 0.79, 0.74, 0.72, 0.73; 0.82, 0.81, 0.81,
/// 0.84, 0.89, 0.79, 0.74, 0.74, 0.74; f64 8 and 8, 48 bytes 0.96, 0.96, 1.01, 1.06, 0.95, 0.96, 0.98, 1.16, 1.30; 0.94, 0.94, 0.97, 1.01, 0.92, 0.91, 0.91, 1.00, 1.06, of 80 bytes 0.93, 0.90, 0.97, 0.97, 0.90, 0.87,
/// 0.84, 0.90, 0.95; 0.93, 0.94, 0.95, 0.96, 0.87, 0.84, 0.83, 0.90, 0.96; squares of f64 0.77, 0.92, 0.95, 0.97, 0.87, 0.78, 0.85, 0.93, 1.00; 0.78, 0.92, 0.94, 0.95, 0.86, 0.77, 0.85, 0.92, 0.99.
/// Keys that lanes read, one H200, 2026-11-26, 2^16, 2^18, 2^20, 2^22, 2^24, 2^26, of i32 halved, reversed and (32 and 16 bits) zipped: 2 x 8, 5, 80, 220 1.13, 1.11, 1.10, 0.92, 0.87, 0.86; 0.99, 0.95,
/// 1.02, 0.83, 0.76, 0.74; 2.11, 1.93, 1.69, 1.69, 1.66, 1.67 (with structs in memory); 2 x 8, 5, 48, 160 0.92, 0.92, 0.98, 0.89, 0.85, 0.85; 0.79, 0.84, 0.92, 0.81, 0.79, 0.78; 1.25, 1.25, 1.21, 1.23, 1.17, 1.17, six rows at a time 1.16, 1.12,
/// 1.09, 1.07, 1.00, 1.00; 2 x 6, 5, 48, 160 0.95, 0.93, 1.02, 0.97, 0.98, 1.01; 0.78, 0.81, 0.96, 0.87, 0.92, 0.95; 0.98, 0.95, 0.97, 1.02, 1.02, 1.03, six rows at a time 1.13, 1.05, 1.09, 1.10, 1.11, 1.15; in 96, 62 KB 0.93, 0.93, 1.07, 0.94, 0.98,
/// 1.02; 0.90, 0.96, 1.04, 1.02, 1.17, 1.24 (halved). Keys, values and results reversed, 2 x 6, 5, 80, 160, not fetched ahead i32 1.10, 1.08, 1.19, 1.10, 1.18, 1.24, i64 0.92, 0.96, 1.13, 1.14, 1.32, 1.40, fetched ahead 1.12, 1.10, 1.16, 0.99, 1.02,
/// 1.05; 1.01, 1.02, 1.14, 1.00, 1.07, 1.11; 2 x 8, 5, 48, 160 0.98, 0.98, 1.06, 0.90, 0.92, 0.96; 0.94, 0.98, 1.13, 1.06, 1.20, 1.28; tiles as blocks 1.50, 1.53, 1.45, 1.42, 1.67, 1.76; 1.16, 1.14, 1.58, 1.74, 2.16, 2.33.
/// Arrays of numbers, 8 and 8, 2^18, 2^20, 2^21, 2^22, 2^24, 2^28, 48, 64, 80, 128 bytes a lane, and two groups of 5 and 5: u8 by u8 0.83, 0.78, 0.84, 0.83, 0.89, 0.92; 0.83, 0.78, 0.85, 0.84, 0.89, 0.92; 0.83,
/// 0.79, 0.84, 0.84, 0.89, 0.92; 0.82, 0.76, 0.76, 0.67, 0.63, 0.59; 0.85, 0.83, 0.82, 0.76, 0.68, 0.63, by i32 0.86, 0.84, 0.82, 0.80, 0.77, 0.77; 0.85, 0.85, 0.82, 0.81, 0.77, 0.77; 0.83, 0.84, 0.83, 0.81, 0.77, 0.77; 0.92, 0.90, 0.87,
/// 0.80, 0.79, 0.73; 0.91, 0.94, 0.93, 0.85, 0.81, 0.80; i16 by i16 0.76, 0.89, 0.98, 1.06, 1.22, 1.37; 0.86, 0.81, 0.79, 0.76, 0.69, 0.63; 0.84, 0.81, 0.78, 0.77, 0.69, 0.62; 0.84, 0.81, 0.78, 0.76, 0.69, 0.62; 0.81, 0.82, 0.87, 0.84, 0.79,
/// 0.76; i32 by i64 0.79, 0.79, 0.77, 0.79, 0.79, 0.79 (64 bytes the same); 0.86, 0.81, 0.84, 0.90, 0.88, 0.90 (80); 0.83, 0.80, 0.78, 0.81, 0.82, 0.83 (two groups); i64 by i32 0.82, 0.90, 0.86, 0.87, 0.98, 1.05; - ; 0.83, 0.85, 0.82,
/// 0.83, 0.91, 0.97; 0.90, 0.90, 0.88, 0.90, 1.06, 1.13; 0.86, 0.94, 0.89, 0.90, 0.97, 1.02, by i64 0.82, 0.91, 0.83, 0.86, 0.94, 0.99; - ; 0.81, 0.88, 0.81, 0.86, 0.96, 1.01.
/// What is gathered, in the order of a random list, device time, one H200, 2026-11-26, 2^16, 2^18, 2^20, 3 * 2^19, 2^21, 2^22, 2^23, 2^24, 2^26, 2^28 (reduce groups x
/// warps, servers, bytes a lane, KB). i32 permuted, by key: 4 x 4, 5, 48, 160 0.77, 0.88, 1.05, 1.10, 1.01, 1.07, 1.10, 1.03, 1.03, 1.02; of 80 bytes 0.80, 0.87, 1.06,
/// 1.02, 0.99, 1.01, 1.02, 1.00, 1.03, 1.03; 2 x 6, 5, 48, 96 0.77, 0.82, 0.95, 0.99, 0.91, 0.92, 0.99, 1.01, 1.02, 1.02, not fetched ahead 0.97, 0.98, 1.00, 1.00 from 2^23
/// on, in 62 KB 0.78, 0.82, 1.01, 1.06, 0.97, 1.04, 1.09, 1.08, 1.07, 1.08; 2 x 5, 5, 80, 96 0.80, 0.85, 1.01, 1.03, 0.96, 1.00, 1.04, 1.05, 1.05, 1.05; f64 2 x 6, 5, 48, 96 0.74,
/// 0.95, 1.00, 0.95, 0.94, 1.00, 0.99, 1.00, 1.02, 1.02; 2 x 5, 5, 80, 96 0.77, 0.93, 0.95, 0.92, 0.90, 0.98, 0.98, 1.00, 1.02, 1.02, not fetched ahead 0.97, 0.99, 1.00, 1.00. i32
/// by keys that a function gathers, each tile publishing whether the next one begins with a head: 3 x 6, 5, 48, 160 0.77, 0.81, 0.93, 1.00, 0.91, 0.97, 0.98, 0.98, 1.01, 1.01; 3 x 6, 5, 80, 160, which spills,
/// 0.97, 0.94, 1.05, 1.04, 0.95, 1.00, 1.01, 1.01, 1.03, 1.03; 2 x 6, 5, 48, 62 0.75, 0.77, 0.90, 0.92, 0.85, 0.88, 0.94, 0.98, 1.00, 1.00, in 96 0.75, 0.78, 0.91, 0.95, 0.88, 0.92,
/// 0.96, 0.97, 1.00, 1.00; 2 x 8, 5, 48, 62 0.82, 0.80, 0.91, 0.92, 0.87, 0.89, 0.94, 0.97, 1.00, 1.00; f64 2 x 6, 5, 48, 96 0.73, 0.93, 0.99, 0.94, 0.92, 0.94, 0.94, 0.97, 0.99, 1.00, in
/// 62 0.74, 0.90, 0.97, 0.95, 0.94, 1.00, 0.98, 0.99, 1.00, 1.00. i32 by keys whose equality gathers, a lane's first item last: 1 x 8, 8, 48, 160 0.77, 0.80, 0.91, 0.94, 0.92, 0.95, 1.00, 1.00, 1.00, 1.01
/// (first 0.78, 0.83, 0.91, 0.96, 0.93, 0.95, 1.03, 1.01, 1.01, 1.01); 1 x 6, 8, 48, 62 0.70, 0.80, 0.90, 0.94, 0.84, 0.89, 0.96, 0.99, 1.00, 1.00; 2 x 5, 4, 112, 128 0.85, 0.84, 0.94, 0.94, 0.90,
/// 0.92, 0.92, 0.98, 1.02, 1.02; f64 1 x 6, 8, 48, 96 0.80, 0.91, 0.97, 0.93, 0.89, 1.04, 1.16, 1.07, 1.03, 1.03; 2 x 5, 4, 112, 128 0.88, 0.98, 1.05, 0.98, 0.93, 0.96, 1.01, 1.01, 1.01, 1.02. Other value sizes
/// untuned. By places that are computed, which takes more warps, one H100, 2026-11-26, 2^16, 2^18, 2^19, 2^20, 2^21, 2^22, 2^23, 2^24, 2^26: i32 permuted, 2 x 6, 5, 80, 160 0.88, 1.01, 1.00, 1.04, 0.92, 1.05,
/// 1.16, 0.96, 0.88; 4 x 4, 5, 80, 160 0.83, 0.98, 1.03, 1.04, 0.89, 0.99, 0.95, 0.91, 0.80, of 48 bytes 0.78, 0.80, 0.90, 1.06, 0.86, 0.92, 0.99, 0.89, 0.87; keys, 3 x 6, 5, 48, 160 1.02, 0.87, 0.95, 1.13, 1.04,
/// 1.01, 1.03, 0.92, 0.92.
template <
  std::size_t ValueBytes, bool IsArray = true, segment_starts Starts = segment_starts::flags,
  gathering Gathers = gathering::none>
struct stream_segmented_scan {
  static constexpr segments_of kind = segments_kind(ValueBytes, IsArray, Starts, Gathers);
  static constexpr segments_shape large_shape = large_segments(kind, ValueBytes);
  static constexpr segments_shape small_shape = small_segments(kind, ValueBytes);
  static constexpr std::size_t ring_bytes_of(segments_shape shape)
  {
    const bool needs_cache = Gathers != gathering::none || are_read(Starts);
    return std::size_t{needs_cache && shape.ring_kilobytes > 160 ? 160 : shape.ring_kilobytes} * 1024;
  }
  struct large {
    static constexpr unsigned scanner_warps = GIMBAL_GPU ? large_shape.scanner_warps : 2;
    static constexpr unsigned server_warps = GIMBAL_GPU ? large_shape.server_warps : 2;
    static constexpr unsigned reduce_groups = large_shape.reduce_groups;
    static constexpr unsigned scanner_groups = large_shape.scanner_groups;
    static constexpr std::size_t lane_bytes =
      IsArray && ValueBytes == 1 && kind != segments_of::gathering_equality ? 128 : large_shape.lane_bytes;
    static constexpr std::size_t ring_bytes = ring_bytes_of(large_shape);
    static constexpr unsigned most_stages = 16;
  };
  struct small_tiles : large {
    static constexpr unsigned scanner_warps = small_shape.scanner_warps;
    static constexpr unsigned server_warps = small_shape.server_warps;
    static constexpr unsigned reduce_groups = small_shape.reduce_groups;
    static constexpr unsigned scanner_groups = small_shape.scanner_groups;
    static constexpr std::size_t lane_bytes = small_shape.lane_bytes;
    static constexpr std::size_t ring_bytes = ring_bytes_of(small_shape);
  };
  struct tiny_tiles : large {
    static constexpr unsigned scanner_warps = 4;
    static constexpr unsigned server_warps = 4;
    static constexpr unsigned reduce_groups = IsArray ? 1 : 2;
    static constexpr unsigned scanner_groups = 1;
    static constexpr std::size_t lane_bytes = 16;
    static constexpr unsigned most_stages = 2;
  };
  using tiny = ::cuda::std::conditional_t<
    !GIMBAL_GPU, large, ::cuda::std::conditional_t<(ValueBytes > 16), small_tiles, tiny_tiles>>;
  using small = ::cuda::std::conditional_t<GIMBAL_GPU, small_tiles, large>;
  static constexpr index_type from_items = GIMBAL_GPU ? 1024 : 8192;
  static constexpr index_type item_bytes = ValueBytes > 4 ? ValueBytes : 4;
  static constexpr index_type small_from_items = (index_type{1} << 18) / item_bytes + 1;
  static constexpr unsigned large_from_log2 = large_segments_from_log2(kind, ValueBytes);
  static constexpr index_type large_from_items = (index_type{1} << large_from_log2) / item_bytes;
  static constexpr bool copies_offsets = ValueBytes <= 8;
};
/// Warps that search for the offsets of tiles: each search takes a few memory latencies, in which several tiles pass. As
/// many as a block has room for beside the others; not measured beside 4.
inline constexpr unsigned segment_flag_warps = GIMBAL_GPU ? 5 : 3;
/// Half of them work on each tile where a block has so many at most. Measured on one H200, 2026-11-26, i32, 2^20, 3 * 2^19, 2^21, two and four tiles: runs of 1
/// 1.04, 1.01, 0.98; 1.02, 0.96, 0.95, of 2 0.91, 0.87, 0.87; 0.94, 0.90, 0.84, of 16 0.84, 0.81, 0.75; 0.84, 0.83, 0.76.
constexpr GIMBAL_HOST_DEVICE unsigned halved_flag_warps_tiles(double offsets_per_item)
{
  return offsets_per_item > 0.75 ? 4 : 2;
}

/// Streaming segmented scan by offsets in memory: those of calls with at least one for so many items, and so many
/// items, come by bulk copies. Measured on one H200, 2026-11-23, i32, times of head flags by loads, runs of 1, 2, 3 and 4:
/// 2^18 1.00, 1.00, 0.97, 0.98; 2^19 0.94, 0.99, 1.02, 0.97; 2^20 0.94, 0.95, 0.96, 0.96; 2^22 0.89, 0.86, 0.93, 0.93;
/// 2^24 0.88, 0.92, 1.00, 1.00; 2^28 0.86, 0.87, 0.96, 0.97; with copies, runs of 16 and 256 take 1.13, for stages of
/// the ring are lost. 8-byte values not measured; larger ones (copies_offsets above) have few offsets for their bytes.
inline constexpr index_type items_per_copied_offset = 4;
inline constexpr index_type offset_copies_from_items = index_type{1} << (GIMBAL_GPU ? 19 : 14);
/// Copies that each head-flag warp has in flight, and the bytes of one at most. Measured on one H200, 2026-11-23, i32, times of
/// head flags by loads, 2 of 4096 bytes (3 of 2048): runs of 1 2^28 0.81 (0.91), runs of 16 1.13 (1.05).
inline constexpr unsigned offset_copy_places = 2;
inline constexpr unsigned offset_copy_bytes = GIMBAL_GPU ? 4096 : 512;

/// Segmented scan; as for scan. The bound on registers was measured on one H200, 2026-11-20, inclusive sum by key of
/// 2^28 i32: 1903 microseconds, without it 2181.
template <std::size_t ValueBytes>
struct segmented_scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = (items_for_bytes(64, ValueBytes, 16) - 1) / 2 * 2 + 1;
};
/// Threads a multiprocessor must have registers for. 0: not said.
constexpr unsigned segmented_scan_resident_threads(std::size_t value_bytes) { return value_bytes <= 4 ? 1280 : 0; }

/// Expand. Untuned.
struct expand {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = 7;
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
