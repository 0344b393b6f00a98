// What ranks exchange in one gathering, and what each makes of it on its device: one record per rank, and one thread
// that folds them.
//
// The host learns of one gathering a single outcome, which the device writes into pinned memory: one wait, no copies.
#pragma once

#include <gimbal/ranks/communicator.h>
#include <gimbal/tile/iterators.h>
#include <thrust/tuple.h>

GIMBAL_NAMESPACE_BEGIN

namespace ranks {

/// A substitute for values that do not exist.
struct nothing {};

/// What a rank that has failed sends.
struct failure_text {
  char text[192];
};

/// A rank's message: whether it has failed, and its value, if it has one.
template <class T>
struct record {
  communicator::message_header header;
  uninit<T> value;
};

/// What a rank has made of all messages.
template <class R>
struct outcome {
  int failed_rank;  ///< the first, or -1
  int error;
  int has_value;
  uninit<R> value;
};

/// The messages of all ranks.
template <class T>
class gathered {
public:
  GIMBAL_HOST_DEVICE gathered(const char* messages, std::size_t stride, int rank, int size)
      : messages_(messages), stride_(stride), rank_(rank), size_(size)
  {
  }

  GIMBAL_HOST_DEVICE int rank() const { return rank_; }
  GIMBAL_HOST_DEVICE int size() const { return size_; }
  GIMBAL_HOST_DEVICE bool has(int rank) const { return of(rank).header.has_value != 0; }
  GIMBAL_HOST_DEVICE const T& operator[](int rank) const { return of(rank).value.get(); }
  GIMBAL_HOST_DEVICE int error(int rank) const { return of(rank).header.error; }

  /// The last rank before the own one that has a value, or -1; the first one after it, or size().
  GIMBAL_HOST_DEVICE int before() const
  {
    int r = rank_ - 1;
    while (r >= 0 && !has(r)) {
      --r;
    }
    return r;
  }
  GIMBAL_HOST_DEVICE int after() const
  {
    int r = rank_ + 1;
    while (r < size_ && !has(r)) {
      ++r;
    }
    return r;
  }

private:
  GIMBAL_HOST_DEVICE const record<T>& of(int rank) const
  {
    return *reinterpret_cast<const record<T>*>(messages_ + static_cast<std::size_t>(rank) * stride_);
  }

  const char* messages_;
  std::size_t stride_;
  int rank_;
  int size_;
};

// Called once each, by one thread.

/// A value that the host knows.
template <class T>
struct put_value {
  uninit<T>* to;
  T value;

  GIMBAL_DEVICE void operator()(int) const { to->set(value); }
};

/// fold(messages, value) sets the value and returns whether there is one. It is not called if a rank has failed.
template <class T, class R, class Fold>
struct fold_records {
  gathered<T> messages;
  outcome<R>* to;
  Fold fold;

  GIMBAL_DEVICE void operator()(int) const
  {
    to->failed_rank = -1;
    for (int r = messages.size(); r-- > 0;) {
      if (messages.error(r) != 0) {
        to->failed_rank = r;
        to->error = messages.error(r);
      }
    }
    to->has_value = to->failed_rank < 0 && fold(messages, to->value) ? 1 : 0;
  }
};

struct fold_nothing {
  template <class T>
  GIMBAL_DEVICE bool operator()(const gathered<T>&, uninit<nothing>&) const
  {
    return false;
  }
};

/// The value of the first rank that has one.
struct fold_to_first {
  template <class T>
  GIMBAL_DEVICE bool operator()(const gathered<T>& messages, uninit<T>& value) const
  {
    for (int r = 0; r < messages.size(); ++r) {
      if (messages.has(r)) {
        value.set(messages[r]);
        return true;
      }
    }
    return false;
  }
};

/// [init op] x[0] op x[1] ... over the ranks, or those before the own one: all that have a value.
template <class Op, class Init>
struct fold_in_order {
  mutable Op op;
  Init init;
  bool before_own;

  template <class T, class R>
  GIMBAL_DEVICE bool operator()(const gathered<T>& messages, uninit<R>& value) const
  {
    bool has = false;
    if constexpr (!::cuda::std::is_same<Init, nothing>::value) {
      value.set(static_cast<R>(init));
      has = true;
    }
    const int end = before_own ? messages.rank() : messages.size();
    for (int r = 0; r < end; ++r) {
      if (messages.has(r)) {
        value.set(has ? static_cast<R>(op(value.get(), messages[r])) : static_cast<R>(messages[r]));
        has = true;
      }
    }
    return has;
  }
};

/// A value as a T: what an operator on T's folds.
template <class T>
struct convert_to {
  template <class U>
  GIMBAL_DEVICE T operator()(const U& value) const
  {
    return static_cast<T>(value);
  }
};

/// The first and the last of a rank's items.
template <class T>
struct ends {
  T first;
  T last;
};
template <class InputIt, class T>
struct put_ends {
  InputIt items;
  index_type count;
  uninit<ends<T>>* to;

