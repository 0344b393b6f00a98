// Numbers of scans.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

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

/// Streaming scan. As many stages as fit, and enough servers: a tile spends most of its time waiting for what stands
/// before it. Measured on one H200, 2026-11-22, exclusive sum of 2^28 items, microseconds, beside 8 scan warps, 8 servers
/// and 200 KB of stages: 4 bytes 529 (555), 8 bytes 1110 (1134). 2026-11-24, sums of structs, ratio to stock, 2^20,
/// 2^24, 2^26, 112 bytes a lane beside 80: 32 bytes 0.38, 0.37, 0.37 (0.69, 0.64, 0.64); 160 bytes 0.41, 0.42, 0.42; 16
/// bytes and fewer no better. On the host executor, where threads are dear and speed is not the point, blocks are small
/// and calls of modest size take the kernel.
/// Items that come through an iterator, 2026-11-24, ratio to stock, 2^20, 2^22, 2^24, 2^27, two groups of 8 reduce warps, 8 scan warps and 6
/// servers: squares of i32 in 226 KB 0.83, 0.78, 0.72, 0.73, in 160 KB 0.81, 0.79, 0.73, 0.74 (not fetched ahead 0.81, 0.79, 0.80, 0.81 and
/// 0.82, 0.78, 0.74, 0.77), in 128 KB 0.82, 0.77, 0.75, 0.74; three groups of 6, 6 and 6, in 160 KB 0.83, 0.80, 0.75, 0.73, four of 5, 5 and
/// 5, 0.88, 0.91, 0.84, 0.80; tiles as blocks (2^28) 0.93, 1.10, 1.18, 1.20. What is not of the ring is the L1 cache, through which
/// loads in flight must go: a permutation, 2^19, 2^21, 2^23, 2^24, 2^27, in 226 KB 0.98, 1.34, 1.93, 1.48, 1.39, in 160 KB 0.86, 1.05, 1.24,
/// 0.90, 0.92. Gathered in the order of a random list, one H200, 2026-11-26, 2^16, 2^17, 2^18, 2^19, 2^20, 3 * 2^19, 2^21, 2^22, 2^23, 2^24, 2^26, 2^28 (reduce groups x warps, servers, bytes a lane,
/// KB): i32 4 x 5, 5, 80, 160 0.86, 0.95, 0.84, 0.91, 0.99, 0.97, 0.92, 0.97, 0.94, 0.94, 0.99, 1.00; of 48 bytes 0.80, 0.77, 0.90, 0.93, 0.99, 1.00, 1.00, 1.04, 1.04, 0.98, 1.00, 1.00; 2 x 6, 5, 48, 96 0.75, 0.75, 0.80,
/// 0.89, 0.91, 0.93, 0.88, 0.94, 0.94, 0.96, 0.99, 1.00; 2 x 8, 5, 48, 62 0.78, 0.80, 0.81, 0.91, 0.90, 0.90, 0.91, 0.91, 0.93, 0.95, 0.99, 1.00; 1 x 8, 8, 48, 62 0.80, 0.81, 0.81, 0.84, 0.88, 0.85, 0.88,
/// 0.91, 0.95, 0.96, 0.99, 1.00; f64 4 x 5, 5, 80, 160 0.82, 0.82, 0.96, 0.96, 0.99, 1.00, 0.97, 0.97, 0.94, 0.98, 1.00, 1.00; 2 x 6, 5, 48, 96 0.78, 0.77, 0.95, 0.92, 0.97, 0.93, 0.92, 0.96, 0.96, 0.98, 1.00, 1.00; 1 x 8, 8,
/// 48, 62 0.82, 0.79, 0.87, 0.85, 0.90, 0.86, 0.88, 0.95, 0.97, 0.99, 1.00, 1.00.
/// Large structs, one H100, 2026-11-25, 2^16, 2^18, 2^20, 2^22, 6 scan warps and 12 servers, 4 and 4, tiles as blocks: 48 bytes 0.67,
/// 0.70, 0.63, 0.59; 0.70, 0.75, 0.83, 0.84; 1.15, 1.55, 1.80, 1.92; 64 bytes 0.84, 1.02, 0.93, 0.89; 0.67, 0.77, 0.87, 0.88; 1.17,
/// 1.48, 1.61, 1.69; 96 bytes 1.48, 1.63, 1.66, 1.62; 0.83, 1.12, 1.28, 1.31; 1.18, 1.34, 1.37, 1.41; 128 bytes 4.20, 4.59, 4.77, 4.74;
/// 0.97, 1.24, 1.34, 1.38; 1.21, 1.39, 1.43, 1.43; with 3 or 5 scan warps slower from 2^16 on.
template <std::size_t ValueBytes, input Input = input::array>
struct stream_scan {
  static constexpr bool is_loaded = Input != input::array && ValueBytes <= 16;  // by the reduce warps
  static constexpr bool gathers = Input == input::gather && ValueBytes <= 16;
  static constexpr bool computes = Input == input::computed_gather && ValueBytes <= 16;
  static constexpr bool is_large = ValueBytes > 48;  // few warps, so that each has registers
  static constexpr unsigned scanner_warps = !GIMBAL_GPU ? 2
                                            : is_large  ? 4
                                            : gathers   ? 6
                                            : computes  ? 5
                                            : is_loaded ? 8
                                                        : 6;
  static constexpr unsigned server_warps = !GIMBAL_GPU           ? 2
                                           : is_large            ? 4
                                           : gathers || computes ? 5
                                           : is_loaded           ? 6
                                                                 : 12;
  static constexpr unsigned reduce_groups = computes ? 4 : Input != input::array ? 2 : 1;
  static constexpr unsigned scanner_groups = 1;
  static constexpr std::size_t lane_bytes = ValueBytes > 16 ? 112 : gathers ? 48 : 80;  // of items in a lane's segment
  static constexpr std::size_t ring_bytes =
    std::size_t{
      gathers     ? 96
      : is_loaded ? 160
                  : 226}
    * 1024;  // of shared memory for all stages
  static constexpr unsigned most_stages = 20;
  /// Of accumulators. `is_plain`: items are of the accumulator's type and come from memory. `adds_words`: as sums of
  /// integers of 1 and 2 bytes, several at a time; other folds of such take a lane, with all its items, longer. Measured on one H200,
  /// 2026-11-23, from 2^18 bytes on, times of from 2^20 on: i64 2^15 0.89, 2^16 0.95, 98304 0.81; f64 0.91, 1.00, 0.82;
  /// i32 2^16 0.93, 2^17 1.00, 196608 0.87; but f32 2^16 1.15, 2^17 1.16, i8 (with accumulators of 4 bytes) 1.09, 1.04.
  /// 2026-11-24, 32 bytes, ratio to stock, 2^10, 2^11, 2^12, 2^13, 2^14 0.85, 0.81, 0.79, 0.73, 0.68 (as tiles of
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
    return index_type{1}
           << (!GIMBAL_GPU || (is_plain && ValueBytes > 16)  ? 15
               : is_plain && ValueBytes == 8                 ? 16
               : Input == input::iterator && ValueBytes == 4 ? 17
               : is_early || gathers || computes             ? 18
                                                             : 20);
  }
};

