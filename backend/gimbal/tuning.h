// Every number that was chosen for speed, by algorithm and value size. A test may pass its own tuning type (small
// tiles) to any backend entry. Each row says what it was measured on; "untuned" rows are sound defaults that nobody measured.
#pragma once

#include <gimbal/simt/config.h>

#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Items per thread so that a thread holds about `bytes` bytes of values of `value_bytes` each, within [1, most].
constexpr unsigned items_for_bytes(std::size_t bytes, std::size_t value_bytes, unsigned most)
{
  const std::size_t items = bytes / value_bytes;
  return items < 1 ? 1u : items > most ? most : static_cast<unsigned>(items);
}

/// Reduce. `blocks` bounds the number of partial results; it is a constant, never the device's own number of
/// multiprocessors, so that the tree of a floating-point sum is the same on every device. Measured on one H200,
/// 2026-11-22, device time of sums of 2^28 (2^22) items as a ratio to stock: 1 byte 0.95 (0.80), 4 bytes 0.98 (0.83), 8
/// bytes 0.99 (0.91); 256 threads in 132 * 8 blocks, 1 byte 0.97, 4 bytes 1.04, 8 bytes 1.06. What needs more than 32
/// registers a thread takes `many_blocks`, so that the last ones to start are short, but for operators that may not
/// commute, which take `ordered_blocks`. A lone block of 1024 threads: 64 KB 0.59 to 0.65 of stock (in blocks of 512:
/// 0.70 to 0.89), 16 KB 0.96 to 1.00, as are 256 and 512 threads. `single_items_per_thread` is of items that are read one by
/// one; structs, 128 bytes of them in place of 64, 2^20, 2^24, 2^26: 12 bytes 0.85, 0.97, 0.99 (0.94, 1.01, 1.05), 24
/// bytes 0.99, 1.06, 0.98 (1.03, 1.02, 0.93), 32 bytes 1.04, 1.11, 0.93 (1.31, 1.39, 1.19), but 16 bytes 0.98, 1.02,
/// 1.02 (0.93, 1.00, 1.00); 256 bytes of 12-byte items 1.29, 2.25, 2.74. By an operator that nobody knows,
/// 2026-11-24, shares that differ by a tile at most, 2^12, 2^16, 2^20, 2^22, 2^24, 2^26: 32 bytes, 132 * 4 blocks
/// of 256 threads 0.81, 0.84, 0.91, 0.89, 0.98, 0.89 (132 * 2 of 512 0.96, 0.97, 0.91, 0.90, 0.99, 0.88; 132 * 6 of 256
/// 0.81, 0.90, 0.97, 0.94, 0.99, 0.88; with larger shares 132 * 8 of 512 2^20 1.02, 2^22 1.01, 2^24 1.04, 2^26 0.98); 24
/// bytes 0.78, 0.82, 0.94, 0.92, 0.97, 0.92; 16 bytes 132 * 2 of 512 0.77, 0.74, 0.88, 0.93, 0.97, 1.00 (132 * 16 2^22
/// 1.02, 2^26 1.01); 8 bytes 132 * 4 0.65, 0.78, 0.90, 0.94, 0.97, 1.00; 64 bytes, four items a
/// thread, 132 * 2 blocks of 256 1.00, 0.92, 0.80, 1.02, 1.16, 1.23 (two items, 132 * 4 blocks 0.87, 0.83, 0.81, 1.09,
/// 1.31, 1.39): exchanges between lanes. Folds of more bytes than the items they are of: one H100, 2026-11-25, 2^22, 2^24, 2^26,
/// 2^28, 12 bytes of 4 that are read one by one, 132 * 3 blocks 0.90, 1.09, 1.18, 1.22, 132 * 2 0.83, 1.00, 1.06, 1.09. Made of
/// an array by a function, 4 and 8 rows of vectors: 12 bytes of 4 0.81, 0.94, 1.00, 1.01 and 0.91, 0.97, 1.00, 1.01; 24 bytes
/// of 8 with two divisions 0.62, 0.98, 1.16, 1.23 and 0.65, 0.90, 0.98, 1.01, 2^16 0.84 and 1.12 (8 rows as two tiles of 4 where
/// a warp has as many, in one kernel: 0.70, 0.95, 1.08, 1.10). Other sizes untuned.
template <std::size_t ValueBytes>
struct reduce {
  static constexpr unsigned block_threads = ValueBytes > 16 ? 256 : 512;
  static constexpr unsigned items_per_thread = items_for_bytes(64, ValueBytes, 64);
  static constexpr unsigned single_items_per_thread = items_for_bytes(
    ValueBytes <= 8 || ValueBytes == 16 ? 64
    : ValueBytes <= 32                  ? 128
                                        : 256,
    ValueBytes, 16);
  static constexpr unsigned tile_threads = 1024;  // of a block that takes all items of an array of numbers
  static constexpr unsigned small_tile_threads = 256;  // of one that takes few of them: 16 KB
  static constexpr unsigned spread_blocks = 132;  // that few items which are read one by one are given to
  static constexpr unsigned blocks = 132 * 4;
  static constexpr unsigned many_blocks = 132 * 16;
  static constexpr unsigned ordered_blocks(std::size_t fold_bytes)
  {
    const bool are_many = ValueBytes <= 8 || (16 < ValueBytes && ValueBytes <= 32);
    return 132 * (fold_bytes > ValueBytes ? 2 : ValueBytes <= 4 ? 3 : are_many ? 4 : 2);
  }
  static constexpr unsigned warp_posts = 64;  // so many blocks or fewer post to one warp
  /// Of vectors of an array whose items a function makes others of, in order; twice as many, where folds are large, of as
  /// many items.
  static constexpr unsigned mapped_rows = 4;
  static constexpr std::int64_t more_rows_from_items = 1 << 23;  // of folds of 17 to 32 bytes
};
/// Threads a multiprocessor must have registers for: 32 each, and 42 where a user's operator folds numbers.
inline constexpr unsigned reduce_resident_threads = 2048;
inline constexpr unsigned reduce_ordered_resident_threads = 1536;

