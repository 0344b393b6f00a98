// What decides whether item i of a sequence is selected: the item itself, a stencil, a flag, or the item before it;
// where the rejected items go; and which of all that the persistent kernel takes.
//
// A selector is called once per item, by selects(in, i, item), where item is item i of `in`, already loaded. A user's
// predicate may have a non-const call operator, so it is called on a copy: the kernel's is shared by all threads.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>
#include <thrust/tuple.h>

#include <gimbal/algorithm/select/segments.cuh>
#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/segment_heads.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Item i is selected if pred(x[i]).
template <class Predicate>
struct select_if {
  static constexpr bool loads = block::may_point_v<Predicate>;  ///< beside the item
  Predicate pred;

  template <class InputIt, class Value>
  GIMBAL_DEVICE bool selects(const InputIt&, index_type, Value& item) const
  {
    Predicate own = pred;
    return static_cast<bool>(own(item));
  }
};

/// Item i is selected if pred(stencil[i]).
template <class StencilIt, class Predicate>
struct select_if_stencil {
  static constexpr bool loads = true;
  StencilIt stencil;
  Predicate pred;

  template <class InputIt, class Value>
  GIMBAL_DEVICE bool selects(const InputIt&, index_type i, Value&) const
  {
    Predicate own = pred;
    value_type_of<StencilIt> value = block::load_as<value_type_of<StencilIt>>(stencil + i);
    return static_cast<bool>(own(value));
  }
};

/// Item i is selected if flags[i], of any type convertible to bool.
template <class FlagIt>
struct select_flagged {
  static constexpr bool loads = true;
  FlagIt flags;

  template <class InputIt, class Value>
  GIMBAL_DEVICE bool selects(const InputIt&, index_type i, Value&) const
  {
    return block::load_as<bool>(flags + i);
  }
};

/// Item i is selected if i == 0 or !equal(x[i - 1], x[i]).
template <class Equal>
struct select_unique {
  static constexpr bool loads = true;
  Equal equal;

  template <class InputIt, class Value>
  GIMBAL_DEVICE bool selects(const InputIt& in, index_type i, Value& item) const
  {
    if (i == 0) {
      return true;
    }
    Value before = block::load_as<Value>(in + (i - 1));
    return block::differs<Equal>{equal}(before, item);
  }
};

template <class Selector>
inline constexpr bool compares_neighbours_v = false;
template <class Equal>
inline constexpr bool compares_neighbours_v<select_unique<Equal>> = true;

/// For items zipped of a key and a value: item i is selected if i == 0 or !equal(keys[i - 1], keys[i]).
template <class KeyIt, class Equal>
struct select_unique_key {
  static constexpr bool loads = true;
  KeyIt keys;
  Equal equal;

  template <class InputIt, class Value>
  GIMBAL_DEVICE bool selects(const InputIt&, index_type i, Value& item) const
  {
    return select_unique<Equal>{equal}.selects(keys, i, thrust::get<0>(item));
  }
};

/// What a selector reads beside the items: `bytes` per item, 0 for nothing; `array(selector)`, where that begins;
/// `over(selector, array)`, the same selector of another array; `may_read_memory`, whether its predicate may read
/// anything else. Not `is_streamed`: the streaming kernel cannot take it.
template <class Selector>
struct stencil_of {
  static constexpr bool is_streamed = false;
};

template <class Predicate>
struct stencil_of<select_if<Predicate>> {
  static constexpr bool is_streamed = true;
  static constexpr bool may_read_memory = block::may_point_v<Predicate>;
  static constexpr unsigned bytes = 0;
  using selector = select_if<Predicate>;

  static const unsigned char* array(const selector&) { return nullptr; }
  static GIMBAL_HOST_DEVICE selector over(const selector& other, const unsigned char*) { return other; }
};

template <class StencilIt, class Predicate>
struct stencil_of<select_if_stencil<StencilIt, Predicate>> {
  using value = ::cuda::std::remove_cv_t<value_type_of<StencilIt>>;
  static constexpr bool is_streamed =
    block::is_array_v<StencilIt> && simt::is_supported_value_v<value> && sizeof(value) <= 8;
  static constexpr bool may_read_memory = false;  // as the array beside the items takes the room
  static constexpr unsigned bytes = sizeof(value);
  using selector = select_if_stencil<const value*, Predicate>;

  static const unsigned char* array(const select_if_stencil<StencilIt, Predicate>& other)
  {
    return reinterpret_cast<const unsigned char*>(block::raw_iterator(other.stencil));
  }
  template <class Other>
  static GIMBAL_HOST_DEVICE selector over(const Other& other, const unsigned char* array)
  {
    return {reinterpret_cast<const value*>(array), other.pred};
  }
};

template <class FlagIt>
struct stencil_of<select_flagged<FlagIt>> {
  using value = ::cuda::std::remove_cv_t<value_type_of<FlagIt>>;
  static constexpr bool is_streamed =
    block::is_array_v<FlagIt> && simt::is_supported_value_v<value> && sizeof(value) <= 8;
  static constexpr bool may_read_memory = false;  // as the array beside the items takes the room
  static constexpr unsigned bytes = sizeof(value);
  using selector = select_flagged<const value*>;

