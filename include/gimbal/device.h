// The device-wide calls: CUB's names, parameters and two phases on gimbal's kernels. They share one backend entry per
// algorithm with the Thrust policy.
//
//   std::size_t bytes = 0;
//   gimbal::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, count);
//   cudaMalloc(&storage, bytes);
//   gimbal::DeviceScan::ExclusiveSum(storage, bytes, in, out, count, stream);
#pragma once

#include <gimbal/cub/merge_sort.h>
#include <gimbal/cub/partition.h>
#include <gimbal/cub/radix_sort.h>
#include <gimbal/cub/reduce.h>
#include <gimbal/cub/scan.h>
#include <gimbal/cub/select.h>
