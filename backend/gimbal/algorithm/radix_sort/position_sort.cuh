// Radix sorts that move what is sorted only once, from its position: of keys with large values, and of 16-byte keys.
// The positions are sorted in memory, with the keys or with words of them. In place, what is to be moved is copied to
// the storage first and fetched from there: each value is contiguous there, which those of several arrays (a zip
// iterator's) are not.
//
// 16-byte keys are sorted by the 8 bytes of their lower half, and then, stably, of their upper half: two sorts of
// 8-byte integers with positions, whose halves are read from the keys just before.
//
// Traffic: that of the sorts of pairs whose values are positions of 4 bytes (of more than 2^32 items of 8); for each
// item that is moved, its position and twice its size; in place, twice its size again.
// Launches: those of the sorts; 1, in place 2, for the values; for 16-byte keys the same, and 1 for each half. Blocks
// wait for each other only in the sorts.
// Storage: n positions, of 16-byte keys n halves, and what the sort takes or, in place, n items if that is more.
// Aliasing, order, determinism: those of the sort.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_words.h>
#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/workspace.h>

#include <algorithm>
#include <gimbal/algorithm/transform/transform.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The position that a value comes from, where there are at most 2^32.
using sort_position = std::uint32_t;

/// The largest word for memory of this alignment.
template <std::size_t Alignment>
using moved_word = ::cuda::std::conditional_t<Alignment >= 16, simt::vector16, simt::unsigned_of_size<Alignment>>;

/// out[i] = in[positions[i]] for n items. Arrays are moved in the largest words that their items are aligned to,
/// neighbouring words by neighbouring threads.
template <class Tuning, class Position, class InputIt, class OutputIt>
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

  struct shared {};

  InputIt in;
  OutputIt out;
  const Position* positions;
  index_type n;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const index_type first = static_cast<index_type>(ctx.block()) * tile_items;
    const unsigned items = n - first < tile_items ? static_cast<unsigned>(n - first) : tile_items;
    word moved[thread_words];
    GIMBAL_UNROLL
    for (unsigned j = 0; j < thread_words; ++j) {
      const unsigned w = j * block_threads + ctx.thread();
      if (w < items * item_words) {
        load(moved[j], static_cast<index_type>(positions[first + w / item_words]), w % item_words);
      }
    }
    GIMBAL_UNROLL
    for (unsigned j = 0; j < thread_words; ++j) {
      const unsigned w = j * block_threads + ctx.thread();
      if (w < items * item_words) {
        store(moved[j], first, w);
      }
    }
  }

private:
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

/// Moves n items from their positions to the output; in place, they go to `room` first, which has bytes_to_move(). Of
/// an input that is null, the items are the positions.
template <class Position, class Array>
status move_from_positions(
  const Array& items, const Position* positions, void* room, index_type n, simt::stream_type stream)
{
  if constexpr (bytes_of_values<Array> != 0) {
    using value_type = typename Array::value_type;
    const auto gather = [&](auto in) {
      using kernel_type = gather_kernel<tuning::gather, Position, decltype(in), decltype(items.output)>;
      const index_type blocks = (n + kernel_type::tile_items - 1) / kernel_type::tile_items;
      return simt::launch(
        kernel_type{in, items.output, positions, n}, blocks, stream, "radix sort: moving from positions");
    };
    if constexpr (Array::may_be_positions) {
      if (items.input == nullptr) {
        return algorithm::copy(positions, items.output, n, stream);
      }
    }
    if (items.is_copy()) {
      return gather(items.input);
    }
    auto* const moved = static_cast<value_type*>(room);
    simt::guard(moved, static_cast<std::size_t>(n) * sizeof(value_type), 0);  // where the sort had its tables
    GIMBAL_TRY(algorithm::copy(items.input, moved, n, stream));
    return gather(static_cast<const value_type*>(moved));
  }
  return {};
}
template <class Array>
std::size_t bytes_to_move(const Array& items, index_type n)
{
  return items.is_copy() ? 0 : static_cast<std::size_t>(n) * bytes_of_values<Array>;
}

/// Sorts n positions by `sort_keys(storage, bytes, positions)`, in the two phases of a call, and moves the items of
/// each array from their positions. A Position holds n - 1.
template <class Position, class SortKeys, class... Arrays>
status position_sort(
  temporary_storage storage, std::size_t& storage_bytes, SortKeys sort_keys, index_type n, simt::stream_type stream,
  const Arrays&... moved)
{
  auto* positions = reinterpret_cast<Position*>(alignof(Position));  // not null, as an input would be; not followed
  std::size_t sort_bytes = 0;
  GIMBAL_TRY(sort_keys(nullptr, sort_bytes, positions));
  unsigned char* room = nullptr;  // for the sort, and then for what is moved
  storage_layout layout;
  layout.add(&positions, static_cast<std::size_t>(n));
  layout.add(&room, (std::max)({sort_bytes, algorithm::bytes_to_move(moved, n)...}));
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  status done = sort_keys(room, sort_bytes, positions);
  const Position* const found = positions;
  ((done = done ? done : algorithm::move_from_positions(moved, found, room, n, stream)), ...);
  return done;
}

