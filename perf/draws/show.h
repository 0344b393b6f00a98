// The keys of a draw as the host makes them, to see that a distribution is what it says.
#pragma once

#include <cinttypes>
#include <limits>

#include "draws.h"

namespace perf {

template <class Key>
void print_key(const Key& key)
{
  if constexpr (std::is_floating_point<Key>::value) {
    std::printf(" %.9g", static_cast<double>(key));
  } else if constexpr (std::is_integral<Key>::value) {
    std::printf(
      " %0*" PRIx64, static_cast<int>(2 * sizeof(Key)),
      static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<Key>>(key)));
  } else {
    constexpr unsigned size = key_maker<Key>::bits / 8;
    for (unsigned w = 0; w < sizeof(Key) / size; ++w) {
      std::uint64_t word = 0;
      std::memcpy(&word, reinterpret_cast<const unsigned char*>(&key) + w * size, size);
      std::printf("%c%0*" PRIx64, w == 0 ? ' ' : '.', static_cast<int>(2 * size), word);
    }
  }
}

/// The order in which stock's sorts leave floating-point keys, NaNs included.
template <class Key>
struct host_less {
  bool operator()(const Key& a, const Key& b) const
  {
    if constexpr (std::is_floating_point<Key>::value) {
      using word = std::conditional_t<sizeof(Key) == 4, std::int32_t, std::int64_t>;
      const auto place = [](Key key) {
        const word bits = same_bits<word>(key == 0 ? Key(0) : key);
        return bits < 0 ? static_cast<word>(bits ^ std::numeric_limits<word>::max()) : bits;
      };
      return place(a) < place(b);
    } else {
      return typename less_of<Key>::type{}(a, b);
    }
  }
};

template <class Key>
std::vector<Key> host_keys(const distribution& d)
{
  std::vector<Key> items(d.n);
  for (std::uint64_t i = 0; i < d.n; ++i) {
    items[i] = key_of_item<Key>(d, i);
  }
  if (d.order == arrangement::random) {
    return items;
  }
  std::stable_sort(items.begin(), items.end(), host_less<Key>{});
  std::vector<Key> keys(d.n);
  for (std::uint64_t i = 0; i < d.n; ++i) {
    keys[i] = items[source_of(d, i)];
  }
  return keys;
}

template <class Key>
void show(const draw& shown)
{
  constexpr std::uint64_t first_keys = 24;
  const std::vector<Key> keys = host_keys<Key>(shown.keys);
  const host_less<Key> less{};
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(first_keys, keys.size()); ++i) {
    print_key(keys[i]);
  }
  std::uint64_t descents = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    descents += less(keys[i], keys[i - 1]) ? 1 : 0;
  }
  std::vector<Key> sorted = keys;
  std::stable_sort(sorted.begin(), sorted.end(), less);
  std::uint64_t different = 0, most = 0, run = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool begins = i == 0 || less(sorted[i - 1], sorted[i]);
    different += begins ? 1 : 0;
    run = begins ? 1 : run + 1;
    most = std::max(most, run);
  }
  std::printf(
    "\n%zu keys, %" PRIu64 " different, the most frequent one %" PRIu64 " times, %" PRIu64
    " below the one before\nfrom",
    keys.size(), different, most, descents);
  print_key(sorted.front());
  std::printf(" over");
  print_key(sorted[sorted.size() / 2]);
  std::printf(" to");
  print_key(sorted.back());
  std::printf("\n");
}

template <class Key, class... Value>
subject radix(const char* name)
{
  return {name, kind_of<Key>, (sizeof(Key) + ... + sizeof(Value)), false, compare_radix<Key, Value...>, show<Key>};
}
template <class Key, class... Value>
subject merge(const char* name)
{
  return {name, kind_of<Key>, (sizeof(Key) + ... + sizeof(Value)), true, compare_merge<Key, Value...>, show<Key>};
}

}  // namespace perf
