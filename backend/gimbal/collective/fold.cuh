// The fold over a block's threads in two steps, over lanes and over warps, with a barrier of the caller's in between:
//
//   fold::lanes(ctx, smem.fold, has_value, value, op);
//   ctx.sync_block();                                   every warp's result is written
//   fold::warps(ctx, smem.fold, value, op);             in thread 0
//
// Those lanes have a value that are a warp's first, and those warps that are the block's first. Operands are combined
// in order, save where integers are folded by an instruction. The tree depends on nothing but who has a value.
#pragma once

#include <gimbal/tile/accumulator.h>

#include <cuda/std/limits>
#include <gimbal/collective/scan.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <class T, unsigned Warps>
struct fold {
  static_assert(Warps <= simt::warp_threads, "a warp folds the results of all warps");

  struct shared {
    uninit<T> value[Warps];
    bool exists[Warps];
  };

  template <class Context, class Op>
  static GIMBAL_DEVICE void lanes(Context& ctx, shared& smem, bool has_value, uninit<T>& value, Op op)
  {
    fold_lanes<simt::warp_threads>(ctx, has_value, value, op);
    keep(ctx, smem, has_value, value);
  }

  /// In place of lanes(), where a warp's first lane has the fold of all.
  template <class Context>
  static GIMBAL_DEVICE void keep(Context& ctx, shared& smem, bool has_value, const uninit<T>& value)
  {
    if (ctx.lane() == 0) {
      smem.value[ctx.warp()] = value;
      smem.exists[ctx.warp()] = has_value;
    }
  }

  template <class Context, class Op>
  static GIMBAL_DEVICE void warps(Context& ctx, const shared& smem, uninit<T>& value, Op op)
  {
    if (ctx.warp() != 0) {
      return;
    }
    bool exists = false;
    if (ctx.lane() < Warps) {
      exists = smem.exists[ctx.lane()];
      value = smem.value[ctx.lane()];
    }
    fold_lanes<Warps>(ctx, exists, value, op);
  }

private:
  using word = ::cuda::std::conditional_t<::cuda::std::is_signed<T>::value, std::int32_t, std::uint32_t>;
  using limits = ::cuda::std::numeric_limits<word>;

  // The fold over the lanes that have a value, none but the first `Lanes`, in lane 0.
  template <unsigned Lanes, class Context, class Op>
  static GIMBAL_DEVICE void fold_lanes(Context& ctx, bool has_value, uninit<T>& value, Op op)
  {
    ctx.sync_warp();  // known to be together, lanes exchange values without code for those that are not
    if constexpr (sizeof(T) <= 8 && adds_integers_v<Op, T, T>) {
      using sum = ::cuda::std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
      value.set(static_cast<T>(simt::warp_sum(ctx, has_value ? static_cast<sum>(value.get()) : sum{0})));
    } else if constexpr (sizeof(T) <= 4 && takes_greater_v<Op, T>) {
      value.set(static_cast<T>(simt::warp_greatest(ctx, has_value ? static_cast<word>(value.get()) : (limits::min)())));
    } else if constexpr (sizeof(T) <= 4 && takes_lesser_v<Op, T>) {
      value.set(static_cast<T>(simt::warp_least(ctx, has_value ? static_cast<word>(value.get()) : (limits::max)())));
    } else {
      const unsigned lanes = simt::popcount(ctx.ballot(has_value));
      block::warp_fold<Lanes>(ctx, value, lanes, op);
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
