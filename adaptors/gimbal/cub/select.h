// gimbal::DeviceSelect: the calls of cub::DeviceSelect on gimbal's kernels.
#pragma once

#include <gimbal/cub/select_bodies.h>

GIMBAL_NAMESPACE_BEGIN

/// Copies of the items of a sequence that pass a test, in their order, in two phases or in one (device.h).
///
/// The number of selected items goes to `*num_selected_out`, an output iterator of any integer type; items of the
/// output beyond it are unchanged. The forms with one data iterator work in place; other overlaps of input and output
/// are undefined. A predicate sees every item once, an equality every pair of neighbours once, in no particular order.
/// Counts go to 2^63 - 1; zero items write a count of zero. It is one pass (look-back) that reads every item once and
/// writes the selected ones once, on `stream`; no wait. Storage is tile states (device.h) of a count. The result does
/// not depend on timing or device. Returns error_invalid_value for arguments that no call takes (device.h), otherwise
/// the launch's own error. What the kernels do not take goes to CUB (call.h). Host code only.
struct DeviceSelect {
  /// The items whose flag, converted to bool, is true.
  template <
    class InputIt, class FlagIt, class OutputIt, class CountIt, class Env = stream_type,
    device_wide::if_environment_or_zero<Env> = 0, device_wide::if_not_bytes<CountIt> = 0>
  static error_code Flagged(
    void* storage, std::size_t& storage_bytes, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out,
    index_type num_items, const Env& env = {})
  {
    return device_wide::select_flagged<false>(
      device_wide::two_phases(storage, storage_bytes, env), in, flags, out, num_selected_out, num_items);
  }
  template <
    class InputIt, class FlagIt, class OutputIt, class CountIt, class Env = stream_type,
    device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<FlagIt> = 0>
  static error_code Flagged(
    InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out, index_type num_items, const Env& env = {})
  {
    return device_wide::select_flagged<false>(
      device_wide::in_one_phase(env), in, flags, out, num_selected_out, num_items);
  }
  /// The same in place.
  template <
    class It, class FlagIt, class CountIt, class Env = stream_type, device_wide::if_environment_or_zero<Env> = 0>
  static error_code Flagged(
    void* storage, std::size_t& storage_bytes, It data, FlagIt flags, CountIt num_selected_out, index_type num_items,
    const Env& env = {})
  {
    return device_wide::select_flagged<true>(
      device_wide::two_phases(storage, storage_bytes, env), data, flags, data, num_selected_out, num_items);
  }
  template <
    class It, class FlagIt, class CountIt, class Env = stream_type, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<FlagIt> = 0>
  static error_code Flagged(It data, FlagIt flags, CountIt num_selected_out, index_type num_items, const Env& env = {})
  {
    return device_wide::select_flagged<true>(
      device_wide::in_one_phase(env), data, flags, data, num_selected_out, num_items);
  }

  /// The items that satisfy `predicate`.
  template <
    class InputIt, class OutputIt, class CountIt, class Predicate, class Env = stream_type,
    device_wide::if_environment_or_zero<Env> = 0, device_wide::if_not_bytes<CountIt> = 0>
  static error_code If(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items,
    Predicate predicate, const Env& env = {})
  {
    return device_wide::select_if<false>(
      device_wide::two_phases(storage, storage_bytes, env), in, out, num_selected_out, num_items, predicate);
  }
  template <
    class InputIt, class OutputIt, class CountIt, class Predicate, class Env = stream_type,
    device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<OutputIt> = 0>
  static error_code If(
    InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items, Predicate predicate, const Env& env = {})
  {
    return device_wide::select_if<false>(
      device_wide::in_one_phase(env), in, out, num_selected_out, num_items, predicate);
  }
  /// The same in place.
  template <
    class It, class CountIt, class Predicate, class Env = stream_type, device_wide::if_environment_or_zero<Env> = 0>
  static error_code If(
    void* storage, std::size_t& storage_bytes, It data, CountIt num_selected_out, index_type num_items,
    Predicate predicate, const Env& env = {})
  {
    return device_wide::select_if<true>(
      device_wide::two_phases(storage, storage_bytes, env), data, data, num_selected_out, num_items, predicate);
  }
  template <
    class It, class CountIt, class Predicate, class Env = stream_type, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<CountIt> = 0>
  static error_code If(
    It data, CountIt num_selected_out, index_type num_items, Predicate predicate, const Env& env = {})
  {
    return device_wide::select_if<true>(
      device_wide::in_one_phase(env), data, data, num_selected_out, num_items, predicate);
  }

