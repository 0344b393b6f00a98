// The sum over a warp's lanes in one instruction, and what it means in C++.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// In every lane, the sum of all lanes' values modulo 2^32.
template <class Context>
GIMBAL_DEVICE std::uint32_t warp_sum(Context& ctx, std::uint32_t value)
{
#if GIMBAL_GPU && __CUDA_ARCH__ >= 800
  static_cast<void>(ctx);
  return __reduce_add_sync(full_mask, value);
#else
  GIMBAL_UNROLL
  for (unsigned delta = 1; delta < warp_threads; delta *= 2) {
    value += ctx.shfl(value, ctx.lane() ^ delta);
  }
  return value;
#endif
}

}  // namespace simt

GIMBAL_NAMESPACE_END
