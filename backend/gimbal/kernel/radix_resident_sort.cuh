// Radix sort of what all blocks that run at the same time can hold, in one launch.
//
// Each block has a fixed part of the places and, in each pass, ranks the keys that stand there by a digit
// (block/radix_rank.cuh), tells all other blocks how many it has of every digit and learns their numbers
// (block/radix_census.cuh), and writes its keys, one digit after the other, to where they belong. When all blocks have
// done so, each loads its places anew. No histogram goes before: what a pass must know of all keys is found in the
// pass. A digit that is the same in all keys moves nothing.
//
// Order: stable; ranks come from votes.
// Traffic for p digits that differ: keys and values 2p times, mostly within the L2 cache.
// Launches: 1, of blocks that start together. Storage: n keys and n values, and words kept for the stream.
// In place: the first digit that differs goes to the buffer; where the last one ends there, too, it is copied back.
// Memory order: a block writes to the place that it read a pass before, or to a new one. In between all blocks have
// joined, so everything that is read has been written before and nothing is overwritten that is still to be read.
// Progress: all blocks run at the same time.
#pragma once

#include <gimbal/retained_words.h>

#include <cuda/std/functional>
#include <gimbal/block/radix_census.cuh>
#include <gimbal/block/radix_rank.cuh>
#include <gimbal/block/tile.cuh>
#include <gimbal/kernel/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

template <class Shape, class Order, class Keys, class Values>
struct radix_resident_sort_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned items = Shape::items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  using ranking = block::radix_rank<block_threads, items>;
  using census_type = block::radix_census<block_threads>;
  static constexpr unsigned digits_per_thread = ranking::digits_per_thread;
  using digit_bytes = unsigned[(items + 3) / 4];  ///< digits of the items a thread writes, four to a word
  static_assert(tile_items <= census_type::most_count, "a block's keys can be counted");

  struct shared {
    typename ranking::shared rank;
    typename census_type::shared census;
    union {  // the block's items in the order of the digit
      uninit<key_type> keys[tile_items];
      uninit<value_type> values[has_values ? tile_items : 1];
    };
    unsigned targets[block::radix_size];  ///< place of a digit's first key, less its position in the block
    unsigned constant_passes;             ///< the last pass, counted from 1, whose digit is the same in all keys
  };

  Keys keys;
  Values values;
  block::digit_plan plan;
  census_type census;
  unsigned count;
  unsigned held;  ///< items of a thread
  sort_place first_target;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      smem.constant_passes = 0;
    }
    sort_place source = sort_place::input;
    key_type key[items];
    uninit<value_type> value[items];
    load_keys(ctx, source, key);
    for (unsigned pass = 0; pass < plan.passes; ++pass) {
      const block::digit_range range = plan.range(pass);
      const auto digit_of = [&](unsigned i) { return range.digit<Order>(key[i]); };
      unsigned ranks[items];
      unsigned totals[digits_per_thread];
      unsigned starts[digits_per_thread] = {};
      ranking::rank_in_warp(ctx, smem.rank, digit_of, held, ranks);
      ctx.sync_block();  // the counts of all warps are there
      ranking::sum_warps(ctx, smem.rank, totals);
      note_own(ctx, smem, range, totals);
      const uninit<unsigned> digits_before = ranking::sum_digits(ctx, smem.rank, totals);
      ctx.sync_block();  // the sums of all warps' digits are there
      census.publish(ctx, smem.census, pass);
      ranking::start_digits(ctx, smem.rank, digits_before, totals, starts);
      ctx.sync_block();  // every digit's start is there for every warp
      place_keys(ctx, smem, digit_of, key, ranks);
      load_values(ctx, source, value);  // arrive while the blocks count
      census.collect(ctx, smem.census, pass);
      ctx.sync_block();  // the counts of all blocks are there
      set_targets(ctx, smem, pass, starts);
      if (smem.constant_passes == pass + 1) {
        continue;
      }
      const sort_place target = target_of(source);
      digit_bytes digits = {};
      store_keys(ctx, smem, target, range, digits);
      move_values(ctx, smem, target, digits, ranks, value);
      source = target;
      if (pass + 1 == plan.passes && source == sort_place::output) {
        return;
      }
      census.join(ctx, pass);
      load_keys(ctx, source, key);
    }
    load_values(ctx, source, value);
    store_as_they_are(ctx, key, value);
  }

