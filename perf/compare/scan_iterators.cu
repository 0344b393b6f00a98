// Measures exclusive sums of what no array holds: converted items and those of a counting iterator.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "scan.h"

namespace perf {

namespace {

using sum = std::int32_t;

struct widen {
  // Takes a computation: that a load waits for it makes a difference.
  __host__ __device__ sum operator()(std::int8_t x) const { return x * x; }
};

const implementation transformed("exclusive_scan_transform", "i8", [](comparison& c) {
  const auto in = thrust::make_transform_iterator(make_values<std::int8_t>(c), widen{});
  compare_sums_of<sum>(c, in, sizeof(std::int8_t));
});

// Sums beyond 2^31 would overflow a signed type.
using count = std::uint32_t;

const implementation counting("exclusive_scan_counting", "u32", [](comparison& c) {
  compare_sums_of<sum>(c, thrust::make_counting_iterator(count{0}), 0, "write");
});

}  // namespace

}  // namespace perf
