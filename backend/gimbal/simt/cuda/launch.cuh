// Launching a kernel struct on the GPU. This is the only file with a __global__ function.
#pragma once

#include <gimbal/simt/cuda/launch_bounds.h>
#include <gimbal/simt/cuda/traffic.h>
#include <gimbal/simt/instrument.h>
#include <gimbal/simt/status.h>

#include <atomic>
#include <cstdint>
#include <gimbal/simt/cuda/context.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

using stream_type = cudaStream_t;

/// Static shared memory is checked by the compiler up to this size; beyond it a kernel gets dynamic shared memory.
inline constexpr std::size_t static_shared_bytes = 48 * 1024;

/// `Kernel::resident_blocks`, if there is one: how many blocks a multiprocessor must have registers for. 0:
/// unspecified.
template <class Kernel, class = void>
inline constexpr unsigned resident_blocks_v = 0;
template <class Kernel>
inline constexpr unsigned resident_blocks_v<Kernel, ::cuda::std::void_t<decltype(Kernel::resident_blocks)>> =
  Kernel::resident_blocks < 32 ? Kernel::resident_blocks : 32;

/// `Kernel::copies_in_bulk`, if there is one: the kernel needs phase barriers and bulk copies.
template <class Kernel, class = void>
inline constexpr bool copies_in_bulk_v = false;
template <class Kernel>
inline constexpr bool copies_in_bulk_v<Kernel, ::cuda::std::void_t<decltype(Kernel::copies_in_bulk)>> =
  Kernel::copies_in_bulk;
inline constexpr int bulk_copy_architecture = 90;

/// `Kernel::most_early_blocks`, if there is one: a launch of up to that many blocks starts early. Its blocks may start
/// before the preceding launch has ended, and then wait for its end, and for all it wrote, before the kernel's first
/// step. So the time to get to a multiprocessor is hidden. They may start once all earlier blocks have ended or called
/// let_next_launch_start().
template <class Kernel, class = void>
inline constexpr unsigned most_early_blocks_v = 0;
template <class Kernel>
inline constexpr unsigned most_early_blocks_v<Kernel, ::cuda::std::void_t<decltype(Kernel::most_early_blocks)>> =
  Kernel::most_early_blocks;

/// Only code for these GPUs waits; any other must not be launched that way.
#ifdef __CUDA_ARCH_LIST__
inline constexpr int compiled_architectures[] = {__CUDA_ARCH_LIST__};  // ascending
inline constexpr bool can_start_early = compiled_architectures[0] >= 900;
#else
inline constexpr bool can_start_early = false;
#endif

template <class Kernel>
__global__ void __launch_bounds__(
  Kernel::block_threads, bounded_resident_blocks(resident_blocks_v<Kernel>, Kernel::block_threads, this_architecture))
  entry(const __grid_constant__ Kernel kernel)
{
#if __CUDA_ARCH__ < 900
  constexpr bool has_body = !copies_in_bulk_v<Kernel>;  // never launched without, see expected_blocks
#else
  constexpr bool has_body = true;
#endif
  if constexpr (has_body) {
    using shared = typename Kernel::shared;
    static_assert(sizeof(shared) <= largest_shared_bytes, "the kernel's shared memory exceeds what a block can have");
    cuda_context<Kernel::block_threads> ctx;
    if constexpr (most_early_blocks_v < Kernel >> 0) {
      ctx.wait_for_launch_before();
    }
    if constexpr (sizeof(shared) <= static_shared_bytes) {
      __shared__ uninit<shared> memory;
      kernel(ctx, memory.get());
    } else {
      extern __shared__ __align__(128) unsigned char dynamic_memory[];
      kernel(ctx, *reinterpret_cast<shared*>(dynamic_memory));
    }
  }
}

template <class Kernel>
inline constexpr std::size_t dynamic_shared_bytes_v = sizeof(typename Kernel::shared) > static_shared_bytes
                                                        ? sizeof(typename Kernel::shared)
                                                        : 0;

inline constexpr int known_devices = 64;  ///< of which a kernel's facts are kept

/// For which function, and in which life of each device, a kernel's blocks may have their shared memory: the address of
/// the function, which each file of a program may have of its own, and the number of the life above it, in one word.
using allowed_functions = std::atomic<std::uint64_t>[known_devices];

