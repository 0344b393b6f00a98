#include <algorithm>
#include <gimbal/algorithm/radix_sort/radix_engine.cuh>
#include <numeric>

#include "check.h"
#include "radix_shape.h"

namespace algorithm = gimbal::algorithm;

struct small_tiles {
  using buckets = gimbal::tuning::no_radix_buckets;
  using large = small_shape;
  using ranged = large;
  static constexpr gimbal::index_type most_tiny_items = 0;
  static constexpr gimbal::index_type most_small_items = 0;
  static constexpr gimbal::index_type most_all_pairs_items(unsigned) { return 0; }
  static constexpr gimbal::index_type most_resident_items(bool) { return 0; }
};

template <class Key, class Values>
bool sort(std::vector<Key>& in, std::vector<Key>& out, Values values)
{
  return run_with_storage([&](void* storage, std::size_t& bytes) {
    gimbal::status result;
    return algorithm::radix_engine_sort<small_tiles>(
             result, storage, bytes, algorithm::ascending{}, algorithm::make_sort_array(in.data(), out.data()), values,
             static_cast<gimbal::index_type>(in.size()), 0, 8 * sizeof(Key), nullptr)
             ? result
             : gimbal::simt::failure(gimbal::simt::error_invalid_value, "the engine");
  });
}

/// With values from elsewhere, and in place.
template <class Key>
bool pairs_are_right(const std::vector<Key>& keys)
{
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  std::vector<std::uint32_t> wanted = values;
  std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<Key> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Key> in = keys;
  std::vector<Key> out(keys.size());
  std::vector<std::uint32_t> moved(keys.size());
  return sort(in, out, algorithm::make_sort_array(values.data(), moved.data())) && out == sorted && moved == wanted
         && sort(in, in, algorithm::make_sort_array(values.data(), values.data())) && in == sorted && values == wanted;
}

template <class Key>
std::vector<Key> keys_with(std::uint32_t bits, std::size_t size)
{
  std::vector<Key> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = static_cast<Key>(noise(i) & bits);
  }
  return keys;
}

/// Every other size with lanes that are served in any order.
bool check(std::size_t size)
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = size % 2 != 0;
  const gimbal::simt::scoped_executor_options scope(options);
  return pairs_are_right(keys_with<unsigned char>(size % 3 == 0 ? 0xff : 0x11, size))
         && pairs_are_right(keys_with<unsigned short>(0x0303, size));
}

int main() { return run_schedules({1, 95, 384, 511, 1201}, check, 20); }
