// The policy of the scans of many items (stream_engine.cuh). What a lane does with its items, and what lies beside them (head flags,
// keys), is a parameter: algorithm/scan/stream_scan.cuh and algorithm/segmented/stream_segmented_scan.cuh.
//
// Folders fold the items of a tile, a segment per lane, and scan the lanes' folds; the asker works out what each warp has below it
// in the tile; storers fold the segments once more, behind everything before them, in the stage itself, and store them. Markers, which
// are the helpers, bring marks beside the items or find them.
//
// Items that come through an iterator rather than from memory are loaded by the folders, and there is no producer; arrays
// that lie beneath are fetched to the L2 cache a tile ahead.
//
// Bytes moved: each item is read once and each result written once; beside them 32 bytes per tile and word of the
// value.
//
// Operator: associative; operands are combined in order, so it need not be commutative. Called on valid items only.
//
// Determinism: the tree depends on the number of items alone, not on timing nor on the number of blocks; where tiles
// follow addresses (Lanes::tiles_follow_addresses), also on how the input lies to multiples of 16 bytes.
//
// Aliasing: out may equal in: a chunk is stored by the block that has loaded it, after its load has landed, and loads
// and stores touch no byte outside the stream's items nor of another chunk.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/may_overlap.h>

#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/ring.cuh>
#include <gimbal/pipeline/stream_engine.cuh>
#include <gimbal/pipeline/stream_scan_shape.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Marks, class Lanes>
struct stream_scan_policy : stream_policy {
  using shape = Shape;
  using T = typename Lanes::fold;
  using source = typename shape::source;
  using results = typename shape::results;
  using item = typename source::item;
  using result = typename results::result;
  using tiles_type = typename shape::tiles;
  using stage_memory = typename shape::stage_memory;
  using server = block::prefix_server<T, Lanes::orders_tiles>;
  using mark_position = block::ring_position<shape::mark_slots>;
  static constexpr const char* step = "scan";
  static constexpr const char* clearing = "clearing of the words of a scan";
  static constexpr unsigned items = shape::items;
  static constexpr unsigned stages = shape::stages;
  static constexpr unsigned warps = shape::warps;
  static constexpr unsigned fold_warps = warps;
  static constexpr unsigned fold_groups = shape::folder_groups;
  static constexpr unsigned store_warps = warps;
  static constexpr unsigned store_groups = shape::scanner_groups;
  static constexpr unsigned servers = shape::servers;
  static constexpr unsigned helpers = Marks::markers;
  static constexpr unsigned pieces = shape::is_one_piece ? 1 : warps;  // that a tile is loaded in
  static constexpr unsigned copies = source::copies ? pieces : 0;
  static constexpr unsigned most_loads = shape::loads_ahead < stages ? shape::loads_ahead : stages;
  static constexpr unsigned first_loads = most_loads;
  static_assert(pieces <= simt::warp_threads, "the producer has a lane for each load");

  struct shared {
    stage_memory stage[stages];
    typename Marks::template ring_type<shape::mark_slots, tiles_type> marks;
    typename server::shared served;
    block::team_place place;
  };

  source in;
  results out;
  tiles_type tiles;
  Marks marks;
  Lanes lanes;

  /// Of arguments as those of scan().
  template <class InputIt, class OutputIt>
  static stream_plan<stream_scan_policy> plan(
    InputIt in, OutputIt out, index_type n, const Marks& marks, const Lanes& lanes)
  {
    const index_type shift = source::shift_of(in);
    source from = source::of(in, shift);
    if constexpr (source::is_skewed) {
      from.reads_around = !block::may_overlap(in, out, n);
    }
    const tiles_type tiles{shift, shift + n};
    return {{{}, from, {out, shift}, tiles, marks, lanes}, tiles.count(), shift < source::shift_limit};
  }

  GIMBAL_DEVICE auto combine() const { return lanes.combine(); }

  // ---- loads

  template <class Deal>
  static GIMBAL_DEVICE unsigned loads_of(const Deal&)
  {
    return most_loads;
  }

