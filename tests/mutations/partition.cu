#include <gimbal/algorithm/select/partition.cuh>

#include "check.h"

struct is_odd {
  bool operator()(std::uint32_t x) const { return x % 2 != 0; }
};

// In place: the order between one tile's loads and another's stores matters.
bool check(std::size_t size)
{
  std::vector<std::uint32_t> data(size);
  std::vector<std::uint32_t> expected;
  for (std::size_t i = 0; i < size; ++i) {
    data[i] = noise(i);
    if (is_odd{}(data[i])) {
      expected.push_back(data[i]);
    }
  }
  const std::size_t selected = expected.size();
  for (const std::uint32_t x : data) {
    if (!is_odd{}(x)) {
      expected.push_back(x);
    }
  }
  std::vector<gimbal::index_type> count(1);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::stable_partition_plan<small_tiles>(
             data.data(), static_cast<gimbal::index_type>(size), gimbal::algorithm::select_if<is_odd>{is_odd{}},
             count.data())
      .run(storage, bytes, nullptr);
  });
  return ran && count[0] == static_cast<gimbal::index_type>(selected) && data == expected;
}

int main() { return run_schedules({1, 191, 192, 193, 700, 1530}, check, 60, blocks_that_run::fewer_in_turn); }
