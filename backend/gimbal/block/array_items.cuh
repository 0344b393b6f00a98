// Iterators whose items lie in an array, or are made by a function of what lies in one: the array can be read by vectors
// and in advance, and the function given copies.
//
// A function may only be given copies if it cannot tell. It can where it takes a reference and looks at the address, as
// some find out an item's number, so one of these is only given copies if whoever reads through the iterator gives it
// copies, too: it is so for iterators that have proxies for references, as those of thrust::device_vector.
#pragma once

#include <gimbal/block/accumulator.h>
#include <gimbal/block/contiguous_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/functional>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

namespace detail {

template <class Call>
struct argument_of {
};
template <class F, class Result, class Argument>
struct argument_of<Result (F::*)(Argument)> {
  using type = Argument;
};
template <class F, class Result, class Argument>
struct argument_of<Result (F::*)(Argument) const> {
  using type = Argument;
};
template <class F, class Result, class Argument>
struct argument_of<Result (F::*)(Argument) noexcept> {
  using type = Argument;
};
template <class F, class Result, class Argument>
struct argument_of<Result (F::*)(Argument) const noexcept> {
  using type = Argument;
};

/// The argument's type of F's call operator where that is neither overloaded nor a template; or, of a template, for an `Item`.
template <class F, class Item, class = void>
struct argument_of_template {
};
template <class F, class Item>
struct argument_of_template<F, Item, ::cuda::std::void_t<decltype(&F::template operator()<Item>)>>
    : argument_of<decltype(&F::template operator()<Item>)> {
};
template <class F, class Item, class = void>
struct argument_type : argument_of_template<F, Item> {
};
template <class F, class Item>
struct argument_type<F, Item, ::cuda::std::void_t<decltype(&F::operator())>> : argument_of<decltype(&F::operator())> {
};

/// True where F takes a number, or an `Item`, by value.
template <class F, class Item, class = void>
struct takes_value : ::cuda::std::false_type {
};
template <class F, class Item>
struct takes_value<F, Item, ::cuda::std::void_t<typename argument_type<F, Item>::type>> {
  using argument = ::cuda::std::remove_cv_t<typename argument_type<F, Item>::type>;
  static constexpr bool value =
    ::cuda::std::is_same<argument, Item>::value
    || (::cuda::std::is_arithmetic<argument>::value && ::cuda::std::is_arithmetic<Item>::value);
};

/// An extended lambda has another type where kernels are named than where they are compiled: nothing may depend on it.
template <class F>
struct is_extended_lambda
#if defined(__CUDACC_EXTENDED_LAMBDA__)
    : ::cuda::std::bool_constant<
        __nv_is_extended_device_lambda_closure_type(F) || __nv_is_extended_host_device_lambda_closure_type(F)> {
};
#else
    : ::cuda::std::false_type {
};
#endif

}  // namespace detail

/// A function that was given copies before, for iterators that have lost the proxies for references they had.
template <class F>
struct of_copies {
  F function;

  _CCCL_EXEC_CHECK_DISABLE
  template <class Item>
  GIMBAL_HOST_DEVICE decltype(auto) operator()(const Item& item)
  {
    return function(item);
  }
  _CCCL_EXEC_CHECK_DISABLE
  template <class Item>
  GIMBAL_HOST_DEVICE decltype(auto) operator()(const Item& item) const
  {
    return function(item);
  }
};

/// Whether F does with a copy of an `Item` what it does with the item. Of an extended lambda only what is proclaimed counts.
template <class F, class Item>
struct takes_copies : ::cuda::std::conditional_t<
                        detail::is_extended_lambda<F>::value || ::cuda::proclaims_copyable_arguments<F>::value,
                        ::cuda::proclaims_copyable_arguments<F>, detail::takes_value<F, Item>> {
};
template <class F, class Item>
struct takes_copies<of_copies<F>, Item> : ::cuda::std::true_type {
};

/// `exists`: there is an array of `item` from `begin(iterator)` on, in which the iterator's items stand; or, if it `maps`, those
/// of which `made(iterator, item)` makes them.
template <class Iterator>
struct array_items {
  static constexpr bool exists = false;
  static constexpr bool maps = false;
  using item = value_type_of<Iterator>;
};
template <class T>
struct array_items<T*> {
  static constexpr bool exists = true;
  static constexpr bool maps = false;
  using item = ::cuda::std::remove_cv_t<T>;

  static GIMBAL_DEVICE const item* begin(T* iterator) { return iterator; }
};
template <class F, class Base, class Reference, class Value>
struct array_items<thrust::transform_iterator<F, Base, Reference, Value>> {
  using iterator = thrust::transform_iterator<F, Base, Reference, Value>;
  using item = value_type_of<Base>;
  static constexpr bool has_proxies = !::cuda::std::is_reference_v<typename thrust::iterator_traits<Base>::reference>;
  static constexpr bool exists =
    ::cuda::std::is_pointer_v<thrust::try_unwrap_contiguous_iterator_t<
      Base>> && simt::is_supported_value_v<item> && (has_proxies || takes_copies<F, item>::value);
  static constexpr bool maps = exists;

  static GIMBAL_DEVICE const item* begin(const iterator& it)
  {
    return thrust::try_unwrap_contiguous_iterator(it.base());
  }
  static GIMBAL_DEVICE value_type_of<iterator> made(const iterator& it, const item& own)
  {
    return static_cast<typename thrust::iterator_traits<iterator>::reference>(it.functor()(own));
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
