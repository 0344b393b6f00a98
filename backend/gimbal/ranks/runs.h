// Runs and segments that span ranks: what each rank sends about its first and its last one, and how they are joined.
#pragma once

#include <gimbal/ranks/records.h>

#include <gimbal/tile/segment_heads.cuh>

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

/// What a rank sends about its last run.
template <class Key, class T>
struct run_summary {
  uninit<ends<Key>> keys;
  int is_single;   ///< all its items are of one run
  uninit<T> last;  ///< fold of the last run's values
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

/// [init op] value
template <class Op, class Init, class T>
GIMBAL_DEVICE T after_init(Op& op, const Init& init, const T& value)
{
  if constexpr (::cuda::std::is_same<Init, nothing>::value) {
    return value;
  } else {
    return static_cast<T>(op(static_cast<T>(init), value));
  }
}

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
      } else {
        carry.set(ranks::after_init(op, init, own.last.get()));
      }
      before = r;
    }
    return false;
  }
};

/// Whether a rank's runs are parts of runs that other ranks have items of, too.
struct run_joins {
  int continues;  ///< the first one, of a run of earlier ranks
  int goes_on;    ///< the last one, on later ranks
};
template <class Joins>
struct fold_to_joins {
  mutable Joins joins;

  template <class Key>
  GIMBAL_DEVICE bool operator()(const gathered<ends<Key>>& messages, uninit<run_joins>& value) const
  {
    const int own = messages.rank();
    if (!messages.has(own)) {
      return false;
    }
    const int before = messages.before();
    const int after = messages.after();
    const bool continues = before >= 0 && static_cast<bool>(joins(messages[before].last, messages[own].first));
    const bool goes_on = after < messages.size() && static_cast<bool>(joins(messages[own].last, messages[after].first));
    value.set({continues ? 1 : 0, goes_on ? 1 : 0});
    return true;
  }
};

/// What a rank sends about runs that span ranks.
template <class T>
struct run_parts {
  int continues;    ///< its first items continue a run of earlier ranks
  int is_whole;     ///< all its items do
  uninit<T> first;  ///< then the fold of those items' values
  uninit<T> last;   ///< where its last run goes on, the fold of its values
};
template <class T>
struct put_parts {
  run_parts<T>* to;
  bool continues;
  bool is_whole;

  GIMBAL_DEVICE void operator()(int) const
  {
    to->continues = continues ? 1 : 0;
    to->is_whole = is_whole ? 1 : 0;
  }
};

/// *to = [init op] the own last run's values, on all ranks.
template <class OutputIt, class T, class Op, class Init>
struct store_whole_run {
  OutputIt to;
  bool stores;
  mutable Op op;
  Init init;

  GIMBAL_DEVICE bool operator()(const gathered<run_parts<T>>& messages, uninit<nothing>&) const
  {
    if (stores) {
      uninit<T> whole;
      whole.set(ranks::after_init(op, init, messages[messages.rank()].last.get()));
      for (int r = messages.rank() + 1; r < messages.size(); ++r) {
        if (!messages.has(r)) {
          continue;
        }
        if (messages[r].continues == 0) {
          break;
        }
        whole.set(static_cast<T>(op(whole.get(), messages[r].first.get())));
        if (messages[r].is_whole == 0) {
          break;
        }
      }
      OutputIt out = to;
      *out = whole.get();
    }
    return false;
  }
};

// Segments by offsets into the whole sequence.

/// Called for each bound: how many offsets are below it.
template <class Offset>
struct count_offsets_below {
  const Offset* offsets;
  index_type count;
  const index_type* bounds;
  std::uint64_t* below;

  GIMBAL_DEVICE void operator()(unsigned i) const
  {
    below[i] = static_cast<std::uint64_t>(block::first_offset_from(offsets, 0, count, bounds[i]));
  }
};

/// An offset into the whole sequence as one into the items from number `origin` on.
struct offset_from {
  index_type origin;

  template <class Offset>
  GIMBAL_DEVICE index_type operator()(Offset offset) const
  {
    return static_cast<index_type>(offset) - origin;
  }
};

/// Where segments begin among a rank's items.
struct own_heads {
  index_type offsets;  ///< how many are of an item
  index_type first_end;
  index_type last_begin;
  bool is_first;  ///< an offset is of the first item

  /// As head flags of which the first is asked for alone (joins_without_flag).
  GIMBAL_DEVICE bool operator[](index_type) const { return is_first; }
};
template <class OffsetIt>
struct find_own_heads {
  OffsetIt offsets;
  index_type count;
  index_type items;
  own_heads* to;

  GIMBAL_DEVICE void operator()(int) const
  {
    const index_type after_first = block::first_offset_from(offsets, 0, count, 1);
    const index_type end = block::first_offset_from(offsets, 0, count, items);
    to->offsets = end;
    to->first_end = after_first < end ? offsets[after_first] : items;
    to->last_begin = end > 0 ? offsets[end - 1] : 0;
    to->is_first = after_first > 0 && items > 0;
  }
};

/// *to = *from
template <class T, class OutputIt>
struct store_fold {
  const T* from;
  OutputIt to;

  GIMBAL_DEVICE void operator()(int) const { block::store_as(to, *from); }
};

}  // namespace ranks

GIMBAL_NAMESPACE_END
