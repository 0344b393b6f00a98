// Compiles a call of each family where other headers' macros are defined. Macros are text: nothing has to be
// instantiated to see them.
#include "macros.h"

// Others' headers that gimbal's include, before macros that they themselves do not bear.
#include <sched.h>
#include <sys/mman.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/detail/allocator_aware_execution_policy.h>
#include <thrust/detail/execute_with_allocator.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>
#include <thrust/zip_function.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <cuda/atomic>
#include <cuda/functional>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/numeric>
#include <cuda/std/tuple>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
#ifdef __CUDACC__
#include <cub/cub.cuh>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/system/cuda/error.h>
#else
#include <boost/context/detail/fcontext.hpp>
#endif

// Macros behind which CCCL's headers, or the standard library's, do not compile.
// Windows without NOMINMAX: minwindef.h; Arduino.h
#undef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#undef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define abs(x) ((x) > 0 ? (x) : -(x))
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))
#define F(string_literal) (reinterpret_cast<const __FlashStringHelper*>(PSTR(string_literal)))

// Windows: combaseapi.h, which makes of every COM interface a structure
#define interface struct

// X11: Xos.h
#define index(s, c) (strchr((s), (c)))

// newlib: ctype.h
#define _U 01

// ncurses: curses.h; Perl: handy.h, embed.h
#define OK (0)
#define Copy(s, d, n, t) (void)memcpy((char*)(d), (const char*)(s), (n) * sizeof(t))
#define seed() Perl_seed(aTHX)

// Unreal Engine, Carbon: AssertMacros.h
#define check(expression) ((void)(expression))

// R: Error.h, Rinternals.h
#define error Rf_error
#define match Rf_match
#define eval Rf_eval

#include "device_wide.cu"
#include "policy.cu"
