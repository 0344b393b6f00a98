// gimbal::DeviceMergeSort: the calls of cub::DeviceMergeSort on gimbal's kernels.
#pragma once

#include <gimbal/cub/call.h>
#include <gimbal/cub/environment.h>

#include <gimbal/algorithm/merge_sort/merge_sort.cuh>

#if GIMBAL_GPU
#include <cub/device/device_merge_sort.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

/// Sorts by a comparison, of keys alone or with values, in two phases: a call with `storage` null stores in
/// `storage_bytes` what the second call needs and does nothing else. The forms without storage do it all, with storage
/// from the environment (environment.h).
///
/// Every form is stable, whatever its name. `compare(a, b)` is true if a comes before b and must be a strict weak
/// ordering; keys and values are of any type copied bytewise. The forms without Copy sort in place; in the Copy forms
/// input and output must not overlap and the input stays as it was. Counts go to 2^63 - 1; zero items do nothing.
/// Sorted tiles are merged (merge path; Green, McColl and Bader, 2012), in each of about log2(num_items / tile) rounds
/// in pairs, or in fewer rounds up to 16 at a time (algorithm/merge_sort/merge_sort.cuh describes which; few items are
/// compared with each other), every round reading and writing every item once, on `stream`; no wait. Storage is a copy
/// of keys and values, for up to 16 runs at a time where tiles begin in them, and states (device.h) of blocks that
/// compare all items. The result does not depend on timing. Returns error_invalid_value for arguments that no call
/// takes (device.h), otherwise the first failed launch's own error. Keys and values that the kernels cannot hold, and
/// outputs that are not read as what the inputs hold, go to CUB (device.h). Host code only.
struct DeviceMergeSort {
  /// Sorts keys in place.
  template <class KeyIt, class NumItems, class Compare>
  static error_code SortKeys(
    void* storage, std::size_t& storage_bytes, KeyIt keys, NumItems num_items, Compare compare,
    device_wide::any_stream stream = {})
  {
    return sort_keys(device_wide::two_phases(storage, storage_bytes, stream), keys, keys, num_items, compare);
  }
  /// The same in one phase.
  template <class KeyIt, class NumItems, class Compare, class Env = stream_type, device_wide::if_environment<Env> = 0>
  static error_code SortKeys(KeyIt keys, NumItems num_items, Compare compare, const Env& env = {})
  {
    return sort_keys(device_wide::in_one_phase(env), keys, keys, num_items, compare);
  }

  /// keys_out = the sorted keys.
  template <class KeyInputIt, class KeyOutputIt, class NumItems, class Compare>
  static error_code SortKeysCopy(
    void* storage, std::size_t& storage_bytes, KeyInputIt keys_in, KeyOutputIt keys_out, NumItems num_items,
    Compare compare, device_wide::any_stream stream = {})
  {
    return sort_keys(device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, num_items, compare);
  }
  /// The same in one phase.
  template <
    class KeyInputIt, class KeyOutputIt, class NumItems, class Compare, class Env = stream_type,
    device_wide::if_environment<Env> = 0>
  static error_code SortKeysCopy(
    KeyInputIt keys_in, KeyOutputIt keys_out, NumItems num_items, Compare compare, const Env& env = {})
  {
    return sort_keys(device_wide::in_one_phase(env), keys_in, keys_out, num_items, compare);
  }

