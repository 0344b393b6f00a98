// What a radix sort should do, written down independently of the kernels: the order of every key type, keys of every
// kind that may be awkward, and comparison of results bit by bit.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>
#include <random>
#include <type_traits>
#include <vector>

namespace test {

using gimbal::algorithm::ascending;
using gimbal::algorithm::descending;

template <class Key>
using bits_of = std::conditional_t<
  sizeof(Key) == 1, std::uint8_t,
  std::conditional_t<
    sizeof(Key) == 2, std::uint16_t,
    std::conditional_t<
      sizeof(Key) == 4, std::uint32_t, std::conditional_t<sizeof(Key) == 8, std::uint64_t, unsigned __int128>>>>;

/// What a host array holds of a key: std::vector<bool> has no array of bool.
template <class Key>
using cell = std::conditional_t<std::is_same_v<Key, bool>, unsigned char, Key>;

enum class kind { unsigned_integer, signed_integer, floating };

template <class Key>
constexpr kind kind_of()
{
  if (std::is_same_v<Key, __int128>) {
    return kind::signed_integer;
  }
  if (std::is_same_v<Key, unsigned __int128>) {
    return kind::unsigned_integer;
  }
  if (!std::is_integral_v<Key>) {
    return kind::floating;
  }
  return std::is_signed_v<Key> ? kind::signed_integer : kind::unsigned_integer;
}

/// The place of a key in its type's order, as an unsigned number: bits [begin, end) of it are what a sort orders by.
template <class Key>
bits_of<Key> place(Key key, bool is_descending)
{
  using bits = bits_of<Key>;
  const bits half = static_cast<bits>(bits{1} << (8 * sizeof(Key) - 1));
  bits raw;
  std::memcpy(&raw, &key, sizeof(Key));
  if (kind_of<Key>() == kind::unsigned_integer) {
    return raw;
  }
  if (kind_of<Key>() == kind::signed_integer) {
    return static_cast<bits>(raw + half);
  }
  const bits magnitude = static_cast<bits>(raw & (half - 1));
  if (magnitude == 0) {
    return static_cast<bits>(is_descending ? half - 1 : half);
  }  // as stock places both zeros
  return static_cast<bits>((raw & half) != 0 ? half - 1 - magnitude : half + magnitude);
}

/// The permutation that a stable sort of the keys by bits [begin, end) amounts to.
template <class Order, class Key>
std::vector<std::uint32_t> sorted_order(const std::vector<cell<Key>>& keys, int begin, int end)
{
  constexpr bool is_descending = std::is_same_v<Order, descending>;
  struct item {
    bits_of<Key> field;
    std::uint32_t from;
  };
  std::vector<item> items;
  items.reserve(keys.size());
  for (const cell<Key> key : keys) {
    const int above = static_cast<int>(8 * sizeof(Key)) - end;
    const auto whole = static_cast<bits_of<Key>>(place<Key>(static_cast<Key>(key), is_descending) << above);
    const auto field = begin == end ? bits_of<Key>{0} : static_cast<bits_of<Key>>(whole >> (above + begin));
    items.push_back({field, static_cast<std::uint32_t>(items.size())});
  }
  // The fields themselves are moved: to look each up would take several times as long.
  std::stable_sort(items.begin(), items.end(), [](const item& l, const item& r) {
    return is_descending ? l.field > r.field : l.field < r.field;
  });
  std::vector<std::uint32_t> order;
  order.reserve(keys.size());
  for (const item& sorted : items) {
    order.push_back(sorted.from);
  }
  return order;
}

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<std::uint32_t>& order)
{
  std::vector<T> result;
  for (const std::uint32_t from : order) {
    result.push_back(values[from]);
  }
  return result;
}

/// Keys may be NaN, and zeros of both signs are compared by their bits.
template <class Key>
void require_same_bits(const std::vector<Key>& got, const std::vector<Key>& wanted)
{
  REQUIRE(got.size() == wanted.size());
  std::size_t first = 0;
  while (first < got.size() && std::memcmp(&got[first], &wanted[first], sizeof(Key)) == 0) {
    ++first;
  }
  INFO("first difference at " << first << " of " << got.size());
  REQUIRE(first == got.size());
}

template <class Key>
Key key_of_bits(bits_of<Key> bits)
{
  if constexpr (std::is_same_v<Key, bool>) {
    return (bits & 1) != 0;
  } else {
    Key key;
    std::memcpy(static_cast<void*>(&key), &bits, sizeof(Key));
    return key;
  }
}

enum class shape { random, clustered, two_values, few, special, constant, sorted, reversed };
constexpr shape every_shape[] = {shape::random,  shape::clustered, shape::two_values, shape::few,
                                 shape::special, shape::constant,  shape::sorted,     shape::reversed};

/// Both ends of the type's range and their neighbours; for floating point that includes zeros, infinities and NaNs.
template <class Key>
std::vector<cell<Key>> special_keys()
{
  using bits = bits_of<Key>;
  const bits half = static_cast<bits>(bits{1} << (8 * sizeof(Key) - 1));
  bits infinity = 0;
  if constexpr (std::is_same_v<Key, float>) {
    infinity = 0x7f800000u;
  } else if constexpr (std::is_same_v<Key, double>) {
    infinity = 0x7ff0000000000000u;
  } else if constexpr (kind_of<Key>() == kind::floating) {
    infinity = 0x7c00;  // __half; a bfloat16 like any other
  }
  std::vector<cell<Key>> keys;
  for (const bits base : {bits{0}, half, infinity, static_cast<bits>(infinity | half)}) {
    for (const int offset : {-1, 0, 1}) {
      keys.push_back(key_of_bits<Key>(static_cast<bits>(base + offset)));
    }
  }
  return keys;
}

template <class Key>
std::vector<cell<Key>> make_keys(std::size_t n, shape s, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const std::vector<cell<Key>> specials = special_keys<Key>();
  std::vector<cell<Key>> keys;
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned __int128 wide = static_cast<unsigned __int128>(random()) << 64 | random();
    const auto bits = static_cast<bits_of<Key>>(wide >> (128 - 8 * sizeof(Key)));
    switch (s) {
      case shape::special:
        keys.push_back(specials[random() % specials.size()]);
        break;
      case shape::constant:
        keys.push_back(specials[4]);
        break;
      case shape::clustered:  // equal ones side by side, as many as three warps' lanes
        keys.push_back(i % 100 == 0 ? key_of_bits<Key>(bits) : keys.back());
        break;
      case shape::two_values:  // in every digit
        keys.push_back(specials[random() % 2 == 0 ? 0 : 5]);
        break;
      case shape::few:
        keys.push_back(key_of_bits<Key>(static_cast<bits_of<Key>>(random() % 3 * 0x55)));
        break;
      default:
        keys.push_back(key_of_bits<Key>(bits));
    }
  }
  if (s == shape::sorted) {
    keys = permuted(keys, sorted_order<ascending, Key>(keys, 0, 8 * sizeof(Key)));
  }
  if (s == shape::reversed) {
    keys = permuted(keys, sorted_order<descending, Key>(keys, 0, 8 * sizeof(Key)));
  }
  return keys;
}

}  // namespace test
