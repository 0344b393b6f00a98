// The shares of a reduce whose operator need not commute: each warp takes a run of neighbouring items of its own and
// folds them from left to right. Of arrays, and wherever folds are small, lanes read neighbouring vectors and exchange
// what they have made of them; of large items that an iterator makes each lane folds a run of neighbours, which come to
// it through shared memory.
//
// What a share is: reduce.cuh.
#pragma once

#include <gimbal/algorithm/reduce/tuning.h>
#include <gimbal/tile/accumulator.h>

#include <cuda/std/bit>
#include <gimbal/collective/scan.cuh>
#include <gimbal/tile/tile.cuh>
#include <gimbal/tile/vector_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// How many items a launch reduces: those of one block, or any number.
enum class reach { one_tile, grid };

/// Neighbouring tiles to each warp of a grid, which a WarpTile folds.
template <class T, class InputIt, class Op, class Tuning, class WarpTile>
struct ordered_share {
  static constexpr unsigned resident_threads = WarpTile::resident_threads;
  static constexpr unsigned tile_threads = Tuning::block_threads;
  static constexpr unsigned warps = Tuning::block_threads / simt::warp_threads;
  static constexpr index_type tile_items = WarpTile::items;
  static constexpr bool folds_warps = true;  // a warp's first lane has its value

  struct shared {
    typename WarpTile::shared of_warp[warps];
  };
  static_assert(sizeof(shared) <= 60 * 1024, "every device has as much");

  static GIMBAL_HOST_DEVICE index_type tiles(index_type n) { return (n + tile_items - 1) / tile_items; }

  static index_type blocks(index_type n)
  {
    constexpr index_type most = Tuning::ordered_blocks(sizeof(T));
    const index_type wanted = (tiles(n) + warps - 1) / warps;
    return wanted < most ? wanted : most;
  }

  /// The tiles that every warp has; so many first ones that none is left over have one more.
  static index_type extent(index_type n, index_type blocks) { return tiles(n) / (blocks * warps); }

  template <reach Reach, class Context>
  static GIMBAL_DEVICE bool fold(
    Context& ctx, shared& smem, InputIt in, index_type n, index_type tiles_each, Op op, uninit<T>& folded)
  {
    // Where nvcc knows that lanes stay together, it loads large items when they are folded, not ahead.
    const unsigned in_block = sizeof(T) > 8 ? ctx.thread() / simt::warp_threads : ctx.warp();
    const index_type warp = index_type{ctx.block()} * warps + in_block;
    index_type first = warp;
    index_type end = warp + 1;
    if constexpr (Reach == reach::grid) {
      const index_type left_over = tiles(n) - tiles_each * (index_type{ctx.blocks()} * warps);
      first = warp * tiles_each + (warp < left_over ? warp : left_over);
      end = first + tiles_each + (warp < left_over ? 1 : 0);
    }
    const index_type first_item = first * tile_items;
    const index_type end_item = end * tile_items < n ? end * tile_items : n;
    GIMBAL_NO_UNROLL
    for (index_type base = first_item; base < end_item; base += WarpTile::most_items) {
      uninit<T> tile;
      WarpTile::fold(ctx, smem.of_warp[ctx.warp()], in + base, end_item - base, op, tile);
      if (ctx.lane() == 0) {
        folded.set(base == first_item ? tile.get() : static_cast<T>(op(folded.get(), tile.get())));
      }
    }
    return first_item < end_item && ctx.lane() == 0;
  }
};

/// True where items are made, by a function, of those that vectors of an array hold.
template <class InputIt>
inline constexpr bool maps_vectors_v = block::is_packed_v<InputIt>&& block::array_items<InputIt>::maps;

