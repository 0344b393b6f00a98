// Scans by key and runs whose keys, values or equality gather what they read: by a list of positions in no order, of
// items of two kinds.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/unique.h>

#include "functors.h"
#include "reduce_by_key.h"
#include "scan.h"

namespace perf {

namespace {

using item = std::int32_t;
using place = std::uint32_t;
using equal_to = ::cuda::std::equal_to<>;

constexpr std::size_t bytes_each = 3 * sizeof(item);  // of list, kind and value

const implementation scan_of_permuted("inclusive_scan_by_key_permuted", "i32", [](comparison& c) {
  const scattered_items s = make_scattered(c);
  const auto in = thrust::make_permutation_iterator(make_values<item>(c), s.list);
  compare_sums_by_key<item>(c, s.kinds, in, bytes_each, equal_to{});
});

const implementation scan_by_names("inclusive_scan_by_key_names", "i32", [](comparison& c) {
  const scattered_items s = make_scattered(c);
  compare_sums_by_key<item>(c, s.list, make_values<item>(c), bytes_each, names_equal{s.kinds});
});

const implementation scan_by_looked_up("inclusive_scan_by_key_looked_up", "i32", [](comparison& c) {
  const auto keys =
    thrust::make_transform_iterator(thrust::make_counting_iterator(place{0}), kind_at{make_scattered(c)});
  compare_sums_by_key<item>(c, keys, make_values<item>(c), bytes_each, equal_to{});
});

const implementation reduce_by_permuted("reduce_by_key_permuted", "i32", [](comparison& c) {
  const scattered_items s = make_scattered(c);
  const auto keys = thrust::make_permutation_iterator(s.kinds, s.list);
  compare_reduced_by_key<item, item>(c, keys, make_values<item>(c), bytes_each);
});

const implementation unique_by_names("unique_copy_names", "i32", [](comparison& c) {
  const int n = c.n();
  const scattered_items s = make_scattered(c);
  const names_equal equal{s.kinds};
  const twin<std::ptrdiff_t> left = counted_by_both(c, c.output<place>(n), [=](auto policy, place* out) {
    return thrust::unique_copy(policy, s.list, s.list + n, out, equal);
  });
  c.moves([=] { return (std::size_t{2} * n + *left.stock) * sizeof(item); });
});

}  // namespace

}  // namespace perf
