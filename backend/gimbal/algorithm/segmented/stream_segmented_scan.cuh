// Segmented scan of many items: the results of segmented_scan.cuh, without totals, as a stream (stream_scan_policy.cuh,
// which says what it costs and needs).
//
// Pairs (value, whether there was a head) are scanned, with a bit per item that says where heads are. Keys or flags
// come beside the items by bulk copies, and the folding lanes turn them into bits. Offsets are looked for by warps of
// their own (offset_marks.cuh), or come by bulk copies where they are many_offsets (offset_copies.cuh). Keys that are no
// array are asked for by the folding lanes (loaded_heads.cuh).
//
// Bytes moved: per item its value in and out once, and its flag or key once; per segment its offset once, and per tile
// the few offsets by which its first one is found.
//
// Memory order: marks have a ring of their own, with full and empty of its own; folders leave the bits of their lanes
// in the stage, where scanners read them behind `ready`, before they release it.
//
// Determinism: where values are no integers, tiles follow the items alone and not their addresses.
//
// Aliasing: out may equal in or flags. Not keys in an array: with a tile come the last keys before it, which another block's
// results would overwrite; such calls stay with segmented_scan.cuh.
#pragma once

#include <gimbal/algorithm/segmented/tuning.h>
#include <gimbal/collective/scan_kind.h>

#include <gimbal/algorithm/segmented/loaded_heads.cuh>
#include <gimbal/algorithm/segmented/offset_copies.cuh>
#include <gimbal/algorithm/segmented/offset_marks.cuh>
#include <gimbal/algorithm/segmented/segment_lanes.cuh>
#include <gimbal/pipeline/ring.cuh>
#include <gimbal/pipeline/stream_scan_policy.cuh>
#include <gimbal/tile/segment_heads.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Marks from memory, one per item, by `Source`: as the items, tiles follow addresses or do not. `IsHead`: what makes
/// an item a head, given its mark and the one before.
template <class Source, class IsHead>
struct head_marks : staged_heads {
  using Mark = typename Source::item;
  static constexpr bool copies = true;
  static constexpr bool come_first = true;
  static constexpr unsigned markers = 1;
  static constexpr unsigned most_slots = 4;
  static constexpr std::size_t beside_bytes = 0;
  /// Marks before those of a tile that come with them.
  static constexpr unsigned lead = IsHead::looks_back ? simt::items_of_vectors(sizeof(Mark)) : 0;
  static constexpr std::size_t lead_bytes = lead * sizeof(Mark);

  /// Marks as they come: folders are done with them long before the stage is free.
  template <unsigned Slots, class Tiles>
  struct ring_type {
    struct slot_memory {
      alignas(16) unsigned char chunk[lead_bytes + Tiles::tile_items * sizeof(Mark) + (Source::is_skewed ? 16 : 0)];
      simt::phase_barrier full;
      simt::phase_barrier empty;
    };
    slot_memory slot[Slots];
    static constexpr unsigned slots = Slots;
    static constexpr std::size_t slot_bytes = sizeof(slot_memory::chunk);
  };

  Source marks;
  IsHead is_head;

  static GIMBAL_DEVICE unsigned together(unsigned, unsigned) { return 1; }

  template <class Context, class Ring>
  GIMBAL_DEVICE void start(
    Context& ctx, Ring& ring, unsigned first_warp, unsigned own, unsigned folders, unsigned, bool anew) const
  {
    block::for_stages_of_warp(ctx, Ring::slots, first_warp, own, [&](unsigned s) {
      block::init_barrier(ctx, ring.slot[s].full, 1, anew);
      block::init_barrier(ctx, ring.slot[s].empty, folders, anew);
    });
  }

  template <class Context, class Ring>
  GIMBAL_DEVICE void clear(Context&, Ring&, unsigned) const
  {
  }

  template <class Context, class Tiles, class Ring, class Position>
  GIMBAL_DEVICE void load(Context& ctx, const Tiles& tiles, unsigned tile, Ring& ring, const Position& at) const
  {
    auto& slot = ring.slot[at.stage];
    ctx.wait(slot.empty, at.parity ^ 1);  // the slot's marks have been read
    marks.load(ctx, tiles, Tiles::first_of(tile) - lead, lead + Tiles::tile_items, slot.chunk, slot.full);
  }

