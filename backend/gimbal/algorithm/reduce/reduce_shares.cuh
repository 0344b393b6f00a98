// The shares of a reduce: which items a block folds, and how its threads read and combine them. Two for operators that
// may take items in any fixed order, whose threads read whole vectors, strided; those for all others, which keep the
// order, are in reduce_ordered_shares.cuh.
//
// A share's `fold` returns whether the thread has a value; the first lanes of each of the first warps do, or one lane
// where the share folds warps. Which item is folded where is a function of n and the types alone, so floating-point
// results are the same bits in every run, wherever the items lie.
#pragma once

#include <gimbal/algorithm/reduce/tuning.h>
#include <gimbal/tile/accumulator.h>

#include <gimbal/algorithm/reduce/reduce_ordered_shares.cuh>
#include <gimbal/tile/tile.cuh>
#include <gimbal/tile/vector_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Tiles strided over the grid, as the strided shares take them: rows of vectors. What is left after the last whole
/// vector falls to the first threads of block 0, an item each.
template <class InputIt, class Tuning>
struct strided_tiles {
  static constexpr bool is_packed = block::is_packed_v<InputIt>;
  using lane_items = block::lane_items<
    InputIt, Tuning::block_threads, is_packed ? Tuning::items_per_thread : Tuning::single_items_per_thread, is_packed>;

  static constexpr unsigned vector_items = lane_items::vector_items;
  static constexpr unsigned tile_vectors = lane_items::vectors * Tuning::block_threads;

  /// The vectors of a tile: all that the threads of a block can hold. What comes one by one may take long to be made,
  /// so that of few items each thread has but few, and more blocks some.
  static index_type tile(index_type n)
  {
    if constexpr (is_packed) {
      return tile_vectors;
    }
    constexpr index_type most_rows = lane_items::vectors;
    const index_type rows = n / (index_type{Tuning::spread_blocks} * Tuning::block_threads);
    return Tuning::block_threads * (rows < most_rows ? rows < 2 ? 2 : rows : most_rows);
  }

  /// Blocks that have work, at most `most`.
  static index_type blocks(index_type n, index_type most)
  {
    const index_type vectors = n / vector_items;
    const index_type tiles = vectors <= tile(n) ? 1 : (vectors + tile(n) - 1) / tile(n);
    return tiles < most ? tiles : most;
  }

  /// What the blocks have to know of the share.
  static index_type extent(index_type n, index_type) { return tile(n); }

  /// Whether this thread has an item after all vectors, and where.
  template <reach Reach, class Context>
  static GIMBAL_DEVICE bool has_rest(Context& ctx, index_type n)
  {
    return vector_items > 1 && (Reach == reach::one_tile || ctx.block() == 0)
           && ctx.thread() < static_cast<unsigned>(n) % vector_items;
  }
  template <class Context>
  static GIMBAL_DEVICE index_type rest_position(Context& ctx, index_type n)
  {
    return n - static_cast<unsigned>(n) % vector_items + ctx.thread();
  }

  /// Calls `visit(position, items, left)` for each tile of which this thread has items: `position` is that of the
  /// first, which is in one of the tile's last `left` vectors.
  template <class Context, class Visit>
  static GIMBAL_DEVICE void for_each(Context& ctx, InputIt in, index_type n, index_type extent, Visit visit)
  {
    const unsigned held = is_packed ? tile_vectors : static_cast<unsigned>(extent);
    const index_type vectors = n / vector_items;
    const index_type stride = index_type{ctx.blocks()} * held;
    GIMBAL_NO_UNROLL
    for (index_type more = vectors - index_type{ctx.block()} * held - ctx.thread(); more > 0; more -= stride) {
      const index_type position = (vectors - more) * vector_items;
      const unsigned left = more < held ? static_cast<unsigned>(more) : held;
      lane_items items;
      items.load(in + position, left);
      visit(position, items, left);
    }
  }

