// Compiles a device-wide call of each family. What they include throws no exception. It is not device.h: some of CUB's
// headers throw.
#include <gimbal/cub/merge_sort.h>
#include <gimbal/cub/partition.h>
#include <gimbal/cub/radix_sort.h>
#include <gimbal/cub/reduce.h>
#include <gimbal/cub/scan.h>
#include <gimbal/cub/select.h>

#include "operators.h"

gimbal::error_code device_wide_calls(
  void* storage, std::size_t& bytes, int* in, int* out, unsigned short* keys, unsigned short* keys_out, long long n)
{
  using namespace gimbal;
  using compiles::is_odd;
  using compiles::less;
  error_code code = DeviceReduce::Sum(storage, bytes, in, out, n);
  code = code ? code : DeviceReduce::ArgMinMax(storage, bytes, in, out, out + 1, out + 2, out + 3, n);
  code =
    code ? code : DeviceReduce::ReduceByKey(storage, bytes, keys, keys_out, in, out, out + n, ::cuda::std::plus<>{}, n);
  code = code ? code : DeviceReduce::Sum(in, out, n);  // in one phase
  code = code ? code : DeviceScan::ExclusiveSum(storage, bytes, in, out, n);
  code = code ? code : DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, out, n);
  code = code ? code : DeviceSelect::If(storage, bytes, in, out, out + n, n, is_odd{});
  code = code ? code : DevicePartition::If(storage, bytes, in, out, out + n, n, is_odd{});
  code = code ? code : DeviceRadixSort::SortPairs(storage, bytes, keys, keys_out, in, out, n);
  code = code ? code : DeviceMergeSort::SortKeys(storage, bytes, in, n, less{});
  return code;
}
