// The policy of the scans of many items (persistent_kernel.cuh). What a lane does with its items, and where head flags
// come from, if there are any, is a parameter: scan.cuh and segmented_scan.cuh.
//
// Reduce warps reduce the items of a tile, a segment per lane, and scan the lanes' totals; the prefix-wait warp works
// out each warp's exclusive prefix in the tile; store warps scan the segments once more, from everything before them
// on, in the stage itself, and store them. What head flags are made of is copied beside the items, into slots of their
// own: it is needed from its load to the fold only, so that fewer of its tiles are held than of the items'.
//
// Items that come through an iterator are loaded by the reduce warps, their base arrays fetched to the L2 cache a tile
// ahead.
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
// and stores touch no byte outside the scan's items, and none of another chunk.
//
// Memory order: a slot of head flags is free when its tile is reduced. Every lane of a reduce warp has then stored bits
// made of what it has read there: its loads have been answered, and the next copy needs no fence to stay after them.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>
#include <gimbal/tuning.h>

#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/persistent_io.cuh>
#include <gimbal/pipeline/persistent_kernel.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A plain scan has no head flags. The interface of those that a scan has is that of staged_heads (head_flags.cuh).
struct no_head_flags {
  static constexpr bool exist = false;
  static constexpr bool copies = false;  // bulk copies bring what the heads are made of
  template <unsigned Warps>
  struct stage {
  };
  template <class Tiles>
  static constexpr std::size_t copied_bytes = 0;

  /// Of arrays in the storage, and what is launched beforehand to fill them.
  std::size_t array_bytes() const { return 0; }
  status prepare(const launch_words&) { return {}; }
};

