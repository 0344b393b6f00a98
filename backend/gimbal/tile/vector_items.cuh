// What a thread reads of a tile: vectors of 16 bytes where the items lie in an array, or are made of what does, single
// items where not. Several vectors count as one where only then they hold a whole number of items.
//
// All threads read the tile's first row of vectors side by side, then the next. What lies in an array stays packed, as
// it was read, so that narrow items do not take a register each. A tile may end after any of its vectors, never within
// one: the few items that make no whole vector are the caller's.
#pragma once

#include <cstring>
#include <gimbal/tile/array_items.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// The order in which the items of a tile fall to threads: `vector` neighbours to each, then the next row.
template <unsigned BlockThreads, unsigned ItemsPerThread, unsigned Vector>
struct vector_order {
  static constexpr unsigned vector_items = Vector;
  static constexpr unsigned vectors = (ItemsPerThread + vector_items - 1) / vector_items;
  static constexpr unsigned items = vectors * vector_items;

  /// How far a thread's item i is after its first one.
  static GIMBAL_HOST_DEVICE constexpr unsigned offset(unsigned i)
  {
    return row(i) * BlockThreads * vector_items + i % vector_items;
  }
  /// Whether a thread of which `left` is the number of the tile's vectors from its own first one on has item i.
  static GIMBAL_HOST_DEVICE constexpr bool has(unsigned i, unsigned left)
  {
    return row(i) == 0 || row(i) * BlockThreads < left;
  }

  /// Whether it has vector v.
  static GIMBAL_HOST_DEVICE constexpr bool has_vector(unsigned v, unsigned left) { return has(v * vector_items, left); }

private:
  static GIMBAL_HOST_DEVICE constexpr unsigned row(unsigned i) { return i / vector_items; }
};

/// Items of any kind, read one by one.
template <
  class InputIt, unsigned BlockThreads, unsigned ItemsPerThread, bool IsPacked,
  bool ArePairs = array_items<InputIt>::are_pairs>
class lane_items : public vector_order<BlockThreads, ItemsPerThread, 1> {
  using order = vector_order<BlockThreads, ItemsPerThread, 1>;
  using value_type = value_type_of<InputIt>;

public:
  static constexpr bool is_packed = false;

  /// The thread's first item is at `mine`, one of the tile's last `left`.
  GIMBAL_DEVICE void load(InputIt mine, unsigned left)
  {
    block::for_left<true, order::items, BlockThreads>(
      left, [&](unsigned i) { item_[i].set(block::load_as<value_type>(mine + order::offset(i))); });
  }

  GIMBAL_DEVICE const uninit<value_type>& get(const InputIt&, unsigned i) const { return item_[i]; }

private:
  uninit<value_type> item_[order::items];
};