/// Reduce, in order, of items that an iterator makes. Measured on one H200, 2026-11-25, times of stock, 2^16, 2^20, 2^22,
/// 2^24, 2^26: sums of 12 bytes made of 4, as many rows as for items of 4 bytes (16, which do not fit into registers) 1.27,
/// 1.42, 2.33, 3.76, 5.66; 2, 4 and 8 rows 0.80, 0.99, 1.22, 1.77, 2.33; 0.74, 0.90, 0.97, 1.30, 1.61; 0.77, 0.84, 0.85, 1.05,
/// 1.27; staged, 8 items at a time, 8 rounds and one 0.83, 0.93, 1.09, 1.40, 1.67; 0.74, 0.81, 0.86, 1.07, 1.41; 16 items 1.56,
/// 1.39, 1.46, 2.03, 1.97; the L2 asked ahead no faster. The greatest of (number, position) 8 rows 0.72, 0.85, 0.90, 0.99, 1.06,
/// staged in one round 0.73, 0.84, 0.89, 0.99, 1.06. Means and variances, 24 bytes of 8, with two divisions, 4 and 8 rows 0.90,
/// 0.60, 1.06, 1.82, 2.27; 1.13, 0.64, 1.01, 1.57, 1.86; staged, 8 items, 8 rounds, four and one 1.05, 0.52, 0.67, 0.95, 1.13; 1.05,
/// 0.52, 0.65, 1.01, 1.21; 1.05, 0.52, 0.86, 1.43, 1.73. Other sizes untuned.
constexpr unsigned reduce_rows(unsigned rows, std::size_t fold_bytes, std::size_t item_bytes)
{
  const std::size_t bytes = fold_bytes > item_bytes ? fold_bytes : item_bytes;
  const unsigned most = bytes <= 4 ? 16 : items_for_bytes(bytes <= 32 ? 128 : 256, bytes, 8);
  return rows < most ? rows : most;
}
inline constexpr std::size_t reduce_most_row_bytes = 16;  ///< of a fold
inline constexpr std::size_t reduce_most_staged_bytes = 64;
/// So few that a block of 512 threads stages them in less than 64 KB, which every device has; of 24 bytes, 2^22, 2^24, 2^26: 4 items
/// in 16 rounds 0.75, 1.04, 1.21, 8 in 8 0.67, 0.95, 1.13.
constexpr unsigned reduce_staged_items(std::size_t item_bytes) { return item_bytes > 48 ? 1 : item_bytes > 24 ? 2 : 4; }
inline constexpr unsigned reduce_staged_rounds = 16;  // on every machine: the tree depends on it
constexpr unsigned reduce_staged_resident_threads(std::size_t fold_bytes) { return fold_bytes <= 32 ? 1024 : 0; }

