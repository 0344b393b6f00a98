// A scan of each of many segments that say for themselves where they begin and end, and where their results go: they
// may leave gaps, come in any order and overlap as far as they are only read. Nobody knows beforehand how many items
// they have in all.
//
// Algorithm: a block takes as many neighbouring segments as it has warps, or one where there are so few that every
//   multiprocessor can have its own. Each warp scans one segment, rows of 32 items after each other; segments that are
//   too long for that are scanned by the whole block, one after the other, whose warps share out the rows. What is
//   before a row stays in registers.
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
#include <gimbal/tile/iterators.h>

#include <gimbal/collective/scan.cuh>

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
  static constexpr unsigned rows = Tuning::rows;  // of a warp, which are loaded together
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr bool has_init = is_combined_init_v<Init>;

  struct segment {
    index_type begin;
    index_type count;
    index_type out_begin;
  };
  struct shared {
    uninit<T> warp_total[warps];
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
        scan_segment<false>(ctx, smem, own);
      }
      GIMBAL_NO_UNROLL
      for (unsigned w = 0; w < group_segments; ++w) {
        if (smem.own[w].count > most_warp_items) {
          scan_segment<true>(ctx, smem, smem.own[w]);
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

  /// By a warp, or by all warps of the block.
  template <bool ByBlock, class Context>
  GIMBAL_DEVICE void scan_segment(Context& ctx, shared& smem, const segment& own) const
  {
    constexpr index_type row_items = simt::warp_threads;
    constexpr index_type warp_items = rows * row_items;
    const index_type own_first = ByBlock ? ctx.warp() * warp_items : 0;
    before_items before = nothing_before();
    for (index_type first = own_first; first - own_first < own.count; first += (ByBlock ? warps : 1) * warp_items) {
      const InputIt mine_in = in + (own.begin + first + ctx.lane());
      const OutputIt mine_out = out + (own.out_begin + first + ctx.lane());
      const index_type left = own.count - first;
      uninit<T> item[rows];
      GIMBAL_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        if (ctx.lane() < active_in(r, left)) {
          item[r].set(block::load_as<T>(mine_in + r * row_items));
        }
      }
      ctx.sync_warp();  // together again
      uninit<T> row_total[rows];
      unsigned present = 0;  // rows with items
      GIMBAL_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        if (const unsigned active = active_in(r, left)) {
          block::warp_inclusive_scan(ctx, item[r], active, op);
          row_total[r] = ctx.shfl(item[r], active - 1);
          present = r + 1;
        }
      }
      before_items before_row = before;
      if constexpr (ByBlock) {
        if (ctx.lane() == 0) {
          smem.warp_total[ctx.warp()] = block::fold_items(present, row_total, op);
        }
        ctx.sync_block();  // the warps' totals are written
        for (unsigned w = 0; w < warps && first - own_first + w * warp_items < own.count; ++w) {
          if (w == ctx.warp()) {
            before_row = before;
          }
          advance(before, smem.warp_total[w]);
        }
        ctx.sync_block();  // the totals have been read
      }
      GIMBAL_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        if (const unsigned active = active_in(r, left)) {
          const uninit<T> result = result_of(ctx, item[r], active, before_row);
          if (ctx.lane() < active) {
            block::store_as(mine_out + r * row_items, result.get());
          }
          ctx.sync_warp();  // together again
          advance(before_row, row_total[r]);
        }
      }
      if constexpr (!ByBlock) {
        before = before_row;
      }
    }
  }

  /// Lanes with an item in row `r`, of so many items that are left for the warp and those after it.
  static GIMBAL_DEVICE unsigned active_in(unsigned r, index_type left)
  {
    const index_type of_row = left - index_type{r} * simt::warp_threads;
    return of_row <= 0 ? 0 : of_row < simt::warp_threads ? static_cast<unsigned>(of_row) : simt::warp_threads;
  }

  /// The result for the lane's item, of a row that is scanned by itself.
  template <class Context>
  GIMBAL_DEVICE uninit<T> result_of(Context& ctx, uninit<T> result, unsigned active, const before_items& before) const
  {
    bool exists = true;
    if constexpr (Kind == scan_kind::exclusive) {
      result = ctx.shfl_up(result, 1);
      exists = ctx.lane() > 0;
    }
    if (before.exists && ctx.lane() < active) {
      result.set(exists ? op(before.value.get(), result.get()) : before.value.get());
    }
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
};

/// Of each segment s the items in[begins[s]], ... in[ends[s] - 1] scanned to out[out_begins[s]], ...; ends before
/// begins are as good as no items. `Kind` is inclusive_scan_tag, with or without an initial value, or
/// exclusive_scan_tag with one, which comes before each segment. `T` is what is accumulated in. `Tuning` void: chosen
/// by its size.
template <
  class T, class Tuning = void, class Kind, class InputIt, class OutputIt, class BeginIt, class EndIt, class OutBeginIt,
  class Op, class Init>
auto each_segment_scan_plan(
  Kind, InputIt in, OutputIt out, BeginIt begins, EndIt ends, OutBeginIt out_begins, index_type segments, Op op,
  Init init)
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
  const auto start = static_cast<kernel_init>(init);
  return gimbal::plan_of(kernel_row<kernel_type>(
    segments > 0,
    kernel_type{in, out, begins, ends, out_begins, segments, groups, group_segments, most_warp_items, {op}, start}));
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
