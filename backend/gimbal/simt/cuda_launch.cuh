// Launching a kernel struct on the GPU. The only place with a __global__ function.
#pragma once

#include <gimbal/simt/cuda_context.cuh>
#include <gimbal/simt/instrument.h>
#include <gimbal/simt/status.h>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

using stream_type = cudaStream_t;

/// Static shared memory is checked by the compiler up to this size; beyond it a kernel gets dynamic shared memory.
inline constexpr std::size_t static_shared_bytes = 48 * 1024;
inline constexpr std::size_t largest_shared_bytes = 227 * 1024;

/// `Kernel::resident_blocks`, if there is one: how many blocks a multiprocessor must have registers for. 0: not said.
template <class Kernel, class = void>
inline constexpr unsigned resident_blocks_v = 0;
template <class Kernel>
inline constexpr unsigned resident_blocks_v<Kernel, ::cuda::std::void_t<decltype(Kernel::resident_blocks)>> =
  Kernel::resident_blocks < 32 ? Kernel::resident_blocks : 32;

template <class Kernel>
__global__ void __launch_bounds__(Kernel::block_threads, resident_blocks_v<Kernel>) entry(const __grid_constant__ Kernel kernel)
{
  using shared = typename Kernel::shared;
  static_assert(sizeof(shared) <= largest_shared_bytes, "the kernel's shared memory exceeds what a block can have");
  cuda_context<Kernel::block_threads> ctx;
  if constexpr (sizeof(shared) <= static_shared_bytes) {
    __shared__ uninit<shared> memory;
    kernel(ctx, memory.get());
  } else {
    extern __shared__ __align__(128) unsigned char dynamic_memory[];
    kernel(ctx, *reinterpret_cast<shared*>(dynamic_memory));
  }
}

/// Enqueue `blocks` blocks of `kernel` on `stream`. The status is this launch's own. With GIMBAL_DEBUG_SYNC defined the
/// host waits for the kernel, so that a fault inside it is reported here.
template <class Kernel>
status launch(const Kernel& kernel, std::size_t blocks, stream_type stream, const char* step)
{
  if (instrument::fail_here(instrument::point::launch)) { return failure(error_launch_failure, step); }
  if (blocks == 0 || blocks > 0x7fffffffu) { return failure(error_invalid_configuration, step); }
  const void* function = reinterpret_cast<const void*>(&entry<Kernel>);
  constexpr bool is_dynamic = sizeof(typename Kernel::shared) > static_shared_bytes;
  constexpr std::size_t dynamic_bytes = is_dynamic ? sizeof(typename Kernel::shared) : 0;
  if (is_dynamic) {
    const error_code code =
      cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic_bytes));
    if (code != success) {
      cudaGetLastError(); // reported here: not to be found again by the caller's next check
      return failure(code, step);
    }
  }
  void* arguments[] = {const_cast<Kernel*>(&kernel)};
  error_code code = cudaLaunchKernel(
    function, dim3(static_cast<unsigned>(blocks)), dim3(Kernel::block_threads), arguments, dynamic_bytes, stream);
  instrument::count(instrument::point::launch);
#ifdef GIMBAL_DEBUG_SYNC
  if (code == success) { code = cudaStreamSynchronize(stream); }
#endif
  if (code != success) { cudaGetLastError(); }
  return failure(code, step);
}

} // namespace simt

GIMBAL_NAMESPACE_END
