// gimbal::DeviceMerge: CUB's own class under gimbal's name, with CUB's parameters, storage and times.
#pragma once

#include <gimbal/cub/types.h>

#if GIMBAL_GPU
#include <cub/device/device_merge.cuh>

GIMBAL_NAMESPACE_BEGIN

/// One sorted sequence of two, of keys alone or with values.
using CUB_NS_QUALIFIER::DeviceMerge;

GIMBAL_NAMESPACE_END
#endif
