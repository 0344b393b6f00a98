// Numbers of select and partition.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Select and partition. Where large calls are persistent, tiles as blocks are for small ones: 32 bytes a thread, so
/// that there are more blocks; items of one and two bytes take more threads, and no more of them each. record:
/// partition (i32 at 2^16 0.74), partition_narrow. Other rows untuned.
template <std::size_t ValueBytes, bool IsPersistent = false>
struct partition {
  static constexpr unsigned block_threads = IsPersistent || ValueBytes > 2 ? 256 : 512;
  static constexpr unsigned items_per_thread =
    items_for_bytes(IsPersistent ? 32 : 64, ValueBytes, IsPersistent ? 8 : 16);
};
/// Calls that are not persistent where concurrent streams saturate a GPU: a persistent kernel has a block for each
/// multiprocessor, which others must wait for. record: most_saturated_select_bytes (16 threads, 2^18: 1.51 of stock's
/// rate, persistent 0.75)
inline constexpr std::int64_t most_saturated_select_bytes = std::int64_t{4} << 20;
/// Tiles of a stable partition in place that blocks hold at once, which takes one launch for two. record:
/// most_resident_partition_blocks
inline constexpr std::int64_t most_resident_partition_blocks = GIMBAL_GPU ? 256 : 4;
/// Threads a multiprocessor must have registers for: 40 or 64 each. 0: not said, where items need more (the bytes of
/// items that are no words take a register each).
constexpr unsigned partition_resident_threads(std::size_t value_bytes, unsigned items_per_thread)
{
  const bool is_large = value_bytes * items_per_thread > 64 || (value_bytes > 2 && value_bytes % 4 != 0);
  return is_large ? 0 : value_bytes <= 2 ? 1024 : 1536;
}

/// Of the array beside the items of a persistent select: tiles from their load to the results of the selector. More
/// take stages from the items. record: persistent_side_stages (half of 2^28: 0.68, as many as of items 0.80). Other
/// numbers untuned.
inline constexpr unsigned persistent_stencil_stages = 3;

/// Persistent select and partition, beside an array of `StencilBytes` per item: as many stages, up to a number, as
/// leave room for all blocks of a multiprocessor; with fewer than 3 calls are not persistent. Where a tile takes few
/// instructions (`is_light`), one block with two groups that scatter is faster than two blocks with one. record:
/// persistent_partition (i32, half of 2^28: 0.66, two blocks 0.67), persistent_partition_bytes (0.29, two blocks 0.40).
/// Structs take a segment of as many vectors as hold whole items in each row. record: persistent_partition_structs.
/// Items that come through an iterator are loaded by as many warps as scatter them. record:
/// persistent_partition_squares. Other sizes untuned. Predicates that may read memory (`asks_memory`): each read in
/// flight takes a line of the L1 cache, it seems, of which shared memory leaves little; so one group scatters, two
/// count, and the stages take less. record: persistent_partition_asks_memory (2^24: 0.91, in 227 KB 1.60)
template <
  std::size_t ValueBytes, std::size_t StencilBytes = 0, bool KeepsRejected = true, bool IsLoaded = false,
  bool MayReadMemory = false>
struct persistent_partition {
  static constexpr bool asks_memory = MayReadMemory && StencilBytes == 0 && ValueBytes <= 8 && 8 % ValueBytes == 0;
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
  static constexpr unsigned scatter_groups = is_light && !IsLoaded && !asks_memory ? 2 : 1;
  static constexpr unsigned count_warps = is_light             ? 8
                                          : scatter_warps == 8 ? 4
                                          : scatter_warps == 6 ? 3
                                                               : scatter_warps;
  static constexpr unsigned count_groups = asks_memory ? 2 : 1;
  static constexpr unsigned loader_warps = asks_memory ? scatter_warps / 2 : scatter_warps;
  static constexpr unsigned buffers = 2;  // where runs are built
  static constexpr unsigned resident_blocks = is_light ? 1 : 2;
  static constexpr unsigned most_stages = is_light ? 11 : 7;
  static constexpr std::size_t tile_bytes = scatter_warps * rows * 32 * segment_vectors * 16;  // 12 or 16 KB, or nearly
  static constexpr std::size_t lane_items = rows * segment_vectors * 16 / ValueBytes;
  static constexpr std::size_t lane_bytes = lane_items > 32 ? 8 : lane_items > 16 ? 4 : 2;  // flags
  static constexpr std::size_t stage_bytes = tile_bytes + scatter_warps * 32 * lane_bytes + 160;
  static constexpr std::size_t stencil_bytes =
    StencilBytes == 0 ? 0 : persistent_stencil_stages * (tile_bytes / ValueBytes * StencilBytes + 32);
  static constexpr std::size_t block_bytes = (asks_memory ? 160
                                              : is_light  ? IsLoaded ? 190 : 227
                                              : IsLoaded  ? 95
                                                          : 113)
                                             * 1024;
  static constexpr std::size_t free_bytes = block_bytes - 256 - buffers * (tile_bytes + 176);
  static constexpr std::size_t fitting_stages =
    stencil_bytes < free_bytes ? (free_bytes - stencil_bytes) / stage_bytes : 0;
  static constexpr unsigned stages = fitting_stages < most_stages ? fitting_stages : most_stages;
  static constexpr std::size_t least_bytes = std::size_t{1}
                                             << (IsLoaded ? 21 : 19);  // below, tiles as blocks are faster
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
