// Measures unique: the first item of each run is kept.
#include <thrust/unique.h>

#include "select.h"

namespace perf {

namespace {

using item = std::int32_t;

const implementation unique("unique_copy", "i32", [](comparison& c) {
  const int n = c.n();
  const item* const in = make_runs(c).keys;
  compare_selected<item>(
    c, sizeof(item),
    [=](auto calls, item* out, std::int32_t* count, auto&&... storage) {
      return calls.Unique(storage..., in, out, count, n);
    },
    [=](auto policy, item* out) { return thrust::unique_copy(policy, in, in + n, out); });
});

const implementation unique_by_key("unique_by_key_copy", "i32+i32", [](comparison& c) {
  const int n = c.n();
  const item* const keys = make_runs(c).keys;
  const item* const values = make_values<item>(c);
  const twin<item> keys_out = c.output<item>(n), values_out = c.output<item>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device<cub::DeviceSelect, gimbal::DeviceSelect>([=](auto calls, side of, auto&&... storage) {
    return calls.UniqueByKey(storage..., keys, values, of(keys_out), of(values_out), of(count), n);
  });
  const twin<std::ptrdiff_t> left = returned_by_both<std::ptrdiff_t>(c, [=](auto policy, side of) {
    return thrust::unique_by_key_copy(policy, keys, keys + n, values, of(keys_out), of(values_out)).first
           - of(keys_out);
  });
  c.moves([=] { return (n + *left.stock) * 2 * sizeof(item); });
});

}  // namespace

}  // namespace perf
