// Where the items of a persistent kernel come from: memory, by bulk copies of a producer warp, or any other iterator,
// by ordinary loads of the warps that fold them. And where its results go: memory, by whole vectors wherever they are
// aligned, or any other iterator.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>
#include <gimbal/tuning.h>

#include <gimbal/pipeline/persistent_tiles.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Copy those of the bytes [begin, end) from `source` to `target` that do not fill vectors, in units of so many bytes;
/// fewer than 16 at either end. A call: few tiles have such bytes, and all would wait for these instructions before
/// their first copy.
template <unsigned UnitBytes>
GIMBAL_DEVICE_NOINLINE void copy_ends(unsigned char* target, const unsigned char* source, unsigned begin, unsigned end)
{
  struct alignas(UnitBytes) unit {
    unsigned char bytes[UnitBytes];
  };
  constexpr unsigned units = 16 / UnitBytes;
  const unsigned vectors_begin = (begin + 15) / 16 * 16;
  const unsigned vectors_end = end / 16 * 16;
  GIMBAL_NO_UNROLL
  for (unsigned side = 0; side < 2; ++side) {
    const unsigned first = side == 0 ? begin : vectors_begin > vectors_end ? vectors_begin : vectors_end;
    const unsigned last = side == 1 || end < vectors_begin ? end : vectors_begin;
    const unsigned count = first < last ? (last - first) / UnitBytes : 0;
    const auto* const from = reinterpret_cast<const unit*>(source + first);
    auto* const to = reinterpret_cast<unit*>(target + first);
    unit held[units];  // all of them are in flight at the same time
    GIMBAL_UNROLL
    for (unsigned u = 0; u + 1 < units; ++u) {
      if (u < count) {
        held[u] = from[u];
      }
    }
    GIMBAL_UNROLL
    for (unsigned u = 0; u + 1 < units; ++u) {
      if (u < count) {
        to[u] = held[u];
      }
    }
  }
}

/// Copy the bytes [begin, end) from `source` to `target`, and arrive at `full`. By one thread. Addresses of
/// byte 0 are multiples of 16. Whole vectors are copied in bulk; the few bytes before and after them by the thread
/// itself, since nothing else may be touched.
template <class Item>
struct byte_range {
  unsigned begin;
  unsigned end;

  template <class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, unsigned char* target, const unsigned char* source, simt::phase_barrier& full) const
  {
    if ((begin | end) % 16 != 0) {
      block::copy_ends<alignof(Item) < 8 ? alignof(Item) : 8>(target, source, begin, end);
    }
    const unsigned vectors_begin = (begin + 15) / 16 * 16;
    const unsigned vectors_end = end / 16 * 16;
    const unsigned bytes = vectors_begin < vectors_end ? vectors_end - vectors_begin : 0;
    ctx.arrive_expecting(full, bytes);
    if (bytes > 0) {
      ctx.bulk_load(target + vectors_begin, source + vectors_begin, bytes, full);
    }
  }
};

/// Items that are read by bulk copies, as they are. The first tile lacks as many first items as bring the items of
/// all others to multiples of 16.
template <class Item>
struct memory_source {
  static constexpr bool copies = true;
  static constexpr bool is_misaligned = false;
  static constexpr unsigned misalignment = 0;
  using item = Item;

  static constexpr index_type shift_limit = simt::items_of_vectors(sizeof(Item));

  const unsigned char* origin;  // a multiple of 16

  /// How many items before the first one the origin lies; shift_limit if none starts at a multiple of 16.
  template <class InputIt>
  static index_type shift_of(InputIt in)
  {
    index_type shift = 0;
    while (shift < shift_limit && !is_aligned(in, shift)) {
      ++shift;
    }
    return shift;
  }
  /// True if the item `shift` items before the first one starts at a multiple of 16.
  template <class InputIt>
  static bool is_aligned(InputIt in, index_type shift)
  {
    const auto address = reinterpret_cast<std::uintptr_t>(block::raw_iterator(in));
    return (address - static_cast<std::size_t>(shift) * sizeof(Item)) % 16 == 0;
  }
  template <class InputIt>
  static memory_source of(InputIt in, index_type shift)
  {
    const auto address = reinterpret_cast<std::uintptr_t>(block::raw_iterator(in));
    return {reinterpret_cast<const unsigned char*>(address - static_cast<std::size_t>(shift) * sizeof(Item))};
  }

  /// Fill the valid positions of `target`, where the `items` positions from `first` on, and arrive at `full`. By
  /// one thread.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void load(
    Context& ctx, const Tiles& tiles, index_type first, unsigned items, unsigned char* target,
    simt::phase_barrier& full) const
  {
    const valid_range valid = tiles.valid(first, items);
    byte_range<Item>{valid.lo * unsigned{sizeof(Item)}, valid.hi * unsigned{sizeof(Item)}}.load(
      ctx, target, origin + first * static_cast<index_type>(sizeof(Item)), full);
  }
};

