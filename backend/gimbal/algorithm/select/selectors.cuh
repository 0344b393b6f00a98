// What decides whether item i of a sequence is selected: the item itself, a stencil, a flag, or the item before it.
//
// Which of them the streaming partition takes, and the array beside the items (stencil or flags) that some of them read, which comes
// through a ring of its own, is said below.
//
// A selector is called once per item, by selects(in, i, item), where item is item i of `in`, already loaded. A user's
// predicate may have a non-const call operator, so it is called on a copy: the kernel's is shared by all threads.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>
#include <thrust/tuple.h>

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
/// `over(selector, array)`, the same selector of another array; `may_read_memory`, whether its predicate may read anything else.
/// Not `is_streamed`: the streaming kernel cannot take it.
template <class Selector>
struct side_of {
  static constexpr bool is_streamed = false;
};

template <class Predicate>
struct side_of<select_if<Predicate>> {
  static constexpr bool is_streamed = true;
  static constexpr bool may_read_memory = block::may_point_v<Predicate>;
  static constexpr unsigned bytes = 0;
  using selector = select_if<Predicate>;

  static const unsigned char* array(const selector&) { return nullptr; }
  static GIMBAL_HOST_DEVICE selector over(const selector& other, const unsigned char*) { return other; }
};

template <class StencilIt, class Predicate>
struct side_of<select_if_stencil<StencilIt, Predicate>> {
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
struct side_of<select_flagged<FlagIt>> {
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

}  // namespace algorithm

GIMBAL_NAMESPACE_END
