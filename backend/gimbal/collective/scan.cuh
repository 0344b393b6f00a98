// Scans over the threads of a warp and of a block, for any associative operator: operands are always combined in order
// and the tree depends on nothing but the number of threads, so results are the same bits in every run.
//
// There is no identity element: only the first `active` threads hold a value, and a prefix of nothing does not exist.
#pragma once

#include <cuda/std/type_traits>
#include <gimbal/collective/fold.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Which of the two scans: item i of the result includes item i of the input, or stops before it.
enum class scan_kind { inclusive, exclusive };
using inclusive_scan_tag = ::cuda::std::integral_constant<scan_kind, scan_kind::inclusive>;
using exclusive_scan_tag = ::cuda::std::integral_constant<scan_kind, scan_kind::exclusive>;

}  // namespace algorithm

namespace block {

/// In every lane below `active`: value of lane 0 op ... op its own.
template <class T, class Context, class Op>
GIMBAL_DEVICE void warp_inclusive_scan(Context& ctx, uninit<T>& value, unsigned active, Op op)
{
  GIMBAL_UNROLL
  for (unsigned delta = 1; delta < simt::warp_threads; delta *= 2) {
    const uninit<T> left = ctx.shfl_up(value, delta);
    if (ctx.lane() >= delta && ctx.lane() < active) {
      value.set(op(left.get(), value.get()));
    }
  }
}

/// The fold of a thread's first `count` items; where it has none, any value.
template <class T, unsigned Items, class Op>
GIMBAL_DEVICE uninit<T> fold_items(unsigned count, const uninit<T> (&value)[Items], Op op)
{
  uninit<T> folded = value[0];
  GIMBAL_UNROLL
  for (unsigned i = 1; i < Items; ++i) {
    if (i < count) {
      folded.set(op(folded.get(), value[i].get()));
    }
  }
  return folded;
}

/// Replaces a thread's first `count` items by their results. `running` is what is before them, if that `exists`.
template <algorithm::scan_kind Kind, class T, unsigned Items, class Op>
GIMBAL_DEVICE void scan_items(unsigned count, bool exists, uninit<T>& running, uninit<T> (&value)[Items], Op op)
{
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Items; ++i) {
    if (i < count) {
      if constexpr (Kind == algorithm::scan_kind::inclusive) {
        running.set(exists || i > 0 ? op(running.get(), value[i].get()) : value[i].get());
        value[i] = running;
      } else {
        const uninit<T> item = value[i];
        value[i] = running;
        if (i + 1 < count) {
          running.set(op(running.get(), item.get()));
        }
      }
    }
  }
}

/// Exclusive scan over the threads of a block, in two halves around one barrier of the kernel's body:
///
///   scan::scan_warps(ctx, smem.scan, value, active, op);    value: own in, fold of the lanes below in its warp out
///   ctx.sync_block();                                       every warp's total is written
///   T total = scan::total(smem.scan, active, op);           in any thread that needs it
///   bool exists = scan::prefix(ctx, smem.scan, value, op);  value: fold of the threads below in its block
///
/// The first `active` threads of the block hold a value; `active` is at least 1.
template <class T, unsigned BlockThreads>
struct scan {
  static_assert(BlockThreads % simt::warp_threads == 0, "blocks consist of whole warps");

  static constexpr unsigned warps = BlockThreads / simt::warp_threads;

  struct shared {
    uninit<T> warp_total[warps];
  };

  template <class Context, class Op>
  static GIMBAL_DEVICE void scan_warps(Context& ctx, shared& smem, uninit<T>& value, unsigned active, Op op)
  {
    const unsigned first = ctx.warp() * simt::warp_threads;
    const unsigned active_lanes = active <= first ? 0 : active - first;
    block::warp_inclusive_scan(ctx, value, active_lanes, op);
    const unsigned last = (active_lanes < simt::warp_threads ? active_lanes : simt::warp_threads) - 1;
    if (active_lanes > 0 && ctx.lane() == last) {
      smem.warp_total[ctx.warp()] = value;
    }
    value = ctx.shfl_up(value, 1);
  }

  /// The values of all active threads, folded.
  template <class Op>
  static GIMBAL_DEVICE T total(const shared& smem, unsigned active, Op op)
  {
    uninit<T> folded = smem.warp_total[0];
    GIMBAL_UNROLL
    for (unsigned w = 1; w < warps; ++w) {
      if (w * simt::warp_threads < active) {
        folded.set(op(folded.get(), smem.warp_total[w].get()));
      }
    }
    return folded.get();
  }

  /// Completes `value`, as `scan_warps` left it, to the fold over all threads below this one. False in thread 0, which
  /// has none. To be called by active threads only.
  template <class Context, class Op>
  static GIMBAL_DEVICE bool prefix(Context& ctx, const shared& smem, uninit<T>& value, Op op)
  {
    if (ctx.warp() > 0) {
      uninit<T> before = smem.warp_total[0];
      GIMBAL_UNROLL
      for (unsigned w = 1; w < warps; ++w) {
        if (w < ctx.warp()) {
          before.set(op(before.get(), smem.warp_total[w].get()));
        }
      }
      value.set(ctx.lane() > 0 ? op(before.get(), value.get()) : before.get());
    }
    return ctx.thread() > 0;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
