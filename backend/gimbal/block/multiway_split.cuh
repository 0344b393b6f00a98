// Cutting the stable merge of several sorted runs at a given place, by a warp.
//
// Wanted: how many of the first `diagonal` items of the merge come from each run. Merge path (block/merge.cuh) answers
// it for two runs by bisection; here each of up to 16 runs keeps a range [low, high] that holds its answer, and every
// round asks about `samples` items of each range, 32 in all, loaded at once. A run belongs to as many lanes, one for
// each of its samples; what is known of it stands in their registers, the same in all of them.
//
// One round. Item e at place p of run i precedes or follows every sample of another run j; that bounds how many
// items of j precede it, as far as the range of j tells: at least L_j, which is just behind the last sample that
// precedes e (low_j if none does), at most U_j, the first sample that follows it (high_j). L_i = U_i = p. U_j - L_j is
// at most G_j, the largest number of items of j's range between neighbours (or before the first, or behind the last).
// Let c_j be that number of items clamped to [low_j, high_j], s_j the answers.
//  * If e is one of the first `diagonal` items, all that precedes it is too: c_j <= s_j, and c_i = p < s_i, so
//    sum c < sum s = diagonal. Otherwise all first `diagonal` items precede it: sum c >= diagonal.
//  * So e belongs to them if p + sum (L_j + G_j) < diagonal, and does not if p + sum L_j >= diagonal, sums over j other
//    than i; then low_i = p + 1, or high_i = p.
// Where the ranges hold 2^31 items or more in all, numbers are counted in units of a power of 2, rounded to the safe
// side.
//
// How fast. Every round decides a sample at least: were even the last one e of run i undecided, then
// sum over j of (last sample of j + 1) - 1 < diagonal, and for the first one, first sample + sum of the other G_j >=
// diagonal; but G_j <= last sample of j + 1. In all, undecided samples and the gaps beside them leave less than
// 2 / (samples + 1) of the items, half of that as a rule: some 15 rounds for 16 runs of 6000 items, 25 for runs of
// 2^24.
//
// The comparator is called on items of the runs only. Should it be no strict weak ordering, the search still ends, and
// with a split that adds up to `diagonal`: ranges that could hold none, or do not shrink, are not taken over.
#pragma once

#include <cuda/std/bit>
#include <gimbal/simt/simt.cuh>

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

  /// `runs` of them, a power of two from 2 to most_runs; `count` items in the lane's run, which is that of run_of().
  template <class Context>
  GIMBAL_DEVICE multiway_split(Context& ctx, unsigned runs, index_type count, index_type diagonal)
      : samples_(simt::warp_threads / runs), part_((1u << 16) / (samples_ + 1)), rank_(ctx.lane() % samples_)
  {
    const index_type others = sum_of_runs(ctx, count) - count;
    low_ = diagonal > others ? diagonal - others : 0;
    width_ = (diagonal < count ? diagonal : count) - low_;
    wanted_ = diagonal - sum_of_runs(ctx, low_);
  }

  static GIMBAL_DEVICE unsigned run_of(unsigned lane, unsigned runs) { return lane / (simt::warp_threads / runs); }

  /// Searches; `key_at(i)` is item i of the lane's run. All lanes of the warp call it.
  template <class Context, class KeyAt, class Key, class Compare>
  GIMBAL_DEVICE void search(Context& ctx, KeyAt key_at, multiway_samples<Key>& shown, Compare& compare)
  {
    index_type open = sum_of_runs(ctx, width_);
    while (open > 0) {
      const unsigned unit = open >> 31 == 0 ? 0 : ::cuda::std::bit_width(static_cast<std::uint64_t>(open)) - 31;
      const bool is_sample = width_ > 0;
      const index_type place = offset(rank_);
      const index_type before = behind(rank_);
      if (is_sample) {
        shown.key[ctx.lane()].set(key_at(low_ + place));
      }
      shown.advance[ctx.lane()] = is_sample ? static_cast<unsigned>((place + 1 - before) >> unit) : 0;
      const unsigned taken = ctx.ballot(is_sample);
      ctx.sync_warp();   // all samples are there
      if (!is_sample) {  // the others need not ask who has one
        shown.key[ctx.lane()] = shown.key[::cuda::std::countr_zero(taken)];
      }
      ctx.sync_warp();  // every lane has some key
      const unsigned gap = largest_gap(unit);
      const unsigned other_gaps = sum_of_runs(ctx, gap) - gap;
      const index_type needed = (wanted_ + (index_type{1} << unit) - 1) >> unit;
      unsigned least = 0;
      if (is_sample) {
        least = count_before(ctx, shown, compare) + static_cast<unsigned>((place - before) >> unit);
      }
      const unsigned beyond = of_own_run(ctx, ctx.ballot(is_sample && least >= needed));
      // Of what rounding down lost, a unit a sample at most, nothing is lost where the unit is 1.
      const index_type most = index_type{least} + other_gaps + (unit == 0 ? 0 : simt::warp_threads);
      const unsigned belong = of_own_run(ctx, ctx.ballot(is_sample && most < needed));
      ctx.sync_warp();  // all samples have been read
      if (!narrow(ctx, belong, beyond, open)) {
        break;  // never with a strict weak ordering
      }
    }
    if (open > 0) {
      take_from_first_runs(ctx);
    }
  }

  /// Items of the lane's run among the first `diagonal`, once searched.
  GIMBAL_DEVICE index_type split() const { return low_; }

