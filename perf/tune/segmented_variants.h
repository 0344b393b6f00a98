// Variants of scans of segments: exclusive ones from 0, inclusive ones without a start.
#pragma once

#include <cub/device/device_scan.cuh>
#include <gimbal/algorithm/scan/segmented_scan.cuh>

#include "persistent_shape.h"

namespace perf {

using gimbal::algorithm::exclusive_scan_tag;
using gimbal::algorithm::inclusive_scan_tag;

template <class T>
T init_of(exclusive_scan_tag)
{
  return T{0};
}
template <class T>
gimbal::no_init init_of(inclusive_scan_tag)
{
  return {};
}

/// The persistent scan with these shapes.
template <class... Shapes, class Tag, class Heads, class In, class T>
void persistent_segmented_scans(tuning_run& r, Tag tag, Heads heads, In in, T* out)
{
  const auto n = static_cast<gimbal::index_type>(r.n());
  r.variants<Shapes...>([=](auto shape, void* storage, std::size_t& bytes) {
    return run_row(
      gimbal::algorithm::persistent_segmented_scan_row<decltype(shape)>(
        true, tag, heads, in, out, n, cuda::std::plus<>{}, init_of<T>(tag)),
      storage, bytes);
  });
}

/// `Tuning` void: as every call, with the rows of tuning.h; else the look-back scan with these numbers.
template <class Tuning, class Tag, class Heads, class In, class T>
void segmented_scan_call(tuning_run& r, const char* name, Tag tag, Heads heads, In in, T* out)
{
  r.variant(name, [=, n = static_cast<gimbal::index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::segmented_scan<Tuning>(
             storage, bytes, tag, heads, in, out, n, cuda::std::plus<>{}, init_of<T>(tag), gimbal::no_totals{}, nullptr)
      .code;
  });
}
template <class Tag, class Heads, class In, class T>
void segmented_scan_calls(tuning_run& r, Tag tag, Heads heads, In in, T* out)
{
  segmented_scan_call<void>(r, "call", tag, heads, in, out);
  segmented_scan_call<gimbal::tuning::segmented_scan<sizeof(T)>>(r, "look-back", tag, heads, in, out);
}

/// Beside stock's inclusive sums by key.
template <class T, class Keys, class In, class... Equal>
twin<T> sums_by_key(tuning_run& r, Keys keys, In in, bool is_compared, Equal... equal)
{
  const auto n = static_cast<int>(r.n());
  const twin<T> out = r.output<T>(r.n(), is_compared);
  r.stock([=](auto&&... storage) {
    return cub::DeviceScan::InclusiveSumByKey(storage..., keys, in, out.stock, n, equal...);
  });
  return out;
}

}  // namespace perf