  static const unsigned char* array(const select_flagged<FlagIt>& other)
  {
    return reinterpret_cast<const unsigned char*>(block::raw_iterator(other.flags));
  }
  template <class Other>
  static GIMBAL_HOST_DEVICE selector over(const Other&, const unsigned char* array)
  {
    return {reinterpret_cast<const value*>(array)};
  }
};

// ---- where the rejected items go, for both kernels

/// Nowhere.
struct discard_rejected {
  static constexpr auto order = block::others::dropped;
  static constexpr bool may_wait = false;
};

/// From `out` on. target(waits, before, count, total): where a run of `count` items goes, `before` items being rejected
/// before it. Only what `may_wait` reads `total`, the number of all selected items, for tiles that wait for it.
/// place(before, selected, store) calls store(iterator) with that, of a tile up to which `selected` items are selected.
template <class OutputIt>
struct rejected_to {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = false;
  OutputIt out;

  GIMBAL_DEVICE OutputIt target(bool, index_type before, unsigned, const index_type&) const { return out + before; }
  template <class Store>
  GIMBAL_DEVICE void place(index_type before, index_type, Store store) const
  {
    store(out + before);
  }
};

/// From so many items after `out` on as `*count` says when the kernel runs.
template <class OutputIt>
struct output_behind_count {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = false;
  OutputIt out;
  const index_type* count;

  GIMBAL_DEVICE OutputIt target(bool, index_type before, unsigned, const index_type&) const
  {
    return out + *count + before;
  }
  template <class Store>
  GIMBAL_DEVICE void place(index_type before, index_type, Store store) const
  {
    store(out + (*count + before));
  }
};

/// In reverse order, the first of all just before `end`.
template <class Value>
struct rejected_before {
  static constexpr auto order = block::others::reversed;
  static constexpr bool may_wait = false;
  Value* end;

  GIMBAL_DEVICE Value* target(bool, index_type before, unsigned count, const index_type&) const
  {
    return end - before - count;
  }
};

/// What a call gives for them, as one of these.
template <class RejectedIt>
struct rejected_of {
  using type = rejected_to<RejectedIt>;
};
template <>
struct rejected_of<discard_rejected> {
  using type = discard_rejected;
};
template <class OutputIt>
struct rejected_of<output_behind_count<OutputIt>> {
  using type = output_behind_count<OutputIt>;
};

// ---- which calls the persistent kernel takes

namespace detail {

template <class InputIt>
inline constexpr tuning::select_input select_input_of =
  block::is_array_v<InputIt> ? tuning::select_input::array : tuning::select_input::loaded;
template <class Number, class System, class Traversal, class Difference>
inline constexpr tuning::select_input
  select_input_of<thrust::counting_iterator<Number, System, Traversal, Difference>> = tuning::select_input::counting;

template <class InputIt, class Selector, class RejectedIt>
using persistent_partition_tuning = tuning::stream_partition<
  sizeof(value_type_of<InputIt>), stencil_of<Selector>::bytes,
  !::cuda::std::is_same<RejectedIt, discard_rejected>::value, select_input_of<InputIt>,
  stencil_of<Selector>::may_read_memory>;

/// True if select() of these types may be streamed: items whose segments fill at most 64 bytes (1, 2, 3, 4, 6, 8, 12 or
/// 16 bytes each), to arrays of the same type, by a selector that reads nothing but the item and perhaps an array
/// beside it, the stages of which leave room for more than one or two.
template <class InputIt, class Selector, class SelectedIt, class RejectedIt>
constexpr bool is_streamed()
{
  using value = ::cuda::std::remove_cv_t<value_type_of<InputIt>>;
  if constexpr (
    simt::is_supported_value_v<value> && block::is_array_of_v<SelectedIt, value> && stencil_of<Selector>::is_streamed) {
    return simt::items_of_vectors(sizeof(value)) * sizeof(value) <= 256
           && persistent_partition_tuning<InputIt, Selector, RejectedIt>::stages >= 3;
  } else {
    return false;
  }
}

/// Fewest items before the array that would make it begin at a multiple of 16; false if no number does.
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

/// How the persistent kernel stores rejected items: not at all, or to an array of the items' type, forwards or from its
/// end backwards; otherwise it cannot.
template <class RejectedIt, class Value>
struct persistent_rejected {
  static constexpr bool is_possible = block::is_array_of_v<RejectedIt, Value>;
  static rejected_to<Value*> of(RejectedIt out) { return {block::raw_iterator(out)}; }
};
template <class Value>
struct persistent_rejected<discard_rejected, Value> {
  static constexpr bool is_possible = true;
  static discard_rejected of(discard_rejected out) { return out; }
};
template <class OutputIt, class Value>
struct persistent_rejected<output_behind_count<OutputIt>, Value> {
  static constexpr bool is_possible = block::is_array_of_v<OutputIt, Value>;
  static output_behind_count<Value*> of(const output_behind_count<OutputIt>& to)
  {
    return {block::raw_iterator(to.out), to.count};
  }
};
template <class RejectedIt, class Value>
struct persistent_rejected<thrust::reverse_iterator<RejectedIt>, Value> {
  static constexpr bool is_possible = block::is_array_of_v<RejectedIt, Value>;
  static rejected_before<Value> of(thrust::reverse_iterator<RejectedIt> out)
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
    return persistent_rejected<RejectedIt, value_type_of<InputIt>>::is_possible;
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

}  // namespace algorithm

GIMBAL_NAMESPACE_END
