// Function objects of the scan-vector calls (gimbal/scan_vector.h): what is done with items when they are loaded, and
// with each result when it is stored, so that one launch does what the model composes of several. They run inside
// kernels only.
//
// Those called with a position and a value stand behind an output iterator (written_by): `*(out + i) = value` calls
// f(i, value).
#pragma once

#include <gimbal/algorithm/scan_vector/elementwise_functors.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>

#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <gimbal/collective/scan.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace functor {

/// A flag, of any type convertible to bool, as a number.
template <class T>
struct flag_as {
  template <class Flag>
  GIMBAL_DEVICE T operator()(const Flag& flag) const
  {
    return static_cast<bool>(block::raw_reference(flag)) ? T{1} : T{0};
  }
};

/// 1 where it is not set.
template <class T>
struct clear_as {
  template <class Flag>
  GIMBAL_DEVICE T operator()(const Flag& flag) const
  {
    return static_cast<bool>(block::raw_reference(flag)) ? T{0} : T{1};
  }
};

struct is_set {
  template <class Flag>
  GIMBAL_DEVICE bool operator()(const Flag& flag) const
  {
    return static_cast<bool>(flag);
  }
};

struct is_clear {
  template <class Flag>
  GIMBAL_DEVICE bool operator()(const Flag& flag) const
  {
    return !static_cast<bool>(flag);
  }
};

/// The item as a T.
template <class T>
struct convert_to {
  template <class Item>
  GIMBAL_DEVICE T operator()(const Item& item) const
  {
    return static_cast<T>(block::raw_reference(item));
  }
};

/// The same value whatever the position.
template <class T>
struct same_value {
  T value;

  GIMBAL_DEVICE T operator()(index_type) const { return value; }
};

/// The flag at the other end of a sequence of n that is read backwards: an item begins a segment there where the one
/// behind it begins one here.
template <class FlagIt>
struct flag_from_end {
  FlagIt flags;
  index_type n;

  GIMBAL_DEVICE bool operator()(index_type i) const { return i == 0 || block::load_as<bool>(flags + (n - i)); }
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

/// Offsets behind a 0: what stands before the first offset is a segment like the others.
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

/// 1 at the heads of segments.
template <class T, class FlagIt>
struct head_at {
  FlagIt flags;

  GIMBAL_DEVICE T operator()(index_type i) const { return i == 0 || block::load_as<bool>(flags + i) ? 1 : 0; }
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

/// The same of items that no kernel holds.
template <class InputIt, class IndexIt, class OutputIt>
struct put_item_in_place {
  InputIt first;
  IndexIt indices;
  OutputIt out;

  GIMBAL_DEVICE void operator()(index_type i, index_type) const
  {
    block::store_as(out + block::load_as<index_type>(indices + i), block::load_as<value_type_of<InputIt>>(first + i));
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

/// out[i] = x[head]
template <class InputIt, class OutputIt>
struct copy_of_head {
  InputIt first;
  OutputIt out;

  GIMBAL_DEVICE void operator()(index_type i, index_type head) const
  {
    block::store_as(out + i, block::load_as<value_type_of<InputIt>>(first + head));
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

/// Takes the next of one of two sequences, of which `trues` items have been taken before.
template <class FlagIt, class FalseIt, class TrueIt, class OutputIt>
struct take_next {
  FlagIt flags;
  FalseIt falses;
  TrueIt trues;
  OutputIt out;

  using item = either<value_type_of<FalseIt>, value_type_of<TrueIt>>;
  GIMBAL_DEVICE item fetch(index_type i, index_type taken_trues) const
  {
    if (block::load_as<bool>(flags + i)) {
      return functor::as_second<item>(block::load_as<value_type_of<TrueIt>>(trues + taken_trues));
    }
    return functor::as_first<item>(block::load_as<value_type_of<FalseIt>>(falses + (i - taken_trues)));
  }
  GIMBAL_DEVICE void put(index_type i, const item& value) const { functor::store_either(out + i, value); }
};

/// Moves item i by `move` to where the split of its segment puts it, of which `trues_before` items in front of i have a
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

// Between a position and where the split of its segment puts that item.

/// out[place] = x[i]
template <class InputIt, class OutputIt>
struct move_to {
  using value = value_type_of<InputIt>;
  InputIt first;
  OutputIt out;

  GIMBAL_DEVICE value fetch(index_type i, index_type) const { return block::load_as<value>(first + i); }
  GIMBAL_DEVICE void put(index_type, index_type place, const value& item) const { block::store_as(out + place, item); }
};

/// out[i] = x[place]
template <class InputIt, class OutputIt>
struct move_from {
  using value = value_type_of<InputIt>;
  InputIt first;
  OutputIt out;

  GIMBAL_DEVICE value fetch(index_type, index_type place) const { return block::load_as<value>(first + place); }
  GIMBAL_DEVICE void put(index_type i, index_type, const value& item) const { block::store_as(out + i, item); }
};

}  // namespace functor

GIMBAL_NAMESPACE_END
