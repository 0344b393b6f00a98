// The bodies of DeviceSelect's calls, in terms of `how` the caller calls (environment.h). Where `IsInPlace`, `out` is
// `in`, and CUB has a form without it.
#pragma once

#include <gimbal/cub/environment.h>
#include <thrust/tuple.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/select/partition.cuh>

#if GIMBAL_GPU
#include <cub/device/device_select.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

/// For takes_v: true if the kernels can hold a key and its value together.
template <class KeyIt, class ValueIt>
struct holds_pairs : holds<thrust::tuple<value_of<KeyIt>, value_of<ValueIt>>> {
};

template <class How, class InputIt, class Selector, class OutputIt, class CountIt>
error_code selected(
  const How& how, InputIt in, index_type num_items, const Selector& selector, OutputIt out, CountIt num_selected_out)
{
  return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
    return algorithm::select_plan(
             device_wide::described(in), num_items, selector, device_wide::described(out),
             algorithm::discard_rejected{}, device_wide::described(num_selected_out))
      .run(storage, bytes, stream)
      .code;
  });
}

template <bool IsInPlace, class How, class InputIt, class FlagIt, class OutputIt, class CountIt>
error_code select_flagged(
  const How& how, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out, index_type num_items)
{
  const auto given = how.arguments(num_items).items(in).items(flags).items(out).result(num_selected_out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (
    takes_v<reads<InputIt, FlagIt>, writes<OutputIt, CountIt>> && How::template takes_v<determinism::gpu_to_gpu>) {
    const auto flag_items = device_wide::described(flags);
    return device_wide::selected(
      how, in, num_items, algorithm::select_flagged<::cuda::std::remove_const_t<decltype(flag_items)>>{flag_items}, out,
      num_selected_out);
  } else {
    const auto stock = [](auto&&... all) { return stock_for<stock::DeviceSelect, InputIt>::Flagged(all...); };
    if constexpr (IsInPlace) {
      return how.on_stock(stock, in, flags, num_selected_out, num_items);
    } else {
      return how.on_stock(stock, in, flags, out, num_selected_out, num_items);
    }
  }
}

template <bool IsInPlace, class How, class InputIt, class OutputIt, class CountIt, class Predicate>
error_code select_if(
  const How& how, InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items, Predicate predicate)
{
  const auto given = how.arguments(num_items).items(in).items(out).result(num_selected_out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (takes_v<reads<InputIt>, writes<OutputIt, CountIt>> && How::template takes_v<determinism::gpu_to_gpu>) {
    return device_wide::selected(how, in, num_items, algorithm::select_if<Predicate>{predicate}, out, num_selected_out);
  } else {
    const auto stock = [](auto&&... all) { return stock_for<stock::DeviceSelect, InputIt>::If(all...); };
    if constexpr (IsInPlace) {
      return how.on_stock(stock, in, num_selected_out, num_items, predicate);
    } else {
      return how.on_stock(stock, in, out, num_selected_out, num_items, predicate);
    }
  }
}

template <bool IsInPlace, class How, class InputIt, class FlagIt, class OutputIt, class CountIt, class Predicate>
error_code select_flagged_if(
  const How& how, InputIt in, FlagIt flags, OutputIt out, CountIt num_selected_out, index_type num_items,
  Predicate predicate)
{
  const auto given = how.arguments(num_items).items(in).items(flags).items(out).result(num_selected_out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (
    takes_v<reads<InputIt, FlagIt>, writes<OutputIt, CountIt>> && How::template takes_v<determinism::gpu_to_gpu>) {
    const auto flag_items = device_wide::described(flags);
    return device_wide::selected(
      how, in, num_items,
      algorithm::select_if_stencil<::cuda::std::remove_const_t<decltype(flag_items)>, Predicate>{flag_items, predicate},
      out, num_selected_out);
  } else {
    const auto stock = [](auto&&... all) { return stock_for<stock::DeviceSelect, InputIt>::FlaggedIf(all...); };
    if constexpr (IsInPlace) {
      return how.on_stock(stock, in, flags, num_selected_out, num_items, predicate);
    } else {
      return how.on_stock(stock, in, flags, out, num_selected_out, num_items, predicate);
    }
  }
}

/// == of the items, where the caller names no equality: CUB before 3.5 has no other.
struct own_equality : ::cuda::std::equal_to<> {};

template <bool IsInPlace, class How, class InputIt, class OutputIt, class CountIt, class Equal>
error_code select_unique(
  const How& how, InputIt in, OutputIt out, CountIt num_selected_out, index_type num_items, Equal equal)
{
  const auto given = how.arguments(num_items).items(in).items(out).result(num_selected_out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  constexpr bool is_own = ::cuda::std::is_same_v<Equal, own_equality>;
  if constexpr (takes_v<reads<InputIt>, writes<OutputIt, CountIt>> && How::template takes_v<determinism::gpu_to_gpu>) {
    using compare = ::cuda::std::conditional_t<is_own, ::cuda::std::equal_to<>, Equal>;
    return device_wide::selected(how, in, num_items, algorithm::select_unique<compare>{equal}, out, num_selected_out);
  } else {
    const auto stock = [](auto&&... all) { return stock_for<stock::DeviceSelect, InputIt>::Unique(all...); };
    if constexpr (IsInPlace && is_own) {
      return how.on_stock(stock, in, num_selected_out, num_items);
    } else if constexpr (IsInPlace) {
      return how.on_stock(stock, in, num_selected_out, num_items, equal);
    } else if constexpr (is_own) {
      return how.on_stock(stock, in, out, num_selected_out, num_items);
    } else {
      return how.on_stock(stock, in, out, num_selected_out, num_items, equal);
    }
  }
}

template <
  class How, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class CountIt, class NumItems, class Equal>
error_code select_unique_by_key(
  const How& how, KeyIt keys_in, ValueIt values_in, KeyOut keys_out, ValueOut values_out, CountIt num_selected_out,
  NumItems num_items, Equal equal)
{
  const auto given =
    how.arguments(num_items).items(keys_in).items(values_in).items(keys_out).items(values_out).result(num_selected_out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (
    takes_v<
      reads<KeyIt, ValueIt>, moves<KeyOut, ValueOut>, writes<CountIt>,
      holds_pairs<KeyIt, ValueIt>> && How::template takes_v<determinism::gpu_to_gpu>) {
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      return algorithm::select_unique_by_key_plan(
               device_wide::described(keys_in), device_wide::described(values_in), device_wide::described(keys_out),
               device_wide::described(values_out), device_wide::described(num_selected_out), given.count(), equal)
        .run(storage, bytes, stream)
        .code;
    });
  } else {
    return how.on_stock(
      [](auto&&... all) { return stock_for<stock::DeviceSelect, KeyIt>::UniqueByKey(all...); }, keys_in, values_in,
      keys_out, values_out, num_selected_out, num_items, equal);
  }
}

}  // namespace device_wide

GIMBAL_NAMESPACE_END
