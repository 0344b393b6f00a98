// gimbal::DeviceSelect: the calls of cub::DeviceSelect on gimbal's kernels.
#pragma once

#include <gimbal/cub/call.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/select/partition.cuh>

#if GIMBAL_GPU
#include <cub/device/device_select.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

/// Copies of the items of a sequence that pass a test, in their order, in two phases: a call with `storage` null stores
/// in `storage_bytes` what the second call needs and does nothing else.
///
/// The number of selected items goes to `*num_selected_out`, an output iterator of any integer type; items of the
/// output beyond it keep what they held. The forms with one data iterator work in place; other overlaps of input and
/// output are undefined. A predicate sees every item once, in no particular order. Counts go to 2^63 - 1; zero items
/// write a count of zero. One pass (look-back) that reads every item once and writes the selected ones once, on
/// `stream`; no wait. Storage is words (device.h) of a count. The result does not depend on timing. Returns
/// error_invalid_value for arguments that no call takes (device.h), otherwise the launch's own error. Values that the kernels
/// cannot hold go to CUB (device.h). Host code only.
struct DeviceSelect {
  /// The items whose flag, converted to bool, is true.
  template <class InputIt, class FlagIt, class OutputIt, class CountIt>
  static error_code Flagged(
    void* storage, std::size_t& storage_bytes, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out,
    index_type num_items, stream_type stream = {})
  {
    using Item = device_wide::value_of<InputIt>;
    const auto given =
      device_wide::arguments(storage, num_items).items(in).items(flags).items(out).result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::are_supported_v<Item>) {
      auto flag_items = device_wide::described(flags);
      return select(
        storage, storage_bytes, in, num_items, algorithm::select_flagged<decltype(flag_items)>{flag_items}, out,
        num_selected_out, stream);
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceSelect, Item>::Flagged(
        storage, storage_bytes, in, flags, out, num_selected_out, num_items, stream);
    }
  }

  /// Flagged in place.
  template <class It, class FlagIt, class CountIt>
  static error_code Flagged(
    void* storage, std::size_t& storage_bytes, It data, FlagIt flags, CountIt num_selected_out, index_type num_items,
    stream_type stream = {})
  {
    using Item = device_wide::value_of<It>;
    if constexpr (device_wide::are_supported_v<Item>) {
      return Flagged(storage, storage_bytes, data, flags, data, num_selected_out, num_items, stream);
    } else {
      const auto given = device_wide::arguments(storage, num_items).items(data).items(flags).result(num_selected_out);
      return !given.are_valid() ? simt::error_invalid_value
                                : device_wide::stock_for<device_wide::stock::DeviceSelect, Item>::Flagged(
                                  storage, storage_bytes, data, flags, num_selected_out, num_items, stream);
    }
  }

  /// The items that satisfy `predicate`.
  template <class InputIt, class OutputIt, class CountIt, class Predicate>
  static error_code If(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items,
    Predicate predicate, stream_type stream = {})
  {
    using Item = device_wide::value_of<InputIt>;
    const auto given = device_wide::arguments(storage, num_items).items(in).items(out).result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::are_supported_v<Item>) {
      return select(
        storage, storage_bytes, in, num_items, algorithm::select_if<Predicate>{predicate}, out, num_selected_out,
        stream);
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceSelect, Item>::If(
        storage, storage_bytes, in, out, num_selected_out, num_items, predicate, stream);
    }
  }

  /// If in place.
  template <class It, class CountIt, class Predicate>
  static error_code If(
    void* storage, std::size_t& storage_bytes, It data, CountIt num_selected_out, index_type num_items,
    Predicate predicate, stream_type stream = {})
  {
    using Item = device_wide::value_of<It>;
    if constexpr (device_wide::are_supported_v<Item>) {
      return If(storage, storage_bytes, data, data, num_selected_out, num_items, predicate, stream);
    } else {
      const auto given = device_wide::arguments(storage, num_items).items(data).result(num_selected_out);
      return !given.are_valid() ? simt::error_invalid_value
                                : device_wide::stock_for<device_wide::stock::DeviceSelect, Item>::If(
                                  storage, storage_bytes, data, num_selected_out, num_items, predicate, stream);
    }
  }

  /// The items whose flag satisfies `predicate`.
  template <class InputIt, class FlagIt, class OutputIt, class CountIt, class Predicate>
  static error_code FlaggedIf(
    void* storage, std::size_t& storage_bytes, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out,
    index_type num_items, Predicate predicate, stream_type stream = {})
  {
    using Item = device_wide::value_of<InputIt>;
    const auto given =
      device_wide::arguments(storage, num_items).items(in).items(flags).items(out).result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::are_supported_v<Item>) {
      auto flag_items = device_wide::described(flags);
      return select(
        storage, storage_bytes, in, num_items,
        algorithm::select_if_stencil<decltype(flag_items), Predicate>{flag_items, predicate}, out, num_selected_out,
        stream);
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceSelect, Item>::FlaggedIf(
        storage, storage_bytes, in, flags, out, num_selected_out, num_items, predicate, stream);
    }
  }

  /// FlaggedIf in place.
  template <class It, class FlagIt, class CountIt, class Predicate>
  static error_code FlaggedIf(
    void* storage, std::size_t& storage_bytes, It data, FlagIt flags, CountIt num_selected_out, index_type num_items,
    Predicate predicate, stream_type stream = {})
  {
    using Item = device_wide::value_of<It>;
    if constexpr (device_wide::are_supported_v<Item>) {
      return FlaggedIf(storage, storage_bytes, data, flags, data, num_selected_out, num_items, predicate, stream);
    } else {
      const auto given = device_wide::arguments(storage, num_items).items(data).items(flags).result(num_selected_out);
      return !given.are_valid() ? simt::error_invalid_value
                                : device_wide::stock_for<device_wide::stock::DeviceSelect, Item>::FlaggedIf(
                                  storage, storage_bytes, data, flags, num_selected_out, num_items, predicate, stream);
    }
  }

  /// The first item of every run of equal consecutive items.
  template <class InputIt, class OutputIt, class CountIt>
  static error_code Unique(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items,
    stream_type stream = {})
  {
    using Item = device_wide::value_of<InputIt>;
    const auto given = device_wide::arguments(storage, num_items).items(in).items(out).result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::are_supported_v<Item>) {
      return select(
        storage, storage_bytes, in, num_items, algorithm::select_unique<::cuda::std::equal_to<>>{}, out,
        num_selected_out, stream);
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceSelect, Item>::Unique(
        storage, storage_bytes, in, out, num_selected_out, num_items, stream);
    }
  }

  /// The first key of every run of equal consecutive keys, and the value that goes with it.
  template <
    class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class CountIt, class NumItems,
    class Equal, ::cuda::std::enable_if_t<!::cuda::std::is_convertible<Equal, stream_type>::value, int> = 0>
  static error_code UniqueByKey(
    void* storage, std::size_t& storage_bytes, KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out,
    ValueOutputIt values_out, CountIt num_selected_out, NumItems num_items, Equal equal, stream_type stream = {})
  {
    using Key = device_wide::value_of<KeyInputIt>;
    using Value = device_wide::value_of<ValueInputIt>;
    const auto given = device_wide::arguments(storage, num_items)
                         .items(keys_in)
                         .items(values_in)
                         .items(keys_out)
                         .items(values_out)
                         .result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::are_supported_v<thrust::tuple<Key, Value>>) {
      return algorithm::select_unique_by_key(
               storage, storage_bytes, device_wide::described(keys_in), device_wide::described(values_in),
               device_wide::described(keys_out), device_wide::described(values_out),
               device_wide::described(num_selected_out), given.count(), equal, stream)
        .code;
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceSelect, Key>::UniqueByKey(
        storage, storage_bytes, keys_in, values_in, keys_out, values_out, num_selected_out, num_items, equal, stream);
    }
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
    return algorithm::select(
             storage, storage_bytes, device_wide::described(in), num_items, selector, device_wide::described(out),
             algorithm::discard_rejected{}, device_wide::described(num_selected_out), stream)
      .code;
  }
};

GIMBAL_NAMESPACE_END
