// What decides whether item i of a sequence is selected: the item itself, a stencil, a flag, or the item before it.
//
// A selector is called once per item, by selects(in, i, item), where item is item i of `in`, already loaded. A user's
// predicate may have a non-const call operator, so it is called on a copy: the kernel's is shared by all threads.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <thrust/tuple.h>

#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/base_arrays.cuh>
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
    Equal own = equal;
    Value before = block::load_as<Value>(in + (i - 1));
    return !static_cast<bool>(own(before, item));
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

}  // namespace algorithm

GIMBAL_NAMESPACE_END
