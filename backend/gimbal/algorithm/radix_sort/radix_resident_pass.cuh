// The steps of a pass of the radix sort in one launch (radix_resident_sort.cuh): what a block does with its items.
// Ranks come from match_any (collective/radix_rank.cuh), so they are stable, and padding comes last.
#pragma once

#include <cuda/std/functional>
#include <gimbal/algorithm/radix_sort/resident_keys.cuh>
#include <gimbal/collective/key_bins.cuh>
#include <gimbal/collective/radix_rank.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

inline constexpr unsigned flag_joined_zero = 2;  ///< of keys, besides flag_out_of_order

template <class Shape, class Keys, class Values>
struct radix_resident_pass {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned chunk = Shape::chunk_items;
  static constexpr unsigned tile_items = block_threads * Shape::chunks * chunk;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool can_bin_linearly = Shape::bins != 0 && block::can_bin_keys_linearly<key_type>;
  using ranking = block::radix_rank<block_threads, chunk>;
  using histograms_type = block::radix_histogram_exchange<block_threads>;
  using key_ranges_type = block::key_range_exchange<block_threads, key_type>;
  using bins_type = block::key_bins<block_threads, can_bin_linearly ? Shape::bins : 16>;
  using linear_binning = block::linear_binning<key_type>;
  using digit_type = radix_digit_or_bin<key_type, can_bin_linearly>;
  static constexpr unsigned digits_per_thread = ranking::digits_per_thread;
  /// Buckets that a block sorts. With fewer, some sizes between those that fill all blocks would not fit.
  static constexpr unsigned most_rounds = 3;
  static_assert(tile_items <= histograms_type::max_count, "a block's keys can be counted");
  static_assert(
    (flag_out_of_order | flag_joined_zero) < 2 * key_ranges_type::max_flag, "the exchange has room for these flags");
  static constexpr unsigned places = ranking::padded(tile_items);
  /// The most items of a bucket, between `margin` sentinels at either end.
  static constexpr unsigned margin = Shape::most_in_bin - 1;
  static constexpr unsigned most_bucket_items =
    places - 2 * margin < bins_type::most_slots ? (places - 2 * margin < tile_items ? places - 2 * margin : tile_items)
                                                : bins_type::most_slots;
  static_assert(Shape::most_in_bin <= bins_type::most_in_bin && 2 * margin < places, "bins can hold them");

  /// A block's items in the order of the digit, or of the bin:
  struct items {
    uninit<key_type> keys[places];
    uninit<value_type> values[has_values ? places : 1];
    std::uint16_t origins[has_values ? places : 1];  ///< of a bucket: the positions they came from
    std::uint16_t ranks[tile_items];  ///< of a position's key, among those of its warp with the same digit
  };

  struct shared {
    union {
      typename ranking::shared rank;
      typename bins_type::shared bins;
      typename key_ranges_type::shared key_ranges;
    };
    typename histograms_type::shared histograms;
    items item;
    unsigned targets[block::radix_size];           ///< output index of a digit's first key, minus its slot
    unsigned first_places[block::radix_size + 1];  ///< of a digit's first key among those of all blocks
    // Used in a pass by linear bins:
    linear_binning binning;
    unsigned bucket_places[Shape::most_blocks * most_rounds];
    unsigned first_bins[most_rounds + 1];  ///< of the block's buckets, and of the next
    unsigned unevenness;                   ///< sum of squares of the bins' counts, times 256 / keys
    // Numbers of passes, counted from 1: the last pass
    unsigned constant_pass;  ///< whose digit is the same in all keys
    unsigned overflow_pass;  ///< whose buckets do not fit
    block::team_member place;
    unsigned rounds;  ///< buckets of a member
  };

  /// Consecutive items that a block sorts together with other blocks, or alone.
  struct share {
    unsigned first;
    unsigned count;
    unsigned held;  ///< by a thread, whole chunks
    bool is_alone;
  };

  Keys keys;
  Values values;
  block::radix_order<key_type> order;
  block::digit_plan plan;
  histograms_type histograms;
  key_ranges_type key_ranges;
  unsigned count;
  bool is_by_range;

  /// The most items that a thread holds of a block's `items`, in whole chunks.
  static GIMBAL_HOST_DEVICE unsigned held_of(unsigned items)
  {
    return (items + block_threads * chunk - 1) / (block_threads * chunk) * chunk;
  }

  /// Position among a block's items of a lane's first one in the chunk that begins with item number `item`; the next
  /// are 32 positions apart.
  template <class Context>
  static GIMBAL_DEVICE unsigned position(const Context& ctx, const share& own, unsigned item)
  {
    return (ctx.warp() * own.held + item) * simt::warp_threads + ctx.lane();
  }

