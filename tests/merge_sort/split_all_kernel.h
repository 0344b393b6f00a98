// Splits sorted runs at every place of their merge, as collective/multiway_split.cuh does it for one.
#pragma once

#include <gimbal/collective/multiway_split.cuh>

namespace test {

struct less_than {
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& a, const T& b) const
  {
    return a < b;
  }
};

/// The runs stand one behind the other; a warp for each diagonal. split[diagonal * Runs + run]: items of the run.
template <unsigned Runs>
struct split_all_kernel {
  static constexpr unsigned block_threads = 64;
  struct shared {
    gimbal::block::multiway_samples<unsigned> samples[2];
  };

  const unsigned* keys;
  const gimbal::index_type* edge;  // of the runs
  gimbal::index_type* split;
  unsigned unit_bits;

  /// For so many items in all.
  static std::size_t blocks(std::size_t items) { return (items + 1 + 1) / 2; }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const gimbal::index_type diagonal = ctx.block() * 2 + ctx.warp();
    if (diagonal > edge[Runs]) {
      return;
    }
    const unsigned run = gimbal::block::multiway_split::run_of(ctx.lane(), Runs);
    gimbal::block::multiway_split search(ctx, Runs, edge[run], edge[run + 1], edge[Runs], diagonal, unit_bits);
    less_than compare;
    search.search(
      ctx, [&](gimbal::index_type i) { return keys[i]; }, smem.samples[ctx.warp()], compare);
    if (ctx.lane() % (gimbal::simt::warp_threads / Runs) == 0) {
      split[diagonal * Runs + run] = search.split();
    }
  }
};

}  // namespace test
