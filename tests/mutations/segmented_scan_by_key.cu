#include <cuda/std/functional>
#include <gimbal/algorithm/scan/segmented_scan.cuh>

#include "check.h"

// Over the keys: every other tile begins with a head.
bool check(std::size_t size)
{
  const std::vector<std::uint32_t> values(size, 3);
  std::vector<std::uint32_t> keys(size);
  std::vector<std::uint32_t> expected = values;
  for (std::size_t i = 1; i < size; ++i) {
    const bool is_head = i % 192 == 0 ? i / 192 % 2 == 0 : noise(i) % 40 == 0;
    keys[i] = keys[i - 1] + is_head;
    expected[i] += is_head ? 0 : expected[i - 1];
  }
  using equal = ::cuda::std::equal_to<>;
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::segmented_scan_plan<small_tiles>(
             gimbal::algorithm::inclusive_scan_tag{},
             gimbal::heads_from_keys<const std::uint32_t*, equal>{keys.data(), {}}, values.data(), keys.data(),
             static_cast<gimbal::index_type>(size), ::cuda::std::plus<std::uint32_t>{}, gimbal::no_init{},
             gimbal::no_totals{})
      .run(storage, bytes, nullptr);
  });
  return ran && keys == expected;
}

int main() { return run_schedules({1, 192, 193, 700, 1530}, check); }
