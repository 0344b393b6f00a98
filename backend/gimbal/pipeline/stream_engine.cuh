// The kernel of the scans of many items: persistent blocks that keep a ring of tiles in flight. What a lane does with
// its items, and what lies beside them (head flags, keys), is a parameter: stream_scan.cuh and
// stream_segmented_scan.cuh.
//
// Algorithm: one block per place on the device. Those that have begun soon are a team (grid/team.cuh), to which tiles are dealt
// out in turn: tile t belongs to member t % members. Warps have roles and hand tiles on through phase barriers, without a
// barrier of the block:
//
//   producer   fills the ring's stages by bulk copies, as they become free
//   markers    bring marks beside the items or find them (stream_segmented_scan.cuh)
//   folders    fold the items of a tile, a segment per lane, and scan the lanes' folds
//   publisher  publishes the tile's total
//   servers    of member 0, tell every tile what all tiles before it amount to (grid/prefix_server.cuh)
//   asker      works out what each warp has below it in the tile, and waits for the server, for all tiles in the ring at
//              once
//   scanners   fold the segments once more, behind everything before them, in the stage itself, and store them
//
// Items that come through an iterator rather than from memory are loaded by the folders, and there is no producer; arrays
// that lie beneath are fetched to the L2 cache a tile ahead. Folders, and scanners, may be several groups that take the
// tiles in turn. After the decoupled look-back scan of Merrill & Garland (2016), with a server in place of the look-back.
//
// Bytes moved: each item is read once and each result written once; beside them 32 bytes per tile and word of the
// value.
//
// Launches: one; a fill before it only where the stream can have no words kept for it.
//
// Storage: words (retained_words.h), stages * blocks * 16 bytes for every 4 bytes of the accumulator.
//
// Operator: associative; operands are combined in order, so it need not be commutative. Called on valid items only.
//
// Determinism: the tree depends on the number of items alone, not on timing nor on the number of blocks; where tiles
// follow addresses (Lanes::tiles_follow_addresses), also on how the input lies to multiples of 16 bytes.
//
// Progress: blocks wait for members of the team alone, which have begun; every warp of a block keeps being scheduled.
//
// Memory order: all that goes through shared memory is ordered by phase barriers: full (bytes landed, marks made) and
// then folded (all folders have written), ready (the asker has written), empty (scanners and publisher have read).
// Lanes arrive through one of them, after a barrier of the warp. Between blocks only tagged words pass, which carry
// their own validity; with Lanes::orders_tiles they order memory, too: what the folders of a tile have read comes before any
// result of a later tile.
//
// Aliasing: out may equal in: a chunk is stored by the block that has loaded it, after its load has landed, and loads
// and stores touch no byte outside the stream's items nor of another chunk.
#pragma once

#include <gimbal/tile/accumulator.h>

#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/prefix_server.cuh>
#include <gimbal/pipeline/deal.cuh>
#include <gimbal/pipeline/stream_scan_loads.cuh>
#include <gimbal/pipeline/stream_scan_shape.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Marks, class Lanes>
struct stream_scan_kernel {
  using shape = Shape;
  using marks_type = Marks;
  using T = typename Lanes::fold;
  using source = typename shape::source;
  using results = typename shape::results;
  using item = typename source::item;
  using result = typename results::result;
  using tiles_type = typename shape::tiles;
  using stage_memory = typename shape::stage_memory;
  using server_type = block::prefix_server<T, Lanes::orders_tiles>;
  static constexpr unsigned warps = shape::warps;
  static constexpr unsigned items = shape::items;
  static constexpr unsigned stages = shape::stages;
  using position = block::ring_position<stages>;
  using mark_position = block::ring_position<shape::mark_slots>;

  static constexpr unsigned publisher_warp = 0;
  static constexpr unsigned asker_warp = 1;
  static constexpr unsigned first_folder = 2;
  static constexpr unsigned first_scanner = first_folder + shape::folder_groups * warps;
  static constexpr unsigned first_server = first_scanner + shape::scanner_groups * warps;
  static constexpr unsigned first_marker = first_server + shape::servers;
  static constexpr unsigned producer_warp = first_marker + Marks::markers;
  static constexpr unsigned block_threads = (producer_warp + (source::copies ? 1 : 0)) * simt::warp_threads;
  static constexpr bool copies_in_bulk = true;

  struct shared {
    stage_memory stage[stages];
    typename Marks::template ring_type<shape::mark_slots, tiles_type> marks;
    typename server_type::shared prefixes;
    block::team_place place;
  };

  source in;
  results out;
  tiles_type tiles;
  Marks marks;
  Lanes lanes;
  server_type prefixes;
  block::team team = {};

