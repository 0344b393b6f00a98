// Folds and scans over the threads of a warp and of a block, for any associative operator: operands are always combined
// in order and the tree depends on nothing but the number of threads, so results are the same bits in every run.
//
// There is no identity element: only the first `active` threads hold a value, and a prefix of nothing does not exist.
#pragma once

#include <gimbal/tile/accumulator.h>

#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <gimbal/simt/simt.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Which of the two scans: item i of the result includes item i of the input, or stops before it.
enum class scan_kind { inclusive, exclusive };
using inclusive_scan_tag = ::cuda::std::integral_constant<scan_kind, scan_kind::inclusive>;
using exclusive_scan_tag = ::cuda::std::integral_constant<scan_kind, scan_kind::exclusive>;

}  // namespace algorithm

namespace block {

/// A user's operator as the functions below take it: on values of T, with a result of type T, and callable through a
/// const object. The user's own call operator may be non-const, so it is called on a copy: the kernel's is shared by
/// all threads.
template <class T, class Op>
struct combine {
  Op op;

  GIMBAL_DEVICE T operator()(const T& left, const T& right) const
  {
    Op own = op;
    return static_cast<T>(own(left, right));
  }
};

/// In lane 0: value of lane 0 op ... op value of lane active - 1. The other lanes are left with partial results.
/// `active` is at most `Lanes`.
template <unsigned Lanes = simt::warp_threads, class T, class Context, class Op>
GIMBAL_DEVICE void warp_fold(Context& ctx, uninit<T>& value, unsigned active, Op op)
{
  GIMBAL_UNROLL
  for (unsigned delta = 1; delta < Lanes; delta *= 2) {
    const uninit<T> right = ctx.shfl_down(value, delta);
    if (ctx.lane() + delta < active) {
      value.set(op(value.get(), right.get()));
    }
  }
}

/// In lane 0: the fold over lanes 0, 1, ... of row[0], then of row[1], and so on, of which the first `present` are
/// there. While there are rows, lanes that differ in a bit share them out, so that each keeps half of the rows, folded
/// over both: Rows - 1 exchanges for all of them. What a lane holds then starts with that row's value in the first lane
/// of its group, and the right one of two operands may be missing, unless AreWhole says that none is. Every call of
/// `op` joins two neighbouring ranges of the sequence: lanes whose right neighbour is of another row, or none, do not
/// call it.
template <bool AreWhole, unsigned Rows, class T, class Context, class Op>
GIMBAL_DEVICE void warp_fold_rows(Context& ctx, uninit<T> (&row)[Rows], unsigned present, Op op)
{
  static_assert((Rows & (Rows - 1)) == 0 && Rows <= simt::warp_threads, "rows are halved between lanes");
  unsigned first = 0;  // of the rows that this lane keeps
  GIMBAL_UNROLL
  for (unsigned kept = Rows / 2; kept > 0; kept /= 2) {
    const unsigned delta = Rows / 2 / kept;
    const bool is_upper = (ctx.lane() & delta) != 0;
    first += is_upper ? kept : 0;
    const unsigned right_lane = (ctx.lane() & ~(2 * delta - 1)) + delta;
    GIMBAL_UNROLL
    for (unsigned r = 0; r < kept; ++r) {
      const uninit<T> taken = ctx.shfl(gimbal::choose(is_upper, row[r], row[r + kept]), ctx.lane() ^ delta);
      const uninit<T> left = gimbal::choose(is_upper, taken, row[r]);
      const uninit<T> right = gimbal::choose(is_upper, row[r + kept], taken);
      row[r] = left;
      if (AreWhole || (first + r) * simt::warp_threads + right_lane < present) {
        row[r].set(op(left.get(), right.get()));
      }
    }
  }
  // The first `Rows` lanes fold over the groups of lanes; then the rows fall into order from the upper lanes down.
  const unsigned row_lane = first * simt::warp_threads + (ctx.lane() & ~(Rows - 1));
  GIMBAL_UNROLL
  for (unsigned delta = Rows; delta < simt::warp_threads; delta *= 2) {
    const uninit<T> right = ctx.shfl_down(row[0], delta);
    if (ctx.lane() + delta < simt::warp_threads && (AreWhole || row_lane + delta < present)) {
      row[0].set(op(row[0].get(), right.get()));
    }
  }
  GIMBAL_UNROLL
  for (unsigned delta = Rows / 2; delta > 0; delta /= 2) {
    const uninit<T> right = ctx.shfl_down(row[0], delta);
    if (ctx.lane() < delta && (AreWhole || (first + Rows / 2 / delta) * simt::warp_threads < present)) {
      row[0].set(op(row[0].get(), right.get()));
    }
  }
}

/// Fold over the threads of a block, with a barrier of the caller's between warps and block:
///
///   fold::lanes(ctx, has_value, value, op);             in the first lane of each warp
///   fold::keep(ctx, smem.fold, has_value, value);
///   ctx.sync_block();                                   every warp's result is written
///   fold::warps(ctx, smem.fold, value, op);             in thread 0
///
/// Those lanes have a value that are a warp's first, and those warps that are the block's first. Operands are combined
/// in order, save where integers are folded by an instruction.
template <class T, unsigned Warps>
struct fold {
  static_assert(Warps <= simt::warp_threads, "a warp folds the results of all warps");

  struct shared {
    uninit<T> value[Warps];
    bool exists[Warps];
  };

  /// None but the first `Lanes` have a value.
  template <unsigned Lanes = simt::warp_threads, class Context, class Op>
  static GIMBAL_DEVICE void lanes(Context& ctx, bool has_value, uninit<T>& value, Op op)
  {
    using word = ::cuda::std::conditional_t<::cuda::std::is_signed<T>::value, std::int32_t, std::uint32_t>;
    using limits = ::cuda::std::numeric_limits<word>;
    ctx.sync_warp();  // known to be together, lanes exchange values without code for those that are not
    if constexpr (sizeof(T) <= 8 && adds_integers_v<Op, T, T>) {
      using sum = ::cuda::std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
      value.set(static_cast<T>(simt::warp_sum(ctx, has_value ? static_cast<sum>(value.get()) : sum{0})));
    } else if constexpr (sizeof(T) <= 4 && takes_greater_v<Op, T>) {
      value.set(static_cast<T>(simt::warp_greatest(ctx, has_value ? static_cast<word>(value.get()) : (limits::min)())));
    } else if constexpr (sizeof(T) <= 4 && takes_lesser_v<Op, T>) {
      value.set(static_cast<T>(simt::warp_least(ctx, has_value ? static_cast<word>(value.get()) : (limits::max)())));
    } else {
      const unsigned present = simt::popcount(ctx.ballot(has_value));
      block::warp_fold<Lanes>(ctx, value, present, op);
    }
  }

  /// What the first lane of a warp has.
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
    if (ctx.warp() == 0) {
      bool exists = false;
      if (ctx.lane() < Warps) {
        exists = smem.exists[ctx.lane()];
        value = smem.value[ctx.lane()];
      }
      lanes<Warps>(ctx, exists, value, op);
    }
  }
};

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
