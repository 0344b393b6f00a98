// gimbal::DeviceTransform: CUB's own class under gimbal's name, with CUB's parameters, storage and times.
#pragma once

#include <gimbal/cub/types.h>

#if GIMBAL_GPU
#include <cub/device/device_transform.cuh>

GIMBAL_NAMESPACE_BEGIN

/// A function of the items of any number of inputs.
using CUB_NS_QUALIFIER::DeviceTransform;

GIMBAL_NAMESPACE_END
#endif
