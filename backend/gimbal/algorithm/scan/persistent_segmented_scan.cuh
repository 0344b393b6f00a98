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

/// What a lane does with its items in the streaming segmented scan (persistent_segmented_scan.cuh): it folds them, and
/// scans them after everything before them. `FollowsAddresses`: tiles may, where any tree gives the same. `TellsNext`:
/// each tile publishes whether the next one begins with a head, by the bit after those of its last lane's items.
template <scan_kind Kind, class T, class Op, class Init, bool FollowsAddresses, bool TellsNext>
struct segment_lanes {
  using value = T;
  using fold = segment_fold<T, ::cuda::std::conditional_t<TellsNext, segment_state, bool>>;
  static constexpr std::size_t least_item_bytes = 4;
  static constexpr std::size_t most_items = TellsNext ? 31 : 32;  // whose bits are a word
  static constexpr bool orders_tiles = TellsNext && simt::reuse_needs_order;
  static constexpr bool tiles_follow_addresses = FollowsAddresses && ::cuda::std::is_integral<T>::value;
  static constexpr std::size_t gap_bytes = 0;
  static constexpr bool has_start = false;  // the first item is a head and has it
  static constexpr bool keeps_total = false;

  block::combine<T, Op> op;
  Init init;

  GIMBAL_DEVICE auto combine() const
  {
    if constexpr (TellsNext) {
      return segment_end_op<T, Op, Init>{op, init};
    } else {
      return segment_op<T, Op>{op};
    }
  }

  template <bool IsFull, class Item, unsigned Items>
  GIMBAL_DEVICE void fold_items(
    block::valid_range valid, std::uint32_t heads, const uninit<Item> (&values)[Items], uninit<fold>& folded) const
  {
    const uninit<T> since_head = algorithm::fold_since_head<IsFull>(op, init, valid, heads, values);
    if (IsFull || valid.lo < valid.hi) {
      folded.set({since_head.get(), state_of(heads, Items)});
    }
  }

  template <bool IsFull, class Item, class Result, unsigned Items>
  GIMBAL_DEVICE void scan_items(
    block::valid_range valid, std::uint32_t heads, bool exists, uninit<fold>& running,
    const uninit<Item> (&values)[Items], uninit<Result> (&scanned)[Items]) const
  {
    uninit<T> since_head;  // not used before the first item of all, where nothing exists
    if (exists) {
      since_head.set(running.get().value);
      if constexpr (TellsNext) {
        heads |= running.get().heads == segment_state::ended;  // as the tile before has published
      }
    }
    algorithm::scan_since_head<Kind, IsFull, false>(
      op, init, valid, heads, since_head, values, scanned, [](unsigned) {});
  }

private:
  static GIMBAL_DEVICE auto state_of(std::uint32_t heads, unsigned items)
  {
    if constexpr (TellsNext) {
      return algorithm::state_of(heads, heads >> items != 0);
    } else {
      return heads != 0;
    }
  }
};

/// What descriptions of heads are to the persistent kernel:
///
///   starts, gathers   the class in tuning.h, and whether finding heads may gather
///   are_loaded        by the lanes that reduce: positions are items then, and tiles do not follow addresses
///   tells_next        whether a tile has to publish whether the next one begins with a head
///   head_flags<F>     void where there are none for such types; with FollowsAddresses keys or flags must be aligned to
///                     multiples of 16 bytes as the values are
///   make(), is_possible()   the head flags of a call, and whether it can have them
template <class Heads>
struct persistent_heads;

struct persistent_flags {
  static constexpr bool are_loaded = false;
  static constexpr bool tells_next = false;
  static constexpr auto starts = tuning::segment_starts::flags;
  static constexpr auto gathers = tuning::gathering::none;
};

/// One in an array for each item.
template <class It, bool FollowsAddresses>
struct copied_beside_items {
  using item = value_type_of<It>;
  using source =
    ::cuda::std::conditional_t<FollowsAddresses, block::memory_source<item>, block::misaligned_source<item>>;
  static constexpr bool exists = block::is_array_v<It> && simt::is_supported_value_v<item> && sizeof(item) <= 16;

  static bool are_aligned(It keys_or_flags, index_type shift)
  {
    return !FollowsAddresses || block::memory_source<item>::is_aligned(keys_or_flags, shift);
  }
};

template <class KeyIt, class Equal>
struct persistent_heads<heads_from_keys<KeyIt, Equal>> {
  using heads_type = heads_from_keys<KeyIt, Equal>;
  using key = value_type_of<KeyIt>;
  static constexpr bool are_wide = sizeof(key) > 4;
  static constexpr bool are_loaded = !block::is_array_v<KeyIt>;
  static constexpr bool tells_next = are_read_by_lanes_v<KeyIt>;
  static constexpr auto starts = !are_loaded
                                   ? are_wide ? tuning::segment_starts::wide_keys : tuning::segment_starts::keys
                                 : !tells_next ? tuning::segment_starts::made_keys
                                 : are_wide    ? tuning::segment_starts::wide_read_keys
                                               : tuning::segment_starts::read_keys;
  static constexpr auto gathers = block::gathering_of_v<KeyIt> == tuning::gathering::none && block::may_point_v<Equal>
                                    ? tuning::gathering::listed
                                    : block::gathering_of_v<KeyIt>;
  template <bool FollowsAddresses>
  using copied = copied_beside_items<KeyIt, FollowsAddresses>;
  template <bool FollowsAddresses>
  using head_flags = ::cuda::std::conditional_t<
    are_loaded && simt::is_supported_value_v<key>, loaded_head_flags<KeyIt, Equal>,
    ::cuda::std::conditional_t<
      copied<FollowsAddresses>::exists,
      streamed_head_flags<typename copied<FollowsAddresses>::source, key_changes<Equal>>, void>>;

