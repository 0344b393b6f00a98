#include <algorithm>
#include <array>
#include <gimbal/algorithm/argsort/argsort.cuh>
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

/// So large that it moves once its keys are sorted with their positions.
struct large_item : item {
  std::uint32_t more[5];
  friend bool operator==(const large_item& x, const large_item& y)
  {
    return static_cast<const item&>(x) == y && std::equal(x.more, x.more + 5, y.more);
  }
};

struct keys_of {
  cuda::std::pair<std::uint16_t, gimbal::descending<std::uint16_t>> operator()(const item& i) const
  {
    return {i.high, {i.low}};
  }
};

template <class Item>
bool check(std::size_t size)
{
  std::vector<Item> items(size);
  for (std::size_t i = 0; i < size; ++i) {
    items[i].high = static_cast<std::uint16_t>(noise(i) % 5);
    items[i].low = static_cast<std::uint16_t>(noise(i + size) % 7);
    items[i].origin = static_cast<std::uint32_t>(i);
    if constexpr (sizeof(Item) > sizeof(item)) {
      std::fill(items[i].more, items[i].more + 5, static_cast<std::uint32_t>(i));
    }
  }
  std::vector<Item> expected = items;
  std::stable_sort(expected.begin(), expected.end(), [](const item& l, const item& r) {
    return l.high != r.high ? l.high < r.high : l.low > r.low;
  });
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::projected_radix_sort(
      storage, bytes, items.data(), items.data(), static_cast<gimbal::index_type>(size), keys_of{},
      gimbal::algorithm::all_bits{}, nullptr);
  });
  return ran && items == expected;
}

/// Values that are fetched from their positions; beside small keys they are written over these, in more launches than
/// one.
template <class Key>
bool check_large_values(std::size_t size)
{
  using value = std::array<std::uint32_t, 5>;
  std::vector<Key> keys(size);
  std::vector<value> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = static_cast<Key>(noise(i));
    values[i].fill(static_cast<std::uint32_t>(i));
  }
  std::vector<value> expected = values;
  std::stable_sort(
    expected.begin(), expected.end(), [&](const value& l, const value& r) { return keys[l[0]] < keys[r[0]]; });
  std::vector<Key> sorted_keys(size);
  std::vector<value> sorted(size);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::radix_sort(
      storage, bytes, gimbal::algorithm::ascending{}, keys.data(), sorted_keys.data(), values.data(), sorted.data(),
      static_cast<gimbal::index_type>(size), 0, 8 * sizeof(Key), nullptr);
  });
  return ran && sorted == expected;
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
    return gimbal::algorithm::argsort<int>(
      storage, bytes, gimbal::algorithm::ascending{}, keys.data(), indices.data(),
      static_cast<gimbal::index_type>(size), nullptr);
  });
  return ran && indices == expected;
}

// What is tested here is the host's order of the sorts, so one schedule will do.
int main()
{
  const bool are_right = check<item>(1) && check<item>(60) && check<item>(700) && check<large_item>(60)
                         && check<large_item>(700) && check_argsort(60) && check_argsort(700)
                         && check_large_values<std::uint8_t>(20000) && check_large_values<std::uint32_t>(700);
  return are_right ? 0 : 1;
}
