// Pointers and plain references for what iterators and references of Thrust's containers stand for. Thrust's own
// functions ask for an item's address by &, which a user's type may overload. And how items are read and written
// through any of them.
#pragma once

#include <gimbal/simt/config.h>
#include <gimbal/tile/accumulator.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/detail/raw_reference_cast.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cuda/std/memory>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// A pointer for an iterator that walks over an array, any other iterator unchanged.
_CCCL_EXEC_CHECK_DISABLE
template <class Iterator>
GIMBAL_HOST_DEVICE auto raw_iterator(Iterator it)
{
  if constexpr (::cuda::std::is_pointer_v<Iterator> || !thrust::is_contiguous_iterator<Iterator>::value) {
    return it;
  } else if constexpr (::cuda::std::is_lvalue_reference_v<decltype(*it)>) {
    return ::cuda::std::addressof(*it);
  } else {
    return thrust::raw_pointer_cast(&*it);  // a proxy's own &
  }
}

template <class Iterator>
using raw_iterator_t = decltype(block::raw_iterator(::cuda::std::declval<Iterator>()));

/// `exists`: there is an array of `item` from `begin(iterator)` on, in which the iterator's items are; or, if it
/// `maps`, those of which `made(iterator, item)` makes them. If these `are_pairs`, there is a second array of as large
/// items, from `second_begin(iterator)` on, for the last argument of `made`.
template <class Iterator>
struct array_items {
  static constexpr bool exists = false;
  static constexpr bool maps = false;
  static constexpr bool are_pairs = false;
  using item = value_type_of<Iterator>;
};
template <class T>
struct array_items<T*> {
  static constexpr bool exists = true;
  static constexpr bool maps = false;
  static constexpr bool are_pairs = false;
  using item = ::cuda::std::remove_cv_t<T>;

  static GIMBAL_DEVICE const item* begin(T* iterator) { return iterator; }
};
/// What a proxy refers to, a tuple of references for one of proxies; any other reference unchanged.
_CCCL_EXEC_CHECK_DISABLE
template <class Reference>
GIMBAL_HOST_DEVICE decltype(auto) raw_reference(Reference&& x)
{
  using value = ::cuda::std::remove_cv_t<::cuda::std::remove_reference_t<Reference>>;
  if constexpr (!::cuda::std::is_same_v<typename thrust::detail::raw_reference<value>::type, value&>) {
    return thrust::raw_reference_cast(::cuda::std::forward<Reference>(x));
  } else if constexpr (::cuda::std::is_lvalue_reference_v<Reference>) {
    return static_cast<Reference>(x);
  } else {
    return static_cast<const value&>(x);
  }
}

/// `*it` as a T by way of the iterator's own value type, so that a proxy reference is read before it is converted.
template <class T, class Iterator>
GIMBAL_DEVICE T load_as(const Iterator& it)
{
  return static_cast<T>(static_cast<value_type_of<Iterator>>(*it));
}

/// `*it = value`. Among numbers the conversion to what lies there is written out: results may be wider than the output.
template <class Iterator, class T>
GIMBAL_DEVICE void store_as(Iterator it, const T& value)
{
  using reference = decltype(*it);
  using target = ::cuda::std::remove_reference_t<reference>;
  if constexpr (
    ::cuda::std::is_lvalue_reference<reference>::value && ::cuda::std::is_arithmetic<target>::value
    && ::cuda::std::is_arithmetic<T>::value) {
    *it = static_cast<target>(value);
  } else {
    *it = value;
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
