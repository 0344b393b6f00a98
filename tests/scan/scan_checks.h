// What scans are checked by, whatever runs them. A driver is a struct whose `scan(kind, in, out, n, op, init)` runs one
// and says whether this device can.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/scan.cuh>
#include <numeric>

#include "support.h"

namespace scans {

using gimbal::index_type;
using gimbal::no_init;
using inclusive = gimbal::algorithm::inclusive_scan_tag;
using exclusive = gimbal::algorithm::exclusive_scan_tag;

template <class Out, class Kind, class Value, class Op, class Init>
std::vector<Out> reference(Kind, const std::vector<Value>& values, Op op, Init init)
{
  std::vector<Out> results;
  if constexpr (std::is_same_v<Init, no_init>) {
    std::vector<Value> running;  // at most one: the type may have no default constructor
    for (const Value& value : values) {
      running.assign(1, running.empty() ? value : static_cast<Value>(op(running[0], value)));
      results.push_back(static_cast<Out>(running[0]));
    }
  } else {
    using accumulator = std::decay_t<decltype(op(init, values[0]))>;
    accumulator running = static_cast<accumulator>(init);
    for (const Value& value : values) {
      const accumulator next = static_cast<accumulator>(op(running, value));
      results.push_back(static_cast<Out>(std::is_same_v<Kind, inclusive> ? next : running));
      running = next;
    }
  }
  return results;
}

template <class Driver, class Out, class Kind, class Value, class Op, class Init>
void check(
  Kind kind, const std::vector<Value>& values, Op op, Init init, std::size_t in_shift = 0, std::size_t out_shift = 0)
{
  test::device_array<Value> in(values, in_shift);
  test::device_array<Out> out(values.size(), out_shift);
  if (Driver::scan(kind, in.data(), out.data(), values.size(), op, init)) {
    test::require_equal(out.to_host(), reference<Out>(kind, values, op, init));
  }
}

template <class Driver, class T, class Op>
void check_in_place(const std::vector<T>& values, Op op, T init, std::size_t shift)
{
  test::device_array<T> data(values, shift);
  if (Driver::scan(exclusive{}, data.data(), data.data(), values.size(), op, init)) {
    test::require_equal(data.to_host(), reference<T>(exclusive{}, values, op, init));
  }
}

/// Each form is a kernel of its own, in two where calls are persistent: with an init, the host executor runs inclusive
/// scans of every type, the GPU those of one and of structs.
template <class T>
inline constexpr bool takes_all_forms = !GIMBAL_GPU || std::is_same_v<T, std::int32_t> || !std::is_arithmetic_v<T>;

/// All three forms at all sizes, on memory aligned and not, and in place.
template <class Driver, class T, class Op>
void check_sizes(Op op, T init, const std::vector<std::size_t>& sizes)
{
  for (std::size_t n : sizes) {
    INFO("n = " << n);
    const std::vector<T> values = test::random_values<T>(n, n + 1);
    check<Driver, T>(inclusive{}, values, op, no_init{});
    if constexpr (takes_all_forms<T>) {
      check<Driver, T>(inclusive{}, values, op, init);
    }
    check<Driver, T>(exclusive{}, values, op, init, 1, 1);
    check_in_place<Driver>(values, op, init, n % 5);
  }
}

/// What is read through iterators, what is written through them, and both.
template <class Driver>
void check_iterators(std::size_t n)
{
  const std::vector<int> values = test::random_values<int>(n, 7);
  const cuda::std::plus<int> plus;
  const cuda::std::negate<int> negate;
  test::device_array<int> in(values);
  test::device_array<int> out(n);
  const auto negated_of = [&](std::vector<int> all) {
    std::transform(all.begin(), all.end(), all.begin(), negate);
    return all;
  };
  const auto reversed_of = [](const std::vector<int>& all) { return std::vector<int>(all.rbegin(), all.rend()); };
  const auto check_read = [&](auto from, const std::vector<int>& read) {
    if (Driver::scan(inclusive{}, from, out.data(), n, plus, no_init{})) {
      test::require_equal(out.to_host(), reference<int>(inclusive{}, read, plus, no_init{}));
    }
  };
  std::vector<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 1);
  check_read(thrust::counting_iterator<int>(1), numbers);
  const auto negated = thrust::make_transform_iterator(in.data(), negate);
  check_read(negated, negated_of(values));
  check_read(thrust::make_reverse_iterator(in.data() + n), reversed_of(values));
  std::vector<int> order(n);
  std::vector<int> permuted(n);
  for (std::size_t i = 0; i < n; ++i) {
    order[i] = static_cast<int>((i * 1000) % n);
    permuted[i] = values[static_cast<std::size_t>(order[i])];
  }
  test::device_array<int> indices(order);
  check_read(thrust::make_permutation_iterator(in.data(), indices.data()), permuted);

  const std::vector<int> sums = reference<int>(exclusive{}, values, plus, 9);
  const auto backwards = thrust::make_reverse_iterator(out.data() + n);
  const auto check_written = [&](auto from, auto to, int init, const std::vector<int>& written) {
    if (Driver::scan(exclusive{}, from, to, n, plus, init)) {
      test::require_equal(out.to_host(), written);
    }
  };
  check_written(in.data(), backwards, 9, reversed_of(sums));
  check_written(in.data(), thrust::make_transform_output_iterator(out.data(), negate), 9, negated_of(sums));
  check_written(negated, backwards, -9, reversed_of(negated_of(sums)));
}

/// Of an 8-bit type into others, by operators that return others.
template <class Driver>
void check_accumulators(std::size_t n)
{
  const std::vector<std::uint8_t> values(n, 255);
  check<Driver, std::int32_t>(exclusive{}, values, cuda::std::plus<>{}, 0, 3);
  check<Driver, std::int64_t>(inclusive{}, values, cuda::std::plus<>{}, std::int64_t{1} << 40);
  check<Driver, double>(exclusive{}, values, cuda::std::plus<double>{}, 0.25);
  check<Driver, std::int16_t>(exclusive{}, values, cuda::std::plus<>{}, 0, 1, 1);
  check<Driver, std::int32_t>(inclusive{}, values, cuda::std::plus<std::uint8_t>{}, no_init{});
}

/// Running sums of fractions, whose roundings tell in which order they were added.
template <class Driver>
std::vector<float> sums_of_fractions(std::size_t n)
{
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(n);
  for (float& value : values) {
    value = uniform(random);
  }
  test::device_array<float> in(values);
  test::device_array<float> out(n);
  Driver::scan(inclusive{}, in.data(), out.data(), n, cuda::std::plus<float>{}, 0.5f);
  return out.to_host();
}

}  // namespace scans
