// The policy of the scans of many items (persistent_kernel.cuh). What a lane does with its items, and where head flags come from, if there
// are any, is a parameter: algorithm/scan/persistent_scan.cuh and algorithm/scan/persistent_segmented_scan.cuh.
//
// Reduce warps reduce the items of a tile, a segment per lane, and scan the lanes' totals; the prefix-wait warp works out each warp's
// exclusive prefix in the tile; store warps scan the segments once more, from everything before them on, in the stage itself, and store
// them. Head-flag warps, which are the helpers, load keys or flags beside the items or compute head flags from offsets.
//
// Items that come through an iterator rather than from memory are loaded by the reduce warps, and there is no producer; their
// base arrays are fetched to the L2 cache a tile ahead.
//
// Bytes moved: each item is read once and each result written once; beside them 32 bytes per tile and word of the
// value.
//
// Operator: associative; operands are combined in order, so it need not be commutative. Called on valid items only.
//
// Determinism: the tree depends on the number of items alone, not on timing nor on the number of blocks; where tiles
// follow addresses (Lanes::tiles_follow_addresses), also on the alignment of the input to 16 bytes.
//
// Aliasing: out may equal in: a chunk is stored by the block that has loaded it, after its load has landed, and loads
// and stores touch no byte outside the stream's items nor of another chunk.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>

#include <gimbal/algorithm/scan/persistent_scan_shape.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/persistent_kernel.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class HeadFlags, class Lanes>
struct persistent_scan_policy : persistent_policy {
  using shape = Shape;
  using T = typename Lanes::fold;
  using source = typename shape::source;
  using results = typename shape::results;
  using item = typename source::item;
  using result = typename results::result;
  using tiles_type = typename shape::tiles;
  using stage_memory = typename shape::stage_memory;
  using server = block::prefix_server<T, Lanes::orders_tiles>;
  using flag_position = block::ring_position<shape::flag_slots>;
  static constexpr const char* step = "scan";
  static constexpr const char* clearing = "clearing of the words of a scan";
  static constexpr unsigned items = shape::items;
  static constexpr unsigned stages = shape::stages;
  static constexpr unsigned warps = shape::warps;
  static constexpr unsigned reduce_warps = warps;
  static constexpr unsigned reduce_groups = shape::reduce_groups;
  static constexpr unsigned store_warps = warps;
  static constexpr unsigned store_groups = shape::scanner_groups;
  static constexpr unsigned servers = shape::servers;
  static constexpr unsigned helpers = HeadFlags::flag_warps;
  static constexpr unsigned pieces = shape::is_one_piece ? 1 : warps;  // that a tile is loaded in
  static constexpr unsigned copies = source::copies ? pieces : 0;
  static constexpr unsigned most_loads = shape::loads_ahead < stages ? shape::loads_ahead : stages;
  static constexpr unsigned first_loads = most_loads;
  static_assert(pieces <= simt::warp_threads, "the producer has a lane for each load");

  struct shared {
    stage_memory stage[stages];
    typename HeadFlags::template ring_type<shape::flag_slots, tiles_type> head_flags;
    typename server::shared served;
    block::team_place place;
  };

  source in;
  results out;
  tiles_type tiles;
  HeadFlags head_flags;
  Lanes lanes;

  /// The row of arguments as those of scan().
  template <class InputIt, class OutputIt>
  static persistent_row<persistent_scan_policy> row(
    bool fits, InputIt in, OutputIt out, index_type n, const HeadFlags& head_flags, const Lanes& lanes)
  {
    const index_type shift = source::shift_of(in);
    source from = source::of(in, shift);
    if constexpr (source::is_skewed) {
      from.reads_around = !block::may_overlap(in, out, n);
    }
    const tiles_type tiles{shift, shift + n};
    return {fits, {{}, from, {out, shift}, tiles, head_flags, lanes}, tiles.count(), shift < source::shift_limit};
  }

  GIMBAL_DEVICE auto combine() const { return lanes.combine(); }

