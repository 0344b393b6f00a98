// Exact splitters of sorted parts: functions that threads call to sample every part and to count what is before each
// sample.
//
// Equal keys are ordered by rank, and on a rank by position, so every item has one position in the whole sequence and a
// splitter is exact.
#pragma once

#include <gimbal/ranks/records.h>

#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace ranks {

/// Keys in the order in which a radix sort puts them, NaN and -0.0 too.
template <class Key>
struct radix_less {
  using bits = block::radix_key_bits<Key>;
  block::radix_order<bits> order;

  GIMBAL_DEVICE bool operator()(const Key& one, const Key& other) const
  {
    bits own[2];
    std::memcpy(&own[0], &one, sizeof(Key));
    std::memcpy(&own[1], &other, sizeof(Key));
    return order.ordered(own[0]) < order.ordered(own[1]);
  }
};

/// An item of a rank's part.
template <class Key>
struct sample {
  index_type position;  ///< on its rank; -1: none
  uninit<Key> key;
};

/// Where on this rank a splitter is still to be searched: [begin, end).
struct search_interval {
  index_type begin;
  index_type end;
};

/// Called for i in [0, splitters * samples): evenly spaced items of each splitter's interval; of one no longer than
/// `samples`, all.
template <class KeyIt, class Key>
struct take_samples {
  KeyIt keys;
  const search_interval* intervals;
  unsigned samples;
  sample<Key>* to;

  GIMBAL_DEVICE void operator()(unsigned i) const
  {
    const search_interval in = intervals[i / samples];
    const index_type length = in.end - in.begin;
    const index_type at =
      in.begin + length * (2 * static_cast<index_type>(i % samples) + 1) / (2 * static_cast<index_type>(samples));
    to[i].position = length > 0 ? at : -1;
    if (length > 0) {
      to[i].key.set(static_cast<Key>(keys[at]));
    }
  }
};

/// Called for i in [0, ranks * splitters * samples): how many items of this rank are before the i-th sample of all
/// ranks.
template <class KeyIt, class Key, class Less>
struct count_before_samples {
  KeyIt keys;
  const search_interval* intervals;
  unsigned samples;
  unsigned samples_of_rank;
  unsigned rank;
  mutable Less less;
  const sample<Key>* all;
  std::uint64_t* counts;

  GIMBAL_DEVICE void operator()(unsigned i) const
  {
    const unsigned of = i / samples_of_rank;
    const sample<Key>& found = all[i];
    index_type count = 0;
    if (found.position >= 0) {
      count = of == rank ? found.position
                         : count_before(found.key.get(), of > rank, intervals[i % samples_of_rank / samples]);
    }
    counts[i] = static_cast<std::uint64_t>(count);
  }

private:
  /// Among equal keys the rank's own come before those of later ranks.
  GIMBAL_DEVICE index_type count_before(const Key& key, bool with_equals, search_interval in) const
  {
    while (in.begin < in.end) {
      const index_type middle = in.begin + (in.end - in.begin) / 2;
      const Key own = static_cast<Key>(keys[middle]);
      const bool is_before = with_equals ? !static_cast<bool>(less(key, own)) : static_cast<bool>(less(own, key));
      (is_before ? in.begin : in.end) = is_before ? middle + 1 : middle;
    }
    return in.begin;
  }
};

}  // namespace ranks

GIMBAL_NAMESPACE_END
