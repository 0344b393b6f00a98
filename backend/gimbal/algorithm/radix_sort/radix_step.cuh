// What the launches of a radix sort by digits pass on to one another: what a launch does, from which array to which
// (radix_step), with which tiles (radix_tiles), and the descriptors of these tiles; and what a thread holds of a tile
// (radix_thread_items).
//
// The strategy is known on the device when the histogram is (radix_strategy). By digits, the n-th launch sorts by the
// n-th digit in which keys differ. Surplus launches end at once.
//
// Descriptors are for decoupled look-back, one chain per digit: a tile publishes how many of its keys have the digit
// (its aggregate), and then how many keys of its own and of all tiles before have it (its inclusive prefix). Status and
// count share a word, so relaxed accesses suffice. The words are not cleared between the launches of a pass: every
// launch ends with an inclusive prefix in each word, and the status codes of a launch are those of the launch before
// with the highest bit flipped, so what that one left (or the zeros before the first) reads as "invalid":
//
//               invalid   aggregate   inclusive prefix
//   even launch   00         01             10
//   odd launch    10         11             00
//
// A few warps look back while all others write, so instructions are scarce: a lane walks back tile by tile for all of
// its digits at once, and masks a digit out when its sum is complete.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>

#include <gimbal/algorithm/radix_sort/radix_histogram.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// A lane has `DigitsPerLane` digits, 32 apart, and reads `Window` preceding tiles at a time.
template <unsigned DigitsPerLane, unsigned Window>
struct radix_tile_descriptors {
  static constexpr unsigned count_bits = 30;
  static constexpr unsigned count_mask = (1u << count_bits) - 1;
  static constexpr unsigned aggregate = 1u << count_bits;
  static constexpr unsigned inclusive_prefix = 2u << count_bits;

  unsigned* words;  ///< [tile][digit]
  unsigned parity;  ///< of the launch's number among those of all passes

  /// Xor with this turns the status codes of an odd launch into those of an even one and back.
  GIMBAL_DEVICE unsigned flip() const { return parity << (count_bits + 1); }

  template <class Context>
  GIMBAL_DEVICE auto word_at(Context& ctx, unsigned tile, unsigned digit) const
  {
    return ctx.atomic(words[std::size_t{tile} * radix_size + digit]);
  }

  template <class Context>
  GIMBAL_DEVICE void publish_aggregate(Context& ctx, unsigned tile, unsigned digit, unsigned count) const
  {
    word_at(ctx, tile, digit).store((aggregate | count) ^ flip(), ::cuda::std::memory_order_relaxed);
  }

  template <class Context>
  GIMBAL_DEVICE void publish_inclusive_prefix(Context& ctx, unsigned tile, unsigned digit, unsigned count) const
  {
    word_at(ctx, tile, digit).store((inclusive_prefix | count) ^ flip(), ::cuda::std::memory_order_relaxed);
  }

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, unsigned tile, unsigned digit, unsigned status, unsigned count) const
  {
    word_at(ctx, tile, digit).store((status | count) ^ flip(), ::cuda::std::memory_order_relaxed);
  }

  /// For tiles [first, end), which this launch lacks and a later one may have: leaves their words like those of its own
  /// tiles. To be called by `threads` threads.
  template <class Context>
  GIMBAL_DEVICE void publish_empty(Context& ctx, unsigned first, unsigned end, unsigned thread, unsigned threads) const
  {
    GIMBAL_NO_UNROLL
    for (unsigned tile = first; tile < end; ++tile) {
      GIMBAL_NO_UNROLL
      for (unsigned digit = thread; digit < radix_size; digit += threads) {
        publish(ctx, tile, digit, inclusive_prefix, 0);
      }
    }
  }

  /// sums[k] = keys with digit `digit + 32 * k` in the tiles before `tile`. Tile 0 publishes an inclusive prefix at
  /// once, so the walk ends there at the latest; loads that would reach beyond it read it again.
  template <class Context>
  GIMBAL_DEVICE void look_back(Context& ctx, unsigned tile, unsigned digit, unsigned (&sums)[DigitsPerLane]) const
  {
    unsigned pending[DigitsPerLane];  // all ones, or zero once the sum is complete
    GIMBAL_UNROLL
    for (unsigned k = 0; k < DigitsPerLane; ++k) {
      pending[k] = tile == 0 ? 0 : ~0u;
      sums[k] = 0;
    }
    unsigned left = tile;  // not yet added
    while (any(pending) != 0) {
      unsigned read[Window][DigitsPerLane];
      GIMBAL_UNROLL
      for (unsigned w = 0; w < Window; ++w) {
        const unsigned back = left > w ? left - 1 - w : 0;
        GIMBAL_UNROLL
        for (unsigned k = 0; k < DigitsPerLane; ++k) {
          read[w][k] = word_at(ctx, back, digit + k * simt::warp_threads).load(::cuda::std::memory_order_relaxed);
        }
      }
      const unsigned added = add(read, pending, sums);
      left = left > added ? left - added : 0;
      if (added == 0) {
        ctx.spin_wait();
      }
    }
  }