  // ---- loads

  template <class Scheduler>
  static GIMBAL_DEVICE unsigned loads_of(const Scheduler&)
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

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void begin_reducing(Context& ctx, const Scheduler& own, unsigned reduce_warp) const
  {
    if constexpr (!source::copies) {
      const unsigned tile = own.tile(reduce_warp / warps);
      if (ctx.lane() == 0 && tile < own.tiles) {
        in.fetch_ahead(ctx, tiles, tiles_type::first_of(tile) + reduce_warp % warps * chunk_items);
      }
    }
  }

  // ---- head flags: from what one lane copies, or by groups of head-flag warps that take tiles in turn

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void init(Context& ctx, shared& smem, const Scheduler& own, unsigned first_flag_warp, bool anew) const
  {
    const unsigned members = head_flags.together(own.tiles, own.server.blocks);
    head_flags.start(
      ctx, smem.head_flags, HeadFlags::copies ? first_flag_warp : 0, HeadFlags::copies ? first_flags : 1, warps,
      members, anew);
    head_flags.clear(ctx, smem.head_flags, own.tiles <= own.server.blocks ? 1 : shape::flag_slots);
  }

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void begin_helping(Context& ctx, shared& smem, const Scheduler& own, unsigned flag_warp) const
  {
    if constexpr (HeadFlags::copies) {
      if (ctx.lane() == 0) {
        flag_position at;
        GIMBAL_NO_UNROLL
        for (unsigned k = 0; k < own.issued(first_flags); ++k, at.advance()) {
          head_flags.load(ctx, tiles, own.tile(k), smem.head_flags, at);
        }
      }
    } else if constexpr (HeadFlags::flag_warps > 0) {
      head_flags.load_first(ctx, tiles, smem.head_flags, share_of(own, flag_warp));
    }
  }

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void settle(Context& ctx, shared& smem, const Scheduler& own, unsigned flag_warp, unsigned) const
  {
    if constexpr (HeadFlags::copies) {
      if (ctx.lane() == 0) {
        for (unsigned k = 0; k < own.issued(first_flags); ++k) {
          ctx.wait(smem.head_flags.slot[k].full, 0);
        }
      }
    } else if constexpr (HeadFlags::flag_warps > 0) {
      head_flags.settle(ctx, smem.head_flags, share_of(own, flag_warp));
    }
  }

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void help(Context& ctx, shared& smem, const Scheduler& own, unsigned flag_warp) const
  {
    flag_position at;
    if constexpr (HeadFlags::copies) {
      if (ctx.lane() == 0) {
        const unsigned issued = own.issued(first_flags);
        block::load_window<shape::flag_slots> window{shape::loads_ahead, issued};
        at.advance(issued);
        const auto load_next = [&](unsigned tile, stage_memory&, unsigned) {
          window.acquire(ctx, [&](unsigned s) -> simt::phase_barrier& { return smem.head_flags.slot[s].full; });
          head_flags.load(ctx, tiles, tile, smem.head_flags, at);
          at.advance();
        };
        own.for_tiles(smem.stage, load_next, issued);
      }
    } else if constexpr (HeadFlags::flag_warps > 0) {
      head_flags.set_head_flags(ctx, tiles, smem.head_flags, at, share_of(own, flag_warp));
    }
  }

