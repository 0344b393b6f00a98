// The part of a radix sort in one launch (radix_resident_sort.cuh) for uniformly distributed keys: one pass by linear
// binning (resident_keys.cuh) makes buckets, one for each block, which sorts its own.
//
// A bucket consists of consecutive ones of the 256 linear bins: those whose middle position is in its share of all
// positions. Where one bucket for each block would be too large, it has two or three. Within one are `Shape::bins`
// linear bins. Counting gives each key a slot of its bin, in any order, so it is at most as far from its final position
// as the fullest bin has other keys. It is compared with its neighbours up to that distance and written straight to the
// output with its value. With values, equal keys are ordered by the position they came from, so the sort is stable
// whatever the order of the atomics.
//
// A block whose bucket has an overflowing bin notices before it has moved any key, and sorts that bucket alone, which
// takes long. So all blocks look for bins that are likely to overflow once the 256 bins are counted, before they move a
// key: if the distribution is too uneven, or too steep about some bin, as that of squares, all keys are sorted by
// digits. Whether buckets are tried is decided before, by the range of all keys and the number of equal ones.
#pragma once

#include <cuda/functional>
#include <gimbal/algorithm/radix_sort/radix_resident_pass.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Keys, class Values>
struct radix_resident_buckets : radix_resident_pass<Shape, Keys, Values> {
  using pass = radix_resident_pass<Shape, Keys, Values>;
  using pass::block_threads;
  using pass::has_values;
  using typename pass::bins_type;
  using typename pass::key_type;
  using typename pass::linear_binning;
  using typename pass::share;
  using typename pass::shared;
  using typename pass::value_type;
  using key_range = typename pass::key_ranges_type::key_range;
  static constexpr unsigned bins = Shape::bins;
  using pass::chunk;
  using pass::margin;
  static constexpr unsigned batch = 4;     ///< keys of a thread that are loaded at once
  static constexpr unsigned compared = 2;  ///< keys of a thread that are compared with others at once

  using pass::count;
  using pass::keys;
  using pass::order;
  using pass::plan;
  using pass::values;
  static_assert(
    !pass::can_bin_linearly
      || std::uint64_t{2} * pass::tile_items * Shape::most_blocks * Shape::most_blocks * pass::most_rounds < 1ull << 32,
    "buckets are found by 32 bits");
  unsigned rounds;  ///< buckets of a block, where all blocks are members of the team

  /// Buckets per block, so that those of uniformly distributed keys fit into shared memory; 0 if none does.
  static GIMBAL_HOST_DEVICE unsigned rounds_of(unsigned n, unsigned blocks)
  {
    GIMBAL_NO_UNROLL
    for (unsigned rounds = 1; rounds <= pass::most_rounds; ++rounds) {
      const unsigned bucket_bins = (block::radix_size - 1) / (blocks * rounds) + 1;
      if (std::uint64_t{n} * bucket_bins * 17 / 16 <= std::uint64_t{pass::most_bucket_items} * block::radix_size) {
        return rounds;
      }
    }
    return 0;
  }