private:
  static GIMBAL_DEVICE unsigned any(const unsigned (&pending)[DigitsPerLane])
  {
    unsigned bits = 0;
    GIMBAL_UNROLL
    for (unsigned k = 0; k < DigitsPerLane; ++k) {
      bits |= pending[k];
    }
    return bits;
  }

  /// Adds the nearest tiles, up to the first that has no valid word for a pending digit. Returns how many tiles that
  /// were.
  GIMBAL_DEVICE unsigned add(
    const unsigned (&read)[Window][DigitsPerLane], unsigned (&pending)[DigitsPerLane],
    unsigned (&sums)[DigitsPerLane]) const
  {
    unsigned added = 0;
    bool is_known = true;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < Window; ++w) {
      unsigned state[DigitsPerLane];
      GIMBAL_UNROLL
      for (unsigned k = 0; k < DigitsPerLane; ++k) {
        state[k] = (read[w][k] ^ flip()) | ~pending[k];  // complete sums need nothing more
        is_known = is_known && state[k] >= aggregate;
      }
      if (is_known) {
        ++added;
        GIMBAL_UNROLL
        for (unsigned k = 0; k < DigitsPerLane; ++k) {
          sums[k] += state[k] & pending[k] & count_mask;
          pending[k] = state[k] >= inclusive_prefix ? 0 : pending[k];
        }
      }
    }
    return added;
  }
};

}  // namespace block

namespace algorithm {

/// The tiles of a launch, which passes claim one by one (radix_pass.cuh) and copies take as one range.
struct radix_tiles {
  index_type n;             ///< items of all launches of a step
  unsigned tile_size;       ///< items of all tiles but the last; a whole number of warps' shares
  unsigned lane_items;      ///< items of a lane that has a full share
  unsigned parts = 1;       ///< launches that a step takes
  unsigned part_tiles = 0;  ///< tiles of all of these but the last
  // These are this launch's own:
  unsigned part = 0;
  index_type first_tile = 0;
  unsigned tiles = 0;
  unsigned* ticket = nullptr;       ///< number of tiles claimed
  unsigned* next_ticket = nullptr;  ///< of the next launch

  /// The launch's items.
  GIMBAL_DEVICE index_type begin() const { return first_of(0); }
  GIMBAL_DEVICE index_type end() const { return first_of(tiles) < n ? first_of(tiles) : n; }

  template <class Context>
  GIMBAL_DEVICE unsigned claim_tile(Context& ctx) const
  {
    return ctx.atomic(*ticket).fetch_add(1, ::cuda::std::memory_order_relaxed);  // orders nothing but itself
  }

  GIMBAL_DEVICE index_type first_of(unsigned tile) const { return (first_tile + tile) * tile_size; }
  GIMBAL_DEVICE unsigned valid_of(unsigned tile) const
  {
    const index_type left = n - first_of(tile);
    return left < tile_size ? static_cast<unsigned>(left) : tile_size;
  }