  /// Positions after the last item get `filling`, the key that is ordered last; as the sort is stable, it also stays
  /// after keys that equal it.
  template <class Context>
  GIMBAL_DEVICE void load_keys(
    Context& ctx, const share& own, sort_buffer source, unsigned item, const key_type& filling,
    key_type (&key)[chunk]) const
  {
    const unsigned mine = position(ctx, own, item);
    keys.read(source, [&](auto from) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        const unsigned p = mine + i * simt::warp_threads;
        key[i] = p < own.count ? block::load_as<key_type>(from + static_cast<index_type>(own.first + p)) : filling;
      }
    });
  }

  /// Ranks within the warp. Loads are a chunk ahead.
  template <class Context>
  GIMBAL_DEVICE void rank_keys(
    Context& ctx, shared& smem, const share& own, sort_buffer source, const digit_type& digit) const
  {
    key_type next[chunk];
    load_keys(ctx, own, source, 0, digit.last(), next);
    ranking::clear_counts(ctx, smem.rank);
    GIMBAL_NO_UNROLL
    for (unsigned item = 0; item < own.held; item += chunk) {
      const unsigned mine = position(ctx, own, item);
      unsigned digits[chunk];
      unsigned ranks[chunk];
      digit.find(next, digits);
      if (item + chunk < own.held) {
        load_keys(ctx, own, source, item + chunk, digit.last(), next);
      }
      ranking::rank_more(
        ctx, smem.rank, [&](unsigned i) { return digits[i]; }, ranks);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        smem.item.ranks[mine + i * simt::warp_threads] = static_cast<std::uint16_t>(ranks[i]);
      }
    }
  }

  /// Stores the block's histogram, without padding.
  template <class Context>
  GIMBAL_DEVICE void store_histogram(
    Context& ctx, shared& smem, const share& own, const digit_type& digit,
    const unsigned (&totals)[digits_per_thread]) const
  {
    const unsigned last = digit.last_digit();
    ranking::for_each_digit(ctx, [&](unsigned k, unsigned d) {
      smem.histograms.own[d] = d == last ? totals[k] - (own.held * block_threads - own.count) : totals[k];
    });
  }

  template <class Context>
  GIMBAL_DEVICE void gather_items(
    Context& ctx, shared& smem, const share& own, sort_buffer source, const digit_type& digit) const
  {
    const unsigned* const starts = smem.rank.counts[ctx.warp()];
    key_type next[chunk];
    uninit<value_type> next_value[chunk];
    const auto load = [&](unsigned item) {
      load_keys(ctx, own, source, item, digit.last(), next);
      load_values<simt::warp_threads>(own, source, position(ctx, own, item), next_value);
    };
    load(0);
    GIMBAL_NO_UNROLL
    for (unsigned item = 0; item < own.held; item += chunk) {
      const unsigned mine = position(ctx, own, item);
      key_type key[chunk];
      uninit<value_type> value[chunk];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        key[i] = next[i];
        value[i] = next_value[i];
      }
      if (item + chunk < own.held) {
        load(item + chunk);
      }
      unsigned digits[chunk];
      digit.find(key, digits);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        const unsigned p = mine + i * simt::warp_threads;
        const unsigned at = ranking::padded(starts[digits[i]] + smem.item.ranks[p]);
        smem.item.keys[at].set(key[i]);
        if constexpr (has_values) {
          smem.item.values[at] = value[i];
        }
      }
    }
  }

  /// Loads the values at positions `mine`, `mine` + `Stride`, ...
  template <unsigned Stride, unsigned Count>
  GIMBAL_DEVICE void load_values(
    const share& own, sort_buffer source, unsigned mine, uninit<value_type> (&value)[Count]) const
  {
    if constexpr (has_values) {
      values.read(source, [&](auto from) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < Count; ++i) {
          const unsigned p = mine + i * Stride;
          if (p < own.count) {
            value[i].set(algorithm::load_value(values, source, from, static_cast<index_type>(own.first + p)));
          }
        }
      });
    }
  }

  template <class Context>
  GIMBAL_DEVICE void set_targets(
    Context& ctx, shared& smem, const share& own, unsigned turn, const unsigned (&starts)[digits_per_thread]) const
  {
    const unsigned together = own.is_alone ? own.count : count;
    if (can_bin_linearly && ctx.thread() == 0) {
      smem.unevenness = 0;
    }
    unsigned totals[digits_per_thread] = {};
    ranking::for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      totals[k] = histograms_type::sum(smem.histograms.all, digit);
      if (totals[k] == together) {
        smem.constant_pass = turn + 1;
      }
    });
    uninit<unsigned> digits_before = ranking::sum_digits(ctx, smem.rank, totals);
    ctx.sync_block();  // the sums of all warps' digits are there, of all blocks
    const bool is_first =
      !ranking::digit_scan::prefix(ctx, smem.rank.scan, digits_before, ::cuda::std::plus<unsigned>{});
    unsigned base = (own.is_alone ? own.first : 0) + (is_first ? 0 : digits_before.get());
    ranking::for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      if (can_bin_linearly && !own.is_alone) {
        smem.first_places[digit] = base;
      }
      smem.targets[digit] = base + histograms_type::sum(smem.histograms.before, digit) - starts[k];
      base += totals[k];
    });
    ctx.sync_block();  // every digit's target is there
  }

  template <class Context>
  GIMBAL_DEVICE void store_items(
    Context& ctx, const shared& smem, const share& own, sort_buffer target, const digit_type& digit) const
  {
    const unsigned first = ranking::padded(ctx.thread());
    keys.write(target, [&](auto keys_to) {
      const auto store = [&](auto store_value) {
        GIMBAL_NO_UNROLL
        for (unsigned item = 0; item < own.held; item += chunk) {
          key_type key[chunk];
          GIMBAL_UNROLL
          for (unsigned i = 0; i < chunk; ++i) {
            key[i] = smem.item.keys[(item + i) * ranking::padded(block_threads) + first].get();
          }
          unsigned digits[chunk];
          digit.find(key, digits);
          GIMBAL_UNROLL
          for (unsigned i = 0; i < chunk; ++i) {
            const unsigned slot = (item + i) * block_threads + ctx.thread();
            if (slot < own.count) {
              const auto place = static_cast<index_type>(smem.targets[digits[i]] + slot);
              *(keys_to + place) = key[i];
              store_value(place, (item + i) * ranking::padded(block_threads) + first);
            }
          }
        }
      };
      if constexpr (has_values) {
        values.write(target, [&](auto values_to) {
          store([&](index_type place, unsigned at) { *(values_to + place) = smem.item.values[at].get(); });
        });
      } else {
        store([](index_type, unsigned) {});
      }
    });
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
