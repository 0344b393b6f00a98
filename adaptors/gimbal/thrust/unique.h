// unique, unique_copy, unique_by_key, unique_by_key_copy; unique_count.
//
// The first item of every run of equals: item 0, and item i where !pred(x[i-1], x[i]) (default: equal_to); by key, the
// values of such keys go with them. unique_count writes none and returns their number: a reduction (reduce.h) of
// neighbours, of which each item is loaded twice, the second time from the cache. unique and unique_by_key work in
// place; otherwise outputs must not overlap inputs. What lies beyond the returned end after an in-place call is
// unspecified. Counts are 64-bit; an empty range touches nothing. It is a single pass: every item is read once, every
// selected one written once. The call returns positions, so it waits once, with par_nosync too. The call takes no
// temporary storage of its own (memory.h). The result is a function of the input. Errors: see call.h. Falls back to
// stock for the cases in fallback.h.
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/reduce.h>
#include <gimbal/thrust/route.h>
#include <thrust/pair.h>

#include <gimbal/algorithm/select/partition.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class Derived, class InputIt, class OutputIt, class Equal>
OutputIt unique_copy(
  execution_policy<Derived>& policy, const char* name, InputIt first, InputIt last, OutputIt out, Equal pred)
{
  if constexpr (is_taken_v<iterators<InputIt, OutputIt>, values<value_of<InputIt>>>) {
    const index_type n = adaptor::length(first, last);
    if (n == 0) {
      return out;
    }
    call<Derived> step(policy, name, n, sizeof(value_of<InputIt>), returns::a_result);
    result_slot<index_type> selected;
    step.throw_if(selected.take());
    auto plan = algorithm::select_plan(
      adaptor::unwrap(first), n, algorithm::select_unique<Equal>{pred}, adaptor::unwrap(out),
      algorithm::discard_rejected{}, selected.device_pointer());
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.wait();
    return out + selected.value();
  } else if constexpr (::cuda::std::is_same<InputIt, OutputIt>::value) {
    return first == out ? stock::unique(policy, first, last, pred) : stock::unique_copy(policy, first, last, out, pred);
  } else {
    return stock::unique_copy(policy, first, last, out, pred);
  }
}

/// How many runs of equals there are.
template <class Derived, class ForwardIt, class Equal>
index_type unique_count(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Equal pred)
{
  if constexpr (is_taken_v<iterators<ForwardIt>, values<>>) {
    const index_type n = adaptor::length(first, last);
    if (n < 2) {
      return n;
    }
    using begins_run = functor::apply_pair<index_type, functor::negated<Equal>>;
    const auto heads = adaptor::transformed_pairs<index_type>(first, first + 1, begins_run{{pred}});
    return 1
           + adaptor::reduce(
             policy, "unique_count", heads, heads + (n - 1), index_type{0}, ::cuda::std::plus<index_type>{});
  } else {
    return stock::unique_count(policy, first, last, pred);
  }
}

