// Numbers of merge sorts.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Merge sort in pairs. An odd number of items per thread keeps a warp's blocked accesses to shared memory in distinct
/// banks. Up to `most_small_items`, small tiles occupy more threads; but what fits one of the other tiles takes one
/// launch with it. Measured on one H200, 2026-11-22, beside stock. u32 keys: 256 threads of 17 2^12 1.05, 2^13 1.06,
/// 2^16 0.88, 2^20 0.78, 2^22 0.88; 512 of 9 2^10 0.85, 2^12 1.01, 2^13 1.02, 2^14 1.01, 2^16 0.90, 2^20 0.84; 512 of 5
/// 2^10 0.79, 2^12 1.20; 512 of 17 2^13 1.06, 1024 of 9 1.12. u64 keys: 256 of 11 2^20 0.72, 2^21 0.72, 2^22 0.80; 256
/// of 5 2^10 0.79, 2^12 1.02, 2^13 0.93, 2^14 0.94, 2^16 0.80, 2^20 0.85; 512 of 9 2^12 0.90, 2^13 0.96, 2^16 0.89,
/// 2^20 0.75. 16-byte keys: 256 of 5 2^13 0.96, 2^16 0.81, 2^20 0.84. u32 pairs: 512 of 9 2^10 0.79, 2^12 0.95, 2^13
/// 0.98, 2^16 0.96, 2^20 0.92, 2^21 0.96 (256 of 11: 2^20 0.95); 512 of 5 2^10 0.70, 2^12 1.07, 2^13 0.96, 2^16 0.89,
/// 2^18 0.85. u64 pairs: 256 of 11 2^20 0.80; 512 of 5 2^10 0.67, 2^12 0.90, 2^16 0.86, 2^18 0.85. Other sizes untuned.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct merge_sort {
  static constexpr std::size_t bytes = KeyBytes > ValueBytes / 4 ? KeyBytes : ValueBytes / 4;
  static constexpr bool is_light_pair = ValueBytes > 0 && bytes <= 4;
  /// Large items: small blocks, as many items as registers hold.
  static constexpr bool is_large = KeyBytes > 16 || (KeyBytes > 8 && ValueBytes > 0);
  static constexpr unsigned block_threads = is_large ? 128 : is_light_pair ? 512 : 256;
  static constexpr unsigned items_per_thread =
    is_light_pair ? 9 : ((is_large ? items_for_bytes(240, bytes, 8) : items_for_bytes(96, bytes, 17)) - 1) / 2 * 2 + 1;

  struct small {
    static constexpr unsigned block_threads = KeyBytes <= 4 || (ValueBytes > 0 && !is_large) ? 512 : 256;
    static constexpr unsigned items_per_thread = is_large ? 3 : ValueBytes == 0 && KeyBytes <= 4 ? 9 : 5;
  };
  static constexpr index_type most_small_items = KeyBytes > 32 || (items_per_thread <= 5 && !is_large) ? 0
                                                 : is_large || ValueBytes > 0 ? index_type{1} << 18
                                                 : KeyBytes <= 4              ? index_type{1} << 15
                                                                              : index_type{1} << 17;

  static constexpr bool is_small(index_type n)
  {
    return n <= most_small_items
           && (n <= small::block_threads * small::items_per_thread || n > block_threads * items_per_thread);
  }
};

