// Segmented scan: a scan that starts again at every head; heads come from adjacent keys, flags or offsets.
//
//   inclusive: out[i] = x[h] op ... op x[i]           exclusive: out[i] = init op x[h] op ... op x[i - 1]
//
// where h is the head of i's segment; with an initial value the inclusive form begins with `init op`, too. Optionally
// the total of segment s, which is init (if given) op every item of s, is written to totals[s].
//
// Algorithm: the single-pass scan of scan.cuh over pairs (value, heads), where (a, s) op (b, t) = (t > 0 ? b : a op b,
// s + t) is associative if op is (Schwartz 1980; Sengupta et al., "Scan primitives for GPU computing", 2007). Heads are
// one bit per item in shared memory. Without totals only whether there are heads is carried, with totals also how many:
// that is the segment's number, and the item at a head finds the total of the segment before in what it has to restart.
//
// Bytes moved: per item its value in and out once, and its flag once or its key twice (the second time from cache); per
//   segment its offset once, and per tile those by which its first one is found.
//
// Launches: one; of many items by offsets, without totals, two.
//
// Storage: for one tile none, else 8 * ceil(sizeof(pair) / 4) * (1 + 1/32 + 1/1024) bytes per tile in words
//   (launch_plan.h). Many items by offsets without totals have a bit each (offset_head_flags.cuh).
//
// Operator: associative; operands are combined in order, so it need not be commutative. `equal(keys[i - 1], keys[i])`
//   must give the same answer every time.
//
// Determinism: the tree depends on the number of items and the heads alone; floating-point results are the same bits in
//   every run.
//
// Progress: see look_back.cuh.
//
// Aliasing: out may equal in, keys or flags, because a tile is written by the block that has read it, after a barrier.
//   The one key of the next tile that is read, too, is overwritten after what depends on it has been published, as
//   simt::reuse_needs_order has it. Offsets and totals are separate from all else.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/scan/persistent_segmented_scan.cuh>
#include <gimbal/algorithm/scan/segment_fold.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/tile_kernel.cuh>
#include <gimbal/tile/segment_heads.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

/// No totals wanted.
struct no_totals {};

namespace algorithm {

/// The policy of the tile driver.
template <
  class Tuning, scan_kind Kind, class T, class Heads, class InputIt, class OutputIt, class Op, class Init,
  class TotalIt>
struct segmented_tile_policy {
  static constexpr const char* step = "segmented scan";
  static constexpr const char* clearing = "clearing of the look-back state of a segmented scan";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;
  static constexpr unsigned resident_blocks = tuning::segmented_scan_resident_threads(sizeof(T)) / block_threads;
  static constexpr bool has_init = !::cuda::std::is_same<Init, no_init>::value;
  static constexpr bool has_totals = !::cuda::std::is_same<TotalIt, no_totals>::value;
  using source = block::head_source<Heads>;
  static constexpr bool tells_next = source::tells_next;
  static constexpr bool orders_tiles = tells_next && simt::reuse_needs_order;
  static_assert(!has_totals || !tells_next, "scans by keys have no totals");

  using count_type =
    ::cuda::std::conditional_t<has_totals, index_type, ::cuda::std::conditional_t<tells_next, segment_state, bool>>;
  using total = segment_fold<T, count_type>;
  using tile = block::tile<T, block_threads, items_per_thread>;
  using bits = block::head_bits<block_threads, items_per_thread>;
  using threads = block::scan<total, block_threads>;
  static constexpr unsigned tile_items = tile::items;

  struct shared {
    typename tile::shared items;
    typename bits::shared heads;
    typename source::shared segments;
    typename threads::shared totals;
  };
  struct held {
    std::uint32_t head;     // bits of the thread's items
    bool is_next_head;      // with tells_next: after the tile
    uninit<total> running;  // fold of the lanes below in the warp
  };

