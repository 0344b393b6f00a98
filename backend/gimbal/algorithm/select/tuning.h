// Numbers of select and partition.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Select and partition. Where large calls are streamed, tiles as blocks are for small ones: 32 bytes a thread.
/// Measured on one H200, 2026-11-22, partition_copy of 2^10 to 2^18 items, ratio to stock: i32 256 x 8 0.68, 0.72
/// (2^13), 0.77, 0.74 (2^16), 0.88; 256 x 16 0.77, 0.87, 0.86, 0.82, 0.93; 256 x 4 0.57, 0.65, 0.72, 0.82, 0.88. i64
/// 256 x 4 0.60, 0.72, 0.71, 0.85, 0.81. 2026-11-25, 2^12, 2^13, 2^14, 2^15, 2^16, 2^17, 2^18, 3 * 2^17, half selected, 256 x 8, 512 x 8,
/// 256 x 16, 512 x 16: partition_copy i8 0.72, 0.65, 0.64, 0.64, 0.70, 0.82, 0.82, 0.82; 0.66, 0.76, 0.72, 0.72, 0.70, 0.76, 0.85, 0.84;
/// 0.68, 0.77, 0.79, 0.81, 0.75, 0.75, 0.93, 0.89; 0.86, 0.78, 0.84, 0.86, 0.91, 0.89, 0.81, 1.01; i16 0.75, 0.72, 0.73, 0.70, 0.68, 0.89, 0.83,
/// 0.84; 0.70, 0.75, 0.76, 0.82, 0.76, 0.74, 0.89, 0.85; 0.74, 0.85, 0.80, 0.80, 0.77, 0.81, 0.93, 0.94; 0.84, 0.78, 0.99, 1.02, 0.91, 0.87,
/// 0.87, 0.98; copy_if i8 0.71, 0.71, 0.67, 0.66, 0.66, 0.85, 0.82, 0.86; 0.68, 0.71, 0.77, 0.69, 0.71, 0.71, 0.85, 0.83; 0.63, 0.73, 0.73,
/// 0.71, 0.77, 0.74, 0.85, 0.87; 0.77, 0.71, 0.85, 0.79, 0.79, 0.83, 0.75, 0.89. Other rows untuned.
template <std::size_t ValueBytes, bool IsStreamed = false>
struct partition {
  static constexpr unsigned block_threads = IsStreamed || ValueBytes > 2 ? 256 : 512;
  static constexpr unsigned items_per_thread = items_for_bytes(IsStreamed ? 32 : 64, ValueBytes, IsStreamed ? 8 : 16);
  static constexpr unsigned append_blocks = 132 * 16;  // at least, of the second kernel of a stable partition in place
};
/// There, of many items, a block for each so many tiles that all items would be: short blocks keep memory busy, but
/// those that find nothing to do take their time, too. Measured on one H200, 2026-11-22, stable partition of 2^28
/// items, 3 % and 97 % selected, microseconds: i32 16896 blocks 1079 and 566, 2112 blocks 1150 and 561, 67584 1049 and
/// 596; i64 33792 blocks 2143 and 1115, 2112 2292 and 1105. 2^24 i32, 97 %: 8192 blocks 53, 2112 49.
inline constexpr unsigned append_tiles = 8;
/// Calls that are no streams where concurrent streams saturate a GPU. One H200, 2026-11-27, calls of 8, 16, 32 threads, rates as ratios to stock's, select and
/// partition of i32, 2^17, 2^18, 2^19, 2^20: as streams 0.94, 0.76, 0.70; 0.95, 0.75, 0.57; 0.84, 0.74, 0.68; 1.00, 0.91, 0.85; in tiles
/// 1.68, 1.74, 1.74; 1.73, 1.51, 1.39; 1.80, 1.53, 1.53; 0.91, 1.01, 1.00.
inline constexpr std::int64_t most_saturated_select_bytes = std::int64_t{4} << 20;
/// At the end of a stable partition in place as a stream. Few blocks must have many items under way each.
template <unsigned BlockThreads, std::size_t ValueBytes>
struct stream_append {
  static constexpr unsigned block_threads = BlockThreads;
  static constexpr unsigned items_per_thread = items_for_bytes(64, ValueBytes, 16);
};
/// Tiles of a stable partition in place that blocks hold at once. Measured on one H200, 2026-11-26, calls, ratio to stock, i32 2^12, 2^14, 2^16,
/// 2^17 (64 tiles) 0.23, 0.23, 0.24, 0.24, in two launches 0.34, 0.32, 0.33, as a stream 2^17 0.27.
inline constexpr std::int64_t most_resident_partition_blocks = GIMBAL_GPU ? 256 : 4;
/// Threads a multiprocessor must have registers for: 40 or 64 each. 0: not said, where items need more (the bytes of
/// items that are no words take a register each).
constexpr unsigned partition_resident_threads(std::size_t value_bytes, unsigned items_per_thread)
{
  const bool is_large = value_bytes * items_per_thread > 64 || (value_bytes > 2 && value_bytes % 4 != 0);
  return is_large ? 0 : value_bytes <= 2 ? 1024 : 1536;
}

