// Pointers and plain references for what iterators and references of Thrust's containers stand for. Thrust's own
// functions ask for an item's address by &, which a user's type may overload.
#pragma once

#include <gimbal/simt/config.h>
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

}  // namespace block

GIMBAL_NAMESPACE_END
