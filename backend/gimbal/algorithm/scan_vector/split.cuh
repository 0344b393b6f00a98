// Split: the selected items, then the others, both in their order, in one launch.
//
// Algorithm: the first blocks of the launch count, without the items where flags say which are selected: each has a
//   share of neighbouring tiles and publishes how many are selected in each tile and in the share. Each block after
//   them moves a tile. It loads the tile, ranks its items by ballots (tile/rows.cuh) and brings the selected ones
//   together in shared memory; from all shares' counts, and those of its share's tiles before its own, it has the
//   number of items selected before the tile and in all, and stores two runs. No block looks back at others that wait.
//   A single tile is one block's, which needs no counts.
// Bytes moved: flags are read twice, items read and written once; without flags items are read twice, the second time
//   mostly from the L2 cache, as calls of more than tuning's `most_items` take two launches.
// Launches: one. Storage: a tagged word (launch_plan.h) for each tile and each share; none for a single tile.
// Selector: called twice for each item, in any order; it must say the same.
// Determinism: the result is a function of the input.
// Progress: blocks that count wait for nobody; those that move wait for them alone, which have lower numbers and so
//   begin before them (simt::start::in_order).
// Memory order: counts carry their own validity (exchange.cuh) and nothing else is handed over, so relaxed accesses
//   suffice. Input and output do not overlap.
#pragma once

#include <gimbal/algorithm/scan_vector/tuning.h>
#include <gimbal/grid/launch_plan.h>

#include <gimbal/grid/exchange.cuh>
#include <gimbal/simt/warp_sum.cuh>
#include <gimbal/tile/rows.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Tuning, class InputIt, class OutputIt, class CountedIt, class Selector, class CountIt>
struct split_kernel {
  static constexpr simt::start starts = simt::start::in_order;
  static constexpr const char* step = "split";
  static constexpr const char* clearing = "clearing of the counts of a split";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static_assert(Tuning::share_tiles <= simt::warp_threads, "a warp has a lane for each tile of a share");

  using value = value_type_of<InputIt>;
  using rows = block::rows<block_threads, items_per_thread>;

  struct places {
    std::uint32_t before;  // items that are selected before the tile
    std::uint32_t of_all;
  };
  struct shared {
    uninit<value> item[rows::items];
    typename rows::shared counts;
    std::uint32_t counted[Tuning::share_tiles][warps];
    places part[warps];
  };

  InputIt in;
  unsigned n;
  OutputIt out;
  CountedIt counted;  // 1 for each item that is selected
  Selector selector;
  CountIt selected_count;
  unsigned tiles = 1;
  unsigned share_tiles = 1;  // of each share but the last
  unsigned shares = 0;       // none for a single tile
  std::uint64_t* words = nullptr;
  std::uint32_t tag = 0;

  // ---- host

  /// Whether there are so few items.
  static bool takes(index_type n)
  {
    constexpr index_type most_tiles = index_type{Tuning::shares} * Tuning::share_tiles;
    return n <= Tuning::most_items && n <= most_tiles * rows::items;
  }

  /// Finds the shares, too.
  index_type blocks()
  {
    tiles = n == 0 ? 1 : gimbal::tiles_of(n, rows::items);
    share_tiles = (tiles + Tuning::shares - 1) / Tuning::shares;
    shares = tiles == 1 ? 0 : (tiles + share_tiles - 1) / share_tiles;
    return index_type{shares} + tiles;
  }
  index_type words_needed() const { return shares > 0 ? index_type{shares} + tiles : no_words; }
  void take(const launch_words& held)
  {
    words = held.words();
    tag = held.first_tag();
  }

  // ---- device

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.block() < shares) {
      count_share(ctx, smem, ctx.block());
    } else {
      move_tile(ctx, smem, ctx.block() - shares);
    }
  }

