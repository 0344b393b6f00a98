#include <algorithm>
#include <gimbal/algorithm/merge_sort/merge_sort.cuh>
#include <numeric>

#include "check.h"

struct small_tiles {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
};

struct by_high_half {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a >> 16 < b >> 16; }
};

bool check(std::size_t size)
{
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
  const gimbal::status ran = algorithm::pairwise_merge_sort<small_tiles>(
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

int main() { return run_schedules({1, 100, 191, 192, 193, 700, 1530}, check); }