/// `Lanes`: what a lane does with its items, as plain_lanes; `HeadFlags`: where heads are. They are computed before the
/// items have landed: a reduce warp has that time for them.
template <class Tuning, class Lanes, class HeadFlags, class InputIt, class OutputIt>
struct persistent_scan_policy : persistent_policy {
  static constexpr const char* step = "scan";
  static constexpr const char* clearing = "clearing of the words of a scan";
  static constexpr std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }

  using value = typename Lanes::value;
  static constexpr bool is_exact = ::cuda::std::is_integral<value>::value;
  using T = typename Lanes::fold;
  using in_value = value_type_of<InputIt>;
  static constexpr std::size_t in_bytes = sizeof(in_value);
  static constexpr bool out_is_array = [] {
    if constexpr (block::is_array_v<OutputIt>) {
      using out_value = value_type_of<OutputIt>;
      return simt::is_supported_value_v<out_value> && ::cuda::std::is_convertible<value, out_value>::value;
    }
    return false;
  }();
  using results = block::persistent_results<value, OutputIt, out_is_array>;
  using result = typename results::result;
  static constexpr std::size_t least = larger(Lanes::least_item_bytes, sizeof(result));  // bytes an item counts for

  static constexpr unsigned copied_items =
    block::segment_items(in_bytes, larger(in_bytes, least), Tuning::row.lane_bytes, Lanes::most_items);
  /// Bulk copies need segments of whole vectors, or the first lane of all might have no item.
  static constexpr bool copies_items =
    block::is_array_v<
      InputIt> && simt::is_supported_value_v<in_value> && copied_items >= simt::items_of_vectors(in_bytes);
  using source = ::cuda::std::conditional_t<
    copies_items, block::copied_source<in_value, Lanes::tiles_follow_addresses>,
    block::iterator_source<value, InputIt>>;
  using item = typename source::item;

  static constexpr std::size_t largest = larger(sizeof(item), sizeof(result));
  static constexpr unsigned items =
    copies_items
      ? copied_items
      : block::segment_items(sizeof(value), larger(sizeof(value), least), Tuning::row.lane_bytes, Lanes::most_items);
  static constexpr unsigned warps = Tuning::row.scanner_warps;
  static constexpr unsigned reduce_warps = warps;
  static constexpr unsigned reduce_groups = Tuning::row.reduce_groups;
  static constexpr unsigned store_warps = warps;
  static constexpr unsigned store_groups = 1;
  static constexpr unsigned servers = Tuning::row.server_warps;
  using tiles_type = block::persistent_tiles<warps, items>;
  using server = block::prefix_server<T, Lanes::orders_tiles>;

  /// Chunks have no gaps between them where nothing in the stage is larger than the items as they come. Results then
  /// lie where the items lay, misaligned like them.
  static constexpr bool is_one_piece =
    largest == sizeof(item) && (!source::is_misaligned || alignof(result) <= alignof(item));
  static constexpr std::size_t end_of_items = tiles_type::chunk_items * sizeof(item) + (source::is_misaligned ? 16 : 0);
  static constexpr std::size_t chunk_bytes =
    is_one_piece ? tiles_type::chunk_items * sizeof(item) : larger(tiles_type::chunk_items * largest, end_of_items);
  struct stage_memory {
    alignas(16) unsigned char chunk[warps][chunk_bytes];
    unsigned char gap[Lanes::gap_bytes];               // begins with the end of a misaligned tile
    uninit<T> lanes_below[warps][simt::warp_threads];  // fold of the lanes below in the warp
    uninit<T> warp_total[warps];
    uninit<T> warps_below[warps];  // fold of the warps below in the tile
    uninit<T> tile_before;         // fold of everything before the tile
    typename HeadFlags::template stage<warps> head_flags;
    simt::phase_barrier full;
    simt::phase_barrier reduced;
    simt::phase_barrier ready;
    simt::phase_barrier empty;
  };
  static constexpr std::size_t ring_bytes = Tuning::row.ring_kilobytes * 1024;
  static constexpr std::size_t flag_bytes = HeadFlags::template copied_bytes<tiles_type>;
  static constexpr std::size_t fitting_slots = ring_bytes * 2 / 5 / (flag_bytes + 1);
  static constexpr unsigned flag_slots = fitting_slots < 2   ? 2
                                         : fitting_slots > 4 ? 4
                                                             : static_cast<unsigned>(fitting_slots);
  static constexpr std::size_t other_bytes = flag_slots * flag_bytes + sizeof(typename server::shared);
  static constexpr unsigned most =
    other_bytes < ring_bytes ? static_cast<unsigned>((ring_bytes - other_bytes) / sizeof(stage_memory)) : 0;
  static constexpr unsigned fitting_stages = most < Tuning::row.most_stages ? most : Tuning::row.most_stages;
  static constexpr unsigned least_stages = reduce_groups < 2 ? 2 : reduce_groups;
  static constexpr unsigned stages =
    fitting_stages < least_stages ? least_stages : fitting_stages / reduce_groups * reduce_groups;
  /// Of as many tiles as have stages, whose barriers tell when they are free.
  static constexpr unsigned used_slots = flag_slots < stages ? flag_slots : stages;
  static constexpr unsigned loads_ahead =
    tuning::persistent_loads_ahead(tiles_type::tile_items * sizeof(item) + flag_bytes);
  static constexpr unsigned most_loads = loads_ahead < stages ? loads_ahead : stages;
  static constexpr unsigned first_loads = HeadFlags::copies && used_slots < most_loads ? used_slots : most_loads;
  static constexpr unsigned pieces = is_one_piece ? 1 : warps;  // that a tile is loaded in
  static constexpr unsigned item_copies = source::copies ? pieces : 0;
  static constexpr unsigned copies = item_copies + (HeadFlags::copies ? 1 : 0);
  static_assert(copies <= simt::warp_threads, "the producer has a lane for each load");
  /// While items are in flight, of which heads are independent.
  static constexpr bool finds_heads_first = source::copies && !HeadFlags::copies;

  struct shared {
    stage_memory stage[stages];
    alignas(16) unsigned char copied_flags[HeadFlags::copies ? flag_slots : 1][HeadFlags::copies ? flag_bytes : 1];
    typename server::shared served;
    block::team_member place;
  };

  source in;
  results out;
  tiles_type tiles;
  HeadFlags head_flags;
  Lanes lanes;

  /// The row of arguments as those of scan().
  static persistent_row<persistent_scan_policy> row(
    bool fits, InputIt in, OutputIt out, index_type n, const HeadFlags& head_flags, const Lanes& lanes)
  {
    const index_type shift = source::shift_of(in);
    source from = source::of(in, shift);
    if constexpr (source::is_misaligned) {
      from.reads_around = !block::may_overlap(in, out, n);
    }
    const tiles_type tiles{shift, shift + n};
    return {fits, {{}, from, {out, shift}, tiles, head_flags, lanes}, tiles.count(), shift < source::shift_limit};
  }

  GIMBAL_DEVICE auto combine() const { return lanes.combine(); }

  std::size_t array_bytes() const { return head_flags.array_bytes(); }
  status prepare(const launch_words& words) { return head_flags.prepare(words); }

  // ---- loads

  /// What the heads of the block's k-th tile are made of.
  GIMBAL_DEVICE static unsigned char* copied_flags_of(shared& smem, unsigned k)
  {
    return HeadFlags::copies ? smem.copied_flags[k % used_slots] : nullptr;
  }

  /// A piece of a tile for each of the first lanes, and what heads are made of for the one after them.
  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem, stage_memory& stage, unsigned tile, unsigned k) const
  {
    const index_type first = tiles_type::first_of(tile);
    const unsigned piece = ctx.lane();
    if constexpr (source::copies) {
      constexpr unsigned piece_items = tiles_type::tile_items / pieces;
      if (!HeadFlags::copies || piece < item_copies) {
        in.load(ctx, tiles, first + piece * piece_items, piece_items, stage.chunk[piece], stage.full);
      }
    }
    if constexpr (HeadFlags::copies) {
      if (piece == item_copies) {
        head_flags.load(ctx, tiles, first, copied_flags_of(smem, k), stage.full);
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void wait_for_space(Context& ctx, shared& smem, unsigned k) const
  {
    if (HeadFlags::copies && k >= used_slots) {
      const unsigned earlier = k - used_slots;  // the tile that had the slot
      ctx.wait(smem.stage[earlier % stages].reduced, earlier / stages % 2);
    }
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

  // ---- the roles

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void reduce(Context& ctx, shared& smem, const Scheduler& own, unsigned reduce_warp) const
  {
    const unsigned warp = reduce_warp % warps;
    const unsigned group = reduce_warp / warps;
    unsigned k = group;  // the number of the tile among the block's
    own.for_tiles_of_group(smem.stage, group, reduce_groups, [&](unsigned tile, stage_memory& stage, unsigned parity) {
      const index_type first = tiles_type::first_of(tile) + warp * chunk_items;
      const index_type next = first + index_type{reduce_groups} * own.server.blocks * tiles_type::tile_items;
      std::uint32_t heads = 0;
      const auto find_heads = [&] {
        if constexpr (HeadFlags::exist) {
          heads = head_flags.find(ctx, tiles, copied_flags_of(smem, k), tile, warp);
        }
      };
      if constexpr (finds_heads_first) {
        find_heads();
      }
      if constexpr (!source::copies) {
        uninit<item> loaded[items];
        in.load(ctx, tiles, first, loaded);
        if (ctx.lane() == 0) {
          in.fetch_ahead(ctx, tiles, next);
        }
        ctx.wait(stage.empty, parity ^ 1);  // the stage has been read
        in.put(ctx, tiles, first, loaded, stage.chunk[warp]);
        ctx.sync_warp();  // the chunk is in shared memory
      }
      if constexpr (copies > 0) {
        ctx.wait(stage.full, parity);  // what is copied has landed
      }
      if constexpr (!finds_heads_first) {
        find_heads();
      }
      if constexpr (HeadFlags::exist) {
        stage.head_flags.heads[warp][ctx.lane()] = heads;
      }
      if constexpr (HeadFlags::exist && !HeadFlags::copies) {
        if (ctx.lane() == 0) {
          head_flags.fetch_ahead(ctx, tiles, next);
        }
      }
      uninit<item> loaded[items];  // not in registers while head flags are computed
      block::read_segment(in, stage.chunk[warp], ctx.lane(), loaded);
      uninit<T> folded;
      unsigned active = simt::warp_threads;
      if (tiles.is_full(first, chunk_items)) {
        lanes.template fold_items<true>({0, items}, heads, loaded, folded);
      } else {
        lanes.template fold_items<false>(tiles.valid(first + ctx.lane() * items, items), heads, loaded, folded);
        active = tiles.pieces_with_items(first, simt::warp_threads, items);
      }
      block::warp_inclusive_scan(ctx, folded, active, lanes.combine());
      if (active > 0 && ctx.lane() == active - 1) {
        stage.warp_total[warp] = folded;
      }
      stage.lanes_below[warp][ctx.lane()] = ctx.shfl_up(folded, 1);
      ctx.sync_warp();  // all lanes have read and written
      if (ctx.lane() == 0) {
        ctx.arrive(stage.reduced);
      }
      k += reduce_groups;
    });
  }

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void store(Context& ctx, shared& smem, const Scheduler& own, unsigned warp) const
  {
    own.for_tiles(smem.stage, [&](unsigned tile, stage_memory& stage, unsigned parity) {
      const index_type first = tiles_type::first_of(tile) + warp * chunk_items;
      ctx.wait(stage.ready, parity);  // what is before each lane is known
      uninit<item> loaded[items];
      uninit<result> scanned[items];
      block::read_segment(in, stage.chunk[warp], ctx.lane(), loaded);
      if (tiles.is_full(first, chunk_items)) {
        scan_segment<true>(ctx, stage, tile, warp, {0, items}, loaded, scanned);
      } else if (const auto valid = tiles.valid(first + ctx.lane() * items, items); valid.lo < valid.hi) {
        scan_segment<false>(ctx, stage, tile, warp, valid, loaded, scanned);
      }
      ctx.sync_warp();  // all lanes have read the chunk: results may be larger than items
      if constexpr (is_one_piece) {
        block::write_segment(in, stage.chunk[warp], ctx.lane(), scanned);
      } else {
        block::lane_segment<result, items>::write(stage.chunk[warp], ctx.lane(), scanned);
      }
      ctx.sync_warp();  // the results are in shared memory
      out.store(ctx, tiles, first, stage.chunk[warp] + (is_one_piece ? in.misalignment : 0));
      ctx.bulk_fence();
      ctx.sync_warp();  // all lanes have read the results
      if (ctx.lane() == 0) {
        ctx.arrive(stage.empty);
      }
    });
  }

  GIMBAL_DEVICE uninit<T> total_of(const stage_memory& stage, unsigned tile) const
  {
    return block::fold_items(active_warps(tile), stage.warp_total, lanes.combine());
  }

  /// The exclusive prefix of each warp in the tile; warp 0 has none.
  GIMBAL_DEVICE nothing begin_prefix(stage_memory& stage, unsigned tile) const
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
  GIMBAL_DEVICE bool set_prefix(
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

  GIMBAL_DEVICE unsigned active_warps(unsigned tile) const
  {
    return tiles.pieces_with_items(tiles_type::first_of(tile), warps, chunk_items);
  }

  /// The results of a lane's items, of which there is at least one.
  template <bool IsFull, class Context>
  GIMBAL_DEVICE void scan_segment(
    Context& ctx, const stage_memory& stage, unsigned tile, unsigned warp, block::valid_range valid,
    const uninit<item> (&loaded)[items], uninit<result> (&scanned)[items]) const
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
    std::uint32_t heads = 0;
    if constexpr (HeadFlags::exist) {
      heads = stage.head_flags.heads[warp][ctx.lane()];
    }
    lanes.template scan_items<IsFull>(
      valid, heads, exists, running, loaded, scanned, [](unsigned, index_type, bool, const uninit<value>&) {});
    if constexpr (Lanes::keeps_total) {
      const index_type first = tiles_type::first_of(tile) + (warp * simt::warp_threads + ctx.lane()) * items;
      if (first + valid.hi == tiles.end) {
        block::store_as(lanes.total, running.get());
      }
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
