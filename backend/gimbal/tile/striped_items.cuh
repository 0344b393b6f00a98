// The items of a tile, striped: item i of a thread is `i * BlockThreads` behind its first one, so that the rest of each
// address, and of each comparison with the number of items, is a constant.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <unsigned BlockThreads, unsigned Items>
struct striped_items {
  static constexpr unsigned batch = 4;

  /// Of `count` items, how many there are from the thread's first one on.
  template <class Context>
  static GIMBAL_DEVICE unsigned left(const Context& ctx, unsigned count)
  {
    return count > ctx.thread() ? count - ctx.thread() : 0;
  }
  static GIMBAL_DEVICE bool has(unsigned i, unsigned left) { return i * BlockThreads < left; }

  template <class Context>
  static GIMBAL_DEVICE unsigned position(const Context& ctx, unsigned i)
  {
    return i * BlockThreads + ctx.thread();
  }

  /// For all i, a few at a time: taken = take(i), then put(i, taken). A thread takes part for items that it does not have,
  /// too: so no branch comes between the calls, and their loads are in flight at once.
  template <class Take, class Put>
  static GIMBAL_DEVICE void in_batches(unsigned count, Take take, Put put)
  {
    GIMBAL_UNROLL
    for (unsigned from = 0; from < Items; from += batch) {
      if (from * BlockThreads < count) {
        unsigned taken[batch];
        GIMBAL_UNROLL
        for (unsigned j = 0; j < batch && from + j < Items; ++j) {
          taken[j] = take(from + j);
        }
        GIMBAL_UNROLL
        for (unsigned j = 0; j < batch && from + j < Items; ++j) {
          put(from + j, taken[j]);
        }
      }
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