/// One half of the ordered bits of each 16-byte key, in the order of `positions` or, if that is null, of the keys.
template <class Position, class KeyIt, class Bits>
struct key_halves {
  using value_type = std::uint64_t;
  using difference_type = index_type;
  using pointer = void;
  using reference = value_type;
  using iterator_category = std::random_access_iterator_tag;

  KeyIt keys;
  block::radix_order<Bits> order;
  const Position* positions;
  unsigned shift;
  index_type at = 0;

  GIMBAL_HOST_DEVICE key_halves operator+(index_type n) const { return {keys, order, positions, shift, at + n}; }
  GIMBAL_DEVICE value_type operator*() const
  {
    const index_type from = positions == nullptr ? at : static_cast<index_type>(positions[at]);
    return static_cast<value_type>(order.ordered(block::load_as<Bits>(keys + from)) >> shift);
  }
};

/// Sorts the positions of 16-byte keys by the lower and then by the upper half of the keys. `sort(storage, bytes,
/// order, halves, from, positions, begin_bit, end_bit)` sorts halves with positions; those of a null `from` are made.
template <class Position, class Sort, class Keys, class Values>
status sort_by_halves(
  temporary_storage storage, std::size_t& storage_bytes, Sort sort, const radix_call<Keys, Values>& call,
  Position* positions)
{
  constexpr int half_bits = 64;
  std::uint64_t* halves = nullptr;
  unsigned char* room = nullptr;
  std::size_t room_bytes = 0;
  const auto for_halves = [&](auto sort_half) -> status {
    const Position* from = nullptr;
    for (int lower = 0; lower <= half_bits; lower += half_bits) {
      const auto within = [&](unsigned bit) {
        const int own = static_cast<int>(bit) - lower;
        return own < 0 ? 0 : own < half_bits ? own : half_bits;
      };
      const int begin = within(call.plan.begin_bit);
      const int end = within(call.plan.begin_bit + call.plan.bits);
      if (begin < end || (lower != 0 && from == nullptr)) {
        GIMBAL_TRY(sort_half(static_cast<unsigned>(lower), from, begin, end));
        from = positions;
      }
    }
    return {};
  };
  const auto sort_in_place =
    [&](const temporary_storage& given, std::size_t& bytes, const Position* from, int begin, int end) {
      const sort_array<const std::uint64_t*, std::uint64_t*> in_place{halves, halves, nullptr};
      return sort(given, bytes, ascending{}, in_place, from, positions, begin, end);
    };
  const status sized = for_halves([&](unsigned, const Position* from, int begin, int end) -> status {
    std::size_t bytes = 0;
    GIMBAL_TRY(sort_in_place(nullptr, bytes, from, begin, end));
    room_bytes = room_bytes < bytes ? bytes : room_bytes;
    return {};
  });
  GIMBAL_TRY(sized);
  storage_layout layout;
  layout.add(&halves, static_cast<std::size_t>(call.n));
  layout.add(&room, room_bytes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || call.n == 0) {
    return placed;
  }
  return for_halves([&](unsigned lower, const Position* from, int begin, int end) -> status {
    const key_halves<Position, decltype(call.keys.input), typename Keys::value_type> in{
      call.keys.input, call.order, from, lower};
    GIMBAL_TRY(algorithm::copy(in, halves, call.n, call.stream));
    return sort_in_place(room, room_bytes, from, begin, end);
  });
}

/// Sorts n keys to memory, with sort_keys(storage, bytes, sorted), and copies them to an output that is none.
template <class Key, class SortKeys, class KeyOut>
status sort_through_memory(
  temporary_storage storage, std::size_t& storage_bytes, SortKeys sort_keys, KeyOut keys_out, index_type n,
  simt::stream_type stream)
{
  auto* sorted = reinterpret_cast<Key*>(alignof(Key));  // not null; a query follows it nowhere
  unsigned char* room = nullptr;
  std::size_t sort_bytes = 0;
  GIMBAL_TRY(sort_keys(nullptr, sort_bytes, sorted));
  storage_layout layout;
  layout.add(&sorted, static_cast<std::size_t>(n));
  layout.add(&room, sort_bytes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  GIMBAL_TRY(sort_keys(room, sort_bytes, sorted));
  return algorithm::copy(sorted, keys_out, n, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
