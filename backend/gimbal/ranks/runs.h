// Runs and segments that span ranks: what each rank sends about its first and its last one, and how they are joined.
#pragma once

#include <gimbal/ranks/records.h>

GIMBAL_NAMESPACE_BEGIN

namespace ranks {

// head_at(i), for 0 < i < n: whether item i begins a run. joins(last, first): whether the first item of a rank
// continues the run that the last item before it is in; both are given as keys.

template <class KeyIt, class Equal>
struct head_by_keys {
  KeyIt keys;
  mutable Equal equal;

  GIMBAL_DEVICE bool operator()(index_type i) const { return !static_cast<bool>(equal(keys[i - 1], keys[i])); }
};
template <class FlagIt>
struct head_by_flags {
  FlagIt flags;

  GIMBAL_DEVICE bool operator()(index_type i) const { return static_cast<bool>(flags[i]); }
};
struct joins_without_flag {
  GIMBAL_DEVICE bool operator()(bool, bool is_head) const { return !is_head; }
};

/// head_at(last - i): heads from the end on.
template <class HeadAt>
struct head_from_end {
  HeadAt head_at;
  index_type last;

  GIMBAL_DEVICE bool operator()(index_type i) const { return head_at(last - i); }
};

/// A rank's message.
template <class Key, class T>
struct run_summary {
  uninit<ends<Key>> keys;
  int is_single;    ///< all its items are of one run
  uninit<T> last;   ///< fold of the last run's values
  uninit<T> first;  ///< fold of the first run's, where that is another
};

/// What the host knows of it, and the keys.
template <class KeyIt, class Key, class T>
struct put_run_ends {
  KeyIt keys;
  index_type count;
  bool is_single;
  run_summary<Key, T>* to;

  GIMBAL_DEVICE void operator()(int) const
  {
    put_ends<KeyIt, Key>{keys, count, &to->keys}(0);
    to->is_single = is_single ? 1 : 0;
  }
};

/// Whether the own first run continues one of earlier ranks; then [init op] that run's values up to here.
template <class Joins, class Op, class Init>
struct fold_to_carry {
  mutable Joins joins;
  mutable Op op;
  Init init;

  template <class Key, class T>
  GIMBAL_DEVICE bool operator()(const gathered<run_summary<Key, T>>& messages, uninit<T>& carry) const
  {
    int before = -1;
    for (int r = 0; r <= messages.rank(); ++r) {
      if (!messages.has(r)) {
        continue;
      }
      const run_summary<Key, T>& own = messages[r];
      const bool joined =
        before >= 0 && static_cast<bool>(joins(messages[before].keys.get().last, own.keys.get().first));
      if (r == messages.rank()) {
        return joined;
      }
      if (joined && own.is_single != 0) {
        carry.set(static_cast<T>(op(carry.get(), own.last.get())));
      } else if constexpr (::cuda::std::is_same<Init, nothing>::value) {
        carry.set(own.last.get());
      } else {
        carry.set(static_cast<T>(op(static_cast<T>(init), own.last.get())));
      }
      before = r;
    }
    return false;
  }
};

/// What later ranks add to the own last run.
template <class T>
struct run_join {
  int continues;    ///< the own first run continues one of earlier ranks
  int goes_on;      ///< later ranks have items of the own last run
  uninit<T> whole;  ///< then the fold of it all, from its first item on this rank on
};
template <class Joins, class Op>
struct fold_to_join {
  mutable Joins joins;
  mutable Op op;

  template <class Key, class T>
  GIMBAL_DEVICE bool operator()(const gathered<run_summary<Key, T>>& messages, uninit<run_join<T>>& value) const
  {
    const int rank = messages.rank();
    if (!messages.has(rank)) {
      return false;
    }
    run_join<T>& to = value.get();
    to.continues = 0;
    for (int r = rank; r-- > 0;) {
      if (messages.has(r)) {
        to.continues = is_joined(messages[r], messages[rank]) ? 1 : 0;
        break;
      }
    }
    to.goes_on = 0;
    to.whole.set(messages[rank].last.get());
    int before = rank;
    for (int r = rank + 1; r < messages.size(); ++r) {
      if (!messages.has(r)) {
        continue;
      }
      if (!is_joined(messages[before], messages[r])) {
        break;
      }
      const bool is_single = messages[r].is_single != 0;
      to.goes_on = 1;
      to.whole.set(static_cast<T>(op(to.whole.get(), is_single ? messages[r].last.get() : messages[r].first.get())));
      if (!is_single) {
        break;
      }
      before = r;
    }
    return true;
  }

private:
  template <class Summary>
  GIMBAL_DEVICE bool is_joined(const Summary& before, const Summary& after) const
  {
    return static_cast<bool>(joins(before.keys.get().last, after.keys.get().first));
  }
};

/// *to = value, as an output takes it.
template <class OutputIt, class T>
struct store_value {
  OutputIt to;
  uninit<T> value;

  GIMBAL_DEVICE void operator()(int) const
  {
    OutputIt out = to;
    *out = value.get();
  }
};

}  // namespace ranks

GIMBAL_NAMESPACE_END
