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
// Bytes moved: per item its value in and out once, and its flag or key once, or twice (the second time from cache); per
//   segment its offset once, and per tile those by which its first one is found, or a bit per item out and in.
// Launches: one; of many items by offsets, without totals, two.
// Storage: for one tile none, else 8 * ceil(sizeof(pair) / 4) * (1 + 1/32 + 1/1024) bytes per tile in words
//   (launch_plan.h). Many items by offsets without totals have a bit each (head_flags.cuh).
// Operator: associative; operands are combined in order, so it need not be commutative. `equal(keys[i - 1], keys[i])`
//   must give the same answer every time.
// Determinism: the tree depends on the number of items and the heads alone; floating-point results are the same bits in
//   every run.
// Progress: see look_back.cuh.
// Aliasing: out may equal in, keys or flags, because a tile is written by the block that has read it, after a barrier.
//   The one key of the next tile that is read, too, is overwritten after what depends on it has been published, as
//   simt::reuse_needs_order has it. Over keys in an array no scan is persistent: with a tile come the last keys before
//   it, which another block's results would overwrite. Offsets and totals are separate from all else.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/scan/head_flags.cuh>
#include <gimbal/algorithm/scan/persistent_scan_policy.cuh>
#include <gimbal/algorithm/scan/scan_tile_policy.cuh>
#include <gimbal/algorithm/scan/segment_fold.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Totals of segments to totals[s], from the item or end at which a segment ends. `Description`: of heads.
template <class TotalIt, class Description>
struct segment_totals {
  static constexpr bool exist = !::cuda::std::is_same<TotalIt, no_totals>::value;

  TotalIt totals;

  /// Of segments without items, of those that start in this tile. By a block.
  template <class Context, class Heads, class Shared, class Init>
  GIMBAL_DEVICE void begin(Context& ctx, const Heads& heads, const Shared& smem, index_type n, const Init& init) const
  {
    if constexpr (Description::has_numbers && is_combined_init_v<Init>) {
      const auto& own = smem.segments;
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
      if constexpr (Description::has_numbers) {
        const auto& own = smem.segments;
        s = block::first_offset_from(heads.from.offsets, own[0], own[1], end) - 1;
      }
      if (s >= 0) {
        block::store_as(totals + s, sum.get());
      }
    }
  }
};

/// The class of a description of heads in tuning.h, and whether finding heads may gather.
template <class Heads>
inline constexpr auto segment_starts_v = tuning::segment_starts::flags;
template <class KeyIt, class Equal>
inline constexpr auto segment_starts_v<heads_from_keys<KeyIt, Equal>> = [] {
  using tuning::segment_starts;
  return block::is_array_v<KeyIt>            ? segment_starts::keys
         : !are_read_by_lanes_v<KeyIt>       ? segment_starts::made_keys
         : sizeof(value_type_of<KeyIt>) <= 4 ? segment_starts::read_keys
                                             : segment_starts::wide_read_keys;
}();
template <class Heads>
inline constexpr auto gathering_of_heads_v = tuning::gathering::none;
template <class KeyIt, class Equal>
inline constexpr auto gathering_of_heads_v<heads_from_keys<KeyIt, Equal>> =
  block::gathering_of_v<KeyIt> == tuning::gathering::none&& block::may_point_v<Equal> ? tuning::gathering::listed
                                                                                      : block::gathering_of_v<KeyIt>;

/// The head flags of a call of `n` items; no_head_flags where there are none for such types.
template <class KeyIt, class Equal>
auto head_flags_of(const heads_from_keys<KeyIt, Equal>& heads, index_type)
{
  if constexpr (block::is_array_v<KeyIt>) {
    return algorithm::copied_head_flags<true>(heads.keys, block::differs<Equal>{heads.equal});
  } else if constexpr (simt::is_supported_value_v<value_type_of<KeyIt>>) {
    return loaded_head_flags<KeyIt, Equal>{{}, heads};
  } else {
    return no_head_flags{};
  }
}
template <class FlagIt>
auto head_flags_of(const heads_from_flags<FlagIt>& heads, index_type)
{
  return algorithm::copied_head_flags<false>(heads.flags, flag_is_set<value_type_of<FlagIt>>{});
}
template <class OffsetIt>
auto head_flags_of(const heads_from_offsets<OffsetIt>& heads, index_type n)
{
  return offset_head_flags<OffsetIt>{{}, {heads, n, nullptr}};
}

/// The numbers for such arguments.
template <class Heads, class InputIt, class Op, class Init>
using segments_tuning = tuning::persistent_segmented_scan<
  sizeof(accumulator_t<Op, InputIt, Init>), block::is_array_v<InputIt>, segment_starts_v<Heads>,
  block::gathering_of_v<InputIt> == tuning::gathering::none ? gathering_of_heads_v<Heads>
                                                            : block::gathering_of_v<InputIt>>;

/// The row of a scan of so many items without totals: values from memory, or through any iterator beside keys, flags or
/// offsets that are copied or loaded; none for types to which it does not apply.
template <
  class Tuning, bool Exists = true, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