  using deal = block::tile_deal<server_type>;
  using loads = stream_scan_loads<stream_scan_kernel>;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned warp = ctx.warp();
    if (!block::begin_as_team(ctx, smem, team, loads{*this}, warp == asker_warp && ctx.lane() == 0)) {
      return;
    }
    const deal own = loads{*this}.deal_of(smem.place);
    if (warp == publisher_warp) {
      publish(ctx, smem, own);
    } else if (warp == asker_warp) {
      ask(ctx, smem, own);
    } else if (warp < first_scanner) {
      by_skew([&](auto skewed) {
        fold<decltype(skewed)::value>(ctx, smem, own, (warp - first_folder) % warps, (warp - first_folder) / warps);
      });
    } else if (warp < first_server) {
      by_skew([&](auto skewed) {
        scan<decltype(skewed)::value>(ctx, smem, own, (warp - first_scanner) % warps, (warp - first_scanner) / warps);
      });
    } else if (warp < first_marker) {
      if (own.serves) {
        own.server.template serve<shape::servers>(ctx, smem.prefixes, warp - first_server, lanes.combine());
      }
    } else if (warp < producer_warp) {
      loads{*this}.mark(ctx, smem, own, warp - first_marker);
    } else {
      loads{*this}.produce(ctx, smem, own);
    }
  }

