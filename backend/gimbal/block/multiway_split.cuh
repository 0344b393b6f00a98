// Cutting the stable merge of several sorted runs at a given place, by a warp.
//
// Wanted: how many of the first `diagonal` items of the merge come from each run. Merge path (block/merge.cuh) answers
// it for two runs by bisection; here each of the Runs runs keeps a range [low, high] that holds its answer, and every
// round asks about 32 / Runs items of each range, all of them loaded at once.
//
// One round. Item e at position p of run i precedes or follows every sample of another run j; that bounds how many
// items of j precede it, as far as the range of j tells: from L_j, just behind the last sample that precedes e, to U_j,
// the first sample that follows it (low_j and high_j where there is none; L_i = U_i = p). Let c_j be that number
// clamped to [low_j, high_j], s_j the answers.
//  * If e is one of the first `diagonal` items, all that precedes it is too: c_j <= s_j, and c_i = p < s_i, so
//    sum c < sum s = diagonal. Otherwise all first `diagonal` items precede it: sum c >= diagonal.
//  * So e belongs to them if sum U < diagonal, and does not if sum L >= diagonal; then low_i = p + 1, or high_i = p.
//
// How fast. Samples are step_j = width_j / samples + 1 apart, so that at most g_j = step_j - 1 unsampled items
// lie between neighbours and behind the last. Let u_j samples of run j stay undecided, f the first and l the last of
// them in the merge: sum L(l) < diagonal <= sum U(f). Between f and l, L_j(l) - U_j(f) >= (u_j - 1) step_j where u_j >
// 0, and
// >= -g_j elsewhere. Hence the sum over u_j > 0 of (u_j - 1) step_j is less than the sum over u_j = 0 of g_j, and the
// new widths, at most (u_j + 1) step_j - 1, add up to less than 2 sum(step_j) - Runs. Four runs: width becomes less
// than 1/4 width + 4; where no range has more than 7 items, all are sampled and all are decided. So at most 14 rounds
// for 2^26 items; a factor of 8 a round, thus about 9 of them, is usual. A round is a chain of instructions rather than
// of loads: steps are found by a shift, and all samples of a run are asked about at once, not one after the other.
//
// The comparator is called on items of the runs only. Should it be no strict weak ordering, the search still ends, and
// with a split that adds up to `diagonal`: ranges that could hold none are not taken over.
#pragma once

#include <cuda/std/bit>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <unsigned Runs>
class multiway_split {
  static_assert(Runs >= 2 && Runs <= 8 && simt::warp_threads % Runs == 0, "each run gets as many lanes");
  static constexpr unsigned samples = simt::warp_threads / Runs;

public:
  static constexpr unsigned shared_items = simt::warp_threads;  ///< keys of shared memory that a search needs

  /// `count[j]` items in run j.
  GIMBAL_DEVICE multiway_split(const index_type (&count)[Runs], index_type diagonal) : diagonal_(diagonal)
  {
    index_type all = 0;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Runs; ++j) {
      all += count[j];
    }
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Runs; ++j) {
      const index_type others = all - count[j];
      low_[j] = diagonal > others ? diagonal - others : 0;
      high_[j] = diagonal < count[j] ? diagonal : count[j];
    }
  }

  /// Searches; `key_at(j, i)` is item i of run j. All lanes of the warp call it, with the same arguments.
  template <class Context, class KeyAt, class Key, class Compare>
  GIMBAL_DEVICE void search(Context& ctx, KeyAt key_at, uninit<Key>* sample, Compare& compare)
  {
    while (!is_decided()) {
      const unsigned run = ctx.lane() / samples;
      const index_type place = sample_place(run, ctx.lane() % samples);
      const bool is_sample = place < of_run(high_, run);
      if (is_sample) {
        sample[ctx.lane()].set(key_at(run, place));
      }
      ctx.sync_warp();  // all samples are there
      const unsigned taken = ctx.ballot(is_sample);
      bounds known{place, place};
      if (is_sample) {
        known = bound_rank(sample, taken, run, sample[ctx.lane()].get(), place, compare);
      }
      const unsigned belong = ctx.ballot(is_sample && known.most < diagonal_);
      const unsigned beyond = ctx.ballot(is_sample && known.least >= diagonal_);
      ctx.sync_warp();  // all samples have been read
      if (!narrow(belong, beyond)) {
        break;  // never with a strict weak ordering
      }
    }
    take_from_first_runs();
  }

  /// Items of run j among the first `diagonal`, once searched.
  GIMBAL_DEVICE index_type of(unsigned j) const { return of_run(low_, j); }

