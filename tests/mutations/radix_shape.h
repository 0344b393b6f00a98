// Passes of a radix sort in tiles so small that few keys take several.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

struct small_shape {
  static constexpr unsigned main_threads = 64;
  static constexpr unsigned helper_warps = 1;
  static constexpr unsigned items_per_thread = 2;
  static constexpr unsigned batch = 2;
  static constexpr unsigned contention_divisor = 2;
  static constexpr unsigned look_back_window = 2;
  static constexpr bool has_units = true;
  static constexpr bool ranks_by_atomics = true;
  static constexpr bool has_even_shares = true;
  static constexpr gimbal::index_type most_tiles = 4;  // then a pass takes several launches
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned early_blocks = 0;
  using histogram = small_shape;
  static constexpr unsigned histogram_threads = 64;
  static constexpr unsigned histogram_items_per_thread = 4;
  static constexpr unsigned histogram_copies = 1;
  static constexpr unsigned histogram_blocks = 2;
};
