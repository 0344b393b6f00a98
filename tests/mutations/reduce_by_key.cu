#include <gimbal/algorithm/scan/reduce_by_key.cuh>

#include "check.h"

struct same {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
};

bool check(std::size_t size)
{
  const std::vector<affine> values = affine_maps(size);
  std::vector<std::uint32_t> keys(size);
  std::vector<std::uint32_t> expected_keys;
  std::vector<affine> expected_values;
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_head = i == 0 || noise(3 * i) % 20 == 0;
    keys[i] = is_head ? noise(i) : keys[i - 1];
    if (is_head) {
      expected_keys.push_back(keys[i]);
      expected_values.push_back(values[i]);
    } else {
      expected_values.back() = compose{}(expected_values.back(), values[i]);
    }
  }
  std::vector<std::uint32_t> keys_out(size);
  std::vector<affine> values_out(size);
  std::vector<gimbal::index_type> count(1);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce_by_key_plan<small_tiles>(
             keys.data(), values.data(), keys_out.data(), values_out.data(), count.data(),
             static_cast<gimbal::index_type>(size), same{}, compose{})
      .run(storage, bytes, nullptr);
  });
  if (!ran || count[0] != static_cast<gimbal::index_type>(expected_keys.size())) {
    return false;
  }
  keys_out.resize(expected_keys.size());
  values_out.resize(expected_values.size());
  return keys_out == expected_keys && values_out == expected_values;
}

int main() { return run_schedules({1, 191, 192, 193, 700, 1530}, check); }
