// The bodies of DeviceReduce's calls, in terms of `how` the caller calls (environment.h).
#pragma once

#include <gimbal/cub/accumulators.h>
#include <gimbal/cub/environment.h>
#include <gimbal/cub/types.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/tile/functors.h>
#include <thrust/iterator/zip_iterator.h>

#include <cuda/std/functional>
#include <cuda/std/limits>
#include <gimbal/algorithm/reduce/reduce.cuh>
#include <gimbal/algorithm/scan/reduce_by_key.cuh>

#if GIMBAL_GPU
#include <cub/device/device_reduce.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

/// For takes_v: true if the kernels can hold an item and its index, or two.
template <class InputIt>
struct holds_candidates : holds<functor::candidate<value_of<InputIt>>> {
};
template <class InputIt>
struct holds_two_candidates
    : holds<thrust::tuple<functor::candidate<value_of<InputIt>>, functor::candidate<value_of<InputIt>>>> {
};

/// What `transform` makes of the items, of which it is given copies, as by CUB.
template <class InputIt, class Transform>
auto transformed(InputIt in, Transform transform)
{
  return adaptor::transformed<adaptor::result_value<Transform, InputIt>, true>(in, transform);
}

template <class Op, class Transform, class InputIt, class Init>
struct accumulates_transformed
    : ::cuda::std::conjunction<
        holds<adaptor::result_value<Transform, InputIt>>,
        accumulates<
          Op, decltype(device_wide::transformed(::cuda::std::declval<InputIt>(), ::cuda::std::declval<Transform>())),
          Init>> {
};

/// An initial value as CUB takes it.
template <class Init>
Init for_stock(Init init)
{
  return init;
}
template <class T>
T for_stock(result_of_nothing<T> init)
{
  return init;
}

/// The start of a Min or Max: the limit that is written for no items. Where that is not of the items' type, it is an
/// initial value.
template <bool IsGreatest, class Value, class Result>
auto limit()
{
  using limits = ::cuda::std::numeric_limits<Result>;
#ifndef CCCL_SUPPRESS_NUMERIC_LIMITS_CHECK_IN_CUB_DEVICE_REDUCE_MIN_MAX
  static_assert(limits::is_specialized, "gimbal: DeviceReduce::Min and Max need numeric_limits of the value type");
#endif
  const Result value = IsGreatest ? (limits::lowest)() : (limits::max)();
  if constexpr (::cuda::std::is_same_v<Value, Result>) {
    return result_of_nothing<Result>{value};
  } else {
    return value;
  }
}

template <class How, class InputIt, class OutputIt, class NumItems, class Op, class Init>
error_code reduce(const How& how, InputIt in, OutputIt out, NumItems num_items, Op op, Init init)
{
  const auto given = how.arguments(num_items).items(in).result(out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (
    takes_v<
      reads<InputIt>, writes<OutputIt>, knows<NumItems, Init>, holds<Init>,
      accumulates<Op, InputIt, Init>> && How::template takes_v<determinism::gpu_to_gpu>) {
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      return algorithm::reduce(
               storage, bytes, device_wide::described(in), given.count(), device_wide::described(out), op, init, stream)
        .code;
    });
  } else {
    return how.on_stock(
      [](auto&&... all) { return stock_for<stock::DeviceReduce, InputIt>::Reduce(all...); }, in, out, num_items, op,
      device_wide::for_stock(init));
  }
}

template <class How, class InputIt, class OutputIt, class NumItems, class Op, class Transform, class Init>
error_code transform_reduce(
  const How& how, InputIt in, OutputIt out, NumItems num_items, Op op, Transform transform, Init init)
{
  const auto given = how.arguments(num_items).items(in).result(out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (
    takes_v<
      reads<InputIt>, writes<OutputIt>, knows<NumItems, Init>, holds<Init>,
      accumulates_transformed<Op, Transform, InputIt, Init>> && How::template takes_v<determinism::gpu_to_gpu>) {
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      return algorithm::reduce(
               storage, bytes, device_wide::transformed(in, transform), given.count(), device_wide::described(out), op,
               init, stream)
        .code;
    });
  } else {
    return how.on_stock(
      [](auto&&... all) { return stock_for<stock::DeviceReduce, InputIt>::TransformReduce(all...); }, in, out,
      num_items, op, transform, init);
  }
}

