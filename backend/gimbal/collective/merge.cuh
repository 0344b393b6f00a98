// Merging sorted runs, and cutting a merge into equal pieces by merge path.
//
// After Green, McColl & Bader, "GPU merge path: a GPU merging algorithm" (2012). Of the first `diagonal` items of the
// merge of runs a and b, a certain number comes from a and the rest from b; that number is found by bisection without
// merging anything, so every thread, and every block, can produce its own piece of the output. Equal items: those of a
// come first.
//
// In shared memory the second run follows the first in reverse order. So the items that are not merged yet are always
// contiguous: when one run is used up, its next slot holds an item of the other, and a step of a merge compares one end
// only. And the two slots that a step of a bisection compares are always the same distance apart.
//
// The comparator is called on items of the runs only. It need not be more than a strict weak ordering.
#pragma once

#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Two neighbouring runs in one array: [begin, middle), and [middle, end) in reverse order.
struct run_pair {
  unsigned begin;
  unsigned middle;
  unsigned end;
};

/// Items between questions for the end of a merge; so many slots before the first run and one after the last may be
/// read, and are given to no comparator that is a strict weak ordering.
inline constexpr unsigned merge_steps = 4;

/// Barrier for aligned groups of `threads` threads, a power of two, that merge each other's runs.
template <class Context>
GIMBAL_DEVICE void sync_threads(Context& ctx, unsigned threads)
{
  if (threads <= simt::warp_threads) {
    ctx.sync_warp();
  } else {
    ctx.sync_block();
  }
}

/// The key `sum` - `less` bytes after the first.
template <class Key>
GIMBAL_DEVICE const uninit<Key>& key_at_bytes(const uninit<Key>* keys, unsigned sum, unsigned less)
{
  return *reinterpret_cast<const uninit<Key>*>(
    reinterpret_cast<const unsigned char*>(keys) + static_cast<int>(sum) - static_cast<int>(less));
}

/// How many of the first `diagonal` items of the merge come from the first run. For one thread.
template <class Key, class Compare>
GIMBAL_DEVICE unsigned merge_path(const uninit<Key>* keys, run_pair runs, unsigned diagonal, Compare& compare)
{
  const unsigned a_count = runs.middle - runs.begin;
  const unsigned b_count = runs.end - runs.middle;
  const unsigned least = diagonal > b_count ? diagonal - b_count : 0;
  const unsigned most = diagonal < a_count ? diagonal : a_count;
  // Positions are counted in bytes. The last item from b, if i are from a, lies as far after item i of a for every i.
  constexpr unsigned size = sizeof(uninit<Key>);
  const unsigned gap = (runs.end - diagonal - runs.begin) * size;
  unsigned a = (runs.begin + least) * size;
  for (unsigned choices = most - least + 1; choices > 1;) {
    const unsigned half = choices / 2;
    const unsigned next = a + half * size;
    const bool is_before = static_cast<bool>(
      compare(block::key_at_bytes(keys, next + gap, size).get(), block::key_at_bytes(keys, next, size).get()));
    a = is_before ? a : next;
    choices -= half;
  }
  return a / size - runs.begin;
}

/// The same for runs anywhere, `a_at(i)` and `b_at(i)` being their items; by a whole warp, 32 probes at a time.
template <class Context, class ItemOfA, class ItemOfB, class Compare>
GIMBAL_DEVICE index_type warp_merge_path(
  Context& ctx, ItemOfA a_at, index_type a_count, ItemOfB b_at, index_type b_count, index_type diagonal,
  Compare& compare)
{
  index_type low = diagonal > b_count ? diagonal - b_count : 0;
  index_type high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    // Probes end the first 32 of 33 parts of [low, high); they hold up to some lane and fail from there on.
    const index_type step = (high - low + simt::warp_threads) / (simt::warp_threads + 1);
    const index_type probe = low + step * (ctx.lane() + 1) - 1;
    const bool holds = probe < high && !static_cast<bool>(compare(b_at(diagonal - 1 - probe), a_at(probe)));
    const unsigned held = simt::popcount(ctx.ballot(holds));
    if (held < simt::warp_threads) {
      const index_type failed = low + step * (held + 1) - 1;
      high = failed < high ? failed : high;
    }
    low += step * held;
  }
  return low;
}

/// The merge of two runs after its first `diagonal` items, of which those before item `a` come from the first run: at
/// least `count` keys, and their positions in `keys`. What follows the last is any key.
template <unsigned Items, class Key, class Compare>
GIMBAL_DEVICE void merge_on(
  const uninit<Key>* keys, run_pair runs, unsigned a, unsigned diagonal, unsigned count, Compare& compare,
  uninit<Key> (&key)[Items], unsigned (&place)[Items])
{
  constexpr unsigned size = sizeof(uninit<Key>);
  // Places are counted in bytes. With each item a goes up or b goes down, so b follows from a; of the sum that is a
  // place to load from, the part that depends on the step alone is a constant of the load.
  const unsigned b = runs.end - 1 - (diagonal - (a - runs.begin));
  const unsigned gap = (b - a) * size;
  const unsigned middle = runs.middle * size;
  a *= size;
  uninit<Key> a_key = block::key_at_bytes(keys, a, 0);
  uninit<Key> b_key = block::key_at_bytes(keys, a + gap, 0);
  GIMBAL_UNROLL
  for (unsigned first = 0; first < Items; first += merge_steps) {
    if (first < count) {
      GIMBAL_UNROLL
      for (unsigned i = first; i < first + merge_steps && i < Items; ++i) {
        const bool takes_b = a >= middle || static_cast<bool>(compare(b_key.get(), a_key.get()));
        key[i] = gimbal::choose(takes_b, b_key, a_key);
        place[i] = (takes_b ? a + gap - i * size : a) / size;
        if (i + 1 < Items) {
          // Selects, not one branch per run: shorter, and ptxas 13.0 has miscompiled such branches.
          const uninit<Key> loaded = block::key_at_bytes(keys, a + (takes_b ? gap : (i + 2) * size), (i + 1) * size);
          a = takes_b ? a : a + size;
          a_key = gimbal::choose(takes_b, a_key, loaded);
          b_key = gimbal::choose(takes_b, loaded, b_key);
        }
      }
    }
  }
}

/// A tile that a block sorts or merges in shared memory. Each thread holds a piece of consecutive items in registers,
/// together with where each of them came from, so that values can be fetched in the end.
///
///   merge_tile::write_run(smem, mine, run);                      registers to shared, as the next merge reads the run
///   ctx.sync_block();                                            the runs are there
///   merge_tile::merge(smem, runs, diagonal, less, mine);         shared to registers: this thread's piece of a merge
///   ctx.sync_block();                                            everything in shared memory has been read
///   merge_tile::write(smem, mine);                               registers to shared, at the piece's place in the merge
///   ctx.sync_block();                                            the merged runs are there
///
/// A piece has Items items, or fewer where its run ends. An odd number lets a warp's writes fall into distinct banks.
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
