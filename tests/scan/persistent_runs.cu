// Tests the persistent kernels of runs of equal keys, with small stages and few blocks: reduce by key, unique by key
// and unique; sizes, types, operators, alignment, iterators, in place, schedules and reproducibility.
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/persistent_runs.cuh>

#include "persistent_row.h"
#include "runs_checks.h"

namespace {

using gimbal::index_type;
using namespace runs_checks;
namespace algorithm = gimbal::algorithm;

template <unsigned ReduceWarps, unsigned StoreWarps, unsigned LaneBytes, unsigned Stages, unsigned LaneItems = 0>
struct ring_of {
  static constexpr gimbal::tuning::runs_row row{ReduceWarps, 2, StoreWarps, LaneBytes, LaneItems, 100, Stages};
};
using tiny_ring = ring_of<1, 1, 16, 2>;
using small_ring = ring_of<3, 2, 32, 3>;
/// An odd number of items a lane, which make no whole vectors.
using odd_ring = ring_of<3, 2, 32, 4, 5>;

/// False if this device does not allow the kernel. Wants `count` runs.
template <class Tuning, class KeyIt, class Key, class Values>
bool stream(KeyIt keys, Key* keys_out, Values values, std::size_t n, std::size_t count, bool is_in_place = false)
{
  using kernel_type = algorithm::persistent_runs_policy<Tuning, KeyIt, Key*, Values, index_type*, equal>;
  static_assert(kernel_type::is_possible, "a lane has whole vectors");
  test::device_array<index_type> run_count(1);
  const bool ran = test::run_row(algorithm::persistent_runs_row<Tuning>(
    true, keys, keys_out, values, run_count.data(), static_cast<index_type>(n), equal{}, is_in_place));
  if (ran) {
    REQUIRE(run_count.to_host()[0] == static_cast<index_type>(count));
  }
  return ran;
}

/// All three algorithms, the unique ones in place at last. `shift`: items between a multiple of 16 and the first
/// key; of values it is another.
template <class Tuning, class Key, class Value, class Op>
void check(std::size_t n, unsigned run, Op op, std::size_t shift = 0)
{
  INFO("n = " << n << ", runs of about " << run << ", shift " << shift);
  const std::vector<Key> keys = keys_in_runs<Key>(n, run);
  const std::vector<Value> values = test::random_values<Value>(n, n + 1);
  const runs<Key, Value> wanted = reference(keys, values, equal{}, op);
  const std::size_t count = wanted.keys.size();
  test::device_array<Key> keys_in(keys, shift);
  test::device_array<Value> values_in(values, 2 * shift);
  test::device_array<Key> keys_out(count, 1);
  test::device_array<Value> values_out(count, 3);
  const auto fold = [&](auto from_keys, auto from_values) {
    using folded_type = algorithm::folded_run_values<decltype(from_values), Value*, Op>;
    const folded_type folded{folded_type::source::of(from_values, 0), values_out.data(), {op}};
    if (!stream<Tuning>(from_keys, keys_out.data(), folded, n, count)) {
      return false;
    }
    test::require_equal(keys_out.to_host(), wanted.keys);
    test::require_equal(values_out.to_host(), wanted.totals);
    return true;
  };
  if (!fold(keys_in.data(), values_in.data())) {
    return;
  }
  if constexpr (std::is_same_v<Key, std::int32_t>) {  // through iterators: one or both
    const auto loaded_keys = thrust::make_transform_iterator(keys_in.data(), test::same{});
    const auto loaded_values = thrust::make_transform_iterator(values_in.data(), test::same{});
    REQUIRE(fold(loaded_keys, values_in.data()));
    REQUIRE(fold(keys_in.data(), loaded_values));
    REQUIRE(fold(loaded_keys, loaded_values));
    using loaded_type = algorithm::first_run_values<std::remove_const_t<decltype(loaded_values)>, Value*>;
    const loaded_type loaded_firsts{{}, loaded_type::source::of(loaded_values, 0), values_out.data()};
    REQUIRE(stream<Tuning>(keys_in.data(), keys_out.data(), loaded_firsts, n, count));
    test::require_equal(keys_out.to_host(), wanted.keys);
    test::require_equal(values_out.to_host(), wanted.firsts);
  }

  using firsts_type = algorithm::first_run_values<Value*, Value*>;
  const firsts_type firsts{{}, firsts_type::source::of(values_in.data(), 0), values_out.data()};
  REQUIRE(stream<Tuning>(keys_in.data(), keys_out.data(), firsts, n, count));
  test::require_equal(values_out.to_host(), wanted.firsts);

  const firsts_type in_place{{}, firsts.in, values_in.data()};
  REQUIRE(stream<Tuning>(keys_in.data(), keys_in.data(), in_place, n, count, true));
  test::require_equal(first_of(keys_in, count), wanted.keys);
  test::require_equal(first_of(values_in, count), wanted.firsts);

  test::device_array<Key> again(keys, shift);
  REQUIRE(stream<Tuning>(again.data(), keys_out.data(), algorithm::no_run_values{}, n, count));
  test::require_equal(keys_out.to_host(), wanted.keys);
  REQUIRE(stream<Tuning>(again.data(), again.data(), algorithm::no_run_values{}, n, count, true));
  test::require_equal(first_of(again, count), wanted.keys);
}

template <class Tuning, class Key, class Value, class Op>
void check_sizes(Op op)
{
  for (const std::size_t n : test::all_or_few({1, 31, 128, 769, 5000}, {1, 769})) {
    for (const unsigned run : {1u, 2u, 40u, 1u << 30}) {
      check<Tuning, Key, Value>(n, run, op);
    }
  }
  check<Tuning, Key, Value>(5001, 3, op, 1);
  check<Tuning, Key, Value>(5001, 300, op, 3);
}

}  // namespace

