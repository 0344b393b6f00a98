// A tile in shared memory as segments of neighbouring items: the fewest items that fill whole vectors of 16 bytes. A
// lane owns a segment of each row of 32, reads it by vectors and ranks its flagged items by itself, so that a warp
// ranks a row with one scan of the lanes' counts, and several rows with the same scan.
//
// What one warp owns, `Rows` rows, is a share; the flags of a lane's items in its share are the bits of one word. A
// role of one set of warps finds and counts the flags (item by item, then count()), another set, a warp for each share,
// brings the flagged items together (read_share(), scatter_share()), and one warp stores them (store_run()): runs start
// in shared memory at their target's address modulo 16, so all but their ends are moved by bulk copies.
#pragma once

#include <gimbal/simt/simt.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

inline constexpr unsigned vector_bytes = sizeof(simt::vector16);

/// What becomes of items that are not flagged: nothing, a run in their order, or a run in the reverse order.
enum class others { dropped, kept, reversed };

template <class Value, unsigned Shares, unsigned Rows>
struct segments {
  static constexpr unsigned rows = Rows;
  static constexpr unsigned value_bytes = sizeof(Value);
  static constexpr unsigned segment_items = simt::items_of_vectors(sizeof(Value));
  static constexpr unsigned segment_vectors = segment_items * sizeof(Value) / vector_bytes;
  static constexpr unsigned share_items = Rows * simt::warp_threads * segment_items;
  static constexpr unsigned items = Shares * share_items;
  static constexpr unsigned vectors = items / segment_items * segment_vectors;
  /// Two runs with the items of a tile, each at its own address modulo 16 (see offsets_of()).
  static constexpr unsigned run_vectors = vectors + 2 * segment_vectors + 5;
  static_assert(segment_items <= 32 && Rows * segment_items <= 64, "the flags of a lane fit into a word");
  /// The flags of a lane's items in its share; in registers, and in memory.
  static constexpr unsigned flags_words = Rows * segment_items <= 32 ? 1 : 2;
  using flags_type = ::cuda::std::conditional_t<flags_words == 1, std::uint32_t, std::uint64_t>;
  using flags_word = ::cuda::std::conditional_t<Rows * segment_items <= 16, std::uint16_t, flags_type>;
  // The counts of several rows are scanned as fields of one word.
  static constexpr unsigned row_items = simt::warp_threads * segment_items;
  static constexpr unsigned field_bits = row_items <= 0xff ? 8 : 16;
  static constexpr unsigned fields = 32 / field_bits;
  static constexpr unsigned packed_words = (Rows + fields - 1) / fields;

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
    if constexpr (simt::is_wide_integer_v<Value>) {
      read.item[0] = *reinterpret_cast<const uninit<Value>*>(source);
    } else {
      GIMBAL_UNROLL
      for (unsigned v = 0; v < segment_vectors; ++v) {
        read.vector[v] = source[v];
      }
    }
  }

  static GIMBAL_DEVICE flags_type join(const std::uint32_t (&words)[flags_words])
  {
    flags_type flags = words[0];
    if constexpr (flags_words == 2) {
      flags |= static_cast<flags_type>(words[1]) << 32;
    }
    return flags;
  }

  /// Number of flags in the words of a warp's lanes, in every lane.
  template <class Context>
  static GIMBAL_DEVICE unsigned count(const Context& ctx, flags_type flags)
  {
    return simt::warp_sum(ctx, static_cast<std::uint32_t>(simt::popcount(flags)));
  }

  /// What a lane holds of a share, and how many items of each row are flagged before its own, and in all.
  struct share {
    segment row[Rows];
    std::uint32_t lanes_before[packed_words];
    std::uint32_t of_rows[packed_words];
  };

  template <class Context>
  static GIMBAL_DEVICE void read_share(
    const Context& ctx, const simt::vector16* tile, unsigned number, flags_type flags, share& own)
  {
    GIMBAL_UNROLL
    for (unsigned row = 0; row < Rows; ++row) {
      read(tile, first_item(ctx, number, row), own.row[row]);
    }
    rank_rows(ctx, flags, own.lanes_before, own.of_rows);
  }

  /// Where the runs of a tile are built: their offsets after the address of a vector, in bytes.
  struct run_offsets {
    unsigned flagged;
    unsigned other;  // of the first other item: `reversed` goes down from here
  };

  /// Two runs in shared memory whose targets have these phases. What other places hold is moved with the rest: places
  /// without an item before the first one, less than a segment, are before it in the run of the others, and
  /// places after the last one after it; so there is room for both.
  template <others Others>
  static GIMBAL_DEVICE run_offsets
  offsets_of(const extent& valid, unsigned flagged_items, unsigned flagged_phase, unsigned other_phase)
  {
    const unsigned flagged_end = flagged_phase + flagged_items * value_bytes;
    unsigned other = ((flagged_end + vector_bytes - 1) / vector_bytes + segment_vectors) * vector_bytes;
    if constexpr (Others == others::reversed) {
      other += ((items - valid.last) * value_bytes + vector_bytes - 1) / vector_bytes * vector_bytes;
      other += (valid.count() - flagged_items - 1) * value_bytes;
    }
    return {flagged_phase, other + other_phase};
  }

  /// The flagged items of a share to their run, in order; the other items to theirs, unless they are dropped. `rank`
  /// items of the tile are flagged before the share.
  template <others Others, class Context>
  static GIMBAL_DEVICE void scatter_share(
    const Context& ctx, const share& own, const extent& valid, unsigned number, flags_type flags, unsigned rank,
    unsigned char* buffer, const run_offsets& runs)
  {
    constexpr bool moves_any = ::cuda::std::is_trivially_copyable<Value>::value;
    constexpr int step = Others == others::reversed ? -static_cast<int>(value_bytes) : static_cast<int>(value_bytes);
    GIMBAL_UNROLL
    for (unsigned row = 0; row < Rows; ++row) {
      const unsigned first = first_item(ctx, number, row);
      const unsigned flagged_before = rank + field(own.lanes_before, row);
      unsigned char* flagged = buffer + (runs.flagged + flagged_before * value_bytes);
      const int others_before = static_cast<int>(first - valid.first - flagged_before);
      unsigned char* other = buffer + (runs.other + static_cast<unsigned>(others_before * step));
      GIMBAL_UNROLL
      for (unsigned i = 0; i < segment_items; ++i) {
        const bool is_flagged = (flags >> (row * segment_items + i) & 1) != 0;
        if (is_flagged) {
          if (moves_any || valid.has(first + i)) {
            *reinterpret_cast<uninit<Value>*>(flagged) = own.row[row].item[i];
          }
          flagged += value_bytes;
        } else if constexpr (Others != others::dropped) {
          if (moves_any || valid.has(first + i)) {
            *reinterpret_cast<uninit<Value>*>(other) = own.row[row].item[i];
          }
          other += step;
        }
      }
      rank += field(own.of_rows, row);
    }
  }

