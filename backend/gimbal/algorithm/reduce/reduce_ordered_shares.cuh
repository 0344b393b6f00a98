// The shares of a reduce whose operator need not commute: each warp takes a run of neighbouring items of its own and
// folds them from left to right. Of arrays, and wherever folds are small, lanes read neighbouring vectors and exchange
// what they have made of them; of large items that an iterator makes each lane folds a run of neighbours, which come to
// it through shared memory.
//
// What a share is: reduce_shares.cuh.
#pragma once

#include <gimbal/algorithm/reduce/tuning.h>
#include <gimbal/tile/accumulator.h>

#include <cuda/std/bit>
#include <gimbal/collective/scan.cuh>
#include <gimbal/tile/tile.cuh>
#include <gimbal/tile/vector_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Whether a block's share is one tile at most, or tiles as the share's extent says.
enum class reach { one_tile, strided_tiles };

/// A block that takes all items, if it can.
template <class Tuning, unsigned Threads>
struct single_block : Tuning {
  static constexpr unsigned block_threads = Threads;
};

/// Which items fall to the warps of a grid: neighbouring tiles of `TileItems` to each.
template <class Tuning, std::size_t FoldBytes, index_type TileItems>
struct warp_runs {
  using tile_tuning = single_block<Tuning, Tuning::block_threads>;
  static constexpr unsigned small_tile_threads = 0;  // no smaller tile
  static constexpr unsigned warps = Tuning::block_threads / simt::warp_threads;
  static constexpr index_type tile_items = TileItems;
  static constexpr bool folds_warps = true;  // a warp's first lane has its value

  static GIMBAL_HOST_DEVICE index_type tiles(index_type n) { return (n + tile_items - 1) / tile_items; }

  static index_type blocks(index_type n)
  {
    constexpr index_type most = Tuning::ordered_blocks(FoldBytes);
    const index_type wanted = (tiles(n) + warps - 1) / warps;
    return wanted < most ? wanted : most;
  }

  /// The tiles that every warp has; so many first ones that none is left over have one more.
  static index_type extent(index_type n, index_type blocks) { return tiles(n) / (blocks * warps); }

  struct run {
    index_type first;
    index_type end;
  };
  template <reach Reach, class Context>
  static GIMBAL_DEVICE run of_warp(const Context& ctx, index_type n, index_type tiles_each)
  {
    // Where nvcc knows that lanes stay together, it loads large items when they are folded, not ahead.
    const unsigned in_block = FoldBytes > 8 ? ctx.thread() / simt::warp_threads : ctx.warp();
    const index_type warp = index_type{ctx.block()} * warps + in_block;
    index_type first = warp;
    index_type end = warp + 1;
    if constexpr (Reach == reach::strided_tiles) {
      const index_type left_over = tiles(n) - tiles_each * (index_type{ctx.blocks()} * warps);
      first = warp * tiles_each + (warp < left_over ? warp : left_over);
      end = first + tiles_each + (warp < left_over ? 1 : 0);
    }
    return {first * tile_items, end * tile_items < n ? end * tile_items : n};
  }
};

/// True where items are made, by a function, of those that vectors of an array hold.
template <class InputIt>
inline constexpr bool maps_vectors_v = block::is_packed_v<InputIt>&& block::array_items<InputIt>::maps;
/// Rows of the arrays' vectors, of which several may have to be read for a whole number of items.
template <class InputIt, class Tuning>
constexpr unsigned items_of_mapped_rows()
{
  using item = typename block::array_items<InputIt>::item;
  constexpr unsigned vector_items = simt::items_of_vectors(sizeof(item));
  constexpr std::size_t vectors = vector_items * sizeof(item) / 16;
  return (vectors == 1 ? Tuning::mapped_rows : vectors <= 3 ? Tuning::mapped_rows / 2 : 1) * vector_items;
}

/// What a warp reads side by side: rows of vectors of an array, else of items. The rows' folds have to fit into
/// registers, of whatever size the items are as they are read.
template <class T, class InputIt, class Tuning>
inline constexpr unsigned lane_row_items = maps_vectors_v<InputIt> ? algorithm::items_of_mapped_rows<InputIt, Tuning>()
                                           : block::is_packed_v<InputIt> ? Tuning::items_per_thread
                                                                         : ::cuda::std::bit_floor(tuning::reduce_rows(
                                                                           Tuning::single_items_per_thread, sizeof(T),
                                                                           sizeof(value_type_of<InputIt>)));
template <class T, class InputIt, class Tuning>
using lane_rows =
  block::lane_items<InputIt, simt::warp_threads, lane_row_items<T, InputIt, Tuning>, block::is_packed_v<InputIt>>;

/// An operator of large folds is called the less the more rows it folds at once; where warps have few tiles, they want
/// small ones.
template <class T, class InputIt>
inline constexpr bool wants_more_rows_v = maps_vectors_v<InputIt> && sizeof(T) > tuning::reduce_most_row_bytes
                                          && sizeof(T) <= 32;
template <class Tuning>
struct with_more_rows : Tuning {
  static constexpr unsigned mapped_rows = 2 * Tuning::mapped_rows;
};

