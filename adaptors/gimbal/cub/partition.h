// gimbal::DevicePartition: the two-way calls of cub::DevicePartition on gimbal's kernels.
#pragma once

#include <gimbal/cub/call.h>
#include <thrust/iterator/reverse_iterator.h>

#include <gimbal/algorithm/select/partition.cuh>

#if GIMBAL_GPU
#include <cub/device/device_partition.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

/// Partitions of a sequence into one output, in two phases: a call with `storage` null stores in `storage_bytes` what
/// the second call needs and does nothing else.
///
/// The selected items stand at the front of `out` in their order; the rejected fill its end in reverse order, as CUB's
/// do. `out` holds num_items items and must not overlap `in`. The number of selected items goes to `*num_selected_out`,
/// an output iterator of any integer type. Counts go to 2^63 - 1; zero items write a count of zero. One pass
/// (look-back) that reads and writes every item once, on `stream`; no wait. Storage is words (device.h) of a count.
/// The result does not depend on timing. Returns error_invalid_value for arguments that no call takes (device.h), otherwise the
/// launch's own error. Values that the kernels cannot hold go to CUB (device.h). Host code only.
struct DevicePartition {
  /// Selects the items whose flag, converted to bool, is true.
  template <class InputIt, class FlagIt, class OutputIt, class CountIt, class NumItems>
  static error_code Flagged(
    void* storage, std::size_t& storage_bytes, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out,
    NumItems num_items, stream_type stream = {})
  {
    using Item = device_wide::value_of<InputIt>;
    const auto given =
      device_wide::arguments(storage, num_items).items(in).items(flags).items(out).result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::are_supported_v<Item>) {
      auto flag_items = device_wide::described(flags);
      return partition(
        storage, storage_bytes, device_wide::described(in), algorithm::select_flagged<decltype(flag_items)>{flag_items},
        device_wide::described(out), device_wide::described(num_selected_out), given.count(), stream);
    } else {
      return device_wide::stock_for<device_wide::stock::DevicePartition, Item>::Flagged(
        storage, storage_bytes, in, flags, out, num_selected_out, num_items, stream);
    }
  }

  /// Selects the items that satisfy `predicate`, which sees every item once, in no particular order.
  template <class InputIt, class OutputIt, class CountIt, class Predicate, class NumItems>
  static error_code If(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, NumItems num_items,
    Predicate predicate, stream_type stream = {})
  {
    using Item = device_wide::value_of<InputIt>;
    const auto given = device_wide::arguments(storage, num_items).items(in).items(out).result(num_selected_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::are_supported_v<Item>) {
      return partition(
        storage, storage_bytes, device_wide::described(in), algorithm::select_if<Predicate>{predicate},
        device_wide::described(out), device_wide::described(num_selected_out), given.count(), stream);
    } else {
      return device_wide::stock_for<device_wide::stock::DevicePartition, Item>::If(
        storage, storage_bytes, in, out, num_selected_out, num_items, predicate, stream);
    }
  }

private:
  template <class InputIt, class Selector, class OutputIt, class CountIt>
  static error_code partition(
    void* storage, std::size_t& storage_bytes, InputIt in, Selector selector, OutputIt out, CountIt num_selected_out,
    index_type num_items, stream_type stream)
  {
    return algorithm::select(
             storage, storage_bytes, in, num_items, selector, out, thrust::make_reverse_iterator(out + num_items),
             num_selected_out, stream)
      .code;
  }
};

GIMBAL_NAMESPACE_END
