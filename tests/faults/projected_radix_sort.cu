#include <algorithm>
#include <gimbal/kernel/argsort.cuh>
#include <gimbal/kernel/projected_radix_sort.cuh>
#include <numeric>

#include "check.h"

struct item {
  std::uint16_t high;
  std::uint16_t low;
  std::uint32_t origin;
  friend bool operator==(const item& x, const item& y)
  {
    return x.high == y.high && x.low == y.low && x.origin == y.origin;
  }
};

struct keys_of {
  cuda::std::pair<std::uint16_t, gimbal::descending<std::uint16_t>> operator()(const item& i) const
  {
    return {i.high, {i.low}};
  }
};

bool check(std::size_t size)
{
  std::vector<item> items(size);
  for (std::size_t i = 0; i < size; ++i) {
    items[i] = {
      static_cast<std::uint16_t>(noise(i) % 5), static_cast<std::uint16_t>(noise(i + size) % 7),
      static_cast<std::uint32_t>(i)};
  }
  std::vector<item> expected = items;
  std::stable_sort(expected.begin(), expected.end(), [](const item& l, const item& r) {
    return l.high != r.high ? l.high < r.high : l.low > r.low;
  });
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::kernel::projected_radix_sort(
      storage, bytes, items.data(), static_cast<gimbal::index_type>(size), keys_of{}, gimbal::kernel::all_bits{},
      nullptr);
  });
  return ran && items == expected;
}

bool check_argsort(std::size_t size)
{
  std::vector<std::uint16_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = static_cast<std::uint16_t>(noise(i) % 90);
  }
  std::vector<int> expected(size);
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](int l, int r) { return keys[l] < keys[r]; });
  std::vector<int> indices(size);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::kernel::argsort(
      storage, bytes, gimbal::kernel::ascending{}, keys.data(), indices.data(), static_cast<gimbal::index_type>(size),
      nullptr);
  });
  return ran && indices == expected;
}

// What is tested here is the host's order of the sorts, so one schedule will do.
int main() { return check(1) && check(60) && check(700) && check_argsort(60) && check_argsort(700) ? 0 : 1; }
