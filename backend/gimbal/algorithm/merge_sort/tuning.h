// Tuning of the merge sorts.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Each item compared with every other, of up to `most_items`: no sweeps, and so the fewest steps in a row. record:
/// merge_all_pairs (u32 at 2^10 0.45, by ranks 0.61)
template <std::size_t KeyBytes>
struct all_pairs_merge_sort {
  static constexpr unsigned block_threads = GIMBAL_GPU ? 512 : 64;
  static constexpr unsigned resident_blocks = 0;  // unspecified
  static constexpr unsigned batch = items_for_bytes(32, KeyBytes, 8);
  static constexpr index_type most_items = KeyBytes > 32 ? 0 : !GIMBAL_GPU ? 700 : KeyBytes > 8 ? 1 << 10 : 1 << 11;
};

/// Merge sort by ranks, of up to `most_items`. record: rank_merge_sort (u32 at 2^15 0.63), rank_merge_sort_large,
/// merge_sort_large (32 bytes at 2^17 by all words 1.19, in pairs 0.97)
template <std::size_t KeyBytes>
struct rank_merge_sort {
  static constexpr unsigned tile_items = GIMBAL_GPU ? 512 : 256;
  static constexpr index_type most_items = KeyBytes > 32 ? 0 : GIMBAL_GPU ? 1 << 16 : 3000;
};

/// From this many concurrent streams on, sorts that save latency by more comparisons take longer.
inline constexpr unsigned saturating_merge_sorts = 3;

/// Merge sort in pairs. An odd number of items per thread keeps a warp's blocked accesses to shared memory in distinct
/// banks. record: merge_sort_pairs (u32 at 2^20 0.78). Other sizes untuned.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct pairwise_merge_sort {
  static constexpr std::size_t bytes = KeyBytes > ValueBytes / 4 ? KeyBytes : ValueBytes / 4;
  static constexpr bool is_light_pair = ValueBytes > 0 && bytes <= 4;
  /// Large items: small blocks, as many items as registers hold. record: merge_sort_large_items (24 bytes 2^18 0.67, by
  /// ranks 1.18)
  static constexpr bool is_large = KeyBytes > 16 || (KeyBytes > 8 && ValueBytes > 0);
  static constexpr unsigned block_threads = is_large ? 128 : is_light_pair ? 512 : 256;
  static constexpr unsigned items_per_thread =
    is_light_pair ? 9 : ((is_large ? items_for_bytes(240, bytes, 8) : items_for_bytes(96, bytes, 17)) - 1) / 2 * 2 + 1;
};

/// Merge sort in few sweeps. An odd number of items per thread, as above; fewer with values, so that the registers of
/// two blocks suffice. `least_items`: fewer are merged in pairs, which takes them less time. record:
/// multiway_over_pairs, multiway_merge_sort, multiway_reverse_runs (u32 at 2^24 0.82), multiway_large (32 bytes at 2^24
/// 0.57), merge_sort_large: with a comparator of one word, fewer keys of 32 bytes would be faster this way, but not
/// with one of all words.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct multiway_merge_sort {
  static constexpr std::size_t bytes = KeyBytes > ValueBytes / 4 ? KeyBytes : ValueBytes / 4;
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
  static constexpr index_type least_items = !GIMBAL_GPU                       ? 1 << 13
                                            : KeyBytes > 32                   ? 1 << 18
                                            : KeyBytes > 24                   ? 1 << 20
                                            : KeyBytes > 16                   ? (1 << 20) + 1
                                            : KeyBytes > 8 && ValueBytes == 0 ? 1 << 20
                                            : KeyBytes > 4 || ValueBytes > 0  ? 1 << 21
                                                                              : 9 << 19;
};
/// Threads a multiprocessor must have registers for: 48 or 64 each. 0: unspecified. record: multiway_resident_threads
constexpr unsigned multiway_merge_resident_threads(std::size_t key_bytes, std::size_t value_bytes)
{
  if (value_bytes > 0) {
    return key_bytes > 8 || value_bytes > 8 ? 0 : 1024;
  }
  return key_bytes <= 4 ? 1280 : 8 < key_bytes && key_bytes <= 16 ? 1024 : 0;
}

/// Merge sorts: launches of up to this many blocks start early (simt/cuda/launch.cuh), from a block's start on where it
/// has values; those of more blocks than multiprocessors take longer that way. record: merge_sort_early_blocks
constexpr unsigned merge_sort_early_blocks(bool has_values) { return has_values ? multiprocessors : any_blocks; }

}  // namespace tuning

GIMBAL_NAMESPACE_END
