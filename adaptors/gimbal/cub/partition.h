// gimbal::DevicePartition: the calls of cub::DevicePartition, into one output on gimbal's kernels, into three on CUB's.
#pragma once

#include <gimbal/cub/environment.h>
#include <thrust/iterator/reverse_iterator.h>

#include <gimbal/algorithm/select/partition.cuh>

#if GIMBAL_GPU
#include <cub/device/device_partition.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

/// Partitions of a sequence into one output or three, in two phases or in one (device.h).
///
/// Partitions into one output: the selected items come first in `out`, in their order; the rejected fill its end in
/// reverse order, as CUB's do. `out` holds num_items items and must not overlap `in`. The number of selected items goes
/// to `*num_selected_out`, an output iterator of any integer type. Counts go to 2^63 - 1; zero items write a count of
/// zero. It is one pass (look-back) that reads and writes every item once, on `stream`; no wait. Storage is tile states
/// (device.h) of one count. The result does not depend on timing or device. Returns error_invalid_value for arguments
/// that no call takes (device.h), otherwise the launch's own error. What the kernels do not take goes to CUB (call.h),
/// and so do, after the same checks, all partitions into three outputs. Host code only.
struct DevicePartition {
  /// Selects the items whose flag, converted to bool, is true.
  template <
    class InputIt, class FlagIt, class OutputIt, class CountIt, class NumItems, class Env = stream_type,
    device_wide::if_count<NumItems> = 0, device_wide::if_environment_or_zero<Env> = 0>
  static error_code Flagged(
    void* storage, std::size_t& storage_bytes, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out,
    NumItems num_items, const Env& env = {})
  {
    return flagged(device_wide::two_phases(storage, storage_bytes, env), in, flags, out, num_selected_out, num_items);
  }
  template <
    class InputIt, class FlagIt, class OutputIt, class CountIt, class NumItems, class Env = stream_type,
    device_wide::if_count<NumItems> = 0, device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<FlagIt> = 0>
  static error_code Flagged(
    InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out, NumItems num_items, const Env& env = {})
  {
    return flagged(device_wide::in_one_phase(env), in, flags, out, num_selected_out, num_items);
  }

  /// Selects the items that satisfy `predicate`, which sees every item once, in no particular order.
  template <
    class InputIt, class OutputIt, class CountIt, class Predicate, class NumItems, class Env = stream_type,
    device_wide::if_count<NumItems> = 0, device_wide::if_environment_or_zero<Env> = 0>
  static error_code If(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, NumItems num_items,
    Predicate predicate, const Env& env = {})
  {
    return if_two_way(
      device_wide::two_phases(storage, storage_bytes, env), in, out, num_selected_out, num_items, predicate);
  }
  template <
    class InputIt, class OutputIt, class CountIt, class Predicate, class NumItems, class Env = stream_type,
    device_wide::if_count<NumItems> = 0, device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<OutputIt> = 0>
  static error_code If(
    InputIt in, OutputIt out, CountIt num_selected_out, NumItems num_items, Predicate predicate, const Env& env = {})
  {
    return if_two_way(device_wide::in_one_phase(env), in, out, num_selected_out, num_items, predicate);
  }

