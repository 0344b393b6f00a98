// Ranking the tile that a warp of a radix pass (radix_pass.cuh) holds in registers, and moving it to its slots in shared memory.
//
// Every warp has a counter per digit, set to the slot of its first such key; one atomic addition that returns the old count
// gives a key its slot (ctx.count_by_lanes). That is stable only if the hardware serves the lanes of a warp in order, which
// no documentation promises. So every tile is verified, and a helper warp ranks a tile that fails again, by match_any:
//   * With values, each slot keeps the position its key came from. The slots of a run
//     hold exactly the keys of one digit, in whatever order; it is stable if and only if positions ascend along each run.
//   * Other keys alone are sorted by all of their bits (by a range of bits they are ranked by match_any), so
//     equal keys are equal in all bits and only the final values matter, not which of two equal keys came first. Passes go from
//     the lowest digit up, so the input of a pass is sorted by the bits below its digit, and so is every tile. It is verified that
//     these lower bits do not descend within a run; as runs of successive tiles are joined in tile order, the output is sorted by
//     all bits up to this digit, which is all that the next pass relies on. In the first pass nothing has to be verified.
// Where zeros of both signs may occur, which are equal but differ in bits, all tiles are ranked by match_any: where some key is the zero
// that counts as the other one (-0.0 ascending, +0.0 descending).
// A warp that holds less than its full share of the last tile ranks by match_any: its padding must come last. In tiles with a digit so
// frequent that atomics to its counter would serialise, the two most frequent digits are counted by ballots and the others by
// atomics; where all keys have the same digit, ranks are positions. A warp most of whose lanes have the same digit, though the tile
// does not, takes the frequent digits from its own next items: such input has equal keys side by side.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_rank_methods.cuh>
#include <gimbal/algorithm/radix_sort/radix_slots.cuh>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Pass`: radix_pass.
template <class Pass>
struct radix_scatter {
  using key_type = typename Pass::key_type;
  using shared = typename Pass::shared;
  using thread_items = typename Pass::thread_items;
  using radix_rank_method = block::radix_rank_method;
  using radix_tile_ranking = block::radix_tile_ranking;
  static constexpr unsigned items = Pass::items;
  static constexpr unsigned batch = Pass::batch;

  const Pass& pass;

  /// Moves the tile from registers to its slots and, if the warp has its full share of the next tile, loads that. Each warp chooses
  /// its own code: nearly all hold a full share. The code for the others has to be short: run once in a pass, it is fetched
  /// from memory while all other blocks wait for the pass to end.
  template <class Context>
  GIMBAL_DEVICE void move(
    Context& ctx, shared& smem, const radix_step& now, unsigned tile, unsigned next, unsigned side,
    const radix_tile_ranking& ranking, thread_items& mine) const
  {
    const bool loads = next < pass.tiles && pass.has_share(ctx, pass.warp_items(), next);
    if (pass.has_share(ctx, pass.warp_items(), tile) && ranking.needs_verification()) {
      scatter_share(ctx, smem, now, loads, next, ranking, mine);
    } else if (pass.has_items(ctx, pass.warp_items(), tile)) {
      scatter_in_loop(ctx, smem, now, loads, next, side, ranking.method() == radix_rank_method::by_position, mine);
    }
    ctx.sync_warp();  // all lanes have their last slot
    smem.counts.clear(ctx);
  }

private:
  /// For a warp that has its full share: by atomics, or with frequent digits apart. All cases with frequent digits share one copy of
  /// the code: warps of a block that run different code wait for instructions.
  template <class Context>
  GIMBAL_DEVICE void scatter_share(
    Context& ctx, shared& smem, const radix_step& now, bool loads, unsigned next, const radix_tile_ranking& ranking,
    thread_items& mine) const
  {
    const bool is_contended = ranking.is_contended(ctx, mine.digit(now, pass.order, false, 0));
    if (ranking.method() == radix_rank_method::by_atomics && !is_contended) {
      const radix_tile_ranking atomics(radix_rank_method::by_atomics, 0, 0);
      scatter_and_load(ctx, smem, now, loads, next, atomics, false, mine);
    } else {
      const radix_tile_ranking frequent(
        radix_rank_method::by_frequent_digits, ranking.frequent_digit(0), ranking.frequent_digit(1));
      scatter_and_load(ctx, smem, now, loads, next, frequent, is_contended, mine);
    }
  }

