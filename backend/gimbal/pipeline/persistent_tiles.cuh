// How a stream of items is cut up, and how a lane gets at its own in a stage of a ring (ring.cuh).
//
// Tiles are assigned to blocks in turn (ring.cuh). A tile consists of one chunk per warp, a chunk of one segment of
// neighbouring items per lane, so that a lane folds and scans its own items in order without a shuffle.
//
// Positions are counted from an origin at or a few items in front of the first item: items [begin, end) exist. In the
// latter case the address of every chunk is a multiple of 16 bytes whatever the address of the first item is. In the
// former what is in a chunk does not depend on addresses (persistent_io.cuh).
//
// In shared memory the segments of a chunk follow each other without gaps, as a bulk copy leaves them. Where a segment
// is an odd number of 16-byte vectors, lanes that read their segments vector by vector hit all banks evenly.
#pragma once

#include <cstring>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Items of a lane: about `lane_bytes` of the largest of the types, whole vectors of `item_bytes` each where that fits, an odd number of
/// times. Two of them, where the largest type is that of the results, become three and not one, as a tile would have few items. record:
/// segment_items. At most `most_items`, if one such part fits into it.
constexpr unsigned segment_items(
  std::size_t item_bytes, std::size_t largest_bytes, std::size_t lane_bytes, std::size_t most_items)
{
  const std::size_t unit = simt::items_of_vectors(item_bytes);
  const std::size_t units = lane_bytes / (unit * largest_bytes);
  if (units == 2 && item_bytes < largest_bytes) {
    return static_cast<unsigned>(unit * (3 * unit <= most_items ? 3 : 2 * unit <= most_items ? 2 : 1));
  }
  if (units > 0) {
    return static_cast<unsigned>(unit * (units % 2 == 1 ? units : units - 1));
  }
  const std::size_t items = lane_bytes / largest_bytes;
  return unit * largest_bytes <= 256 ? static_cast<unsigned>(unit) : static_cast<unsigned>(items > 0 ? items : 1);
}

/// Which of the positions of a piece (a tile, a chunk, a segment) hold items.
struct valid_range {
  unsigned lo;
  unsigned hi;
};

template <unsigned Warps, unsigned Items>
struct persistent_tiles {
  static constexpr unsigned segment_items = Items;
  static constexpr unsigned chunk_items = simt::warp_threads * Items;
  static constexpr unsigned tile_items = Warps * chunk_items;

  index_type begin;
  index_type end;

  unsigned count() const { return static_cast<unsigned>((end + tile_items - 1) / tile_items); }

  static GIMBAL_DEVICE index_type first_of(unsigned tile) { return static_cast<index_type>(tile) * tile_items; }

  /// True if each of the `items` positions from `first` on holds an item.
  GIMBAL_DEVICE bool is_full(index_type first, unsigned items) const { return first >= begin && first + items <= end; }
  GIMBAL_DEVICE valid_range valid(index_type first, unsigned items) const
  {
    const index_type after = end - first;
    const unsigned hi = after <= 0 ? 0 : after < items ? static_cast<unsigned>(after) : items;
    const unsigned lo = first < begin ? static_cast<unsigned>(begin - first) : 0;
    return {lo < hi ? lo : hi, hi};
  }
  /// How many of the tile's first pieces of `items` positions hold items; the first of a tile always does.
  GIMBAL_DEVICE unsigned pieces_with_items(index_type first, unsigned pieces, unsigned items) const
  {
    const index_type after = end - first;
    const index_type all = static_cast<index_type>(pieces) * items;
    return after <= 0 ? 0 : after >= all ? pieces : static_cast<unsigned>((after + items - 1) / items);
  }
};

/// A lane's segment of a chunk in shared memory, to and from registers.
template <class Item, unsigned Items>
struct lane_segment {
  static constexpr std::size_t bytes = Items * sizeof(Item);
  static constexpr bool is_vectors = bytes % sizeof(simt::vector16) == 0 && !simt::is_wide_integer_v<Item>;

