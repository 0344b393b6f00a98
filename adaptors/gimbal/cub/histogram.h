// gimbal::DeviceHistogram: CUB's own class under gimbal's name, with CUB's parameters, storage and times.
#pragma once

#include <gimbal/cub/types.h>

#if GIMBAL_GPU
#include <cub/device/device_histogram.cuh>

GIMBAL_NAMESPACE_BEGIN

/// Numbers of samples in even bins or between given levels, of one channel or several.
using CUB_NS_QUALIFIER::DeviceHistogram;

GIMBAL_NAMESPACE_END
#endif
