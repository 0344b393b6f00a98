// Where the items of a stream come from: memory, by bulk copies of a producer warp, or any other iterator, by ordinary
// loads of the warps that fold them.
#pragma once

#include <gimbal/block/accumulator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <gimbal/block/stream_tiles.cuh>
#include <gimbal/block/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// True where the iterator is as good as a pointer to values of its own value type.
template <class Iterator>
inline constexpr bool is_array_v =
  ::cuda::std::is_same<thrust::try_unwrap_contiguous_iterator_t<Iterator>, value_type_of<Iterator>*>::value
  || ::cuda::std::is_same<thrust::try_unwrap_contiguous_iterator_t<Iterator>, const value_type_of<Iterator>*>::value;

/// Items that are read by bulk copies, as they are.
template <class Item>
struct memory_source {
  static constexpr bool copies = true;
  using item = Item;

  static constexpr index_type shift_limit = items_per_vectors(sizeof(Item));

  const unsigned char* origin;  // a multiple of 16

  /// How many items in front of the first one the origin lies; shift_limit if none starts at a multiple of 16.
  template <class InputIt>
  static index_type shift_of(InputIt in)
  {
    index_type shift = 0;
    while (shift < shift_limit && !is_aligned(in, shift)) {
      ++shift;
    }
    return shift;
  }
  /// True if the item `shift` items in front of the first one starts at a multiple of 16.
  template <class InputIt>
  static bool is_aligned(InputIt in, index_type shift)
  {
    const auto address = reinterpret_cast<std::uintptr_t>(thrust::try_unwrap_contiguous_iterator(in));
    return (address - static_cast<std::size_t>(shift) * sizeof(Item)) % 16 == 0;
  }
  template <class InputIt>
  static memory_source of(InputIt in, index_type shift)
  {
    const auto address = reinterpret_cast<std::uintptr_t>(thrust::try_unwrap_contiguous_iterator(in));
    return {reinterpret_cast<const unsigned char*>(address - static_cast<std::size_t>(shift) * sizeof(Item))};
  }

  /// Fill the valid positions of `target`, the place of the `items` positions from `first` on, and arrive at `full`. By
  /// one thread. Whole vectors are copied in bulk; the few bytes before and behind them, at the ends of the stream, by
  /// the thread itself, since nothing outside the stream may be touched.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void load(
    Context& ctx, const Tiles& tiles, index_type first, unsigned items, unsigned char* target,
    simt::phase_barrier& full) const
  {
    const valid_range valid = tiles.valid(first, items);
    const unsigned begin = valid.lo * unsigned{sizeof(Item)};
    const unsigned end = valid.hi * unsigned{sizeof(Item)};
    const unsigned vectors_end = end / 16 * 16;
    const unsigned vectors_begin = (begin + 15) / 16 * 16;
    const unsigned char* const source = origin + first * static_cast<index_type>(sizeof(Item));
    if (vectors_begin >= vectors_end) {
      copy_bytes(target, source, begin, end);
      ctx.arrive(full);
      return;
    }
    copy_bytes(target, source, begin, vectors_begin);
    copy_bytes(target, source, vectors_end, end);
    ctx.arrive_expecting(full, vectors_end - vectors_begin);
    ctx.bulk_load(target + vectors_begin, source + vectors_begin, vectors_end - vectors_begin, full);
  }

private:
  static GIMBAL_DEVICE void copy_bytes(unsigned char* target, const unsigned char* source, unsigned begin, unsigned end)
  {
    for (unsigned b = begin; b < end; ++b) {
      target[b] = source[b];
    }
  }
};

/// Items that are read through an iterator and kept as T.
template <class T, class InputIt>
struct iterator_source {
  static constexpr bool copies = false;
  using item = T;

  static constexpr index_type shift_limit = 1;

  InputIt in;

  static index_type shift_of(const InputIt&) { return 0; }
  static iterator_source of(const InputIt& in, index_type) { return {in}; }

  /// The warp's items of the chunk that starts at position `first`, to registers: all loads are in flight together.
  template <class Context, class Tiles, unsigned Items>
  GIMBAL_DEVICE void load(Context& ctx, const Tiles& tiles, index_type first, uninit<T> (&value)[Items]) const
  {
    const valid_range valid = tiles.valid(first, Tiles::chunk_items);
    const InputIt mine = in + (first + ctx.lane());
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (i * simt::warp_threads + ctx.lane() < valid.hi) {
        value[i].set(load_as<T>(mine + i * simt::warp_threads));
      }
    }
  }

  /// From there to the valid positions of `chunk`. By a whole warp, for itself.
  template <class Context, class Tiles, unsigned Items>
  GIMBAL_DEVICE void put(
    Context& ctx, const Tiles& tiles, index_type first, const uninit<T> (&value)[Items], unsigned char* chunk) const
  {
    const valid_range valid = tiles.valid(first, Tiles::chunk_items);
    uninit<T>* const target = reinterpret_cast<uninit<T>*>(chunk) + ctx.lane();
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (i * simt::warp_threads + ctx.lane() < valid.hi) {
        target[i * simt::warp_threads] = value[i];
      }
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
