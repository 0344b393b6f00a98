#include <gimbal/algorithm/scan/each_segment_scan.cuh>

#include "check.h"

struct small_segments : small_tiles {
  static constexpr unsigned rows = 2;
  static constexpr gimbal::index_type few_segments = 2;
  static constexpr gimbal::index_type most_warp_items = 100;
  static constexpr gimbal::index_type most_warp_items_of_few = 40;
  static constexpr gimbal::index_type most_blocks = 2;
};

bool check(std::size_t size)
{
  const std::vector<affine> in = affine_maps(size);
  std::vector<int> begin, end;
  for (std::size_t first = 0; first < size;) {
    const std::size_t length = noise(first) % 4 == 0 ? 60 + noise(first + 1) % 500 : noise(first + 2) % 90;
    const std::size_t last = first + length < size ? first + length : size;
    begin.push_back(static_cast<int>(first));
    end.push_back(static_cast<int>(last));
    first = last + noise(first + 3) % 3;
  }
  const affine untouched{77, 77};
  std::vector<affine> out(size, untouched);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::each_segment_scan_plan<affine, small_segments>(
             gimbal::algorithm::inclusive_scan_tag{}, in.data(), out.data(), begin.data(), end.data(), begin.data(),
             static_cast<gimbal::index_type>(begin.size()), compose{}, gimbal::no_init{})
      .run(storage, bytes, nullptr);
  });
  if (!ran) {
    return false;
  }
  std::vector<affine> expected(size, untouched);
  for (std::size_t s = 0; s < begin.size(); ++s) {
    affine running{1, 0};
    for (int i = begin[s]; i < end[s]; ++i) {
      expected[i] = running = compose{}(running, in[i]);
    }
  }
  return out == expected;
}

int main() { return run_schedules({1, 191, 2000}, check); }