  /// Sorts keys in place, and their values with them.
  template <class KeyIt, class ValueIt, class NumItems, class Compare>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, KeyIt keys, ValueIt values, NumItems num_items, Compare compare,
    device_wide::any_stream stream = {})
  {
    return sort_pairs(
      device_wide::two_phases(storage, storage_bytes, stream), keys, values, keys, values, num_items, compare);
  }
  /// The same in one phase.
  template <
    class KeyIt, class ValueIt, class NumItems, class Compare, class Env = stream_type,
    device_wide::if_environment<Env> = 0>
  static error_code SortPairs(KeyIt keys, ValueIt values, NumItems num_items, Compare compare, const Env& env = {})
  {
    return sort_pairs(device_wide::in_one_phase(env), keys, values, keys, values, num_items, compare);
  }

  /// keys_out = the sorted keys, values_out = the value of each.
  template <class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class NumItems, class Compare>
  static error_code SortPairsCopy(
    void* storage, std::size_t& storage_bytes, KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out,
    ValueOutputIt values_out, NumItems num_items, Compare compare, device_wide::any_stream stream = {})
  {
    return sort_pairs(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, values_in, keys_out, values_out, num_items,
      compare);
  }
  /// The same in one phase.
  template <
    class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class NumItems, class Compare,
    class Env = stream_type, device_wide::if_environment<Env> = 0>
  static error_code SortPairsCopy(
    KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out, ValueOutputIt values_out, NumItems num_items,
    Compare compare, const Env& env = {})
  {
    return sort_pairs(device_wide::in_one_phase(env), keys_in, values_in, keys_out, values_out, num_items, compare);
  }

  /// SortKeys.
  template <class KeyIt, class NumItems, class Compare>
  static error_code StableSortKeys(
    void* storage, std::size_t& storage_bytes, KeyIt keys, NumItems num_items, Compare compare,
    device_wide::any_stream stream = {})
  {
    return sort_keys(device_wide::two_phases(storage, storage_bytes, stream), keys, keys, num_items, compare);
  }
  /// The same in one phase.
  template <class KeyIt, class NumItems, class Compare, class Env = stream_type, device_wide::if_environment<Env> = 0>
  static error_code StableSortKeys(KeyIt keys, NumItems num_items, Compare compare, const Env& env = {})
  {
    return sort_keys(device_wide::in_one_phase(env), keys, keys, num_items, compare);
  }

  /// SortKeysCopy.
  template <class KeyInputIt, class KeyOutputIt, class NumItems, class Compare>
  static error_code StableSortKeysCopy(
    void* storage, std::size_t& storage_bytes, KeyInputIt keys_in, KeyOutputIt keys_out, NumItems num_items,
    Compare compare, device_wide::any_stream stream = {})
  {
    return sort_keys(device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, num_items, compare);
  }
  /// The same in one phase.
  template <
    class KeyInputIt, class KeyOutputIt, class NumItems, class Compare, class Env = stream_type,
    device_wide::if_environment<Env> = 0>
  static error_code StableSortKeysCopy(
    KeyInputIt keys_in, KeyOutputIt keys_out, NumItems num_items, Compare compare, const Env& env = {})
  {
    return sort_keys(device_wide::in_one_phase(env), keys_in, keys_out, num_items, compare);
  }

  /// SortPairs.
  template <class KeyIt, class ValueIt, class NumItems, class Compare>
  static error_code StableSortPairs(
    void* storage, std::size_t& storage_bytes, KeyIt keys, ValueIt values, NumItems num_items, Compare compare,
    device_wide::any_stream stream = {})
  {
    return sort_pairs(
      device_wide::two_phases(storage, storage_bytes, stream), keys, values, keys, values, num_items, compare);
  }
  /// The same in one phase.
  template <
    class KeyIt, class ValueIt, class NumItems, class Compare, class Env = stream_type,
    device_wide::if_environment<Env> = 0>
  static error_code StableSortPairs(
    KeyIt keys, ValueIt values, NumItems num_items, Compare compare, const Env& env = {})
  {
    return sort_pairs(device_wide::in_one_phase(env), keys, values, keys, values, num_items, compare);
  }

private:
  /// The output is a buffer, too: of the input's values.
  template <class InputIt, class OutputIt>
  struct moves
      : ::cuda::std::conjunction<
          device_wide::reads<InputIt, OutputIt>, ::cuda::std::is_same<
                                                   ::cuda::std::remove_cv_t<device_wide::value_of<InputIt>>,
                                                   ::cuda::std::remove_cv_t<device_wide::value_of<OutputIt>>>> {
  };

  template <class How, class KeyInputIt, class KeyOutputIt, class NumItems, class Compare>
  static error_code sort_keys(
    const How& how, KeyInputIt keys_in, KeyOutputIt keys_out, NumItems num_items, const Compare& compare)
  {
    using Key = device_wide::value_of<KeyInputIt>;
    const auto given = how.arguments(num_items).items(keys_in).items(keys_out).stored_bytes(sizeof(Key));
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::takes_v<moves<KeyInputIt, KeyOutputIt>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
        return algorithm::merge_sort(
                 storage, bytes, device_wide::described(keys_in), device_wide::described(keys_out),
                 algorithm::no_values{}, algorithm::no_values{}, given.count(), compare, stream)
          .code;
      });
    } else {
      return how.on_stock(
        [](auto&&... all) {
          return device_wide::stock_for<device_wide::stock::DeviceMergeSort, Key>::StableSortKeysCopy(all...);
        },
        keys_in, keys_out, num_items, compare);
    }
  }

  template <
    class How, class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class NumItems,
    class Compare>
  static error_code sort_pairs(
    const How& how, KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out, ValueOutputIt values_out,
    NumItems num_items, const Compare& compare)
  {
    using Key = device_wide::value_of<KeyInputIt>;
    using Value = device_wide::value_of<ValueInputIt>;
    const auto given = how.arguments(num_items)
                         .items(keys_in)
                         .items(keys_out)
                         .items(values_in)
                         .items(values_out)
                         .stored_bytes(sizeof(Key))
                         .stored_bytes(sizeof(Value));
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (
      device_wide::takes_v<
        moves<KeyInputIt, KeyOutputIt>, moves<ValueInputIt, ValueOutputIt>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
        return algorithm::merge_sort(
                 storage, bytes, device_wide::described(keys_in), device_wide::described(keys_out),
                 device_wide::described(values_in), device_wide::described(values_out), given.count(), compare, stream)
          .code;
      });
    } else {
      return how.on_stock(
        [](auto&&... all) {
          return device_wide::stock_for<device_wide::stock::DeviceMergeSort, Key>::SortPairsCopy(all...);
        },
        keys_in, values_in, keys_out, values_out, num_items, compare);
    }
  }
};

GIMBAL_NAMESPACE_END
