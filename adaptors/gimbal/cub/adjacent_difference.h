// gimbal::DeviceAdjacentDifference: CUB's own class under gimbal's name, with CUB's parameters, storage and times.
#pragma once

#include <gimbal/cub/types.h>

#if GIMBAL_GPU
#include <cub/device/device_adjacent_difference.cuh>

GIMBAL_NAMESPACE_BEGIN

/// Differences of neighbouring items, copied or in place.
using CUB_NS_QUALIFIER::DeviceAdjacentDifference;

GIMBAL_NAMESPACE_END
#endif
