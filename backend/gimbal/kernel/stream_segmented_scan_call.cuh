// Calls of segmented_scan.cuh that go to the streaming kernels of stream_segmented_scan.cuh: which do, and with what tiles.
#pragma once

#include <gimbal/tuning_segments.h>

#include <gimbal/block/segment_heads.cuh>
#include <gimbal/kernel/stream_segmented_scan.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// Makes the boundaries of all tiles, one thread each.
template <class Source>
struct segment_boundaries_kernel {
  static constexpr unsigned block_threads = 128;
  struct shared {};

  Source heads;
  index_type boundaries;
  index_type tile_items;
  index_type n;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const index_type b = static_cast<index_type>(ctx.block()) * block_threads + ctx.thread();
    if (b < boundaries) {
      heads.boundaries[b] = heads.boundary(b * tile_items, n);
    }
  }
};

/// The numbers for such arguments.
template <class Heads, class InputIt, class Op, class Init, tuning::segment_starts Starts = starts_of_v<Heads>>
using segments_tuning = tuning::stream_segmented_scan<
  sizeof(accumulator_t<Op, InputIt, Init>), block::is_array_v<InputIt>, Starts,
  block::may_gather_v<InputIt> || may_gather_heads_v<Heads>>;

/// Launches the streaming kernel where it takes such arguments and the device can run it.
template <class Tuning, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
status stream_if_possible(
  bool& is_taken, Kind, Heads heads, InputIt in, OutputIt out, index_type n, Op op, Init init, simt::stream_type stream)
{
  using types = stream_segmented_scan_types<Tuning, Kind::value, Heads, InputIt, OutputIt, Op, Init>;
  if constexpr (types::is_possible) {
    auto plan = plan_stream_segmented_scan<Tuning>(Kind{}, heads, in, out, n, op, init);
    GIMBAL_TRY(plan.find_room());
    if (plan.is_possible()) {
      is_taken = true;
      return plan.launch(stream);
    }
  }
  return {};
}

/// The same with tiles of the size that so many items ask for. `Rows`: tuning::stream_segmented_scan.
template <class Rows, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
status stream_by_size(
  bool& is_taken, Kind, Heads heads, InputIt in, OutputIt out, index_type n, Op op, Init init, simt::stream_type stream)
{
  return n < Rows::large_from_items
           ? stream_if_possible<typename Rows::small>(is_taken, Kind{}, heads, in, out, n, op, init, stream)
           : stream_if_possible<typename Rows::large>(is_taken, Kind{}, heads, in, out, n, op, init, stream);
}

/// `count` boundaries, one for each tile of `tile_items`, before anything is overwritten.
template <class Source>
status find_boundaries(Source heads, index_type count, index_type tile_items, index_type n, simt::stream_type stream)
{
  const segment_boundaries_kernel<Source> prepare{heads, count, tile_items, n};
  return simt::launch(
    prepare, (count + prepare.block_threads - 1) / prepare.block_threads, stream,
    "boundaries of the tiles of a segmented scan");
}

/// As stream_if_possible, of keys that are no array, with room for `most_tiles` boundaries if these are needed. Other heads
/// are not taken.
template <class Tuning, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
status stream_loaded(
  bool&, Kind, const block::head_source<Heads>&, index_type, InputIt, OutputIt, index_type, Op, Init, simt::stream_type)
{
  return {};
}
template <
  class Tuning, class Kind, class KeyIt, class Equal, class InputIt, class OutputIt, class Op, class Init,
  ::cuda::std::enable_if_t<!block::is_array_v<KeyIt>, int> = 0>
