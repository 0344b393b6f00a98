#include <algorithm>
#include <numeric>

#include "check.h"
#include "merge_sort/split_all_kernel.h"

namespace {

constexpr unsigned runs = 4;

/// Runs of about size / 4, of which the first keys of one are the last of none.
bool splits_are_right(std::size_t size, std::uint32_t distinct, unsigned unit_bits)
{
  std::vector<unsigned> keys(size);
  std::vector<gimbal::index_type> edge{0};
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = noise(i + size) % distinct + (i < size / 8 ? distinct / 2 : 0);
  }
  for (unsigned run = 0; run < runs; ++run) {
    const auto end = static_cast<gimbal::index_type>(run == 0 ? size / 8 : size * (run + 1) / runs);
    std::sort(keys.begin() + edge.back(), keys.begin() + end);
    edge.push_back(end);
  }
  std::vector<unsigned> order(size);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
  std::vector<gimbal::index_type> expected(runs, 0);
  for (const unsigned next : order) {
    expected.insert(expected.end(), expected.end() - runs, expected.end());
    unsigned run = 0;
    while (edge[run + 1] <= static_cast<gimbal::index_type>(next)) {
      ++run;
    }
    ++*(expected.end() - runs + run);
  }
  std::vector<gimbal::index_type> split(expected.size(), -1);
  const test::split_all_kernel<runs> kernel{keys.data(), edge.data(), split.data(), unit_bits};
  return !gimbal::simt::launch(kernel, kernel.blocks(size), nullptr, "check of splits") && split == expected;
}

bool check(std::size_t size)
{
  return splits_are_right(size, 40, 30) && splits_are_right(size, 1u << 31, 30) && splits_are_right(size, 1u << 31, 5)
         && splits_are_right(size, 40, 5);
}

}  // namespace

int main() { return run_schedules({100, 1100}, check, 2); }
