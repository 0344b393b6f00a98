// gimbal::DeviceMemcpy: CUB's own class under gimbal's name, with CUB's parameters, storage and times.
#pragma once

#include <gimbal/cub/types.h>

#if GIMBAL_GPU
#include <cub/device/device_memcpy.cuh>

GIMBAL_NAMESPACE_BEGIN

/// Copies of many buffers of bytes in one call.
using CUB_NS_QUALIFIER::DeviceMemcpy;

GIMBAL_NAMESPACE_END
#endif
