// Monoids of the scan-vector calls: an associative operator, its identity, and the type that it computes in, in one
// object.
//
//   vectors::plus<int>()                  named ones: plus, times, max, min, bit_or, bit_and, logical_or, logical_and,
//                                         compose (of affine maps), and of tuples, field by field, fields(m0, m1, ...)
//   vectors::first<int>(), last<int>()    without an identity: a semigroup. For inclusive scans, and for distribute
//   vectors::make_monoid(op, identity)    any function object or lambda
//   vectors::make_semigroup<T>(op)
//
// The book (Blelloch, Vector Models for Data-Parallel Computing, 1990) scans with plus, max, min, or and and, as the
// thesis notes (line 196), which has any operator that forms a monoid with its neutral element (lines 148, 190).
#pragma once

#include <gimbal/tile/functors.h>
#include <thrust/tuple.h>

#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

GIMBAL_NAMESPACE_BEGIN

namespace vectors {

/// Values of T under an associative `op`, which is called on values of T and returns one. It need not be commutative:
/// operands are combined in order.
template <class T, class Op>
struct semigroup {
  using value_type = T;
  static constexpr bool has_identity = false;

  Op op;
};

/// The same with an identity, the value that changes nothing: identity op x = x op identity = x. Forward scans need
/// only the first of these.
template <class T, class Op>
struct monoid {
  using value_type = T;
  static constexpr bool has_identity = true;

  Op op;
  T identity;
};

/// `op` computing in T, whatever its own result type is.
template <class T, class Op>
auto make_semigroup(Op op)
{
  return semigroup<T, functor::accumulate_as<T, Op>>{{op}};
}
/// The same with an identity, whose type is the one that is computed in.
template <class T, class Op>
auto make_monoid(Op op, T identity)
{
  return monoid<T, functor::accumulate_as<T, Op>>{{op}, identity};
}

/// a + b
template <class T>
auto plus()
{
  return monoid<T, ::cuda::std::plus<T>>{{}, T{}};
}

/// a * b
template <class T>
auto times()
{
  return monoid<T, ::cuda::std::multiplies<T>>{{}, T{1}};
}

/// The greater one; the identity is the least number, of floating point minus infinity.
template <class T>
auto(max)()
{
  using limits = ::cuda::std::numeric_limits<T>;
  return monoid<T, ::cuda::maximum<T>>{
    {}, limits::has_infinity ? static_cast<T>(-limits::infinity()) : limits::lowest()};
}

/// The lesser one; the identity is the greatest number, of floating point infinity.
template <class T>
auto(min)()
{
  using limits = ::cuda::std::numeric_limits<T>;
  return monoid<T, ::cuda::minimum<T>>{{}, limits::has_infinity ? limits::infinity() : (limits::max)()};
}

/// a | b
template <class T>
auto bit_or()
{
  return monoid<T, ::cuda::std::bit_or<T>>{{}, T{}};
}

/// a & b
template <class T>
auto bit_and()
{
  return monoid<T, ::cuda::std::bit_and<T>>{{}, static_cast<T>(~T{})};
}

/// a || b
inline auto logical_or() { return monoid<bool, ::cuda::std::logical_or<bool>>{{}, false}; }

/// a && b
inline auto logical_and() { return monoid<bool, ::cuda::std::logical_and<bool>>{{}, true}; }

namespace detail {

struct keep_first {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& a, const T&) const
  {
    return a;
  }
};

struct keep_last {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T&, const T& b) const
  {
    return b;
  }
};

}  // namespace detail

/// a: each item becomes the first of its segment.
template <class T>
auto first()
{
  return semigroup<T, detail::keep_first>{};
}

/// b. With any value for an identity it makes a forward exclusive scan a shift by one: vectors::make_monoid of it.
template <class T>
auto last()
{
  return semigroup<T, detail::keep_last>{};
}

/// The map x -> scale * x + offset.
template <class T>
struct affine {
  T scale;
  T offset;

  GIMBAL_HOST_DEVICE T operator()(const T& x) const { return static_cast<T>(scale * x + offset); }

  friend GIMBAL_HOST_DEVICE bool operator==(const affine& a, const affine& b)
  {
    return a.scale == b.scale && a.offset == b.offset;
  }
};

namespace detail {

struct compose_affine {
  template <class T>
  GIMBAL_HOST_DEVICE affine<T> operator()(const affine<T>& a, const affine<T>& b) const
  {
    return {static_cast<T>(b.scale * a.scale), static_cast<T>(b.scale * a.offset + b.offset)};
  }
};

/// A field of a tuple by each operator.
template <class Places, class... Ops>
struct field_by_field;
template <std::size_t... Places, class... Ops>
struct field_by_field<::cuda::std::index_sequence<Places...>, Ops...> {
  thrust::tuple<Ops...> ops;

  _CCCL_EXEC_CHECK_DISABLE
  template <class Tuple>
  GIMBAL_HOST_DEVICE Tuple operator()(const Tuple& a, const Tuple& b) const
  {
    return Tuple(static_cast<typename thrust::tuple_element<Places, Tuple>::type>(
      thrust::get<Places>(ops)(thrust::get<Places>(a), thrust::get<Places>(b)))...);
  }
};

}  // namespace detail

/// Affine maps, `a` before `b`: (a op b)(x) = b(a(x)). Not commutative. The scan solves x[i] = scale[i] * x[i - 1] +
/// offset[i].
template <class T>
auto compose()
{
  return monoid<affine<T>, detail::compose_affine>{{}, {T{1}, T{}}};
}

/// Tuples, each field by a monoid of its own: for structures of arrays, which a zip iterator turns into tuples. With a
/// semigroup among them it is a semigroup.
template <class... Monoids>
auto fields(Monoids... monoids)
{
  using tuple = thrust::tuple<typename Monoids::value_type...>;
  using operators = thrust::tuple<decltype(monoids.op)...>;
  using op = detail::field_by_field<::cuda::std::index_sequence_for<Monoids...>, decltype(monoids.op)...>;
  if constexpr ((Monoids::has_identity && ...)) {
    return monoid<tuple, op>{{operators(monoids.op...)}, tuple(monoids.identity...)};
  } else {
    return semigroup<tuple, op>{{operators(monoids.op...)}};
  }
}

}  // namespace vectors

GIMBAL_NAMESPACE_END
