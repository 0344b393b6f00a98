// Runs of equal keys as a stream, with default tuning on a GPU, against the host's results.
#include <gimbal/gimbal.h>
#include <thrust/reduce.h>
#include <thrust/unique.h>

#include <functional>

#include "support.h"

namespace {

/// Below and at the size from which the kernel is used, several rounds of its ring, and no multiple of a tile.
constexpr std::size_t sizes[] = {(1 << 16) + 1, (1 << 19) + 3, 30000001};

template <class Value>
struct expected {
  std::vector<std::int32_t> keys;
  std::vector<Value> totals;
  std::vector<Value> firsts;
};

std::vector<std::int32_t> keys_in_runs(std::size_t n, unsigned run)
{
  std::mt19937 random(run);
  std::vector<std::int32_t> keys(n);
  std::int32_t key = 0;
  for (std::int32_t& own : keys) {
    key += random() % run == 0 ? 1 + static_cast<std::int32_t>(random() % 3) : 0;
    own = key;
  }
  return keys;
}

template <class Value>
expected<Value> reference(const std::vector<std::int32_t>& keys, const std::vector<Value>& values)
{
  expected<Value> result;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i - 1] != keys[i]) {
      result.keys.push_back(keys[i]);
      result.totals.push_back(values[i]);
      result.firsts.push_back(values[i]);
    } else {
      result.totals.back() += values[i];
    }
  }
  return result;
}

template <class T>
void require_first(test::device_array<T>& got, const std::vector<T>& wanted)
{
  std::vector<T> first = got.to_host();
  first.erase(first.begin() + static_cast<std::ptrdiff_t>(wanted.size()), first.end());
  test::require_equal(first, wanted);
}

template <class Value>
void check(std::size_t n, unsigned run, std::size_t shift)
{
  INFO("n = " << n << ", runs of about " << run << ", shift " << shift);
  const std::vector<std::int32_t> keys = keys_in_runs(n, run);
  const std::vector<Value> values = test::random_values<Value>(n, n);
  const expected<Value> wanted = reference(keys, values);
  const auto count = static_cast<std::ptrdiff_t>(wanted.keys.size());
  test::device_array<std::int32_t> keys_in(keys, shift);
  test::device_array<Value> values_in(values, shift);
  test::device_array<std::int32_t> keys_out(wanted.keys.size(), 1);
  test::device_array<Value> values_out(wanted.keys.size(), 1);
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

  test::device_array<std::int32_t> copied(wanted.keys.size(), 1);
  REQUIRE(thrust::unique_copy(gimbal::par, first, last, copied.data()) - copied.data() == count);
  test::require_equal(copied.to_host(), wanted.keys);

  REQUIRE(thrust::unique_by_key(gimbal::par, first, last, values_in.data()).first - first == count);
  require_first(keys_in, wanted.keys);
  require_first(values_in, wanted.firsts);
  test::raw_copy(first, keys.data(), n * sizeof(std::int32_t));
  REQUIRE(thrust::unique(gimbal::par, first, last) - first == count);
  require_first(keys_in, wanted.keys);
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
    const std::vector<std::int32_t> keys = keys_in_runs(n, 5000);
    std::vector<float> values = test::random_values<float>(n, 4);
    for (float& value : values) {
      value *= 0.1f;  // no longer exact
    }
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
