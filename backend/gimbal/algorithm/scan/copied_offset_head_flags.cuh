// Head flags from offsets in an array, for the kernel of persistent_kernel.cuh, where many fall into each tile: a
// head-flag warp that loads them, as those of offset_head_flags.cuh do, waits for memory most of the time, for it has
// no registers for more loads; bulk copies into shared memory need none.
//
// Each head-flag warp has a few buffers for pieces of the offsets and always has a copy in flight into every buffer
// that it is not reading: pieces of the tile it has come to, then of its next one. A tile has as many pieces as the
// tiles before it needed on average. Where they begin, 32 offsets at even distances around a guess show, which are
// loaded a tile ahead, so that they are there when they are needed; only where segments get longer or shorter all of a
// sudden is there a search. The first tile's copies are started at the start of the kernel, when there is nothing but
// the guess. So a tile may begin before its pieces or go on after them: then the head-flag warp loads the rest.
//
// Bytes moved: each offset once from memory, though up to three hundred for each tile are read twice, by neighbours at
// about the same time.
//
// Memory order: a copy's bytes are read after its barrier, at which it alone arrives; into the same buffer the next is
// started by one lane of the head-flag warp that has read it, after a barrier of the warp, as no other warp uses it.
// Head-flag bytes: as in offset_head_flags.cuh.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>

#include <gimbal/algorithm/scan/offset_head_flags.cuh>
#include <gimbal/pipeline/persistent_io.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>
#include <gimbal/tile/segment_heads.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Heads from offsets that are to be copied.
template <class OffsetIt>
struct many_offsets {
  heads_from_offsets<OffsetIt> heads;
};

template <class OffsetIt, unsigned FlagWarps>
struct copied_offset_head_flags : offset_flag_bytes<OffsetIt, FlagWarps> {
  using base = offset_flag_bytes<OffsetIt, FlagWarps>;
  using base::heads;
  using base::offsets_per_item;
  using typename base::offset;
  using typename base::word;
  using source = block::memory_source<offset>;
  static constexpr bool can_be_copied = block::is_array_v<OffsetIt> && ::cuda::std::is_integral<offset>::value;
  static constexpr index_type most_per_item = 1 << 16;  // so that those of a tile are counted by words
  static constexpr unsigned buffers = tuning::offset_copy_buffers;
  static constexpr unsigned most_items = tuning::offset_copy_bytes / sizeof(offset);

  struct piece {
    alignas(16) unsigned char bytes[most_items * sizeof(offset)];
    simt::phase_barrier landed;
  };
  static constexpr std::size_t beside_bytes = sizeof(piece[FlagWarps][buffers]);
  template <unsigned Slots, class Tiles>
  struct ring_type : base::template ring_type<Slots, Tiles> {
    piece copied[FlagWarps][buffers];
  };

  /// The copies of a head-flag warp. Positions are counted from the source's origin.
  struct queue {
    unsigned items;   // of a piece
    unsigned pieces;  // of this head-flag warp, of the tile of which it copies them
    block::ring_position<buffers> oldest = {};
    unsigned tile;         // of which a piece is copied next
    unsigned issued = 0;   // of that tile
    index_type begin;      // of that tile's pieces, those of all head-flag warps
    index_type look_at;    // this lane's look
    uninit<offset> found;  // there
  };

  source offsets;
  index_type lead;  // positions before the first offset

  /// By each head-flag warp before the barrier of the block: start the copies of the first pieces of its first tile.
  template <class Policy, class Context, class Tiles, class Ring, class Scheduler>
  GIMBAL_DEVICE void begin(Context& ctx, const Tiles& tiles, Ring& ring, const Scheduler& own, unsigned flag_warp) const
  {
    const flag_warp_share share = base::template share_of<Policy>(own, flag_warp);
    queue queued = first_queue(tiles, share);
    if (ctx.lane() == 0 && queued.tile < share.tiles) {
      for (piece& copied : ring.copied[share.flag_warp]) {
        ctx.init(copied.landed, 1);
        load(ctx, copied, share, queued);
        ++queued.issued;
      }
    }
  }

  /// By each head-flag warp that has done so, where tiles are assigned anew: these pieces have landed, and their
  /// buffers are free again.
  template <class Policy, class Context, class Ring, class Scheduler>
  GIMBAL_DEVICE void settle(Context& ctx, Ring& ring, const Scheduler& own, unsigned flag_warp) const
  {
    const flag_warp_share share = base::template share_of<Policy>(own, flag_warp);
    if (share.first_tile < share.tiles) {
      for (piece& copied : ring.copied[share.flag_warp]) {
        ctx.wait(copied.landed, 0);
        ctx.sync_warp();  // all lanes have seen it
        if (ctx.lane() == 0) {
          ctx.invalidate(copied.landed);
        }
      }
    }
  }

