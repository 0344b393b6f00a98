// What a radix sort in one launch (radix_resident_sort.cuh) does with keys that are evenly distributed: one pass by their places
// on a line (algorithm/radix_sort/key_spread.cuh) makes buckets, one for each block, which puts its own in order.
//
// A bucket is some neighbouring ones of the 256 bins of the line: those whose middle lies in its part of all places. Where a
// bucket for each block would be too large, there are two. A bucket's own line has `Shape::bins` bins. Counting gives each key a
// slot among those of its bin, in any order; so it is at most as far from its place as the bin with most keys has others. It
// is compared with its neighbours up to that distance, and goes straight to the output with its value. Beside values, keys that
// are equal in order are told apart by where they came from, so the sort is stable whatever the order of additions.
//
// A block whose bucket has a bin of many keys notices before it has moved any. Keys that are too uneven for all this all
// blocks notice once the bins are counted.
#pragma once

#include <cuda/functional>
#include <gimbal/algorithm/radix_sort/radix_resident_pass.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Order, class Keys, class Values>
struct radix_resident_buckets : radix_resident_pass<Shape, Order, Keys, Values> {
  using pass = radix_resident_pass<Shape, Order, Keys, Values>;
  using pass::block_threads;
  using pass::has_values;
  using typename pass::bins_type;
  using typename pass::bits_type;
  using typename pass::key_type;
  using typename pass::line_type;
  using typename pass::share;
  using typename pass::shared;
  using typename pass::value_type;
  static constexpr unsigned bins = Shape::bins;
  using pass::margin;
  static constexpr unsigned batch = 4;     ///< keys of a thread that are loaded at once
  static constexpr unsigned compared = 2;  ///< ... that are compared with others at once

  using pass::count;
  using pass::keys;
  using pass::values;
  static_assert(
    !pass::can_spread
      || std::uint64_t{2} * pass::tile_items * Shape::most_blocks * Shape::most_blocks * pass::most_rounds < 1ull << 32,
    "buckets are found by 32 bits");
  unsigned rounds;  ///< buckets of a block

  /// So many that a bucket of evenly distributed keys fits into a block; 0 if none does.
  static unsigned rounds_of(unsigned n, unsigned blocks)
  {
    for (unsigned rounds = 1; rounds <= pass::most_rounds; ++rounds) {
      const unsigned bucket_bins = (block::radix_size - 1) / (blocks * rounds) + 1;
      if (std::uint64_t{n} * bucket_bins * 17 / 16 <= std::uint64_t{pass::most_bucket_items} * block::radix_size) {
        return rounds;
      }
    }
    return 0;
  }

  /// After set_targets(). False, in all blocks, if some bucket does not fit into a block, or keys are so uneven that bins of
  /// buckets would be.
  template <class Context>
  GIMBAL_DEVICE bool find_buckets(Context& ctx, shared& smem, unsigned turn) const
  {
    const unsigned buckets = ctx.blocks() * rounds;
    const auto bucket_of = [&](unsigned bin) {
      return (smem.first_places[bin] + smem.first_places[bin + 1]) * buckets / (2 * count);
    };
    unsigned squares = 0;
    pass::ranking::for_each_digit(ctx, [&](unsigned, unsigned bin) {
      const auto bin_keys = static_cast<float>(smem.first_places[bin + 1] - smem.first_places[bin]);
      squares += static_cast<unsigned>(bin_keys / static_cast<float>(count) * bin_keys * block::radix_size);
      const unsigned bin_bucket = bucket_of(bin);
      const unsigned bucket_before = bin == 0 ? 0 : bucket_of(bin - 1);
      if (bin_bucket < buckets && (bin == 0 || bin_bucket != bucket_before)) {
        smem.bucket_places[bin_bucket] = smem.first_places[bin];
      }
      for (unsigned round = 0; round <= rounds; ++round) {
        const unsigned mine = ctx.block() * rounds + round;
        if (mine <= bin_bucket && (bin == 0 || bucket_before < mine)) {
          smem.first_bins[round] = bin;
        }
      }
    });
    squares = simt::warp_sum(ctx, squares);
    if (ctx.lane() == 0) {
      ctx.atomic_shared(smem.unevenness).fetch_add(squares, ::cuda::std::memory_order_relaxed);
    }
    ctx.sync_block();  // every bucket's begin is there, and all squares are added
    pass::ranking::for_each_digit(ctx, [&](unsigned, unsigned bin) {
      const unsigned end = smem.first_places[bin + 1];
      const bool has_keys = smem.first_places[bin] != end;
      if (has_keys && end - smem.bucket_places[bucket_of(bin)] > pass::most_bucket_items) {
        ctx.atomic_shared(smem.crowded_pass).store(turn + 1, ::cuda::std::memory_order_relaxed);
      }
    });
    ctx.sync_block();  // every bucket has been looked at
    return smem.crowded_pass != turn + 1 && smem.unevenness <= Shape::most_unevenness * count;
  }

