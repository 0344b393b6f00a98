// A device-wide call of each family. No exception is thrown by what they include.
#include <gimbal/device.h>

#include "operators.h"

gimbal::error_code device_wide_calls(
  void* storage, std::size_t& bytes, int* in, int* out, unsigned short* keys, unsigned short* keys_out, long long n)
{
  using namespace gimbal;
  using compiles::is_odd;
  using compiles::less;
  error_code code = DeviceReduce::Sum(storage, bytes, in, out, n);
  code = code ? code : DeviceScan::ExclusiveSum(storage, bytes, in, out, n);
  code = code ? code : DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, out, n);
  code = code ? code : DeviceSelect::If(storage, bytes, in, out, out + n, n, is_odd{});
  code = code ? code : DevicePartition::If(storage, bytes, in, out, out + n, n, is_odd{});
  code = code ? code : DeviceRadixSort::SortPairs(storage, bytes, keys, keys_out, in, out, n);
  code = code ? code : DeviceMergeSort::SortKeys(storage, bytes, in, n, less{});
  return code;
}
