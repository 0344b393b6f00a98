// Reduce by key: for each run of equal keys, its first key and x[i] op x[i+1] op ... over the values of the run.
//
// Algorithm: the segmented scan with totals (segmented_scan.cuh) by heads from keys, whose results nobody keeps: at
// each head a thread stores the run's key, and the total of the run that ends before it. Calls of enough items that
// allow it take another kernel (persistent_runs.cuh), which stores whole runs; what follows is about the others.
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
#include <gimbal/algorithm/scan/segments_tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/scan/persistent_runs.cuh>
#include <gimbal/algorithm/scan/scan_tile_policy.cuh>
#include <gimbal/algorithm/scan/segment_fold.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What becomes of the runs of a tile: as segment_totals.
template <class KeyIn, class KeyOut, class ValueOut, class CountIt>
struct run_totals {
  static constexpr bool exist = true;

  KeyIn keys_in;
  KeyOut keys_out;
  ValueOut values_out;
  CountIt run_count;
  index_type n;

  template <class Context, class Heads, class Shared>
  GIMBAL_DEVICE void begin(Context& ctx, const Heads&, const Shared&, index_type, no_init) const
  {
    if (n == 0 && ctx.thread() == 0) {
      block::store_as(run_count, index_type{0});
    }
  }

  template <class Heads, class Shared, class T>
  GIMBAL_DEVICE void at_head(
    const Heads&, const Shared&, index_type end, index_type runs, bool exists, const uninit<T>& sum) const
  {
    if (exists) {
      block::store_as(values_out + (runs - 1), sum.get());
    }
    if (end < n) {
      block::store_as(keys_out + runs, block::load_as<value_type_of<KeyIn>>(keys_in + end));
    } else {
      block::store_as(run_count, runs);
    }
  }
};

/// The table of reductions by key, first row that takes the call first; with `Tuning` void:
///
///   items                                                            kernel
///   at least least_items, at most most_items of persistent_few_runs  persistent_runs_policy.cuh, small tiles
///   at least persistent_runs::least_items                            persistent_runs_policy.cuh
///   any                                                              scan_tile_policy.cuh
///
/// A persistent row exists where a lane can hold whole vectors of keys and of values, or few large values.
///
/// For each run of keys equal to their neighbours, the first key goes to `keys_out` and the total of the values to
/// `values_out`; the number of runs to `*run_count`. `Tuning` void: chosen by their sizes.
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
  using chosen =
    ::cuda::std::conditional_t<::cuda::std::is_void<Tuning>::value, tuning::segmented_scan<sizeof(value)>, Tuning>;
  using lanes = segment_lanes<scan_kind::inclusive, value, Op, no_init, index_type>;
  using heads = tile_heads<heads_from_keys<KeyIn, Equal>, false>;
  using totals = run_totals<KeyIn, KeyOut, ValueOut, CountIt>;
  using tiles = scan_tile_policy<chosen, lanes, heads, ValueIn, no_results, totals>;
  // At least one tile, which writes the number of runs even of no items.
  const kernel_row<tile_kernel<tiles>> tile_row(
    true, {{{{keys_in, equal}}, values_in, {}, n, {{op}, {}}, {keys_in, keys_out, values_out, run_count, n}},
           n,
           {n == 0 ? 1 : gimbal::tiles_of(n, tiles::tile_items)}});
  using numbers = runs_numbers<Equal, KeyIn, ValueIn>;
  if constexpr (::cuda::std::is_void<Tuning>::value) {
    using values_type = folded_run_values<ValueIn, ValueOut, Op>;
    using few = tuning::persistent_few_runs<sizeof(key), sizeof(value), numbers::are_arrays>;
    const values_type values{values_type::source::of(values_in, 0), values_out, {op}};
    return gimbal::plan_of(
      algorithm::persistent_runs_row<few, (few::most_items > 0)>(
        n >= few::least_items && n <= few::most_items, keys_in, keys_out, values, run_count, n, equal, false),
      algorithm::persistent_runs_row<typename numbers::type>(
        n >= numbers::type::least_items, keys_in, keys_out, values, run_count, n, equal, false),
      tile_row);
  } else {
    return gimbal::plan_of(tile_row);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
