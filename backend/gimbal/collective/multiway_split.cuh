// Cutting the stable merge of several sorted runs at a given position, by a warp.
//
// Wanted: how many of the first `diagonal` items of the merge come from each run. Merge path (collective/merge.cuh)
// answers it for two runs by bisection; here each of up to 16 runs keeps a range [low, high] that holds its answer, and
// every round compares `samples` items of each range, 32 in all, loaded at once. A run belongs to as many lanes, one
// for each of its samples; what is known of it is kept in their registers, the same in all of them. When no more than
// 32 items are left in all ranges together, one last round compares every one of them.
//
// One round. Item e at position p of run i precedes or follows every sample of another run j; that bounds how many
// items of j precede it, as far as the range of j tells: at least L_j, which is just after the last sample that
// precedes e (low_j if none does), at most U_j, the first sample that follows it (high_j). L_i = U_i = p. U_j - L_j is
// at most G_j, the largest number of items of j's range between neighbours (or before the first, or after the last).
// Let c_j be that number of items clamped to [low_j, high_j], s_j the answers.
//  * If e is one of the first `diagonal` items, all that precedes it is too: c_j <= s_j, and c_i = p < s_i, so
//    sum c < sum s = diagonal. Otherwise all first `diagonal` items precede it: sum c >= diagonal.
//  * So e belongs to them if p + sum (L_j + G_j) < diagonal, and does not if p + sum L_j >= diagonal, sums over j other
//    than i; then low_i = p + 1, or high_i = p.
//
// Large ranges. Ranges are counted from their begin, in units that are a power of 2, so that all of them together stay
// below 2^31: 1 unless there are as many items. Samples are first items of a unit. What was said above of items holds
// of units, except that low_i = p: between the first and the second item of a unit is no boundary of units.
//
// How fast. Every round decides at least one sample: if even the last one, e of run i, were undecided, then sum over j
// of (last sample of j + 1) - 1 < diagonal, and for the first one, first sample + sum of the other G_j >= diagonal; but
// G_j <= last sample of j + 1. In all, undecided samples and the gaps beside them leave less than 2 / (samples + 1) of
// the items: 15 rounds for 16 runs of 13000 items, 22 for 16 of 2^18, 12 for 8 of 2^22.
//
// The comparator is called on items of the runs only. If it is no strict weak ordering, the search still ends, with a
// split that adds up to `diagonal`: ranges that could hold none, or do not shrink, are not taken over.
#pragma once

#include <cuda/std/cmath>
#include <gimbal/simt/simt.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// What the lanes of a searching warp show each other.
template <class Key>
struct multiway_samples {
  alignas(16) uninit<Key> key[simt::warp_threads];
  alignas(16) unsigned advance[simt::warp_threads];  ///< from just behind the sample before to just behind this one
};

class multiway_split {
public:
  static constexpr unsigned most_runs = 16;

  /// Of `runs`, a power of two from 2 to most_runs, that hold `all_items`; the lane's run, that of run_of(), is
  /// [begin, end). The unit is 1 where there are less than 2^unit_bits items.
  template <class Context>
  GIMBAL_DEVICE multiway_split(
    Context& ctx, unsigned runs, index_type begin, index_type end, index_type all_items, index_type diagonal,
    unsigned unit_bits = 30)
      : samples_(simt::warp_threads / runs),
        part_(~0u / (samples_ + 1)),
        rank_(ctx.lane() % samples_),
        unit_bits_(unit_bits),
        begin_(begin)
  {
    const index_type count = end - begin;
    const index_type others = all_items - count;
    const index_type least = diagonal > others ? diagonal - others : 0;
    const unsigned bits = simt::bit_width(static_cast<std::uint64_t>(all_items));
    unit_ = bits > unit_bits ? bits - unit_bits : 0;
    low_ = begin + least;
    high_ = diagonal < count ? begin + diagonal : end;
    width_ = units_below_high();
    wanted_ = diagonal - static_cast<index_type>(sum_of_runs(ctx, static_cast<std::uint64_t>(least)));
  }

  static GIMBAL_DEVICE unsigned run_of(unsigned lane, unsigned runs) { return lane / (simt::warp_threads / runs); }

