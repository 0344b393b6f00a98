// Calls of segmented_scan.cuh that go to the streaming kernels of stream_segmented_scan.cuh: which do, and with what tiles.
#pragma once

#include <gimbal/algorithm/segmented/tuning.h>

#include <gimbal/algorithm/segmented/stream_segmented_scan.cuh>
#include <gimbal/tile/segment_heads.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The numbers for such arguments.
template <class Heads, class InputIt, class Op, class Init, tuning::segment_starts Starts = starts_of_v<Heads>>
using segments_tuning = tuning::stream_segmented_scan<
  sizeof(accumulator_t<Op, InputIt, Init>), block::is_array_v<InputIt>, Starts,
  block::gathering_of_v<InputIt> == tuning::gathering::none ? heads_gather_v<Heads> : block::gathering_of_v<InputIt>>;

/// Launches the streaming kernel where it takes such arguments and the device can run it.
template <class Tuning, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
status stream_if_possible(
  bool& is_taken, Kind, Heads heads, InputIt in, OutputIt out, index_type n, Op op, Init init, launch_words& words)
{
  using types = stream_segmented_scan_types<Tuning, Kind::value, Heads, InputIt, OutputIt, Op, Init>;
  if constexpr (types::is_possible) {
    auto plan = plan_stream_segmented_scan<Tuning>(Kind{}, heads, in, out, n, op, init);
    return plan.launch_if_possible(words, is_taken);
  }
  return {};
}

/// The same with tiles of the size that so many items ask for. `Rows`: tuning::stream_segmented_scan.
template <class Rows, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
status stream_by_size(
  bool& is_taken, Kind, Heads heads, InputIt in, OutputIt out, index_type n, Op op, Init init, launch_words& words)
{
  return n < Rows::large_from_items
           ? stream_if_possible<typename Rows::small>(is_taken, Kind{}, heads, in, out, n, op, init, words)
           : stream_if_possible<typename Rows::large>(is_taken, Kind{}, heads, in, out, n, op, init, words);
}

/// Launches one of the streaming kernels, with tiles of the size for so many items, where one takes such arguments and the device
/// can run it.
template <class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
status stream_segments(
  bool& is_taken, Kind, const Heads& heads, InputIt in, OutputIt out, index_type n, Op op, Init init,
  launch_words& words)
{
  using rows = segments_tuning<Heads, InputIt, Op, Init>;
  if (n < rows::from_items) {
    return {};
  }
  if constexpr (block::head_source<Heads>::has_numbers && rows::copies_offsets) {
    if (n >= tuning::offset_copies_from_items && heads.segment_count >= n / tuning::items_per_copied_offset) {
      const many_offsets<decltype(heads.offsets)> many{heads};
      using many_rows = segments_tuning<Heads, InputIt, Op, Init, tuning::segment_starts::many_offsets>;
      GIMBAL_TRY(stream_by_size<many_rows>(is_taken, Kind{}, many, in, out, n, op, init, words));
    }
  }
  if (!is_taken && n < rows::small_from_items) {
    GIMBAL_TRY(stream_if_possible<typename rows::tiny>(is_taken, Kind{}, heads, in, out, n, op, init, words));
  }
  if (!is_taken) {
    GIMBAL_TRY(stream_by_size<rows>(is_taken, Kind{}, heads, in, out, n, op, init, words));
  }
  return {};
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
