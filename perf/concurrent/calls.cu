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

struct of_gimbal {
  using reduce = gimbal::DeviceReduce;
  using scan = gimbal::DeviceScan;
  using select = gimbal::DeviceSelect;
  using partition = gimbal::DevicePartition;
  using radix_sort = gimbal::DeviceRadixSort;
  using merge_sort = gimbal::DeviceMergeSort;
};
struct of_stock {
  using reduce = cub::DeviceReduce;
  using scan = cub::DeviceScan;
  using select = cub::DeviceSelect;
  using partition = cub::DevicePartition;
  using radix_sort = cub::DeviceRadixSort;
  using merge_sort = cub::DeviceMergeSort;
};

template <class Of>
cudaError_t sum(call_arrays& a, cudaStream_t on)
{
  return Of::reduce::Sum(a.storage, a.storage_bytes, a.in, a.out, a.items, on);
}
template <class Of>
cudaError_t scan(call_arrays& a, cudaStream_t on)
{
  return Of::scan::ExclusiveSum(a.storage, a.storage_bytes, a.in, a.out, a.items, on);
}
template <class Of>
cudaError_t scan_by_key(call_arrays& a, cudaStream_t on)
{
  return Of::scan::ExclusiveSumByKey(
    a.storage, a.storage_bytes, a.in, a.values, a.out, static_cast<int>(a.items), same_run{}, on);
}
template <class Of>
cudaError_t select(call_arrays& a, cudaStream_t on)
{
  return Of::select::If(a.storage, a.storage_bytes, a.in, a.out, a.count, a.items, is_even{}, on);
}
template <class Of>
cudaError_t partition(call_arrays& a, cudaStream_t on)
{
  return Of::partition::If(a.storage, a.storage_bytes, a.in, a.out, a.count, a.items, is_even{}, on);
}
template <class Of>
cudaError_t sort(call_arrays& a, cudaStream_t on)
{
  return Of::radix_sort::SortKeys(a.storage, a.storage_bytes, a.in, a.out, a.items, 0, 32, on);
}
template <class Of>
cudaError_t sort_pairs(call_arrays& a, cudaStream_t on)
{
  return Of::radix_sort::SortPairs(a.storage, a.storage_bytes, a.in, a.out, a.values, a.values_out, a.items, 0, 32, on);
}
template <class Of>
cudaError_t merge_sort(call_arrays& a, cudaStream_t on)
{
  return Of::merge_sort::SortKeysCopy(a.storage, a.storage_bytes, a.in, a.out, a.items, is_less{}, on);
}

}  // namespace

const call_family families[family_count] = {
  {"reduce", sum<of_gimbal>, sum<of_stock>},
  {"scan", scan<of_gimbal>, scan<of_stock>},
  {"scan_by_key", scan_by_key<of_gimbal>, scan_by_key<of_stock>},
  {"select", select<of_gimbal>, select<of_stock>},
  {"partition", partition<of_gimbal>, partition<of_stock>},
  {"sort", sort<of_gimbal>, sort<of_stock>},
  {"sort_pairs", sort_pairs<of_gimbal>, sort_pairs<of_stock>},
  {"merge_sort", merge_sort<of_gimbal>, merge_sort<of_stock>},
};

}  // namespace perf