  /// The same for a single tile. Between its load and the visit comes `loaded()`, which may load what else there is: a
  /// cold kernel waits for its instructions as long as for items, so the loads come first.
  template <class Context, class Loaded, class Visit>
  static GIMBAL_DEVICE void for_one(Context& ctx, InputIt in, index_type n, Loaded loaded, Visit visit)
  {
    const unsigned vectors = static_cast<unsigned>(n) / vector_items;
    lane_items items;
    if (ctx.thread() < vectors) {
      items.load(in + ctx.thread() * vector_items, vectors - ctx.thread());
    }
    loaded();
    if (ctx.thread() < vectors) {
      visit(index_type{ctx.thread() * vector_items}, items, vectors - ctx.thread());
    }
  }
};

/// The share of one block in a commutative reduce. Each thread folds all it reads into one value.
template <class T, class InputIt, class Op, class Tuning>
struct strided_share : strided_tiles<InputIt, Tuning> {
  using tiles = strided_tiles<InputIt, Tuning>;
  using typename tiles::lane_items;
  using value_type = value_type_of<InputIt>;

  static constexpr bool has_small_items =  // and operators that are known, and no function: few registers
    tiles::is_packed && !block::array_items<InputIt>::maps;
  static constexpr unsigned resident_threads = has_small_items ? tuning::reduce_resident_threads : 0;
  using tile_tuning = single_block<Tuning, has_small_items ? Tuning::tile_threads : Tuning::block_threads>;
  static constexpr unsigned small_tile_threads = has_small_items ? Tuning::small_tile_threads : 0;

  static constexpr bool folds_warps = false;

  struct shared {};

  static index_type blocks(index_type n)
  {
    return tiles::blocks(n, has_small_items ? Tuning::blocks : Tuning::many_blocks);
  }

  template <reach Reach, class Context>
  static GIMBAL_DEVICE bool fold(
    Context& ctx, shared&, InputIt in, index_type n, index_type extent, Op op, uninit<T>& folded)
  {
    bool has_value = adds_integers_v<Op, T, value_type>;  // of these 0: a register that the ticket needs
    if constexpr (adds_integers_v<Op, T, value_type>) {
      folded.set(T{0});
    }
    const auto fold_items = [&](index_type, const lane_items& items, unsigned left) {
      const T tile = fold_tile(ctx, in, items, left, op);
      folded.set(has_value ? static_cast<T>(op(folded.get(), tile)) : tile);
      has_value = true;
    };
    const bool has_rest = tiles::template has_rest<Reach>(ctx, n);
    const auto load_rest = [&] { return block::load_as<value_type>(in + tiles::rest_position(ctx, n)); };
    if constexpr (Reach == reach::one_tile) {
      uninit<value_type> rest;
      tiles::for_one(
        ctx, in, n,
        [&] {
          if (has_rest) {
            rest.set(load_rest());
          }
        },
        fold_items);
      if (has_rest) {
        const T item = static_cast<T>(rest.get());
        folded.set(has_value ? static_cast<T>(op(folded.get(), item)) : item);
        has_value = true;
      }
    } else {
      if (has_rest) {
        folded.set(static_cast<T>(load_rest()));
        has_value = true;
      }
      tiles::for_each(ctx, in, n, extent, fold_items);
    }
    return has_value;
  }

private:
  // Integers of 1 or 2 bytes are added 4 bytes at a time: sums modulo 2^32 are sums modulo any smaller power of two,
  // and those of one tile do not overflow.
  static constexpr bool adds_words = has_small_items && sizeof(value_type) <= 2 && adds_integers_v<Op, T, value_type>;

