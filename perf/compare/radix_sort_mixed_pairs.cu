#include "radix_sort.h"

using namespace perf;

const implementation here[] = {
  {"radix_sort_pairs", "u64+u64", compare_sort<std::uint64_t, std::uint64_t>},
  {"radix_sort_pairs", "u8+u32", compare_sort<std::uint8_t, std::uint32_t>},
  {"radix_sort_pairs", "u16+u32", compare_sort<std::uint16_t, std::uint32_t>},
};