  /// Searches; `key_at(i)` is the item at i, of any run. All lanes of the warp call it.
  template <class Context, class KeyAt, class Key, class Compare>
  GIMBAL_DEVICE void search(Context& ctx, KeyAt key_at, multiway_samples<Key>& shown, Compare& compare)
  {
    unsigned open = sum_of_runs(ctx, width_);
    if (open >= least_guessed * (simt::warp_threads / samples_)) {
      open = guess(ctx, key_at, shown, compare, open);
    }
    while (open > 0) {
      while (unit_ > 0 && open >> unit_bits_ == 0) {
        open = refine(ctx, open);
      }
      const bool is_last = unit_ == 0 && open <= simt::warp_threads;
      const sample mine = is_last ? one_of_all(ctx, shown, open) : one_of_run();
      const unsigned other_gaps = show(ctx, mine, key_at, shown);
      const unsigned least = mine.lead + advance_before(ctx, shown, compare);
      ctx.sync_warp();  // all samples have been read
      const unsigned left =
        is_last ? take_belonging(ctx, mine, least) : narrow(ctx, mine, least, least + other_gaps, open);
      if (left == open) {
        break;  // never with a strict weak ordering
      }
      open = left;
    }
    if (open > 0) {
      take_from_first_runs(ctx);
    }
  }

  /// Items of the lane's run among the first `diagonal`, once searched.
  GIMBAL_DEVICE index_type split() const { return low_ - begin_; }

private:
  static constexpr unsigned least_guessed = 128;  ///< items a run, below which windows are hardly narrower than ranges
  static constexpr float deviations = 2.5f;

  /// An item that a lane compares.
  struct sample {
    bool is_there;
    index_type item;
    unsigned lead;        ///< units from just behind the sample before, if of the same run, to this one
    unsigned advance;     ///< ... to just behind this one
    unsigned first_lane;  ///< of those that compare items of the lane's run
  };

  /// The sum over the runs of what each lane knows of its own.
  template <class Context, class T>
  GIMBAL_DEVICE T sum_of_runs(Context& ctx, T value) const
  {
    return simt::warp_sum(ctx, rank_ == 0 ? value : T{});
  }

  GIMBAL_DEVICE unsigned units_below_high() const
  {
    return static_cast<unsigned>((high_ - low_ + (index_type{1} << unit_) - 1) >> unit_);
  }

  /// The smallest unit with which the ranges stay below 2^(unit_bits + 1) in all. Returns what they are then,
  /// which may be less if parts of units are no units any more.
  template <class Context>
  GIMBAL_DEVICE unsigned refine(Context& ctx, unsigned open)
  {
    const unsigned room = unit_bits_ + 1 - simt::bit_width(open);
    const unsigned shift = room < unit_ ? room : unit_;
    const unsigned width = width_ << shift;
    unit_ -= shift;
    width_ = units_below_high();  // a part of a unit is no unit any more
    width_ = width < width_ ? width : width_;
    return sum_of_runs(ctx, width_);
  }

  /// Sample s of the range, counted from its begin: they part it evenly.
  GIMBAL_DEVICE unsigned offset(unsigned s) const
  {
    return static_cast<unsigned>(static_cast<std::uint64_t>(width_) * ((s + 1) * part_) >> 32);
  }

  /// Where a sample ends, counted from where it begins.
  GIMBAL_DEVICE unsigned sample_units() const { return unit_ == 0 ? 1 : 0; }

  /// Just after the first s samples.
  GIMBAL_DEVICE unsigned behind(unsigned s) const { return s == 0 ? 0 : offset(s - 1) + sample_units(); }

  /// No less than the units between two neighbouring samples, or before the first or after the last. Parts are equal
  /// but for rounding, and the last has what that leaves.
  GIMBAL_DEVICE unsigned largest_gap() const
  {
    const unsigned gap = width_ - behind(samples_);
    const unsigned first = offset(0);
    return width_ == 0 ? 0 : gap > first ? gap : first;
  }

