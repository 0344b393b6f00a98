// Buckets of a radix sort (a most significant digit first step): keys that share their leading digits, the last ones of
// those in which keys differ. Where every bucket fits into a block's shared memory, passes by the leading digits are
// enough, and blocks sort the buckets, with values, in place. This serves 8-byte keys. Traffic: keys and values twice.
//
// The histogram judges whether buckets will be small enough (radix_histogram.cuh). Where they begin, and whether each
// of them does fit, is found out after the last pass. If one does not fit, or a bin of it overflows, the sort falls
// back to passes by all digits, from its present state: all that was done so far has kept the order of equal keys.
//
// A block has a share of the items and takes one group after another from it, each of as many whole buckets as fit into
// its shared memory. Keys are reduced by the least key that the group may have and shifted left as far as possible; the
// upper bits select a bin. Counting gives each key a slot of its bin, in any order, so a key is at most as far from its
// final position as the fullest bin has other keys: it is compared with its neighbours up to that distance and written,
// with its value, straight to the output. Equal keys are ordered by the position they came from, so the sort is stable
// whatever the order of the atomics.
#pragma once

#include <cuda/functional>
#include <gimbal/algorithm/radix_sort/radix_histogram.cuh>
#include <gimbal/collective/key_bins.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What the launches of a sort by buckets share.
template <class State>
struct radix_buckets {
  State* state;
  unsigned* starts;  ///< for every unit of items, and for the end: where the next bucket begins

  /// Whether that is still the strategy. Other blocks may give it up meanwhile, so threads that must agree load it
  /// once.
  // Relaxed: later launches act on it.
  template <class Context>
  GIMBAL_DEVICE bool are_taken(Context& ctx) const
  {
    return ctx.atomic(state->decision.strategy).load(::cuda::std::memory_order_relaxed) == radix_strategy::by_bucket;
  }
  // Relaxed: later launches read it; blocks of this one only to save work.
  template <class Context>
  GIMBAL_DEVICE void give_up(Context& ctx) const
  {
    ctx.atomic(state->decision.strategy).store(radix_strategy::buckets_failed, ::cuda::std::memory_order_relaxed);
  }
  /// Bits of a key below its leading digits.
  GIMBAL_DEVICE unsigned shift() const { return state->decision.bits; }
};

/// Finds where buckets begin, for every unit of items.
template <class Shape, class Keys, class State>
struct radix_bucket_start_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = 128;
  static constexpr unsigned most_early_blocks = 0;  // else all start on the few multiprocessors that are free first
  static constexpr unsigned unit = Shape::unit_items;
  static constexpr unsigned reach = Shape::most_bucket_items;
  struct shared {};

  Keys keys;
  block::radix_order<key_type> order;
  unsigned n;
  radix_buckets<State> buckets;

  /// One for every unit, and one for the end.
  static unsigned starts(index_type n) { return static_cast<unsigned>((n + unit - 1) / unit) + 1; }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.let_next_launch_start();
    const index_type position = (static_cast<index_type>(ctx.block()) * block_threads + ctx.thread()) * unit;
    const unsigned shift = buckets.shift();
    if (!buckets.are_taken(ctx) || position >= static_cast<index_type>(n) + unit) {
      return;
    }
    const unsigned nominal = position < n ? static_cast<unsigned>(position) : n;
    const unsigned start = nominal == 0 ? 0 : find_start(nominal, shift);
    if (start - nominal > reach) {
      buckets.give_up(ctx);
    }
    buckets.starts[position / unit] = start;
  }

private:
  /// Binary search for the first bucket that begins at or after `from`; something beyond `reach` if there is none
  /// within it.
  GIMBAL_DEVICE unsigned find_start(unsigned from, unsigned shift) const
  {
    unsigned found = from;
    keys.read(sort_buffer::output, [&](auto source) {
      const auto leading = [&](unsigned i) { return order.ordered(block::load_as<key_type>(source + i)) >> shift; };
      const auto before = leading(from - 1);
      unsigned end = n - from <= reach ? n : from + reach + 1;  // not before the start, or beyond reach
      while (found < end) {
        const unsigned middle = found + (end - found) / 2;
        if (leading(middle) == before) {
          found = middle + 1;
        } else {
          end = middle;
        }
      }
    });
    return found;
  }
};

/// Maps the keys of a group to words, monotonically.
template <class Bits>
struct radix_group_range {
  Bits least;      ///< lower bound of the keys' ordered_bits
  unsigned shift;  ///< to the left, of a key minus that