/// The same with tiles that begin at the first item wherever it lies, so that what is in a tile does not depend on
/// addresses: in shared memory a tile lies `misalignment` bytes after a multiple of 16, as in the array.
template <class Item>
struct misaligned_source {
  static constexpr bool copies = true;
  static constexpr bool is_misaligned = true;
  using item = Item;

  static constexpr index_type shift_limit = 1;
  static constexpr index_type one_vector = simt::items_of_vectors(sizeof(Item));  // at least

  const unsigned char* origin;  // a multiple of 16
  unsigned misalignment;
  bool reads_around;  // nobody writes items meanwhile: vectors may be read of which another tile has a part

  template <class InputIt>
  static index_type shift_of(const InputIt&)
  {
    return 0;
  }
  template <class InputIt>
  static misaligned_source of(const InputIt& in, index_type)
  {
    const auto address = reinterpret_cast<std::uintptr_t>(block::raw_iterator(in));
    return {reinterpret_cast<const unsigned char*>(address / 16 * 16), static_cast<unsigned>(address % 16), false};
  }

  /// Fill the valid items of the `items` ones from `first` on, of which the first one's place is `target` +
  /// misalignment, and arrive at `full`. By one thread. The items' bytes are a multiple of 16.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void load(
    Context& ctx, const Tiles& tiles, index_type first, unsigned items, unsigned char* target,
    simt::phase_barrier& full) const
  {
    const valid_range valid = tiles.valid(first, items);
    byte_range<Item> bytes{
      misalignment + valid.lo * unsigned{sizeof(Item)}, misalignment + valid.hi * unsigned{sizeof(Item)}};
    if (reads_around) {
      if (first > tiles.begin) {
        bytes.begin = bytes.begin / 16 * 16;
      }
      if (first + items + one_vector <= tiles.end) {
        bytes.end = (bytes.end + 15) / 16 * 16;
      }
    }
    bytes.load(ctx, target, origin + first * static_cast<index_type>(sizeof(Item)), full);
  }
};

/// Items that are read through an iterator and kept as T.
template <class T, class InputIt>
struct iterator_source {
  static constexpr bool copies = false;
  static constexpr bool is_misaligned = false;
  static constexpr unsigned misalignment = 0;
  using item = T;

  static constexpr index_type shift_limit = 1;

  InputIt in;

  static index_type shift_of(const InputIt&) { return 0; }
  static iterator_source of(const InputIt& in, index_type) { return {in}; }

  /// See to it that what load() of that chunk reads comes no longer from memory but from the L2 cache. By one thread.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void fetch_ahead(Context& ctx, const Tiles& tiles, index_type first) const
  {
    const unsigned items = tiles.valid(first, Tiles::chunk_items).hi;
    if (items > 0 && (!gathers_v<InputIt> || tiles.end < tuning::fetched_gathers)) {
      block::fetch_ahead(ctx, in + first, items);
    }
  }

  /// The warp's items of the chunk that starts at position `first`, to registers: all loads are in flight together.
  template <class Context, class Tiles, unsigned Items>
  GIMBAL_DEVICE void load(Context& ctx, const Tiles& tiles, index_type first, uninit<T> (&value)[Items]) const
  {
    const InputIt mine = in + (first + ctx.lane());
    for_valid<Items>(
      ctx, tiles, first, [&](unsigned i) { value[i].set(block::load_as<T>(mine + i * simt::warp_threads)); });
  }

  /// From there to the valid positions of `chunk`. By a whole warp, for itself.
  template <class Context, class Tiles, unsigned Items>
  GIMBAL_DEVICE void put(
    Context& ctx, const Tiles& tiles, index_type first, const uninit<T> (&value)[Items], unsigned char* chunk) const
  {
    uninit<T>* const target = reinterpret_cast<uninit<T>*>(chunk) + ctx.lane();
    for_valid<Items>(ctx, tiles, first, [&](unsigned i) { target[i * simt::warp_threads] = value[i]; });
  }

private:
  /// `body(i)` for those of the lane's items, every 32nd of the chunk, that exist.
  template <unsigned Items, class Context, class Tiles, class Body>
  static GIMBAL_DEVICE void for_valid(Context& ctx, const Tiles& tiles, index_type first, Body body)
  {
    const unsigned end = tiles.valid(first, Tiles::chunk_items).hi;
    block::for_left<true, Items, simt::warp_threads>(end > ctx.lane() ? end - ctx.lane() : 0, body);
  }
};

/// Of an array of items. Tiles that do not follow addresses, or items aligned to whole vectors, are never misaligned.
template <class Item, bool FollowsAddresses>
using copied_source =
  ::cuda::std::conditional_t<FollowsAddresses || alignof(Item) % 16 == 0, memory_source<Item>, misaligned_source<Item>>;