template <class Derived, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
thrust::pair<KeyOut, ValueOut> unique_by_key_copy(
  execution_policy<Derived>& policy, const char* name, KeyIt keys_first, KeyIt keys_last, ValueIt values_first,
  KeyOut keys_out, ValueOut values_out, Equal pred)
{
  if constexpr (is_taken_v<
                  iterators<KeyIt, ValueIt, KeyOut, ValueOut>,
                  values<thrust::tuple<value_of<KeyIt>, value_of<ValueIt>>>>) {
    const index_type n = adaptor::length(keys_first, keys_last);
    if (n == 0) {
      return {keys_out, values_out};
    }
    call<Derived> step(policy, name, n, sizeof(value_of<KeyIt>), returns::a_result);
    result_slot<index_type> selected;
    step.throw_if(selected.take());
    auto plan = algorithm::select_unique_by_key_plan(
      adaptor::unwrap(keys_first), adaptor::unwrap(values_first), adaptor::unwrap(keys_out),
      adaptor::unwrap(values_out), selected.device_pointer(), n, pred);
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.wait();
    return {keys_out + selected.value(), values_out + selected.value()};
  } else if constexpr (::cuda::std::is_same<KeyIt, KeyOut>::value && ::cuda::std::is_same<ValueIt, ValueOut>::value) {
    return keys_first == keys_out && values_first == values_out
             ? stock::unique_by_key(policy, keys_first, keys_last, values_first, pred)
             : stock::unique_by_key_copy(policy, keys_first, keys_last, values_first, keys_out, values_out, pred);
  } else {
    return stock::unique_by_key_copy(policy, keys_first, keys_last, values_first, keys_out, values_out, pred);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt>
_CCCL_HOST_DEVICE ForwardIt unique(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last)
{
  using value = value_type_of<ForwardIt>;
  GIMBAL_ROUTE(
    unique, adaptor::unique_copy(policy, "unique", first, last, first, ::cuda::std::equal_to<value>{}),
    thrust::unique(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Equal>
_CCCL_HOST_DEVICE ForwardIt unique(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Equal pred)
{
  GIMBAL_ROUTE(
    unique_pred, adaptor::unique_copy(policy, "unique", first, last, first, pred),
    thrust::unique(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt>
_CCCL_HOST_DEVICE OutputIt unique_copy(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out)
{
  using value = value_type_of<InputIt>;
  GIMBAL_ROUTE(
    unique_copy, adaptor::unique_copy(policy, "unique_copy", first, last, out, ::cuda::std::equal_to<value>{}),
    thrust::unique_copy(thrust::detail::seq_t{}, first, last, out));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class Equal>
_CCCL_HOST_DEVICE OutputIt
unique_copy(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, Equal pred)
{
  GIMBAL_ROUTE(
    unique_copy_pred, adaptor::unique_copy(policy, "unique_copy", first, last, out, pred),
    thrust::unique_copy(thrust::detail::seq_t{}, first, last, out, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt>
_CCCL_HOST_DEVICE typename cuda_iterator_traits<ForwardIt>::difference_type unique_count(
  execution_policy<Derived>& policy, ForwardIt first, ForwardIt last)
{
  using value = value_type_of<ForwardIt>;
  GIMBAL_ROUTE(
    unique_count, adaptor::unique_count(policy, first, last, ::cuda::std::equal_to<value>{}),
    thrust::unique_count(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Equal>
_CCCL_HOST_DEVICE typename cuda_iterator_traits<ForwardIt>::difference_type unique_count(
  execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Equal pred)
{
  GIMBAL_ROUTE(
    unique_count_pred, adaptor::unique_count(policy, first, last, pred),
    thrust::unique_count(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt>
_CCCL_HOST_DEVICE thrust::pair<KeyIt, ValueIt> unique_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first)
{
  using key = value_type_of<KeyIt>;
  GIMBAL_ROUTE(
    unique_by_key,
    adaptor::unique_by_key_copy(
      policy, "unique_by_key", keys_first, keys_last, values_first, keys_first, values_first,
      ::cuda::std::equal_to<key>{}),
    thrust::unique_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class Equal>
_CCCL_HOST_DEVICE thrust::pair<KeyIt, ValueIt> unique_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, Equal pred)
{
  GIMBAL_ROUTE(
    unique_by_key_pred,
    adaptor::unique_by_key_copy(
      policy, "unique_by_key", keys_first, keys_last, values_first, keys_first, values_first, pred),
    thrust::unique_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class KeyOut, class ValueOut>
_CCCL_HOST_DEVICE thrust::pair<KeyOut, ValueOut> unique_by_key_copy(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out)
{
  using key = value_type_of<KeyIt>;
  GIMBAL_ROUTE(
    unique_by_key_copy,
    adaptor::unique_by_key_copy(
      policy, "unique_by_key_copy", keys_first, keys_last, values_first, keys_out, values_out,
      ::cuda::std::equal_to<key>{}),
    thrust::unique_by_key_copy(thrust::detail::seq_t{}, keys_first, keys_last, values_first, keys_out, values_out));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
_CCCL_HOST_DEVICE thrust::pair<KeyOut, ValueOut> unique_by_key_copy(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out, Equal pred)
{
  GIMBAL_ROUTE(
    unique_by_key_copy_pred,
    adaptor::unique_by_key_copy(
      policy, "unique_by_key_copy", keys_first, keys_last, values_first, keys_out, values_out, pred),
    thrust::unique_by_key_copy(
      thrust::detail::seq_t{}, keys_first, keys_last, values_first, keys_out, values_out, pred));
}

GIMBAL_NAMESPACE_END
