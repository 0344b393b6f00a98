// Last step of a sort of one-byte keys alone, by all their bits: no key is moved, as the counts tell the output.
//
// The histogram (radix_histogram.cuh) has left the place of each byte's first occurrence; the rest is writing. Traffic:
// the keys once for the histogram and once here. Stores are of 16 bytes, aligned; bytes before the first and behind the
// last whole 16 are stored one by one.
#pragma once

#include <gimbal/block/radix_slots.cuh>
#include <gimbal/kernel/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

template <class Order, class Keys>
struct radix_fill_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = block::radix_size;
  static constexpr unsigned chunk = sizeof(block::radix_vector);

  struct shared {
    index_type
      first[block::radix_size + 1];         ///< place of the first key with the digit, or behind it where there is none
    unsigned char byte[block::radix_size];  ///< key with the digit
  };

  Keys keys;
  index_type n;
  const index_type* bases;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    load_table(ctx, smem);
    ctx.sync_block();  // the table is there
    auto* const out = reinterpret_cast<unsigned char*>(keys.output);
    const auto before = static_cast<index_type>(reinterpret_cast<std::uintptr_t>(out) % chunk);
    const index_type stride = static_cast<index_type>(ctx.blocks()) * block_threads;
    index_type c = static_cast<index_type>(ctx.block()) * block_threads + ctx.thread();
    for (; c * chunk - before < n; c += stride) {
      fill(smem, out, c * chunk - before);
    }
  }

private:
  template <class Context>
  GIMBAL_DEVICE void load_table(Context& ctx, shared& smem) const
  {
    const unsigned t = ctx.thread();
    smem.first[t] = bases[t];
    if (t == 0) {
      smem.first[block::radix_size] = n;
    }
    if (!::cuda::std::is_same_v<key_type, bool> || t < 2) {
      const auto byte = static_cast<unsigned char>(t);
      key_type key;
      std::memcpy(static_cast<void*>(&key), &byte, 1);
      smem.byte[block::ordered_bits<Order>(key)] = byte;
    }
  }

  /// The chunk at `place`, which is negative or near n where only part of it belongs to the output.
  GIMBAL_DEVICE void fill(const shared& smem, unsigned char* out, index_type place) const
  {
    const index_type begin = place < 0 ? 0 : place;
    const index_type end = place + chunk < n ? place + chunk : n;
    unsigned digit = 0;  // of the key at `begin`: the last whose first place is not behind it
    GIMBAL_UNROLL
    for (unsigned step = block::radix_size / 2; step != 0; step /= 2) {
      digit += smem.first[digit + step] <= begin ? step : 0;
    }
    if (end - begin == chunk && smem.first[digit + 1] >= end) {
      const std::uint32_t word = smem.byte[digit] * 0x01010101u;
      *reinterpret_cast<block::radix_vector*>(out + begin) = {{word, word, word, word}};
      return;
    }
    for (index_type i = begin; i < end; ++i) {
      while (smem.first[digit + 1] <= i) {
        ++digit;
      }
      out[i] = smem.byte[digit];
    }
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
