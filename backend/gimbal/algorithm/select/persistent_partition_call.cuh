// Calls of select and partition as a stream (persistent_partition.cuh): which can be, and how.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/tile/iterators.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>

#include <gimbal/algorithm/select/persistent_partition.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// In place of an output for the rejected items: they go nowhere.
struct discard_rejected {};
/// In place of one: they begin so many items behind `out` as `*count` says when the kernel runs.
template <class OutputIt>
struct output_behind_count {
  OutputIt out;
  const index_type* count;
};

namespace detail {

template <class InputIt>
inline constexpr tuning::select_input select_input_of =
  block::is_array_v<InputIt> ? tuning::select_input::array : tuning::select_input::loaded;
template <class Number, class System, class Traversal, class Difference>
inline constexpr tuning::select_input
  select_input_of<thrust::counting_iterator<Number, System, Traversal, Difference>> = tuning::select_input::counting;

template <class InputIt, class Selector, class RejectedIt>
using persistent_partition_tuning = tuning::stream_partition<
  sizeof(value_type_of<InputIt>), side_of<Selector>::bytes, !::cuda::std::is_same<RejectedIt, discard_rejected>::value,
  select_input_of<InputIt>, side_of<Selector>::may_read_memory>;

/// True if select() of these types may be streamed: items whose segments fill at most 64 bytes (1, 2, 3, 4, 6, 8, 12 or
/// 16 bytes each), to arrays of the same type, by a selector that reads nothing but the item and perhaps an array beside
/// it, the stages of which leave room for more than one or two.
template <class InputIt, class Selector, class SelectedIt, class RejectedIt>
constexpr bool is_streamed()
{
  using value = ::cuda::std::remove_cv_t<value_type_of<InputIt>>;
  if constexpr (
    simt::is_supported_value_v<value> && block::is_array_of_v<SelectedIt, value> && side_of<Selector>::is_streamed) {
    return simt::items_of_vectors(sizeof(value)) * sizeof(value) <= 256
           && persistent_partition_tuning<InputIt, Selector, RejectedIt>::stages >= 3;
  } else {
    return false;
  }
}

/// Fewest items in front of the array that would make it begin at a multiple of 16; false if no number does.
template <class Value>
bool find_skipped(const Value* in, unsigned& skipped)
{
  for (skipped = 0; skipped < simt::items_of_vectors(sizeof(Value)); ++skipped) {
    if ((reinterpret_cast<std::uintptr_t>(in) - skipped * sizeof(Value)) % block::vector_bytes == 0) {
      return true;
    }
  }
  return false;
}
/// What is no array has no place in memory.
template <class InputIt>
bool find_skipped(const InputIt&, unsigned& skipped)
{
  skipped = 0;
  return true;
}

/// How a stream treats rejected items: not at all, or to an array of the items' type, forwards or from its end
/// backwards; otherwise it cannot.
template <class RejectedIt, class Value>
struct streamed_rejected {
  static constexpr bool is_possible = block::is_array_of_v<RejectedIt, Value>;
  static persistent_rejected_to<Value> of(RejectedIt out) { return {block::raw_iterator(out)}; }
};
template <class Value>
struct streamed_rejected<discard_rejected, Value> {
  static constexpr bool is_possible = true;
  static persistent_no_rejected of(discard_rejected) { return {}; }
};

template <class OutputIt, class Value>
struct streamed_rejected<output_behind_count<OutputIt>, Value> {
  static constexpr bool is_possible = block::is_array_of_v<OutputIt, Value>;
  static persistent_rejected_behind_count<Value> of(const output_behind_count<OutputIt>& to)
  {
    return {block::raw_iterator(to.out), to.count};
  }
};
template <class Value>
struct streamed_rejected<persistent_rejected_behind<Value>, Value> {
  static constexpr bool is_possible = true;
  static persistent_rejected_behind<Value> of(persistent_rejected_behind<Value> out) { return out; }
};
template <class RejectedIt, class Value>
struct streamed_rejected<thrust::reverse_iterator<RejectedIt>, Value> {
  static constexpr bool is_possible = block::is_array_of_v<RejectedIt, Value>;
  static persistent_rejected_before<Value> of(thrust::reverse_iterator<RejectedIt> out)
  {
    return {block::raw_iterator(out.base())};
  }
};

/// Whether calls of these types can be streamed. One with a `Tuning` of its own never is.
template <class Tuning, class InputIt, class Selector, class SelectedIt, class RejectedIt>
constexpr bool has_stream_form()
{
  if constexpr (
    ::cuda::std::is_void<Tuning>::value && detail::is_streamed<InputIt, Selector, SelectedIt, RejectedIt>()) {
    return streamed_rejected<RejectedIt, value_type_of<InputIt>>::is_possible;
  } else {
    return false;
  }
}

/// The pointer to an array, and any other iterator as it is.
template <class InputIt>
using streamed_input = ::cuda::std::conditional_t<
  block::is_array_v<InputIt>, const ::cuda::std::remove_cv_t<value_type_of<InputIt>>*, InputIt>;
template <class InputIt>
streamed_input<InputIt> streamed_input_of(InputIt in)
{
  if constexpr (block::is_array_v<InputIt>) {
    return block::raw_iterator(in);
  } else {
    return in;
  }
}

}  // namespace detail

