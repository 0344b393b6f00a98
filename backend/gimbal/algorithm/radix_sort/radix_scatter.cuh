// Ranking the keys that a warp of a radix pass (radix_pass.cuh) holds in registers by a digit, and moving them to their
// slots in shared memory: each key gets the next free slot of its digit, from a counter per warp and digit in shared
// memory. Four methods:
//
// * Atomics: one atomic addition per key, which returns the old count. Stable only if the hardware serves the lanes of
//   a warp from the lowest to the highest, and the additions of a lane in program order. Neither is documented: the
//   result is verified.
// * Frequent digits: as above, but keys with one of two frequent digits are counted by a ballot each, so that atomics
//   to these counters do not serialise.
// * Match: the lanes with the same digit find one another (match_any, a ballot per bit), and the last of them adds for
//   all. Relies on documented behaviour alone: one lane adds at a time, with sync_warp() in between.
// * Position: all keys of the tile have the same digit, so a key's rank is its position.
//
// Every tile is verified, and a helper warp ranks a tile that fails again, by match_any:
//   * With values, each slot keeps the position its key came from. The slots of a run hold exactly the keys of one
//     digit, in whatever order; it is stable if and only if positions ascend along each run.
//   * Other keys alone are sorted by all of their bits (by a range of bits they are ranked by match_any), so equal keys
//     are equal in all bits and only the final values matter, not which of two equal keys came first. Passes go from
//     the lowest digit up, so the input of a pass is sorted by the bits below its digit, and so is every tile. It is
//     verified that these lower bits do not descend within a run; as runs of successive tiles are joined in tile order,
//     the output is sorted by all bits up to this digit, which is all that the next pass relies on. In the first pass
//     nothing has to be verified.
// Where zeros of both signs may occur, which are equal but differ in bits, all tiles are ranked by match_any: where
// some key is the zero that counts as the other one (-0.0 ascending, +0.0 descending).
// A warp that holds less than its full share of the last tile ranks by match_any: its padding must come last. A warp
// most of whose lanes have the same digit, though the tile does not, takes the frequent digits from its own next items:
// such input has equal keys next to each other.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_slots.cuh>
#include <gimbal/simt/match_bits.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

enum class radix_rank_method { by_atomics, by_frequent_digits, by_own_digits, by_match_any, by_position };

/// A digit and the number of keys that have it in one word, so that the maximum over digits is the most frequent one.
GIMBAL_DEVICE unsigned radix_frequency(unsigned digit, unsigned keys) { return keys * radix_size + digit; }

/// How a tile is ranked, and its two most frequent digits.
class radix_tile_ranking {
public:
  GIMBAL_DEVICE radix_tile_ranking(radix_rank_method method, unsigned first, unsigned second)
      : word_(static_cast<unsigned>(method) << 2 * radix_bits | second << radix_bits | first)
  {
  }
  GIMBAL_DEVICE radix_rank_method method() const { return static_cast<radix_rank_method>(word_ >> 2 * radix_bits); }
  GIMBAL_DEVICE unsigned frequent_digit(unsigned k) const { return word_ >> k * radix_bits & (radix_size - 1); }
  /// Atomics do not guarantee a stable order.
  GIMBAL_DEVICE bool needs_verification() const
  {
    return method() == radix_rank_method::by_atomics || method() == radix_rank_method::by_frequent_digits;
  }
  /// True if the warp's atomics would serialise though the tile's do not: more than half of its lanes have the same
  /// `digit`, which is none of the tile's frequent ones.
  template <class Context>
  GIMBAL_DEVICE bool is_contended(Context& ctx, unsigned digit) const
  {
    const unsigned first = ctx.shfl(digit, 0);
    const bool is_frequent =
      method() == radix_rank_method::by_frequent_digits && (first == frequent_digit(0) || first == frequent_digit(1));
    const unsigned peers = ctx.ballot(digit == first);
    return needs_verification() && !is_frequent && simt::popcount(peers) > static_cast<int>(simt::warp_threads / 2);
  }

private:
  unsigned word_;  // packed: it stays in a register while the tile is ranked
};

