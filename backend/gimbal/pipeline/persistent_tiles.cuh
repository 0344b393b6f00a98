// How many items are cut into tiles, how a lane gets at its own in a stage of shared memory, the ring of stages through
// which the roles of a block hand tiles on, and the scheduler that assigns the tiles of a launch to the members of a
// team (grid/team.cuh) in turn.
//
// A tile consists of one chunk per warp, a chunk of one segment of neighbouring items per lane, so that a lane folds
// and scans its own items in order without a shuffle.
//
// Positions are counted from an origin at or a few items before the first item: items [begin, end) exist. In the
// latter case the address of every chunk is a multiple of 16 bytes whatever the address of the first item is. In the
// former what is in a chunk does not depend on addresses (persistent_io.cuh).
//
// In shared memory the segments of a chunk follow each other without gaps, as a bulk copy leaves them. Where a segment
// is an odd number of 16-byte vectors, lanes that read their segments vector by vector hit all banks evenly.
#pragma once

#include <cstring>
#include <gimbal/grid/team.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Items of a lane: about `lane_bytes` of the largest of the types, whole vectors of `item_bytes` each where that fits,
/// an odd number of times. Two of them, where the largest type is that of the results, become three and not one, as a
/// tile would have few items. record:
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

/// Reads that of a chunk which begins `misalignment` bytes after `chunk`, a multiple of 16. Where possible by whole
/// vectors, whose words are then moved; the words of vectors at the ends, of which others have a part, one by one.
template <class Item, unsigned Items>
struct misaligned_segment {
  using aligned = lane_segment<Item, Items>;
  static constexpr bool is_moved = aligned::is_vectors && alignof(Item) % 4 == 0;

  static GIMBAL_DEVICE void read(
    const unsigned char* chunk, unsigned misalignment, unsigned lane, uninit<Item> (&item)[Items])
  {
    if constexpr (is_moved) {
      std::uint32_t word[words + 4];
      const auto* const from = reinterpret_cast<const simt::vector16*>(chunk + lane * aligned::bytes);
      const auto read_word = [&](unsigned w) {
        const four_bytes own = reinterpret_cast<const four_bytes*>(from)[w];
        std::memcpy(word + w, &own, sizeof own);
      };
      GIMBAL_UNROLL
      for (unsigned w = 0; w < 4; ++w) {  // of the first vector, and of the one after the last whole one
        if (w >= misalignment / 4) {
          read_word(w);
        }
        if (w < misalignment / 4) {
          read_word(words + w);
        }
      }
      GIMBAL_UNROLL
      for (unsigned v = 1; v < words / 4; ++v) {
        const simt::vector16 vector = from[v];
        std::memcpy(word + 4 * v, &vector, sizeof vector);
      }
      move_down<2>(misalignment / 4, word);
      move_down<1>(misalignment / 4, word);
      std::memcpy(reinterpret_cast<unsigned char*>(item), word, aligned::bytes);
    } else {
      aligned::read_items(chunk + misalignment, lane, item);
    }
  }

private:
  static constexpr unsigned words = aligned::bytes / 4;
  struct alignas(4) four_bytes {
    unsigned char bytes[4];
  };

  /// Move all words by `By` places if that is part of `misalignment`.
  template <unsigned By>
  static GIMBAL_DEVICE void move_down(unsigned misalignment, std::uint32_t (&word)[words + 4])
  {
    if constexpr (alignof(Item) <= By * 4) {
      GIMBAL_UNROLL
      for (unsigned w = 0; w < words + By - 1; ++w) {
        word[w] = (misalignment & By) != 0 ? word[w + By] : word[w];
      }
    }
  }
};

