// First launch of a counting sort of two-byte keys (radix_wide_count_sort.cuh): the histogram of all 2^16 keys.
//
// A block counts in shared memory, by the keys' own bits: two 16-bit counts in a word, which an addition to one never overflows: the
// addition that brings a count to 2^15 or beyond, as the old count shows, subtracts 2^15 again and adds 1 to a global carry
// counter, and between two barriers a block adds at most 2^15.
//
// Atomics to one address serialise. So where each thread's vector consists of one key, as in sorted input, the vectors are counted at
// once, by one lane per key for up to two keys. Where many lanes begin with the same key, the counts of that key and of another one
// are reduced over the warp before they are added.
#pragma once

#include <cuda/std/bit>
#include <cuda/std/functional>
#include <gimbal/algorithm/radix_sort/radix_runs.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// By a key's own bits.
struct wide_counts {
  static constexpr unsigned keys = 1u << 16;
  static constexpr unsigned words = keys / 2;  ///< of a table
  static constexpr unsigned carry = 1u << 15;
  static constexpr unsigned chunk = 8;  ///< keys of a vector

  /// Index of a word in a table: a permutation that puts keys with the same lower bits into different banks.
  static GIMBAL_DEVICE unsigned place_of(unsigned word) { return places_of(word); }
  /// The same for two words, one of them in the upper half.
  static GIMBAL_DEVICE std::uint32_t places_of(std::uint32_t two_words)
  {
    return two_words ^ ((two_words >> 5 ^ two_words >> 10) & 0x001f001fu);
  }

  std::uint32_t* word;  ///< [table][place of key / 2]: an even key's count, and the next one's above it
  unsigned* carries;    ///< [key]: multiples of 2^15, all zero at first
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
      ctx.sync_block();  // all carries are done
    }
    auto* const table = reinterpret_cast<block::radix_vector*>(counts.word) + ctx.block() * std::size_t{vectors};
    for (unsigned v = ctx.thread(); v < vectors; v += block_threads) {
      table[v] = smem.vector[v];
    }
  }

