// Head flags of the persistent segmented scan (persistent_scan_policy.cuh): what is copied beside the items, and those
// from offsets; from keys or flags they are in item_head_flags.cuh.
//
// Offsets become bits, one per item in the storage of the call, by a launch beforehand. Each of its warps makes the
// bits of neighbouring chunks of items. It searches for the first offset of its first chunk, from where that is guessed
// from how many there are in all, and goes on from chunk to chunk. Heads are set as bytes in shared memory, for which
// no two lanes have to wait for each other, and then packed.
//
// Bytes moved: each offset once, and for each item a bit out and in.
// Balance: offsets of segments without items are passed over by the warp that makes the bits of the item after them.
// Progress: the warps of the launch do not wait for each other.
// Memory order: reduce warps leave the bits of their lanes in the stage, where store warps read them after `ready`,
//   before they release it.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>

#include <gimbal/algorithm/scan/persistent_scan_policy.cuh>
#include <gimbal/tile/segment_heads.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Head flags, a bit for each of a lane's items, the first lowest: reduce warps leave them in the stage for the lanes
/// that scan. Beside this they have
///
///   find(ctx, tiles, copied, tile, warp)   by all lanes of a reduce warp: the bits of a lane's items, from what has been
///                                          copied of the tile
///   fetch_ahead(ctx, tiles, first)         unless they are copied; by one lane of a reduce warp: see to it that what
///                                          heads of the chunk from `first` on are made of is in the L2 cache
struct staged_heads : no_head_flags {
  static constexpr bool exist = true;
  template <unsigned Warps>
  struct stage {
    std::uint32_t heads[Warps][simt::warp_threads];
  };
};

/// What `Source` brings beside the items by bulk copies: `ItemBits` for each item, of a tile and of `Lead` items before
/// it, with up to `AroundBytes` around them.
template <class Source, unsigned Lead, unsigned ItemBits, unsigned AroundBytes>
struct copied_heads : staged_heads {
  static constexpr bool copies = true;
  template <class Tiles>
  static constexpr std::size_t copied_bytes = ((Lead + Tiles::tile_items) * ItemBits / 8 + AroundBytes + 15) / 16 * 16;

  Source source;

  /// Those of the tile that begins at position `first`, by one thread.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void load(
    Context& ctx, const Tiles& tiles, index_type first, unsigned char* target, simt::phase_barrier& full) const
  {
    source.load(ctx, tiles, first - index_type{Lead}, Lead + Tiles::tile_items, target, full);
  }
};

/// A bit of each item, in whole chunks.
template <class OffsetIt>
struct offset_bits_kernel {
  static constexpr const char* step = "head flags of a segmented scan by offsets";
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned lane_words = tuning::offset_bits::lane_words;
  static constexpr unsigned words = lane_words * simt::warp_threads;  // of a chunk
  static constexpr unsigned chunk_items = 32 * words;

  /// A byte per item, four to a word. Those of the same word of bits lie in rows, so that the lanes that set the heads
  /// of a row and those that pack it hit all banks.
  static constexpr unsigned row_words = words + 1;
  struct shared {
    std::uint32_t is_head[warps][8 * row_words];
  };

  heads_from_offsets<OffsetIt> heads;
  index_type n;
  std::uint32_t* bits;
  index_type warp_chunks = 0;

  static index_type chunks(index_type items) { return (items + chunk_items - 1) / chunk_items; }

  status launch(simt::stream_type stream)
  {
    const index_type all = chunks(n);
    warp_chunks = (all + tuning::offset_bits::most_warps - 1) / tuning::offset_bits::most_warps;
    const index_type block_chunks = warp_chunks * warps;
    return simt::launch(*this, (all + block_chunks - 1) / block_chunks, stream, step);
  }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    std::uint32_t* const is_head = smem.is_head[ctx.warp()];
    const index_type begin = (index_type{ctx.block()} * warps + ctx.warp()) * warp_chunks * chunk_items;
    for (unsigned w = ctx.lane(); w < 8 * row_words; w += simt::warp_threads) {
      is_head[w] = 0;
    }
    index_type segment = 0;
    if (begin > 0 && begin < n) {
      const double per_item = static_cast<double>(heads.segment_count) / static_cast<double>(n);
      const auto guess = static_cast<index_type>(static_cast<double>(begin) * per_item);
      segment = block::warp_offsets_from(ctx, heads.offsets, heads.segment_count, begin, guess, batch_items);
    }
    const index_type end = begin + warp_chunks * chunk_items;
    offset_batch batch;
    for (index_type chunk = begin; chunk < end && chunk < n; chunk += chunk_items) {
      ctx.sync_warp();  // no byte is set
      if (chunk == 0 && ctx.lane() == 0) {
        set(ctx, is_head, 0);
      }
      if (chunk == begin) {
        load(ctx, segment, batch);
      }
      while (set_heads(ctx, is_head, chunk, batch)) {
        segment += batch_items;
        load(ctx, segment, batch);
      }
      ctx.sync_warp();  // all heads of the chunk are set
      pack(ctx, is_head, bits + chunk / 32);
    }
  }

