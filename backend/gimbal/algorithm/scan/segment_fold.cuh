// Pairs (value, heads), the operators on them that make a segmented scan a scan (Schwartz 1980), what a lane does with
// its items, and the heads of a tile.
#pragma once

#include <gimbal/tile/accumulator.h>

#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/exchange.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>
#include <gimbal/pipeline/tile_kernel.cuh>
#include <gimbal/tile/segment_heads.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A fold of neighbouring items: the value since the last head among them, or of all if there is none, and the number
/// of heads. `Count` is bool where only whether there are any matters.
template <class T, class Count>
struct segment_fold {
  T value;
  Count heads;

  template <class Wide>
  GIMBAL_DEVICE explicit operator segment_fold<T, Wide>() const
  {
    return {value, heads};
  }
};

/// Joins neighbours; those on the right may count by fewer bits, as parts of a tile, tiles, and rows of tiles have at
/// most 32 bits of heads (grid/prefix_server.cuh).
template <class T, class Op>
struct segment_op {
  block::combine<T, Op> op;

  template <class Left, class Right>
  GIMBAL_DEVICE segment_fold<T, Left> operator()(
    const segment_fold<T, Left>& left, const segment_fold<T, Right>& right) const
  {
    const auto heads = static_cast<Left>(left.heads + right.heads);
    if (right.heads) {
      return {right.value, heads};
    }
    return {op(left.value, right.value), heads};
  }
};

/// The state of neighbouring items where it is published, too, whether the item after them is a head.
enum class segment_state : unsigned char {
  goes_on,  ///< none of them is a head
  began,    ///< one of them is
  ended     ///< the item after them is, and their value does not matter
};
GIMBAL_DEVICE segment_state state_of(std::uint32_t heads, bool is_next_head)
{
  return is_next_head ? segment_state::ended : heads != 0 ? segment_state::began : segment_state::goes_on;
}

/// What `item` starts a segment with.
template <class T, class Op, class Init>
GIMBAL_DEVICE T segment_start(const block::combine<T, Op>& op, const Init& init, const T& item)
{
  if constexpr (::cuda::std::is_same<Init, no_init>::value) {
    return item;
  } else {
    return op(init, item);
  }
}

/// The value since the last head among a lane's valid items, if it has any, or of all if there is no head.
template <bool IsFull, class T, class Op, class Init, class Item, unsigned Items>
GIMBAL_DEVICE uninit<T> fold_since_head(
  const block::combine<T, Op>& op, const Init& init, block::valid_range valid, std::uint32_t heads,
  const uninit<Item> (&values)[Items])
{
  constexpr bool has_init = is_combined_init_v<Init>;
  uninit<T> since_head;
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Items; ++i) {
    if (IsFull || (i >= valid.lo && i < valid.hi)) {
      const T own = static_cast<T>(values[i].get());
      const bool is_first = IsFull ? i == 0 : i == valid.lo;
      const bool is_head = (heads >> i & 1) != 0;
      if (has_init && is_head) {
        since_head.set(algorithm::segment_start(op, init, own));
      } else {
        since_head.set(is_first || (!has_init && is_head) ? own : op(since_head.get(), own));
      }
    }
  }
  return since_head;
}

/// The results of a lane's valid items. `since_head` is the value since the last head before them, if there is anything
/// before them, and goes on; after an exclusive scan it lacks the last item unless `NeedsLast`. `at_head(i)` is called
/// when it is the total of the segment before the head i.
template <
  scan_kind Kind, bool IsFull, bool NeedsLast, class T, class Op, class Init, class Item, class Result, unsigned Items,
  class AtHead>
GIMBAL_DEVICE void scan_since_head(
  const block::combine<T, Op>& op, const Init& init, block::valid_range valid, std::uint32_t heads,
  uninit<T>& since_head, const uninit<Item> (&values)[Items], uninit<Result> (&scanned)[Items], AtHead at_head)
{
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Items; ++i) {
    if (IsFull || (i >= valid.lo && i < valid.hi)) {
      const T own = static_cast<T>(values[i].get());
      const bool is_head = heads >> i & 1;
      if (is_head) {
        at_head(i);
      }
      if constexpr (Kind == scan_kind::exclusive) {
        scanned[i].set(static_cast<Result>(is_head ? init : since_head.get()));
      }
      if (NeedsLast || Kind == scan_kind::inclusive || i + 1 < (IsFull ? Items : valid.hi)) {
        if (is_head) {
          since_head.set(algorithm::segment_start(op, init, own));
        } else {
          since_head.set(op(since_head.get(), own));
        }
      }
      if constexpr (Kind == scan_kind::inclusive) {
        scanned[i].set(static_cast<Result>(since_head.get()));
      }
    }
  }
}

/// The same operator for segment_state: the state of the items on the right does not include that the first of them is
/// a head where that of those on the left does.
template <class T, class Op, class Init>
struct segment_end_op {
  using fold = segment_fold<T, segment_state>;

  block::combine<T, Op> op;
  Init init;