  static GIMBAL_DEVICE void read(const unsigned char* chunk, unsigned lane, uninit<Item> (&item)[Items])
  {
    if constexpr (is_vectors) {
      const auto* const from = reinterpret_cast<const simt::vector16*>(chunk + lane * bytes);
      GIMBAL_UNROLL
      for (unsigned v = 0; v < bytes / sizeof(simt::vector16); ++v) {
        const simt::vector16 vector = from[v];
        std::memcpy(reinterpret_cast<unsigned char*>(item) + v * sizeof vector, &vector, sizeof vector);
      }
    } else {
      read_items(chunk, lane, item);
    }
  }
  static GIMBAL_DEVICE void read_items(const unsigned char* chunk, unsigned lane, uninit<Item> (&item)[Items])
  {
    const auto* const from = reinterpret_cast<const uninit<Item>*>(chunk) + lane * Items;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      item[i] = from[i];
    }
  }

  static GIMBAL_DEVICE void write(unsigned char* chunk, unsigned lane, const uninit<Item> (&item)[Items])
  {
    if constexpr (is_vectors) {
      auto* const to = reinterpret_cast<simt::vector16*>(chunk + lane * bytes);
      GIMBAL_UNROLL
      for (unsigned v = 0; v < bytes / sizeof(simt::vector16); ++v) {
        simt::vector16 vector;
        std::memcpy(&vector, reinterpret_cast<const unsigned char*>(item) + v * sizeof vector, sizeof vector);
        to[v] = vector;
      }
    } else {
      write_items(chunk, lane, item);
    }
  }
  static GIMBAL_DEVICE void write_items(unsigned char* chunk, unsigned lane, const uninit<Item> (&item)[Items])
  {
    auto* const to = reinterpret_cast<uninit<Item>*>(chunk) + lane * Items;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      to[i] = item[i];
    }
  }
};

/// The same of a chunk that begins `skew` bytes behind `chunk`, a multiple of 16. Where possible by whole vectors,
/// whose words are then moved; the words of vectors at the ends, of which others have a part, one by one.
template <class Item, unsigned Items>
struct skewed_segment {
  using aligned = lane_segment<Item, Items>;
  static constexpr bool is_moved = aligned::is_vectors && alignof(Item) % 4 == 0;

  static GIMBAL_DEVICE void read(const unsigned char* chunk, unsigned skew, unsigned lane, uninit<Item> (&item)[Items])
  {
    if constexpr (is_moved) {
      std::uint32_t word[words + 4];
      const auto* const from = reinterpret_cast<const simt::vector16*>(chunk + lane * aligned::bytes);
      for_ends(skew / 4, [&](unsigned w) {
        const four_bytes own = reinterpret_cast<const four_bytes*>(from)[w];
        std::memcpy(word + w, &own, sizeof own);
      });
      GIMBAL_UNROLL
      for (unsigned v = 1; v < words / 4; ++v) {
        const simt::vector16 vector = from[v];
        std::memcpy(word + 4 * v, &vector, sizeof vector);
      }
      move_down<2>(skew / 4, word);
      move_down<1>(skew / 4, word);
      std::memcpy(reinterpret_cast<unsigned char*>(item), word, aligned::bytes);
    } else {
      aligned::read_items(chunk + skew, lane, item);
    }
  }

  static GIMBAL_DEVICE void write(unsigned char* chunk, unsigned skew, unsigned lane, const uninit<Item> (&item)[Items])
  {
    if constexpr (is_moved) {
      std::uint32_t word[words + 4] = {};
      std::memcpy(word, reinterpret_cast<const unsigned char*>(item), aligned::bytes);
      move_up<1>(skew / 4, word);
      move_up<2>(skew / 4, word);
      auto* const to = reinterpret_cast<simt::vector16*>(chunk + lane * aligned::bytes);
      for_ends(skew / 4, [&](unsigned w) {
        four_bytes own;
        std::memcpy(&own, word + w, sizeof own);
        reinterpret_cast<four_bytes*>(to)[w] = own;
      });
      GIMBAL_UNROLL
      for (unsigned v = 1; v < words / 4; ++v) {
        simt::vector16 vector;
        std::memcpy(&vector, word + 4 * v, sizeof vector);
        to[v] = vector;
      }
    } else {
      aligned::write_items(chunk + skew, lane, item);
    }
  }

private:
  static constexpr unsigned words = aligned::bytes / 4;
  struct alignas(4) four_bytes {
    unsigned char bytes[4];
  };

  /// Move all words by `By` places if that is part of `skew`.
  template <unsigned By>
  static GIMBAL_DEVICE void move_down(unsigned skew, std::uint32_t (&word)[words + 4])
  {
    if constexpr (alignof(Item) <= By * 4) {
      GIMBAL_UNROLL
      for (unsigned w = 0; w < words + By - 1; ++w) {
        word[w] = (skew & By) != 0 ? word[w + By] : word[w];
      }
    }
  }
  template <unsigned By>
  static GIMBAL_DEVICE void move_up(unsigned skew, std::uint32_t (&word)[words + 4])
  {
    if constexpr (alignof(Item) <= By * 4) {
      GIMBAL_UNROLL
      for (unsigned w = words + 3; w >= By; --w) {
        word[w] = (skew & By) != 0 ? word[w - By] : word[w];
      }
    }
  }

  /// The words of the segment in its first vector and in the one behind its last whole one.
  template <class Body>
  static GIMBAL_DEVICE void for_ends(unsigned skew, Body body)
  {
    GIMBAL_UNROLL
    for (unsigned w = 0; w < 4; ++w) {
      if (w >= skew) {
        body(w);
      }
      if (w < skew) {
        body(words + w);
      }
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