/// True if a select by `Policy`, which is a persistent_select_policy, can take arrays wherever they begin: some items begin at a multiple of
/// 16 if all begin at a multiple of this.
template <class Policy>
inline constexpr bool takes_any_address_v =
  Policy::source_type::is_loaded
  || alignof(typename Policy::value) % (block::vector_bytes / simt::items_of_vectors(sizeof(typename Policy::value)))
       == 0;

/// The row of a select() of so many items by `Policy`.
template <class Policy, class Selector, class Rejected, class CountIt>
persistent_row<Policy> persistent_select_row(
  bool fits, typename Policy::input in, index_type n, const Selector& selector, typename Policy::value* selected_out,
  Rejected rejected, CountIt selected_count)
{
  using side = side_of<Selector>;
  unsigned skipped = 0;
  const bool is_possible = detail::find_skipped(in, skipped);
  if constexpr (Rejected::may_wait) {
    rejected.data = selected_out;
  }
  const unsigned char* const beside = side::array(selector);
  const Policy policy{
    {}, {in, n, skipped, side::over(selector, beside), beside}, selected_out, rejected, selected_count};
  return {fits && n > 0, policy, (n + skipped - 1) / Policy::tile::items + 1, is_possible};
}

/// The same by the types of the call; none for those that cannot be streamed.
template <class Tuning, class InputIt, class Selector, class SelectedIt, class RejectedIt, class CountIt>
auto persistent_select_row_for(
  InputIt in, index_type n, const Selector& selector, SelectedIt selected_out, RejectedIt rejected_out,
  CountIt selected_count)
{
  if constexpr (!detail::has_stream_form<Tuning, InputIt, Selector, SelectedIt, RejectedIt>()) {
    return no_row{};
  } else {
    using value = value_type_of<InputIt>;
    using numbers = detail::persistent_partition_tuning<InputIt, Selector, RejectedIt>;
    const auto rejected = detail::streamed_rejected<RejectedIt, value>::of(rejected_out);
    using policy = persistent_select_policy<
      numbers, detail::streamed_input<InputIt>, typename side_of<Selector>::selector,
      ::cuda::std::remove_const_t<decltype(rejected)>, CountIt>;
    return algorithm::persistent_select_row<policy>(
      n >= static_cast<index_type>(numbers::least_bytes / sizeof(value)), detail::streamed_input_of(in), n, selector,
      block::raw_iterator(selected_out), rejected, selected_count);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
