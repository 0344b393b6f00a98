// A tile that a block sorts or merges in shared memory. Each thread holds a piece of consecutive items in registers,
// together with where each of them came from, so that values can be fetched in the end.
//
//   merge_tile::write_run(smem, mine, run);                      registers to shared, as the next merge reads the run
//   ctx.sync_block();                                            the runs are there
//   merge_tile::merge(smem, runs, diagonal, less, mine);         shared to registers: this thread's piece of a merge
//   ctx.sync_block();                                            everything in shared memory has been read
//   merge_tile::write(smem, mine);                               registers to shared, at the piece's place in the merge
//   ctx.sync_block();                                            the merged runs are there
//
// A piece has Items items, or fewer where its run ends. An odd number lets a warp's writes fall into distinct banks.
#pragma once

#include <gimbal/collective/merge.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <class Key, bool HasOrigins, unsigned BlockThreads, unsigned Items>
struct merge_tile {
  static constexpr unsigned items = BlockThreads * Items;
  static_assert(items <= 1u << 16, "places in a tile have 16 bits");
  using striped = tile<Key, BlockThreads, Items>;  ///< loads and stores keys

  struct shared {
    uninit<Key> before[merge_steps];  ///< may be read where a run has few items; keys there, as comparators are called
    typename striped::shared keys;
    uninit<Key> behind;                            ///< may be read
    std::uint16_t origin[HasOrigins ? items : 1];  ///< where in the tile as it was loaded the key stood
  };

  /// A thread's items: those at [first, first + items) of the tile.
  struct piece {
    uninit<Key> key[Items];
    unsigned origin[Items];
    unsigned first;
    unsigned items;
  };

  /// Loads the keys of a tile of `valid` items that do not stand side by side: that of each place from position(place).
  template <class Context, class Iterator, class Position>
  static GIMBAL_DEVICE void gather(Context& ctx, shared& smem, Iterator from, unsigned valid, Position position)
  {
    uninit<Key> key[Items];  // all loads are issued before the first store to shared memory
    const unsigned left = block::left_from(ctx.thread(), valid);
    block::for_left<false, Items, BlockThreads>(
      left, [&](unsigned i) { key[i].set(block::load_as<Key>(from + position(i * BlockThreads + ctx.thread()))); });
    block::for_left<false, Items, BlockThreads>(
      left, [&](unsigned i) { smem.keys.item[i * BlockThreads + ctx.thread()] = key[i]; });
    if (ctx.thread() < merge_steps && valid > 0) {
      smem.before[ctx.thread()].set(block::load_as<Key>(from + position(0)));
    }
  }

  /// The values of a merged tile likewise, from array to array.
  template <class Context, class Iterator, class Output, class Position>
  static GIMBAL_DEVICE void gather_values(Context& ctx, Iterator from, Output to, unsigned valid, Position position)
  {
    block::for_left<false, Items, BlockThreads>(block::left_from(ctx.thread(), valid), [&](unsigned i) {
      const unsigned place = i * BlockThreads + ctx.thread();
      *(to + place) = block::load_as<value_type_of<Output>>(from + position(place));
    });
  }

