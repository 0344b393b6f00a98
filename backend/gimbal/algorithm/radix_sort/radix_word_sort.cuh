// Last step of a radix sort of 4-byte keys by buckets (radix_buckets.cuh): sorts every bucket, with values, in place. Traffic: keys
// and values twice.
//
// A block has a share of the items and takes group after group from it: as many whole buckets as fit into its shared memory, and whose
// keys differ in so few bits that these and a key's position in the group fit into a word. So words are all different, and
// their order is the stable order of the keys. The upper bits of a word select a bin; counting gives each word a slot of its bin, in
// any order. Then words are out of order within their bins only, and warps sort them in registers (window_sort.cuh). A sorted word
// holds its key and the position of its value; both are written straight to the output, in whole vectors.
//
// If a bin overflows, or words do not fit, the block gives buckets up: passes by all digits follow.
#pragma once

#include <cuda/functional>
#include <gimbal/algorithm/radix_sort/key_bins.cuh>
#include <gimbal/algorithm/radix_sort/radix_buckets.cuh>
#include <gimbal/algorithm/radix_sort/radix_group_values.cuh>
#include <gimbal/algorithm/radix_sort/window_sort.cuh>
#include <gimbal/tile/striped_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Order, class Keys, class Values, class State>
struct radix_word_sort_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  using word_type = block::radix_key_bits<key_type>;
  static constexpr unsigned word_bits = 32;
  static_assert(8 * sizeof(word_type) == word_bits, "keys of a word");
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = Shape::resident_blocks;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned items = Shape::items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr unsigned bins = Shape::bins;
  static constexpr unsigned bin_bits = simt::bit_width(bins - 1);
  using group_values = radix_group_values<Values, tile_items>;
  static constexpr bool has_values = group_values::has_values;
  static constexpr bool has_zeros = block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point;
  /// Lower bits of a word: the rank in its bin, later its position; and a flag for a joined zero.
  static constexpr unsigned arrival_bits = simt::bit_width(Shape::most_in_bin);
  static constexpr unsigned arrival_mask = (1u << arrival_bits) - 1;
  static constexpr unsigned joined_zero = has_zeros ? arrival_mask + 1 : 0;

  using key_bins = block::key_bins<block_threads, bins>;
  using striped = block::striped_items<block_threads, items>;
  using window = block::window_sort;
  static constexpr unsigned vector_words = window::lane_words;
  /// Slots on either side of the group's, which hold sentinels.
  static constexpr unsigned margin = window::halo(Shape::most_in_bin);
  static constexpr unsigned vectors = (2 * margin + tile_items) / vector_words + 2;
  static_assert(bins == 1u << bin_bits, "a power of two");
  static_assert(
    Shape::most_in_bin <= key_bins::most_in_bin && tile_items <= key_bins::most_slots, "bins can hold them");
  static_assert(Shape::most_bucket_items + Shape::unit_items <= tile_items, "a bucket, from any unit on, fits");
  static_assert(simt::warp_threads * Shape::unit_items > tile_items, "a warp sees the end of a group");
  static_assert(2 * margin < window::words, "a window has a middle");

  struct shared {
    typename key_bins::shared bins;
    simt::vector16 words
      [vectors + block_threads / vector_words];  ///< and a slot per thread, written in place of items that do not exist
    typename group_values::shared values;
    bool are_taken;  ///< buckets, when the block began

    GIMBAL_DEVICE unsigned& word_at(unsigned slot) { return reinterpret_cast<unsigned*>(words)[slot]; }
  };

  Keys keys;
  Values values;
  radix_buckets<State> buckets;
  unsigned units;  ///< of items

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    ctx.let_next_launch_start();
    const unsigned leading_from = buckets.shift();
    if (ctx.thread() == 0) {
      smem.are_taken = buckets.are_taken(ctx);
    }
    ctx.sync_block();  // all threads go on, or none
    if (!smem.are_taken) {
      return;
    }
    const unsigned unit = buckets.first_unit(ctx, units, ctx.block());
    const unsigned last_unit = buckets.first_unit(ctx, units, ctx.block() + 1);
    word_type key[items];
    group now{buckets.starts[unit], 0, unit, 0, 0, false};
    now = find_next(ctx, now, leading_from, last_unit, look_ahead(ctx, now, leading_from, last_unit));
    load_keys(ctx, now, key);
    while (now.count != 0) {
      const lookahead ahead = look_ahead(ctx, now, leading_from, last_unit);
      key_bins::clear(ctx, smem.bins);
      ctx.sync_block();  // every bin is empty, and all slots are free
      group_values::start(ctx, smem.values, values, now.first, now.count);
      const unsigned most_before = count(ctx, smem, now, key);
      ctx.sync_block();  // the counts are complete
      const unsigned before = key_bins::sum(ctx, smem.bins, most_before);
      ctx.sync_block();  // the sums of all warps' bins are there
      const group next = find_next(ctx, now, leading_from, last_unit, ahead);
      const unsigned most = key_bins::most(ctx, smem.bins);
      if (!now.fits || most > Shape::most_in_bin) {
        if (ctx.thread() == 0) {
          buckets.give_up(ctx);
        }
        ctx.wait_copies();
        return;
      }
      key_bins::start(ctx, smem.bins, before);
      ctx.sync_block();  // every bin's slots are known
      scatter(ctx, smem, now, key);
      load_keys(ctx, next, key);  // overlaps with writing the group
      ctx.wait_copies();
      ctx.sync_block();  // words are in their bins, and values are there
      write_out(ctx, smem, now, most);
      now = next;
    }
  }

