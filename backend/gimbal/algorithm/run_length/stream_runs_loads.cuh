// What loads in the kernel of stream_runs.cuh: the beginning of a block, and the role of the producer.
#pragma once

#include <gimbal/pipeline/deal.cuh>
#include <gimbal/pipeline/ring.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Kernel`: stream_runs_kernel.
template <class Kernel>
struct stream_runs_loads {
  using shape = typename Kernel::shape;
  using source = typename Kernel::source;
  using shared = typename Kernel::shared;
  using stage_memory = typename shape::stage_memory;
  using deal = typename Kernel::deal;
  static constexpr unsigned stages = shape::stages;
  static constexpr unsigned warps = shape::warps;
  static constexpr unsigned store_warps = Kernel::store_warps;
  static constexpr unsigned producer_warp = Kernel::producer_warp;

  const Kernel& kernel;

  // ---- the beginning (pipeline/deal.cuh)

  GIMBAL_DEVICE deal deal_of(const block::team_place& place) const
  {
    return deal::to_others(place, kernel.prefixes.tiles, kernel.prefixes);
  }

  /// By all warps. The one that loads sees to it that the first tiles are on their way while the others come up.
  template <class Context>
  GIMBAL_DEVICE void prepare(Context& ctx, shared& smem, const deal& own, bool anew) const
  {
    const unsigned warp = ctx.warp();
    block::for_stages_of_warp(ctx, stages, producer_warp, source::copies > 0 ? first_loads : 1, [&](unsigned s) {
      block::init_barrier(ctx, smem.stage[s].full, source::copies == 0 ? 1 : source::copies, anew);
      block::init_barrier(ctx, smem.stage[s].folded, warps, anew);
      block::init_barrier(ctx, smem.stage[s].ready, 1, anew);
      block::init_barrier(ctx, smem.stage[s].empty, store_warps + 1, anew);
    });
    if (own.serves) {
      if (warp == 0) {
        kernel.prefixes.init(ctx, smem.served);
      }
    } else if (source::copies > 0 && warp == producer_warp) {
      ctx.sync_warp();  // the barriers of the first stages are initialised
      GIMBAL_NO_UNROLL
      for (unsigned k = 0; k < own.asked(first_loads); ++k) {
        kernel.from().copy(ctx, smem.stage[k], own.tile(k));
      }
    }
  }

  /// By all warps: what prepare() has asked for has landed.
  template <class Context>
  GIMBAL_DEVICE void settle(Context& ctx, shared& smem, const deal& own) const
  {
    if (source::copies > 0 && !own.serves && ctx.warp() == producer_warp) {
      for (unsigned k = 0; k < own.asked(first_loads); ++k) {
        ctx.wait(smem.stage[k].full, 0);
      }
    }
  }

  // ---- the role

  template <class Context>
  GIMBAL_DEVICE void produce(Context& ctx, shared& smem, const deal& own) const
  {
    if (ctx.lane() >= source::copies) {
      return;
    }
    const unsigned asked = own.asked(first_loads);
    block::load_window<stages> window{shape::loads_ahead, asked};
    const auto copy_next = [&](unsigned tile, stage_memory& stage, unsigned parity) {
      ctx.wait(stage.empty, parity ^ 1);  // the stage has been read
      window.make_room(ctx, [&](unsigned s) -> simt::phase_barrier& { return smem.stage[s].full; });
      kernel.from().copy(ctx, stage, tile);
    };
    own.for_tiles(smem.stage, copy_next, asked);
  }

private:
  static constexpr unsigned first_loads = shape::loads_ahead < stages ? shape::loads_ahead : stages;
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
