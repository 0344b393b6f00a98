// Segmented scan: a scan that starts again at every head; heads come from adjacent keys, flags or offsets.
//
//   inclusive: out[i] = x[h] op ... op x[i]           exclusive: out[i] = init op x[h] op ... op x[i - 1]
//
// where h is the head of i's segment; with an initial value the inclusive form begins with `init op`, too. Optionally
// the total of segment s, which is init (if given) op every item of s, is written to totals[s].
//
// Algorithm: the single-pass scan of scan_tile_policy.cuh over pairs (value, heads), where (a, s) op (b, t) = (t > 0 ?
// b : a op b, s + t) is associative if op is (Schwartz 1980; Sengupta et al., "Scan primitives for GPU computing",
// 2007). Heads are one bit per item in shared memory. Without totals only whether there are heads is carried, with
// totals also how many: that is the segment's number, and the item at a head finds the total of the segment before in
// what it has to restart.
//
// Bytes moved: per item its value in and out once, and its flag once or its key twice (the second time from cache); per
//   segment its offset once, and per tile those by which its first one is found.
//
// Launches: one; of many items by offsets, without totals, two.
//
// Storage: for one tile none, else 8 * ceil(sizeof(pair) / 4) * (1 + 1/32 + 1/1024) bytes per tile in words
//   (launch_plan.h). Many items by offsets without totals have a bit each (offset_head_flags.cuh).
//
// Operator: associative; operands are combined in order, so it need not be commutative. `equal(keys[i - 1], keys[i])`
//   must give the same answer every time.
//
// Determinism: the tree depends on the number of items and the heads alone; floating-point results are the same bits in
//   every run.
//
// Progress: see look_back.cuh.
//
// Aliasing: out may equal in, keys or flags, because a tile is written by the block that has read it, after a barrier.
//   The one key of the next tile that is read, too, is overwritten after what depends on it has been published, as
//   simt::reuse_needs_order has it. Offsets and totals are separate from all else.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/scan/persistent_segmented_scan.cuh>
#include <gimbal/algorithm/scan/scan_tile_policy.cuh>
#include <gimbal/algorithm/scan/segment_fold.cuh>

GIMBAL_NAMESPACE_BEGIN

/// No totals wanted.
struct no_totals {};

namespace algorithm {

/// Totals of segments to totals[s], from the item or end at which a segment ends. `Source`: a block::head_source.
template <class TotalIt, class Source, class Init>
struct segment_totals {
  static constexpr bool exist = true;

  TotalIt totals;
  Init init;

  /// Of segments without items, of those that start in this tile. By a block.
  template <class Context, class Heads, class Shared>
  GIMBAL_DEVICE void begin(Context& ctx, const Heads& heads, const Shared& smem, index_type n) const
  {
    if constexpr (Source::has_numbers && !::cuda::std::is_same<Init, no_init>::value) {
      const auto& own = smem.segments.segments;
      for (index_type s = own[0] + ctx.thread(); s < own[1]; s += Context::block_threads) {
        if (heads.from.is_empty(s, n)) {
          block::store_as(totals + s, init);
        }
      }
    }
  }

