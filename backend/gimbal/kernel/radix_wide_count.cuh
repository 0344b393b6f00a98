// First launch of a counting sort of two-byte keys (radix_wide_count_sort.cuh): how many keys there are of each.
//
// A block's counts are in shared memory, by the keys' own bits: two of 16 bits in a word, which an addition to one never
// leaves. That is so because one that brings a count to 2^15 or beyond, as the old count tells it, takes 2^15 off again and
// adds it to a word of all blocks, and between two barriers a block adds at most 2^15.
//
// Keys that are the same all over a thread's vector are added at once, and those that are the same all over a warp by one
// lane, as many additions to one address queue up: so it is in input that is in order.
#pragma once

#include <gimbal/block/radix_runs.cuh>
#include <gimbal/kernel/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// By a key's own bits.
struct wide_counts {
  static constexpr unsigned keys = 1u << 16;
  static constexpr unsigned words = keys / 2;  ///< of a table
  static constexpr unsigned carry = 1u << 15;
  static constexpr unsigned chunk = 8;  ///< keys of a vector

  std::uint32_t* word;  ///< [table][key / 2]: an even key's count, and the next one's above it
  unsigned* carries;    ///< [key]: counts of 2^15 more, all zero at first
  unsigned tables;
};

template <class Shape, class Keys>
struct radix_wide_count_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = Shape::count_threads;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned chunk = wide_counts::chunk;
  static constexpr unsigned batch = Shape::count_batch;
  static constexpr unsigned vectors = wide_counts::words / 4;
  static_assert(
    block_threads * batch * chunk <= wide_counts::carry, "counts stay within 16 bits up to the next barrier");

  union shared {
    block::radix_vector vector[vectors];
    std::uint32_t count[wide_counts::words];
  };

  Keys keys;
  index_type n;
  index_type share;  ///< chunks of a block
  wide_counts counts;

  static index_type chunks(const Keys& keys, index_type n)
  {
    return (n + offset(keys) + chunk - 1) / static_cast<index_type>(chunk);
  }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    ctx.let_next_launch_start();
    for (unsigned v = ctx.thread(); v < vectors; v += block_threads) {
      smem.vector[v] = {};
    }
    ctx.sync_block();  // all counts are zero
    const index_type first = static_cast<index_type>(ctx.block()) * share;
    for (index_type c = 0; c < share; c += batch * block_threads) {
      add_chunks(ctx, smem, first + c, share - c);
      ctx.sync_block();  // all that was to be carried is
    }
    auto* const table = reinterpret_cast<block::radix_vector*>(counts.word) + ctx.block() * std::size_t{vectors};
    for (unsigned v = ctx.thread(); v < vectors; v += block_threads) {
      table[v] = smem.vector[v];
    }
  }