/// Find if. More blocks read more tiles after the first match; fewer leave memory idle. Measured on one H200,
/// 2026-11-22: 2^28 i32 without a match, call included, 263 microseconds, which is the speed of a read. Other sizes
/// untuned.
template <std::size_t ValueBytes>
struct find_if {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = items_for_bytes(64, ValueBytes, 16);
  static constexpr unsigned blocks = 132 * 16;
  static constexpr unsigned first_blocks = 132 * 8;  // that start at once
};

/// Scan. An odd number of items per thread keeps a warp's blocked accesses to shared memory in distinct banks. Measured
/// on one H200, 2026-11-20, exclusive sum of 2^28 items, microseconds, beside 256 threads of 15 (8 bytes: 7) items
/// without a bound on registers: 1 byte 613 (842), 2 bytes 601 (898), 4 bytes 831 (1018), 8 bytes 1591 (2039); see
/// perf/LOG.md. Larger values untuned.
template <std::size_t ValueBytes>
struct scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = ValueBytes <= 2   ? 31
                                               : ValueBytes <= 4 ? 19
                                               : ValueBytes <= 8
                                                 ? 11
                                                 : (items_for_bytes(64, ValueBytes, 16) - 1) / 2 * 2 + 1;
};
/// Threads a multiprocessor must have registers for. 0: not said.
constexpr unsigned scan_resident_threads(std::size_t value_bytes)
{
  return value_bytes <= 2 ? 1024 : value_bytes <= 8 ? 1280 : 0;
}

/// Where items come from: an array, another iterator, or one that reads places far from each other, which stand in a list or are
/// computed.
enum class input { array, iterator, gather, computed_gather };
/// Whether what is asked of iterators and functions may lie in places far from each other, and where these places come from.
enum class gathering { none, listed, computed };

/// Streams that gather: the places are fetched to the L2 cache a tile ahead, as arrays beneath iterators are, of fewer items than this. Of
/// more, what is gathered drives them out before they are read, and they are read twice. Measured on one H200, 2026-11-26, i32 in
/// the order of a random list, 2^20, 2^21, 2^22, 2^23, 2^24, 2^26, 2^28, fetched ahead and not: scans by key of permuted values 0.95, 0.91,
/// 0.92, 0.99, 1.01, 1.02, 1.02; 0.96, 0.90, 0.91, 0.97, 0.98, 1.00, 1.00; sums by permuted keys 0.97, 0.94, 0.96, 0.99, 1.01, 1.02, 1.02;
/// 1.06, 0.94, 0.98, 0.97, 0.98, 1.00, 1.00. DRAM read 19.96 GB of 2^28 permuted values, by stock 19.02.
inline constexpr index_type fetched_gathers = index_type{1} << 23;

/// Streams: how many tiles a block asks for before the first has landed, so that about 48 KB for each multiprocessor
/// are on their way (block/ring.cuh says why not more). Measured on one H200, 2026-11-22, exclusive sum, tiles of 15
/// KB, 2, 3, 4, 6 and all asked for, microseconds: i64 2^22 25.3, 23.9, 24.7, 26.0, 26.9; i32 2^23 24.5, 22.3, 22.6,
/// 23.6, 24.1, 2^28 569, 532, 531, 530, 532. Reduce by key, tiles of 25 KB, 2, 3, 4, all: 2^22 25.3, 25.8, 26.2, 26.7.
constexpr unsigned stream_loads_ahead(std::size_t tile_bytes, unsigned resident_blocks = 1)
{
  const std::size_t loads = (std::size_t{48} << 10) / (tile_bytes * resident_blocks);
  return loads < 2 ? 2 : static_cast<unsigned>(loads);
}

