// Tests reduce by key at kernel level: sizes, lengths of runs, types, operators, iterators, schedules and
// reproducibility.
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <gimbal/algorithm/scan/reduce_by_key.cuh>

#include "runs_checks.h"

namespace {

using gimbal::index_type;
using namespace runs_checks;

using small_tuning = test::tiles_of<64, 3>;
constexpr std::size_t small_tile = 64 * 3;

/// Of one item a thread, so that few items make more than the 1024 tiles of a row of look-back descriptors.
using tiny_tuning = test::tiles_of<32, 1>;

/// Runs reduce_by_key with outputs of exactly the size needed.
template <class Tuning, class Key, class Value, class KeyIt, class ValueIt, class Equal, class Op>
runs<Key, Value> reduced(KeyIt keys, ValueIt values, std::size_t n, std::size_t run_count, Equal equal, Op op)
{
  test::device_array<Key> keys_out(run_count);
  test::device_array<Value> values_out(run_count);
  test::device_array<index_type> count(1);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce_by_key_plan<Tuning>(
             keys, values, keys_out.data(), values_out.data(), count.data(), static_cast<index_type>(n), equal, op)
      .run(storage, bytes, 0);
  });
  REQUIRE(count.to_host()[0] == static_cast<index_type>(run_count));
  return {keys_out.to_host(), values_out.to_host(), {}};
}

template <class Key, class Value>
void require_same(const runs<Key, Value>& got, const runs<Key, Value>& wanted)
{
  test::require_equal(got.keys, wanted.keys);
  test::require_equal(got.totals, wanted.totals);
}

template <class Tuning, class Key, class Value, class Op>
void check(std::size_t n, Op op)
{
  for (unsigned run : {1u, 2u, 40u, 1u << 30}) {
    INFO("n = " << n << ", runs of about " << run);
    const std::vector<Key> keys = keys_in_runs<Key>(n, run);
    const std::vector<Value> values = test::random_values<Value>(n, n + 1);
    test::device_array<Key> keys_in(keys, n % 2);
    test::device_array<Value> values_in(values, n % 3);
    const runs<Key, Value> wanted = reference(keys, values, equal{}, op);
    require_same(
      reduced<Tuning, Key, Value>(keys_in.data(), values_in.data(), n, wanted.keys.size(), equal{}, op), wanted);
  }
}

const std::vector<std::size_t> small_sizes = test::edge_sizes(small_tile, 40);
const std::vector<std::size_t> default_sizes = {0, 1, 33, 2815, 2816, 2817, 50001};

struct same_tens {
  GIMBAL_HOST_DEVICE bool operator()(std::int64_t a, std::int64_t b) const { return a / 10 == b / 10; }
};

}  // namespace

TEMPLATE_TEST_CASE(
  "reduce by key adds every type", "[reduce_by_key]", double,
  test::bytes3 GIMBAL_MORE(std::int8_t, std::uint16_t, std::uint32_t, std::uint64_t, test::wide))
{
  for (std::size_t n : small_sizes) {
    check<small_tuning, std::int32_t, TestType>(n, add{});
  }
}

TEMPLATE_TEST_CASE(
  "reduce by key takes keys of every type", "[reduce_by_key]",
  test::bytes3 GIMBAL_MORE(std::int8_t, std::int64_t, float, test::wide, test::tagged))
{
  for (std::size_t n : small_sizes) {
    check<small_tuning, TestType, std::uint32_t>(n, add{});
  }
}

TEST_CASE("reduce by key with default tuning", "[reduce_by_key]")
{
  for (std::size_t n : default_sizes) {
    check<void, std::int32_t, std::uint32_t>(n, add{});
    check<void, std::int8_t, test::matrix>(n, test::matrix_product{});
  }
}

TEST_CASE("reduce by key keeps the order of operands", "[reduce_by_key]")
{
  for (std::size_t n : small_sizes) {
    check<small_tuning, std::int32_t, test::matrix>(n, test::matrix_product{});
    check<small_tuning, test::tagged, test::tagged>(n, test::add_keep_left{});
  }
}

TEST_CASE("reduce by key over several rows of look-back descriptors", "[reduce_by_key]")
{
  for (std::size_t n : {1024 * 32, 1024 * 32 + 1, 2 * 1024 * 32 + 32 * 32 + 5}) {
    check<tiny_tuning, std::int32_t, test::matrix>(n, test::matrix_product{});
  }
}

TEST_CASE("reduce by key reads and writes through iterators", "[reduce_by_key]")
{
  const std::size_t n = 5 * small_tile + 7;
  const std::size_t run_count = (n + 9) / 10;

  SECTION("counting keys, constant values, an equality wider than ==, the first key of a run is kept")
  {
    const auto got = reduced<small_tuning, std::int64_t, int>(
      thrust::counting_iterator<std::int64_t>(0), thrust::constant_iterator<int>(1), n, run_count, same_tens{}, add{});
    for (std::size_t r = 0; r < run_count; ++r) {
      REQUIRE(got.keys[r] == static_cast<std::int64_t>(10 * r));
      REQUIRE(got.totals[r] == static_cast<int>(std::min(n - 10 * r, std::size_t{10})));
    }
  }
  SECTION("reverse values, zipped keys, discarded keys, a count of another type")
  {
    const std::vector<std::int32_t> keys = keys_in_runs<std::int32_t>(n, 5);
    const std::vector<test::matrix> values = test::random_values<test::matrix>(n, 3);
    const std::vector<test::matrix> reversed(values.rbegin(), values.rend());
    const auto wanted = reference(keys, reversed, equal{}, test::matrix_product{});
    test::device_array<std::int32_t> keys_in(keys);
    test::device_array<test::matrix> values_in(values);
    test::device_array<test::matrix> totals(wanted.totals.size());
    test::device_array<int> count(1);
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::reduce_by_key_plan<small_tuning>(
               thrust::make_zip_iterator(keys_in.data(), keys_in.data()),
               thrust::make_reverse_iterator(values_in.data() + n), thrust::make_discard_iterator(), totals.data(),
               count.data(), static_cast<index_type>(n), equal{}, test::matrix_product{})
        .run(storage, bytes, 0);
    });
    REQUIRE(count.to_host()[0] == static_cast<int>(wanted.keys.size()));
    test::require_equal(totals.to_host(), wanted.totals);
  }
}

TEST_CASE("reduce by key under many schedules", "[reduce_by_key][schedules]")
{
  test::under_schedules([] {
    check<small_tuning, std::int32_t, std::uint32_t>(small_tile - 1, add{});
    check<small_tuning, std::int32_t, test::matrix>(9 * small_tile + 3, test::matrix_product{});
    check<tiny_tuning, std::int8_t, std::uint32_t>(70 * 32 + 1, add{});
  });
}

TEST_CASE("floating-point sums by key are the same bits in every run", "[reduce_by_key][schedules]")
{
  const std::size_t n = 70 * 32 + 11;
  const std::vector<std::int32_t> keys = keys_in_runs<std::int32_t>(n, 700);
  std::mt19937_64 random(1);
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(std::ldexp(static_cast<float>(random() % 1000003), static_cast<int>(random() % 40) - 20));
  }
  test::device_array<std::int32_t> keys_in(keys);
  test::device_array<float> values_in(values);
  const std::size_t run_count = reference(keys, values, equal{}, add{}).keys.size();
  const auto sums = [&] {
    return reduced<tiny_tuning, std::int32_t, float>(keys_in.data(), values_in.data(), n, run_count, equal{}, add{});
  };
  const auto first = sums();
  test::under_schedules([&] { require_same(sums(), first); });
}
