// Folds of integers over a warp's lanes in one instruction or a few, and what they mean in C++. The answer is in every
// lane.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// `op` of all lanes' values, where no instruction does it; it must be commutative and associative.
template <class Context, class T, class Op>
GIMBAL_DEVICE T warp_butterfly(Context& ctx, T value, Op op)
{
  GIMBAL_UNROLL
  for (unsigned delta = 1; delta < warp_threads; delta *= 2) {
    value = op(value, ctx.shfl(value, ctx.lane() ^ delta));
  }
  return value;
}

/// The sum modulo 2^32.
template <class Context>
GIMBAL_DEVICE std::uint32_t warp_sum(Context& ctx, std::uint32_t value)
{
#if GIMBAL_GPU && __CUDA_ARCH__ >= 800
  static_cast<void>(ctx);
  return __reduce_add_sync(full_mask, value);
#else
  return simt::warp_butterfly(ctx, value, [](std::uint32_t a, std::uint32_t b) { return a + b; });
#endif
}

/// The sum modulo 2^64, from sums of parts so short that none overflows.
template <class Context>
GIMBAL_DEVICE std::uint64_t warp_sum(Context& ctx, std::uint64_t value)
{
  constexpr unsigned part_bits = 26;
  constexpr std::uint32_t part = (std::uint32_t{1} << part_bits) - 1;
  const std::uint64_t low = simt::warp_sum(ctx, static_cast<std::uint32_t>(value) & part);
  const std::uint64_t middle = simt::warp_sum(ctx, static_cast<std::uint32_t>(value >> part_bits) & part);
  const std::uint64_t high = simt::warp_sum(ctx, static_cast<std::uint32_t>(value >> 2 * part_bits));
  return low + (middle << part_bits) + (high << 2 * part_bits);
}

/// The greatest value, of std::int32_t or std::uint32_t.
template <class Context, class Word>
GIMBAL_DEVICE Word warp_greatest(Context& ctx, Word value)
{
#if GIMBAL_GPU && __CUDA_ARCH__ >= 800
  static_cast<void>(ctx);
  return __reduce_max_sync(full_mask, value);
#else
  return simt::warp_butterfly(ctx, value, [](Word a, Word b) { return a < b ? b : a; });
#endif
}

/// The least value, of std::int32_t or std::uint32_t.
template <class Context, class Word>
GIMBAL_DEVICE Word warp_least(Context& ctx, Word value)
{
#if GIMBAL_GPU && __CUDA_ARCH__ >= 800
  static_cast<void>(ctx);
  return __reduce_min_sync(full_mask, value);
#else
  return simt::warp_butterfly(ctx, value, [](Word a, Word b) { return b < a ? b : a; });
#endif
}

}  // namespace simt

GIMBAL_NAMESPACE_END
