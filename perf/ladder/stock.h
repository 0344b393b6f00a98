// Stock's side of the comparisons: CUB's device-wide calls. On the host executor, where CUB does not run, plain loops
// stand in, so that the program and its checks can be tested there; nobody measures them.
#pragma once

#include <perf/ladder/bench.h>

#if GIMBAL_GPU
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#else
#include <algorithm>
#endif

namespace ladder {
namespace stock {

#if GIMBAL_GPU

inline simt::error_code exclusive_sum(
  void* storage, std::size_t& bytes, const std::uint32_t* in, std::uint32_t* out, index_type n)
{
  return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, static_cast<int>(n));
}
inline simt::error_code exclusive_sum_by_key(
  void* storage, std::size_t& bytes, const std::uint32_t* keys, const std::uint32_t* in, std::uint32_t* out,
  index_type n)
{
  return cub::DeviceScan::ExclusiveSumByKey(storage, bytes, keys, in, out, static_cast<int>(n));
}
inline simt::error_code partition(
  void* storage, std::size_t& bytes, const std::uint32_t* in, const std::uint8_t* flags, std::uint32_t* out,
  int* selected, index_type n)
{
  return cub::DevicePartition::Flagged(storage, bytes, in, flags, out, selected, static_cast<int>(n));
}
inline simt::error_code sort(
  void* storage, std::size_t& bytes, const std::uint32_t* in, std::uint32_t* out, index_type n, int bits)
{
  return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, static_cast<int>(n), 0, bits);
}
inline simt::error_code histogram(
  void* storage, std::size_t& bytes, const std::uint32_t* in, int* counts, int bins, index_type n)
{
  return cub::DeviceHistogram::HistogramEven(storage, bytes, in, counts, bins + 1, 0, bins, static_cast<int>(n));
}

#else

/// The size query's answer, or the work itself.
template <class Work>
simt::error_code in_two_phases(void* storage, std::size_t& bytes, Work work)
{
  bytes = 1;
  if (storage != nullptr) {
    work();
  }
  return simt::success;
}

inline simt::error_code exclusive_sum(
  void* storage, std::size_t& bytes, const std::uint32_t* in, std::uint32_t* out, index_type n)
{
  return in_two_phases(storage, bytes, [=] {
    std::uint32_t sum = 0;
    for (index_type i = 0; i < n; ++i) {
      out[i] = sum;
      sum += in[i];
    }
  });
}
inline simt::error_code exclusive_sum_by_key(
  void* storage, std::size_t& bytes, const std::uint32_t* keys, const std::uint32_t* in, std::uint32_t* out,
  index_type n)
{
  return in_two_phases(storage, bytes, [=] {
    std::uint32_t sum = 0;
    for (index_type i = 0; i < n; ++i) {
      sum = i == 0 || keys[i] != keys[i - 1] ? 0 : sum;
      out[i] = sum;
      sum += in[i];
    }
  });
}
inline simt::error_code partition(
  void* storage, std::size_t& bytes, const std::uint32_t* in, const std::uint8_t* flags, std::uint32_t* out,
  int* selected, index_type n)
{
  return in_two_phases(storage, bytes, [=] {
    index_type front = 0, back = n;
    for (index_type i = 0; i < n; ++i) {
      out[flags[i] != 0 ? front++ : --back] = in[i];
    }
    *selected = static_cast<int>(front);
  });
}
inline simt::error_code sort(
  void* storage, std::size_t& bytes, const std::uint32_t* in, std::uint32_t* out, index_type n, int bits)
{
  return in_two_phases(storage, bytes, [=] {
    const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    std::copy(in, in + n, out);
    std::stable_sort(out, out + n, [mask](std::uint32_t a, std::uint32_t b) { return (a & mask) < (b & mask); });
  });
}
inline simt::error_code histogram(
  void* storage, std::size_t& bytes, const std::uint32_t* in, int* counts, int bins, index_type n)
{
  return in_two_phases(storage, bytes, [=] {
    std::fill(counts, counts + bins, 0);
    for (index_type i = 0; i < n; ++i) {
      ++counts[in[i]];
    }
  });
}

#endif

}  // namespace stock
}  // namespace ladder
