// Pairs (value, heads) and the operators on them that make a segmented scan a scan (Schwartz 1980).
#pragma once

#include <gimbal/tile/accumulator.h>

#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/exchange.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A fold of neighbouring items: the value since the last head among them, and the number of heads; `Count` is bool
/// where only whether there are any matters.
template <class T, class Count>
struct segment_fold {
  T value;
  Count heads;
};

template <class T, class Count, class Op>
struct segment_op {
  block::combine<T, Op> op;

  GIMBAL_DEVICE segment_fold<T, Count> operator()(
    const segment_fold<T, Count>& left, const segment_fold<T, Count>& right) const
  {
    const Count heads = static_cast<Count>(left.heads + right.heads);
    if (right.heads) {
      return {right.value, heads};
    }
    return {op(left.value, right.value), heads};
  }
};

/// The state of neighbouring items where it is published, too, whether the item behind them is a head.
enum class segment_state : unsigned char {
  goes_on,  ///< none of them is a head
  began,    ///< one of them is
  ended     ///< the item behind them is, and their value does not matter
};

/// What `item` starts a segment with.
template <class T, class Op, class Init>
GIMBAL_DEVICE T segment_start(const block::combine<T, Op>& op, const Init& init, const T& item)
{
  if constexpr (::cuda::std::is_same<Init, no_init>::value) {
    return item;
  } else {
    return op(init, item);
  }
}

/// The same operator for segment_state: the state of the items on the right does not include that the first of them is a head where
/// that of those on the left does.
template <class T, class Op, class Init>
struct segment_end_op {
  using fold = segment_fold<T, segment_state>;

  block::combine<T, Op> op;
  Init init;

  GIMBAL_DEVICE fold operator()(const fold& left, const fold& right) const
  {
    if (right.heads != segment_state::goes_on) {
      return right;
    }
    if (left.heads == segment_state::ended) {
      return {algorithm::segment_start(op, init, right.value), segment_state::began};
    }
    return {op(left.value, right.value), left.heads};
  }
};

}  // namespace algorithm

namespace block {

template <class T, class Count>
inline constexpr std::size_t told_bytes_v<algorithm::segment_fold<T, Count>> =
  sizeof(T) + sizeof(Count) + (alignof(Count) - sizeof(T) % alignof(Count)) % alignof(Count);

}  // namespace block

GIMBAL_NAMESPACE_END
