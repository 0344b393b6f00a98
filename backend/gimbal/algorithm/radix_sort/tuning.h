// Numbers of radix sorts and what sorts by them.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// How often the first block of a sort in one launch looks for those that have not begun (grid/team.cuh): without them each share is read
/// and ranked twice a pass, and some blocks have several. Untuned.
inline constexpr unsigned sort_team_patience = GIMBAL_GPU ? 16 : 50;

/// Of a block of a sort in one launch that leaves room for other streams: with more, several launches are faster. One H200, 2026-11-27, rates
/// of stock's of 8, 16, 32 threads, u32: 2^19 (16 K items a block) 1.77, 1.57, 1.18; 2^20 (32 K) 0.83, 0.56, 0.70; 2^21 in passes 1.30, 1.24, 1.27.
inline constexpr index_type most_shared_items = 24 << 10;
/// Up to so many tiles of a block, a radix pass has tiles of such a size that all blocks end together. Measured on one
/// H200, 2026-11-23, times of whole tiles, random and Zipf keys: f64 5 * 2^19 0.88, 0.89; 3 * 2^20 0.94, 0.92; u32 3 *
/// 2^20 0.93, 0.94; 5 * 2^20 0.97, 0.95; u32+u32 5 * 2^19 0.97, 0.95. Three: u32+u32 7 * 2^19 1.03, 1.04; f64 with
/// zeros 5 * 2^20 1.06.
inline constexpr unsigned few_radix_tiles = 2;
/// The same where shares of warps are even. Measured on one H200, 2026-11-26, random keys, times of stock, 3, 4, 5, 6, 8, 12 * 2^20, as
/// above and even, of up to two, four and twelve tiles: i32 5 and 6 0.79, 0.77; 0.68, 0.68 (all three), others the same; u16+u32 0.74, 0.73,
/// 0.84, 0.79, 0.85, 0.83; 0.73, 0.73, 0.84, 0.79, 0.85, 0.82; 0.73, 0.73, 0.78, 0.76, 0.79, 0.82; 0.73, 0.73, 0.79, 0.76, 0.79, 0.80, of two
/// values 1.11, 1.00, 1.11, 1.03, 1.04, 0.95; 1.04, 1.01, 1.11, 1.05, 1.04, 0.98; 1.05, 1.01, 1.04, 1.03, 1.00, 0.97; 1.05, 1.01, 1.05, 1.03,
/// 1.00, 0.98. u32+u32 3 0.78 and 0.75, others the same, Zipf keys 2 % slower from 12 on; f32 and f64 spill registers (2 to 10 % slower from 2^23 on).
inline constexpr unsigned few_even_radix_tiles = 4;
/// Items of a launch of the radix engine. Stock counts 2^28 at a time, in smaller tiles: with this many the words take less
/// storage than stock's, for all types of tests/gpu_stock_radix_sort.cu.
inline constexpr std::int64_t most_radix_launch_items = std::int64_t{9} << 26;

/// Radix sort. `value_bytes` is 0 for keys alone. The shape for u32 keys was swept on one H200, 2026-11-20, without
/// gain (perf/LOG.md); all other rows untuned.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct radix_sort {
  static constexpr std::size_t staged_bytes = ValueBytes <= 16 && ValueBytes > KeyBytes ? ValueBytes : KeyBytes;
  static constexpr std::size_t larger_bytes = ValueBytes > KeyBytes ? ValueBytes : KeyBytes;
  static constexpr unsigned block_threads = 384;
  static constexpr unsigned items_per_thread = items_for_bytes(76, staged_bytes, 19);
  static constexpr unsigned look_back_window = 4;
  static constexpr index_type most_tiles = index_type{1} << 30;  // a launch: as many as a descriptor can count
  static constexpr unsigned histogram_threads = 256;
  static constexpr unsigned histogram_items_per_thread = items_for_bytes(64, KeyBytes, 16);
  static constexpr unsigned histogram_copies = KeyBytes <= 4 ? 8 : 32 / KeyBytes;
  static constexpr unsigned histogram_blocks = 132 * 6;
  static constexpr unsigned small_threads = 512;
  static constexpr unsigned small_items_per_thread = items_for_bytes(64, larger_bytes, 16);
};