  /// Takes each range for an even sample of all: its share of the wanted items is then as large as everywhere, give or
  /// take some standard deviations. Tries whether it lies in a window that wide. Returns what is left open.
  ///
  /// Places in a range, from the low end to the high one: far, near, (its share), near, far. If the last of the items
  /// at the low far places precedes all those at low near places, no more than sum near items precede or are it; where
  /// this sum is at most what is wanted, all the items at far places belong. If all items at high near places precede
  /// the first one at high far places, sum near items do at least; where these are what is wanted or more, none at far
  /// places does.
  template <class Context, class KeyAt, class Key, class Compare>
  GIMBAL_DEVICE unsigned guess(
    Context& ctx, KeyAt key_at, multiway_samples<Key>& shown, Compare& compare, unsigned open)
  {
    const bool is_high = (ctx.lane() & 1) != 0;  // of this side a lane speaks; a run has some for each
    const float share = static_cast<float>(wanted_ >> unit_) / static_cast<float>(open);
    const float center = share * static_cast<float>(width_);
    const float variance = center * (1 - share);
    const float step = (is_high ? 1 : -1) * (1 + deviations * ::cuda::std::sqrt(variance > 0 ? variance : 0));
    const unsigned far_place = place_at(center + 3 * step);
    const unsigned last = width_ == 0 ? 0 : width_ - 1;
    const unsigned place = place_at(center + step);
    const unsigned near_place = place < last ? place : last;
    const bool is_far_there = is_high ? far_place < width_ : far_place > 0;
    const unsigned side = is_high ? 0xaaaaaaaa : 0x55555555;
    const unsigned fars = ctx.ballot(is_far_there) & side;
    uninit<Key> near_key;
    if (width_ > 0) {
      near_key.set(key_at(low_ + (static_cast<index_type>(near_place) << unit_)));
    }
    if (is_far_there) {
      shown.key[ctx.lane()].set(key_at(low_ + (static_cast<index_type>(far_place) << unit_)));
    }
    ctx.sync_warp();  // the items at far places are there
    bool holds = true;
    if (width_ > 0) {
      for (unsigned left = fars; left != 0; left &= left - 1) {
        const Key& far_key = shown.key[simt::countr_zero(left)].get();
        const bool precedes = static_cast<bool>(compare(near_key.get(), far_key));
        const bool follows = static_cast<bool>(compare(far_key, near_key.get()));
        holds &= is_high ? precedes : follows;
      }
    }
    ctx.sync_warp();  // all items have been read
    const unsigned failed = ctx.ballot(!holds);
    const index_type before_low = static_cast<index_type>(simt::warp_sum(ctx, rank_ == 0 ? near_place : 0)) << unit_;
    const index_type before_high = static_cast<index_type>(simt::warp_sum(ctx, rank_ == 1 ? near_place : 0)) << unit_;
    const bool is_low_right = (failed & 0x55555555) == 0 && before_low <= wanted_;
    const bool is_high_right = (failed & 0xaaaaaaaa) == 0 && before_high >= wanted_;
    const unsigned other_far = ctx.shfl(far_place, ctx.lane() ^ 1);
    const unsigned begin = is_high ? other_far : far_place;
    const unsigned end = is_high ? far_place : other_far;
    return move_ends(ctx, is_low_right ? begin : 0, is_high_right ? end : width_, open);
  }

  GIMBAL_DEVICE unsigned place_at(float place) const
  {
    const unsigned whole = place > 0 ? static_cast<unsigned>(place) : 0;
    return whole < width_ ? whole : width_;
  }

  GIMBAL_DEVICE sample one_of_run() const
  {
    const unsigned place = offset(rank_);
    const unsigned lead = place - behind(rank_);
    return {width_ > 0, low_ + (static_cast<index_type>(place) << unit_), lead, lead + sample_units(), 0};
  }

  /// Of the open items of all runs, 32 at most, each lane takes the one of its number.
  template <class Key, class Context>
  GIMBAL_DEVICE sample one_of_all(Context& ctx, multiway_samples<Key>& shown, unsigned open) const
  {
    unsigned first = rank_ == 0 ? width_ : 0;
    for (unsigned distance = 1; distance < simt::warp_threads; distance *= 2) {
      const unsigned before = ctx.shfl_up(first, distance);
      first += ctx.lane() < distance ? 0 : before;
    }
    first -= width_;
    const unsigned begins = sum_of_runs(ctx, width_ > 0 ? 1u << first : 0);  // of runs, one bit each
    if (rank_ == 0 && width_ > 0) {
      shown.advance[first] = ctx.lane();
    }
    ctx.sync_warp();  // whose items begin at which lane
    const unsigned begin = simt::bit_width(begins & ((2u << ctx.lane()) - 1)) - 1;
    const unsigned of_lane = shown.advance[begin];
    ctx.sync_warp();  // that has been read
    return {ctx.lane() < open, ctx.shfl(low_, of_lane) + (ctx.lane() - begin), 0, 1, first};
  }

  /// Shows all lanes the samples. Those that have none show some other's key, so that nobody need ask who has one.
  /// Returns, as there is time while keys are loaded, the sum of the other runs' largest gaps.
  template <class Context, class KeyAt, class Key>
  GIMBAL_DEVICE unsigned show(Context& ctx, const sample& mine, KeyAt key_at, multiway_samples<Key>& shown) const
  {
    uninit<Key> key;
    if (mine.is_there) {
      key.set(key_at(mine.item));
    }
    const unsigned gap = largest_gap();
    const unsigned other_gaps = sum_of_runs(ctx, gap) - gap;
    if (mine.is_there) {
      shown.key[ctx.lane()] = key;
    }
    shown.advance[ctx.lane()] = mine.is_there ? mine.advance : 0;
    const unsigned there = ctx.ballot(mine.is_there);
    ctx.sync_warp();  // all samples are there
    if (there != simt::full_mask) {
      if (!mine.is_there) {
        shown.key[ctx.lane()] = shown.key[simt::countr_zero(there)];
      }
      ctx.sync_warp();  // every lane has some key
    }
    return other_gaps;
  }

