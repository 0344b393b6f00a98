// Function objects of the split of each segment (scan_vector.cuh): how many of a segment's items so far have no flag, and where that
// puts an item.
#pragma once

#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace functor {

/// Where a segment begins, and how many of its items so far have no flag. `Count` holds the number of all items: 4 bytes where they
/// suffice, as the two are what the scan carries for each item.
template <class Count>
struct segment_falses {
  Count head;
  Count falses;
};

template <class Count, class FlagIt>
struct count_false_at {
  FlagIt flags;

  GIMBAL_DEVICE segment_falses<Count> operator()(index_type i) const
  {
    return {static_cast<Count>(i), block::load_as<bool>(flags + i) ? Count{0} : Count{1}};
  }
};

template <class Count>
struct add_falses {
  GIMBAL_DEVICE segment_falses<Count> operator()(
    const segment_falses<Count>& before, const segment_falses<Count>& item) const
  {
    return {before.head, before.falses + item.falses};
  }
};

/// Keeps the number of a segment's items without a flag where the segment begins: of each segment's total.
template <class Count>
struct keep_falses {
  Count* falses_at_head;

  GIMBAL_DEVICE void operator()(index_type, const segment_falses<Count>& total) const
  {
    falses_at_head[total.head] = total.falses;
  }
};
/// The same of each item's result: that of the segment's last item is the total.
template <class Count, class FlagIt>
struct keep_last_falses {
  FlagIt heads;
  index_type last;
  Count* falses_at_head;

  struct fetched {
    segment_falses<Count> through;
    bool is_last;
  };
  GIMBAL_DEVICE fetched fetch(index_type i, const segment_falses<Count>& through) const
  {
    return {through, i == last || block::load_as<bool>(heads + (i + 1))};
  }
  GIMBAL_DEVICE void put(index_type, const fetched& own) const
  {
    if (own.is_last) {
      falses_at_head[own.through.head] = own.through.falses;
    }
  }
};

/// Moves item i by `move` to where the split of its segment puts it.
template <class Count, class FlagIt, class Move>
struct place_by_split {
  FlagIt flags;
  const Count* falses_at_head;
  Move move;

  GIMBAL_DEVICE index_type place_of(index_type i, const segment_falses<Count>& through) const
  {
    const index_type head = through.head;
    const index_type falses = through.falses;
    const bool flag = block::load_as<bool>(flags + i);
    const index_type rank = flag ? static_cast<index_type>(falses_at_head[head]) + (i - head - falses) : falses - 1;
    return head + rank;
  }

  struct moved {
    index_type place;
    typename Move::value item;
  };
  GIMBAL_DEVICE moved fetch(index_type i, const segment_falses<Count>& through) const
  {
    const index_type place = place_of(i, through);
    return {place, move.fetch(i, place)};
  }
  GIMBAL_DEVICE void put(index_type i, const moved& own) const { move.put(i, own.place, own.item); }
};

}  // namespace functor

GIMBAL_NAMESPACE_END
