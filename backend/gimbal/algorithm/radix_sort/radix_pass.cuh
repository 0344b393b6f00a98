// One pass by a digit (radix_launch.cuh): moves keys, and values with them, to where one digit orders them (onesweep).
//
// A block claims tiles as large as its shared memory, or smaller ones if each block has few, one after the other. Main warps
// hold the keys of one tile in registers; a few helper warps do what mostly waits. Tile k and the block's next tile, k+1,
// overlap:
//
//   main      rank k, put it into slots, load k+1 | count k+1 | publish k+1 | write k out      | starts of k+1
//   helpers                                       |           |             | look back of k+1 |
//
// Ranks of a tile come from atomics whose order is verified (radix_scatter.cuh); a helper warp ranks a tile that fails again.
//
// Memory order: descriptors carry status and count in one word (radix_step.cuh). Everything else is shared memory, ordered
// by the block's barriers; a warp's own counters by sync_warp().
// Progress: tiles are claimed in order by running blocks. A tile publishes its counts after waiting for nothing but earlier
// tiles (its block's tile before), so the earliest tile that waits can always proceed; no block needs another to be resident.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>

#include <cuda/functional>
#include <gimbal/algorithm/radix_sort/radix_scatter.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Up to `Items` keys and their values, in whole batches of `Batch`. A warp has consecutive positions of the tile, striped over its lanes.
/// How many items a lane holds (`lane_items`) is the same in all lanes of a launch.
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

  /// After count(). `joins`: some key may be a joined zero.
  GIMBAL_DEVICE unsigned digit(const radix_step& now, const order_type& order, bool joins, unsigned i) const
  {
    return now.range.digit(joins ? order.join(key[i]) : key[i]);
  }

  /// Loads from the tile that begins at item `first` and has `valid` items. Positions behind those get
  /// `filling`, a key that no other is ordered behind; as the sort is stable, it also stays behind keys that equal it.
  template <class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, key_type filling, index_type first,
    unsigned valid, unsigned lane_items)
  {
    const auto exists = [&](unsigned i) { return i < lane_items && position(ctx, lane_items, i) < valid; };
    // Those that may not be read are made without a branch, in registers that hold nothing yet.
    const bool are_positions = values.are_positions(now.source);
    if constexpr (Values::may_be_positions) {
      const auto mine = static_cast<value_type>(first + position(ctx, lane_items, 0));
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        value[i].set(mine + static_cast<value_type>(i * simt::warp_threads));
      }
    }
    load_keys<Items>(ctx, now, keys, filling, first, lane_items, 0, 0, exists);
    load_values<Items>(
      ctx, now, values, first, lane_items, 0, 0, [&](unsigned i) { return !are_positions && exists(i); });
  }

  /// Loads `Count` items from the `from`-th on, all of which exist, into registers from `place` on.
  template <unsigned Count, class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, index_type first, unsigned lane_items,
    unsigned from, unsigned place)
  {
    const auto exists = [](unsigned) { return true; };
    load_keys<Count>(ctx, now, keys, key_type{}, first, lane_items, from, place, exists);
    load_values<Count>(ctx, now, values, first, lane_items, from, place, exists);
  }

  /// Shifts items down by `Count`, which makes room behind the last.
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

  /// Adds the keys to the warp's counters and makes their bits distinct.
  template <class Context, class Counters>
  GIMBAL_DEVICE void count(
    Context& ctx, Counters& counts, const radix_step& now, const order_type& order, unsigned lane_items, bool joins)
  {
    if (order.is_floating()) {
      for_each(lane_items, [&](unsigned i) { key[i] = order.distinct(key[i]); });
    } else {
      for_each(lane_items, [&](unsigned i) { key[i] = order.flip(key[i]); });
    }
    const auto add_all = [&](auto joining) {
      for_each(lane_items, [&](unsigned i) { counts.add(ctx, digit(now, order, joining.value, i)); });
    };
    if (joins) {
      add_all(::cuda::std::true_type{});
    } else {
      add_all(::cuda::std::false_type{});
    }
  }

