// Sort of keys with large values: the keys are sorted with the positions of their values, and each value is fetched
// from its position, once, whatever the number of passes. In place, the values are copied to the storage first and
// fetched from there: each is contiguous there, which values of several arrays (a zip iterator's) are not.
//
// Traffic: that of the sort of pairs whose values are 4 bytes; for each value, 4 bytes and twice its size; in place,
// twice its size again. Launches: those of the sort, 1, and in place 1. Blocks wait for each other only in the sort.
// Storage: 4 n bytes, and what the sort takes or, in place, n values if that is more.
// Aliasing, order, determinism: those of the sort.
#pragma once

#include <gimbal/algorithm/argsort/tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/transform/transform.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The position that a value comes from.
using sort_position = std::uint32_t;

/// The largest word for memory of this alignment.
template <std::size_t Alignment>
using moved_word = ::cuda::std::conditional_t<Alignment >= 16, simt::vector16, simt::unsigned_of_size<Alignment>>;

/// out[i] = in[positions[i]] for n items. Arrays are moved in the largest words that their items are aligned to,
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

  struct shared {};

  InputIt in;
  OutputIt out;
  const sort_position* positions;
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
        load(moved[j], positions[first + w / item_words], w % item_words);
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

template <class InputIt, class OutputIt>
status gather(InputIt in, OutputIt out, const sort_position* positions, index_type n, simt::stream_type stream)
{
  using kernel_type = gather_kernel<tuning::gather, InputIt, OutputIt>;
  const index_type blocks = (n + kernel_type::tile_items - 1) / kernel_type::tile_items;
  return simt::launch(kernel_type{in, out, positions, n}, blocks, stream, "sort: moving of values");
}

/// Sorts n keys with `values`. `sort_keys(storage, bytes, positions)` sorts the keys with their positions, in the two
/// phases of a call. At most 2^32 items.
template <class SortKeys, class Values>
status position_sort(
  temporary_storage storage, std::size_t& storage_bytes, SortKeys sort_keys, Values values, index_type n,
  simt::stream_type stream)
{
  using value_type = typename Values::value_type;
  auto* positions =
    reinterpret_cast<sort_position*>(alignof(sort_position));  // not null, as an input would be; a query follows none
  std::size_t sort_bytes = 0;
  GIMBAL_TRY(sort_keys(nullptr, sort_bytes, positions));
  const std::size_t moved_bytes = values.is_copy() ? 0 : static_cast<std::size_t>(n) * sizeof(value_type);
  unsigned char* room = nullptr;  // for the sort, and then for the values
  storage_layout layout;
  layout.add(&positions, static_cast<std::size_t>(n));
  layout.add(&room, sort_bytes < moved_bytes ? moved_bytes : sort_bytes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  GIMBAL_TRY(sort_keys(room, sort_bytes, positions));
  if (values.is_copy()) {
    return algorithm::gather(values.input, values.output, positions, n, stream);
  }
  auto* const moved = reinterpret_cast<value_type*>(room);
  simt::guard(moved, moved_bytes, 0);  // where the sort had its tables
  GIMBAL_TRY(algorithm::copy(values.input, moved, n, stream));
  return algorithm::gather(static_cast<const value_type*>(moved), values.output, positions, n, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
