#include <algorithm>
#include <gimbal/kernel/radix_engine.cuh>
#include <numeric>

#include "check.h"
#include "radix_shape.h"

namespace kernel = gimbal::kernel;

struct one_warp {
  static constexpr unsigned block_threads = 32;
  static constexpr unsigned items_per_thread = 3;
  static constexpr bool ranks_by_additions = true;
};
struct small_tiles {
  using buckets = gimbal::tuning::no_radix_buckets;
  using tiny = one_warp;
  using small = one_warp;
  struct all_pairs {
    static constexpr unsigned block_threads = 64;
    static constexpr unsigned resident_blocks = 0;
    static constexpr unsigned batch = 1;
  };
  using large = small_shape;
  static constexpr gimbal::index_type most_tiny_items = 0;
  static constexpr gimbal::index_type most_small_items = 0;
  static constexpr gimbal::index_type most_all_pairs_items(unsigned) { return 96; }
  static constexpr gimbal::index_type most_resident_items = 0;
};

struct one_block : small_tiles {
  static constexpr gimbal::index_type most_small_items = 96;
};

struct one_launch : small_tiles {
  struct resident {
    static constexpr unsigned block_threads = 64;
    static constexpr unsigned chunk_items = 1;
    static constexpr unsigned chunks = 2;
    static constexpr bool ranks_by_additions = true;
    static constexpr unsigned crowded_lanes = 8;
    static constexpr unsigned order_from_items = 2;
    static constexpr unsigned most_blocks = 4;
  };
  static constexpr gimbal::index_type most_resident_items = 512;
};

template <class Tuning, class ValuesIn, class ValuesOut>
bool sort(
  const std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& keys_out, ValuesIn values_in,
  ValuesOut values_out)
{
  return run_with_storage([&](void* storage, std::size_t& bytes) {
    gimbal::status result;
    return kernel::radix_engine_sort<Tuning>(
             result, storage, bytes, kernel::ascending{}, kernel::make_sort_array(keys.data(), keys_out.data()),
             kernel::make_sort_array(values_in, values_out), static_cast<gimbal::index_type>(keys.size()), 0, 32,
             nullptr)
             ? result
             : gimbal::simt::failure(gimbal::simt::error_invalid_value, "the engine");
  });
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
    !sort<Tuning>(alone, alone, kernel::no_values{}, kernel::no_values{})
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
bool sorts_right(const std::vector<std::uint32_t>& keys)
{
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  std::vector<std::uint32_t> wanted = values;
  std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return is_right<small_tiles>(keys, values, wanted) && is_right<one_block>(keys, values, wanted)
         && is_right<one_launch>(keys, values, wanted);
}

/// Keys with these bits.
std::vector<std::uint32_t> keys_with(std::uint32_t bits, std::size_t size)
{
  std::vector<std::uint32_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = noise(i) & bits;
  }
  return keys;
}
std::vector<std::uint32_t> keys_in_reverse(std::size_t size)
{
  std::vector<std::uint32_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = static_cast<std::uint32_t>(size - i / 3 * 3);
  }
  return keys;
}
/// The last of them with a digit that what fills a block up has, too.
std::vector<std::uint32_t> keys_in_order(std::size_t size)
{
  std::vector<std::uint32_t> keys(size);
  std::iota(keys.begin(), keys.end(), 255u - static_cast<std::uint32_t>((size - 1) % 256));
  return keys;
}
/// But for two neighbours, which two warps' items may have.
std::vector<std::uint32_t> keys_nearly_in_order(std::size_t size)
{
  std::vector<std::uint32_t> keys = keys_in_order(size);
  if (size > 32) {
    std::swap(keys[31], keys[32]);
  }
  return keys;
}

/// Keys of three digits, one the same in all, keys whose digits have two values, keys that are sorted by codes, keys in
/// order and in reverse, and nearly in order: one of them per schedule, all in turn, but all in the few schedules under
/// ThreadSanitizer. Every other size with lanes that are served in any order.
bool check(std::size_t size)
{
  const std::vector<std::vector<std::uint32_t>> inputs = {keys_with(0x0f00070fu, size), keys_with(0x01000001u, size),
                                                          keys_with(0x03010502u, size), keys_in_order(size),
                                                          keys_in_reverse(size),        keys_nearly_in_order(size)};
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = size % 2 != 0;
  const gimbal::simt::scoped_executor_options scope(options);
#ifdef __SANITIZE_THREAD__
  return std::all_of(inputs.begin(), inputs.end(), sorts_right);
#else
  return sorts_right(inputs[options.seed % inputs.size()]);
#endif
}

int main() { return run_schedules({1, 95, 384, 129, 511}, check, 60); }
