// The items of a tile, striped: item i of a thread is `i * BlockThreads` after its first one, so that the rest of each
// address, and of each comparison with the number of items, is a constant. And copies to shared memory by vectors.
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

/// Values of which some begin where a vector does, wherever an array of them lies.
template <class T>
inline constexpr bool copies_by_vectors_v = alignof(T) == sizeof(T) && 4 <= sizeof(T)
                                            && sizeof(T) < sizeof(simt::vector16);
/// How many values there are from the last begin of a vector to `source`.
template <class T>
GIMBAL_DEVICE unsigned vector_phase(const T* source)
{
  constexpr unsigned vector_items = sizeof(simt::vector16) / sizeof(T);
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(source) / sizeof(T) % vector_items);
}
/// As copy_run (tile.cuh), in vectors, to `target` + vector_phase(source).
template <class Context, class T>
GIMBAL_DEVICE void copy_run_by_vectors(Context& ctx, uninit<T>* target, const T* source, unsigned count)
{
  constexpr unsigned vector_items = sizeof(simt::vector16) / sizeof(T);
  const unsigned phase = block::vector_phase(source);
  const unsigned end = phase + count;  // from the first whole or part of a vector on
  const unsigned first_whole = phase == 0 ? 0 : 1;
  const unsigned whole_end = end / vector_items;
  const auto* const vectors = reinterpret_cast<const simt::vector16*>(source - phase);
  auto* const targets = reinterpret_cast<uninit<simt::vector16>*>(target);
  for (unsigned v = first_whole + ctx.thread(); v < whole_end; v += Context::block_threads) {
    ctx.copy_async(targets[v], vectors + v);
  }
  const auto copy_one = [&](unsigned slot) {
    if (phase <= slot && slot < end) {
      ctx.copy_async(target[slot], source - phase + slot);
    }
  };
  if (ctx.thread() < vector_items && first_whole != 0) {
    copy_one(ctx.thread());
  }
  if (ctx.thread() < vector_items && (whole_end > 0 || first_whole == 0)) {
    copy_one(whole_end * vector_items + ctx.thread());
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
