// Distribute: out[i] = x[0] op ... op x[n - 1] for all i, in one launch.
//
// Algorithm: the first blocks of the launch are those of a reduction (reduce/reduce.cuh), of which the one that starts
//   last publishes the total; each of the blocks after them waits for it and fills a tile of the output. Few items are
//   one block's, which reduces and fills. An array is filled by whole vectors, a pattern that repeats after as many
//   vectors as the items' size says.
// Bytes moved: each item is read once and each result written once.
// Launches: one.
// Storage: tagged words (launch_plan.h) for a value per block of the reduction, and for one more; none for few items.
// Operator, determinism: of reduce. The operator need not commute, and is called on items and on results of its own
// alone.
// Progress: of the blocks that reduce, the one with the last ticket waits for the others, which have begun; blocks that
//   fill wait for those that reduce, which have lower numbers and so begin before them (simt::start::in_order).
// Memory order: the output may be where the input is. What is stored is the total, which depends on the items: the load
//   of one that has a part in it returns before the total is known, and so before any store of it (PTX: no value comes
//   out of thin air). Hence the words (exchange.cuh) are relaxed on GPUs. On the host executor they order memory, as
//   ThreadSanitizer follows no values.
#pragma once

#include <gimbal/algorithm/scan_vector/tuning.h>
#include <gimbal/grid/launch_plan.h>
#include <gimbal/tile/iterators.h>

#include <cuda/std/numeric>
#include <gimbal/algorithm/reduce/reduce.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

namespace detail {

/// One value to all places of an output, a tile at a time.
template <class T, class OutputIt, unsigned BlockThreads>
struct fill_tiles {
  static constexpr bool by_vectors = block::is_array_of_v<OutputIt, T>;
  static constexpr std::size_t vector_bytes = sizeof(simt::vector16);
  static constexpr unsigned period =  // vectors, after which they repeat
    by_vectors ? sizeof(T) / ::cuda::std::gcd(sizeof(T), vector_bytes) : 1;
  static constexpr unsigned thread_stores =
    by_vectors ? tuning::distribute_vectors(sizeof(T))
               : tuning::items_for_bytes(tuning::distribute_vectors(sizeof(T)) * vector_bytes, sizeof(T), 16);
  static constexpr index_type tile_stores = index_type{BlockThreads} * thread_stores;

  struct shared {
    uninit<T> value;
    simt::vector16 vector[period];
  };

  static GIMBAL_HOST_DEVICE index_type tiles(index_type n)
  {
    constexpr index_type tile_items =
      by_vectors ? tile_stores * index_type{vector_bytes} / index_type{sizeof(T)} : tile_stores;
    return (n + tile_items - 1) / tile_items;
  }

  /// By one warp, whose first lane has the value, before a barrier of the block.
  template <class Context, class Value>
  static GIMBAL_DEVICE void prepare(Context& ctx, shared& smem, const uninit<Value>& value, OutputIt out)
  {
    if (ctx.lane() == 0) {
      smem.value.set(static_cast<T>(value.get()));
    }
    if constexpr (by_vectors) {
      ctx.sync_warp();  // the value is there
      const std::size_t phase = bytes_before_vectors(out);
      for (unsigned v = ctx.lane(); v < period; v += simt::warp_threads) {
        smem.vector[v] = vector_at(smem.value, phase + v * vector_bytes);
      }
    }
  }

  template <class Context>
  static GIMBAL_DEVICE void store(Context& ctx, const shared& smem, index_type tile, OutputIt out, index_type n)
  {
    const index_type first = tile * tile_stores + ctx.thread();
    if constexpr (by_vectors) {
      unsigned char* const bytes = bytes_of(out);
      const std::size_t all = static_cast<std::size_t>(n) * sizeof(T);
      const std::size_t before = bytes_before_vectors(out) < all ? bytes_before_vectors(out) : all;
      const auto vectors = static_cast<index_type>((all - before) / vector_bytes);
      unsigned char* const mine = bytes + before + static_cast<std::size_t>(first) * vector_bytes;
      auto v = static_cast<unsigned>(first % period);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < thread_stores; ++i) {
        if (first + i * BlockThreads < vectors) {
          ctx.store_vector(mine + i * (BlockThreads * vector_bytes), smem.vector[v]);
        }
        v = (v + BlockThreads % period) % period;
      }
      if (tile == 0 && ctx.thread() < vector_bytes) {
        const std::size_t behind = before + static_cast<std::size_t>(vectors) * vector_bytes + ctx.thread();
        store_byte(smem, bytes, ctx.thread(), before);
        store_byte(smem, bytes, behind, all);
      }
    } else {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < thread_stores; ++i) {
        if (first + i * BlockThreads < n) {
          block::store_as(out + (first + i * BlockThreads), smem.value.get());
        }
      }
    }
  }

