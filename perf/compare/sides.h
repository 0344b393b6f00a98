// The same call on both sides, in one line where both have it, and the comparisons that several files make.
#pragma once

#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>

#include "inputs.h"

namespace perf {

/// `call(policy, of)` by the wall clock, with stock's policy and with gimbal's.
template <class Call>
void call_both(comparison& c, Call call)
{
  c.wall(thrust::device, gimbal::par, call);
}

/// The same of a call that returns something to the host.
template <class T, class Call>
twin<T> returned_by_both(comparison& c, Call call)
{
  const twin<T> result = c.returned<T>();
  call_both(c, [=](auto policy, side of) { *of(result) = call(policy, of); });
  return result;
}

/// A call that returns where its output ends. `call(policy, out)`; how many items that is is compared.
template <class T, class Call>
twin<std::ptrdiff_t> counted_by_both(comparison& c, twin<T> out, Call call)
{
  return returned_by_both<std::ptrdiff_t>(c, [=](auto policy, side of) { return call(policy, of(out)) - of(out); });
}

}  // namespace perf
