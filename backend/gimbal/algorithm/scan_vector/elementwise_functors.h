// Function objects of the scan-vector calls that make each item by itself: what is loaded, and what the output is given
// of that. An output's type says nothing of what it should be given: it is given what a function returns, and items as
// they are.
#pragma once

#include <gimbal/tile/accumulator.h>

#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace functor {

/// The items of several ranges at position i.
template <class... InputIts>
struct items_at {
  ::cuda::std::tuple<InputIts...> firsts;

  using value = ::cuda::std::tuple<value_type_of<InputIts>...>;  // copied bytewise where the items are
  GIMBAL_DEVICE value operator()(index_type i) const
  {
    return ::cuda::std::apply(
      [i](const InputIts&... first) { return value(block::load_as<value_type_of<InputIts>>(first + i)...); }, firsts);
  }
};

/// f of these, as a T.
template <class T, class F, class... InputIts>
struct apply_at {
  mutable F f;
  ::cuda::std::tuple<InputIts...> firsts;

  GIMBAL_DEVICE T operator()(index_type i) const
  {
    return ::cuda::std::apply(
      [this, i](const InputIts&... first) {
        return static_cast<T>(f(block::load_as<value_type_of<InputIts>>(first + i)...));
      },
      firsts);
  }
};

/// out[i] = f(items...)
template <class F, class OutputIt>
struct put_result {
  mutable F f;
  OutputIt out;

  template <class Items>
  GIMBAL_DEVICE void operator()(index_type i, const Items& items) const
  {
    block::store_as(out + i, ::cuda::std::apply(f, items));
  }
};

/// The same of items that are loaded then, as no kernel holds them.
template <class F, class OutputIt, class... InputIts>
struct put_result_at {
  mutable F f;
  OutputIt out;
  ::cuda::std::tuple<InputIts...> firsts;

  GIMBAL_DEVICE void operator()(index_type i, index_type) const
  {
    ::cuda::std::apply(
      [this, i](const InputIts&... first) {
        block::store_as(out + i, f(block::load_as<value_type_of<InputIts>>(first + i)...));
      },
      firsts);
  }
};

/// One of two values whose types differ: the output is given it as it is.
template <class First, class Second>
struct either_value {
  bool is_second;
  uninit<First> first;
  uninit<Second> second;

  static constexpr bool is_either = true;
};
/// A value of First or of Second.
template <class First, class Second>
using either =
  ::cuda::std::conditional_t<::cuda::std::is_same<First, Second>::value, First, either_value<First, Second>>;
template <class T, class = void>
inline constexpr bool is_either_v = false;
template <class T>
inline constexpr bool is_either_v<T, ::cuda::std::enable_if_t<T::is_either>> = true;

/// `value`, loaded or given, as an Either.
template <class Either, class T>
GIMBAL_DEVICE Either as_first(const T& value)
{
  if constexpr (is_either_v<Either>) {
    Either one;
    one.is_second = false;
    one.first.set(value);
    return one;
  } else {
    return static_cast<Either>(value);
  }
}
template <class Either, class T>
GIMBAL_DEVICE Either as_second(const T& value)
{
  if constexpr (is_either_v<Either>) {
    Either one;
    one.is_second = true;
    one.second.set(value);
    return one;
  } else {
    return static_cast<Either>(value);
  }
}

/// out[i] = the one that it is
template <class OutputIt, class Either>
GIMBAL_DEVICE void store_either(OutputIt out, const Either& value)
{
  if constexpr (is_either_v<Either>) {
    if (value.is_second) {
      block::store_as(out, value.second.get());
    } else {
      block::store_as(out, value.first.get());
    }
  } else {
    block::store_as(out, value);
  }
}
template <class OutputIt>
struct put_either {
  OutputIt out;

  template <class Either>
  GIMBAL_DEVICE void operator()(index_type i, const Either& value) const
  {
    functor::store_either(out + i, value);
  }
};

/// flags[i] ? trues[i] : falses[i]; of the two only the one that is taken is read.
template <class Either, class FlagIt, class TrueIt, class FalseIt>
struct select_at {
  FlagIt flags;
  TrueIt trues;
  FalseIt falses;

  GIMBAL_DEVICE Either operator()(index_type i) const
  {
    if (block::load_as<bool>(flags + i)) {
      return functor::as_first<Either>(block::load_as<value_type_of<TrueIt>>(trues + i));
    }
    return functor::as_second<Either>(block::load_as<value_type_of<FalseIt>>(falses + i));
  }
};

/// x[i - distance], or `fill` where there is no such item of n.
template <class Either, class InputIt, class T>
struct shifted_at {
  InputIt first;
  index_type n;
  index_type distance;
  T fill;

  GIMBAL_DEVICE Either operator()(index_type i) const
  {
    const index_type from = i - distance;
    if (0 <= from && from < n) {
      return functor::as_first<Either>(block::load_as<value_type_of<InputIt>>(first + from));
    }
    return functor::as_second<Either>(fill);
  }
};

}  // namespace functor

namespace simt {
template <class First, class Second>
struct is_bytewise_copyable<functor::either_value<First, Second>>
    : ::cuda::std::conjunction<is_bytewise_copyable<First>, is_bytewise_copyable<Second>> {
};
}  // namespace simt

GIMBAL_NAMESPACE_END