  /// For a group whose first and last key are `first` and `last`, as buckets are ordered by the bits from `from` on.
  static GIMBAL_DEVICE radix_group_range of(Bits first, Bits last, unsigned from)
  {
    first = static_cast<Bits>(first >> from);
    last = static_cast<Bits>(last >> from);
    const auto span = simt::bit_width(static_cast<Bits>(last - first));
    return {static_cast<Bits>(first << from), static_cast<unsigned>(8 * sizeof(Bits)) - from - span};
  }
  GIMBAL_DEVICE Bits word_of(Bits key) const { return static_cast<Bits>(static_cast<Bits>(key - least) << shift); }
  GIMBAL_DEVICE Bits key(Bits word) const { return static_cast<Bits>(least + static_cast<Bits>(word >> shift)); }
};

template <class Shape, class Keys, class Values, class State>
struct radix_bucket_sort_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = Shape::resident_blocks;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned items = Shape::items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr unsigned bins = Shape::bins;
  static constexpr unsigned bin_bits = simt::bit_width(bins - 1);
  static constexpr unsigned position_bits = simt::bit_width(tile_items - 1);
  static constexpr unsigned most_neighbours = Shape::most_in_bin - 1;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static_assert(sizeof(key_type) == 8, "words of two halves");
  static_assert(tile_items < 1u << 16, "positions in a group, and counts, have 16 bits");
  static_assert(bins == 1u << bin_bits, "a power of two");
  static_assert(Shape::most_bucket_items + Shape::unit_items <= tile_items, "a bucket, from any unit on, fits");
  static_assert(simt::warp_threads * Shape::unit_items > tile_items, "a warp sees the end of a group");
  using key_bins = block::key_bins<block_threads, bins>;
  static_assert(
    Shape::most_in_bin <= key_bins::most_in_bin && tile_items <= key_bins::most_slots, "bins can hold them");
  using striped = block::striped_items<block_threads, items>;
  using range_type = radix_group_range<key_type>;
  static constexpr unsigned spare_slots = tile_items;  ///< one per thread, written for items that do not exist
  static constexpr unsigned slot_count = tile_items + block_threads;

  struct shared {
    typename key_bins::shared bins;
    unsigned upper[slot_count + 2 * most_neighbours];  ///< of each slot's word, between sentinels
    unsigned lower[slot_count];
    uninit<value_type> values[has_values ? tile_items : 1];  ///< of the group, in the order in which they came
    std::uint16_t origin[has_values ? slot_count : 1];
    bool are_taken;  ///< buckets, when the block began
  };

  Keys keys;
  Values values;
  block::radix_order<key_type> order;
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
    const auto first_unit = [&](unsigned block) {
      return static_cast<unsigned>(static_cast<std::uint64_t>(units) * block / ctx.blocks());
    };
    const unsigned unit = first_unit(ctx.block());
    const unsigned last_unit = first_unit(ctx.block() + 1);
    key_type key[items];
    group now{buckets.starts[unit], 0, unit};
    now = find_next(ctx, now, last_unit, start_ahead(ctx, now, last_unit));
    ends of_now = load_keys(ctx, now, key);
    while (now.count != 0) {
      const unsigned ahead = start_ahead(ctx, now, last_unit);
      const range_type range = range_type::of(of_now.first, of_now.last, leading_from);
      key_bins::clear(ctx, smem.bins);
      ctx.sync_block();  // every bin is empty, and all slots are free
      arrivals arrival;
      const unsigned most_before = count(ctx, smem, now, range, key, arrival);
      ctx.sync_block();  // the counts are complete
      const unsigned before = key_bins::sum(ctx, smem.bins, most_before);
      ctx.sync_block();  // the sums of all warps' bins are there
      const group next = find_next(ctx, now, last_unit, ahead);
      const unsigned most = key_bins::most(ctx, smem.bins);
      if (most > Shape::most_in_bin) {
        if (ctx.thread() == 0) {
          buckets.give_up(ctx);
        }
        return;
      }
      load_values(ctx, smem, now);
      key_bins::start(ctx, smem.bins, before);
      ctx.sync_block();  // every bin's slots are known
      scatter(ctx, smem, now, key, arrival);
      of_now = load_keys(ctx, next, key);  // overlaps with writing the group
      ctx.wait_copies();
      ctx.sync_block();  // keys are in their bins, and values are there
      write_out(ctx, smem, now, range, most - 1);
      now = next;
    }
  }

