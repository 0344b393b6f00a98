// The tiles of a persistent partition: how they are loaded into stages of shared memory, how their items are selected
// and ranked there, and how runs of them are built and stored.
//
// Tiles of an array begin at multiples of 16 bytes, so the first one may lack its first items. They consist of
// segments: the fewest items that fill whole vectors of 16 bytes. A lane owns a segment of each row of 32, reads it by
// vectors and ranks its selected items by itself, so that a warp ranks several rows with one scan of the lanes' counts.
// What one warp owns, `Rows` rows, is a share; the flags of a lane's items in its share are the bits of one word.
//
// Arrays are loaded by bulk copies; items of other iterators by warps of their own. The stencil, an array beside the
// items, is misaligned to them. Nobody reads it once the selector has been called, so it has a ring of its own, with
// fewer stages.
//
// Runs are built in shared memory at their target's address modulo 16, so all but their ends are moved by bulk copies.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/tile/iterators.h>

#include <cstring>
#include <gimbal/pipeline/persistent_io.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What becomes of rejected items: nothing, a run in their order, or a run in the reverse order.
enum class rejected_order { dropped, kept, reversed };

inline constexpr unsigned partition_vector_bytes = sizeof(simt::vector16);

/// How far an address lies after a multiple of 16.
GIMBAL_HOST_DEVICE unsigned phase_of(const void* address)
{
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % partition_vector_bytes);
}

/// `Source`: of the items, by copies or through an iterator. `Stages`: of the ring.
template <class Source, class Selector, unsigned Shares, unsigned Rows, unsigned Stages>
struct persistent_partition_tiles {
  using value = typename Source::item;
  static constexpr unsigned value_bytes = sizeof(value);
  static constexpr unsigned segment_items = simt::items_of_vectors(sizeof(value));
  static constexpr unsigned segment_vectors = segment_items * sizeof(value) / partition_vector_bytes;
  /// Rows are what is called chunks there.
  using positions = block::persistent_tiles<Shares * Rows, segment_items>;
  static constexpr unsigned row_items = positions::chunk_items;
  static constexpr unsigned items = positions::tile_items;
  static constexpr unsigned vectors = items / segment_items * segment_vectors;
  /// Two runs with the items of a tile, each at its own address modulo 16 (see plan_runs()).
  static constexpr unsigned run_vectors = vectors + 2 * segment_vectors + 5;

  /// The flags of a lane's items in its share; in registers, and in memory.
  static constexpr unsigned flags_words = Rows * segment_items <= 32 ? 1 : 2;
  using flags_type = ::cuda::std::conditional_t<flags_words == 1, std::uint32_t, std::uint64_t>;
  using flags_word = ::cuda::std::conditional_t<Rows * segment_items <= 16, std::uint16_t, flags_type>;
  static_assert(segment_items <= 32 && Rows * segment_items <= 64, "the flags of a lane fit into a word");

  static constexpr bool is_loaded = !Source::copies;
  static constexpr unsigned stencil_bytes = Selector::stencil_bytes;  // for each item
  static constexpr bool has_stencil = stencil_bytes > 0;
  static constexpr unsigned stencil_stages = !has_stencil ? 1
                                             : tuning::persistent_stencil_stages < Stages
                                               ? tuning::persistent_stencil_stages
                                               : Stages;

  static constexpr unsigned copies = (is_loaded ? 0 : 1) + (has_stencil ? 1 : 0);  // of a tile
  using stencil_source = block::misaligned_source<typename Selector::stencil_value>;

  using stage = simt::vector16[vectors];
  using stencil_stage = simt::vector16[items * stencil_bytes / partition_vector_bytes + 1];

  Source in;
  positions all;
  Selector selector;  // of any stencil
  stencil_source stencil;

  GIMBAL_HOST_DEVICE index_type n() const { return all.end - all.begin; }
  GIMBAL_DEVICE block::valid_range valid_of(unsigned t) const { return all.valid(positions::first_of(t), items); }
  static GIMBAL_DEVICE bool has(block::valid_range valid, unsigned item) { return item >= valid.lo && item < valid.hi; }
  /// Index of the first item of a tile.
  GIMBAL_DEVICE index_type first_index(unsigned t) const { return t > 0 ? positions::first_of(t) - all.begin : 0; }

  // ---- loads

