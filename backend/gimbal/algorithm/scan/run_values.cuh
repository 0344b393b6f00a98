// What becomes of the values beside the keys of runs: there are none, the first of each run is kept, or those of a run
// are folded. For persistent_runs.cuh.
//
// A stretch of items amounts to a state: how many heads it has and, where values are folded, the fold of those from the
// last head on, or of all if there is no head.
#pragma once

#include <gimbal/algorithm/scan/segment_fold.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/persistent_io.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

namespace detail {

/// Let positions count from `shift` items in front of the first one; false if that is no multiple of 16.
template <class Source>
bool start_at(Source& values, index_type shift)
{
  if constexpr (Source::copies && !Source::is_skewed) {
    values = Source::of(reinterpret_cast<const typename Source::item*>(values.origin), shift);
    return reinterpret_cast<std::uintptr_t>(values.origin) % 16 == 0;
  }
  return true;
}

}  // namespace detail

/// The interface of values, start_at() on the host before all else: there are none.
struct no_run_values {
  struct value {};
  struct source {
    static constexpr bool copies = false;
  };
  template <class Count>
  using state = segment_fold<void, Count>;
  static constexpr bool has_values = false;
  static constexpr bool folds = false;
  static constexpr bool tiles_follow_addresses = true;

  bool start_at(index_type) { return true; }

  GIMBAL_DEVICE add_heads_op join() const { return {}; }
  template <bool IsFull, unsigned Items>
  GIMBAL_DEVICE state<std::uint32_t> fold_items(
    block::valid_range, std::uint32_t heads, const uninit<value> (&)[Items]) const
  {
    return {static_cast<std::uint32_t>(simt::popcount(heads))};
  }
};

/// Of arrays. Where tiles follow addresses, a lane has at least as many items as keys fill a vector, and so many large values it
/// cannot have. (The largest are not streamed. record: run_values_largest)
template <class Value>
using first_value_source = ::cuda::std::conditional_t<
  (32 < sizeof(Value) && sizeof(Value) <= 64), block::skewed_source<Value>, block::memory_source<Value>>;

/// The first value of each run.
template <class Value, class ValueOut, class Source = first_value_source<Value>>
struct first_run_values {
  using value = Value;
  template <class Count>
  using state = segment_fold<void, Count>;
  static constexpr bool has_values = true;
  static constexpr bool folds = false;
  static constexpr bool tiles_follow_addresses = Source::copies && !Source::is_skewed;

  using source = Source;
  source in;
  ValueOut out;

  bool start_at(index_type shift) { return detail::start_at(in, shift); }

  GIMBAL_DEVICE add_heads_op join() const { return {}; }
  template <bool IsFull, unsigned Items>
  GIMBAL_DEVICE state<std::uint32_t> fold_items(
    block::valid_range, std::uint32_t heads, const uninit<Value> (&)[Items]) const
  {
    return {static_cast<std::uint32_t>(simt::popcount(heads))};
  }
};

/// The fold of the values of each run. `AreArrays`: keys and values.
template <class ValueIn, class ValueOut, class Op, bool AreArrays = block::is_array_v<ValueIn>>
struct folded_run_values {
  using value = value_type_of<ValueIn>;
  template <class Count>
  using state = segment_fold<value, Count>;
  static constexpr bool has_values = true;
  static constexpr bool folds = true;
  /// Any tree gives the same result, and keys and values have addresses.
  static constexpr bool tiles_follow_addresses = AreArrays && ::cuda::std::is_integral<value>::value;

  using source = block::persistent_source<ValueIn, tiles_follow_addresses>;
  source in;
  ValueOut out;
  block::combine<value, Op> op;

  bool start_at(index_type shift) { return detail::start_at(in, shift); }

  GIMBAL_DEVICE segment_op<value, Op> join() const { return {op}; }

  /// The state of a lane's valid items, of which there is at least one.
  template <bool IsFull, unsigned Items>
  GIMBAL_DEVICE state<std::uint32_t> fold_items(
    block::valid_range valid, std::uint32_t heads, const uninit<value> (&own)[Items]) const
  {
    uninit<value> open;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (IsFull || (i >= valid.lo && i < valid.hi)) {
        const bool starts = (IsFull ? i == 0 : i == valid.lo) || (heads >> i & 1) != 0;
        open.set(starts ? own[i].get() : op(open.get(), own[i].get()));
      }
    }
    return {open.get(), static_cast<std::uint32_t>(simt::popcount(heads))};
  }

  /// For each head of this lane the total of the run that ends in front of it, as far as it stands in the chunk, to the
  /// head's place `to[0...]`; nothing for a head with nothing in front. `before`: the state of the chunk up to this
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
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (IsFull || (i >= valid.lo && i < valid.hi)) {
        const bool is_head = (heads >> i & 1) != 0;
        if (is_head) {
          if (exists) {
            *to = open;
          }
          ++to;
        }
        open.set(is_head || !exists ? own[i].get() : op(open.get(), own[i].get()));
        exists = true;
      }
    }
  }

  /// The total of the run that ends in front of a chunk's first head: `before`, and what `part` of it is in the chunk.
  GIMBAL_DEVICE value first_total(const state<wide_count>& before, bool is_all, const uninit<value>& part) const
  {
    return is_all ? before.value : op(before.value, part.get());
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
