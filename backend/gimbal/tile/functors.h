// Function objects through which the calls' arguments reach the kernels: predicates turned round, positions beside
// values, operators with a fixed accumulator. They run inside kernels only, but accumulate_as.
//
// A user's function object may have a non-const call operator, hence `mutable`.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/contiguous_iterator.h>
#include <thrust/tuple.h>

#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace functor {

/// `op` computing in Accumulator, whatever its arguments and its own result type are: fixes the accumulator where stock
/// does not deduce it from the operator. Callable where `op` is: users have it, too, as the operator of a monoid, and
/// of a function for the device alone nvcc makes a call of exit() in host code.
template <class Accumulator, class Op>
struct accumulate_as {
  mutable Op op;

  _CCCL_EXEC_CHECK_DISABLE
  GIMBAL_HOST_DEVICE Accumulator operator()(const Accumulator& a, const Accumulator& b) const
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
    return static_cast<bool>(pred(::cuda::std::forward<T>(x))) ? 1 : 0;
  }
};

/// How many items of a thread pred holds for.
struct tracked_count {
  unsigned count = 0;

  template <class Op, class Value>
  GIMBAL_DEVICE tracked_count(const Op& op, const Value& first)
  {
    visit(op, first, 0);
  }
  template <class Op, class Value>
  GIMBAL_DEVICE void visit(const Op& op, Value value, unsigned)
  {
    count += static_cast<bool>(op.pred(value)) ? 1 : 0;
  }
  GIMBAL_DEVICE index_type at(index_type) const { return count; }
};

/// Adds counts of the items that pred holds for.
template <class Predicate>
struct count_where {
  using accumulator = index_type;
  using tracked_type = tracked_count;
  mutable Predicate pred;

  GIMBAL_DEVICE index_type operator()(index_type a, index_type b) const { return a + b; }
};

/// op on the two elements of a zipped reference, as Result.
template <class Result, class Op>
struct apply_pair {
  mutable Op op;

  template <class Pair>
  GIMBAL_DEVICE Result operator()(Pair&& pair) const
  {
    return static_cast<Result>(
      op(block::raw_reference(thrust::get<0>(pair)), block::raw_reference(thrust::get<1>(pair))));
  }
};

/// An item and where it stands.
template <class Value>
using candidate = thrust::tuple<Value, index_type>;

/// The better of two candidates: the lesser (`Greatest` false) or the greater, and of equivalent ones the first, or the
/// last.
template <class Value>
struct tracked;
template <class Value, class Compare, bool Greatest, bool Last = false>
struct better {
  using accumulator = candidate<Value>;
  using tracked_type = tracked<Value>;
  mutable Compare comp;

  GIMBAL_DEVICE candidate<Value> operator()(const candidate<Value>& a, const candidate<Value>& b) const
  {
    const bool a_less = static_cast<bool>(comp(thrust::get<0>(a), thrust::get<0>(b)));
    const bool b_less = static_cast<bool>(comp(thrust::get<0>(b), thrust::get<0>(a)));
    if (a_less != b_less) {
      return a_less != Greatest ? a : b;
    }
    return (thrust::get<1>(a) < thrust::get<1>(b)) != Last ? a : b;
  }
};

/// The best of the items that one thread has seen, and how far after the first of them it is. Items come in the
/// order in which they stand, so of equivalent ones the first stays, or the last comes.
template <class Value>
struct tracked {
  uninit<Value> best;
  unsigned offset = 0;

  template <class Op>
  GIMBAL_DEVICE tracked(const Op&, const Value& first)
  {
    best.set(first);
  }

  template <class Compare, bool Greatest, bool Last>
  GIMBAL_DEVICE void visit(const better<Value, Compare, Greatest, Last>& op, const Value& value, unsigned at)
  {
    // True if the value is better, or, of Last, if it is worse.
    const bool differs = static_cast<bool>(Greatest != Last ? op.comp(best.get(), value) : op.comp(value, best.get()));
    if (differs != Last) {
      best.set(value);
      offset = at;
    }
  }
  GIMBAL_DEVICE candidate<Value> at(index_type first) const { return candidate<Value>(best.get(), first + offset); }
};

/// Least and greatest candidate at once; the first of each, or the last greatest.
template <class Value>
struct tracked_both;
template <class Value, class Compare, bool LastGreatest = false>
struct better_both {
  using pair = thrust::tuple<candidate<Value>, candidate<Value>>;
  using accumulator = pair;
  using tracked_type = tracked_both<Value>;
  better<Value, Compare, false> least;
  better<Value, Compare, true, LastGreatest> greatest;

  GIMBAL_DEVICE pair operator()(const pair& a, const pair& b) const
  {
    return pair(least(thrust::get<0>(a), thrust::get<0>(b)), greatest(thrust::get<1>(a), thrust::get<1>(b)));
  }
};

/// As `tracked`, for both.
template <class Value>
struct tracked_both {
  tracked<Value> least;
  tracked<Value> greatest;

  template <class Op>
  GIMBAL_DEVICE tracked_both(const Op& op, const Value& first) : least(op, first), greatest(op, first)
  {
  }

  template <class Compare, bool LastGreatest>
  GIMBAL_DEVICE void visit(const better_both<Value, Compare, LastGreatest>& op, const Value& value, unsigned at)
  {
    least.visit(op.least, value, at);
    greatest.visit(op.greatest, value, at);
  }
  GIMBAL_DEVICE thrust::tuple<candidate<Value>, candidate<Value>> at(index_type first) const
  {
    return {least.at(first), greatest.at(first)};
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

/// A candidate's index and item to `out`, as one Pair: cub::KeyValuePair.
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

/// True at i if not pred(x[i], y[i]).
template <class Iterator1, class Iterator2, class Predicate>
struct differs_at {
  Iterator1 first1;
  Iterator2 first2;
  mutable Predicate pred;

  GIMBAL_DEVICE bool operator()(index_type i) const
  {
    return !static_cast<bool>(pred(block::raw_reference(first1[i]), block::raw_reference(first2[i])));
  }
};

/// True at i if comp(x[i + 1], x[i]): the two are out of order.
template <class Iterator, class Compare>
struct descends_at {
  Iterator first;
  mutable Compare comp;

  GIMBAL_DEVICE bool operator()(index_type i) const
  {
    return static_cast<bool>(comp(block::raw_reference(first[i + 1]), block::raw_reference(first[i])));
  }
};

/// True at i if pred(x[i + 1]) but not pred(x[i]).
template <class Iterator, class Predicate>
struct rises_at {
  Iterator first;
  mutable Predicate pred;

  GIMBAL_DEVICE bool operator()(index_type i) const
  {
    return !static_cast<bool>(pred(block::raw_reference(first[i])))
           && static_cast<bool>(pred(block::raw_reference(first[i + 1])));
  }
};

}  // namespace functor

GIMBAL_NAMESPACE_END
