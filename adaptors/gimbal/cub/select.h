// gimbal::DeviceSelect: the calls of cub::DeviceSelect on gimbal's kernels.
#pragma once

#include <gimbal/cub/call.h>

#include <cuda/std/functional>
#include <gimbal/kernel/partition.cuh>

GIMBAL_NAMESPACE_BEGIN

/// Copies of the items of a sequence that pass a test, in their order, in two phases: a call with `storage` null stores
/// in `storage_bytes` what the second call needs and does nothing else.
///
/// The number of selected items goes to `*num_selected_out`, an output iterator of any integer type; items of the
/// output beyond it keep what they held. The forms with one data iterator work in place; other overlaps of input and
/// output are undefined. A predicate sees every item once, in no particular order. Counts go to 2^63 - 1; zero items
/// write a count of zero. One pass (look-back) that reads every item once and writes the selected ones once, on
/// `stream`; no wait. Storage is some words per tile of items. The result does not depend on timing. Returns
/// error_invalid_value for a negative count or too little storage, otherwise the launch's own error. Nothing falls back
/// to CUB: value types the kernels cannot take do not compile. Host code only.
struct DeviceSelect {
  /// The items whose flag, converted to bool, is true.
  template <class InputIt, class FlagIt, class OutputIt, class CountIt>
  static error_code Flagged(
    void* storage, std::size_t& storage_bytes, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out,
    index_type num_items, stream_type stream = {})
  {
    return select(
      storage, storage_bytes, in, num_items, kernel::select_flagged<FlagIt>{flags}, out, num_selected_out, stream);
  }

  /// Flagged in place.
  template <class It, class FlagIt, class CountIt>
  static error_code Flagged(
    void* storage, std::size_t& storage_bytes, It data, FlagIt flags, CountIt num_selected_out, index_type num_items,
    stream_type stream = {})
  {
    return Flagged(storage, storage_bytes, data, flags, data, num_selected_out, num_items, stream);
  }

  /// The items that satisfy `predicate`.
  template <class InputIt, class OutputIt, class CountIt, class Predicate>
  static error_code If(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items,
    Predicate predicate, stream_type stream = {})
  {
    return select(
      storage, storage_bytes, in, num_items, kernel::select_if<Predicate>{predicate}, out, num_selected_out, stream);
  }

  /// If in place.
  template <class It, class CountIt, class Predicate>
  static error_code If(
    void* storage, std::size_t& storage_bytes, It data, CountIt num_selected_out, index_type num_items,
    Predicate predicate, stream_type stream = {})
  {
    return If(storage, storage_bytes, data, data, num_selected_out, num_items, predicate, stream);
  }

  /// The items whose flag satisfies `predicate`.
  template <class InputIt, class FlagIt, class OutputIt, class CountIt, class Predicate>
  static error_code FlaggedIf(
    void* storage, std::size_t& storage_bytes, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out,
    index_type num_items, Predicate predicate, stream_type stream = {})
  {
    return select(
      storage, storage_bytes, in, num_items, kernel::select_if_stencil<FlagIt, Predicate>{flags, predicate}, out,
      num_selected_out, stream);
  }

  /// FlaggedIf in place.
  template <class It, class FlagIt, class CountIt, class Predicate>
  static error_code FlaggedIf(
    void* storage, std::size_t& storage_bytes, It data, FlagIt flags, CountIt num_selected_out, index_type num_items,
    Predicate predicate, stream_type stream = {})
  {
    return FlaggedIf(storage, storage_bytes, data, flags, data, num_selected_out, num_items, predicate, stream);
  }

  /// The first item of every run of equal consecutive items.
  template <class InputIt, class OutputIt, class CountIt>
  static error_code Unique(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items,
    stream_type stream = {})
  {
    return select(
      storage, storage_bytes, in, num_items, kernel::select_unique<::cuda::std::equal_to<>>{}, out, num_selected_out,
      stream);
  }

  /// The first key of every run of equal consecutive keys, and the value that goes with it.
  template <
    class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class CountIt, class NumItems,
    class Equal, ::cuda::std::enable_if_t<!::cuda::std::is_convertible<Equal, stream_type>::value, int> = 0>
  static error_code UniqueByKey(
    void* storage, std::size_t& storage_bytes, KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out,
    ValueOutputIt values_out, CountIt num_selected_out, NumItems num_items, Equal equal, stream_type stream = {})
  {
    device_wide::require_supported_value<device_wide::value_of<KeyInputIt>>();
    device_wide::require_supported_value<device_wide::value_of<ValueInputIt>>();
    if (!device_wide::is_valid_count(num_items)) {
      return simt::error_invalid_value;
    }
    return kernel::select_unique_by_key(
             storage, storage_bytes, keys_in, values_in, keys_out, values_out, num_selected_out,
             static_cast<index_type>(num_items), equal, stream)
      .code;
  }

  /// UniqueByKey with keys compared by ==.
  template <class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class CountIt, class NumItems>
  static error_code UniqueByKey(
    void* storage, std::size_t& storage_bytes, KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out,
    ValueOutputIt values_out, CountIt num_selected_out, NumItems num_items, stream_type stream = {})
  {
    return UniqueByKey(
      storage, storage_bytes, keys_in, values_in, keys_out, values_out, num_selected_out, num_items,
      ::cuda::std::equal_to<>{}, stream);
  }

private:
  template <class InputIt, class Selector, class OutputIt, class CountIt>
  static error_code select(
    void* storage, std::size_t& storage_bytes, InputIt in, index_type num_items, Selector selector, OutputIt out,
    CountIt num_selected_out, stream_type stream)
  {
    device_wide::require_supported_value<device_wide::value_of<InputIt>>();
    if (num_items < 0) {
      return simt::error_invalid_value;
    }
    return kernel::select(
             storage, storage_bytes, in, num_items, selector, out, kernel::discard_rejected{}, num_selected_out, stream)
      .code;
  }
};

GIMBAL_NAMESPACE_END
