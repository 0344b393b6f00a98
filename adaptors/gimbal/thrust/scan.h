// inclusive_scan, exclusive_scan, transform_inclusive_scan, transform_exclusive_scan.
//
//   inclusive: out[i] = x[0] op ... op x[i], after init where it is given      exclusive: out[i] = init op x[0] op ...
//   op x[i-1]
//
// The operator (default plus) must be associative; operands are combined in order, so it need not be commutative. The
// accumulator is stock's: the input's value type without an initial value, the decayed result of op(init, value) for an
// inclusive scan with one, the type of init (default: a value-initialised value) for an exclusive scan. `out` may equal
// `first`. Counts are 64-bit; an empty range does nothing. It is a single pass: every item is read once and every
// result written once, in one launch. Only `par` waits. The call takes no temporary storage of its own. The tree of
// floating-point results depends on the count, the types and which kernels the device can run, not on addresses: the
// same bits in every run on devices of one kind. Errors: see call.h.
// Falls back to stock for the cases in fallback.h. Source: Merrill and Garland,
// "Single-pass parallel prefix scan with decoupled look-back" (2016).
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/route.h>

#include <gimbal/algorithm/scan/scan.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// The operator as the kernel should see it. An exclusive scan accumulates in the type of its initial value; a standard
/// operator that does so by itself stays as it is, for the kernels may know it, and an addition that would return a
/// larger type (of two bytes an int) becomes that of the initial value's. (Asking any other operator for its result
/// type would exclude lambdas for the device.)
template <class Kind, class InputIt, class Init, class Op>
auto scan_operator(Op op)
{
  if constexpr (Kind::value == algorithm::scan_kind::inclusive) {
    return op;
  } else if constexpr (!is_commutative_v<Op, Init, value_of<InputIt>>) {
    return functor::accumulate_as<Init, Op>{op};
  } else if constexpr (::cuda::std::is_same<accumulator_t<Op, InputIt, Init>, Init>::value) {
    return op;
  } else if constexpr (block::is_addition<Op, Init>::value && adds_integers_v<Op, Init, value_of<InputIt>>) {
    return ::cuda::std::plus<Init>{};
  } else {
    return functor::accumulate_as<Init, Op>{op};
  }
}

