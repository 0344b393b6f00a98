// gimbal::DeviceSegmentedScan: the calls of cub::DeviceSegmentedScan, which CCCL has from 3.3 on, on gimbal's kernel.
#pragma once

#include <gimbal/cub/accumulators.h>
#include <gimbal/cub/call.h>
#include <gimbal/cub/environment.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/each_segment_scan.cuh>

#if GIMBAL_GPU && __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define GIMBAL_STOCK_SEGMENTED_SCANS 1
#else
#define GIMBAL_STOCK_SEGMENTED_SCANS 0
#endif

GIMBAL_NAMESPACE_BEGIN

/// Scans of each of many segments, in two phases: a call with `storage` null stores in `storage_bytes` what the second
/// call needs and does nothing else. The forms without storage do it all.
///
/// Segment s is in[begin_offsets[s]] up to in[end_offsets[s] - 1]; its results go to `out` from out_begin_offsets[s]
/// on, without these from begin_offsets[s] on. Segments may leave gaps, come in any order and be empty, also by an end
/// before the beginning; other outputs are not touched. Offsets are of any integer types. Results may go where the
/// items of the same segment are; other overlaps of what is written are undefined.
///
/// The operator must be associative; it need not be commutative: items are combined in their order. Intermediate
/// results have the type of op(init, item), or of op(item, item), as CUB deduces it. Numbers of segments go to 2^63 -
/// 1; no segments do nothing. It is one launch on `stream`, without a wait; every item is read once, every result
/// written once; no storage. A segment is scanned by a warp or a block, whose tree depends on its number of items and
/// on whether there are more than 1024 segments: floating-point results are the same bits in every run and on every
/// device. Few long segments are scanned faster by gimbal::inclusive_segmented_scan and exclusive_segmented_scan, which
/// know how many items there are (segmented_scan.h). Returns error_invalid_value for arguments that no call takes
/// (device.h), otherwise the launch's own error. Values that the kernel cannot hold go to CUB (device.h) where the CCCL
/// in use has these calls. Host code only.
struct DeviceSegmentedScan {
  /// Within each segment out = 0 + in[0] + ... + in[i - 1], starting from the input's value type.
  template <class InputIt, class OutputIt, class BeginIt, class EndIt>
  static error_code ExclusiveSegmentedSum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    std::int64_t num_segments, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, no_offsets{}, num_segments, ::cuda::std::plus<>{}, device_wide::value_of<InputIt>{});
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class Env = stream_type,
    device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code ExclusiveSegmentedSum(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, std::int64_t num_segments, const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      no_offsets{}, num_segments, ::cuda::std::plus<>{}, device_wide::value_of<InputIt>{});
  }
  /// The same with results elsewhere.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt,
    device_wide::if_not_bytes<OutBeginIt> = 0>
  static error_code ExclusiveSegmentedSum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    OutBeginIt out_begin_offsets, std::int64_t num_segments, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, out_begin_offsets, num_segments, ::cuda::std::plus<>{}, device_wide::value_of<InputIt>{});
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Env = stream_type,
    device_wide::if_not_bytes<OutBeginIt> = 0, device_wide::if_not_bytes<OutputIt> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code ExclusiveSegmentedSum(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, OutBeginIt out_begin_offsets,
    std::int64_t num_segments, const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      out_begin_offsets, num_segments, ::cuda::std::plus<>{}, device_wide::value_of<InputIt>{});
  }

  /// Within each segment out = init op in[0] op ... op in[i - 1].
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class Init>
  static error_code ExclusiveSegmentedScan(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    std::int64_t num_segments, Op op, Init init, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, no_offsets{}, num_segments, op, init);
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class Init, class Env = stream_type,
    device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code ExclusiveSegmentedScan(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, std::int64_t num_segments, Op op, Init init,
    const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      no_offsets{}, num_segments, op, init);
  }
  /// The same with results elsewhere.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op, class Init,
    device_wide::if_not_bytes<OutBeginIt> = 0>
  static error_code ExclusiveSegmentedScan(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    OutBeginIt out_begin_offsets, std::int64_t num_segments, Op op, Init init, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::exclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, out_begin_offsets, num_segments, op, init);
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op, class Init,
    class Env = stream_type, device_wide::if_not_bytes<OutBeginIt> = 0, device_wide::if_not_bytes<OutputIt> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code ExclusiveSegmentedScan(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, OutBeginIt out_begin_offsets,
    std::int64_t num_segments, Op op, Init init, const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::exclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      out_begin_offsets, num_segments, op, init);
  }

  /// Within each segment out = in[0] + ... + in[i].
  template <class InputIt, class OutputIt, class BeginIt, class EndIt>
  static error_code InclusiveSegmentedSum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    std::int64_t num_segments, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, no_offsets{}, num_segments, ::cuda::std::plus<>{}, no_init{});
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class Env = stream_type,
    device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code InclusiveSegmentedSum(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, std::int64_t num_segments, const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      no_offsets{}, num_segments, ::cuda::std::plus<>{}, no_init{});
  }
  /// The same with results elsewhere.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt,
    device_wide::if_not_bytes<OutBeginIt> = 0>
  static error_code InclusiveSegmentedSum(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    OutBeginIt out_begin_offsets, std::int64_t num_segments, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, out_begin_offsets, num_segments, ::cuda::std::plus<>{}, no_init{});
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Env = stream_type,
    device_wide::if_not_bytes<OutBeginIt> = 0, device_wide::if_not_bytes<OutputIt> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code InclusiveSegmentedSum(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, OutBeginIt out_begin_offsets,
    std::int64_t num_segments, const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      out_begin_offsets, num_segments, ::cuda::std::plus<>{}, no_init{});
  }

  /// Within each segment out = in[0] op ... op in[i].
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op>
  static error_code InclusiveSegmentedScan(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    std::int64_t num_segments, Op op, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, no_offsets{}, num_segments, op, no_init{});
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class Env = stream_type,
    device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code InclusiveSegmentedScan(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, std::int64_t num_segments, Op op,
    const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      no_offsets{}, num_segments, op, no_init{});
  }
  /// The same with results elsewhere.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op,
    device_wide::if_not_bytes<OutBeginIt> = 0>
  static error_code InclusiveSegmentedScan(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    OutBeginIt out_begin_offsets, std::int64_t num_segments, Op op, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, out_begin_offsets, num_segments, op, no_init{});
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op, class Env = stream_type,
    device_wide::if_not_bytes<OutBeginIt> = 0, device_wide::if_not_bytes<OutputIt> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code InclusiveSegmentedScan(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, OutBeginIt out_begin_offsets,
    std::int64_t num_segments, Op op, const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      out_begin_offsets, num_segments, op, no_init{});
  }

  /// Within each segment out = init op in[0] op ... op in[i].
  template <class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class Init>
  static error_code InclusiveSegmentedScanInit(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    std::int64_t num_segments, Op op, Init init, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, no_offsets{}, num_segments, op, init);
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class Op, class Init, class Env = stream_type,
    device_wide::if_not_bytes<OutputIt> = 0, device_wide::if_environment<Env> = 0>
  static error_code InclusiveSegmentedScanInit(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, std::int64_t num_segments, Op op, Init init,
    const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      no_offsets{}, num_segments, op, init);
  }
  /// The same with results elsewhere.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op, class Init,
    device_wide::if_not_bytes<OutBeginIt> = 0>
  static error_code InclusiveSegmentedScanInit(
    void* storage, std::size_t& storage_bytes, InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets,
    OutBeginIt out_begin_offsets, std::int64_t num_segments, Op op, Init init, device_wide::any_stream stream = {})
  {
    return scan(
      device_wide::two_phases(storage, storage_bytes, stream), algorithm::inclusive_scan_tag{}, in, out, begin_offsets,
      end_offsets, out_begin_offsets, num_segments, op, init);
  }
  /// The same in one phase.
  template <
    class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op, class Init,
    class Env = stream_type, device_wide::if_not_bytes<OutBeginIt> = 0, device_wide::if_not_bytes<OutputIt> = 0,
    device_wide::if_environment<Env> = 0>
  static error_code InclusiveSegmentedScanInit(
    InputIt in, OutputIt out, BeginIt begin_offsets, EndIt end_offsets, OutBeginIt out_begin_offsets,
    std::int64_t num_segments, Op op, Init init, const Env& env = {})
  {
    return scan(
      device_wide::in_one_phase(env), algorithm::inclusive_scan_tag{}, in, out, begin_offsets, end_offsets,
      out_begin_offsets, num_segments, op, init);
  }

