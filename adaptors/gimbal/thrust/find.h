// find, find_if, find_if_not; mismatch, equal, which search for where two ranges differ; is_sorted_until, which
// searches for the first two neighbours that are out of order.
//
// mismatch returns the same position in both ranges, the end of the shorter one where it knows both ends and they do
// not differ before. It is one launch that stops early: blocks stop reading once a match before their remaining items
// is known. The predicate is called at most once per item or pair, also after the one that is found. The result is the
// first match, or `last`; empty ranges are equal and sorted. There is one wait; the answer comes back through pinned
// memory. Storage, stream and errors are as in reduce. Falls back to stock where an iterator is not random access
// (fallback.h).
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/route.h>
#include <thrust/pair.h>

#include <gimbal/algorithm/find/find_if.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// The least i for which pred holds for the i-th item from `first` on, or n; `value_bytes` is for the exception text.
template <class Derived, class InputIt, class Predicate>
index_type find_index(
  execution_policy<Derived>& policy, const char* name, InputIt first, index_type n, std::size_t value_bytes,
  Predicate pred)
{
  if (n <= 0) {
    return n;
  }
  call<Derived> step(policy, name, n, value_bytes, returns::a_result);
  host_result<index_type> result;
  step.throw_if(result.take());
  auto plan = algorithm::find_if_plan(first, n, pred, result.output());
  step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
  return step.result(result);
}

template <class Derived, class InputIt, class Predicate>
InputIt find_if(execution_policy<Derived>& policy, const char* name, InputIt first, InputIt last, Predicate pred)
{
  if constexpr (is_taken_v<iterators<InputIt>, values<>>) {
    return first
           + adaptor::find_index(
             policy, name, adaptor::unwrap(first), adaptor::length(first, last), sizeof(value_of<InputIt>), pred);
  } else {
    return stock::find_if(policy, first, last, pred);
  }
}

/// How the items of two ranges are compared where no predicate is given, as stock does: its CUDA system converts those
/// of the second to the first's type, the others compare them as they are.
template <class InputIt1, class InputIt2>
using equality = ::cuda::std::conditional_t<
  GIMBAL_GPU&& ::cuda::std::is_convertible_v<value_of<InputIt2>, value_of<InputIt1>>,
  ::cuda::std::equal_to<value_of<InputIt1>>, ::cuda::std::equal_to<>>;

/// The least i for which pred(x[i], y[i]) holds of two ranges of n items, or n.
template <class Derived, class InputIt1, class InputIt2, class Predicate>
index_type find_pair(
  execution_policy<Derived>& policy, const char* name, InputIt1 first1, InputIt2 first2, index_type n, Predicate pred)
{
  using holds_at = functor::holds_at<decltype(adaptor::unwrap(first1)), decltype(adaptor::unwrap(first2)), Predicate>;
  return adaptor::find_index(
    policy, name, thrust::counting_iterator<index_type>(0), n, sizeof(value_of<InputIt1>),
    holds_at{adaptor::unwrap(first1), adaptor::unwrap(first2), pred});
}

/// The index at which two ranges of n items first differ, or n.
template <class Derived, class InputIt1, class InputIt2, class Predicate>
index_type find_difference(
  execution_policy<Derived>& policy, const char* name, InputIt1 first1, InputIt2 first2, index_type n, Predicate pred)
{
  return adaptor::find_pair(policy, name, first1, first2, n, functor::negated<Predicate>{pred});
}

template <class Derived, class InputIt1, class InputIt2, class Predicate>
thrust::pair<InputIt1, InputIt2> mismatch(
  execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, Predicate pred)
{
  if constexpr (is_taken_v<iterators<InputIt1, InputIt2>, values<>>) {
    const index_type at =
      adaptor::find_difference(policy, "mismatch", first1, first2, adaptor::length(first1, last1), pred);
    return {first1 + at, first2 + at};
  } else {
    return stock::mismatch(policy, first1, last1, first2, pred);
  }
}

#if GIMBAL_HAS_MISMATCH_OF_RANGES
template <class Derived, class InputIt1, class InputIt2, class Predicate>
thrust::pair<InputIt1, InputIt2> mismatch_of_ranges(
  execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, InputIt2 last2, Predicate pred)
{
  if constexpr (is_taken_v<iterators<InputIt1, InputIt2>, values<>>) {
    const index_type n1 = adaptor::length(first1, last1);
    const index_type n2 = adaptor::length(first2, last2);
    const index_type at = adaptor::find_difference(policy, "mismatch", first1, first2, n1 < n2 ? n1 : n2, pred);
    return {first1 + at, first2 + at};
  } else {
    return stock::mismatch(policy, first1, last1, first2, last2, pred);
  }
}
#endif

template <class Derived, class InputIt1, class InputIt2, class Predicate>
bool equal(execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, Predicate pred)
{
  if constexpr (is_taken_v<iterators<InputIt1, InputIt2>, values<>>) {
    const index_type n = adaptor::length(first1, last1);
    return adaptor::find_difference(policy, "equal", first1, first2, n, pred) == n;
  } else {
    return stock::equal(policy, first1, last1, first2, pred);
  }
}

