// The launch of a sort that compares each key with every other: all_pairs_sort.cuh by bits, all_pairs_merge_sort.cuh by any
// comparator.
#pragma once

#include <gimbal/grid/retained_words.h>

#include <gimbal/grid/meeting.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// False, and nothing is done, if so many blocks cannot start together.
/// `order` is what the kernel orders keys by.
template <class Kernel, class Keys, class Values, class Order>
[[nodiscard]] bool all_pairs_sort(
  status& result, temporary_storage storage, std::size_t& storage_bytes, Keys keys, Values values, unsigned n,
  Order order, simt::stream_type stream)
{
  const unsigned blocks = (n + Kernel::group_items - 1) / Kernel::group_items;
  unsigned most_blocks = 0;
  if (simt::co_resident_blocks<Kernel>(most_blocks) || blocks > most_blocks) {
    return false;
  }
  const auto launches = [&](launch_words& words) -> status {
    constexpr const char* step = "sort of all pairs";
    Kernel kernel{keys, values, order, n, {nullptr, 0}};
    const bool meet = Kernel::fills_output || words.measures() || find_aliasing(keys, values).in_place;
    if (!meet || blocks <= 1) {
      return n == 0 ? status{} : words.launch(kernel, blocks, step);
    }
    GIMBAL_TRY(words.take(blocks, 1, "clearing of the words of a sort of all pairs"));
    kernel.readers = {words.words(), words.first_tag()};
    return words.launch<simt::start::together>(kernel, blocks, step);
  };
  result = call_launches(storage, storage_bytes, launches, stream);
  return true;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
