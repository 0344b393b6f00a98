// min_element, max_element, minmax_element.
//
// The position of the least or greatest item under `comp` (default: less than). Of equivalent items the first is
// returned, by all three, as stock's CUDA system does (std::minmax_element returns the last greatest). `comp` must be a
// strict weak ordering. An empty range returns `last`. There is one launch and one wait: threads keep their best item
// and its index, so every item is read once and the result is an index, returned through pinned memory. Storage, stream
// and errors are as in reduce. Falls back to stock for the cases in fallback.h.
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/route.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/pair.h>

#include <gimbal/algorithm/reduce/reduce.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <bool Greatest, class Derived, class ForwardIt, class Compare>
ForwardIt extreme_element(
  execution_policy<Derived>& policy, const char* name, ForwardIt first, ForwardIt last, Compare comp)
{
  using value = value_of<ForwardIt>;
  if constexpr (is_taken_v<iterators<ForwardIt>, values<functor::candidate<value>>>) {
    const index_type n = adaptor::length(first, last);
    if (n == 0) {
      return last;
    }
    call<Derived> step(policy, name, n, sizeof(value), returns::a_result);
    host_result<index_type> result;
    step.throw_if(result.take());
    auto plan = algorithm::reduce_plan(
      adaptor::unwrap(first), n, thrust::make_transform_output_iterator(result.output(), functor::index_of{}),
      functor::better<value, Compare, Greatest>{comp}, no_init{});
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    return first + step.result(result);
  } else if constexpr (Greatest) {
    return stock::max_element(policy, first, last, comp);
  } else {
    return stock::min_element(policy, first, last, comp);
  }
}

template <class Derived, class ForwardIt, class Compare>
thrust::pair<ForwardIt, ForwardIt> minmax_element(
  execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  using value = value_of<ForwardIt>;
  using both = typename functor::better_both<value, Compare>::pair;
  if constexpr (is_taken_v<iterators<ForwardIt>, values<both>>) {
    const index_type n = adaptor::length(first, last);
    if (n == 0) {
      return {last, last};
    }
    call<Derived> step(policy, "minmax_element", n, sizeof(value), returns::a_result);
    host_result<functor::index_pair> result;
    step.throw_if(result.take());
    auto plan = algorithm::reduce_plan(
      adaptor::unwrap(first), n, thrust::make_transform_output_iterator(result.output(), functor::index_of{}),
      functor::better_both<value, Compare>{{comp}, {comp}}, no_init{});
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    const functor::index_pair at_both = step.result(result);
    return {first + at_both.least, first + at_both.greatest};
  } else {
    return stock::minmax_element(policy, first, last, comp);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt>
_CCCL_HOST_DEVICE ForwardIt min_element(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last)
{
  using value = value_type_of<ForwardIt>;
  GIMBAL_ROUTE(
    min_element, adaptor::extreme_element<false>(policy, "min_element", first, last, ::cuda::std::less<value>{}),
    thrust::min_element(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Compare>
_CCCL_HOST_DEVICE ForwardIt
min_element(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  GIMBAL_ROUTE(
    min_element_comp, adaptor::extreme_element<false>(policy, "min_element", first, last, comp),
    thrust::min_element(thrust::detail::seq_t{}, first, last, comp));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt>
_CCCL_HOST_DEVICE ForwardIt max_element(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last)
{
  using value = value_type_of<ForwardIt>;
  GIMBAL_ROUTE(
    max_element, adaptor::extreme_element<true>(policy, "max_element", first, last, ::cuda::std::less<value>{}),
    thrust::max_element(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Compare>
_CCCL_HOST_DEVICE ForwardIt
max_element(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  GIMBAL_ROUTE(
    max_element_comp, adaptor::extreme_element<true>(policy, "max_element", first, last, comp),
    thrust::max_element(thrust::detail::seq_t{}, first, last, comp));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt>
_CCCL_HOST_DEVICE thrust::pair<ForwardIt, ForwardIt> minmax_element(
  execution_policy<Derived>& policy, ForwardIt first, ForwardIt last)
{
  using value = value_type_of<ForwardIt>;
  GIMBAL_ROUTE(
    minmax_element, adaptor::minmax_element(policy, first, last, ::cuda::std::less<value>{}),
    thrust::minmax_element(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Compare>
_CCCL_HOST_DEVICE thrust::pair<ForwardIt, ForwardIt> minmax_element(
  execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  GIMBAL_ROUTE(
    minmax_element_comp, adaptor::minmax_element(policy, first, last, comp),
    thrust::minmax_element(thrust::detail::seq_t{}, first, last, comp));
}

GIMBAL_NAMESPACE_END