/// A lane's segment of a chunk as it came from `source`, and back to where it came from: misaligned ones item by item,
/// as moving the words of results would take registers from those that are aligned.
template <class Source, class Item, unsigned Items>
GIMBAL_DEVICE void read_segment(
  const Source& source, const unsigned char* chunk, unsigned lane, uninit<Item> (&item)[Items])
{
  if constexpr (Source::is_misaligned) {
    if (source.misalignment != 0) {
      return misaligned_segment<Item, Items>::read(chunk, source.misalignment, lane, item);
    }
  }
  lane_segment<Item, Items>::read(chunk, lane, item);
}
template <class Source, class Item, unsigned Items>
GIMBAL_DEVICE void write_segment(
  const Source& source, unsigned char* chunk, unsigned lane, const uninit<Item> (&item)[Items])
{
  if constexpr (Source::is_misaligned) {
    if (source.misalignment != 0) {
      return lane_segment<Item, Items>::write_items(chunk + source.misalignment, lane, item);
    }
  }
  lane_segment<Item, Items>::write(chunk, lane, item);
}

// ---- the ring

/// The stage, and the parity of its phases, of the tile that a role has come to.
template <unsigned Stages>
struct ring_position {
  unsigned stage = 0;
  unsigned parity = 0;

  GIMBAL_DEVICE void advance()
  {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  GIMBAL_DEVICE void advance(unsigned steps)
  {
    for (stage += steps; stage >= Stages; stage -= Stages) {
      parity ^= 1;
    }
  }
};

/// `body(s)` for each of `stages` that this warp is to initialise the barriers of, by one lane: warp `first` has the
/// first `own` ones, at least one, and can use them at once. The other warps share out the others: an initialisation
/// takes a while, and lanes do it one after the other.
template <class Context, class Body>
GIMBAL_DEVICE void for_stages_of_warp(Context& ctx, unsigned stages, unsigned first, unsigned own, Body body)
{
  constexpr unsigned others = Context::block_threads / simt::warp_threads - 1;
  const bool is_first = ctx.warp() == first || others == 0;
  const unsigned number = (ctx.warp() + others - first) % (others + 1);  // of the others
  const unsigned end = is_first && others != 0 && own < stages ? own : stages;
  for (unsigned s = is_first ? 0 : own + number; s < end; s += is_first ? 1 : others) {
    if (ctx.lane() == 0) {
      body(s);
    }
  }
}

/// Initialise a barrier; `again`: one that is initialised already and is needed for another schedule of the tiles.
template <class Context>
GIMBAL_DEVICE void init_barrier(Context& ctx, simt::phase_barrier& barrier, unsigned arrivals, bool again)
{
  if (again) {
    ctx.invalidate(barrier);
  }
  ctx.init(barrier, arrivals);
}

/// A producer's loads that may be in flight: at most `most`, which is at least 1.
///
/// A ring is deep because tiles wait in it for their prefixes. Were all its stages loaded at once, the words
/// through which blocks exchange values (exchange.cuh) would queue behind all these bytes, and results would
/// be stored only when nearly all has been loaded. So no more loads are in flight at a time than keep memory busy.
template <unsigned Stages>
struct load_window {
  unsigned most;
  unsigned count = 0;
  ring_position<Stages> oldest = {};

  /// Before a load whose stage is empty. `landed(s)`: the barrier at which the load into stage s arrives.
  template <class Context, class Landed>
  GIMBAL_DEVICE void acquire(Context& ctx, Landed landed)
  {
    if (count < most && count < Stages) {
      ++count;
    } else {
      ctx.wait(landed(oldest.stage), oldest.parity);
      oldest.advance();
    }
  }
};

// ---- tile scheduler

/// What a member works with. Its tiles are server.blocks apart. `Server`: a prefix_server.
template <class Server>
struct tile_scheduler {
  unsigned first_tile;
  unsigned tiles;  // of all members
  bool serves;
  bool is_alone;
  Server server;

  /// Every member has tiles; member 0 serves beside.
  static GIMBAL_DEVICE tile_scheduler to_all(const team_member& place, unsigned tiles, const Server& server)
  {
    return {place.number, tiles, place.number == 0, place.members == 1, server.with(place.members)};
  }
  /// Member 0 serves and has no tiles; but if it is alone it has all of them, and nobody serves.
  static GIMBAL_DEVICE tile_scheduler to_others(const team_member& place, unsigned tiles, const Server& server)
  {
    return place.members == 1
             ? tile_scheduler{0, tiles, false, true, server.with(1)}
             : tile_scheduler{place.number - 1, tiles, place.number == 0, false, server.with(place.members - 1)};
  }

