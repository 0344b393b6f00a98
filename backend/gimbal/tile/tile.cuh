// A tile: the consecutive items one block works on, moved between global memory and registers.
//
// Global memory is accessed striped (thread t takes items t, t + block_threads, ...), so that a warp reads neighbouring
// items together; computation wants them blocked (thread t takes items t*Items ... t*Items + Items - 1), so that a
// thread folds neighbours in order. Shared memory turns one into the other. The kernel's body holds the barriers:
//
//   tile::load(ctx, smem.items, in + base, valid);     striped, global to shared
//   ctx.sync_block();                                  the tile is written
//   tile::read(ctx, smem.items, value);                blocked, shared to registers
//   ...
//   tile::write(ctx, smem.items, value);               blocked, registers to shared
//   ctx.sync_block();                                  the tile is written
//   tile::store_run(ctx, smem.items.item, out + base, valid);   striped, shared to global
//
// `read` and `write` touch the thread's own entries only, so no barrier is needed between them. A partial tile has
// `valid` < items; the entries after hold nothing and are never given to an operator or an iterator. With an odd
// number of items per thread the blocked accesses of a warp fall into distinct banks.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>

#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/striped_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// `body(i)` for each of `Items` numbers of which item i * `Stride` is among `left`. With `AsksOnce` whether all are
/// there is found out first: what a body computes from what it has loaded is waited for after a branch of its own.
template <bool AsksOnce, unsigned Items, unsigned Stride, class Body>
GIMBAL_DEVICE void for_left(unsigned left, Body body)
{
  if (AsksOnce && left > (Items - 1) * Stride) {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      body(i);
    }
  } else {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (i * Stride < left) {
        body(i);
      }
    }
  }
}

/// True where copy_run has no value wait in a register.
template <class T, class Iterator>
inline constexpr bool copies_async_v = ::cuda::std::is_same_v<Iterator, const T*> && alignof(T) % 4 == 0
                                       && ::cuda::std::is_trivially_copyable_v<T>;

/// Starts copying `count` values to shared memory. A thread's own have arrived after ctx.wait_copies().
template <class Context, class T>
GIMBAL_DEVICE void copy_run(Context& ctx, uninit<T>* target, const T* source, unsigned count)
{
  for (unsigned i = ctx.thread(); i < count; i += Context::block_threads) {
    ctx.copy_async(target[i], source + i);
  }
}

template <class T, unsigned BlockThreads, unsigned Items>
struct tile : striped_items<BlockThreads, Items> {
  static_assert(BlockThreads % simt::warp_threads == 0, "blocks consist of whole warps");

  static constexpr unsigned items = BlockThreads * Items;

  struct shared {
    uninit<T> item[items];
  };

  /// Number of valid items of this thread in blocked order.
  template <class Context>
  static GIMBAL_DEVICE unsigned thread_valid(Context& ctx, unsigned valid)
  {
    const unsigned left = block::left_from(ctx.thread() * Items, valid);
    return left < Items ? left : Items;
  }

  /// Number of threads that have valid items in blocked order; these are the first ones.
  static GIMBAL_DEVICE unsigned active_threads(unsigned valid) { return (valid + Items - 1) / Items; }

  template <class Context, class InputIt>
  static GIMBAL_DEVICE void load(Context& ctx, shared& smem, InputIt in, unsigned valid)
  {
    uninit<T> value[Items];  // all loads are issued before the first store to shared memory
    const unsigned left = block::left_from(ctx.thread(), valid);
    const InputIt mine = in + ctx.thread();  // the rest of each address and of each comparison is a constant
    block::for_left<!::cuda::std::is_pointer_v<InputIt>, Items, BlockThreads>(
      left, [&](unsigned i) { value[i].set(block::load_as<T>(mine + i * BlockThreads)); });
    uninit<T>* const target = smem.item + ctx.thread();
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (i * BlockThreads < left) {
        target[i * BlockThreads] = value[i];
      }
    }
  }

  /// As load(), but no value waits in a register, where the iterator is a pointer.
  template <class Context, class InputIt>
  static GIMBAL_DEVICE void load_async(Context& ctx, shared& smem, InputIt in, unsigned valid)
  {
    if constexpr (copies_async_v<T, InputIt>) {
      block::copy_run(ctx, smem.item, in, valid);
      ctx.wait_copies();
    } else {
      load(ctx, smem, in, valid);
    }
  }

  template <class Context>
  static GIMBAL_DEVICE void read(Context& ctx, const shared& smem, uninit<T> (&value)[Items])
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      value[i] = (smem.item + ctx.thread() * Items)[i];
    }
  }

  template <class Context>
  static GIMBAL_DEVICE void write(Context& ctx, shared& smem, const uninit<T> (&value)[Items])
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      (smem.item + ctx.thread() * Items)[i] = value[i];
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
