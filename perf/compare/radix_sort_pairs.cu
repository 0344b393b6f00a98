#include "radix_sort.h"

using namespace perf;

const implementation here[] = {
  {"radix_sort_pairs", "u32+u32", compare_sort<std::uint32_t, std::uint32_t>},
  {"radix_sort_pairs", "u64+u32", compare_sort<std::uint64_t, std::uint32_t>},
  {"radix_sort_pairs", "u32+u64", compare_sort<std::uint32_t, std::uint64_t>},
};