  /// Start the copies of a tile: its items' in lane 0, its stencil's in the next, or in lane 0 if items are not copied.
  template <class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, stage& to, stencil_stage& stencil_to, simt::phase_barrier& full, unsigned t) const
  {
    const index_type first = positions::first_of(t);
    if constexpr (!is_loaded) {
      if (ctx.lane() == 0) {
        in.load(ctx, all, first, items, reinterpret_cast<unsigned char*>(to), full);
      }
    }
    if constexpr (has_stencil) {
      if (ctx.lane() == copies - 1) {
        stencil.load(ctx, all, first, items, reinterpret_cast<unsigned char*>(stencil_to), full);
      }
    }
  }

  /// Load the items of a tile that fall to one of `Loaders` warps, store them to `to` once `wait()` has returned, and
  /// see to it that those of tile `next` come no longer from memory but from the L2 cache.
  template <unsigned Loaders, class Context, class Wait>
  GIMBAL_DEVICE void load_items(Context& ctx, stage& to, unsigned t, unsigned next, unsigned loader, Wait wait) const
  {
    constexpr unsigned lane_items = items / Loaders / simt::warp_threads;
    constexpr unsigned at_a_time = lane_items < 16 ? lane_items : 16;  // in registers
    using pieces = block::persistent_tiles<items / simt::warp_threads / at_a_time, at_a_time>;
    static_assert(lane_items % at_a_time == 0 && items % Loaders == 0, "all warps and lanes have as many items");
    const pieces parts{all.begin, all.end};
    for (unsigned done = 0; done < lane_items; done += at_a_time) {
      const unsigned own = (loader * lane_items + done) * simt::warp_threads;
      const index_type first = positions::first_of(t) + own;
      uninit<value> item[at_a_time];
      in.load(ctx, parts, first, item);
      if (done == 0) {
        if (ctx.lane() == 0) {
          fetch_items<Loaders>(ctx, next, loader);
        }
        wait();
      }
      in.put(ctx, parts, first, item, reinterpret_cast<unsigned char*>(to) + own * value_bytes);
    }
  }

  /// See to it that the items of a tile that fall to one of `Loaders` warps are in the L2 cache when it loads them. By
  /// one lane.
  template <unsigned Loaders, class Context>
  GIMBAL_DEVICE void fetch_items(Context& ctx, unsigned t, unsigned loader) const
  {
    using shares = block::persistent_tiles<Loaders, items / Loaders / simt::warp_threads>;
    in.fetch_ahead(ctx, shares{all.begin, all.end}, shares::first_of(t) + loader * shares::chunk_items);
  }

  // ---- flags

  /// The flags of this lane's items in a share of a tile that has landed.
  template <class Context>
  GIMBAL_DEVICE flags_type
  flags_of(Context& ctx, const stage& landed, const stencil_stage& stencil_landed, unsigned t, unsigned number) const
  {
    const block::valid_range valid = valid_of(t);
    const auto* const entries = reinterpret_cast<const unsigned char*>(stencil_landed) + stencil.misalignment;
    const bool are_full = valid.hi - valid.lo == items && (!has_stencil || stencil.misalignment % part_bytes == 0);
    return are_full ? select_from_share<true>(ctx, landed, entries, valid, number)
                    : select_from_share<false>(ctx, landed, entries, valid, number);
  }

  // ---- runs

  /// The runs of a tile: where they go, their number of bytes, and where they are built: so many bytes after the
  /// address of a vector.
  struct run_plan {
    value* selected_to;
    value* rejected_to;
    unsigned selected_bytes;
    unsigned rejected_bytes;
    unsigned selected_at;
    unsigned rejected_at;  // of the first rejected item: `reversed` goes down from here
  };

  /// Of a tile with so many selected and rejected items. What other slots of shared memory hold is moved with the rest:
  /// slots without an item before the first one, less than a segment, are before it in the run of the rejected, and
  /// slots after the last one after it; so there is room for both.
  template <rejected_order Order>
  static GIMBAL_DEVICE run_plan
  plan_runs(block::valid_range valid, unsigned selected, value* selected_to, unsigned rejected, value* rejected_to)
  {
    const auto vectors_for = [](unsigned bytes) {
      return (bytes + partition_vector_bytes - 1) / partition_vector_bytes;
    };
    const unsigned selected_at = algorithm::phase_of(selected_to);
    unsigned rejected_at =
      (vectors_for(selected_at + selected * value_bytes) + segment_vectors) * partition_vector_bytes;
    if constexpr (Order == rejected_order::reversed) {
      rejected_at += vectors_for((items - valid.hi) * value_bytes) * partition_vector_bytes;
      rejected_at += (rejected - 1) * value_bytes;
    }
    rejected_at += algorithm::phase_of(rejected_to);
    return {selected_to, rejected_to, selected * value_bytes, rejected * value_bytes, selected_at, rejected_at};
  }

  // The counts of several rows are scanned as fields of one word.
  static constexpr unsigned field_bits = row_items <= 0xff ? 8 : 16;
  static constexpr unsigned fields = 32 / field_bits;
  static constexpr unsigned packed_words = (Rows + fields - 1) / fields;

  /// What a lane holds of a share, and how many items of each row are selected before its own, and in all.
  struct share {
    uninit<value> row[Rows][segment_items];  // its segments
    std::uint32_t lanes_before[packed_words];
    std::uint32_t of_rows[packed_words];
  };

  template <class Context>
  static GIMBAL_DEVICE void read_share(
    const Context& ctx, const stage& landed, unsigned number, flags_type flags, share& own)
  {
    GIMBAL_UNROLL
    for (unsigned row = 0; row < Rows; ++row) {
      read(ctx, landed, number, row, own.row[row]);
    }
    constexpr std::uint64_t row_mask = (std::uint64_t{1} << segment_items) - 1;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < packed_words; ++w) {
      std::uint32_t counts = 0;
      GIMBAL_UNROLL
      for (unsigned row = w * fields; row < (w + 1) * fields && row < Rows; ++row) {
        const auto of_row = static_cast<std::uint32_t>(flags >> (row * segment_items) & row_mask);
        counts |= simt::popcount(of_row) << (row % fields * field_bits);
      }
      std::uint32_t inclusive = counts;
      GIMBAL_UNROLL
      for (unsigned delta = 1; delta < simt::warp_threads; delta *= 2) {
        const std::uint32_t below = ctx.shfl_up(inclusive, delta);
        inclusive += ctx.lane() >= delta ? below : 0;
      }
      own.lanes_before[w] = inclusive - counts;
      own.of_rows[w] = ctx.shfl(inclusive, simt::warp_threads - 1);
    }
  }

  /// The selected items of a share to their run, in order; the rejected ones to theirs, unless they are dropped. `rank`
  /// items of the tile are selected before the share.
  template <rejected_order Order, class Context>
  static GIMBAL_DEVICE void scatter_share(
    const Context& ctx, const share& own, block::valid_range valid, unsigned number, flags_type flags, unsigned rank,
    simt::vector16* buffer, const run_plan& runs)
  {
    constexpr bool moves_any = ::cuda::std::is_trivially_copyable<value>::value;
    constexpr int step = (Order == rejected_order::reversed ? -1 : 1) * static_cast<int>(value_bytes);
    unsigned char* const bytes = reinterpret_cast<unsigned char*>(buffer);
    const auto field = [](const std::uint32_t(&words)[packed_words], unsigned row) {
      return words[row / fields] >> (row % fields * field_bits) & ((1u << field_bits) - 1);
    };
    GIMBAL_UNROLL
    for (unsigned row = 0; row < Rows; ++row) {
      const unsigned first = first_item(ctx, number, row);
      const unsigned selected_before = rank + field(own.lanes_before, row);
      unsigned char* selected = bytes + (runs.selected_at + selected_before * value_bytes);
      const int rejected_before = static_cast<int>(first - valid.lo - selected_before);
      unsigned char* rejected = bytes + (runs.rejected_at + static_cast<unsigned>(rejected_before * step));
      GIMBAL_UNROLL
      for (unsigned i = 0; i < segment_items; ++i) {
        const bool is_selected = (flags >> (row * segment_items + i) & 1) != 0;
        if (is_selected) {
          *reinterpret_cast<uninit<value>*>(selected) = own.row[row][i];
          selected += value_bytes;
        } else if constexpr (Order != rejected_order::dropped) {
          if (moves_any || has(valid, first + i)) {
            *reinterpret_cast<uninit<value>*>(rejected) = own.row[row][i];
          }
          rejected += step;
        }
      }
      rank += field(own.of_rows, row);
    }
  }

  /// The runs of a tile from where they were built to where they go, by a warp. No byte beside a run is touched.
  template <rejected_order Order, class Context>
  static GIMBAL_DEVICE void store_runs(Context& ctx, const simt::vector16* buffer, const run_plan& runs)
  {
    const auto store = [&](unsigned at, value* to, unsigned bytes) {
      const unsigned char* const source = reinterpret_cast<const unsigned char*>(buffer) + at;
      unsigned char* const target = reinterpret_cast<unsigned char*>(to);
      const unsigned to_vector = (partition_vector_bytes - algorithm::phase_of(target)) % partition_vector_bytes;
      const unsigned head = to_vector < bytes ? to_vector : bytes;
      const unsigned tail_begin = bytes - (bytes - head) % partition_vector_bytes;
      if (ctx.lane() == 0 && tail_begin > head) {
        ctx.bulk_store(target + head, source + head, tail_begin - head);
      }
      const bool is_in_head = ctx.lane() < partition_vector_bytes;
      const unsigned end = is_in_head ? ctx.lane() : tail_begin + ctx.lane() - partition_vector_bytes;
      if (end < (is_in_head ? head : bytes)) {
        target[end] = source[end];
      }
    };
    store(runs.selected_at, runs.selected_to, runs.selected_bytes);
    if constexpr (Order != rejected_order::dropped) {
      const unsigned back = Order == rejected_order::reversed ? runs.rejected_bytes - value_bytes : 0;
      store(runs.rejected_at - back, runs.rejected_to, runs.rejected_bytes);
    }
    ctx.sync_warp();  // the warp has read the ends of the runs
    if (ctx.lane() == 0) {
      ctx.wait_for_bulk_reads();
    }
  }

