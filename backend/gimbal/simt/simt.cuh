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
#include <gimbal/simt/status.h>
#include <gimbal/simt/value.cuh>

#if GIMBAL_GPU
#  include <gimbal/simt/cuda_launch.cuh>
#  include <gimbal/simt/cuda_memory.h>
#else
#  include <gimbal/simt/host_launch.h>
#  include <gimbal/simt/host_memory.h>
#endif
