// Numbers of segmented scans.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Bytes of accumulators: calls that are no streams where concurrent streams saturate a GPU, as for selects. record:
/// most_saturated_segmented_bytes
inline constexpr index_type most_saturated_segmented_bytes = index_type{1} << 20;

/// What says where segments begin; keys with `wide` in it have more than 4 bytes, `made_keys` come from a counting
/// iterator, lanes load `read_keys` from memory. Offsets become flags.
enum class segment_starts { keys, wide_keys, made_keys, read_keys, wide_read_keys, flags };
constexpr bool are_read(segment_starts starts)
{
  return starts == segment_starts::read_keys || starts == segment_starts::wide_read_keys;
}

/// What a streaming segmented scan is of, as far as its warps differ. Arrays: of more than 16 bytes an item; of 4 bytes
/// or fewer by keys in an array; of more by wide ones; by keys that an iterator makes, that lanes read, and that it
/// gathers by a list or by places that it computes; by keys in an array whose equality gathers; others. Values that
/// come through an iterator: of more than 16 bytes, more than 4, others, the same by keys that lanes read, and gathered
/// ones, likewise.
enum class segments_of {
  large_values,
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
/// record: segmented_tile_sizes, segmented_tiny_tiles (by key, 2^12: 0.67, 8 and 8 warps 0.73), segmented_server_ahead.
/// Other value sizes untuned.
/// Structs: as many bytes a lane as make long segments, by few warps where items are few. record: segmented_structs (32
/// bytes at 2^24: 160 bytes a lane 0.51, 80 1.34), segmented_small_structs.
/// Arrays of numbers: items of one byte take longer segments, words by keys shorter ones. record: segmented_arrays,
/// segmented_bytes, segmented_copied_keys. Through iterators, two groups of reduce warps load, and the ring leaves the
/// L1 cache room, through which loads in flight go. record: segmented_squares, segmented_small_squares,
/// segmented_reversed. Keys that lanes read take shorter segments and a smaller ring than computed ones. record:
/// segmented_rows, segmented_rows_early_heads, segmented_read_keys. What is gathered takes small rings for the same
/// reason: a line of the L1 cache for each read in flight. record: segmented_gathered (i32 permuted, 2^20: 96 KB 0.95,
/// 160 KB 1.05); from computed places, which takes more warps: record: segmented_computed_places
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
  using small_tuning = ::cuda::std::conditional_t<GIMBAL_GPU, small_tiles, large>;
  static constexpr index_type from_items = GIMBAL_GPU ? 1024 : 8192;
  static constexpr index_type item_bytes = ValueBytes > 4 ? ValueBytes : 4;
  static constexpr index_type small_from_items = (index_type{1} << 18) / item_bytes + 1;
  static constexpr unsigned large_from_log2 = large_segments_from_log2(kind, ValueBytes);
  static constexpr index_type large_from_items = (index_type{1} << large_from_log2) / item_bytes;
  /// By offsets, for the launch that makes head flags of them; a tile for each block takes fewer in one, and is quicker
  /// up to some 2^20 items of 4 bytes.
  static constexpr index_type flags_from_items = GIMBAL_GPU ? (index_type{1} << 22) / item_bytes + 1 : from_items;
};
/// Head flags of offsets, a bit per item: chunks of so many words of them a lane, by as many warps at most as run at
/// the same time, each of which searches once. Untuned.
struct offset_bits {
  static constexpr unsigned lane_words = GIMBAL_GPU ? 2 : 1;
  static constexpr index_type most_warps = GIMBAL_GPU ? 8192 : 5;
};

/// Segmented scan; as for scan, and so is the bound on registers. record: segmented_scan
template <std::size_t ValueBytes>
struct segmented_scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = (items_for_bytes(64, ValueBytes, 16) - 1) / 2 * 2 + 1;
};
/// Threads a multiprocessor must have registers for. 0: not said.
constexpr unsigned segmented_scan_resident_threads(std::size_t value_bytes) { return value_bytes <= 4 ? 1280 : 0; }

/// A scan of each of many segments: shorter ones are a warp's. Of `few_segments` or fewer each has a block to itself.
/// Untuned.
template <std::size_t ValueBytes>
struct each_segment_scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = (items_for_bytes(48, ValueBytes, 16) - 1) / 2 * 2 + 1;
  static constexpr unsigned warp_rows = ValueBytes <= 8 ? 4 : 1;  // of 32 items, which are loaded together
  static constexpr index_type few_segments = GIMBAL_GPU ? 1024 : 16;
  static constexpr index_type most_warp_items = 1024;
  static constexpr index_type most_warp_items_of_few = 128;
  static constexpr index_type most_blocks = index_type{1} << 30;  // of one launch
};

/// Expand. Untuned.
struct expand {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = 7;
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
