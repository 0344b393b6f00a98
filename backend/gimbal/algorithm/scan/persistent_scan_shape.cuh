// The types and numbers of a streaming scan (persistent_scan_policy.cuh) that follow from its arguments, and the interface of head flags,
// here with the implementation for scans without segments; persistent_segmented_scan.cuh has others.
//
// Head flags that `come_first` are computed before the items have landed: a reduce warp has that time for them. Not those that
// head-flag warps compute, which takes longer than the items take to land.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tuning.h>

#include <cuda/std/numeric>
#include <gimbal/grid/prefix_server.cuh>
#include <gimbal/pipeline/persistent_io.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What a head-flag warp has to do: `groups` of `members` such warps take the tiles of the block in turn; those that make no whole
/// group have nothing to do.
struct flag_warp_share {
  unsigned flag_warp;
  unsigned members;
  unsigned groups;
  unsigned block;
  unsigned blocks;
  unsigned tiles;  // of all blocks

  GIMBAL_DEVICE unsigned group() const { return flag_warp / members; }
  GIMBAL_DEVICE unsigned member() const { return flag_warp % members; }
};

/// Head flags, a bit for each of a lane's items, the first lowest: reduce warps leave them in the stage for the lanes that scan.
struct staged_heads {
  template <unsigned Warps, unsigned Items>
  struct stage {
    std::uint32_t heads[Warps][simt::warp_threads];
  };

  template <class Context, class Stage>
  static GIMBAL_DEVICE void leave(Context& ctx, Stage& in, unsigned warp, std::uint32_t heads)
  {
    in.heads[warp][ctx.lane()] = heads;
  }
  template <class Context, class Stage>
  static GIMBAL_DEVICE std::uint32_t found(Context& ctx, const Stage& in, unsigned warp)
  {
    return in.heads[warp][ctx.lane()];
  }
  template <class Context, class Tiles>
  static GIMBAL_DEVICE void fetch_ahead(Context&, const Tiles&, index_type)
  {
  }
};

/// No memory beside the items.
struct no_head_flag_ring {
  static constexpr bool copies = false;
  static constexpr bool come_first = true;
  static constexpr unsigned flag_warps = 0;
  static constexpr unsigned most_slots = 2;
  static constexpr std::size_t beside_bytes = 0;
  template <unsigned Slots, class Tiles>
  struct ring_type {
    static constexpr std::size_t slot_bytes = 0;
  };

  static GIMBAL_DEVICE unsigned together(unsigned, unsigned) { return 1; }
  template <class Context, class Ring>
  GIMBAL_DEVICE void start(Context&, Ring&, unsigned, unsigned, unsigned, unsigned, bool) const
  {
  }
  template <class Context, class Ring>
  GIMBAL_DEVICE void clear(Context&, Ring&, unsigned) const
  {
  }
  template <class Context, class Ring, class Position>
  GIMBAL_DEVICE void release(Context&, Ring&, const Position&) const
  {
  }
};

/// Items without head flags.
struct no_head_flags : no_head_flag_ring {
  template <unsigned Warps, unsigned Items>
  struct stage {
  };

  template <class Context, class Tiles, class Ring, class Position>
  static GIMBAL_DEVICE std::uint32_t find(Context&, const Tiles&, const Ring&, const Position&, unsigned, unsigned)
  {
    return 0;
  }
  template <class Context, class Stage>
  static GIMBAL_DEVICE void leave(Context&, Stage&, unsigned, std::uint32_t)
  {
  }
  template <class Context, class Stage>
  static GIMBAL_DEVICE std::uint32_t found(Context&, const Stage&, unsigned)
  {
    return 0;
  }
  template <class Context, class Tiles>
  static GIMBAL_DEVICE void fetch_ahead(Context&, const Tiles&, index_type)
  {
  }
};

// ---- the shape