private:
  struct no_offsets {};

  template <
    class How, class Kind, class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt, class Op,
    class Init>
  static error_code scan(
    const How& how, Kind kind, InputIt in, OutputIt out, BeginIt begins, EndIt ends, OutBeginIt out_begins,
    std::int64_t num_segments, Op op, Init init)
  {
    constexpr bool has_offsets = !::cuda::std::is_same_v<OutBeginIt, no_offsets>;
    const auto own_begins = [&] {
      if constexpr (has_offsets) {
        return out_begins;
      } else {
        return begins;
      }
    }();
    const auto given = how.arguments(num_segments).items(begins).items(ends).items(own_begins);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    using Begins = ::cuda::std::remove_const_t<decltype(own_begins)>;
    if constexpr (
      device_wide::takes_v<
        device_wide::reads<InputIt, BeginIt, EndIt, Begins>, device_wide::writes<OutputIt>,
        device_wide::accumulates<Op, InputIt, Init>> && How::template takes_v<device_wide::determinism::gpu_to_gpu>) {
      using Accumulator = device_wide::accumulator_of<Op, InputIt, Init>;
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
        return algorithm::each_segment_scan_plan<Accumulator>(
                 kind, device_wide::described(in), device_wide::described(out), device_wide::described(begins),
                 device_wide::described(ends), device_wide::described(own_begins), given.count(), op, init)
          .run(storage, bytes, stream)
          .code;
      });
    } else if constexpr (has_offsets) {
      return on_stock<Kind>(how, op, init, in, out, begins, ends, out_begins, num_segments);
    } else {
      return on_stock<Kind>(how, op, init, in, out, begins, ends, num_segments);
    }
  }

  template <class Kind, class How, class Op, class Init, class... Given>
  static error_code on_stock(
    [[maybe_unused]] const How& how, [[maybe_unused]] Op op, [[maybe_unused]] Init init,
    [[maybe_unused]] const Given&... given)
  {
#if GIMBAL_STOCK_SEGMENTED_SCANS
    using stock = device_wide::stock::DeviceSegmentedScan;
    if constexpr (Kind::value == algorithm::scan_kind::exclusive) {
      return how.on_stock([](auto&&... all) { return stock::ExclusiveSegmentedScan(all...); }, given..., op, init);
    } else if constexpr (::cuda::std::is_same_v<Init, no_init>) {
      return how.on_stock([](auto&&... all) { return stock::InclusiveSegmentedScan(all...); }, given..., op);
    } else {
      return how.on_stock([](auto&&... all) { return stock::InclusiveSegmentedScanInit(all...); }, given..., op, init);
    }
#else
    static_assert(
      sizeof...(Given) == 0,
      "gimbal: a call of DeviceSegmentedScan that is CUB's, where the CCCL in use has none: values of more than 128 "
      "bytes or not copied bytewise, iterators without random access, or an environment that requires more");
    return simt::error_invalid_value;
#endif
  }
};

GIMBAL_NAMESPACE_END