  /// The member's k-th tile, counted from 0, if it is one.
  GIMBAL_DEVICE unsigned tile(unsigned k) const { return first_tile + k * server.blocks; }

  /// By the thread that has the prefix of a tile: if it is the last one, all members have published tiles, or serve,
  /// and so know the team.
  template <class Context>
  GIMBAL_DEVICE void reopen_after(Context& ctx, const team& all, const team_member& place, unsigned tile) const
  {
    if (tile + 1 == tiles) {
      all.reopen(ctx, place);
    }
  }

  /// For how many of its tiles loads are issued in the beginning, `most` at most.
  GIMBAL_DEVICE unsigned issued(unsigned most) const
  {
    unsigned count = 0;
    for (unsigned t = first_tile; count < most && t < tiles; t += server.blocks) {
      ++count;
    }
    return count;
  }

  /// `body(tile, stage, parity)` for each of its tiles but the first `skipped`, with the stage of the ring that it has.
  template <class Stage, unsigned Stages, class Body>
  GIMBAL_DEVICE void for_tiles(Stage (&ring)[Stages], Body body, unsigned skipped = 0) const
  {
    for_tiles_of_group(ring, skipped, 1, body);
  }
  /// For those that one of `groups` groups of warps has, which take turns.
  template <class Stage, unsigned Stages, class Body>
  GIMBAL_DEVICE void for_tiles_of_group(Stage (&ring)[Stages], unsigned group, unsigned groups, Body body) const
  {
    ring_position<Stages> at;
    for (unsigned turn = 0; turn < group; ++turn) {
      at.advance();
    }
    GIMBAL_NO_UNROLL
    for (unsigned t = tile(group); t < tiles; t += groups * server.blocks) {
      body(t, ring[at.stage], at.parity);
      for (unsigned turn = 0; turn < groups; ++turn) {
        at.advance();
      }
    }
  }
};

/// How a kernel begins whose blocks are a team and have a ring of tiles in flight; by all threads of a block, one of
/// which `joins` the team. True if the block does; scheduler_of(smem.place) is what it works with then.
///
/// While the team is found, loads are in flight as if all blocks belonged to it. If they do not, which is when other
/// kernels hold a part of the GPU, a member waits for the loads it has issued, whose sources another may have
/// overwritten by then, discards them, and begins again with the tiles that are its own.
///
/// Of `loads`, by all threads each:
///   scheduler_of(place)           what the member at this place works with, a tile_scheduler
///   prepare(ctx, smem, own, again) initialise the barriers, as init_barrier() does; issue loads that need no tile
///   settle(ctx, smem, own)        wait until all issued loads have landed
template <class Context, class Shared, class Loads>
GIMBAL_DEVICE bool begin_as_team(Context& ctx, Shared& smem, const team& all, const Loads& loads, bool joins)
{
  const unsigned order = joins ? all.join(ctx) : 0;
  bool is_known = false;
  team_member place = team_member::of_all(ctx);
  GIMBAL_NO_UNROLL
  for (;; is_known = true) {
    const auto own = loads.scheduler_of(place);
    if (is_known || simt::may_load_on_a_guess) {
      loads.prepare(ctx, smem, own, is_known && simt::may_load_on_a_guess);
    }
    if (joins && !is_known) {
      smem.place = all.wait(ctx, order);
    }
    ctx.sync_block();  // the barriers are initialised, and the team is known
    if (is_known) {
      return true;
    }
    place = smem.place;
    if constexpr (simt::may_load_on_a_guess) {
      if (place.members == ctx.blocks()) {
        return true;
      }
      loads.settle(ctx, smem, own);
      ctx.sync_block();  // nothing is in flight, and nobody looks at a barrier
    }
    if (place.members == 0) {
      return false;
    }
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
