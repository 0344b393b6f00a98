// Numbers of segmented scans.
#pragma once

#include <gimbal/algorithm/scan/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Bytes of accumulators: calls that are not persistent where concurrent streams saturate a GPU, as for selects.
/// record: most_saturated_segmented_bytes
inline constexpr index_type most_saturated_segmented_bytes = index_type{1} << 20;

/// What says where segments begin; keys with `wide` in it have more than 4 bytes, `made_keys` come from a counting
/// iterator, lanes load `read_keys` from memory. Offsets become flags.
enum class segment_starts { keys, wide_keys, made_keys, read_keys, wide_read_keys, flags };
constexpr bool are_read(segment_starts starts)
{
  return starts == segment_starts::read_keys || starts == segment_starts::wide_read_keys;
}

/// Large tiles from 2^large_from_log2 bytes of items on, of 4 bytes at least, and small tiles before.
struct segments_row {
  scan_row of_large_tiles;
  scan_row of_small_tiles;
  unsigned large_from_log2;
};
constexpr segments_row both(const scan_row& shape, unsigned large_from_log2) { return {shape, shape, large_from_log2}; }

/// Values that come through an iterator: two groups of reduce warps load, and the ring leaves the L1 cache room,
/// through which loads in flight go. record: segmented_squares, segmented_small_squares, segmented_reversed. What is
/// gathered takes small rings for the same reason: a line of the L1 cache for each read in flight. record:
/// segmented_gathered (i32 permuted, 2^20: 96 KB 0.95, 160 KB 1.05); from computed places, which takes more warps:
/// record: segmented_computed_places
constexpr segments_row loaded_segments_row(std::size_t value_bytes, segment_starts starts, gathering gathers)
{
  if (value_bytes > 16) {
    return {{6, 5, 2, 160, 200}, {4, 4, 2, 96, 190}, 24};
  }
  if (gathers == gathering::computed) {
    return {{4, 5, 4, 80, 160}, {4, 5, 4, 48, 160}, 25};
  }
  if (gathers == gathering::listed) {
    return both(value_bytes <= 4 ? scan_row{6, 5, 2, 48, 96} : scan_row{5, 5, 2, 80, 96}, 23);
  }
  if (value_bytes > 4) {
    return {{6, 5, 2, 80, 200}, {4, 8, 2, 80, 190}, 24};
  }
  return are_read(starts) ? both({8, 5, 2, 48, 160}, 23) : segments_row{{6, 5, 2, 80, 200}, {6, 8, 2, 48, 160}, 23};
}

/// Values in an array, by keys in another. Items of one byte take longer segments, words shorter ones. record:
/// segmented_arrays, segmented_bytes, segmented_copied_keys
constexpr segments_row keyed_segments_row(std::size_t value_bytes, segment_starts starts, bool equality_gathers)
{
  const bool are_words = value_bytes <= 4;
  if (equality_gathers) {
    return are_words ? both({6, 8, 1, 48, 62}, 25) : segments_row{{5, 4, 2, 112, 128}, {6, 8, 1, 48, 96}, 25};
  }
  if (are_words) {
    return {{8, 8, 1, value_bytes == 1 ? 128u : 64u, 220}, {8, 8, 1, 64, 220}, 23};
  }
  return starts == segment_starts::wide_keys ? segments_row{{8, 8, 1, 48, 220}, {8, 8, 1, 80, 220}, 27}
                                             : segments_row{{8, 8, 1, 80, 220}, {8, 8, 1, 48, 220}, 23};
}

/// Values of 2 to 8 bytes in an array, by keys that are not: those that lanes read take shorter segments and a smaller
/// ring than computed ones. record: segmented_rows, segmented_rows_early_heads, segmented_read_keys
constexpr segments_row segments_row_by_loaded_keys(std::size_t value_bytes, segment_starts starts, gathering gathers)
{
  switch (gathers) {
    case gathering::computed:
      return both({6, 5, 3, 48, 160}, 23);
    case gathering::listed:
      return both({6, 5, 2, 48, value_bytes <= 4 ? 62u : 96u}, 23);
    default:
      return starts == segment_starts::made_keys
               ? segments_row{{8, 5, 2, 80, 220}, {8, 8, 1, 48, 220}, value_bytes <= 4 ? 24u : 23u}
               : both({starts == segment_starts::read_keys ? 8u : 6u, 5, 2, 48, 160}, 23);
  }
}

