// Radix sort of what all blocks that run at the same time can hold, in one launch.
//
// Each block has a fixed part of the places and, in each pass, ranks the keys that stand there by a digit
// (block/radix_rank.cuh), tells all other blocks how many it has of every digit and learns their numbers
// (block/radix_census.cuh), and writes its keys, one digit after the other, to where they belong. When all blocks have
// done so, each loads its places anew. No histogram goes before: what a pass must know of all keys is found in the
// pass. A digit that is the same in all keys moves nothing. With the first counts of many keys all blocks learn whether
// these are in order already, or in reverse (radix_order.cuh): then they are copied, or turned round, and no more.
//
// Ranks come from additions that rely on the order in which the lanes of a warp are served, or, where many lanes have
// the same digit, from votes (block/radix_draw.cuh). While a block writes its keys it verifies their order:
//   * Beside values the origins of keys with the same digit must ascend.
//   * Keys alone sorted by all their bits must ascend by the bits up to and with the digit. They did so by the bits
//     below before the pass, in all places, and keys in which all bits are equal are the same: nothing else matters.
//     Zeros of both signs are not: a warp that finds a negative one votes. So does one that sorts keys by a range of bits.
//   * What fills the last block up must come last, so that no key is left behind it.
// A block whose order fails does the pass anew with votes before it joins the others; its counts and places stay.
//
// Order: stable. Traffic for p digits that differ: keys and values 2p times, mostly within the L2 cache.
// Launches: 1. Progress: its blocks run at the same time. Storage: as of passes, and words kept for the stream.
// In place: the first digit that differs goes to the buffer; where the last one ends there, too, it is copied back.
// Memory order: a block writes to the place that it read a pass before, or to a new one. All blocks have joined in between,
// so what is read has been written before, and nothing is overwritten that is still to be read.
#pragma once

#include <gimbal/retained_words.h>

#include <cuda/std/functional>
#include <gimbal/block/radix_census.cuh>
#include <gimbal/block/radix_rank.cuh>
#include <gimbal/block/tile.cuh>
#include <gimbal/kernel/radix_order.cuh>
#include <gimbal/kernel/radix_reverse.cuh>
#include <gimbal/kernel/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

template <class Shape, class Order, class Keys, class Values>
struct radix_resident_sort_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned chunk = Shape::chunk_items;
  static constexpr unsigned order_from_items = Shape::order_from_items;
  static constexpr unsigned tile_items = block_threads * Shape::chunks * chunk;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool is_floating = block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point;
  static constexpr bool tells_zeros_apart = !has_values && is_floating;
  using ranking = block::radix_rank<block_threads, chunk>;
  using census_type = block::radix_census<block_threads>;
  static constexpr unsigned digits_per_thread = ranking::digits_per_thread;
  static_assert(tile_items <= census_type::most_count, "a block's keys can be counted");
  static constexpr unsigned places = ranking::padded(tile_items);

  struct shared {
    typename ranking::shared rank;
    typename census_type::shared census;
    // The block's items in the order of the digit:
    uninit<key_type> keys[places];
    uninit<value_type> values[has_values ? places : 1];
    std::uint16_t origins[has_values ? places : 1];  ///< the places they come from
    std::uint16_t ranks[tile_items];                 ///< of a place's key, among those of the warp with the same digit
    unsigned targets[block::radix_size];             ///< place of a digit's first key, less its slot in the block
    // The last pass, counted from 1,
    unsigned constant_pass;  ///< whose digit is the same in all keys
    unsigned unstable_pass;  ///< in which additions did not rank the block's keys
    unsigned seen;           ///< of neighbours in the input (radix_order.cuh)
  };

  Keys keys;
  Values values;
  block::digit_plan plan;
  census_type census;
  unsigned count;
  unsigned held;  ///< items of a thread, whole chunks
  sort_place first_target;
  sort_aliasing aliasing;
  bool is_by_range;
  bool looks_at_order;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      smem.constant_pass = 0;
      smem.unstable_pass = 0;
      smem.seen = 0;
      smem.census.noted = 0;
    }
    ctx.sync_block();  // all notes are clear before the first is made
    sort_place source = sort_place::input;
    const bool by_votes_alone = !Shape::ranks_by_additions || (!has_values && is_by_range);
    bool by_votes = by_votes_alone;
    for (unsigned pass = 0; pass < plan.passes;) {
      const block::digit_range range = plan.range(pass);
      unsigned totals[digits_per_thread];
      unsigned starts[digits_per_thread] = {};
      const bool looks = looks_at_order && pass == 0;
      rank_keys(ctx, smem, source, range, looks, by_votes);
      ctx.sync_block();  // the counts of all warps are there
      ranking::sum_warps(ctx, smem.rank, totals);
      note_own(ctx, smem, range, totals);
      const uninit<unsigned> digits_before = ranking::sum_digits(ctx, smem.rank, totals);
      ctx.sync_block();  // the sums of all warps' digits are there
      census.publish(ctx, smem.census, pass);
      if (looks) {
        census.publish_note(ctx, smem.seen);
      }
      ranking::start_digits(ctx, smem.rank, digits_before, totals, starts);
      ctx.sync_block();  // every digit's start is there for every warp
      gather_items(ctx, smem, source, range);
      census.collect(ctx, smem.census, pass);
      if (looks) {
        census.collect_notes(ctx, smem.census);
      }
      ctx.sync_block();  // the counts and notes of all blocks and the items are there
      if (looks && smem.census.noted != seen_both) {
        return place_input(ctx, smem.census.noted);
      }
      set_targets(ctx, smem, pass, starts);
      if (smem.constant_pass != pass + 1) {
        store_items(ctx, smem, target_of(source), range, pass);
        ctx.sync_block();  // every thread has judged
        if (!by_votes && smem.unstable_pass == pass + 1) {
          by_votes = true;
          continue;
        }
        source = target_of(source);
        if (pass + 1 == plan.passes && source == sort_place::output) {
          return;
        }
        census.join(ctx, pass);
      }
      ++pass;
      by_votes = by_votes_alone;
    }
    copy_all(ctx, source, plan.passes - 1);
  }

