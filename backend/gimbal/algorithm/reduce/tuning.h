// Numbers of reduce.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Reduce. `blocks` bounds the number of partial results. What needs more than 32 registers a thread takes
/// `many_blocks`, so that the last ones to start are short, but for operators that may not commute, which exchange
/// items between lanes and take `ordered_blocks`, of shares that differ by a tile at most. record: reduce_blocks (4
/// bytes at 2^28 0.98), reduce_ordered, reduce_larger_folds. Few items take one block, with less time the more threads
/// it has. record: reduce_lone_block.
/// Items that are read one by one: most structs take less time with twice the bytes a thread, and more with four times.
/// record:
/// reduce_struct_items.
/// Folds of many bytes gain by more rows where there are many items. record: reduce_larger_folds. Other sizes untuned.
template <std::size_t ValueBytes>
struct reduce {
  static constexpr unsigned block_threads = ValueBytes > 16 ? 256 : 512;
  static constexpr unsigned items_per_thread = items_for_bytes(64, ValueBytes, 64);
  static constexpr unsigned single_items_per_thread = items_for_bytes(
    ValueBytes <= 8 || ValueBytes == 16 ? 64
    : ValueBytes <= 32                  ? 128
                                        : 256,
    ValueBytes, 16);
  static constexpr unsigned tile_threads = 1024;              // of a block that takes all items of an array of numbers
  static constexpr unsigned spread_blocks = multiprocessors;  // that few items which are read one by one are given to
  static constexpr unsigned blocks = multiprocessors * 4;
  static constexpr unsigned many_blocks = multiprocessors * 16;
  static constexpr unsigned ordered_blocks(std::size_t fold_bytes)
  {
    const bool are_many = ValueBytes <= 8 || (16 < ValueBytes && ValueBytes <= 32);
    return multiprocessors * (fold_bytes > ValueBytes ? 2 : ValueBytes <= 4 ? 3 : are_many ? 4 : 2);
  }
  static constexpr unsigned warp_aggregates = 64;  // from so many blocks or fewer are reduced by one warp
  /// Of vectors of an array whose items a function makes others of, in order; twice as many, where folds are large, of
  /// as many items.
  static constexpr unsigned mapped_rows = 4;
  static constexpr std::int64_t more_rows_from_items = 1 << 23;  // of folds of 17 to 32 bytes
};
/// Threads a multiprocessor must have registers for: 32 each, and 42 where a user's operator folds numbers.
inline constexpr unsigned reduce_resident_threads = 2048;
inline constexpr unsigned reduce_ordered_resident_threads = 1536;

/// Reduce, in order, of items that an iterator makes: as many rows as registers hold. Folds of more than
/// `reduce_most_row_bytes` are staged in shared memory. record: reduce_rows (12 bytes made of 4, 2^24: 8 rows 1.05, 16
/// rows 3.76)
constexpr unsigned reduce_rows(unsigned rows, std::size_t fold_bytes, std::size_t item_bytes)
{
  const std::size_t bytes = fold_bytes > item_bytes ? fold_bytes : item_bytes;
  const unsigned most = bytes <= 4 ? 16 : items_for_bytes(bytes <= 32 ? 128 : 256, bytes, 8);
  return rows < most ? rows : most;
}
inline constexpr std::size_t reduce_most_row_bytes = 16;  ///< of a fold
inline constexpr std::size_t reduce_most_staged_bytes = 64;
/// So few that a block of 512 threads stages them in less than 64 KB, which every device has. record:
/// reduce_staged_items
constexpr unsigned reduce_staged_items(std::size_t item_bytes) { return item_bytes > 48 ? 1 : item_bytes > 24 ? 2 : 4; }
inline constexpr unsigned reduce_staged_rounds = 16;  // on every machine: the tree depends on it
constexpr unsigned reduce_staged_resident_threads(std::size_t fold_bytes) { return fold_bytes <= 32 ? 1024 : 0; }

}  // namespace tuning

GIMBAL_NAMESPACE_END
