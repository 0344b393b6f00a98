// Ranking the keys of a warp by a digit: every key draws a slot from its digit's counter, which holds the next free
// one.
//
// * By additions: one addition per key that returns the old count. Stable if the hardware serves the lanes of a warp
//   from the lowest to the highest, and their additions in program order. Neither is documented: the caller verifies
//   what it got.
// * By leaders: as by additions, but for two digits that many keys of the tile have, or of a warp's next few: one vote
//   for each tells its lanes their slots.
// * By votes: lanes with the same digit find each other by one vote per bit, and the last of them adds for all.
//   Documented behaviour alone: one lane adds at a time, and sync_warp() separates the turns.
// * By position: all keys of the tile have one digit, so the slot follows from the position.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/simt/match_bits.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

enum class radix_ranking { by_additions, by_leaders, by_votes, by_position };

/// Of a group of digits the most frequent one, as a word that is the larger the more keys have it.
GIMBAL_DEVICE unsigned radix_frequency(unsigned digit, unsigned keys) { return keys * radix_size + digit; }

/// How a tile is ranked, and two digits that many of its keys have.
class radix_choice {
public:
  GIMBAL_DEVICE radix_choice(radix_ranking ranking, unsigned first, unsigned second)
      : word_(static_cast<unsigned>(ranking) << 2 * radix_bits | second << radix_bits | first)
  {
  }
  GIMBAL_DEVICE radix_ranking ranking() const { return static_cast<radix_ranking>(word_ >> 2 * radix_bits); }
  GIMBAL_DEVICE unsigned leader(unsigned k) const { return word_ >> k * radix_bits & (radix_size - 1); }
  /// True if the order has to be verified.
  GIMBAL_DEVICE bool is_by_additions() const
  {
    return ranking() == radix_ranking::by_additions || ranking() == radix_ranking::by_leaders;
  }
  /// True if additions of the warp would queue up though the tile's do not: more than half its lanes, each with the
  /// `digit` of an item, have one that does not lead.
  template <class Context>
  GIMBAL_DEVICE bool is_crowded(Context& ctx, unsigned digit) const
  {
    const unsigned first = ctx.shfl(digit, 0);
    const bool is_led = ranking() == radix_ranking::by_leaders && (first == leader(0) || first == leader(1));
    const unsigned peers = ctx.ballot(digit == first);
    return is_by_additions() && !is_led && simt::popcount(peers) > static_cast<int>(simt::warp_threads / 2);
  }

private:
  unsigned word_;  // one register, which is dear
};

/// `most` are the frequencies of each group's most frequent digit. Where many keys have the same, additions would queue
/// up at one address.
template <unsigned CrowdedPart, unsigned Groups>
GIMBAL_DEVICE radix_choice choose_ranking(const unsigned (&most)[Groups], unsigned tile_size, bool by_votes)
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
  const bool is_crowded = keys > tile_size / CrowdedPart;
  const auto ranking = keys == tile_size ? radix_ranking::by_position
                       : by_votes        ? radix_ranking::by_votes
                       : is_crowded      ? radix_ranking::by_leaders
                                         : radix_ranking::by_additions;
  return {ranking, top % radix_size, second % radix_size};
}

/// Calls f(digit) for the digits of this thread, one of the first `Threads`: each warp's lanes have 32 neighbouring ones.
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

/// A counter per warp and digit: first of keys, then the next free slot for such a key.
template <unsigned Warps>
struct radix_counters {
  unsigned of_warp[Warps][radix_size];

  /// This warp's.
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