/// The items of a lane that a warp reads side by side: rows of vectors of an array, of which several may have to be
/// read for a whole number of items, else of items. The rows' folds have to fit into registers, of whatever size the
/// items are as they are read.
template <class T, class InputIt, class Tuning>
constexpr unsigned lane_row_items()
{
  if constexpr (maps_vectors_v<InputIt>) {
    using item = typename block::array_items<InputIt>::item;
    constexpr unsigned vector_items = simt::items_of_vectors(sizeof(item));
    constexpr std::size_t vectors = vector_items * sizeof(item) / sizeof(simt::vector16);
    return (vectors == 1 ? Tuning::mapped_rows : vectors <= 3 ? Tuning::mapped_rows / 2 : 1) * vector_items;
  } else if constexpr (block::is_packed_v<InputIt>) {
    return Tuning::items_per_thread;
  } else {
    return ::cuda::std::bit_floor(
      tuning::reduce_rows(Tuning::single_items_per_thread, sizeof(T), sizeof(value_type_of<InputIt>)));
  }
}

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
struct row_tile {
  using lane_items = block::lane_items<
    InputIt, simt::warp_threads, algorithm::lane_row_items<T, InputIt, Tuning>(), block::is_packed_v<InputIt>>;
  using value_type = value_type_of<InputIt>;
  static constexpr unsigned vector_items = lane_items::vector_items;

  static constexpr bool has_numbers =  // of few registers, and as a rule so is the operator, which is not known
    ::cuda::std::is_pointer<InputIt>::value && block::is_packed_v<InputIt> && ::cuda::std::is_arithmetic<T>::value
    && ::cuda::std::is_arithmetic<value_type>::value && sizeof(T) <= 4;
  static constexpr unsigned resident_threads = has_numbers ? tuning::reduce_ordered_resident_threads : 0;
  static constexpr index_type items = index_type{lane_items::items} * simt::warp_threads;
  static constexpr index_type most_items = items;

  struct shared {};

  template <class Context>
  static GIMBAL_DEVICE void fold(Context& ctx, shared&, InputIt in, index_type left, Op& op, uninit<T>& tile)
  {
    const unsigned valid = static_cast<unsigned>(left < items ? left : items);
    const unsigned vectors = valid / vector_items;
    uninit<T> row[lane_items::vectors];
    if (ctx.lane() < vectors) {
      const unsigned vectors_left = vectors - ctx.lane();
      lane_items item;
      item.load(in + ctx.lane() * vector_items, vectors_left);
      GIMBAL_UNROLL
      for (unsigned v = 0; v < lane_items::vectors; ++v) {
        if (lane_items::has_vector(v, vectors_left)) {
          block::fold_vector(in, item, v, true, op, row[v]);
        }
      }
    }
    if (valid == items) {
      block::warp_fold_rows<true>(ctx, row, vectors, block::combine<T, Op>{op});
    } else {
      block::warp_fold_rows<false>(ctx, row, vectors, block::combine<T, Op>{op});
    }
    tile = row[0];
    // Lane 0 folds the items that make no whole vector, after the others if there are any. The other lanes' values are
    // none that the operator may see.
    if (const unsigned rest = valid % vector_items; rest > 0) {
      uninit<T> item;
      if (ctx.lane() < rest) {
        item.set(static_cast<T>(block::load_as<value_type>(in + (vectors * vector_items + ctx.lane()))));
      }
      block::warp_fold<vector_items>(ctx, item, rest, op);
      if (ctx.lane() == 0) {
        tile.set(vectors == 0 ? item.get() : static_cast<T>(op(tile.get(), item.get())));
      }
    }
  }
};

/// A lane's run is some rounds of as many items as it holds at a time; in each round the warp reads them for all its
/// lanes, side by side as far as they are neighbours, and each lane finds its own in shared memory. So lanes exchange
/// what they have folded once in a tile of several rounds, and nearly all calls of the operator are those that one
/// thread would make.
template <class T, class InputIt, class Op>
struct staged_tile {
  using value_type = value_type_of<InputIt>;

  static constexpr unsigned resident_threads = tuning::reduce_staged_resident_threads(sizeof(T));
  static constexpr unsigned round_items = tuning::reduce_staged_items(sizeof(value_type));  // of a lane
  static constexpr index_type items = index_type{round_items} * simt::warp_threads;
  static constexpr index_type most_items = tuning::reduce_staged_rounds * items;

