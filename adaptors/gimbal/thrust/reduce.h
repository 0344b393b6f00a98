// reduce, reduce_into, transform_reduce, inner_product, count, count_if.
//
// reduce(policy, first, last, init, op) = init op x[0] op x[1] op ... op x[n-1]
//
// The operator must be associative; operands are combined in order, so it need not be commutative. The accumulator is
// what stock deduces: the decayed result of op(T, value of the input), T being the type of init; the result is
// converted to T. Counts are 64-bit; an empty range returns init and touches neither the device nor the stream. It is
// one launch on the policy's stream; the host waits once, for the result (reduce_into returns nothing: nosync policies
// do not wait). The call takes no temporary storage of its own: partial results lie in memory retained for the stream
// (memory.h); the result comes back through a slot of pinned memory. Every item is read once; a function that makes
// items from an array's is given copies where it cannot notice (tile/array_items.cuh). The operator is called only on
// items, on its own results and on init. The tree depends only on the count and the types: floating-point results are
// the same bits in every run, on every device and on the host executor (algorithm/reduce/reduce.cuh). Errors: see
// call.h. Falls back to stock for the cases in fallback.h.
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/route.h>
#include <gimbal/tile/accumulator.h>

#include <gimbal/algorithm/reduce/reduce.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// Folds [first, last) after `init`, for the call that the user knows as `name`.
template <class Derived, class InputIt, class T, class Op>
T reduce(execution_policy<Derived>& policy, const char* name, InputIt first, InputIt last, T init, Op op)
{
  using accumulator = accumulator_t<Op, InputIt, T>;
  if constexpr (is_taken_v<iterators<InputIt>, values<value_of<InputIt>, accumulator, T>>) {
    const index_type n = adaptor::length(first, last);
    if (n == 0) {
      return init;
    }
    call<Derived> step(policy, name, n, sizeof(value_of<InputIt>), returns::a_result);
    host_result<T> result;
    step.throw_if(result.take());
    auto plan = algorithm::reduce_plan<tuning::reduce<read_bytes<InputIt>::value>>(
      adaptor::unwrap(first), n, result.output(), op, init);
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    return step.result(result);
  } else {
    return stock::reduce(policy, first, last, init, op);
  }
}

#if GIMBAL_HAS_REDUCE_INTO
template <class Derived, class InputIt, class OutputIt, class T, class Op>
void reduce_into(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, T init, Op op)
{
  using accumulator = accumulator_t<Op, InputIt, T>;
  if constexpr (is_taken_v<iterators<InputIt, OutputIt>, values<value_of<InputIt>, accumulator, T>>) {
    const index_type n = adaptor::length(first, last);
    call<Derived> step(policy, "reduce_into", n, sizeof(value_of<InputIt>));
    auto plan = algorithm::reduce_plan<tuning::reduce<read_bytes<InputIt>::value>>(
      adaptor::unwrap(first), n, adaptor::unwrap(out), op, init);
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.finish();
  } else {
    stock::reduce_into(policy, first, last, out, init, op);
  }
}
#endif

