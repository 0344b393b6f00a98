// `policy`: gimbal's, or with -DSTOCK Thrust's own. The only difference between the two sides.
#pragma once

#ifdef STOCK
#include <thrust/execution_policy.h>
#define policy thrust::device
#else
#include <gimbal/policy.h>
#define policy gimbal::par
#endif
