// Where reductions to a least or greatest candidate (functors.h) leave it: output iterators that take it apart.
#pragma once

#include <gimbal/tile/functors.h>
#include <gimbal/tile/iterators.h>

#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace functor {

/// The item to `value`, its index to `index`.
template <class ValueIt, class IndexIt>
struct put_candidate {
  ValueIt value;
  IndexIt index;

  template <class Value>
  GIMBAL_DEVICE void operator()(index_type, const candidate<Value>& c) const
  {
    block::store_as(value, thrust::get<0>(c));
    block::store_as(index, thrust::get<1>(c));
  }
};

/// The least and the greatest, each as above.
template <class Least, class Greatest>
struct put_both_candidates {
  Least least;
  Greatest greatest;

  template <class Value>
  GIMBAL_DEVICE void operator()(index_type i, const thrust::tuple<candidate<Value>, candidate<Value>>& both) const
  {
    least(i, thrust::get<0>(both));
    greatest(i, thrust::get<1>(both));
  }
};

/// Index and item to `out`, as one Pair: cub::KeyValuePair.
template <class Pair, class OutputIt>
struct put_pair {
  OutputIt out;

  template <class Value>
  GIMBAL_DEVICE void operator()(index_type, const candidate<Value>& c) const
  {
    *out =
      Pair(static_cast<typename Pair::Key>(thrust::get<1>(c)), static_cast<typename Pair::Value>(thrust::get<0>(c)));
  }
};

}  // namespace functor

GIMBAL_NAMESPACE_END
