// partition, stable_partition, partition_copy, stable_partition_copy; partition_point. (is_partitioned: logical.h)
//
// partition_point is where find_if_not (find.h) stops: at the first item that the predicate does not hold for, in any
// order. What follows is about the others.
//
// Items whose predicate holds, of the item itself or of its entry in the stencil, go first (or to `out_true`), the
// others after them (or to `out_false`). All eight keep the order within both. The in-place forms write selected items
// where they belong and carry the others through temporary storage; outputs of the copying forms must not overlap the
// input. The predicate is called once per item. Counts are 64-bit; an empty range touches nothing. It is a single pass:
// every item is read once and written once (in place rejected items twice, unless there are few). The call returns
// positions, so it waits once, with par_nosync too. Storage: none, in place of many items up to room for all, from the
// retained pool or the policy's allocator. The result is a function of the input. Errors: see call.h; in place, a step
// that fails half way may leave items moved. Falls back to stock for the cases in fallback.h.
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/find.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/route.h>
#include <thrust/pair.h>

#include <gimbal/algorithm/select/partition.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// The stencil of the forms that have none: the predicate is called on the item itself.
struct no_stencil {};

template <class Predicate>
auto selector(no_stencil, Predicate pred)
{
  return algorithm::select_if<Predicate>{pred};
}
template <class StencilIt, class Predicate>
auto selector(StencilIt stencil, Predicate pred)
{
  return algorithm::select_if_stencil<decltype(adaptor::unwrap(stencil)), Predicate>{adaptor::unwrap(stencil), pred};
}

/// True if the kernels can move the items of InputIt, selected by a stencil or by themselves, to Others.
template <class StencilIt, class InputIt, class... Others>
inline constexpr bool is_moved_v = is_taken_v<iterators<InputIt, StencilIt, Others...>, values<value_of<InputIt>>>;
template <class InputIt, class... Others>
inline constexpr bool is_moved_v<no_stencil, InputIt, Others...> =
  is_taken_v<iterators<InputIt, Others...>, values<value_of<InputIt>>>;

template <class Derived, class ForwardIt, class StencilIt, class Predicate>
ForwardIt partition(
  execution_policy<Derived>& policy, const char* name, ForwardIt first, ForwardIt last, StencilIt stencil,
  Predicate pred)
{
  if constexpr (is_moved_v<StencilIt, ForwardIt>) {
    const index_type n = adaptor::length(first, last);
    if (n == 0) {
      return first;
    }
    call<Derived> step(policy, name, n, sizeof(value_of<ForwardIt>), returns::a_result);
    result_slot<index_type> selected;
    step.throw_if(selected.take());
    auto plan = algorithm::stable_partition_plan(
      adaptor::unwrap(first), n, adaptor::selector(stencil, pred), selected.device_pointer());
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.wait();
    return first + selected.value();
  } else if constexpr (::cuda::std::is_same<StencilIt, no_stencil>::value) {
    return stock::stable_partition(policy, first, last, pred);
  } else {
    return stock::stable_partition(policy, first, last, stencil, pred);
  }
}