  /// The items whose flag satisfies `predicate`.
  template <
    class InputIt, class FlagIt, class OutputIt, class CountIt, class Predicate, class Env = stream_type,
    device_wide::if_environment_or_zero<Env> = 0, device_wide::if_not_bytes<CountIt> = 0>
  static error_code FlaggedIf(
    void* storage, std::size_t& storage_bytes, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out,
    index_type num_items, Predicate predicate, const Env& env = {})
  {
    return device_wide::select_flagged_if<false>(
      device_wide::two_phases(storage, storage_bytes, env), in, flags, out, num_selected_out, num_items, predicate);
  }
  template <
    class InputIt, class FlagIt, class OutputIt, class CountIt, class Predicate, class Env = stream_type,
    device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<FlagIt> = 0>
  static error_code FlaggedIf(
    InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out, index_type num_items, Predicate predicate,
    const Env& env = {})
  {
    return device_wide::select_flagged_if<false>(
      device_wide::in_one_phase(env), in, flags, out, num_selected_out, num_items, predicate);
  }
  /// The same in place.
  template <
    class It, class FlagIt, class CountIt, class Predicate, class Env = stream_type,
    device_wide::if_environment_or_zero<Env> = 0>
  static error_code FlaggedIf(
    void* storage, std::size_t& storage_bytes, It data, FlagIt flags, CountIt num_selected_out, index_type num_items,
    Predicate predicate, const Env& env = {})
  {
    return device_wide::select_flagged_if<true>(
      device_wide::two_phases(storage, storage_bytes, env), data, flags, data, num_selected_out, num_items, predicate);
  }
  template <
    class It, class FlagIt, class CountIt, class Predicate, class Env = stream_type,
    device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<FlagIt> = 0>
  static error_code FlaggedIf(
    It data, FlagIt flags, CountIt num_selected_out, index_type num_items, Predicate predicate, const Env& env = {})
  {
    return device_wide::select_flagged_if<true>(
      device_wide::in_one_phase(env), data, flags, data, num_selected_out, num_items, predicate);
  }

  /// The first item of every run of equal consecutive items, by == or by `equal`.
  template <
    class InputIt, class OutputIt, class CountIt, class Env = stream_type, device_wide::if_environment_or_zero<Env> = 0,
    device_wide::if_not_bytes<CountIt> = 0>
  static error_code Unique(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items,
    const Env& env = {})
  {
    return device_wide::select_unique<false>(
      device_wide::two_phases(storage, storage_bytes, env), in, out, num_selected_out, num_items,
      device_wide::own_equality{});
  }
  template <
    class InputIt, class OutputIt, class CountIt, class Env = stream_type, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<OutputIt> = 0>
  static error_code Unique(
    InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items, const Env& env = {})
  {
    return device_wide::select_unique<false>(
      device_wide::in_one_phase(env), in, out, num_selected_out, num_items, device_wide::own_equality{});
  }
  template <
    class InputIt, class OutputIt, class CountIt, class Equal, class Env = stream_type,
    device_wide::if_operator<Equal> = 0, device_wide::if_environment_or_zero<Env> = 0,
    device_wide::if_not_bytes<CountIt> = 0>
  static error_code Unique(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items,
    Equal equal, const Env& env = {})
  {
    return device_wide::select_unique<false>(
      device_wide::two_phases(storage, storage_bytes, env), in, out, num_selected_out, num_items, equal);
  }
  template <
    class InputIt, class OutputIt, class CountIt, class Equal, class Env = stream_type,
    device_wide::if_operator<Equal> = 0, device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<OutputIt> = 0>
  static error_code Unique(
    InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items, Equal equal, const Env& env = {})
  {
    return device_wide::select_unique<false>(
      device_wide::in_one_phase(env), in, out, num_selected_out, num_items, equal);
  }
  /// The same in place.
  template <class It, class CountIt, class Env = stream_type, device_wide::if_environment_or_zero<Env> = 0>
  static error_code Unique(
    void* storage, std::size_t& storage_bytes, It data, CountIt num_selected_out, index_type num_items,
    const Env& env = {})
  {
    return device_wide::select_unique<true>(
      device_wide::two_phases(storage, storage_bytes, env), data, data, num_selected_out, num_items,
      device_wide::own_equality{});
  }
  template <
    class It, class CountIt, class Env = stream_type, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<CountIt> = 0>
  static error_code Unique(It data, CountIt num_selected_out, index_type num_items, const Env& env = {})
  {
    return device_wide::select_unique<true>(
      device_wide::in_one_phase(env), data, data, num_selected_out, num_items, device_wide::own_equality{});
  }
  template <
    class It, class CountIt, class Equal, class Env = stream_type, device_wide::if_operator<Equal> = 0,
    device_wide::if_environment_or_zero<Env> = 0>
  static error_code Unique(
    void* storage, std::size_t& storage_bytes, It data, CountIt num_selected_out, index_type num_items, Equal equal,
    const Env& env = {})
  {
    return device_wide::select_unique<true>(
      device_wide::two_phases(storage, storage_bytes, env), data, data, num_selected_out, num_items, equal);
  }
  template <
    class It, class CountIt, class Equal, class Env = stream_type, device_wide::if_operator<Equal> = 0,
    device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<CountIt> = 0>
  static error_code Unique(It data, CountIt num_selected_out, index_type num_items, Equal equal, const Env& env = {})
  {
    return device_wide::select_unique<true>(
      device_wide::in_one_phase(env), data, data, num_selected_out, num_items, equal);
  }

