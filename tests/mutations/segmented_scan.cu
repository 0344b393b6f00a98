#include <gimbal/algorithm/scan/segmented_scan.cuh>

#include "check.h"

bool check(std::size_t size)
{
  const std::vector<affine> in = affine_maps(size);
  std::vector<unsigned char> head(size);
  for (std::size_t i = 0; i < size; ++i) {
    head[i] = noise(3 * i) % 150 == 0;
  }
  std::vector<affine> out(size);
  std::vector<affine> totals(size);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::segmented_scan_plan<small_tiles>(
             gimbal::algorithm::inclusive_scan_tag{}, gimbal::heads_from_flags<const unsigned char*>{head.data()},
             in.data(), out.data(), static_cast<gimbal::index_type>(size), compose{}, gimbal::no_init{}, totals.data())
      .run(storage, bytes, nullptr);
  });
  if (!ran) {
    return false;
  }
  affine running{1, 0};
  std::size_t segments = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0 && head[i]) {
      if (!(totals[segments++] == running)) {
        return false;
      }
      running = affine{1, 0};
    }
    running = compose{}(running, in[i]);
    if (!(out[i] == running)) {
      return false;
    }
  }
  return totals[segments] == running;
}

int main() { return run_schedules({1, 191, 192, 193, 700, 1530}, check); }
