#include "radix_engine_check.h"

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
  static constexpr gimbal::index_type most_resident_items(bool) { return 0; }
  static constexpr gimbal::index_type most_counted_items = 0;
};

struct one_block : small_tiles {
  static constexpr gimbal::index_type most_small_items = 96;
};

bool both_sort_right(const std::vector<std::uint32_t>& keys)
{
  return sorts_right<small_tiles>(keys) && sorts_right<one_block>(keys);
}

/// Keys of three digits, one the same in all, keys whose digits have two values, keys that are sorted by codes, keys in
/// order and in reverse, and nearly in order: one of them per schedule, all in turn, but all in the few schedules under
/// ThreadSanitizer. Every other size with lanes that are served in any order, and in blocks so few that a warp goes on from
/// rows to those behind them.
bool check(std::size_t size)
{
  const std::vector<std::vector<std::uint32_t>> inputs = {keys_with(0x0f00070fu, size), keys_with(0x01000001u, size),
                                                          keys_with(0x03010502u, size), keys_in_order(size),
                                                          keys_in_reverse(size),        keys_nearly_in_order(size)};
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = size % 2 != 0;
  options.resident_blocks = size % 2 != 0 ? 1 : options.resident_blocks;
  const gimbal::simt::scoped_executor_options scope(options);
#ifdef __SANITIZE_THREAD__
  return std::all_of(inputs.begin(), inputs.end(), both_sort_right);
#else
  return both_sort_right(inputs[options.seed % inputs.size()]);
#endif
}

int main() { return run_schedules({1, 95, 384, 129, 511, 2177}, check, 40); }