TEMPLATE_TEST_CASE(
  "runs as a stream fold every type", "[persistent_runs]",
  double GIMBAL_MORE(std::int8_t, std::uint32_t, std::uint64_t))
{
  check_sizes<ring_of<3, 2, 128, 3>, std::int32_t, TestType>(add{});
}

TEMPLATE_TEST_CASE(
  "runs as a stream take keys of every type", "[persistent_runs]",
  std::int8_t GIMBAL_MORE(std::uint16_t, std::int64_t, float))
{
  check_sizes<ring_of<2, 2, 128, 3>, TestType, std::uint32_t>(add{});
}

TEST_CASE("runs as a stream of tiny tiles, and of an operator that does not commute", "[persistent_runs]")
{
  check_sizes<tiny_ring, std::int32_t, std::int32_t>(add{});
  check_sizes<small_ring, std::int64_t, test::matrix>(test::matrix_product{});
  check_sizes<odd_ring, std::int32_t, double>(add{});
  if (!test::hunts_races) {
    check_sizes<small_ring, std::int32_t, std::int32_t>(add{});
    check_sizes<odd_ring, std::int32_t, std::int32_t>(add{});
    check_sizes<odd_ring, std::uint64_t, std::int32_t>(add{});
  }
}

TEST_CASE("runs as a stream under schedules", "[persistent_runs]")
{
  test::under_schedules([] {
    check<tiny_ring, std::int32_t, std::int32_t>(3001, 3, add{});
    check<small_ring, std::int32_t, std::int32_t>(test::hunts_races ? 2001 : 6001, 2, add{}, 1);
    check<odd_ring, std::int32_t, double>(3001, 3, add{}, 1);
  });
}

TEST_CASE("runs as a stream with the blocks that have begun", "[persistent_runs]")
{
  test::with_few_blocks([] {
    check<tiny_ring, std::int32_t, std::int32_t>(3001, 3, add{});
    if (!test::hunts_races) {
      check<small_ring, std::int32_t, std::int32_t>(6001, 2, add{}, 1);
    }
  });
}

TEST_CASE("floating-point totals of a stream of runs are the same bits in every run", "[persistent_runs]")
{
  const std::size_t n = 9001;
  const std::vector<std::int32_t> keys = keys_in_runs<std::int32_t>(n, 1000);
  const std::vector<float> values = test::random_fractions<float>(n, 4);
  const std::size_t count = reference(keys, values, equal{}, add{}).keys.size();
  test::device_array<std::int32_t> keys_in(keys);
  test::device_array<float> values_in(values);
  test::device_array<std::int32_t> keys_out(count);
  std::vector<float> first;
  const auto check_bits = [&] {
    test::device_array<float> values_out(count);
    using values_type = algorithm::folded_run_values<const float*, float*, add>;
    const values_type folded{values_type::source::of(values_in.data(), 0), values_out.data(), {}};
    if (stream<small_ring>(keys_in.data(), keys_out.data(), folded, n, count)) {
      const std::vector<float> got = values_out.to_host();
      first = first.empty() ? got : first;
      test::require_equal(got, first);
    }
  };
  test::under_schedules(check_bits);
  test::with_few_blocks(check_bits);
}

TEMPLATE_TEST_CASE(
  "floating-point totals of a stream of runs are the same bits wherever arrays lie", "[persistent_runs]",
  double GIMBAL_MORE(float))
{
  const std::size_t n = 5001;
  const std::vector<std::int32_t> keys = keys_in_runs<std::int32_t>(n, 1000);
  const std::vector<TestType> values = test::random_fractions<TestType>(n, 4);
  const std::size_t count = reference(keys, values, equal{}, add{}).keys.size();
  test::device_array<std::int32_t> keys_out(count);
  test::device_array<TestType> values_out(count);
  using values_type = algorithm::folded_run_values<const TestType*, TestType*, add>;
  std::vector<TestType> first;
  for (std::size_t shift = 0; shift < 16; ++shift) {
    INFO("keys at item " << shift % 4 << ", values at item " << shift / 4);
    test::device_array<std::int32_t> keys_in(keys, shift % 4);
    test::device_array<TestType> values_in(values, shift / 4);
    const values_type folded{values_type::source::of(values_in.data(), 0), values_out.data(), {}};
    if (stream<small_ring>(keys_in.data(), keys_out.data(), folded, n, count)) {
      first = first.empty() ? values_out.to_host() : first;
      test::require_equal(values_out.to_host(), first);
    }
  }
}
