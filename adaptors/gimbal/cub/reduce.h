// gimbal::DeviceReduce: the calls of cub::DeviceReduce on gimbal's kernels.
#pragma once

#include <gimbal/cub/reduce_bodies.h>

#include <cuda/functional>

GIMBAL_NAMESPACE_BEGIN

/// Reductions of a sequence to one value, or to one of each run of equal keys, in two phases or in one (device.h).
///
/// The operator must be associative; it need not be commutative: items are combined in their order, the initial value
/// first, except by a standard operator on numbers, which takes them in an order of its own. It is called only on
/// items, on its own results and on the initial value. Intermediate results have the type of op(init, item), as CUB
/// deduces it. The tree of the combinations is a function of the count and the types alone: a floating-point result is
/// the same bits in every run, on every device and on the host executor, as far as compilers leave each operation as it
/// is written (nvcc makes one rounding of the two of a product and a sum, unless told not to); by key, on every device
/// of one kind. So every determinism that an environment may require is given, except gpu_to_gpu by key. `out` may
/// alias `in`, but not by key. Counts go to 2^63 - 1. Each is one launch on `stream`, without a wait; every item is
/// read once. Storage has room for a partial result of each block, of 2112 blocks at most: 8 bytes for each 4 bytes of
/// one; none is used on a stream that keeps such states (launch_plan.h). Returns error_invalid_value for arguments
/// that no call takes (device.h), otherwise the launch's own error. What the kernels do not take goes to CUB (call.h).
/// Host code only.
struct DeviceReduce {
  /// *out = init op in[0] op ... op in[num_items - 1]; init without items.
  template <class InputIt, class OutputIt, class Op, class T, class NumItems>
  static error_code Reduce(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items, Op op, T init,
    device_wide::any_stream stream = {})
  {
    return device_wide::reduce(device_wide::two_phases(storage, storage_bytes, stream), in, out, num_items, op, init);
  }
  template <
    class InputIt, class OutputIt, class Op, class T, class NumItems, class Env = stream_type,
    device_wide::if_environment<Env> = 0>
  static error_code Reduce(InputIt in, OutputIt out, NumItems num_items, Op op, T init, const Env& env = {})
  {
    return device_wide::reduce(device_wide::in_one_phase(env), in, out, num_items, op, init);
  }

