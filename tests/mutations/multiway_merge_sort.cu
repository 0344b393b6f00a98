#include "merge_sort_check.h"

struct four_ways : small_tiles {
  static constexpr unsigned ways = 4;
};

/// Keys that no asynchronous copy moves.
bool check_small_keys(std::size_t size)
{
  std::vector<std::uint16_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = static_cast<std::uint16_t>(noise(i));
  }
  std::vector<std::uint16_t> expected = keys;
  std::sort(expected.begin(), expected.end());
  std::vector<std::uint16_t> keys_out(size);
  std::vector<std::uint16_t> buffer(size);
  std::vector<gimbal::index_type> splits(size + four_ways::ways);
  const gimbal::status ran = algorithm::multiway_merge_sort<four_ways>(
    algorithm::make_sort_array(keys.data(), keys_out.data(), buffer.data()),
    algorithm::make_sort_array(algorithm::no_values{}, algorithm::no_values{}), splits.data(),
    static_cast<gimbal::index_type>(size), std::less<>{}, nullptr);
  return ran.code == gimbal::simt::success && keys_out == expected;
}

bool check(std::size_t size)
{
  if (!check_small_keys(size)) {
    return false;
  }
  pairs_to_sort pairs(size);
  std::vector<gimbal::index_type> splits(size + four_ways::ways);
  const gimbal::status ran = algorithm::multiway_merge_sort<four_ways>(
    pairs.key_array(), pairs.value_array(), splits.data(), static_cast<gimbal::index_type>(size), by_high_half{},
    nullptr);
  return !ran && pairs.are_sorted();
}

int main() { return run_schedules({1, 100, 189, 400, 756, 1530}, check); }