/// Each lane folds its vector of each row, then the warp all rows at once (block::warp_fold_rows).
template <class T, class InputIt, class Op, class Tuning>
struct row_share : warp_runs<Tuning, sizeof(T), index_type{lane_rows<T, InputIt, Tuning>::items} * simt::warp_threads> {
  using runs = warp_runs<Tuning, sizeof(T), index_type{lane_rows<T, InputIt, Tuning>::items} * simt::warp_threads>;
  using runs::tile_items;
  using lane_items = lane_rows<T, InputIt, Tuning>;
  using value_type = value_type_of<InputIt>;

  static constexpr bool has_numbers =  // of few registers, and as a rule so is the operator, which is not known
    ::cuda::std::is_pointer<InputIt>::value && block::is_packed_v<InputIt> && ::cuda::std::is_arithmetic<T>::value
    && ::cuda::std::is_arithmetic<value_type>::value && sizeof(T) <= 4;
  static constexpr unsigned resident_threads = has_numbers ? tuning::reduce_ordered_resident_threads : 0;

  struct shared {};

  template <reach Reach, class Context>
  static GIMBAL_DEVICE bool fold(
    Context& ctx, shared&, InputIt in, index_type n, index_type tiles_each, Op op, uninit<T>& folded)
  {
    const typename runs::run mine = runs::template of_warp<Reach>(ctx, n, tiles_each);
    GIMBAL_NO_UNROLL
    for (index_type base = mine.first; base < mine.end; base += tile_items) {
      const unsigned valid = static_cast<unsigned>(mine.end - base < tile_items ? mine.end - base : tile_items);
      uninit<T> tile;
      fold_tile(ctx, in + base, valid, op, tile);
      if (ctx.lane() == 0) {
        folded.set(base == mine.first ? tile.get() : static_cast<T>(op(folded.get(), tile.get())));
      }
    }
    return mine.first < mine.end && ctx.lane() == 0;
  }

private:
  static constexpr unsigned vector_items = lane_items::vector_items;

  template <class Context>
  static GIMBAL_DEVICE void fold_tile(Context& ctx, InputIt in, unsigned valid, Op& op, uninit<T>& tile)
  {
    const unsigned vectors = valid / vector_items;
    uninit<T> row[lane_items::vectors];
    if (ctx.lane() < vectors) {
      const unsigned left = vectors - ctx.lane();
      lane_items item;
      item.load(in + ctx.lane() * vector_items, left);
      GIMBAL_UNROLL
      for (unsigned v = 0; v < lane_items::vectors; ++v) {
        if (lane_items::has_vector(v, left)) {
          block::fold_vector(in, item, v, true, op, row[v]);
        }
      }
    }
    if (valid == tile_items) {
      block::warp_fold_rows<true>(ctx, row, vectors, block::combine<T, Op>{op});
    } else {
      block::warp_fold_rows<false>(ctx, row, vectors, block::combine<T, Op>{op});
    }
    tile = row[0];
    if constexpr (vector_items > 1) {
      fold_rest(ctx, in + vectors * vector_items, valid % vector_items, vectors == 0, op, tile);
    }
  }

  // In lane 0: folds the items that make no whole vector, and the tile before them if it is not empty. The other lanes'
  // values are none that the operator may see.
  template <class Context>
  static GIMBAL_DEVICE void fold_rest(
    Context& ctx, InputIt behind, unsigned rest, bool is_empty, Op& op, uninit<T>& tile)
  {
    if (rest == 0) {
      return;
    }
    uninit<T> item;
    if (ctx.lane() < rest) {
      item.set(static_cast<T>(block::load_as<value_type>(behind + ctx.lane())));
    }
    block::warp_fold<vector_items>(ctx, item, rest, op);
    if (ctx.lane() == 0) {
      tile.set(is_empty ? item.get() : static_cast<T>(op(tile.get(), item.get())));
    }
  }
};

