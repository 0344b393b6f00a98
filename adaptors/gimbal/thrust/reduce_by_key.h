// reduce_by_key.
//
// Gives one item per run of equal neighbouring keys, where !pred(key[i-1], key[i]) ends a run (default: equal_to): the
// run's first key and x[h] op ... op x[e-1] over its values. The first is what Thrust documented up to CCCL 3.0;
// stock's CUDA system writes the last, which CCCL 3.5 documents: they differ where keys are equal under pred and not
// the same. The operator (default: plus) must be associative; operands are combined in order, so it need not be
// commutative. The accumulator is stock's, the values' type. Outputs must not overlap inputs. Counts are 64-bit; an
// empty range touches nothing. It is a single pass: every key and value is read once, one key and one value are written
// per run. The call returns positions, so it waits once, with par_nosync too. The call takes no temporary storage of
// its own (memory.h). Floating-point results are the same bits in every run with the same input, at any addresses.
// Errors: see call.h. Falls back to stock for the cases in fallback.h.
#pragma once

#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/route.h>
#include <thrust/pair.h>

#include <gimbal/algorithm/scan/reduce_by_key.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// What the default plus adds: the type of the values' output where it has one, else that of their input, as stock.
template <class ValueIt, class ValueOut>
using summed_by_key = output_value_or<ValueOut, value_of<ValueIt>>;

template <class Derived, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal, class Op>
thrust::pair<KeyOut, ValueOut> reduce_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out, Equal pred, Op op)
{
  if constexpr (is_taken_v<iterators<KeyIt, ValueIt, KeyOut, ValueOut>, values<value_of<KeyIt>, value_of<ValueIt>>>) {
    const index_type n = adaptor::length(keys_first, keys_last);
    if (n == 0) {
      return {keys_out, values_out};
    }
    call<Derived> step(policy, "reduce_by_key", n, sizeof(value_of<ValueIt>), returns::a_result);
    result_slot<index_type> runs;
    step.throw_if(runs.take());
    auto plan = algorithm::reduce_by_key_plan(
      adaptor::unwrap(keys_first), adaptor::unwrap(values_first), adaptor::unwrap(keys_out),
      adaptor::unwrap(values_out), runs.device_pointer(), n, pred, op);
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.wait();
    return {keys_out + runs.value(), values_out + runs.value()};
  } else {
    return stock::reduce_by_key(policy, keys_first, keys_last, values_first, keys_out, values_out, pred, op);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class KeyOut, class ValueOut>
_CCCL_HOST_DEVICE thrust::pair<KeyOut, ValueOut> reduce_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out)
{
  using key = value_type_of<KeyIt>;
  using value = adaptor::summed_by_key<ValueIt, ValueOut>;
  GIMBAL_ROUTE(
    reduce_by_key,
    adaptor::reduce_by_key(
      policy, keys_first, keys_last, values_first, keys_out, values_out, ::cuda::std::equal_to<key>{},
      ::cuda::std::plus<value>{}),
    thrust::reduce_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, keys_out, values_out));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
_CCCL_HOST_DEVICE thrust::pair<KeyOut, ValueOut> reduce_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out, Equal pred)
{
  using value = adaptor::summed_by_key<ValueIt, ValueOut>;
  GIMBAL_ROUTE(
    reduce_by_key_pred,
    adaptor::reduce_by_key(
      policy, keys_first, keys_last, values_first, keys_out, values_out, pred, ::cuda::std::plus<value>{}),
    thrust::reduce_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, keys_out, values_out, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal, class Op>
_CCCL_HOST_DEVICE thrust::pair<KeyOut, ValueOut> reduce_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out, Equal pred, Op op)
{
  GIMBAL_ROUTE(
    reduce_by_key_pred_op,
    adaptor::reduce_by_key(policy, keys_first, keys_last, values_first, keys_out, values_out, pred, op),
    thrust::reduce_by_key(
      thrust::detail::seq_t{}, keys_first, keys_last, values_first, keys_out, values_out, pred, op));
}

GIMBAL_NAMESPACE_END