/// `most`: for each group of 32 digits, radix_frequency of the most frequent one. A digit of more than 1 /
/// ContentionDivisor of the tile's keys would serialise atomics.
template <unsigned ContentionDivisor, unsigned Groups>
GIMBAL_DEVICE radix_tile_ranking choose_ranking(const unsigned (&most)[Groups], unsigned tile_size, bool by_match_any)
{
  static_assert(Groups > 1, "two digits");
  unsigned top = 0;
  unsigned second = 0;
  GIMBAL_UNROLL
  for (unsigned g = 0; g < Groups; ++g) {
    const unsigned less = most[g] > top ? top : most[g];
    second = less > second ? less : second;
    top = most[g] > top ? most[g] : top;
  }
  const unsigned keys = top / radix_size;
  const bool is_contended = keys > tile_size / ContentionDivisor;
  const auto method = keys == tile_size ? radix_rank_method::by_position
                      : by_match_any    ? radix_rank_method::by_match_any
                      : is_contended    ? radix_rank_method::by_frequent_digits
                                        : radix_rank_method::by_atomics;
  return {method, top % radix_size, second % radix_size};
}

/// Calls f(digit) for the digits of this thread, one of the first `Threads`: the lanes of a warp have 32 consecutive
/// ones, or none. Asked of the warp, so that ptxas knows that its lanes stay together.
template <unsigned Threads, class Context, class F>
GIMBAL_DEVICE void for_each_digit(const Context& ctx, F f)
{
  GIMBAL_UNROLL
  for (unsigned from = 0; from < radix_size; from += Threads) {
    if (from + ctx.warp() * simt::warp_threads < radix_size) {
      f(from + ctx.thread());
    }
  }
}

/// A counter per warp and digit: first the number of keys, then the next free slot.
template <unsigned Warps>
struct radix_counters {
  unsigned of_warp[Warps][radix_size];

  /// The counters of this warp.
  template <class Context>
  GIMBAL_DEVICE void clear(Context& ctx)
  {
    GIMBAL_UNROLL
    for (unsigned d = ctx.lane(); d < radix_size; d += simt::warp_threads) {
      of_warp[ctx.warp()][d] = 0;
    }
    ctx.sync_warp();  // all zero before the first is added to
  }

  template <class Context>
  GIMBAL_DEVICE void add(Context& ctx, unsigned digit, unsigned keys)
  {
    ctx.atomic_shared(of_warp[ctx.warp()][digit]).fetch_add(keys, ::cuda::std::memory_order_relaxed);
  }

  GIMBAL_DEVICE unsigned total(unsigned digit) const
  {
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < Warps; ++w) {
      sum += of_warp[w][digit];
    }
    return sum;
  }

  /// Turns the digit's counts into slots: an exclusive scan over the warps, from `slot` on.
  GIMBAL_DEVICE void start(unsigned digit, unsigned slot)
  {
    GIMBAL_UNROLL
    for (unsigned w = 0; w < Warps; ++w) {
      const unsigned count = of_warp[w][digit];
      of_warp[w][digit] = slot;
      slot += count;
    }
  }
};

/// The slot of a lane's key, by match_any.
template <class Context>
GIMBAL_DEVICE unsigned rank_by_match_any(Context& ctx, unsigned* digit_offsets, unsigned digit)
{
  const unsigned peers = simt::match_bits<radix_bits, true>(ctx, digit);
  const unsigned below = simt::popcount(peers & ((1u << ctx.lane()) - 1));
  const unsigned last = 31 - simt::countl_zero(peers);
  unsigned slot = 0;
  if (ctx.lane() == last) {
    slot = ctx.atomic_shared(digit_offsets[digit]).fetch_add(below + 1, ::cuda::std::memory_order_relaxed);
  }
  ctx.sync_warp();  // the next item's last lane adds after this one
  return ctx.shfl(slot, last) + below;
}

