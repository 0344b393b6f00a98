#include "radix_sort.h"

using namespace perf;

const implementation here[] = {
  {"radix_sort", "u8", compare_sort<std::uint8_t>},
  {"radix_sort", "u16", compare_sort<std::uint16_t>},
  {"radix_sort", "u32", compare_sort<std::uint32_t>},
  {"radix_sort", "i32", compare_sort<std::int32_t>},
};
