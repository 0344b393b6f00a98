#include <random>

#include "radix_leading_check.h"

/// The sample finds buckets too large, and hardly a key has a tag, so that mixed prefixes go unnoticed.
struct prefix_shape : small_buckets {
  static constexpr unsigned prefix_digits = 4;
  static constexpr unsigned sample_period = 4;
  static constexpr unsigned most_sample_period = 4;
  static constexpr unsigned tag_row_bits = 1;
};

/// One number for half of the keys, rare ones, and some of which so many have a prefix in common: a few; more than a warp has
/// lanes; more than a block can hold.
std::vector<std::uint64_t> make_keys(std::size_t size, unsigned kind)
{
  const auto wide = [](std::uint64_t i) { return std::uint64_t{noise(i)} << 32 | noise(i + 1000); };
  const std::size_t alike[] = {4, 50, 150};
  const std::size_t part[] = {32, 8, 4};
  std::vector<std::uint64_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = i % part[kind] == 0       ? wide(500 + i / (part[kind] * alike[kind])) ^ noise(i + 9000) % 3
              : noise(i + 5000) % 8 < 5 ? wide(0)
                                        : wide(1 + i % 300);
  }
  std::shuffle(keys.begin(), keys.end(), std::mt19937(1));
  return keys;
}

bool check(std::size_t size)
{
  return check_kinds_in_few_blocks(3, [&](unsigned kind) { return sorts_right<prefix_shape>(make_keys(size, kind)); });
}

int main() { return run_schedules({900, 1500}, check, 30); }