/// The radix engine's passes: tiles that fill `SharedBytes` of shared memory. A key takes a slot, with values of 2
/// bytes more, or of 4 in all, and a value its size; 1 KB goes to each warp, 10 KB to tables, and the rest to the gaps between runs. 20
/// warps (17, too, for nvcc) may have 96 registers each, which hold 56 words of keys and values, and 16 may have 128; a
/// spill of them waits for the load that it follows. Measured on one H200, 2026-11-22, random keys, of stock at 2^26
/// and 2^28: u32 0.57, 0.50; i32 0.67, 0.61; f32 0.68, 0.63; u64 0.74, 0.69; f64 0.75, 0.69; u16 0.58, 0.54; u32+u32
/// 0.89, 0.84; u32+u64 0.95, 0.93; u64+u32 0.95, 0.93. A look-back window of 2 or 8 tiles: u32 as fast, and 2 % slower.
/// Two blocks of 256 threads: u32 1.34 times the time. 2026-11-23, Zipf keys, 576 threads of 12 and 448 of 18, 2^21,
/// 2^22, 2^24, 2^26: u64+u64 1.00, 1.06, 1.06, 1.03 and 0.86, 0.96, 1.00, 1.00; 576 of 8 and 448 of 12: u64 with 16
/// bytes 1.05, 1.09, 1.16, 1.18 and 0.87, 0.93, 0.99, 1.01; but 576 of 10 and 448 of 16: u32 with 16 bytes 0.90, 0.96,
/// 1.05, 1.06 and 1.08, 1.11, 1.20, 1.20; 576 of 18 and 448 of 21: u64+u32 0.89, 1.03, 1.00, 0.98 and 0.96, 1.03, 1.03,
/// 1.00. Other sizes untuned.
template <
  std::size_t KeyBytes, std::size_t ValueBytes, unsigned MainThreads, std::size_t SharedBytes,
  std::size_t RegisterBytes, bool MovesKeys = true, bool KeepsOrigins = (ValueBytes > 0)>
