// A tile in shared memory as segments of neighbouring items: the fewest items that fill whole vectors of 16 bytes. A
// lane owns a segment of each row of 32, reads it by vectors and ranks its flagged items by itself, so that a warp
// ranks a row with one scan of the lanes' counts, and several rows with the same scan.
//
// What one warp owns, `Rows` rows, is a share; the flags of a lane's items in its share are the bits of one word. A
// role of one set of warps finds and counts the flags (flags() item by item, then count()), another set, a warp for
// each share, brings the flagged items together (gather_flagged()), and all of that set store them (store_run()): runs
// start in shared memory at their target's address modulo 16, so all but their ends are moved by vectors.
#pragma once

#include <cuda/std/bit>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

inline constexpr unsigned vector_bytes = sizeof(simt::vector16);

/// Fewest items of a size that fill whole vectors.
constexpr unsigned segment_items_of(std::size_t value_bytes)
{
  unsigned items = 1;
  while (items * value_bytes % vector_bytes != 0) {
    items *= 2;
  }
  return items;
}

/// The turn of a ring: which stage, and the parity of that stage's phases.
template <unsigned Stages>
struct ring_turn {
  unsigned stage = 0;
  unsigned parity = 0;

  GIMBAL_DEVICE void advance()
  {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// What becomes of items that are not flagged: nothing, a run in their order, or a run in the reverse order.
enum class others { dropped, kept, reversed };

template <class Value, unsigned Shares, unsigned Rows>
struct segments {
  static constexpr unsigned rows = Rows;
  static constexpr unsigned segment_items = segment_items_of(sizeof(Value));
  static constexpr unsigned segment_vectors = segment_items * sizeof(Value) / vector_bytes;
  static constexpr unsigned share_items = Rows * simt::warp_threads * segment_items;
  static constexpr unsigned items = Shares * share_items;
  static constexpr unsigned vectors = items / segment_items * segment_vectors;
  /// Two runs with the items of a tile, each at its own place modulo 16.
  static constexpr unsigned run_vectors = vectors + 3;
  static_assert(Rows * segment_items <= 32, "the flags of a lane fit into a word");

  /// The items of a tile that exist: only its first and its last tile lack some.
  struct extent {
    unsigned first;
    unsigned last;

    GIMBAL_DEVICE unsigned count() const { return last - first; }
    GIMBAL_DEVICE bool has(unsigned item) const { return item >= first && item < last; }
    /// Whole segments are [first_segment, last_segment), if any.
    GIMBAL_DEVICE unsigned first_segment() const { return (first + segment_items - 1) / segment_items; }
    GIMBAL_DEVICE unsigned last_segment() const { return last / segment_items; }
  };

  /// What a lane holds of a segment, in registers.
  union segment {
    simt::vector16 vector[segment_vectors];
    uninit<Value> item[segment_items];
    GIMBAL_DEVICE segment() {}
  };

  /// Index in the tile of this lane's first item in row `row` of a share.
  template <class Context>
  static GIMBAL_DEVICE unsigned first_item(const Context& ctx, unsigned share, unsigned row)
  {
    return ((share * Rows + row) * simt::warp_threads + ctx.lane()) * segment_items;
  }

  static GIMBAL_DEVICE void read(const simt::vector16* tile, unsigned first_item, segment& read)
  {
    const simt::vector16* const source = tile + first_item / segment_items * segment_vectors;
    GIMBAL_UNROLL
    for (unsigned v = 0; v < segment_vectors; ++v) {
      read.vector[v] = source[v];
    }
  }

  /// Number of flags in the words of a warp's lanes, in lane 0.
  template <class Context>
  static GIMBAL_DEVICE unsigned count(const Context& ctx, std::uint32_t flags)
  {
    unsigned count = ::cuda::std::popcount(flags);
    GIMBAL_UNROLL
    for (unsigned delta = simt::warp_threads / 2; delta > 0; delta /= 2) {
      count += ctx.shfl_down(count, delta);
    }
    return count;
  }

  /// The flagged items of a share to flagged[rank], in order; the other items that exist to their run, whose first item
  /// goes to first_other[0]. `rank` items of the tile are flagged before the share.
  template <others Others, class Context>
  static GIMBAL_DEVICE void gather_flagged(
    const Context& ctx, const simt::vector16* tile, const extent& valid, unsigned share, std::uint32_t flags,
    unsigned rank, uninit<Value>* flagged, uninit<Value>* first_other)
  {
    std::uint32_t lanes_before[packed_words];
    std::uint32_t of_rows[packed_words];
    rank_rows(ctx, flags, lanes_before, of_rows);
    GIMBAL_UNROLL
    for (unsigned row = 0; row < Rows; ++row) {
      const unsigned first = first_item(ctx, share, row);
      segment own;
      read(tile, first, own);
      unsigned next = rank + field(lanes_before, row);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < segment_items; ++i) {
        if (flags >> (row * segment_items + i) & 1) {
          flagged[next++] = own.item[i];
        } else if (Others != others::dropped && valid.has(first + i)) {
          const unsigned before = first + i - valid.first - next;
          *(Others == others::reversed ? first_other - before : first_other + before) = own.item[i];
        }
      }
      rank += field(of_rows, row);
    }
  }

private:
  // The counts of several rows are scanned as fields of one word.
  static constexpr unsigned row_items = simt::warp_threads * segment_items;
  static constexpr unsigned field_bits = row_items <= 0xff ? 8 : 16;
  static constexpr unsigned fields = 32 / field_bits;
  static constexpr unsigned packed_words = (Rows + fields - 1) / fields;

  static GIMBAL_DEVICE unsigned field(const std::uint32_t (&words)[packed_words], unsigned row)
  {
    return words[row / fields] >> (row % fields * field_bits) & ((1u << field_bits) - 1);
  }

  /// For each row the number of flags in the lanes before this one, and in all lanes.
  template <class Context>
  static GIMBAL_DEVICE void rank_rows(
    const Context& ctx, std::uint32_t flags, std::uint32_t (&lanes_before)[packed_words],
    std::uint32_t (&of_rows)[packed_words])
  {
    constexpr std::uint32_t row_mask = (std::uint32_t{1} << segment_items) - 1;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < packed_words; ++w) {
      std::uint32_t own = 0;
      GIMBAL_UNROLL
      for (unsigned row = w * fields; row < (w + 1) * fields && row < Rows; ++row) {
        const unsigned count = ::cuda::std::popcount(flags >> (row * segment_items) & row_mask);
        own |= count << (row % fields * field_bits);
      }
      std::uint32_t inclusive = own;
      GIMBAL_UNROLL
      for (unsigned delta = 1; delta < simt::warp_threads; delta *= 2) {
        const std::uint32_t below = ctx.shfl_up(inclusive, delta);
        inclusive += ctx.lane() >= delta ? below : 0;
      }
      lanes_before[w] = inclusive - own;
      of_rows[w] = ctx.shfl(inclusive, simt::warp_threads - 1);
    }
  }
};