private:
  static constexpr unsigned chunk_items = tiles_type::chunk_items;

  // ---- the roles

  template <bool IsSkewed, class Context>
  GIMBAL_DEVICE void fold(Context& ctx, shared& smem, const deal& own, unsigned warp, unsigned group) const
  {
    mark_position marks_at;
    marks_at.advance(group);
    own.for_tiles_of_group(
      smem.stage, group, shape::folder_groups, [&](unsigned tile, stage_memory& stage, unsigned parity) {
        const index_type first = tiles_type::first_of(tile) + warp * chunk_items;
        const index_type next = first + index_type{shape::folder_groups} * own.server.blocks * tiles_type::tile_items;
        constexpr bool are_marks_first = source::copies && Marks::come_first;
        std::uint32_t marked = 0;
        if constexpr (are_marks_first) {
          marked = marks.find(ctx, tiles, smem.marks, marks_at, tile, warp);  // while the items are on their way
        }
        if constexpr (source::copies) {
          ctx.wait(stage.full, parity);  // the items have landed
        } else {
          uninit<item> loaded[items];
          in.load(ctx, tiles, first, loaded);
          if (ctx.lane() == 0) {
            in.fetch_ahead(ctx, tiles, next);
          }
          ctx.wait(stage.empty, parity ^ 1);  // the stage has been read
          in.put(ctx, tiles, first, loaded, stage.chunk[warp]);
          ctx.sync_warp();  // the chunk is in shared memory
        }
        if constexpr (!are_marks_first) {
          marked = marks.find(ctx, tiles, smem.marks, marks_at, tile, warp);
        }
        if (ctx.lane() == 0) {
          marks.fetch_ahead(ctx, tiles, next);
        }
        marks.leave(ctx, stage.marks, warp, marked);
        uninit<item> value[items];  // not held in registers while marks are
        read_items<IsSkewed>(ctx, stage.chunk[warp], value);
        uninit<T> folded;
        unsigned active = simt::warp_threads;
        if (tiles.is_full(first, chunk_items)) {
          lanes.template fold_items<true>({0, items}, marked, value, folded);
        } else {
          lanes.template fold_items<false>(tiles.valid(first + ctx.lane() * items, items), marked, value, folded);
          active = tiles.pieces_with_items(first, simt::warp_threads, items);
        }
        block::warp_inclusive_scan(ctx, folded, active, lanes.combine());
        if (active > 0 && ctx.lane() == active - 1) {
          stage.warp_total[warp] = folded;
        }
        stage.lanes_below[warp][ctx.lane()] = ctx.shfl_up(folded, 1);
        ctx.sync_warp();  // all lanes have read and written
        if (ctx.lane() == 0) {
          marks.release(ctx, smem.marks, marks_at);
          ctx.arrive(stage.folded);
        }
        marks_at.advance(shape::folder_groups);
      });
  }

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, shared& smem, const deal& own) const
  {
    if (ctx.lane() == 0) {
      own.for_tiles(smem.stage, [&](unsigned tile, stage_memory& stage, unsigned parity) {
        const auto place = own.server.place_of(tile);
        ctx.wait(stage.folded, parity);  // the warps' totals are written
        const unsigned active = active_warps(tile);
        const auto op = lanes.combine();
        uninit<T> total = stage.warp_total[0];
        GIMBAL_UNROLL
        for (unsigned w = 1; w < warps; ++w) {
          if (w < active) {
            total.set(op(total.get(), stage.warp_total[w].get()));
          }
        }
        own.server.publish(ctx, place, total.get());
        ctx.arrive(stage.empty);
      });
    }
  }

  template <class Context>
  GIMBAL_DEVICE void ask(Context& ctx, shared& smem, const deal& own) const
  {
    own.server.ask(
      ctx, smem.stage, own.first_tile,
      [&](stage_memory& stage, unsigned tile) { place_warps(stage, active_warps(tile)); },
      [&](stage_memory& stage, unsigned tile, uninit<T> before) {
        if constexpr (Lanes::has_start) {
          before.set(tile > 0 ? lanes.combine()(lanes.start(), before.get()) : lanes.start());
        }
        stage.tile_before = before;
        own.reopen_behind(ctx, team, smem.place, tile);
      });
  }

  template <bool IsSkewed, class Context>
  GIMBAL_DEVICE void scan(Context& ctx, shared& smem, const deal& own, unsigned warp, unsigned group) const
  {
    own.for_tiles_of_group(
      smem.stage, group, shape::scanner_groups, [&](unsigned tile, stage_memory& stage, unsigned parity) {
        const index_type first = tiles_type::first_of(tile) + warp * chunk_items;
        ctx.wait(stage.ready, parity);  // what is before each lane is known
        uninit<item> value[items];
        uninit<result> scanned[items];
        read_items<IsSkewed>(ctx, stage.chunk[warp], value);
        if (tiles.is_full(first, chunk_items)) {
          scan_segment<true>(ctx, stage, tile, warp, {0, items}, value, scanned);
        } else if (const auto valid = tiles.valid(first + ctx.lane() * items, items); valid.lo < valid.hi) {
          scan_segment<false>(ctx, stage, tile, warp, valid, value, scanned);
        }
        ctx.sync_warp();  // all lanes have read the chunk: results may be larger than items
        if constexpr (IsSkewed && shape::is_one_piece) {
          block::skewed_segment<result, items>::write(stage.chunk[warp], in.skew, ctx.lane(), scanned);
        } else {
          block::lane_segment<result, items>::write(stage.chunk[warp], ctx.lane(), scanned);
        }
        ctx.sync_warp();  // the results are in shared memory
        out.store(ctx, tiles, first, stage.chunk[warp] + (IsSkewed && shape::is_one_piece ? in.skew : 0));
        ctx.bulk_fence();
        ctx.sync_warp();  // all lanes have read the results
        if (ctx.lane() == 0) {
          ctx.arrive(stage.empty);
        }
      });
  }

  // ---- what they do to a tile

  /// `body` with whether items are skewed, which is asked once and not for every tile.
  template <class Body>
  GIMBAL_DEVICE void by_skew(Body body) const
  {
    if constexpr (source::is_skewed) {
      if (in.skew != 0) {
        body(::cuda::std::true_type{});
        return;
      }
    }
    body(::cuda::std::false_type{});
  }

  template <bool IsSkewed, class Context>
  GIMBAL_DEVICE void read_items(Context& ctx, const unsigned char* chunk, uninit<item> (&value)[items]) const
  {
    if constexpr (IsSkewed) {
      block::skewed_segment<item, items>::read(chunk, in.skew, ctx.lane(), value);
    } else {
      block::lane_segment<item, items>::read(chunk, ctx.lane(), value);
    }
  }

  GIMBAL_DEVICE unsigned active_warps(unsigned tile) const
  {
    return tiles.pieces_with_items(tiles_type::first_of(tile), warps, chunk_items);
  }

  /// What each warp of a tile has below it there; warp 0 has nothing.
  GIMBAL_DEVICE void place_warps(stage_memory& stage, unsigned active) const
  {
    const auto op = lanes.combine();
    uninit<T> below = stage.warp_total[0];
    GIMBAL_UNROLL
    for (unsigned w = 1; w < warps; ++w) {
      if (w < active) {
        stage.warps_below[w] = below;
        if (w + 1 < active) {
          below.set(op(below.get(), stage.warp_total[w].get()));
        }
      }
    }
  }

  /// The results of a lane's items, of which there is at least one.
  template <bool IsFull, class Context>
  GIMBAL_DEVICE void scan_segment(
    Context& ctx, const stage_memory& stage, unsigned tile, unsigned warp, block::valid_range valid,
    const uninit<item> (&value)[items], uninit<result> (&scanned)[items]) const
  {
    uninit<T> running;
    bool exists = Lanes::has_start || tile > 0;
    if (exists) {
      running = stage.tile_before;
    }
    const auto go_on = [&](const uninit<T>& next) {
      running.set(exists ? lanes.combine()(running.get(), next.get()) : next.get());
      exists = true;
    };
    if (warp > 0) {
      go_on(stage.warps_below[warp]);
    }
    if (ctx.lane() > 0) {
      go_on(stage.lanes_below[warp][ctx.lane()]);
    }
    lanes.template scan_items<IsFull>(valid, marks.found(ctx, stage.marks, warp), exists, running, value, scanned);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
