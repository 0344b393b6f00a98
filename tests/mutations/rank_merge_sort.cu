#include <algorithm>
#include <gimbal/algorithm/merge_sort/merge_sort.cuh>
#include <numeric>
#include <type_traits>

#include "check.h"

struct small_tiles {
  static constexpr unsigned tile_items = 64;
};

struct all_pairs {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned resident_blocks = 0;
  static constexpr unsigned batch = 1;
};

struct by_high_half {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a >> 16 < b >> 16; }
};

template <class Tuning, bool InPlace>
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
  const std::vector<std::uint32_t> keys_before = keys;
  std::vector<std::uint32_t> keys_copy(size);
  std::vector<std::uint32_t> values_copy(size);
  std::vector<std::uint32_t>& keys_out = InPlace ? keys : keys_copy;
  std::vector<std::uint32_t>& values_out = InPlace ? values : values_copy;
  std::vector<std::uint32_t> keys_buffer(size);
  std::vector<std::uint32_t> values_buffer(size);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    namespace algorithm = gimbal::algorithm;
    const auto in_and_out = algorithm::make_sort_array(keys.data(), keys_out.data(), keys_buffer.data());
    const auto moved = algorithm::make_sort_array(values.data(), values_out.data(), values_buffer.data());
    using arrays = std::decay_t<decltype(in_and_out)>;
    if constexpr (std::is_same_v<Tuning, all_pairs>) {
      return algorithm::all_pairs_sort<algorithm::all_pairs_merge_kernel<Tuning, arrays, arrays, by_high_half>>(
        storage, bytes, in_and_out, moved, static_cast<unsigned>(size), by_high_half{}, nullptr);
    } else {
      return algorithm::rank_merge_sort<Tuning>(
        in_and_out, moved, static_cast<gimbal::index_type>(size), by_high_half{}, nullptr);
    }
  });
  if (!ran || values_out != expected) {
    return false;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (keys_out[i] != keys_before[expected[i]]) {
      return false;
    }
  }
  return true;
}

int main()
{
  return run_schedules({1, 60, 200, 1024, 1530}, check<small_tiles, false>)
         || run_schedules({1, 33, 70, 128}, check<all_pairs, true>, 60, blocks_that_run::fewer_in_turn);
}
