#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/persistent_runs.cuh>
#include <type_traits>

#include "check.h"

struct small_ring {
  static constexpr gimbal::tuning::runs_row row{2, 2, 2, 32, 0, 100, 3};
};

struct unchanged {
  std::uint32_t operator()(std::uint32_t x) const { return x; }
};
struct same {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
};

// Unique by key in place: nothing is dropped at first, then two of three items.
bool check(std::size_t size)
{
  std::vector<std::uint32_t> keys(size);
  std::vector<std::uint32_t> values(size);
  std::vector<std::uint32_t> expected_keys;
  std::vector<std::uint32_t> expected_values;
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_head = i < 1100 || noise(3 * i) % 3 == 0;
    keys[i] = is_head ? static_cast<std::uint32_t>(i) : keys[i - 1];
    values[i] = noise(i);
    if (is_head) {
      expected_keys.push_back(keys[i]);
      expected_values.push_back(values[i]);
    }
  }
  using values_type = gimbal::algorithm::first_run_values<const std::uint32_t*, std::uint32_t*>;
  const values_type in_place{{}, values_type::source::of(values.data(), 0), values.data()};
  std::vector<gimbal::index_type> count(1);
  const auto row = gimbal::algorithm::persistent_runs_row<small_ring>(
    true, static_cast<const std::uint32_t*>(keys.data()), keys.data(), in_place, count.data(),
    static_cast<gimbal::index_type>(size), same{}, true);
  if (!run_row(row) || count[0] != static_cast<gimbal::index_type>(expected_keys.size())) {
    return false;
  }
  keys.resize(expected_keys.size());
  values.resize(expected_values.size());
  return keys == expected_keys && values == expected_values;
}

// Sums by key of what comes through iterators, in runs of about three.
bool check_loaded(std::size_t size)
{
  std::vector<std::uint32_t> keys(size);
  std::vector<std::uint32_t> values(size);
  std::vector<std::uint32_t> expected_keys;
  std::vector<std::uint32_t> expected_sums;
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_head = i == 0 || noise(3 * i) % 3 == 0;
    keys[i] = is_head ? static_cast<std::uint32_t>(i) : keys[i - 1];
    values[i] = noise(i);
    if (is_head) {
      expected_keys.push_back(keys[i]);
      expected_sums.push_back(0);
    }
    expected_sums.back() += values[i];
  }
  const auto keys_in = thrust::make_transform_iterator(keys.data(), unchanged{});
  const auto values_in = thrust::make_transform_iterator(values.data(), unchanged{});
  using plus = ::cuda::std::plus<std::uint32_t>;
  using values_type = gimbal::algorithm::folded_run_values<std::decay_t<decltype(values_in)>, std::uint32_t*, plus>;
  std::vector<std::uint32_t> keys_out(size);
  std::vector<std::uint32_t> sums(size);
  std::vector<gimbal::index_type> count(1);
  const auto row = gimbal::algorithm::persistent_runs_row<small_ring>(
    true, keys_in, keys_out.data(), values_type{values_type::source::of(values_in, 0), sums.data(), {}}, count.data(),
    static_cast<gimbal::index_type>(size), same{}, false);
  if (!run_row(row) || count[0] != static_cast<gimbal::index_type>(expected_keys.size())) {
    return false;
  }
  keys_out.resize(expected_keys.size());
  sums.resize(expected_sums.size());
  return keys_out == expected_keys && sums == expected_sums;
}

int main()
{
  int failed = run_schedules({1, 511, 513, 1700, 5000}, check, 60, blocks_that_run::fewer_in_turn);
  failed = failed ? failed : run_schedules({40000}, check, 6, blocks_that_run::fewer_in_turn);  // three rows of tiles
  return failed ? failed : run_schedules({511, 20000}, check_loaded);
}