auto persistent_segmented_scan_row(
  bool fits, Kind, const Heads& heads, InputIt in, OutputIt out, index_type n, Op op, Init init)
{
  using accumulator = accumulator_t<Op, InputIt, Init>;
  using kernel_init = kernel_init_t<accumulator, Init>;
  using count_type = ::cuda::std::conditional_t<tuning::are_read(segment_starts_v<Heads>), segment_state, bool>;
  using lanes = segment_lanes<Kind::value, accumulator, Op, kernel_init, count_type>;
  using head_flags = decltype(algorithm::head_flags_of(heads, n));
  using policy = persistent_scan_policy<Tuning, lanes, head_flags, InputIt, OutputIt>;
  if constexpr (!Exists || !head_flags::exist) {
    return no_row{};
  } else if constexpr (policy::most < policy::least_stages) {
    return no_row{};  // there is no room with wide keys beside narrow items of wide results
  } else {
    auto row =
      policy::row(fits, in, out, n, algorithm::head_flags_of(heads, n), lanes{{op}, static_cast<kernel_init>(init)});
    if constexpr (segment_starts_v<Heads> == tuning::segment_starts::keys) {
      row.is_possible = !block::may_overlap(heads.keys, out, n);  // another block copies the last ones before its tile
    }
    // Sums of numbers with fractions depend on how they are grouped, which must not depend on other streams.
    row.shares_the_device =
      !::cuda::std::is_integral<accumulator>::value
      || n * static_cast<index_type>(sizeof(accumulator)) > tuning::most_saturated_segmented_bytes;
    return row;
  }
}

/// The table of segmented scans, first row that takes the call first; of calls without totals, with `Tuning` void and
/// outputs that load nothing, from tuning::persistent_segmented_scan::from_items on, offsets from flags_from_items on:
///
///   heads, items                                kernel
///   any, below many_from_items                  persistent_scan_policy.cuh, small tiles
///   any, more items                             the same, large tiles
///   any                                         scan_tile_policy.cuh, also of fewer items
///
/// `heads` is one of heads_from_keys, heads_from_flags, heads_from_offsets; `Kind` is inclusive_scan_tag, with or
/// without an initial value, or exclusive_scan_tag with one. `totals` is an iterator or no_totals. A segment without
/// items has the total `init`; without an initial value its total is left as it is. `Tuning` void: chosen by the size
/// of the accumulator.
template <
  class Tuning = void, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init, class TotalIt>
auto segmented_scan_plan(Kind, Heads heads, InputIt in, OutputIt out, index_type n, Op op, Init init, TotalIt totals)
{
  constexpr bool has_init = is_combined_init_v<Init>;
  static_assert(Kind::value == scan_kind::inclusive || has_init, "an exclusive scan starts with an initial value");
  using accumulator = accumulator_t<Op, InputIt, Init>;
  static_assert(simt::is_supported_value_v<accumulator>, "kernels hold values of at most 128 bytes, copied bytewise");
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::segmented_scan<sizeof(accumulator)>, Tuning>;
  using kernel_init = kernel_init_t<accumulator, Init>;
  constexpr bool has_totals = !::cuda::std::is_same<TotalIt, no_totals>::value;
  static_assert(!has_totals || !Heads::tells_next, "scans by keys have no totals");
  using count_type = ::cuda::std::conditional_t<
    has_totals, index_type, ::cuda::std::conditional_t<Heads::tells_next, segment_state, bool>>;
  using lanes = segment_lanes<Kind::value, accumulator, Op, kernel_init, count_type>;
  using tiles = scan_tile_policy<chosen, lanes, tile_heads<Heads>, InputIt, OutputIt, segment_totals<TotalIt, Heads>>;
  // Without items there may still be segments, whose totals are then the initial value.
  constexpr bool writes_empty = has_init && has_totals && Heads::has_numbers;
  const unsigned count = n == 0 ? writes_empty : gimbal::tiles_of(n, tiles::tile_items);
  const kernel_row<tile_kernel<tiles>> tile_row(
    count > 0, {{{heads}, in, out, n, {{op}, static_cast<kernel_init>(init)}, {totals}}, n, {count}});
  // Outputs that load go by many blocks, which hide what each waits for.
  if constexpr (::cuda::std::is_void<Tuning>::value && !has_totals && !fetches_v<OutputIt, accumulator>) {
    using rows = segments_tuning<Heads, InputIt, Op, Init>;
    constexpr index_type from = Heads::has_numbers ? rows::flags_from_items : rows::from_items;
    return gimbal::plan_of(
      algorithm::persistent_segmented_scan_row<typename rows::few, (from < rows::many_from_items)>(
        n >= from && n < rows::many_from_items, Kind{}, heads, in, out, n, op, init),
      algorithm::persistent_segmented_scan_row<typename rows::many>(n >= from, Kind{}, heads, in, out, n, op, init),
      tile_row);
  } else {
    return gimbal::plan_of(tile_row);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
