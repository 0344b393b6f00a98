// What becomes of the values beside the keys of runs: there are none, the first of each run is kept, or those of a run
// are folded. For stream_runs.cuh.
//
// A stretch of items amounts to a state: how many heads it has and, where values are folded, the fold of those from the
// last head on, or of all if there is no head.
#pragma once

#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/stream_io.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A number of items that asks for an alignment of 4 bytes only, so that no exchanged word is padding.
struct wide_count {
  std::uint32_t low;
  std::uint32_t high;

  GIMBAL_DEVICE operator index_type() const { return static_cast<index_type>(std::uint64_t{high} << 32 | low); }
};

namespace detail {

GIMBAL_DEVICE std::uint32_t add_counts(std::uint32_t a, std::uint32_t b) { return a + b; }
GIMBAL_DEVICE wide_count add_counts(const wide_count& a, std::uint32_t b)
{
  const auto sum = static_cast<std::uint64_t>(index_type{a} + index_type{b});
  return {static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(sum >> 32)};
}

template <class Count>
struct counted_runs {
  Count heads;

  template <class Wide>
  GIMBAL_DEVICE explicit operator counted_runs<Wide>() const
  {
    return {{heads, 0}};
  }
};
template <class Count, class Value>
struct folded_runs {
  Count heads;
  Value open;

  template <class Wide>
  GIMBAL_DEVICE explicit operator folded_runs<Wide, Value>() const
  {
    return {{heads, 0}, open};
  }
};
// What follows has at most 32 bits of heads: a part of a tile, a tile, a row of tiles (grid/prefix_server.cuh).
struct join_counted {
  template <class Count>
  GIMBAL_DEVICE counted_runs<Count> operator()(
    const counted_runs<Count>& left, const counted_runs<std::uint32_t>& right) const
  {
    return {detail::add_counts(left.heads, right.heads)};
  }
};
template <class Value, class Op>
struct join_folded {
  block::combine<Value, Op> op;

  template <class Count>
  GIMBAL_DEVICE folded_runs<Count, Value> operator()(
    const folded_runs<Count, Value>& left, const folded_runs<std::uint32_t, Value>& right) const
  {
    return {detail::add_counts(left.heads, right.heads), right.heads > 0 ? right.open : op(left.open, right.open)};
  }
};

/// Let positions count from `shift` items in front of the first one; false if that is no multiple of 16.
template <class Value>
bool start_at(block::memory_source<Value>& values, index_type shift)
{
  values = block::memory_source<Value>::of(reinterpret_cast<const Value*>(values.origin), shift);
  return reinterpret_cast<std::uintptr_t>(values.origin) % 16 == 0;
}
template <class Value>
bool start_at(block::skewed_source<Value>&, index_type)
{
  return true;
}
template <class Value, class ValueIn>
bool start_at(block::iterator_source<Value, ValueIn>&, index_type)
{
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
  using state = detail::counted_runs<Count>;
  static constexpr bool has_values = false;
  static constexpr bool folds = false;
  static constexpr bool tiles_follow_addresses = true;

  bool start_at(index_type) { return true; }

  GIMBAL_DEVICE detail::join_counted join() const { return {}; }
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
  using state = detail::counted_runs<Count>;
  static constexpr bool has_values = true;
  static constexpr bool folds = false;
  static constexpr bool tiles_follow_addresses = Source::copies && !Source::is_skewed;

  using source = Source;
  source in;
  ValueOut out;

  bool start_at(index_type shift) { return detail::start_at(in, shift); }

  GIMBAL_DEVICE detail::join_counted join() const { return {}; }
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
  using state = detail::folded_runs<Count, value>;
  static constexpr bool has_values = true;
  static constexpr bool folds = true;
  /// Any tree gives the same result, and keys and values have addresses.
  static constexpr bool tiles_follow_addresses = AreArrays && ::cuda::std::is_integral<value>::value;

  using source = block::stream_source<ValueIn, tiles_follow_addresses>;
  source in;
  ValueOut out;
  block::combine<value, Op> op;

  bool start_at(index_type shift) { return detail::start_at(in, shift); }

  GIMBAL_DEVICE detail::join_folded<value, Op> join() const { return {op}; }

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
    return {static_cast<std::uint32_t>(simt::popcount(heads)), open.get()};
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
      open.set(before.get().open);
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
    return is_all ? before.open : op(before.open, part.get());
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
