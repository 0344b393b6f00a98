// Values that blocks hand each other through tagged words (launch_plan.h): one to another, or each block's aggregate to
// all others, which reduce them in order.
//
// Each 8-byte word holds 4 bytes of a value and the tag that this launch, and this use of the word, writes. A word is
// stored and loaded whole and carries its own validity, and a value is complete when each of its words has arrived, so
// words may arrive in any order and relaxed accesses suffice for the value itself. With OrdersMemory a reader also sees
// what the writer did before: then words are stored with release and loaded with acquire.
#pragma once

#include <cstring>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// The first bytes of a value that are to be handed on; none of the others is anything but padding.
template <class Value>
inline constexpr std::size_t exchanged_bytes_v = sizeof(Value);

/// One value of type Value as tagged words.
template <class Value>
struct tagged_value {
  static constexpr unsigned words = (exchanged_bytes_v<Value> + 3) / 4;

  /// `store(w, word)` for each of the value's words.
  _CCCL_EXEC_CHECK_DISABLE
  template <class Store>
  static GIMBAL_HOST_DEVICE void write(std::uint32_t tag, const Value& value, Store store)
  {
    uninit<Value> bytes;
    bytes.set(value);
    std::uint32_t part[words];
    part[words - 1] = 0;
    std::memcpy(part, bytes.bytes, exchanged_bytes_v<Value>);
    GIMBAL_UNROLL
    for (unsigned w = 0; w < words; ++w) {
      store(w, std::uint64_t{part[w]} << 32 | tag);
    }
  }

  /// From `load(w)` for each word, on the host or the device; false if not all of the value has arrived.
  _CCCL_EXEC_CHECK_DISABLE
  template <class Load>
  static GIMBAL_HOST_DEVICE bool read(std::uint32_t tag, uninit<Value>& value, Load load)
  {
    std::uint32_t part[words];
    bool is_complete = true;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < words; ++w) {
      const std::uint64_t word = load(w);
      part[w] = static_cast<std::uint32_t>(word >> 32);
      is_complete = is_complete && static_cast<std::uint32_t>(word) == tag;
    }
    std::memcpy(value.bytes, part, exchanged_bytes_v<Value>);
    return is_complete;
  }
};

/// A table of values in global memory. Word w of slot s is words[w * slot_count + s], so that lanes read neighbours.
template <class Value, bool OrdersMemory = false>
struct exchange {
  static constexpr auto store_order =
    OrdersMemory ? ::cuda::std::memory_order_release : ::cuda::std::memory_order_relaxed;
  static constexpr auto load_order =
    OrdersMemory ? ::cuda::std::memory_order_acquire : ::cuda::std::memory_order_relaxed;

  std::uint64_t* words;
  unsigned slot_count;

  static GIMBAL_HOST_DEVICE constexpr std::size_t word_count(std::size_t count)
  {
    return tagged_value<Value>::words * count;
  }

  template <class Context>
  GIMBAL_DEVICE void write(Context& ctx, unsigned slot, std::uint32_t tag, const Value& value) const
  {
    tagged_value<Value>::write(tag, value, [&](unsigned w, std::uint64_t word) {
      ctx.atomic(words[w * slot_count + slot]).store(word, store_order);
    });
  }

  template <class Context>
  GIMBAL_DEVICE bool read(Context& ctx, unsigned slot, std::uint32_t tag, uninit<Value>& value) const
  {
    return tagged_value<Value>::read(tag, value, [&](unsigned w) { return load_word(ctx, slot, w); });
  }
  /// The same, once the value is there.
  template <class Context>
  GIMBAL_DEVICE Value wait(Context& ctx, unsigned slot, std::uint32_t tag) const
  {
    uninit<Value> value;
    while (!read(ctx, slot, tag, value)) {
      ctx.spin_wait();
    }
    return value.get();
  }
  /// The words as they are, for tagged_value::read.
  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, unsigned slot, std::uint64_t (&word)[tagged_value<Value>::words]) const
  {
    GIMBAL_UNROLL
    for (unsigned w = 0; w < tagged_value<Value>::words; ++w) {
      word[w] = load_word(ctx, slot, w);
    }
  }

  // ---- an aggregate of each block, in the slot of its number

  /// In each thread: reduces `run` neighbouring aggregates from `first` on, of those before `end`, as they arrive;
  /// false where there are none. The lanes of a warp wait together, since lanes that have parted exchange values
  /// slowly.
  template <class Context, class Op>
  GIMBAL_DEVICE bool reduce_run(
    Context& ctx, std::uint32_t tag, unsigned first, unsigned run, unsigned end, Op op, uninit<Value>& value) const
  {
    constexpr unsigned batch = sizeof(Value) <= 8 ? 2 : 1;  // in flight at the same time
    const unsigned last = first + run < end ? first + run : end;
    GIMBAL_NO_UNROLL
    for (unsigned k = 0; k < run; k += batch) {
      uninit<Value> aggregate[batch];
      while (ctx.ballot(read_batch(ctx, tag, first + k, last, aggregate)) != simt::full_mask) {
        ctx.spin_wait();
      }
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        if (first + k + i < last) {
          value.set(k + i == 0 ? aggregate[i].get() : static_cast<Value>(op(value.get(), aggregate[i].get())));
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
      uninit<Value> aggregate[batch];
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
  GIMBAL_DEVICE std::uint64_t load_word(Context& ctx, unsigned slot, unsigned w) const
  {
    return ctx.atomic(words[w * slot_count + slot]).load(load_order);
  }

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
    Context& ctx, std::uint32_t tag, unsigned base, unsigned end, uninit<Value> (&aggregate)[Batch]) const
  {
    bool is_complete = true;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Batch; ++i) {
      const auto load = [&](unsigned w) { return ctx.atomic(words[w * slot_count + base + i]).load(poll_order); };
      if (base + i < end && !tagged_value<Value>::read(tag, aggregate[i], load)) {
        is_complete = false;
      }
    }
    return is_complete;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
