// Which selectors the streaming partition takes, and the array beside the items (stencil or flags) that some of them
// read: it comes through a ring of its own.
#pragma once

#include <gimbal/tile/contiguous_iterator.h>

#include <gimbal/tile/selectors.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Items of an iterator that are an array in memory: `value`, and `is_array`.
template <class Iterator>
struct array_of {
  using value = ::cuda::std::remove_cv_t<value_type_of<Iterator>>;
  using pointer = block::raw_iterator_t<Iterator>;
  static constexpr bool is_array =
    ::cuda::std::is_same<pointer, value*>::value || ::cuda::std::is_same<pointer, const value*>::value;
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
  using value = typename array_of<StencilIt>::value;
  static constexpr bool is_streamed =
    array_of<StencilIt>::is_array && simt::is_supported_value_v<value> && sizeof(value) <= 8;
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
  using value = typename array_of<FlagIt>::value;
  static constexpr bool is_streamed =
    array_of<FlagIt>::is_array && simt::is_supported_value_v<value> && sizeof(value) <= 8;
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
