// copy_if, remove, remove_if, remove_copy, remove_copy_if.
//
// The items whose predicate holds (copy_if) or does not (remove*), of the item itself or of its entry in the stencil,
// in their order. remove and remove_if work in place, as may any of them with `out` equal to `first`; otherwise the
// output must not overlap the input. What lies beyond the returned end after an in-place call is unspecified. The
// predicate is called once per item. Counts are 64-bit; an empty range touches nothing. It is a single pass: every item
// is read once, every selected one written once. The call returns a position, so it waits once, with par_nosync too.
// The call takes no temporary storage of its own (memory.h). The result is a function of the input. Errors: see call.h.
// Falls back to stock for the cases in fallback.h.
#pragma once

#include <gimbal/thrust/partition.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// Copies the items that `pred` selects.
template <class Derived, class InputIt, class StencilIt, class OutputIt, class Predicate>
OutputIt copy_if(
  execution_policy<Derived>& policy, const char* name, InputIt first, InputIt last, StencilIt stencil, OutputIt out,
  Predicate pred)
{
  if constexpr (is_moved_v<StencilIt, InputIt, OutputIt>) {
    const index_type n = adaptor::length(first, last);
    if (n == 0) {
      return out;
    }
    call<Derived> step(policy, name, n, sizeof(value_of<InputIt>), returns::a_result);
    result_slot<index_type> selected;
    step.throw_if(selected.take());
    auto plan = algorithm::select_plan(
      adaptor::unwrap(first), n, adaptor::selector(stencil, pred), adaptor::unwrap(out), algorithm::discard_rejected{},
      selected.device_pointer());
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.wait();
    return out + selected.value();
  } else if constexpr (::cuda::std::is_same<StencilIt, no_stencil>::value) {
    return stock::copy_if(policy, first, last, out, pred);
  } else {
    return stock::copy_if(policy, first, last, stencil, out, pred);
  }
}

/// Removes the items that `pred` holds for.
template <class Derived, class ForwardIt, class StencilIt, class Predicate>
ForwardIt remove_if(
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
    auto plan = algorithm::select_plan(
      adaptor::unwrap(first), n, adaptor::selector(stencil, functor::negated<Predicate>{pred}), adaptor::unwrap(first),
      algorithm::discard_rejected{}, selected.device_pointer());
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.wait();
    return first + selected.value();
  } else if constexpr (::cuda::std::is_same<StencilIt, no_stencil>::value) {
    return stock::remove_if(policy, first, last, pred);
  } else {
    return stock::remove_if(policy, first, last, stencil, pred);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class Predicate>
_CCCL_HOST_DEVICE OutputIt
copy_if(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, Predicate pred)
{
  GIMBAL_ROUTE(
    copy_if, adaptor::copy_if(policy, "copy_if", first, last, adaptor::no_stencil{}, out, pred),
    thrust::copy_if(thrust::detail::seq_t{}, first, last, out, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class StencilIt, class OutputIt, class Predicate>
_CCCL_HOST_DEVICE OutputIt
copy_if(execution_policy<Derived>& policy, InputIt first, InputIt last, StencilIt stencil, OutputIt out, Predicate pred)
{
  GIMBAL_ROUTE(
    copy_if_stencil, adaptor::copy_if(policy, "copy_if", first, last, stencil, out, pred),
    thrust::copy_if(thrust::detail::seq_t{}, first, last, stencil, out, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class T>
_CCCL_HOST_DEVICE ForwardIt remove(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, const T& value)
{
  GIMBAL_ROUTE(
    remove, adaptor::remove_if(policy, "remove", first, last, adaptor::no_stencil{}, functor::equals<T>{value}),
    thrust::remove(thrust::detail::seq_t{}, first, last, value));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class Predicate>
_CCCL_HOST_DEVICE ForwardIt
remove_if(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, Predicate pred)
{
  GIMBAL_ROUTE(
    remove_if, adaptor::remove_if(policy, "remove_if", first, last, adaptor::no_stencil{}, pred),
    thrust::remove_if(thrust::detail::seq_t{}, first, last, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class ForwardIt, class StencilIt, class Predicate>
_CCCL_HOST_DEVICE ForwardIt
remove_if(execution_policy<Derived>& policy, ForwardIt first, ForwardIt last, StencilIt stencil, Predicate pred)
{
  GIMBAL_ROUTE(
    remove_if_stencil, adaptor::remove_if(policy, "remove_if", first, last, stencil, pred),
    thrust::remove_if(thrust::detail::seq_t{}, first, last, stencil, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class T>
_CCCL_HOST_DEVICE OutputIt
remove_copy(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, const T& value)
{
  GIMBAL_ROUTE(
    remove_copy,
    adaptor::copy_if(
      policy, "remove_copy", first, last, adaptor::no_stencil{}, out, functor::negated<functor::equals<T>>{{value}}),
    thrust::remove_copy(thrust::detail::seq_t{}, first, last, out, value));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class OutputIt, class Predicate>
_CCCL_HOST_DEVICE OutputIt
remove_copy_if(execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, Predicate pred)
{
  GIMBAL_ROUTE(
    remove_copy_if,
    adaptor::copy_if(
      policy, "remove_copy_if", first, last, adaptor::no_stencil{}, out, functor::negated<Predicate>{pred}),
    thrust::remove_copy_if(thrust::detail::seq_t{}, first, last, out, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class InputIt, class StencilIt, class OutputIt, class Predicate>
_CCCL_HOST_DEVICE OutputIt remove_copy_if(
  execution_policy<Derived>& policy, InputIt first, InputIt last, StencilIt stencil, OutputIt out, Predicate pred)
{
  GIMBAL_ROUTE(
    remove_copy_if_stencil,
    adaptor::copy_if(policy, "remove_copy_if", first, last, stencil, out, functor::negated<Predicate>{pred}),
    thrust::remove_copy_if(thrust::detail::seq_t{}, first, last, stencil, out, pred));
}

GIMBAL_NAMESPACE_END
