// gimbal::DeviceRunLengthEncode: the calls of cub::DeviceRunLengthEncode on gimbal's kernels.
#pragma once

#include <gimbal/cub/call.h>
#include <gimbal/cub/environment.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/reduce_by_key.cuh>

#if GIMBAL_GPU
#include <cub/device/device_run_length_encode.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

/// For more items, CUB's calls, whose count was an int up to CCCL 3.4, would take only the low bits.
constexpr bool is_int(index_type count) { return THRUST_VERSION >= 300500 || count <= 0x7fffffff; }

/// The length of an item by itself.
template <class Length>
struct length_of_one {
  GIMBAL_HOST_DEVICE Length operator()(index_type) const { return static_cast<Length>(1); }
};

}  // namespace device_wide

/// Runs of equal consecutive items, in two phases: a call with `storage` null stores in `storage_bytes` what the second
/// call needs and does nothing else. The forms without storage do it all, with storage from the environment
/// (environment.h).
///
/// Items are compared by ==, only with their neighbours. There are as many outputs as runs; they must not overlap `in`,
/// and what lies beyond them is unchanged. The number of runs goes to `*num_runs_out`, an output iterator of any
/// integer type. Counts go to 2^63 - 1; zero items write a number of zero. It is one launch on `stream`, without a
/// wait: every item is read once. Storage is tile states (device.h) of a count and a length. The result does not depend
/// on timing. Returns error_invalid_value for arguments that no call takes (device.h), otherwise the launch's own
/// error. Values that the kernels cannot hold go to CUB (device.h), and so do all nontrivial runs; where its count is
/// an int, up to CCCL 3.4, more than 2^31 - 1 items are then an invalid argument. Host code only.
struct DeviceRunLengthEncode {
  /// Writes the first item of each run to `unique_out` and the length of the run to `counts_out`, counted in its value
  /// type.
  template <class InputIt, class UniqueIt, class LengthIt, class CountIt, class NumItems>
  static error_code Encode(
    void* storage, std::size_t& storage_bytes, InputIt in, UniqueIt unique_out, LengthIt counts_out,
    CountIt num_runs_out, NumItems num_items, device_wide::any_stream stream = {})
  {
    return encode(
      device_wide::two_phases(storage, storage_bytes, stream), in, unique_out, counts_out, num_runs_out, num_items);
  }
  /// The same in one phase.
  template <
    class InputIt, class UniqueIt, class LengthIt, class CountIt, class NumItems, class Env = stream_type,
    device_wide::if_environment<Env> = 0>
  static error_code Encode(
    InputIt in, UniqueIt unique_out, LengthIt counts_out, CountIt num_runs_out, NumItems num_items, const Env& env = {})
  {
    return encode(device_wide::in_one_phase(env), in, unique_out, counts_out, num_runs_out, num_items);
  }

  /// For each run of more than one item, writes where it begins to `offsets_out` and its length to `lengths_out`.
  template <class InputIt, class OffsetIt, class LengthIt, class CountIt, class NumItems>
  static error_code NonTrivialRuns(
    void* storage, std::size_t& storage_bytes, InputIt in, OffsetIt offsets_out, LengthIt lengths_out,
    CountIt num_runs_out, NumItems num_items, device_wide::any_stream stream = {})
  {
    return nontrivial_runs(
      device_wide::two_phases(storage, storage_bytes, stream), in, offsets_out, lengths_out, num_runs_out, num_items);
  }
  /// The same in one phase.
  template <
    class InputIt, class OffsetIt, class LengthIt, class CountIt, class NumItems, class Env = stream_type,
    device_wide::if_environment<Env> = 0>
  static error_code NonTrivialRuns(
    InputIt in, OffsetIt offsets_out, LengthIt lengths_out, CountIt num_runs_out, NumItems num_items,
    const Env& env = {})
  {
    return nontrivial_runs(device_wide::in_one_phase(env), in, offsets_out, lengths_out, num_runs_out, num_items);
  }

private:
  template <class How, class InputIt, class UniqueIt, class LengthIt, class CountIt, class NumItems>
  static error_code encode(
    const How& how, InputIt in, UniqueIt unique_out, LengthIt counts_out, CountIt num_runs_out, NumItems num_items)
  {
    using Item = device_wide::value_of<InputIt>;
    using Length = output_value_or<LengthIt, index_type>;
    const auto given = how.arguments(num_items).items(in).items(unique_out).items(counts_out).result(num_runs_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (
      device_wide::takes_v<
        device_wide::reads<InputIt>, device_wide::writes<UniqueIt, LengthIt>,
        device_wide::holds<Length>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
        const thrust::transform_iterator<
          device_wide::length_of_one<Length>, thrust::counting_iterator<index_type>, Length, Length>
          ones(thrust::counting_iterator<index_type>(0));
        return algorithm::reduce_by_key_plan(
                 device_wide::described(in), ones, device_wide::described(unique_out),
                 device_wide::described(counts_out), device_wide::described(num_runs_out), given.count(),
                 ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{})
          .run(storage, bytes, stream)
          .code;
      });
    } else if (!device_wide::is_int(given.count())) {
      return simt::error_invalid_value;
    } else {
      return how.on_stock(
        [](auto&&... all) {
          return device_wide::stock_for<device_wide::stock::DeviceRunLengthEncode, Item>::Encode(all...);
        },
        in, unique_out, counts_out, num_runs_out, num_items);
    }
  }

  template <class How, class InputIt, class OffsetIt, class LengthIt, class CountIt, class NumItems>
  static error_code nontrivial_runs(
    const How& how, InputIt in, OffsetIt offsets_out, LengthIt lengths_out, CountIt num_runs_out, NumItems num_items)
  {
    const auto given = how.arguments(num_items).items(in).items(offsets_out).items(lengths_out).result(num_runs_out);
    if (!given.are_valid() || !device_wide::is_int(given.count())) {
      return simt::error_invalid_value;
    }
    return how.on_stock(
      [](auto&&... all) {
        return device_wide::stock_for<device_wide::stock::DeviceRunLengthEncode, InputIt>::NonTrivialRuns(all...);
      },
      in, offsets_out, lengths_out, num_runs_out, num_items);
  }
};

GIMBAL_NAMESPACE_END