  template <class Policy, class Context, class Tiles, class Ring, class Scheduler>
  GIMBAL_DEVICE void help(Context& ctx, const Tiles& tiles, Ring& ring, const Scheduler& own, unsigned flag_warp) const
  {
    const flag_warp_share share = base::template share_of<Policy>(own, flag_warp);
    block::ring_position<Policy::flag_slots> at;
    queue queued = first_queue(tiles, share);
    queued.issued = buffers;
    look(ctx, tiles, share, queued, queued.begin + slack / 2);
    at.advance(share.group);
    for (unsigned tile = share.first_tile; tile < share.tiles; tile += share.tile_step) {
      const tile_offsets to = base::template offsets_of<Tiles>(tiles, tile, ring.is_head[at.stage]);
      base::template wait_for_slot<Tiles>(ctx, tile, ring, at, share.member, to);
      const index_type rest = flag_copied(ctx, tiles, ring.copied[share.flag_warp], to, share, queued);
      if (rest != none) {
        flag_by_loads<Tiles>(ctx, rest == lost ? search<Tiles>(ctx, tiles, tile) : rest, to);
      }
      base::hand_on(ctx, ring, at);
      at.advance(share.groups);
    }
  }

private:
  using typename base::tile_offsets;
  static constexpr index_type none = -1;
  static constexpr index_type lost = -2;
  static constexpr unsigned line = 32;  // offsets: pieces begin at lines of memory where the offsets do
  static constexpr index_type look_distance = 128;
  static constexpr unsigned slack = 256;  // offsets more than expected: before the tile as many as between two looks
  static_assert(look_distance + line < slack);
  static_assert(!can_be_copied || most_items % line == 0);

  GIMBAL_DEVICE block::persistent_tiles<1, 1> positions() const { return {lead, lead + heads.segment_count}; }

  static GIMBAL_DEVICE index_type whole_line(index_type position) { return position < 0 ? 0 : position / line * line; }

  /// Where a tile's offsets begin if all segments are of the same length.
  template <class Tiles>
  GIMBAL_DEVICE index_type guess(const Tiles& tiles, unsigned tile) const
  {
    const index_type first = Tiles::first_of(tile) - tiles.begin;
    return lead + static_cast<index_type>(static_cast<double>(first) * offsets_per_item);
  }

  template <class Tiles>
  GIMBAL_DEVICE queue first_queue(const Tiles& tiles, const flag_warp_share& share) const
  {
    const auto all = static_cast<unsigned>(static_cast<double>(Tiles::tile_items) * offsets_per_item) + slack;
    const unsigned own = (all + share.members - 1) / share.members;
    queue made;
    made.pieces = own > buffers * most_items ? (own + most_items - 1) / most_items : buffers;
    made.items = ((own + made.pieces - 1) / made.pieces + line - 1) / line * line;
    made.tile = share.first_tile;
    made.begin = whole_line(guess(tiles, share.first_tile) - slack / 2);
    return made;
  }

  // ---- flagging

  /// Set the flags of what this head-flag warp has copied of a tile. Returns the number of the offset from which it has
  /// to go on; `lost` where that must be searched for, `none` where nothing is left.
  template <class Context, class Tiles>
  GIMBAL_DEVICE index_type flag_copied(
    Context& ctx, const Tiles& tiles, piece (&own)[buffers], const tile_offsets& to, const flag_warp_share& share,
    queue& queued) const
  {
    bool is_missed = false;  // the tile begins before its pieces, or after
    bool goes_on = false;    // after them
    const unsigned pieces = queued.pieces;
    index_type first = queued.begin + share.member * queued.items;
    for (unsigned p = 0; p < pieces; ++p) {
      piece& oldest = own[queued.oldest.stage];
      ctx.wait(oldest.landed, queued.oldest.parity);  // the offsets have landed
      const block::valid_range valid = positions().valid(first, queued.items);
      const auto* const copied = reinterpret_cast<const uninit<offset>*>(oldest.bytes);
      const auto word_at = [&](unsigned i) { return static_cast<word>(copied[i].get()); };
      if (share.member + p == 0 && first > lead && (valid.hi == 0 || word_at(0) > to.lowest)) {
        is_missed = true;
      }
      flag_piece<Tiles>(ctx, valid, word_at, to);
      if (p + 1 == pieces && share.member + 1 == share.members && valid.hi == queued.items) {
        const word last = word_at(queued.items - 1);
        goes_on = last <= to.highest;
        is_missed = is_missed || last < to.lowest;  // a piece further on would not do
      }
      ctx.bulk_fence();
      ctx.sync_warp();  // all lanes have read the piece
      issue(ctx, tiles, oldest, share, queued);
      queued.oldest.advance();
      first += index_type{share.members} * queued.items;
    }
    return is_missed ? lost : goes_on ? first - share.member * queued.items - lead : none;
  }

