// A stable partition in place of few items, in one launch: blocks each of which holds its tile from the first load to
// the last store.
//
// Algorithm: a block loads its tile, counts the selected items and publishes how many; with the counts of all blocks it
// knows how many are selected before its tile and in all, which is where the rejected items begin. Where not all blocks
// can be resident each leaves its tile in a buffer, the selected items first, and the last block moves all of them to
// where they belong. A block that is alone waits for nobody.
//
// Bytes moved: each item is read once and written once; through the buffer, twice. Launches: one. Storage: a word for
// each block (launch_plan.h); of several blocks n items, too.
// Progress, memory order: see grid/reader_barrier.cuh. All loads come before any store.
#pragma once

#include <gimbal/grid/launch_plan.h>
#include <gimbal/tile/contiguous_iterator.h>

#include <gimbal/grid/reader_barrier.cuh>
#include <gimbal/simt/warp_sum.cuh>
#include <gimbal/tile/rows.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Tuning, class InOutIt, class Selector>
struct resident_partition_kernel {
  static constexpr const char* step = "stable partition";
  static constexpr const char* clearing = "clearing of the words of a stable partition";
  static constexpr unsigned block_threads = Tuning::block_threads;
  using value = value_type_of<InOutIt>;
  using rows = block::rows<block_threads, Tuning::items_per_thread>;

  struct shared {
    uninit<value> item[rows::items];
    typename rows::shared counts;
    unsigned selected_before;
    unsigned selected_of_all;
    bool is_in_time;
    bool is_last;
  };

  InOutIt data;
  unsigned n;
  Selector selector;
  index_type* selected_count;
  value* buffer;
  block::reader_barrier readers;

  index_type blocks() const { return n == 0 ? 1 : gimbal::tiles_of(n, rows::items); }
  index_type words_needed() const
  {
    return static_cast<index_type>(block::reader_barrier::word_count(static_cast<std::size_t>(blocks())));
  }
  void take(const launch_words& held)
  {
    readers = block::reader_barrier::of(held, static_cast<unsigned>(blocks()));
    buffer = held.arrays<value>();
  }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned first = ctx.block() * rows::items;
    const unsigned valid = n - first < rows::items ? n - first : rows::items;
    const unsigned order = ctx.thread() == 0 ? readers.enter(ctx) : 0;

    uninit<value> item[Tuning::items_per_thread];
    rows::load(ctx, data + first, valid, item);
    const std::uint32_t flags = rows::template flags<Selector::loads>(
      ctx, valid, [&](unsigned i, unsigned index) { return selector.selects(data, first + index, item[i].get()); });
    rows::count(ctx, smem.counts, flags);
    ctx.sync_block();  // the warps' counts are written; all loads precede the arrival

    const unsigned selected = rows::total(smem.counts);
    if (ctx.thread() == 0) {
      readers.arrive(ctx, order, selected);
    }
    rows::template gather_flagged<true>(ctx, smem.counts, flags, valid, selected, item, smem.item);
    if (ctx.warp() == 0) {
      add_counts(ctx, smem);
    }
    ctx.sync_block();  // the items are in shared memory; their places are known, and all blocks have read

    if (!smem.is_in_time) {
      leave(ctx, smem, first, valid);
      return;
    }
    const unsigned before = smem.selected_before;
    const unsigned of_all = smem.selected_of_all;
    rows::store_run(ctx, smem.item, data + before, selected);
    rows::store_run(ctx, smem.item + selected, data + (of_all + (first - before)), valid - selected);
    if (ctx.block() == 0 && ctx.thread() == 0) {
      block::store_as(selected_count, of_all);
    }
  }

private:
  template <class Context>
  GIMBAL_DEVICE void add_counts(Context& ctx, shared& smem) const
  {
    std::uint32_t before = 0;
    std::uint32_t of_all = 0;
    bool is_in_time = true;
    if (ctx.blocks() == 1) {
      of_all = rows::total(smem.counts);
    } else {
      is_in_time = readers.wait(ctx, [&](unsigned block, std::uint32_t selected) {
        before += block < ctx.block() ? selected : 0;
        of_all += selected;
      });
      before = simt::warp_sum(ctx, before);
      of_all = simt::warp_sum(ctx, of_all);
    }
    if (ctx.lane() == 0) {
      smem.selected_before = before;
      smem.selected_of_all = of_all;
      smem.is_in_time = is_in_time;
    }
  }

  /// The block's tile into the buffer, the selected items first. The last block moves the tiles to where they belong, a
  /// warp each.
  template <class Context>
  GIMBAL_DEVICE_NOINLINE void leave(Context ctx, shared& smem, unsigned first, unsigned valid) const
  {
    rows::store_run(ctx, smem.item, buffer + first, valid);
    ctx.sync_block();  // the tile is in the buffer
    if (ctx.thread() == 0) {
      smem.is_last = readers.leave(ctx);
    }
    ctx.sync_block();  // the buffer is full if the block is the last
    if (smem.is_last) {
      for (unsigned tile = ctx.warp(); tile < ctx.blocks(); tile += block_threads / simt::warp_threads) {
        bring(ctx, tile);
      }
    }
  }
  template <class Context>
  GIMBAL_DEVICE void bring(Context& ctx, unsigned tile) const
  {
    std::uint32_t before = 0;
    std::uint32_t selected = 0;
    std::uint32_t of_all = 0;
    readers.visit(ctx, [&](unsigned block, std::uint32_t count) {
      before += block < tile ? count : 0;
      selected += block == tile ? count : 0;
      of_all += count;
    });
    before = simt::warp_sum(ctx, before);
    selected = simt::warp_sum(ctx, selected);
    of_all = simt::warp_sum(ctx, of_all);
    const unsigned first = tile * rows::items;
    const unsigned valid = n - first < rows::items ? n - first : rows::items;
    for (unsigned i = ctx.lane(); i < valid; i += simt::warp_threads) {
      const unsigned to = i < selected ? before + i : of_all + (first - before) + (i - selected);
      block::store_as(data + to, buffer[first + i]);
    }
    if (tile == 0 && ctx.lane() == 0) {
      block::store_as(selected_count, of_all);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
