// Tests the persistent kernels of runs of equal keys with their default tuning on a GPU, against the host's results.
#include <gimbal/gimbal.h>
#include <thrust/reduce.h>
#include <thrust/unique.h>

#include <functional>

#include "runs_checks.h"

namespace {

using namespace runs_checks;

/// Below and at the size from which the kernel is used, several rounds of its ring, and no multiple of a tile.
constexpr std::size_t sizes[] = {(1 << 16) + 1, (1 << 19) + 3, 30000001};

template <class Value>
void check(std::size_t n, unsigned run, std::size_t shift)
{
  INFO("n = " << n << ", runs of about " << run << ", shift " << shift);
  const std::vector<std::int32_t> keys = keys_in_runs<std::int32_t>(n, run);
  const std::vector<Value> values = test::random_values<Value>(n, n);
  const runs<std::int32_t, Value> wanted = reference(keys, values, equal{}, add{});
  const std::size_t run_count = wanted.keys.size();
  const auto count = static_cast<std::ptrdiff_t>(run_count);
  test::device_array<std::int32_t> keys_in(keys, shift);
  test::device_array<Value> values_in(values, shift);
  test::device_array<std::int32_t> keys_out(run_count, 1);
  test::device_array<Value> values_out(run_count, 1);
  std::int32_t* const first = keys_in.data();
  std::int32_t* const last = first + n;

  const auto reduced =
    thrust::reduce_by_key(gimbal::par, first, last, values_in.data(), keys_out.data(), values_out.data());
  REQUIRE(reduced.first - keys_out.data() == count);
  test::require_equal(keys_out.to_host(), wanted.keys);
  test::require_equal(values_out.to_host(), wanted.totals);

  const auto kept =
    thrust::unique_by_key_copy(gimbal::par, first, last, values_in.data(), keys_out.data(), values_out.data());
  REQUIRE(kept.first - keys_out.data() == count);
  test::require_equal(values_out.to_host(), wanted.firsts);

  test::device_array<std::int32_t> copied(run_count, 1);
  REQUIRE(thrust::unique_copy(gimbal::par, first, last, copied.data()) - copied.data() == count);
  test::require_equal(copied.to_host(), wanted.keys);

  REQUIRE(thrust::unique_by_key(gimbal::par, first, last, values_in.data()).first - first == count);
  test::require_equal(first_of(keys_in, run_count), wanted.keys);
  test::require_equal(first_of(values_in, run_count), wanted.firsts);
  test::raw_copy(first, keys.data(), n * sizeof(std::int32_t));
  REQUIRE(thrust::unique(gimbal::par, first, last) - first == count);
  test::require_equal(first_of(keys_in, run_count), wanted.keys);
}

}  // namespace

TEST_CASE("streams of runs", "[gpu]")
{
  for (const std::size_t n : sizes) {
    for (const unsigned run : {1u, 2u, 300u, 1u << 30}) {
      check<std::int32_t>(n, run, n % 4);
    }
    check<std::int64_t>(n, 20, 2);
  }
}

TEST_CASE("floating-point totals of runs on a GPU are the same bits in every run, wherever arrays lie", "[gpu]")
{
  for (const std::size_t n : {100000u, 5000000u}) {
    const std::vector<std::int32_t> keys = keys_in_runs<std::int32_t>(n, 5000);
    const std::vector<float> values = test::random_fractions<float>(n, 4);
    test::device_array<std::int32_t> keys_out(n);
    test::device_array<float> values_out(n);
    std::vector<float> first;
    for (std::size_t run = 0; run < 16; ++run) {
      test::device_array<std::int32_t> keys_in(keys, run % 4);
      test::device_array<float> values_in(values, run / 4);
      const auto ends = thrust::reduce_by_key(
        gimbal::par, keys_in.data(), keys_in.data() + n, values_in.data(), keys_out.data(), values_out.data());
      std::vector<float> got = values_out.to_host();
      got.resize(static_cast<std::size_t>(ends.second - values_out.data()));
      first = run == 0 ? got : first;
      test::require_equal(got, first);
    }
  }
}