private:
  /// A byte for each of a thread's keys: its rank in its bin.
  struct arrivals {
    unsigned word[(items + 3) / 4] = {};

    GIMBAL_DEVICE void note(unsigned i, unsigned bits) { word[i / 4] |= bits << 8 * (i % 4); }
    GIMBAL_DEVICE unsigned before(unsigned i) const { return word[i / 4] >> 8 * (i % 4) & 0xff; }
  };
  static_assert(Shape::most_in_bin <= 0x100, "a byte has room");

  struct group {
    unsigned first;
    unsigned count;
    unsigned next_unit;
  };
  /// The first and the last key of a group.
  struct ends {
    key_type first;
    key_type last;
  };

  /// Prefetch for find_next(): the beginning of the bucket at a unit after the group.
  template <class Context>
  GIMBAL_DEVICE unsigned start_ahead(const Context& ctx, const group& now, unsigned last_unit) const
  {
    const unsigned ahead = now.next_unit + 1 + ctx.lane();
    return buckets.starts[ahead < last_unit ? ahead : last_unit];
  }
  /// The next group: as many buckets as fit; empty if none begins before the last unit.
  template <class Context>
  GIMBAL_DEVICE group find_next(Context& ctx, const group& now, unsigned last_unit, unsigned ahead) const
  {
    group next{now.first + now.count, 0, now.next_unit};
    while (next.count == 0 && next.next_unit < last_unit) {
      const bool fits = next.next_unit + 1 + ctx.lane() <= last_unit && ahead - next.first <= tile_items;
      const auto fitting = simt::popcount(ctx.ballot(fits));
      next.count = ctx.shfl(ahead, fitting - 1) - next.first;
      next.next_unit += fitting;
      if (next.count == 0) {
        ahead = start_ahead(ctx, next, last_unit);
      }
    }
    return next;
  }

  /// Returns distinct_bits of the key.
  GIMBAL_DEVICE key_type load_key(unsigned i) const { return order.flip(block::load_as<key_type>(keys.output + i)); }

  template <class Context>
  GIMBAL_DEVICE ends load_keys(Context& ctx, const group& of, key_type (&key)[items]) const
  {
    const unsigned left = block::left_from(ctx.thread(), of.count);
    const key_type* const mine = keys.output + of.first + ctx.thread();
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (striped::has(i, left)) {
        key[i] = order.flip(block::load_as<key_type>(mine + i * block_threads));
      }
    }
    return of.count == 0 ? ends{} : ends{load_key(of.first), load_key(of.first + of.count - 1)};
  }

  /// Starts the asynchronous copies, which each thread waits for itself.
  template <class Context>
  GIMBAL_DEVICE void load_values(Context& ctx, shared& smem, const group& of) const
  {
    if constexpr (has_values) {
      values.read(sort_buffer::output, [&](auto source) {
        const auto of_group = source + static_cast<index_type>(of.first);
        if constexpr (!::cuda::std::is_same_v<decltype(source), const value_type*>) {
          for (unsigned p = ctx.thread(); p < of.count; p += block_threads) {
            smem.values[p].set(block::load_as<value_type>(of_group + p));
          }
        } else {
          block::copy_run(ctx, smem.values, of_group, of.count);
        }
      });
    }
  }

  static GIMBAL_DEVICE unsigned upper_of(key_type word) { return static_cast<unsigned>(word >> 32); }
  static GIMBAL_DEVICE unsigned bin_of(key_type word) { return upper_of(word) >> (32 - bin_bits); }

  /// Turns keys into words, with their positions in the lower bits if there is room. Returns what key_bins::sum()
  /// takes.
  template <class Context>
  GIMBAL_DEVICE unsigned count(
    Context& ctx, shared& smem, const group& of, const range_type& range, key_type (&key)[items],
    arrivals& arrival) const
  {
    const bool has_room = has_values && range.shift >= position_bits;
    const unsigned left = block::left_from(ctx.thread(), of.count);
    unsigned most_before = 0;
    striped::in_batches(
      of.count,
      [&](unsigned i) {
        key[i] = range.word_of(key[i]) | (has_room ? striped::position(ctx, i) : 0);
        return key_bins::add(ctx, smem.bins, striped::has(i, left) ? bin_of(key[i]) : key_bins::spare_bin(ctx));
      },
      [&](unsigned i, unsigned before) {
        before = striped::has(i, left) ? before : 0;
        most_before = ::cuda::maximum<unsigned>{}(most_before, before);
        arrival.note(i, before & 0xff);
      });
    return most_before;
  }

  template <class Context>
  GIMBAL_DEVICE void scatter(
    Context& ctx, shared& smem, const group& of, const key_type (&word)[items], const arrivals& arrival) const
  {
    for (unsigned i = ctx.thread(); i < most_neighbours; i += block_threads) {
      smem.upper[i] = 0;
      smem.upper[most_neighbours + of.count + i] = ~0u;
    }
    const unsigned left = block::left_from(ctx.thread(), of.count);
    striped::in_batches(
      of.count, [&](unsigned i) { return key_bins::first_slot(smem.bins, bin_of(word[i])); },
      [&](unsigned i, unsigned first) {
        const bool is_there = striped::has(i, left);
        const unsigned slot = is_there ? first + arrival.before(i) : spare_slots + ctx.thread();
        smem.upper[slot + (is_there ? most_neighbours : 2 * most_neighbours)] = upper_of(word[i]);
        smem.lower[slot] = static_cast<unsigned>(word[i]);
        if constexpr (has_values) {
          smem.origin[slot] = static_cast<std::uint16_t>(striped::position(ctx, i));
        }
      });
  }

  /// Writes each key at its rank: its slot, plus or minus the neighbours up to `distance` slots away that are out of
  /// order with it.
  template <class Context>
  GIMBAL_DEVICE void write_out(
    Context& ctx, const shared& smem, const group& of, const range_type& range, unsigned distance) const
  {
    for (unsigned slot = ctx.thread(); slot < of.count; slot += block_threads) {
      const unsigned* const mine = smem.upper + most_neighbours + slot;
      unsigned rank = slot;
      bool is_alone = true;
      for (unsigned d = 1; d <= distance; ++d) {
        rank += mine[d] < *mine;
        rank -= *(mine - d) > *mine;
        is_alone = is_alone & (mine[d] != *mine) & (*(mine - d) != *mine);
      }
      if (!is_alone) {
        rank = find_rank(smem, slot, of.count, distance);
      }
      write_item(smem, of, range, slot, rank);
    }
  }

  GIMBAL_DEVICE void write_item(
    const shared& smem, const group& of, const range_type& range, unsigned slot, unsigned rank) const
  {
    const unsigned origin = has_values ? smem.origin[slot] : 0;
    keys.output[of.first + rank] = order.flip(range.key(word_at(smem, slot)));
    if constexpr (has_values) {
      values.write(sort_buffer::output, [&](auto target) {
        *(target + static_cast<index_type>(of.first + rank)) = smem.values[origin].get();
      });
    }
  }

  static GIMBAL_DEVICE key_type word_at(const shared& smem, unsigned slot)
  {
    return static_cast<key_type>(smem.upper[most_neighbours + slot]) << 32 | smem.lower[slot];
  }

  /// The rank by whole words, where their upper halves do not decide.
  static GIMBAL_DEVICE unsigned find_rank(const shared& smem, unsigned slot, unsigned count, unsigned distance)
  {
    const unsigned first = slot < distance ? 0 : slot - distance;
    const unsigned end = count - slot <= distance ? count : slot + distance + 1;
    const key_type word = word_at(smem, slot);
    unsigned rank = first;
    for (unsigned other = first; other < end; ++other) {
      const key_type other_word = word_at(smem, other);
      bool is_before = other_word < word;
      if (other_word == word) {
        if constexpr (has_values) {
          is_before = smem.origin[other] < smem.origin[slot];
        } else {
          is_before = other < slot;  // identical keys: any order will do
        }
      }
      rank += is_before;
    }
    return rank;
  }
};

/// Follows the passes by the leading digits and sorts the buckets. The buffer holds where they begin.
template <class Shape, class Keys, class Values, class Order, class State>
status sort_buckets(
  const Keys& keys, const Values& values, const Order& order, State* state, index_type n, simt::stream_type stream)
{
  using start_kernel = radix_bucket_start_kernel<Shape, Keys, State>;
  using sort_kernel = radix_bucket_sort_kernel<Shape, Keys, Values, State>;
  const radix_buckets<State> buckets{state, reinterpret_cast<unsigned*>(keys.buffer)};
  const unsigned starts = start_kernel::starts(n);
  GIMBAL_TRY(simt::launch(
    start_kernel{keys, order, static_cast<unsigned>(n), buckets}, starts / start_kernel::block_threads + 1, stream,
    "radix sort: starts of buckets"));
  return simt::launch(
    sort_kernel{keys, values, order, buckets, starts - 1}, algorithm::radix_engine_blocks<sort_kernel>(), stream,
    "radix sort: buckets");
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
