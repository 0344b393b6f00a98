// Every number that was chosen for speed, by algorithm and value size. A test may pass its own tuning type (small tiles)
// to any backend entry. Each row says what it was measured on; "untuned" rows are sound defaults that nobody measured.
#pragma once

#include <gimbal/simt/config.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Items per thread so that a thread holds about `bytes` bytes of values of `value_bytes` each, within [1, most].
constexpr unsigned items_for_bytes(std::size_t bytes, std::size_t value_bytes, unsigned most)
{
  const std::size_t items = bytes / value_bytes;
  return items < 1 ? 1u : items > most ? most : static_cast<unsigned>(items);
}

/// Reduce. `blocks` bounds the number of partial results; it is a constant, never the device's own number of
/// multiprocessors, so that the tree of a floating-point sum is the same on every device.
template <std::size_t ValueBytes>
struct reduce {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = items_for_bytes(64, ValueBytes, 16); // untuned
  static constexpr unsigned blocks = 132 * 8;                                       // untuned
};

/// Scan. An odd number of items per thread keeps a warp's blocked accesses to shared memory in distinct banks.
template <std::size_t ValueBytes>
struct scan {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = (items_for_bytes(64, ValueBytes, 16) - 1) / 2 * 2 + 1; // untuned
};

} // namespace tuning

GIMBAL_NAMESPACE_END