  /// True if the tile has items for the warp, each of which can hold `warp_items`.
  template <class Context>
  GIMBAL_DEVICE bool has_items(const Context& ctx, unsigned warp_items, unsigned tile) const
  {
    return valid_of(tile) > ctx.warp() * warp_items;
  }
  /// True if the tile has all that the warp can hold.
  template <class Context>
  GIMBAL_DEVICE bool has_share(const Context& ctx, unsigned warp_items, unsigned tile) const
  {
    return valid_of(tile) >= (ctx.warp() + 1) * warp_items;
  }
};

/// The size of the tiles. If there are few, they are made smaller so that each block has the same number, as the next
/// pass waits for the last block; the warps' shares are made equal, in whole batches of a lane, or else some warps have
/// none. If there are many, blocks finish at different times anyway, and full tiles are the most efficient.
template <class Kernel>
radix_tiles radix_tiles_of(index_type n, unsigned blocks)
{
  const index_type rounds = (n - 1) / (index_type{Kernel::tile_items} * blocks) + 1;
  if (rounds > (Kernel::has_even_shares ? tuning::few_even_radix_tiles : tuning::few_radix_tiles)) {
    return {n, Kernel::tile_items, Kernel::items};
  }
  const index_type share = (n - 1) / (rounds * blocks) + 1;
  constexpr index_type batch_of_all = Kernel::main_threads * Kernel::batch;
  const unsigned lane_items =
    Kernel::has_even_shares ? static_cast<unsigned>((share - 1) / batch_of_all + 1) * Kernel::batch : Kernel::items;
  const unsigned warp_items = lane_items * simt::warp_threads;
  return {n, static_cast<unsigned>((share - 1) / warp_items + 1) * warp_items, lane_items};
}

enum class radix_action : unsigned {
  none,
  sort,  ///< by a digit
  copy   ///< nothing is left to sort, but the items are in the wrong array
};

/// Packed: passes need the registers for their keys.
struct radix_step {
  block::digit_range range;
  radix_action action : 4;
  sort_buffer source : 2;
  sort_buffer target : 2;
  unsigned pass : 8;           ///< number of the digit's pass
  unsigned passes_before : 8;  ///< done in earlier steps
  unsigned sorted_from : 6;    ///< the lowest bit that the passes so far, this one included, sort by
};

namespace detail {

/// The step of a sort that moves the items `moves` times, plus a copy if `must` demands another parity.
GIMBAL_HOST_DEVICE radix_step find_move(radix_action action, unsigned move, unsigned moves, sort_moves must)
{
  const unsigned all = moves_of_passes(moves, must);
  radix_step found{};
  found.action = move >= all ? radix_action::none : move < moves ? action : radix_action::copy;
  found.passes_before = static_cast<std::uint8_t>(move);
  found.source = source_of_pass(move, all);
  found.target = target_of_pass(move, all);
  return found;
}

/// The `first_steps` are passes by the leading digits; if a bucket did not fit, passes by all digits follow, in place.
GIMBAL_DEVICE radix_step find_step_by_leading(
  const radix_decision& decision, const block::digit_plan& plan, unsigned step, unsigned first_steps, sort_moves must)
{
  const unsigned lowest = decision.differing - decision.leading;
  radix_step found = find_move(radix_action::sort, step, decision.leading, must);
  if (found.action != radix_action::none) {
    found.pass = static_cast<std::uint8_t>(decision.pass(lowest + step));
    found.sorted_from = plan.range(decision.pass(lowest)).shift & 63;
  } else if (decision.strategy == radix_strategy::buckets_failed && step >= first_steps) {
    const unsigned again = step - first_steps;
    found = find_move(radix_action::sort, again, decision.differing, sort_moves::even);
    found.pass = static_cast<std::uint8_t>(decision.pass(again));
    found.passes_before = static_cast<std::uint8_t>(decision.leading + again);
    if (again == 0) {
      found.source = sort_buffer::output;
    }
  }
  found.range = plan.range(found.pass);
  return found;
}

}  // namespace detail

/// `first_steps`: number of steps reserved for leading digits, of a sort that `MayBucket`.
template <bool MayBucket>
GIMBAL_DEVICE radix_step find_radix_step(
  const radix_decision& decision, const block::digit_plan& plan, unsigned step, sort_aliasing aliasing,
  unsigned first_steps)
{
  const sort_moves must = aliasing.moves();
  if (decision.strategy == radix_strategy::already_sorted) {
    return detail::find_move(radix_action::copy, step, aliasing.all_in_place ? 0 : 1, sort_moves::any);
  }
  if constexpr (MayBucket) {
    if (decision.strategy != radix_strategy::by_digits) {
      return detail::find_step_by_leading(decision, plan, step, first_steps, must);
    }
  }
  radix_step found = detail::find_move(radix_action::sort, step, decision.differing, must);
  found.pass = static_cast<std::uint8_t>(decision.pass(step));
  found.range = plan.range(found.pass);
  return found;
}

/// Prefetches items to the L2 cache.
template <class Context, class Array>
GIMBAL_DEVICE void fetch_items(Context& ctx, sort_buffer from, const Array& array, index_type first, index_type count)
{
  if constexpr (bytes_of_values<Array> != 0) {
    array.read(from, [&](auto source) {
      if constexpr (::cuda::std::is_pointer_v<decltype(source)>) {
        ctx.fetch_ahead(source + first, static_cast<std::size_t>(count) * sizeof(*source));
      }
    });
  }
}

/// Up to `Items` keys and their values, in whole batches of `Batch`. A warp has consecutive positions of the tile,
/// striped over its lanes. How many items a lane holds (`lane_items`) is the same in all lanes of a launch.
template <class Keys, class Values, unsigned Items, unsigned Batch>
struct radix_thread_items {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  using order_type = block::radix_order<key_type>;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;