  /// The block's buckets from number `round` on, from the buffer to the output. False if many keys of one crowd in a bin: nothing
  /// of that has been moved, and it is the one before number `round` then.
  template <class Context>
  GIMBAL_DEVICE bool sort_buckets(Context& ctx, shared& smem, unsigned& round, share& crowded) const
  {
    const line_type line = smem.line;
    while (round < rounds) {
      const bucket own = bucket_of(smem, round);
      ++round;
      const bool is_sorted = sort_bucket(ctx, smem, own, line);
      ctx.sync_block();  // every thread is done with the bins
      if (!is_sorted) {
        crowded = own.items;
        return false;
      }
    }
    return true;
  }

private:
  /// A bucket, and the line of its bins.
  struct bucket {
    share items;
    unsigned from;   ///< first place of the line
    unsigned scale;  ///< bins to a place, over 2^32

    GIMBAL_DEVICE unsigned bin(unsigned place) const
    {
      return static_cast<unsigned>(std::uint64_t{place - from} * scale >> 32);
    }
  };

  static GIMBAL_DEVICE bucket bucket_of(const shared& smem, unsigned round)
  {
    const unsigned first_bin = smem.first_bins[round];
    const unsigned end_bin = smem.first_bins[round + 1];
    bucket own;
    own.items.first = smem.first_places[first_bin];
    own.items.count = smem.first_places[end_bin] - own.items.first;
    own.items.held = pass::held_of(own.items.count);
    own.items.is_alone = true;
    own.from = first_bin << line_type::place_shift;
    own.scale = (bins << block::radix_bits) / (first_bin == end_bin ? 1 : end_bin - first_bin);
    return own;
  }

  /// False, and nothing is moved, if many keys crowd in a bin.
  template <class Context>
  GIMBAL_DEVICE bool sort_bucket(Context& ctx, shared& smem, const bucket& own, const line_type& line) const
  {
    bins_type::clear(ctx, smem.bins);
    ctx.sync_block();  // every bin is empty
    const unsigned most_before = count_keys(ctx, smem, own, line);
    ctx.sync_block();  // the counts are complete
    const unsigned before = bins_type::sum(ctx, smem.bins, most_before);
    ctx.sync_block();  // the sums of all warps' bins are there
    const unsigned most = bins_type::most(ctx, smem.bins);
    if (most > Shape::most_in_bin) {
      return false;
    }
    bins_type::start(ctx, smem.bins, before);
    ctx.sync_block();  // every bin's slots are known
    scatter(ctx, smem, own, line);
    ctx.sync_block();  // keys are in their bins, and values are there
    write_out(ctx, smem, own, most - 1);
    return true;
  }

  /// Calls f(position, keys) for batches of a thread's keys, item i of which is i * block_threads behind the first.
  template <class Context, class F>
  GIMBAL_DEVICE void for_batches(Context& ctx, const share& own, F f) const
  {
    keys.read(sort_place::buffer, [&](auto from) {
      GIMBAL_NO_UNROLL
      for (unsigned mine = ctx.thread(); mine < own.count; mine += batch * block_threads) {
        key_type key[batch];
        GIMBAL_UNROLL
        for (unsigned i = 0; i < batch; ++i) {
          if (mine + i * block_threads < own.count) {
            key[i] = block::load_as<key_type>(from + static_cast<index_type>(own.first + mine + i * block_threads));
          }
        }
        f(mine, key);
      }
    });
  }

