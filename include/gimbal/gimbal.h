// gimbal: Thrust's algorithms on gimbal's own kernels. This header brings in all of the public interface.
#pragma once

#include <gimbal/argsort.h>
#include <gimbal/device.h>
#include <gimbal/memory.h>
#include <gimbal/policy.h>
#include <gimbal/radix_sort.h>
#include <gimbal/scan_vector.h>
#include <gimbal/segmented_scan.h>
