// The bodies of DeviceScan's calls, in terms of `how` the caller calls (environment.h).
#pragma once

#include <gimbal/cub/accumulators.h>
#include <gimbal/cub/environment.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/scan.cuh>
#include <gimbal/algorithm/scan/segmented_scan.cuh>

#if GIMBAL_GPU
#include <cub/device/device_scan.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

/// Scans give the same bits in every run, and of integers under standard operators on every device.
template <class Op, class Accumulator>
inline constexpr determinism scan_determinism_v =
  is_commutative_v<Op, Accumulator, Accumulator>&& ::cuda::std::is_integral_v<Accumulator> ? determinism::gpu_to_gpu
                                                                                           : determinism::run_to_run;

/// What the kernels take of a scan; for keys, too.
template <class How, class Op, class InputIt, class OutputIt, class Init, class NumItems>
constexpr bool takes_scan()
{
  if constexpr (takes_v<reads<InputIt>, writes<OutputIt>, knows<Init, NumItems>, accumulates<Op, InputIt, Init>>) {
    return How::template takes_v<scan_determinism_v<Op, accumulator_of<Op, InputIt, Init>>>;
  } else {
    return false;
  }
}

/// The items as the kernels accumulate them.
template <class Op, class Init, class InputIt>
auto scanned_items(InputIt in)
{
  if constexpr (::cuda::std::is_same_v<Init, no_init>) {
    return device_wide::as_accumulators<Op>(in);
  } else {
    return device_wide::described(in);
  }
}

/// `Kind` and `init` (or no_init) as for algorithm::scan. `stock` is given what comes between storage and environment.
template <class Kind, class How, class InputIt, class OutputIt, class Op, class Init, class NumItems>
error_code scan(const How& how, Kind kind, InputIt in, OutputIt out, Op op, Init init, NumItems num_items)
{
  const auto given = how.arguments(num_items).items(in).items(out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (device_wide::takes_scan<How, Op, InputIt, OutputIt, Init, NumItems>()) {
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      return algorithm::scan_plan(
               kind, device_wide::scanned_items<Op, Init>(in), device_wide::described(out), given.count(), op, init)
        .run(storage, bytes, stream)
        .code;
    });
  } else if constexpr (Kind::value == algorithm::scan_kind::exclusive) {
    return how.on_stock(
      [](auto&&... all) { return stock_for<stock::DeviceScan, InputIt>::ExclusiveScan(all...); }, in, out, op, init,
      num_items);
  } else if constexpr (::cuda::std::is_same_v<Init, no_init>) {
    return how.on_stock(
      [](auto&&... all) { return stock_for<stock::DeviceScan, InputIt>::InclusiveScan(all...); }, in, out, op,
      num_items);
  } else {
    return how.on_stock(
      [](auto&&... all) { return stock_for<stock::DeviceScan, InputIt>::InclusiveScanInit(all...); }, in, out, op, init,
      num_items);
  }
}

template <class KeyIt, class Equal>
heads_from_keys<KeyIt, Equal> heads_of_runs(KeyIt keys, Equal equal)
{
  return {keys, equal};
}

/// The same, restarted wherever a key differs from the one before it.
template <
  class Kind, class How, class KeyIt, class InputIt, class OutputIt, class Op, class Init, class NumItems, class Equal>
error_code scan_by_key(
  const How& how, Kind kind, KeyIt keys, InputIt in, OutputIt out, Op op, Init init, NumItems num_items, Equal equal)
{
  const auto given = how.arguments(num_items).items(keys).items(in).items(out);
  if (!given.are_valid()) {
    return simt::error_invalid_value;
  }
  if constexpr (takes_v<reads<KeyIt>> && device_wide::takes_scan<How, Op, InputIt, OutputIt, Init, NumItems>()) {
    return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
      return algorithm::segmented_scan_plan(
               kind, device_wide::heads_of_runs(device_wide::described(keys), equal),
               device_wide::scanned_items<Op, Init>(in), device_wide::described(out), given.count(), op, init,
               no_totals{})
        .run(storage, bytes, stream)
        .code;
    });
  } else if constexpr (Kind::value == algorithm::scan_kind::exclusive) {
    return how.on_stock(
      [](auto&&... all) { return stock_for<stock::DeviceScan, InputIt>::ExclusiveScanByKey(all...); }, keys, in, out,
      op, init, num_items, equal);
  } else {
    return how.on_stock(
      [](auto&&... all) { return stock_for<stock::DeviceScan, InputIt>::InclusiveScanByKey(all...); }, keys, in, out,
      op, num_items, equal);
  }
}

}  // namespace device_wide

GIMBAL_NAMESPACE_END
