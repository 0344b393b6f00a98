// Numbers of segmented scans.
#pragma once

#include <gimbal/algorithm/scan/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Bytes of accumulators: calls that are not persistent where concurrent streams saturate a GPU, as for selects.
/// record: most_saturated_segmented_bytes
inline constexpr index_type most_saturated_segmented_bytes = index_type{1} << 20;

/// What says where segments begin: keys in an array, keys made from a counting iterator, keys that lanes read from
/// memory, of up to 4 bytes or wider; or flags, which offsets become, too.
enum class segment_starts { keys, made_keys, read_keys, wide_read_keys, flags };
constexpr bool are_read(segment_starts starts)
{
  return starts == segment_starts::read_keys || starts == segment_starts::wide_read_keys;
}

/// Of many items. Structs take as many bytes a lane as make long segments. record: segmented_structs (32 bytes at 2^24:
/// 160 bytes a lane 0.51, 80 1.34). What is gathered, or may be by an equality, takes small rings, as each read in
/// flight has a line of the L1 cache, which has what they leave; from computed places it takes more warps. record:
/// segmented_gathered (i32 permuted, 2^20: 96 KB 0.95, 160 KB 1.05), segmented_computed_places. So it is with values
/// and keys that lanes load in order, by two groups of reduce warps. record: segmented_squares, segmented_reversed,
/// segmented_read_keys, segmented_rows, segmented_rows_early_heads. From arrays, by keys in an array, items of one byte
/// take longer segments, words shorter ones. record: segmented_arrays, segmented_bytes, segmented_copied_keys,
/// segmented_tile_sizes, segmented_server_ahead
constexpr scan_row many_segments_row(std::size_t value_bytes, bool is_array, segment_starts starts, gathering gathers)
{
  if (value_bytes > 16) {
    return is_array ? scan_row{8, 8, 1, 160, 220} : scan_row{6, 5, 2, 160, 200};
  }
  const bool are_words = value_bytes <= 4;
  const bool are_copied_keys = is_array && starts == segment_starts::keys;
  if (gathers == gathering::computed) {
    return {4, 5, 4, 48, 160};
  }
  if (gathers == gathering::listed) {
    return are_copied_keys ? scan_row{6, 8, 1, 48, are_words ? 62u : 96u} : scan_row{6, 5, 2, 48, 96};
  }
  if (!is_array) {
    return are_words && are_read(starts) ? scan_row{8, 5, 2, 48, 160} : scan_row{6, 5, 2, 80, 200};
  }
  if (are_read(starts) && value_bytes <= 8) {
    return {starts == segment_starts::read_keys ? 8u : 6u, 5, 2, 48, 160};
  }
  if (starts == segment_starts::made_keys && value_bytes <= 8) {
    return {8, 5, 2, 80, 220};
  }
  return {8, 8, 1, value_bytes == 1 ? 128u : are_copied_keys && are_words ? 64u : 80u, 220};
}
/// Of few items tiles are small, so that more blocks have one, and by few warps. record: segmented_tiny_tiles (by key,
/// 2^12: 0.67, 8 and 8 warps 0.73), segmented_small_structs
constexpr scan_row few_segments_row(std::size_t value_bytes, bool is_array, std::size_t ring_kilobytes)
{
  const unsigned loaders = is_array ? 1 : 2;
  return value_bytes > 16 ? scan_row{4, 4, loaders, 96, 190} : scan_row{4, 4, loaders, 16, ring_kilobytes, 2};
}

/// Persistent segmented scan: from `from_items` on, where a single tile of the look-back kernel is no longer as fast,
/// and with large tiles from `many_from_items` on, so that the server has fewer to answer. Other value sizes untuned.
template <
  std::size_t ValueBytes, bool IsArray = true, segment_starts Starts = segment_starts::flags,
  gathering Gathers = gathering::none>
struct persistent_segmented_scan {
  static constexpr scan_row fitting(scan_row row)
  {
    const bool needs_cache = Gathers != gathering::none || are_read(Starts);
    row.ring_kilobytes = needs_cache && row.ring_kilobytes > 160 ? 160 : row.ring_kilobytes;
    return scan_row_here(row);
  }
  struct many {
    static constexpr scan_row row = fitting(many_segments_row(ValueBytes, IsArray, Starts, Gathers));
  };
  struct few {
    static constexpr scan_row row = fitting(few_segments_row(ValueBytes, IsArray, many::row.ring_kilobytes));
  };
  static constexpr index_type from_items = GIMBAL_GPU ? 1024 : 8192;
  static constexpr index_type item_bytes = ValueBytes > 4 ? ValueBytes : 4;
  static constexpr index_type many_from_items =
    GIMBAL_GPU ? (index_type{1} << (ValueBytes > 16 ? 24 : 18)) / item_bytes + 1 : from_items;
  /// By offsets, for the launch that makes head flags of them; a tile for each block takes fewer in one, and is quicker
  /// up to some 2^20 items of 4 bytes.
  static constexpr index_type flags_from_items = GIMBAL_GPU ? (index_type{1} << 22) / item_bytes + 1 : from_items;
};
/// Head flags of offsets, a bit per item: as many tiles as blocks run at the same time, each of which searches once, or
/// more, of so many words at most. Untuned.
struct offset_bits {
  static constexpr index_type most_tiles = GIMBAL_GPU ? 1024 : 5;
  static constexpr unsigned most_words = GIMBAL_GPU ? 2048 : 64;
};

/// Segmented scan by tiles as blocks; the bound on registers as for scan. record: segmented_scan
template <std::size_t ValueBytes>
struct segmented_scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = odd_items(64, ValueBytes);
  static constexpr unsigned resident_threads = ValueBytes <= 4 ? 1280 : 0;
};

/// A scan of each of many segments: shorter ones are a warp's. Of `few_segments` or fewer each has a block to itself.
/// Untuned.
template <std::size_t ValueBytes>
struct each_segment_scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned rows = items_for_bytes(32, ValueBytes, 4);  // of 32 items, loaded together by a warp
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
