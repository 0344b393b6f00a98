#include <gimbal/algorithm/scan/scan.cuh>

#include "check.h"

struct small_ring {
  static constexpr gimbal::tuning::scan_row row{2, 2, 2, 16, 100, 2};
};

/// Sums of bytes, which are added a word at a time; the first tile lacks items in front.
bool check_bytes(std::size_t size)
{
  std::vector<std::int8_t> data(size + 1, 77);
  for (std::size_t i = 1; i <= size; ++i) {
    data[i] = static_cast<std::int8_t>(noise(i));
  }
  std::vector<std::int8_t> expected(data);
  const auto row = gimbal::algorithm::persistent_scan_row<small_ring>(
    true, gimbal::algorithm::inclusive_scan_tag{}, data.data() + 1, data.data() + 1,
    static_cast<gimbal::index_type>(size), cuda::std::plus<>{}, gimbal::no_init{});
  if (!run_row(row)) {
    return false;
  }
  for (std::size_t i = 2; i <= size; ++i) {
    expected[i] = static_cast<std::int8_t>(expected[i - 1] + expected[i]);
  }
  return data == expected;
}

// In place and not aligned to 16 bytes, so that what a stage holds is overwritten and its ends are partial.
bool check(std::size_t size)
{
  const std::vector<affine> in = affine_maps(size);
  const affine init{3, 5};
  std::vector<affine> data(size + 1);
  std::copy(in.begin(), in.end(), data.begin() + 1);
  const auto row = gimbal::algorithm::persistent_scan_row<small_ring>(
    true, gimbal::algorithm::exclusive_scan_tag{}, data.data() + 1, data.data() + 1,
    static_cast<gimbal::index_type>(size), compose{}, init);
  if (!run_row(row)) {
    return false;
  }
  affine running = init;
  for (std::size_t i = 0; i < size; ++i) {
    if (!(data[i + 1] == running)) {
      return false;
    }
    running = compose{}(running, in[i]);
  }
  return check_bytes(size);
}

int main() { return run_schedules({1, 127, 128, 1300, 4500, 13000}, check, 60, blocks_that_run::fewer_in_turn); }