private:
  template <class Context>
  GIMBAL_DEVICE unsigned valid(const Context& ctx) const
  {
    const unsigned block_items = held * block_threads;
    const unsigned left = count - ctx.block() * block_items;
    return left < block_items ? left : block_items;
  }
  template <class Context>
  GIMBAL_DEVICE unsigned first(const Context& ctx) const
  {
    return ctx.block() * held * block_threads;
  }
  /// Of an item in the block.
  template <class Context>
  GIMBAL_DEVICE unsigned position(const Context& ctx, unsigned i) const
  {
    return (ctx.warp() * held + i) * simt::warp_threads + ctx.lane();
  }
  template <class F>
  GIMBAL_DEVICE void for_each_held(F f) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (i < held) {
        f(i);
      }
    }
  }
  /// Two places in turn. The input is read only.
  GIMBAL_DEVICE sort_place target_of(sort_place source) const
  {
    return source == sort_place::input    ? first_target
           : source == sort_place::buffer ? sort_place::output
                                          : sort_place::buffer;
  }

  /// Places behind the last valid item are filled up with a key that is ordered behind all others and, being last,
  /// stays behind those that equal it.
  template <class Context>
  GIMBAL_DEVICE void load_keys(Context& ctx, sort_place source, key_type (&key)[items]) const
  {
    keys.read(source, [&](auto from) {
      const auto mine = from + static_cast<index_type>(first(ctx));
      for_each_held([&](unsigned i) {
        key[i] = position(ctx, i) < valid(ctx) ? block::load_as<key_type>(mine + position(ctx, i))
                                               : block::last_key<Order, key_type>();
      });
    });
  }

  template <class Context>
  GIMBAL_DEVICE void load_values(Context& ctx, sort_place source, uninit<value_type> (&value)[items]) const
  {
    if constexpr (has_values) {
      values.read(source, [&](auto from) {
        const auto mine = from + static_cast<index_type>(first(ctx));
        for_each_held([&](unsigned i) {
          if (position(ctx, i) < valid(ctx)) {
            value[i].set(block::load_as<value_type>(mine + position(ctx, i)));
          }
        });
      });
    }
  }

  /// The block's keys, less those that only fill it up.
  template <class Context>
  GIMBAL_DEVICE void note_own(
    Context& ctx, shared& smem, const block::digit_range& range, const unsigned (&totals)[digits_per_thread]) const
  {
    const unsigned last = range.digit<Order>(block::last_key<Order, key_type>());
    ranking::for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      smem.census.own[digit] = digit == last ? totals[k] - (held * block_threads - valid(ctx)) : totals[k];
    });
  }

  /// Ranks become positions in the block.
  template <class Context, class DigitOf>
  GIMBAL_DEVICE void place_keys(
    Context& ctx, shared& smem, DigitOf digit_of, const key_type (&key)[items], unsigned (&ranks)[items]) const
  {
    const unsigned* const starts = smem.rank.counts[ctx.warp()];
    for_each_held([&](unsigned i) {
      ranks[i] += starts[digit_of(i)];
      smem.keys[ranks[i]].set(key[i]);
    });
  }

  template <class Context>
  GIMBAL_DEVICE void set_targets(
    Context& ctx, shared& smem, unsigned pass, const unsigned (&starts)[digits_per_thread]) const
  {
    unsigned totals[digits_per_thread] = {};
    ranking::for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      totals[k] = census_type::sum(smem.census.all, digit);
      if (totals[k] == count) {
        smem.constant_passes = pass + 1;
      }
    });
    uninit<unsigned> digits_before = ranking::sum_digits(ctx, smem.rank, totals);
    ctx.sync_block();  // the sums of all warps' digits are there, of all blocks
    const bool is_first =
      !ranking::digit_scan::prefix(ctx, smem.rank.scan, digits_before, ::cuda::std::plus<unsigned>{});
    unsigned base = is_first ? 0 : digits_before.get();
    ranking::for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      smem.targets[digit] = base + census_type::sum(smem.census.before, digit) - starts[k];
      base += totals[k];
    });
    ctx.sync_block();  // every digit's target is there
  }

  template <class Context>
  GIMBAL_DEVICE void store_keys(
    Context& ctx, const shared& smem, sort_place target, const block::digit_range& range, digit_bytes& digits) const
  {
    keys.write(target, [&](auto to) {
      for_each_held([&](unsigned i) {
        const unsigned slot = i * block_threads + ctx.thread();
        if (slot < valid(ctx)) {
          const key_type key = smem.keys[slot].get();
          const unsigned digit = range.digit<Order>(key);
          digits[i / 4] |= digit << 8 * (i % 4);
          *(to + static_cast<index_type>(smem.targets[digit] + slot)) = key;
        }
      });
    });
  }

  template <class Context>
  GIMBAL_DEVICE void move_values(
    Context& ctx, shared& smem, sort_place target, const digit_bytes& digits, const unsigned (&ranks)[items],
    const uninit<value_type> (&value)[items]) const
  {
    if constexpr (has_values) {
      ctx.sync_block();  // all keys have been read: their memory takes the values
      for_each_held([&](unsigned i) {
        if (position(ctx, i) < valid(ctx)) {
          smem.values[ranks[i]] = value[i];
        }
      });
      ctx.sync_block();  // the values are there in their new order
      values.write(target, [&](auto to) {
        for_each_held([&](unsigned i) {
          const unsigned slot = i * block_threads + ctx.thread();
          if (slot < valid(ctx)) {
            const unsigned digit = digits[i / 4] >> 8 * (i % 4) & 0xff;
            *(to + static_cast<index_type>(smem.targets[digit] + slot)) = smem.values[slot].get();
          }
        });
      });
    }
  }

  template <class Context>
  GIMBAL_DEVICE void store_as_they_are(
    Context& ctx, const key_type (&key)[items], const uninit<value_type> (&value)[items]) const
  {
    for_each_held([&](unsigned i) {
      const unsigned p = position(ctx, i);
      if (p < valid(ctx)) {
        *(keys.output + static_cast<index_type>(first(ctx) + p)) = key[i];
        if constexpr (has_values) {
          *(values.output + static_cast<index_type>(first(ctx) + p)) = value[i].get();
        }
      }
    });
  }
};