  /// Takes the items at `first` of a tile of `valid` items, each its own origin.
  static GIMBAL_DEVICE void read(const shared& smem, unsigned first, unsigned valid, piece& mine)
  {
    mine.first = first;
    mine.items = count_from(first, valid);
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      mine.origin[i] = first + i;
      if (i < mine.items) {
        mine.key[i] = smem.keys.item[first + i];
      }
    }
  }

  static GIMBAL_DEVICE void write(shared& smem, const piece& mine) { write_run(smem, mine, {false, 0, 0}); }

  /// A run that a thread's piece is part of, and whether it is the second of the two that are merged next.
  struct run {
    bool is_second;
    unsigned begin;
    unsigned end;
  };

  static GIMBAL_DEVICE void write_run(shared& smem, const piece& mine, run of)
  {
    const unsigned first = of.is_second ? of.begin + of.end - 1 - mine.first : mine.first;
    if (mine.items == Items) {  // as nearly all pieces are: without a question for each item
      write_first(smem, mine, first, of.is_second, Items);
    } else {
      write_first(smem, mine, first, of.is_second, mine.items);
    }
  }

  /// Stable sort of a thread's own items, by odd-even transposition. Two rounds are one turn of a loop: unrolled, all
  /// rounds would be most of a kernel's code. A round more than there are items finds them in order.
  template <class Compare>
  static GIMBAL_DEVICE void sort(piece& mine, Compare& compare)
  {
    if (mine.items < 2) {
      return;
    }
    if (mine.items < Items) {
      pad(mine, compare);
    }
    GIMBAL_NO_UNROLL
    for (unsigned round = 0; round < mine.items; round += 2) {  // so many rounds sort so many items
      GIMBAL_UNROLL
      for (unsigned first = 0; first < 2; ++first) {
        GIMBAL_UNROLL
        for (unsigned i = first; i + 1 < Items; i += 2) {
          order(mine, i, compare);
        }
      }
    }
  }

  /// Items `diagonal`, `diagonal` + 1, ... of the merge of two runs in the tile.
  template <class Compare>
  static GIMBAL_DEVICE void merge(const shared& smem, run_pair runs, unsigned diagonal, Compare& compare, piece& mine)
  {
    mine.first = runs.begin + diagonal;
    mine.items = count_from(mine.first, runs.end);
    if (mine.items == 0) {
      return;
    }
    const unsigned a = runs.begin + block::merge_path(smem.keys.item, runs, diagonal, compare);
    block::merge_on(smem.keys.item, runs, a, diagonal, mine.items, compare, mine.key, mine.origin);
  }

  /// After a merge of runs that are themselves the result of one: origins in the tile as it was loaded.
  static GIMBAL_DEVICE void follow_origins(const shared& smem, piece& mine)
  {
    if constexpr (HasOrigins) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        if (i < mine.items) {
          mine.origin[i] = smem.origin[mine.origin[i]];
        }
      }
    }
  }

private:
  static GIMBAL_DEVICE void write_first(
    shared& smem, const piece& mine, unsigned place, bool is_reversed, unsigned count)
  {
    const unsigned step = is_reversed ? ~0u : 1;  // by which unsigned places go down or up
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i, place += step) {
      if (i < count) {
        smem.keys.item[place] = mine.key[i];
        if constexpr (HasOrigins) {
          smem.origin[place] = static_cast<std::uint16_t>(mine.origin[i]);
        }
      }
    }
  }

  static GIMBAL_DEVICE unsigned count_from(unsigned first, unsigned end)
  {
    return end <= first ? 0 : end - first < Items ? end - first : Items;
  }

  /// Copies of the last of the largest items fill the piece: they never move before another item, so the rounds need
  /// not ask which items are real.
  template <class Compare>
  static GIMBAL_DEVICE void pad(piece& mine, Compare& compare)
  {
    uninit<Key> largest = mine.key[0];
    unsigned origin = mine.origin[0];
    GIMBAL_UNROLL
    for (unsigned i = 1; i < Items; ++i) {
      if (i < mine.items && !static_cast<bool>(compare(mine.key[i].get(), largest.get()))) {
        largest = mine.key[i];
        origin = mine.origin[i];
      }
    }
    GIMBAL_UNROLL
    for (unsigned i = 1; i < Items; ++i) {
      if (i >= mine.items) {
        mine.key[i] = largest;
        mine.origin[i] = origin;
      }
    }
  }

  template <class Compare>
  static GIMBAL_DEVICE void order(piece& mine, unsigned i, Compare& compare)
  {
    if (static_cast<bool>(compare(mine.key[i + 1].get(), mine.key[i].get()))) {
      const uninit<Key> key = mine.key[i];
      const unsigned origin = mine.origin[i];
      mine.key[i] = mine.key[i + 1];
      mine.origin[i] = mine.origin[i + 1];
      mine.key[i + 1] = key;
      mine.origin[i + 1] = origin;
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