  /// A piece of a tile for each of the first lanes.
  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared&, stage_memory& stage, unsigned tile, unsigned) const
  {
    constexpr unsigned piece_items = tiles_type::tile_items / pieces;
    const unsigned piece = ctx.lane();
    in.load(ctx, tiles, tiles_type::first_of(tile) + piece * piece_items, piece_items, stage.chunk[piece], stage.full);
  }

  template <class Context, class Deal>
  GIMBAL_DEVICE void begin_folding(Context& ctx, const Deal& own, unsigned folder) const
  {
    if constexpr (!source::copies) {
      const unsigned tile = own.tile(folder / warps);
      if (ctx.lane() == 0 && tile < own.tiles) {
        in.fetch_ahead(ctx, tiles, tiles_type::first_of(tile) + folder % warps * chunk_items);
      }
    }
  }

  // ---- marks: copied by one lane, or found by groups of markers that take tiles in turn

  template <class Context, class Deal>
  GIMBAL_DEVICE void init(Context& ctx, shared& smem, const Deal& own, unsigned first_marker, bool anew) const
  {
    const unsigned members = marks.together(own.tiles, own.server.blocks);
    marks.start(
      ctx, smem.marks, Marks::copies ? first_marker : 0, Marks::copies ? first_marks : 1, warps, members, anew);
    marks.clear(ctx, smem.marks, own.tiles <= own.server.blocks ? 1 : shape::mark_slots);
  }

  template <class Context, class Deal>
  GIMBAL_DEVICE void begin_helping(Context& ctx, shared& smem, const Deal& own, unsigned marker) const
  {
    if constexpr (Marks::copies) {
      if (ctx.lane() == 0) {
        mark_position at;
        GIMBAL_NO_UNROLL
        for (unsigned k = 0; k < own.asked(first_marks); ++k, at.advance()) {
          marks.load(ctx, tiles, own.tile(k), smem.marks, at);
        }
      }
    } else if constexpr (Marks::markers > 0) {
      marks.ask_first(ctx, tiles, smem.marks, share_of(own, marker));
    }
  }

  template <class Context, class Deal>
  GIMBAL_DEVICE void settle(Context& ctx, shared& smem, const Deal& own, unsigned marker, unsigned) const
  {
    if constexpr (Marks::copies) {
      if (ctx.lane() == 0) {
        for (unsigned k = 0; k < own.asked(first_marks); ++k) {
          ctx.wait(smem.marks.slot[k].full, 0);
        }
      }
    } else if constexpr (Marks::markers > 0) {
      marks.settle(ctx, smem.marks, share_of(own, marker));
    }
  }

  template <class Context, class Deal>
  GIMBAL_DEVICE void help(Context& ctx, shared& smem, const Deal& own, unsigned marker) const
  {
    mark_position at;
    if constexpr (Marks::copies) {
      if (ctx.lane() == 0) {
        const unsigned asked = own.asked(first_marks);
        block::load_window<shape::mark_slots> window{shape::loads_ahead, asked};
        at.advance(asked);
        const auto load_next = [&](unsigned tile, stage_memory&, unsigned) {
          window.make_room(ctx, [&](unsigned s) -> simt::phase_barrier& { return smem.marks.slot[s].full; });
          marks.load(ctx, tiles, tile, smem.marks, at);
          at.advance();
        };
        own.for_tiles(smem.stage, load_next, asked);
      }
    } else if constexpr (Marks::markers > 0) {
      marks.mark(ctx, tiles, smem.marks, at, share_of(own, marker));
    }
  }

  // ---- the other roles

  template <class Context, class Deal>
  GIMBAL_DEVICE void fold(Context& ctx, shared& smem, const Deal& own, unsigned folder) const
  {
    by_skew(
      [&](auto skewed) { fold_by_group<decltype(skewed)::value>(ctx, smem, own, folder % warps, folder / warps); });
  }
  template <class Context, class Deal>
  GIMBAL_DEVICE void store(Context& ctx, shared& smem, const Deal& own, unsigned storer) const
  {
    by_skew(
      [&](auto skewed) { store_by_group<decltype(skewed)::value>(ctx, smem, own, storer % warps, storer / warps); });
  }

  GIMBAL_DEVICE uninit<T> total_of(const stage_memory& stage, unsigned tile) const
  {
    const unsigned active = active_warps(tile);
    const auto op = lanes.combine();
    uninit<T> total = stage.warp_total[0];
    GIMBAL_UNROLL
    for (unsigned w = 1; w < warps; ++w) {
      if (w < active) {
        total.set(op(total.get(), stage.warp_total[w].get()));
      }
    }
    return total;
  }

  /// What each warp of a tile has below it there; warp 0 has nothing.
  GIMBAL_DEVICE nothing begin_place(stage_memory& stage, unsigned tile) const
  {
    const unsigned active = active_warps(tile);
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
    return {};
  }

  template <class Context, class Deal>
  GIMBAL_DEVICE bool place(
    Context&, shared&, const Deal&, stage_memory& stage, unsigned tile, uninit<T> before, nothing) const
  {
    if constexpr (Lanes::has_start) {
      before.set(tile > 0 ? lanes.combine()(lanes.start(), before.get()) : lanes.start());
    }
    stage.tile_before = before;
    return true;
  }

private:
  static constexpr unsigned chunk_items = tiles_type::chunk_items;
  static constexpr unsigned first_marks =
    shape::loads_ahead < shape::mark_slots ? shape::loads_ahead : shape::mark_slots;

  template <class Deal>
  GIMBAL_DEVICE marker_share share_of(const Deal& own, unsigned marker) const
  {
    const unsigned members = marks.together(own.tiles, own.server.blocks);
    const unsigned groups =
      members == 1 ? shape::marker_groups : Marks::markers / members;  // of few tiles: no slot twice
    return {marker, members, groups, own.first_tile, own.server.blocks, own.tiles};
  }

  template <bool IsSkewed, class Context, class Deal>
  GIMBAL_DEVICE void fold_by_group(Context& ctx, shared& smem, const Deal& own, unsigned warp, unsigned group) const
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

  template <bool IsSkewed, class Context, class Deal>
  GIMBAL_DEVICE void store_by_group(Context& ctx, shared& smem, const Deal& own, unsigned warp, unsigned group) const
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
    if constexpr (Lanes::keeps_total) {
      const index_type first = tiles_type::first_of(tile) + (warp * simt::warp_threads + ctx.lane()) * items;
      if (first + valid.hi == tiles.end) {
        lanes.keep_total(valid, exists, running, value);
      }
    }
    lanes.template scan_items<IsFull>(valid, marks.found(ctx, stage.marks, warp), exists, running, value, scanned);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
