// sort, stable_sort, sort_by_key, stable_sort_by_key. (is_sorted: logical.h)
//
// Puts keys in the order of `comp` (default: less than); values move with their keys. All four are stable. Arithmetic
// keys (with __half and __nv_bfloat16) under less or greater are radix sorted by their bits: NaN and -0.0 go where
// stock puts them. Many tuples of such keys from the arrays of a zip iterator, under less or greater, are radix sorted
// by one array after the other. All other keys and orders are merge sorted; `comp` must be a strict weak ordering, and
// may be called on the same pair more than once. Sorts are in place; keys and values must not overlap. Counts are
// 64-bit; fewer than two items are left alone. Only `par` waits. Bytes moved, launches and storage:
// algorithm/radix_sort/radix_sort.cuh, algorithm/merge_sort/merge_sort.cuh; storage, about as large as the input, comes
// from the retained pool or the policy's allocator. The result is a function of the input. Errors: see call.h; where a
// later step fails, the items may already be partly moved. Falls back to stock for the cases in fallback.h.
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/route.h>

#include <gimbal/algorithm/argsort/argsort.cuh>
#include <gimbal/algorithm/merge_sort/merge_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// True if Compare is one of Comparison<Key> and Comparison<void>.
template <template <class> class Comparison, class Compare, class Key>
inline constexpr bool is_comparison_v =
  ::cuda::std::is_same<Compare, Comparison<Key>>::value || ::cuda::std::is_same<Compare, Comparison<void>>::value;

template <class KeyIt, class ValueIt>
inline constexpr bool is_sort_taken_v =
  is_taken_v<iterators<KeyIt, ValueIt>, values<value_of<KeyIt>, value_of<ValueIt>>>;
template <class KeyIt>
inline constexpr bool is_sort_taken_v<KeyIt, algorithm::no_values> =
  is_taken_v<iterators<KeyIt>, values<value_of<KeyIt>>>;

inline algorithm::no_values unwrap(algorithm::no_values none) { return none; }

/// True if tuples can be sorted by one array after the other: what moves with an array's elements is a value like any
/// other.
template <class KeyIt, class ValueIt>
inline constexpr bool is_lexicographic_v = [] {
  if constexpr (::cuda::std::is_same<ValueIt, algorithm::no_values>::value) {
    return algorithm::is_zip_of_radix_keys_v<KeyIt>;
  } else {
    return algorithm::is_zip_of_radix_keys_v<
             KeyIt> && sizeof(value_of<KeyIt>) + sizeof(value_of<ValueIt>) <= simt::largest_value_bytes;
  }
}();

/// Sorts `n` keys, with values where they are not no_values, from arrays into arrays, which may be the same.
template <class Derived, class Keys, class Values, class Compare>
void sort_arrays(
  call<Derived>& step, Keys keys_in, Keys keys_out, Values values_in, Values values_out, index_type n, Compare comp)
{
  using key = value_of<Keys>;
  constexpr bool is_less = is_comparison_v<::cuda::std::less, Compare, key>;
  constexpr bool is_greater = is_comparison_v<::cuda::std::greater, Compare, key>;
  if constexpr (block::is_radix_key_v<key> && (is_less || is_greater)) {
    using order = ::cuda::std::conditional_t<is_less, algorithm::ascending, algorithm::descending>;
    step.report(algorithm::radix_sort(
      step.storage(), step.bytes(), order{}, keys_in, keys_out, values_in, values_out, n, 0,
      static_cast<int>(sizeof(key) * 8), step.stream()));
  } else {
    step.report(algorithm::merge_sort(
      step.storage(), step.bytes(), keys_in, keys_out, values_in, values_out, n, comp, step.stream()));
  }
}