  GIMBAL_DEVICE fold operator()(const fold& left, const fold& right) const
  {
    if (right.heads != segment_state::goes_on) {
      return right;
    }
    if (left.heads == segment_state::ended) {
      return {algorithm::segment_start(op, init, right.value), segment_state::began};
    }
    return {op(left.value, right.value), left.heads};
  }
};

/// What a lane does with its items in a segmented scan: it folds them, and scans them after everything before them.
/// `Count`: bool where only whether there are heads is carried; segment_state where each tile publishes whether the
/// next one begins with a head, by the bit after those of its last lane's items; index_type where segments have totals.
template <scan_kind Kind, class T, class Op, class Init, class Count>
struct segment_lanes {
  using value = T;
  using fold = segment_fold<T, Count>;
  static constexpr bool tells_next = ::cuda::std::is_same<Count, segment_state>::value;
  static constexpr bool counts = ::cuda::std::is_same<Count, index_type>::value;
  static constexpr std::size_t least_item_bytes = 4;
  static constexpr std::size_t most_items = tells_next ? 31 : 32;  // whose bits are a word
  static constexpr bool orders_tiles = tells_next && simt::reuse_needs_order;
  static constexpr bool tiles_follow_addresses = false;
  static constexpr std::size_t gap_bytes = 16;
  static constexpr bool has_start = false;  // the first item is a head and has it
  static constexpr bool keeps_total = false;

  block::combine<T, Op> op;
  Init init;

  GIMBAL_DEVICE auto combine() const
  {
    if constexpr (tells_next) {
      return segment_end_op<T, Op, Init>{op, init};
    } else {
      return segment_op<T, Op>{op};
    }
  }

  template <bool IsFull, class Item, unsigned Items>
  GIMBAL_DEVICE void fold_items(
    block::valid_range valid, std::uint32_t heads, const uninit<Item> (&values)[Items], uninit<fold>& folded) const
  {
    const uninit<T> since_head = algorithm::fold_since_head<IsFull>(op, init, valid, heads, values);
    if (IsFull || valid.lo < valid.hi) {
      folded.set({since_head.get(), count_of(heads, Items)});
    }
  }

  /// `at_head(i, segments, exists, sum)` of each head i: before it are so many segments, and the total of the last one,
  /// if that `exists`. With totals `running` goes on to the last item.
  template <bool IsFull, class Item, class Result, unsigned Items, class AtHead>
  GIMBAL_DEVICE void scan_items(
    block::valid_range valid, std::uint32_t heads, bool exists, uninit<fold>& running,
    const uninit<Item> (&values)[Items], uninit<Result> (&scanned)[Items], AtHead at_head) const
  {
    uninit<T> since_head;  // not used before the first item of all, where nothing exists
    index_type segments = 0;
    if (exists) {
      since_head.set(running.get().value);
      if constexpr (tells_next) {
        heads |= running.get().heads == segment_state::ended;  // as the tile before has published
      }
      if constexpr (counts) {
        segments = running.get().heads;
      }
    }
    algorithm::scan_since_head<Kind, IsFull, counts>(
      op, init, valid, heads, since_head, values, scanned, [&]([[maybe_unused]] unsigned i) {
        if constexpr (counts) {
          at_head(i, segments, exists || i > valid.lo, since_head);
          ++segments;
        }
      });
    if constexpr (counts) {
      running.set({since_head.get(), segments});
    }
  }

private:
  static GIMBAL_DEVICE Count count_of(std::uint32_t heads, unsigned items)
  {
    if constexpr (tells_next) {
      return algorithm::state_of(heads, heads >> items != 0);
    } else if constexpr (counts) {
      return simt::popcount(heads);
    } else {
      return heads != 0;
    }
  }
};

}  // namespace algorithm

namespace block {

/// Sets the bits of those of `valid` items from `first` on that are heads, by offsets [found[0], found[1]), among which
/// theirs are. By a block. Lanes take neighbouring offsets, so that where segments are short they set bits of different
/// words.
template <class Context, class OffsetIt>
GIMBAL_DEVICE void set_heads(
  Context& ctx, std::uint32_t* word, OffsetIt offsets, const index_type (&found)[2], index_type first, unsigned valid)
{
  constexpr unsigned batch = 8;  // loads in flight at a time: short segments have many offsets in a tile
  // Relaxed: the barrier that follows orders the bits.
  const auto set = [&](unsigned index) {
    ctx.atomic_shared(word[index / 32]).fetch_or(1u << index % 32, ::cuda::std::memory_order_relaxed);
  };
  for (index_type s = found[0] + batch * ctx.thread(); s < found[1]; s += batch * Context::block_threads) {
    unsigned index[batch];
    GIMBAL_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      const index_type item = s + b < found[1] ? block::load_as<index_type>(offsets + (s + b)) - first : valid;
      index[b] = item < valid ? static_cast<unsigned>(item) : valid;
    }
    GIMBAL_UNROLL
    for (unsigned b = 0; b < batch; ++b) {
      if (index[b] < valid) {
        set(index[b]);
      }
    }
  }
  if (ctx.thread() == 0 && first == 0) {
    set(0);
  }
}

}  // namespace block

