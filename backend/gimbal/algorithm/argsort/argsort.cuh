// Argsort: the positions of the keys in sorted order, the keys left as they are.
//
// What a sort of this folder is made of:
//   argsort.cuh                   a sort of pairs, whose values are the positions
//   position_sort.cuh             a radix sort of keys with positions, and one fetch of each value, which is large
//   lexicographic_radix_sort.cuh  a radix sort for each array of a zip iterator, the last one first
//   projected_radix_sort.cuh      a radix sort of pairs for each key that a function takes from an item, the last one first
//
// Algorithm: a stable sort of pairs (radix_sort.cuh or merge_sort.cuh) out of place, whose values come from a counting
// iterator: the first pass generates the positions, no memory of theirs is read or written before.
// Traffic, launches, order, progress, determinism: those of the sort of pairs, less n positions read.
// Storage: that of the sort, and n keys; n indices where `indices` cannot be read, as passes do, which are then copied.
#pragma once

#include <thrust/iterator/counting_iterator.h>

#include <gimbal/algorithm/merge_sort/merge_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>
#include <gimbal/algorithm/transform/transform.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// One of the two forms of a sort of pairs: `Order` is ascending or descending for keys that are sorted by their bits,
/// else the comparison.
template <class Order, class KeyIt, class Key, class ValueIn, class ValueOut>
status sort_copied_pairs(
  temporary_storage storage, std::size_t& storage_bytes, Order order, KeyIt keys, Key* sorted, ValueIn values_in,
  ValueOut values_out, index_type n, simt::stream_type stream)
{
  if constexpr (::cuda::std::is_same_v<Order, ascending> || ::cuda::std::is_same_v<Order, descending>) {
    return algorithm::radix_sort(
      storage, storage_bytes, order, keys, sorted, values_in, values_out, n, 0, static_cast<int>(8 * sizeof(Key)),
      stream);
  } else {
    return algorithm::merge_sort(storage, storage_bytes, keys, sorted, values_in, values_out, n, order, stream);
  }
}

/// indices[k] = the position among the n keys of the one that is k-th in the order, as an Index, which holds n - 1.
template <class Index, class Order, class KeyIt, class IndexIt>
[[nodiscard]] status argsort(
  temporary_storage storage, std::size_t& storage_bytes, Order order, KeyIt keys, IndexIt indices, index_type n,
  simt::stream_type stream)
{
  using key_type = value_type_of<KeyIt>;
  using unsaid = thrust::use_default;
  const thrust::counting_iterator<Index, unsaid, unsaid, index_type> positions(0);
  constexpr bool are_held =
    ::cuda::std::is_lvalue_reference_v<
      decltype(*indices)> && ::cuda::std::is_integral_v<::cuda::std::remove_reference_t<decltype(*indices)>>;
  std::size_t sort_bytes = 0;
  unsigned char* sort_storage = nullptr;
  key_type* sorted = nullptr;
  Index* order_of_keys = nullptr;
  const auto sort = [&](auto sorted_positions) {
    return algorithm::sort_copied_pairs(
      sort_storage, sort_bytes, order, keys, sorted, positions, sorted_positions, n, stream);
  };
  if constexpr (are_held) {
    GIMBAL_TRY(sort(indices));
  } else {
    GIMBAL_TRY(sort(order_of_keys));
  }
  storage_layout layout;
  layout.add(&sort_storage, sort_bytes);
  layout.add(&sorted, static_cast<std::size_t>(n));
  layout.add(&order_of_keys, are_held ? 0 : static_cast<std::size_t>(n));
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  if constexpr (are_held) {
    return sort(indices);
  } else {
    GIMBAL_TRY(sort(order_of_keys));
    return algorithm::copy(order_of_keys, indices, n, stream);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
