// Tuning of sorts that are made of others.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Fetching of values from their positions. Untuned.
struct gather {
  static constexpr unsigned block_threads = 256;
  static constexpr std::size_t thread_bytes = 64;  // in flight
};

/// From this many tuples on, a radix sort by each array of a zip iterator in turn replaces a merge sort: two sorts cost
/// more than a merge sort of few. record: least_lexicographic_items (2^22 two of 183 microseconds, a merge sort 420).
constexpr index_type least_lexicographic_items(bool has_values)
{
  return index_type{1} << (!GIMBAL_GPU ? 11 : has_values ? 18 : 21);
}

}  // namespace tuning

GIMBAL_NAMESPACE_END
