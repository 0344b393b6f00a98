// Runs of equal keys in large arrays (persistent_runs_policy.cuh): what becomes of the values beside the keys, which
// calls can be persistent, and their rows.
#pragma once

#include <gimbal/algorithm/scan/runs_tuning.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/persistent_runs_policy.cuh>
#include <gimbal/algorithm/scan/segment_fold.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

// ---- what becomes of the values beside the keys of runs: there are none, the first of each run is kept, or those of a
// run are folded.
// A stretch of items amounts to a state: how many heads it has; where values are folded, also the fold of those from
// the last head on, or of all if there is no head.

/// The interface of values: there are none.
struct no_run_values {
  struct value {};
  struct source {
    static constexpr bool copies = false;
    static constexpr bool is_misaligned = false;
  };
  template <class Count>
  using state = Count;
  static constexpr bool has_values = false;
  static constexpr bool folds = false;

  template <class Count>
  static GIMBAL_DEVICE Count heads_of(Count heads)
  {
    return heads;
  }
  GIMBAL_DEVICE ::cuda::std::plus<> join() const { return {}; }
  template <bool IsFull, class Value, unsigned Items>
  GIMBAL_DEVICE std::uint32_t fold_items(block::valid_range, std::uint32_t heads, const uninit<Value> (&)[Items]) const
  {
    return static_cast<std::uint32_t>(simt::popcount(heads));
  }
};

/// The first value of each run.
template <class ValueIn, class ValueOut>
struct first_run_values : no_run_values {
  using value = value_type_of<ValueIn>;
  static constexpr bool has_values = true;

  using source = block::persistent_source<ValueIn, false>;
  source in;
  ValueOut out;
};

/// The fold of the values of each run.
template <class ValueIn, class ValueOut, class Op>
struct folded_run_values {
  using value = value_type_of<ValueIn>;
  template <class Count>
  using state = segment_fold<value, Count>;
  static constexpr bool has_values = true;
  static constexpr bool folds = true;

  using source = block::persistent_source<ValueIn, false>;
  source in;
  ValueOut out;
  block::combine<value, Op> op;

  template <class Count>
  static GIMBAL_DEVICE Count heads_of(const state<Count>& known)
  {
    return known.heads;
  }
  GIMBAL_DEVICE segment_op<value, Op> join() const { return {op}; }

  /// The state of a lane's valid items, of which there is at least one.
  template <bool IsFull, unsigned Items>
  GIMBAL_DEVICE state<std::uint32_t> fold_items(
    block::valid_range valid, std::uint32_t heads, const uninit<value> (&own)[Items]) const
  {
    const uninit<value> open = algorithm::fold_since_head<IsFull>(op, no_init{}, valid, heads, own);
    return {open.get(), static_cast<std::uint32_t>(simt::popcount(heads))};
  }

  /// For each head of this lane the total of the run that ends before it, as far as it is in the chunk, to the
  /// head's slot `to[0...]`; nothing for a head with nothing before it. `before`: the state of the chunk up to this
  /// lane, if that exists.
  template <bool IsFull, unsigned Items>
  GIMBAL_DEVICE void gather_totals(
    block::valid_range valid, std::uint32_t heads, bool exists, const uninit<state<std::uint32_t>>& before,
    const uninit<value> (&own)[Items], uninit<value>* to) const
  {
    uninit<value> open;
    if (exists) {
      open.set(before.get().value);
    }
    // A chunk's first item starts anew, though it may go on with a run.
    const std::uint32_t starts = exists ? heads : heads | std::uint32_t{1} << valid.lo;
    uninit<value> unused[Items];
    algorithm::scan_since_head<scan_kind::inclusive, IsFull, true>(
      op, no_init{}, valid, starts, open, own, unused, [&](unsigned i) {
        if (exists || i > valid.lo) {
          *to = open;
        }
        to += heads >> i & 1;
      });
  }

  /// The total of the run that ends before a chunk's first head: `before`, and what `part` of it is in the chunk.
  GIMBAL_DEVICE value first_total(const state<index_type>& before, bool is_all, const uninit<value>& part) const
  {
    return is_all ? before.value : op(before.value, part.get());
  }
};

// ---- which calls can be persistent, and their rows

/// Keys, and values if any: whether they are arrays, and the numbers for them.
template <class Equal, class KeyIn, class... ValueIn>
struct runs_numbers {
  static constexpr bool are_arrays = block::is_array_v<KeyIn> && (block::is_array_v<ValueIn> && ...);
  static constexpr bool may_gather =
    block::may_point_v<Equal> || block::may_gather_v<KeyIn> || (block::may_gather_v<ValueIn> || ...);
  using type = tuning::persistent_runs<
    sizeof(value_type_of<KeyIn>), (std::size_t{0} + ... + sizeof(value_type_of<ValueIn>)), are_arrays, may_gather>;
};

/// The row of so many keys, at least one; none for types to which it does not apply. `is_possible`: false where
/// results may overwrite what is loaded later.
template <class Tuning, bool Exists = true, class KeyIn, class KeyOut, class Values, class CountIt, class Equal>
auto persistent_runs_row(
  bool fits, KeyIn keys, KeyOut keys_out, Values values, CountIt run_count, index_type n, Equal equal, bool is_in_place,
  bool is_possible = true)
{
  using policy = persistent_runs_policy<Tuning, KeyIn, KeyOut, Values, CountIt, Equal>;
  if constexpr (!Exists || !policy::is_possible) {
    return no_row{};
  } else {
    auto key_source = policy::key_source::of(keys, 0);
    if constexpr (policy::key_source::is_misaligned) {
      key_source.reads_around = !is_in_place;
    }
    if constexpr (policy::value_source::is_misaligned) {
      values.in.reads_around = !is_in_place;
    }
    const typename policy::tiles_type tiles{0, n};
    return persistent_row<policy>(
      fits, {{}, key_source, keys_out, values, run_count, tiles, equal, is_in_place}, tiles.count(), is_possible);
  }
}

/// The row of select_unique_by_key(), of arrays or of what comes through iterators.
template <bool Exists, class KeyIn, class ValueIn, class KeyOut, class ValueOut, class CountIt, class Equal>
auto persistent_unique_by_key_row(
  KeyIn keys_in, ValueIn values_in, KeyOut keys_out, ValueOut values_out, CountIt run_count, index_type n, Equal equal,
  bool is_in_place)
{
  using numbers = runs_numbers<Equal, KeyIn, ValueIn>;
  using values_type = first_run_values<ValueIn, ValueOut>;
  const values_type values{{}, values_type::source::of(values_in, 0), values_out};
  // What comes through iterators may be loaded when other tiles have been stored.
  const bool is_possible =
    numbers::are_arrays
    || !(
      block::may_overlap(keys_in, keys_out, n) || block::may_overlap(keys_in, values_out, n)
      || block::may_overlap(values_in, keys_out, n) || block::may_overlap(values_in, values_out, n));
  return algorithm::persistent_runs_row<typename numbers::type, Exists>(
    n >= numbers::type::least_items, keys_in, keys_out, values, run_count, n, equal, is_in_place && numbers::are_arrays,
    is_possible);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