private:
  /// Number of keys missing from the first chunk, as vectors are aligned.
  static GIMBAL_HOST_DEVICE index_type offset(const Keys& keys)
  {
    if constexpr (Keys::is_plain_input) {
      return static_cast<index_type>(reinterpret_cast<std::uintptr_t>(keys.input) / sizeof(key_type) % chunk);
    } else {
      return 0;
    }
  }

  struct key_vector {
    std::uint32_t word[chunk / 2];  ///< two keys each
    bool is_whole;

    GIMBAL_DEVICE unsigned key(unsigned i) const { return i % 2 == 0 ? word[i / 2] & 0xffff : word[i / 2] >> 16; }
  };

  /// Adds a thread's chunks of the next batch of a block that has `left` chunks from `first` on.
  template <class Context>
  GIMBAL_DEVICE void add_chunks(Context& ctx, shared& smem, index_type first, index_type left) const
  {
    key_vector key_vectors[batch] = {};
    GIMBAL_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const unsigned mine = b * block_threads + ctx.thread();
      const index_type place = (first + mine) * static_cast<index_type>(chunk) - offset(keys);
      const bool exists = static_cast<index_type>(mine) < left && place < n;
      key_vectors[b].is_whole = exists && place >= 0 && place + static_cast<index_type>(chunk) <= n;
      if (key_vectors[b].is_whole) {
        load(place, key_vectors[b]);
      } else if (exists) {
        add_single(ctx, smem, place);
      }
    }
    GIMBAL_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      add_vector(ctx, smem, key_vectors[b]);
    }
  }

  GIMBAL_DEVICE void load(index_type place, key_vector& to) const
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

  /// Adds the keys of the first or the last chunk that exist.
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
  GIMBAL_DEVICE void add_vector(Context& ctx, shared& smem, const key_vector& mine) const
  {
    const unsigned key = mine.key(0);
    const unsigned first = ctx.shfl(key, 0);
    const unsigned firsts = ctx.ballot(key == first);
    const auto second = [&] { return ctx.shfl(key, ::cuda::std::countr_one(firsts) % simt::warp_threads); };
    bool is_uniform = mine.is_whole && mine.key(1) == key;
    GIMBAL_UNROLL
    for (unsigned w = 1; w < chunk / 2; ++w) {
      is_uniform = is_uniform && mine.word[w] == mine.word[0];
    }
    if (ctx.ballot(is_uniform) == simt::full_mask) {
      const bool has_second = key == second();
      const unsigned seconds = ctx.ballot(has_second);
      add_uniform(ctx, smem, key, key == first ? firsts : has_second ? seconds : 1u << ctx.lane());
    } else if (simt::popcount(firsts) > Shape::contended_lanes) {
      add_frequent(ctx, smem, mine, first, second());
    } else if (mine.is_whole) {
      add_each(ctx, smem, mine, [](unsigned) { return true; });
    }
  }

  /// Each thread's vector is one key, the same in all of `lanes`: the first of them adds for all.
  template <class Context>
  GIMBAL_DEVICE void add_uniform(Context& ctx, shared& smem, unsigned key, unsigned lanes) const
  {
    if (ctx.lane() == simt::countr_zero(lanes)) {
      const unsigned added = chunk * simt::popcount(lanes);
      carry_if_due(ctx, smem, key, added, add(ctx, smem, key, added));
    }
  }

  /// Two frequent keys are reduced over the warp before they are added.
  template <class Context>
  GIMBAL_DEVICE void add_frequent(
    Context& ctx, shared& smem, const key_vector& mine, unsigned first, unsigned second) const
  {
    unsigned pair_counts = 0;  // of the first in the lower half, of the second in the upper
    if (mine.is_whole) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        pair_counts += mine.key(i) == first ? 1u : mine.key(i) == second ? 0x10000u : 0u;
      }
    }
    uninit<unsigned> all;
    all.set(pair_counts);
    block::warp_fold(ctx, all, simt::warp_threads, ::cuda::std::plus<unsigned>{});
    if (ctx.lane() == 0) {
      carry_if_due(ctx, smem, first, all.get() & 0xffff, add(ctx, smem, first, all.get() & 0xffff));
      carry_if_due(ctx, smem, second, all.get() >> 16, add(ctx, smem, second, all.get() >> 16));
    }
    if (mine.is_whole) {
      add_each(ctx, smem, mine, [&](unsigned key) { return key != first && key != second; });
    }
  }

  /// Adds the keys for which `counted` is true; all atomics are in flight before the first old count is used.
  template <class Context, class IsCounted>
  GIMBAL_DEVICE void add_each(Context& ctx, shared& smem, const key_vector& mine, IsCounted counted) const
  {
    std::uint32_t old[chunk];
    std::uint32_t seen = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < chunk / 2; ++w) {  // the indices of both keys at once
      const std::uint32_t word = mine.word[w];
      const std::uint32_t places = wide_counts::places_of(word >> 1 & 0x7fff7fffu);
      const std::uint32_t one[2] = {(word & 1) * 0xffffu + 1, (word >> 16 & 1) * 0xffffu + 1};
      const unsigned place[2] = {places & 0xffff, places >> 16};
      GIMBAL_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const unsigned i = 2 * w + h;
        old[i] = 0;
        if (counted(mine.key(i))) {
          old[i] = ctx.atomic_shared(smem.count[place[h]]).fetch_add(one[h], ::cuda::std::memory_order_relaxed);
        }
        seen |= old[i] + one[h];
      }
    }
    if ((seen & 0x80008000u) != 0) {  // rarely
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        carry_if_due(ctx, smem, mine.key(i), 1, old[i]);
      }
    }
  }

  /// Returns the old word. Relaxed: counts order nothing but themselves.
  template <class Context>
  static GIMBAL_DEVICE std::uint32_t add(Context& ctx, shared& smem, unsigned key, unsigned number)
  {
    return ctx.atomic_shared(smem.count[wide_counts::place_of(key / 2)])
      .fetch_add(number << key % 2 * 16, ::cuda::std::memory_order_relaxed);
  }

  /// Exactly one addition brings the count to half of its capacity: that one carries.
  template <class Context>
  GIMBAL_DEVICE void carry_if_due(Context& ctx, shared& smem, unsigned key, unsigned added, std::uint32_t old) const
  {
    const unsigned before = old >> key % 2 * 16 & 0xffff;
    if (before < wide_counts::carry && before + added >= wide_counts::carry) {
      ctx.atomic_shared(smem.count[wide_counts::place_of(key / 2)])
        .fetch_add(0u - (wide_counts::carry << key % 2 * 16), ::cuda::std::memory_order_relaxed);
      ctx.atomic(counts.carries[key]).fetch_add(1u, ::cuda::std::memory_order_relaxed);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
