// gimbal::DeviceBatchedTopK: CUB's own class under gimbal's name, with CUB's parameters, storage and times.
#pragma once

#include <gimbal/cub/types.h>

#if GIMBAL_GPU && __has_include(<cub/device/device_batched_topk.cuh>)
#include <cub/device/device_batched_topk.cuh>

GIMBAL_NAMESPACE_BEGIN

/// The k largest or smallest items of each of many segments, where the CCCL in use has it.
using CUB_NS_QUALIFIER::DeviceBatchedTopK;

GIMBAL_NAMESPACE_END
#endif