/// slot[j] = slot of the key whose digit is digit_of(j), for j < Count. Keys with one of the two frequent digits are
/// counted by ballots, in registers, all others by atomics.
template <unsigned Count, class Context, class DigitOf>
GIMBAL_DEVICE void rank_by_frequent_digits(
  Context& ctx, const radix_tile_ranking& ranking, unsigned* digit_offsets, DigitOf digit_of, unsigned (&slot)[Count])
{
  unsigned next[2] = {digit_offsets[ranking.frequent_digit(0)], digit_offsets[ranking.frequent_digit(1)]};
  const unsigned lower_lanes = (1u << ctx.lane()) - 1;
  GIMBAL_UNROLL
  for (unsigned j = 0; j < Count; ++j) {
    const unsigned digit = digit_of(j);
    const bool is_first = digit == ranking.frequent_digit(0);
    const bool is_frequent = is_first || digit == ranking.frequent_digit(1);
    const unsigned firsts = ctx.ballot(is_first);
    const unsigned seconds = ctx.ballot(digit == ranking.frequent_digit(1));
    const unsigned atomic_slot = ctx.count_by_lanes(digit_offsets[digit], !is_frequent);
    const unsigned frequent_slot =
      (is_first ? next[0] : next[1]) + simt::popcount((is_first ? firsts : seconds) & lower_lanes);
    slot[j] = is_frequent ? frequent_slot : atomic_slot;
    next[0] += simt::popcount(firsts);
    next[1] += simt::popcount(seconds);
  }
  ctx.sync_warp();  // all lanes have read the first slots of the frequent digits
  if (ctx.lane() == 0) {
    digit_offsets[ranking.frequent_digit(0)] = next[0];
    digit_offsets[ranking.frequent_digit(1)] = next[1];
  }
  ctx.sync_warp();  // the next items go on from there
}

}  // namespace block

namespace algorithm {

/// `Pass` is a radix_pass_kernel.
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

  /// Moves the tile from registers to its slots and, if the warp has its full share of the next tile, loads that. Each
  /// warp chooses its own code: nearly all hold a full share. The code for the others has to be short: run once in a
  /// pass, it is fetched from memory while all other blocks wait for the pass to end.
  template <class Context>
  GIMBAL_DEVICE void move(
    Context& ctx, shared& smem, const radix_step& now, unsigned tile, unsigned next, unsigned side,
    const radix_tile_ranking& ranking, thread_items& mine) const
  {
    const bool loads = next < pass.tiles && pass.loads_ahead(ctx, now, next);
    const bool is_full = pass.has_share(ctx, pass.warp_items(), tile);
    if (Pass::ranks_by_atomics && is_full && ranking.needs_verification()) {
      const bool is_contended = ranking.is_contended(ctx, mine.digit(now, pass.order, false, 0));
      if (ranking.method() == radix_rank_method::by_atomics && !is_contended) {
        scatter_by_atomics(ctx, smem, now, loads, next, mine);
      } else {
        const radix_tile_ranking frequent(
          is_contended ? radix_rank_method::by_own_digits : radix_rank_method::by_frequent_digits,
          ranking.frequent_digit(0), ranking.frequent_digit(1));
        scatter_in_loop(ctx, smem, now, loads, next, side, frequent, mine);
      }
    } else if (pass.has_items(ctx, pass.warp_items(), tile)) {
      // Padding may have another digit than the keys.
      const bool is_by_position = is_full && ranking.method() == radix_rank_method::by_position;
      const radix_tile_ranking documented(
        is_by_position ? radix_rank_method::by_position : radix_rank_method::by_match_any, 0, 0);
      scatter_in_loop(ctx, smem, now, loads, next, side, documented, mine);
    }
    ctx.sync_warp();  // all lanes have their last slot
    smem.counts.clear(ctx);
  }

