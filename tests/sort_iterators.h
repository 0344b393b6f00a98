// Sorts through iterators, whatever sorts: `sort(keys_in, keys_out, values_in, values_out)` sorts as many as there are
// keys by `compare`, which a test names beside it.
#pragma once

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <gimbal/tile/sort_array.cuh>
#include <numeric>

#include "support.h"

namespace sort_iterators {

using gimbal::algorithm::no_values;

template <class Compare>
std::vector<std::uint32_t> order_of(const std::vector<unsigned>& keys, Compare compare)
{
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(
    order.begin(), order.end(), [&](std::uint32_t l, std::uint32_t r) { return compare(keys[l], keys[r]); });
  return order;
}
template <class Compare>
std::vector<unsigned> sorted(std::vector<unsigned> keys, Compare compare)
{
  std::stable_sort(keys.begin(), keys.end(), compare);
  return keys;
}

template <class Compare, class Sort>
void check_zipped_values_in_place(const std::vector<unsigned>& keys, Compare compare, Sort sort)
{
  const std::vector<std::uint32_t> order = order_of(keys, compare);
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  test::device_array<unsigned> data(keys);
  test::device_array<std::uint32_t> low(places);
  test::device_array<double> high(std::vector<double>(places.begin(), places.end()));
  const auto zipped = thrust::make_zip_iterator(low.data(), high.data());
  sort(data.data(), data.data(), zipped, zipped);
  test::require_equal(data.to_host(), sorted(keys, compare));
  test::require_equal(low.to_host(), order);
  test::require_equal(high.to_host(), std::vector<double>(order.begin(), order.end()));
}

/// Counted values, and a permuted output of them.
template <class Compare, class Sort>
void check_computed_keys(const std::vector<unsigned>& keys, Compare compare, Sort sort)
{
  std::vector<int> places(keys.size());
  std::iota(places.rbegin(), places.rend(), 0);
  test::device_array<unsigned> data(keys);
  test::device_array<unsigned> keys_out(keys.size());
  test::device_array<int> backward(places);
  test::device_array<int> values_out(keys.size());
  sort(
    thrust::make_transform_iterator(data.data(), thrust::negate<unsigned>{}), keys_out.data(),
    thrust::make_counting_iterator(0), thrust::make_permutation_iterator(values_out.data(), backward.data()));
  std::vector<unsigned> computed;
  for (const unsigned key : keys) {
    computed.push_back(0u - key);
  }
  const std::vector<std::uint32_t> wanted = order_of(computed, compare);
  test::require_equal(keys_out.to_host(), sorted(computed, compare));
  test::require_equal(values_out.to_host(), std::vector<int>(wanted.rbegin(), wanted.rend()));
  test::require_equal(data.to_host(), keys);
}

template <class Compare, class Sort>
void check_reversed_in_place(const std::vector<unsigned>& keys, Compare compare, Sort sort)
{
  test::device_array<unsigned> data(keys);
  const auto backward = thrust::make_reverse_iterator(data.data() + keys.size());
  sort(backward, backward, no_values{}, no_values{});
  std::vector<unsigned> wanted = sorted(keys, compare);
  std::reverse(wanted.begin(), wanted.end());
  test::require_equal(data.to_host(), wanted);
}

}  // namespace sort_iterators
