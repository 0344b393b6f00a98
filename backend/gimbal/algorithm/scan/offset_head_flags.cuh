// Head flags from offsets, for the kernel of persistent_kernel.cuh: head-flag warps search for the offsets that fall
// into a tile, tiles ahead of the reduce warps, and set a byte for each of them, which takes no atomic operation; the
// lanes that reduce turn bytes into bits and clear them again.
//
// A trip to memory takes as long as a tile, so a tile must not take many: where its offsets begin is guessed from how
// many there are in all, and the guess is corrected by one round of loads in most cases, as flagging may begin early:
// offsets before the tile are skipped. Then many offsets are loaded at a time. Head-flag warps take the tiles in turn,
// so that as many searches overlap; where blocks have no more than a tile or two, several work on the same one.
//
// Memory order: head-flag warps wait until a slot is empty, set bytes and arrive at `full`, each warp after a barrier
// of its own; reduce warps read and clear after `full` and arrive at `empty`. Head-flag warps may set a byte twice:
// relaxed, all store the same.
//
// Offsets in an array, many to a tile, are copied by copied_offset_head_flags.cuh, into the same bytes.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>

#include <gimbal/algorithm/scan/head_flags.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>
#include <gimbal/tile/segment_heads.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What a head-flag warp has to do: `groups` of `members` such warps take the tiles of the block in turn; those that
/// make no whole group have nothing to do.
struct flag_warp_share {
  unsigned flag_warp;
  unsigned members;
  unsigned member;
  unsigned groups;
  unsigned group;
  unsigned first_tile;
  unsigned tile_step;
  unsigned tiles;  // of all blocks
};

/// What head flags from offsets have in common: the bytes, who sets and who reads them.
template <class OffsetIt, unsigned FlagWarps>
struct offset_flag_bytes : staged_heads {
  static constexpr bool come_first = false;
  static constexpr unsigned flag_warps = FlagWarps;
  static constexpr unsigned most_slots = FlagWarps > 4 ? FlagWarps : 4;

  /// A byte per item, those of a lane in whole words.
  template <unsigned Slots, class Tiles>
  struct ring_type {
    static constexpr unsigned lane_words = (Tiles::segment_items + 3) / 4;
    static constexpr unsigned words = Tiles::tile_items / Tiles::segment_items * lane_words;
    static constexpr std::size_t slot_bytes = words * sizeof(std::uint32_t);
    std::uint32_t is_head[Slots][words];
    simt::phase_barrier full[Slots];
    simt::phase_barrier empty[Slots];
  };

  heads_from_offsets<OffsetIt> heads;
  double offsets_per_item;

  template <class Policy, class Context, class Ring, class Scheduler>
  GIMBAL_DEVICE void init(Context& ctx, Ring& ring, const Scheduler& own, unsigned, bool again) const
  {
    static_assert(Policy::flag_slots >= 4, "where several head-flag warps work on a tile, no slot is used twice");
    const unsigned members = together(own.tiles, own.server.blocks);
    block::for_stages_of_warp(ctx, Policy::flag_slots, 0, 1, [&](unsigned s) {
      block::init_barrier(ctx, ring.full[s], members, again);
      block::init_barrier(ctx, ring.empty[s], Policy::warps, again);
    });
    // No head is set, in the slots that are used: a barrier of the block follows.
    const unsigned used = own.tiles <= own.server.blocks ? 1 : Policy::flag_slots;
    std::uint32_t* const words = &ring.is_head[0][0];  // as an index it would reach beyond the first slot's words
    GIMBAL_NO_UNROLL
    for (unsigned w = ctx.thread(); w < used * Ring::words; w += Context::block_threads) {
      words[w] = 0;
    }
  }