  /// How far the samples that precede the lane's lead into the ranges, in all runs. Equal items: those of a run in
  /// front come first.
  template <class Context, class Key, class Compare>
  GIMBAL_DEVICE unsigned advance_before(Context& ctx, const multiway_samples<Key>& shown, Compare& compare) const
  {
    const Key key = shown.key[ctx.lane()].get();
    unsigned result = 0;
    constexpr unsigned step = 8;  // as many in registers; 32 at once spill
    GIMBAL_NO_UNROLL
    for (unsigned first = 0; first < simt::warp_threads; first += step) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < step; ++i) {
        // Both comparisons, and no branch between them: all loads are in flight at once.
        const unsigned other = first + i;
        const bool follows = static_cast<bool>(compare(key, shown.key[other].get()));
        const bool precedes = static_cast<bool>(compare(shown.key[other].get(), key));
        const bool is_in_front = other < ctx.lane();
        const unsigned advance = shown.advance[other];
        result += ((is_in_front & !follows) | precedes) ? advance : 0;
      }
    }
    return result;
  }

  /// Moves the ends of the ranges to the decided samples; `least` to `most` units precede the lane's. Returns what is
  /// left open.
  template <class Context>
  GIMBAL_DEVICE unsigned narrow(Context& ctx, const sample& mine, unsigned least, unsigned most, unsigned open)
  {
    const auto needed = static_cast<unsigned>((wanted_ + (index_type{1} << unit_) - 1) >> unit_);
    const unsigned inside = count_in_run(ctx, mine.is_there && most < needed);
    const unsigned outside = count_in_run(ctx, mine.is_there && least >= needed);
    return move_ends(ctx, behind(inside), outside == 0 ? width_ : offset(samples_ - outside), open);
  }

  /// Narrows the ranges. Returns what is left open: all, and nothing moved, if nothing was learned.
  template <class Context>
  GIMBAL_DEVICE unsigned move_ends(Context& ctx, unsigned begin, unsigned end, unsigned open)
  {
    const index_type wanted = wanted_ - (static_cast<index_type>(sum_of_runs(ctx, begin)) << unit_);
    const unsigned left = sum_of_runs(ctx, end - begin);
    if (ctx.ballot(begin > end) != 0 || wanted < 0 || wanted >> unit_ > left || left >= open) {
      return open;
    }
    low_ += static_cast<index_type>(begin) << unit_;
    width_ = end - begin;
    wanted_ = wanted;
    return left;
  }

  /// The number of lanes of one's own run that hold something true.
  template <class Context>
  GIMBAL_DEVICE unsigned count_in_run(Context& ctx, bool holds) const
  {
    return simt::popcount(ctx.ballot(holds) >> (ctx.lane() - rank_) & ((1u << samples_) - 1));
  }

  /// Ends the search, as every open item is a sample: those that less than the wanted precede belong. Returns what is
  /// left open: none, or all.
  template <class Context>
  GIMBAL_DEVICE unsigned take_belonging(Context& ctx, const sample& mine, unsigned least)
  {
    const auto wanted = static_cast<unsigned>(wanted_);
    const unsigned belong = ctx.ballot(mine.is_there && least < wanted);
    if (simt::popcount(belong) != wanted) {
      return simt::popcount(ctx.ballot(mine.is_there));
    }
    const std::uint64_t own_lanes = ((std::uint64_t{1} << width_) - 1) << mine.first_lane;
    low_ += simt::popcount(belong & static_cast<unsigned>(own_lanes));
    return 0;
  }

  /// What the ranges leave open is taken from the runs in front.
  template <class Context>
  GIMBAL_DEVICE void take_from_first_runs(Context& ctx)
  {
    index_type left = wanted_;
    for (unsigned first_lane = 0; first_lane < simt::warp_threads; first_lane += samples_) {
      const index_type open = ctx.shfl(high_ - low_, first_lane);
      const index_type taken = left < open ? left : open;
      low_ += first_lane == ctx.lane() - rank_ ? taken : 0;
      left -= taken;
    }
  }

  unsigned samples_;  ///< of each run
  unsigned part_;     ///< of a range, from sample to sample, in 1 / 2^32
  unsigned rank_;     ///< of the lane's sample among those of its run
  unsigned unit_bits_;
  unsigned unit_;   ///< the power of 2
  unsigned width_;  ///< units from low_ on
  index_type begin_;
  index_type low_;
  index_type high_;    ///< no item from there on is one of the first `diagonal`, whatever the comparator says
  index_type wanted_;  ///< items of the open ones of all runs
};

}  // namespace block

GIMBAL_NAMESPACE_END