struct radix_engine_shape {
  static constexpr bool are_packed = KeyBytes <= 2 && ValueBytes > 0;  // algorithm/radix_sort/radix_packed_slots.cuh
  static constexpr std::size_t slot_bytes = are_packed ? 4 : KeyBytes + (KeepsOrigins ? 2 : 0);
  static constexpr std::size_t key_unit = !MovesKeys                                      ? 1
                                          : are_packed && 16 * ValueBytes > 64 * KeyBytes ? 64 / ValueBytes
                                          : ValueBytes == 0 || KeyBytes <= 2              ? 16 / KeyBytes
                                                                                          : 32 / KeyBytes;
  static constexpr std::size_t value_sector = ValueBytes == 0 ? 1 : (31 + ValueBytes) / ValueBytes;
  static constexpr bool has_small_units =
    ValueBytes != 0 && ValueBytes <= 2 && (are_packed || value_sector > 2 * key_unit);
  static constexpr std::size_t value_unit = has_small_units ? 16 / ValueBytes : value_sector;
  static constexpr std::size_t alignment = value_unit <= key_unit ? key_unit : are_packed ? value_unit : 2 * key_unit;
  static constexpr std::size_t gap_slots = 256 * 2 * alignment;
  static constexpr std::size_t gap_value_bytes =
    are_packed || gap_slots * ValueBytes <= 32 * 1024 ? gap_slots * ValueBytes : 0;
  static constexpr std::size_t item_registers = (KeyBytes + 3) / 4 + (ValueBytes + 3) / 4;
  static constexpr unsigned most_items = items_for_bytes(RegisterBytes, 4 * item_registers, 56);
  static constexpr std::size_t fixed_bytes = MainThreads * 32 + 41 * 256 + gap_slots * slot_bytes + gap_value_bytes;
  static constexpr unsigned main_threads = MainThreads;
  static constexpr unsigned helper_warps = 2;
  static constexpr unsigned fitting_items =
    items_for_bytes((SharedBytes - fixed_bytes) / MainThreads, slot_bytes + ValueBytes, most_items);
  static constexpr unsigned batches = (fitting_items + 7) / 8;  // of at most 8 additions in flight, as in a prototype
  static constexpr unsigned batch = fitting_items / batches;
  static constexpr unsigned items_per_thread = batches * batch;
  static constexpr unsigned crowded_part = 8;  // no additions where more than 1 / 8 of a tile has one digit
  static constexpr unsigned look_back_window = 4;
  static constexpr unsigned write_batch = 1;  // vectors of a thread in flight; 2: 1 to 3 % slower, spills with u64
  static constexpr bool ranks_by_additions = true;  // false: by votes alone, which is documented behaviour
  static constexpr bool has_even_shares = are_packed || (ValueBytes == 0 && KeyBytes <= 4);  // of warps, in small tiles
  static constexpr index_type most_tiles = index_type{1} << 30;
  /// Passes that short codes must save: making them of keys, and keys of them, took as long as two of u32, one H200,
  /// 2026-11-23.
  static constexpr unsigned code_passes = ValueBytes == 0 ? 3 : 2;
};
/// Of a radix engine that makes no buckets.
struct no_radix_buckets {
  static constexpr unsigned least_digits = 2;
  static constexpr index_type most_items = 0;
};
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct radix_engine {
  static constexpr bool is_wide = KeyBytes == 8 && (ValueBytes == 0 || ValueBytes >= 8);
  /// Keys of 1 and 2 bytes with values. Measured on one H200, 2026-11-25, random keys, times of stock, 2^22, 2^24, 2^26, 2^28: u8+u32 by
  /// 448 threads of 42, 40 and 35 0.73, 0.75, 0.70, 0.67, 0.73, 0.75, 0.71, 0.68 and 0.81, 0.78, 0.74, 0.71, by 480 of 35 0.79, 0.84,
  /// 0.82, 0.79, by 576 of 28 0.73, 0.78, 0.75, 0.73; u16+u32 448 of 42 and 40 0.74, 0.79, 0.75, 0.73 and 0.73, 0.79, 0.76, 0.74, 576 of
  /// 28 0.72, 0.79, 0.77, 0.76; 2^27, 448 of 28 and 24, 576 of 18: u8+u64 0.77, 0.74, 0.78; 448 of 42, 40: u8+u8 0.70, 0.71, u16+u8 0.71, 0.73.
  static constexpr bool is_packed = KeyBytes <= 2 && ValueBytes > 0;
  static constexpr unsigned packed_bytes = ValueBytes <= 4 ? 336 : 288;
  static constexpr unsigned large_threads = is_wide || is_packed ? 448 : 576;
  static constexpr unsigned large_bytes = is_packed         ? packed_bytes  // of registers for items
                                          : is_wide         ? 320
                                          : ValueBytes == 0 ? 256
                                                            : 224;
  /// What launches by all shapes of passes have in common.
  template <class Shape>
  struct launched : Shape {
    static constexpr unsigned resident_blocks = 1;
    static constexpr unsigned early_blocks = any_blocks;
    static constexpr unsigned histogram_threads = 1024;
    static constexpr unsigned histogram_items_per_thread = items_for_bytes(64, KeyBytes, 16);
    static constexpr unsigned histogram_copies = KeyBytes <= 4 ? 32 : 16;
    static constexpr unsigned histogram_blocks = 132;
  };
  using large = launched<radix_engine_shape<KeyBytes, ValueBytes, large_threads, 227 * 1024, large_bytes>>;
  /// Of keys alone, by a range of their bits.
  using ranged = launched<radix_engine_shape<KeyBytes, ValueBytes, large_threads, 227 * 1024, large_bytes, true, true>>;
  /// Of one-byte keys with values, where the counts tell the keys.
  using unmoved = launched<radix_engine_shape<KeyBytes, ValueBytes, large_threads, 227 * 1024, large_bytes, false>>;
  /// Passes by leading digits, and buckets in order. Two blocks of a multiprocessor share its memory. Measured on one
  /// H200, 2026-11-23, random keys, of stock by passes alone and with buckets, 2^22, 2^24, 2^26, 2^28: u64 0.67, 0.72,
  /// 0.70, 0.69 and 0.43, 0.41, 0.38, 0.38; f64 0.71, 0.75, 0.71, 0.68 and 0.53, 0.53, 0.57, 0.55 (in four digits from
  /// 2^26 on); u64+u32 0.93, 0.93, 0.95, 0.95 and 0.46, 0.44, 0.43, 0.43; u64+u64 0.97, 1.00, 1.00, 1.00 and 0.44,
  /// 0.42, 0.41, 0.41. With buckets u32 0.80, 0.84, 0.80, 0.72 (0.60, 0.69, 0.63, 0.59 without), u32+u32 0.80, 0.97,
  /// 0.88, 0.74 (0.79, 0.81, 0.76, 0.73). Blocks of 256 and 384 threads: u64+u64 0.50, 0.45, 0.42 up to 2^26 (0.47,
  /// 0.46, 0.43), but buckets of 2^28 keys do not fit: 0.55. f64 3 * 2^20: random 0.87 and 0.61, Zipf 0.96 and 1.03. Of
  /// what the sample may show, untuned.
  /// Words, 2026-11-24, random keys, of stock by passes alone and with buckets, 2^22, 2^23, 2^24, 2^26, 2^28: u32+u32
  /// 0.77, 0.86, 0.91, 0.84, 0.82 and 0.70, 0.73, 0.74, 0.68, 0.66 (three blocks of 512 threads of 11: 0.74, 0.79, 0.75,
  /// 0.68, 0.68; of 448 of 12: 0.74, 0.80, 0.77, 0.69, 0.70); u32+u64 2^24, 2^26, 2^28 0.96, 0.96, 0.96 and 0.73, 0.71,
  /// 0.71 (three of 384 of 13: 0.76, 0.74), but keys that the sample refuses had 1.00 by passes alone at 2^23. Keys alone in
  /// three blocks of 512 of 11, 2^22, 2^24, 2^26, 2^28: u32 0.62, 0.62, 0.55, 0.51 and 0.71, 0.61, 0.53, 0.51; i32 0.62,
  /// 0.70, 0.66, 0.62 and 0.72, 0.70, 0.65, 0.64: not taken. 2026-11-26, calls, 31 random bits, 2^22, 2^23, 2^24, 2^26, by passes and with buckets: i32+u8
  /// 0.77, 0.81, 0.82, 0.81 and 0.72, 0.70, 0.69, 0.65 (with values written one by one 0.82, 0.87, 0.88, 0.88), i32+u16 0.77, 0.81, 0.84, 0.83
  /// and 0.72, 0.70, 0.70, 0.66.
  struct buckets {
    static constexpr bool is_light = KeyBytes == 4 && (ValueBytes == 1 || ValueBytes == 2 || ValueBytes == 4);
    static constexpr unsigned block_threads = is_light ? 256 : 512;
    static constexpr unsigned resident_blocks = is_light ? 4 : 2;
    static constexpr unsigned early_blocks = any_blocks;
    static constexpr unsigned least_digits = 2;
    /// One more of floating-point keys, else one less up to few_prefix_items: the fewer keys, the fewer different ones that a
    /// short prefix does not tell apart. Measured on one H200, 2026-11-25, Zipf keys, times of stock, 2^24 (four digits), 3 * 2^23
    /// and 2^28 (five): u64 0.51, 0.59, 0.52; u64+u32 0.59, 0.69, 0.66; u64+u64 0.57, 0.67, 0.67. Other numbers untuned.
    static constexpr unsigned prefix_digits = KeyBytes == 8 ? 5 : 0;
    static constexpr index_type few_prefix_items = index_type{1} << 24;
    static constexpr unsigned bins = 8192;
    static constexpr unsigned most_in_bin = 21;
    static constexpr unsigned most_load = 4;  // of the bins: what a sample may show
    static constexpr std::size_t item_bytes = KeyBytes + 2 + ValueBytes;
    static constexpr unsigned items_per_thread =
      is_light ? 22 : items_for_bytes((113 * 1024 - 2048 - 2 * bins) / block_threads, item_bytes, 14);
    static constexpr unsigned unit_items = KeyBytes == 4 ? 512 : block_threads * items_per_thread / 16;
    static constexpr unsigned most_bucket_items = block_threads * items_per_thread - unit_items;
    static constexpr unsigned sample_period = 64;
    static constexpr unsigned most_sample_period = 256;
    static constexpr unsigned sample_run_bytes = 64;
    static constexpr unsigned sample_row_bits = 18;
    static constexpr unsigned tag_row_bits = 16;
    static constexpr index_type least_items = index_type{1} << (KeyBytes == 8 ? 20 : is_light ? 22 : 25);
    /// f64 2026-11-25, 3 * 2^20 by passes, and with buckets or a prefix: random 0.93 and 0.78, Zipf 0.98 and 0.89, zeros 1.06 and 0.94.
    static constexpr index_type least_floating_items = index_type{1} << 21;
    static constexpr index_type most_items =
      (KeyBytes == 8 && ValueBytes <= 8) || is_light || (KeyBytes == 4 && ValueBytes == 8) ? index_type{1} << 30 : 0;
    static constexpr bool ranks_by_additions = true;
  };
  /// Counts of one-byte keys, from which alone the output is filled in. Untuned.
  struct counted {
    static constexpr unsigned histogram_threads = 256;
    static constexpr unsigned histogram_items_per_thread = 16;
    static constexpr unsigned histogram_copies = 8;
    static constexpr unsigned histogram_blocks = 132 * 6;
  };
  /// Counts of two-byte keys, from which alone the output is filled in. Measured on one H200, 2026-11-25, random keys, times of stock,
  /// 2^21, 2^22, 2^24, 2^26, 2^28, three, two and four vectors in flight: 0.51, 0.37, 0.25, 0.16, 0.15, 0.55, 0.38, 0.24, 0.18, 0.17 and 0.49,
  /// 0.38, 0.26, 0.17, 0.15; by 768 threads with four 0.51, 0.36, 0.25, 0.17, 0.15; 132 x 32 blocks that fill 0.52, 0.38, 0.26, 0.16, 0.15,
  /// 132 x 8 of 256 threads 0.50, 0.42, 0.27, 0.17, 0.15 (four vectors). Four different keys, 2^20, 2^21, 2^22: 1.36, 0.98, 0.63; in one
  /// launch (resident) random 2^20, 2^21 0.58, 0.63.
  struct wide_counted {
    static constexpr unsigned count_threads = 1024;
    static constexpr unsigned count_batch = 3;
    static constexpr int crowded_lanes = 8;
    static constexpr unsigned slice_threads = 256;
    static constexpr unsigned slice_batch = 32;
    static constexpr unsigned fill_threads = 128;
    static constexpr unsigned fill_blocks = 132 * 16;
    static constexpr unsigned early_blocks = any_blocks;
  };
  static constexpr index_type least_wide_counted_items = (index_type{1} << 21) + 1;
  /// Every key compared with every other, which no distribution of keys changes. Measured on one H200, 2026-11-22,
  /// random keys, times of stock: u8 2^10 0.78, 2^12 0.97; u16 0.62, 0.80, 2^13 0.44; u32 0.43, 0.49, 0.27; u64 0.35,
  /// 0.11, 0.22; u32+u32 0.38, 0.42, 0.25. 1024 threads with batches of 4: 2^12 the same, 2^13 u32 0.29, u64 0.24. u16
  /// 2^13 is as fast in two passes.
  struct all_pairs {
    static constexpr unsigned block_threads = GIMBAL_GPU ? 512 : 64;
    static constexpr unsigned resident_blocks = 2;
    static constexpr unsigned batch = KeyBytes <= 2 ? 10 : 8;
  };
  /// One-byte keys alone in place, in one block: several that wait for each other take longer. 2^10 and 2^12 keys
  /// take 4.8 and 6.2 microseconds (one H200, 2026-11-22; equal ones 5.0 and 7.9).
  struct tiny {
    static constexpr unsigned block_threads = 256;
    static constexpr unsigned items_per_thread = 4;
    static constexpr bool ranks_by_additions = true;
  };
  struct small {
    static constexpr unsigned block_threads = 512;
    static constexpr unsigned items_per_thread = 8;
    static constexpr bool ranks_by_additions = true;
  };
  /// 200 KB of shared memory hold the items, with places left free against bank conflicts. Measured on one H200,
  /// 2026-11-22, times of stock: u32 2^14 0.45, 2^16 0.45, 2^18 0.59, 2^20 0.62, 2^22 0.63; u32+u32 0.41, 0.42, 0.56,
  /// 0.71, 2^21 0.74. Before those places: by votes u32 2^20 0.67 (0.61), 2^22 0.75 (0.62); by votes with 1024 threads
  /// 2^13 0.68, 2^16 0.63, 2^20 0.70; with chunks of 2 items 2^13 0.42, 2^17 0.60 (4 items: 0.49).
  struct resident {
    static constexpr unsigned block_threads = 512;
    static constexpr unsigned chunk_items = 4;
    static constexpr std::size_t item_bytes = KeyBytes + (ValueBytes == 0 ? 0 : ValueBytes + 2);
    static constexpr unsigned row_places = block_threads + block_threads / 32 + 1;  // of items, some of them free
    static constexpr std::size_t chunk_bytes = (2 * block_threads + item_bytes * row_places) * chunk_items;
    static constexpr unsigned fitting_chunks = 200 * 1024 / chunk_bytes;
    static constexpr unsigned chunks = fitting_chunks < 31 ? fitting_chunks : 31;  // of positions of 16 bits
    static constexpr unsigned most_blocks = 132;
    static constexpr bool ranks_by_additions = true;
    static constexpr unsigned crowded_lanes = 8;
    /// Fewer keys of 1 or 2 bytes are sorted without asking whether they are in order, for asking takes 0.7 microseconds, of
    /// code that is fetched for it. Measured on one H200, 2026-11-23, times of not asking, random and in reverse: u32 2^14 1.03,
    /// 0.36; 2^21 1.03, 0.39; u32+u32 2^21 0.98, 0.52; u16 2^22 1.00, 0.63.
    static constexpr unsigned order_from_items = 1 << 19;
    /// So many keys of 4 and 8 bytes are looked at first, and sorted by places if they are even. Measured on one H200,
    /// 2026-11-24, random keys, times of stock, by digits and by places, 2^14, 2^16, 2^18, 2^20, 2^21: u32 0.47, 0.49, 0.61,
    /// 0.65, 0.69 and 0.35, 0.35, 0.35, 0.44, 0.50; u32+u32 0.45, 0.45, 0.56, 0.69, 0.71 and 0.37, 0.37, 0.37, 0.49, 0.53;
    /// u64 0.54, 0.53, 0.68, 0.68, 0.64 and 0.21, 0.21, 0.23, 0.25, 0.27; u64+u64 0.57, 0.55, 0.71, 0.75 and 0.22, 0.21,
    /// 0.23, 0.24. Bins of 16 bits each, 8192, whose keys are compared with those of their bin, 2^18 and 2^20: u32 0.37, 0.49;
    /// u32+u32 0.38, 0.56; u64 0.23, 0.27. 2^14, 2^18, 2^20, 2^21, chunks of 2: u32 0.33, 0.39, 0.48, 0.56, u32+u32 0.30, 0.35,
    /// 0.50, 0.57, u64 0.21, 0.23, 0.26, 0.27; of 2 with 1024 threads: u32 0.38, 0.40, 0.42, 0.46, u32+u32 0.34, 0.37, 0.44, 0.83
    /// (too large for a block), u64 0.24, 0.24, 0.24, 0.23.
    static constexpr unsigned look_from_items = 1;
    static constexpr unsigned bins = 16384;
    static constexpr unsigned most_in_bin = 21;
    static constexpr unsigned most_copies = 3;
    /// Of 256 bins, times as much as of even ones: 10 / (2 sqrt(pi)) = 2.8 of a normal distribution out to five sigmas, 7 of an
    /// exponential one out to 14 means, 35 of three random words and-ed together.
    static constexpr unsigned most_unevenness = 8;
  };
  /// Keys of one byte alone, counted and written in one launch. Few blocks have few counts to tell each other. Measured on one
  /// H200, 2026-11-24, random keys, microseconds, counted in a launch of its own and in one launch by chunks of 4, 8 and 16
  /// (as many times fewer blocks), 2^12, 2^13, 2^15, 2^17, 2^18, 2^19, 2^20, 2^22: 11.9, 11.6, 11.2, 11.5, 12.0, 13.0, 14.6,
  /// 21.9; 7.2, 8.1, 7.5, 9.2, 11.6, 12.3, 13.8, 24.0; 7.2, 8.2, 7.6, 8.5, 9.7, 12.0, 13.2, 21.7; 7.7, 8.8, 8.2, 8.6, 9.2, 10.3,
  /// 13.0, 21.2 (stock 2^12 6.2, 2^13 18, 2^20 26).
  struct counting {
    static constexpr unsigned block_threads = 512;
    static constexpr unsigned chunk_items = 8;
    static constexpr unsigned most_blocks = 64;
  };
  static constexpr index_type most_counted_items = KeyBytes + ValueBytes == 1 ? index_type{1} << 20 : 0;
  static constexpr index_type most_tiny_items = KeyBytes + ValueBytes == 1 ? 1024 : 0;
  static constexpr index_type most_small_items = KeyBytes + ValueBytes == 1 ? 4096 : 0;
  /// Few passes over more keys take less time.
  static constexpr index_type most_all_pairs_items(unsigned passes) { return passes <= 1 ? 4096 : 8192; }
  static constexpr index_type resident_capacity =
    resident::most_blocks * resident::block_threads * resident::chunk_items * resident::chunks;
  /// 4-byte keys alone, measured on one H200, 2026-11-25, times of stock, in passes and in one launch, 3 * 2^20: u32 random 0.69 and
  /// 0.46, Zipf 0.75 and 0.77, two values 0.73 and 0.39, low entropy 0.73 and 0.78; i32 0.78 and 0.52, 0.85 and 0.87, 0.81 and 0.43, 0.81
  /// and 0.88; but f32 0.81 and 0.53, with zeros 0.93 and 1.01. 2^22: u32 0.62 and 0.69, Zipf 0.75 and 0.85; f32 0.68 and 0.82.
  static constexpr index_type most_resident_items(bool are_floating)
  {
    return KeyBytes + ValueBytes == 1         ? 0  // filled in from the counts
           : KeyBytes == 4 && ValueBytes == 0 ? are_floating ? index_type{33} << 16 : index_type{3} << 20
                                              : resident_capacity;
  }
};