  source heads;
  InputIt in;
  OutputIt out;
  index_type n;
  block::combine<T, Op> op;
  Init init;
  TotalIt totals;

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem, const tile_extent& of, held& own) const
  {
    bits::clear(ctx, smem.heads);
    if constexpr (source::has_numbers) {
      heads.find_segments(ctx, smem.segments, of.first, of.valid, n);
    }
    tile::load(ctx, smem.items, in + of.first, of.valid);
    ctx.sync_block();  // no head flag is set, and the tile's segments are known
    heads.template set_head_flags<bits>(ctx, smem.heads, smem.segments, of.first, of.valid);
    if constexpr (tells_next) {
      own.is_next_head = !of.is_last && ctx.thread() + 1 == block_threads && heads.is_head(of.first + tile_items);
    }
    if constexpr (has_init && has_totals) {
      write_empty_totals(ctx, smem);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void fold(Context& ctx, shared& smem, const tile_extent& of, held& own) const
  {
    const unsigned count = tile::thread_valid(ctx, of.valid);
    own.head = bits::of_thread(ctx, smem.heads, count);
    uninit<T> value[items_per_thread];
    tile::read(ctx, smem.items, value);
    if (count > 0) {
      own.running.set({algorithm::fold_since_head<false>(op, init, {0, count}, own.head, value).get(), count_of(own)});
    }
    threads::scan_warps(ctx, smem.totals, own.running, tile::active_threads(of.valid), combine());
  }

  GIMBAL_DEVICE total total_of(const shared& smem, const tile_extent& of) const
  {
    return threads::total(smem.totals, tile::active_threads(of.valid), combine());
  }
  GIMBAL_DEVICE auto combine() const
  {
    if constexpr (tells_next) {
      return segment_end_op<T, Op, Init>{op, init};
    } else {
      return segment_op<T, Op>{op};
    }
  }
  GIMBAL_DEVICE void start(bool, uninit<total>&) const {}

  template <class Context>
  GIMBAL_DEVICE void store(
    Context& ctx, shared& smem, const tile_extent& of, const uninit<total>& before, held& own) const
  {
    const unsigned count = tile::thread_valid(ctx, of.valid);
    uninit<T> value[items_per_thread];
    tile::read(ctx, smem.items, value);  // once more, rather than kept in registers across the look-back
    if (count > 0) {
      const bool exists = threads::prefix(ctx, smem.totals, own.running, combine());
      if (of.number > 0) {
        own.running.set(exists ? combine()(before.get(), own.running.get()) : before.get());
      }
      const index_type begin = of.first + ctx.thread() * items_per_thread;
      scan_items(smem, begin, count, own.head, of.number > 0 || exists, own.running, value);
    }
    tile::write(ctx, smem.items, value);  // each thread where it alone has read
    ctx.sync_block();                     // the results are in shared memory
    tile::store(ctx, smem.items, out + of.first, of.valid);
  }

private:
  GIMBAL_DEVICE count_type count_of(const held& own) const
  {
    if constexpr (tells_next) {
      return algorithm::state_of(own.head, own.is_next_head);
    } else {
      return static_cast<count_type>(simt::popcount(own.head));
    }
  }

  /// Replace the thread's items, the first of which is item `begin`, by their results. `running`, where it exists,
  /// holds everything before them; it does for every item but the first of all, which is a head.
  GIMBAL_DEVICE void scan_items(
    const shared& smem, index_type begin, unsigned count, std::uint32_t head, bool exists, const uninit<total>& running,
    uninit<T> (&value)[items_per_thread]) const
  {
    uninit<T> since_head;  // not used before the first item of all, where nothing exists
    // Not one of two chosen by a condition: structs whose address is taken would be in memory.
    if (exists) {
      since_head.set(running.get().value);
    } else {
      since_head = value[0];
    }
    if constexpr (tells_next) {
      head |= std::uint32_t{exists && running.get().heads == segment_state::ended};  // as the tile before has published
    }
    index_type segments = 0;  // started before the current item
    if constexpr (has_totals) {
      segments = exists ? running.get().heads : 0;
    }
    algorithm::scan_since_head<Kind, false, has_totals>(
      op, init, {0, count}, head, since_head, value, value, [&]([[maybe_unused]] unsigned i) {
        if constexpr (has_totals) {
          if (exists || i > 0) {
            write_total(smem, begin + i, segments, since_head.get());
          }
          ++segments;
        }
      });
    if constexpr (has_totals) {
      if (begin + count == n) {
        write_total(smem, n, segments, since_head.get());
      }
    }
  }

  /// The total of the segment that ends before item `end`; `segments` have been started until then.
  GIMBAL_DEVICE void write_total(const shared& smem, index_type end, index_type segments, const T& sum) const
  {
    if constexpr (source::has_numbers) {
      const auto& own = smem.segments.segments;
      const index_type s = block::first_offset_from(heads.heads.offsets, own[0], own[1], end) - 1;
      if (s >= 0) {
        block::store_as(totals + s, sum);
      }
    } else {
      block::store_as(totals + (segments - 1), sum);
    }
  }

  /// The totals of segments without items, of those that start in this tile.
  template <class Context>
  GIMBAL_DEVICE void write_empty_totals(Context& ctx, const shared& smem) const
  {
    if constexpr (source::has_numbers) {
      const auto& own = smem.segments.segments;
      for (index_type s = own[0] + ctx.thread(); s < own[1]; s += block_threads) {
        if (heads.is_empty(s, n)) {
          block::store_as(totals + s, init);
        }
      }
    }
  }
};

/// The table of segmented scans, first row that takes the call first; of calls without totals, with `Tuning` void and
/// outputs that load nothing, from tuning::stream_segmented_scan::from_items on:
///
///   heads, items                                                 kernel
///   keys or flags, below small_from_items                        persistent_segmented_scan.cuh, tiny tiles
///   any, offsets from flags_from_items on, below large_from_items   the same, small tiles
///   the same, more items                                         the same, large tiles
///   any                                                          tile_kernel.cuh, also of fewer items
///
/// The arguments are those of segmented_scan().
template <
  class Tuning = void, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init, class TotalIt>
auto segmented_scan_plan(Kind, Heads heads, InputIt in, OutputIt out, index_type n, Op op, Init init, TotalIt totals)
{
  constexpr bool has_init = !::cuda::std::is_same<Init, no_init>::value;
  static_assert(Kind::value == scan_kind::inclusive || has_init, "an exclusive scan starts with an initial value");
  using accumulator = accumulator_t<Op, InputIt, Init>;
  static_assert(simt::is_supported_value_v<accumulator>, "kernels hold values of at most 128 bytes, copied bytewise");
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::segmented_scan<sizeof(accumulator)>, Tuning>;
  using kernel_init = ::cuda::std::conditional_t<has_init, accumulator, no_init>;
  using tiles =
    segmented_tile_policy<chosen, Kind::value, accumulator, Heads, InputIt, OutputIt, Op, kernel_init, TotalIt>;
  using source = typename tiles::source;

  // Without items there may still be segments, whose totals are then the initial value.
  constexpr bool writes_empty = has_init && tiles::has_totals && source::has_numbers;
  const unsigned count = n == 0 ? writes_empty : gimbal::tiles_of(n, tiles::tile_items);
  const kernel_row<tile_kernel<tiles>> tile_row(
    count > 0, {{{heads}, in, out, n, {op}, static_cast<kernel_init>(init), totals}, n, {count}});
  // Outputs that load go by many blocks, which hide what each waits for.
  if constexpr (::cuda::std::is_void<Tuning>::value && !tiles::has_totals && !fetches_v<OutputIt, accumulator>) {
    using rows = segments_tuning<Heads, InputIt, Op, Init>;
    const index_type from = source::has_numbers ? rows::flags_from_items : rows::from_items;
    return gimbal::plan_of(
      algorithm::persistent_segmented_scan_row<typename rows::tiny, !source::has_numbers>(
        n >= from && n < rows::small_from_items, Kind{}, heads, in, out, n, op, init),
      algorithm::persistent_segmented_scan_row<typename rows::small_tuning>(
        n >= from && n < rows::large_from_items, Kind{}, heads, in, out, n, op, init),
      algorithm::persistent_segmented_scan_row<typename rows::large>(
        n >= from && n >= rows::large_from_items, Kind{}, heads, in, out, n, op, init),
      tile_row);
  } else {
    return gimbal::plan_of(tile_row);
  }
}

/// `heads` is one of heads_from_keys, heads_from_flags, heads_from_offsets; `Kind` is inclusive_scan_tag, with or
/// without an initial value, or exclusive_scan_tag with one. `totals` is an iterator or no_totals. A segment without
/// items has the total `init`; without an initial value its total is left as it is. `Tuning` void: chosen by the size
/// of the accumulator.
template <
  class Tuning = void, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init, class TotalIt>
status segmented_scan(
  const temporary_storage& storage, std::size_t& storage_bytes, Kind, Heads heads, InputIt in, OutputIt out,
  index_type n, Op op, Init init, TotalIt totals, simt::stream_type stream)
{
  return algorithm::segmented_scan_plan<Tuning>(Kind{}, heads, in, out, n, op, init, totals)
    .run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
