// Sorts by the radix engine of keys that are awkward for one of its strategies, and whether they are right.
#pragma once

#include <algorithm>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>
#include <numeric>

#include "check.h"
#include "radix_shape.h"

namespace algorithm = gimbal::algorithm;

/// By the lowest bits.
template <class Tuning, class Keys, class Values>
bool sort_arrays(Keys keys, Values values, std::size_t size, int bits)
{
  return run_with_storage([&](void* storage, std::size_t& bytes) {
    return algorithm::radix_sort_arrays<Tuning>(
      storage, bytes, algorithm::ascending{}, keys, values, static_cast<gimbal::index_type>(size), 0, bits, nullptr);
  });
}

template <class Tuning, class ValuesIn, class ValuesOut>
bool sort(
  const std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& keys_out, ValuesIn values_in,
  ValuesOut values_out)
{
  return sort_arrays<Tuning>(
    algorithm::make_sort_array(keys.data(), keys_out.data()), algorithm::make_sort_array(values_in, values_out),
    keys.size(), 32);
}

template <class Tuning>
bool is_right(
  const std::vector<std::uint32_t>& keys, const std::vector<std::uint32_t>& values,
  const std::vector<std::uint32_t>& wanted)
{
  const std::size_t size = keys.size();
  std::vector<std::uint32_t> alone = keys;
  std::vector<std::uint32_t> keys_out(size);
  std::vector<std::uint32_t> values_out(size);
  std::vector<std::uint32_t> beside(size);
  if (
    !sort<Tuning>(alone, alone, algorithm::no_values{}, algorithm::no_values{})
    || !sort<Tuning>(keys, keys_out, values.data(), values_out.data()) || values_out != wanted || alone != keys_out) {
    return false;
  }
  alone = keys;
  if (!sort<Tuning>(alone, alone, values.data(), beside.data()) || beside != wanted || alone != keys_out) {
    return false;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (keys_out[i] != keys[wanted[i]]) {
      return false;
    }
  }
  return true;
}

/// Values show whether the sort was stable.
template <class Tuning>
bool sorts_right(const std::vector<std::uint32_t>& keys)
{
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  std::vector<std::uint32_t> wanted = values;
  std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return is_right<Tuning>(keys, values, wanted);
}

/// Keys with these bits.
inline std::vector<std::uint32_t> keys_with(std::uint32_t bits, std::size_t size)
{
  std::vector<std::uint32_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = noise(i) & bits;
  }
  return keys;
}
inline std::vector<std::uint32_t> keys_in_reverse(std::size_t size)
{
  const std::size_t run = size % 2 == 0 ? 3 : 200;
  std::vector<std::uint32_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = static_cast<std::uint32_t>(size - i / run * run);
  }
  return keys;
}
/// The last of them with a digit that what fills a block up has, too.
inline std::vector<std::uint32_t> keys_in_order(std::size_t size)
{
  std::vector<std::uint32_t> keys(size);
  std::iota(keys.begin(), keys.end(), 255u - static_cast<std::uint32_t>((size - 1) % 256));
  return keys;
}
/// But for two neighbours, which two warps' items may have.
inline std::vector<std::uint32_t> keys_nearly_in_order(std::size_t size)
{
  std::vector<std::uint32_t> keys = keys_in_order(size);
  if (size > 32) {
    std::swap(keys[31], keys[32]);
  }
  return keys;
}