  /// This lane's heads.
  template <class Context, class Tiles, class Ring, class Position>
  GIMBAL_DEVICE std::uint32_t find(
    Context& ctx, const Tiles& tiles, Ring& ring, const Position& at, unsigned tile, unsigned warp) const
  {
    constexpr unsigned items = Tiles::segment_items;
    static_assert(items <= 32, "the heads of one lane fit into a word");
    auto& slot = ring.slot[at.stage];
    ctx.wait(slot.full, at.parity);                                          // the marks have landed
    const unsigned before = warp * Tiles::chunk_items + ctx.lane() * items;  // in the tile
    const index_type first = Tiles::first_of(tile) + before;
    const block::valid_range valid = tiles.valid(first, items);
    std::uint32_t heads = 0;
    if (valid.lo < valid.hi) {
      const bool is_first = first + valid.lo == tiles.begin;
      const unsigned char* const tile_marks = slot.chunk + lead_bytes;
      const auto* const own = reinterpret_cast<const uninit<Mark>*>(tile_marks + marks.skew) + before;
      uninit<Mark> previous = own[valid.lo];  // where there is none: is_first
      if (IsHead::looks_back && !is_first) {
        previous = own[-1];
      }
      if (valid.hi - valid.lo == items && marks.skew == 0) {
        uninit<Mark> mark[items];
        block::lane_segment<Mark, items>::read(tile_marks + warp * Tiles::chunk_items * sizeof(Mark), ctx.lane(), mark);
        GIMBAL_UNROLL
        for (unsigned i = 1; i < items; ++i) {
          heads |= std::uint32_t{is_head(mark[i - 1].get(), mark[i].get())} << i;
        }
        // At last: an equality that reads what keys name finds in the L1 cache what the lane below has just read.
        heads |= std::uint32_t{is_head(previous.get(), mark[0].get())};
      } else {
        for (unsigned i = valid.lo; i < valid.hi; ++i) {
          heads |= std::uint32_t{is_head(previous.get(), own[i].get())} << i;
          previous = own[i];
        }
      }
      heads |= std::uint32_t{is_first} << valid.lo;
    }
    return heads;
  }

  /// By one lane of each folder, after a barrier of the warp, before which every lane has stored bits made of the marks that it has
  /// read: its loads have been answered, and the next copy into the slot needs no fence to stay behind them.
  template <class Context, class Ring, class Position>
  GIMBAL_DEVICE void release(Context& ctx, Ring& ring, const Position& at) const
  {
    ctx.arrive(ring.slot[at.stage].empty);
  }
};

template <class Key, class Equal>
struct key_changes {
  static constexpr bool looks_back = true;
  Equal equal;

  GIMBAL_DEVICE bool operator()(const Key& before, const Key& own) const
  {
    Equal copy = equal;  // the user's call operator may be non-const
    return !copy(before, own);
  }
};

template <class Flag>
struct flag_is_set {
  static constexpr bool looks_back = false;

  GIMBAL_DEVICE bool operator()(const Flag&, const Flag& own) const { return static_cast<bool>(own); }
};

/// The marks that describe the heads; `type` is void where they cannot be streamed. With FollowsAddresses they must lie
/// to multiples of 16 as the values do.
template <class Heads, bool FollowsAddresses>
struct marks_of {
  using type = void;
};
template <class MarkIt, bool FollowsAddresses>
struct mark_source_of {
  using mark = value_type_of<MarkIt>;
  using type = ::cuda::std::conditional_t<FollowsAddresses, block::memory_source<mark>, block::skewed_source<mark>>;
  static constexpr bool exists = block::is_array_v<MarkIt> && simt::is_supported_value_v<mark> && sizeof(mark) <= 16;

  static bool is_aligned(MarkIt marks, index_type shift)
  {
    return !FollowsAddresses || block::memory_source<mark>::is_aligned(marks, shift);
  }
};