  // ---- the other roles

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void reduce(Context& ctx, shared& smem, const Scheduler& own, unsigned reduce_warp) const
  {
    by_skew([&](auto skewed) {
      reduce_by_group<decltype(skewed)::value>(ctx, smem, own, reduce_warp % warps, reduce_warp / warps);
    });
  }
  template <class Context, class Scheduler>
  GIMBAL_DEVICE void store(Context& ctx, shared& smem, const Scheduler& own, unsigned store_warp) const
  {
    by_skew([&](auto skewed) {
      store_by_group<decltype(skewed)::value>(ctx, smem, own, store_warp % warps, store_warp / warps);
    });
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

  /// The exclusive prefix of each warp in the tile; warp 0 has none.
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

  template <class Context, class Scheduler>
  GIMBAL_DEVICE bool place(
    Context&, shared&, const Scheduler&, stage_memory& stage, unsigned tile, uninit<T> before, nothing) const
  {
    if constexpr (Lanes::has_start) {
      before.set(tile > 0 ? lanes.combine()(lanes.start(), before.get()) : lanes.start());
    }
    stage.tile_before = before;
    return true;
  }

private:
  static constexpr unsigned chunk_items = tiles_type::chunk_items;
  static constexpr unsigned first_flags =
    shape::loads_ahead < shape::flag_slots ? shape::loads_ahead : shape::flag_slots;

  template <class Scheduler>
  GIMBAL_DEVICE flag_warp_share share_of(const Scheduler& own, unsigned flag_warp) const
  {
    const unsigned members = head_flags.together(own.tiles, own.server.blocks);
    const unsigned groups =
      members == 1 ? shape::flag_warp_groups : HeadFlags::flag_warps / members;  // of few tiles: no slot twice
    return {flag_warp, members, groups, own.first_tile, own.server.blocks, own.tiles};
  }

  template <bool IsSkewed, class Context, class Scheduler>
  GIMBAL_DEVICE void reduce_by_group(
    Context& ctx, shared& smem, const Scheduler& own, unsigned warp, unsigned group) const
  {
    flag_position flags_at;
    flags_at.advance(group);
    own.for_tiles_of_group(
      smem.stage, group, shape::reduce_groups, [&](unsigned tile, stage_memory& stage, unsigned parity) {
        const index_type first = tiles_type::first_of(tile) + warp * chunk_items;
        const index_type next = first + index_type{shape::reduce_groups} * own.server.blocks * tiles_type::tile_items;
        constexpr bool are_flags_first = source::copies && HeadFlags::come_first;
        std::uint32_t heads = 0;
        if constexpr (are_flags_first) {
          heads = head_flags.find(ctx, tiles, smem.head_flags, flags_at, tile, warp);  // while the items are in flight
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
        if constexpr (!are_flags_first) {
          heads = head_flags.find(ctx, tiles, smem.head_flags, flags_at, tile, warp);
        }
        if (ctx.lane() == 0) {
          head_flags.fetch_ahead(ctx, tiles, next);
        }
        head_flags.leave(ctx, stage.head_flags, warp, heads);
        uninit<item> value[items];  // not in registers while head flags are computed
        read_items<IsSkewed>(ctx, stage.chunk[warp], value);
        uninit<T> folded;
        unsigned active = simt::warp_threads;
        if (tiles.is_full(first, chunk_items)) {
          lanes.template fold_items<true>({0, items}, heads, value, folded);
        } else {
          lanes.template fold_items<false>(tiles.valid(first + ctx.lane() * items, items), heads, value, folded);
          active = tiles.pieces_with_items(first, simt::warp_threads, items);
        }
        block::warp_inclusive_scan(ctx, folded, active, lanes.combine());
        if (active > 0 && ctx.lane() == active - 1) {
          stage.warp_total[warp] = folded;
        }
        stage.lanes_below[warp][ctx.lane()] = ctx.shfl_up(folded, 1);
        ctx.sync_warp();  // all lanes have read and written
        if (ctx.lane() == 0) {
          head_flags.release(ctx, smem.head_flags, flags_at);
          ctx.arrive(stage.reduced);
        }
        flags_at.advance(shape::reduce_groups);
      });
  }

  template <bool IsSkewed, class Context, class Scheduler>
  GIMBAL_DEVICE void store_by_group(
    Context& ctx, shared& smem, const Scheduler& own, unsigned warp, unsigned group) const
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

  /// `body` with whether items are skewed, which is tested once and not for every tile.
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
    lanes.template scan_items<IsFull>(
      valid, head_flags.found(ctx, stage.head_flags, warp), exists, running, value, scanned);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
