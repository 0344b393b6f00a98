// One pass of the radix engine (radix_engine.cuh): moves keys, and values with them, to where one digit orders them.
//
// A block takes tiles as large as its shared memory, or smaller ones if each block has few, one after the other. Main
// warps hold the keys of one tile in registers; few helper warps do what only waits. Tile k and its successor in the
// block, k+1, overlap:
//
//   main      rank k, put it into slots, load k+1 | count k+1 | publish k+1 | write k out      | starts of k+1
//   helpers                                       |           |             | look back of k+1 |
//
// Ranks. Every warp has a counter per digit, set to the slot of its first such key. One addition that returns the old count
// gives a key its slot (ctx.count_by_lanes). That is a stable order only if the hardware serves the lanes of a warp in order,
// which is documented nowhere. So it is verified for every tile, and a tile that fails is written anew, by votes, by a helper:
//   * With values, and of keys sorted by a range of their bits, each slot keeps the position its key came from. Counting put
//     exactly the keys of one digit into the slots of a run, whatever the order; the order is stable if and only if positions
//     ascend along each run.
//   * Keys alone are sorted by all of their bits otherwise (a kernel that keeps no positions votes for a range of bits), and
//     equal keys are equal in all bits, but for zeros of both signs: a warp that has a zero of the sign that counts as the
//     other, -0.0 ascending and +0.0 descending, votes for the zeros' digit. Then only the values that end up in the output
//     matter, not which of two equal keys came first. Passes are by ascending digits, so a pass gets its input sorted by the
//     bits from the first pass's digit up to its own, and every tile is a piece of that. It is verified that within each run
//     these lower bits do not descend; as runs of successive tiles are joined in order of the tiles, the output is sorted by
//     the bits up to and with this digit, which is all that the next pass, or who comes after the last, relies on. In the first
//     pass nothing needs to be verified.
// A warp that has not its full share of the last tile ranks by votes: what fills that up must come last. In tiles many of whose
// keys have the same digit, where additions to one address would queue up, the two leading digits are voted for and the others
// added; with one digit alone, ranks are positions. A warp most of whose lanes have one digit, though few of the tile's keys
// have it, lets the digits of its next few items lead: equal keys stand side by side in such an input.
//
// Memory order: words between blocks stand for themselves (algorithm/radix_sort/radix_tally.cuh). Everything else is shared memory, and
// ordered by the block's barriers; a warp's own counters by sync_warp().
// Progress: tiles are drawn in order by blocks that run. A tile makes its counts known after waiting for nothing but earlier
// tiles (its block's tile before), so the earliest tile that waits can always go on; no block needs another to be resident.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>

