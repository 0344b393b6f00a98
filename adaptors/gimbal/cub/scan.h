// gimbal::DeviceScan: the calls of cub::DeviceScan on gimbal's kernels.
#pragma once

#include <gimbal/cub/scan_bodies.h>

GIMBAL_NAMESPACE_BEGIN

/// Prefix scans of a sequence, whole or by runs of equal consecutive keys, in two phases or in one (device.h).
///
/// The operator must be associative; it need not be commutative: items are combined in their order. Intermediate
/// results have the type of op(init, item), as CUB deduces it. The tree is fixed by the count, the types and which of
/// the kernels the device can run (blocks that run at once, copies in bulk), so a floating-point result is the same
/// bits in every run on devices of one kind; other devices and the host executor may combine items in another tree. So
/// of what an environment may require, gpu_to_gpu is given only for standard operators on integers. `out` may be `in`
/// (the forms with one data iterator), and keys may be values; other overlaps are undefined. Counts go to 2^63 - 1;
/// zero items do nothing. Each is one pass (look-back; Merrill and Garland, Single-pass Parallel Prefix Scan, 2016)
/// that reads and writes every item once, on `stream`; no wait. Storage is tile states (device.h) of the accumulator;
/// by key those of a pair of it and a count. Returns error_invalid_value for arguments that no call takes (device.h),
/// otherwise the launch's own error. What the kernels do not take goes to CUB (call.h). Host code only.
struct DeviceScan {
  /// out[i] = 0 + in[0] + ... + in[i - 1], starting from the input's value type.
  template <class InputIt, class OutputIt, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code ExclusiveSum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, in, out,
      ::cuda::std::plus<>{}, device_wide::value_of<InputIt>{}, num_items);
  }
  template <
    class InputIt, class OutputIt, class NumItems, class Env = stream_type, device_wide::if_count<NumItems> = 0,
    device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code ExclusiveSum(InputIt in, OutputIt out, NumItems num_items, const Env& env = {})
  {
    return device_wide::scan(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, in, out, ::cuda::std::plus<>{},
      device_wide::value_of<InputIt>{}, num_items);
  }
  /// The same in place.
  template <class It, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code ExclusiveSum(
    void* storage, std::size_t& storage_bytes, It data, NumItems num_items, device_wide::any_stream stream = {})
  {
    return device_wide::scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, data, data,
      ::cuda::std::plus<>{}, device_wide::value_of<It>{}, num_items);
  }
  template <
    class It, class NumItems, class Env = stream_type, device_wide::if_count<NumItems> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code ExclusiveSum(It data, NumItems num_items, const Env& env = {})
  {
    return device_wide::scan(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, data, data, ::cuda::std::plus<>{},
      device_wide::value_of<It>{}, num_items);
  }

  /// out[i] = init op in[0] op ... op in[i - 1]. `init` may be a FutureValue: then the call is CUB's.
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code ExclusiveScan(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, Op op, Init init, NumItems num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, in, out, op, init,
      num_items);
  }
  template <
    class InputIt, class OutputIt, class Op, class Init, class NumItems, class Env = stream_type,
    device_wide::if_count<NumItems> = 0, device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code ExclusiveScan(InputIt in, OutputIt out, Op op, Init init, NumItems num_items, const Env& env = {})
  {
    return device_wide::scan(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, in, out, op, init, num_items);
  }
  /// The same in place.
  template <class It, class Op, class Init, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code ExclusiveScan(
    void* storage, std::size_t& storage_bytes, It data, Op op, Init init, NumItems num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, data, data, op, init,
      num_items);
  }
  template <
    class It, class Op, class Init, class NumItems, class Env = stream_type, device_wide::if_count<NumItems> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code ExclusiveScan(It data, Op op, Init init, NumItems num_items, const Env& env = {})
  {
    return device_wide::scan(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, data, data, op, init, num_items);
  }

  /// out[i] = in[0] + ... + in[i].
  template <class InputIt, class OutputIt, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code InclusiveSum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, in, out,
      ::cuda::std::plus<>{}, no_init{}, num_items);
  }
  template <
    class InputIt, class OutputIt, class NumItems, class Env = stream_type, device_wide::if_count<NumItems> = 0,
    device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code InclusiveSum(InputIt in, OutputIt out, NumItems num_items, const Env& env = {})
  {
    return device_wide::scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, in, out, ::cuda::std::plus<>{}, no_init{},
      num_items);
  }
  /// The same in place.
  template <class It, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code InclusiveSum(
    void* storage, std::size_t& storage_bytes, It data, NumItems num_items, device_wide::any_stream stream = {})
  {
    return device_wide::scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, data, data,
      ::cuda::std::plus<>{}, no_init{}, num_items);
  }
  template <
    class It, class NumItems, class Env = stream_type, device_wide::if_count<NumItems> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code InclusiveSum(It data, NumItems num_items, const Env& env = {})
  {
    return device_wide::scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, data, data, ::cuda::std::plus<>{}, no_init{},
      num_items);
  }

  /// out[i] = in[0] op ... op in[i].
  template <class InputIt, class OutputIt, class Op, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code InclusiveScan(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, Op op, NumItems num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, in, out, op, no_init{},
      num_items);
  }
  template <
    class InputIt, class OutputIt, class Op, class NumItems, class Env = stream_type,
    device_wide::if_count<NumItems> = 0, device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code InclusiveScan(InputIt in, OutputIt out, Op op, NumItems num_items, const Env& env = {})
  {
    return device_wide::scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, in, out, op, no_init{}, num_items);
  }
  /// The same in place.
  template <class It, class Op, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code InclusiveScan(
    void* storage, std::size_t& storage_bytes, It data, Op op, NumItems num_items, device_wide::any_stream stream = {})
  {
    return device_wide::scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, data, data, op,
      no_init{}, num_items);
  }
  template <
    class It, class Op, class NumItems, class Env = stream_type, device_wide::if_count<NumItems> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code InclusiveScan(It data, Op op, NumItems num_items, const Env& env = {})
  {
    return device_wide::scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, data, data, op, no_init{}, num_items);
  }

  /// out[i] = init op in[0] op ... op in[i]. `init` may be a cuda::args::deferred: then the call is CUB's.
  template <class InputIt, class OutputIt, class Op, class Init, class NumItems, device_wide::if_count<NumItems> = 0>
  static error_code InclusiveScanInit(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, Op op, Init init, NumItems num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, in, out, op, init,
      num_items);
  }
  template <
    class InputIt, class OutputIt, class Op, class Init, class NumItems, class Env = stream_type,
    device_wide::if_count<NumItems> = 0, device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code InclusiveScanInit(
    InputIt in, OutputIt out, Op op, Init init, NumItems num_items, const Env& env = {})
  {
    return device_wide::scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, in, out, op, init, num_items);
  }

  /// ExclusiveSum, restarted at zero wherever a key differs from the one before it.
  template <
    class KeyIt, class InputIt, class OutputIt, class Equal = ::cuda::std::equal_to<>, class NumItems = std::uint32_t>
  static error_code ExclusiveSumByKey(
    void* storage, std::size_t& storage_bytes, KeyIt keys, InputIt values_in, OutputIt values_out, NumItems num_items,
    Equal equal = Equal(), device_wide::any_stream stream = {})
  {
    return device_wide::scan_by_key(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, keys, values_in,
      values_out, ::cuda::std::plus<>{}, device_wide::value_of<InputIt>{}, num_items, equal);
  }
  template <
    class KeyIt, class InputIt, class OutputIt, class Equal = ::cuda::std::equal_to<>, class NumItems = std::uint32_t,
    class Env = stream_type, device_wide::if_count<NumItems> = 0, device_wide::if_not_bytes<InputIt> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code ExclusiveSumByKey(
    KeyIt keys, InputIt values_in, OutputIt values_out, NumItems num_items, Equal equal = Equal(), const Env& env = {})
  {
    return device_wide::scan_by_key(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, keys, values_in, values_out,
      ::cuda::std::plus<>{}, device_wide::value_of<InputIt>{}, num_items, equal);
  }

  /// ExclusiveScan, restarted at `init` wherever a key differs from the one before it.
  template <
    class KeyIt, class InputIt, class OutputIt, class Op, class Init, class Equal = ::cuda::std::equal_to<>,
    class NumItems = std::uint32_t>
  static error_code ExclusiveScanByKey(
    void* storage, std::size_t& storage_bytes, KeyIt keys, InputIt values_in, OutputIt values_out, Op op, Init init,
    NumItems num_items, Equal equal = Equal(), device_wide::any_stream stream = {})
  {
    return device_wide::scan_by_key(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, keys, values_in,
      values_out, op, init, num_items, equal);
  }
  template <
    class KeyIt, class InputIt, class OutputIt, class Op, class Init, class Equal = ::cuda::std::equal_to<>,
    class NumItems = std::uint32_t, class Env = stream_type, device_wide::if_count<NumItems> = 0,
    device_wide::if_not_bytes<InputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code ExclusiveScanByKey(
    KeyIt keys, InputIt values_in, OutputIt values_out, Op op, Init init, NumItems num_items, Equal equal = Equal(),
    const Env& env = {})
  {
    return device_wide::scan_by_key(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, keys, values_in, values_out, op, init, num_items,
      equal);
  }

  /// InclusiveSum, restarted wherever a key differs from the one before it.
  template <
    class KeyIt, class InputIt, class OutputIt, class Equal = ::cuda::std::equal_to<>, class NumItems = std::uint32_t>
  static error_code InclusiveSumByKey(
    void* storage, std::size_t& storage_bytes, KeyIt keys, InputIt values_in, OutputIt values_out, NumItems num_items,
    Equal equal = Equal(), device_wide::any_stream stream = {})
  {
    return device_wide::scan_by_key(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, keys, values_in,
      values_out, ::cuda::std::plus<>{}, no_init{}, num_items, equal);
  }
  template <
    class KeyIt, class InputIt, class OutputIt, class Equal = ::cuda::std::equal_to<>, class NumItems = std::uint32_t,
    class Env = stream_type, device_wide::if_count<NumItems> = 0, device_wide::if_not_bytes<InputIt> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code InclusiveSumByKey(
    KeyIt keys, InputIt values_in, OutputIt values_out, NumItems num_items, Equal equal = Equal(), const Env& env = {})
  {
    return device_wide::scan_by_key(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, keys, values_in, values_out,
      ::cuda::std::plus<>{}, no_init{}, num_items, equal);
  }

  /// InclusiveScan, restarted wherever a key differs from the one before it.
  template <
    class KeyIt, class InputIt, class OutputIt, class Op, class Equal = ::cuda::std::equal_to<>,
    class NumItems = std::uint32_t>
  static error_code InclusiveScanByKey(
    void* storage, std::size_t& storage_bytes, KeyIt keys, InputIt values_in, OutputIt values_out, Op op,
    NumItems num_items, Equal equal = Equal(), device_wide::any_stream stream = {})
  {
    return device_wide::scan_by_key(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, keys, values_in,
      values_out, op, no_init{}, num_items, equal);
  }
  template <
    class KeyIt, class InputIt, class OutputIt, class Op, class Equal = ::cuda::std::equal_to<>,
    class NumItems = std::uint32_t, class Env = stream_type, device_wide::if_count<NumItems> = 0,
    device_wide::if_not_bytes<InputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code InclusiveScanByKey(
    KeyIt keys, InputIt values_in, OutputIt values_out, Op op, NumItems num_items, Equal equal = Equal(),
    const Env& env = {})
  {
    return device_wide::scan_by_key(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, keys, values_in, values_out, op, no_init{},
      num_items, equal);
  }
};

GIMBAL_NAMESPACE_END