  template <class Context>
  static GIMBAL_DEVICE T fold_tile(Context& ctx, const InputIt& in, const lane_items& items, unsigned left, Op op)
  {
    if constexpr (adds_words) {
      using sum_type =
        ::cuda::std::conditional_t<::cuda::std::is_signed<value_type>::value, std::int32_t, std::uint32_t>;
      sum_type sum = 0;
      GIMBAL_UNROLL
      for (unsigned w = 0; w < lane_items::words; ++w) {
        if (lane_items::has_word(w, left)) {
          const auto word = static_cast<sum_type>(items.word_at(w));
          sum = sizeof(value_type) == 1 ? ctx.add_bytes(word, sum) : ctx.add_halves(word, sum);
        }
      }
      return static_cast<T>(sum);
    } else {
      uninit<T> tile;
      block::for_left_by_halves<!lane_items::is_packed, lane_items::vectors, Tuning::block_threads>(
        left, [&](unsigned v) { block::fold_vector(in, items, v, v == 0, op, tile); });
      return tile.get();
    }
  }
};

/// The share of one block in a count, or a search for a best item, by an operator that has `tracked_type` (functors.h):
/// what a thread keeps of a tile. Within a tile counts are 32 bits wide and places are constants, so that an item costs
/// a comparison and an addition, or two selections.
template <class T, class InputIt, class Op, class Tuning>
struct tracked_share : strided_tiles<InputIt, Tuning> {
  using tiles = strided_tiles<InputIt, Tuning>;
  using typename tiles::lane_items;
  using tracked_type = typename Op::tracked_type;

  static constexpr unsigned resident_threads = 0;
  using tile_tuning = single_block<Tuning, Tuning::block_threads>;
  static constexpr unsigned small_tile_threads = 0;

  static constexpr bool folds_warps = false;

  struct shared {};

  static index_type blocks(index_type n) { return tiles::blocks(n, Tuning::many_blocks); }

  template <reach Reach, class Context>
  static GIMBAL_DEVICE bool fold(
    Context& ctx, shared&, InputIt in, index_type n, index_type extent, Op op, uninit<T>& folded)
  {
    bool has_value = false;
    if (tiles::template has_rest<Reach>(ctx, n)) {
      const index_type position = tiles::rest_position(ctx, n);
      folded.set(tracked_type(op, in[position]).at(position));
      has_value = true;
    }
    const auto fold_items = [&](index_type position, const lane_items& items, unsigned left) {
      tracked_type tile(op, items.get(in, 0).get());
      GIMBAL_UNROLL
      for (unsigned i = 1; i < lane_items::items; ++i) {
        if (lane_items::has(i, left)) {
          tile.visit(op, items.get(in, i).get(), lane_items::offset(i));
        }
      }
      const T best = tile.at(position);
      folded.set(has_value ? op(folded.get(), best) : best);
      has_value = true;
    };
    if constexpr (Reach == reach::one_tile) {
      tiles::for_one(
        ctx, in, n, [] {}, fold_items);
    } else {
      tiles::for_each(ctx, in, n, extent, fold_items);
    }
    return has_value;
  }
};

template <class T, class InputIt, class Op, class Tuning, class = void>
struct reduce_share_for {
  using type = ::cuda::std::conditional_t<
    is_commutative_v<Op, T, value_type_of<InputIt>>, strided_share<T, InputIt, Op, Tuning>,
    ordered_share<T, InputIt, Op, Tuning>>;
};
template <class T, class InputIt, class Op, class Tuning>
struct reduce_share_for<T, InputIt, Op, Tuning, ::cuda::std::void_t<typename Op::tracked_type>> {
  using type = tracked_share<T, InputIt, Op, Tuning>;
};

template <class T, class InputIt, class Op, class Tuning>
using reduce_share = typename reduce_share_for<T, InputIt, Op, Tuning>::type;

/// What a reduce accumulates in: `accumulator_t`, or what an operator that tracks items says.
template <class Op, class InputIt, class Init, class = void>
struct reduce_accumulator {
  using type = accumulator_t<Op, InputIt, Init>;
};
template <class Op, class InputIt, class Init>
struct reduce_accumulator<Op, InputIt, Init, ::cuda::std::void_t<typename Op::tracked_type>> {
  using type = typename Op::accumulator;
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