private:
  /// f(i) for the items that a lane has.
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
  GIMBAL_DEVICE void load_keys(
    Context& ctx, const radix_step& now, const Keys& keys, key_type filling, index_type first, unsigned lane_items,
    unsigned from, unsigned place, Exists exists)
  {
    keys.read(now.source, [&](auto source) {
      const auto mine = source + (first + position(ctx, lane_items, from));
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Count; ++j) {
        key[place + j] = exists(from + j) ? block::load_as<key_type>(mine + j * simt::warp_threads) : filling;
      }
    });
  }

  template <unsigned Count, class Context, class Exists>
  GIMBAL_DEVICE void load_values(
    Context& ctx, const radix_step& now, const Values& values, index_type first, unsigned lane_items, unsigned from,
    unsigned place, Exists exists)
  {
    if constexpr (has_values) {
      values.read(now.source, [&](auto source) {
        const auto mine = source + (first + position(ctx, lane_items, from));
        GIMBAL_UNROLL
        for (unsigned j = 0; j < Count; ++j) {
          if (exists(from + j)) {
            value[place + j].set(block::load_as<value_type>(mine + j * simt::warp_threads));
          }
        }
      });
    }
  }
};

template <class Shape, class Keys, class Values>
struct radix_pass : radix_tiles {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned main_threads = Shape::main_threads;
  static constexpr unsigned main_warps = main_threads / simt::warp_threads;
  static constexpr unsigned helper_warps = Shape::helper_warps;
  static constexpr unsigned block_threads = main_threads + helper_warps * simt::warp_threads;
  static constexpr unsigned items = Shape::items_per_thread;
  static constexpr unsigned batch = Shape::batch;
  static constexpr unsigned tile_items = main_threads * items;
  static constexpr unsigned digit_groups = block::radix_size / simt::warp_threads;
  static constexpr unsigned digits_per_lane = digit_groups / helper_warps;
  static_assert(main_threads % simt::warp_threads == 0 && digit_groups % helper_warps == 0, "whole warps");
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool has_even_shares = Shape::has_even_shares;
  static_assert(items % batch == 0, "whole batches");
  static_assert(!has_values || tile_items <= 1u << 16, "positions in a tile have 16 bits");
  static_assert(tile_items <= ~0u / block::radix_size, "frequencies have 32 bits");
  using thread_items = radix_thread_items<Keys, Values, items, batch>;
  using slots_type = block::radix_slots<key_type, bytes_of_values<Values>, tile_items>;
  using descriptors_type = block::radix_tile_descriptors<digits_per_lane, Shape::look_back_window>;
  using state_type = radix_state<block::most_radix_passes<key_type>>;
  /// Most tiles of a launch: a descriptor can hold the number of all its items, and launches share the descriptors.
  static constexpr index_type countable_tiles = tuning::most_radix_launch_items / tile_items;
  static_assert(tuning::most_radix_launch_items <= descriptors_type::count_mask, "a descriptor holds such a number");
  static constexpr index_type most_tiles = Shape::most_tiles < countable_tiles ? Shape::most_tiles : countable_tiles;

  using scatter = radix_scatter<radix_pass>;

  struct shared : slots_type::template arrays<value_type, has_values> {
    block::radix_run runs[2][block::radix_size];  ///< of the next tile and of the tile in its slots
    block::radix_counters<main_warps> counts;     ///< keys of each warp, later its next free slots
    unsigned totals[block::radix_size];           ///< keys of the tile
    unsigned reserved[block::radix_size];         ///< slots for the digits of the group before this one
    unsigned group_reserved[digit_groups];
    unsigned group_most[digit_groups];  ///< frequency of the most frequent digit of the group
    unsigned used[2];                   ///< slots, as runs
    unsigned claimed;
    unsigned is_unstable;
    bool joins_zeros;
  };

  Keys keys;
  Values values;
  block::radix_order<key_type> order;
  block::digit_plan plan;
  state_type* state;
  sort_aliasing aliasing;
  bool is_by_range;  ///< by a range of bits: equal keys may differ
  // Of this launch:
  unsigned step = 0;
  unsigned* words = nullptr;  ///< of the descriptors

  /// Sorts the launch's tiles by the step's digit.
  template <class Context>
  GIMBAL_DEVICE void sort_tiles(Context& ctx, shared& smem, const radix_step& now) const
  {
    if (ctx.thread() == 0) {
      smem.claimed = claim_tile(ctx);
      smem.is_unstable = 0;
      smem.joins_zeros = joins_zeros();
      if (smem.claimed == 0) {
        *next_ticket = 0;  // for the next launch
      }
    }
    ctx.sync_block();  // the first tile's number is known to every thread
    if (ctx.warp() < main_warps) {
      move_tiles(ctx, smem, now);
    } else {
      look_back_for_tiles(ctx, smem, now);
    }
  }

