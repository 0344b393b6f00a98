// Measures selection by a predicate of the items.
#include <thrust/remove.h>

#include "select.h"

namespace perf {

namespace {

template <class T>
void compare_copy_if(comparison& c)
{
  compare_selected_if<T>(c, make_items<T>(c), selects<T>(c.distribution()), sizeof(T));
}

/// In place. The name says what share is kept.
void compare_remove_if(comparison& c)
{
  using item = std::int32_t;
  const int n = c.n();
  const selects<item> keep(c.distribution());
  const auto drop = [keep] __host__ __device__(item x) { return !keep(x); };
  const twin<std::ptrdiff_t> left = c.returned<std::ptrdiff_t>();
  const twin<item> data =
    c.changed_in_place(make_items<item>(c), n, [=] { return static_cast<std::size_t>(*left.stock); });
  c.moves([=] { return (n + *left.stock) * sizeof(item); });
  call_both(
    c, [=](auto policy, side of) { *of(left) = thrust::remove_if(policy, of(data), of(data) + n, drop) - of(data); });
}

const implementation here[] = {
  {"copy_if", "i8", compare_copy_if<std::int8_t>},   {"copy_if", "i32", compare_copy_if<std::int32_t>},
  {"copy_if", "i64", compare_copy_if<std::int64_t>}, {"copy_if", "u64x4", compare_copy_if<u64x4>},
  {"copy_if", "u64x5", compare_copy_if<u64x5>},      {"remove_if", "i32", compare_remove_if},
};

}  // namespace

}  // namespace perf