  template <bool FollowsAddresses>
  static head_flags<FollowsAddresses> make(const heads_type& heads, index_type shift, index_type)
  {
    if constexpr (are_loaded) {
      return {{}, heads};
    } else {
      return {{{}, copied<FollowsAddresses>::source::of(heads.keys, shift)}, {{heads.equal}}};
    }
  }
  /// Another block copies the last keys before its tile, which must not have been overwritten.
  template <bool FollowsAddresses, class OutputIt>
  static bool is_possible(const heads_type& heads, index_type shift, OutputIt out, index_type n)
  {
    if constexpr (are_loaded) {
      return true;
    } else {
      return copied<FollowsAddresses>::are_aligned(heads.keys, shift) && !block::may_overlap(heads.keys, out, n);
    }
  }
};

template <class FlagIt>
struct persistent_heads<heads_from_flags<FlagIt>> : persistent_flags {
  template <bool FollowsAddresses>
  using copied = copied_beside_items<FlagIt, FollowsAddresses>;
  template <bool FollowsAddresses>
  using head_flags = ::cuda::std::conditional_t<
    copied<FollowsAddresses>::exists,
    streamed_head_flags<typename copied<FollowsAddresses>::source, flag_is_set<value_type_of<FlagIt>>>, void>;

  template <bool FollowsAddresses>
  static head_flags<FollowsAddresses> make(const heads_from_flags<FlagIt>& heads, index_type shift, index_type)
  {
    return {{{}, copied<FollowsAddresses>::source::of(heads.flags, shift)}, {}};
  }
  template <bool FollowsAddresses, class OutputIt>
  static bool is_possible(const heads_from_flags<FlagIt>& heads, index_type shift, OutputIt, index_type)
  {
    return copied<FollowsAddresses>::are_aligned(heads.flags, shift);
  }
};

template <class OffsetIt>
struct persistent_heads<heads_from_offsets<OffsetIt>> : persistent_flags {
  template <bool>
  using head_flags = offset_head_flags<OffsetIt>;

  template <bool>
  static head_flags<true> make(const heads_from_offsets<OffsetIt>& heads, index_type shift, index_type n)
  {
    return {{{}, {nullptr}}, {heads, shift, n, nullptr}};
  }
  template <bool, class OutputIt>
  static bool is_possible(const heads_from_offsets<OffsetIt>&, index_type, OutputIt, index_type)
  {
    return true;
  }
};

/// The types of a call of the kernel, and whether it can take them: values from memory, or through any iterator beside
/// keys, flags or offsets that are copied or loaded.
template <class Tuning, scan_kind Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
struct persistent_segmented_scan_types {
  using accumulator = accumulator_t<Op, InputIt, Init>;
  using kernel_init = ::cuda::std::conditional_t<::cuda::std::is_same<Init, no_init>::value, no_init, accumulator>;
  using heads = persistent_heads<Heads>;
  static constexpr bool have_addresses = block::is_array_v<InputIt> && !heads::are_loaded;
  using lanes = segment_lanes<Kind, accumulator, Op, kernel_init, have_addresses, heads::tells_next>;
  static constexpr bool follow_addresses = lanes::tiles_follow_addresses;
  using head_flags = typename heads::template head_flags<follow_addresses>;
  static constexpr bool has_head_flags = !::cuda::std::is_void<head_flags>::value;
  using any_head_flags = ::cuda::std::conditional_t<has_head_flags, head_flags, no_head_flags>;
  using policy = persistent_scan_policy<Tuning, lanes, any_head_flags, InputIt, OutputIt>;
  static constexpr bool has_room =
    policy::most >= policy::least_stages;  // not with wide keys beside narrow items of wide results
  static constexpr bool is_possible =
    has_head_flags && has_room && (policy::copies_items || any_head_flags::copies || heads::are_loaded);
};

/// The numbers for such arguments.
template <class Heads, class InputIt, class Op, class Init>
using segments_tuning = tuning::stream_segmented_scan<
  sizeof(accumulator_t<Op, InputIt, Init>), block::is_array_v<InputIt>, persistent_heads<Heads>::starts,
  block::gathering_of_v<InputIt> == tuning::gathering::none ? persistent_heads<Heads>::gathers
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
    using heads_of = typename types::heads;
    constexpr bool follow_addresses = types::follow_addresses;
    const index_type shift = policy::source::shift_of(in);
    auto row = policy::row(
      fits, in, out, n, heads_of::template make<follow_addresses>(heads, shift, n),
      typename types::lanes{{op}, static_cast<typename types::kernel_init>(init)});
    row.is_possible = row.is_possible && fits && heads_of::template is_possible<follow_addresses>(heads, shift, out, n);
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