constexpr segments_row segments_row_of(std::size_t value_bytes, bool is_array, segment_starts starts, gathering gathers)
{
  if (!is_array) {
    return loaded_segments_row(value_bytes, starts, gathers);
  }
  // As many bytes a lane as make long segments, by few warps where items are few. record: segmented_structs (32 bytes
  // at 2^24: 160 bytes a lane 0.51, 80 1.34), segmented_small_structs
  if (value_bytes > 16) {
    return {{8, 8, 1, 160, 220}, {4, 4, 1, 96, 220}, 24};
  }
  const bool are_keys = starts == segment_starts::keys || starts == segment_starts::wide_keys;
  if (are_keys && value_bytes <= 8) {
    return keyed_segments_row(value_bytes, starts, gathers != gathering::none);
  }
  if (!are_keys && starts != segment_starts::flags && 1 < value_bytes && value_bytes <= 8) {
    return segments_row_by_loaded_keys(value_bytes, starts, gathers);
  }
  return {{8, 8, 1, value_bytes == 1 ? 128u : 80u, 220}, {8, 8, 1, 48, 220}, 23};
}

/// Persistent segmented scan: from `from_items` on, where a single tile of the look-back kernel is no longer as fast,
/// tiny and then small tiles, so that more blocks have one, then large ones, so that the server has fewer to answer.
/// record: segmented_tile_sizes, segmented_tiny_tiles (by key, 2^12: 0.67, 8 and 8 warps 0.73), segmented_server_ahead.
/// Other value sizes untuned.
template <
  std::size_t ValueBytes, bool IsArray = true, segment_starts Starts = segment_starts::flags,
  gathering Gathers = gathering::none>
struct persistent_segmented_scan {
  static constexpr segments_row row = segments_row_of(ValueBytes, IsArray, Starts, Gathers);
  static constexpr scan_row fitting(scan_row shape)
  {
    const bool needs_cache = Gathers != gathering::none || are_read(Starts);
    shape.ring_kilobytes = needs_cache && shape.ring_kilobytes > 160 ? 160 : shape.ring_kilobytes;
    return shape;
  }
  struct large_numbers {
    static constexpr scan_row row = fitting(persistent_segmented_scan::row.of_large_tiles);
  };
  struct small_numbers {
    static constexpr scan_row row = fitting(persistent_segmented_scan::row.of_small_tiles);
  };
  struct tiny_numbers {
    static constexpr scan_row row{4, 4, IsArray ? 1 : 2, 16, large_numbers::row.ring_kilobytes};
  };
  using large = scan_shape_of<large_numbers, 16>;
  using small_tuning = ::cuda::std::conditional_t<GIMBAL_GPU, scan_shape_of<small_numbers, 16>, large>;
  using tiny = ::cuda::std::conditional_t<GIMBAL_GPU && ValueBytes <= 16, scan_shape_of<tiny_numbers, 2>, small_tuning>;
  static constexpr index_type from_items = GIMBAL_GPU ? 1024 : 8192;
  static constexpr index_type item_bytes = ValueBytes > 4 ? ValueBytes : 4;
  static constexpr index_type small_from_items = (index_type{1} << 18) / item_bytes + 1;
  static constexpr index_type large_from_items = (index_type{1} << row.large_from_log2) / item_bytes;
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

/// Segmented scan by tiles as blocks; the bound on registers as for scan. record: segmented_scan
template <std::size_t ValueBytes>
struct segmented_scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = odd_items(64, ValueBytes);
};
/// Threads a multiprocessor must have registers for. 0: not said.
constexpr unsigned segmented_scan_resident_threads(std::size_t value_bytes) { return value_bytes <= 4 ? 1280 : 0; }

/// A scan of each of many segments: shorter ones are a warp's. Of `few_segments` or fewer each has a block to itself.
/// Untuned.
template <std::size_t ValueBytes>
struct each_segment_scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = odd_items(48, ValueBytes);
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
