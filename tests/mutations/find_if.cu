#include <gimbal/algorithm/find/find_if.cuh>

#include "check.h"

struct small_blocks {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 2;
  static constexpr unsigned blocks = 4;
  static constexpr unsigned first_blocks = 3;
};

struct is_marked {
  bool operator()(std::uint32_t item) const { return item != 0; }
};

/// The first of several matches, close to each other and far away, one after the other on one stream.
bool check(std::size_t size)
{
  for (const std::size_t first : {size, size - 1, size / 2, std::size_t{0}}) {
    std::vector<std::uint32_t> in(size);
    for (const std::size_t match : {first, (first + size) / 2, size - 1}) {
      if (first < size) {
        in[match] = 1;
      }
    }
    std::vector<gimbal::index_type> out(1);
    const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::find_if<small_blocks>(
        storage, bytes, in.data(), static_cast<gimbal::index_type>(size), is_marked{}, out.data(), nullptr);
    });
    if (!ran || out[0] != static_cast<gimbal::index_type>(first)) {
      return false;
    }
  }
  return true;
}

int main() { return run_schedules({1, 127, 128, 129, 700, 1700}, check); }
