// Reduce by key: for each run of equal keys, its first key and x[i] op x[i+1] op ... over the values of the run.
//
// Algorithm: single pass, one tile per block. Heads (first items of runs) are found as in a unique. Each thread folds
// its consecutive values into a pair (number of heads, fold of the values since the last head, or of all if there is
// none); such pairs combine associatively, so the block scans them and one warp looks back for the pair of all tiles
// before (grid/look_back.cuh; Merrill & Garland 2016). With the run that is open before its items known, each thread
// finishes the runs that end there. Keys and totals are compacted in shared memory and stored as runs. The head
// before which a run ends is in the tile that stores the run's total, the end of the last run in the last tile.
//
// Large calls that allow it take another kernel (persistent_runs.cuh); what follows is about the others.
//
// Bytes moved: each key and value is read once, each result written once.
// Launches: one.
// Storage: words (launch_plan.h), 8 * ceil((8 + sizeof(value), aligned) / 4) bytes * (1 + 1/32 + 1/1024) per tile.
// Equality: called once per pair of neighbours.
// Operator: associative; operands are combined in order, so it need not be commutative; it is called on values of one
//   run only and computes in the values' own type, as stock Thrust does.
// Determinism: the trees depend on the number of items alone and the runs; floating-point results are the same bits in
//   every run of the program.
// Progress: see look_back.cuh.
// Aliasing: outputs must not overlap inputs.
#pragma once

#include <gimbal/algorithm/scan/runs_tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/scan/persistent_runs.cuh>
#include <gimbal/algorithm/scan/segment_fold.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/tile_kernel.cuh>
#include <gimbal/tile/rows.cuh>
#include <gimbal/tile/segment_heads.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The policy of the tile driver.
template <class Tuning, class KeyIn, class ValueIn, class KeyOut, class ValueOut, class CountIt, class Equal, class Op>
struct reduce_by_key_tile_policy {
  static constexpr const char* step = "reduce by key";
  static constexpr const char* clearing = "clearing of the look-back state of a reduce by key";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;

  using key = value_type_of<KeyIn>;
  using value = value_type_of<ValueIn>;
  using total = segment_fold<value, index_type>;
  using rows = block::rows<block_threads, items_per_thread>;
  using tile = block::tile<value, block_threads, items_per_thread>;
  using bits = block::head_bits<block_threads, items_per_thread>;
  using threads = block::scan<total, block_threads>;
  static constexpr unsigned tile_items = rows::items;

  static constexpr bool orders_tiles = false;
  static constexpr unsigned resident_blocks =
    tuning::reduce_by_key_resident_threads(sizeof(key) > sizeof(value) ? sizeof(key) : sizeof(value), items_per_thread)
    / block_threads;

  struct shared {
    uninit<key> key_of_head[rows::items];
    typename tile::shared values;  // later the totals, in the places of the heads that end them
    typename rows::shared head_counts;
    typename bits::shared head_bits;
    typename threads::shared totals;
  };
  struct held {
    uninit<key> item[items_per_thread];
    std::uint32_t head_flags;  // of the items of the thread's rows
    uninit<value> x[items_per_thread];
    std::uint32_t heads;  // of the thread's neighbouring items
    uninit<total> running;
  };

  KeyIn keys_in;
  ValueIn values_in;
  KeyOut keys_out;
  ValueOut values_out;
  CountIt run_count;
  block::differs<Equal> is_change;
  block::combine<value, Op> op;

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem, const tile_extent& of, held& own) const
  {
    rows::load(ctx, keys_in + of.first, of.valid, own.item);
    tile::load(ctx, smem.values, values_in + of.first, of.valid);
    own.head_flags = rows::template flags<true>(
      ctx, of.valid, [&](unsigned i, unsigned index) { return is_head(of.first + index, own.item[i].get()); });
    rows::count(ctx, smem.head_counts, own.head_flags);
    rows::write_bits(ctx, smem.head_bits.word, own.head_flags);
  }

  template <class Context>
  GIMBAL_DEVICE void fold(Context& ctx, shared& smem, const tile_extent& of, held& own) const
  {
    rows::template gather_flagged<false>(
      ctx, smem.head_counts, own.head_flags, of.valid, rows::total(smem.head_counts), own.item, smem.key_of_head);
    tile::read(ctx, smem.values, own.x);
    const unsigned count = tile::thread_valid(ctx, of.valid);
    own.heads = bits::of_thread(ctx, smem.head_bits, count);
    if (count > 0) {
      own.running.set(
        {algorithm::fold_since_head<false>(op, no_init{}, {0, count}, own.heads, own.x).get(),
         static_cast<index_type>(simt::popcount(own.heads))});
    }
    threads::scan_warps(ctx, smem.totals, own.running, tile::active_threads(of.valid), combine());
  }

  GIMBAL_DEVICE total total_of(const shared& smem, const tile_extent& of) const
  {
    return threads::total(smem.totals, tile::active_threads(of.valid), combine());
  }
  GIMBAL_DEVICE segment_op<value, Op> combine() const { return {op}; }
  GIMBAL_DEVICE void start(bool, uninit<total>&) const {}

  template <class Context>
  GIMBAL_DEVICE void store(
    Context& ctx, shared& smem, const tile_extent& of, const uninit<total>& before, held& own) const
  {
    const unsigned count = tile::thread_valid(ctx, of.valid);
    const unsigned tile_heads = rows::total(smem.head_counts);
    const index_type heads_before = of.number > 0 ? before.get().heads : 0;
    if (count > 0) {
      finish_runs(ctx, smem, of.number, before, count, own);
      if (of.is_last && ctx.thread() + 1 == tile::active_threads(of.valid)) {
        block::store_as(values_out + (heads_before + tile_heads - 1), own.running.get().value);
      }
    }
    if (of.is_last && ctx.thread() == 0) {
      block::store_as(run_count, heads_before + tile_heads);
    }
    ctx.sync_block();  // the totals are in shared memory

    rows::store_run(ctx, smem.key_of_head, keys_out + heads_before, tile_heads);
    const unsigned skipped = of.number == 0 && of.valid > 0 ? 1 : 0;  // the first head of all ends no run
    rows::store_run(ctx, smem.values.item + skipped, values_out + (heads_before + skipped - 1), tile_heads - skipped);
  }