private:
  template <class Context>
  GIMBAL_DEVICE unsigned first(const Context& ctx) const
  {
    return ctx.block() * held * block_threads;
  }
  template <class Context>
  GIMBAL_DEVICE unsigned valid(const Context& ctx) const
  {
    const unsigned left = count - first(ctx);
    return left < held * block_threads ? left : held * block_threads;
  }
  /// Two places in turn. The input is read only.
  GIMBAL_DEVICE sort_place target_of(sort_place source) const
  {
    return source == sort_place::input    ? first_target
           : source == sort_place::buffer ? sort_place::output
                                          : sort_place::buffer;
  }
  GIMBAL_DEVICE bool keeps_equals() const { return has_values || is_floating || is_by_range; }
  /// Position in the block of a lane's first item in the chunk that begins with item number `item`; the next are 32
  /// positions apart.
  template <class Context>
  GIMBAL_DEVICE unsigned position(const Context& ctx, unsigned item) const
  {
    return (ctx.warp() * held + item) * simt::warp_threads + ctx.lane();
  }

  /// Places behind the last valid item are filled up with a key that is ordered behind all others and, being last,
  /// stays behind those that equal it.
  template <class Context>
  GIMBAL_DEVICE void load_keys(Context& ctx, sort_place source, unsigned item, key_type (&key)[chunk]) const
  {
    const unsigned mine = position(ctx, item);
    keys.read(source, [&](auto from) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        const unsigned p = mine + i * simt::warp_threads;
        key[i] = p < valid(ctx) ? block::load_as<key_type>(from + static_cast<index_type>(first(ctx) + p))
                                : block::last_key<Order, key_type>();
      }
    });
  }

  /// Ranks among the keys of the warp. The next chunk is on its way meanwhile.
  template <class Context>
  GIMBAL_DEVICE void rank_keys(
    Context& ctx, shared& smem, sort_place source, const block::digit_range& range, bool looks, bool by_votes) const
  {
    unsigned seen = looks ? 0 : seen_both;
    key_type next[chunk];
    load_keys(ctx, source, 0, next);
    ranking::clear_counts(ctx, smem.rank);
    GIMBAL_NO_UNROLL
    for (unsigned item = 0; item < held; item += chunk) {
      if (seen != seen_both) {
        const index_type mine = static_cast<index_type>(first(ctx)) + position(ctx, item);
        keys.read(
          source, [&](auto from) { seen |= look_at_order<Order>(ctx, from, mine, count, plan, keeps_equals(), next); });
      }
      unsigned digits[chunk];
      unsigned ranks[chunk];
      bool has_negative_zero = false;
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        digits[i] = range.digit<Order>(next[i]);
        has_negative_zero = has_negative_zero || (tells_zeros_apart && block::is_negative_zero(next[i]));
      }
      if (item + chunk < held) {
        load_keys(ctx, source, item + chunk, next);
      }
      const bool crowded = ranking::is_crowded(ctx, digits[0], Shape::crowded_lanes);
      if (!crowded || !ranking::rank_two_digits(ctx, smem.rank, digits, ranks)) {
        if (by_votes || crowded || (tells_zeros_apart && ctx.ballot(has_negative_zero) != 0)) {
          ranking::rank_more(
            ctx, smem.rank, [&](unsigned i) { return digits[i]; }, chunk, ranks);
        } else {
          GIMBAL_UNROLL
          for (unsigned i = 0; i < chunk; ++i) {
            ranks[i] = ctx.count_by_lanes(smem.rank.counts[ctx.warp()][digits[i]]);
          }
        }
      }
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        smem.ranks[position(ctx, item) + i * simt::warp_threads] = static_cast<std::uint16_t>(ranks[i]);
      }
    }
    if (looks && ctx.lane() == 0) {
      ctx.atomic_shared(smem.seen).fetch_or(seen, ::cuda::std::memory_order_relaxed);
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

  template <class Context>
  GIMBAL_DEVICE void gather_items(Context& ctx, shared& smem, sort_place source, const block::digit_range& range) const
  {
    const unsigned* const starts = smem.rank.counts[ctx.warp()];
    GIMBAL_NO_UNROLL
    for (unsigned item = 0; item < held; item += chunk) {
      const unsigned mine = position(ctx, item);
      key_type key[chunk];
      uninit<value_type> value[chunk];
      load_keys(ctx, source, item, key);
      load_values(ctx, source, mine, value);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        const unsigned p = mine + i * simt::warp_threads;
        const unsigned at = ranking::padded(starts[range.digit<Order>(key[i])] + smem.ranks[p]);
        smem.keys[at].set(key[i]);
        if constexpr (has_values) {
          smem.values[at] = value[i];
          smem.origins[at] = static_cast<std::uint16_t>(p);
        }
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void load_values(
    Context& ctx, sort_place source, unsigned mine, uninit<value_type> (&value)[chunk]) const
  {
    if constexpr (has_values) {
      values.read(source, [&](auto from) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < chunk; ++i) {
          const unsigned p = mine + i * simt::warp_threads;
          if (p < valid(ctx)) {
            value[i].set(block::load_as<value_type>(from + static_cast<index_type>(first(ctx) + p)));
          }
        }
      });
    }
  }

  template <class Context>
  GIMBAL_DEVICE void set_targets(
    Context& ctx, shared& smem, unsigned pass, const unsigned (&starts)[digits_per_thread]) const
  {
    unsigned totals[digits_per_thread] = {};
    ranking::for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      totals[k] = census_type::sum(smem.census.all, digit);
      if (totals[k] == count) {
        smem.constant_pass = pass + 1;
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

  /// Whether the key in the slot behind it may follow that at `at`.
  GIMBAL_DEVICE bool is_before_next(
    const shared& smem, unsigned at, unsigned next_at, const key_type& key, const block::digit_range& range) const
  {
    const key_type next = smem.keys[next_at].get();
    if constexpr (has_values) {
      return range.digit<Order>(key) != range.digit<Order>(next) || smem.origins[at] < smem.origins[next_at];
    } else {
      using bits_type = block::radix_key_bits<key_type>;
      const auto above = 8 * sizeof(key_type) - (range.shift + range.bits);
      return static_cast<bits_type>(block::ordered_bits<Order>(key) << above)
             <= static_cast<bits_type>(block::ordered_bits<Order>(next) << above);
    }
  }

  /// Whether the key in the slot is none of the block's. That what fills it up stands last is a matter of order, too.
  template <class Context>
  GIMBAL_DEVICE bool is_filling(const Context& ctx, const shared& smem, unsigned at, const key_type& key) const
  {
    if constexpr (has_values) {
      return smem.origins[at] >= valid(ctx);
    } else {
      return block::ordered_bits<Order>(key) == block::ordered_bits<Order>(block::last_key<Order, key_type>());
    }
  }

  template <class Context>
  GIMBAL_DEVICE void store_items(
    Context& ctx, shared& smem, sort_place target, const block::digit_range& range, unsigned pass) const
  {
    const unsigned own = ranking::padded(ctx.thread());
    const unsigned next = ranking::padded(ctx.thread() + 1);
    bool is_stable = true;
    keys.write(target, [&](auto keys_to) {
      const auto store = [&](auto store_value) {
        GIMBAL_NO_UNROLL
        for (unsigned item = 0; item < held; item += chunk) {
          GIMBAL_UNROLL
          for (unsigned i = 0; i < chunk; ++i) {
            const unsigned slot = (item + i) * block_threads + ctx.thread();
            const unsigned row = (item + i) * ranking::padded(block_threads);
            const key_type key = smem.keys[row + own].get();
            if (slot < valid(ctx)) {
              const auto place = static_cast<index_type>(smem.targets[range.digit<Order>(key)] + slot);
              *(keys_to + place) = key;
              store_value(place, row + own);
              is_stable =
                is_stable && (slot + 1 == valid(ctx) || is_before_next(smem, row + own, row + next, key, range));
            } else {
              is_stable = is_stable && is_filling(ctx, smem, row + own, key);
            }
          }
        }
      };
      if constexpr (has_values) {
        values.write(target, [&](auto values_to) {
          store([&](index_type place, unsigned at) { *(values_to + place) = smem.values[at].get(); });
        });
      } else {
        store([](index_type, unsigned) {});
      }
    });
    if (!is_stable) {
      ctx.atomic_shared(smem.unstable_pass).store(pass + 1, ::cuda::std::memory_order_relaxed);
    }
  }

  /// Of input in order, or in reverse order: nothing else has been written to yet.
  template <class Context>
  GIMBAL_DEVICE void place_input(Context& ctx, unsigned seen) const
  {
    if ((seen & seen_out_of_order) == 0) {
      return copy_all(ctx, sort_place::input, 0);
    }
    radix_step turn{};
    turn.target = aliasing.in_place ? sort_place::buffer : sort_place::output;
    reverse_items<chunk, Order>(ctx, turn, keys, values, plan, keeps_equals(), count, 0, count);
    if (aliasing.in_place) {
      census.join(ctx, 0);
      copy_all(ctx, sort_place::buffer, 0);
    }
  }

  /// To the output, in or after that pass, unless all are there. Of input that may be there no block must read any longer.
  template <class Context>
  GIMBAL_DEVICE void copy_all(Context& ctx, sort_place source, unsigned pass) const
  {
    if (source == sort_place::output || (source == sort_place::input && aliasing.all_in_place)) {
      return;
    }
    if (source == sort_place::input && aliasing.in_place) {
      census.join(ctx, pass);
    }
    copy_items<chunk>(ctx, keys, source, sort_place::output, 0, count);
    if constexpr (has_values) {
      copy_items<chunk>(ctx, values, source, sort_place::output, 0, count);
    }
  }
};

/// In as many blocks as keep the work of each small, up to `most_blocks`.
template <class Kernel, class Keys, class Values>
status radix_resident_sort(
  void* storage, std::size_t& storage_bytes, Keys keys, Values values, unsigned n, block::digit_plan plan,
  bool is_by_range, unsigned most_blocks, simt::stream_type stream)
{
  storage_layout layout;
  const sort_aliasing aliasing = find_aliasing(keys, values);
  const auto buffered = static_cast<std::size_t>(items_of_sort_buffer(n, plan.passes, aliasing));
  layout.add(&keys.buffer, buffered);
  if constexpr (Kernel::has_values) {
    layout.add(&values.buffer, buffered);
  }
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  const unsigned chunk_items = Kernel::block_threads * Kernel::chunk;
  const unsigned chunks = (n + most_blocks * chunk_items - 1) / (most_blocks * chunk_items);
  const unsigned blocks = (n + chunks * chunk_items - 1) / (chunks * chunk_items);
  launch_words words;
  GIMBAL_TRY(
    words.take(stream, Kernel::census_type::word_count(blocks), plan.passes, "clearing of the words of a radix sort"));
  const Kernel kernel{
    keys,
    values,
    plan,
    {words.words(), words.first_tag()},
    n,
    chunks * Kernel::chunk,
    aliasing.in_place || plan.passes % 2 == 0 ? sort_place::buffer : sort_place::output,
    aliasing,
    is_by_range,
    n >= Kernel::order_from_items};
  return simt::launch<simt::start::together>(kernel, blocks, stream, "radix sort in one launch");
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
