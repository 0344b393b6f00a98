// gimbal::DeviceSegmentedReduce: CUB's own class under gimbal's name, with CUB's parameters, storage and times.
#pragma once

#include <gimbal/cub/types.h>

#if GIMBAL_GPU
#include <cub/device/device_segmented_reduce.cuh>

GIMBAL_NAMESPACE_BEGIN

/// A reduction of each of many segments.
using CUB_NS_QUALIFIER::DeviceSegmentedReduce;

GIMBAL_NAMESPACE_END
#endif
