// What loads in the kernel of stream_engine.cuh: the beginning of a block, and the roles of the producer and the markers.
#pragma once

#include <gimbal/pipeline/deal.cuh>
#include <gimbal/pipeline/ring.cuh>
#include <gimbal/pipeline/stream_marks.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Kernel`: stream_scan_kernel.
template <class Kernel>
struct stream_scan_loads {
  using shape = typename Kernel::shape;
  using source = typename shape::source;
  using shared = typename Kernel::shared;
  using stage_memory = typename shape::stage_memory;
  using tiles_type = typename shape::tiles;
  using Marks = typename Kernel::marks_type;
  using deal = typename Kernel::deal;
  using mark_position = block::ring_position<shape::mark_slots>;
  static constexpr unsigned stages = shape::stages;
  static constexpr unsigned warps = shape::warps;
  static constexpr unsigned chunk_items = tiles_type::chunk_items;
  static constexpr unsigned pieces = shape::is_one_piece ? 1 : warps;
  static_assert(pieces <= simt::warp_threads, "the producer has a lane for each load");
  static constexpr unsigned first_folder = Kernel::first_folder;
  static constexpr unsigned first_scanner = Kernel::first_scanner;
  static constexpr unsigned first_server = Kernel::first_server;
  static constexpr unsigned first_marker = Kernel::first_marker;
  static constexpr unsigned producer_warp = Kernel::producer_warp;

  const Kernel& kernel;

  // ---- the beginning (pipeline/deal.cuh)

  GIMBAL_DEVICE deal deal_of(const block::team_place& place) const
  {
    return deal::to_all(place, kernel.prefixes.tiles, kernel.prefixes);
  }

  /// By all warps. Those that load see to it that the first tiles are on their way while the others come up.
  template <class Context>
  GIMBAL_DEVICE void prepare(Context& ctx, shared& smem, const deal& own, bool anew) const
  {
    const unsigned warp = ctx.warp();
    const unsigned members = kernel.marks.together(own.tiles, own.server.blocks);
    const auto init_stage = [&](unsigned s) {
      block::init_barrier(ctx, smem.stage[s].full, pieces, anew);
      block::init_barrier(ctx, smem.stage[s].folded, warps, anew);
      block::init_barrier(ctx, smem.stage[s].ready, 1, anew);
      block::init_barrier(ctx, smem.stage[s].empty, warps + 1, anew);
    };
    if constexpr (source::copies) {
      block::for_stages_of_warp(ctx, stages, producer_warp, first_loads(stages), init_stage);
    } else {
      block::for_stages_of_warp(ctx, stages, 0, 1, init_stage);
    }
    kernel.marks.start(
      ctx, smem.marks, Marks::copies ? first_marker : 0, Marks::copies ? first_loads(shape::mark_slots) : 1, warps,
      members, anew);
    kernel.marks.clear(ctx, smem.marks, own.tiles <= own.server.blocks ? 1 : shape::mark_slots);
    if (warp == first_server) {
      kernel.prefixes.init(ctx, smem.prefixes);
    }
    if constexpr (source::copies) {
      if (warp == producer_warp) {
        ctx.sync_warp();  // the barriers of the first stages are initialised
        GIMBAL_NO_UNROLL
        for (unsigned k = 0; k < own.asked(first_loads(stages)); ++k) {
          load_piece(ctx, smem.stage[k], own.tile(k));
        }
      }
    } else if (warp >= first_folder && warp < first_scanner && ctx.lane() == 0) {
      const unsigned tile = own.tile((warp - first_folder) / warps);
      if (tile < own.tiles) {
        kernel.in.fetch_ahead(
          ctx, kernel.tiles, tiles_type::first_of(tile) + (warp - first_folder) % warps * chunk_items);
      }
    }
    if constexpr (Marks::copies) {
      if (warp == first_marker && ctx.lane() == 0) {
        mark_position at;
        GIMBAL_NO_UNROLL
        for (unsigned k = 0; k < own.asked(first_loads(shape::mark_slots)); ++k, at.advance()) {
          kernel.marks.load(ctx, kernel.tiles, own.tile(k), smem.marks, at);
        }
      }
    } else if constexpr (Marks::markers > 0) {
      if (warp >= first_marker && warp < producer_warp) {
        kernel.marks.ask_first(ctx, kernel.tiles, smem.marks, share_of(own, warp - first_marker));
      }
    }
  }

