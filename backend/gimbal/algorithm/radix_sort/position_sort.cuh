// Sort of keys with large values: the keys are sorted with the positions of their values, and each value is fetched from its
// position, once, whatever the number of passes. In place, the values are copied to the storage first, where each is contiguous, which
// those of several arrays (a zip iterator's) are not, and fetched from there.
//
// Traffic: that of the sort of pairs whose values are 4 bytes; for each value, 4 bytes and twice its size; in place twice the size
// once more. Launches: those of the sort, 1, and in place 1.
// Storage: 4 n bytes, and what the sort takes or, if that is more, in place n values. Where that is more than stock takes, the
//   positions are stored in the values' output, and the sort's storage, too, if it fits there: no storage then, but for n values in
//   place. Each launch that moves values takes those whose output is behind all positions still to be read, the last launch the
//   rest, in blocks that all read before one writes. That takes one launch more each time that the number of items left is some
//   sizeof(value) / 4 times as many as such blocks hold.
// Progress: the blocks of the last launch wait for members of a team (grid/team.cuh) alone, which have begun. If there are fewer members
//   than blocks, they take the items as the launches before do, from the end, with barriers in between. The other launches assume none.
// Aliasing, order, determinism: those of the sort.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/grid/retained_words.h>
#include <gimbal/workspace.h>
#include <thrust/iterator/counting_iterator.h>

#include <gimbal/algorithm/radix_sort/radix_slots.cuh>
#include <gimbal/algorithm/transform/transform.cuh>
#include <gimbal/grid/grid_barrier.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The position that a value comes from.
using sort_position = std::uint32_t;

/// The largest word for memory of such an alignment.
template <std::size_t Alignment>
using moved_word = ::cuda::std::conditional_t<
  Alignment >= 16, block::radix_vector,
  ::cuda::std::conditional_t<
    Alignment == 8, std::uint64_t,
    ::cuda::std::conditional_t<
      Alignment == 4, std::uint32_t, ::cuda::std::conditional_t<Alignment == 2, std::uint16_t, unsigned char>>>>;

/// The first item whose output is behind `count` positions, which are stored at the output's begin.
template <class Value>
GIMBAL_HOST_DEVICE index_type first_behind_positions(const Value* out, const sort_position* positions, index_type count)
{
  const index_type bytes = reinterpret_cast<const char*>(positions + count) - reinterpret_cast<const char*>(out);
  constexpr auto value_bytes = static_cast<index_type>(sizeof(Value));
  return (bytes + value_bytes - 1) / value_bytes;
}

/// out[i] = in[positions[i]], for the items [begin, end). Arrays are moved in the largest words that their items are aligned to,
/// neighbouring words by neighbouring threads.
template <class Tuning, class InputIt, class OutputIt>
struct gather_kernel {
  using value_type = value_type_of<InputIt>;
  static constexpr bool moves_words =
    ::cuda::std::is_same_v<InputIt, const value_type*> && ::cuda::std::is_same_v<OutputIt, value_type*>;
  using word = ::cuda::std::conditional_t<
    moves_words, moved_word<alignof(value_type) < 16 ? alignof(value_type) : 16>, uninit<value_type>>;
  static constexpr unsigned item_words = sizeof(value_type) / sizeof(word);
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned thread_words = tuning::items_for_bytes(Tuning::thread_bytes, sizeof(word), 8);
  static constexpr unsigned tile_items = block_threads * thread_words / item_words;
  static_assert(tile_items != 0, "a block moves at least an item");

  struct shared {
    block::team_place place;
  };

  InputIt in;
  OutputIt out;
  const sort_position* positions;
  index_type begin;
  index_type end;
  block::grid_barrier readers;  ///< with two words per block; none if no block has to wait
  block::team team = {};        ///< with `readers`

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, [[maybe_unused]] shared& smem) const
  {
    if constexpr (moves_words) {
      if (readers.words != nullptr) {
        return gather_over_positions(ctx, smem);
      }
    }
    gather_tile(ctx, begin + static_cast<index_type>(ctx.block()) * tile_items, end, [] {});
  }

