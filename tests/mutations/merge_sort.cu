#include "merge_sort_check.h"

bool check(std::size_t size)
{
  pairs_to_sort pairs(size);
  const gimbal::status ran = algorithm::pairwise_merge_sort<small_tiles>(
    pairs.key_array(), pairs.value_array(), static_cast<gimbal::index_type>(size), by_high_half{}, nullptr);
  return !ran && pairs.are_sorted();
}

int main() { return run_schedules({1, 100, 191, 192, 193, 700, 1530}, check); }