  GIMBAL_DEVICE void operator()(int) const
  {
    to->set(ends<T>{static_cast<T>(items[0]), static_cast<T>(items[count - 1])});
  }
};

/// compare(last item before the own rank's, first of the own rank's); nothing where one of them does not exist.
template <class Compare>
struct compare_at_begin {
  mutable Compare compare;

  template <class T>
  GIMBAL_DEVICE bool operator()(const gathered<ends<T>>& messages, uninit<bool>& value) const
  {
    const int before = messages.before();
    const bool are_two = before >= 0 && messages.has(messages.rank());
    if (are_two) {
      value.set(static_cast<bool>(compare(messages[before].last, messages[messages.rank()].first)));
    }
    return are_two;
  }
};

/// The last item before the own rank's, where both exist.
struct fold_to_item_before {
  template <class T>
  GIMBAL_DEVICE bool operator()(const gathered<ends<T>>& messages, uninit<T>& value) const
  {
    const int before = messages.before();
    const bool are_two = before >= 0 && messages.has(messages.rank());
    if (are_two) {
      value.set(messages[before].last);
    }
    return are_two;
  }
};
/// *out = op(*in, item_before)
template <class InputIt, class OutputIt, class T, class Op>
struct store_difference {
  InputIt in;
  OutputIt out;
  T item_before;
  mutable Op op;

  GIMBAL_DEVICE void operator()(int) const { block::store_as(out, op(in[0], item_before)); }
};

/// Whether an item and the next are out of order, or whether `pred` holds for the second alone.
template <class Compare>
struct descends {
  mutable Compare comp;

  template <class T>
  GIMBAL_DEVICE bool operator()(const T& one, const T& next) const
  {
    return static_cast<bool>(comp(next, one));
  }
};
template <class Predicate>
struct rises {
  mutable Predicate pred;

  template <class T>
  GIMBAL_DEVICE bool operator()(const T& one, const T& next) const
  {
    return !static_cast<bool>(pred(one)) && static_cast<bool>(pred(next));
  }
};

/// Where an item is: the rank, and the index there.
struct place {
  int rank;
  index_type index;
};
/// The least or greatest of the ranks' candidates, of equivalent ones the first.
template <class Compare, bool Greatest>
struct fold_to_best {
  mutable Compare comp;

  template <class Candidate>
  GIMBAL_DEVICE bool operator()(const gathered<Candidate>& messages, uninit<place>& value) const
  {
    const int best = find(messages, [](const Candidate& c) -> const Candidate& { return c; });
    if (best >= 0) {
      value.set({best, thrust::get<1>(messages[best])});
    }
    return best >= 0;
  }

  /// The rank of the best candidate(messages[r]), or -1.
  template <class Message, class Candidate>
  GIMBAL_DEVICE int find(const gathered<Message>& messages, Candidate candidate) const
  {
    int best = -1;
    for (int r = 0; r < messages.size(); ++r) {
      if (messages.has(r) && (best < 0 || is_better(candidate(messages[r]), candidate(messages[best])))) {
        best = r;
      }
    }
    return best;
  }

private:
  template <class Candidate>
  GIMBAL_DEVICE bool is_better(const Candidate& one, const Candidate& best) const
  {
    return static_cast<bool>(
      Greatest ? comp(thrust::get<0>(best), thrust::get<0>(one)) : comp(thrust::get<0>(one), thrust::get<0>(best)));
  }
};
struct two_places {
  place least;
  place greatest;
};
template <class Compare>
struct fold_to_both {
  mutable Compare comp;

  template <class Candidates>
  GIMBAL_DEVICE bool operator()(const gathered<Candidates>& messages, uninit<two_places>& value) const
  {
    const auto least_of = [](const Candidates& c) -> const auto& { return thrust::get<0>(c); };
    const auto greatest_of = [](const Candidates& c) -> const auto& { return thrust::get<1>(c); };
    const int least = fold_to_best<Compare, false>{comp}.find(messages, least_of);
    const int greatest = fold_to_best<Compare, true>{comp}.find(messages, greatest_of);
    if (least < 0) {
      return false;
    }
    value.set(
      {{least, thrust::get<1>(least_of(messages[least]))},
       {greatest, thrust::get<1>(greatest_of(messages[greatest]))}});
    return true;
  }
};

/// How many items there are before each rank's, and in all.
struct part {
  index_type before;
  index_type count;
  index_type total;
};
struct fold_to_part {
  GIMBAL_DEVICE bool operator()(const gathered<index_type>& messages, uninit<part>& value) const
  {
    part own{};
    for (int r = 0; r < messages.size(); ++r) {
      own.before += r < messages.rank() ? messages[r] : 0;
      own.total += messages[r];
    }
    own.count = messages[messages.rank()];
    value.set(own);
    return true;
  }
};

}  // namespace ranks

GIMBAL_NAMESPACE_END