/// Of the array beside the items of a streamed select: tiles from their load to the results of the selector. Measured
/// on one H200, 2026-11-22, copy_if of i32, 50 % and 3 % of 2^28 selected, ratio to stock, beside as many as there are
/// stages: by a stencil of i32 0.68 (0.80), 0.64 (0.77); by flags 0.63 (0.77), 0.62 (0.88). Other numbers untuned.
inline constexpr unsigned stream_side_stages = 3;

/// A block that selects from more tiles than this loads one more ahead: 1 % less time at 2^28, 3 % more at 2^22.
inline constexpr unsigned stream_partition_few_tiles = 32;

/// Where the items of a streamed select come from: an array, an iterator that takes its time to load or make them, or counting.
enum class select_input { array, loaded, counting };

/// Select and partition as a stream, beside an array of `SideBytes` per item: as many stages, up to a number, as leave
/// room for all blocks of a multiprocessor; with fewer than 3 calls are not streamed. Measured on one H200, 2026-11-22,
/// ratio to stock at 2^28 (2^20). Two blocks a multiprocessor, tiles of 12 KB: partition_copy, half selected, i32 0.59
/// (0.79), i64 0.78 (0.81); copy_if of i64, half 0.79 (0.85), 3 % 0.72 (0.85). One block, two groups that
/// scatter, tiles of 16 KB: copy_if of i32, half 0.66 (0.83), 3 % 0.61 (0.80), none 0.58 (0.76). Beside these, copy_if
/// of i32, half, 3 % and none: in two blocks with 6 counting warps 0.67, 0.70, 0.78; one block, one group of 12 x 4
/// rows 0.67, 0.67, 0.58; two groups of 6 x 8 rows 0.68, 0.59, 0.59; three 0.73, 0.64, 0.65.
/// 2026-11-24, one byte, 2^28 (2^24, 2^20), copy_if, half, 3 % and 97 %, and partition_copy: in two blocks 12 x 2 rows 0.40 (0.59,
/// 0.82), 0.41 (0.57, 0.80), 0.34 (0.52, 0.79), 0.37 (0.53, 0.80); one block, two groups of 8 x 4 rows 0.29 (0.47, 0.76), 0.29
/// (0.45, 0.75), 0.26 (0.43, 0.71), 0.33 (0.48, 0.79), of 8 x 3 rows 0.31, 0.31, 0.28 (copy_if), of 10 x 4 0.35, 0.36, 0.29;
/// in two blocks 6 x 4 rows 0.41, 0.42, 0.33, 0.35. Items that come
/// through an iterator, squares of u32, half selected, 2^19, 2^20, 2^22, 2^24, 2^27, one block, a group of 8 x 4 rows and as many loaders
/// 0.82, 0.78, 0.80, 0.86, 0.85, of two groups of 7 0.88, 0.83, 0.84, 0.92, 0.90, two blocks of 6 x 4 rows, 3 that count 0.89, 0.88, 0.82, 0.80,
/// 0.79, as tiles of blocks 0.91, 0.86, 1.10, 1.11, 1.09 (256 threads of 24 - , 0.89, 1.12, 1.10, 1.07). Structs, a segment of as many
/// vectors as hold whole items in each row, one H100, 2026-11-25, calls of copy_if, 2^20, 20, 36, 40, 60, 72 and 128 bytes 0.53, 0.54,
/// 0.55, 0.48, 0.38, 0.42 (as tiles of blocks, 20, 40 and 128 bytes 0.70, 1.19, 1.06). Other sizes untuned.
/// Predicates that may read memory (`asks_memory`), H200s, 2026-11-26, calls of copy_if, 2^20, 2^22, 2^24, 2^26, 2^28. A list of u32 in
/// random order, by the items that they index: two groups that scatter and one of 8 that counts in 227 KB 0.72, 1.06, 1.60, 1.32, 1.29; two
/// that count no better: each read in flight takes a line of the L1 cache, it seems, of which shared memory leaves little. One
/// that scatters and two that count in 194 KB 0.59, 0.77, 1.01, 1.00, 1.01, 160 KB 0.57, 0.74, 0.91, 0.99, 1.00, 128 KB 0.57,
/// 0.69, 0.88, 0.97, 0.98; a predicate that reads nothing in 227 KB 0.55, 0.60, 0.61, 0.65, 0.65, 160 KB 0.53, 0.57, 0.64, 0.69,
/// 0.72. Counting-iterator u32, by what two neighbours are: one group and 8 loaders 0.62, 0.81, 1.20, 1.48, 1.61, two and 4 loaders
/// 0.53, 0.64, 0.80, 0.90, 0.96; i64, in two blocks of 6 x 4 rows 0.71, 0.94, 1.39, 1.75, - , as u32 0.55, 0.62, 0.78, 0.88, -.
template <
  std::size_t ValueBytes, std::size_t SideBytes = 0, bool KeepsRejected = true,
  select_input Input = select_input::array, bool MayReadMemory = false>
