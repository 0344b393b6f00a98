#include <gimbal/device.h>

#include <cub/cub.cuh>

#include "calls.h"

namespace perf {

namespace {

struct is_even {
  __host__ __device__ bool operator()(unsigned x) const { return x % 2 == 0; }
};
struct is_less {
  __host__ __device__ bool operator()(unsigned l, unsigned r) const { return l < r; }
};
struct same_run {
  __host__ __device__ bool operator()(unsigned l, unsigned r) const { return l >> 20 == r >> 20; }
};

template <class Calls>
cudaError_t sum(call_arrays& a, cudaStream_t on)
{
  return Calls::Sum(a.storage, a.storage_bytes, a.in, a.out, a.items, on);
}
template <class Calls>
cudaError_t scan(call_arrays& a, cudaStream_t on)
{
  return Calls::ExclusiveSum(a.storage, a.storage_bytes, a.in, a.out, a.items, on);
}
template <class Calls>
cudaError_t scan_by_key(call_arrays& a, cudaStream_t on)
{
  return Calls::ExclusiveSumByKey(
    a.storage, a.storage_bytes, a.in, a.values, a.out, static_cast<int>(a.items), same_run{}, on);
}
template <class Calls>
cudaError_t select(call_arrays& a, cudaStream_t on)
{
  return Calls::If(a.storage, a.storage_bytes, a.in, a.out, a.count, a.items, is_even{}, on);
}
template <class Calls>
cudaError_t partition(call_arrays& a, cudaStream_t on)
{
  return Calls::If(a.storage, a.storage_bytes, a.in, a.out, a.count, a.items, is_even{}, on);
}
template <class Calls>
cudaError_t sort(call_arrays& a, cudaStream_t on)
{
  return Calls::SortKeys(a.storage, a.storage_bytes, a.in, a.out, a.items, 0, 32, on);
}
template <class Calls>
cudaError_t sort_pairs(call_arrays& a, cudaStream_t on)
{
  return Calls::SortPairs(a.storage, a.storage_bytes, a.in, a.out, a.values, a.values_out, a.items, 0, 32, on);
}
template <class Calls>
cudaError_t merge_sort(call_arrays& a, cudaStream_t on)
{
  return Calls::SortKeysCopy(a.storage, a.storage_bytes, a.in, a.out, a.items, is_less{}, on);
}

}  // namespace

const call_family families[family_count] = {
  {"reduce", sum<gimbal::DeviceReduce>, sum<cub::DeviceReduce>},
  {"scan", scan<gimbal::DeviceScan>, scan<cub::DeviceScan>},
  {"scan_by_key", scan_by_key<gimbal::DeviceScan>, scan_by_key<cub::DeviceScan>},
  {"select", select<gimbal::DeviceSelect>, select<cub::DeviceSelect>},
  {"partition", partition<gimbal::DevicePartition>, partition<cub::DevicePartition>},
  {"sort", sort<gimbal::DeviceRadixSort>, sort<cub::DeviceRadixSort>},
  {"sort_pairs", sort_pairs<gimbal::DeviceRadixSort>, sort_pairs<cub::DeviceRadixSort>},
  {"merge_sort", merge_sort<gimbal::DeviceMergeSort>, merge_sort<cub::DeviceMergeSort>},
};

}  // namespace perf