  /// This lane's heads.
  template <class Context, class Tiles, class Ring, class Position>
  GIMBAL_DEVICE std::uint32_t find(
    Context& ctx, const Tiles&, Ring& ring, const Position& at, unsigned, unsigned warp) const
  {
    ctx.wait(ring.full[at.stage], at.parity);  // the tile's head flags are set
    std::uint32_t* const own = ring.is_head[at.stage] + (warp * simt::warp_threads + ctx.lane()) * Ring::lane_words;
    std::uint32_t found = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < Ring::lane_words; ++w) {
      // Bytes 0 to 3, each 0 or 1, are added to bits 24 to 27; no sum of lower bits carries.
      found |= (own[w] * 0x01020408u >> 24 & 0xf) << 4 * w;
      own[w] = 0;
    }
    return found;
  }

  /// By one lane of each reduce warp, after a barrier of the warp.
  template <class Context, class Ring, class Position>
  GIMBAL_DEVICE void release(Context& ctx, Ring& ring, const Position& at) const
  {
    ctx.arrive(ring.empty[at.stage]);
  }

protected:
  using offset = value_type_of<OffsetIt>;

  /// How many head-flag warps work on the same tile.
  GIMBAL_DEVICE unsigned together(unsigned tiles, unsigned blocks) const
  {
    const bool are_halves = tiles <= tuning::halved_flag_warps_tiles(offsets_per_item) * blocks && flag_warps > 1;
    return tiles <= blocks ? flag_warps : are_halves ? flag_warps / 2 : 1;
  }
  template <class Policy, class Scheduler>
  GIMBAL_DEVICE flag_warp_share share_of(const Scheduler& own, unsigned flag_warp) const
  {
    const unsigned members = together(own.tiles, own.server.blocks);
    const unsigned groups =
      members == 1 ? Policy::flag_warp_groups : flag_warps / members;  // of few tiles: no slot twice
    const unsigned group = flag_warp / members;
    const unsigned first_tile = group < groups ? own.tile(group) : own.tiles;
    return {flag_warp, members, flag_warp % members, groups, group, first_tile, groups * own.server.blocks, own.tiles};
  }

  using word = ::cuda::std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;

  /// The offsets of a tile are those from `lowest` to `highest`.
  struct tile_offsets {
    word lowest;
    word highest;
    unsigned origin;  // what an offset that is the tile's first position would be, modulo 2^32
    unsigned char* is_head;
  };

  template <class Tiles>
  static GIMBAL_DEVICE tile_offsets offsets_of(const Tiles& tiles, unsigned tile, void* is_head)
  {
    const index_type first = Tiles::first_of(tile) - tiles.begin;
    const index_type behind = first + Tiles::tile_items;
    const index_type last = (behind < tiles.end - tiles.begin ? behind : tiles.end - tiles.begin) - 1;
    constexpr std::uint64_t largest = static_cast<word>(-1);
    tile_offsets to{
      static_cast<word>(first < 0 ? 0 : first),
      static_cast<std::uint64_t>(last) < largest ? static_cast<word>(last) : static_cast<word>(-1),
      static_cast<unsigned>(first), static_cast<unsigned char*>(is_head)};
    if (first > 0 && static_cast<std::uint64_t>(first) > largest) {
      to.lowest = 1;  // no offset is so large
      to.highest = 0;
    }
    return to;
  }

  /// Before the first head flag of a tile.
  template <class Tiles, class Context, class Ring, class Position>
  static GIMBAL_DEVICE void wait_for_slot(
    Context& ctx, unsigned tile, Ring& ring, const Position& at, unsigned member, const tile_offsets& to)
  {
    ctx.wait(ring.empty[at.stage], at.parity ^ 1);  // the heads have been read and cleared
    if (tile == 0 && member == 0 && ctx.lane() == 0) {
      set<Tiles>(ctx, to, 0);
    }
  }

  /// By a head-flag warp when it has set the flags of its share of a tile.
  template <class Context, class Ring, class Position>
  static GIMBAL_DEVICE void hand_on(Context& ctx, Ring& ring, const Position& at)
  {
    ctx.sync_warp();  // all lanes have set their flags
    if (ctx.lane() == 0) {
      ctx.arrive(ring.full[at.stage]);
    }
  }

  template <class Tiles, class Context>
  static GIMBAL_DEVICE void set(Context& ctx, const tile_offsets& to, word own)
  {
    constexpr unsigned items = Tiles::segment_items;
    constexpr unsigned padded = (items + 3) / 4 * 4;
    const unsigned item = static_cast<unsigned>(own) - to.origin;
    const unsigned byte = padded == items ? item : item / items * padded + item % items;
    // Relaxed: the phase barrier that follows orders the bytes.
    ctx.atomic_shared(to.is_head[byte]).store(1, ::cuda::std::memory_order_relaxed);
  }
  /// If the offset is one of the tile's.
  template <class Tiles, class Context>
  static GIMBAL_DEVICE void set_own(Context& ctx, const tile_offsets& to, word own)
  {
    if (own >= to.lowest && own <= to.highest) {
      set<Tiles>(ctx, to, own);
    }
  }
};