/// Sorts of keys with positions, which large values are fetched from. Untuned.
struct gather {
  static constexpr unsigned block_threads = 256;
  static constexpr std::size_t thread_bytes = 64;  // in flight
};
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct position_sort {
  /// Values that passes can move, by up to so many digits, are; others are fetched. Values of 9 bytes, moved and fetched: u8 2^22, 2^24, 2^26
  /// 0.99, 1.02, 0.99 and 0.78, 0.91, 0.93. Measured on one H200, 2026-11-26, random keys, times of
  /// stock, fetched and moved by passes, 2^22, 2^24, 2^26: by one digit u8+12 bytes 1.39, 2.03, 2.23 and 0.62, 0.60, 0.59, u8+16 1.54, 1.95,
  /// 2.10 and 0.70, 0.71, 0.72, u32+12 1.39, 2.04, 2.24 and 0.73, 0.83, 0.84, u32+16 1.55, 2.21, 2.38 and 0.87, 1.03, 1.06; by two
  /// u16+12 0.88, 1.22, 1.31 and 0.68, 0.73, 0.73, u16+16 1.02, 1.26, 1.31 and 0.78, 0.81, 0.81, u32+12 0.92, 1.29, 1.37 and 0.78,
  /// 0.84, 0.83, u32+16 1.03, 1.36, 1.45 and 0.93, 1.05, 1.07; fetched by three u32+12 0.79, 1.03, 1.06, u32+16 0.87, 1.09, 1.12, by
  /// four u32+12 0.67, 0.80, 0.81.
  static constexpr int most_moved_digits = ValueBytes > 16 ? -1 : 3;
  static constexpr bool is_possible = ValueBytes > 8 && static_cast<int>(KeyBytes) > most_moved_digits;
  static constexpr index_type least_items = ValueBytes > 16
                                              ? 0
                                              : radix_engine<KeyBytes, ValueBytes>::most_resident_items(false) + 1;
  static constexpr index_type most_items = index_type{1} << 32;
};

/// Radix sorts by one array of a zip iterator after the other, in place of a merge sort, from so many tuples on. Wall
/// times of one sort by i32 with an i32 and of a merge sort of pairs of them, one H200, 2026-11-25, 2^18, 2^20, 2^21, 2^22, 2^24
/// 38, 65, 94, 183, 526 and 67, 106, 201, 420, 1653 microseconds; with one more i32 41, 58, 155, 268, 798 and 84, 169, 380, 751,
/// 3185.
constexpr index_type least_lexicographic_items(bool has_values)
{
  return index_type{1} << (!GIMBAL_GPU ? 11 : has_values ? 18 : 21);
}

}  // namespace tuning

GIMBAL_NAMESPACE_END
