#include <algorithm>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>
#include <numeric>

#include "check.h"

struct small_tiles {
  using look_back = small_tiles;
  using large = void;
  static constexpr gimbal::index_type most_all_pairs_items(unsigned) { return 0; }
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
  static constexpr unsigned look_back_window = 2;
  static constexpr gimbal::index_type most_tiles = 1 << 20;
  using histogram = small_tiles;
  static constexpr unsigned histogram_threads = 64;
  static constexpr unsigned histogram_items_per_thread = 2;
  static constexpr unsigned histogram_copies = 2;
  static constexpr unsigned histogram_blocks = 4;
};

bool check(std::size_t size)
{
  std::vector<std::uint16_t> keys(size);
  std::vector<std::uint32_t> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = static_cast<std::uint16_t>(noise(i) & noise(i + size));
  }
  std::iota(values.begin(), values.end(), 0u);
  std::vector<std::uint32_t> expected = values;
  std::stable_sort(
    expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<std::uint16_t> keys_out(size);
  std::vector<std::uint32_t> values_out(size);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::radix_sort<small_tiles>(
      storage, bytes, gimbal::algorithm::ascending{}, keys.data(), keys_out.data(), values.data(), values_out.data(),
      static_cast<gimbal::index_type>(size), 0, 16, nullptr);
  });
  if (!ran || values_out != expected) {
    return false;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (keys_out[i] != keys[expected[i]]) {
      return false;
    }
  }
  return true;
}

int main() { return run_schedules({1, 100, 128, 191, 192, 193, 700, 1530}, check); }