  /// Of the segment that ends before item `end`, if there is one; `segments` have been started until then.
  template <class Heads, class Shared, class T>
  GIMBAL_DEVICE void at_head(
    const Heads& heads, const Shared& smem, index_type end, index_type segments, bool exists,
    const uninit<T>& sum) const
  {
    if (exists) {
      index_type s = segments - 1;
      if constexpr (Source::has_numbers) {
        const auto& own = smem.segments.segments;
        s = block::first_offset_from(heads.from.heads.offsets, own[0], own[1], end) - 1;
      }
      if (s >= 0) {
        block::store_as(totals + s, sum.get());
      }
    }
  }
};

/// The table of segmented scans, first row that takes the call first; of calls without totals, with `Tuning` void and
/// outputs that load nothing, from tuning::stream_segmented_scan::from_items on:
///
///   heads, items                                                 kernel
///   keys or flags, below small_from_items                        persistent_segmented_scan.cuh, tiny tiles
///   any, offsets from flags_from_items on, below large_from_items   the same, small tiles
///   the same, more items                                         the same, large tiles
///   any                                                          tile_kernel.cuh, also of fewer items
///
/// The arguments are those of segmented_scan().
template <
  class Tuning = void, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init, class TotalIt>
auto segmented_scan_plan(Kind, Heads heads, InputIt in, OutputIt out, index_type n, Op op, Init init, TotalIt totals)
{
  constexpr bool has_init = !::cuda::std::is_same<Init, no_init>::value;
  static_assert(Kind::value == scan_kind::inclusive || has_init, "an exclusive scan starts with an initial value");
  using accumulator = accumulator_t<Op, InputIt, Init>;
  static_assert(simt::is_supported_value_v<accumulator>, "kernels hold values of at most 128 bytes, copied bytewise");
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::segmented_scan<sizeof(accumulator)>, Tuning>;
  using kernel_init = ::cuda::std::conditional_t<has_init, accumulator, no_init>;
  using source = block::head_source<Heads>;
  constexpr bool has_totals = !::cuda::std::is_same<TotalIt, no_totals>::value;
  static_assert(!has_totals || !source::tells_next, "scans by keys have no totals");
  using count_type = ::cuda::std::conditional_t<
    has_totals, index_type, ::cuda::std::conditional_t<source::tells_next, segment_state, bool>>;
  using lanes = segment_lanes<Kind::value, accumulator, Op, kernel_init, count_type>;
  using totals_type =
    ::cuda::std::conditional_t<has_totals, segment_totals<TotalIt, source, kernel_init>, no_segment_totals>;
  using tiles = scan_tile_policy<
    chosen, tuning::segmented_scan_resident_threads(sizeof(accumulator)), lanes, tile_heads<Heads>, InputIt, OutputIt,
    totals_type>;
  const auto start = static_cast<kernel_init>(init);
  const auto kept = [&]() -> totals_type {
    if constexpr (has_totals) {
      return {totals, start};
    } else {
      return {};
    }
  }();

  // Without items there may still be segments, whose totals are then the initial value.
  constexpr bool writes_empty = has_init && has_totals && source::has_numbers;
  const unsigned count = n == 0 ? writes_empty : gimbal::tiles_of(n, tiles::tile_items);
  const kernel_row<tile_kernel<tiles>> tile_row(count > 0, {{{{heads}}, in, out, n, {{op}, start}, kept}, n, {count}});
  // Outputs that load go by many blocks, which hide what each waits for.
  if constexpr (::cuda::std::is_void<Tuning>::value && !has_totals && !fetches_v<OutputIt, accumulator>) {
    using rows = segments_tuning<Heads, InputIt, Op, Init>;
    const index_type from = source::has_numbers ? rows::flags_from_items : rows::from_items;
    return gimbal::plan_of(
      algorithm::persistent_segmented_scan_row<typename rows::tiny, !source::has_numbers>(
        n >= from && n < rows::small_from_items, Kind{}, heads, in, out, n, op, init),
      algorithm::persistent_segmented_scan_row<typename rows::small_tuning>(
        n >= from && n < rows::large_from_items, Kind{}, heads, in, out, n, op, init),
      algorithm::persistent_segmented_scan_row<typename rows::large>(
        n >= from && n >= rows::large_from_items, Kind{}, heads, in, out, n, op, init),
      tile_row);
  } else {
    return gimbal::plan_of(tile_row);
  }
}

/// `heads` is one of heads_from_keys, heads_from_flags, heads_from_offsets; `Kind` is inclusive_scan_tag, with or
/// without an initial value, or exclusive_scan_tag with one. `totals` is an iterator or no_totals. A segment without
/// items has the total `init`; without an initial value its total is left as it is. `Tuning` void: chosen by the size
/// of the accumulator.
template <
  class Tuning = void, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init, class TotalIt>
status segmented_scan(
  const temporary_storage& storage, std::size_t& storage_bytes, Kind, Heads heads, InputIt in, OutputIt out,
  index_type n, Op op, Init init, TotalIt totals, simt::stream_type stream)
{
  return algorithm::segmented_scan_plan<Tuning>(Kind{}, heads, in, out, n, op, init, totals)
    .run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
