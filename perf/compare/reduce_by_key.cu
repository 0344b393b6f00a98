#include "reduce_by_key.h"

namespace perf {

namespace {

using key = std::int32_t;

template <class T>
void compare_reduce_by_key(comparison& c)
{
  const key* const keys = make_runs(c).keys;
  compare_reduced_by_key<key, T>(c, keys, make_values<T>(c), sizeof(key) + sizeof(T));
}

const implementation here[] = {
  {"reduce_by_key", "i32+i32", compare_reduce_by_key<std::int32_t>},
  {"reduce_by_key", "i32+f32", compare_reduce_by_key<float>},
  {"reduce_by_key", "i32+f64", compare_reduce_by_key<double>},
  {"reduce_by_key", "i32+u64x4", compare_reduce_by_key<u64x4>},
  {"reduce_by_key", "i32+u64x5", compare_reduce_by_key<u64x5>},
};

}  // namespace

}  // namespace perf
