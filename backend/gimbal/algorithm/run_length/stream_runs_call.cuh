// Calls of unique, unique by key and reduce by key as a stream (stream_runs.cuh): which can be, and how.
#pragma once

#include <gimbal/algorithm/run_length/tuning.h>
#include <gimbal/tile/may_overlap.h>

#include <gimbal/algorithm/run_length/stream_runs.cuh>
#include <gimbal/tile/selectors.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

namespace detail {

/// Launches the engine and sets `ran`, unless the keys and values never begin at multiples of 16 together or the device
/// cannot run it. There is at least one item. `values` has the address of the first value for origin.
template <class Policy, class KeyIn, class KeyOut, class Values, class CountIt, class Equal>
status stream_runs(
  KeyIn keys, KeyOut keys_out, Values values, CountIt run_count, index_type n, Equal equal, bool is_in_place,
  launch_words& words, bool& ran)
{
  using source = typename Policy::shape::key_source;
  ran = false;
  if (n / Policy::tiles_type::tile_items >= index_type{1} << 31) {
    return {};
  }
  const index_type shift = source::shift_of(keys);
  const bool is_aligned = shift < source::shift_limit && values.start_at(shift);
  const typename Policy::tiles_type tiles{shift, shift + n};
  stream_plan<Policy> plan{
    {{}, source::of(keys, shift), keys_out, values, run_count, tiles, equal, is_in_place}, tiles.count(), is_aligned};
  return plan.launch_if_possible(words, ran);
}

/// Keys, and values if any: whether they are arrays, or of types that can be streamed as well, and the numbers for them.
template <class Equal, class KeyIn, class... ValueIn>
struct runs_tuning {
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

template <class KeyIn, class KeyOut, class Values, class CountIt, class Equal, class Tuning>
status stream_large_runs(
  Tuning, KeyIn keys, KeyOut keys_out, Values values, CountIt run_count, index_type n, Equal equal, bool is_in_place,
  launch_words& words, bool& ran)
{
  using policy = stream_runs_policy<Tuning, KeyIn, KeyOut, Values, CountIt, Equal>;
  if constexpr (policy::is_possible) {
    if (n >= Tuning::least_items) {
      return detail::stream_runs<policy>(keys, keys_out, values, run_count, n, equal, is_in_place, words, ran);
    }
  }
  return {};
}

template <class KeyIn, class ValueIn, class KeyOut, class ValueOut, class CountIt, class Equal, class Op>
status stream_reduce_by_key(
  KeyIn keys_in, ValueIn values_in, KeyOut keys_out, ValueOut values_out, CountIt run_count, index_type n, Equal equal,
  Op op, launch_words& words, bool& ran)
{
  using numbers = runs_tuning<Equal, KeyIn, ValueIn>;
  using value = value_type_of<ValueIn>;
  using values_type = folded_run_values<ValueIn, ValueOut, Op, numbers::are_arrays>;
  constexpr index_type least = numbers::are_arrays        ? 0
                               : block::is_array_v<KeyIn> ? tuning::loaded_runs_from_items
                                                          : tuning::loaded_keys_from_items;
  if constexpr (numbers::are_arrays || numbers::are_supported) {
    if (n < least) {
      return {};
    }
    const values_type values{values_type::source::of(values_in, 0), values_out, {op}};
    using few = tuning::stream_few_runs<sizeof(value_type_of<KeyIn>), sizeof(value), numbers::are_arrays>;
    if constexpr (few::most_items > least) {
      if (n <= few::most_items) {
        GIMBAL_TRY(detail::stream_large_runs(few{}, keys_in, keys_out, values, run_count, n, equal, false, words, ran));
        if (ran) {
          return {};
        }
      }
    }
    return detail::stream_large_runs(
      typename numbers::type{}, keys_in, keys_out, values, run_count, n, equal, false, words, ran);
  }
  return {};
}

template <class KeyIn, class ValueIn, class KeyOut, class ValueOut, class CountIt, class Equal>
status stream_unique_by_key(
  KeyIn keys_in, ValueIn values_in, KeyOut keys_out, ValueOut values_out, CountIt run_count, index_type n, Equal equal,
  bool is_in_place, launch_words& words, bool& ran)
{
  using numbers = runs_tuning<Equal, KeyIn, ValueIn>;
  using value = value_type_of<ValueIn>;
  if constexpr (numbers::are_arrays) {
    const first_run_values<value, ValueOut> values{first_value_source<value>::of(values_in, 0), values_out};
    return detail::stream_large_runs(
      typename numbers::type{}, keys_in, keys_out, values, run_count, n, equal, is_in_place, words, ran);
  } else if constexpr (numbers::are_supported) {
    // What comes through iterators may be loaded when other tiles have been stored.
    const bool overlap = block::may_overlap(keys_in, keys_out, n) || block::may_overlap(keys_in, values_out, n)
                         || block::may_overlap(values_in, keys_out, n) || block::may_overlap(values_in, values_out, n);
    if (n >= tuning::loaded_runs_from_items && (!overlap || words.measures())) {
      using loaded = block::iterator_source<value, ValueIn>;
      const first_run_values<value, ValueOut, loaded> values{loaded::of(values_in, 0), values_out};
      return detail::stream_large_runs(
        typename numbers::type{}, keys_in, keys_out, values, run_count, n, equal, false, words, ran);
    }
  }
  return {};
}

/// For a select whose rejected items are discarded: by other selectors it is not streamed here.
template <class InputIt, class Selector, class SelectedIt, class CountIt>
status stream_unique(InputIt, index_type, const Selector&, SelectedIt, CountIt, bool, launch_words&, bool&)
{
  return {};
}
template <class InputIt, class Equal, class SelectedIt, class CountIt>
status stream_unique(
  InputIt in, index_type n, const select_unique<Equal>& selector, SelectedIt selected_out, CountIt count,
  bool is_in_place, launch_words& words, bool& ran)
{
  using tuning = runs_tuning<Equal, InputIt>;
  if constexpr (tuning::are_arrays) {
    return detail::stream_large_runs(
      typename tuning::type{}, in, selected_out, no_run_values{}, count, n, selector.equal, is_in_place, words, ran);
  }
  return {};
}

}  // namespace detail

}  // namespace algorithm

GIMBAL_NAMESPACE_END