private:
  /// The positions are stored in the output, and `begin` is 0. From the end, takes as many items at a time as are written behind all
  /// remaining positions, until each member has one tile left: these are all read before one is written.
  template <class Context>
  GIMBAL_DEVICE void gather_over_positions(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      smem.place = team.wait(ctx, team.join(ctx));
    }
    ctx.sync_block();  // the team is known
    const block::team_place place = smem.place;
    if (place.members == 0) {
      return;
    }
    block::grid_barrier barrier = readers;
    const auto sync_members = [&] {
      barrier.arrive(ctx, place);
      barrier.wait(ctx, place);
      // Two sets of words in turn: a member may arrive at the next barrier, but not at the one after it, while others still poll this
      // one.
      barrier.words = barrier.words == readers.words ? readers.words + ctx.blocks() : readers.words;
      ++barrier.tag;
    };
    index_type left = end;
    while (left > index_type{tile_items} * place.members) {
      const index_type next = algorithm::first_behind_positions(out, positions, left);
      for (index_type at = next + index_type{place.number} * tile_items; at < left;
           at += index_type{place.members} * tile_items) {
        gather_tile(ctx, at, left, [] {});
      }
      sync_members();
      left = next;
    }
    gather_tile(ctx, index_type{place.number} * tile_items, left, sync_members);
    if (place.number == 0 && ctx.thread() == 0) {
      team.reopen(ctx, place);
    }
  }

  /// Moves the items of the tile at `first` that are before `behind`; wait() is called between loads and stores.
  template <class Context, class Wait>
  GIMBAL_DEVICE void gather_tile(Context& ctx, index_type first, index_type behind, Wait wait) const
  {
    const index_type items = behind - first < tile_items ? behind - first : index_type{tile_items};
    const unsigned count = items < 0 ? 0 : static_cast<unsigned>(items) * item_words;
    word moved[thread_words];
    GIMBAL_UNROLL
    for (unsigned j = 0; j < thread_words; ++j) {
      const unsigned w = j * block_threads + ctx.thread();
      if (w < count) {
        load(moved[j], positions[first + w / item_words], w % item_words);
      }
    }
    wait();
    GIMBAL_UNROLL
    for (unsigned j = 0; j < thread_words; ++j) {
      const unsigned w = j * block_threads + ctx.thread();
      if (w < count) {
        store(moved[j], first, w);
      }
    }
  }

  GIMBAL_DEVICE void load(word& moved, index_type item, unsigned part) const
  {
    if constexpr (moves_words) {
      moved = reinterpret_cast<const word*>(in)[item * item_words + part];
    } else {
      moved.set(block::load_as<value_type>(in + item));
    }
  }
  /// Word `w` of the items from `first` on.
  GIMBAL_DEVICE void store(const word& moved, index_type first, unsigned w) const
  {
    if constexpr (moves_words) {
      reinterpret_cast<word*>(out)[first * item_words + w] = moved;
    } else {
      *(out + (first + w)) = moved.get();
    }
  }
};

template <class InputIt, class OutputIt>
status gather(
  InputIt in, OutputIt out, const sort_position* positions, index_type begin, index_type end, simt::stream_type stream)
{
  using kernel_type = gather_kernel<tuning::gather, InputIt, OutputIt>;
  const index_type blocks = (end - begin + kernel_type::tile_items - 1) / kernel_type::tile_items;
  return simt::launch(
    kernel_type{in, out, positions, begin, end, {nullptr, 0}, {}}, blocks, stream, "sort: moving of values");
}

/// out[i] = in[positions[i]], for n items, where the positions are stored at the begin of `out`.
template <class Value>
status gather_over_positions(
  const Value* in, Value* out, const sort_position* positions, index_type n, launch_words& words)
{
  using kernel_type = gather_kernel<tuning::gather, const Value*, Value*>;
  unsigned most_blocks = 0;
  GIMBAL_TRY(simt::expected_blocks<kernel_type>(most_blocks));
  constexpr unsigned most_barriers = 64;  // at least half of the items are done between two
  if (words.measures()) {
    return words.take(2 * most_blocks, most_barriers, "");
  }
  index_type left = n;
  while (left > index_type{kernel_type::tile_items} * (most_blocks == 0 ? 1 : most_blocks)) {
    const index_type first = algorithm::first_behind_positions(out, positions, left);
    GIMBAL_TRY(algorithm::gather(in, out, positions, first, left, words.stream()));
    left = first;
  }
  const auto blocks = static_cast<unsigned>((left + kernel_type::tile_items - 1) / kernel_type::tile_items);
  GIMBAL_TRY(words.take(2 * blocks, most_barriers, "clearing of the words of a sort of large values"));
  const kernel_type kernel{
    in,
    out,
    positions,
    0,
    left,
    {words.words(), words.first_tag()},
    {words.team_state(), words.patience(tuning::sort_team_patience)}};
  return words.launch(kernel, blocks, "sort: moving of values over their positions");
}

