// Function objects of the scan-vector calls (gimbal/scan_vector.h): what is done with items when they are loaded, and
// with each result when it is stored, so that one launch does what the model composes of several. They run inside
// kernels only.
//
// Those that take a position and a value are called by an output iterator (written_by): `*(out + i) = value` calls
// f(i, value).
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>

#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace functor {

/// Whether a flag, of any type convertible to bool, is set, or clear where not `Set`: as a number or a bool.
template <class T, bool Set = true>
struct flag_as {
  template <class Flag>
  GIMBAL_DEVICE T operator()(const Flag& flag) const
  {
    return static_cast<bool>(block::raw_reference(flag)) == Set ? T{1} : T{0};
  }
};
template <class T>
using clear_as = flag_as<T, false>;

/// The item as a T.
template <class T>
struct convert_to {
  template <class Item>
  GIMBAL_DEVICE T operator()(const Item& item) const
  {
    return static_cast<T>(block::raw_reference(item));
  }
};

/// 1 at the heads of segments: at item 0 and where `rest`, the flags from item 1 on, says so. Read backwards these are
/// the reversed flags: an item begins a segment there where the one after it begins one here.
template <class T, class FlagIt>
struct head_at {
  FlagIt rest;

  GIMBAL_DEVICE T operator()(index_type i) const { return i == 0 || block::load_as<bool>(rest + (i - 1)) ? 1 : 0; }
};

/// Where segments begin in a sequence of n that is read backwards, segment `segments` being what stands before the
/// first offset.
template <class OffsetIt>
struct offset_from_end {
  OffsetIt offsets;
  index_type segments;
  index_type n;

  GIMBAL_DEVICE index_type operator()(index_type r) const
  {
    return r == 0 ? 0 : n - block::load_as<index_type>(offsets + (segments - r));
  }
};

/// Offsets after a 0: what comes before the first offset is a segment like the others.
template <class OffsetIt>
struct offset_behind_zero {
  OffsetIt offsets;

  GIMBAL_DEVICE index_type operator()(index_type s) const
  {
    return s == 0 ? 0 : block::load_as<index_type>(offsets + (s - 1));
  }
};

/// By the flags of neighbouring items: whether they are in the same segment.
struct is_no_head {
  template <class Flag>
  GIMBAL_DEVICE bool operator()(const Flag&, const Flag& own) const
  {
    return !static_cast<bool>(own);
  }
};

/// Item i with the place that it goes to, and what puts it there.
template <class InputIt, class IndexIt>
struct item_and_place {
  InputIt first;
  IndexIt indices;

  using value = ::cuda::std::pair<value_type_of<InputIt>, index_type>;  // copied bytewise where the item is
  GIMBAL_DEVICE value operator()(index_type i) const
  {
    return {block::load_as<value_type_of<InputIt>>(first + i), block::load_as<index_type>(indices + i)};
  }
};
template <class OutputIt>
struct put_in_place {
  OutputIt out;

  template <class ItemAndPlace>
  GIMBAL_DEVICE void operator()(index_type, const ItemAndPlace& own) const
  {
    block::store_as(out + own.second, own.first);
  }
};

/// out[n - 1 - i] = value
template <class OutputIt>
struct put_from_end {
  OutputIt out;
  index_type n;

  template <class T>
  GIMBAL_DEVICE void operator()(index_type i, const T& value) const
  {
    block::store_as(out + (n - 1 - i), value);
  }
};

// Of items by themselves. An output's type says nothing of what it should be given: it is given what a function
// returns, and items as they are.

/// The items of several ranges at position i.
template <class... InputIts>
struct items_at {
  ::cuda::std::tuple<InputIts...> firsts;

  using value = ::cuda::std::tuple<value_type_of<InputIts>...>;  // copied bytewise where the items are
  GIMBAL_DEVICE value operator()(index_type i) const
  {
    return ::cuda::std::apply(
      [i](const InputIts&... first) { return value(block::load_as<value_type_of<InputIts>>(first + i)...); }, firsts);
  }
};

/// f of these, as a T.
template <class T, class F, class... InputIts>
struct apply_at {
  mutable F f;
  items_at<InputIts...> items;

  GIMBAL_DEVICE T operator()(index_type i) const { return static_cast<T>(::cuda::std::apply(f, items(i))); }
};

/// out[i] = f(items...)
template <class F, class OutputIt>
struct put_result {
  mutable F f;
  OutputIt out;

  template <class Items>
  GIMBAL_DEVICE void operator()(index_type i, const Items& items) const
  {
    block::store_as(out + i, ::cuda::std::apply(f, items));
  }
};

/// The same of items that are loaded then, as no kernel holds them.
template <class F, class OutputIt, class... InputIts>
struct put_result_at {
  mutable F f;
  OutputIt out;
  items_at<InputIts...> items;

  GIMBAL_DEVICE void operator()(index_type i, index_type) const
  {
    block::store_as(out + i, ::cuda::std::apply(f, items(i)));
  }
};

/// flags[i] ? trues[i] : falses[i], as a T; of the two only the one that is taken is read.
template <class T, class FlagIt, class TrueIt, class FalseIt>
struct select_at {
  FlagIt flags;
  TrueIt trues;
  FalseIt falses;

  GIMBAL_DEVICE T operator()(index_type i) const
  {
    if (block::load_as<bool>(flags + i)) {
      return static_cast<T>(block::load_as<value_type_of<TrueIt>>(trues + i));
    }
    return static_cast<T>(block::load_as<value_type_of<FalseIt>>(falses + i));
  }
};

