#include "radix_sort.h"

namespace perf {

namespace {

const implementation here[] = {
  {"radix_sort", "u8", compare_keys<std::uint8_t>},
  {"radix_sort", "u16", compare_keys<std::uint16_t>},
  {"radix_sort", "u32", compare_keys<std::uint32_t>},
  {"radix_sort", "i32", compare_keys<std::int32_t>},
};

}  // namespace

}  // namespace perf