  /// Several offsets are read before the first flag is set.
  template <class Tiles, class Context, class WordAt>
  static GIMBAL_DEVICE void flag_piece(Context& ctx, block::valid_range valid, WordAt word_at, const tile_offsets& to)
  {
    constexpr unsigned batch = 8;
    for (unsigned i = valid.lo + ctx.lane(); i < valid.hi; i += batch * simt::warp_threads) {
      word held[batch] = {};
      GIMBAL_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        if (i + b * simt::warp_threads < valid.hi) {
          held[b] = word_at(i + b * simt::warp_threads);
        }
      }
      GIMBAL_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        if (i + b * simt::warp_threads < valid.hi) {
          base::template set_own<Tiles>(ctx, to, held[b]);
        }
      }
    }
  }

  template <class Tiles, class Context>
  GIMBAL_DEVICE index_type search(Context& ctx, const Tiles& tiles, unsigned tile) const
  {
    const index_type first = Tiles::first_of(tile) - tiles.begin;
    return block::warp_offsets_from(ctx, heads.offsets, heads.segment_count, first, guess(tiles, tile) - lead, slack);
  }

  /// The tile's offsets from number `segment` on.
  template <class Tiles, class Context>
  GIMBAL_DEVICE void flag_by_loads(Context& ctx, index_type segment, const tile_offsets& to) const
  {
    constexpr unsigned batch = 4;
    const index_type last = heads.segment_count - 1;
    for (bool is_over = false; !is_over && segment <= last; segment += batch * simt::warp_threads) {
      word own[batch];
      GIMBAL_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        const index_type at = segment + b * simt::warp_threads + ctx.lane();
        own[b] = static_cast<word>(*(heads.offsets + (at < last ? at : last)));  // once more, where there are no others
      }
      GIMBAL_UNROLL
      for (unsigned b = 0; b < batch; ++b) {
        base::template set_own<Tiles>(ctx, to, own[b]);
      }
      is_over = ctx.ballot(own[batch - 1] > to.highest) != 0;
    }
  }

  // ---- copying

  /// Start the copy of the next piece: of the same tile or of the head-flag warp's next one.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void issue(
    Context& ctx, const Tiles& tiles, piece& target, const flag_warp_share& share, queue& queued) const
  {
    if (queued.issued == queued.pieces) {
      queued.tile += share.tile_step;
      queued.issued = 0;
      if (queued.tile < share.tiles) {
        find_begin(ctx, tiles, share, queued);
      }
    }
    if (queued.tile < share.tiles) {
      if (ctx.lane() == 0) {
        load(ctx, target, share, queued);
      }
      ++queued.issued;
    }
  }

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, piece& target, const flag_warp_share& share, const queue& queued) const
  {
    const index_type number = index_type{queued.issued} * share.members + share.member;
    offsets.load(ctx, positions(), queued.begin + number * queued.items, queued.items, target.bytes, target.landed);
  }

  /// Look for the begin of the tile after the one of which pieces are being copied, which begins near `begin`.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void look(
    Context& ctx, const Tiles& tiles, const flag_warp_share& share, queue& queued, index_type begin) const
  {
    const index_type distance = guess(tiles, queued.tile + share.tile_step) - guess(tiles, queued.tile);
    queued.look_at = begin + distance + (ctx.lane() - index_type{simt::warp_threads / 2}) * look_distance;
    if (const auto at = queued.look_at - lead; at >= 0 && at < heads.segment_count) {
      queued.found.set(*(heads.offsets + at));
    }
  }

  /// Where the offsets of the tile begin that was looked for, and how many they may be; then look for the next.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void find_begin(Context& ctx, const Tiles& tiles, const flag_warp_share& share, queue& queued) const
  {
    const index_type first = Tiles::first_of(queued.tile) - tiles.begin;
    const index_type at = queued.look_at - lead;
    const bool is_before = at < 0 || (at < heads.segment_count && static_cast<index_type>(queued.found.get()) < first);
    const unsigned passed = simt::popcount(ctx.ballot(is_before));
    index_type begin = ctx.shfl(queued.look_at, passed > 0 ? passed - 1 : 0);
    if (passed == 0 || passed == simt::warp_threads) {
      begin =
        lead + block::warp_offsets_from(ctx, heads.offsets, heads.segment_count, first, begin - lead, look_distance);
    }
    const float passed_by = begin > queued.begin ? static_cast<float>(begin - queued.begin) : 0;
    const auto offsets_a_tile = static_cast<unsigned>(passed_by / static_cast<float>(share.tile_step));
    const unsigned together = queued.items * share.members;
    const unsigned pieces = (offsets_a_tile + slack + together - 1) / together;
    queued.pieces = pieces < buffers ? buffers : pieces;
    queued.begin = whole_line(begin);
    look(ctx, tiles, share, queued, begin);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