private:
  static GIMBAL_DEVICE std::uint32_t flags_of_row(flags_type flags, unsigned row)
  {
    constexpr std::uint64_t mask = (std::uint64_t{1} << segment_items) - 1;
    return static_cast<std::uint32_t>(flags >> (row * segment_items) & mask);
  }

  static GIMBAL_DEVICE unsigned field(const std::uint32_t (&words)[packed_words], unsigned row)
  {
    return words[row / fields] >> (row % fields * field_bits) & ((1u << field_bits) - 1);
  }

  /// For each row the number of flags in the lanes before this one, and in all lanes.
  template <class Context>
  static GIMBAL_DEVICE void rank_rows(
    const Context& ctx, flags_type flags, std::uint32_t (&lanes_before)[packed_words],
    std::uint32_t (&of_rows)[packed_words])
  {
    GIMBAL_UNROLL
    for (unsigned w = 0; w < packed_words; ++w) {
      std::uint32_t own = 0;
      GIMBAL_UNROLL
      for (unsigned row = w * fields; row < (w + 1) * fields && row < Rows; ++row) {
        const unsigned count = simt::popcount(flags_of_row(flags, row));
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

/// How far an address lies after a multiple of 16.
GIMBAL_HOST_DEVICE unsigned phase_of(const void* address)
{
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % vector_bytes);
}

/// `bytes` bytes from shared to global memory by a warp, which then calls wait_for_bulk_reads() in lane 0. Source and
/// target agree modulo 16; no byte beside the run is touched.
template <class Context>
GIMBAL_DEVICE void store_run(Context& ctx, const unsigned char* source, unsigned char* target, unsigned bytes)
{
  const unsigned to_vector = (vector_bytes - phase_of(target)) % vector_bytes;
  const unsigned head = to_vector < bytes ? to_vector : bytes;
  const unsigned tail_begin = bytes - (bytes - head) % vector_bytes;
  if (ctx.lane() == 0 && tail_begin > head) {
    ctx.bulk_store(target + head, source + head, tail_begin - head);
  }
  const bool is_in_head = ctx.lane() < vector_bytes;
  const unsigned at = is_in_head ? ctx.lane() : tail_begin + ctx.lane() - vector_bytes;
  if (at < (is_in_head ? head : bytes)) {
    target[at] = source[at];
  }
}

/// The runs of a tile: where they go, their number of bytes, and where they are built.
template <class Tile>
struct run_plan {
  unsigned char* selected_to;
  unsigned char* rejected_to;
  unsigned selected_bytes;
  unsigned rejected_bytes;
  typename Tile::run_offsets at;

  /// Of a tile with `selected` selected items, the first of which goes to `selected_out`; `rejected`: as rejected_to
  /// (selectors.cuh).
  template <class Value, class Rejected>
  static GIMBAL_DEVICE run_plan of(
    bool waits, const typename Tile::extent& valid, unsigned selected, Value* selected_out, const Rejected& rejected,
    index_type rejected_before, const index_type& total)
  {
    run_plan made;
    made.selected_to = reinterpret_cast<unsigned char*>(selected_out);
    made.rejected_to = nullptr;
    made.selected_bytes = selected * Tile::value_bytes;
    made.rejected_bytes = 0;
    if constexpr (Rejected::order != others::dropped) {
      const unsigned count = valid.count() - selected;
      made.rejected_to = reinterpret_cast<unsigned char*>(rejected.target(waits, rejected_before, count, total));
      made.rejected_bytes = count * Tile::value_bytes;
    }
    made.at = Tile::template offsets_of<Rejected::order>(
      valid, selected, phase_of(made.selected_to), phase_of(made.rejected_to));
    return made;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