#include <cuda/functional>
#include <cuda/std/functional>
#include <gimbal/algorithm/radix_sort/radix_draw.cuh>
#include <gimbal/algorithm/radix_sort/radix_fill.cuh>
#include <gimbal/algorithm/radix_sort/radix_part.cuh>
#include <gimbal/algorithm/radix_sort/radix_repair.cuh>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>
#include <gimbal/algorithm/radix_sort/radix_tally.cuh>
#include <gimbal/algorithm/radix_sort/radix_tiles.cuh>
#include <gimbal/algorithm/radix_sort/radix_write.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Keys that are not moved (`MovesKeys`) have one byte, all of which is sorted by: their counts tell the output
/// (radix_fill.cuh). `KeepsOrigins`: of keys alone, too.
template <class Shape, class Order, class Keys, class Values, bool MovesKeys = true, bool KeepsOrigins = false>
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
  static constexpr bool has_origins = has_values || KeepsOrigins;
  static constexpr bool moves_keys = MovesKeys;
  static constexpr bool tells_zeros_apart =
    !has_origins && block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point;
  static constexpr bool has_even_shares = Shape::has_even_shares && !tells_zeros_apart;  // with those, registers spill
  static_assert(items % batch == 0, "whole batches");
  static_assert(!has_origins || tile_items <= 1u << 16, "positions in a tile have 16 bits");
  static_assert(tile_items <= ~0u / block::radix_size, "frequencies have 32 bits");
  using tile_part = radix_part<Order, Keys, Values, items, batch>;
  using slots = typename radix_slots_of<key_type, bytes_of_values<Values>, tile_items, MovesKeys>::type;
  using tally_type = block::radix_tally<digits_per_lane, Shape::look_back_window>;
  using state_type = radix_state<block::most_radix_passes<key_type>>;
  /// Most tiles of a launch: a word can hold the number of all its items, and launches have the same words in turn.
  static constexpr index_type countable_tiles = tuning::most_radix_launch_items / tile_items;
  static_assert(tuning::most_radix_launch_items <= tally_type::count_mask, "a word holds such a number");
  static constexpr index_type most_tiles = Shape::most_tiles < countable_tiles ? Shape::most_tiles : countable_tiles;

  using filler = radix_filler<Order, Keys>;
  struct no_table {};

  struct shared : slots::template arrays<value_type, has_values, has_origins> {
    block::radix_run runs[2][block::radix_size];  ///< of the tile to come and the tile in its slots
    block::radix_counters<main_warps> counts;     ///< keys of each warp, later its next free slots
    unsigned totals[block::radix_size];           ///< keys of the tile
    unsigned reserved[block::radix_size];         ///< slots for the digits of the group before this one
    unsigned group_reserved[digit_groups];
    unsigned group_most[digit_groups];  ///< frequency of the most frequent digit of the group
    unsigned used[2];                   ///< slots, as runs
    unsigned claimed;
    unsigned is_unstable;
    bool joins_zeros;
    ::cuda::std::conditional_t<MovesKeys, no_table, typename filler::table> bytes;  ///< of the output
  };

  Keys keys;
  Values values;
  block::digit_plan plan;
  state_type* state;
  sort_aliasing aliasing;
  bool is_by_range;  ///< of bits: equal keys may differ
  bool fills_keys;   ///< beside the pass, which does not move them
  // Of this launch:
  unsigned step = 0;
  unsigned* words = nullptr;

  /// Sorts the launch's tiles by the step's digit.
  template <class Context>
  GIMBAL_DEVICE void sort_tiles(Context& ctx, shared& smem, const radix_step& now) const
  {
    if (ctx.thread() == 0) {
      smem.claimed = claim_tile(ctx);
      smem.is_unstable = 0;
      smem.joins_zeros = tells_zeros_apart && joins_zeros();
      if (smem.claimed == 0) {
        *next_ticket = 0;  // for the next launch
      }
    }
    if constexpr (!MovesKeys) {
      if (fills_keys) {
        filler::set(ctx, smem.bytes, n, [&](unsigned digit) { return state->bases[0][0][digit]; });
      }
    }
    ctx.sync_block();  // the first tile's number, and the output's bytes, are known to every thread
    if (ctx.warp() < main_warps) {
      move_tiles(ctx, smem, now);
    } else {
      look_back_for_tiles(ctx, smem, now);
    }
  }

  GIMBAL_DEVICE bool joins_zeros() const { return state->has_joined_zero != 0; }

