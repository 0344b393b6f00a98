// Radix sort: keys, or keys and values, by the bits [begin_bit, end_bit) of the key. The entry, which chooses the kernels by size and
// type; the numbers are in tuning.h:
//
//   keys      values    items                          kernels
//   to 8      to 16     to 8192, by one digit to 4096  every key compared with every other: all_pairs_sort.cuh
//   to 8      to 16     as resident blocks hold, some  one launch: radix_resident_sort.cuh; beside other streams that work as many as
//                       millions                       half of the blocks hold
//   to 8      to 16     more                           radix_histogram.cuh, then for each digit radix_pass.cuh; of 8-byte integers that
//                                                      are distributed evenly radix_bucket_sort.cuh behind two to five passes
//   any       above 16  any                            those above of keys with positions, and one fetch of each value, in place two:
//                                                      argsort/position_sort.cuh (also 9 to 16 bytes, where passes by more than three
//                                                      digits would move them)
//   16 bytes  any       any                            radix_look_back_sort.cuh; also keys that are not written to plain memory, more
//                                                      than 2^32 large values, and devices that lack the shared memory for the third row
//
// The first three rows are the radix engine (radix_engine.cuh); what its launches do is decided on the device (radix_step.cuh).
//
// Order: stable; equal bits, and -0.0 and +0.0, keep their order (collective/radix_key.cuh).
// Traffic, launches, progress: see there. Storage: at most n keys and n values and small tables, and tables alone between two
//   buffers (radix_sort_between); by positions as position_sort.cuh says.
// Aliasing: keys_out may be keys_in and values_out may be values_in; no other overlap. Otherwise the input stays as it
//   is; the output is also used as a buffer, so it must be readable and of the input's value type.
// Determinism: positions follow from counts alone, so the result is the same bits in every run.
#pragma once

#include <gimbal/algorithm/argsort/position_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_engine.cuh>
#include <gimbal/algorithm/radix_sort/radix_look_back_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Keys, class Values>
using position_sort_tuning = tuning::position_sort<sizeof(typename Keys::value_type), bytes_of_values<Values>>;
template <class Keys, class Values>
inline constexpr bool can_sort_by_position = position_sort_tuning<Keys, Values>::is_possible;

/// True if n values are fetched from their positions.
template <class Keys, class Values>
bool is_sorted_by_position(index_type n, unsigned digits)
{
  using tuned = position_sort_tuning<Keys, Values>;
  return tuned::is_possible && static_cast<int>(digits) > tuned::most_moved_digits && tuned::least_items <= n
         && n <= tuned::most_items;
}

/// Arrays made by make_sort_array, some of which may have been given buffers. Otherwise as radix_sort.
template <class Tuning = void, class Order, class Keys, class Values>
[[nodiscard]] status radix_sort_arrays(
  temporary_storage storage, std::size_t& storage_bytes, Order, Keys keys, Values values, index_type n, int begin_bit,
  int end_bit, simt::stream_type stream)
{
  using key_type = typename Keys::value_type;
  static_assert(block::is_radix_key_v<key_type>, "radix_sort takes integers, bool and IEEE floating-point keys");
  if (begin_bit < 0 || end_bit < begin_bit || end_bit > static_cast<int>(8 * sizeof(key_type))) {
    return simt::failure(simt::error_invalid_value, "radix sort: bit range");
  }
  if constexpr (::cuda::std::is_void_v<Tuning> && can_sort_by_position<Keys, Values>) {
    const unsigned digits = block::digit_plan::of_bits(begin_bit, end_bit).passes;
    if (algorithm::is_sorted_by_position<Keys, Values>(n, digits)) {
      const auto sort_keys = [=](temporary_storage room, std::size_t& bytes, auto positions_in, auto positions_out) {
        const auto positions = algorithm::make_sort_array(positions_in, positions_out);
        return algorithm::radix_sort_arrays(room, bytes, Order{}, keys, positions, n, begin_bit, end_bit, stream);
      };
      return algorithm::position_sort(storage, storage_bytes, sort_keys, values, n, stream);
    }
  }
  const auto words = algorithm::as_words(keys);
  using word_array = ::cuda::std::remove_const_t<decltype(words)>;
  const auto order = algorithm::radix_order_for<key_type>(Order{});
  // The engine declines only for lack of shared memory.
  if constexpr (::cuda::std::is_void_v<Tuning> && is_radix_engine_taken<word_array, Values>) {
    status result;
    if (algorithm::radix_engine_sort<void>(
          result, storage, storage_bytes, order, words, values, n, begin_bit, end_bit, stream)) {
      return result;
    }
  } else if constexpr (::cuda::std::is_void_v<Tuning> && sizeof(key_type) <= 8 && bytes_of_values<Values> <= 16) {
    using tuned = tuning::radix_engine<sizeof(key_type), bytes_of_values<Values>>;
    const block::digit_plan plan = block::digit_plan::of_bits(begin_bit, end_bit);
    status result;
    if (algorithm::radix_sort_few<tuned>(result, storage, storage_bytes, order, words, values, n, plan, stream)) {
      return result;
    }
  }
  return algorithm::radix_sort_in_tiles<radix_sort_tuning<Tuning, Keys, Values>>(
    storage, storage_bytes, order, words, values, n, begin_bit, end_bit, stream);
}

