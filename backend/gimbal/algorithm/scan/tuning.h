// Numbers of scans.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Scan. An odd number of items per thread keeps a warp's blocked accesses to shared memory in distinct banks; the
/// bound on registers below makes more blocks resident. record: scan. Larger values untuned.
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

/// Streaming scan. As many stages as fit, and enough servers: a tile spends most of its time waiting for what is before
/// it. record:
/// stream_scan. Structs take longer segments than numbers, to which they make no difference. record:
/// stream_scan_structs (32 bytes at 2^24 0.37). Large ones take few warps, so that each has the registers that they
/// need. record: stream_scan_large_structs. Items that come through an iterator are loaded by the reduce warps, of
/// which there are more. What is not of the ring is the L1 cache, through which loads in flight must go: where they are
/// scattered, the ring must leave it room. record: stream_scan_squares (2^24 0.73), stream_scan_permutation. Gathered
/// items take smaller rings and shorter segments. record: stream_scan_gathered. On the host executor, where threads are
/// dear and speed is not the point, blocks are small and calls of modest size take the kernel.
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
  /// Of accumulators; before, tiles as blocks are faster. `is_plain`: items are of the accumulator's type and come from
  /// memory. `adds_words`: as sums of integers of 1 and 2 bytes, several at a time; other folds of such take a lane,
  /// with all its items, longer, so that they are streamed late. record: stream_scan_from_bytes,
  /// stream_scan_from_bytes_of_structs, stream_scan_from_bytes_of_numbers, stream_scan_from_bytes_of_narrow_maxima,
  /// stream_scan_from_bytes_of_widened
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

/// Scan of few items by blocks that run at once. `lane_items` of each lane; of more than `single_rows` rows a warp in
/// one block, blocks share them out, up to `spread_blocks` before lanes take more: one block waits for nobody, more
/// have more loads in flight. record:
/// resident_scan (i32 2^16: 0.70, look-back 0.78). It ends where a stream is faster. record: resident_scan_end
template <std::size_t ValueBytes, input Input = input::array>
struct resident_scan {
  static constexpr unsigned block_threads = GIMBAL_GPU ? 512 : 64;
  static constexpr bool gathers = Input == input::gather || Input == input::computed_gather;
  static constexpr unsigned lane_items = items_for_bytes(64, ValueBytes, Input == input::array ? 64 : gathers ? 8 : 4);
  static constexpr index_type single_rows = 2;
  static constexpr index_type spread_blocks = GIMBAL_GPU ? 64 : 2;
  static constexpr index_type most_blocks = GIMBAL_GPU ? multiprocessors : 4;
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

/// Of gathered items that make few rounds of tiles: small tiles, so that every multiprocessor has some. Items of a
/// list: record:
/// stream_scan_gathered (i32 2^20: 0.88, large tiles 0.99); at computed places, which take more warps: record:
/// few_gathered_scan
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

/// Bytes between a stage's items and what follows them, at least 16. Which banks the stages' parts share with each
/// other depends on them. record: stream_scan_gap. Other sizes untuned.
constexpr std::size_t stream_scan_gap_bytes(std::size_t value_bytes)
{
  return value_bytes == 8 ? 112 : value_bytes == 16 ? 16 : 128;
}

}  // namespace tuning

GIMBAL_NAMESPACE_END
