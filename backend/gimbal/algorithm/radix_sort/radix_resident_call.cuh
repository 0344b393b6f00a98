// The host entry of the radix sort in one launch (radix_resident_sort.cuh).
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/grid/retained_words.h>

#include <gimbal/algorithm/radix_sort/radix_resident_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// In as many blocks as keep the work of each small, up to `most_blocks`, or to this stream's share of them if they suffice.
template <class Kernel, class Keys, class Values>
status radix_resident_sort(
  temporary_storage storage, std::size_t& storage_bytes, Keys keys, Values values, unsigned n, block::digit_plan plan,
  unsigned most_blocks, simt::stream_type stream)
{
  using histograms_type = typename Kernel::histograms_type;
  using key_ranges_type = typename Kernel::key_ranges_type;
  const auto launches = [&](launch_words& words) -> status {
    if (n == 0) {
      return {};
    }
    const unsigned held = Kernel::held_of((n - 1) / words.share_of(most_blocks, (n - 1) / Kernel::tile_items + 1) + 1);
    const unsigned blocks = (n - 1) / (held * Kernel::block_threads) + 1;
    const std::size_t count = histograms_type::word_count(blocks) + key_ranges_type::word_count(blocks);
    GIMBAL_TRY(words.take(count, plan.passes + 1, "clearing of the words of a radix sort"));
    const typename Kernel::pass pass{
      keys,
      values,
      plan,
      {words.words(), words.first_tag()},
      {words.words() + histograms_type::word_count(blocks), words.first_tag()},
      n,
      plan.bits < 8 * sizeof(typename Keys::value_type)};
    const sort_aliasing aliasing = algorithm::find_aliasing(keys, values);
    const bool gains_by_order =
      Kernel::can_bin_linearly || plan.passes > 1 || aliasing.in_place;  // else all items move once anyway
    const Kernel kernel{
      {pass, Kernel::buckets::rounds_of(n, blocks)},
      held,
      aliasing,
      gains_by_order && n >= Kernel::least_range_test_items,
      {words.team_state(), words.patience(tuning::sort_team_patience)}};
    return words.launch(kernel, blocks, "radix sort in one launch");
  };
  launch_words words(stream);
  storage_layout layout;
  algorithm::add_sort_buffers(layout, keys, values, n, plan.passes);
  GIMBAL_TRY(words.reserve(layout, storage, launches));
  status placed;
  if (!layout.place(storage, storage_bytes, placed)) {
    return placed;
  }
  return launches(words);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
