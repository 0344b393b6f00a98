#include <algorithm>
#include <gimbal/algorithm/merge_sort/merge_sort.cuh>
#include <numeric>

#include "check.h"

struct small_tiles {
  static constexpr unsigned ways = 4;
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
};

struct by_high_half {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a >> 16 < b >> 16; }
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
  namespace algorithm = gimbal::algorithm;
  const gimbal::status ran = algorithm::multiway_merge_sort<small_tiles>(
    algorithm::make_sort_array(keys.data(), keys_out.data(), buffer.data()),
    algorithm::make_sort_array(algorithm::no_values{}, algorithm::no_values{}), static_cast<gimbal::index_type>(size),
    std::less<>{}, nullptr);
  return ran.code == gimbal::simt::success && keys_out == expected;
}

bool check(std::size_t size)
{
  if (!check_small_keys(size)) {
    return false;
  }
  std::vector<std::uint32_t> keys(size);
  std::vector<std::uint32_t> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = (noise(i) % 300) << 16 | (noise(i + size) & 0xffff);
  }
  std::iota(values.begin(), values.end(), 0u);
  std::vector<std::uint32_t> expected = values;
  std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
    return by_high_half{}(keys[a], keys[b]);
  });
  std::vector<std::uint32_t> keys_out(size);
  std::vector<std::uint32_t> values_out(size);
  std::vector<std::uint32_t> keys_buffer(size);
  std::vector<std::uint32_t> values_buffer(size);
  namespace algorithm = gimbal::algorithm;
  const gimbal::status ran = algorithm::multiway_merge_sort<small_tiles>(
    algorithm::make_sort_array(keys.data(), keys_out.data(), keys_buffer.data()),
    algorithm::make_sort_array(values.data(), values_out.data(), values_buffer.data()),
    static_cast<gimbal::index_type>(size), by_high_half{}, nullptr);
  if (ran.code != gimbal::simt::success || values_out != expected) {
    return false;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (keys_out[i] != keys[expected[i]]) {
      return false;
    }
  }
  return true;
}

int main() { return run_schedules({1, 100, 189, 400, 756, 1530}, check); }
