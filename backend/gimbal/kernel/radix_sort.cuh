// Radix sort: keys, or keys and values, by the bits [begin_bit, end_bit) of the key. Here is chosen how:
//
// * Keys alone, and with values of up to 8 bytes: the radix engine (radix_engine.cuh).
// * Values of up to 16 bytes: the engine, too, where it takes one launch.
// * Larger values, and more of those: the engine sorts the keys with their positions, and each value moves once, or in
//   place twice, from its position (position_sort.cuh).
// * More values than positions of 32 bits tell apart, keys that are not written to plain memory, and devices without the
//   shared memory that the engine takes: passes of small tiles (radix_look_back_sort.cuh).
//
// Order: stable; equal bits, and -0.0 and +0.0, keep their order (block/radix_key.cuh).
// Traffic, launches, progress: see there. Storage: at most n keys and n values and small tables; by positions those of
//   the sort of keys with values of 4 bytes, or n values if that is more, and 4 n bytes.
// Aliasing: keys_out may be keys_in and values_out may be values_in; no other overlap. Otherwise the input stays as it
//   is; the output is also used as a buffer, so it must be readable and of the input's value type.
// Determinism: positions follow from counts alone, so the result is the same bits in every run.
#pragma once

#include <gimbal/kernel/position_sort.cuh>
#include <gimbal/kernel/radix_engine.cuh>
#include <gimbal/kernel/radix_look_back_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// keys_out = the n keys of keys_in ordered by their bits [begin_bit, end_bit), values_out = values_in moved alike.
/// `Order` is ascending or descending. See the head of this file for order of equals, aliasing and storage.
template <class Tuning = void, class Order, class KeyIn, class KeyOut, class ValueIn, class ValueOut>
[[nodiscard]] status radix_sort(
  void* storage, std::size_t& storage_bytes, Order, KeyIn keys_in, KeyOut keys_out, ValueIn values_in,
  ValueOut values_out, index_type n, int begin_bit, int end_bit, simt::stream_type stream)
{
  auto keys = make_sort_array(keys_in, keys_out);
  auto values = make_sort_array(values_in, values_out);
  using key_type = typename decltype(keys)::value_type;
  static_assert(block::is_radix_key_v<key_type>, "radix_sort takes integers, bool and IEEE floating-point keys");
  if (begin_bit < 0 || end_bit < begin_bit || end_bit > static_cast<int>(8 * sizeof(key_type))) {
    return simt::failure(simt::error_invalid_value, "radix sort: bit range");
  }
  using by_position = tuning::position_sort<sizeof(key_type), bytes_of_values<decltype(values)>>;
  if constexpr (::cuda::std::is_void_v<Tuning> && by_position::is_possible) {
    if (by_position::least_items <= n && n <= by_position::most_items) {
      const auto sort_keys = [=](void* room, std::size_t& bytes, auto positions_in, auto positions_out) {
        return radix_sort(
          room, bytes, Order{}, keys_in, keys_out, positions_in, positions_out, n, begin_bit, end_bit, stream);
      };
      return position_sort(storage, storage_bytes, sort_keys, values, n, stream);
    }
  }
  // What the engine leaves, for want of shared memory, is more than a tile.
  constexpr bool is_taken = ::cuda::std::is_void_v<Tuning> && is_radix_engine_taken<decltype(keys), decltype(values)>;
  if constexpr (is_taken) {
    status result;
    if (radix_engine_sort<void>(result, storage, storage_bytes, Order{}, keys, values, n, begin_bit, end_bit, stream)) {
      return result;
    }
  }
  return radix_sort_in_tiles<radix_sort_tuning<Tuning, decltype(keys), decltype(values)>, !is_taken>(
    storage, storage_bytes, Order{}, keys, values, n, begin_bit, end_bit, stream);
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