  /// One warp ranks the tile's items by match_any and writes each to its slot. This is slow, but has never been seen to
  /// be needed.
  template <class Context>
  GIMBAL_DEVICE void rerank(
    Context& ctx, shared& smem, const radix_step& now, unsigned tile, const block::radix_run* runs) const
  {
    const index_type first = pass.first_of(tile);
    const unsigned valid = pass.valid_of(tile);
    unsigned* const digit_offsets = smem.reserved;  // free: what it held went into the runs
    for (unsigned d = ctx.lane(); d < block::radix_size; d += simt::warp_threads) {
      digit_offsets[d] = runs[d].first;
    }
    ctx.sync_warp();  // all offsets are there before the first is added to
    for (unsigned from = 0; from < valid; from += simt::warp_threads) {
      const unsigned p = from + ctx.lane();
      key_type key = pass.order.last();  // after the last item: ordered last
      if (p < valid) {
        pass.keys.read(now.source, [&](auto source) { key = block::load_as<key_type>(source + (first + p)); });
      }
      const unsigned digit = now.range.digit(pass.order.ordered(key));
      const index_type position = block::rank_by_match_any(ctx, digit_offsets, digit) + runs[digit].shift;
      if (p < valid) {
        pass.keys.write(now.target, [&](auto out) { *(out + position) = key; });
        if constexpr (Pass::has_values) {
          pass.values.read(now.source, [&](auto source) {
            pass.values.write(now.target, [&](auto out) {
              *(out + position) = algorithm::load_value(pass.values, now.source, source, first + p);
            });
          });
        }
      }
    }
  }

private:
  /// For a warp that has its full share. In batches, so that several atomics are in flight: the compiler does not move
  /// one past a store.
  template <class Context>
  GIMBAL_DEVICE void scatter_by_atomics(
    Context& ctx, shared& smem, const radix_step& now, bool loads, unsigned next, thread_items& mine) const
  {
    unsigned* const digit_offsets = smem.counts.of_warp[ctx.warp()];
    GIMBAL_UNROLL
    for (unsigned from = 0; from < items; from += batch) {
      if (from >= pass.held()) {
        break;
      }
      unsigned slot[batch];
      GIMBAL_UNROLL
      for (unsigned j = 0; j < batch; ++j) {
        slot[j] = ctx.count_by_lanes(digit_offsets[mine.digit(now, pass.order, false, from + j)]);
      }
      store(ctx, smem, slot, mine, from, from);
      if (loads) {
        mine.template load<batch>(ctx, now, pass.keys, pass.values, pass.first_of(next), pass.held(), from, from);
      }
    }
  }

  /// Ranks in another way, in a loop: a batch goes to its slots and the others move up. Padding is ranked, too, after
  /// all keys that equal it. By own digits each batch takes its frequent digits from the warp's own keys: those of its
  /// first and its last one, in sorted runs all that there are.
  template <class Context>
  GIMBAL_DEVICE void scatter_in_loop(
    Context& ctx, shared& smem, const radix_step& now, bool loads, unsigned next, unsigned side,
    const radix_tile_ranking& ranking, thread_items& mine) const
  {
    unsigned* const digit_offsets = smem.counts.of_warp[ctx.warp()];
    const auto digit = [&](unsigned i) { return mine.digit(now, pass.order, true, i); };
    GIMBAL_NO_UNROLL
    for (unsigned from = 0; from < items; from += batch) {
      if (from >= pass.held()) {
        mine.template move_up<batch>();
        continue;
      }
      unsigned slot[batch];
      const radix_rank_method method = ranking.method();
      if (method == radix_rank_method::by_position) {
        const unsigned start = smem.runs[side][digit(0)].first;
        GIMBAL_UNROLL
        for (unsigned j = 0; j < batch; ++j) {
          slot[j] = start + mine.position(ctx, pass.held(), from + j);
        }
      } else if (Pass::ranks_by_atomics && method != radix_rank_method::by_match_any) {
        const bool is_own = method == radix_rank_method::by_own_digits;
        const unsigned first = is_own ? ctx.shfl(digit(0), 0) : ranking.frequent_digit(0);
        const unsigned last = is_own ? ctx.shfl(digit(batch - 1), simt::warp_threads - 1) : ranking.frequent_digit(1);
        block::rank_by_frequent_digits(ctx, {method, first, last}, digit_offsets, digit, slot);
      } else {
        GIMBAL_UNROLL
        for (unsigned j = 0; j < batch; ++j) {
          slot[j] = block::rank_by_match_any(ctx, digit_offsets, digit(j));
        }
      }
      store(ctx, smem, slot, mine, 0, from);
      mine.template move_up<batch>();
      if (loads) {
        mine.template load<batch>(
          ctx, now, pass.keys, pass.values, pass.first_of(next), pass.held(), from, items - batch);
      }
    }
  }

  /// Stores the items in registers `at` and up, which are the warp's `from`-th and up.
  template <class Context>
  GIMBAL_DEVICE void store(
    Context& ctx, shared& smem, const unsigned (&slot)[batch], const thread_items& mine, unsigned at,
    unsigned from) const
  {
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      if constexpr (Pass::has_values) {
        smem.put(slot[j], mine.key[at + j], mine.position(ctx, pass.held(), from + j), mine.value[at + j]);
      } else {
        smem.put(slot[j], mine.key[at + j], mine.position(ctx, pass.held(), from + j));
      }
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
