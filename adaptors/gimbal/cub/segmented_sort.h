// gimbal::DeviceSegmentedSort: CUB's own class under gimbal's name, with CUB's parameters, storage and times.
#pragma once

#include <gimbal/cub/types.h>

#if GIMBAL_GPU
#include <cub/device/device_segmented_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

/// Sorts of many segments of any sizes, of keys alone or with values.
using CUB_NS_QUALIFIER::DeviceSegmentedSort;

GIMBAL_NAMESPACE_END
#endif
