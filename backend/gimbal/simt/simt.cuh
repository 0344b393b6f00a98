// The machine: one kernel source, run by CUDA threads on a GPU or by fibers on the host executor.
//
// A kernel is a struct, passed whole:
//   struct example_kernel {
//     static constexpr unsigned block_threads = 256;
//     struct shared { ... };                                     // one per block, uninitialised
//     ... parameters ...
//     template <class Context> GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const;
//   };
//   simt::launch(example_kernel{...}, blocks, stream, "step name");
#pragma once

#include <gimbal/simt/bits.h>
#include <gimbal/simt/config.h>
#include <gimbal/simt/pool.h>
#include <gimbal/simt/status.h>

#include <gimbal/simt/value.cuh>

#if GIMBAL_GPU
#include <gimbal/simt/cuda/launch.cuh>
#else
#include <gimbal/simt/host/launch.h>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// In how many shares streams that work at the same time divide a GPU. Blocks that fill their multiprocessors, and wait
/// for each other, would have to wait for those of other streams to end. Halves and fourths only: shares of other sizes
/// would leave multiprocessors between them.
inline unsigned gpu_shares(unsigned active_streams) { return active_streams <= 1 ? 1 : active_streams == 2 ? 2 : 4; }

/// Of as many blocks as the device runs at the same time, those of a launch on `stream`.
inline unsigned share_of_gpu(unsigned blocks, stream_type stream)
{
  const unsigned shares = gpu_shares(active_streams(stream));
  return blocks < shares ? blocks : blocks / shares;
}

/// Has kernels loaded onto the current device, if that has not been done.
template <class... Kernels>
status load_kernels()
{
  status state;
  unsigned blocks = 0;
  ((state = state ? state : expected_blocks<Kernels>(blocks)), ...);
  return state;
}

}  // namespace simt

GIMBAL_NAMESPACE_END
