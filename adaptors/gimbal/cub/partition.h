// gimbal::DevicePartition: the two-way calls of cub::DevicePartition on gimbal's kernels.
#pragma once

#include <gimbal/cub/call.h>
#include <thrust/iterator/reverse_iterator.h>

#include <gimbal/kernel/partition.cuh>

GIMBAL_NAMESPACE_BEGIN

/// Partitions of a sequence into one output, in two phases: a call with `storage` null stores in `storage_bytes` what
/// the second call needs and does nothing else.
///
/// The selected items stand at the front of `out` in their order; the rejected fill its end in reverse order, as CUB's
/// do. `out` holds num_items items and must not overlap `in`. The number of selected items goes to `*num_selected_out`,
/// an output iterator of any integer type. Counts go to 2^63 - 1; zero items write a count of zero. One pass
/// (look-back) that reads and writes every item once, on `stream`; no wait. Storage is some words per tile of items.
/// The result does not depend on timing. Returns error_invalid_value for a negative count or too little storage,
/// otherwise the launch's own error. Nothing falls back to CUB: value types the kernels cannot take do not compile.
/// Host code only.
struct DevicePartition {
  /// Selects the items whose flag, converted to bool, is true.
  template <class InputIt, class FlagIt, class OutputIt, class CountIt, class NumItems>
  static error_code Flagged(
    void* storage, std::size_t& storage_bytes, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out,
    NumItems num_items, stream_type stream = {})
  {
    return partition(
      storage, storage_bytes, in, kernel::select_flagged<FlagIt>{flags}, out, num_selected_out, num_items, stream);
  }

  /// Selects the items that satisfy `predicate`, which sees every item once, in no particular order.
  template <class InputIt, class OutputIt, class CountIt, class Predicate, class NumItems>
  static error_code If(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, CountIt num_selected_out, NumItems num_items,
    Predicate predicate, stream_type stream = {})
  {
    return partition(
      storage, storage_bytes, in, kernel::select_if<Predicate>{predicate}, out, num_selected_out, num_items, stream);
  }

private:
  template <class InputIt, class Selector, class OutputIt, class CountIt, class NumItems>
  static error_code partition(
    void* storage, std::size_t& storage_bytes, InputIt in, Selector selector, OutputIt out, CountIt num_selected_out,
    NumItems num_items, stream_type stream)
  {
    device_wide::require_supported_value<device_wide::value_of<InputIt>>();
    if (!device_wide::is_valid_count(num_items)) {
      return simt::error_invalid_value;
    }
    const index_type count = static_cast<index_type>(num_items);
    return kernel::select(
             storage, storage_bytes, in, count, selector, out, thrust::make_reverse_iterator(out + count),
             num_selected_out, stream)
      .code;
  }
};

GIMBAL_NAMESPACE_END
