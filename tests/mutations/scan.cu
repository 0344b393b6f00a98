#include <gimbal/algorithm/scan/scan.cuh>

#include "check.h"

struct few_lanes {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned lane_items = 4;
  static constexpr gimbal::index_type single_rows = 2;
  static constexpr gimbal::index_type spread_blocks = 2;
  static constexpr gimbal::index_type most_blocks = 4;
};

template <class Scan>
bool check(std::size_t size, Scan scan)
{
  const std::vector<affine> in = affine_maps(size);
  const affine init{3, 5};
  std::vector<affine> out(size);
  if (!scan(in.data(), out.data(), static_cast<gimbal::index_type>(size), init)) {
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

bool check_tiles(std::size_t size)
{
  return check(size, [](const affine* in, affine* out, gimbal::index_type n, affine init) {
    return run_with_storage([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::scan_plan<small_tiles>(
               gimbal::algorithm::exclusive_scan_tag{}, in, out, n, compose{}, init)
        .run(storage, bytes, nullptr);
    });
  });
}

bool check_resident(std::size_t size)
{
  return check(size, [](const affine* in, affine* out, gimbal::index_type n, affine init) {
    using kernel = gimbal::algorithm::resident_scan_kernel_for<
      few_lanes, gimbal::algorithm::exclusive_scan_tag, const affine*, affine*, compose, affine>;
    gimbal::kernel_row<kernel> row(n <= kernel::most_items, {in, out, static_cast<unsigned>(n), 0, {{}}, init, {}, 0});
    gimbal::launch_words words(nullptr);
    return row.fits && !row.launch(words);
  });
}

int main()
{
  return run_schedules({1, 191, 192, 193, 700, 1530}, check_tiles)
         || run_schedules({1, 127, 128, 129, 255, 257, 700, 1023}, check_resident);
}