  /// By atomics, or with frequent digits apart; `uses_own_digits`: those of the warp's own items.
  template <class Context>
  GIMBAL_DEVICE void scatter_and_load(
    Context& ctx, shared& smem, const radix_step& now, bool loads, unsigned next, const radix_tile_ranking& ranking,
    bool uses_own_digits, thread_items& mine) const
  {
    block::rank_in_batches<items, batch>(
      ctx, ranking, uses_own_digits, pass.held(), smem.counts.of_warp[ctx.warp()],
      [&](unsigned i) { return mine.digit(now, pass.order, false, i); },
      [&](const unsigned(&slot)[batch], unsigned from) {
        store(ctx, smem, slot, mine, from, from);
        if (loads) {
          mine.template load<batch>(ctx, now, pass.keys, pass.values, pass.first_of(next), pass.held(), from, from);
        }
      });
  }

  /// By match_any or by position, in a loop: a batch goes to its slots and the others move up. Padding is ranked, too, behind all
  /// keys that equal it.
  template <class Context>
  GIMBAL_DEVICE void scatter_in_loop(
    Context& ctx, shared& smem, const radix_step& now, bool loads, unsigned next, unsigned side, bool is_by_position,
    thread_items& mine) const
  {
    const auto digit = [&](unsigned i) { return mine.digit(now, pass.order, true, i); };
    const unsigned start = smem.runs[side][digit(0)].first;
    GIMBAL_NO_UNROLL
    for (unsigned from = 0; from < items; from += batch) {
      if (from >= pass.held()) {
        mine.template move_up<batch>();
        continue;
      }
      unsigned slot[batch];
      if (is_by_position) {
        GIMBAL_UNROLL
        for (unsigned j = 0; j < batch; ++j) {
          slot[j] = start + mine.position(ctx, pass.held(), from + j);
        }
      } else {
        block::rank_items_by_match_any(ctx, smem.counts.of_warp[ctx.warp()], digit, slot);
      }
      store(ctx, smem, slot, mine, 0, from);
      mine.template move_up<batch>();
      if (loads) {
        mine.template load<batch>(
          ctx, now, pass.keys, pass.values, pass.first_of(next), pass.held(), from, items - batch);
      }
    }
  }

  /// Stores the items in registers `place` and up, which are the warp's `from`-th and up.
  template <class Context>
  GIMBAL_DEVICE void store(
    Context& ctx, shared& smem, const unsigned (&slot)[batch], const thread_items& mine, unsigned place,
    unsigned from) const
  {
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      if constexpr (Pass::has_values) {
        smem.put(slot[j], mine.key[place + j], mine.position(ctx, pass.held(), from + j), mine.value[place + j]);
      } else {
        smem.put(slot[j], mine.key[place + j], mine.position(ctx, pass.held(), from + j));
      }
    }
  }
};

/// One warp ranks the tile's `valid` items, from `first` on, by match_any and writes each to its place. Slow, but never seen to be
/// needed. `digit_offsets`: shared memory, one word for each digit.
template <class Context, class Keys, class Values>
GIMBAL_DEVICE void rerank_radix_tile(
  Context& ctx, const radix_step& now, const block::radix_order<typename Keys::value_type>& order, index_type first,
  unsigned valid, const block::radix_run* runs, unsigned* digit_offsets, const Keys& keys, const Values& values)
{
  using key_type = typename Keys::value_type;
  for (unsigned d = ctx.lane(); d < block::radix_size; d += simt::warp_threads) {
    digit_offsets[d] = runs[d].first;
  }
  ctx.sync_warp();  // all offsets are there before the first is added to
  for (unsigned from = 0; from < valid; from += simt::warp_threads) {
    const unsigned p = from + ctx.lane();
    key_type key = order.last();  // behind the last item: ordered last
    if (p < valid) {
      keys.read(now.source, [&](auto source) { key = block::load_as<key_type>(source + (first + p)); });
    }
    const unsigned digit = now.range.digit(order.ordered(key));
    const index_type place = block::rank_by_match_any(ctx, digit_offsets, digit) + runs[digit].shift;
    if (p < valid) {
      keys.write(now.target, [&](auto out) { *(out + place) = key; });
      if constexpr (bytes_of_values<Values> != 0) {
        using value_type = typename Values::value_type;
        values.read(now.source, [&](auto source) {
          values.write(
            now.target, [&](auto out) { *(out + place) = block::load_as<value_type>(source + (first + p)); });
        });
      }
    }
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