/// Of the items of any iterator.
template <class InputIt, bool FollowsAddresses>
using persistent_source = ::cuda::std::conditional_t<
  is_array_v<InputIt>, copied_source<value_type_of<InputIt>, FollowsAddresses>,
  iterator_source<value_type_of<InputIt>, InputIt>>;

// ---- results

/// Results of type T from shared memory to the output; `result` is what shared memory holds.
template <class T, class OutputIt, bool IsArray>
struct persistent_results;

template <class T, class OutputIt>
struct persistent_results<T, OutputIt, false> {
  using result = T;

  OutputIt out;
  index_type shift;  // position of the first result

  /// Write out the valid positions of `chunk`, which starts at position `first`. By a whole warp.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void store(Context& ctx, const Tiles& tiles, index_type first, const unsigned char* chunk) const
  {
    store_items(ctx, tiles, out, first - shift, tiles.valid(first, Tiles::chunk_items), chunk);
  }

  template <class Context, class Tiles, class To>
  static GIMBAL_DEVICE void store_items(
    Context& ctx, const Tiles&, const To& out, index_type first, valid_range valid, const unsigned char* chunk)
  {
    const uninit<result>* const source = reinterpret_cast<const uninit<result>*>(chunk) + ctx.lane();
    constexpr unsigned batch = 8;  // that have registers at the same time
    GIMBAL_NO_UNROLL
    for (unsigned begin = 0; begin < Tiles::segment_items; begin += batch) {
      GIMBAL_UNROLL
      for (unsigned i = begin; i < begin + batch; ++i) {
        const unsigned k = i * simt::warp_threads + ctx.lane();
        if (i < Tiles::segment_items && k >= valid.lo && k < valid.hi) {
          block::store_as(out + (first + k), source[i * simt::warp_threads].get());
        }
      }
    }
  }
};

template <class T, class OutputIt>
struct persistent_results<T, OutputIt, true> {
  using result = value_type_of<OutputIt>;

  OutputIt out;
  index_type shift;

  template <class Context, class Tiles>
  GIMBAL_DEVICE void store(Context& ctx, const Tiles& tiles, index_type first, const unsigned char* chunk) const
  {
    const valid_range valid = tiles.valid(first, Tiles::chunk_items);
    // As a number: of the first chunk of all it may lie before the array.
    const std::uintptr_t target =
      reinterpret_cast<std::uintptr_t>(block::raw_iterator(out))
      + static_cast<std::uintptr_t>((first - shift) * static_cast<index_type>(sizeof(result)));
    const bool is_full = valid.lo == 0 && valid.hi == Tiles::chunk_items;
    const bool is_aligned = (target | reinterpret_cast<std::uintptr_t>(chunk)) % 16 == 0;
    if (is_aligned && (is_full || vector_bytes % result_bytes == 0)) {
      constexpr unsigned vectors = Tiles::chunk_items * sizeof(result) / sizeof(simt::vector16);
      const auto* const source = reinterpret_cast<const simt::vector16*>(chunk);
      GIMBAL_UNROLL
      for (unsigned v = 0; v < vectors; v += simt::warp_threads) {
        const unsigned own = v + ctx.lane();
        if (own < vectors && (is_full || holds_all(valid, own))) {
          ctx.store_vector(reinterpret_cast<simt::vector16*>(target) + own, source[own]);
        }
      }
      if (!is_full) {
        store_ends(ctx, first - shift, valid, chunk);
      }
    } else {
      persistent_results<result, OutputIt, false>::store_items(ctx, tiles, out, first - shift, valid, chunk);
    }
  }

private:
  static constexpr unsigned vector_bytes = sizeof(simt::vector16);
  static constexpr unsigned result_bytes = sizeof(result);

  static GIMBAL_DEVICE bool holds_all(valid_range valid, unsigned vector)
  {
    return vector * vector_bytes >= valid.lo * result_bytes && (vector + 1) * vector_bytes <= valid.hi * result_bytes;
  }

  /// The valid results before the first vector that is valid as a whole, and those after the last one: fewer than
  /// a warp has lanes, on either side. No result is in part of a vector.
  template <class Context>
  GIMBAL_DEVICE void store_ends(Context& ctx, index_type first, valid_range valid, const unsigned char* chunk) const
  {
    const unsigned vectors_begin = (valid.lo * result_bytes + vector_bytes - 1) / vector_bytes;
    const unsigned vectors_end = valid.hi * result_bytes / vector_bytes;
    const bool has_vectors = vectors_begin < vectors_end;
    const unsigned front_end = has_vectors ? vectors_begin * vector_bytes / result_bytes : valid.hi;
    const unsigned back = (has_vectors ? vectors_end * vector_bytes / result_bytes : valid.hi) + ctx.lane();
    const unsigned front = valid.lo + ctx.lane();
    const uninit<result>* const source = reinterpret_cast<const uninit<result>*>(chunk);
    if (front < front_end) {
      block::store_as(out + (first + front), source[front].get());
    }
    if (back < valid.hi) {
      block::store_as(out + (first + back), source[back].get());
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