private:
  /// Keys that the first chunk lacks, as vectors are aligned.
  static GIMBAL_HOST_DEVICE index_type offset(const Keys& keys)
  {
    if constexpr (Keys::is_plain_input) {
      return static_cast<index_type>(reinterpret_cast<std::uintptr_t>(keys.input) / sizeof(key_type) % chunk);
    }
    return 0;
  }

  struct part {
    std::uint32_t word[chunk / 2];  ///< two keys each
    bool is_whole;
  };

  /// A thread's of the next batch of a block that has `left` chunks from `first` on.
  template <class Context>
  GIMBAL_DEVICE void add_chunks(Context& ctx, shared& smem, index_type first, index_type left) const
  {
    part parts[batch];
    GIMBAL_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const unsigned mine = b * block_threads + ctx.thread();
      const index_type place = (first + mine) * static_cast<index_type>(chunk) - offset(keys);
      const bool exists = static_cast<index_type>(mine) < left && place < n;
      parts[b].is_whole = exists && place >= 0 && place + static_cast<index_type>(chunk) <= n;
      if (parts[b].is_whole) {
        load(place, parts[b]);
      } else if (exists) {
        add_single(ctx, smem, place);
      }
    }
    GIMBAL_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      add_part(ctx, smem, parts[b]);
    }
  }

  GIMBAL_DEVICE void load(index_type place, part& to) const
  {
    keys.read(sort_place::input, [&](auto from) {
      if constexpr (::cuda::std::is_pointer_v<decltype(from)>) {
        const auto vector = *reinterpret_cast<const block::radix_vector*>(from + place);
        std::memcpy(to.word, &vector, sizeof(vector));
      } else {
        std::uint16_t bits[chunk];
        GIMBAL_UNROLL
        for (unsigned i = 0; i < chunk; ++i) {
          const auto key = block::load_as<key_type>(from + (place + i));
          std::memcpy(&bits[i], &key, sizeof(key));
        }
        std::memcpy(to.word, bits, sizeof(bits));
      }
    });
  }

  /// Of the first or the last chunk the keys that exist.
  template <class Context>
  GIMBAL_DEVICE void add_single(Context& ctx, shared& smem, index_type place) const
  {
    keys.read(sort_place::input, [&](auto from) {
      for (index_type i = place < 0 ? 0 : place; i < place + static_cast<index_type>(chunk) && i < n; ++i) {
        const auto key = block::load_as<key_type>(from + i);
        std::uint16_t bits;
        std::memcpy(&bits, &key, sizeof(key));
        carry_if_due(ctx, smem, bits, 1, add(ctx, smem, bits, 1));
      }
    });
  }

  template <class Context>
  GIMBAL_DEVICE void add_part(Context& ctx, shared& smem, const part& mine) const
  {
    const unsigned key = mine.word[0] & 0xffff;
    bool is_uniform = mine.is_whole && mine.word[0] >> 16 == key;
    GIMBAL_UNROLL
    for (unsigned i = 1; i < chunk / 2; ++i) {
      is_uniform = is_uniform && mine.word[i] == mine.word[0];
    }
    if (ctx.ballot(is_uniform) == simt::full_mask) {
      const bool is_one = ctx.ballot(key == ctx.shfl(key, 0)) == simt::full_mask;
      if (!is_one || ctx.lane() == 0) {
        const unsigned added = is_one ? chunk * simt::warp_threads : chunk;
        carry_if_due(ctx, smem, key, added, add(ctx, smem, key, added));
      }
    } else if (mine.is_whole) {
      add_each(ctx, smem, mine);
    }
  }

  /// All are added before the first old count is looked at.
  template <class Context>
  GIMBAL_DEVICE void add_each(Context& ctx, shared& smem, const part& mine) const
  {
    std::uint32_t old[chunk];
    std::uint32_t seen = 0;
    const auto key_of = [&](unsigned i) { return i % 2 == 0 ? mine.word[i / 2] & 0xffff : mine.word[i / 2] >> 16; };
    GIMBAL_UNROLL
    for (unsigned i = 0; i < chunk; ++i) {
      old[i] = add(ctx, smem, key_of(i), 1);
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < chunk; ++i) {
      seen |= old[i] + (key_of(i) % 2 == 0 ? 1u : 0x10000u);
    }
    if ((seen & 0x80008000u) != 0) {  // rarely
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        carry_if_due(ctx, smem, key_of(i), 1, old[i]);
      }
    }
  }

  /// Returns the word of before. Relaxed: counts order nothing but themselves.
  template <class Context>
  static GIMBAL_DEVICE std::uint32_t add(Context& ctx, shared& smem, unsigned key, unsigned number)
  {
    return ctx.atomic_shared(smem.count[key / 2]).fetch_add(number << key % 2 * 16, ::cuda::std::memory_order_relaxed);
  }

  /// By whose addition the count came to half of what it holds, of which there is one.
  template <class Context>
  GIMBAL_DEVICE void carry_if_due(Context& ctx, shared& smem, unsigned key, unsigned added, std::uint32_t old) const
  {
    const unsigned before = old >> key % 2 * 16 & 0xffff;
    if (before < wide_counts::carry && before + added >= wide_counts::carry) {
      ctx.atomic_shared(smem.count[key / 2])
        .fetch_add(0u - (wide_counts::carry << key % 2 * 16), ::cuda::std::memory_order_relaxed);
      ctx.atomic(counts.carries[key]).fetch_add(1u, ::cuda::std::memory_order_relaxed);
    }
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
