#include "radix_sort.h"

using namespace perf;

const implementation here[] = {
  {"radix_sort", "u64", compare_sort<std::uint64_t>},
  {"radix_sort", "i64", compare_sort<std::int64_t>},
  {"radix_sort", "f32", compare_sort<float>},
  {"radix_sort", "f64", compare_sort<double>},
};