  /// By all warps: what prepare() has asked for has landed.
  template <class Context>
  GIMBAL_DEVICE void settle(Context& ctx, shared& smem, const deal& own) const
  {
    const unsigned warp = ctx.warp();
    if constexpr (source::copies) {
      if (warp == producer_warp) {
        for (unsigned k = 0; k < own.asked(first_loads(stages)); ++k) {
          ctx.wait(smem.stage[k].full, 0);
        }
      }
    }
    if constexpr (Marks::copies) {
      if (warp == first_marker && ctx.lane() == 0) {
        for (unsigned k = 0; k < own.asked(first_loads(shape::mark_slots)); ++k) {
          ctx.wait(smem.marks.slot[k].full, 0);
        }
      }
    } else if constexpr (Marks::markers > 0) {
      if (warp >= first_marker && warp < producer_warp) {
        kernel.marks.settle(ctx, smem.marks, share_of(own, warp - first_marker));
      }
    }
  }

  // ---- the roles

  template <class Context>
  GIMBAL_DEVICE void produce(Context& ctx, shared& smem, const deal& own) const
  {
    if constexpr (source::copies) {
      if (ctx.lane() < pieces) {
        const unsigned asked = own.asked(first_loads(stages));
        block::load_window<stages> window{shape::loads_ahead, asked};
        const auto load_next = [&](unsigned tile, stage_memory& stage, unsigned parity) {
          ctx.wait(stage.empty, parity ^ 1);  // the stage has been read
          window.make_room(ctx, [&](unsigned s) -> simt::phase_barrier& { return smem.stage[s].full; });
          load_piece(ctx, stage, tile);
        };
        own.for_tiles(smem.stage, load_next, asked);
      }
    }
  }

  /// Marks are copied by one lane, or found by groups of markers that take tiles in turn.
  template <class Context>
  GIMBAL_DEVICE void mark(Context& ctx, shared& smem, const deal& own, unsigned marker) const
  {
    mark_position at;
    if constexpr (Marks::copies) {
      if (ctx.lane() == 0) {
        const unsigned asked = own.asked(first_loads(shape::mark_slots));
        block::load_window<shape::mark_slots> window{shape::loads_ahead, asked};
        at.advance(asked);
        const auto load_next = [&](unsigned tile, stage_memory&, unsigned) {
          window.make_room(ctx, [&](unsigned s) -> simt::phase_barrier& { return smem.marks.slot[s].full; });
          kernel.marks.load(ctx, kernel.tiles, tile, smem.marks, at);
          at.advance();
        };
        own.for_tiles(smem.stage, load_next, asked);
      }
    } else if constexpr (Marks::markers > 0) {
      kernel.marks.mark(ctx, kernel.tiles, smem.marks, at, share_of(own, marker));
    }
  }

private:
  /// A piece of a tile for each of the first lanes.
  template <class Context>
  GIMBAL_DEVICE void load_piece(Context& ctx, stage_memory& stage, unsigned tile) const
  {
    constexpr unsigned piece_items = tiles_type::tile_items / pieces;
    const unsigned piece = ctx.lane();
    if (piece < pieces) {
      kernel.in.load(
        ctx, kernel.tiles, tiles_type::first_of(tile) + piece * piece_items, piece_items, stage.chunk[piece],
        stage.full);
    }
  }

  GIMBAL_DEVICE marker_share share_of(const deal& own, unsigned marker) const
  {
    const unsigned members = kernel.marks.together(own.tiles, own.server.blocks);
    const unsigned groups =
      members == 1 ? shape::marker_groups : Marks::markers / members;  // of few tiles: no slot twice
    return {marker, members, groups, own.first_tile, own.server.blocks, own.tiles};
  }

  /// How many tiles are asked for in the beginning, into a ring of so many places.
  static GIMBAL_DEVICE unsigned first_loads(unsigned places)
  {
    return shape::loads_ahead < places ? shape::loads_ahead : places;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
