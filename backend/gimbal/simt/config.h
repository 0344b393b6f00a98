// Which machine this translation unit is compiled for, and the few macros the rest of the backend uses.
//
// GIMBAL_GPU is 1 when kernels are compiled by a CUDA compiler for Thrust's CUDA device system, and 0 when they run as
// fibers on the host executor (Thrust's CPP or OMP device system, any C++17 compiler).
//
// All of gimbal lives in an inline namespace whose name contains what its code depends on: the versions of gimbal and
// of CCCL, what wraps Thrust, and the machine with its architectures and its kind of default stream. So a process may
// hold libraries that differ in any of these: none runs another's functions or kernels or shares its pool. Stock names
// its namespaces likewise. A library that wants a gimbal of its own whatever its process holds, or wraps Thrust into
// nested namespaces, defines GIMBAL_ABI_TAG: an identifier instead of versions and wrapper.
#pragma once

#include <gimbal/version.h>
#include <thrust/detail/config.h>
#include <thrust/version.h>

#include <cuda/std/cstddef>  // first: makes the CCCL configuration macros known

#if THRUST_VERSION < 200800
#error "gimbal: needs CCCL 2.8, which comes with CUDA 12.9, or newer"
#endif

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#ifndef __CUDACC__
#error "gimbal: compile with nvcc, or define THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP to use the host executor"
#endif
#define GIMBAL_GPU 1
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define GIMBAL_MACHINE PTDS, SM, __CUDA_ARCH_LIST__
#else
#define GIMBAL_MACHINE SM, __CUDA_ARCH_LIST__
#endif
#else
#define GIMBAL_GPU 0
#define GIMBAL_MACHINE host
#endif

#ifdef THRUST_WRAPPED_NAMESPACE
#define GIMBAL_CCCL CCCL, THRUST_VERSION, THRUST_WRAPPED_NAMESPACE
#else
#define GIMBAL_CCCL CCCL, THRUST_VERSION
#endif
#ifndef GIMBAL_ABI_TAG
#define GIMBAL_ABI_TAG v, GIMBAL_VERSION_MAJOR, GIMBAL_VERSION_MINOR, GIMBAL_VERSION_PATCH, GIMBAL_CCCL
#endif
#define GIMBAL_ABI_NAMESPACE _CCCL_PP_SPLICE_WITH(_, GIMBAL_ABI_TAG, GIMBAL_MACHINE)
#define GIMBAL_NAMESPACE_BEGIN \
  namespace gimbal {           \
  inline namespace GIMBAL_ABI_NAMESPACE {
#define GIMBAL_NAMESPACE_END \
  }                          \
  }

// Number types that not every toolkit has. CCCL 2 shows that by whether a macro is defined.
#if THRUST_MAJOR_VERSION >= 3
#define GIMBAL_HAS_INT128 _CCCL_HAS_INT128()
#define GIMBAL_HAS_HALF _CCCL_HAS_NVFP16()
#define GIMBAL_HAS_BFLOAT16 _CCCL_HAS_NVBF16()
#else
#ifdef __SIZEOF_INT128__
#define GIMBAL_HAS_INT128 1
#endif
#ifdef _CCCL_HAS_NVFP16
#define GIMBAL_HAS_HALF 1
#endif
#ifdef _CCCL_HAS_NVBF16
#define GIMBAL_HAS_BFLOAT16 1
#endif
#endif

// A program may have wrapped Thrust into a namespace of its own; in gimbal's namespace it keeps its name.
#ifdef THRUST_WRAPPED_NAMESPACE
namespace gimbal {
namespace thrust = THRUST_NS_QUALIFIER;
}
#endif

#if GIMBAL_GPU
#define GIMBAL_DEVICE __device__ __forceinline__
#define GIMBAL_DEVICE_NOINLINE __device__ __noinline__  // code that must not lie between what always runs
#define GIMBAL_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define GIMBAL_DEVICE inline
#define GIMBAL_DEVICE_NOINLINE inline
#define GIMBAL_HOST_DEVICE inline
#endif

// Full unrolling where it keeps arrays in registers. The host executor has no use for it, and compilers of nvcc's host
// code warn of it.
#ifdef __CUDA_ARCH__
#define GIMBAL_UNROLL _Pragma("unroll")
#define GIMBAL_NO_UNROLL _Pragma("unroll 1")
#else
#define GIMBAL_UNROLL
#define GIMBAL_NO_UNROLL
#endif

#include <cstddef>
#include <cstdint>

GIMBAL_NAMESPACE_BEGIN

/// Element counts and global positions: always 64 bits, one instantiation per kernel.
using index_type = std::int64_t;

namespace simt {

inline constexpr unsigned warp_threads = 32;
inline constexpr unsigned full_mask = 0xffffffffu;
inline constexpr std::size_t largest_shared_bytes = 227 * 1024;  ///< that a block can have

/// How the blocks of a launch start: in any order, some after others have ended; or in the order of their numbers, so
/// that each may wait for lower ones, as GPUs start the blocks of every launch.
enum class start { any, in_order };

/// The fewest items of `item_bytes` bytes that fill whole vectors of 16 bytes: a power of two.
constexpr unsigned items_of_vectors(std::size_t item_bytes)
{
  const std::size_t power_of_two = item_bytes & (~item_bytes + 1);  // that divides the bytes
  return static_cast<unsigned>(power_of_two < 16 ? 16 / power_of_two : 1);
}

}  // namespace simt

GIMBAL_NAMESPACE_END
