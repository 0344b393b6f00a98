#include "radix_leading_check.h"

/// There are steps for one digit more than most keys take.
struct buckets_of_wide_keys : small_buckets {
  static constexpr unsigned least_digits = 3;
};

/// Any keys, twice each; keys some of which differ in the lowest bits alone; many that share all digits that lead; one
/// that has a leading digit that the others lack; few that differ much among many that do not.
std::vector<std::uint64_t> make_keys(std::size_t size, unsigned kind)
{
  std::vector<std::uint64_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t any = std::uint64_t{noise(i)} << 32 | noise(i + size);
    const std::uint64_t twice = std::uint64_t{noise(i / 2)} << 32 | noise(i / 2 + size);
    const std::uint64_t of_kind[] = {
      twice, any % 3 == 0 ? any : (any % 20) << 56 | (any >> 8) % 4, any % 2 == 0 ? any : any >> 24,
      i == size / 2 ? ~any | 1ull << 63 : any & 0x00071fffffffffff, any % 8 == 0 ? any : any % 2048};
    keys[i] = of_kind[kind];
  }
  return keys;
}

bool check(std::size_t size)
{
  return check_kinds_in_few_blocks(5, [&](unsigned kind) {
    return sorts_right<buckets_of_wide_keys>(make_keys(size, kind))
           && sorts_right<small_buckets>(make_keys(size, kind));
  });
}

int main() { return run_schedules({129, 1217}, check, 40); }