/// Merge sort by ranks: from `least_items` to `most_items`, with the tiles that take fewer sweeps, or less work in as
/// many. Measured on one H200, 2026-11-22, 2^10 to 2^18 items, ratio to stock. u32 keys, tiles of 256: 0.83, 0.79,
/// 0.78, 0.77, 0.62, 0.65, 0.89, 1.10, 2.02; of 512: 0.96, 0.94, 0.84, 0.64, 0.71, 0.63, 0.78, 1.26, 1.75. u64: 0.80,
/// 0.79, 0.58, 0.66, 0.56, 0.56, 0.84; 0.96, 0.95, 0.67, 0.55, 0.61, 0.54, 0.72. 16 bytes: 0.84, 0.62, 0.51, 0.56,
/// 0.46, 0.50, 0.74; 1.03, 0.76, 0.56, 0.47, 0.51, 0.48, 0.65. u32 pairs 0.70, 0.70, 0.62, 0.61, 0.49, 0.52, 0.74;
/// 0.78, 0.82, 0.69, 0.52, 0.55, 0.50, 0.64. 2026-11-24, keys of 32 bytes, 2^15 to 2^19, tiles of 256 and of 512: 0.41, 0.57,
/// 0.61, 0.79, 1.05 and 0.44, 0.53, 0.70, 0.73, 0.95.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct rank_merge_sort {
  static constexpr unsigned tile_items = GIMBAL_GPU ? 512 : 256;
  static constexpr unsigned sweep_levels = 4;
  struct small {
    static constexpr unsigned tile_items = 256;
    static constexpr unsigned sweep_levels = 4;
  };
  /// Fewer are one tile of a merge sort, which costs large keys more: from 2^8 on all pairs took 0.8 of its time (perf/LOG.md).
  static constexpr index_type least_items = GIMBAL_GPU ? (KeyBytes > 8 ? 1 << 8 : 1 << 10) : 1 << 9;
  /// Each item compared with every other. Measured on one H200, 2026-11-26, ratio to stock, 2^10, 2^11, 2^12, beside tiles of 256: u16 0.37,
  /// 0.43, 0.55 (0.51, 0.50, 0.46), u32 0.45, 0.53, 0.66 (0.61, 0.61, 0.59), u64 0.53, 0.63, 0.70 (0.76, 0.73, 0.52), 16 bytes 0.65, 0.64
  /// (0.80, 0.62).
  struct all_pairs {
    static constexpr unsigned block_threads = GIMBAL_GPU ? 512 : 64;
    static constexpr unsigned batch = items_for_bytes(32, KeyBytes, 8);
  };
  static constexpr index_type most_all_pairs_items = !GIMBAL_GPU     ? 700
                                                     : KeyBytes > 16 ? (1 << 10) - 1
                                                                     : 1 << (KeyBytes > 8 ? 10 : 11);
  static constexpr index_type most_items = KeyBytes > 32 ? 0 : GIMBAL_GPU ? index_type{1} << 16 : 3000;

  static constexpr bool takes_small_tiles(index_type n)
  {
    const bool is_medium = n > 1 << 13 && n <= 1 << (KeyBytes > 16 ? 15 : 14);
    return GIMBAL_GPU ? n <= 1 << 12 || is_medium : n <= 1000;
  }
};

/// From so many concurrent streams on, sorts that take more comparisons to save latency take longer.
inline constexpr unsigned saturating_merge_sorts = 3;