namespace algorithm {

/// The heads of a tile as scan_tile_policy has them, a bit for each of a thread's items. `TellsNext`: not whether the
/// first item of a tile is one, but of the first tile; and in the bit after those of the last thread's items whether
/// the next tile begins with one.
template <class Description, bool TellsNext = Description::tells_next>
struct tile_heads {
  static constexpr bool exist = true;

  template <unsigned BlockThreads, unsigned Items>
  struct shared {
    static constexpr unsigned items = Items;  // of a thread
    static constexpr unsigned words = BlockThreads * Items / 32;
    static_assert(Items + TellsNext <= 32, "the bits of one thread fit into a word");

    std::uint32_t word[words + 1];  // one more, read but not used
    index_type segments[2];         // by offsets: the first that starts in the tile, and the first after it
  };

  Description from;

  /// Before a barrier and after it. The bit of the next tile, in the last thread.
  template <class Context, class Shared>
  GIMBAL_DEVICE void begin(Context& ctx, Shared& smem, const tile_extent& of, index_type n) const
  {
    for (unsigned w = ctx.thread(); w < Shared::words + 1; w += Context::block_threads) {
      smem.word[w] = 0;
    }
    if constexpr (Description::has_numbers) {
      if (of.valid < n) {  // in the last tile those that start at the end are counted too
        const index_type after = of.first + of.valid < n ? of.first + of.valid : n + 1;
        block::find_offsets_between(ctx, from.offsets, from.segment_count, n, of.first, after, smem.segments);
      } else if (ctx.thread() == 0) {
        smem.segments[0] = 0;
        smem.segments[1] = from.segment_count;
      }
    }
  }
  template <class Context, class Shared>
  GIMBAL_DEVICE std::uint32_t set(Context& ctx, Shared& smem, const tile_extent& of) const
  {
    if constexpr (Description::has_numbers) {
      block::set_heads(ctx, smem.word, from.offsets, smem.segments, of.first, of.valid);
    } else {
      set_by_items(ctx, smem, of.first, of.valid);
    }
    if constexpr (TellsNext) {
      const bool is_last = !of.is_last && ctx.thread() + 1 == Context::block_threads;
      return std::uint32_t{is_last && from.is_head(of.first + Shared::items * Context::block_threads)} << Shared::items;
    }
    return 0;
  }

  /// The bits of this thread's items, item 0 lowest.
  template <class Context, class Shared>
  static GIMBAL_DEVICE std::uint32_t of_thread(Context& ctx, const Shared& smem, unsigned count)
  {
    return block::bits_at(smem.word, ctx.thread() * Shared::items, count);
  }

private:
  template <class Context, class Shared>
  GIMBAL_DEVICE void set_by_items(Context& ctx, Shared& smem, index_type first, unsigned valid) const
  {
    const auto is_head = [&](unsigned index) {
      return index == 0 && (TellsNext || first == 0) ? first == 0 : from.is_head(first + index);
    };
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Shared::items; ++i) {
      const unsigned index = i * Context::block_threads + ctx.thread();
      const std::uint32_t word = ctx.ballot(index < valid && is_head(index));
      if (ctx.lane() == 0) {
        smem.word[index / 32] = word;
      }
    }
  }
};

}  // namespace algorithm

namespace block {

/// Which of a lane's valid items are heads, the first item lowest. `is_first`: the first of them is the first of all;
/// otherwise that is item 0, and `previous` the key before it. `is_head`: of the key before an item and its own.
template <bool IsFull, class Key, unsigned Items, class IsHead>
GIMBAL_DEVICE std::uint32_t find_heads(
  valid_range valid, bool is_first, const uninit<Key>& previous, const uninit<Key> (&own)[Items], const IsHead& is_head)
{
  static_assert(Items <= 32, "the heads of one lane fit into a word");
  std::uint32_t heads = 0;
  const auto ask = [&](unsigned i, const uninit<Key>& before) {
    heads |= std::uint32_t{is_head(before.get(), own[i].get())} << i;
  };
  GIMBAL_UNROLL
  for (unsigned i = 1; i < Items; ++i) {
    if (IsFull || (i > valid.lo && i < valid.hi)) {
      ask(i, own[i - 1]);
    }
  }
  // The first item last: an equality that gathers finds in the L1 cache what the lane below has just read.
  if (is_first) {
    heads |= std::uint32_t{1} << valid.lo;
  } else if (IsFull || valid.hi > 0) {
    ask(0, previous);
  }
  return heads;
}

/// The heads among a lane's items to `to[0...]`.
template <class T, unsigned Items>
GIMBAL_DEVICE void gather_heads(std::uint32_t heads, const uninit<T> (&own)[Items], uninit<T>* to)
{
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Items; ++i) {
    if ((heads >> i & 1) != 0) {
      *to++ = own[i];
    }
  }
}

template <class T, class Count>
inline constexpr std::size_t exchanged_bytes_v<algorithm::segment_fold<T, Count>> =
  sizeof(T) + sizeof(Count) + (alignof(Count) - sizeof(T) % alignof(Count)) % alignof(Count);

}  // namespace block

GIMBAL_NAMESPACE_END
