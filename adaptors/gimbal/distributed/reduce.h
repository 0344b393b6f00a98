// reduce, reduce_into, transform_reduce, inner_product, count, count_if over a communicator.
//
// The result, on every rank, is that of one call on the ranks' parts, one after another: init op x[0] op x[1] ...; init
// is the same on all ranks. Each rank folds its part; the parts' folds are gathered, 16 bytes and a value a rank, and
// folded in the order of the ranks, on each rank. The operator must be associative; it need not be commutative.
// Floating-point results are the same bits in every run with as many ranks and as many items on each. Values are copied
// bytewise and have at most 128 bytes.
#pragma once

#include <gimbal/distributed/call.h>
#include <gimbal/thrust/reduce.h>
#include <thrust/fill.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// The fold of each rank's n items from `first` on, in T, is gathered; R is that of all ranks, or of the ranks before
/// this one, after init.
template <class T, class R, class Local, class InputIt, class Op, class Init>
std::optional<R> gather_folds(
  distributed_call<Local>& call, InputIt first, index_type n, Op op, Init init, bool before_own)
{
  return call.template gather<T, R>(
    n > 0, [&](uninit<T>* out) { adaptor::fold_part(call.local(), first, n, &out->get(), op); },
    ranks::fold_in_order<Op, Init>{op, init, before_own});
}

template <class Local, class InputIt, class T, class Op>
T distributed_reduce(distributed_policy<Local>& policy, const char* name, InputIt first, InputIt last, T init, Op op)
{
  using accumulator = accumulator_t<Op, InputIt, T>;
  check_passed<iterators<InputIt>, values<accumulator>>();
  const index_type n = adaptor::length(first, last);
  distributed_call<Local> call(policy, name, n, sizeof(value_of<InputIt>));
  return static_cast<T>(
    *adaptor::gather_folds<accumulator, accumulator>(call, first, n, op, static_cast<accumulator>(init), false));
}

}  // namespace adaptor

template <class Local, class InputIt>
value_type_of<InputIt> reduce(distributed_policy<Local>& policy, InputIt first, InputIt last)
{
  using value = value_type_of<InputIt>;
  return adaptor::distributed_reduce(policy, "reduce", first, last, value(0), ::cuda::std::plus<value>{});
}

template <class Local, class InputIt, class T>
T reduce(distributed_policy<Local>& policy, InputIt first, InputIt last, T init)
{
  return adaptor::distributed_reduce(policy, "reduce", first, last, init, ::cuda::std::plus<T>{});
}

template <class Local, class InputIt, class T, class Op>
T reduce(distributed_policy<Local>& policy, InputIt first, InputIt last, T init, Op op)
{
  return adaptor::distributed_reduce(policy, "reduce", first, last, init, op);
}

/// Each rank writes the result to its `out`.
template <class Local, class InputIt, class OutputIt, class T, class Op>
void reduce_into(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, T init, Op op)
{
  const T result = adaptor::distributed_reduce(policy, "reduce_into", first, last, init, op);
  adaptor::distributed_call<Local> call(policy, "reduce_into", 1, sizeof(T));
  call.step([&] { thrust::fill_n(call.local(), out, 1, result); });
  call.finish();
}

template <class Local, class InputIt, class OutputIt, class T>
void reduce_into(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, T init)
{
  gimbal::reduce_into(policy, first, last, out, init, ::cuda::std::plus<T>{});
}

template <class Local, class InputIt, class OutputIt>
void reduce_into(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out)
{
  gimbal::reduce_into(policy, first, last, out, value_type_of<InputIt>(0));
}

template <class Local, class InputIt, class F, class T, class Op>
T transform_reduce(distributed_policy<Local>& policy, InputIt first, InputIt last, F f, T init, Op op)
{
  using value = adaptor::result_value<F, InputIt>;
  return adaptor::distributed_reduce(
    policy, "transform_reduce", adaptor::transformed<value, true>(first, f), adaptor::transformed<value, true>(last, f),
    init, op);
}

template <class Local, class InputIt1, class InputIt2, class T, class Op1, class Op2>
T inner_product(
  distributed_policy<Local>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, T init, Op1 op1, Op2 op2)
{
  using value = adaptor::result_value<Op2, InputIt1, InputIt2>;
  using product = functor::apply_pair<value, Op2>;
  const auto products = adaptor::transformed_pairs<value>(first1, first2, product{op2});
  return adaptor::distributed_reduce(
    policy, "inner_product", products, products + adaptor::length(first1, last1), init, op1);
}

template <class Local, class InputIt1, class InputIt2, class T>
T inner_product(distributed_policy<Local>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, T init)
{
  return gimbal::inner_product(
    policy, first1, last1, first2, init, ::cuda::std::plus<T>{}, ::cuda::std::multiplies<T>{});
}

namespace adaptor {

template <class Local, class InputIt, class Predicate>
index_type distributed_count(
  distributed_policy<Local>& policy, const char* name, InputIt first, InputIt last, Predicate pred)
{
  using one = functor::one_if<Predicate>;
  return adaptor::distributed_reduce(
    policy, name, adaptor::transformed<index_type>(first, one{pred}), adaptor::transformed<index_type>(last, one{pred}),
    index_type{0}, ::cuda::std::plus<index_type>{});
}

}  // namespace adaptor

template <class Local, class InputIt, class Predicate>
typename thrust::iterator_traits<InputIt>::difference_type count_if(
  distributed_policy<Local>& policy, InputIt first, InputIt last, Predicate pred)
{
  return adaptor::distributed_count(policy, "count_if", first, last, pred);
}

template <class Local, class InputIt, class T>
typename thrust::iterator_traits<InputIt>::difference_type count(
  distributed_policy<Local>& policy, InputIt first, InputIt last, const T& value)
{
  return adaptor::distributed_count(policy, "count", first, last, functor::equals<T>{value});
}

GIMBAL_NAMESPACE_END