  /// A lane's items and as much more as puts the lanes' items of the same number into different banks.
  struct alignas(alignof(value_type) < 4 ? 4 : alignof(value_type)) lane_stage {
    uninit<value_type> item[round_items];
    unsigned char gap[alignof(value_type) < 4 ? 4 : alignof(value_type)];
  };
  struct shared {
    lane_stage lane[simt::warp_threads];
  };

  template <class Context>
  static GIMBAL_DEVICE void fold(Context& ctx, shared& smem, InputIt in, index_type left, Op& op, uninit<T>& tile)
  {
    unsigned lanes = simt::warp_threads;
    if (left >= most_items) {
      fold_runs(ctx, smem, in, whole_runs{}, op, tile);
    } else {
      const auto valid = static_cast<unsigned>(left);
      const parts_of_runs parts{(valid + unsigned{items} - 1) / unsigned{items} * round_items, valid};
      fold_runs(ctx, smem, in, parts, op, tile);
      lanes = (valid + parts.run_items - 1) / parts.run_items;
    }
    block::warp_fold(ctx, tile, lanes, block::combine<T, Op>{op});
  }

private:
  static constexpr unsigned rows_between = simt::warp_threads / round_items;
  static_assert(simt::warp_threads % round_items == 0, "a row is read for whole lanes");

  /// The lanes' runs in a tile of as many rounds as there may be: distances are constants, and all items exist.
  struct whole_runs {
    static constexpr unsigned run_items = tuning::reduce_staged_rounds * round_items;
    GIMBAL_DEVICE bool has(unsigned) const { return true; }
  };
  /// In what is left at the end of a warp's share.
  struct parts_of_runs {
    unsigned run_items;
    unsigned valid;
    GIMBAL_DEVICE bool has(unsigned position) const { return position < valid; }
  };

  /// A run of `runs.run_items` neighbours for each lane, from `in` on.
  template <class Context, class Runs>
  static GIMBAL_DEVICE void fold_runs(Context& ctx, shared& smem, InputIt in, const Runs& runs, Op& op, uninit<T>& run)
  {
    GIMBAL_NO_UNROLL
    for (unsigned at = 0; at < runs.run_items; at += round_items) {
      read_for_lanes(ctx, smem, in, runs, at);
      ctx.sync_warp();  // the round's items are there
      GIMBAL_UNROLL
      for (unsigned i = 0; i < round_items; ++i) {
        if (runs.has(ctx.lane() * runs.run_items + at + i)) {
          const auto& item = smem.lane[ctx.lane()].item[i];
          run.set(i == 0 && at == 0 ? static_cast<T>(item.get()) : static_cast<T>(op(run.get(), item.get())));
        }
      }
      ctx.sync_warp();  // they have been read
    }
  }

  /// The items of all lanes that are `at` items after the begin of their runs, and their neighbours.
  template <class Context, class Runs>
  static GIMBAL_DEVICE void read_for_lanes(Context& ctx, shared& smem, InputIt in, const Runs& runs, unsigned at)
  {
    const unsigned lane = ctx.lane() / round_items;
    const unsigned i = ctx.lane() % round_items;
    const unsigned position = lane * runs.run_items + at + i;
    const unsigned between = rows_between * runs.run_items;
    const InputIt mine = in + position;
    uninit<value_type> item[round_items];
    GIMBAL_UNROLL
    for (unsigned row = 0; row < round_items; ++row) {
      if (runs.has(position + row * between)) {
        item[row].set(block::load_as<value_type>(mine + row * between));
      }
    }
    GIMBAL_UNROLL
    for (unsigned row = 0; row < round_items; ++row) {
      if (runs.has(position + row * between)) {
        smem.lane[lane + row * rows_between].item[i] = item[row];
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
using ordered_share_for = ordered_share<
  T, InputIt, Op, Tuning,
  ::cuda::std::conditional_t<is_staged_v<T, InputIt>, staged_tile<T, InputIt, Op>, row_tile<T, InputIt, Op, Tuning>>>;

}  // namespace algorithm

GIMBAL_NAMESPACE_END
