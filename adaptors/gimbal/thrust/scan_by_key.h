// inclusive_scan_by_key, exclusive_scan_by_key.
//
// A scan (scan.h) that restarts at every item whose key differs from the one before: where !pred(key[i-1], key[i]).
//
//   inclusive: out[i] = x[h] op ... op x[i]       exclusive: out[i] = init op x[h] op ... op x[i-1]      h: first of
//   i's segment
//
// The operator (default plus) must be associative, not commutative; `pred` (default equal_to) may be any function of
// two keys. The accumulator is stock's: the values' type for the inclusive forms, the type of init (default: a
// value-initialised value) for the exclusive ones. `out` may equal the values or the keys. Counts are 64-bit. It is a
// single pass: every key and value is read once (in small calls keys once more from cache). Only `par` waits.
// Determinism, errors and fallback: as in scan.h; storage: algorithm/scan/segmented_scan.cuh. Sources: Schwartz,
// "Ultracomputers" (1980); Sengupta et al., "Scan primitives for GPU computing" (2007).
#pragma once

#include <gimbal/thrust/scan.h>

#include <gimbal/algorithm/scan/segmented_scan.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class Derived, class Kind, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op, class Init>
OutputIt scan_by_key(
  execution_policy<Derived>& policy, const char* name, Kind kind, KeyIt keys_first, KeyIt keys_last,
  ValueIt values_first, OutputIt out, Equal pred, Op op, Init init)
{
  const auto combine = adaptor::scan_operator<Kind, ValueIt, Init>(op);
  using accumulator = accumulator_t<std::remove_const_t<decltype(combine)>, ValueIt, Init>;
  if constexpr (is_taken_v<iterators<KeyIt, ValueIt, OutputIt>, values<accumulator>>) {
    const index_type n = adaptor::length(keys_first, keys_last);
    const heads_from_keys<decltype(adaptor::unwrap(keys_first)), Equal> heads{adaptor::unwrap(keys_first), pred};
    call<Derived> step(policy, name, n, sizeof(accumulator));
    auto plan = algorithm::segmented_scan_plan(
      kind, heads, adaptor::unwrap(values_first), adaptor::unwrap(out), n, combine, init, no_totals{});
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
    step.finish();
    return out + n;
  } else if constexpr (Kind::value == algorithm::scan_kind::exclusive) {
    return stock::exclusive_scan_by_key(policy, keys_first, keys_last, values_first, out, init, pred, op);
  } else {
    return stock::inclusive_scan_by_key(policy, keys_first, keys_last, values_first, out, pred, op);
  }
}

}  // namespace adaptor

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class OutputIt>
_CCCL_HOST_DEVICE OutputIt inclusive_scan_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out)
{
  GIMBAL_ROUTE(
    inclusive_scan_by_key,
    adaptor::scan_by_key(
      policy, "inclusive_scan_by_key", algorithm::inclusive_scan_tag{}, keys_first, keys_last, values_first, out,
      ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{}, no_init{}),
    thrust::inclusive_scan_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, out));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class OutputIt, class Equal>
_CCCL_HOST_DEVICE OutputIt inclusive_scan_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Equal pred)
{
  GIMBAL_ROUTE(
    inclusive_scan_by_key_pred,
    adaptor::scan_by_key(
      policy, "inclusive_scan_by_key", algorithm::inclusive_scan_tag{}, keys_first, keys_last, values_first, out, pred,
      ::cuda::std::plus<>{}, no_init{}),
    thrust::inclusive_scan_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, out, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op>
_CCCL_HOST_DEVICE OutputIt inclusive_scan_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Equal pred,
  Op op)
{
  GIMBAL_ROUTE(
    inclusive_scan_by_key_pred_op,
    adaptor::scan_by_key(
      policy, "inclusive_scan_by_key", algorithm::inclusive_scan_tag{}, keys_first, keys_last, values_first, out, pred,
      op, no_init{}),
    thrust::inclusive_scan_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, out, pred, op));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class OutputIt>
_CCCL_HOST_DEVICE OutputIt exclusive_scan_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out)
{
  using Init = value_type_of<ValueIt>;
  GIMBAL_ROUTE(
    exclusive_scan_by_key,
    adaptor::scan_by_key(
      policy, "exclusive_scan_by_key", algorithm::exclusive_scan_tag{}, keys_first, keys_last, values_first, out,
      ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{}, Init{}),
    thrust::exclusive_scan_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, out));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class OutputIt, class Init>
_CCCL_HOST_DEVICE OutputIt exclusive_scan_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Init init)
{
  GIMBAL_ROUTE(
    exclusive_scan_by_key_init,
    adaptor::scan_by_key(
      policy, "exclusive_scan_by_key", algorithm::exclusive_scan_tag{}, keys_first, keys_last, values_first, out,
      ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{}, init),
    thrust::exclusive_scan_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, out, init));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class OutputIt, class Init, class Equal>
_CCCL_HOST_DEVICE OutputIt exclusive_scan_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Init init,
  Equal pred)
{
  GIMBAL_ROUTE(
    exclusive_scan_by_key_init_pred,
    adaptor::scan_by_key(
      policy, "exclusive_scan_by_key", algorithm::exclusive_scan_tag{}, keys_first, keys_last, values_first, out, pred,
      ::cuda::std::plus<>{}, init),
    thrust::exclusive_scan_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, out, init, pred));
}

_CCCL_EXEC_CHECK_DISABLE
template <class Derived, class KeyIt, class ValueIt, class OutputIt, class Init, class Equal, class Op>
_CCCL_HOST_DEVICE OutputIt exclusive_scan_by_key(
  execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Init init,
  Equal pred, Op op)
{
  GIMBAL_ROUTE(
    exclusive_scan_by_key_init_pred_op,
    adaptor::scan_by_key(
      policy, "exclusive_scan_by_key", algorithm::exclusive_scan_tag{}, keys_first, keys_last, values_first, out, pred,
      op, init),
    thrust::exclusive_scan_by_key(thrust::detail::seq_t{}, keys_first, keys_last, values_first, out, init, pred, op));
}

GIMBAL_NAMESPACE_END