struct stream_partition {
  static constexpr bool is_loaded = Input != select_input::array;
  static constexpr bool asks_memory =
    MayReadMemory && Input != select_input::loaded && SideBytes == 0 && ValueBytes <= 8 && 8 % ValueBytes == 0;
  static constexpr bool is_light =  // few instructions a tile
    asks_memory || ValueBytes == 1 || (!KeepsRejected && (ValueBytes == 2 || ValueBytes == 4));
  static constexpr unsigned segment_vectors =
    static_cast<unsigned>(simt::items_of_vectors(ValueBytes) * ValueBytes / 16);
  static constexpr unsigned rows = segment_vectors < 4 ? 4 / segment_vectors : 1;
  static constexpr unsigned scatter_warps = is_light || segment_vectors == 3 ? 8
                                            : segment_vectors <= 4           ? 6
                                            : segment_vectors <= 8           ? 4
                                            : segment_vectors <= 11          ? 3
                                                                             : 2;
  static constexpr unsigned scatter_groups = is_light && !is_loaded && !asks_memory ? 2 : 1;
  static constexpr unsigned count_warps = is_light             ? 8
                                          : scatter_warps == 8 ? 4
                                          : scatter_warps == 6 ? 3
                                                               : scatter_warps;
  static constexpr unsigned count_groups = asks_memory ? 2 : 1;
  static constexpr unsigned loader_warps = asks_memory ? scatter_warps / 2 : scatter_warps;
  static constexpr unsigned places = 2;  // where runs are built
  static constexpr unsigned resident_blocks = is_light ? 1 : 2;
  static constexpr unsigned most_stages = is_light ? 11 : 7;
  static constexpr std::size_t tile_bytes = scatter_warps * rows * 32 * segment_vectors * 16;  // 12 or 16 KB, or nearly
  static constexpr std::size_t lane_items = rows * segment_vectors * 16 / ValueBytes;
  static constexpr std::size_t lane_bytes = lane_items > 32 ? 8 : lane_items > 16 ? 4 : 2;  // flags
  static constexpr std::size_t stage_bytes = tile_bytes + scatter_warps * 32 * lane_bytes + 160;
  static constexpr std::size_t side_bytes =
    SideBytes == 0 ? 0 : stream_side_stages * (tile_bytes / ValueBytes * SideBytes + 32);
  static constexpr std::size_t block_bytes = (asks_memory ? 160
                                              : is_light  ? is_loaded ? 190 : 227
                                              : is_loaded ? 95
                                                          : 113)
                                             * 1024;
  static constexpr std::size_t free_bytes = block_bytes - 256 - places * (tile_bytes + 176);
  static constexpr std::size_t fitting_stages = side_bytes < free_bytes ? (free_bytes - side_bytes) / stage_bytes : 0;
  static constexpr unsigned stages = fitting_stages < most_stages ? fitting_stages : most_stages;
  static constexpr std::size_t least_bytes = std::size_t{1}
                                             << (is_loaded ? 21 : 19);  // below, tiles as blocks are faster
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
