// Numbers of merge sorts.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Merge sort in pairs. An odd number of items per thread keeps a warp's blocked accesses to shared memory in distinct banks. Up to
/// `most_small_items`, small tiles occupy more threads; but what fits one of the other tiles takes one launch with it. record:
/// merge_sort_pairs (u32 at 2^20 0.78, small tiles 0.84). Other sizes untuned.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct merge_sort {
  static constexpr std::size_t bytes = KeyBytes > ValueBytes / 4 ? KeyBytes : ValueBytes / 4;
  static constexpr bool is_light_pair = ValueBytes > 0 && bytes <= 4;
  /// Large items: small blocks, as many items as registers hold. record: merge_sort_large_items (24 bytes 2^18 0.67, by ranks 1.18)
  static constexpr bool is_large = KeyBytes > 16 || (KeyBytes > 8 && ValueBytes > 0);
  static constexpr unsigned block_threads = is_large ? 128 : is_light_pair ? 512 : 256;
  static constexpr unsigned items_per_thread =
    is_light_pair ? 9 : ((is_large ? items_for_bytes(240, bytes, 8) : items_for_bytes(96, bytes, 17)) - 1) / 2 * 2 + 1;

  struct small_tuning {
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
           && (n <= small_tuning::block_threads * small_tuning::items_per_thread || n > block_threads * items_per_thread);
  }
};

/// Merge sort by ranks: from `least_items` to `most_items`, with the tiles that take fewer sweeps, or less work in as many. record:
/// rank_merge_sort (u32 at 2^15 0.63), rank_merge_sort_large, merge_sort_large (32 bytes at 2^17, by the first word 0.66, by all 0.98)
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct rank_merge_sort {
  static constexpr unsigned tile_items = GIMBAL_GPU ? 512 : 256;
  static constexpr unsigned sweep_levels = 4;
  struct small_tuning {
    static constexpr unsigned tile_items = 256;
    static constexpr unsigned sweep_levels = 4;
  };
  /// Fewer are one tile of a merge sort, which costs large keys more than all pairs. record: merge_sort_least_items
  static constexpr index_type least_items = GIMBAL_GPU ? (KeyBytes > 8 ? 1 << 8 : 1 << 10) : 1 << 9;
  /// Each item compared with every other, which has no sweeps: the fewest steps in a row, while items are few. record: merge_all_pairs (u32
  /// at 2^10 0.45, tiles of 256 0.61)
  struct all_pairs {
    static constexpr unsigned block_threads = GIMBAL_GPU ? 512 : 64;
    static constexpr unsigned resident_blocks = 0;  // not said
    static constexpr unsigned batch = items_for_bytes(32, KeyBytes, 8);
  };
  static constexpr index_type most_all_pairs_items = !GIMBAL_GPU     ? 700
                                                     : KeyBytes > 16 ? (1 << 10) - 1
                                                                     : 1 << (KeyBytes > 8 ? 10 : 11);
  static constexpr index_type most_items = KeyBytes > 32 ? 0
                                           : GIMBAL_GPU  ? index_type{1} << (KeyBytes > 24 ? 17 : 16)
                                                         : 3000;

  static constexpr bool takes_small_tiles(index_type n)
  {
    const bool is_medium = n > 1 << 13 && n <= 1 << (KeyBytes > 16 ? 15 : 14);
    return GIMBAL_GPU ? n <= 1 << 12 || is_medium || n > 1 << 16 : n <= 1000;
  }
};

/// From so many concurrent streams on, sorts that take more comparisons to save latency take longer.
inline constexpr unsigned saturating_merge_sorts = 3;

/// Merge sort in few sweeps. An odd number of items per thread, as above; fewer with values, so that the registers of two blocks suffice.
/// `lone_tile_items`: the most that one block sorts in a single launch. `filling_tiles`: as many blocks as keep a GPU busy at once.
/// `least_items`: fewer are merged in pairs, which takes them less time. record: multiway_merge_sort, multiway_reverse_runs (u32 at 2^24
/// 0.82), multiway_large (32 bytes at 2^24 0.57), merge_sort_large: by a comparator of one word fewer keys of 32 bytes would take less time
/// so, but not by one of all words.
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
  static constexpr index_type filling_tiles = multiprocessors * 2;
  static constexpr index_type least_items = !GIMBAL_GPU                       ? 1 << 13
                                            : KeyBytes > 32                   ? 1 << 18
                                            : KeyBytes > 24                   ? 1 << 20
                                            : KeyBytes > 16                   ? (1 << 20) + 1
                                            : KeyBytes > 8 && ValueBytes == 0 ? 1 << 20
                                            : KeyBytes > 4 || ValueBytes > 0  ? 1 << 21
                                                                              : 9 << 19;
};
/// Threads a multiprocessor must have registers for: 48 or 64 each. 0: not said. record: multiway_resident_threads
constexpr unsigned multiway_merge_resident_threads(std::size_t key_bytes, std::size_t value_bytes)
{
  if (value_bytes > 0) {
    return key_bytes > 8 || value_bytes > 8 ? 0 : 1024;
  }
  return key_bytes <= 4 ? 1280 : 8 < key_bytes && key_bytes <= 16 ? 1024 : 0;
}

/// Merge sorts: launches of up to so many blocks start early (simt/cuda_launch.cuh), from a block's begin on where it has values; those of
/// more blocks than multiprocessors take longer so. record: merge_sort_early_blocks
constexpr unsigned merge_sort_early_blocks(bool has_values) { return has_values ? multiprocessors : any_blocks; }
inline constexpr unsigned early_blocks_of_ranks = any_blocks;
constexpr unsigned multiway_merge_early_blocks(bool has_values) { return has_values ? 0 : any_blocks; }

}  // namespace tuning

GIMBAL_NAMESPACE_END