private:
  /// Index in the tile of this lane's first item in row `row` of a share.
  template <class Context>
  static GIMBAL_DEVICE unsigned first_item(const Context& ctx, unsigned number, unsigned row)
  {
    return ((number * Rows + row) * simt::warp_threads + ctx.lane()) * segment_items;
  }

  /// This lane's segment of a row of a share.
  template <class Context>
  static GIMBAL_DEVICE void read(
    const Context& ctx, const stage& landed, unsigned number, unsigned row, uninit<value> (&own)[segment_items])
  {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(landed);
    block::lane_segment<value, segment_items>::read(
      bytes + (number * Rows + row) * (row_items * value_bytes), ctx.lane(), own);
  }

  // The entries beside segments are aligned to the largest power of two that they are a number of, up to a vector.
  static constexpr unsigned segment_bytes = segment_items * stencil_bytes;
  static constexpr unsigned part_bytes =
    (segment_bytes | partition_vector_bytes) & -(segment_bytes | partition_vector_bytes);

  /// Select from a share of a tile. `entries` has that of the tile's first item. `AreFull`: the tile lacks no items,
  /// and the entries beside each segment begin at a multiple of a part; so all are loaded before the first is used.
  template <bool AreFull, class Context>
  GIMBAL_DEVICE flags_type select_from_share(
    const Context& ctx, const stage& landed, const unsigned char* entries, block::valid_range valid,
    unsigned number) const
  {
    uninit<value> row[Rows][segment_items];
    struct {
      alignas(partition_vector_bytes) unsigned char entries[has_stencil ? segment_bytes : 1];
    } beside[Rows];
    GIMBAL_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      read(ctx, landed, number, r, row[r]);
      if constexpr (AreFull && has_stencil) {
        const void* const from = entries + first_item(ctx, number, r) * stencil_bytes;
        std::memcpy(beside[r].entries, __builtin_assume_aligned(from, part_bytes), segment_bytes);
      }
    }
    std::uint32_t words[flags_words] = {};  // 64 bits in one take an instruction more each
    GIMBAL_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      const unsigned first = first_item(ctx, number, r);
      const Selector own = selector.over(AreFull ? beside[r].entries : entries + first * stencil_bytes);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < segment_items; ++i) {
        const unsigned bit = r * segment_items + i;
        if ((AreFull || has(valid, first + i)) && own.selects(nullptr, i, row[r][i].get())) {
          words[bit / 32] |= std::uint32_t{1} << (bit % 32);
        }
      }
    }
    flags_type flags = words[0];
    if constexpr (flags_words == 2) {
      flags |= static_cast<flags_type>(words[1]) << 32;
    }
    return flags;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
