// The items of a tile, striped: item i of a thread is `i * BlockThreads` after its first one, so that the rest of each
// address, and of each comparison with the number of items, is a constant. And copies to shared memory by vectors.
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