  /// Range, flags and duplicates of the block's own keys.
  template <class Context>
  GIMBAL_DEVICE key_range inspect_keys(Context& ctx, const share& own) const
  {
    key_range found;
    unsigned flags = 0;
    key_type row[chunk];
    this->load_keys(ctx, own, sort_buffer::input, 0, key_type{}, row);
    GIMBAL_NO_UNROLL
    for (unsigned item = 0; item < own.held; item += chunk) {
      const unsigned mine = this->position(ctx, own, item);
      key_type key[chunk];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        key[i] = row[i];
      }
      if (item + chunk < own.held) {
        this->load_keys(ctx, own, sort_buffer::input, item + chunk, key_type{}, row);
      }
      key_type bits[chunk];
      order.ordered(key, bits);
      bool has_joined_zero = false;
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        if (mine + i * simt::warp_threads < own.count) {
          found.include(bits[i]);
          has_joined_zero = has_joined_zero || order.is_joined_zero(key[i]);
        }
      }
      flags |= has_joined_zero ? flag_joined_zero : 0;
      if (item == 0) {
        found.duplicates = algorithm::count_duplicates(ctx, bits[0], mine < own.count);
      }
      if ((flags & flag_out_of_order) == 0) {
        keys.read(sort_buffer::input, [&](auto from) {
          flags |= algorithm::test_order(ctx, order, from, static_cast<index_type>(own.first) + mine, count, plan, key);
        });
      }
    }
    found.flags = flags;
    return found;
  }

  /// Drops leading bits that all keys share from `left`. Returns what is to be subtracted from each key before.
  GIMBAL_DEVICE key_type drop_common_bits(const key_range& found, block::digit_plan& left) const
  {
    const key_type least = this->is_by_range || order.is_floating() ? 0 : found.least();
    const auto end = simt::bit_width(static_cast<key_type>(least != 0 ? found.max - least : found.least() ^ found.max));
    const unsigned bits = end > left.begin_bit ? end - left.begin_bit : 0;
    if (bits < left.bits) {
      left.bits = bits;
      left.passes = bits == 0 ? 1 : (bits + block::radix_bits - 1) / block::radix_bits;
    }
    return least;
  }

  /// Whether linear bins pay: only if few keys are equal.
  template <class Context>
  GIMBAL_DEVICE bool are_buckets_expected(Context& ctx, shared& smem, const key_range& found) const
  {
    // Each warp has compared a row of 32 keys, 496 pairs. The limit is the number of equal pairs if each key occurs
    // `most_copies` times, and a few by chance.
    constexpr unsigned pairs = simt::warp_threads * (simt::warp_threads - 1) / 2;
    constexpr unsigned warps = block_threads / simt::warp_threads;
    const unsigned most_duplicates = 4 + Shape::most_copies * pairs * warps * smem.place.members / count;
    const bool has_duplicates = found.duplicates > most_duplicates;
    linear_binning binning{};
    const bool is_binnable = linear_binning::of(order, found.least(), found.max, binning);
    if (ctx.thread() == 0) {
      smem.binning = binning;
      smem.first_places[block::radix_size] = count;
      for (unsigned& bin : smem.first_bins) {
        bin = block::radix_size;
      }
    }
    ctx.sync_block();  // the linear binning is there
    return is_binnable && !this->is_by_range && (found.flags & flag_joined_zero) == 0 && !has_duplicates
           && smem.rounds != 0;
  }

  /// To be called after set_targets(). False, in all blocks, if some bucket does not fit into a block, or if the 256
  /// bins are so uneven that those of the buckets would be, too.
  template <class Context>
  GIMBAL_DEVICE bool find_buckets(Context& ctx, shared& smem, unsigned turn) const
  {
    const unsigned buckets = smem.place.members * smem.rounds;
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
      for (unsigned round = 0; round <= smem.rounds; ++round) {
        const unsigned mine = smem.place.number * smem.rounds + round;
        if (mine <= bin_bucket && (bin == 0 || bucket_before < mine)) {
          smem.first_bins[round] = bin;
        }
      }
    });
    squares = simt::warp_sum(ctx, squares);
    if (ctx.lane() == 0) {
      ctx.atomic_shared(smem.unevenness).fetch_add(squares, ::cuda::std::memory_order_relaxed);
    }
    ctx.sync_block();  // every bucket's start is there, and all squares are added
    pass::ranking::for_each_digit(ctx, [&](unsigned, unsigned bin) {
      const unsigned end = smem.first_places[bin + 1];
      const bool has_keys = smem.first_places[bin] != end;
      if (
        (has_keys && end - smem.bucket_places[bucket_of(bin)] > pass::most_bucket_items)
        || is_steep(smem, bin, (count - 1) / smem.place.members + 1)) {
        ctx.atomic_shared(smem.overflow_pass).store(turn + 1, ::cuda::std::memory_order_relaxed);
      }
    });
    ctx.sync_block();  // every bucket has been checked
    return smem.overflow_pass != turn + 1 && smem.unevenness <= Shape::most_unevenness * count;
  }

  /// Sorts the block's buckets from number `round` on, from the buffer to the output. False if a bin of one overflows:
  /// that bucket, number `round` - 1 then, is left in the buffer.
  template <class Context>
  GIMBAL_DEVICE bool sort_buckets(Context& ctx, shared& smem, unsigned& round, share& overflow) const
  {
    const linear_binning binning = smem.binning;
    while (round < smem.rounds) {
      const bucket own = bucket_of(smem, binning, round);
      ++round;
      const bool is_sorted = sort_bucket(ctx, smem, own);
      ctx.sync_block();  // every thread is done with the bins
      if (!is_sorted) {
        overflow = own.items;
        return false;
      }
    }
    return true;
  }

