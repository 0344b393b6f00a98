// Ranking a warp's keys by a digit: each key gets the next free slot of its digit, from a counter per warp and digit in shared
// memory. Four methods:
//
// * Atomics: one atomic addition per key, which returns the old count. Stable only if the hardware serves the lanes of a warp from
//   the lowest to the highest, and the additions of a lane in program order. Neither is documented: the caller verifies the result.
// * Frequent digits: as above, but keys with one of two frequent digits are counted by a ballot each, so that atomics to these
//   counters do not serialise.
// * Match: the lanes with the same digit find one another (match_any, a ballot per bit), and the last of them adds for all.
//   Relies on documented behaviour alone: one lane adds at a time, with sync_warp() in between.
// * Position: all keys of the tile have the same digit, so a key's rank is its position.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/simt/match_bits.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

enum class radix_rank_method { by_atomics, by_frequent_digits, by_match_any, by_position };

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
  /// True if the warp's atomics would serialise though the tile's do not: more than half of its lanes have the same `digit`, which
  /// is none of the tile's frequent ones.
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

/// `most`: for each group of 32 digits, radix_frequency of the most frequent one. A digit of more than 1 / ContentionDivisor of the
/// tile's keys would serialise atomics.
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

/// Calls f(digit) for the digits of this thread, one of the first `Threads`: the lanes of a warp have 32 consecutive ones.
template <unsigned Threads, class Context, class F>
GIMBAL_DEVICE void for_each_digit(const Context& ctx, F f)
{
  GIMBAL_UNROLL
  for (unsigned from = 0; from < radix_size; from += Threads) {
    if (from + ctx.thread() < radix_size) {
      f(from + ctx.thread());
    }
  }
}

/// A counter per warp and digit: first the number of keys, then the next free slot.
template <unsigned Warps>
struct radix_counters {
  unsigned of_warp[Warps][radix_size];

  /// Those of this warp.
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
  GIMBAL_DEVICE void add(Context& ctx, unsigned digit)
  {
    ctx.atomic_shared(of_warp[ctx.warp()][digit]).fetch_add(1u, ::cuda::std::memory_order_relaxed);
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

/// Keys with one of the two frequent digits are counted by ballots, in registers, all others by atomics.
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

/// slot[j] = slot of the key whose digit is digit_of(j), for j < Count; by atomics, with frequent digits counted apart if `ranking`
/// says so. The order is to be verified.
template <unsigned Count, class Context, class DigitOf>
GIMBAL_DEVICE void rank_items_by_atomics(
  Context& ctx, const radix_tile_ranking& ranking, unsigned* digit_offsets, DigitOf digit_of, unsigned (&slot)[Count])
{
  if (ranking.method() == radix_rank_method::by_frequent_digits) {
    return block::rank_by_frequent_digits(ctx, ranking, digit_offsets, digit_of, slot);
  }
  GIMBAL_UNROLL
  for (unsigned j = 0; j < Count; ++j) {
    slot[j] = ctx.count_by_lanes(digit_offsets[digit_of(j)]);
  }
}

/// The same by match_any, which is always stable.
template <unsigned Count, class Context, class DigitOf>
GIMBAL_DEVICE void rank_items_by_match_any(
  Context& ctx, unsigned* digit_offsets, DigitOf digit_of, unsigned (&slot)[Count])
{
  GIMBAL_UNROLL
  for (unsigned j = 0; j < Count; ++j) {
    slot[j] = block::rank_by_match_any(ctx, digit_offsets, digit_of(j));
  }
}

/// Slots of all keys of a warp, of which a lane has `held`: put(slot, from) stores those from the `from`-th on. In batches, so that
/// several atomics are in flight: the compiler does not move one past a store. `uses_own_digits`: each batch takes its frequent
/// digits from the warp's own keys.
template <unsigned Items, unsigned Batch, class Context, class DigitOf, class Put>
GIMBAL_DEVICE void rank_in_batches(
  Context& ctx, const radix_tile_ranking& tile_ranking, bool uses_own_digits, unsigned held, unsigned* digit_offsets,
  DigitOf digit_of, Put put)
{
  GIMBAL_UNROLL
  for (unsigned from = 0; from < Items; from += Batch) {
    if (from >= held) {
      break;
    }
    radix_tile_ranking ranking = tile_ranking;
    if (uses_own_digits) {  // those of its first and its last key: in sorted runs, all there are
      const unsigned last = ctx.shfl(digit_of(from + Batch - 1), simt::warp_threads - 1);
      ranking = radix_tile_ranking(radix_rank_method::by_frequent_digits, ctx.shfl(digit_of(from), 0), last);
    }
    unsigned slot[Batch];
    block::rank_items_by_atomics(
      ctx, ranking, digit_offsets, [&](unsigned j) { return digit_of(from + j); }, slot);
    put(slot, from);
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