/// A lane's run is some rounds of as many items as it holds at a time; in each round the warp reads them for all its
/// lanes, side by side as far as they are neighbours, and each lane finds its own in shared memory. So lanes exchange
/// what they have folded once in a tile of several rounds, and nearly all calls of the operator are those that one
/// thread would make.
template <class T, class InputIt, class Op, class Tuning>
struct staged_share : warp_runs<
                        Tuning, sizeof(T),
                        index_type{tuning::reduce_staged_items(sizeof(value_type_of<InputIt>))} * simt::warp_threads> {
  using runs = warp_runs<
    Tuning, sizeof(T), index_type{tuning::reduce_staged_items(sizeof(value_type_of<InputIt>))} * simt::warp_threads>;
  using runs::tile_items;
  using runs::warps;
  using value_type = value_type_of<InputIt>;

  static constexpr unsigned resident_threads = tuning::reduce_staged_resident_threads(sizeof(T));
  static constexpr unsigned items = tuning::reduce_staged_items(sizeof(value_type));  // of a lane in a round
  static constexpr unsigned rows_between = simt::warp_threads / items;
  static_assert(items <= simt::warp_threads && simt::warp_threads % items == 0, "a row is read for whole lanes");

  /// A lane's items and as much more as puts the lanes' items of the same number into different banks.
  struct alignas(alignof(value_type) < 4 ? 4 : alignof(value_type)) lane_stage {
    uninit<value_type> item[items];
    unsigned char gap[alignof(value_type) < 4 ? 4 : alignof(value_type)];
  };
  struct shared {
    lane_stage stage[warps][simt::warp_threads];
  };
  static_assert(sizeof(shared) <= 60 * 1024, "every device has as much");

  template <reach Reach, class Context>
  static GIMBAL_DEVICE bool fold(
    Context& ctx, shared& smem, InputIt in, index_type n, index_type tiles_each, Op op, uninit<T>& folded)
  {
    const typename runs::run mine = runs::template of_warp<Reach>(ctx, n, tiles_each);
    constexpr index_type most_items = most_rounds * tile_items;
    GIMBAL_NO_UNROLL
    for (index_type base = mine.first; base < mine.end; base += most_items) {
      const index_type left = mine.end - base;
      uninit<T> run;
      unsigned lanes = simt::warp_threads;
      if (left >= most_items) {
        fold_runs(ctx, smem.stage[ctx.warp()], in + base, whole_runs{}, op, run);
      } else {
        const auto valid = static_cast<unsigned>(left);
        const parts_of_runs parts{(valid + unsigned{tile_items} - 1) / unsigned{tile_items} * items, valid};
        fold_runs(ctx, smem.stage[ctx.warp()], in + base, parts, op, run);
        lanes = (valid + parts.run_items - 1) / parts.run_items;
      }
      block::warp_fold(ctx, run, lanes, block::combine<T, Op>{op});
      if (ctx.lane() == 0) {
        folded.set(base == mine.first ? run.get() : static_cast<T>(op(folded.get(), run.get())));
      }
    }
    return mine.first < mine.end && ctx.lane() == 0;
  }

private:
  static constexpr unsigned most_rounds = tuning::reduce_staged_rounds;

  /// The lanes' runs in a tile of as many rounds as there may be: distances are constants, and all items exist.
  struct whole_runs {
    static constexpr unsigned run_items = most_rounds * items;
    GIMBAL_DEVICE bool has(unsigned) const { return true; }
  };
  /// In what is left at the end of a warp's share.
  struct parts_of_runs {
    unsigned run_items;
    unsigned valid;
    GIMBAL_DEVICE bool has(unsigned position) const { return position < valid; }
  };

  /// A run of `tile.run_items` neighbours for each lane, from `in` on.
  template <class Context, class Tile>
  static GIMBAL_DEVICE void fold_runs(
    Context& ctx, lane_stage (&stage)[simt::warp_threads], InputIt in, const Tile& tile, Op& op, uninit<T>& run)
  {
    GIMBAL_NO_UNROLL
    for (unsigned at = 0; at < tile.run_items; at += items) {
      read_for_lanes(ctx, stage, in, tile, at);
      ctx.sync_warp();  // the round's items are there
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        if (tile.has(ctx.lane() * tile.run_items + at + i)) {
          const auto& item = stage[ctx.lane()].item[i];
          run.set(i == 0 && at == 0 ? static_cast<T>(item.get()) : static_cast<T>(op(run.get(), item.get())));
        }
      }
      ctx.sync_warp();  // they have been read
    }
  }

  /// The items of all lanes that are `at` items after the begin of their runs, and their neighbours.
  template <class Context, class Tile>
  static GIMBAL_DEVICE void read_for_lanes(
    Context& ctx, lane_stage (&stage)[simt::warp_threads], InputIt in, const Tile& tile, unsigned at)
  {
    const unsigned lane = ctx.lane() / items;
    const unsigned i = ctx.lane() % items;
    const unsigned position = lane * tile.run_items + at + i;
    const unsigned between = rows_between * tile.run_items;
    const InputIt mine = in + position;
    uninit<value_type> item[items];
    GIMBAL_UNROLL
    for (unsigned row = 0; row < items; ++row) {
      if (tile.has(position + row * between)) {
        item[row].set(block::load_as<value_type>(mine + row * between));
      }
    }
    GIMBAL_UNROLL
    for (unsigned row = 0; row < items; ++row) {
      if (tile.has(position + row * between)) {
        stage[lane + row * rows_between].item[i] = item[row];
      }
    }
  }
};

/// Exchanges take the less the smaller a fold is; an operator of large ones is often one that takes long itself.
template <class T, class InputIt>
inline constexpr bool is_staged_v = !::cuda::std::is_pointer<InputIt>::value
                                    && !block::is_packed_v<InputIt> && sizeof(T) > tuning::reduce_most_row_bytes
                                    && sizeof(T) <= tuning::reduce_most_staged_bytes
                                    && sizeof(value_type_of<InputIt>) <= tuning::reduce_most_staged_bytes;

template <class T, class InputIt, class Op, class Tuning>
using ordered_share = ::cuda::std::conditional_t<
  is_staged_v<T, InputIt>, staged_share<T, InputIt, Op, Tuning>, row_share<T, InputIt, Op, Tuning>>;

}  // namespace algorithm

GIMBAL_NAMESPACE_END
