// Sorts by leading digits, with buckets, and whether they are right.
#pragma once

#include <algorithm>
#include <numeric>

#include "check.h"
#include "radix_shape.h"

namespace algorithm = gimbal::algorithm;

/// Whatever the histogram says.
struct small_buckets {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned early_blocks = 0;
  static constexpr unsigned least_digits = 2;
  static constexpr unsigned spare_digits = 1;
  static constexpr unsigned bins = 256;
  static constexpr unsigned most_in_bin = 9;
  static constexpr unsigned items_per_thread = 2;
  static constexpr unsigned unit_items = 8;
  static constexpr unsigned most_bucket_items = 120;
  static constexpr unsigned most_expected = 1 << 20;
  static constexpr unsigned most_load = 1 << 20;
  static constexpr unsigned most_copies = 1 << 20;
  static constexpr gimbal::index_type least_items = 100;
  static constexpr gimbal::index_type most_items = 1 << 20;
};

template <class Buckets>
struct by_leading_digits {
  using large = small_shape;
  using any_gpu_shape = small_shape;
  using buckets = Buckets;
  static constexpr gimbal::index_type most_all_pairs_items = 0;
  static constexpr gimbal::index_type most_resident_items = 0;
  static constexpr gimbal::index_type most_resident_floats = 0;
};

using values_type = std::vector<std::uint32_t>;

template <class Buckets, class Key, class ValuesIn, class ValuesOut>
bool sort(const std::vector<Key>& keys, std::vector<Key>& keys_out, ValuesIn values_in, ValuesOut values_out)
{
  return run_with_storage([&](void* storage, std::size_t& bytes) {
    return algorithm::radix_sort_arrays<by_leading_digits<Buckets>>(
      storage, bytes, algorithm::ascending{}, algorithm::make_sort_array(keys.data(), keys_out.data()),
      algorithm::make_sort_array(values_in, values_out), static_cast<gimbal::index_type>(keys.size()), 0,
      8 * sizeof(Key), nullptr);
  });
}

/// Values show whether the sort was stable.
template <class Buckets, class Key>
bool sorts_right(std::vector<Key> keys)
{
  values_type values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  values_type wanted = values;
  std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<Key> keys_out(keys.size());
  values_type values_out(keys.size());
  std::vector<Key> alone = keys;
  return sort<Buckets>(keys, keys_out, values.data(), values_out.data()) && values_out == wanted
         && std::is_sorted(keys_out.begin(), keys_out.end())
         && sort<Buckets>(alone, alone, algorithm::no_values{}, algorithm::no_values{}) && alone == keys_out
         && sort<Buckets>(keys, keys, values.data(), values.data()) && keys == keys_out && values == wanted;
}

/// In blocks so few that each sorts several groups.
template <class IsRight>
bool check_kinds_in_few_blocks(unsigned kinds, IsRight is_right)
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.resident_blocks = 2;
  const gimbal::simt::scoped_executor_options scope(options);
  return check_kinds(kinds, is_right);
}
