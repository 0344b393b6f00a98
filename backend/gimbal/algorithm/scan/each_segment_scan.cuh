// A scan of each of many segments that say for themselves where they begin and end, and where their results go: they
// may leave gaps, come in any order and overlap as far as they are only read. Nobody knows beforehand how many items
// they have in all.
//
// Algorithm: a block takes as many neighbouring segments as it has warps, or one where there are so few that every
//   multiprocessor can have its own. Each warp scans one segment, rows of 32 items after each other; segments that are
//   too long for that are scanned by the whole block, one after the other, tile by tile. What is before a row or a tile
//   stays in registers.
// Bytes moved: each item is read once and each result written once; of each segment its begin, its end, and where its
// results begin.
// Launches: one. Storage: none.
// Balance: a segment is one block's, so few long ones leave multiprocessors idle; for those the scans of
//   segmented_scan.cuh are, which know how many items there are.
// Operator: associative; operands are combined in order, so it need not be commutative; called on items of one segment
// and on results.
// Determinism: the tree depends on the number of the segment's items, and on whether segments are few: the same bits in
//   every run, on every device.
// Progress: blocks do not wait for each other. Aliasing: results may be written where the items of the same segment
// are, item by item.
#pragma once

#include <gimbal/algorithm/scan/segments_tuning.h>
#include <gimbal/grid/launch_plan.h>
#include <gimbal/tile/accumulator.h>

#include <gimbal/collective/scan.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Init` is T, or no_init.
template <
  class Tuning, scan_kind Kind, class T, class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt,
  class Op, class Init>
struct each_segment_scan_kernel {
  static constexpr const char* step = "scan of each segment";
  static constexpr const char* clearing = "";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr bool has_init = is_combined_init_v<Init>;

  using tile = block::tile<T, block_threads, items_per_thread>;
  using threads = block::scan<T, block_threads>;

  struct segment {
    index_type begin;
    index_type count;
    index_type out_begin;
  };
  struct shared {
    typename tile::shared items;
    typename threads::shared totals;
    segment own[warps];
  };
  /// What is before an item: for the first ones of a segment without an initial value, nothing.
  struct before_items {
    uninit<T> value;
    bool exists = has_init;
  };

  InputIt in;
  OutputIt out;
  BeginIt begins;
  EndIt ends;
  OutBeginIt out_begins;
  index_type segments;
  index_type groups;           // of a block's segments
  unsigned group_segments;     // segments of a group, at most one for each warp
  index_type most_warp_items;  // of a segment that a warp scans
  block::combine<T, Op> op;
  Init init;

  index_type blocks() const { return groups < Tuning::most_blocks ? groups : Tuning::most_blocks; }
  index_type words_needed() const { return no_words; }
  void take(const launch_words&) {}

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    for (index_type group = ctx.block(); group < groups; group += ctx.blocks()) {
      const index_type number = group * group_segments + ctx.warp();
      if (ctx.lane() == 0) {
        const bool exists = ctx.warp() < group_segments && number < segments;
        smem.own[ctx.warp()] = exists ? segment_of(number) : segment{0, 0, 0};
      }
      ctx.sync_block();  // the segments are known
      const segment own = smem.own[ctx.warp()];
      if (own.count <= most_warp_items) {
        scan_by_warp(ctx, own);
      }
      GIMBAL_NO_UNROLL
      for (unsigned w = 0; w < group_segments; ++w) {
        if (smem.own[w].count > most_warp_items) {
          scan_by_block(ctx, smem, smem.own[w]);
        }
      }
      ctx.sync_block();  // nobody asks for these segments any more
    }
  }

