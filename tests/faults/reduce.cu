#include <gimbal/kernel/reduce.cuh>

#include "check.h"

struct small_blocks {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
  static constexpr unsigned single_items_per_thread = 3;
  static constexpr unsigned tile_threads = 64;
  static constexpr unsigned blocks = 6;
  static constexpr unsigned many_blocks = 6;
  static constexpr unsigned ordered_blocks = 6;
  static constexpr unsigned warp_posts = 2;
};

bool check(std::size_t size)
{
  const std::vector<affine> in = affine_maps(size);
  affine expected{3, 5};
  for (const affine& map : in) {
    expected = compose{}(expected, map);
  }
  std::vector<affine> out(1);  // on the heap, where ThreadSanitizer looks
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::kernel::reduce<small_blocks>(
      storage, bytes, in.data(), static_cast<gimbal::index_type>(size), out.data(), compose{}, affine{3, 5}, nullptr);
  });
  return ran && out[0] == expected;
}

int main() { return run_schedules({1, 95, 96, 97, 193, 700, 1700}, check); }
