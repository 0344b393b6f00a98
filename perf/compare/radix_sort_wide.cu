#include "radix_sort.h"

namespace perf {

namespace {

const implementation here[] = {
  {"radix_sort", "u64", compare_keys<std::uint64_t>},
  {"radix_sort", "i64", compare_keys<std::int64_t>},
  {"radix_sort", "f32", compare_keys<float>},
  {"radix_sort", "f64", compare_keys<double>},
};

}  // namespace

}  // namespace perf
