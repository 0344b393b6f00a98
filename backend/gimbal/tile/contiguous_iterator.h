// thrust::try_unwrap_contiguous_iterator: a pointer for an iterator that walks over an array, any other iterator unchanged.
#pragma once

#include <thrust/version.h>

#if THRUST_MAJOR_VERSION >= 3
#include <thrust/type_traits/unwrap_contiguous_iterator.h>
#else
#include <thrust/type_traits/is_contiguous_iterator.h>
#endif