private:
  /// Consecutive buckets, and how their keys become words.
  struct group {
    unsigned first;
    unsigned count;
    unsigned next_unit;
    word_type least;  ///< lower bound of the keys' ordered_bits
    unsigned shift;   ///< to the left, of a key minus that
    bool fits;        ///< a position has room below

    GIMBAL_DEVICE word_type word_of(word_type key) const { return (key - least) << shift; }
    GIMBAL_DEVICE word_type key(word_type word) const { return least + (word >> shift); }
  };

  /// Prefetch for find_next(): a lane's unit behind the group.
  struct lookahead {
    unsigned start;           ///< of the first bucket in or behind it
    word_type first_leading;  ///< leading digits of the first key behind the group
    word_type last_leading;   ///< ... of the last one before `start`
  };

  template <class Context>
  GIMBAL_DEVICE lookahead
  look_ahead(const Context& ctx, const group& now, unsigned leading_from, unsigned last_unit) const
  {
    const unsigned unit = now.next_unit + 1 + ctx.lane();
    const unsigned first = now.first + now.count;
    const unsigned start = buckets.starts[unit < last_unit ? unit : last_unit];
    if (start == first) {
      return {start, 0, 0};
    }
    const auto leading = [&](unsigned i) {
      return block::ordered_bits<Order>(block::load_as<key_type>(keys.output + i)) >> leading_from;
    };
    return {start, leading(first), leading(start - 1)};
  }

  /// The next group: as many buckets as fit; empty if none begins before the last unit.
  template <class Context>
  GIMBAL_DEVICE group
  find_next(Context& ctx, const group& now, unsigned leading_from, unsigned last_unit, lookahead ahead) const
  {
    group next{now.first + now.count, 0, now.next_unit, 0, 0, true};
    while (next.count == 0 && next.next_unit < last_unit) {
      const unsigned count = ahead.start - next.first;
      const unsigned key_bits = leading_from + simt::bit_width(ahead.last_leading - ahead.first_leading);
      const bool is_there = next.next_unit + 1 + ctx.lane() <= last_unit && count <= tile_items;
      const unsigned fitting = ctx.ballot(is_there && (count == 0 || key_bits + low_bits(count) <= word_bits));
      const unsigned taken = fitting == 0 ? 1 : simt::popcount(fitting);
      next.count = ctx.shfl(count, taken - 1);
      next.next_unit += taken;
      next.least = ctx.shfl(ahead.first_leading, taken - 1) << leading_from;
      next.shift = word_bits - ctx.shfl(key_bits, taken - 1);
      next.fits = fitting != 0;
      if (next.count == 0) {
        ahead = look_ahead(ctx, next, leading_from, last_unit);
      }
    }
    return next;
  }

  /// Lower bits of a word in a group of `count` items.
  static GIMBAL_DEVICE unsigned low_bits(unsigned count)
  {
    const auto position_bits = simt::bit_width(count - 1);
    return (position_bits < arrival_bits ? arrival_bits : position_bits) + (has_zeros ? 1 : 0);
  }

  static GIMBAL_DEVICE unsigned bin_of(word_type word) { return word >> (word_bits - bin_bits); }

  /// As distinct_bits.
  template <class Context>
  GIMBAL_DEVICE void load_keys(Context& ctx, const group& of, word_type (&key)[items]) const
  {
    const unsigned left = striped::left(ctx, of.count);
    const key_type* const mine = keys.output + of.first + ctx.thread();
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (striped::has(i, left)) {
        key[i] = block::distinct_bits<Order>(block::load_as<key_type>(mine + i * block_threads));
      }
    }
  }

  /// Turns keys into words with their rank in the bin. Returns what key_bins::sum() takes.
  template <class Context>
  GIMBAL_DEVICE unsigned count(Context& ctx, shared& smem, const group& of, word_type (&key)[items]) const
  {
    const unsigned left = striped::left(ctx, of.count);
    unsigned most_before = 0;
    striped::in_batches(
      of.count,
      [&](unsigned i) {
        const word_type bits = block::join_zeros<key_type>(key[i]);
        key[i] = of.word_of(bits) | (bits != key[i] ? joined_zero : 0);
        return key_bins::add(ctx, smem.bins, striped::has(i, left) ? bin_of(key[i]) : key_bins::spare_bin(ctx));
      },
      [&](unsigned i, unsigned before) {
        before = striped::has(i, left) ? before : 0;
        most_before = ::cuda::maximum<unsigned>{}(most_before, before);
        key[i] |= before & arrival_mask;
      });
    return most_before;
  }

  /// Slots are shifted so that vectors of words are aligned as those of the output.
  template <class Context>
  GIMBAL_DEVICE void scatter(Context& ctx, shared& smem, const group& of, const word_type (&word)[items]) const
  {
    const unsigned left = striped::left(ctx, of.count);
    const unsigned begin = margin + key_phase(of);
    striped::in_batches(
      of.count, [&](unsigned i) { return key_bins::first_slot(smem.bins, bin_of(word[i])); },
      [&](unsigned i, unsigned first) {
        const unsigned slot = begin + first + (word[i] & arrival_mask);
        const unsigned position = striped::position(ctx, i);
        const unsigned low = has_zeros ? position << 1 | (word[i] / (arrival_mask + 1) & 1) : position;
        smem.word_at(striped::has(i, left) ? slot : vectors * vector_words + ctx.thread()) =
          (word[i] & ~(arrival_mask | joined_zero)) | low;
      });
    for (unsigned i = ctx.thread(); i < begin; i += block_threads) {
      smem.word_at(i) = 0;
    }
    for (unsigned i = ctx.thread(); i < margin; i += block_threads) {
      smem.word_at(begin + of.count + i) = ~0u;
    }
  }
  GIMBAL_DEVICE unsigned key_phase(const group& of) const { return block::vector_phase(keys.output + of.first); }

  template <class Context>
  GIMBAL_DEVICE void write_out(Context& ctx, shared& smem, const group& of, unsigned most) const
  {
    const unsigned halo = window::halo(most);
    const unsigned middle = window::words - 2 * halo;
    const unsigned phase = key_phase(of);
    const unsigned values_from = group_values::begin(values, of.first);
    const unsigned end = (margin + phase + of.count + margin + vector_words - 1) / vector_words;  // of vectors
    for (unsigned first = ctx.warp() * middle; first < phase + of.count;
         first += block_threads / simt::warp_threads * middle) {
      const unsigned place = margin + first - halo + ctx.lane() * vector_words;
      simt::vector16 mine = {{~0u, ~0u, ~0u, ~0u}};
      if (place / vector_words < end) {
        mine = smem.words[place / vector_words];
      }
      window::sort(ctx, mine, most);
      if (window::is_inside(ctx, halo)) {
        write_vector(smem, of, mine, place - margin - phase, values_from);
      }
    }
  }

  /// Writes the items of these words to the places from `first` on, as far as the group has them. `first` may be less than 0.
  GIMBAL_DEVICE void write_vector(
    const shared& smem, const group& of, const simt::vector16& words, unsigned first, unsigned values_from) const
  {
    const bool is_whole = first < of.count && vector_words <= of.count - first;
    const auto place = static_cast<index_type>(of.first) + static_cast<int>(first);
    uninit<key_type> key[vector_words];
    GIMBAL_UNROLL
    for (unsigned j = 0; j < vector_words; ++j) {
      const unsigned joined = has_zeros ? words.word[j] & 1 : 0;
      const word_type own = block::own_bits<Order, key_type>(of.key(words.word[j]) - joined);  // join_zeros added it
      std::memcpy(key[j].bytes, &own, sizeof(own));
    }
    store(keys.output + place, key, first, of.count, is_whole);
    if constexpr (has_values) {
      uninit<value_type> value[vector_words];
      GIMBAL_UNROLL
      for (unsigned j = 0; j < vector_words; ++j) {
        if (first + j < of.count) {
          value[j] = smem.values.value[values_from + (words.word[j] & ((1u << of.shift) - 1)) / (has_zeros ? 2 : 1)];
        }
      }
      values.write(sort_place::output, [&](auto target) { store(target + place, value, first, of.count, is_whole); });
    }
  }

  /// In vectors, if the items and the address allow.
  template <class Iterator, class T>
  static GIMBAL_DEVICE void store(
    Iterator target, const uninit<T> (&item)[vector_words], unsigned first, unsigned count, bool is_whole)
  {
    if constexpr (::cuda::std::is_same_v<Iterator, T*> && sizeof(T) % 4 == 0) {
      if (is_whole && reinterpret_cast<std::uintptr_t>(target) % sizeof(simt::vector16) == 0) {
        simt::vector16 vector[sizeof(T) / 4];
        std::memcpy(vector, item, sizeof(vector));
        GIMBAL_UNROLL
        for (unsigned v = 0; v < sizeof(T) / 4; ++v) {
          reinterpret_cast<simt::vector16*>(target)[v] = vector[v];
        }
        return;
      }
    }
    GIMBAL_UNROLL
    for (unsigned j = 0; j < vector_words; ++j) {
      if (first + j < count) {
        *(target + j) = item[j].get();
      }
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
