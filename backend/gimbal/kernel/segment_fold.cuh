// Pairs (value, heads) and the operator on them that makes a segmented scan a scan (Schwartz 1980).
#pragma once

#include <gimbal/block/exchange.cuh>
#include <gimbal/block/scan.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

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

}  // namespace kernel

namespace block {

template <class T, class Count>
inline constexpr std::size_t told_bytes_v<kernel::segment_fold<T, Count>> =
  sizeof(T) + sizeof(Count) + (alignof(Count) - sizeof(T) % alignof(Count)) % alignof(Count);

}  // namespace block

GIMBAL_NAMESPACE_END
