// The sort of radix_resident_sort.cuh by so few blocks that they do not hold all items: each member of the team processes several
// shares, one after the other, each as large as a block holds. In each pass it counts its shares, gets the counts of all shares, and then
// reads and ranks each share again to move it; nobody writes to what a pass reads. By digits alone, skipping those in which no keys
// differ.
//
// Traffic for p digits in which keys differ: keys 4p times, or 3p where a member has one share, and values 2p times.
// Memory order: as in radix_resident_sort.cuh.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_resident_pass.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Kernel`: radix_resident_sort_kernel.
template <class Kernel>
struct radix_resident_rounds {
  using shared = typename Kernel::shared;
  using share = typename Kernel::share;
  using ranking = typename Kernel::ranking;
  using digit_type = typename Kernel::digit_type;
  static constexpr unsigned digits_per_thread = Kernel::digits_per_thread;
  static constexpr unsigned held = Kernel::tile_items / Kernel::block_threads;  ///< items of a thread

  const Kernel& kernel;
  block::team_place place;  ///< in the team; the block may be no member

  template <class Context>
  GIMBAL_DEVICE_NOINLINE void sort(Context ctx, shared& smem) const
  {
    if (place.members == 0) {
      return;
    }
    sort_place source = sort_place::input;
    const unsigned passes = kernel.plan.passes;
    for (unsigned turn = 0; turn < passes; ++turn) {
      const digit_type digit{kernel.order, kernel.plan.range(turn)};
      const sort_place target = kernel.target_of(source, passes);
      GIMBAL_NO_UNROLL
      for (unsigned step = 0; step < 2; ++step) {
        for_shares(ctx, [&](unsigned number) { do_share(ctx, smem, number, source, target, digit, turn, step == 1); });
      }
      if (smem.constant_pass != turn + 1) {
        source = target;
        kernel.histograms.sync_team(ctx, turn, place);
      }
    }
    if (source == sort_place::output || (source == sort_place::input && kernel.aliasing.all_in_place)) {
      return;
    }
    if (source == sort_place::input && kernel.aliasing.in_place) {
      kernel.histograms.sync_team(ctx, passes - 1, place);  // nobody reads the input any longer
    }
    for_shares(ctx, [&](unsigned number) { kernel.copy_own(ctx, kernel.share_of(number, held), source); });
  }

private:
  GIMBAL_DEVICE unsigned shares() const { return (kernel.count - 1) / Kernel::tile_items + 1; }

  /// `body(number)` for each of the member's shares.
  template <class Context, class Body>
  GIMBAL_DEVICE void for_shares(const Context&, Body body) const
  {
    GIMBAL_NO_UNROLL
    for (unsigned number = place.number; number < shares(); number += place.members) {
      body(number);
    }
  }

  /// Counts a share and publishes that, or counts it again and moves it to where it belongs, unless all keys have the same digit.
  /// Behind the first barrier all threads are done with the share before.
  template <class Context>
  GIMBAL_DEVICE void do_share(
    Context& ctx, shared& smem, unsigned number, sort_place source, sort_place target, const digit_type& digit,
    unsigned turn, bool moves) const
  {
    const share own = kernel.share_of(number, held);
    bool by_match_any = kernel.must_match_any();
    GIMBAL_NO_UNROLL
    for (bool is_done = false; !is_done;) {
      unsigned totals[digits_per_thread];
      unsigned starts[digits_per_thread] = {};
      kernel.rank_keys(ctx, smem, own, source, digit, false, by_match_any);
      ctx.sync_block();  // the counts of all warps are there
      ranking::sum_warps(ctx, smem.rank, totals);
      kernel.store_histogram(ctx, smem, own, digit, totals);
      if (!moves) {
        ctx.sync_block();  // so are those of the share
        return kernel.histograms.publish(ctx, smem.histograms, turn, number);
      }
      const uninit<unsigned> digits_before = ranking::sum_digits(ctx, smem.rank, totals);
      ctx.sync_block();  // the sums of all warps' digits are there
      ranking::start_digits(ctx, smem.rank, digits_before, totals, starts);
      ctx.sync_block();  // every digit's start is there for every warp
      kernel.gather_items(ctx, smem, own, source, digit);
      kernel.histograms.collect(ctx, smem.histograms, turn, number, shares());
      ctx.sync_block();  // the counts of all shares and the items are there
      kernel.set_targets(ctx, smem, own, turn, starts);
      if (smem.constant_pass == turn + 1) {
        return;
      }
      kernel.store_items(ctx, smem, own, target, digit, turn);
      ctx.sync_block();  // every thread has verified its items
      is_done = by_match_any || smem.unstable_pass != turn + 1;
      by_match_any = true;
      ctx.sync_block();  // every thread knows
      if (ctx.thread() == 0) {
        smem.unstable_pass = 0;  // of the next share nothing is known
      }
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
