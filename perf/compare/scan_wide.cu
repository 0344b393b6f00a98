#include "scan.h"

using namespace perf;

const implementation here[] = {
  {"exclusive_scan", "i64", compare_exclusive_sum<std::int64_t>},
  {"exclusive_scan", "f32", compare_exclusive_sum<float>},
  {"exclusive_scan", "f64", compare_exclusive_sum<double>},
  {"exclusive_scan", "u64x4", compare_exclusive_sum<u64x4>},
};
