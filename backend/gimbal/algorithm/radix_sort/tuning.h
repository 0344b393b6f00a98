// Tuning of the radix sorts.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// How often the first block of a sort in one launch polls for those that have not begun (grid/team.cuh): without them
/// shares are larger or, if they are too large for a block, each is read and ranked twice a pass. Untuned.
inline constexpr unsigned most_sort_team_looks = GIMBAL_GPU ? 16 : 50;

/// Items of a block of a sort in one launch that leaves room for other streams: with more, several launches are faster.
/// record: most_shared_items (from 16 threads 2^20 with 32 K items a block 0.56 of stock's rate, 2^21 in passes 1.24).
inline constexpr unsigned most_shared_items = 24 << 10;
/// Up to this many tiles per block, a radix pass has tiles of such a size that all blocks end together; with more,
/// blocks end at different times anyway. record: few_radix_tiles (0.88 of the time of whole tiles).
inline constexpr unsigned few_radix_tiles = 2;
/// The same where shares of warps are even, as no warp waits for one with more.
/// record: few_even_radix_tiles.
inline constexpr unsigned few_even_radix_tiles = 4;
/// Items of a launch of a radix pass. Stock counts 2^28 at a time, in smaller tiles: with this many, the descriptors
/// take less storage than stock's, for all types of tests/radix_sort/gpu_stock_radix_sort_*.cu.
inline constexpr std::int64_t most_radix_launch_items = std::int64_t{9} << 26;

/// Histograms depend on the keys alone: sorts with and without values share them, and all GPUs, as they take 34 KB.
template <std::size_t KeyBytes>
struct radix_histogram {
  static constexpr unsigned histogram_threads = 1024;
  static constexpr unsigned histogram_items_per_thread = items_for_bytes(64, KeyBytes, 16);
  static constexpr unsigned histogram_copies = KeyBytes <= 4 ? 8 : 4;
  static constexpr unsigned histogram_blocks = multiprocessors;
};

/// Passes by digits: tiles that fill `SharedBytes` of shared memory. A key takes a slot, with values of 2 bytes more,
/// and a value its size; 1 KB goes to each warp, 10 KB to tables, and the rest to the gaps between runs. 20 warps (17,
/// too, for nvcc) may have 96 registers each, which hold 56 words of keys and values, and 16 may have 128; a spill of
/// them waits for the load that it follows. Two blocks of a multiprocessor have half as large tiles each, and twice the
/// look-back. Without `HasUnits` (radix_slots.cuh) there are no gaps. record: radix_engine (u32 2^28 0.50). record:
/// radix_engine_two_blocks. record: radix_engine_threads.
template <
  std::size_t KeyBytes, std::size_t ValueBytes, unsigned MainThreads, std::size_t SharedBytes,
  std::size_t RegisterBytes, bool HasUnits>