template <class How, class KeyIt, class KeyOut, class ValueIt, class ValueOut, class CountIt, class Op, class NumItems>
error_code reduce_by_key(
  const How& how, KeyIt keys, KeyOut keys_out, ValueIt values, ValueOut values_out, CountIt num_runs_out, Op op,
  NumItems num_items)
{
  const auto given =
    how.arguments(num_items).items(keys).items(keys_out).items(values).items(values_out).result(num_runs_out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (
    takes_v<
      reads<KeyIt, ValueIt>, writes<KeyOut, ValueOut, CountIt>, knows<NumItems>,
      accumulates<Op, ValueIt, no_init>> && How::template takes_v<determinism::run_to_run>) {
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      return algorithm::reduce_by_key_plan(
               device_wide::described(keys), device_wide::as_accumulators<Op>(values), device_wide::described(keys_out),
               device_wide::described(values_out), device_wide::described(num_runs_out), given.count(),
               ::cuda::std::equal_to<>{}, op)
        .run(storage, bytes, stream)
        .code;
    });
  } else {
    return how.on_stock(
      [](auto&&... all) { return stock_for<stock::DeviceReduce, ValueIt>::ReduceByKey(all...); }, keys, keys_out,
      values, values_out, num_runs_out, op, num_items);
  }
}

/// The extremum of no items: the limit that no item goes beyond, where the order is that of numbers, else T{}.
template <class T, bool IsGreatest, bool IsByLess>
constexpr T extremum_of_nothing()
{
  using limits = ::cuda::std::numeric_limits<T>;
  if constexpr (IsByLess && limits::is_specialized) {
    return IsGreatest ? (limits::lowest)() : (limits::max)();
  } else {
    return T{};
  }
}

/// The result of no items: index 1, and the value above.
template <bool IsGreatest, bool IsByLess, class T>
result_of_nothing<functor::candidate<T>> candidate_of_nothing()
{
  return {functor::candidate<T>(device_wide::extremum_of_nothing<T, IsGreatest, IsByLess>(), index_type{1})};
}

template <class Compare>
inline constexpr bool is_less_v = false;
template <class T>
inline constexpr bool is_less_v<::cuda::std::less<T>> = true;

/// The order by which items are compared where the caller names none.
template <bool IsGreatest>
struct own_order {
};

/// `stock` is CUB's call; it is given the order where the caller named one.
template <bool IsGreatest, class How, class InputIt, class ValueIt, class IndexIt, class Compare, class Stock>
error_code arg_extremum(
  const How& how, InputIt in, ValueIt value_out, IndexIt index_out, index_type num_items, Compare compare,
  const Stock& stock)
{
  const auto given = how.arguments(num_items).items(in).result(value_out).result(index_out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  constexpr bool is_own = ::cuda::std::is_same_v<Compare, own_order<IsGreatest>>;
  if constexpr (
    takes_v<
      reads<InputIt>, writes<ValueIt, IndexIt>,
      holds_candidates<InputIt>> && How::template takes_v<determinism::gpu_to_gpu>) {
    using T = value_of<InputIt>;
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      const auto by = [&](auto better, auto of_nothing) {
        const auto out =
          thrust::make_zip_iterator(device_wide::described(value_out), device_wide::described(index_out));
        return algorithm::reduce(
                 storage, bytes, device_wide::described(in), given.count(), out, better, of_nothing, stream)
          .code;
      };
      if constexpr (is_own && IsGreatest) {  // by >, as CUB: types may have no other
        return by(
          functor::better<T, ::cuda::std::greater<>, false>{{}}, device_wide::candidate_of_nothing<true, true, T>());
      } else if constexpr (is_own) {
        return by(
          functor::better<T, ::cuda::std::less<>, false>{{}}, device_wide::candidate_of_nothing<false, true, T>());
      } else {
        return by(
          functor::better<T, Compare, IsGreatest>{compare},
          device_wide::candidate_of_nothing<IsGreatest, is_less_v<Compare>, T>());
      }
    });
  } else if constexpr (is_own) {
    return how.on_stock(stock, in, value_out, index_out, num_items);
  } else {
    return how.on_stock(stock, in, value_out, index_out, num_items, compare);
  }
}