/// In as many blocks as keep the work of each small, up to `most_blocks`.
template <class Kernel, class Shape, class Keys, class Values>
status radix_resident_sort(
  void* storage, std::size_t& storage_bytes, Keys keys, Values values, unsigned n, block::digit_plan plan,
  unsigned most_blocks, simt::stream_type stream)
{
  storage_layout layout;
  layout.add(&keys.buffer, static_cast<std::size_t>(n));
  if constexpr (Kernel::has_values) {
    layout.add(&values.buffer, static_cast<std::size_t>(n));
  }
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  const unsigned least = (n + most_blocks * Kernel::block_threads - 1) / (most_blocks * Kernel::block_threads);
  const unsigned held = least < Shape::least_items ? Shape::least_items : least;
  const unsigned blocks = (n + held * Kernel::block_threads - 1) / (held * Kernel::block_threads);
  const bool ends_in_output = keys.is_copy() && values.is_copy() && plan.passes % 2 != 0;
  launch_words words;
  GIMBAL_TRY(
    words.take(stream, Kernel::census_type::word_count(blocks), plan.passes, "clearing of the words of a radix sort"));
  const Kernel kernel{
    keys,
    values,
    plan,
    {words.words(), words.first_tag()},
    n,
    held,
    ends_in_output ? sort_place::output : sort_place::buffer};
  return simt::launch<simt::start::together>(kernel, blocks, stream, "radix sort in one launch");
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
