// all_of, any_of, none_of; and is_sorted, is_partitioned, which test whether any two neighbours are out of order.
//
// It is one launch that stops early, as find does (find.h). The predicate is called at most once per item
// (is_partitioned: twice, once for each neighbour). An empty range satisfies all_of and none_of, is sorted and is
// partitioned. There is one wait; the answer comes back through pinned memory. Storage, stream and errors are as in
// reduce. Falls back to stock where an iterator is not random access (fallback.h).
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/find.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/route.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// True if pred holds for any item of [first, last).
template <class Derived, class InputIt, class Predicate>
bool any_of(execution_policy<Derived>& policy, const char* name, InputIt first, InputIt last, Predicate pred)
{
  if constexpr (is_taken_v<iterators<InputIt>, values<>>) {
    const index_type n = adaptor::length(first, last);
    return adaptor::find_index(policy, name, adaptor::unwrap(first), n, sizeof(value_of<InputIt>), pred) != n;
  } else {
    return stock::any_of(policy, first, last, pred);
  }
}

template <class Derived, class ForwardIt, class Compare>
bool is_sorted(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  if constexpr (is_taken_v<iterators<ForwardIt>, values<>>) {
    const index_type n = adaptor::length(first, last);
    return adaptor::count_sorted(policy, "is_sorted", first, n, comp) == n;
  } else {
    return stock::is_sorted(policy, first, last, comp);
  }
}

template <class Derived, class InputIt, class Predicate>
bool is_partitioned(execution_policy<Derived>& policy, InputIt first, InputIt last, Predicate pred)
{
  if constexpr (is_taken_v<iterators<InputIt>, values<>>) {
    const functor::rises<Predicate> rises{pred};
    const index_type neighbours = adaptor::length(first, last) - 1;
    return neighbours <= 0
           || adaptor::find_pair(policy, "is_partitioned", first, first + 1, neighbours, rises) == neighbours;
  } else {
    return stock::is_partitioned(policy, first, last, pred);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class Predicate>
_CCCL_HOST_DEVICE bool all_of(execution_policy<Derived>& policy, InputIt first, InputIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    all_of, !adaptor::any_of(policy, "all_of", first, last, functor::negated<Predicate>{pred}),
    thrust::all_of(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class Predicate>
_CCCL_HOST_DEVICE bool any_of(execution_policy<Derived>& policy, InputIt first, InputIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    any_of, adaptor::any_of(policy, "any_of", first, last, pred),
    thrust::any_of(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class Predicate>
_CCCL_HOST_DEVICE bool none_of(execution_policy<Derived>& policy, InputIt first, InputIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    none_of, !adaptor::any_of(policy, "none_of", first, last, pred),
    thrust::none_of(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt>
_CCCL_HOST_DEVICE bool is_sorted(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last)
{
  using value = value_type_of<ForwardIt>;
  GIMBAL_ROUTE(
    is_sorted, adaptor::is_sorted(policy, first, last, ::cuda::std::less<value>{}),
    thrust::is_sorted(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Compare>
_CCCL_HOST_DEVICE bool is_sorted(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  GIMBAL_ROUTE(
    is_sorted_comp, adaptor::is_sorted(policy, first, last, comp),
    thrust::is_sorted(thrust::detail::seq_t{}, first, last, comp));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class Predicate>
_CCCL_HOST_DEVICE bool is_partitioned(execution_policy<Derived>& policy, InputIt first, InputIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    is_partitioned, adaptor::is_partitioned(policy, first, last, pred),
    thrust::is_partitioned(thrust::detail::seq_t{}, adaptor::described(first), adaptor::described(last), pred));
}

GIMBAL_NAMESPACE_END
