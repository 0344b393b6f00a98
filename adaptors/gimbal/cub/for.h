// gimbal::DeviceFor: CUB's own class under gimbal's name, with CUB's parameters, storage and times.
#pragma once

#include <gimbal/cub/types.h>

#if GIMBAL_GPU
#include <cub/device/device_for.cuh>

GIMBAL_NAMESPACE_BEGIN

/// A function called for each item, index or element of an extent.
using CUB_NS_QUALIFIER::DeviceFor;

GIMBAL_NAMESPACE_END
#endif
