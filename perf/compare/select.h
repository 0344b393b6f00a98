// The comparisons of selections, of arrays and of what comes through iterators.
#pragma once

#include <gimbal/cub/select.h>
#include <thrust/copy.h>

#include <cub/device/device_select.cuh>

#include "sides.h"

namespace perf {

/// Calls that select of n items, of which each takes so many bytes of memory: `device(calls, out, count, storage...)`
/// and `wall(policy, out)`, which returns where its output ends.
template <class T, class Device, class Wall>
void compare_selected(comparison& c, std::size_t bytes_each, Device device, Wall wall)
{
  const int n = c.n();
  const twin<T> out = c.output<T>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device<cub::DeviceSelect, gimbal::DeviceSelect>(
    [=](auto calls, side of, auto&&... storage) { return device(calls, of(out), of(count), storage...); });
  const twin<std::ptrdiff_t> selected = counted_by_both(c, out, wall);
  c.moves([=] { return n * bytes_each + *selected.stock * sizeof(T); });
}

template <class T, class InputIt, class Predicate>
void compare_selected_if(comparison& c, InputIt in, Predicate predicate, std::size_t bytes_each)
{
  const int n = c.n();
  compare_selected<T>(
    c, bytes_each,
    [=](auto calls, T* out, std::int32_t* count, auto&&... storage) {
      return calls.If(storage..., in, out, count, n, predicate);
    },
    [=](auto policy, T* out) { return thrust::copy_if(policy, in, in + n, out, predicate); });
}

/// By what a predicate says of a stencil's items.
template <class T, class InputIt, class Stencil>
void compare_selected_by_stencil(comparison& c, InputIt in, const Stencil* stencil, std::size_t bytes_each)
{
  const int n = c.n();
  const selects<Stencil> predicate(c.distribution());
  compare_selected<T>(
    c, bytes_each,
    [=](auto calls, T* out, std::int32_t* count, auto&&... storage) {
      return calls.FlaggedIf(storage..., in, stencil, out, count, n, predicate);
    },
    [=](auto policy, T* out) { return thrust::copy_if(policy, in, in + n, stencil, out, predicate); });
}

}  // namespace perf