  /// *out = 0 + in[0] + ... + in[num_items - 1], starting from the output's value type (the input's where it has none).
  template <class InputIt, class OutputIt, class NumItems>
  static error_code Sum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items,
    device_wide::any_stream stream = {})
  {
    return sum(device_wide::two_phases(storage, storage_bytes, stream), in, out, num_items);
  }
  template <
    class InputIt, class OutputIt, class NumItems, class Env = stream_type, device_wide::if_environment<Env> = 0>
  static error_code Sum(InputIt in, OutputIt out, NumItems num_items, const Env& env = {})
  {
    return sum(device_wide::in_one_phase(env), in, out, num_items);
  }

  /// *out = the smallest item, infinite or not; without items numeric_limits::max() of the input's value type, as in
  /// CUB. The operator is cuda::minimum; where some items are NaN it decides, in the tree's order, which item is the
  /// result. In one phase the output's value type replaces the input's: where they differ its limit is an initial
  /// value, as in CUB.
  template <class InputIt, class OutputIt, class NumItems>
  static error_code Min(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::reduce(
      device_wide::two_phases(storage, storage_bytes, stream), in, out, num_items, ::cuda::minimum<>{},
      device_wide::limit<false, device_wide::value_of<InputIt>, device_wide::value_of<InputIt>>());
  }
  template <
    class InputIt, class OutputIt, class NumItems, class Env = stream_type, device_wide::if_environment<Env> = 0>
  static error_code Min(InputIt in, OutputIt out, NumItems num_items, const Env& env = {})
  {
    using value = device_wide::value_of<InputIt>;
    return device_wide::reduce(
      device_wide::in_one_phase(env), in, out, num_items, ::cuda::minimum<>{},
      device_wide::limit<false, value, output_value_or<OutputIt, value>>());
  }

  /// *out = the largest item, infinite or not; without items numeric_limits::lowest() of the input's value type, as in
  /// CUB. The operator is cuda::maximum; NaN and calls in one phase are as for Min.
  template <class InputIt, class OutputIt, class NumItems>
  static error_code Max(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::reduce(
      device_wide::two_phases(storage, storage_bytes, stream), in, out, num_items, ::cuda::maximum<>{},
      device_wide::limit<true, device_wide::value_of<InputIt>, device_wide::value_of<InputIt>>());
  }
  template <
    class InputIt, class OutputIt, class NumItems, class Env = stream_type, device_wide::if_environment<Env> = 0>
  static error_code Max(InputIt in, OutputIt out, NumItems num_items, const Env& env = {})
  {
    using value = device_wide::value_of<InputIt>;
    return device_wide::reduce(
      device_wide::in_one_phase(env), in, out, num_items, ::cuda::maximum<>{},
      device_wide::limit<true, value, output_value_or<OutputIt, value>>());
  }

  /// *out = init op f(in[0]) op ... op f(in[num_items - 1]), f being `transform`, called on copies of items.
  /// Intermediate results have the type of op(init, f(item)).
  template <class InputIt, class OutputIt, class Op, class Transform, class T, class NumItems>
  static error_code TransformReduce(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, NumItems num_items, Op op, Transform transform,
    T init, device_wide::any_stream stream = {})
  {
    return device_wide::transform_reduce(
      device_wide::two_phases(storage, storage_bytes, stream), in, out, num_items, op, transform, init);
  }
  template <
    class InputIt, class OutputIt, class Op, class Transform, class T, class NumItems, class Env = stream_type,
    device_wide::if_environment<Env> = 0>
  static error_code TransformReduce(
    InputIt in, OutputIt out, NumItems num_items, Op op, Transform transform, T init, const Env& env = {})
  {
    return device_wide::transform_reduce(device_wide::in_one_phase(env), in, out, num_items, op, transform, init);
  }

  /// For each run of equal consecutive keys its first key and in[i] op ... op in[j] of its values; *num_runs_out = the
  /// number of runs. Keys are compared by ==: of equal ones that are not the same CUB writes the last. Intermediate
  /// results have the type of op(item, item).
  template <class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class CountIt, class Op, class NumItems>
  static error_code ReduceByKey(
    void* storage, std::size_t& storage_bytes, KeyIt keys_in, KeyOutputIt unique_out, ValueIt values_in,
    ValueOutputIt aggregates_out, CountIt num_runs_out, Op op, NumItems num_items, device_wide::any_stream stream = {})
  {
    return device_wide::reduce_by_key(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, unique_out, values_in, aggregates_out,
      num_runs_out, op, num_items);
  }
  template <
    class KeyIt, class KeyOutputIt, class ValueIt, class ValueOutputIt, class CountIt, class Op, class NumItems,
    class Env = stream_type, device_wide::if_environment<Env> = 0>
  static error_code ReduceByKey(
    KeyIt keys_in, KeyOutputIt unique_out, ValueIt values_in, ValueOutputIt aggregates_out, CountIt num_runs_out, Op op,
    NumItems num_items, const Env& env = {})
  {
    return device_wide::reduce_by_key(
      device_wide::in_one_phase(env), keys_in, unique_out, values_in, aggregates_out, num_runs_out, op, num_items);
  }

  /// *min_out = the smallest item, *index_out = its position; of equal ones the first's. Items are compared by <, or by
  /// `compare`, a strict weak ordering. Without items the position is 1 and the item numeric_limits::max(), or T{}
  /// where a `compare` other than cuda::std::less orders items or they have no limits, as CUB documents (it writes
  /// nothing). Items are compared as they are, before they are converted to what `min_out` takes. No output may be in
  /// the input.
  template <
    class InputIt, class ExtremumIt, class IndexIt, class Env = stream_type,
    device_wide::if_environment_or_zero<Env> = 0>
  static error_code ArgMin(
    void* storage, std::size_t& storage_bytes, InputIt in, ExtremumIt min_out, IndexIt index_out, index_type num_items,
    const Env& env = {})
  {
    return device_wide::arg_extremum<false>(
      device_wide::two_phases(storage, storage_bytes, env), in, min_out, index_out, num_items,
      device_wide::own_order<false>{}, stock_arg_min<InputIt>{});
  }
  template <
    class InputIt, class ExtremumIt, class IndexIt, class Compare, class Env = stream_type,
    device_wide::if_operator<Compare> = 0, device_wide::if_environment_or_zero<Env> = 0>
  static error_code ArgMin(
    void* storage, std::size_t& storage_bytes, InputIt in, ExtremumIt min_out, IndexIt index_out, index_type num_items,
    Compare compare, const Env& env = {})
  {
    return device_wide::arg_extremum<false>(
      device_wide::two_phases(storage, storage_bytes, env), in, min_out, index_out, num_items, compare,
      stock_arg_min<InputIt>{});
  }
  template <
    class InputIt, class ExtremumIt, class IndexIt, class Env = stream_type, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<ExtremumIt> = 0>
  static error_code ArgMin(InputIt in, ExtremumIt min_out, IndexIt index_out, index_type num_items, const Env& env = {})
  {
    return device_wide::arg_extremum<false>(
      device_wide::in_one_phase(env), in, min_out, index_out, num_items, device_wide::own_order<false>{},
      stock_arg_min<InputIt>{});
  }
  template <
    class InputIt, class ExtremumIt, class IndexIt, class Compare, class Env = stream_type,
    device_wide::if_operator<Compare> = 0, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<ExtremumIt> = 0>
  static error_code ArgMin(
    InputIt in, ExtremumIt min_out, IndexIt index_out, index_type num_items, Compare compare, const Env& env = {})
  {
    return device_wide::arg_extremum<false>(
      device_wide::in_one_phase(env), in, min_out, index_out, num_items, compare, stock_arg_min<InputIt>{});
  }
  /// The same as a cub::KeyValuePair of index and item. CUB deprecates this form.
  template <class InputIt, class OutputIt>
  static error_code ArgMin(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, int num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::arg_pair<false>(
      device_wide::two_phases(storage, storage_bytes, stream), in, out, num_items, stock_arg_min<InputIt>{});
  }

  /// *max_out = the largest item, *index_out = its position; of equal ones the first's. Items are compared by >, or by
  /// `compare`, which is a less-than. Without items as ArgMin, with lowest().
  template <
    class InputIt, class ExtremumIt, class IndexIt, class Env = stream_type,
    device_wide::if_environment_or_zero<Env> = 0>
  static error_code ArgMax(
    void* storage, std::size_t& storage_bytes, InputIt in, ExtremumIt max_out, IndexIt index_out, index_type num_items,
    const Env& env = {})
  {
    return device_wide::arg_extremum<true>(
      device_wide::two_phases(storage, storage_bytes, env), in, max_out, index_out, num_items,
      device_wide::own_order<true>{}, stock_arg_max<InputIt>{});
  }
  template <
    class InputIt, class ExtremumIt, class IndexIt, class Compare, class Env = stream_type,
    device_wide::if_operator<Compare> = 0, device_wide::if_environment_or_zero<Env> = 0>
  static error_code ArgMax(
    void* storage, std::size_t& storage_bytes, InputIt in, ExtremumIt max_out, IndexIt index_out, index_type num_items,
    Compare compare, const Env& env = {})
  {
    return device_wide::arg_extremum<true>(
      device_wide::two_phases(storage, storage_bytes, env), in, max_out, index_out, num_items, compare,
      stock_arg_max<InputIt>{});
  }
  template <
    class InputIt, class ExtremumIt, class IndexIt, class Env = stream_type, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<ExtremumIt> = 0>
  static error_code ArgMax(InputIt in, ExtremumIt max_out, IndexIt index_out, index_type num_items, const Env& env = {})
  {
    return device_wide::arg_extremum<true>(
      device_wide::in_one_phase(env), in, max_out, index_out, num_items, device_wide::own_order<true>{},
      stock_arg_max<InputIt>{});
  }
  template <
    class InputIt, class ExtremumIt, class IndexIt, class Compare, class Env = stream_type,
    device_wide::if_operator<Compare> = 0, device_wide::if_environment<Env> = 0,
    device_wide::if_not_bytes<ExtremumIt> = 0>
  static error_code ArgMax(
    InputIt in, ExtremumIt max_out, IndexIt index_out, index_type num_items, Compare compare, const Env& env = {})
  {
    return device_wide::arg_extremum<true>(
      device_wide::in_one_phase(env), in, max_out, index_out, num_items, compare, stock_arg_max<InputIt>{});
  }
  /// The same as a cub::KeyValuePair of index and item. CUB deprecates this form.
  template <class InputIt, class OutputIt>
  static error_code ArgMax(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, int num_items,
    device_wide::any_stream stream = {})
  {
    return device_wide::arg_pair<true>(
      device_wide::two_phases(storage, storage_bytes, stream), in, out, num_items, stock_arg_max<InputIt>{});
  }

  /// The least item and its position, and the greatest and its, as ArgMin and ArgMax at once, by < or by `compare`: of
  /// equal ones the first's.
  template <
    class InputIt, class MinIt, class MinIndexIt, class MaxIt, class MaxIndexIt, class Env = stream_type,
    device_wide::if_environment_or_zero<Env> = 0>
  static error_code ArgMinMax(
    void* storage, std::size_t& storage_bytes, InputIt in, MinIt min_out, MinIndexIt min_index_out, MaxIt max_out,
    MaxIndexIt max_index_out, index_type num_items, const Env& env = {})
  {
    return device_wide::arg_extrema<false>(
      device_wide::two_phases(storage, storage_bytes, env), in, min_out, min_index_out, max_out, max_index_out,
      num_items, device_wide::own_order<false>{}, stock_arg_min_max<InputIt>{});
  }
  template <
    class InputIt, class MinIt, class MinIndexIt, class MaxIt, class MaxIndexIt, class Compare, class Env = stream_type,
    device_wide::if_operator<Compare> = 0, device_wide::if_environment_or_zero<Env> = 0>
  static error_code ArgMinMax(
    void* storage, std::size_t& storage_bytes, InputIt in, MinIt min_out, MinIndexIt min_index_out, MaxIt max_out,
    MaxIndexIt max_index_out, index_type num_items, Compare compare, const Env& env = {})
  {
    return device_wide::arg_extrema<false>(
      device_wide::two_phases(storage, storage_bytes, env), in, min_out, min_index_out, max_out, max_index_out,
      num_items, compare, stock_arg_min_max<InputIt>{});
  }
  template <
    class InputIt, class MinIt, class MinIndexIt, class MaxIt, class MaxIndexIt, class Env = stream_type,
    device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<MinIt> = 0>
  static error_code ArgMinMax(
    InputIt in, MinIt min_out, MinIndexIt min_index_out, MaxIt max_out, MaxIndexIt max_index_out, index_type num_items,
    const Env& env = {})
  {
    return device_wide::arg_extrema<false>(
      device_wide::in_one_phase(env), in, min_out, min_index_out, max_out, max_index_out, num_items,
      device_wide::own_order<false>{}, stock_arg_min_max<InputIt>{});
  }
  template <
    class InputIt, class MinIt, class MinIndexIt, class MaxIt, class MaxIndexIt, class Compare, class Env = stream_type,
    device_wide::if_operator<Compare> = 0, device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<MinIt> = 0>
  static error_code ArgMinMax(
    InputIt in, MinIt min_out, MinIndexIt min_index_out, MaxIt max_out, MaxIndexIt max_index_out, index_type num_items,
    Compare compare, const Env& env = {})
  {
    return device_wide::arg_extrema<false>(
      device_wide::in_one_phase(env), in, min_out, min_index_out, max_out, max_index_out, num_items, compare,
      stock_arg_min_max<InputIt>{});
  }

  /// The same, but with the position of the last of equal greatest items.
  template <
    class InputIt, class MinIt, class MinIndexIt, class MaxIt, class MaxIndexIt, class Env = stream_type,
    device_wide::if_environment_or_zero<Env> = 0>
  static error_code ArgMinLastMax(
    void* storage, std::size_t& storage_bytes, InputIt in, MinIt min_out, MinIndexIt min_index_out, MaxIt max_out,
    MaxIndexIt max_index_out, index_type num_items, const Env& env = {})
  {
    return device_wide::arg_extrema<true>(
      device_wide::two_phases(storage, storage_bytes, env), in, min_out, min_index_out, max_out, max_index_out,
      num_items, device_wide::own_order<false>{}, stock_arg_min_last_max<InputIt>{});
  }
  template <
    class InputIt, class MinIt, class MinIndexIt, class MaxIt, class MaxIndexIt, class Compare, class Env = stream_type,
    device_wide::if_operator<Compare> = 0, device_wide::if_environment_or_zero<Env> = 0>
  static error_code ArgMinLastMax(
    void* storage, std::size_t& storage_bytes, InputIt in, MinIt min_out, MinIndexIt min_index_out, MaxIt max_out,
    MaxIndexIt max_index_out, index_type num_items, Compare compare, const Env& env = {})
  {
    return device_wide::arg_extrema<true>(
      device_wide::two_phases(storage, storage_bytes, env), in, min_out, min_index_out, max_out, max_index_out,
      num_items, compare, stock_arg_min_last_max<InputIt>{});
  }
  template <
    class InputIt, class MinIt, class MinIndexIt, class MaxIt, class MaxIndexIt, class Env = stream_type,
    device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<MinIt> = 0>
  static error_code ArgMinLastMax(
    InputIt in, MinIt min_out, MinIndexIt min_index_out, MaxIt max_out, MaxIndexIt max_index_out, index_type num_items,
    const Env& env = {})
  {
    return device_wide::arg_extrema<true>(
      device_wide::in_one_phase(env), in, min_out, min_index_out, max_out, max_index_out, num_items,
      device_wide::own_order<false>{}, stock_arg_min_last_max<InputIt>{});
  }
  template <
    class InputIt, class MinIt, class MinIndexIt, class MaxIt, class MaxIndexIt, class Compare, class Env = stream_type,
    device_wide::if_operator<Compare> = 0, device_wide::if_environment<Env> = 0, device_wide::if_not_bytes<MinIt> = 0>
  static error_code ArgMinLastMax(
    InputIt in, MinIt min_out, MinIndexIt min_index_out, MaxIt max_out, MaxIndexIt max_index_out, index_type num_items,
    Compare compare, const Env& env = {})
  {
    return device_wide::arg_extrema<true>(
      device_wide::in_one_phase(env), in, min_out, min_index_out, max_out, max_index_out, num_items, compare,
      stock_arg_min_last_max<InputIt>{});
  }

