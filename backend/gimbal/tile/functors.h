// Function objects through which the calls' arguments reach the kernels: predicates turned round, positions beside
// values, operators with a fixed accumulator. They run inside kernels only, but accumulate_as.
//
// A user's function object may have a non-const call operator, hence `mutable`.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>
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

// Operators of a reduce that say what a thread keeps of a tile: a `tracked_type` is made of the first item, visits the
// others, each with how far after the first it is, and gives the value of a tile that begins `at` some position.

/// Adds counts of the items that pred holds for.
template <class Predicate>
struct count_where {
  using accumulator = index_type;
  mutable Predicate pred;

  GIMBAL_DEVICE index_type operator()(index_type a, index_type b) const { return a + b; }

  struct tracked_type {
    unsigned count = 0;

    template <class Value>
    GIMBAL_DEVICE tracked_type(const count_where& op, const Value& first)
    {
      visit(op, first, 0);
    }
    template <class Value>
    GIMBAL_DEVICE void visit(const count_where& op, Value value, unsigned)
    {
      count += static_cast<bool>(op.pred(value)) ? 1 : 0;
    }
    GIMBAL_DEVICE index_type at(index_type) const { return count; }
  };
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
template <class Value, class Compare, bool Greatest, bool Last = false>
struct better {
  using accumulator = candidate<Value>;
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

  /// Items come in the order in which they stand, so of equivalent ones the first stays, or the last comes.
  struct tracked_type {
    uninit<Value> best;
    unsigned best_offset = 0;

    GIMBAL_DEVICE tracked_type(const better&, const Value& first) { best.set(first); }
    GIMBAL_DEVICE void visit(const better& op, const Value& value, unsigned offset)
    {
      // True if the value is better, or, of Last, if it is worse.
      const bool differs =
        static_cast<bool>(Greatest != Last ? op.comp(best.get(), value) : op.comp(value, best.get()));
      if (differs != Last) {
        best.set(value);
        best_offset = offset;
      }
    }
    GIMBAL_DEVICE candidate<Value> at(index_type first) const
    {
      return candidate<Value>(best.get(), first + best_offset);
    }
  };
};

/// Least and greatest candidate at once; the first of each, or the last greatest.
template <class Value, class Compare, bool LastGreatest = false>
struct better_both {
  using lesser_type = better<Value, Compare, false>;
  using greater_type = better<Value, Compare, true, LastGreatest>;
  using pair = thrust::tuple<candidate<Value>, candidate<Value>>;
  using accumulator = pair;
  lesser_type least;
  greater_type greatest;

  GIMBAL_DEVICE pair operator()(const pair& a, const pair& b) const
  {
    return pair(least(thrust::get<0>(a), thrust::get<0>(b)), greatest(thrust::get<1>(a), thrust::get<1>(b)));
  }

  struct tracked_type {
    typename lesser_type::tracked_type least;
    typename greater_type::tracked_type greatest;

    GIMBAL_DEVICE tracked_type(const better_both& op, const Value& first)
        : least(op.least, first), greatest(op.greatest, first)
    {
    }
    GIMBAL_DEVICE void visit(const better_both& op, const Value& value, unsigned offset)
    {
      least.visit(op.least, value, offset);
      greatest.visit(op.greatest, value, offset);
    }
    GIMBAL_DEVICE pair at(index_type first) const { return {least.at(first), greatest.at(first)}; }
  };
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