/// Sorts n keys with `values`. `sort_keys(storage, bytes, in, out)` sorts the keys with values of 4 bytes, in the two phases
/// of a call. At most 2^32 items.
template <class SortKeys, class Values>
status position_sort(
  temporary_storage storage, std::size_t& storage_bytes, SortKeys sort_keys, Values values, index_type n,
  simt::stream_type stream)
{
  using value_type = typename Values::value_type;
  const thrust::counting_iterator<sort_position> identity(0);
  sort_position* positions = nullptr;
  std::size_t sort_bytes = 0;
  GIMBAL_TRY(sort_keys(nullptr, sort_bytes, identity, positions));
  const std::size_t moved_bytes = values.is_copy() ? 0 : static_cast<std::size_t>(n) * sizeof(value_type);
  unsigned char* room = nullptr;  // for the sort, and then for the values
  storage_layout layout;
  layout.add(&positions, static_cast<std::size_t>(n));
  layout.add(&room, sort_bytes < moved_bytes ? moved_bytes : sort_bytes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  GIMBAL_TRY(sort_keys(room, sort_bytes, identity, positions));
  if (values.is_copy()) {
    return algorithm::gather(values.input, values.output, positions, 0, n, stream);
  }
  auto* const moved = reinterpret_cast<value_type*>(room);
  simt::guard(moved, moved_bytes, 0);  // where the sort had its words
  GIMBAL_TRY(algorithm::copy(values.input, moved, n, stream));
  return algorithm::gather(static_cast<const value_type*>(moved), values.output, positions, 0, n, stream);
}

/// The same with the positions stored in the values' output.
template <class SortKeys, class Value>
status position_sort_in_output(
  temporary_storage storage, std::size_t& storage_bytes, SortKeys sort_keys, sort_array<const Value*, Value*> values,
  index_type n, simt::stream_type stream)
{
  static_assert(sizeof(Value) >= 2 * sizeof(sort_position), "items are written behind the remaining positions");
  const thrust::counting_iterator<sort_position> identity(0);
  sort_position* positions = nullptr;
  std::size_t sort_bytes = 0;
  GIMBAL_TRY(sort_keys(nullptr, sort_bytes, identity, positions));
  const auto count = static_cast<std::size_t>(n);
  const std::size_t positions_bytes = alignof(sort_position) - 1 + count * sizeof(sort_position);
  const bool is_room_in_output = positions_bytes + sort_bytes <= count * sizeof(Value);
  Value* moved = nullptr;
  unsigned char* room = nullptr;
  storage_layout layout;
  layout.add(&moved, values.is_copy() ? 0 : count);
  layout.add(&room, is_room_in_output ? 0 : sort_bytes);
  launch_words words(stream);
  GIMBAL_TRY(words.reserve(layout, storage, [&](launch_words& measured) {
    return algorithm::gather_over_positions(values.input, values.output, positions, n, measured);
  }));
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  const Value* from = values.input;
  if (!values.is_copy()) {
    GIMBAL_TRY(algorithm::copy(values.input, moved, n, stream));
    from = moved;
  }
  auto* const output = reinterpret_cast<unsigned char*>(values.output);
  const std::uintptr_t aligned = (reinterpret_cast<std::uintptr_t>(output) + alignof(sort_position) - 1)
                                 / alignof(sort_position) * alignof(sort_position);
  positions = reinterpret_cast<sort_position*>(aligned);
  GIMBAL_TRY(sort_keys(is_room_in_output ? output + positions_bytes : room, sort_bytes, identity, positions));
  simt::guard(values.output, count * sizeof(Value), 0);  // where the sort had its words
  return algorithm::gather_over_positions(from, values.output, positions, n, words);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