private:
  template <class How, class InputIt, class OutputIt, class NumItems>
  static error_code sum(const How& how, InputIt in, OutputIt out, NumItems num_items)
  {
    using value = output_value_or<OutputIt, device_wide::value_of<InputIt>>;
    return device_wide::reduce(how, in, out, num_items, ::cuda::std::plus<>{}, value{});
  }

  // CUB's calls, for what the kernels do not take.
  template <class Seen>
  struct stock_arg_min {
    template <class... Given>
    error_code operator()(Given&&... given) const
    {
      return device_wide::stock_for<device_wide::stock::DeviceReduce, Seen>::ArgMin(given...);
    }
  };
  template <class Seen>
  struct stock_arg_max {
    template <class... Given>
    error_code operator()(Given&&... given) const
    {
      return device_wide::stock_for<device_wide::stock::DeviceReduce, Seen>::ArgMax(given...);
    }
  };
  template <class Seen>
  struct stock_arg_min_max {
    template <class... Given>
    error_code operator()(Given&&... given) const
    {
      return device_wide::stock_for<device_wide::stock::DeviceReduce, Seen>::ArgMinMax(given...);
    }
  };
  template <class Seen>
  struct stock_arg_min_last_max {
    template <class... Given>
    error_code operator()(Given&&... given) const
    {
      return device_wide::stock_for<device_wide::stock::DeviceReduce, Seen>::ArgMinLastMax(given...);
    }
  };
};

GIMBAL_NAMESPACE_END
