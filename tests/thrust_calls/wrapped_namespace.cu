// Tests the routing again, in a program that wraps Thrust and CUB into a namespace of its own.
#define THRUST_CUB_WRAPPED_NAMESPACE of_the_program
#include <thrust/detail/config.h>

namespace thrust = of_the_program::thrust;

#include "routing.cu"