/// Streaming scan. As many stages as fit, and enough servers: a tile spends most of its time waiting for what stands
/// before it. Measured on one H200, 2026-11-22, exclusive sum of 2^28 items, microseconds, beside 8 scanners, 8 servers
/// and 200 KB of stages: 4 bytes 529 (555), 8 bytes 1110 (1134). 2026-11-24, sums of structs, times of stock, 2^20,
/// 2^24, 2^26, 112 bytes a lane beside 80: 32 bytes 0.38, 0.37, 0.37 (0.69, 0.64, 0.64); 160 bytes 0.41, 0.42, 0.42; 16
/// bytes and fewer no better. On the host executor, where threads are dear and speed is not the point, blocks are small
/// and calls of modest size take the kernel.
/// Items that come through an iterator, 2026-11-24, times of stock, 2^20, 2^22, 2^24, 2^27, two groups of 8 folders, 8 scanners and 6
/// servers: squares of i32 in 226 KB 0.83, 0.78, 0.72, 0.73, in 160 KB 0.81, 0.79, 0.73, 0.74 (not fetched ahead 0.81, 0.79, 0.80, 0.81 and
/// 0.82, 0.78, 0.74, 0.77), in 128 KB 0.82, 0.77, 0.75, 0.74; three groups of 6, 6 and 6, in 160 KB 0.83, 0.80, 0.75, 0.73, four of 5, 5 and
/// 5, 0.88, 0.91, 0.84, 0.80; tiles as blocks (2^28) 0.93, 1.10, 1.18, 1.20. What is not of the ring is the L1 cache, through which
/// loads under way must go: a permutation, 2^19, 2^21, 2^23, 2^24, 2^27, in 226 KB 0.98, 1.34, 1.93, 1.48, 1.39, in 160 KB 0.86, 1.05, 1.24,
/// 0.90, 0.92. Gathered in the order of a random list, one H200, 2026-11-26, 2^16, 2^17, 2^18, 2^19, 2^20, 3 * 2^19, 2^21, 2^22, 2^23, 2^24, 2^26, 2^28 (folder groups x warps, servers, bytes a lane,
/// KB): i32 4 x 5, 5, 80, 160 0.86, 0.95, 0.84, 0.91, 0.99, 0.97, 0.92, 0.97, 0.94, 0.94, 0.99, 1.00; of 48 bytes 0.80, 0.77, 0.90, 0.93, 0.99, 1.00, 1.00, 1.04, 1.04, 0.98, 1.00, 1.00; 2 x 6, 5, 48, 96 0.75, 0.75, 0.80,
/// 0.89, 0.91, 0.93, 0.88, 0.94, 0.94, 0.96, 0.99, 1.00; 2 x 8, 5, 48, 62 0.78, 0.80, 0.81, 0.91, 0.90, 0.90, 0.91, 0.91, 0.93, 0.95, 0.99, 1.00; 1 x 8, 8, 48, 62 0.80, 0.81, 0.81, 0.84, 0.88, 0.85, 0.88,
/// 0.91, 0.95, 0.96, 0.99, 1.00; f64 4 x 5, 5, 80, 160 0.82, 0.82, 0.96, 0.96, 0.99, 1.00, 0.97, 0.97, 0.94, 0.98, 1.00, 1.00; 2 x 6, 5, 48, 96 0.78, 0.77, 0.95, 0.92, 0.97, 0.93, 0.92, 0.96, 0.96, 0.98, 1.00, 1.00; 1 x 8, 8,
/// 48, 62 0.82, 0.79, 0.87, 0.85, 0.90, 0.86, 0.88, 0.95, 0.97, 0.99, 1.00, 1.00.
/// Large structs, one H100, 2026-11-25, 2^16, 2^18, 2^20, 2^22, 6 scanners and 12 servers, 4 and 4, tiles as blocks: 48 bytes 0.67,
/// 0.70, 0.63, 0.59; 0.70, 0.75, 0.83, 0.84; 1.15, 1.55, 1.80, 1.92; 64 bytes 0.84, 1.02, 0.93, 0.89; 0.67, 0.77, 0.87, 0.88; 1.17,
/// 1.48, 1.61, 1.69; 96 bytes 1.48, 1.63, 1.66, 1.62; 0.83, 1.12, 1.28, 1.31; 1.18, 1.34, 1.37, 1.41; 128 bytes 4.20, 4.59, 4.77, 4.74;
/// 0.97, 1.24, 1.34, 1.38; 1.21, 1.39, 1.43, 1.43; with 3 or 5 scanners slower from 2^16 on.
template <std::size_t ValueBytes, input Input = input::array>
struct stream_scan {
  static constexpr bool is_loaded = Input != input::array && ValueBytes <= 16;  // by the folders
  static constexpr bool gathers = Input == input::gather && ValueBytes <= 16;
  static constexpr bool computes = Input == input::computed_gather && ValueBytes <= 16;
  static constexpr bool is_large = ValueBytes > 48;  // few warps, so that each has registers
  static constexpr unsigned scanner_warps = !GIMBAL_GPU ? 2 : is_large ? 4 : gathers ? 6 : computes ? 5 : is_loaded ? 8 : 6;
  static constexpr unsigned server_warps = !GIMBAL_GPU ? 2 : is_large ? 4 : gathers || computes ? 5 : is_loaded ? 6 : 12;
  static constexpr unsigned folder_groups = computes ? 4 : Input != input::array ? 2 : 1;
  static constexpr unsigned scanner_groups = 1;
  static constexpr std::size_t lane_bytes = ValueBytes > 16 ? 112 : gathers ? 48 : 80;  // of items in a lane's segment
  static constexpr std::size_t ring_bytes =
    std::size_t{gathers ? 96 : is_loaded ? 160 : 226} * 1024;  // of shared memory for all stages
  static constexpr unsigned most_stages = 20;
  /// Of accumulators. `is_plain`: items are of the accumulator's type and come from memory. `adds_words`: as sums of
  /// integers of 1 and 2 bytes, several at a time; other folds of such take a lane, with all its items, longer. Measured on one H200,
  /// 2026-11-23, from 2^18 bytes on, times of from 2^20 on: i64 2^15 0.89, 2^16 0.95, 98304 0.81; f64 0.91, 1.00, 0.82;
  /// i32 2^16 0.93, 2^17 1.00, 196608 0.87; but f32 2^16 1.15, 2^17 1.16, i8 (with accumulators of 4 bytes) 1.09, 1.04.
  /// 2026-11-24, 32 bytes, times of stock, 2^10, 2^11, 2^12, 2^13, 2^14 0.85, 0.81, 0.79, 0.73, 0.68 (as tiles of
  /// blocks 0.99, 1.04, 0.94, 0.87, 1.23). 2026-11-25, 16 bytes, 2^14, 2^15, 2^16 0.76, 0.70, 0.63 (0.83, 0.99, 0.91);
  /// f64 2^12, 2^13, 2^14 0.84, 0.80, 0.82 (0.86, 0.91, 0.88), i64 0.80, 0.79, 0.79 (0.79, 0.91, 0.83); of 4 bytes through an iterator,
  /// 2^14, 2^15, 2^16, 2^17, 3 * 2^16, 2^18, widened i8 0.93, 0.81, 0.82, 0.81, 0.80, 0.80 (0.87, 0.92, 0.93, 0.84, 0.93, 0.94), squares 0.85,
  /// 0.77, 0.83, 0.95, 0.83, 0.84 (0.80, 0.88, 0.86, 0.89, 0.90, 0.98). 2026-11-26, calls, maxima of u8, 2^20, 2^21, 2^22 1.09, 0.99, 0.85
  /// (0.80, 0.82, 0.83), minima of i16, 2^19, 2^20, 2^21, 2^22 0.86, 0.85, 0.83, 0.74 (0.74, 0.78, 0.82, 0.75). i32 in i64, 2^16, 98304, 2^17 0.86, 0.82,
  /// 0.82 (0.81, 1.00, 1.02; of 13 items a thread 0.89, 0.88, 1.03, 384 threads of 9 0.87, 0.83, 1.02).
  static constexpr index_type from_bytes(bool is_plain, bool is_integral, bool adds_words)
  {
    if (GIMBAL_GPU && ValueBytes <= 2 && !adds_words) {
      return index_type{1} << 22;
    }
    if (GIMBAL_GPU && Input == input::array && !is_plain && ValueBytes == 8) {
      return index_type{3} << 18;
    }
    const bool is_early = is_plain && (ValueBytes == 16 || (ValueBytes == 4 && is_integral));
    return index_type{1} << (!GIMBAL_GPU || (is_plain && ValueBytes > 16)  ? 15
                             : is_plain && ValueBytes == 8                 ? 16
                             : Input == input::iterator && ValueBytes == 4 ? 17
                             : is_early || gathers || computes             ? 18
                                                                           : 20);
  }
};

