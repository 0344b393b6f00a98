// Iterators whose items lie in an array, or are made by a function of what lies in one: the array can be read by
// vectors and in advance, and the function given copies.
//
// A function may only be given copies if it cannot tell. It can where it takes a reference and looks at the address, as
// some find out an item's number, so one of these is only given copies if whoever reads through the iterator gives it
// copies, too: it is so for iterators that have proxies for references, as those of thrust::device_vector.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/functors.h>
#include <gimbal/tile/iterators.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <thrust/zip_function.h>

#include <cuda/functional>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

namespace detail {

template <class Argument, class Item>
inline constexpr bool is_value_of =
  ::cuda::std::is_same<::cuda::std::remove_cv_t<Argument>, Item>::value
  || (::cuda::std::is_arithmetic<::cuda::std::remove_cv_t<Argument>>::value && ::cuda::std::is_arithmetic<Item>::value);

template <class... Arguments>
struct arguments {
  /// Numbers, or the `Items`, by value.
  template <class... Items>
  static constexpr bool are_values_of()
  {
    if constexpr (sizeof...(Arguments) == sizeof...(Items)) {
      return (is_value_of<Arguments, Items> && ...);
    } else {
      return false;
    }
  }
  template <class Item>
  static constexpr bool are_one()
  {
    return ::cuda::std::is_same<void(::cuda::std::remove_cvref_t<Arguments>...), void(Item)>::value;
  }
};

template <class F, class Result, class... Arguments>
arguments<Arguments...> arguments_of(Result (F::*)(Arguments...));
template <class F, class Result, class... Arguments>
arguments<Arguments...> arguments_of(Result (F::*)(Arguments...) const);
arguments<> arguments_of(...);

/// True where F's call operator, one alone or a template for `Items`, takes numbers, or `Items`, by value.
template <class Enabled, class F, class... Items>
struct takes_values_of_template : ::cuda::std::false_type {
};
template <class F, class... Items>
struct takes_values_of_template<::cuda::std::void_t<decltype(&F::template operator()<Items...>)>, F, Items...>
    : ::cuda::std::bool_constant<decltype(detail::arguments_of(
        &F::template operator()<Items...>))::template are_values_of<Items...>()> {
};
template <class Enabled, class F, class... Items>
struct takes_values : takes_values_of_template<void, F, Items...> {
};
template <class F, class... Items>
struct takes_values<::cuda::std::void_t<decltype(&F::operator())>, F, Items...>
    : ::cuda::std::bool_constant<decltype(detail::arguments_of(&F::operator()))::template are_values_of<Items...>()> {
};

/// True where F's only call operator takes a `Tuple`, in any way: it is made for the call if there are tuples of
/// references.
template <class F, class Tuple, class = void>
struct takes_tuple : ::cuda::std::false_type {
};
template <class F, class Tuple>
struct takes_tuple<F, Tuple, ::cuda::std::void_t<decltype(&F::operator())>>
    : ::cuda::std::bool_constant<decltype(detail::arguments_of(&F::operator()))::template are_one<Tuple>()> {
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

/// Whether F does with copies of `Items`, which are its arguments, what it does with the items. Of an extended lambda
/// only what is proclaimed counts.
template <class F, class... Items>
struct takes_copies : ::cuda::std::conditional_t<
                        detail::is_extended_lambda<F>::value || ::cuda::proclaims_copyable_arguments<F>::value,
                        ::cuda::proclaims_copyable_arguments<F>, detail::takes_values<void, F, Items...>> {
};
template <class F, class... Items>
struct takes_copies<of_copies<F>, Items...> : ::cuda::std::true_type {
};

/// The same of an F whose argument is a tuple, of references to the items.
template <class F, class First, class Second>
struct takes_pair_of_copies
    : ::cuda::std::conditional_t<
        detail::is_extended_lambda<F>::value || ::cuda::proclaims_copyable_arguments<F>::value,
        ::cuda::proclaims_copyable_arguments<F>, detail::takes_tuple<F, thrust::tuple<First, Second>>> {
};
template <class F, class First, class Second>
struct takes_pair_of_copies<thrust::zip_function<F>, First, Second> : takes_copies<F, First, Second> {
};
template <class Result, class F, class First, class Second>
struct takes_pair_of_copies<functor::apply_pair<Result, F>, First, Second> : takes_copies<F, First, Second> {
};
template <class F, class First, class Second>
struct takes_pair_of_copies<of_copies<F>, First, Second> : ::cuda::std::true_type {
};

// Of functions: array_items (iterators.h).

template <class F, class Base, class Reference, class Value>
struct array_items<thrust::transform_iterator<F, Base, Reference, Value>> {
  using iterator = thrust::transform_iterator<F, Base, Reference, Value>;
  using item = value_type_of<Base>;
  static constexpr bool has_proxies = !::cuda::std::is_reference_v<typename cuda_iterator_traits<Base>::reference>;
  static constexpr bool exists =
    ::cuda::std::is_pointer_v<
      block::raw_iterator_t<Base>> && simt::is_supported_value_v<item> && (has_proxies || takes_copies<F, item>::value);
  static constexpr bool maps = exists;
  static constexpr bool are_pairs = false;

  static GIMBAL_DEVICE const item* begin(const iterator& it) { return block::raw_iterator(it.base()); }
  static GIMBAL_DEVICE value_type_of<iterator> made(const iterator& it, const item& own)
  {
    return static_cast<typename cuda_iterator_traits<iterator>::reference>(it.functor()(own));
  }
};

template <class F, class Base1, class Base2, class Reference, class Value>
struct array_items<
  thrust::transform_iterator<F, thrust::zip_iterator<::cuda::std::tuple<Base1, Base2>>, Reference, Value>> {
  using iterator =
    thrust::transform_iterator<F, thrust::zip_iterator<::cuda::std::tuple<Base1, Base2>>, Reference, Value>;
  using item = value_type_of<Base1>;
  using second_item = value_type_of<Base2>;
  template <class Base>
  static constexpr bool is_array = ::cuda::std::is_pointer_v<block::raw_iterator_t<Base>>;
  template <class Item>
  static constexpr bool is_supported = simt::is_supported_value_v<Item>;
  static constexpr bool are_arrays =
    is_array<Base1> && is_array<Base2> && is_supported<item> && is_supported<second_item>;
  static constexpr bool exists =
    are_arrays && sizeof(item) == sizeof(second_item) && takes_pair_of_copies<F, item, second_item>::value;
  static constexpr bool maps = exists;
  static constexpr bool are_pairs = exists;

  static GIMBAL_DEVICE const item* begin(const iterator& it)
  {
    return block::raw_iterator(thrust::get<0>(it.base().get_iterator_tuple()));
  }
  static GIMBAL_DEVICE const second_item* second_begin(const iterator& it)
  {
    return block::raw_iterator(thrust::get<1>(it.base().get_iterator_tuple()));
  }
  static GIMBAL_DEVICE value_type_of<iterator> made(const iterator& it, const item& first, const second_item& second)
  {
    thrust::tuple<item, second_item> both(first, second);
    return static_cast<typename cuda_iterator_traits<iterator>::reference>(it.functor()(both));
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