  GIMBAL_DEVICE bool joins_zeros() const { return state->has_joined_zero != 0; }
  /// Items of a lane that has a full share; a compile-time constant where shares are not made even.
  GIMBAL_DEVICE unsigned held() const { return has_even_shares ? lane_items : items; }
  GIMBAL_DEVICE unsigned warp_items() const { return held() * simt::warp_threads; }
  /// True if the warp loads its share of the tile, which is a full one, while it scatters that of the tile before. Positions in place of values
  /// are made in one place alone: more code would take registers from the keys.
  template <class Context>
  GIMBAL_DEVICE bool loads_ahead(const Context& ctx, const radix_step& now, unsigned tile) const
  {
    return !values.are_positions(now.source) && has_share(ctx, warp_items(), tile);
  }

private:
  using radix_rank_method = block::radix_rank_method;
  using radix_tile_ranking = block::radix_tile_ranking;

  /// The main warps. `next` is the tile in registers, `tile` the one in its slots, if there are such. Both roles pass the same
  /// four barriers for each pair.
  template <class Context>
  GIMBAL_DEVICE void move_tiles(Context& ctx, shared& smem, const radix_step& now) const
  {
    const bool needs_match_any = (!has_values && is_by_range) || smem.joins_zeros;
    radix_tile_ranking ranking(radix_rank_method::by_match_any, 0, 0);
    unsigned tile = tiles;
    unsigned next = smem.claimed;
    thread_items mine;
    smem.counts.clear(ctx);
    for (unsigned side = 0; next < tiles || tile < tiles; side ^= 1) {
      if (next < tiles) {
        if (tile == tiles || !loads_ahead(ctx, now, next)) {  // else loaded while `tile` was scattered
          mine.load(ctx, now, keys, values, order.last(), first_of(next), valid_of(next), held());
        }
        if (has_items(ctx, warp_items(), next)) {
          mine.count(ctx, smem.counts, now, order, held(), smem.joins_zeros);
        }
      }
      ctx.sync_block();  // next: the counts of all warps are there; tile: keys, origins and values are in place
      if (next < tiles) {
        sum_and_publish(ctx, smem, now, next);
      }
      ctx.sync_block();  // next: totals and reservations are there
      if (
        tile < tiles
        && !algorithm::write_radix_tile<slots_type, main_threads, Shape::write_batch>(
          ctx, smem, now, order, side ^ 1, keys, values)
        && ranking.needs_verification()) {
        ctx.atomic_shared(smem.is_unstable).store(1u, ::cuda::std::memory_order_relaxed);
      }
      ctx.sync_block();  // next: its runs are known; tile: has been written out and verified
      if (next < tiles) {
        block::for_each_digit<main_threads>(
          ctx, [&](unsigned digit) { smem.counts.start(digit, smem.runs[side][digit].first); });
      }
      tile = next;
      next = tile < tiles ? smem.claimed : tiles;
      ctx.sync_block();  // every warp knows its slots; the slots of the tile before are free
      if (tile < tiles) {
        const bool by_match_any = !Shape::ranks_by_atomics || needs_match_any;
        ranking = block::choose_ranking<Shape::contention_divisor>(smem.group_most, tile_size, by_match_any);
        scatter{*this}.move(ctx, smem, now, tile, next, side, ranking, mine);
      }
    }
  }

  /// The helper warps: a separate loop, which needs no registers for keys.
  template <class Context>
  GIMBAL_DEVICE void look_back_for_tiles(Context& ctx, shared& smem, const radix_step& now) const
  {
    unsigned tile = tiles;
    unsigned next = smem.claimed;
    if (next == 0) {  // one block
      descriptors(now).publish_empty(ctx, tiles, part_tiles, ctx.thread() - main_threads, block_threads - main_threads);
    }
    for (unsigned side = 0; next < tiles || tile < tiles; side ^= 1) {
      ctx.sync_block();  // counts
      ctx.sync_block();  // totals and reservations
      if (next < tiles) {
        look_back(ctx, smem, now, next, side);
      }
      ctx.sync_block();  // runs
      if (ctx.warp() == main_warps && smem.is_unstable != 0) {
        rerank(ctx, smem, now, tile, side ^ 1);
      }
      tile = next;
      next = tile < tiles ? smem.claimed : tiles;
      ctx.sync_block();  // slots
    }
  }

