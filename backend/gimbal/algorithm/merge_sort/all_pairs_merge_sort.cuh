// Merge sort of so few items that comparing each with every other takes less time than the steps of any algorithm with fewer
// comparisons (grid/all_pairs_launch.cuh). The entry is algorithm/merge_sort/merge_sort.cuh.
//
// Comparator: a strict weak ordering, called on keys of the input only, n times for each. Stable.
#pragma once

#include <gimbal/grid/all_pairs_launch.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Key, class Compare>
struct order_of_comparator {
  using group = uninit<Key>[simt::warp_threads];
  static constexpr bool fills_output = true;

  Compare compare;

  GIMBAL_DEVICE const Key& compared(const Key& key) const { return key; }
  GIMBAL_DEVICE void stage(group& to, unsigned lane, const uninit<Key>& key, bool, bool) const { to[lane] = key; }

  /// Of earlier items all but greater ones precede the lane's own, of later ones those that are less.
  template <class Context>
  GIMBAL_DEVICE unsigned count(
    const Context& ctx, const group& other, unsigned number, unsigned n, const Key& key) const
  {
    Compare less = compare;
    const unsigned left = n - number * simt::warp_threads;
    const unsigned present = left < simt::warp_threads ? left : simt::warp_threads;
    const unsigned earlier = number < ctx.block() ? present : number == ctx.block() ? ctx.lane() : 0;
    unsigned before = 0;
    if (number <= ctx.block()) {
      for (unsigned i = 0; i < present; ++i) {
        if (i < earlier && !static_cast<bool>(less(key, other[i].get()))) {
          ++before;
        }
      }
    }
    if (number >= ctx.block()) {
      const unsigned later = number == ctx.block() ? earlier + 1 : 0;
      for (unsigned i = 0; i < present; ++i) {
        if (i >= later && static_cast<bool>(less(other[i].get(), key))) {
          ++before;
        }
      }
    }
    return before;
  }
};

template <class Shape, class Keys, class Values, class Compare>
using all_pairs_merge_kernel =
  all_pairs_kernel<Shape, order_of_comparator<typename Keys::value_type, Compare>, Keys, Values>;

/// algorithm::merge_sort by all pairs, without storage. `is_taken` false, and nothing is done: the stream keeps no words, as
/// while it is captured, and those of a call in place would take more storage than merging.
template <class Shape, class Keys, class Values, class Compare>
status all_pairs_merge_sort(
  bool& is_taken, temporary_storage storage, std::size_t& storage_bytes, Keys keys, Values values, index_type n,
  Compare compare, simt::stream_type stream)
{
  return algorithm::all_pairs_sort_without_storage<all_pairs_merge_kernel<Shape, Keys, Values, Compare>>(
    is_taken, storage, storage_bytes, keys, values, static_cast<unsigned>(n), compare, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