private:
  /// Items of a lane that has a full share, known when compiled where shares are not made even.
  GIMBAL_DEVICE unsigned held() const { return has_even_shares ? lane_items : items; }
  GIMBAL_DEVICE unsigned warp_items() const { return held() * simt::warp_threads; }

  using radix_ranking = block::radix_ranking;
  using radix_choice = block::radix_choice;

  /// The main warps. `next` is the tile in registers, `tile` the one in its slots, if there are such; the two roles
  /// meet at the same four barriers for each pair of them.
  template <class Context>
  GIMBAL_DEVICE void move_tiles(Context& ctx, shared& smem, const radix_step& now) const
  {
    const bool needs_votes = !has_origins && is_by_range;
    radix_choice choice(radix_ranking::by_votes, 0, 0);
    unsigned tile = tiles;
    unsigned next = smem.claimed;
    tile_part mine;
    smem.counts.clear(ctx);
    for (unsigned side = 0; next < tiles || tile < tiles; side ^= 1) {
      if (next < tiles) {
        if (tile == tiles || !has_share(ctx, warp_items(), next)) {  // else it took the place of `tile`
          mine.load(ctx, now, keys, values, first_of(next), valid_of(next), held());
        }
        if (has_items(ctx, warp_items(), next)) {
          mine.count(ctx, smem.counts, now, held(), has_origins || smem.joins_zeros);
        }
      }
      ctx.sync_block();  // next: the counts of all warps are there; tile: keys, origins and values are in place
      if (next < tiles) {
        sum_and_publish(ctx, smem, now, next);
      }
      ctx.sync_block();  // next: totals and reservations are there
      if (tile < tiles && !write_out(ctx, smem, now, side ^ 1) && choice.is_by_additions()) {
        ctx.atomic_shared(smem.is_unstable).store(1u, ::cuda::std::memory_order_relaxed);
      }
      ctx.sync_block();  // next: its runs are known; tile: has been written out and judged
      if (next < tiles) {
        block::for_each_digit<main_threads>(
          ctx, [&](unsigned digit) { smem.counts.start(digit, smem.runs[side][digit].first); });
      }
      tile = next;
      next = tile < tiles ? smem.claimed : tiles;
      ctx.sync_block();  // every warp knows its slots; the slots of the tile before are free
      if (tile < tiles) {
        const bool by_votes = !Shape::ranks_by_additions || needs_votes;
        choice = block::choose_ranking<Shape::crowded_part>(smem.group_most, tile_size, by_votes);
        scatter(ctx, smem, now, tile, next, side, choice, mine);
      }
    }
  }

  /// The helper warps. A role of their own, as they need not hold keys in registers.
  template <class Context>
  GIMBAL_DEVICE void look_back_for_tiles(Context& ctx, shared& smem, const radix_step& now) const
  {
    unsigned tile = tiles;
    unsigned next = smem.claimed;
    if (next == 0) {  // one block
      tally(now).leave(ctx, tiles, part_tiles, ctx.thread() - main_threads, block_threads - main_threads);
    }
    for (unsigned side = 0; next < tiles || tile < tiles; side ^= 1) {
      ctx.sync_block();  // counts
      ctx.sync_block();  // totals and reservations
      if (next < tiles) {
        look_back(ctx, smem, now, next, side);
      }
      ctx.sync_block();  // runs
      if (ctx.warp() == main_warps && smem.is_unstable != 0) {
        repair(ctx, smem, now, tile, side ^ 1);
      }
      tile = next;
      next = tile < tiles ? smem.claimed : tiles;
      ctx.sync_block();  // slots
      if constexpr (!MovesKeys) {
        if (fills_keys && tile < tiles) {  // of the output, what the tile is of the input
          const index_type first = first_of(tile);
          filler::fill_range(
            smem.bytes, keys, n, first, first + valid_of(tile), ctx.thread() - main_threads,
            block_threads - main_threads);
        }
      }
    }
  }

  /// Sums over the warps, made known to the other tiles, and the slots that the digits take.
  template <class Context>
  GIMBAL_DEVICE void sum_and_publish(Context& ctx, shared& smem, const radix_step& now, unsigned tile) const
  {
    const unsigned fill = (warp_items() - valid_of(tile) % warp_items()) % warp_items();
    const unsigned fill_digit = now.range.template digit<Order>(block::last_key<Order, key_type>());
    block::for_each_digit<main_threads>(ctx, [&](unsigned digit) {
      const unsigned total = smem.counts.total(digit);
      const unsigned real = digit == fill_digit ? total - fill : total;
      if (tile == 0) {
        tally(now).publish_all_so_far(ctx, 0, digit, real);
      } else {
        tally(now).publish_tile(ctx, tile, digit, real);
      }
      uninit<unsigned> through;
      uninit<unsigned> most;
      const unsigned own = slots::reserve(digit, total);
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

  GIMBAL_DEVICE tally_type tally(const radix_step& now) const
  {
    return {words, ((now.passes_before & parts) ^ part) % 2u};  // of passes_before * parts + part
  }

  /// Where the runs of the tile begin, in the output and hence in shared memory. Draws the block's tile after this one.
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
    tally(now).look_back(ctx, tile, digit, before);
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_lane; ++k) {
      const unsigned d = digit + k * simt::warp_threads;
      if (tile != 0) {
        tally(now).publish_all_so_far(ctx, tile, d, before[k] + smem.totals[d]);
      }
      place[k] += before[k];
    }
    const bool draws = group == 0 && ctx.lane() == 0;
    const unsigned drawn = draws ? claim_tile(ctx) : tiles;  // arrives while the runs are laid out
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
        const unsigned first = start + smem.reserved[d] + slots::phase(out, place[k]);
        smem.runs[side][d] = {place[k] - first, first, first + total};
        start += smem.group_reserved[group + k];
      }
    };
    if constexpr (MovesKeys) {
      keys.write(now.target, lay_out);
    } else {
      values.write(now.target, lay_out);
    }
    if (group + digits_per_lane == digit_groups && ctx.lane() == 0) {
      smem.used[side] = start;
    }
    if (draws) {
      smem.claimed = drawn;
    }
    if (drawn < tiles) {
      fetch_items(ctx, now.source, keys, first_of(drawn), valid_of(drawn));
      fetch_items(ctx, now.value_source, values, first_of(drawn), valid_of(drawn));
    }
  }

  /// The tile goes from registers to its slots, the next one takes its place in the registers, if the warp has its full
  /// share of that. Each warp goes its own way: nearly all hold a full share, and what is left to others has to be short, as
  /// code that runs once in a pass is fetched from memory while all other blocks wait for the pass to end.
  template <class Context>
  GIMBAL_DEVICE void scatter(
    Context& ctx, shared& smem, const radix_step& now, unsigned tile, unsigned next, unsigned side,
    const radix_choice& choice, tile_part& mine) const
  {
    const bool loads = next < tiles && has_share(ctx, warp_items(), next);
    if (has_share(ctx, warp_items(), tile) && choice.is_by_additions()) {
      scatter_share(ctx, smem, now, loads, next, choice, mine);
    } else if (has_items(ctx, warp_items(), tile)) {
      scatter_in_turns(ctx, smem, now, loads, next, side, choice.ranking() == radix_ranking::by_position, mine);
    }
    ctx.sync_warp();  // all lanes have drawn their last slot
    smem.counts.clear(ctx);
  }

  /// Of a warp that has its full share, by additions as far as these may rank it. All that needs leaders is one piece of code: warps
  /// of a block that are in different pieces wait for instructions.
  template <class Context>
  GIMBAL_DEVICE void scatter_share(
    Context& ctx, shared& smem, const radix_step& now, bool loads, unsigned next, const radix_choice& choice,
    tile_part& mine) const
  {
    const bool has_zero = tells_zeros_apart && smem.joins_zeros && mine.has_joined_zero(ctx);
    const bool is_crowded = !has_zero && choice.is_crowded(ctx, mine.template digit<true>(now, 0));
    if (choice.ranking() == radix_ranking::by_additions && !is_crowded && !has_zero) {
      const radix_choice additions(radix_ranking::by_additions, 0, 0);
      scatter_and_load<has_origins>(ctx, smem, now, loads, next, additions, false, mine);
    } else {
      const unsigned zero = now.range.digit_of_ordered(block::ordered_bits<Order>(key_type{}));
      const unsigned first = has_zero ? zero : choice.leader(0);
      const unsigned second = choice.leader(has_zero && choice.leader(0) != zero ? 0 : 1);
      const radix_choice leaders(radix_ranking::by_leaders, first, second);
      scatter_and_load<true>(ctx, smem, now, loads, next, leaders, is_crowded, mine);
    }
  }

  /// By additions or leaders. `leads_itself`: the digits that lead are those of the warp's own items. Without `JoinsZeros` none
  /// is a joined zero.
  template <bool JoinsZeros, class Context>
  GIMBAL_DEVICE void scatter_and_load(
    Context& ctx, shared& smem, const radix_step& now, bool loads, unsigned next, const radix_choice& choice,
    bool leads_itself, tile_part& mine) const
  {
    block::draw_in_batches<items, batch>(
      ctx, choice, leads_itself, held(), smem.counts.of_warp[ctx.warp()],
      [&](unsigned i) { return mine.template digit<JoinsZeros>(now, i); },
      [&](const unsigned(&slot)[batch], unsigned from) {
        store(ctx, smem, slot, mine, from, from);
        if (loads) {
          mine.template load<batch>(ctx, now, keys, values, first_of(next), held(), from, from);
        }
      });
  }

  /// By votes or by position, in a loop: a batch goes to its slots and the others move up. What fills up the tile is drawn
  /// for, too, after all that equals it.
  template <class Context>
  GIMBAL_DEVICE void scatter_in_turns(
    Context& ctx, shared& smem, const radix_step& now, bool loads, unsigned next, unsigned side, bool is_by_position,
    tile_part& mine) const
  {
    const auto digit = [&](unsigned i) { return mine.template digit<true>(now, i); };
    const unsigned start = smem.runs[side][digit(0)].first;
    GIMBAL_NO_UNROLL
    for (unsigned from = 0; from < items; from += batch) {
      if (from >= held()) {
        mine.template move_up<batch>();
        continue;
      }
      unsigned slot[batch];
      if (is_by_position) {
        GIMBAL_UNROLL
        for (unsigned j = 0; j < batch; ++j) {
          slot[j] = start + mine.position(ctx, held(), from + j);
        }
      } else {
        block::draw_sure_slots(ctx, smem.counts.of_warp[ctx.warp()], digit, slot);
      }
      store(ctx, smem, slot, mine, 0, from);
      mine.template move_up<batch>();
      if (loads) {
        mine.template load<batch>(ctx, now, keys, values, first_of(next), held(), from, items - batch);
      }
    }
  }

  /// Items in registers `place` and up, which are the warp's `from`-th and up.
  template <class Context>
  GIMBAL_DEVICE void store(
    Context& ctx, shared& smem, const unsigned (&slot)[batch], const tile_part& mine, unsigned place,
    unsigned from) const
  {
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      if constexpr (has_values) {
        smem.put(slot[j], mine.key[place + j], mine.position(ctx, held(), from + j), mine.value[place + j]);
      } else {
        smem.put(slot[j], mine.key[place + j], mine.position(ctx, held(), from + j));
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE bool write_out(Context& ctx, shared& smem, const radix_step& now, unsigned side) const
  {
    return write_radix_tile<slots, main_threads, Shape::write_batch, Order, has_origins>(
      ctx, smem, now, side, keys, values);
  }

  /// One helper warp, while the others go on.
  template <class Context>
  GIMBAL_DEVICE void repair(Context& ctx, shared& smem, const radix_step& now, unsigned tile, unsigned side) const
  {
    unsigned* const next_slots = smem.reserved;  // what it held went into the runs
    write_radix_tile_anew<Order, MovesKeys>(
      ctx, now, first_of(tile), valid_of(tile), smem.runs[side], next_slots, keys, values);
    if (ctx.lane() == 0) {
      smem.is_unstable = 0;
      smem.joins_zeros = tells_zeros_apart && joins_zeros();
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
