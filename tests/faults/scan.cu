#include <gimbal/kernel/scan.cuh>

#include "check.h"

struct small_tiles {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
};

bool check(std::size_t size)
{
  const std::vector<affine> in = affine_maps(size);
  const affine init{3, 5};
  std::vector<affine> out(size);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::kernel::scan<small_tiles>(
      storage, bytes, gimbal::kernel::exclusive_scan_tag{}, in.data(), out.data(),
      static_cast<gimbal::index_type>(size), compose{}, init, nullptr);
  });
  if (!ran) {
    return false;
  }
  affine running = init;
  for (std::size_t i = 0; i < size; ++i) {
    if (!(out[i] == running)) {
      return false;
    }
    running = compose{}(running, in[i]);
  }
  return true;
}

int main() { return run_schedules({1, 191, 192, 193, 700, 1530}, check); }
