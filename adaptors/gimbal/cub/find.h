// gimbal::DeviceFind: FindIf on gimbal's kernel; the searches of sorted ranges are CUB's own.
#pragma once

#include <gimbal/cub/call.h>
#include <gimbal/cub/environment.h>

#include <gimbal/algorithm/find/find_if.cuh>

#if GIMBAL_GPU && __has_include(<cub/device/device_find.cuh>)
#include <cub/device/device_find.cuh>
#define GIMBAL_STOCK_FINDS 1
#else
#define GIMBAL_STOCK_FINDS 0
#endif

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

#if GIMBAL_STOCK_FINDS
using stock_find = stock::DeviceFind;
#else
/// A substitute where the CUB in use has no such calls.
struct stock_find {
  template <class... All>
  static error_code FindIf(All&&...)
  {
    static_assert(sizeof...(All) == 0, "gimbal: a call of DeviceFind that is CUB's, where the CCCL in use has none");
    return simt::error_invalid_value;
  }
};
#endif

}  // namespace device_wide

/// Searches, in two phases: a call with `storage` null stores in `storage_bytes` what the second call needs and does
/// nothing else. The forms without storage do it all, with storage from the environment (environment.h).
///
/// FindIf reads each item at most once, and few after the first that is found. It is one launch on `stream`, without a
/// wait; storage is 256 bytes. The predicate is called on items only, in any order. Counts go to 2^63 - 1. The result
/// does not depend on timing. Returns error_invalid_value for arguments that no call takes (device.h), otherwise the
/// launch's own error. Values that the kernel cannot hold go to CUB (device.h), and so do, where the CCCL in use has
/// them, LowerBound and UpperBound, and their forms for sorted values. Host code only.
#if GIMBAL_STOCK_FINDS
struct DeviceFind : private device_wide::stock_find {
  using device_wide::stock_find::LowerBound;
  using device_wide::stock_find::LowerBoundSortedValues;
  using device_wide::stock_find::UpperBound;
  using device_wide::stock_find::UpperBoundSortedValues;
#else
struct DeviceFind {
#endif

  /// *out = the least i for which predicate(in[i]) holds, num_items where there is none.
  template <
    class InputIt, class OutputIt, class Predicate, class NumItems, class Env = stream_type,
    device_wide::if_environment_or_zero<Env> = 0>
  static error_code FindIf(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, Predicate predicate, NumItems num_items,
    const Env& env = {})
  {
    return find_if(device_wide::two_phases(storage, storage_bytes, env), in, out, predicate, num_items);
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class Predicate, class NumItems, class Env = stream_type,
    device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code FindIf(InputIt in, OutputIt out, Predicate predicate, NumItems num_items, const Env& env = {})
  {
    return find_if(device_wide::in_one_phase(env), in, out, predicate, num_items);
  }

private:
  template <class How, class InputIt, class OutputIt, class Predicate, class NumItems>
  static error_code find_if(const How& how, InputIt in, OutputIt out, const Predicate& predicate, NumItems num_items)
  {
    const auto given = how.arguments(num_items).items(in).result(out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (
      device_wide::takes_v<
        device_wide::reads<InputIt>, device_wide::writes<OutputIt>,
        device_wide::knows<NumItems>> && How::template takes_v<device_wide::determinism::gpu_to_gpu>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
        return algorithm::find_if(
                 storage, bytes, device_wide::described(in), given.count(), predicate, device_wide::described(out),
                 stream)
          .code;
      });
    } else {
      return how.on_stock(
        [](auto&&... all) { return device_wide::stock_find::FindIf(all...); }, in, out, predicate, num_items);
    }
  }
};

GIMBAL_NAMESPACE_END