/// Keys in an array.
template <class KeyIt, class Equal, bool FollowsAddresses, bool IsArray = block::is_array_v<KeyIt>>
struct marks_of_keys {
  using source = mark_source_of<KeyIt, FollowsAddresses>;
  using is_head = key_changes<typename source::mark, Equal>;
  using type = ::cuda::std::conditional_t<source::exists, head_marks<typename source::type, is_head>, void>;

  static type make(const heads_from_keys<KeyIt, Equal>& heads, index_type shift, index_type)
  {
    return {{}, source::type::of(heads.keys, shift), {heads.equal}};
  }
  /// Another block copies the last keys before its tile, which must not have been overwritten.
  template <class OutputIt>
  static bool is_possible(const heads_from_keys<KeyIt, Equal>& heads, index_type shift, OutputIt out, index_type n)
  {
    return source::is_aligned(heads.keys, shift) && !block::may_overlap(heads.keys, out, n);
  }
};
/// Other keys: positions are items, tiles do not follow addresses.
template <class KeyIt, class Equal>
struct marks_of_keys<KeyIt, Equal, false, false> {
  using type =
    ::cuda::std::conditional_t<simt::is_supported_value_v<value_type_of<KeyIt>>, loaded_head_marks<KeyIt, Equal>, void>;

  static type make(const heads_from_keys<KeyIt, Equal>& heads, index_type, index_type) { return {{}, {}, heads}; }
  template <class OutputIt>
  static bool is_possible(const heads_from_keys<KeyIt, Equal>&, index_type, OutputIt, index_type)
  {
    return true;
  }
};
template <class KeyIt, class Equal, bool FollowsAddresses>
struct marks_of<heads_from_keys<KeyIt, Equal>, FollowsAddresses> : marks_of_keys<KeyIt, Equal, FollowsAddresses> {
};
template <class FlagIt, bool FollowsAddresses>
struct marks_of<heads_from_flags<FlagIt>, FollowsAddresses> {
  using source = mark_source_of<FlagIt, FollowsAddresses>;
  using is_head = flag_is_set<typename source::mark>;
  using type = ::cuda::std::conditional_t<source::exists, head_marks<typename source::type, is_head>, void>;

  static type make(const heads_from_flags<FlagIt>& heads, index_type shift, index_type)
  {
    return {{}, source::type::of(heads.flags, shift), {}};
  }
  template <class OutputIt>
  static bool is_possible(const heads_from_flags<FlagIt>& heads, index_type shift, OutputIt, index_type)
  {
    return source::is_aligned(heads.flags, shift);
  }
};
template <class OffsetIt, bool FollowsAddresses>
struct marks_of<heads_from_offsets<OffsetIt>, FollowsAddresses> {
  using type = offset_marks<OffsetIt, tuning::segment_marker_warps>;

  static type make(const heads_from_offsets<OffsetIt>& heads, index_type, index_type n)
  {
    return {{{}, heads, static_cast<double>(heads.segment_count) / static_cast<double>(n)}};
  }
  template <class OutputIt>
  static bool is_possible(const heads_from_offsets<OffsetIt>&, index_type, OutputIt, index_type)
  {
    return true;
  }
};

template <class OffsetIt, bool FollowsAddresses>
struct marks_of<many_offsets<OffsetIt>, FollowsAddresses> {
  using copied = copied_offset_marks<OffsetIt, tuning::segment_marker_warps>;
  using type = ::cuda::std::conditional_t<copied::can_be_copied, copied, void>;

  static type make(const many_offsets<OffsetIt>& many, index_type, index_type n)
  {
    using source = typename type::source;
    const index_type lead = source::shift_of(many.heads.offsets);
    const double per_item = static_cast<double>(many.heads.segment_count) / static_cast<double>(n);
    return {{{}, many.heads, per_item}, source::of(many.heads.offsets, lead), lead};
  }
  template <class OutputIt>
  static bool is_possible(const many_offsets<OffsetIt>& many, index_type, OutputIt, index_type n)
  {
    return type::source::shift_of(many.heads.offsets) < type::source::shift_limit
           && many.heads.segment_count / n < type::most_per_item;
  }
};