private:
  static constexpr unsigned lane_offsets = 8;  // loaded at a time
  static constexpr unsigned batch_items = lane_offsets * simt::warp_threads;
  /// Neighbouring offsets, a row of them in each element; chunks of long segments share one.
  using offset_batch = index_type[lane_offsets];

  /// From number `segment` on, which may be after the last one.
  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, index_type segment, offset_batch& batch) const
  {
    const index_type last = heads.segment_count - 1;
    GIMBAL_UNROLL
    for (unsigned b = 0; b < lane_offsets; ++b) {
      const index_type at = segment + b * simt::warp_threads + ctx.lane();
      batch[b] = at > last ? n : block::load_as<index_type>(heads.offsets + at);
    }
  }

  template <class Context>
  static GIMBAL_DEVICE void set(Context& ctx, std::uint32_t* is_head, unsigned item)
  {
    auto* const bytes = reinterpret_cast<unsigned char*>(is_head + item % 32 / 4 * row_words + item / 32);
    // Relaxed: lanes that set the same byte store the same, and a barrier of the warp follows.
    ctx.atomic_shared(bytes[item % 4]).store(1, ::cuda::std::memory_order_relaxed);
  }

  /// Of the chunk that begins with item `first`. Whether the chunk may have more of them, in the next batch.
  template <class Context>
  GIMBAL_DEVICE bool set_heads(Context& ctx, std::uint32_t* is_head, index_type first, const offset_batch& batch) const
  {
    const index_type left = n - first;
    const index_type count = left < chunk_items ? left : chunk_items;
    GIMBAL_UNROLL
    for (unsigned b = 0; b < lane_offsets; ++b) {
      const index_type item = batch[b] - first;
      if (item >= 0 && item < count) {
        set(ctx, is_head, static_cast<unsigned>(item));
      }
    }
    return ctx.ballot(batch[lane_offsets - 1] - first >= count) == 0;
  }

  template <class Context>
  static GIMBAL_DEVICE void pack(Context& ctx, std::uint32_t* is_head, std::uint32_t* to)
  {
    GIMBAL_UNROLL
    for (unsigned w = 0; w < words; w += simt::warp_threads) {
      std::uint32_t packed = 0;
      GIMBAL_UNROLL
      for (unsigned row = 0; row < 8; ++row) {
        std::uint32_t& four = is_head[row * row_words + w + ctx.lane()];
        // Bytes 0 to 3, each 0 or 1, are added to bits 24 to 27; no sum of lower bits carries.
        packed |= (four * 0x01020408u >> 24 & 0xf) << 4 * row;
        four = 0;
      }
      to[w + ctx.lane()] = packed;
    }
  }
};

/// These bits, from 16 bytes before a tile's at most to as many after them.
struct bit_source {
  static constexpr index_type vector_items = 128;

  const std::uint32_t* bits;

  template <class Context, class Tiles>
  GIMBAL_DEVICE void load(
    Context& ctx, const Tiles& tiles, index_type first, unsigned items, unsigned char* target,
    simt::phase_barrier& full) const
  {
    const index_type begin = first / vector_items;
    const index_type end = (first + tiles.valid(first, items).hi + vector_items - 1) / vector_items;
    const auto bytes = static_cast<unsigned>(end - begin) * unsigned{sizeof(simt::vector16)};
    ctx.arrive_expecting(full, bytes);
    ctx.bulk_load(target, reinterpret_cast<const simt::vector16*>(bits) + begin, bytes, full);
  }
};

template <class OffsetIt>
struct offset_head_flags : copied_heads<bit_source, 0, 1, 2 * sizeof(simt::vector16)> {
  offset_bits_kernel<OffsetIt> made;

  std::size_t array_bytes() const { return static_cast<std::size_t>(made.chunks(made.n)) * (made.chunk_items / 8); }
  status prepare(const launch_words& words)
  {
    made.bits = words.arrays<std::uint32_t>();
    source.bits = made.bits;
    return made.launch(words.stream());
  }

  /// This lane's heads.
  template <class Context, class Tiles>
  GIMBAL_DEVICE std::uint32_t find(
    Context& ctx, const Tiles& tiles, const unsigned char* copied, unsigned tile, unsigned warp) const
  {
    constexpr unsigned items = Tiles::segment_items;
    const index_type first = Tiles::first_of(tile);
    const unsigned before = warp * Tiles::chunk_items + ctx.lane() * items;  // in the tile
    return block::bits_at(
      reinterpret_cast<const std::uint32_t*>(copied), static_cast<unsigned>(first % bit_source::vector_items) + before,
      tiles.valid(first + before, items).hi);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
