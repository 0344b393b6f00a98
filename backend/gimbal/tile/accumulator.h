// Types that an algorithm accumulates in, by the rules stock Thrust follows, and what is known of common operators.
#pragma once

#include <gimbal/simt/config.h>
#include <thrust/functional.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/iterator_traits.h>

#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/iterator>
#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

/// "No initial value": the first item starts the accumulation.
struct no_init {};

/// The same, and the result where there is no item.
template <class T>
struct result_of_nothing {
  T value;

  GIMBAL_HOST_DEVICE operator T() const { return value; }
};

/// True for an initial value, which is combined with the items.
template <class Init>
inline constexpr bool is_combined_init_v = !::cuda::std::is_same<Init, no_init>::value;
template <class T>
inline constexpr bool is_combined_init_v<result_of_nothing<T>> = false;

/// The traits of iterators that stock asks: since CCCL 3 users describe theirs to cuda::std alone.
#if THRUST_MAJOR_VERSION >= 3
template <class Iterator>
using cuda_iterator_traits = ::cuda::std::iterator_traits<Iterator>;
#else
template <class Iterator>
using cuda_iterator_traits = thrust::iterator_traits<Iterator>;
#endif

template <class Iterator>
using value_type_of = typename cuda_iterator_traits<Iterator>::value_type;

/// The output's value type, or `Fallback` for outputs that have none or discard what they are given.
template <class OutputIt, class Fallback, class Value = value_type_of<OutputIt>>
using output_value_or = ::cuda::std::conditional_t<
  ::cuda::std::is_void<Value>::value || ::cuda::std::is_same<Value, value_type_of<thrust::discard_iterator<>>>::value,
  Fallback, Value>;

namespace detail {

template <class Op, class Value, class Init, bool IsCombined = is_combined_init_v<Init>>
struct accumulator {
  using type = ::cuda::std::decay_t<::cuda::std::invoke_result_t<Op, Init, Value>>;
};
template <class Op, class Value, class Init>
struct accumulator<Op, Value, Init, false> {
  using type = Value;
};

}  // namespace detail

/// What `op(init, item)` returns (P2322); without an initial value, the items' own type.
template <class Op, class InputIt, class Init>
using accumulator_t = typename detail::accumulator<Op, value_type_of<InputIt>, Init>::type;
/// What a kernel that accumulates in T is given for an initial value.
template <class T, class Init>
using kernel_init_t = ::cuda::std::conditional_t<is_combined_init_v<Init>, T, no_init>;

namespace detail {

/// Whether Op is one of the `Known` operators, of any type.
template <class Op, template <class> class... Known>
inline constexpr bool is_one_of_v = false;
template <template <class> class Own, class T, template <class> class... Known>
inline constexpr bool is_one_of_v<Own<T>, Known...> = (::cuda::std::is_same_v<Own<T>, Known<T>> || ...);

/// Whether it is one of T's, by its name or void's.
template <template <class> class Known, class Op, class T>
inline constexpr bool is_known_v = ::cuda::std::is_same_v<Op, Known<void>> || ::cuda::std::is_same_v<Op, Known<T>>;

template <class T>
inline constexpr bool is_number_v = ::cuda::std::is_integral_v<T> && !::cuda::std::is_same_v<T, bool>;

}  // namespace detail

/// True where `op(a, b) == op(b, a)` is known at compile time: a standard operator on arithmetic values. Items may then
/// be combined in any fixed order; for floating point that changes rounding, never reproducibility.
template <class Op, class Accumulator, class Value>
inline constexpr bool is_commutative_v = detail::is_one_of_v<
  Op, ::cuda::std::plus, ::cuda::std::multiplies, ::cuda::std::bit_and, ::cuda::std::bit_or, ::cuda::std::bit_xor,
  ::cuda::std::logical_and, ::cuda::std::logical_or, ::cuda::maximum,
  ::cuda::minimum>&& ::cuda::std::is_arithmetic_v<Accumulator>&& ::cuda::std::is_arithmetic_v<Value>;

/// True where `op` adds integers, so that sums may be taken modulo any larger power of two on the way.
template <class Op, class Accumulator, class Value>
inline constexpr bool adds_integers_v =
  detail::is_one_of_v<Op, ::cuda::std::plus>&& detail::is_number_v<Accumulator>&& detail::is_number_v<Value>;

/// True where `op` takes the greater, or the lesser, of two integers.
template <class Op, class T>
inline constexpr bool takes_greater_v = detail::is_known_v<::cuda::maximum, Op, T>&& detail::is_number_v<T>;
template <class Op, class T>
inline constexpr bool takes_lesser_v = detail::is_known_v<::cuda::minimum, Op, T>&& detail::is_number_v<T>;

GIMBAL_NAMESPACE_END
