// Select and partition, a tile per block.
//
// Algorithm: single pass. A block loads its tile, calls the selector on each item, counts by ballots, looks back for
// the number of items selected before the tile (grid/look_back.cuh; Merrill & Garland 2016), brings the selected items
// of the tile together in shared memory and stores them as one run; so for the rejected ones, whose place is i -
// (selected before i). A stable partition in place stores the rejected ones in a buffer, from where a second kernel
// moves them after the selected.
//
// Launches: one; partition in place two. Storage: words (launch_plan.h), 16 bytes * (1 + 1/32 + 1/1024) per tile;
// partition in place n items and 256 bytes, too. Progress: see look_back.cuh.
//
// In place (the selected items go where the items come from): a tile's selected items are stored at or before the tile,
// where tiles before it have read. Each block loads all that it ever reads before the barrier that precedes the
// publication of its count; the count is published with release and read with acquire, from tile to tile (OrdersMemory
// of look_back), so these loads happen before the stores of every later tile. One load reaches out of the tile: the
// item before it, for a test of equality; the block of the tile before could store there only if nothing was rejected
// up to there, and then its tile, being in place already, is not stored at all. So no item is stored and loaded without
// an order between them.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/grid/launch_plan.h>

#include <gimbal/algorithm/select/persistent_partition.cuh>
#include <gimbal/grid/look_back.cuh>
#include <gimbal/tile/rows.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `InPlace` is bool, or true_type or false_type where it is known.
template <class Tuning, class InputIt, class Selector, class SelectedIt, class Rejected, class CountIt, class InPlace>
struct select_kernel {
  static constexpr simt::start starts = simt::start::in_order;
  static constexpr const char* step =
    ::cuda::std::is_same<InPlace, ::cuda::std::true_type>::value ? "stable partition" : "select";
  static constexpr const char* clearing = "clearing of the look-back state of a partition";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;

  using value = value_type_of<InputIt>;
  using rows = block::rows<block_threads, items_per_thread>;
  static constexpr bool keeps_rejected = Rejected::order != rejected_order::dropped;

  static constexpr unsigned resident_blocks =
    tuning::partition_resident_threads(sizeof(value), items_per_thread) / block_threads;

  struct shared {
    uninit<value> item[rows::items];
    typename rows::shared counts;
    index_type selected_before;
  };

  InputIt in;
  index_type n;
  Selector selector;
  SelectedIt selected_out;
  Rejected rejected;
  CountIt selected_count;
  InPlace is_in_place;
  block::look_back<index_type> before;

  index_type blocks() const { return before.tiles; }
  index_type words_needed() const { return before.words_needed(); }
  void take(const launch_words& held) { before.take(held); }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned number = ctx.block();
    const index_type first = static_cast<index_type>(number) * rows::items;
    const unsigned valid = n - first < rows::items ? static_cast<unsigned>(n - first) : rows::items;

    uninit<value> item[items_per_thread];
    rows::load(ctx, in + first, valid, item);
    const std::uint32_t flags = rows::template flags<Selector::loads>(
      ctx, valid, [&](unsigned i, unsigned index) { return selector.selects(in, first + index, item[i].get()); });
    rows::count(ctx, smem.counts, flags);
    ctx.sync_block();  // the warps' counts are written; all loads from global memory precede the publication

    const unsigned selected = rows::total(smem.counts);
    if (ctx.thread() == 0) {
      with_look_back([&](const auto& tiles) { tiles.publish(ctx, number, selected); });
    }
    rows::template gather_flagged<keeps_rejected>(ctx, smem.counts, flags, valid, selected, item, smem.item);
    if (ctx.warp() == 0) {
      uninit<index_type> prefix;
      const bool exists = with_look_back([&](const auto& tiles) {
        return tiles.published_prefix(ctx, number, selected, ::cuda::std::plus<index_type>{}, prefix);
      });
      if (ctx.lane() == 0) {
        smem.selected_before = exists ? prefix.get() : 0;
      }
    }
    ctx.sync_block();  // the items are in shared memory, the number of items selected before the tile is known

    const index_type selected_before = smem.selected_before;
    const index_type selected_through = selected_before + selected;
    if (!(is_in_place && selected_through == first + valid)) {  // else each item is where it belongs
      rows::store_run(ctx, smem.item, selected_out + selected_before, selected);
    }
    if constexpr (keeps_rejected) {
      rows::store_run(ctx, smem.item + selected, rejected.begin(first - selected_before), valid - selected);
    }
    if (ctx.thread() == 0 && number + 1 == before.tiles) {
      block::store_as(selected_count, selected_through);
    }
  }

private:
  /// Calls `use` with the look-back, which orders memory where the call is in place.
  template <class Use>
  GIMBAL_DEVICE auto with_look_back(Use use) const
  {
    return is_in_place ? use(block::look_back<index_type, true>{before.tiles, before.words, before.tag}) : use(before);
  }
};

/// Moves the rejected items of a stable partition in place from the buffer to where they belong.
template <class Value, class OutputIt>
struct append_kernel {
  static constexpr const char* step = "stable partition: rejected items to the end";
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = tuning::items_for_bytes(32, sizeof(Value), 8);

  struct shared {};

  const Value* buffer;
  OutputIt data;
  index_type n;
  const index_type* kept_count;
  index_type* selected_count;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const index_type selected = *kept_count;
    algorithm::append_share<items_per_thread>(
      ctx, static_cast<unsigned>(ctx.block()), static_cast<unsigned>(ctx.blocks()), buffer, data + selected,
      n - selected);
    if (ctx.block() == 0 && ctx.thread() == 0) {
      block::store_as(selected_count, selected);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