private:
  static GIMBAL_DEVICE unsigned char* bytes_of(OutputIt out)
  {
    return reinterpret_cast<unsigned char*>(block::raw_iterator(out));
  }
  static GIMBAL_DEVICE std::size_t bytes_before_vectors(OutputIt out)
  {
    return (vector_bytes - reinterpret_cast<std::uintptr_t>(bytes_of(out)) % vector_bytes) % vector_bytes;
  }
  static GIMBAL_DEVICE void store_byte(const shared& smem, unsigned char* bytes, std::size_t at, std::size_t end)
  {
    if (at < end) {
      bytes[at] = smem.value.bytes[at % sizeof(T)];
    }
  }

  /// The vector that lies `at` bytes after the begin of an array of these values.
  static GIMBAL_DEVICE simt::vector16 vector_at(const uninit<T>& value, std::size_t at)
  {
    constexpr std::size_t unit_bytes = alignof(T) % sizeof(std::uint32_t) == 0 ? sizeof(std::uint32_t) : 1;
    simt::vector16 vector = {};
    GIMBAL_UNROLL
    for (std::size_t b = 0; b < vector_bytes; b += unit_bytes) {
      std::uint32_t unit = 0;
      std::memcpy(&unit, __builtin_assume_aligned(value.bytes + (at + b) % sizeof(T), unit_bytes), unit_bytes);
      vector.word[b / 4] |= unit << b % 4 * 8;
    }
    return vector;
  }
};

/// The context of a block among the first `count` of a launch, as if there were no others.
template <class Context>
class first_blocks : public Context {
public:
  GIMBAL_DEVICE first_blocks(const Context& ctx, unsigned count) : Context(ctx), count_(count) {}

  GIMBAL_DEVICE unsigned blocks() const { return count_; }

private:
  unsigned count_;
};

}  // namespace detail

/// The first blocks reduce; each of the others fills a tile. Few items are one block's, which fills all tiles, too.
template <class Reduction, class OutputIt>
struct distribute_kernel {
  static constexpr simt::start starts = simt::start::in_order;
  static constexpr const char* step = "launch of distribute_kernel";
  static constexpr const char* clearing = "clearing of the block aggregates of reduce";
  static constexpr unsigned block_threads = Reduction::block_threads;
  static constexpr unsigned resident_blocks = Reduction::resident_blocks;
  using T = typename Reduction::value_type;
  using fill = detail::fill_tiles<value_type_of<decltype(Reduction::in)>, OutputIt, block_threads>;
  using total_type = typename Reduction::aggregates_type;

  struct shared {
    typename Reduction::shared reducing;
    typename fill::shared filling;
  };

  Reduction reduction;
  OutputIt out;

  index_type blocks()
  {
    const index_type reducing = reduction.blocks();
    return Reduction::is_one_tile ? reducing : reducing + fill::tiles(reduction.n);
  }
  index_type words_needed() const
  {
    return Reduction::is_one_tile ? no_words
                                  : reduction.words_needed() + static_cast<index_type>(total_type::word_count(1));
  }
  void take(const launch_words& words) { reduction.take(words); }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    uninit<T> total;
    if constexpr (Reduction::is_one_tile) {
      reduction.reduce(ctx, smem.reducing, total);
    } else if (const unsigned reducing = reduction.aggregates.slot_count; ctx.block() < reducing) {
      detail::first_blocks<Context> those(ctx, reducing);
      if (reduction.reduce(those, smem.reducing, total) && ctx.thread() == 0) {
        total_words().write(ctx, 0, reduction.tag, total.get());
      }
      return;
    } else if (ctx.warp() == 0) {
      total_words().reduce_run(ctx, reduction.tag, 0, 1, 1, reduction.op, total);  // waits: it is published last
    }
    if (ctx.warp() == 0) {
      fill::prepare(ctx, smem.filling, total, out);
    }
    ctx.sync_block();  // the total is in shared memory, and its vectors
    if constexpr (Reduction::is_one_tile) {
      for (index_type tile = 0; tile < fill::tiles(reduction.n); ++tile) {
        fill::store(ctx, smem.filling, tile, out, reduction.n);
      }
    } else {
      fill::store(ctx, smem.filling, ctx.block() - reduction.aggregates.slot_count, out, reduction.n);
    }
  }

private:
  /// Behind those of the aggregates.
  GIMBAL_DEVICE total_type total_words() const
  {
    return {reduction.aggregates.words + total_type::word_count(reduction.aggregates.slot_count), 1};
  }
};

/// out[i] = x[0] op ... op x[n - 1], of which there is one at least, as a value of the items' type. `out` may overlap
/// `in`. `Tuning`: of the reduction, whose table (reduction_plan) says which kernel; void: chosen by the size of the
/// items.
template <class Tuning = void, class InputIt, class OutputIt, class Op>
status distribute(
  const temporary_storage& storage, std::size_t& storage_bytes, InputIt in, OutputIt out, index_type n, Op op,
  simt::stream_type stream)
{
  return algorithm::reduction_plan<distribute_kernel, Tuning, no_init, !GIMBAL_GPU>(in, n, op, out)
    .run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
