#include "radix_engine_check.h"

struct small_engine {
  using buckets = gimbal::tuning::no_radix_buckets;
  struct all_pairs {
    static constexpr unsigned block_threads = 64;
    static constexpr unsigned resident_blocks = 0;
    static constexpr unsigned batch = 1;
    static constexpr gimbal::index_type least_shared_items = 97;
    static constexpr gimbal::index_type most_shared_pairs = 0;
  };
  using large = small_shape;
  using any_gpu_shape = small_shape;
  static constexpr gimbal::index_type most_all_pairs_items = 96;
  static constexpr gimbal::index_type most_resident_items = 0;
  static constexpr gimbal::index_type most_resident_floats = 0;
};

constexpr unsigned kinds = 5;
constexpr unsigned in_reverse = 3;

/// Keys of three digits, one the same in all, keys whose digits have two values, keys in order and in
/// reverse, and nearly in order.
std::vector<std::uint32_t> make_keys(std::size_t size, unsigned kind)
{
  switch (kind) {
    case 0:
      return keys_with(0x0f00070fu, size);
    case 1:
      return keys_with(0x01000001u, size);
    case 2:
      return keys_in_order(size);
    case in_reverse:
      return keys_in_reverse(size);
    default:
      return keys_nearly_in_order(size);
  }
}

/// Every other size with lanes that are served in any order, and then, of keys in reverse, in blocks so few that a warp
/// goes on from rows to those behind them.
bool kind_is_sorted_right(std::size_t size, unsigned kind)
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = size % 2 != 0;
  if (options.shuffle_lanes && kind == in_reverse) {
    options.resident_blocks = 1;
  }
  const gimbal::simt::scoped_executor_options scope(options);
  const std::vector<std::uint32_t> keys = make_keys(size, kind);
  return sorts_right<small_engine>(keys);
}

/// By three digits, two of which differ, from one buffer to the other. Keys that are equal in them differ.
bool range_is_sorted_right(std::size_t size)
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = true;
  const gimbal::simt::scoped_executor_options scope(options);
  std::vector<std::uint32_t> keys = keys_with(0x07ff000fu, size);
  std::vector<std::uint32_t> wanted = keys;
  std::stable_sort(
    wanted.begin(), wanted.end(), [](std::uint32_t a, std::uint32_t b) { return a % 0x1000000 < b % 0x1000000; });
  std::vector<std::uint32_t> sorted(size);
  const std::uint32_t* const from = keys.data();
  return sort_arrays<small_engine>(
           algorithm::make_sort_array(from, sorted.data(), keys.data()),
           algorithm::make_sort_array(algorithm::no_values{}, algorithm::no_values{}), size, 24)
         && sorted == wanted;
}

bool check(std::size_t size)
{
  return check_kinds(kinds, [size](unsigned kind) { return kind_is_sorted_right(size, kind); })
         && range_is_sorted_right(size);
}

int main() { return run_schedules({1, 95, 384, 129, 511, 2177}, check, 40); }
