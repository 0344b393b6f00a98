#include <algorithm>
#include <numeric>

#include "check.h"
#include "radix_shape.h"

/// Passes for any GPU, of halves of keys with their positions.
struct small_passes : small_shape {
  static constexpr bool has_units = false;
  static constexpr bool ranks_by_atomics = false;
  static constexpr bool has_even_shares = false;
};
struct in_passes : gimbal::tuning::small_radix_engine<8, 4> {
  using large = small_passes;
};
using key_type = unsigned __int128;

bool check(std::size_t size)
{
  std::vector<key_type> keys(size);
  std::vector<std::uint32_t> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = key_type{noise(i) & 3} << 100 | key_type{noise(i) & noise(i + size)} << 40;
  }
  std::iota(values.begin(), values.end(), 0u);
  std::vector<std::uint32_t> expected = values;
  std::stable_sort(
    expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<key_type> keys_out(size);
  std::vector<std::uint32_t> values_out(size);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::radix_sort<in_passes>(
      storage, bytes, gimbal::algorithm::ascending{}, keys.data(), keys_out.data(), values.data(), values_out.data(),
      static_cast<gimbal::index_type>(size), 0, 128, nullptr);
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
