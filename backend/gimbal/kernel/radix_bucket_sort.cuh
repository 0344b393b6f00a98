// Last step of a radix sort by buckets (radix_buckets.cuh): puts the keys of every bucket, and values with them, in order,
// in place. Traffic: keys and values twice.
//
// A block has a part of the items and takes from it group after group: as many whole buckets as fit into its shared
// memory. A group's keys, less the least that it may have, are shifted to the left as far as they go; the upper bits of that
// tell a bin. Counting gives each key a slot among those of its bin, in any order. So a key is at most as far from its place
// as the bin with most keys has others: it is compared with its neighbours up to that distance, and with its value goes
// straight to the output. Keys that are equal in order are told apart by where they came from, so the sort is stable
// whatever the order of additions.
//
// A group in which some bin has many keys is left to a launch of its own (radix_crowded_sort.cuh).
#pragma once

#include <cuda/functional>
#include <cuda/std/bit>
#include <cuda/std/functional>
#include <gimbal/block/scan.cuh>
#include <gimbal/kernel/radix_buckets.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// How keys of a group become words that are ordered alike.
template <class Bits>
struct radix_group_range {
  Bits least;      ///< that a key may have, of ordered_bits
  unsigned shift;  ///< to the left, of a key less that

  /// `first` and `last` keys of a group of buckets in order, which differ in their leading digits from bit `from` on alone.
  static GIMBAL_DEVICE radix_group_range of(Bits first, Bits last, unsigned from)
  {
    first = static_cast<Bits>(first >> from);
    last = static_cast<Bits>(last >> from);
    const auto span = static_cast<unsigned>(::cuda::std::bit_width(static_cast<Bits>(last - first)));
    return {static_cast<Bits>(first << from), static_cast<unsigned>(8 * sizeof(Bits)) - from - span};
  }
  GIMBAL_DEVICE Bits word(Bits key) const { return static_cast<Bits>(static_cast<Bits>(key - least) << shift); }
  GIMBAL_DEVICE Bits key(Bits word) const { return static_cast<Bits>(least + static_cast<Bits>(word >> shift)); }
};

template <class Shape, class Order, class Keys, class Values, class State>
struct radix_bucket_sort_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  using bits_type = block::radix_key_bits<key_type>;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = Shape::resident_blocks;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned items = Shape::items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr unsigned bins = Shape::bins;
  static constexpr unsigned bin_bits = static_cast<unsigned>(::cuda::std::bit_width(bins - 1));
  static constexpr unsigned position_bits = static_cast<unsigned>(::cuda::std::bit_width(tile_items - 1));
  static constexpr unsigned most_neighbours = Shape::most_in_bin - 1;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool has_zeros = block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point;
  static constexpr bool has_origins = has_values || has_zeros;
  static constexpr bool is_wide = sizeof(bits_type) > 4;
  static_assert(tile_items < 1u << 16, "positions in a group, and counts, have 16 bits");
  static_assert(bins == 1u << bin_bits, "a power of two");
  static_assert(Shape::most_bucket_items + Shape::unit_items <= tile_items, "a bucket, from any unit on, fits");
  static_assert(simt::warp_threads * Shape::unit_items > tile_items, "a warp sees the end of a group");
  using block_scan = block::scan<unsigned, block_threads>;
  using range_type = radix_group_range<bits_type>;

  /// Of two bins each, the lower half's and the upper half's: keys in the bin, later its first slot.
  struct alignas(16) bin_words {
    unsigned word[4];
  };
  static constexpr unsigned vectors = bins / 2 / 4;
  static constexpr unsigned vectors_per_thread = (vectors + block_threads - 1) / block_threads;

  struct shared {
    bin_words bin[vectors];
    unsigned upper[tile_items + 2 * most_neighbours];  ///< of each slot's word; around them, what no word is beyond
    unsigned lower[is_wide ? tile_items : 1];
    uninit<value_type> value[has_values ? tile_items : 1];  ///< in the order in which they came
    std::uint16_t origin[has_origins ? tile_items : 1];     ///< highest bit: the zero that counts as the other one
    typename block_scan::shared scan;
    unsigned most[block_threads / simt::warp_threads];  ///< keys in a bin
  };

  Keys keys;
  Values values;
  radix_buckets<State> buckets;
  unsigned units;  ///< one behind the last item is not counted

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    ctx.let_next_launch_start();
    const unsigned leading_from = buckets.shift();
    if (!buckets.are_taken(ctx)) {
      return;
    }
    const unsigned unit = first_unit(ctx, ctx.block());
    const unsigned last_unit = first_unit(ctx, ctx.block() + 1);
    bits_type key[items];
    group now{buckets.starts[unit], 0, unit};
    now = find_next(ctx, now, last_unit, start_ahead(ctx, now, last_unit));
    ends of_now = load_keys(ctx, now, key);
    while (now.count != 0) {
      const unsigned ahead = start_ahead(ctx, now, last_unit);
      const range_type range = range_type::of(ordered(of_now.first), ordered(of_now.last), leading_from);
      clear_bins(ctx, smem);
      ctx.sync_block();  // every bin is empty, and all slots are free
      unsigned arrival[items];
      count(ctx, smem, now, range, key, arrival);
      ctx.sync_block();  // the counts are complete
      const uninit<unsigned> before = sum_bins(ctx, smem);
      ctx.sync_block();  // the sums of all warps' bins are there
      const group next = find_next(ctx, now, last_unit, ahead);
      const unsigned most = most_in_bin(smem);
      if (most > Shape::most_in_bin) {
        leave(ctx, now);
        of_now = load_keys(ctx, next, key);
      } else {
        start_values(ctx, smem, now);
        start_bins(ctx, smem, before);
        ctx.sync_block();  // every bin's slots are known
        scatter(ctx, smem, now, key, arrival);
        of_now = load_keys(ctx, next, key);  // arrive while the group is written
        ctx.wait_copies();
        ctx.sync_block();  // keys are in their bins, and values are there
        write_out(ctx, smem, now, range, most - 1);
      }
      now = next;
    }
  }