  /// Returns what bins_type::sum() asks for.
  template <class Context>
  GIMBAL_DEVICE unsigned count_keys(Context& ctx, shared& smem, const bucket& own, const line_type& line) const
  {
    unsigned most_before = 0;
    for_batches(ctx, own.items, [&](unsigned mine, const key_type(&key)[batch]) {
      unsigned before[batch];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        if (mine + i * block_threads < own.items.count) {
          before[i] = bins_type::add(ctx, smem.bins, own.bin(line.spread.place(key[i])));
        }
      }
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        if (mine + i * block_threads < own.items.count) {
          smem.item.ranks[mine + i * block_threads] = static_cast<std::uint16_t>(before[i]);
          most_before = ::cuda::maximum<unsigned>{}(most_before, before[i]);
        }
      }
    });
    return most_before;
  }

  /// Around the keys stand such as no key is beyond.
  template <class Context>
  GIMBAL_DEVICE void scatter(Context& ctx, shared& smem, const bucket& own, const line_type& line) const
  {
    for (unsigned i = ctx.thread(); i < margin; i += block_threads) {
      smem.item.keys[i].set(block::first_key<Order, key_type>());
      smem.item.keys[margin + own.items.count + i].set(block::last_key<Order, key_type>());
    }
    for_batches(ctx, own.items, [&](unsigned mine, const key_type(&key)[batch]) {
      uninit<value_type> value[batch];
      this->template load_values<block_threads>(own.items, sort_place::buffer, mine, value);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        const unsigned p = mine + i * block_threads;
        if (p < own.items.count) {
          const unsigned slot =
            bins_type::first_slot(smem.bins, own.bin(line.spread.place(key[i]))) + smem.item.ranks[p];
          smem.item.keys[margin + slot].set(key[i]);
          if constexpr (has_values) {
            smem.item.values[p] = value[i];
            smem.item.origins[slot] = static_cast<std::uint16_t>(p);
          }
        }
      }
    });
  }

  /// Each key goes behind those of its bin that come before it, which are at most `distance` slots away.
  template <class Context>
  GIMBAL_DEVICE void write_out(Context& ctx, const shared& smem, const bucket& own, unsigned distance) const
  {
    keys.write(sort_place::output, [&](auto keys_to) {
      GIMBAL_NO_UNROLL
      for (unsigned mine = ctx.thread(); mine < own.items.count; mine += compared * block_threads) {
        key_type key[compared];
        unsigned place[compared];
        find_places(smem, mine, own.items.count, distance, key, place);
        GIMBAL_UNROLL
        for (unsigned i = 0; i < compared; ++i) {
          const unsigned slot = mine + i * block_threads;
          if (slot < own.items.count) {
            const auto at = static_cast<index_type>(own.items.first + place[i]);
            *(keys_to + at) = key[i];
            if constexpr (has_values) {
              values.write(sort_place::output, [&](auto values_to) {
                *(values_to + at) = smem.item.values[smem.item.origins[slot]].get();
              });
            }
          }
        }
      }
    });
  }

  /// Of the keys in slot `mine` and those block_threads behind each other: all are compared with their neighbours at once.
  GIMBAL_DEVICE void find_places(
    const shared& smem, unsigned mine, unsigned slots, unsigned distance, key_type (&key)[compared],
    unsigned (&place)[compared]) const
  {
    bool has_equals = false;
    const uninit<key_type>* slot[compared];
    GIMBAL_UNROLL
    for (unsigned i = 0; i < compared; ++i) {
      place[i] = mine + i * block_threads;
      slot[i] = smem.item.keys + margin + (place[i] < slots ? place[i] : mine);
      key[i] = slot[i]->get();
    }
    GIMBAL_NO_UNROLL
    for (unsigned d = 1; d <= distance; ++d) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < compared; ++i) {
        const key_type behind = slot[i][d].get();
        const key_type before = (slot[i] - d)->get();
        place[i] += precedes(behind, key[i]) ? 1 : 0;
        place[i] -= precedes(key[i], before) ? 1 : 0;
        has_equals = has_equals || behind == key[i] || before == key[i];
      }
    }
    if constexpr (has_values) {
      if (has_equals) {
        GIMBAL_NO_UNROLL
        for (unsigned d = 1; d <= distance; ++d) {
          order_equals(smem, mine, slots, d, key, place);
        }
      }
    }
  }

  /// Keys are no NaN, and zeros of both signs equal.
  static GIMBAL_DEVICE bool precedes(const key_type& first, const key_type& second)
  {
    return ::cuda::std::is_same_v<Order, ascending> ? first < second : second < first;
  }

  /// By where they came from, not by slots, as find_places() has done.
  GIMBAL_DEVICE void order_equals(
    const shared& smem, unsigned mine, unsigned slots, unsigned d, const key_type (&key)[compared],
    unsigned (&place)[compared]) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < compared; ++i) {
      const unsigned slot = mine + i * block_threads;
      if (slot + d < slots && smem.item.keys[margin + slot + d].get() == key[i]) {
        place[i] += smem.item.origins[slot + d] < smem.item.origins[slot] ? 1 : 0;
      }
      if (d <= slot && slot < slots && smem.item.keys[margin + slot - d].get() == key[i]) {
        place[i] -= smem.item.origins[slot] < smem.item.origins[slot - d] ? 1 : 0;
      }
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