/// x[i - distance], or `fill` where there is no such item of n, as a T.
template <class T, class InputIt, class Fill>
struct shifted_at {
  InputIt first;
  index_type n;
  index_type distance;
  Fill fill;

  GIMBAL_DEVICE T operator()(index_type i) const
  {
    const index_type from = i - distance;
    if (0 <= from && from < n) {
      return static_cast<T>(block::load_as<value_type_of<InputIt>>(first + from));
    }
    return static_cast<T>(fill);
  }
};

// Called with a position and where its segment begins.

/// Of positions, the one where their segment begins.
struct keep_left {
  GIMBAL_DEVICE index_type operator()(index_type left, index_type) const { return left; }
};

/// out[head + indices[i]] = x[i]
template <class InputIt, class IndexIt, class OutputIt>
struct scatter_in_segment {
  InputIt first;
  IndexIt indices;
  OutputIt out;

  GIMBAL_DEVICE void operator()(index_type i, index_type head) const
  {
    block::store_as(
      out + (head + block::load_as<index_type>(indices + i)), block::load_as<value_type_of<InputIt>>(first + i));
  }
};

/// out[i] = x[head + indices[i]]
template <class IndexIt, class InputIt, class OutputIt>
struct gather_in_segment {
  IndexIt indices;
  InputIt first;
  OutputIt out;

  GIMBAL_DEVICE void operator()(index_type i, index_type head) const
  {
    block::store_as(
      out + i, block::load_as<value_type_of<InputIt>>(first + (head + block::load_as<index_type>(indices + i))));
  }
};

/// out[i] = x[i - distance] if that is not before the head, else `fill`.
template <class InputIt, class OutputIt, class T>
struct shift_in_segment {
  InputIt first;
  OutputIt out;
  index_type distance;
  T fill;

  GIMBAL_DEVICE void operator()(index_type i, index_type head) const
  {
    if (i - distance >= head) {
      block::store_as(out + i, block::load_as<value_type_of<InputIt>>(first + (i - distance)));
    } else {
      block::store_as(out + i, fill);
    }
  }
};

// Called by expand_kernel with a position, its segment and where that begins.

/// The above.
template <class F>
struct with_head {
  F f;

  GIMBAL_DEVICE void operator()(index_type i, index_type, index_type head) const { f(i, head); }
};

/// out[i] = f(segment, place in it)
template <class F, class OutputIt>
struct make_from_place {
  F f;
  OutputIt out;

  GIMBAL_DEVICE void operator()(index_type i, index_type segment, index_type head) const
  {
    F own = f;  // the user's call operator may be non-const, and the kernel's is shared by all threads
    block::store_as(out + i, own(segment, i - head));
  }
};

struct segment_of_place {
  GIMBAL_DEVICE index_type operator()(index_type segment, index_type) const { return segment; }
};

struct begins_segment {
  GIMBAL_DEVICE bool operator()(index_type segment, index_type place) const { return segment >= 0 && place == 0; }
};

/// values[segment]
template <class T>
struct value_of_segment {
  const T* values;

  GIMBAL_DEVICE T operator()(index_type segment, index_type) const { return values[segment]; }
};

// Called with a position and a running count.

/// out[i] = values[count - 1]
template <class T, class OutputIt>
struct value_of_counted {
  const T* values;
  OutputIt out;

  template <class Count>
  GIMBAL_DEVICE T fetch(index_type, Count count) const
  {
    return values[count - 1];
  }
  GIMBAL_DEVICE void put(index_type i, const T& value) const { block::store_as(out + i, value); }
};

/// Takes the next of one of two sequences, as a T; so many of `trues` have been taken before.
template <class T, class FlagIt, class FalseIt, class TrueIt, class OutputIt>
struct take_next {
  FlagIt flags;
  FalseIt falses;
  TrueIt trues;
  OutputIt out;

  GIMBAL_DEVICE T fetch(index_type i, index_type taken_trues) const
  {
    if (block::load_as<bool>(flags + i)) {
      return static_cast<T>(block::load_as<value_type_of<TrueIt>>(trues + taken_trues));
    }
    return static_cast<T>(block::load_as<value_type_of<FalseIt>>(falses + (i - taken_trues)));
  }
  GIMBAL_DEVICE void put(index_type i, const T& value) const { block::store_as(out + i, value); }
};

/// Moves item i by `move` to where the split of its segment puts it, of which `trues_before` items before i have a
/// flag.
template <class Count, class FlagIt, class Move>
struct place_by_split {
  FlagIt flags;
  const Count* falses_behind;
  Move move;

  struct moved {
    index_type place;
    typename Move::value item;
  };
  GIMBAL_DEVICE moved fetch(index_type i, Count trues_before) const
  {
    const index_type right = falses_behind[i];  // whatever the flag, so that neither load waits for the other
    const index_type place = block::load_as<bool>(flags + i) ? i + right : i - static_cast<index_type>(trues_before);
    return {place, move.fetch(i, place)};
  }
  GIMBAL_DEVICE void put(index_type i, const moved& own) const { move.put(i, own.place, own.item); }
};

/// Between a position and where the split of its segment puts that item: out[place] = x[i], or the inverse, out[i] =
/// x[place].
template <class InputIt, class OutputIt, bool IsInverse>
struct split_move {
  using value = value_type_of<InputIt>;
  InputIt first;
  OutputIt out;

  GIMBAL_DEVICE value fetch(index_type i, index_type place) const
  {
    return block::load_as<value>(first + (IsInverse ? place : i));
  }
  GIMBAL_DEVICE void put(index_type i, index_type place, const value& item) const
  {
    block::store_as(out + (IsInverse ? i : place), item);
  }
};

}  // namespace functor

GIMBAL_NAMESPACE_END