private:
  /// How many items of all runs precede a sample, at least and at most, each run's number clamped to its range.
  struct bounds {
    index_type least;
    index_type most;
  };

  static GIMBAL_DEVICE index_type of_run(const index_type (&value)[Runs], unsigned run)
  {
    index_type result = value[0];
    GIMBAL_UNROLL
    for (unsigned j = 1; j < Runs; ++j) {  // by constant indices alone do arrays stay in registers
      result = j == run ? value[j] : result;
    }
    return result;
  }

  GIMBAL_DEVICE bool is_decided() const
  {
    bool result = true;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Runs; ++j) {
      result = result && low_[j] == high_[j];
    }
    return result;
  }

  static GIMBAL_DEVICE index_type step_in(index_type width)
  {
    return static_cast<index_type>(static_cast<std::uint64_t>(width) / samples) + 1;
  }

  GIMBAL_DEVICE index_type sample_place(unsigned run, unsigned s) const
  {
    const index_type low = of_run(low_, run);
    return low + step_in(of_run(high_, run) - low) * (s + 1) - 1;
  }

  /// Counts each other run's samples in front. Equal items: those of a run in front come first.
  template <class Key, class Compare>
  GIMBAL_DEVICE bounds bound_rank(
    const uninit<Key>* sample, unsigned taken, unsigned run, const Key& key, index_type place, Compare& compare) const
  {
    bounds result{place, place};
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Runs; ++j) {
      if (j != run) {
        const uninit<Key>* const other = sample + j * samples;
        const unsigned count = ::cuda::std::popcount(samples_of(taken, j));
        unsigned before = 0;
        GIMBAL_UNROLL
        for (unsigned s = 0; s < samples; ++s) {
          if (s < count) {
            const bool precedes = j < run ? !compare(key, other[s].get()) : compare(other[s].get(), key);
            before += precedes ? 1 : 0;
          }
        }
        const index_type step = step_in(high_[j] - low_[j]);
        result.least += low_[j] + step * before;
        result.most += before < count ? low_[j] + step * (before + 1) - 1 : high_[j];
      }
    }
    return result;
  }

  static GIMBAL_DEVICE unsigned samples_of(unsigned lanes, unsigned j)
  {
    return lanes >> (j * samples) & ((1u << samples) - 1);
  }

  /// Moves the ends of the ranges to the decided samples. False, and nothing moved, if nothing was learned from them.
  GIMBAL_DEVICE bool narrow(unsigned belong, unsigned beyond)
  {
    index_type low[Runs];
    index_type high[Runs];
    index_type least = 0;
    index_type most = 0;
    bool is_possible = (belong | beyond) != 0;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Runs; ++j) {
      const index_type step = step_in(high_[j] - low_[j]);
      const unsigned inside = samples_of(belong, j);
      const unsigned outside = samples_of(beyond, j);
      low[j] = low_[j] + step * ::cuda::std::bit_width(inside);  // just behind the last that belongs
      high[j] = outside == 0 ? high_[j] : low_[j] + step * (::cuda::std::countr_zero(outside) + 1) - 1;
      is_possible = is_possible && low[j] <= high[j];
      least += low[j];
      most += high[j];
    }
    if (!is_possible || least > diagonal_ || most < diagonal_) {
      return false;
    }
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Runs; ++j) {
      low_[j] = low[j];
      high_[j] = high[j];
    }
    return true;
  }

  /// What the ranges leave open, if anything, is taken from the runs in front.
  GIMBAL_DEVICE void take_from_first_runs()
  {
    index_type left = diagonal_;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Runs; ++j) {
      left -= low_[j];
    }
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Runs; ++j) {
      const index_type open = high_[j] - low_[j];
      const index_type taken = left < open ? left : open;
      low_[j] += taken;
      left -= taken;
    }
  }

  index_type diagonal_;
  index_type low_[Runs];
  index_type high_[Runs];
};

}  // namespace block

GIMBAL_NAMESPACE_END