private:
  /// The sum over the runs of what each lane knows of its own.
  template <class Context, class T>
  GIMBAL_DEVICE T sum_of_runs(Context& ctx, T value) const
  {
    for (unsigned distance = samples_; distance < simt::warp_threads; distance *= 2) {
      value += ctx.shfl(value, ctx.lane() ^ distance);
    }
    return value;
  }

  /// Votes of the lanes of one's own run.
  template <class Context>
  GIMBAL_DEVICE unsigned of_own_run(Context& ctx, unsigned votes) const
  {
    return votes >> (ctx.lane() - rank_) & ((1u << samples_) - 1);
  }

  /// Sample s of the range, counted from its begin: they part it evenly.
  GIMBAL_DEVICE index_type offset(unsigned s) const
  {
    return static_cast<index_type>(static_cast<std::uint64_t>(width_) * ((s + 1) * part_) >> 16);
  }

  /// Just behind the first s samples.
  GIMBAL_DEVICE index_type behind(unsigned s) const { return s == 0 ? 0 : offset(s - 1) + 1; }

  /// No less than the items between two neighbouring samples, or before the first or behind the last. Parts are equal
  /// but for rounding, and the last has what that leaves.
  GIMBAL_DEVICE unsigned largest_gap(unsigned unit) const
  {
    if (width_ == 0) {
      return 0;
    }
    const index_type gap = width_ - behind(samples_);
    const index_type first = offset(0);
    return static_cast<unsigned>(((gap > first ? gap : first) + (index_type{1} << unit) - 1) >> unit);
  }

  /// Of all runs' items, how many precede the lane's sample at least, as its samples tell. Equal items: those of a run
  /// in front come first.
  template <class Context, class Key, class Compare>
  GIMBAL_DEVICE unsigned count_before(Context& ctx, const multiway_samples<Key>& shown, Compare& compare) const
  {
    const Key key = shown.key[ctx.lane()].get();
    unsigned count = 0;
    GIMBAL_UNROLL
    for (unsigned other = 0; other < simt::warp_threads; ++other) {
      // Both questions, and no branch between them: all loads are on their way at once.
      const bool follows = compare(key, shown.key[other].get());
      const bool precedes = compare(shown.key[other].get(), key);
      const bool is_in_front = other < ctx.lane();
      const unsigned advance = shown.advance[other];
      count += (is_in_front & !follows) | (!is_in_front & precedes) ? advance : 0;
    }
    return count;
  }

  /// Moves the ends of the ranges to the decided samples. False, and nothing moved, if nothing was learned from them.
  template <class Context>
  GIMBAL_DEVICE bool narrow(Context& ctx, unsigned belong, unsigned beyond, index_type& open)
  {
    const unsigned inside = ::cuda::std::popcount(belong);
    const unsigned outside = ::cuda::std::popcount(beyond);
    const index_type begin = behind(inside);
    const index_type end = outside == 0 ? width_ : offset(samples_ - outside);
    const index_type wanted = wanted_ - sum_of_runs(ctx, begin);
    const index_type left = sum_of_runs(ctx, end - begin);
    if (ctx.ballot(begin > end) != 0 || wanted < 0 || wanted > left || left >= open) {
      return false;
    }
    low_ += begin;
    width_ = end - begin;
    wanted_ = wanted;
    open = left;
    return true;
  }

  /// What the ranges leave open is taken from the runs in front.
  template <class Context>
  GIMBAL_DEVICE void take_from_first_runs(Context& ctx)
  {
    index_type left = wanted_;
    for (unsigned first_lane = 0; first_lane < simt::warp_threads; first_lane += samples_) {
      const index_type open = ctx.shfl(width_, first_lane);
      const index_type taken = left < open ? left : open;
      low_ += first_lane == ctx.lane() - rank_ ? taken : 0;
      left -= taken;
    }
  }

  unsigned samples_;  ///< of each run
  unsigned part_;     ///< of a range, from sample to sample, in 1 / 65536
  unsigned rank_;     ///< of the lane's sample among those of its run
  index_type low_;
  index_type width_;
  index_type wanted_;  ///< of the open items of all runs
};

}  // namespace block

GIMBAL_NAMESPACE_END
