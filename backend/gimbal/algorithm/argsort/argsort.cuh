// Argsort: gives the positions of the keys in sorted order and leaves the keys as they are.
//
// What a sort of this folder is made of:
//   argsort.cuh                   a sort of pairs, whose values are the positions
//   position_sort.cuh             a radix sort of keys with positions, and one fetch of each value, which is large
//   lexicographic_radix_sort.cuh  a radix sort for each of several keys, the last one first: a zip iterator's arrays,
//                                 or what a function takes from an item
//
// Algorithm: a stable sort of pairs out of place, whose first pass generates the positions: no memory is read or
// written for them before. A radix sort (radix_sort.cuh) takes a null input of values for that, so its kernels are
// those of sort_by_key; a merge sort (merge_sort.cuh) takes a counting iterator. Positions of fewer than 4 bytes are
// sorted as 4 bytes and then copied.
// Traffic, launches, order, progress, determinism: those of the sort of pairs, less n positions read.
// Storage: that of the sort, and n keys; where `indices` cannot be read back, as the passes need, also n indices, which
// are then copied.
#pragma once

#include <thrust/iterator/counting_iterator.h>

#include <gimbal/algorithm/merge_sort/merge_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>
#include <gimbal/algorithm/transform/transform.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// indices[k] = the position among the n keys of the one that is k-th in the order, as an Index, which holds n - 1.
/// `Order` is ascending or descending for keys that are sorted by their bits, else the comparison.
template <class Index, class Order, class KeyIt, class IndexIt>
[[nodiscard]] status argsort(
  temporary_storage storage, std::size_t& storage_bytes, Order order, KeyIt keys, IndexIt indices, index_type n,
  simt::stream_type stream)
{
  using key_type = value_type_of<KeyIt>;
  using position =
    ::cuda::std::conditional_t<(sizeof(Index) < 4), std::uint32_t, Index>;  // a value that a radix sort can generate
  constexpr bool are_held =
    ::cuda::std::is_lvalue_reference_v<
      decltype(*indices)> && ::cuda::std::is_integral_v<::cuda::std::remove_reference_t<decltype(*indices)>> && sizeof(*indices) >= 4;
  std::size_t sort_bytes = 0;
  unsigned char* sort_storage = nullptr;
  key_type* sorted = nullptr;
  auto* order_of_keys =
    reinterpret_cast<position*>(alignof(position));  // not null, as an input would be; a query follows none
  const auto sort = [&](auto sorted_positions) {
    if constexpr (::cuda::std::is_same_v<Order, ascending> || ::cuda::std::is_same_v<Order, descending>) {
      return algorithm::radix_sort(
        sort_storage, sort_bytes, order, keys, sorted, static_cast<const position*>(nullptr), sorted_positions, n, 0,
        static_cast<int>(8 * sizeof(key_type)), stream);
    } else {
      using unsaid = thrust::use_default;
      const thrust::counting_iterator<position, unsaid, unsaid, index_type> positions(0);
      return algorithm::merge_sort(
        sort_storage, sort_bytes, keys, sorted, positions, sorted_positions, n, order, stream);
    }
  };
  const auto sort_to_indices = [&]() -> status {
    if constexpr (are_held) {
      return sort(indices);
    } else {
      GIMBAL_TRY(sort(order_of_keys));
      return sort_storage == nullptr ? status{} : algorithm::copy(order_of_keys, indices, n, stream);
    }
  };
  GIMBAL_TRY(sort_to_indices());
  storage_layout layout;
  layout.add(&sort_storage, sort_bytes);
  layout.add(&sorted, static_cast<std::size_t>(n));
  layout.add(&order_of_keys, are_held ? 0 : static_cast<std::size_t>(n));
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  return sort_to_indices();
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