  key_type key[Items];  ///< own bits when loaded, distinct after count(): converting at once would wait for each load
  uninit<value_type> value[has_values ? Items : 1];

  /// Position in the tile of a thread's i-th item.
  template <class Context>
  static GIMBAL_DEVICE unsigned position(const Context& ctx, unsigned lane_items, unsigned i)
  {
    return (ctx.warp() * lane_items + i) * simt::warp_threads + ctx.lane();
  }

  /// To be called after count(). `joins`: some key may be a joined zero.
  GIMBAL_DEVICE unsigned digit(const radix_step& now, const order_type& order, bool joins, unsigned i) const
  {
    return now.range.digit(joins ? order.join(key[i]) : key[i]);
  }

  /// Loads from the tile that begins at item `first` and has `valid` items. Positions after those get `filling`, the
  /// key that is ordered last; as the sort is stable, it also stays after keys that equal it.
  template <class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, key_type filling, index_type first,
    unsigned valid, unsigned lane_items)
  {
    const unsigned mine = position(ctx, lane_items, 0);
    // Values that must not be read are made without a branch, in registers that hold nothing yet.
    if constexpr (Values::may_be_positions) {
      const auto made = static_cast<value_type>(first + mine);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        value[i].set(made + static_cast<value_type>(i * simt::warp_threads));
      }
    }
    const unsigned left = valid > mine ? (valid - mine + simt::warp_threads - 1) / simt::warp_threads : 0;
    const unsigned held = left < lane_items ? left : lane_items;
    load_if<Items>(
      ctx, now, keys, values, filling, first, lane_items, 0, 0, !values.are_positions(now.source),
      [&](unsigned i) { return i < held; });
  }

  /// Loads `Count` items from the `from`-th on, all of which exist, into registers from `at` on.
  template <unsigned Count, class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, index_type first, unsigned lane_items,
    unsigned from, unsigned at)
  {
    load_if<Count>(
      ctx, now, keys, values, key_type{}, first, lane_items, from, at, true, [](unsigned) { return true; });
  }

  /// Shifts items down by `Count`, which makes room after the last.
  template <unsigned Count>
  GIMBAL_DEVICE void move_up()
  {
    GIMBAL_UNROLL
    for (unsigned i = Count; i < Items; ++i) {
      key[i - Count] = key[i];
      if constexpr (has_values) {
        value[i - Count] = value[i];
      }
    }
  }

  /// Adds the keys to the warp's counters and makes their bits distinct. Joined zeros, which are rare, move to their
  /// digit when all keys are counted.
  template <class Context, class Counters>
  GIMBAL_DEVICE void count(
    Context& ctx, Counters& counts, const radix_step& now, const order_type& order, unsigned lane_items, bool joins)
  {
    if (order.is_floating()) {
      for_each(lane_items, [&](unsigned i) { key[i] = order.distinct(key[i]); });
    } else {
      for_each(lane_items, [&](unsigned i) { key[i] = order.flip(key[i]); });
    }
    for_each(lane_items, [&](unsigned i) { counts.add(ctx, digit(now, order, false, i), 1); });
    if (joins) {
      unsigned zeros = 0;
      for_each(lane_items, [&](unsigned i) { zeros += key[i] == order.joined ? 1 : 0; });
      if (zeros != 0) {
        counts.add(ctx, now.range.digit(order.joined), 0 - zeros);
        counts.add(ctx, now.range.digit(order.join(order.joined)), zeros);
      }
    }
  }

private:
  /// Calls f(i) for the items that a lane has.
  template <class F>
  static GIMBAL_DEVICE void for_each(unsigned lane_items, F f)
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (i / Batch * Batch < lane_items) {
        f(i);
      }
    }
  }

  template <unsigned Count, class Context, class Exists>
  GIMBAL_DEVICE void load_if(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, key_type filling, index_type first,
    unsigned lane_items, unsigned from, unsigned at, bool with_values, Exists exists)
  {
    keys.read(now.source, [&](auto source) {
      const auto mine = source + (first + position(ctx, lane_items, from));
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Count; ++j) {
        key[at + j] = exists(from + j) ? block::load_as<key_type>(mine + j * simt::warp_threads) : filling;
      }
    });
    if constexpr (has_values) {
      values.read(now.source, [&](auto source) {
        const auto mine = source + (first + position(ctx, lane_items, from));
        GIMBAL_UNROLL
        for (unsigned j = 0; j < Count; ++j) {
          if (with_values && exists(from + j)) {
            value[at + j].set(block::load_as<value_type>(mine + j * simt::warp_threads));
          }
        }
      });
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
