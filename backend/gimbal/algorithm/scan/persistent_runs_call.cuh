// Calls of unique, unique by key and reduce by key as a stream (persistent_runs.cuh): which can be, and how.
#pragma once

#include <gimbal/algorithm/scan/runs_tuning.h>
#include <gimbal/tile/iterators.h>

#include <gimbal/algorithm/scan/persistent_runs.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Keys, and values if any: whether they are arrays, or of types that can be streamed as well, and the numbers for them.
template <class Equal, class KeyIn, class... ValueIn>
struct runs_numbers {
  static constexpr bool are_supported =
    simt::is_supported_value_v<value_type_of<KeyIn>> && (simt::is_supported_value_v<value_type_of<ValueIn>> && ...);
  static constexpr bool are_arrays = ::cuda::std::conjunction<
    ::cuda::std::bool_constant<block::is_array_v<KeyIn>>,
    ::cuda::std::bool_constant<block::is_array_v<ValueIn>>...>::value;
  static constexpr bool may_gather =
    block::may_point_v<Equal> || block::may_gather_v<KeyIn> || (block::may_gather_v<ValueIn> || ...);
  using type = tuning::stream_runs<
    sizeof(value_type_of<KeyIn>), (std::size_t{0} + ... + sizeof(value_type_of<ValueIn>)), are_arrays, may_gather>;
};

/// The row of so many keys, at least one, and `values`, which has the address of the first value for origin; none for types to which it
/// does not apply.
template <class Tuning, bool Exists = true, class KeyIn, class KeyOut, class Values, class CountIt, class Equal>
auto persistent_runs_row(
  bool fits, KeyIn keys, KeyOut keys_out, Values values, CountIt run_count, index_type n, Equal equal, bool is_in_place)
{
  if constexpr (!Exists) {
    return no_row{};
  } else if constexpr (!persistent_runs_policy<Tuning, KeyIn, KeyOut, Values, CountIt, Equal>::is_possible) {
    return no_row{};
  } else {
    using policy = persistent_runs_policy<Tuning, KeyIn, KeyOut, Values, CountIt, Equal>;
    using source = typename policy::shape::key_source;
    const index_type shift = source::shift_of(keys);
    const bool is_aligned = shift < source::shift_limit && values.start_at(shift);
    const typename policy::tiles_type tiles{shift, shift + n};
    return persistent_row<policy>(
      fits, {{}, source::of(keys, shift), keys_out, values, run_count, tiles, equal, is_in_place}, tiles.count(),
      is_aligned);
  }
}

/// The row of select_unique_by_key(), of arrays or of what comes through iterators.
template <bool Exists, class KeyIn, class ValueIn, class KeyOut, class ValueOut, class CountIt, class Equal>
auto persistent_unique_by_key_row(
  KeyIn keys_in, ValueIn values_in, KeyOut keys_out, ValueOut values_out, CountIt run_count, index_type n, Equal equal,
  bool is_in_place)
{
  using numbers = runs_numbers<Equal, KeyIn, ValueIn>;
  using value = value_type_of<ValueIn>;
  if constexpr (!Exists) {
    return no_row{};
  } else if constexpr (numbers::are_arrays) {
    const first_run_values<value, ValueOut> values{first_value_source<value>::of(values_in, 0), values_out};
    return algorithm::persistent_runs_row<typename numbers::type>(
      n >= numbers::type::least_items, keys_in, keys_out, values, run_count, n, equal, is_in_place);
  } else if constexpr (numbers::are_supported) {
    using loaded = block::iterator_source<value, ValueIn>;
    const first_run_values<value, ValueOut, loaded> values{loaded::of(values_in, 0), values_out};
    auto row = algorithm::persistent_runs_row<typename numbers::type>(
      n >= tuning::loaded_runs_from_items && n >= numbers::type::least_items, keys_in, keys_out, values, run_count, n,
      equal, false);
    // What comes through iterators may be loaded when other tiles have been stored.
    if constexpr (!::cuda::std::is_same<decltype(row), no_row>::value) {
      row.is_possible = row.is_possible && !block::may_overlap(keys_in, keys_out, n)
                        && !block::may_overlap(keys_in, values_out, n) && !block::may_overlap(values_in, keys_out, n)
                        && !block::may_overlap(values_in, values_out, n);
    }
    return row;
  } else {
    return no_row{};
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