/// Scan of few items by blocks that run at once. `lane_items` of each lane; of more than `lone_rows` rows a warp in one block,
/// blocks share them out, up to `spread_blocks` before lanes take more. Measured on one H200, 2026-11-26, exclusive
/// sums (perf_tune, "scan i32" and "scan f64"), times of stock, 2^10, 2^12, 2^13, 2^14, 2^16, 2^18, 2^19: i32 256 threads of 16, 2, 64 0.58, 0.61, 0.66, 0.65, 0.72, 0.74,
/// 0.80; 512 0.58, 0.56, 0.64, 0.63, 0.70, 0.73, 0.75; 4 rows alone 0.60, 0.55, 0.70, 0.63, 0.68, 0.71, 0.75; spread over 132 0.62, 0.57, 0.63, 0.64, 0.70, 0.79, 0.75;
/// 1024 of 8 0.59, 0.55, 0.67, 0.68, 0.69, 0.72, 0.72; look-back 0.68, 0.66, 0.81, 0.80, 0.78, 0.85, 0.88. f64, to 2^18, 256 0.60, 0.67, 0.68, 0.70, 0.82, 0.86; 512 0.59, 0.65, 0.70,
/// 0.68, 0.73, 0.80; 4 rows 0.62, 0.70, 0.66, 0.68, 0.76, 0.81; over 132 0.58, 0.65, 0.67, 0.67, 0.74, 0.80; 1024 0.64, 0.73, 0.69, 0.69, 0.80, 0.79; look-back 0.69, 0.83, 0.86, 0.84, 0.86, 1.05.
/// Where it ends, times of stock of this and of what follows: 3 MB of i32 0.76, 0.77, 4 MB 0.78, 0.76; of i64 0.79,
/// 0.82, 0.84, 0.80; of u8 0.67, 0.85, 0.62, 0.87; i32 in i64 1 MB 0.77, 0.84, 1.5 MB 0.85, 0.83; 16 bytes 1 MB 0.61, 0.64, 2 MB 0.63, 0.59;
/// counted numbers 512 KB 0.66, 0.74, 1 MB 0.79, 0.73.
template <std::size_t ValueBytes, input Input = input::array>
struct resident_scan {
  static constexpr unsigned block_threads = GIMBAL_GPU ? 512 : 64;
  static constexpr bool gathers = Input == input::gather || Input == input::computed_gather;
  static constexpr unsigned lane_items = items_for_bytes(64, ValueBytes, Input == input::array ? 64 : gathers ? 8 : 4);
  static constexpr index_type lone_rows = 2;
  static constexpr index_type spread_blocks = GIMBAL_GPU ? 64 : 2;
  static constexpr index_type most_blocks = GIMBAL_GPU ? 132 : 4;
  /// Of values; 0: none. `is_plain` as for stream_scan.
  static constexpr std::size_t most_bytes(bool is_plain)
  {
    constexpr std::size_t kib = 1024;
    return ValueBytes > 16                           ? 0
           : ValueBytes > 8                          ? 1024 * kib
           : is_plain && ValueBytes <= 2             ? 4096 * kib
           : is_plain || gathers                     ? 3072 * kib
           : Input == input::array || ValueBytes < 4 ? 1280 * kib
                                                     : 768 * kib;
  }
};

