#include "radix_sort.h"

using namespace perf;

const implementation here[] = {
  {"radix_sort_pairs", "u32+u32x4", compare_sort<std::uint32_t, matrix2>},
  {"radix_sort_pairs", "u32+u64x4", compare_sort<std::uint32_t, u64x4>},
};