struct radix_engine_shape {
  static constexpr std::size_t slot_bytes = KeyBytes + (ValueBytes > 0 ? 2 : 0);
  static constexpr std::size_t key_unit = (ValueBytes == 0 || KeyBytes <= 2 ? 16 : 32) / KeyBytes;
  static constexpr std::size_t value_sector = ValueBytes == 0 ? 1 : (31 + ValueBytes) / ValueBytes;
  static constexpr bool has_small_units = ValueBytes != 0 && ValueBytes <= 2 && value_sector > 2 * key_unit;
  static constexpr std::size_t value_unit = has_small_units ? 16 / ValueBytes : value_sector;
  static constexpr std::size_t alignment = value_unit <= key_unit ? key_unit : 2 * key_unit;
  static constexpr std::size_t gap_slots = HasUnits ? 256 * 2 * alignment : 64;
  static constexpr std::size_t gap_value_bytes = gap_slots * ValueBytes <= 32 * 1024 ? gap_slots * ValueBytes : 0;
  static constexpr std::size_t item_registers = (KeyBytes + 3) / 4 + (ValueBytes + 3) / 4;
  static constexpr unsigned most_items = items_for_bytes(RegisterBytes, 4 * item_registers, 56);
  static constexpr std::size_t fixed_bytes = MainThreads * 32 + 41 * 256 + gap_slots * slot_bytes + gap_value_bytes;
  static constexpr unsigned main_threads = MainThreads;
  static constexpr unsigned helper_warps = 2;
  static constexpr unsigned fitting_items =
    items_for_bytes((SharedBytes - fixed_bytes) / MainThreads, slot_bytes + ValueBytes, most_items);
  static constexpr unsigned most_batch = HasUnits ? 8 : 2;  // of atomics in flight, as in a prototype; of match_any
  static constexpr unsigned batches = (fitting_items + most_batch - 1) / most_batch;
  static constexpr unsigned batch = fitting_items / batches;
  static constexpr unsigned items_per_thread = batches * batch;
  static constexpr unsigned contention_divisor =
    8;  // frequent digits are counted apart where one has more than 1 / 8 of a tile
  static constexpr unsigned look_back_window = 4;
  static constexpr bool has_units = HasUnits;
  static constexpr bool ranks_by_atomics = HasUnits;  // else by match_any alone, in little code, as documented
  static constexpr bool has_even_shares = ValueBytes == 0 && KeyBytes <= 4;  // of warps, in small tiles
  static constexpr index_type most_tiles = index_type{1} << 30;
};
/// The passes of a radix sort that makes no buckets.
struct no_radix_buckets {
  static constexpr index_type most_items = 0;
};
/// Passes in 47 KB, which any GPU has. More than 2^32 positions, which hardly occur, take nothing else. Untuned.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct small_radix_engine {
  struct any_gpu_shape : radix_engine_shape<KeyBytes, ValueBytes, 256, 47 * 1024, 64, false> {
    static constexpr unsigned resident_blocks = 2;
    static constexpr unsigned early_blocks = any_blocks;
    using histogram = radix_histogram<KeyBytes>;
  };
  using large = any_gpu_shape;
  using buckets = no_radix_buckets;
  static constexpr index_type most_all_pairs_items = 0;
  static constexpr index_type most_resident_items = 0;
  static constexpr index_type most_resident_floats = 0;
};
/// All rows of a radix sort (radix_sort.cuh). GPUs that lack the shared memory for `large` take `any_gpu_shape`.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct radix_engine {
  using any_gpu_shape = typename small_radix_engine<KeyBytes, ValueBytes>::any_gpu_shape;
  static constexpr bool is_wide = KeyBytes == 8 && (ValueBytes == 0 || ValueBytes >= 8);
  static constexpr unsigned large_threads = is_wide ? 448 : 576;
  static constexpr unsigned large_bytes = is_wide ? 320 : ValueBytes == 0 ? 256 : 224;  // of registers for items
  struct large : radix_engine_shape<KeyBytes, ValueBytes, large_threads, 227 * 1024, large_bytes, true> {
    static constexpr unsigned resident_blocks = 1;
    static constexpr unsigned early_blocks = any_blocks;
    using histogram = radix_histogram<KeyBytes>;
  };
  /// Passes by leading digits of 8-byte keys, and buckets in order. Two blocks of a multiprocessor share its memory, so
  /// that one loads while the other sorts. Of 4-byte keys, passes move so little that buckets hardly save any: with
  /// values 0.62 to 0.66 of stock's time instead of 0.71 to 0.80. record: radix_buckets (u64+u64 2^28 0.41, by passes
  /// 1.00).
  struct buckets {
    static constexpr unsigned block_threads = 512;
    static constexpr unsigned resident_blocks = 2;
    static constexpr unsigned early_blocks = any_blocks;
    static constexpr unsigned least_digits = 2;
    /// Digits that may lead besides those in which most keys differ, such as the exponents of small numbers. Untuned.
    static constexpr unsigned spare_digits = 1;
    static constexpr unsigned bins = 8192;
    static constexpr unsigned most_in_bin = 21;
    static constexpr std::size_t item_bytes = KeyBytes + 2 + ValueBytes;
    static constexpr unsigned items_per_thread =
      items_for_bytes((113 * 1024 - 2048 - 2 * bins) / block_threads, item_bytes, 14);
    static constexpr unsigned unit_items = block_threads * items_per_thread / 16;
    static constexpr unsigned most_bucket_items = block_threads * items_per_thread - unit_items;
    /// The largest of many buckets has some five standard deviations more than expected. Untuned: these three.
    static constexpr unsigned most_expected = most_bucket_items - most_bucket_items / 16;
    static constexpr unsigned most_load = 4;
    static constexpr unsigned most_copies = 8;
    static constexpr index_type least_items = index_type{1} << 20;
    static constexpr index_type most_items = KeyBytes == 8 && ValueBytes <= 8 ? index_type{1} << 30 : 0;
  };
  /// Every key compared with every other, whatever the distribution. Stock sorts up to 4864 keys of 2 bytes in one
  /// block, which this reads at once in a batch of 10. record: radix_all_pairs (u32 2^12 0.49).
  struct all_pairs {
    static constexpr unsigned block_threads = GIMBAL_GPU ? 512 : 64;
    static constexpr unsigned resident_blocks = 2;
    static constexpr unsigned batch = KeyBytes <= 2 ? 10 : 8;
    /// From so many keys on few blocks sort them in one launch if all busy streams, each with as many, would compare
    /// more pairs than so many. record: radix_pairs_beside (u64 2^13 from 16 threads 1.8, in few blocks 10.6 of stock's
    /// rate)
    static constexpr index_type least_shared_items = 3501;
    static constexpr unsigned shared_mega_pairs = KeyBytes == 8 ? 64 : KeyBytes == 4 ? 128 : 48 * KeyBytes;
    static constexpr index_type most_shared_pairs = index_type{shared_mega_pairs} << 20;
  };
  /// 200 KB of shared memory hold the items, padded against bank conflicts. record: radix_resident (u32 2^20 0.62).
  struct resident {
    static constexpr unsigned block_threads = 512;
    static constexpr unsigned chunk_items = 4;
    static constexpr std::size_t item_bytes = KeyBytes + (ValueBytes == 0 ? 0 : ValueBytes + 2);
    static constexpr unsigned row_places = block_threads + block_threads / 32 + 1;  // of items, with padding
    static constexpr std::size_t chunk_bytes = (2 * block_threads + item_bytes * row_places) * chunk_items;
    static constexpr unsigned fitting_chunks = 200 * 1024 / chunk_bytes;
    static constexpr unsigned chunks = fitting_chunks < 31 ? fitting_chunks : 31;  // of positions of 16 bits
    static constexpr unsigned most_blocks = multiprocessors;
    /// Linear binning of keys of 4 and 8 bytes, if it suits: one pass for four or eight. record: radix_linear_bins (u64
    /// 2^20 0.25, by digits 0.68).
    static constexpr unsigned bins = 16384;
    static constexpr unsigned most_in_bin = 21;
    static constexpr unsigned most_copies = 3;
    /// Of 256 bins, the sum of squares over that of equal bins: 10 / (2 sqrt(pi)) = 2.8 of a normal distribution out to
    /// five sigmas, 7 of an exponential one out to 14 means, 35 of three random words and-ed together.
    static constexpr unsigned most_unevenness = 8;
    /// Shares of all keys in a bin that is far fuller than its neighbours, from which on its keys are expected to
    /// crowd. Untuned.
    static constexpr unsigned steep_shares = 2;
  };
  /// Up to as many one-byte keys stock takes one block. record: radix_most_all_pairs.
  static constexpr index_type most_all_pairs_items = KeyBytes == 1 ? 4864 : 8192;
  static constexpr index_type resident_capacity =
    resident::most_blocks * resident::block_threads * resident::chunk_items * resident::chunks;
  /// 1-byte keys alone: as many as may take the storage of one launch. 4-byte keys alone: more are sorted in one launch
  /// only as far as linear binning suits most inputs; of floating-point keys, whose zeros of both signs are sorted by
  /// digits, as many as one round of buckets holds. record: radix_most_resident (u32 3 * 2^20 0.46, in passes 0.69).
  static constexpr bool is_small_key_alone = ValueBytes == 0 && (KeyBytes == 1 || KeyBytes == 4);
  static constexpr index_type most_resident_items = is_small_key_alone ? index_type{3} << 20 : resident_capacity;
  static constexpr index_type most_resident_floats = is_small_key_alone ? index_type{33} << 16 : resident_capacity;
};

/// Fetching of values from their positions, word by word. Untuned.
template <std::size_t WordBytes>
struct gather {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = items_for_bytes(64, WordBytes, 8);
};
/// Sorts of keys with positions, from which large values are fetched.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct position_sort {
  /// Values that passes by up to this many digits can move are moved; others are fetched, which takes a sector for
  /// each. record: radix_moved_values (u32+12 bytes 2^24 by one digit 0.83, fetched 2.04).
  static constexpr int most_moved_digits = ValueBytes > 16 ? -1 : 3;
  static constexpr bool is_possible = ValueBytes > 8 && static_cast<int>(KeyBytes) > most_moved_digits;
  static constexpr index_type least_items =
    ValueBytes > 16 ? 0 : radix_engine<KeyBytes, ValueBytes>::most_resident_items + 1;
  static constexpr index_type most_items = index_type{1} << (ValueBytes > 16 ? 62 : 32);
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
