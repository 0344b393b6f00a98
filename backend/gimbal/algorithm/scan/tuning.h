// Numbers of scans.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// As many items of a thread as about `bytes` bytes hold, an odd number, which keeps a warp's blocked accesses to
/// shared memory in distinct banks.
constexpr unsigned odd_items(std::size_t bytes, std::size_t value_bytes)
{
  return (items_for_bytes(bytes, value_bytes, 16) - 1) / 2 * 2 + 1;
}

/// Scan by tiles as blocks. A multiprocessor must have registers for `resident_threads`, which makes more blocks
/// resident; 0: not said. record: scan. Larger values untuned.
template <std::size_t ValueBytes>
struct scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = ValueBytes <= 2   ? 31
                                               : ValueBytes <= 4 ? 19
                                               : ValueBytes <= 8 ? 11
                                                                 : odd_items(64, ValueBytes);
  static constexpr unsigned resident_threads = ValueBytes <= 2 ? 1024 : ValueBytes <= 8 ? 1280 : 0;
};

/// A persistent scan (persistent_scan_policy.cuh).
struct scan_row {
  unsigned scanner_warps;  ///< that store, and as many that reduce, of a group
  unsigned server_warps;
  unsigned reduce_groups;
  std::size_t lane_bytes;      ///< of items in a lane's segment
  std::size_t ring_kilobytes;  ///< of shared memory for all stages
  unsigned most_stages = 20;
};
/// On the host executor, where threads are dear and speed is not the point, blocks are small.
constexpr scan_row scan_row_here(scan_row row)
{
  if (!GIMBAL_GPU) {
    row.scanner_warps = 2;
    row.server_warps = 2;
  }
  return row;
}

/// As many stages as fit, and enough servers: a tile spends most of its time waiting for what is before it. record:
/// persistent_scan. Structs take longer segments than numbers, to which they make no difference. record:
/// persistent_scan_structs (32 bytes at 2^24 0.37). Large ones take few warps, so that each has the registers that they
/// need. record: persistent_scan_large_structs. Items that come through an iterator are loaded by the reduce warps, of
/// which there are more. What is not of the ring is the L1 cache, through which loads in flight must go: where they are
/// scattered, the ring must leave it room. record: persistent_scan_squares (2^24 0.73), persistent_scan_permutation.
/// Gathered items take smaller rings and shorter segments. record: persistent_scan_gathered; at computed places more
/// warps. record: few_gathered_scan
constexpr scan_row persistent_scan_row(std::size_t value_bytes, input from)
{
  const unsigned loaders = from == input::array ? 1 : 2;
  if (value_bytes > 16) {
    return value_bytes > 48 ? scan_row{4, 4, loaders, 112, 226} : scan_row{6, 12, loaders, 112, 226};
  }
  switch (from) {
    case input::iterator:
      return {8, 6, 2, 80, 160};
    case input::gather:
      return {6, 5, 2, 48, 96};
    case input::computed_gather:
      return {5, 5, 4, 80, 160};
    default:
      return {6, 12, 1, 80, 226};
  }
}
template <std::size_t ValueBytes, input Input = input::array>
struct persistent_scan {
  static constexpr scan_row row = scan_row_here(persistent_scan_row(ValueBytes, Input));
};

/// Bytes of accumulators from which on scans are persistent, where they are too many for resident_scan; before, tiles
/// as blocks are faster. `is_plain`: items are of the accumulator's type and come from memory. record:
/// persistent_scan_from_bytes_of_structs. `adds_words`: as sums of integers of 1 and 2 bytes, several at a time; other
/// folds of such take a lane, with all its items, longer, so that they are persistent late. record:
/// persistent_scan_from_bytes_of_narrow_maxima
constexpr index_type persistent_scan_from_bytes(std::size_t value_bytes, input from, bool is_plain, bool adds_words)
{
  const bool may_gather = from == input::gather || from == input::computed_gather;
  const bool are_loaded_early = value_bytes <= 16 && (may_gather || (from == input::iterator && value_bytes == 4));
  return index_type{1}
         << (!GIMBAL_GPU                       ? 15
             : value_bytes <= 2 && !adds_words ? 22
             : is_plain && value_bytes > 16    ? 15
             : are_loaded_early                ? 18
                                               : 20);
}

/// Scan of few items by blocks that run at once. `lane_items` of each lane; of more than `single_rows` rows a warp in
/// one block, blocks share them out, up to `spread_blocks` before lanes take more: one block waits for nobody, more
/// have more loads in flight. record: resident_scan (i32 2^16: 0.70, look-back 0.78)
template <std::size_t ValueBytes, input Input = input::array>
struct resident_scan {
  static constexpr unsigned block_threads = GIMBAL_GPU ? 512 : 64;
  static constexpr bool gathers = Input == input::gather || Input == input::computed_gather;
  static constexpr unsigned lane_items = items_for_bytes(64, ValueBytes, Input == input::array ? 64 : gathers ? 8 : 4);
  static constexpr index_type single_rows = 2;
  static constexpr index_type spread_blocks = GIMBAL_GPU ? 64 : 2;
  static constexpr index_type most_blocks = GIMBAL_GPU ? multiprocessors : 4;
  /// Of values; 0: none. It ends where a persistent scan is faster. record: resident_scan_end. `is_plain` as for
  /// persistent_scan_from_bytes().
  static constexpr std::size_t most_bytes(bool is_plain)
  {
    const std::size_t kilobytes = ValueBytes > 16                           ? 0
                                  : ValueBytes > 8                          ? 1024
                                  : is_plain && ValueBytes <= 4             ? 4096
                                  : is_plain || gathers                     ? 3072
                                  : Input == input::array || ValueBytes < 4 ? 1280
                                                                            : 768;
    return kilobytes * 1024;
  }
};

/// Bytes between a stage's items and what follows them, at least 16. Which banks the stages' parts share with each
/// other depends on them. record: persistent_scan_gap. Other sizes untuned.
constexpr std::size_t persistent_scan_gap_bytes(std::size_t value_bytes)
{
  return value_bytes == 8 ? 112 : value_bytes == 16 ? 16 : 128;
}

}  // namespace tuning

GIMBAL_NAMESPACE_END
