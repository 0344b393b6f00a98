// Function objects of the split of each segment (scan_vector.cuh): how many of a segment's items so far have no flag, and where that
// puts an item.
#pragma once

#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace functor {

/// Where a segment begins, and how many of its items so far have no flag.
struct segment_falses {
  index_type head;
  index_type falses;
};

template <class FlagIt>
struct count_false_at {
  FlagIt flags;

  GIMBAL_DEVICE segment_falses operator()(index_type i) const { return {i, block::load_as<bool>(flags + i) ? 0 : 1}; }
};

struct add_falses {
  GIMBAL_DEVICE segment_falses operator()(const segment_falses& before, const segment_falses& item) const
  {
    return {before.head, before.falses + item.falses};
  }
};

/// Keeps the number of a segment's items without a flag where the segment begins: of each segment's total.
struct keep_falses {
  index_type* falses_at_head;

  GIMBAL_DEVICE void operator()(index_type, const segment_falses& total) const
  {
    falses_at_head[total.head] = total.falses;
  }
};
/// The same of each item's result: that of the segment's last item is the total.
template <class FlagIt>
struct keep_last_falses {
  FlagIt heads;
  index_type last;
  index_type* falses_at_head;

  GIMBAL_DEVICE void operator()(index_type i, const segment_falses& through) const
  {
    if (i == last || block::load_as<bool>(heads + (i + 1))) {
      falses_at_head[through.head] = through.falses;
    }
  }
};

/// Calls move(i, place) with where the split of its segment puts item i.
template <class FlagIt, class Move>
struct place_by_split {
  FlagIt flags;
  const index_type* falses_at_head;
  Move move;

  GIMBAL_DEVICE void operator()(index_type i, const segment_falses& through) const
  {
    const bool flag = block::load_as<bool>(flags + i);
    const index_type rank =
      flag ? falses_at_head[through.head] + (i - through.head - through.falses) : through.falses - 1;
    move(i, through.head + rank);
  }
};

}  // namespace functor

GIMBAL_NAMESPACE_END