template <class Derived, class InputIt, class StencilIt, class OutputIt1, class OutputIt2, class Predicate>
thrust::pair<OutputIt1, OutputIt2> partition_copy(
  execution_policy<Derived>& policy, const char* name, InputIt first, InputIt last, StencilIt stencil,
  OutputIt1 out_true, OutputIt2 out_false, Predicate pred)
{
  if constexpr (is_moved_v<StencilIt, InputIt, OutputIt1, OutputIt2>) {
    const index_type n = adaptor::length(first, last);
    if (n == 0) {
      return {out_true, out_false};
    }
    call<Derived> step(policy, name, n, sizeof(value_of<InputIt>), returns::a_result);
    result_slot<index_type> selected;
    step.throw_if(selected.take());
    auto plan = algorithm::select_plan(
      adaptor::unwrap(first), n, adaptor::selector(stencil, pred), adaptor::unwrap(out_true),
      adaptor::unwrap(out_false), selected.device_pointer());
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.wait();
    return {out_true + selected.value(), out_false + (n - selected.value())};
  } else if constexpr (::cuda::std::is_same<StencilIt, no_stencil>::value) {
    return stock::stable_partition_copy(policy, first, last, out_true, out_false, pred);
  } else {
    return stock::stable_partition_copy(policy, first, last, stencil, out_true, out_false, pred);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Predicate>
_CCCL_HOST_DEVICE ForwardIt
partition(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    partition, adaptor::partition(policy, "partition", first, last, adaptor::no_stencil{}, pred),
    thrust::partition(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class StencilIt, class Predicate>
_CCCL_HOST_DEVICE ForwardIt
partition(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, StencilIt stencil, Predicate pred)
{
  GIMBAL_ROUTE(
    partition_stencil, adaptor::partition(policy, "partition", first, last, stencil, pred),
    thrust::partition(thrust::detail::seq_t{}, first, last, stencil, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Predicate>
_CCCL_HOST_DEVICE ForwardIt
stable_partition(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    stable_partition, adaptor::partition(policy, "stable_partition", first, last, adaptor::no_stencil{}, pred),
    thrust::stable_partition(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class StencilIt, class Predicate>
_CCCL_HOST_DEVICE ForwardIt
stable_partition(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, StencilIt stencil, Predicate pred)
{
  GIMBAL_ROUTE(
    stable_partition_stencil, adaptor::partition(policy, "stable_partition", first, last, stencil, pred),
    thrust::stable_partition(thrust::detail::seq_t{}, first, last, stencil, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt1, class OutputIt2, class Predicate>
_CCCL_HOST_DEVICE thrust::pair<OutputIt1, OutputIt2> partition_copy(
  execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt1 out_true, OutputIt2 out_false,
  Predicate pred)
{
  GIMBAL_ROUTE(
    partition_copy,
    adaptor::partition_copy(policy, "partition_copy", first, last, adaptor::no_stencil{}, out_true, out_false, pred),
    thrust::partition_copy(thrust::detail::seq_t{}, first, last, out_true, out_false, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class StencilIt, class OutputIt1, class OutputIt2, class Predicate>
_CCCL_HOST_DEVICE thrust::pair<OutputIt1, OutputIt2> partition_copy(
  execution_policy<Derived>& policy, InputIt first, InputIt last, StencilIt stencil, OutputIt1 out_true,
  OutputIt2 out_false, Predicate pred)
{
  GIMBAL_ROUTE(
    partition_copy_stencil,
    adaptor::partition_copy(policy, "partition_copy", first, last, stencil, out_true, out_false, pred),
    thrust::partition_copy(thrust::detail::seq_t{}, first, last, stencil, out_true, out_false, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt1, class OutputIt2, class Predicate>
_CCCL_HOST_DEVICE thrust::pair<OutputIt1, OutputIt2> stable_partition_copy(
  execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt1 out_true, OutputIt2 out_false,
  Predicate pred)
{
  GIMBAL_ROUTE(
    stable_partition_copy,
    adaptor::partition_copy(
      policy, "stable_partition_copy", first, last, adaptor::no_stencil{}, out_true, out_false, pred),
    thrust::stable_partition_copy(thrust::detail::seq_t{}, first, last, out_true, out_false, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class StencilIt, class OutputIt1, class OutputIt2, class Predicate>
_CCCL_HOST_DEVICE thrust::pair<OutputIt1, OutputIt2> stable_partition_copy(
  execution_policy<Derived>& policy, InputIt first, InputIt last, StencilIt stencil, OutputIt1 out_true,
  OutputIt2 out_false, Predicate pred)
{
  GIMBAL_ROUTE(
    stable_partition_copy_stencil,
    adaptor::partition_copy(policy, "stable_partition_copy", first, last, stencil, out_true, out_false, pred),
    thrust::stable_partition_copy(thrust::detail::seq_t{}, first, last, stencil, out_true, out_false, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Predicate>
_CCCL_HOST_DEVICE ForwardIt
partition_point(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    partition_point, adaptor::find_if(policy, "partition_point", first, last, functor::negated<Predicate>{pred}),
    thrust::partition_point(thrust::detail::seq_t{}, first, last, pred));
}

GIMBAL_NAMESPACE_END