/// inclusive_scan with `init` no_init or a value; exclusive_scan with a value.
template <class Derived, class Kind, class InputIt, class OutputIt, class Op, class Init>
OutputIt scan(
  execution_policy<Derived>& policy, const char* name, Kind kind, InputIt first, InputIt last, OutputIt out, Op op,
  Init init)
{
  const auto combine = adaptor::scan_operator<Kind, InputIt, Init>(op);
  using accumulator = accumulator_t<std::remove_const_t<decltype(combine)>, InputIt, Init>;
  if constexpr (is_taken_v<iterators<InputIt, OutputIt>, values<accumulator>>) {
    const index_type n = adaptor::length(first, last);
    call<Derived> step(policy, name, n, sizeof(accumulator));
    auto plan = algorithm::scan_plan(kind, adaptor::unwrap(first), adaptor::unwrap(out), n, combine, init);
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.finish();
    return out + n;
  } else if constexpr (Kind::value == algorithm::scan_kind::exclusive) {
    return stock::exclusive_scan(policy, first, last, out, init, op);
  } else if constexpr (::cuda::std::is_same<Init, no_init>::value) {
    return stock::inclusive_scan(policy, first, last, out, op);
  } else {
    return stock::inclusive_scan(policy, first, last, out, init, op);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt>
_CCCL_HOST_DEVICE OutputIt inclusive_scan(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out)
{
  GIMBAL_ROUTE(
    inclusive_scan,
    adaptor::scan(
      policy, "inclusive_scan", algorithm::inclusive_scan_tag{}, first, last, out, ::cuda::std::plus<>{}, no_init{}),
    thrust::inclusive_scan(thrust::detail::seq_t{}, first, last, out));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class Op>
_CCCL_HOST_DEVICE OutputIt
inclusive_scan(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, Op op)
{
  GIMBAL_ROUTE(
    inclusive_scan_op,
    adaptor::scan(policy, "inclusive_scan", algorithm::inclusive_scan_tag{}, first, last, out, op, no_init{}),
    thrust::inclusive_scan(thrust::detail::seq_t{}, first, last, out, op));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class Init, class Op>
_CCCL_HOST_DEVICE OutputIt
inclusive_scan(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, Init init, Op op)
{
  GIMBAL_ROUTE(
    inclusive_scan_init_op,
    adaptor::scan(policy, "inclusive_scan", algorithm::inclusive_scan_tag{}, first, last, out, op, init),
    thrust::inclusive_scan(thrust::detail::seq_t{}, first, last, out, init, op));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt>
_CCCL_HOST_DEVICE OutputIt exclusive_scan(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out)
{
  using Init = value_type_of<InputIt>;
  GIMBAL_ROUTE(
    exclusive_scan,
    adaptor::scan(
      policy, "exclusive_scan", algorithm::exclusive_scan_tag{}, first, last, out, ::cuda::std::plus<>{}, Init{}),
    thrust::exclusive_scan(thrust::detail::seq_t{}, first, last, out));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class Init>
_CCCL_HOST_DEVICE OutputIt
exclusive_scan(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, Init init)
{
  GIMBAL_ROUTE(
    exclusive_scan_init,
    adaptor::scan(
      policy, "exclusive_scan", algorithm::exclusive_scan_tag{}, first, last, out, ::cuda::std::plus<>{}, init),
    thrust::exclusive_scan(thrust::detail::seq_t{}, first, last, out, init));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class Init, class Op>
_CCCL_HOST_DEVICE OutputIt
exclusive_scan(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, Init init, Op op)
{
  GIMBAL_ROUTE(
    exclusive_scan_init_op,
    adaptor::scan(policy, "exclusive_scan", algorithm::exclusive_scan_tag{}, first, last, out, op, init),
    thrust::exclusive_scan(thrust::detail::seq_t{}, first, last, out, init, op));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class UnaryOp, class Op>
_CCCL_HOST_DEVICE OutputIt transform_inclusive_scan(
  execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, UnaryOp unary_op, Op op)
{
  using value = adaptor::result_value<UnaryOp, InputIt>;
  GIMBAL_ROUTE(
    transform_inclusive_scan,
    adaptor::scan(
      policy, "transform_inclusive_scan", algorithm::inclusive_scan_tag{}, adaptor::transformed<value>(first, unary_op),
      adaptor::transformed<value>(last, unary_op), out, op, no_init{}),
    thrust::transform_inclusive_scan(thrust::detail::seq_t{}, first, last, out, unary_op, op));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class UnaryOp, class Init, class Op>
_CCCL_HOST_DEVICE OutputIt transform_inclusive_scan(
  execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, UnaryOp unary_op, Init init, Op op)
{
  using value = adaptor::result_value<UnaryOp, InputIt>;
  GIMBAL_ROUTE(
    transform_inclusive_scan_init,
    adaptor::scan(
      policy, "transform_inclusive_scan", algorithm::inclusive_scan_tag{}, adaptor::transformed<value>(first, unary_op),
      adaptor::transformed<value>(last, unary_op), out, op, init),
    thrust::transform_inclusive_scan(thrust::detail::seq_t{}, first, last, out, unary_op, init, op));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class UnaryOp, class Init, class Op>
_CCCL_HOST_DEVICE OutputIt transform_exclusive_scan(
  execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, UnaryOp unary_op, Init init, Op op)
{
  GIMBAL_ROUTE(
    transform_exclusive_scan,
    adaptor::scan(
      policy, "transform_exclusive_scan", algorithm::exclusive_scan_tag{}, adaptor::transformed<Init>(first, unary_op),
      adaptor::transformed<Init>(last, unary_op), out, op, init),
    thrust::transform_exclusive_scan(thrust::detail::seq_t{}, first, last, out, unary_op, init, op));
}

GIMBAL_NAMESPACE_END