/// How far an address lies behind a multiple of 16.
GIMBAL_HOST_DEVICE unsigned phase_of(const void* address)
{
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % vector_bytes);
}

/// `bytes` bytes from shared to global memory by `threads` threads, at least 32, of which this is thread `rank`. Source
/// and target agree modulo 16; no byte beside the run is touched.
template <class Context>
GIMBAL_DEVICE void store_run(
  const Context& ctx, unsigned rank, unsigned threads, const void* source, void* target, unsigned bytes)
{
  const auto* const from = static_cast<const unsigned char*>(source);
  auto* const to = static_cast<unsigned char*>(target);
  const unsigned to_vector = (vector_bytes - phase_of(target)) % vector_bytes;
  const unsigned head = to_vector < bytes ? to_vector : bytes;
  const unsigned vectors = (bytes - head) / vector_bytes;
  for (unsigned v = rank; v < vectors; v += threads) {
    const unsigned at = head + v * vector_bytes;
    ctx.store_vector(to + at, *reinterpret_cast<const simt::vector16*>(from + at));
  }
  const unsigned tail_begin = head + vectors * vector_bytes;
  if (rank < head) {
    to[rank] = from[rank];
  } else if (rank >= vector_bytes && rank - vector_bytes < bytes - tail_begin) {
    to[tail_begin + rank - vector_bytes] = from[tail_begin + rank - vector_bytes];
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