/// Lets blocks of `function` have so much dynamic shared memory, once: setting that takes a lock of the driver, for
/// which launches of other host threads would wait.
inline status allow_dynamic_shared_bytes(
  const void* function, std::size_t bytes, allowed_functions& allowed, const char* step)
{
  constexpr unsigned address_bits = 48;
  device_life life;
  GIMBAL_TRY(current_life(life));
  const std::uint64_t now = reinterpret_cast<std::uintptr_t>(function) + ((life.number + 1) << address_bits);
  const bool is_kept = life.device < known_devices && life.number + 1 < 1ull << (64 - address_bits);
  if (is_kept && allowed[life.device].load(std::memory_order_acquire) == now) {
    return {};
  }
  GIMBAL_TRY(checked(
    cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), step));
  if (is_kept) {
    allowed[life.device].store(now, std::memory_order_release);
  }
  return {};
}
template <class Kernel>
status allow_dynamic_shared_bytes(const void* function, const char* step)
{
  if constexpr (dynamic_shared_bytes_v<Kernel> == 0) {
    return {};
  } else {
    static allowed_functions allowed;
    return allow_dynamic_shared_bytes(function, dynamic_shared_bytes_v<Kernel>, allowed, step);
  }
}

template <class Kernel>
status query_expected_blocks(int device, int& blocks, const char* step)
{
  const void* const function = reinterpret_cast<const void*>(&entry<Kernel>);
  blocks = 0;
  cudaFuncAttributes attributes = {};
  GIMBAL_TRY(checked(cudaFuncGetAttributes(&attributes, function), step));
  const int compiled_for =
    attributes.binaryVersion < attributes.ptxVersion ? attributes.binaryVersion : attributes.ptxVersion;
  int shared_bytes = 0;
  GIMBAL_TRY(checked(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), step));
  const bool fits = static_cast<int>(dynamic_shared_bytes_v<Kernel>) <= shared_bytes;  // 227 KB on sm_90, 99 on sm_120
  if (!fits || (copies_in_bulk_v<Kernel> && compiled_for < bulk_copy_architecture)) {
    return {};
  }
  GIMBAL_TRY(allow_dynamic_shared_bytes<Kernel>(function, step));
  int multiprocessors = 0;
  int blocks_each = 0;
  GIMBAL_TRY(checked(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), step));
  GIMBAL_TRY(checked(
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks_each, function, Kernel::block_threads, dynamic_shared_bytes_v<Kernel>),
    step));
  blocks = multiprocessors * blocks_each;
  return {};
}

/// How many blocks of the kernel run at the same time on the current device if nothing else does; 0 if it cannot run
/// there. The device is queried once.
template <class Kernel>
status expected_blocks(unsigned& blocks)
{
  constexpr const char* step = "query of the number of resident blocks";
  static std::atomic<int> known[known_devices];  // 1 more than the number
  blocks = 0;
  int device = 0;
  GIMBAL_TRY(checked(cudaGetDevice(&device), step));
  int found = device < known_devices ? known[device].load(std::memory_order_relaxed) - 1 : -1;
  if (found < 0) {
    GIMBAL_TRY(query_expected_blocks<Kernel>(device, found, step));
    if (device < known_devices) {
      known[device].store(found + 1, std::memory_order_relaxed);
    }
  }
  blocks = static_cast<unsigned>(found);
  return {};
}

/// A launch whose blocks have more shared memory does not begin early beside other streams: its waiting blocks would
/// take the room of blocks that work.
inline constexpr std::size_t most_early_shared_bytes = std::size_t{64} << 10;

inline error_code launch_early(
  const void* function, dim3 grid, dim3 threads, void** arguments, std::size_t shared_bytes, stream_type stream)
{
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, function, arguments);
}

/// Enqueues `blocks` blocks of `kernel` on `stream`. The status is this launch's own. With GIMBAL_DEBUG_SYNC defined
/// the host waits for the kernel, so that a fault inside it is reported here.
template <start = start::any, class Kernel>
status launch(const Kernel& kernel, index_type blocks, stream_type stream, const char* step)
{
  if (blocks <= 0 || blocks > 0x7fffffff) {
    return failure(error_invalid_configuration, step);
  }
  GIMBAL_TRY(instrument::begin(instrument::point::launch, step));
  const void* function = reinterpret_cast<const void*>(&entry<Kernel>);
  GIMBAL_TRY(allow_dynamic_shared_bytes<Kernel>(function, step));
  const dim3 grid(static_cast<unsigned>(blocks));
  const dim3 threads(Kernel::block_threads);
  void* arguments[] = {const_cast<Kernel*>(&kernel)};
  error_code code = success;
  constexpr bool needs_room = sizeof(typename Kernel::shared) > most_early_shared_bytes;
  if (can_start_early && blocks <= most_early_blocks_v<Kernel> && !(needs_room && active_streams(stream) > 1)) {
    code = launch_early(function, grid, threads, arguments, dynamic_shared_bytes_v<Kernel>, stream);
  } else {
    code = cudaLaunchKernel(function, grid, threads, arguments, dynamic_shared_bytes_v<Kernel>, stream);
  }
#ifdef GIMBAL_DEBUG_SYNC
  if (code == success) {
    code = cudaStreamSynchronize(stream);
  }
#endif
  return checked(code, step);
}

}  // namespace simt

GIMBAL_NAMESPACE_END
