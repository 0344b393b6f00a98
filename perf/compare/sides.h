// The same call on both sides, in one line where both have it, and the comparisons that several files make.
#pragma once

#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

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

/// A sort of keys by `less`: `device(calls, storage..., in, out, n)` from array to array, and Thrust's call in place.
template <class Stock, class Gimbal, class Key, class Device, class Less>
void compare_sorted_keys(comparison& c, Device device, Less less)
{
  const int n = c.n();
  const Key* const in = make_keys<Key>(c);
  c.moves([=] { return 2 * sizeof(Key) * n; });
  const twin<Key> out = c.output<Key>(n);
  c.device<Stock, Gimbal>(
    [=](auto calls, side of, auto&&... storage) { return device(calls, storage..., in, of(out), n); });
  c.forget_outputs();
  c.in_place(out, in, n);
  call_both(c, [=](auto policy, side of) { thrust::sort(policy, of(out), of(out) + n, less); });
}

}  // namespace perf