/// Merge sort in few sweeps. An odd number of items per thread, as above; fewer with values, so that the registers of
/// two blocks suffice. `lone_tile_items`: the most that one block sorts in a single launch. `filling_tiles`: as many
/// blocks as keep a GPU busy at once. `least_items`: fewer are merged in pairs. Measured on one H200, 2026-11-22,
/// beside stock: u32 keys 512 threads of 23 2^21 1.09, 2^22 0.88, 2^24 0.83, 2^28 0.91; u64 256 of 17 2^20 0.94, 2^21
/// 0.69, 2^22 0.62, 2^24 0.71; 16-byte keys 256 of 7, 8 ways (16, 4) 2^21 0.62 (0.67, 0.68), 2^24 0.66 (0.69, 0.69),
/// 2^28 0.69 (0.74, 0.72); u32 pairs 256 of 17 2^20 1.13, 2^21 0.89, 2^22 0.82, 2^24 0.89; u64 pairs 512 of 9 2^20
/// 0.89, 2^21 0.72, 2^24 0.71. 2026-11-24, with second runs in reverse (collective/merge.cuh), 3 * 2^21, 2^23, 2^24, 2^26,
/// 2^28: u32 512 of 27 0.78, 0.77, 0.82, 0.82, 0.85 (23: 0.88, 0.79, 0.83, 0.85, 0.89; 23 with 40 registers 0.85, 0.78,
/// 0.80, 0.82, 0.85; 19 with 40 0.80, 0.78, 0.85, 0.87, 0.92; 256 of 17 0.96, 0.91, 1.04, 1.08, 1.21; 128 of 17 1.29,
/// 1.24, 1.20, 1.54, 1.51); u64 256 of 17 0.69, 0.70, 0.76, 0.75, 0.81 (21: 0.71, 0.71, 0.74, 0.72, 0.77, but 2^21 0.78
/// for 0.70; 13: 0.72, 0.81, 0.79, 0.88, 0.87). 16-byte keys 3 * 2^19 0.60 (in pairs 0.68), 2^20 0.76 (0.70); u32 2^20,
/// 2^21, 2^22 1.31, 1.03, 0.81 (0.66, 0.71, 0.80). With the search of splits of that day, 32-byte keys, 2^18, 2^19, 2^20,
/// 2^21, 2^22, 2^24, 2^26: 16 ways 128 of 7 0.83, 0.63, 0.56, 0.56, 0.59, 0.57, 0.56; 8 ways 256 of 5 0.69, 0.73, 0.66, 0.64, 0.62,
/// 0.63, 0.63 (16 ways 128 of 5 0.84, 0.62, 0.56, 0.58, 0.60, 0.60, 0.60; 256 of 7 0.71, 0.77, 0.63; 8 ways 128 of 7 0.85, 0.69,
/// 0.60); 16-byte keys 2^18, 2^20, 2^21, 2^22, 2^24 16 and 8 ways 256 of 7 0.83, 0.68, 0.59, 0.60, 0.62 and 0.76, 0.70, 0.60,
/// 0.60, 0.63 (in pairs 2^18, 2^20 0.67, 0.73; 16 ways 128 of 7 0.90, 0.72, 0.64, 0.66, 0.69).
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct multiway_merge_sort {
  static constexpr std::size_t bytes = merge_sort<KeyBytes, ValueBytes>::bytes;
  static constexpr unsigned ways = 8 < KeyBytes && KeyBytes <= 16 && ValueBytes > 0 ? 8 : 16;
  static constexpr bool is_light_pair = KeyBytes <= 4 && ValueBytes > 0 && ValueBytes <= 4;
  static constexpr unsigned block_threads = KeyBytes > 16    ? 128
                                            : ValueBytes > 0 ? (is_light_pair ? 256 : 512)
                                            : KeyBytes <= 4  ? 512
                                                             : 256;
  static constexpr unsigned items_per_thread = (is_light_pair    ? 17 - 1
                                                : KeyBytes > 16  ? items_for_bytes(240, bytes, 24) - 1
                                                : ValueBytes > 0 ? items_for_bytes(80, bytes, 13) - 1
                                                : KeyBytes > 8   ? items_for_bytes(112, bytes, 24) - 1
                                                : KeyBytes > 4   ? 17 - 1
                                                                 : items_for_bytes(112, bytes, 28) - 1)
                                                 / 2 * 2
                                               + 1;
  static constexpr index_type lone_tile_items = 4096;
  static constexpr index_type filling_tiles = 132 * 2;
  static constexpr index_type least_items = !GIMBAL_GPU                       ? 1 << 13
                                            : KeyBytes > 32                   ? 1 << 18
                                            : KeyBytes > 16                   ? (1 << 20) + 1
                                            : KeyBytes > 8 && ValueBytes == 0 ? 1 << 20
                                            : KeyBytes > 4 || ValueBytes > 0  ? 1 << 21
                                                                              : 9 << 19;
};
/// Threads a multiprocessor must have registers for: 48 or 64 each. 0: not said. Measured on one H200, 2026-11-24,
/// 16-byte keys whose comparator looks at all of them, 2^22, 2^24, 2^26, ratio to stock, 1024 threads (none said: 98
/// registers each): 0.81, 0.86, 0.90 (0.92, 1.01, 1.06).
constexpr unsigned multiway_merge_resident_threads(std::size_t key_bytes, std::size_t value_bytes)
{
  if (value_bytes > 0) {
    return key_bytes > 8 || value_bytes > 8 ? 0 : 1024;
  }
  return key_bytes <= 4 ? 1280 : 8 < key_bytes && key_bytes <= 16 ? 1024 : 0;
}

/// Merge sorts: launches of up to so many blocks start early (simt/cuda_launch.cuh). Measured on one H200, 2026-11-22,
/// ratio to stock without (in another run) and with it. In pairs, keys let the next launch start when they are merged:
/// u32 2^18 0.80 and 0.71, 2^20 0.78 and 0.69; u64 0.81 and 0.67, 0.72 and 0.64; 16 bytes 0.83 and 0.73, 0.84 and 0.79,
/// but from a block's begin on 0.88 and 0.88. With values, from a block's begin on: u32 2^18 0.86 and 0.76, 2^19 (114
/// blocks) 0.93 and 0.86, 2^20 (228) 0.93 and 1.06. By ranks: 2^10 0.83 and 0.73, 2^14 0.62 and 0.52 (u32), 2^16 pairs
/// 0.64 and 0.59. In few sweeps: u64 2^22 0.63 and 0.61; with values u32 2^21 0.89 and 1.22, u64 2^22 0.68 and 0.76.
constexpr unsigned merge_sort_early_blocks(bool has_values) { return has_values ? 132 : any_blocks; }
inline constexpr unsigned early_blocks_of_ranks = any_blocks;
constexpr unsigned multiway_merge_early_blocks(bool has_values) { return has_values ? 0 : any_blocks; }

}  // namespace tuning

GIMBAL_NAMESPACE_END