  /// The first key of every run of equal consecutive keys, by == or by `equal`, and the value that goes with it.
  template <
    class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class CountIt, class NumItems,
    class Equal, class Env = stream_type, device_wide::if_operator<Equal> = 0, device_wide::if_count<NumItems> = 0,
    device_wide::if_environment_or_zero<Env> = 0>
  static error_code UniqueByKey(
    void* storage, std::size_t& storage_bytes, KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out,
    ValueOutputIt values_out, CountIt num_selected_out, NumItems num_items, Equal equal, const Env& env = {})
  {
    return device_wide::select_unique_by_key(
      device_wide::two_phases(storage, storage_bytes, env), keys_in, values_in, keys_out, values_out, num_selected_out,
      num_items, equal);
  }
  template <
    class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class CountIt, class NumItems,
    class Equal, class Env = stream_type, device_wide::if_operator<Equal> = 0, device_wide::if_count<NumItems> = 0,
    device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<ValueInputIt> = 0>
  static error_code UniqueByKey(
    KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out, ValueOutputIt values_out,
    CountIt num_selected_out, NumItems num_items, Equal equal, const Env& env = {})
  {
    return device_wide::select_unique_by_key(
      device_wide::in_one_phase(env), keys_in, values_in, keys_out, values_out, num_selected_out, num_items, equal);
  }
  template <
    class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class CountIt, class NumItems,
    class Env = stream_type, device_wide::if_count<NumItems> = 0, device_wide::if_environment_or_zero<Env> = 0>
  static error_code UniqueByKey(
    void* storage, std::size_t& storage_bytes, KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out,
    ValueOutputIt values_out, CountIt num_selected_out, NumItems num_items, const Env& env = {})
  {
    return device_wide::select_unique_by_key(
      device_wide::two_phases(storage, storage_bytes, env), keys_in, values_in, keys_out, values_out, num_selected_out,
      num_items, ::cuda::std::equal_to<>{});
  }
  template <
    class KeyInputIt, class ValueInputIt, class KeyOutputIt, class ValueOutputIt, class CountIt, class NumItems,
    class Env = stream_type, device_wide::if_count<NumItems> = 0, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<ValueInputIt> = 0>
  static error_code UniqueByKey(
    KeyInputIt keys_in, ValueInputIt values_in, KeyOutputIt keys_out, ValueOutputIt values_out,
    CountIt num_selected_out, NumItems num_items, const Env& env = {})
  {
    return device_wide::select_unique_by_key(
      device_wide::in_one_phase(env), keys_in, values_in, keys_out, values_out, num_selected_out, num_items,
      ::cuda::std::equal_to<>{});
  }
};

GIMBAL_NAMESPACE_END
