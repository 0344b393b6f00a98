// Measures what Thrust's users pass instead of arrays: items computed from those of an array, chosen from it, or
// numbered; rows as keys.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "functors.h"
#include "reduce.h"
#include "reduce_by_key.h"
#include "scan.h"
#include "select.h"

namespace perf {

namespace {

using key = std::int32_t;
using item = std::int32_t;

auto rows(comparison& c)
{
  const std::string& runs = c.distribution();  // runs_m: rows of m items
  const int row_items = std::stoi(runs.substr(runs.find('_') + 1));
  return thrust::make_transform_iterator(thrust::make_counting_iterator(std::int32_t{0}), row_of{row_items});
}

template <class T>
void compare_reduce(comparison& c)
{
  compare_sum_of<T>(c, squares(make_values<T>(c)));
}

const implementation permutation("exclusive_scan_permutation", "i32", [](comparison& c) {
  const auto place = thrust::make_transform_iterator(
    thrust::make_counting_iterator(0u), scattered_place{static_cast<std::uint32_t>(c.n())});
  compare_sums_of<item>(c, thrust::make_permutation_iterator(make_values<item>(c), place), sizeof(item));
});

struct square_of_byte {
  __host__ __device__ item operator()(std::int8_t x) const { return x * x; }
};
const implementation transformed("exclusive_scan_transform", "i8", [](comparison& c) {
  const auto in = thrust::make_transform_iterator(make_values<std::int8_t>(c), square_of_byte{});
  compare_sums_of<item>(c, in, sizeof(std::int8_t));
});

const implementation counting("exclusive_scan_counting", "u32", [](comparison& c) {
  // Unsigned, as sums beyond 2^31 would overflow a signed type.
  compare_sums_of<item>(c, thrust::make_counting_iterator(0u), 0, "write");
});

template <class T>
void compare_scan_squares_by_key(comparison& c)
{
  const key* const keys = make_runs(c).keys;
  compare_sums_by_key<T>(c, keys, squares(make_values<T>(c)), sizeof(key) + sizeof(T));
}

const implementation scan_by_rows("inclusive_scan_by_key_rows", "i32", [](comparison& c) {
  compare_sums_by_key<item>(c, rows(c), make_values<item>(c), sizeof(item));
});

const implementation reduce_squares_by_key("reduce_by_key_transform", "i32+i32", [](comparison& c) {
  const key* const keys = make_runs(c).keys;
  compare_reduced_by_key<key, item>(c, keys, squares(make_values<item>(c)), sizeof(key) + sizeof(item));
});

const implementation reduce_by_rows("reduce_by_key_rows", "i32", [](comparison& c) {
  compare_reduced_by_key<key, item>(c, rows(c), make_values<item>(c), sizeof(item));
});

/// The numbers of the items that a predicate selects.
const implementation indices("copy_if_indices", "i32", [](comparison& c) {
  compare_selected_by_stencil<std::int32_t>(
    c, thrust::make_counting_iterator(std::int32_t{0}), make_items<item>(c), sizeof(item));
});

const implementation copy_squares_if("copy_if_transform", "u32", [](comparison& c) {
  using word = std::uint32_t;
  const auto in = squares(reinterpret_cast<const word*>(make_items<item>(c)));
  compare_selected_if<word>(c, in, selects<word>(c.distribution()), sizeof(word));
});

const implementation here[] = {
  {"reduce_transform", "i32", compare_reduce<std::int32_t>},
  {"reduce_transform", "f64", compare_reduce<double>},
  {"inclusive_scan_by_key_transform", "i32+i32", compare_scan_squares_by_key<std::int32_t>},
  {"inclusive_scan_by_key_transform", "i32+f64", compare_scan_squares_by_key<double>},
};

}  // namespace

}  // namespace perf
