#include "radix_sort.h"

namespace perf {

namespace {

const implementation here[] = {
  {"radix_sort_pairs", "u64+u64", compare_pairs<std::uint64_t, std::uint64_t>},
  {"radix_sort_pairs", "u8+u32", compare_pairs<std::uint8_t, std::uint32_t>},
  {"radix_sort_pairs", "u16+u32", compare_pairs<std::uint16_t, std::uint32_t>},
};

}  // namespace

}  // namespace perf