private:
  struct group {
    unsigned first;
    unsigned count;
    unsigned next_unit;
  };
  /// The first and the last key of a group.
  struct ends {
    bits_type first;
    bits_type last;
  };

  template <class Context>
  GIMBAL_DEVICE unsigned first_unit(const Context& ctx, unsigned block) const
  {
    return static_cast<unsigned>(static_cast<std::uint64_t>(units) * block / ctx.blocks());
  }

  /// For find_next(), which need not wait then: what it needs to know behind the group.
  template <class Context>
  GIMBAL_DEVICE unsigned start_ahead(const Context& ctx, const group& now, unsigned last_unit) const
  {
    const unsigned ahead = now.next_unit + 1 + ctx.lane();
    return buckets.starts[ahead < last_unit ? ahead : last_unit];
  }
  /// The buckets behind the group, as many as fit; none if none begin before the last unit.
  template <class Context>
  GIMBAL_DEVICE group find_next(Context& ctx, const group& now, unsigned last_unit, unsigned ahead) const
  {
    group next{now.first + now.count, 0, now.next_unit};
    while (next.count == 0 && next.next_unit < last_unit) {
      const bool fits = next.next_unit + 1 + ctx.lane() <= last_unit && ahead - next.first <= tile_items;
      const auto fitting = static_cast<unsigned>(::cuda::std::popcount(ctx.ballot(fits)));
      next.count = ctx.shfl(ahead, fitting - 1) - next.first;
      next.next_unit += fitting;
      if (next.count == 0) {
        ahead = start_ahead(ctx, next, last_unit);
      }
    }
    return next;
  }

  /// Calls f(i, position) for the items of this thread that exist.
  template <class Context, class F>
  GIMBAL_DEVICE void for_each_item(const Context& ctx, const group& of, F f) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const unsigned position = i * block_threads + ctx.thread();
      if (position < of.count) {
        f(i, position);
      }
    }
  }

  /// distinct_bits.
  GIMBAL_DEVICE bits_type load_key(unsigned i) const
  {
    return block::distinct_bits<Order>(block::load_as<key_type>(keys.output + i));
  }
  static GIMBAL_DEVICE bits_type ordered(bits_type key) { return block::join_zeros<key_type>(key); }

  template <class Context>
  GIMBAL_DEVICE ends load_keys(Context& ctx, const group& of, bits_type (&key)[items]) const
  {
    for_each_item(ctx, of, [&](unsigned i, unsigned p) { key[i] = load_key(of.first + p); });
    return of.count == 0 ? ends{} : ends{load_key(of.first), load_key(of.first + of.count - 1)};
  }

  static GIMBAL_DEVICE unsigned upper_of(bits_type word) { return static_cast<unsigned>(word >> (is_wide ? 32 : 0)); }
  static GIMBAL_DEVICE unsigned bin_of(bits_type word) { return upper_of(word) >> (32 - bin_bits); }
  static GIMBAL_DEVICE unsigned& word_of_bin(shared& smem, unsigned bin) { return smem.bin[bin / 8].word[bin / 2 % 4]; }

  template <class Context>
  GIMBAL_DEVICE void clear_bins(Context& ctx, shared& smem) const
  {
    for (unsigned v = ctx.thread(); v < vectors; v += block_threads) {
      smem.bin[v] = bin_words{};
    }
  }

  /// Keys become words, with their positions in the lower bits if there is room.
  // Relaxed: the barrier behind orders the counts.
  template <class Context>
  GIMBAL_DEVICE void count(
    Context& ctx, shared& smem, const group& of, const range_type& range, bits_type (&key)[items],
    unsigned (&arrival)[items]) const
  {
    const bool has_room = has_origins && range.shift >= position_bits;
    for_each_item(ctx, of, [&](unsigned i, unsigned p) {
      const bits_type bits = ordered(key[i]);
      const bool is_joined = has_zeros && bits != key[i];
      key[i] = static_cast<bits_type>(range.word(bits) | (has_room ? p : 0));
      const unsigned bin = bin_of(key[i]);
      const unsigned shift = 16 * (bin % 2);
      const unsigned before =
        ctx.atomic_shared(word_of_bin(smem, bin)).fetch_add(1u << shift, ::cuda::std::memory_order_relaxed);
      arrival[i] = (before >> shift & 0xffff) | (is_joined ? joined_zero : 0);
    });
  }

  /// The keys in the bins that the thread looks after; as a sum over those of the threads of its warp before it.
  template <class Context>
  GIMBAL_DEVICE uninit<unsigned> sum_bins(Context& ctx, shared& smem) const
  {
    unsigned sum = 0;
    unsigned most = 0;
    for_each_word(ctx, smem, [&](unsigned word) {
      const unsigned first = word & 0xffff;
      const unsigned second = word >> 16;
      sum += first + second;
      most = ::cuda::maximum<unsigned>{}(most, ::cuda::maximum<unsigned>{}(first, second));
      return word;
    });
    uninit<unsigned> of_warp;
    of_warp.set(most);
    block::warp_fold(ctx, of_warp, simt::warp_threads, ::cuda::maximum<unsigned>{});
    if (ctx.lane() == 0) {
      smem.most[ctx.warp()] = of_warp.get();
    }
    uninit<unsigned> before;
    before.set(sum);
    block_scan::scan_warps(ctx, smem.scan, before, block_threads, ::cuda::std::plus<unsigned>{});
    return before;
  }

  static GIMBAL_DEVICE unsigned most_in_bin(const shared& smem)
  {
    unsigned most = 0;
    for (const unsigned of_warp : smem.most) {
      most = ::cuda::maximum<unsigned>{}(most, of_warp);
    }
    return most;
  }

  /// Counts become the bins' first slots.
  template <class Context>
  GIMBAL_DEVICE void start_bins(Context& ctx, shared& smem, uninit<unsigned> before) const
  {
    unsigned slot = block_scan::prefix(ctx, smem.scan, before, ::cuda::std::plus<unsigned>{}) ? before.get() : 0;
    for_each_word(ctx, smem, [&](unsigned word) {
      const unsigned first = slot;
      const unsigned second = first + (word & 0xffff);
      slot = second + (word >> 16);
      return first | second << 16;
    });
  }

  /// word = f(word) for those of the thread's bins, in order.
  template <class Context, class F>
  static GIMBAL_DEVICE void for_each_word(Context& ctx, shared& smem, F f)
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < vectors_per_thread; ++i) {
      const unsigned v = ctx.thread() * vectors_per_thread + i;
      if (v < vectors) {
        bin_words words = smem.bin[v];
        GIMBAL_UNROLL
        for (unsigned& word : words.word) {
          word = f(word);
        }
        smem.bin[v] = words;
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void scatter(
    Context& ctx, shared& smem, const group& of, const bits_type (&word)[items], const unsigned (&arrival)[items]) const
  {
    for_each_item(ctx, of, [&](unsigned i, unsigned p) {
      const unsigned bin = bin_of(word[i]);
      const unsigned slot = (word_of_bin(smem, bin) >> 16 * (bin % 2) & 0xffff) + (arrival[i] & ~joined_zero);
      smem.upper[most_neighbours + slot] = upper_of(word[i]);
      if constexpr (is_wide) {
        smem.lower[slot] = static_cast<unsigned>(word[i]);
      }
      if constexpr (has_origins) {
        smem.origin[slot] = static_cast<std::uint16_t>(p | (arrival[i] & joined_zero));
      }
    });
    for (unsigned i = ctx.thread(); i < most_neighbours; i += block_threads) {
      smem.upper[i] = 0;
      smem.upper[most_neighbours + of.count + i] = ~0u;
    }
  }

  /// The thread has copied its own when it waits for copies.
  template <class Context>
  GIMBAL_DEVICE void start_values(Context& ctx, shared& smem, const group& of) const
  {
    if constexpr (has_values) {
      values.read(sort_place::output, [&](auto source) {
        const auto of_group = source + static_cast<index_type>(of.first);
        if constexpr (block::copies_async_v<value_type, decltype(source)>) {
          block::copy_run(ctx, smem.value, of_group, of.count);
        } else {
          for (unsigned p = ctx.thread(); p < of.count; p += block_threads) {
            smem.value[p].set(block::load_as<value_type>(of_group + p));
          }
        }
      });
    }
  }

  /// Each key goes behind those of its bin that come before it, which are at most `distance` slots away.
  template <class Context>
  GIMBAL_DEVICE void write_out(
    Context& ctx, const shared& smem, const group& of, const range_type& range, unsigned distance) const
  {
    for (unsigned slot = ctx.thread(); slot < of.count; slot += block_threads) {
      const unsigned* const mine = smem.upper + most_neighbours + slot;
      unsigned place = slot;
      bool is_alone = true;
      for (unsigned d = 1; d <= distance; ++d) {
        place += mine[d] < *mine;
        place -= *(mine - d) > *mine;
        is_alone = is_alone & (mine[d] != *mine) & (*(mine - d) != *mine);
      }
      if ((is_wide || has_origins) && !is_alone) {
        place = find_place(smem, slot, of.count, distance);
      }
      write_item(smem, of, range, slot, place);
    }
  }

  GIMBAL_DEVICE void write_item(
    const shared& smem, const group& of, const range_type& range, unsigned slot, unsigned place) const
  {
    const unsigned origin = has_origins ? smem.origin[slot] : 0;
    bits_type bits = range.key(word_at(smem, slot));
    if (has_zeros && (origin & joined_zero) != 0) {
      bits = static_cast<bits_type>(bits - 1);  // join_zeros added it
    }
    const bits_type own = block::own_bits<Order, key_type>(bits);
    key_type key;
    std::memcpy(static_cast<void*>(&key), &own, sizeof(own));
    keys.output[of.first + place] = key;
    if constexpr (has_values) {
      values.write(sort_place::output, [&](auto target) {
        *(target + static_cast<index_type>(of.first + place)) = smem.value[origin & ~joined_zero].get();
      });
    }
  }

  static GIMBAL_DEVICE bits_type word_at(const shared& smem, unsigned slot)
  {
    const unsigned upper = smem.upper[most_neighbours + slot];
    if constexpr (is_wide) {
      return static_cast<bits_type>(upper) << 32 | smem.lower[slot];
    } else {
      return upper;
    }
  }

  /// As write_out() does, where upper parts of words are not enough.
  static GIMBAL_DEVICE unsigned find_place(const shared& smem, unsigned slot, unsigned count, unsigned distance)
  {
    const unsigned first = slot < distance ? 0 : slot - distance;
    const unsigned end = count - slot <= distance ? count : slot + distance + 1;
    const bits_type word = word_at(smem, slot);
    unsigned place = first;
    for (unsigned other = first; other < end; ++other) {
      const bits_type other_word = word_at(smem, other);
      bool is_before = other_word < word;
      if (other_word == word) {
        if constexpr (has_origins) {
          is_before = (smem.origin[other] & ~joined_zero) < (smem.origin[slot] & ~joined_zero);
        } else {
          is_before = other < slot;  // the same keys: any order will do
        }
      }
      place += is_before;
    }
    return place;
  }

  // Relaxed: the list is read by the next launch.
  template <class Context>
  GIMBAL_DEVICE void leave(Context& ctx, const group& of) const
  {
    if (ctx.thread() == 0) {
      const unsigned place = ctx.atomic(buckets.state->crowded_groups).fetch_add(1u, ::cuda::std::memory_order_relaxed);
      buckets.crowded[place] = {of.first, of.count};
    }
  }

  static constexpr unsigned joined_zero = 1u << 15;  ///< in an origin
  static_assert(!has_zeros || tile_items <= joined_zero, "positions leave a bit");
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