private:
  GIMBAL_DEVICE bool is_head(index_type i, key& own) const
  {
    if (i == 0) {
      return true;
    }
    key before = block::load_as<key>(keys_in + (i - 1));
    return is_change(before, own);
  }

  static GIMBAL_DEVICE bool is_set(std::uint32_t bits, unsigned i) { return (bits >> i & 1) != 0; }

  /// Write the total of each run that ends at a head of this thread. `own.running`: in, as scan_warps left it; out, the
  /// state through this thread's last item.
  template <class Context>
  GIMBAL_DEVICE void finish_runs(
    Context& ctx, shared& smem, unsigned number, const uninit<total>& before, unsigned count, held& own) const
  {
    uninit<total>& running = own.running;
    bool exists = threads::prefix(ctx, smem.totals, running, combine());
    unsigned slot = exists ? static_cast<unsigned>(running.get().heads) : 0;
    if (number > 0) {
      running.set(exists ? combine()(before.get(), running.get()) : before.get());
      exists = true;
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items_per_thread; ++i) {
      if (i < count) {
        if (is_set(own.heads, i)) {
          if (exists) {
            smem.values.item[slot].set(running.get().value);
          }
          running.set({own.x[i].get(), 0});
          exists = true;
          ++slot;
        } else {
          running.set({op(running.get().value, own.x[i].get()), 0});
        }
      }
    }
  }
};

/// The table of reductions by key, first row that takes the call first; with `Tuning` void:
///
///   keys and values   items                                                    kernel
///   arrays            at most stream_few_runs::most_items                      persistent_runs.cuh, small tiles
///   other iterators   the same, at least loaded_runs_from_items (..keys..)     the same
///   either            at least those, and at least stream_runs::least_items    persistent_runs.cuh
///   any               any                                                      tile_kernel.cuh
///
/// A row of persistent_runs.cuh exists for sizes of keys and values that fill whole vectors
/// (persistent_runs_stage.cuh).
///
/// The arguments are those of reduce_by_key().
template <
  class Tuning = void, class KeyIn, class ValueIn, class KeyOut, class ValueOut, class CountIt, class Equal, class Op>
auto reduce_by_key_plan(
  KeyIn keys_in, ValueIn values_in, KeyOut keys_out, ValueOut values_out, CountIt run_count, index_type n, Equal equal,
  Op op)
{
  using key = value_type_of<KeyIn>;
  using value = value_type_of<ValueIn>;
  static_assert(simt::is_supported_value_v<key>, "kernels hold values of at most 128 bytes, copied bytewise");
  static_assert(simt::is_supported_value_v<value>, "kernels hold values of at most 128 bytes, copied bytewise");
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::reduce_by_key<sizeof(key), sizeof(value)>, Tuning>;
  using tiles = reduce_by_key_tile_policy<chosen, KeyIn, ValueIn, KeyOut, ValueOut, CountIt, Equal, Op>;
  // At least one tile, which writes the number of runs even of no items.
  const kernel_row<tile_kernel<tiles>> tile_row(
    true, {{keys_in, values_in, keys_out, values_out, run_count, {equal}, {op}},
           n,
           {n == 0 ? 1 : gimbal::tiles_of(n, tiles::tile_items)}});
  using numbers = runs_numbers<Equal, KeyIn, ValueIn>;
  if constexpr (::cuda::std::is_void<Tuning>::value && (numbers::are_arrays || numbers::are_supported)) {
    using values_type = folded_run_values<ValueIn, ValueOut, Op, numbers::are_arrays>;
    using few = tuning::stream_few_runs<sizeof(key), sizeof(value), numbers::are_arrays>;
    constexpr index_type least = numbers::are_arrays        ? 1
                                 : block::is_array_v<KeyIn> ? tuning::loaded_runs_from_items
                                                            : tuning::loaded_keys_from_items;
    const values_type values{values_type::source::of(values_in, 0), values_out, {op}};
    return gimbal::plan_of(
      algorithm::persistent_runs_row<few, (few::most_items >= least)>(
        n >= least && n <= few::most_items, keys_in, keys_out, values, run_count, n, equal, false),
      algorithm::persistent_runs_row<typename numbers::type>(
        n >= least && n >= numbers::type::least_items, keys_in, keys_out, values, run_count, n, equal, false),
      tile_row);
  } else {
    return gimbal::plan_of(tile_row);
  }
}

/// For each run of keys equal to their neighbours, the first key to `keys_out` and the total of the values to
/// `values_out`; the number of runs to `*run_count`. `Tuning` void: chosen by the sizes of keys and values.
template <
  class Tuning = void, class KeyIn, class ValueIn, class KeyOut, class ValueOut, class CountIt, class Equal, class Op>
status reduce_by_key(
  const temporary_storage& storage, std::size_t& storage_bytes, KeyIn keys_in, ValueIn values_in, KeyOut keys_out,
  ValueOut values_out, CountIt run_count, index_type n, Equal equal, Op op, simt::stream_type stream)
{
  return algorithm::reduce_by_key_plan<Tuning>(keys_in, values_in, keys_out, values_out, run_count, n, equal, op)
    .run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
