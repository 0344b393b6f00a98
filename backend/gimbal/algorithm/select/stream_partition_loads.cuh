// What loads in the kernel of stream_partition.cuh: the beginning of a block, and the roles `load` and `loaders`.
#pragma once

#include <gimbal/algorithm/select/tuning.h>

#include <gimbal/pipeline/deal.cuh>
#include <gimbal/pipeline/ring.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Kernel`: stream_select_kernel.
template <class Kernel>
struct stream_partition_loads {
  using shared = typename Kernel::shared;
  using source_type = typename Kernel::source_type;
  using deal = typename Kernel::deal;
  using turn = typename Kernel::turn;
  using side_turn = typename Kernel::side_turn;
  static constexpr unsigned stages = Kernel::stages;
  static constexpr unsigned places = Kernel::places;
  static constexpr unsigned loaders = Kernel::loaders;
  static constexpr bool copies_any = Kernel::copies_any;
  static constexpr unsigned scatter_warps = Kernel::scatter_warps;
  static constexpr unsigned count_warps = Kernel::count_warps;
  static constexpr unsigned load_warp = Kernel::load_warp;
  static constexpr unsigned store_warp = Kernel::store_warp;
  static constexpr unsigned first_loader = Kernel::first_loader;

  const Kernel& kernel;

  // ---- the beginning (pipeline/deal.cuh)

  GIMBAL_DEVICE deal deal_of(const block::team_place& place) const
  {
    return deal::to_others(place, kernel.tiles, kernel.before);
  }

  /// By all warps. The one that loads sees to it that the first tiles are on their way while the others come up.
  template <class Context>
  GIMBAL_DEVICE void prepare(Context& ctx, shared& smem, const deal& own, bool anew) const
  {
    const unsigned warp = ctx.warp();
    block::for_stages_of_warp(ctx, stages, load_warp, copies_any ? most_first_loads : 1, [&](unsigned s) {
      block::init_barrier(ctx, smem.loaded[s], loaders + (copies_any ? 1 : 0), anew);
      block::init_barrier(ctx, smem.counted[s], count_warps, anew);
      block::init_barrier(ctx, smem.published[s], 1, anew);
      block::init_barrier(ctx, smem.placed[s], 1, anew);
      block::init_barrier(ctx, smem.free[s], scatter_warps, anew);
    });
    block::for_stages_of_warp(ctx, places, store_warp, 1, [&](unsigned p) {
      block::init_barrier(ctx, smem.built[p], scatter_warps, anew);
      block::init_barrier(ctx, smem.stored[p], 1, anew);
    });
    if (own.serves) {
      if (warp == 0) {
        kernel.before.init(ctx, smem.served);
      }
      return;
    }
    if (copies_any && warp == load_warp && ctx.lane() == 0) {
      GIMBAL_NO_UNROLL
      for (unsigned k = 0; k < own.asked(first_loads(own)); ++k) {
        kernel.source.load(
          ctx, smem.ring[k], smem.side_ring[k % source_type::side_stages], smem.loaded[k], own.tile(k));
      }
    }
    if constexpr (source_type::is_loaded) {
      if (warp >= first_loader && ctx.lane() == 0) {
        kernel.source.template fetch_items<loaders>(ctx, own.first_tile, warp - first_loader);
      }
    }
  }

  /// By all warps: what prepare() has asked for has landed.
  template <class Context>
  GIMBAL_DEVICE void settle(Context& ctx, shared& smem, const deal& own) const
  {
    if constexpr (copies_any) {
      const unsigned warp = ctx.warp();
      if (own.serves || ctx.lane() != 0) {
        return;
      }
      for (unsigned k = 0; k < own.asked(first_loads(own)); ++k) {
        if (warp >= first_loader) {
          ctx.arrive(smem.loaded[k]);  // with nothing
        } else if (warp == load_warp) {
          ctx.wait(smem.loaded[k], 0);
        }
      }
    }
  }

  // ---- the roles

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem, const deal& own) const
  {
    if (ctx.lane() != 0) {
      return;
    }
    turn now;
    side_turn side;
    const unsigned begun = own.asked(first_loads(own));
    now.advance(begun);
    side.advance(begun);
    turn asked;  // the stage of the last tile that had the place beside
    unsigned places_left = source_type::side_stages - begun;
    block::load_window<stages> window{most_under_way(own), begun};
    const unsigned blocks = own.server.blocks;
    for (unsigned t = own.tile(begun); t < own.tiles; t += blocks, now.advance(), side.advance()) {
      ctx.wait(smem.free[now.stage], now.parity ^ 1);
      if (source_type::has_side && places_left > 0) {
        --places_left;
      } else if (source_type::has_side) {
        ctx.wait(smem.counted[asked.stage], asked.parity);
        asked.advance();
      }
      window.make_room(ctx, [&](unsigned s) -> simt::phase_barrier& { return smem.loaded[s]; });
      kernel.source.load(ctx, smem.ring[now.stage], smem.side_ring[side.stage], smem.loaded[now.stage], t);
    }
  }

  /// By each of the loaders.
  template <class Context>
  GIMBAL_DEVICE void load_items(Context& ctx, shared& smem, const deal& own, unsigned loader) const
  {
    turn now;
    for (unsigned t = own.first_tile; t < own.tiles; t += own.server.blocks, now.advance()) {
      kernel.source.template load_items<loaders>(ctx, smem.ring[now.stage], t, t + own.server.blocks, loader, [&] {
        ctx.wait(smem.free[now.stage], now.parity ^ 1);
      });
      ctx.sync_warp();  // the warp's items are in the stage
      if (ctx.lane() == 0) {
        ctx.arrive(smem.loaded[now.stage]);
      }
    }
  }

private:
  static constexpr unsigned most_first_loads =
    Kernel::loads_ahead + 1 < Kernel::most_loads ? Kernel::loads_ahead + 1 : Kernel::most_loads;

  /// How many tiles are asked for in the beginning, at most as many.
  static GIMBAL_DEVICE unsigned first_loads(const deal& own)
  {
    const unsigned most = most_under_way(own);
    return source_type::has_side && most > source_type::side_stages ? source_type::side_stages : most;
  }
  static GIMBAL_DEVICE unsigned most_under_way(const deal& own)
  {
    const bool are_many = own.tiles / own.server.blocks > tuning::stream_partition_few_tiles;
    const unsigned wanted = Kernel::loads_ahead + (are_many ? 1 : 0);
    return wanted < Kernel::most_loads ? wanted : Kernel::most_loads;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