private:
  GIMBAL_DEVICE segment segment_of(index_type number) const
  {
    const index_type begin = block::load_as<index_type>(begins + number);
    const index_type count = block::load_as<index_type>(ends + number) - begin;
    return {begin, count, count > 0 ? block::load_as<index_type>(out_begins + number) : 0};
  }

  GIMBAL_DEVICE before_items nothing_before() const
  {
    before_items before;
    if constexpr (has_init) {
      before.value.set(init);
    }
    return before;
  }

  template <class Context>
  GIMBAL_DEVICE void scan_by_warp(Context& ctx, const segment& own) const
  {
    constexpr unsigned rows = Tuning::warp_rows;
    constexpr index_type row_items = simt::warp_threads;
    before_items before = nothing_before();
    for (index_type first = 0; first < own.count; first += rows * row_items) {
      const InputIt mine_in = in + (own.begin + first + ctx.lane());
      const OutputIt mine_out = out + (own.out_begin + first + ctx.lane());
      const index_type left = own.count - first;
      uninit<T> item[rows];
      GIMBAL_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        if (r * row_items + ctx.lane() < left) {
          item[r].set(block::load_as<T>(mine_in + r * row_items));
        }
      }
      ctx.sync_warp();  // together again
      GIMBAL_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        if (r * row_items < left) {
          const index_type of_row = left - r * row_items;
          const unsigned active = of_row < row_items ? static_cast<unsigned>(of_row) : simt::warp_threads;
          const uninit<T> result = scan_row(ctx, item[r], active, before);
          if (ctx.lane() < active) {
            block::store_as(mine_out + r * row_items, result.get());
          }
          ctx.sync_warp();  // together again
        }
      }
    }
  }

  /// The result for the lane's item; `before` goes after the row.
  template <class Context>
  GIMBAL_DEVICE uninit<T> scan_row(Context& ctx, uninit<T> item, unsigned active, before_items& before) const
  {
    block::warp_inclusive_scan(ctx, item, active, op);
    const uninit<T> total = ctx.shfl(item, active - 1);
    uninit<T> result = item;
    if constexpr (Kind == scan_kind::exclusive) {
      const uninit<T> below = ctx.shfl_up(item, 1);
      if (ctx.lane() > 0 && ctx.lane() < active) {
        result.set(op(before.value.get(), below.get()));
      } else {
        result = before.value;
      }
    } else if (before.exists && ctx.lane() < active) {
      result.set(op(before.value.get(), item.get()));
    }
    advance(before, total);
    return result;
  }

  GIMBAL_DEVICE void advance(before_items& before, const uninit<T>& total) const
  {
    if (before.exists) {
      before.value.set(op(before.value.get(), total.get()));
    } else {
      before.value = total;
      before.exists = true;
    }
  }

  template <class Context>
  GIMBAL_DEVICE void scan_by_block(Context& ctx, shared& smem, const segment& own) const
  {
    before_items before = nothing_before();
    for (index_type first = 0; first < own.count; first += tile::items) {
      const index_type left = own.count - first;
      const unsigned valid = left < tile::items ? static_cast<unsigned>(left) : tile::items;
      const unsigned active = tile::active_threads(valid);
      const unsigned count = tile::thread_valid(ctx, valid);
      tile::load(ctx, smem.items, in + (own.begin + first), valid);
      ctx.sync_block();  // the tile is in shared memory
      uninit<T> value[items_per_thread];
      tile::read(ctx, smem.items, value);
      uninit<T> running = block::fold_items(count, value, op);
      threads::scan_warps(ctx, smem.totals, running, active, op);
      ctx.sync_block();  // the warps' totals are written
      if (count > 0) {
        bool exists = threads::prefix(ctx, smem.totals, running, op);
        if (before.exists) {
          running.set(exists ? op(before.value.get(), running.get()) : before.value.get());
          exists = true;
        }
        block::scan_items<Kind>(count, exists, running, value, op);
      }
      uninit<T> total;
      total.set(threads::total(smem.totals, active, op));
      advance(before, total);
      tile::write(ctx, smem.items, value);  // each thread where it alone has read
      ctx.sync_block();                     // the results are in shared memory, the totals have been read
      tile::store_run(ctx, smem.items.item, out + (own.out_begin + first), valid);
    }
  }
};

/// Of each segment s the items in[begins[s]], ... in[ends[s] - 1] scanned to out[out_begins[s]], ...; ends before
/// begins are as good as no items. `Kind` is inclusive_scan_tag, with or without an initial value, or
/// exclusive_scan_tag with one, which comes before each segment. `T` is what is accumulated in. `Tuning` void: chosen
/// by its size.
template <
  class T, class Tuning = void, class Kind, class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt,
  class Op, class Init>
[[nodiscard]] status each_segment_scan(
  temporary_storage storage, std::size_t& storage_bytes, Kind, InputIt in, OutputIt out, BeginIt begins, EndIt ends,
  OutBeginIt out_begins, index_type segments, Op op, Init init, simt::stream_type stream)
{
  static_assert(
    Kind::value == scan_kind::inclusive || is_combined_init_v<Init>, "an exclusive scan starts with an initial value");
  static_assert(simt::is_supported_value_v<T>, "kernels hold values of at most 128 bytes, copied bytewise");
  using chosen =
    ::cuda::std::conditional_t<::cuda::std::is_void<Tuning>::value, tuning::each_segment_scan<sizeof(T)>, Tuning>;
  using kernel_init = kernel_init_t<T, Init>;
  using kernel_type =
    each_segment_scan_kernel<chosen, Kind::value, T, InputIt, OutputIt, BeginIt, EndIt, OutBeginIt, Op, kernel_init>;
  const bool are_few = segments <= chosen::few_segments;
  const unsigned group_segments = are_few ? 1 : kernel_type::warps;
  const index_type groups = (segments - 1) / group_segments + 1;
  const index_type most_warp_items = are_few ? chosen::most_warp_items_of_few : chosen::most_warp_items;
  const kernel_row<kernel_type> row(
    segments > 0, {in,
                   out,
                   begins,
                   ends,
                   out_begins,
                   segments,
                   groups,
                   group_segments,
                   most_warp_items,
                   {op},
                   static_cast<kernel_init>(init)});
  return gimbal::plan_of(row).run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
