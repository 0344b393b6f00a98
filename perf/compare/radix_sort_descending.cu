#include "radix_sort.h"

namespace perf {

namespace {

template <class Key>
void compare_descending(comparison& c)
{
  const auto device = [](auto calls, auto&&... of_call) { return calls.SortKeysDescending(of_call...); };
  compare_sorted_keys<cub::DeviceRadixSort, gimbal::DeviceRadixSort, Key>(c, device, thrust::greater<Key>{});
}

const implementation here[] = {
  {"radix_sort_descending", "u32", compare_descending<std::uint32_t>},
  {"radix_sort_descending", "f32", compare_descending<float>},
};

}  // namespace

}  // namespace perf
