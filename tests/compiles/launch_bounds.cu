// Compiles kernels that request more resident blocks than architectures have: the assembler warns where the bounds that
// it gets are beyond its architecture's.
#include <gimbal/simt/cuda/launch_bounds.h>

template <unsigned BlockThreads, unsigned ResidentBlocks>
__global__ void __launch_bounds__(
  BlockThreads, gimbal::simt::bounded_resident_blocks(ResidentBlocks, BlockThreads, gimbal::simt::this_architecture))
  empty_kernel()
{
}

template __global__ void empty_kernel<32, 32>();
template __global__ void empty_kernel<64, 32>();
template __global__ void empty_kernel<256, 8>();
template __global__ void empty_kernel<512, 4>();
template __global__ void empty_kernel<768, 2>();
template __global__ void empty_kernel<1024, 2>();