  /// Three-way: the items that satisfy `first` to `first_out`, those of the others that satisfy `second` to
  /// `second_out`, the rest to `unselected_out`, each in their order (CUB documents the rest as reversed, and writes it
  /// in order). The numbers of the first two go to num_selected_out[0] and [1]. It is CUB's call, which the host
  /// executor does not have.
  template <
    class InputIt, class FirstIt, class SecondIt, class UnselectedIt, class CountIt, class First, class Second,
    class NumItems, class Env = stream_type, device_wide::if_count<NumItems> = 0,
    device_wide::if_environment_or_zero<Env> = 0>
  static error_code If(
    void* storage, std::size_t& storage_bytes, InputIt in, FirstIt first_out, SecondIt second_out,
    UnselectedIt unselected_out, CountIt num_selected_out, NumItems num_items, First first, Second second,
    const Env& env = {})
  {
    return if_three_way(
      device_wide::two_phases(storage, storage_bytes, env), in, first_out, second_out, unselected_out, num_selected_out,
      num_items, first, second);
  }
  template <
    class InputIt, class FirstIt, class SecondIt, class UnselectedIt, class CountIt, class First, class Second,
    class NumItems, class Env = stream_type, device_wide::if_count<NumItems> = 0, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<FirstIt> = 0>
  static error_code If(
    InputIt in, FirstIt first_out, SecondIt second_out, UnselectedIt unselected_out, CountIt num_selected_out,
    NumItems num_items, First first, Second second, const Env& env = {})
  {
    return if_three_way(
      device_wide::in_one_phase(env), in, first_out, second_out, unselected_out, num_selected_out, num_items, first,
      second);
  }

private:
  template <class How, class InputIt, class Selector, class OutputIt, class CountIt>
  static error_code partition(
    const How& how, InputIt in, const Selector& selector, OutputIt out, CountIt num_selected_out, index_type num_items)
  {
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      const auto front = device_wide::described(out);
      return algorithm::select_plan(
               device_wide::described(in), num_items, selector, front, thrust::make_reverse_iterator(front + num_items),
               device_wide::described(num_selected_out))
        .run(storage, bytes, stream)
        .code;
    });
  }

  template <class How, class InputIt, class FlagIt, class OutputIt, class CountIt, class NumItems>
  static error_code flagged(
    const How& how, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out, NumItems num_items)
  {
    const auto given = how.arguments(num_items).items(in).items(flags).items(out).result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (
      device_wide::takes_v<
        device_wide::reads<InputIt, FlagIt>, device_wide::moves<OutputIt>,
        device_wide::writes<CountIt>> && How::template takes_v<device_wide::determinism::gpu_to_gpu>) {
      using flag_items = decltype(device_wide::described(flags));
      return partition(
        how, in, algorithm::select_flagged<flag_items>{device_wide::described(flags)}, out, num_selected_out,
        given.count());
    } else {
      return how.on_stock(
        [](auto&&... all) {
          return device_wide::stock_for<device_wide::stock::DevicePartition, InputIt>::Flagged(all...);
        },
        in, flags, out, num_selected_out, num_items);
    }
  }

  template <class How, class InputIt, class OutputIt, class CountIt, class NumItems, class Predicate>
  static error_code if_two_way(
    const How& how, InputIt in, OutputIt out, CountIt num_selected_out, NumItems num_items, Predicate predicate)
  {
    const auto given = how.arguments(num_items).items(in).items(out).result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (
      device_wide::takes_v<
        device_wide::reads<InputIt>, device_wide::moves<OutputIt>,
        device_wide::writes<CountIt>> && How::template takes_v<device_wide::determinism::gpu_to_gpu>) {
      return partition(how, in, algorithm::select_if<Predicate>{predicate}, out, num_selected_out, given.count());
    } else {
      return how.on_stock(
        [](auto&&... all) { return device_wide::stock_for<device_wide::stock::DevicePartition, InputIt>::If(all...); },
        in, out, num_selected_out, num_items, predicate);
    }
  }

  template <
    class How, class InputIt, class FirstIt, class SecondIt, class UnselectedIt, class CountIt, class NumItems,
    class First, class Second>
  static error_code if_three_way(
    const How& how, InputIt in, FirstIt first_out, SecondIt second_out, UnselectedIt unselected_out,
    CountIt num_selected_out, NumItems num_items, First first, Second second)
  {
    const auto given = how.arguments(num_items)
                         .items(in)
                         .items(first_out)
                         .items(second_out)
                         .items(unselected_out)
                         .result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    return how.on_stock(
      [](auto&&... all) { return device_wide::stock_for<device_wide::stock::DevicePartition, InputIt>::If(all...); },
      in, first_out, second_out, unselected_out, num_selected_out, num_items, first, second);
  }
};

GIMBAL_NAMESPACE_END
