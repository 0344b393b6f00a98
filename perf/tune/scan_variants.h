// Variants of exclusive scans from 0.
#pragma once

#include <cub/device/device_scan.cuh>
#include <gimbal/algorithm/scan/scan.cuh>

#include "persistent_shape.h"

namespace perf {

/// Beside stock's exclusive sums; where gimbal writes its own.
template <class T, class In>
T* exclusive_sums(tuning_run& r, In in, std::size_t item_bytes, bool is_compared = true)
{
  const auto n = static_cast<int>(r.n());
  const twin<T> out = r.output<T>(r.n(), is_compared);
  r.moves(r.n() * item_bytes);
  r.stock([=](auto&&... storage) {
    return cub::DeviceScan::ExclusiveScan(storage..., in, out.stock, cuda::std::plus<>{}, T{0}, n);
  });
  return out.gimbal;
}

/// The persistent scan with these shapes.
template <class... Shapes, class In, class T, class Op = cuda::std::plus<>>
void persistent_scans(tuning_run& r, In in, T* out, Op op = {})
{
  const auto n = static_cast<gimbal::index_type>(r.n());
  r.variants<Shapes...>([=](auto shape, void* storage, std::size_t& bytes) {
    return run_row(
      gimbal::algorithm::persistent_scan_row<decltype(shape)>(
        true, gimbal::algorithm::exclusive_scan_tag{}, in, out, n, op, T{0}),
      storage, bytes);
  });
}

/// `Tuning` void: as every call, with the rows of tuning.h; else the look-back scan with these numbers.
template <class Tuning, class In, class T, class Op = cuda::std::plus<>>
void scan_call(tuning_run& r, const char* name, In in, T* out, Op op = {})
{
  r.variant(name, [=, n = static_cast<gimbal::index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::scan<Tuning>(
             storage, bytes, gimbal::algorithm::exclusive_scan_tag{}, in, out, n, op, T{0}, nullptr)
      .code;
  });
}
template <class In, class T, class Op = cuda::std::plus<>>
void scan_calls(tuning_run& r, In in, T* out, Op op = {})
{
  scan_call<void>(r, "call", in, out, op);
  scan_call<gimbal::tuning::scan<sizeof(T)>>(r, "look-back", in, out, op);
}

}  // namespace perf