/// Of gathered items that make few rounds of tiles: of a list as measured above. By computed places, one H200, 2026-11-26, 2^16, 2^17, 2^18, 2^19, 3 * 2^18, 2^20, 3 * 2^19, 2^21,
/// 3 * 2^20, 2^22, 2^23, 2^24, 2^26, i32 with 80 and 48 bytes a lane 0.80, 0.87, 0.87, 0.86, 0.86, 0.90, 0.95, 1.04, 0.78, 0.93, 0.98, 0.80, 0.70; 0.75, 0.68, 0.69, 0.72, 0.77, 0.84, 0.96,
/// 0.95, 0.77, 0.91, 1.04, 0.77, 0.67 (by the numbers for lists 3 * 2^19, 2^21, 3 * 2^20, 2^22, 2^23 1.23, 1.33, 1.19, 1.09, 1.35), f64 0.83, 0.83, 0.86, 0.86, 0.94, 1.00, 0.98, 0.84, 0.92, 0.94,
/// 0.90, 0.91, 0.93; 0.77, 0.73, 0.78, 0.81, 0.95, 1.01, 1.00, 0.86, 0.99, 0.92, 0.84, 0.81, 0.85; three groups of 6 and two of 8 of 48 bytes the same up to 2^19, up to 1.18 at 2^23;
/// tiles as blocks i32 0.85, 0.85, 0.87, 0.84.
template <std::size_t ValueBytes, input Input>
struct few_gathered_scan : stream_scan<ValueBytes, input::gather> {
  static constexpr unsigned scanner_warps = GIMBAL_GPU ? 8 : 2;
  static constexpr unsigned server_warps = GIMBAL_GPU ? 8 : 2;
  static constexpr unsigned folder_groups = 1;
  static constexpr std::size_t ring_bytes = std::size_t{62} * 1024;
  static constexpr index_type least_bytes = index_type{1} << (GIMBAL_GPU ? 20 : 16);
  static constexpr index_type end_bytes = index_type{1} << (GIMBAL_GPU ? 24 : 17);
};
template <std::size_t ValueBytes>
struct few_gathered_scan<ValueBytes, input::computed_gather> : stream_scan<ValueBytes, input::computed_gather> {
  static constexpr std::size_t lane_bytes = 48;
  static constexpr index_type least_bytes = index_type{1} << (GIMBAL_GPU ? 18 : 15);
  static constexpr index_type end_bytes = index_type{1} << (GIMBAL_GPU ? 24 : 17);
};