  /// From counts to slots: those of the digit are `slot` and up, in order of the warps.
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

/// Of `digit` the low `Bits` bits tell digits apart.
template <unsigned Bits = radix_bits, class Context>
GIMBAL_DEVICE unsigned draw_by_votes(Context& ctx, unsigned* next_slots, unsigned digit)
{
  const unsigned peers = simt::match_bits<Bits, true>(ctx, digit);
  const unsigned below = simt::popcount(peers & ((1u << ctx.lane()) - 1));
  const unsigned last = 31 - simt::countl_zero(peers);
  unsigned slot = 0;
  if (ctx.lane() == last) {
    slot = ctx.atomic_shared(next_slots[digit]).fetch_add(below + 1, ::cuda::std::memory_order_relaxed);
  }
  ctx.sync_warp();  // the next item's last lane adds after this one
  return ctx.shfl(slot, last) + below;
}

/// The slots of keys with one of two digits are counted in registers, those of others by additions.
template <unsigned Count, class Context, class DigitOf>
GIMBAL_DEVICE void draw_by_leaders(
  Context& ctx, const radix_choice& choice, unsigned* next_slots, DigitOf digit_of, unsigned (&slot)[Count])
{
  unsigned next[2] = {next_slots[choice.leader(0)], next_slots[choice.leader(1)]};
  const unsigned lower_lanes = (1u << ctx.lane()) - 1;
  GIMBAL_UNROLL
  for (unsigned j = 0; j < Count; ++j) {
    const unsigned digit = digit_of(j);
    const bool is_first = digit == choice.leader(0);
    const bool is_led = is_first || digit == choice.leader(1);
    const unsigned firsts = ctx.ballot(is_first);
    const unsigned seconds = ctx.ballot(digit == choice.leader(1));
    const unsigned counted = ctx.count_by_lanes(next_slots[digit], !is_led);
    const unsigned led = (is_first ? next[0] : next[1]) + simt::popcount((is_first ? firsts : seconds) & lower_lanes);
    slot[j] = is_led ? led : counted;
    next[0] += simt::popcount(firsts);
    next[1] += simt::popcount(seconds);
  }
  ctx.sync_warp();  // all lanes have read where the leaders' slots began
  if (ctx.lane() == 0) {
    next_slots[choice.leader(0)] = next[0];
    next_slots[choice.leader(1)] = next[1];
  }
  ctx.sync_warp();  // the next items go on from there
}

/// slot[j] = slot of the key whose digit is digit_of(j), for j < Count; by additions or by leaders.
template <unsigned Count, class Context, class DigitOf>
GIMBAL_DEVICE void draw_doubtful_slots(
  Context& ctx, const radix_choice& choice, unsigned* next_slots, DigitOf digit_of, unsigned (&slot)[Count])
{
  if (choice.ranking() == radix_ranking::by_leaders) {
    return draw_by_leaders(ctx, choice, next_slots, digit_of, slot);
  }
  GIMBAL_UNROLL
  for (unsigned j = 0; j < Count; ++j) {
    slot[j] = ctx.count_by_lanes(next_slots[digit_of(j)]);
  }
}

/// The same by votes.
template <unsigned Count, class Context, class DigitOf>
GIMBAL_DEVICE void draw_sure_slots(Context& ctx, unsigned* next_slots, DigitOf digit_of, unsigned (&slot)[Count])
{
  GIMBAL_UNROLL
  for (unsigned j = 0; j < Count; ++j) {
    slot[j] = draw_by_votes(ctx, next_slots, digit_of(j));
  }
}

/// Slots of all keys of a warp, of which a lane has `held`, in batches, as the compiler would not move an addition past a
/// store to a slot: put(slot, from) takes those of the keys from the `from`-th on. `leads_itself`: the digits that lead are
/// those of the warp's own keys.
template <unsigned Items, unsigned Batch, class Context, class DigitOf, class Put>
GIMBAL_DEVICE void draw_in_batches(
  Context& ctx, const radix_choice& of_tile, bool leads_itself, unsigned held, unsigned* next_slots, DigitOf digit_of,
  Put put)
{
  GIMBAL_UNROLL
  for (unsigned from = 0; from < Items; from += Batch) {
    if (from >= held) {
      break;
    }
    radix_choice choice = of_tile;
    if (leads_itself) {  // the digits of a batch that is all one, or meets the next
      const unsigned last = ctx.shfl(digit_of(from + Batch - 1), simt::warp_threads - 1);
      choice = radix_choice(radix_ranking::by_leaders, ctx.shfl(digit_of(from), 0), last);
    }
    unsigned slot[Batch];
    draw_doubtful_slots(
      ctx, choice, next_slots, [&](unsigned j) { return digit_of(from + j); }, slot);
    put(slot, from);
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