/// The types and numbers that follow from a scan's arguments.
template <class Tuning, class Lanes, class HeadFlags, class InputIt, class OutputIt>
struct persistent_scan_shape {
  static constexpr std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }

  using value = typename Lanes::value;
  using fold = typename Lanes::fold;
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
  static constexpr std::size_t least =
    larger(Lanes::least_item_bytes, sizeof(result));  // of an item, when they are counted

  static constexpr unsigned copied_items =
    block::segment_items(in_bytes, larger(in_bytes, least), Tuning::lane_bytes, Lanes::most_items);
  /// Bulk copies need segments of whole vectors, or the first lane of all might have no item.
  static constexpr bool copies =
    block::is_array_v<
      InputIt> && simt::is_supported_value_v<in_value> && copied_items >= simt::items_of_vectors(in_bytes);
  /// Items of whole aligned vectors are never skewed.
  using copied_source = ::cuda::std::conditional_t<
    Lanes::tiles_follow_addresses || alignof(in_value) % 16 == 0, block::memory_source<in_value>,
    block::skewed_source<in_value>>;
  using source = ::cuda::std::conditional_t<copies, copied_source, block::iterator_source<value, InputIt>>;
  using item = typename source::item;

  static constexpr std::size_t largest = larger(sizeof(item), sizeof(result));
  static constexpr unsigned items =
    copies ? copied_items
           : block::segment_items(sizeof(value), larger(sizeof(value), least), Tuning::lane_bytes, Lanes::most_items);
  static constexpr unsigned warps = Tuning::scanner_warps;
  static constexpr unsigned servers = Tuning::server_warps;
  /// Warps of a role that take the tiles of a block in turn.
  static constexpr unsigned reduce_groups = Tuning::reduce_groups;
  static constexpr unsigned scanner_groups = Tuning::scanner_groups;
  using tiles = block::persistent_tiles<warps, items>;

  /// Chunks have no gaps between them where nothing in the stage is larger than the items as they come. Results then lie where
  /// the items lay, skewed like them.
  static constexpr bool is_one_piece =
    largest == sizeof(item) && (!source::is_skewed || alignof(result) <= alignof(item));
  static constexpr std::size_t end_of_items = tiles::chunk_items * sizeof(item) + (source::is_skewed ? 16 : 0);
  static constexpr std::size_t chunk_bytes =
    is_one_piece ? tiles::chunk_items * sizeof(item) : larger(tiles::chunk_items * largest, end_of_items);
  struct chunks {
    alignas(16) unsigned char chunk[warps][chunk_bytes];
  };
  static constexpr std::size_t gap_bytes = larger(Lanes::gap_bytes, source::is_skewed ? 16 : 0);
  struct chunks_and_gap : chunks {
    unsigned char gap[larger(gap_bytes, 1)];  // the end of a skewed tile
  };
  struct stage_memory : ::cuda::std::conditional_t<(gap_bytes > 0), chunks_and_gap, chunks> {
    uninit<fold> lanes_below[warps][simt::warp_threads];  // fold of the lanes below in the warp
    uninit<fold> warp_total[warps];
    uninit<fold> warps_below[warps];  // fold of the warps below in the tile
    uninit<fold> tile_before;         // fold of everything before the tile
    typename HeadFlags::template stage<warps, items> head_flags;
    simt::phase_barrier full;
    simt::phase_barrier reduced;
    simt::phase_barrier ready;
    simt::phase_barrier empty;
  };
  /// Head flags are needed from their load to the fold only: fewer of their tiles than of the items' are in flight.
  static constexpr std::size_t flag_bytes = HeadFlags::template ring_type<1, tiles>::slot_bytes;
  static constexpr std::size_t fitting_slots = Tuning::ring_bytes * 2 / 5 / (flag_bytes + 1);
  static constexpr unsigned most_slots = fitting_slots < 2                       ? 2
                                         : fitting_slots > HeadFlags::most_slots ? HeadFlags::most_slots
                                                                                 : fitting_slots;
  /// A slot belongs to one group of reduce warps and one of head-flag warps: who waits for its next phase has seen the one before.
  static constexpr unsigned flag_warp_groups = HeadFlags::flag_warps > reduce_groups
                                                 ? HeadFlags::flag_warps / reduce_groups* reduce_groups
                                               : HeadFlags::flag_warps > 1 ? HeadFlags::flag_warps
                                                                           : 1;
  static constexpr unsigned slot_groups = ::cuda::std::lcm(reduce_groups, flag_warp_groups);
  static constexpr unsigned flag_slots = (most_slots + slot_groups - 1) / slot_groups * slot_groups;
  static constexpr std::size_t all_flag_bytes = flag_slots * flag_bytes;
  static constexpr std::size_t other_bytes =
    all_flag_bytes + HeadFlags::beside_bytes + sizeof(typename block::prefix_server<fold>::shared);
  static constexpr unsigned most = other_bytes < Tuning::ring_bytes
                                     ? static_cast<unsigned>((Tuning::ring_bytes - other_bytes) / sizeof(stage_memory))
                                     : 0;
  static constexpr unsigned loads_ahead =
    tuning::stream_loads_ahead(tiles::tile_items * sizeof(item) + (HeadFlags::copies ? flag_bytes : 0));
  static constexpr unsigned fitting_stages = most < Tuning::most_stages ? most : Tuning::most_stages;
  /// A stage belongs to one group of reduce warps and one of scan warps: who waits for its next phase has seen the one before.
  static constexpr unsigned groups = ::cuda::std::lcm(reduce_groups, scanner_groups);
  static constexpr unsigned least_stages = groups < 2 ? 2 : groups;
  static constexpr unsigned stages = fitting_stages < least_stages ? least_stages : fitting_stages / groups * groups;
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
