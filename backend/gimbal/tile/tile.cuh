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

GIMBAL_NAMESPACE_BEGIN

namespace block {

// ---- striped: item i of a thread is `i * BlockThreads` after its first one, so that the rest of each address, and of
// each comparison with the number of items, is a constant

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

// ---- tiles

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
