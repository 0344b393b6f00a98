// The role `receive` in the kernel of stream_partition.cuh: what is selected before each tile, and where its runs go.
#pragma once

#include <gimbal/algorithm/select/stream_partition_places.cuh>
#include <gimbal/grid/prefix_server.cuh>
#include <gimbal/pipeline/deal.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Kernel`: stream_select_kernel.
template <class Kernel>
struct stream_partition_receiver {
  using shared = typename Kernel::shared;
  using deal = typename Kernel::deal;
  using server = typename Kernel::server;
  using plan = typename Kernel::plan;
  using extent = typename Kernel::extent;
  using turn = typename Kernel::turn;
  using Rejected = typename Kernel::rejected_type;
  static constexpr unsigned stages = Kernel::stages;

  const Kernel& kernel;

  /// A lane for each stage: one after the other, the way to the server and back would bound how many kernel.tiles a block can
  /// take. All lanes look in one loop, so that none waits for another's prefix.
  template <class Context>
  GIMBAL_DEVICE void receive(Context& ctx, shared& smem, const deal& own) const
  {
    static_assert(stages <= simt::warp_threads, "the receiver has a lane for each stage");
    const unsigned stage = ctx.lane();
    if (stage >= stages) {
      return;
    }
    unsigned parity = 0;
    bool is_published = false;
    const unsigned first = own.tile(stage);
    for (pending next = pending_at(first, own.server.place_of(first)); next.number < kernel.tiles;) {
      if (!is_published && ctx.is_complete(smem.published[stage], parity)) {  // before, looking is in vain
        is_published = true;
        next.selected = smem.selected_in_all[stage];
      }
      if (is_published && is_placed(ctx, own, next, smem.planned[stage])) {
        ctx.arrive(smem.placed[stage]);
        own.reopen_behind(ctx, kernel.team, smem.place, static_cast<unsigned>(next.number));
        next = pending_at(
          next.number + index_type{stages} * own.server.blocks,
          own.server.place_after(next.at, stages * own.server.blocks));
        parity ^= 1;
        is_published = false;
      } else {
        ctx.spin_wait();
      }
    }
  }

  /// By a block that has all tiles: what is selected before each of them it knows from those before.
  template <class Context>
  GIMBAL_DEVICE void receive_alone(Context& ctx, shared& smem, const deal& own) const
  {
    if (ctx.lane() != 0) {
      return;
    }
    turn now;
    index_type selected_before = 0;
    for (unsigned t = 0; t < kernel.tiles; ++t, now.advance()) {
      ctx.wait(smem.published[now.stage], now.parity);
      pending of = pending_at(t, own.server.place_of(t));
      of.selected = smem.selected_in_all[now.stage];
      smem.planned[now.stage] = plan_runs(of, selected_before, 0, false);
      ctx.arrive(smem.placed[now.stage]);
      selected_before += of.selected;
    }
    smem.selected_by_lone_block = selected_before;
  }

private:
  /// A tile whose prefix is waited for, and what is known of its runs before.
  struct pending {
    index_type number;
    typename server::place at;
    extent valid;
    index_type begin;  // index of its first item
    unsigned selected;
  };
  GIMBAL_DEVICE pending pending_at(index_type t, const typename server::place& at) const
  {
    const extent valid = kernel.source.extent_of(static_cast<unsigned>(t));
    return {t, at, valid, kernel.source.first_index(static_cast<unsigned>(t)) + valid.first, 0};
  }

  /// Whether all is known that the tile's place depends on; if so, its runs are planned.
  template <class Context>
  GIMBAL_DEVICE bool is_placed(Context& ctx, const deal& own, const pending& of, plan& planned) const
  {
    uninit<index_type> selected_before;
    uninit<index_type> total;
    total.set(0);
    if (!own.server.find_prefix(ctx, of.at, selected_before)) {
      return false;
    }
    bool waits = false;
    if constexpr (Rejected::may_wait) {
      waits = static_cast<unsigned>(of.number) >= kernel.first_waiting(own);
      if (waits && !own.server.find_prefix(ctx, own.server.place_of(kernel.tiles), total)) {
        return false;
      }
    }
    planned = plan_runs(of, of.number > 0 ? selected_before.get() : 0, total.get(), waits);
    return true;
  }

  GIMBAL_DEVICE plan plan_runs(const pending& of, index_type selected_before, index_type total, bool waits) const
  {
    if (of.number + 1 == kernel.tiles) {
      block::store_as(kernel.selected_count, selected_before + of.selected);
    }
    return plan::of(
      waits, of.valid, of.selected, kernel.selected_out + selected_before, kernel.rejected, of.begin - selected_before,
      total);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