/// Offsets that any iterator brings, by loads.
template <class OffsetIt, unsigned FlagWarps>
struct offset_head_flags : offset_flag_bytes<OffsetIt, FlagWarps> {
  using base = offset_flag_bytes<OffsetIt, FlagWarps>;
  using base::heads;
  using base::offsets_per_item;

  template <class Policy, class Context, class Tiles, class Ring, class Scheduler>
  GIMBAL_DEVICE void help(Context& ctx, const Tiles& tiles, Ring& ring, const Scheduler& own, unsigned flag_warp) const
  {
    const flag_warp_share share = base::template share_of<Policy>(own, flag_warp);
    block::ring_position<Policy::flag_slots> at;
    unsigned turn = 0;
    bool guess_is_good = true;
    for (unsigned tile = own.first_tile; tile < own.tiles; tile += own.server.blocks) {
      if (turn == share.group) {
        guess_is_good = flag_tile(ctx, tiles, tile, ring, at, share.member, share.members, guess_is_good);
      }
      turn = turn + 1 < share.groups ? turn + 1 : 0;
      at.advance();
    }
  }

private:
  using typename base::offset;
  using typename base::tile_offsets;
  using typename base::word;
  // Offsets that a lane loads at a time, where there are few heads or many: of a tile of nothing but heads, all
  // head-flag warps together load all.
  static constexpr unsigned few = 4;
  static constexpr unsigned dense_slack = 256;
  template <class Tiles>
  static constexpr unsigned many = [] {
    constexpr unsigned all = simt::warp_threads * FlagWarps;
    constexpr unsigned share = (Tiles::tile_items + dense_slack + all - 1) / all;
    constexpr unsigned most = 80 / sizeof(word);
    return share < few ? few : share < most ? share : most;
  }();

