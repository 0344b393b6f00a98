// The blocks' aggregates: one value from each block of a launch, published where all blocks read it, and reductions over them, in order.
#pragma once

#include <gimbal/grid/exchange.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// An aggregate of each block, of type T, among the tagged words of one launch. OrdersMemory: as for exchange.
template <class T, bool OrdersMemory = false>
struct block_aggregates : exchange<T, OrdersMemory> {
  /// In each thread: reduces `run` neighbouring aggregates from `first` on, of those before `end`, as they arrive; false
  /// where there are none. The lanes of a warp wait together, since lanes that have parted exchange values slowly.
  template <class Context, class Op>
  GIMBAL_DEVICE bool reduce_run(
    Context& ctx, std::uint32_t tag, unsigned first, unsigned run, unsigned end, Op op, uninit<T>& value) const
  {
    constexpr unsigned batch = sizeof(T) <= 8 ? 2 : 1;  // in flight at the same time
    const unsigned last = first + run < end ? first + run : end;
    GIMBAL_NO_UNROLL
    for (unsigned k = 0; k < run; k += batch) {
      uninit<T> aggregate[batch];
      while (ctx.ballot(read_batch(ctx, tag, first + k, last, aggregate)) != simt::full_mask) {
        ctx.spin_wait();
      }
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        if (first + k + i < last) {
          value.set(k + i == 0 ? aggregate[i].get() : static_cast<T>(op(value.get(), aggregate[i].get())));
        }
      }
    }
    acquire(ctx);
    return first < end;
  }

  /// `visit(block, aggregate)` for all blocks, as they arrive, divided between the lanes of a warp. False as soon as an
  /// aggregate is missing and `goes_on()`, which all lanes call, is false.
  template <class Context, class Visit, class GoesOn>
  GIMBAL_DEVICE bool visit(Context& ctx, std::uint32_t tag, Visit visit, GoesOn goes_on) const
  {
    constexpr unsigned batch = 2;
    GIMBAL_NO_UNROLL
    for (unsigned base = 0; base < ctx.blocks(); base += batch * simt::warp_threads) {
      const unsigned first = base + ctx.lane() * batch;
      uninit<T> aggregate[batch];
      while (ctx.ballot(read_batch(ctx, tag, first, ctx.blocks(), aggregate)) != simt::full_mask) {
        if (!goes_on()) {
          return false;
        }
        ctx.spin_wait();
      }
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        if (first + i < ctx.blocks()) {
          visit(first + i, aggregate[i].get());
        }
      }
    }
    acquire(ctx);
    return true;
  }

private:
  static constexpr auto poll_order = OrdersMemory ? simt::poll_order : ::cuda::std::memory_order_relaxed;

  template <class Context>
  static GIMBAL_DEVICE void acquire(Context& ctx)
  {
    if constexpr (OrdersMemory) {
      ctx.acquire_polled();
    }
  }

  // The aggregates from `base` on, of those before `end`; false if not all have arrived.
  template <class Context, unsigned Batch>
  GIMBAL_DEVICE bool read_batch(
    Context& ctx, std::uint32_t tag, unsigned base, unsigned end, uninit<T> (&aggregate)[Batch]) const
  {
    bool is_complete = true;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Batch; ++i) {
      const auto load = [&](unsigned w) {
        return ctx.atomic(this->words[w * this->slot_count + base + i]).load(poll_order);
      };
      if (base + i < end && !tagged_value<T>::read(tag, aggregate[i], load)) {
        is_complete = false;
      }
    }
    return is_complete;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