/// Index and value as one pair.
template <bool IsGreatest, class How, class InputIt, class OutputIt, class Stock>
error_code arg_pair(const How& how, InputIt in, OutputIt out, int num_items, const Stock& stock)
{
  const auto given = how.arguments(num_items).items(in).result(out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (takes_v<reads<InputIt>, writes<OutputIt>, holds_candidates<InputIt>>) {
    using T = value_of<InputIt>;
    using pair = output_value_or<OutputIt, KeyValuePair<int, T>>;
    using compare = ::cuda::std::conditional_t<IsGreatest, ::cuda::std::greater<>, ::cuda::std::less<>>;
    using put = functor::put_pair<pair, decltype(device_wide::described(out))>;
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      return algorithm::reduce(
               storage, bytes, device_wide::described(in), given.count(),
               gimbal::written_by(put{device_wide::described(out)}), functor::better<T, compare, false>{{}},
               device_wide::candidate_of_nothing<IsGreatest, true, T>(), stream)
        .code;
    });
  } else {
    return how.on_stock(stock, in, out, num_items);
  }
}

template <
  bool IsLast, class How, class InputIt, class MinIt, class MinIndexIt, class MaxIt, class MaxIndexIt, class Compare,
  class Stock>
error_code arg_extrema(
  const How& how, InputIt in, MinIt min_out, MinIndexIt min_index_out, MaxIt max_out, MaxIndexIt max_index_out,
  index_type num_items, Compare compare, const Stock& stock)
{
  const auto given =
    how.arguments(num_items).items(in).result(min_out).result(min_index_out).result(max_out).result(max_index_out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  constexpr bool is_own = ::cuda::std::is_same_v<Compare, own_order<false>>;
  if constexpr (
    takes_v<
      reads<InputIt>, writes<MinIt, MinIndexIt, MaxIt, MaxIndexIt>,
      holds_two_candidates<InputIt>> && How::template takes_v<determinism::gpu_to_gpu>) {
    using T = value_of<InputIt>;
    using order = ::cuda::std::conditional_t<is_own, ::cuda::std::less<>, Compare>;
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      const auto out = thrust::make_zip_iterator(
        thrust::make_zip_iterator(device_wide::described(min_out), device_wide::described(min_index_out)),
        thrust::make_zip_iterator(device_wide::described(max_out), device_wide::described(max_index_out)));
      const auto by = [&](auto own) {
        using both = functor::better_both<T, order, IsLast>;
        const result_of_nothing<typename both::pair> of_nothing{
          {device_wide::candidate_of_nothing<false, is_less_v<order>, T>().value,
           device_wide::candidate_of_nothing<true, is_less_v<order>, T>().value}};
        return algorithm::reduce(
                 storage, bytes, device_wide::described(in), given.count(), out, both{{own}, {own}}, of_nothing, stream)
          .code;
      };
      if constexpr (is_own) {
        return by(order{});
      } else {
        return by(compare);
      }
    });
  } else if constexpr (is_own) {
    return how.on_stock(stock, in, min_out, min_index_out, max_out, max_index_out, num_items);
  } else {
    return how.on_stock(stock, in, min_out, min_index_out, max_out, max_index_out, num_items, compare);
  }
}

}  // namespace device_wide

GIMBAL_NAMESPACE_END