/// keys_out = the n keys of keys_in ordered by their bits [begin_bit, end_bit), values_out = values_in moved alike.
/// `Order` is ascending or descending. See the head of this file for order of equals, aliasing and storage.
template <class Tuning = void, class Order, class KeyIn, class KeyOut, class ValueIn, class ValueOut>
[[nodiscard]] status radix_sort(
  temporary_storage storage, std::size_t& storage_bytes, Order, KeyIn keys_in, KeyOut keys_out, ValueIn values_in,
  ValueOut values_out, index_type n, int begin_bit, int end_bit, simt::stream_type stream)
{
  return algorithm::radix_sort_arrays<Tuning>(
    storage, storage_bytes, Order{}, algorithm::make_sort_array(keys_in, keys_out),
    algorithm::as_moved(algorithm::make_sort_array(values_in, values_out)), n, begin_bit, end_bit, stream);
}

/// The n items of `current`, and a buffer of the same size.
template <class T>
struct sort_buffers {
  T* current;
  T* other;
  bool ends_in_other;  ///< where the sorted items are: set by the sort

  auto array(bool moves_once) const
  {
    // A size query may come without pointers; none is followed.
    T* const first = current == nullptr ? reinterpret_cast<T*>(sizeof(block::radix_vector)) : current;
    T* const second = other == nullptr ? reinterpret_cast<T*>(2 * sizeof(block::radix_vector)) : other;
    const T* const from = first;
    return moves_once      ? algorithm::make_sort_array(from, second)
           : ends_in_other ? algorithm::make_sort_array(from, second, first)
                           : algorithm::make_sort_array(from, first, second);
  }
};
template <>
struct sort_buffers<no_values> {
  bool ends_in_other;

  auto array(bool) const { return make_sort_array(no_values{}, no_values{}); }
};

/// Up to so many items are sorted in one launch, whose blocks may write before others have read.
template <class Key, std::size_t ValueBytes>
constexpr index_type most_items_of_one_launch()
{
  constexpr bool is_floating = block::radix_key_kind_v<Key> == block::radix_key_kind::floating_point;
  return tuning::radix_engine<sizeof(Key), ValueBytes>::most_resident_items(is_floating);
}

/// Sorts between two buffers, of the storage none but for positions of large values. An odd number of digits ends in the other buffer,
/// unless one launch sorts by all; an even one where it began, as in place. Large values move once, to the other buffer.
template <class Order, class Key, class Value>
[[nodiscard]] status radix_sort_between(
  temporary_storage storage, std::size_t& storage_bytes, Order, sort_buffers<Key>& keys, sort_buffers<Value>& values,
  index_type n, int begin_bit, int end_bit, simt::stream_type stream)
{
  using key_array = decltype(keys.array(true));
  using value_array = decltype(algorithm::as_moved(values.array(true)));
  constexpr std::size_t value_bytes = bytes_of_values<value_array>;
  const unsigned digits = block::digit_plan::of_bits(begin_bit, end_bit).passes;
  const bool is_once = digits <= 1;
  const bool is_by_position = algorithm::is_sorted_by_position<key_array, value_array>(n, digits);
  const index_type most_in_one_launch =
    is_by_position
      ? algorithm::most_items_of_one_launch<Key, sizeof(sort_position)>()
      : algorithm::most_items_of_one_launch<Key, (value_bytes <= 16 ? value_bytes : sizeof(sort_position))>();
  keys.ends_in_other = is_once || (digits % 2 != 0 && n > most_in_one_launch);
  values.ends_in_other = keys.ends_in_other || is_by_position;
  return algorithm::radix_sort_arrays(
    storage, storage_bytes, Order{}, keys.array(is_once), algorithm::as_moved(values.array(is_once || is_by_position)),
    n, begin_bit, end_bit, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
