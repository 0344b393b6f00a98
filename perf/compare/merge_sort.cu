// Measures sorts by a comparator that no library can recognise. Items that differ in what it does not compare are
// equivalent, so that a sort which is not stable gives other bytes.
#include <gimbal/cub/merge_sort.h>

#include <cub/device/device_merge_sort.cuh>

#include "sides.h"

namespace perf {

namespace {

struct by_high_bits {
  template <class T>
  __host__ __device__ bool operator()(T a, T b) const
  {
    return (a >> 4) < (b >> 4);
  }
  __host__ __device__ bool operator()(const u64x2& a, const u64x2& b) const { return a.key < b.key; }
  __host__ __device__ bool operator()(const u64x4& a, const u64x4& b) const { return a.word[0] < b.word[0]; }
};

template <class Key>
void compare_merge_sort(comparison& c)
{
  const auto device = [](auto calls, auto&&... of_call) { return calls.SortKeysCopy(of_call..., by_high_bits{}); };
  compare_sorted_keys<cub::DeviceMergeSort, gimbal::DeviceMergeSort, Key>(c, device, by_high_bits{});
}

const implementation here[] = {
  {"merge_sort", "u16", compare_merge_sort<std::uint16_t>}, {"merge_sort", "u32", compare_merge_sort<std::uint32_t>},
  {"merge_sort", "u64", compare_merge_sort<std::uint64_t>}, {"merge_sort", "u64x2", compare_merge_sort<u64x2>},
  {"merge_sort", "u64x4", compare_merge_sort<u64x4>},
};

}  // namespace

}  // namespace perf
