// Function objects through which the calls' arguments reach the kernels: predicates turned round, positions beside
// values, operators with a fixed accumulator. They run inside kernels only.
//
// A user's function object may have a non-const call operator, hence `mutable`.
#pragma once

#include <gimbal/block/accumulator.h>
#include <thrust/detail/raw_reference_cast.h>
#include <thrust/tuple.h>

#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace functor {

/// `op` computing in Accumulator, whatever its arguments and its own result type are: fixes the accumulator where stock
/// does not deduce it from the operator.
template <class Accumulator, class Op>
struct accumulate_as {
  mutable Op op;

  GIMBAL_DEVICE Accumulator operator()(const Accumulator& a, const Accumulator& b) const
  {
    return static_cast<Accumulator>(op(a, b));
  }
};

/// not pred(arguments...)
template <class Predicate>
struct negated {
  mutable Predicate pred;

  template <class... Arguments>
  GIMBAL_DEVICE bool operator()(Arguments&&... arguments) const
  {
    return !static_cast<bool>(pred(::cuda::std::forward<Arguments>(arguments)...));
  }
};

/// x == value
template <class T>
struct equals {
  T value;

  template <class U>
  GIMBAL_DEVICE bool operator()(const U& x) const
  {
    return x == value;
  }
};

/// 1 where pred holds, else 0.
template <class Predicate>
struct one_if {
  mutable Predicate pred;

  template <class T>
  GIMBAL_DEVICE index_type operator()(T&& x) const
  {
    return pred(::cuda::std::forward<T>(x)) ? 1 : 0;
  }
};

/// op on the two elements of a zipped reference, as Result.
template <class Result, class Op>
struct apply_pair {
  mutable Op op;

  template <class Pair>
  GIMBAL_DEVICE Result operator()(Pair&& pair) const
  {
    return static_cast<Result>(
      op(thrust::raw_reference_cast(thrust::get<0>(pair)), thrust::raw_reference_cast(thrust::get<1>(pair))));
  }
};

/// An item and where it stands.
template <class Value>
using candidate = thrust::tuple<Value, index_type>;

/// The better of two candidates: the lesser (`Greatest` false) or the greater, and of equivalent ones the first.
template <class Value, class Compare, bool Greatest>
struct better {
  mutable Compare comp;

  GIMBAL_DEVICE candidate<Value> operator()(const candidate<Value>& a, const candidate<Value>& b) const
  {
    const bool a_less = comp(thrust::get<0>(a), thrust::get<0>(b));
    const bool b_less = comp(thrust::get<0>(b), thrust::get<0>(a));
    if (a_less != b_less) {
      return a_less != Greatest ? a : b;
    }
    return thrust::get<1>(a) < thrust::get<1>(b) ? a : b;
  }
};

/// Least and greatest candidate at once.
template <class Value, class Compare>
struct better_both {
  using pair = thrust::tuple<candidate<Value>, candidate<Value>>;
  better<Value, Compare, false> least;
  better<Value, Compare, true> greatest;

  GIMBAL_DEVICE pair operator()(const pair& a, const pair& b) const
  {
    return pair(least(thrust::get<0>(a), thrust::get<0>(b)), greatest(thrust::get<1>(a), thrust::get<1>(b)));
  }
};

/// i -> item i as a candidate, or as both candidates.
template <class Iterator>
struct candidate_at {
  using value = value_type_of<Iterator>;
  Iterator first;

  GIMBAL_DEVICE candidate<value> operator()(index_type i) const
  {
    return candidate<value>(static_cast<value>(first[i]), i);
  }
};
template <class Iterator>
struct candidates_at {
  using value = value_type_of<Iterator>;
  candidate_at<Iterator> at;

  GIMBAL_DEVICE thrust::tuple<candidate<value>, candidate<value>> operator()(index_type i) const
  {
    const candidate<value> c = at(i);
    return thrust::tuple<candidate<value>, candidate<value>>(c, c);
  }
};

struct index_pair {
  index_type least;
  index_type greatest;
};

/// candidates -> their indices
struct index_of {
  template <class Value>
  GIMBAL_DEVICE index_type operator()(const candidate<Value>& c) const
  {
    return thrust::get<1>(c);
  }
  template <class Value>
  GIMBAL_DEVICE index_pair operator()(const thrust::tuple<candidate<Value>, candidate<Value>>& c) const
  {
    return {thrust::get<1>(thrust::get<0>(c)), thrust::get<1>(thrust::get<1>(c))};
  }
};

/// True at i if comp(x[i + 1], x[i]): the two are out of order.
template <class Iterator, class Compare>
struct descends_at {
  Iterator first;
  mutable Compare comp;

  GIMBAL_DEVICE bool operator()(index_type i) const
  {
    return comp(thrust::raw_reference_cast(first[i + 1]), thrust::raw_reference_cast(first[i]));
  }
};

/// True at i if pred(x[i + 1]) but not pred(x[i]).
template <class Iterator, class Predicate>
struct rises_at {
  Iterator first;
  mutable Predicate pred;

  GIMBAL_DEVICE bool operator()(index_type i) const
  {
    return !pred(thrust::raw_reference_cast(first[i])) && pred(thrust::raw_reference_cast(first[i + 1]));
  }
};

}  // namespace functor

GIMBAL_NAMESPACE_END
