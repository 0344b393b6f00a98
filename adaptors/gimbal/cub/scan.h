// gimbal::DeviceScan: the calls of cub::DeviceScan on gimbal's kernels.
#pragma once

#include <gimbal/cub/accumulators.h>
#include <gimbal/tile/accumulator.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/scan.cuh>
#include <gimbal/algorithm/segmented/segmented_scan.cuh>

#if GIMBAL_GPU
#include <cub/device/device_scan.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

/// True if the kernels take the scan: of values they can hold, with an initial value from the host.
template <class Op, class InputIt, class Init>
constexpr bool is_supported_scan()
{
  if constexpr (is_deferred_v<Init>) {
    return false;
  } else {
    return are_supported_v<accumulator_t<Op, InputIt, Init>>;
  }
}

template <class KeyIt, class Equal>
heads_from_keys<KeyIt, Equal> heads_of_runs(KeyIt keys, Equal equal)
{
  return {keys, equal};
}

}  // namespace device_wide

/// Prefix scans of a sequence, whole or by runs of equal consecutive keys, in two phases: a call with `storage` null
/// stores in `storage_bytes` what the second call needs and does nothing else.
///
/// The operator must be associative; it need not be commutative: items are combined in their order. Intermediate
/// results have the type of op(init, item), as CUB deduces it. The tree is fixed by the count, the types and which of the
/// kernels the device can run (blocks that run at once, copies in bulk), so a floating-point result is the same bits in every
/// run on devices of one kind; other devices and the host executor may combine items in another tree. `out` may be `in` (the forms with one data iterator),
/// and keys may be values; other overlaps are undefined. Counts go to 2^63 - 1; zero items do nothing. One pass
/// (look-back; Merrill and Garland, Single-pass Parallel Prefix Scan, 2016) that reads and writes every item once, on
/// `stream`; no wait. Storage is words (device.h) of the accumulator; by key of a pair of it
/// and a count, and a byte per tile where keys may be overwritten. Returns error_invalid_value for arguments that no call
/// takes (device.h), otherwise the launch's own error. Values that the kernels cannot hold, and a FutureValue, go to CUB (device.h).
/// Host code only.
struct DeviceScan {
  /// out[i] = 0 + in[0] + ... + in[i - 1], starting from the input's value type.
  template <class InputIt, class OutputIt, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code ExclusiveSum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items, stream_type stream = {})
  {
    return ExclusiveScan(
      storage, storage_bytes, in, out, ::cuda::std::plus<>{}, device_wide::value_of<InputIt>{}, num_items, stream);
  }

  /// ExclusiveSum in place.
  template <class It, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code ExclusiveSum(
    void* storage, std::size_t& storage_bytes, It data, NumItems num_items, stream_type stream = {})
  {
    return ExclusiveSum(storage, storage_bytes, data, data, num_items, stream);
  }

  /// out[i] = init op in[0] op ... op in[i - 1].
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code ExclusiveScan(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, Op op, Init init, NumItems num_items,
    stream_type stream = {})
  {
    const auto given = device_wide::arguments(storage, num_items).items(in).items(out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::is_supported_scan<Op, InputIt, Init>()) {
      return algorithm::scan(
               storage, storage_bytes, algorithm::exclusive_scan_tag{}, device_wide::described(in),
               device_wide::described(out), given.count(), op, init, stream)
        .code;
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceScan, InputIt>::ExclusiveScan(
        storage, storage_bytes, in, out, op, init, num_items, stream);
    }
  }

  /// ExclusiveScan in place.
  template <class It, class Op, class Init, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code ExclusiveScan(
    void* storage, std::size_t& storage_bytes, It data, Op op, Init init, NumItems num_items, stream_type stream = {})
  {
    return ExclusiveScan(storage, storage_bytes, data, data, op, init, num_items, stream);
  }

  /// out[i] = in[0] + ... + in[i].
  template <class InputIt, class OutputIt, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code InclusiveSum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items, stream_type stream = {})
  {
    return InclusiveScan(storage, storage_bytes, in, out, ::cuda::std::plus<>{}, num_items, stream);
  }

  /// InclusiveSum in place.
  template <class It, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code InclusiveSum(
    void* storage, std::size_t& storage_bytes, It data, NumItems num_items, stream_type stream = {})
  {
    return InclusiveSum(storage, storage_bytes, data, data, num_items, stream);
  }

  /// out[i] = in[0] op ... op in[i].
  template <class InputIt, class OutputIt, class Op, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code InclusiveScan(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, Op op, NumItems num_items,
    stream_type stream = {})
  {
    const auto given = device_wide::arguments(storage, num_items).items(in).items(out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    const auto items = device_wide::as_accumulators<Op>(in);
    if constexpr (device_wide::is_supported_scan<Op, std::remove_const_t<decltype(items)>, no_init>()) {
      return algorithm::scan(
               storage, storage_bytes, algorithm::inclusive_scan_tag{}, items, device_wide::described(out),
               given.count(), op, no_init{}, stream)
        .code;
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceScan, InputIt>::InclusiveScan(
        storage, storage_bytes, in, out, op, num_items, stream);
    }
  }

  /// InclusiveScan in place.
  template <class It, class Op, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code InclusiveScan(
    void* storage, std::size_t& storage_bytes, It data, Op op, NumItems num_items, stream_type stream = {})
  {
    return InclusiveScan(storage, storage_bytes, data, data, op, num_items, stream);
  }

  /// out[i] = init op in[0] op ... op in[i].
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems>
  static error_code InclusiveScanInit(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, Op op, Init init, NumItems num_items,
    stream_type stream = {})
  {
    const auto given = device_wide::arguments(storage, num_items).items(in).items(out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::is_supported_scan<Op, InputIt, Init>()) {
      return algorithm::scan(
               storage, storage_bytes, algorithm::inclusive_scan_tag{}, device_wide::described(in),
               device_wide::described(out), given.count(), op, init, stream)
        .code;
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceScan, InputIt>::InclusiveScanInit(
        storage, storage_bytes, in, out, op, init, num_items, stream);
    }
  }

  /// ExclusiveSum, restarted at zero wherever a key differs from the one before it.
  template <
    class KeyIt, class InputIt, class OutputIt, class Equal = ::cuda::std::equal_to<>, class NumItems = std::uint32_t>
  static error_code ExclusiveSumByKey(
    void* storage, std::size_t& storage_bytes, KeyIt keys, InputIt values_in, OutputIt values_out, NumItems num_items,
    Equal equal = Equal(), stream_type stream = {})
  {
    return ExclusiveScanByKey(
      storage, storage_bytes, keys, values_in, values_out, ::cuda::std::plus<>{}, device_wide::value_of<InputIt>{},
      num_items, equal, stream);
  }

  /// ExclusiveScan, restarted at `init` wherever a key differs from the one before it.
  template <
    class KeyIt, class InputIt, class OutputIt, class Op, class Init, class Equal = ::cuda::std::equal_to<>,
    class NumItems = std::uint32_t>
  static error_code ExclusiveScanByKey(
    void* storage, std::size_t& storage_bytes, KeyIt keys, InputIt values_in, OutputIt values_out, Op op, Init init,
    NumItems num_items, Equal equal = Equal(), stream_type stream = {})
  {
    const auto given = device_wide::arguments(storage, num_items).items(keys).items(values_in).items(values_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (
      device_wide::is_supported_scan<Op, InputIt, Init>()
      && device_wide::are_supported_v<device_wide::value_of<KeyIt>>) {
      const auto heads = device_wide::heads_of_runs(device_wide::described(keys), equal);
      return algorithm::segmented_scan(
               storage, storage_bytes, algorithm::exclusive_scan_tag{}, heads, device_wide::described(values_in),
               device_wide::described(values_out), given.count(), op, init, no_totals{}, stream)
        .code;
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceScan, InputIt>::ExclusiveScanByKey(
        storage, storage_bytes, keys, values_in, values_out, op, init, num_items, equal, stream);
    }
  }

  /// InclusiveSum, restarted wherever a key differs from the one before it.
  template <
    class KeyIt, class InputIt, class OutputIt, class Equal = ::cuda::std::equal_to<>, class NumItems = std::uint32_t>
  static error_code InclusiveSumByKey(
    void* storage, std::size_t& storage_bytes, KeyIt keys, InputIt values_in, OutputIt values_out, NumItems num_items,
    Equal equal = Equal(), stream_type stream = {})
  {
    return InclusiveScanByKey(
      storage, storage_bytes, keys, values_in, values_out, ::cuda::std::plus<>{}, num_items, equal, stream);
  }

  /// InclusiveScan, restarted wherever a key differs from the one before it.
  template <
    class KeyIt, class InputIt, class OutputIt, class Op, class Equal = ::cuda::std::equal_to<>,
    class NumItems = std::uint32_t>
  static error_code InclusiveScanByKey(
    void* storage, std::size_t& storage_bytes, KeyIt keys, InputIt values_in, OutputIt values_out, Op op,
    NumItems num_items, Equal equal = Equal(), stream_type stream = {})
  {
    const auto given = device_wide::arguments(storage, num_items).items(keys).items(values_in).items(values_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    const auto items = device_wide::as_accumulators<Op>(values_in);
    if constexpr (
      device_wide::is_supported_scan<Op, std::remove_const_t<decltype(items)>, no_init>()
      && device_wide::are_supported_v<device_wide::value_of<KeyIt>>) {
      const auto heads = device_wide::heads_of_runs(device_wide::described(keys), equal);
      return algorithm::segmented_scan(
               storage, storage_bytes, algorithm::inclusive_scan_tag{}, heads, items,
               device_wide::described(values_out), given.count(), op, no_init{}, no_totals{}, stream)
        .code;
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceScan, InputIt>::InclusiveScanByKey(
        storage, storage_bytes, keys, values_in, values_out, op, num_items, equal, stream);
    }
  }
};

GIMBAL_NAMESPACE_END