  /// Sums the digit counts over the warps, publishes them, and reserves slots for each digit.
  template <class Context>
  GIMBAL_DEVICE void sum_and_publish(Context& ctx, shared& smem, const radix_step& now, unsigned tile) const
  {
    const unsigned fill = (warp_items() - valid_of(tile) % warp_items()) % warp_items();
    const unsigned fill_digit = now.range.digit(order.ordered(order.last()));
    block::for_each_digit<main_threads>(ctx, [&](unsigned digit) {
      const unsigned total = smem.counts.total(digit);
      const unsigned real = digit == fill_digit ? total - fill : total;
      if (tile == 0) {
        descriptors(now).publish_inclusive_prefix(ctx, 0, digit, real);
      } else {
        descriptors(now).publish_aggregate(ctx, tile, digit, real);
      }
      uninit<unsigned> through;
      uninit<unsigned> most;
      const unsigned own = slots_type::reserve(digit, total);
      through.set(own);
      most.set(block::radix_frequency(digit, real));
      block::warp_inclusive_scan(ctx, through, simt::warp_threads, ::cuda::std::plus<unsigned>{});
      block::warp_fold(ctx, most, simt::warp_threads, ::cuda::maximum<unsigned>{});
      smem.totals[digit] = real;
      smem.reserved[digit] = through.get() - own;
      if (ctx.lane() == simt::warp_threads - 1) {
        smem.group_reserved[digit / simt::warp_threads] = through.get();
      }
      if (ctx.lane() == 0) {
        smem.group_most[digit / simt::warp_threads] = most.get();
      }
    });
  }

  GIMBAL_DEVICE descriptors_type descriptors(const radix_step& now) const
  {
    return {words, ((now.passes_before & parts) ^ part) % 2u};  // parity of passes_before * parts + part
  }

  /// Looks back, which gives the begin of each run in the output and hence in shared memory. Claims the block's next tile.
  template <class Context>
  GIMBAL_DEVICE void look_back(Context& ctx, shared& smem, const radix_step& now, unsigned tile, unsigned side) const
  {
    const unsigned group = (ctx.warp() - main_warps) * digits_per_lane;
    const unsigned digit = group * simt::warp_threads + ctx.lane();
    index_type* const base = state->bases[now.pass][state_type::base_row(part)];
    index_type* const next_base = state->bases[now.pass][state_type::base_row(part + 1)];
    index_type place[digits_per_lane];  // loaded while waiting
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_lane; ++k) {
      place[k] = base[digit + k * simt::warp_threads];
    }
    unsigned before[digits_per_lane];
    descriptors(now).look_back(ctx, tile, digit, before);
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_lane; ++k) {
      const unsigned d = digit + k * simt::warp_threads;
      if (tile != 0) {
        descriptors(now).publish_inclusive_prefix(ctx, tile, d, before[k] + smem.totals[d]);
      }
      place[k] += before[k];
    }
    const bool claims = group == 0 && ctx.lane() == 0;
    const unsigned claimed = claims ? claim_tile(ctx) : tiles;  // completes while the runs are laid out
    unsigned start = 0;
    for (unsigned g = 0; g < group; ++g) {
      start += smem.group_reserved[g];
    }
    const auto lay_out = [&](auto out) {
      GIMBAL_UNROLL
      for (unsigned k = 0; k < digits_per_lane; ++k) {
        const unsigned d = digit + k * simt::warp_threads;
        const unsigned total = smem.totals[d];
        if (tile == tiles - 1) {
          next_base[d] = place[k] + total;
        }
        const unsigned first = start + smem.reserved[d] + slots_type::phase(out, place[k]);
        smem.runs[side][d] = {place[k] - first, first, first + total};
        start += smem.group_reserved[group + k];
      }
    };
    keys.write(now.target, lay_out);
    if (group + digits_per_lane == digit_groups && ctx.lane() == 0) {
      smem.used[side] = start;
    }
    if (claims) {
      smem.claimed = claimed;
    }
    if (claimed < tiles) {
      algorithm::fetch_items(ctx, now.source, keys, first_of(claimed), valid_of(claimed));
      if (!values.are_positions(now.source)) {
        algorithm::fetch_items(ctx, now.source, values, first_of(claimed), valid_of(claimed));
      }
    }
  }

  /// One helper warp, while the others go on.
  template <class Context>
  GIMBAL_DEVICE void rerank(Context& ctx, shared& smem, const radix_step& now, unsigned tile, unsigned side) const
  {
    unsigned* const digit_offsets = smem.reserved;  // free: what it held went into the runs
    algorithm::rerank_radix_tile(
      ctx, now, order, first_of(tile), valid_of(tile), smem.runs[side], digit_offsets, keys, values);
    if (ctx.lane() == 0) {
      smem.is_unstable = 0;
      smem.joins_zeros = joins_zeros();
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