status stream_loaded(
  bool& is_taken, Kind, const block::head_source<heads_from_keys<KeyIt, Equal>>& source, index_type most_tiles,
  InputIt in, OutputIt out, index_type n, Op op, Init init, simt::stream_type stream)
{
  using heads_type = loaded_heads<KeyIt, Equal>;
  using types = stream_segmented_scan_types<Tuning, Kind::value, heads_type, InputIt, OutputIt, Op, Init>;
  if constexpr (types::is_possible && simt::is_supported_value_v<value_type_of<KeyIt>>) {
    const bool may_be_overwritten =
      block::head_source<heads_from_keys<KeyIt, Equal>>::needs_boundaries(source.heads, out, n);
    const heads_type heads{source.heads, may_be_overwritten ? source.boundaries : nullptr};
    auto plan = plan_stream_segmented_scan<Tuning>(Kind{}, heads, in, out, n, op, init);
    GIMBAL_TRY(plan.find_room());
    const index_type tiles = plan.kernel.prefixes.tiles;
    if (plan.is_possible() && (!may_be_overwritten || tiles <= most_tiles)) {
      is_taken = true;
      if (may_be_overwritten) {
        GIMBAL_TRY(find_boundaries(source, tiles, types::shape::tiles::tile_items, n, stream));
      }
      return plan.launch(stream);
    }
  }
  return {};
}

/// The tiles of a stream of so many items by keys that are no array; none of other heads.
template <class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
struct loaded_stream {
  static index_type tiles(index_type) { return 0; }
};
template <class Kind, class KeyIt, class Equal, class InputIt, class OutputIt, class Op, class Init>
struct loaded_stream<Kind, heads_from_keys<KeyIt, Equal>, InputIt, OutputIt, Op, Init> {
  using rows = segments_tuning<heads_from_keys<KeyIt, Equal>, InputIt, Op, Init>;

  static index_type tiles(index_type n)
  {
    return block::is_array_v<KeyIt>     ? 0
           : n < rows::small_from_items ? of<typename rows::tiny>(n)
           : n < rows::large_from_items ? of<typename rows::small>(n)
                                        : of<typename rows::large>(n);
  }

private:
  template <class Shape>
  static index_type of(index_type n)
  {
    using types =
      stream_segmented_scan_types<Shape, Kind::value, loaded_heads<KeyIt, Equal>, InputIt, OutputIt, Op, Init>;
    constexpr index_type tile_items = types::shape::tiles::tile_items;
    return (n + tile_items - 1) / tile_items;
  }
};

/// Launches one of the streaming kernels, with tiles of the size for so many items, where one takes such arguments and the device
/// can run it. `with_room`: where there is memory for `room` boundaries.
template <class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
status stream_segments(
  bool& is_taken, Kind, const block::head_source<Heads>& with_room, index_type room, InputIt in, OutputIt out,
  index_type n, Op op, Init init, simt::stream_type stream)
{
  using rows = segments_tuning<Heads, InputIt, Op, Init>;
  const Heads& heads = with_room.heads;
  if (n < rows::from_items) {
    return {};
  }
  if constexpr (block::head_source<Heads>::has_numbers && rows::copies_offsets) {
    if (n >= tuning::offset_copies_from_items && heads.segment_count >= n / tuning::items_per_copied_offset) {
      const many_offsets<decltype(heads.offsets)> many{heads};
      using many_rows = segments_tuning<Heads, InputIt, Op, Init, tuning::segment_starts::many_offsets>;
      GIMBAL_TRY(stream_by_size<many_rows>(is_taken, Kind{}, many, in, out, n, op, init, stream));
    }
  }
  if (!is_taken && n < rows::small_from_items) {
    GIMBAL_TRY(stream_if_possible<typename rows::tiny>(is_taken, Kind{}, heads, in, out, n, op, init, stream));
  }
  if (!is_taken) {
    GIMBAL_TRY(stream_by_size<rows>(is_taken, Kind{}, heads, in, out, n, op, init, stream));
  }
  if (is_taken) {
    return {};
  }
  const auto stream_in = [&](auto tiles_of) {
    using shape = decltype(tiles_of);
    return stream_loaded<shape>(is_taken, Kind{}, with_room, room, in, out, n, op, init, stream);
  };
  return n < rows::small_from_items   ? stream_in(typename rows::tiny{})
         : n < rows::large_from_items ? stream_in(typename rows::small{})
                                      : stream_in(typename rows::large{});
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
