// Select and partition, a tile per block: a policy of the tile driver (pipeline/tile_kernel.cuh) and, for a stable
// partition in place of few items, of the resident one (pipeline/resident_kernel.cuh).
//
// Algorithm: a thread holds its items in registers, calls the selector on each, and the block counts by ballots. While
// the count is on its way to other blocks the selected items of the tile come together in shared memory, and the
// rejected ones after them; each are stored as one run. A rejected item's position among the rejected is i - (selected
// before i). A stable partition in place by the tile driver stores the rejected ones in a buffer, from where a second
// launch moves them after the selected.
//
// Storage beside the driver's: of a stable partition in place n items, and 256 bytes of the tile driver's.
//
// In place (the selected items go where the items come from): a tile's selected items are stored at or before the tile,
// where tiles before it have read. Each block loads all that it ever reads before the barrier that precedes the
// publication of its count; the count is published with release and read with acquire, from tile to tile
// (orders_tiles), so these loads happen before the stores of every later tile. One load reaches out of the tile: the
// item before it, for a test of equality; the block of the tile before could store there only if nothing was rejected
// up to there, and then its tile, being in place already, is not stored at all. So no item is stored and loaded without
// an order between them.
#pragma once

#include <gimbal/algorithm/select/tuning.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/select/persistent_partition_tiles.cuh>
#include <gimbal/pipeline/resident_kernel.cuh>
#include <gimbal/tile/rows.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `InPlace` is bool, or true_type or false_type where it is known.
template <class Tuning, class InputIt, class Selector, class SelectedIt, class Rejected, class CountIt, class InPlace>
struct select_tile_policy {
  static constexpr const char* step =
    ::cuda::std::is_same<InPlace, ::cuda::std::true_type>::value ? "stable partition" : "select";
  static constexpr const char* clearing = "clearing of the words of a select";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;
  static constexpr bool holds_items = true;

  using value = value_type_of<InputIt>;
  static_assert(simt::is_supported_value_v<value>, "kernels hold values of at most 128 bytes, copied bytewise");
  using total = index_type;  // how many are selected
  using rows = block::rows<block_threads, items_per_thread>;
  static constexpr unsigned tile_items = rows::items;
  static constexpr bool keeps_rejected = Rejected::order != rejected_order::dropped;
  static constexpr unsigned resident_blocks =
    tuning::partition_resident_threads(sizeof(value), items_per_thread) / block_threads;

  struct shared {
    uninit<value> item[rows::items];
    typename rows::shared counts;
  };
  struct held {
    uninit<value> item[items_per_thread];
    std::uint32_t flags;
    unsigned selected;  // of the tile
  };

  InputIt in;
  Selector selector;
  SelectedIt selected_out;
  Rejected rejected;
  CountIt selected_count;
  InPlace orders_tiles;

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared&, const tile_extent& tile, held& own) const
  {
    rows::load(ctx, in + tile.first, tile.valid, own.item);
  }
  template <class Context>
  GIMBAL_DEVICE void fold(Context& ctx, shared& smem, const tile_extent& tile, held& own) const
  {
    own.flags = rows::template flags<Selector::loads>(ctx, tile.valid, [&](unsigned i, unsigned index) {
      return selector.selects(in, tile.first + index, own.item[i].get());
    });
    rows::count(ctx, smem.counts, own.flags);
  }

  GIMBAL_DEVICE total total_of(const shared& smem, const tile_extent&) const { return rows::total(smem.counts); }
  GIMBAL_DEVICE ::cuda::std::plus<total> combine() const { return {}; }
  GIMBAL_DEVICE void start(bool, uninit<total>&) const {}

  template <class Context>
  GIMBAL_DEVICE void arrange(Context& ctx, shared& smem, const tile_extent& tile, held& own) const
  {
    own.selected = rows::total(smem.counts);
    rows::template gather_flagged<keeps_rejected>(
      ctx, smem.counts, own.flags, tile.valid, own.selected, own.item, smem.item);
  }

  template <class Context>
  GIMBAL_DEVICE void store(
    Context& ctx, shared& smem, const tile_extent& tile, const uninit<total>& before, held& own) const
  {
    const index_type selected_before = tile.number > 0 ? before.get() : 0;
    const index_type selected_through = selected_before + own.selected;
    if (!(orders_tiles && selected_through == tile.first + tile.valid)) {  // else each item is where it belongs
      rows::store_run(ctx, smem.item, selected_out + selected_before, own.selected);
    }
    if constexpr (keeps_rejected) {
      rows::store_run(
        ctx, smem.item + own.selected, rejected.begin(tile.first - selected_before), tile.valid - own.selected);
    }
    if (ctx.thread() == 0 && tile.is_last) {
      block::store_as(selected_count, selected_through);
    }
  }
  /// Of a stable partition in place, where the number of all selected items is known.
  template <class Context>
  GIMBAL_DEVICE void store(
    Context& ctx, shared& smem, const tile_extent& tile, const all_totals& selected, held& own) const
  {
    rows::store_run(ctx, smem.item, selected_out + selected.before, own.selected);
    rows::store_run(
      ctx, smem.item + own.selected, selected_out + rejected_after(tile, selected), tile.valid - own.selected);
    if (ctx.thread() == 0 && tile.is_last) {
      block::store_as(selected_count, index_type{selected.all});
    }
  }

  template <class Context>
  GIMBAL_DEVICE void keep(Context& ctx, shared& smem, const tile_extent& tile, value* buffer) const
  {
    rows::store_run(ctx, smem.item, buffer + tile.first, tile.valid);
  }
  template <class Context>
  GIMBAL_DEVICE void bring(Context& ctx, const tile_extent& tile, const all_totals& selected, const value* buffer) const
  {
    for (unsigned i = ctx.lane(); i < tile.valid; i += simt::warp_threads) {
      const index_type to =
        i < selected.own ? index_type{selected.before} + i : rejected_after(tile, selected) + (i - selected.own);
      block::store_as(selected_out + to, buffer[tile.first + i]);
    }
    if (ctx.lane() == 0 && tile.is_last) {
      block::store_as(selected_count, index_type{selected.all});
    }
  }

private:
  /// Index of the first rejected item of a tile in the result.
  static GIMBAL_DEVICE index_type rejected_after(const tile_extent& tile, const all_totals& selected)
  {
    return selected.all + (tile.first - selected.before);
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