private:
  /// A bucket, and its linear bins.
  struct bucket {
    share items;
    linear_binning binning;
    unsigned from;   ///< scaled key of the first bin's start
    unsigned scale;  ///< bins per scaled key, as a 32-bit fraction

    GIMBAL_DEVICE unsigned bin(unsigned scaled) const
    {
      return static_cast<unsigned>(std::uint64_t{scaled - from} * scale >> 32);
    }
  };

  /// Whether keys crowd towards a point within the bin: it has more than this many shares of all keys, and far more
  /// than its neighbours, which are two bins away, as a point between two bins fills both.
  static GIMBAL_DEVICE bool is_steep(const shared& smem, unsigned bin, unsigned share_items)
  {
    const auto keys_of = [&](unsigned of) {
      return of < block::radix_size ? smem.first_places[of + 1] - smem.first_places[of] : 0u;
    };
    const unsigned own = keys_of(bin);
    const unsigned before = keys_of(bin - 2);  // of no bin, if that is negative
    const unsigned after = keys_of(bin + 2);
    return own > Shape::steep_shares * share_items && 4 * own > 9 * (before < after ? after : before);
  }

  static GIMBAL_DEVICE bucket bucket_of(const shared& smem, const linear_binning& binning, unsigned round)
  {
    const unsigned first_bin = smem.first_bins[round];
    const unsigned end_bin = smem.first_bins[round + 1];
    bucket own;
    own.items.first = smem.first_places[first_bin];
    own.items.count = smem.first_places[end_bin] - own.items.first;
    own.items.held = pass::held_of(own.items.count);
    own.items.is_alone = true;
    own.binning = binning;
    own.from = first_bin << linear_binning::bin_shift;
    own.scale = (bins << block::radix_bits) / (first_bin == end_bin ? 1 : end_bin - first_bin);
    return own;
  }

  /// False, and nothing is moved, if a bin overflows.
  template <class Context>
  GIMBAL_DEVICE bool sort_bucket(Context& ctx, shared& smem, const bucket& own) const
  {
    bins_type::clear(ctx, smem.bins);
    ctx.sync_block();  // every bin is empty
    const unsigned most_before = count_keys(ctx, smem, own);
    ctx.sync_block();  // the counts are complete
    const unsigned before = bins_type::sum(ctx, smem.bins, most_before);
    ctx.sync_block();  // the sums of all warps' bins are there
    const unsigned most = bins_type::most(ctx, smem.bins);
    if (most > Shape::most_in_bin) {
      return false;
    }
    bins_type::start(ctx, smem.bins, before);
    ctx.sync_block();  // every bin's slots are known
    scatter(ctx, smem, own);
    ctx.sync_block();  // keys are in their bins, and values are there
    write_out(ctx, smem, own, most - 1);
    return true;
  }

  /// Calls f(position, keys) for batches of a thread's keys, item i of which is i * block_threads after the first.
  template <class Context, class F>
  GIMBAL_DEVICE void for_batches(Context& ctx, const share& own, F f) const
  {
    keys.read(sort_buffer::buffer, [&](auto from) {
      GIMBAL_NO_UNROLL
      for (unsigned mine = ctx.thread(); mine < own.count; mine += batch * block_threads) {
        key_type key[batch] = {};  // those that do not exist are converted, too
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

  /// Returns what bins_type::sum() takes.
  template <class Context>
  GIMBAL_DEVICE unsigned count_keys(Context& ctx, shared& smem, const bucket& own) const
  {
    unsigned most_before = 0;
    for_batches(ctx, own.items, [&](unsigned mine, const key_type(&key)[batch]) {
      unsigned scaled[batch];
      unsigned before[batch];
      own.binning.scale(order, key, scaled);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        if (mine + i * block_threads < own.items.count) {
          before[i] = bins_type::add(ctx, smem.bins, own.bin(scaled[i]));
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

  /// Puts the keys into slots, as distinct bits, between sentinels.
  template <class Context>
  GIMBAL_DEVICE void scatter(Context& ctx, shared& smem, const bucket& own) const
  {
    for (unsigned i = ctx.thread(); i < margin; i += block_threads) {
      smem.item.keys[i].set(key_type{0});
      smem.item.keys[margin + own.items.count + i].set(static_cast<key_type>(~key_type{0}));
    }
    for_batches(ctx, own.items, [&](unsigned mine, const key_type(&key)[batch]) {
      uninit<value_type> value[batch];
      unsigned scaled[batch];
      key_type distinct[batch];
      this->template load_values<block_threads>(own.items, sort_buffer::buffer, mine, value);
      own.binning.scale(order, key, scaled);
      order.distinct(key, distinct);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        const unsigned p = mine + i * block_threads;
        if (p < own.items.count) {
          const unsigned slot = bins_type::first_slot(smem.bins, own.bin(scaled[i])) + smem.item.ranks[p];
          smem.item.keys[margin + slot].set(distinct[i]);
          if constexpr (has_values) {
            smem.item.values[p] = value[i];
            smem.item.origins[slot] = static_cast<std::uint16_t>(p);
          }
        }
      }
    });
  }

  /// Writes each key at its rank: its slot, plus or minus the neighbours up to `distance` slots away that are out of
  /// order with it.
  template <class Context>
  GIMBAL_DEVICE void write_out(Context& ctx, const shared& smem, const bucket& own, unsigned distance) const
  {
    keys.write(sort_buffer::output, [&](auto keys_to) {
      GIMBAL_NO_UNROLL
      for (unsigned mine = ctx.thread(); mine < own.items.count; mine += compared * block_threads) {
        key_type key[compared];
        unsigned place[compared];
        key_type out[compared];
        find_places(smem, mine, own.items.count, distance, key, place);
        order.own(key, out);
        GIMBAL_UNROLL
        for (unsigned i = 0; i < compared; ++i) {
          const unsigned slot = mine + i * block_threads;
          if (slot < own.items.count) {
            const auto at = static_cast<index_type>(own.items.first + place[i]);
            *(keys_to + at) = out[i];
            if constexpr (has_values) {
              values.write(sort_buffer::output, [&](auto values_to) {
                *(values_to + at) = smem.item.values[smem.item.origins[slot]].get();
              });
            }
          }
        }
      }
    });
  }

  /// Ranks of the keys in slots `mine`, `mine` + block_threads, ..., which are compared with their neighbours in one
  /// loop.
  GIMBAL_DEVICE void find_places(
    const shared& smem, unsigned mine, unsigned used_slots, unsigned distance, key_type (&key)[compared],
    unsigned (&place)[compared]) const
  {
    bool has_equals = false;
    const uninit<key_type>* slot[compared];
    GIMBAL_UNROLL
    for (unsigned i = 0; i < compared; ++i) {
      place[i] = mine + i * block_threads;
      slot[i] = smem.item.keys + margin + (place[i] < used_slots ? place[i] : mine);
      key[i] = slot[i]->get();
    }
    GIMBAL_NO_UNROLL
    for (unsigned d = 1; d <= distance; ++d) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < compared; ++i) {
        const key_type behind = slot[i][d].get();
        const key_type before = (slot[i] - d)->get();
        place[i] += behind < key[i] ? 1 : 0;
        place[i] -= key[i] < before ? 1 : 0;
        has_equals = has_equals || behind == key[i] || before == key[i];
      }
    }
    if constexpr (has_values) {
      if (has_equals) {
        GIMBAL_NO_UNROLL
        for (unsigned d = 1; d <= distance; ++d) {
          order_equals(smem, mine, used_slots, d, key, place);
        }
      }
    }
  }

  /// Orders equal keys by the position they came from, where find_places() has left them in the order of their slots.
  GIMBAL_DEVICE void order_equals(
    const shared& smem, unsigned mine, unsigned used_slots, unsigned d, const key_type (&key)[compared],
    unsigned (&place)[compared]) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < compared; ++i) {
      const unsigned slot = mine + i * block_threads;
      if (slot + d < used_slots && smem.item.keys[margin + slot + d].get() == key[i]) {
        place[i] += smem.item.origins[slot + d] < smem.item.origins[slot] ? 1 : 0;
      }
      if (d <= slot && slot < used_slots && smem.item.keys[margin + slot - d].get() == key[i]) {
        place[i] -= smem.item.origins[slot] < smem.item.origins[slot - d] ? 1 : 0;
      }
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