template <class KeyIt>
inline constexpr bool has_wide_keys_v = sizeof(value_type_of<KeyIt>) > 4;

/// What the numbers of tuning.h ask of heads.
template <class Heads>
inline constexpr auto starts_of_v = tuning::segment_starts::offsets;
template <class KeyIt, class Equal>
inline constexpr auto starts_of_v<heads_from_keys<KeyIt, Equal>> =
  block::is_array_v<KeyIt> ? has_wide_keys_v<KeyIt> ? tuning::segment_starts::wide_keys : tuning::segment_starts::keys
  : !are_read_by_lanes_v<KeyIt> ? tuning::segment_starts::made_keys
  : has_wide_keys_v<KeyIt>      ? tuning::segment_starts::wide_read_keys
                                : tuning::segment_starts::read_keys;
template <class FlagIt>
inline constexpr auto starts_of_v<heads_from_flags<FlagIt>> = tuning::segment_starts::flags;

/// Whether to tell where heads are may take reads of places far from each other.
template <class Heads>
inline constexpr auto heads_gather_v = tuning::gathering::none;
template <class KeyIt, class Equal>
inline constexpr auto heads_gather_v<heads_from_keys<KeyIt, Equal>> =
  block::gathering_of_v<KeyIt> == tuning::gathering::none&& block::may_point_v<Equal> ? tuning::gathering::listed
                                                                                      : block::gathering_of_v<KeyIt>;

template <class Heads>
inline constexpr bool are_loaded_v = false;
template <class KeyIt, class Equal>
inline constexpr bool are_loaded_v<heads_from_keys<KeyIt, Equal>> = !block::is_array_v<KeyIt>;
/// Whether a tile has to tell the next one if that begins with a head.
template <class Heads>
inline constexpr bool tell_next_v = false;
template <class KeyIt, class Equal>
inline constexpr bool tell_next_v<heads_from_keys<KeyIt, Equal>> = are_read_by_lanes_v<KeyIt>;

/// The types of a call of the kernel, and whether it can take them: values from memory, or through any iterator beside
/// marks that are copied or loaded.
template <class Tuning, scan_kind Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
struct stream_segmented_scan_types {
  using accumulator = accumulator_t<Op, InputIt, Init>;
  using kernel_init = ::cuda::std::conditional_t<::cuda::std::is_same<Init, no_init>::value, no_init, accumulator>;
  static constexpr bool have_addresses = block::is_array_v<InputIt> && !are_loaded_v<Heads>;
  using lanes = segment_lanes<Kind, accumulator, Op, kernel_init, have_addresses, tell_next_v<Heads>>;
  using marks_type = marks_of<Heads, lanes::tiles_follow_addresses>;
  using marks = typename marks_type::type;
  static constexpr bool has_marks = !::cuda::std::is_void<marks>::value;
  using any_marks = ::cuda::std::conditional_t<has_marks, marks, no_marks>;
  using shape = stream_scan_shape<Tuning, lanes, any_marks, InputIt, OutputIt>;
  static constexpr bool has_room =
    shape::most >= shape::least_stages;  // not with wide keys beside narrow items of wide results
  static constexpr bool is_possible =
    has_marks && has_room && (shape::copies || any_marks::copies || are_loaded_v<Heads>);
  using policy = stream_scan_policy<shape, marks, lanes>;
};

/// The arguments are those of segmented_scan(); there is at least one item.
template <class Tuning, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init>
auto plan_stream_segmented_scan(Kind, const Heads& heads, InputIt in, OutputIt out, index_type n, Op op, Init init)
{
  using types = stream_segmented_scan_types<Tuning, Kind::value, Heads, InputIt, OutputIt, Op, Init>;
  using policy = typename types::policy;
  const index_type shift = policy::source::shift_of(in);
  auto plan = policy::plan(
    in, out, n, types::marks_type::make(heads, shift, n),
    typename types::lanes{{op}, static_cast<typename types::kernel_init>(init)});
  plan.is_possible = plan.is_possible && types::marks_type::is_possible(heads, shift, out, n);
  return plan;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
