// The items of a tile, striped: item i of a thread is `i * BlockThreads` after its first one, so that the rest of each
// address, and of each comparison with the number of items, is a constant.
#pragma once

#include <gimbal/tile/iterators.h>

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Of `count` items, how many there are from number `first` on.
GIMBAL_DEVICE unsigned left_from(unsigned first, unsigned count) { return count > first ? count - first : 0; }

template <unsigned BlockThreads, unsigned Items>
struct striped_items {
  static constexpr unsigned batch = 4;

  /// Of which `left` are the thread's first one and those after it.
  static GIMBAL_DEVICE bool has(unsigned i, unsigned left) { return i * BlockThreads < left; }

  template <class Context>
  static GIMBAL_DEVICE unsigned position(const Context& ctx, unsigned i)
  {
    return i * BlockThreads + ctx.thread();
  }

  /// For all i, a few at a time: taken = take(i), then put(i, taken). A thread takes part for items that it does not
  /// have, too: so no branch comes between the calls, and their loads are in flight at once.
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

  /// The first `count` of a tile's results, from shared to global memory.
  template <class T, class Context, class OutputIt>
  static GIMBAL_DEVICE void store_run(Context& ctx, const uninit<T>* source, OutputIt out, unsigned count)
  {
    const unsigned left = block::left_from(ctx.thread(), count);
    const OutputIt mine = out + ctx.thread();
    if constexpr (fetches_v<OutputIt, T>) {
      fetch_and_put(mine, source + ctx.thread(), left);
    } else {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        if (has(i, left)) {
          block::store_as(mine + i * BlockThreads, (source + ctx.thread())[i * BlockThreads].get());
        }
      }
    }
  }

private:
  /// Of as many items at a time as registers are spent on, all are fetched before the first is put.
  template <class OutputIt, class T>
  static GIMBAL_DEVICE void fetch_and_put(const OutputIt& out, const uninit<T>* source, unsigned left)
  {
    using fetched = decltype(out.fetch(index_type{}, source->get()));
    constexpr unsigned at_once =
      simt::is_supported_value_v<fetched> ? (sizeof(fetched) < 64 ? 64 / sizeof(fetched) : 1) : 1;
    GIMBAL_UNROLL
    for (unsigned begin = 0; begin < Items; begin += at_once) {
      if constexpr (at_once > 1) {
        uninit<fetched> own[at_once];
        GIMBAL_UNROLL
        for (unsigned i = begin; i < begin + at_once; ++i) {
          if (i < Items && has(i, left)) {
            own[i - begin].set(out.fetch(i * BlockThreads, source[i * BlockThreads].get()));
          }
        }
        GIMBAL_UNROLL
        for (unsigned i = begin; i < begin + at_once; ++i) {
          if (i < Items && has(i, left)) {
            out.put(i * BlockThreads, own[i - begin].get());
          }
        }
      } else if (has(begin, left)) {
        block::store_as(out + begin * BlockThreads, source[begin * BlockThreads].get());
      }
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
