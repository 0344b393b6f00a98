// gimbal::DeviceReduce: the calls of cub::DeviceReduce on gimbal's kernels.
#pragma once

#include <gimbal/cub/call.h>
#include <gimbal/tile/accumulator.h>

#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <gimbal/algorithm/reduce/reduce.cuh>

#if GIMBAL_GPU
#include <cub/device/device_reduce.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

/// Reductions of a sequence to one value, in two phases: a call with `storage` null stores in `storage_bytes` what the
/// second call needs and does nothing else.
///
/// The operator must be associative; it need not be commutative: items are combined in their order, the initial value
/// first, but for a standard operator on numbers, which takes them in an order of its own. It is called on items, on
/// results of its own and on the initial value alone. Intermediate results have the type of op(init, item), as CUB deduces it.
/// The tree of the combinations is a function of the count and the types alone: a floating-point result is the same bits in
/// every run, on every device and on the host executor, as far as compilers leave each operation as it is written (nvcc makes
/// one rounding of the two of a product and a sum, unless told not to).
/// `out` may alias `in`. Counts go to 2^63 - 1; with zero items the initial value is written. One launch on `stream`,
/// no wait, every item read once. Storage has room for a partial result of each block, of 2112 blocks at most: 8 bytes for each
/// 4 bytes of one; none is used on a stream that keeps such words (retained_words.h). Returns error_invalid_value for arguments
/// that no call takes (device.h), otherwise the launch's own error. Values that the kernels cannot hold go to CUB (device.h).
/// Host code only.
struct DeviceReduce {
  /// *out = init op in[0] op ... op in[num_items - 1].
  template <class InputIt, class OutputIt, class Op, class T, class NumItems>
  static error_code Reduce(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items, Op op, T init,
    stream_type stream = {})
  {
    const auto given = device_wide::arguments(storage, num_items).items(in).result(out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (device_wide::are_supported_v<accumulator_t<Op, InputIt, T>, T>) {
      return algorithm::reduce(
               storage, storage_bytes, device_wide::described(in), given.count(), device_wide::described(out), op, init,
               stream)
        .code;
    } else {
      return device_wide::stock_for<device_wide::stock::DeviceReduce, T>::Reduce(
        storage, storage_bytes, in, out, num_items, op, init, stream);
    }
  }

  /// *out = 0 + in[0] + ... + in[num_items - 1], starting from the output's value type (the input's where it has none).
  template <class InputIt, class OutputIt, class NumItems>
  static error_code Sum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items, stream_type stream = {})
  {
    using Init = output_value_or<OutputIt, device_wide::value_of<InputIt>>;
    return Reduce(storage, storage_bytes, in, out, num_items, ::cuda::std::plus<>{}, Init{}, stream);
  }

  /// *out = the smallest item, infinite or not; without items numeric_limits::max() of the input's value type, as CUB says.
  /// The operator is cuda::minimum; where some items are NaN it decides, in the tree's order, which item is the result.
  template <class InputIt, class OutputIt, class NumItems>
  static error_code Min(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items, stream_type stream = {})
  {
    using value = device_wide::value_of<InputIt>;
    using limits = ::cuda::std::numeric_limits<value>;
    static_assert(limits::is_specialized, "gimbal: DeviceReduce::Min needs numeric_limits of the input's value type");
    return Reduce(
      storage, storage_bytes, in, out, num_items, ::cuda::minimum<>{}, result_of_nothing<value>{limits::max()}, stream);
  }

  /// *out = the largest item, infinite or not; without items numeric_limits::lowest() of the input's value type, as CUB
  /// says. The operator is cuda::maximum; NaN as for Min.
  template <class InputIt, class OutputIt, class NumItems>
  static error_code Max(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items, stream_type stream = {})
  {
    using value = device_wide::value_of<InputIt>;
    using limits = ::cuda::std::numeric_limits<value>;
    static_assert(limits::is_specialized, "gimbal: DeviceReduce::Max needs numeric_limits of the input's value type");
    return Reduce(
      storage, storage_bytes, in, out, num_items, ::cuda::maximum<>{}, result_of_nothing<value>{limits::lowest()},
      stream);
  }
};

GIMBAL_NAMESPACE_END