/// Bytes between a stage's items and what stands beside them, at least 16. Which banks the stages' parts share with
/// each other depends on them. Measured on one H200, 2026-11-22, exclusive sum of 2^28 items, microseconds: 4 bytes 16:
/// 549, 48: 548, 80: 545, 128: 532, none: 531; 8 bytes 16: 1069, 64: 1098, 112: 1056, 128: 1104, none: 1108; product of
/// matrices of 16 bytes 16: 2292, 128: 2356. Other sizes untuned.
constexpr std::size_t stream_scan_gap_bytes(std::size_t value_bytes)
{
  return value_bytes == 8 ? 112 : value_bytes == 16 ? 16 : 128;
}

/// Element-wise copy. All rows untuned.
template <std::size_t ValueBytes>
struct copy {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = items_for_bytes(32, ValueBytes, 8);
};

/// Select and partition. Where large calls are streamed, tiles as blocks are for small ones: 32 bytes a thread.
/// Measured on one H200, 2026-11-22, partition_copy of 2^10 to 2^18 items, times of stock: i32 256 x 8 0.68, 0.72
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
/// Tiles of a stable partition in place that blocks hold at once. Measured on one H200, 2026-11-26, calls, times of stock, i32 2^12, 2^14, 2^16,
/// 2^17 (64 tiles) 0.23, 0.23, 0.24, 0.24, in two launches 0.34, 0.32, 0.33, as a stream 2^17 0.27.
inline constexpr std::int64_t most_resident_partition_blocks = GIMBAL_GPU ? 256 : 4;
/// Threads a multiprocessor must have registers for: 40 or 64 each. 0: not said, where items need more (the bytes of
/// items that are no words take a register each).
constexpr unsigned partition_resident_threads(std::size_t value_bytes, unsigned items_per_thread)
{
  const bool is_large = value_bytes * items_per_thread > 64 || (value_bytes > 2 && value_bytes % 4 != 0);
  return is_large ? 0 : value_bytes <= 2 ? 1024 : 1536;
}

/// Of the array beside the items of a streamed select: tiles from their load to the answers of the selector. Measured
/// on one H200, 2026-11-22, copy_if of i32, 50 % and 3 % of 2^28 selected, times of stock, beside as many as there are
/// stages: by a stencil of i32 0.68 (0.80), 0.64 (0.77); by flags 0.63 (0.77), 0.62 (0.88). Other numbers untuned.
inline constexpr unsigned stream_side_stages = 3;

