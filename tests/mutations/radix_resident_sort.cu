#include "radix_engine_check.h"

/// Up to six blocks, of tiles that two buckets fit into together, or do not.
struct one_launch {
  using buckets = gimbal::tuning::no_radix_buckets;
  using large = small_shape;
  using any_gpu_shape = small_shape;
  struct resident {
    static constexpr unsigned block_threads = 64;
    static constexpr unsigned chunk_items = 1;
    static constexpr unsigned chunks = 4;
    static constexpr unsigned bins = 256;
    static constexpr unsigned most_in_bin = 9;
    static constexpr unsigned most_copies = 3;
    static constexpr unsigned most_unevenness = 100;
    static constexpr unsigned steep_shares = 100;
    static constexpr unsigned most_blocks = 6;
  };
  static constexpr gimbal::index_type most_all_pairs_items = 0;
  static constexpr gimbal::index_type most_resident_items = 1 << 20;
  static constexpr gimbal::index_type most_resident_floats = 1 << 20;
};

std::vector<std::uint32_t> uniform_keys(std::size_t size) { return keys_with(0xffffffffu, size); }

/// Of which some are equal, none of them in the rows that blocks compare.
std::vector<std::uint32_t> keys_with_copies(std::size_t size, std::size_t copies)
{
  std::vector<std::uint32_t> keys = uniform_keys(size);
  for (std::size_t i = 40; i < size && i < 40 + copies; ++i) {
    keys[i] = 0x77777777u;
  }
  return keys;
}

/// Half of them in one linear bin.
std::vector<std::uint32_t> uneven_keys(std::size_t size)
{
  std::vector<std::uint32_t> keys = uniform_keys(size);
  for (std::size_t i = 0; i < size; i += 2) {
    keys[i] = 0x10000000u | keys[i] >> 8;
  }
  return keys;
}

std::vector<std::uint32_t> two_keys(std::size_t size, bool has_third)
{
  std::vector<std::uint32_t> keys = keys_with(1, size);
  for (std::uint32_t& key : keys) {
    key = key != 0 ? 70000 : 5;
  }
  if (has_third) {
    keys[size * 3 / 4] = 300;
  }
  return keys;
}

/// Some hundreds of them, far from 0.
std::vector<std::uint32_t> close_keys(std::size_t size, std::uint32_t first)
{
  std::vector<std::uint32_t> keys = keys_with(0x1ff, size);
  for (std::uint32_t& key : keys) {
    key += first;
  }
  return keys;
}

bool check(std::size_t size)
{
  const std::vector<std::vector<std::uint32_t>> inputs = {uniform_keys(size),           keys_with_copies(size, 4),
                                                          keys_with_copies(size, 20),   uneven_keys(size),
                                                          two_keys(size, false),        two_keys(size, true),
                                                          keys_with(0x0f00070fu, size), keys_with(0x01000001u, size),
                                                          keys_in_order(size),          keys_in_reverse(size),
                                                          keys_nearly_in_order(size),   close_keys(size, 0x7fffff80u),
                                                          close_keys(size, 0xfffffd83u)};
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = options.seed % 3 == 0;
  options.expected_blocks = one_launch::resident::most_blocks;
  options.resident_blocks =
    options.seed % 4 == 0 ? 1 + static_cast<unsigned>(options.seed / 4 % 3) : options.expected_blocks;
  const gimbal::simt::scoped_executor_options scope(options);
#ifdef __SANITIZE_THREAD__
  return std::all_of(inputs.begin(), inputs.end(), sorts_right<one_launch>);
#else
  return sorts_right<one_launch>(inputs[options.seed % inputs.size()]);
#endif
}

int main() { return run_schedules({65, 300, 760, 1500}, check); }