  /// The heads of a tile, by head-flag warp `member` of `members`. With `guess_is_good` the offsets where the tile is
  /// guessed to begin are loaded while that is searched. True if that saved a trip to memory, or would have done so.
  template <class Context, class Tiles, class Ring, class Position>
  GIMBAL_DEVICE bool flag_tile(
    Context& ctx, const Tiles& tiles, unsigned tile, Ring& ring, const Position& at, unsigned member, unsigned members,
    bool guess_is_good) const
  {
    const index_type first = Tiles::first_of(tile) - tiles.begin;  // negative only in tile 0
    const tile_offsets to = base::template offsets_of<Tiles>(tiles, tile, ring.is_head[at.stage]);
    const double expected = static_cast<double>(Tiles::tile_items) * offsets_per_item;
    const bool is_dense =
      expected > few * simt::warp_threads / 2 && heads.segment_count >= many<Tiles> * simt::warp_threads;
    const index_type step = index_type{members} * (is_dense ? many<Tiles> : few) * simt::warp_threads;
    const index_type own = member * (is_dense ? many<Tiles> : few) * simt::warp_threads;
    const index_type slack = is_dense ? dense_slack : 32;  // offsets that are loaded needlessly
    const auto guess = static_cast<index_type>(static_cast<double>(first) * offsets_per_item);
    index_type begin =
      tile == 0 || guess < slack / 2 ? 0 : (guess - slack / 2) / simt::warp_threads * simt::warp_threads;
    uninit<offset> loaded[many<Tiles>];
    if (guess_is_good) {
      load(ctx, begin + own, is_dense, loaded);
    }
    bool is_loaded = guess_is_good;
    if (tile > 0) {
      const index_type found = block::warp_offsets_from(ctx, heads.offsets, heads.segment_count, first, guess, slack);
      guess_is_good = found >= begin && found <= begin + slack;
      if (!guess_is_good) {
        begin = found / simt::warp_threads * simt::warp_threads;  // whole lines of memory
        is_loaded = false;
      }
    }
    const index_type likely_end = begin + slack / 2 + static_cast<index_type>(expected);
    index_type segment = begin + own;
    bool is_waiting = true;
    for (bool is_over = false; !is_over; segment += step) {
      if (!is_loaded) {
        load(ctx, segment, is_dense, loaded);
      }
      if (is_waiting) {
        base::template wait_for_slot<Tiles>(ctx, tile, ring, at, member, to);
        is_waiting = false;
      }
      is_loaded = is_dense && segment + step < likely_end;
      is_over = flag_batch<Tiles>(ctx, to, segment, is_loaded ? step : 0, is_dense, loaded);
    }
    base::hand_on(ctx, ring, at);
    return guess_is_good;
  }

  /// Where a lane's offsets of a large batch are. The last batch is whole, too, and begins with some of the one before:
  /// flags may be set twice.
  template <unsigned Many, class Context>
  GIMBAL_DEVICE OffsetIt large_batch(Context& ctx, index_type segment) const
  {
    const index_type last = heads.segment_count - index_type{Many} * simt::warp_threads;
    return heads.offsets + ((segment < last ? segment : last) + ctx.lane());
  }

  template <class Context, unsigned Many>
  GIMBAL_DEVICE void load(Context& ctx, index_type segment, bool is_dense, uninit<offset> (&loaded)[Many]) const
  {
    if (segment >= heads.segment_count) {
      return;
    }
    if (is_dense) {
      const OffsetIt own = large_batch<Many>(ctx, segment);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Many; ++i) {
        loaded[i].set(static_cast<offset>(*(own + i * simt::warp_threads)));
      }
    } else {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < few; ++i) {
        const index_type at = segment + i * simt::warp_threads + ctx.lane();
        const index_type last = heads.segment_count - 1;  // once more, where there are no others
        loaded[i].set(static_cast<offset>(*(heads.offsets + (at < last ? at : last))));
      }
    }
  }

  /// Set the flags of what is loaded; load what is `ahead`, if that is not 0 and the batches are large. True if that
  /// came to the end of the tile or of the offsets.
  template <class Tiles, class Context, unsigned Many>
  GIMBAL_DEVICE bool flag_batch(
    Context& ctx, const tile_offsets& to, index_type segment, index_type ahead, bool is_dense,
    uninit<offset> (&loaded)[Many]) const
  {
    if (segment >= heads.segment_count) {
      return true;
    }
    word own{};
    const auto flag_next = [&](unsigned i) {
      own = static_cast<word>(loaded[i].get());
      base::template set_own<Tiles>(ctx, to, own);
    };
    if (is_dense) {
      const bool is_ahead = ahead > 0;
      const OffsetIt from = large_batch<Many>(ctx, segment + ahead);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Many; ++i) {
        flag_next(i);
        if (is_ahead) {
          loaded[i].set(static_cast<offset>(*(from + i * simt::warp_threads)));
        }
      }
    } else {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < few; ++i) {
        flag_next(i);
      }
    }
    const bool is_behind = own > to.highest;  // offsets do not decrease: the last lane's is the largest
    return ctx.ballot(is_behind) != 0;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