/// A block that selects from more tiles than this asks for one more ahead: 1 % less time at 2^28, 3 % more at 2^22.
inline constexpr unsigned stream_partition_few_tiles = 32;

/// Where the items of a streamed select come from: an array, an iterator that takes its time to load or make them, or counting.
enum class select_input { array, loaded, counted };

/// Select and partition as a stream, beside an array of `SideBytes` per item: as many stages, up to a number, as leave
/// room for all blocks of a multiprocessor; with fewer than 3 calls are not streamed. Measured on one H200, 2026-11-22,
/// times of stock at 2^28 (2^20). Two blocks a multiprocessor, tiles of 12 KB: partition_copy, half selected, i32 0.59
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
/// no order, by the items they name: two groups that scatter and one of 8 that counts in 227 KB 0.72, 1.06, 1.60, 1.32, 1.29; two
/// that count no better: each read under way takes a line of the L1 cache, it seems, of which shared memory leaves little. One
/// that scatters and two that count in 194 KB 0.59, 0.77, 1.01, 1.00, 1.01, 160 KB 0.57, 0.74, 0.91, 0.99, 1.00, 128 KB 0.57,
/// 0.69, 0.88, 0.97, 0.98; a predicate that reads nothing in 227 KB 0.55, 0.60, 0.61, 0.65, 0.65, 160 KB 0.53, 0.57, 0.64, 0.69,
/// 0.72. Counted u32, by what two neighbours are: one group and 8 loaders 0.62, 0.81, 1.20, 1.48, 1.61, two and 4 loaders
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
  static constexpr unsigned segment_vectors = static_cast<unsigned>(simt::items_of_vectors(ValueBytes) * ValueBytes / 16);
  static constexpr unsigned rows = segment_vectors < 4 ? 4 / segment_vectors : 1;
  static constexpr unsigned scatter_warps = is_light || segment_vectors == 3 ? 8
                                            : segment_vectors <= 4            ? 6
                                            : segment_vectors <= 8            ? 4
                                            : segment_vectors <= 11           ? 3
                                                                              : 2;
  static constexpr unsigned scatter_groups = is_light && !is_loaded && !asks_memory ? 2 : 1;
  static constexpr unsigned count_warps = is_light ? 8 : scatter_warps == 8 ? 4 : scatter_warps == 6 ? 3 : scatter_warps;
  static constexpr unsigned count_groups = asks_memory ? 2 : 1;
  static constexpr unsigned loader_warps = asks_memory ? scatter_warps / 2 : scatter_warps;
  static constexpr unsigned serve_warps = 3;
  static constexpr unsigned places = 2;  // where runs are built
  static constexpr unsigned resident_blocks = is_light ? 1 : 2;
  static constexpr unsigned most_stages = is_light ? 11 : 7;
  static constexpr std::size_t tile_bytes = scatter_warps * rows * 32 * segment_vectors * 16;  // 12 or 16 KB, or nearly
  static constexpr std::size_t lane_items = rows * segment_vectors * 16 / ValueBytes;
  static constexpr std::size_t lane_bytes = lane_items > 32 ? 8 : lane_items > 16 ? 4 : 2;  // flags
  static constexpr std::size_t stage_bytes = tile_bytes + scatter_warps * 32 * lane_bytes + 160;
  static constexpr std::size_t side_bytes =
    SideBytes == 0 ? 0 : stream_side_stages * (tile_bytes / ValueBytes * SideBytes + 32);
  static constexpr std::size_t block_bytes = (asks_memory ? 160 : is_light ? is_loaded ? 190 : 227 : is_loaded ? 95 : 113) * 1024;
  static constexpr std::size_t free_bytes = block_bytes - 256 - places * (tile_bytes + 176);
  static constexpr std::size_t fitting_stages = side_bytes < free_bytes ? (free_bytes - side_bytes) / stage_bytes : 0;
  static constexpr unsigned stages = fitting_stages < most_stages ? fitting_stages : most_stages;
  static constexpr std::size_t least_bytes = std::size_t{1}
                                             << (is_loaded ? 21 : 19);  // below, tiles as blocks are faster
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
