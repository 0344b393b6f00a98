// Where a streamed select or partition (persistent_partition.cuh) brings the items of its tiles, and, in place, how it ends.
//
// Memory order at that end: a member arrives at the grid barrier (grid/team.cuh) when its stores are complete, and reads the
// buffer, and overwrites what others have loaded, when all have arrived.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/tile/iterators.h>

#include <gimbal/algorithm/select/segments.cuh>
#include <gimbal/algorithm/transform/transform.cuh>
#include <gimbal/grid/team.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Numbers of items of a tile or a row of tiles, or one of them to the number of all before.
struct add_counts {
  template <class Count>
  GIMBAL_DEVICE Count operator()(const Count& before, const std::uint32_t& count) const
  {
    return before + count;
  }
};

/// Where the rejected items of a streamed tile go: target(waits, before, count, total) is where the run of `count` items
/// begins, `before` items being rejected before the tile. Only what `may_wait` reads the number of all selected items,
/// for tiles that wait for it.
struct persistent_no_rejected {
  static constexpr auto order = block::others::dropped;
  static constexpr bool may_wait = false;
};
template <class Value>
struct persistent_rejected_to {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = false;
  Value* out;

  GIMBAL_DEVICE Value* target(bool, index_type before, unsigned, const index_type&) const { return out + before; }
};
template <class Value>
struct persistent_rejected_behind_count {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = false;
  Value* out;
  const index_type* count;

  GIMBAL_DEVICE Value* target(bool, index_type before, unsigned, const index_type&) const
  {
    return out + *count + before;
  }
};
/// The first of all in front of `end`, those that follow in front of it.
template <class Value>
struct persistent_rejected_before {
  static constexpr auto order = block::others::reversed;
  static constexpr bool may_wait = false;
  Value* end;

  GIMBAL_DEVICE Value* target(bool, index_type before, unsigned count, const index_type&) const
  {
    return end - before - count;
  }
};
/// Behind the selected ones. The last tiles, all that the rings hold at the same time, wait there until the number of
/// selected items is known; the rejected items of the tiles before go into a buffer.
template <class Value>
struct persistent_rejected_behind {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = true;
  Value* buffer;
  Value* data = nullptr;
  block::grid_barrier all_stored = {};

  GIMBAL_DEVICE Value* target(bool waits, index_type before, unsigned, const index_type& total) const
  {
    return waits ? data + total + before : buffer + before;
  }
};

/// The runs of a tile: where they go, their number of bytes, and where they are built.
template <class Tile>
struct persistent_partition_plan {
  unsigned char* selected_to;
  unsigned char* rejected_to;
  unsigned selected_bytes;
  unsigned rejected_bytes;
  typename Tile::run_places at;

  /// Of a tile with `selected` selected items, the first of which goes to `selected_out`; for the others see
  /// persistent_no_rejected.
  template <class Value, class Rejected>
  static GIMBAL_DEVICE persistent_partition_plan of(
    bool waits, const typename Tile::extent& valid, unsigned selected, Value* selected_out, const Rejected& rejected,
    index_type rejected_before, const index_type& total)
  {
    persistent_partition_plan made;
    made.selected_to = reinterpret_cast<unsigned char*>(selected_out);
    made.rejected_to = nullptr;
    made.selected_bytes = selected * Tile::value_bytes;
    made.rejected_bytes = 0;
    if constexpr (Rejected::order != block::others::dropped) {
      const unsigned count = valid.count() - selected;
      made.rejected_to = reinterpret_cast<unsigned char*>(rejected.target(waits, rejected_before, count, total));
      made.rejected_bytes = count * Tile::value_bytes;
    }
    made.at = Tile::template places_of<Rejected::order>(
      valid, selected, block::phase_of(made.selected_to), block::phase_of(made.rejected_to));
    return made;
  }
};

/// How far the items of an array lie behind the begin of a line of memory.
template <class OutputIt>
GIMBAL_DEVICE index_type items_into_line(OutputIt out)
{
  constexpr unsigned line_bytes = 128;
  constexpr unsigned value_bytes = sizeof(value_type_of<OutputIt>);
  using raw = block::raw_iterator_t<OutputIt>;
  if constexpr (::cuda::std::is_pointer<raw>::value && line_bytes % value_bytes == 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(block::raw_iterator(out));
    return static_cast<index_type>(address % line_bytes / value_bytes);
  } else {
    return 0;
  }
}

/// The share of one of `blocks` blocks. `Copies`: copy_kernel.
template <class Copies, class Context, class Value, class OutputIt>
GIMBAL_DEVICE void append_share(
  Context& ctx, unsigned block, unsigned blocks, const Value* buffer, OutputIt out, index_type count)
{
  constexpr index_type tile_items = Copies::tile_items;
  // Tiles end where lines of memory do, so that warps store whole ones.
  index_type end = (index_type{block} + 1) * tile_items - algorithm::items_into_line(out);
  for (; end - tile_items < count; end += index_type{blocks} * tile_items) {
    const index_type begin = end > tile_items ? end - tile_items : 0;
    Copies::copy_tile(ctx, buffer + begin, out + begin, (end < count ? end : count) - begin);
  }
}

/// The end of a stable partition in place: the rejected items in the buffer go where they belong.
/// `Policy`: persistent_select_policy.
template <class Policy>
struct persistent_partition_append {
  struct shared {
    index_type selected;
    index_type buffered;
  };

  const Policy& policy;

  /// By all threads of each member, when its tiles are stored.
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE_NOINLINE void run(Context ctx, Shared& smem, const Scheduler& own) const
  {
    using value = typename Policy::value;
    using copies = copy_kernel<tuning::stream_append<Context::block_threads, sizeof(value)>, const value*, value*>;
    if (policy.first_waiting(own) == 0) {
      return;  // nothing is in the buffer
    }
    policy.rejected.all_stored.arrive(ctx, smem.place);
    policy.rejected.all_stored.wait(ctx, smem.place);
    if (ctx.thread() == 0) {
      find_counts(ctx, smem, own);
    }
    ctx.sync_block();  // the counts are there
    algorithm::append_share<copies>(
      ctx, smem.place.number, smem.place.members, static_cast<const value*>(policy.rejected.buffer),
      policy.rejected.data + smem.appended.selected, smem.appended.buffered);
  }

private:
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE void find_counts(Context& ctx, Shared& smem, const Scheduler& own) const
  {
    if (own.is_alone) {
      smem.appended = {smem.selected_by_lone_block, policy.source.n - smem.selected_by_lone_block};
      return;
    }
    const unsigned first = policy.first_waiting(own);
    uninit<index_type> selected;
    uninit<index_type> selected_before;
    while (
      !(own.server.find_prefix(ctx, own.server.place_of(own.tiles), selected)
        && own.server.find_prefix(ctx, own.server.place_of(first), selected_before))) {
      ctx.spin_wait();
    }
    smem.appended = {
      selected.get(), policy.source.first_index(first) + policy.source.extent_of(first).first - selected_before.get()};
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
