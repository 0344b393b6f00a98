// Segmented scan of many items: the results of segmented_scan.cuh, without totals, as a stream
// (persistent_scan_policy.cuh, which says what it costs and needs).
//
// Pairs (value, whether there was a head) are scanned, with a bit per item that says where heads are. Keys or flags
// come beside the items by bulk copies, and the lanes that reduce turn them into bits (item_head_flags.cuh), or bits
// that have been made of offsets (offset_head_flags.cuh). Keys that are no array are loaded by the lanes that reduce.
//
// Bytes moved: per item its value in and out once, and its flag or key once; by offsets a bit per item out and in, and
// each offset once.
//
// Launches: one, by offsets two.
//
// Memory order: keys or flags have a ring of their own, with full and empty of its own; reduce warps leave the
// head-flag bits of their lanes in the stage, where scan warps read them after `ready`, before they release it.
//
// Determinism: where values are no integers, tiles follow the items alone and not their addresses.
//
// Aliasing: out may equal in or flags. Not keys in an array: with a tile come the last keys before it, which another
// block's results would overwrite; such calls stay with segmented_scan.cuh.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>

#include <gimbal/algorithm/scan/item_head_flags.cuh>
#include <gimbal/algorithm/scan/offset_head_flags.cuh>
#include <gimbal/algorithm/scan/persistent_scan_policy.cuh>
#include <gimbal/algorithm/scan/segment_fold.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>
#include <gimbal/tile/segment_heads.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The class of a description of heads in tuning.h, and whether finding heads may gather.
template <class Heads>
inline constexpr auto segment_starts_v = tuning::segment_starts::flags;
template <class KeyIt, class Equal>
inline constexpr auto segment_starts_v<heads_from_keys<KeyIt, Equal>> = [] {
  using tuning::segment_starts;
  constexpr bool are_wide = sizeof(value_type_of<KeyIt>) > 4;
  return block::is_array_v<KeyIt>      ? are_wide ? segment_starts::wide_keys : segment_starts::keys
         : !are_read_by_lanes_v<KeyIt> ? segment_starts::made_keys
         : are_wide                    ? segment_starts::wide_read_keys
                                       : segment_starts::read_keys;
}();
template <class Heads>
inline constexpr auto gathering_of_heads_v = tuning::gathering::none;
template <class KeyIt, class Equal>
inline constexpr auto gathering_of_heads_v<heads_from_keys<KeyIt, Equal>> =
  block::gathering_of_v<KeyIt> == tuning::gathering::none&& block::may_point_v<Equal> ? tuning::gathering::listed
                                                                                      : block::gathering_of_v<KeyIt>;

/// The head flags of a call of `n` items, the first of which is number `shift`; no_head_flags where there are none for
/// such types. With FollowsAddresses keys or flags must be aligned to multiples of 16 bytes as the values are.
template <bool FollowsAddresses, class KeyIt, class Equal>
auto head_flags_of(const heads_from_keys<KeyIt, Equal>& heads, index_type shift, index_type)
{
  if constexpr (block::is_array_v<KeyIt>) {
    return algorithm::copied_head_flags<FollowsAddresses>(heads.keys, shift, key_changes<Equal>{{heads.equal}});
  } else if constexpr (simt::is_supported_value_v<value_type_of<KeyIt>>) {
    return loaded_head_flags<KeyIt, Equal>{{}, heads};
  } else {
    return no_head_flags{};
  }
}
template <bool FollowsAddresses, class FlagIt>
auto head_flags_of(const heads_from_flags<FlagIt>& heads, index_type shift, index_type)
{
  return algorithm::copied_head_flags<FollowsAddresses>(heads.flags, shift, flag_is_set<value_type_of<FlagIt>>{});
}
template <bool FollowsAddresses, class OffsetIt>
auto head_flags_of(const heads_from_offsets<OffsetIt>& heads, index_type shift, index_type n)
{
  return offset_head_flags<OffsetIt>{{{}, {nullptr}}, {heads, shift, n, nullptr}};
}

/// Whether results may overwrite keys that are copied: another block copies the last ones before its tile.
template <class Heads, class OutputIt>
bool may_overwrite_keys(const Heads&, OutputIt, index_type)
{
  return false;
}
template <class KeyIt, class Equal, class OutputIt>
bool may_overwrite_keys(const heads_from_keys<KeyIt, Equal>& heads, OutputIt out, index_type n)
{
  return block::is_array_v<KeyIt> && block::may_overlap(heads.keys, out, n);
}

/// The types of a call of the kernel, and whether it can take them: values from memory, or through any iterator beside
/// keys, flags or offsets that are copied or loaded.
template <class Tuning, scan_kind Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
struct persistent_segmented_scan_types {
  using accumulator = accumulator_t<Op, InputIt, Init>;
  using kernel_init = ::cuda::std::conditional_t<::cuda::std::is_same<Init, no_init>::value, no_init, accumulator>;
  static constexpr auto starts = segment_starts_v<Heads>;
  static constexpr bool are_loaded = starts == tuning::segment_starts::made_keys || tuning::are_read(starts);
  using count_type = ::cuda::std::conditional_t<tuning::are_read(starts), segment_state, bool>;
  using lanes =
    segment_lanes<Kind, accumulator, Op, kernel_init, count_type, block::is_array_v<InputIt> && !are_loaded>;
  using head_flags =
    decltype(algorithm::head_flags_of<lanes::tiles_follow_addresses>(::cuda::std::declval<Heads>(), 0, 0));
  using policy = persistent_scan_policy<Tuning, lanes, head_flags, InputIt, OutputIt>;
  /// There is no room with wide keys beside narrow items of wide results.
  static constexpr bool is_possible = head_flags::exist && policy::most >= policy::least_stages;
};

/// The numbers for such arguments.
template <class Heads, class InputIt, class Op, class Init>
using segments_tuning = tuning::stream_segmented_scan<
  sizeof(accumulator_t<Op, InputIt, Init>), block::is_array_v<InputIt>, segment_starts_v<Heads>,
  block::gathering_of_v<InputIt> == tuning::gathering::none ? gathering_of_heads_v<Heads>
                                                            : block::gathering_of_v<InputIt>>;

/// The row of a segmented_scan() of so many items without totals; none for types to which it does not apply.
template <
  class Tuning, bool Exists = true, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
auto persistent_segmented_scan_row(
  bool fits, Kind, const Heads& heads, InputIt in, OutputIt out, index_type n, Op op, Init init)
{
  using types = persistent_segmented_scan_types<Tuning, Kind::value, Heads, InputIt, OutputIt, Op, Init>;
  if constexpr (!Exists || !types::is_possible) {
    return no_row{};
  } else {
    using policy = typename types::policy;
    const index_type shift = policy::source::shift_of(in);
    const auto head_flags = algorithm::head_flags_of<types::lanes::tiles_follow_addresses>(heads, shift, n);
    auto row = policy::row(
      fits, in, out, n, head_flags, typename types::lanes{{op}, static_cast<typename types::kernel_init>(init)});
    row.is_possible =
      row.is_possible && fits && head_flags.is_aligned() && !algorithm::may_overwrite_keys(heads, out, n);
    // Sums of numbers with fractions depend on how they are grouped, which must not depend on other streams.
    using accumulator = typename types::accumulator;
    row.shares_the_device =
      !::cuda::std::is_integral<accumulator>::value
      || n * static_cast<index_type>(sizeof(accumulator)) > tuning::most_saturated_segmented_bytes;
    return row;
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