/// Scan of few items by blocks that run at once. `lane_items` of each lane; of more than `lone_rows` rows a warp in one block,
/// blocks share them out, up to `spread_blocks` before lanes take more. Measured on one H200, 2026-11-26, exclusive
/// sums (perf_tune, "scan i32" and "scan f64"), ratio to stock, 2^10, 2^12, 2^13, 2^14, 2^16, 2^18, 2^19: i32 256 threads of 16, 2, 64 0.58, 0.61, 0.66, 0.65, 0.72, 0.74,
/// 0.80; 512 0.58, 0.56, 0.64, 0.63, 0.70, 0.73, 0.75; 4 rows alone 0.60, 0.55, 0.70, 0.63, 0.68, 0.71, 0.75; spread over 132 0.62, 0.57, 0.63, 0.64, 0.70, 0.79, 0.75;
/// 1024 of 8 0.59, 0.55, 0.67, 0.68, 0.69, 0.72, 0.72; look-back 0.68, 0.66, 0.81, 0.80, 0.78, 0.85, 0.88. f64, to 2^18, 256 0.60, 0.67, 0.68, 0.70, 0.82, 0.86; 512 0.59, 0.65, 0.70,
/// 0.68, 0.73, 0.80; 4 rows 0.62, 0.70, 0.66, 0.68, 0.76, 0.81; over 132 0.58, 0.65, 0.67, 0.67, 0.74, 0.80; 1024 0.64, 0.73, 0.69, 0.69, 0.80, 0.79; look-back 0.69, 0.83, 0.86, 0.84, 0.86, 1.05.
/// Where it ends, ratio to stock of this and of what follows: 3 MB of i32 0.76, 0.77, 4 MB 0.78, 0.76; of i64 0.79,
/// 0.82, 0.84, 0.80; of u8 0.67, 0.85, 0.62, 0.87; i32 in i64 1 MB 0.77, 0.84, 1.5 MB 0.85, 0.83; 16 bytes 1 MB 0.61, 0.64, 2 MB 0.63, 0.59;
/// of a counting iterator 512 KB 0.66, 0.74, 1 MB 0.79, 0.73.
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
           : is_plain && ValueBytes == 4             ? 4096 * kib
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
  static constexpr unsigned reduce_groups = 1;
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

}  // namespace tuning

GIMBAL_NAMESPACE_END