/// How many of n items, from the first on, are in order.
template <class Derived, class ForwardIt, class Compare>
index_type count_sorted(
  execution_policy<Derived>& policy, const char* name, ForwardIt first, index_type n, Compare comp)
{
  if (n < 2) {
    return n;
  }
  return 1 + adaptor::find_pair(policy, name, first, first + 1, n - 1, functor::descends<Compare>{comp});
}

template <class Derived, class ForwardIt, class Compare>
ForwardIt is_sorted_until(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  if constexpr (is_taken_v<iterators<ForwardIt>, values<>>) {
    return first + adaptor::count_sorted(policy, "is_sorted_until", first, adaptor::length(first, last), comp);
  } else {
    return stock::is_sorted_until(policy, first, last, comp);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class T>
_CCCL_HOST_DEVICE InputIt find(execution_policy<Derived>& policy, InputIt first, InputIt last, const T& value)
{
  GIMBAL_ROUTE(
    find, adaptor::find_if(policy, "find", first, last, functor::equals<T>{value}),
    thrust::find(thrust::detail::seq_t{}, first, last, value));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class Predicate>
_CCCL_HOST_DEVICE InputIt find_if(execution_policy<Derived>& policy, InputIt first, InputIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    find_if, adaptor::find_if(policy, "find_if", first, last, pred),
    thrust::find_if(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class Predicate>
_CCCL_HOST_DEVICE InputIt find_if_not(execution_policy<Derived>& policy, InputIt first, InputIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    find_if_not, adaptor::find_if(policy, "find_if_not", first, last, functor::negated<Predicate>{pred}),
    thrust::find_if_not(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt1, class InputIt2>
_CCCL_HOST_DEVICE thrust::pair<InputIt1, InputIt2> mismatch(
  execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2)
{
  GIMBAL_ROUTE(
    mismatch, adaptor::mismatch(policy, first1, last1, first2, adaptor::equality<InputIt1, InputIt2>{}),
    thrust::mismatch(thrust::detail::seq_t{}, first1, last1, first2));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt1, class InputIt2, class Predicate>
_CCCL_HOST_DEVICE thrust::pair<InputIt1, InputIt2> mismatch(
  execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, Predicate pred)
{
  GIMBAL_ROUTE(
    mismatch_pred, adaptor::mismatch(policy, first1, last1, first2, pred),
    thrust::mismatch(thrust::detail::seq_t{}, first1, last1, first2, pred));
}

#if GIMBAL_HAS_MISMATCH_OF_RANGES
_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt1, class InputIt2>
_CCCL_HOST_DEVICE thrust::pair<InputIt1, InputIt2> mismatch(
  execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, InputIt2 last2)
{
  GIMBAL_ROUTE(
    mismatch_of_ranges,
    adaptor::mismatch_of_ranges(policy, first1, last1, first2, last2, adaptor::equality<InputIt1, InputIt2>{}),
    thrust::mismatch(thrust::detail::seq_t{}, first1, last1, first2, last2));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt1, class InputIt2, class Predicate>
_CCCL_HOST_DEVICE thrust::pair<InputIt1, InputIt2> mismatch(
  execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, InputIt2 last2, Predicate pred)
{
  GIMBAL_ROUTE(
    mismatch_of_ranges_pred, adaptor::mismatch_of_ranges(policy, first1, last1, first2, last2, pred),
    thrust::mismatch(thrust::detail::seq_t{}, first1, last1, first2, last2, pred));
}
#endif

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt1, class InputIt2>
_CCCL_HOST_DEVICE bool equal(execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2)
{
  GIMBAL_ROUTE(
    equal, adaptor::equal(policy, first1, last1, first2, adaptor::equality<InputIt1, InputIt2>{}),
    thrust::equal(
      thrust::detail::seq_t{}, adaptor::described(first1), adaptor::described(last1), adaptor::described(first2)));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt1, class InputIt2, class Predicate>
_CCCL_HOST_DEVICE bool equal(
  execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, Predicate pred)
{
  GIMBAL_ROUTE(
    equal_pred, adaptor::equal(policy, first1, last1, first2, pred),
    thrust::equal(
      thrust::detail::seq_t{}, adaptor::described(first1), adaptor::described(last1), adaptor::described(first2),
      pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt>
_CCCL_HOST_DEVICE ForwardIt is_sorted_until(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last)
{
  using value = value_type_of<ForwardIt>;
  GIMBAL_ROUTE(
    is_sorted_until, adaptor::is_sorted_until(policy, first, last, ::cuda::std::less<value>{}),
    thrust::is_sorted_until(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Compare>
_CCCL_HOST_DEVICE ForwardIt
is_sorted_until(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  GIMBAL_ROUTE(
    is_sorted_until_comp, adaptor::is_sorted_until(policy, first, last, comp),
    thrust::is_sorted_until(thrust::detail::seq_t{}, first, last, comp));
}

GIMBAL_NAMESPACE_END