private:
  using count_table = block::exchange<std::uint32_t, false>;
  GIMBAL_DEVICE count_table share_counts() const { return {words, shares}; }
  GIMBAL_DEVICE count_table tile_counts() const { return {words + shares, tiles}; }

  GIMBAL_DEVICE unsigned valid_of(unsigned first) const { return n - first < rows::items ? n - first : rows::items; }

  template <class Context>
  GIMBAL_DEVICE void count_share(Context& ctx, shared& smem, unsigned share) const
  {
    const unsigned first_tile = share * share_tiles;
    const unsigned own_tiles = tiles - first_tile < share_tiles ? tiles - first_tile : share_tiles;
    GIMBAL_NO_UNROLL
    for (unsigned t = 0; t < own_tiles; ++t) {
      count_tile(ctx, smem.counted[t], (first_tile + t) * rows::items);
    }
    ctx.sync_block();  // all warps have counted
    if (ctx.warp() == 0) {
      std::uint32_t count = 0;
      if (ctx.lane() < own_tiles) {
        for (unsigned w = 0; w < warps; ++w) {
          count += smem.counted[ctx.lane()][w];
        }
        tile_counts().write(ctx, first_tile + ctx.lane(), tag, count);
      }
      ctx.sync_warp();  // together again
      count = simt::warp_sum(ctx, count);
      if (ctx.lane() == 0) {
        share_counts().write(ctx, share, tag, count);
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void count_tile(Context& ctx, std::uint32_t (&of_warp)[warps], unsigned first) const
  {
    const unsigned left = block::left_from(ctx.thread(), valid_of(first));
    const CountedIt mine = counted + (first + ctx.thread());
    std::uint32_t count = 0;
    block::for_left<true, items_per_thread, block_threads>(
      left, [&](unsigned i) { count += block::load_as<std::uint32_t>(mine + i * block_threads); });
    ctx.sync_warp();  // together again
    count = simt::warp_sum(ctx, count);
    if (ctx.lane() == 0) {
      of_warp[ctx.warp()] = count;
    }
  }

  template <class Context>
  GIMBAL_DEVICE void move_tile(Context& ctx, shared& smem, unsigned tile) const
  {
    const unsigned first = tile * rows::items;
    const unsigned valid = valid_of(first);
    uninit<value> item[items_per_thread];
    rows::load(ctx, in + first, valid, item);
    const std::uint32_t flags = rows::template flags<Selector::loads>(
      ctx, valid, [&](unsigned i, unsigned index) { return selector.selects(in, first + index, item[i].get()); });
    rows::count(ctx, smem.counts, flags);
    ctx.sync_block();  // the warps' counts are written

    const unsigned selected = rows::total(smem.counts);
    rows::template gather_flagged<true>(ctx, smem.counts, flags, valid, selected, item, smem.item);
    add_counts(ctx, smem.part[ctx.warp()], tile);
    ctx.sync_block();  // the items are in shared memory, and the warps' parts of their places

    places at{0, shares > 0 ? 0 : selected};
    GIMBAL_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      at.before += smem.part[w].before;
      at.of_all += smem.part[w].of_all;
    }
    rows::store_run(ctx, smem.item, out + at.before, selected);
    rows::store_run(ctx, smem.item + selected, out + (at.of_all + (first - at.before)), valid - selected);
    if (tile == 0 && ctx.thread() == 0) {
      block::store_as(selected_count, index_type{at.of_all});
    }
  }

  /// The counts of all shares, and of the tiles before this one in its share, divided between the threads; 0 where
  /// there are no shares.
  template <class Context>
  GIMBAL_DEVICE void add_counts(Context& ctx, places& of_warp, unsigned tile) const
  {
    places own{0, 0};
    const unsigned share = shares > 0 ? tile / share_tiles : 0;
    for (unsigned s = ctx.thread(); s < shares; s += block_threads) {
      const std::uint32_t count = share_counts().wait(ctx, s, tag);
      own.before += s < share ? count : 0;
      own.of_all += count;
    }
    if (shares > 0 && ctx.thread() < tile % share_tiles) {
      own.before += tile_counts().wait(ctx, share * share_tiles + ctx.thread(), tag);
    }
    ctx.sync_warp();  // together again
    own.before = simt::warp_sum(ctx, own.before);
    own.of_all = simt::warp_sum(ctx, own.of_all);
    if (ctx.lane() == 0) {
      of_warp = own;
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