/// Sorts keys, with values where `values_first` is not no_values.
template <class Derived, class KeyIt, class ValueIt, class Compare>
void sort(
  execution_policy<Derived>& policy, const char* name, KeyIt keys_first, KeyIt keys_last, ValueIt values_first,
  Compare comp)
{
  using key = value_of<KeyIt>;
  constexpr bool is_less = is_comparison_v<::cuda::std::less, Compare, key>;
  constexpr bool is_greater = is_comparison_v<::cuda::std::greater, Compare, key>;

  if constexpr (is_sort_taken_v<KeyIt, ValueIt>) {
    const auto keys = adaptor::unwrap(keys_first);
    const auto values = adaptor::unwrap(values_first);
    const index_type n = adaptor::length(keys_first, keys_last);
    call<Derived> step(policy, name, n, sizeof(key));
    while (n > 1 && step.next()) {
      if constexpr (is_lexicographic_v<KeyIt, ValueIt> && (is_less || is_greater)) {
        if (n >= tuning::least_lexicographic_items(!::cuda::std::is_same<ValueIt, algorithm::no_values>::value)) {
          using order = ::cuda::std::conditional_t<is_less, algorithm::ascending, algorithm::descending>;
          step.report(
            algorithm::lexicographic_radix_sort(step.storage(), step.bytes(), order{}, keys, values, n, step.stream()));
          continue;
        }
      }
      adaptor::sort_arrays(step, keys, keys, values, values, n, comp);
    }
    step.finish();
  } else if constexpr (::cuda::std::is_same<ValueIt, algorithm::no_values>::value) {
    stock::stable_sort(policy, keys_first, keys_last, comp);
  } else {
    stock::stable_sort_by_key(policy, keys_first, keys_last, values_first, comp);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt>
_CCCL_HOST_DEVICE void sort(execution_policy<Derived>& policy, KeyIt first, KeyIt last)
{
  using key = value_type_of<KeyIt>;
  GIMBAL_ROUTE(
    sort, adaptor::sort(policy, "sort", first, last, algorithm::no_values{}, ::cuda::std::less<key>{}),
    thrust::sort(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class Compare>
_CCCL_HOST_DEVICE void sort(execution_policy<Derived>& policy, KeyIt first, KeyIt last, Compare comp)
{
  GIMBAL_ROUTE(
    sort_comp, adaptor::sort(policy, "sort", first, last, algorithm::no_values{}, comp),
    thrust::sort(thrust::detail::seq_t{}, first, last, comp));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt>
_CCCL_HOST_DEVICE void stable_sort(execution_policy<Derived>& policy, KeyIt first, KeyIt last)
{
  using key = value_type_of<KeyIt>;
  GIMBAL_ROUTE(
    stable_sort, adaptor::sort(policy, "stable_sort", first, last, algorithm::no_values{}, ::cuda::std::less<key>{}),
    thrust::stable_sort(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class Compare>
_CCCL_HOST_DEVICE void stable_sort(execution_policy<Derived>& policy, KeyIt first, KeyIt last, Compare comp)
{
  GIMBAL_ROUTE(
    stable_sort_comp, adaptor::sort(policy, "stable_sort", first, last, algorithm::no_values{}, comp),
    thrust::stable_sort(thrust::detail::seq_t{}, first, last, comp));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt>
_CCCL_HOST_DEVICE void sort_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first)
{
  using key = value_type_of<KeyIt>;
  GIMBAL_ROUTE(
    sort_by_key, adaptor::sort(policy, "sort_by_key", keys_first, keys_last, values_first, ::cuda::std::less<key>{}),
    thrust::sort_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class Compare>
_CCCL_HOST_DEVICE void sort_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, Compare comp)
{
  GIMBAL_ROUTE(
    sort_by_key_comp, adaptor::sort(policy, "sort_by_key", keys_first, keys_last, values_first, comp),
    thrust::sort_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, comp));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt>
_CCCL_HOST_DEVICE void stable_sort_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first)
{
  using key = value_type_of<KeyIt>;
  GIMBAL_ROUTE(
    stable_sort_by_key,
    adaptor::sort(policy, "stable_sort_by_key", keys_first, keys_last, values_first, ::cuda::std::less<key>{}),
    thrust::stable_sort_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class Compare>
_CCCL_HOST_DEVICE void stable_sort_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, Compare comp)
{
  GIMBAL_ROUTE(
    stable_sort_by_key_comp, adaptor::sort(policy, "stable_sort_by_key", keys_first, keys_last, values_first, comp),
    thrust::stable_sort_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, comp));
}

GIMBAL_NAMESPACE_END
