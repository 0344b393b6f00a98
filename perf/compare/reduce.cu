#include "reduce.h"

namespace perf {

namespace {

template <class T>
void compare_sum(comparison& c)
{
  compare_sum_of<T>(c, make_values<T>(c));
}

const implementation here[] = {
  {"reduce", "i8", compare_sum<std::int8_t>},   {"reduce", "i16", compare_sum<std::int16_t>},
  {"reduce", "i32", compare_sum<std::int32_t>}, {"reduce", "i64", compare_sum<std::int64_t>},
  {"reduce", "f32", compare_sum<float>},        {"reduce", "f64", compare_sum<double>},
  {"reduce", "u64x4", compare_sum<u64x4>},
};

}  // namespace

}  // namespace perf