/// Items of an array, of which a whole number makes a vector, or made of such.
template <class InputIt, unsigned BlockThreads, unsigned ItemsPerThread>
class lane_items<InputIt, BlockThreads, ItemsPerThread, true, false>
    : public vector_order<
        BlockThreads, ItemsPerThread, simt::items_of_vectors(sizeof(typename array_items<InputIt>::item))> {
  using array = array_items<InputIt>;
  using stored = typename array::item;
  using order = vector_order<BlockThreads, ItemsPerThread, simt::items_of_vectors(sizeof(stored))>;
  static constexpr unsigned parts = order::vector_items * sizeof(stored) / sizeof(simt::vector16);

public:
  static constexpr bool is_packed = true;
  static constexpr unsigned words = order::vectors * parts * 4;

  /// The thread's first vector is at `mine`, one of the tile's last `left`.
  GIMBAL_DEVICE void load(InputIt first, unsigned left)
  {
    const stored* const mine = array::begin(first);
    if (__builtin_expect(reinterpret_cast<std::uintptr_t>(mine) % sizeof(simt::vector16) == 0, 1)) {
      load_rows(left, [=](unsigned v, unsigned part) {
        return reinterpret_cast<const simt::vector16*>(mine)[v * BlockThreads * parts + part];
      });
    } else {
      load_rows(
        left, [=](unsigned v, unsigned part) { return gather(mine + v * BlockThreads * order::vector_items, part); });
    }
  }

  GIMBAL_DEVICE std::uint32_t word_at(unsigned w) const { return vector_[w / 4].word[w % 4]; }
  /// Whether the thread has word w; `left` as above.
  static GIMBAL_HOST_DEVICE constexpr bool has_word(unsigned w, unsigned left)
  {
    return order::has(w / (4 * parts) * order::vector_items, left);
  }

  /// `in`: an iterator of these items, of which only the function matters, if it has one.
  GIMBAL_DEVICE uninit<value_type_of<InputIt>> get(const InputIt& in, unsigned i) const
  {
    if constexpr (array::maps) {
      uninit<value_type_of<InputIt>> made;
      made.set(array::made(in, item(i).get()));
      return made;
    } else {
      return item(i);
    }
  }

private:
  GIMBAL_DEVICE uninit<stored> item(unsigned i) const
  {
    uninit<stored> item;
    const std::size_t byte = i * sizeof(stored);
    if constexpr (sizeof(stored) < 4 && parts == 1) {
      const std::uint32_t shifted = word_at(static_cast<unsigned>(byte / 4)) >> byte % 4 * 8;
      std::memcpy(item.bytes, &shifted, sizeof(stored));  // the low bytes come first
    } else if constexpr (sizeof(stored) % 4 == 0) {
      GIMBAL_UNROLL
      for (unsigned w = 0; w < sizeof(stored) / 4; ++w) {
        const std::uint32_t own = word_at(static_cast<unsigned>(byte / 4) + w);
        std::memcpy(item.bytes + 4 * w, &own, sizeof(own));
      }
    } else {
      GIMBAL_UNROLL
      for (unsigned b = 0; b < sizeof(stored); ++b) {
        item.bytes[b] = static_cast<unsigned char>(word_at(static_cast<unsigned>(byte + b) / 4) >> (byte + b) % 4 * 8);
      }
    }
    return item;
  }

  template <class Load>
  GIMBAL_DEVICE void load_rows(unsigned left, Load load)
  {
    GIMBAL_UNROLL
    for (unsigned v = 0; v < order::vectors; ++v) {
      if (order::has_vector(v, left)) {
        GIMBAL_UNROLL
        for (unsigned part = 0; part < parts; ++part) {
          vector_[v * parts + part] = load(v, part);
        }
      }
    }
  }

  /// Part of a vector piece by piece, for arrays that start anywhere: as large ones as the items' alignment allows.
  static GIMBAL_DEVICE simt::vector16 gather(const stored* in, unsigned part)
  {
    constexpr unsigned pieces = sizeof(simt::vector16) / sizeof(piece);
    simt::vector16 vector = {};
    GIMBAL_UNROLL
    for (unsigned p = 0; p < pieces; ++p) {
      const auto bits = reinterpret_cast<const piece*>(in)[part * pieces + p].bits;
      const std::size_t byte = p * sizeof(piece);
      if constexpr (sizeof(piece) < 4) {
        vector.word[byte / 4] |= static_cast<std::uint32_t>(bits) << byte % 4 * 8;
      } else {
        std::memcpy(vector.word + byte / 4, &bits, sizeof(piece));
      }
    }
    return vector;
  }

  struct __attribute__((may_alias)) piece {
    simt::unsigned_of_size<(alignof(stored) < 8 ? alignof(stored) : 8)> bits;
  };

  simt::vector16 vector_[order::vectors * parts];
};

/// Items made of two arrays', each of which is read by its own vectors.
template <class InputIt, unsigned BlockThreads, unsigned ItemsPerThread>
class lane_items<InputIt, BlockThreads, ItemsPerThread, true, true>
    : public vector_order<
        BlockThreads, ItemsPerThread, simt::items_of_vectors(sizeof(typename array_items<InputIt>::item))> {
  using arrays = array_items<InputIt>;

public:
  static constexpr bool is_packed = true;

  /// The thread's first vectors are at `mine`, of the tile's last `left`.
  GIMBAL_DEVICE void load(InputIt mine, unsigned left)
  {
    first_.load(arrays::begin(mine), left);
    second_.load(arrays::second_begin(mine), left);
  }

  /// `in`: an iterator of these items, of which only the function matters.
  GIMBAL_DEVICE uninit<value_type_of<InputIt>> get(const InputIt& in, unsigned i) const
  {
    uninit<value_type_of<InputIt>> made;
    made.set(arrays::made(in, first_.get(nullptr, i).get(), second_.get(nullptr, i).get()));
    return made;
  }

private:
  lane_items<const typename arrays::item*, BlockThreads, ItemsPerThread, true> first_;
  lane_items<const typename arrays::second_item*, BlockThreads, ItemsPerThread, true> second_;
};

/// True where several items, as they are stored, make a vector, or several where they have no whole words; where a
/// function makes others of them, also of larger ones that take two or three.
template <class InputIt>
inline constexpr bool is_packed_v = [] {
  using array = array_items<InputIt>;
  constexpr std::size_t item_bytes = sizeof(typename array::item);
  constexpr std::size_t vectors = simt::items_of_vectors(item_bytes) * item_bytes / sizeof(simt::vector16);
  constexpr bool is_one = item_bytes < sizeof(simt::vector16) && vectors == 1;
  return array::exists && (is_one || (item_bytes % 4 != 0 ? vectors <= 9 : array::maps && vectors <= 3));
}();

/// Folds vector v of a thread's items, `to` before it unless it starts there. A vector's items are there or none is: a
/// condition for each would cost more than the operator.
template <class T, class InputIt, class LaneItems, class Op>
GIMBAL_DEVICE void fold_vector(
  const InputIt& in, const LaneItems& items, unsigned v, bool starts, Op& op, uninit<T>& to)
{
  GIMBAL_UNROLL
  for (unsigned i = 0; i < LaneItems::vector_items; ++i) {
    const auto& item = items.get(in, v * LaneItems::vector_items + i);
    to.set(starts && i == 0 ? static_cast<T>(item.get()) : static_cast<T>(op(to.get(), item.get())));
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
