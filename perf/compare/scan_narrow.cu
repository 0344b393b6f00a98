#include "scan.h"

using namespace perf;

const implementation here[] = {
  {"exclusive_scan", "i8", compare_exclusive_sum<std::int8_t>},
  {"exclusive_scan", "i16", compare_exclusive_sum<std::int16_t>},
  {"exclusive_scan", "i32", compare_exclusive_sum<std::int32_t>},
};
