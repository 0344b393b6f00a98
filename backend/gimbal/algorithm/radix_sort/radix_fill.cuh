// Last step of a sort of one-byte keys by all their bits: no key is moved, as the output follows from the counts.
//
// The histogram (radix_histogram.cuh) has left the place of each byte's first occurrence; the rest is writing. Traffic: the keys once
// for the histogram, with values once for their pass (radix_pass.cuh), and once here. Stores are aligned and of 16 bytes; bytes
// before the first and behind the last whole 16 are stored one by one.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_slots.cuh>
#include <gimbal/grid/team.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Writes n one-byte keys in order.
template <class Order, class Keys>
struct radix_filler {
  using key_type = typename Keys::value_type;
  static constexpr unsigned chunk = sizeof(block::radix_vector);

  struct table {
    index_type first[block::radix_size + 1];  ///< place of the first key that has the digit or a greater one
    unsigned char byte[block::radix_size];    ///< key with the digit
  };

  static GIMBAL_DEVICE void set_key(table& of, unsigned value)
  {
    if (!::cuda::std::is_same_v<key_type, bool> || value < 2) {
      const auto byte = static_cast<unsigned char>(value);
      key_type key;
      std::memcpy(static_cast<void*>(&key), &byte, 1);
      of.byte[block::ordered_bits<Order>(key)] = byte;
    }
  }

  /// For n keys with start_of(digit) = place of the first with the digit. Before a barrier.
  template <class Context, class StartOf>
  static GIMBAL_DEVICE void set(Context& ctx, table& of, index_type n, StartOf start_of)
  {
    for (unsigned digit = ctx.thread(); digit < block::radix_size; digit += Context::block_threads) {
      of.first[digit] = start_of(digit);
      set_key(of, digit);
    }
    if (ctx.thread() == 0) {
      of.first[block::radix_size] = n;
    }
  }

  /// Writes the chunks that begin in [begin, end), by `threads` threads, each of which continues from the digit of its previous
  /// chunk. After a barrier behind the last write to the table.
  static GIMBAL_DEVICE void fill_range(
    const table& of, const Keys& keys, index_type n, index_type begin, index_type end, unsigned thread,
    unsigned threads)
  {
    auto* const out = reinterpret_cast<unsigned char*>(keys.output);
    const index_type before = misalignment(out);
    const auto chunks_before = [&](index_type place) { return place == 0 ? 0 : (place + before + chunk - 1) / chunk; };
    index_type c = chunks_before(begin) + thread;
    unsigned digit = digit_at(of, c * chunk - before);
    for (; c < chunks_before(end); c += threads) {
      digit = fill_chunk(of, digit, out, c * chunk - before, n);
    }
  }

  /// Writes the output of n keys: each block of the launch its part, or each member of a team.
  template <class Context>
  static GIMBAL_DEVICE void fill(const Context& ctx, const table& of, const Keys& keys, index_type n)
  {
    fill(ctx, of, keys, n, block::team_place::of_all(ctx));
  }
  /// A thread's chunks lie far apart: each takes a search for its digit.
  template <class Context>
  static GIMBAL_DEVICE void fill(
    const Context& ctx, const table& of, const Keys& keys, index_type n, const block::team_place& place)
  {
    auto* const out = reinterpret_cast<unsigned char*>(keys.output);
    const index_type before = misalignment(out);
    const index_type stride = static_cast<index_type>(place.members) * Context::block_threads;
    index_type c = static_cast<index_type>(place.number) * Context::block_threads + ctx.thread();
    for (; c * chunk - before < n; c += stride) {
      fill_chunk(of, digit_at(of, c * chunk - before), out, c * chunk - before, n);
    }
  }

private:
  static GIMBAL_DEVICE index_type misalignment(const unsigned char* out)
  {
    return static_cast<index_type>(reinterpret_cast<std::uintptr_t>(out) % chunk);
  }

  /// Digit of the key at `place`: the last whose first place is not behind it.
  static GIMBAL_DEVICE unsigned digit_at(const table& of, index_type place)
  {
    unsigned digit = 0;
    GIMBAL_UNROLL
    for (unsigned step = block::radix_size / 2; step != 0; step /= 2) {
      digit += of.first[digit + step] <= place ? step : 0;
    }
    return digit;
  }

  /// Writes the chunk at `place`, which is negative or near n where only part of it belongs to the output. `digit` is at most that
  /// of its first key; returns that of its last.
  static GIMBAL_DEVICE unsigned fill_chunk(
    const table& of, unsigned digit, unsigned char* out, index_type place, index_type n)
  {
    const index_type begin = place < 0 ? 0 : place;
    const index_type end = place + chunk < n ? place + chunk : n;
    while (of.first[digit + 1] <= begin) {
      ++digit;
    }
    if (end - begin == chunk && of.first[digit + 1] >= end) {
      const std::uint32_t word = of.byte[digit] * 0x01010101u;
      *reinterpret_cast<block::radix_vector*>(out + begin) = {{word, word, word, word}};
      return digit;
    }
    for (index_type i = begin; i < end; ++i) {
      while (of.first[digit + 1] <= i) {
        ++digit;
      }
      out[i] = of.byte[digit];
    }
    return digit;
  }
};

template <class Order, class Keys>
struct radix_fill_kernel {
  using filler = radix_filler<Order, Keys>;
  static constexpr unsigned block_threads = block::radix_size;
  using shared = typename filler::table;

  Keys keys;
  index_type n;
  const index_type* bases;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    filler::set(ctx, smem, n, [&](unsigned digit) { return bases[digit]; });
    ctx.sync_block();  // the table is there
    filler::fill(ctx, smem, keys, n);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
