// Numbers of reduce.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

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
  static constexpr unsigned tile_threads = 1024;       // of a block that takes all items of an array of numbers
  static constexpr unsigned small_tile_threads = 256;  // of one that takes few of them: 16 KB
  static constexpr unsigned spread_blocks = 132;       // that few items which are read one by one are given to
  static constexpr unsigned blocks = 132 * 4;
  static constexpr unsigned many_blocks = 132 * 16;
  static constexpr unsigned ordered_blocks(std::size_t fold_bytes)
  {
    const bool are_many = ValueBytes <= 8 || (16 < ValueBytes && ValueBytes <= 32);
    return 132 * (fold_bytes > ValueBytes ? 2 : ValueBytes <= 4 ? 3 : are_many ? 4 : 2);
  }
  static constexpr unsigned warp_aggregates = 64;  // from so many blocks or fewer are reduced by one warp
  /// Of vectors of an array whose items a function makes others of, in order; twice as many, where folds are large, of as
  /// many items.
  static constexpr unsigned mapped_rows = 4;
  static constexpr std::int64_t more_rows_from_items = 1 << 23;  // of folds of 17 to 32 bytes
};
/// Threads a multiprocessor must have registers for: 32 each, and 42 where a user's operator folds numbers.
inline constexpr unsigned reduce_resident_threads = 2048;
inline constexpr unsigned reduce_ordered_resident_threads = 1536;

/// Reduce, in order, of items that an iterator makes. Measured on one H200, 2026-11-25, ratio to stock, 2^16, 2^20, 2^22,
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

}  // namespace tuning

GIMBAL_NAMESPACE_END