/// How many items of [first, last) `pred` holds for. For an array of numbers it is given copies.
template <class Derived, class InputIt, class Predicate>
index_type count_if(execution_policy<Derived>& policy, const char* name, InputIt first, InputIt last, Predicate pred)
{
  using value = value_of<InputIt>;
  using array = decltype(adaptor::unwrap(first));
  if constexpr (::cuda::std::is_pointer<array>::value && ::cuda::std::is_arithmetic<value>::value) {
    const index_type n = adaptor::length(first, last);
    if (n == 0) {
      return 0;
    }
    call<Derived> step(policy, name, n, sizeof(value), returns::a_result);
    host_result<index_type> result;
    step.throw_if(result.take());
    auto plan = algorithm::reduce_plan(
      adaptor::unwrap(first), n, result.output(), functor::count_where<Predicate>{pred}, no_init{});
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    return step.result(result);
  } else {
    using one = functor::one_if<Predicate>;
    return adaptor::reduce(
      policy, name, adaptor::transformed<index_type>(first, one{pred}),
      adaptor::transformed<index_type>(last, one{pred}), index_type{0}, ::cuda::std::plus<index_type>{});
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt>
_CCCL_HOST_DEVICE value_type_of<InputIt> reduce(execution_policy<Derived>& policy, InputIt first, InputIt last)
{
  using value = value_type_of<InputIt>;
  GIMBAL_ROUTE(
    reduce, adaptor::reduce(policy, "reduce", first, last, value(0), ::cuda::std::plus<value>{}),
    thrust::reduce(thrust::detail::seq_t{}, first, last));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class T>
_CCCL_HOST_DEVICE T reduce(execution_policy<Derived>& policy, InputIt first, InputIt last, T init)
{
  GIMBAL_ROUTE(
    reduce_init, adaptor::reduce(policy, "reduce", first, last, init, ::cuda::std::plus<T>{}),
    thrust::reduce(thrust::detail::seq_t{}, first, last, init));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class T, class Op>
_CCCL_HOST_DEVICE T reduce(execution_policy<Derived>& policy, InputIt first, InputIt last, T init, Op op)
{
  GIMBAL_ROUTE(
    reduce_init_op, adaptor::reduce(policy, "reduce", first, last, init, op),
    thrust::reduce(thrust::detail::seq_t{}, first, last, init, op));
}

#if GIMBAL_HAS_REDUCE_INTO
_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt>
_CCCL_HOST_DEVICE void reduce_into(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out)
{
  using value = value_type_of<InputIt>;
  GIMBAL_ROUTE(
    reduce_into, adaptor::reduce_into(policy, first, last, out, value(0), ::cuda::std::plus<value>{}),
    thrust::reduce_into(thrust::detail::seq_t{}, first, last, out));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class T>
_CCCL_HOST_DEVICE void reduce_into(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, T init)
{
  GIMBAL_ROUTE(
    reduce_into_init, adaptor::reduce_into(policy, first, last, out, init, ::cuda::std::plus<T>{}),
    thrust::reduce_into(thrust::detail::seq_t{}, first, last, out, init));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class T, class Op>
_CCCL_HOST_DEVICE void reduce_into(
  execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, T init, Op op)
{
  GIMBAL_ROUTE(
    reduce_into_init_op, adaptor::reduce_into(policy, first, last, out, init, op),
    thrust::reduce_into(thrust::detail::seq_t{}, first, last, out, init, op));
}
#endif

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class UnaryOp, class T, class Op>
_CCCL_HOST_DEVICE T
transform_reduce(execution_policy<Derived>& policy, InputIt first, InputIt last, UnaryOp unary_op, T init, Op op)
{
  using value = adaptor::result_value<UnaryOp, InputIt>;
  GIMBAL_ROUTE(
    transform_reduce,
    adaptor::reduce(
      policy, "transform_reduce", adaptor::transformed<value, true>(first, unary_op),
      adaptor::transformed<value, true>(last, unary_op), init, op),
    thrust::transform_reduce(
      thrust::detail::seq_t{}, adaptor::described(first), adaptor::described(last), unary_op, init, op));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt1, class InputIt2, class T>
_CCCL_HOST_DEVICE T
inner_product(execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, T init)
{
  using product = functor::apply_pair<T, ::cuda::std::multiplies<T>>;
  GIMBAL_ROUTE(
    inner_product,
    adaptor::reduce(
      policy, "inner_product", adaptor::transformed_pairs<T>(first1, first2, product{}),
      adaptor::transformed_pairs<T>(last1, first2, product{}), init, ::cuda::std::plus<T>{}),
    thrust::inner_product(
      thrust::detail::seq_t{}, adaptor::described(first1), adaptor::described(last1), adaptor::described(first2),
      init));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt1, class InputIt2, class T, class Op1, class Op2>
_CCCL_HOST_DEVICE T inner_product(
  execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, T init, Op1 op1, Op2 op2)
{
  using value = adaptor::result_value<Op2, InputIt1, InputIt2>;
  using product = functor::apply_pair<value, Op2>;
  GIMBAL_ROUTE(
    inner_product_ops,
    adaptor::reduce(
      policy, "inner_product", adaptor::transformed_pairs<value>(first1, first2, product{op2}),
      adaptor::transformed_pairs<value>(last1, first2, product{op2}), init, op1),
    thrust::inner_product(
      thrust::detail::seq_t{}, adaptor::described(first1), adaptor::described(last1), adaptor::described(first2), init,
      op1, op2));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class T>
_CCCL_HOST_DEVICE typename cuda_iterator_traits<InputIt>::difference_type count(
  execution_policy<Derived>& policy, InputIt first, InputIt last, const T& value)
{
  GIMBAL_ROUTE(
    count, adaptor::count_if(policy, "count", first, last, functor::equals<T>{value}),
    thrust::count(thrust::detail::seq_t{}, adaptor::described(first), adaptor::described(last), value));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class Predicate>
_CCCL_HOST_DEVICE typename cuda_iterator_traits<InputIt>::difference_type count_if(
  execution_policy<Derived>& policy, InputIt first, InputIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    count_if, adaptor::count_if(policy, "count_if", first, last, pred),
    thrust::count_if(thrust::detail::seq_t{}, adaptor::described(first), adaptor::described(last), pred));
}

GIMBAL_NAMESPACE_END
