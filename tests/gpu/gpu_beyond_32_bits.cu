// Tests counts beyond 2^32 on a GPU, through the Thrust policy. Expected values are computed by formula; comparisons
// run on the device with stock Thrust. It runs on GPUs only: the host executor would take hours.
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include "support.h"

namespace {

constexpr std::int64_t n = (std::int64_t{1} << 32) + 12345;

struct byte_at {
  __host__ __device__ unsigned char operator()(std::int64_t i) const
  {
    std::uint64_t x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
    return static_cast<unsigned char>(x >> 56);
  }
};
struct is_multiple_of_5 {
  __host__ __device__ bool operator()(std::int64_t i) const { return i % 5 == 0; }
};
struct is_below_100 {
  __host__ __device__ bool operator()(unsigned char value) const { return value < 100; }
};
struct times {
  std::int64_t factor;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i * factor; }
};
struct divided_by {
  std::int64_t divisor;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i / divisor; }
};
struct remainder_by {
  std::int64_t divisor;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i % divisor; }
};
struct remainder_plus_1 {
  std::int64_t divisor;
  __host__ __device__ std::uint16_t operator()(std::int64_t i) const
  {
    return static_cast<std::uint16_t>(i % divisor + 1);
  }
};
struct compare_low_nibble {
  __host__ __device__ bool operator()(unsigned char l, unsigned char r) const { return (l & 15) < (r & 15); }
};

/// Different for all i below 2^32: multiplication by an odd number can be undone.
constexpr std::uint32_t odd = 2654435761u;
struct scattered {
  __host__ __device__ std::uint32_t operator()(std::int64_t i) const { return static_cast<std::uint32_t>(i) * odd; }
};
struct is_scattered_from {
  std::int64_t end;
  __host__ __device__ bool operator()(std::uint32_t key) const
  {
    std::uint32_t inverse = odd;  // of `odd` modulo 2^3; each step doubles the bits
    for (int step = 0; step < 4; ++step) {
      inverse *= 2 - odd * inverse;
    }
    return key * inverse < end;
  }
};

const thrust::counting_iterator<std::int64_t> count(0);

std::vector<std::int64_t> histogram(const thrust::device_vector<unsigned char>& bytes)
{
  std::vector<std::int64_t> counts(256);
  for (int value = 0; value < 256; ++value) {
    counts[value] = thrust::count(thrust::device, bytes.begin(), bytes.end(), static_cast<unsigned char>(value));
  }
  return counts;
}

thrust::device_vector<unsigned char> random_bytes()
{
  thrust::device_vector<unsigned char> bytes(n);
  thrust::transform(thrust::device, count, count + n, bytes.begin(), byte_at{});
  return bytes;
}

}  // namespace

TEST_CASE("reduce beyond 2^32", "[beyond_32_bits]")
{
  // The sum of i % 1000 over n items: whole cycles of 0 + ... + 999, then a piece of one.
  auto digits = thrust::make_transform_iterator(count, remainder_by{1000});
  const std::int64_t rest = n % 1000;
  CHECK(thrust::reduce(gimbal::par, digits, digits + n, std::int64_t{0}) == n / 1000 * 499500 + rest * (rest - 1) / 2);
  CHECK(thrust::count_if(gimbal::par, count, count + n, is_multiple_of_5{}) == (n + 4) / 5);
  CHECK(thrust::max_element(gimbal::par, count, count + n) - count == n - 1);
}

TEST_CASE("find and equal beyond 2^32", "[beyond_32_bits]")
{
  CHECK(thrust::find(gimbal::par, count, count + n, n - 2) - count == n - 2);
  CHECK(thrust::find(gimbal::par, count, count + n, n) - count == n);
  CHECK(thrust::equal(gimbal::par, count, count + n, count));
  CHECK(thrust::is_sorted_until(gimbal::par, count, count + n) - count == n);
  auto cycles = thrust::make_transform_iterator(count, remainder_by{std::int64_t{1} << 32});
  CHECK(thrust::mismatch(gimbal::par, cycles, cycles + n, count).first - cycles == std::int64_t{1} << 32);
}

TEST_CASE("scan beyond 2^32", "[beyond_32_bits]")
{
  thrust::device_vector<std::int64_t> out(n, -1);
  thrust::constant_iterator<std::int64_t> three(3);
  thrust::inclusive_scan(gimbal::par, three, three + n, out.begin());
  CHECK(thrust::equal(thrust::device, out.begin(), out.end(), thrust::make_transform_iterator(count + 1, times{3})));
}

TEST_CASE("scan by key beyond 2^32", "[beyond_32_bits]")
{
  thrust::device_vector<std::uint16_t> out(n, 0);
  auto keys = thrust::make_transform_iterator(count, divided_by{60000});
  thrust::constant_iterator<std::uint16_t> one(1);
  thrust::inclusive_scan_by_key(gimbal::par, keys, keys + n, one, out.begin());
  CHECK(thrust::equal(
    thrust::device, out.begin(), out.end(), thrust::make_transform_iterator(count, remainder_plus_1{60000})));
}

TEST_CASE("select and reduce by key beyond 2^32", "[beyond_32_bits]")
{
  const std::int64_t selected = (n + 4) / 5;
  thrust::device_vector<std::int64_t> out(selected, -1);
  auto end = thrust::copy_if(gimbal::par, count, count + n, out.begin(), is_multiple_of_5{});
  CHECK(end - out.begin() == selected);
  CHECK(thrust::equal(thrust::device, out.begin(), out.end(), thrust::make_transform_iterator(count, times{5})));

  auto keys = thrust::make_transform_iterator(count, divided_by{60000});
  thrust::constant_iterator<std::int64_t> one(1);
  const std::int64_t runs = (n + 59999) / 60000;
  thrust::device_vector<std::int64_t> totals(runs, -1);
  auto ends = thrust::reduce_by_key(gimbal::par, keys, keys + n, one, thrust::make_discard_iterator(), totals.begin());
  CHECK(ends.second - totals.begin() == runs);
  CHECK(thrust::count(thrust::device, totals.begin(), totals.end(), std::int64_t{60000}) == n / 60000);
}

TEST_CASE("stable partition in place beyond 2^32", "[beyond_32_bits]")
{
  thrust::device_vector<unsigned char> bytes = random_bytes();
  const std::vector<std::int64_t> before = histogram(bytes);
  thrust::device_vector<unsigned char> wanted(n);
  thrust::stable_partition_copy(
    thrust::device, bytes.begin(), bytes.end(), wanted.begin(),
    wanted.begin() + thrust::count_if(thrust::device, bytes.begin(), bytes.end(), is_below_100{}), is_below_100{});
  auto middle = thrust::stable_partition(gimbal::par, bytes.begin(), bytes.end(), is_below_100{});
  CHECK(middle - bytes.begin() == thrust::count_if(thrust::device, bytes.begin(), bytes.end(), is_below_100{}));
  CHECK(thrust::equal(thrust::device, bytes.begin(), bytes.end(), wanted.begin()));
  CHECK(histogram(bytes) == before);
}

TEST_CASE("radix sort and merge sort beyond 2^32", "[beyond_32_bits]")
{
  thrust::device_vector<unsigned char> bytes = random_bytes();
  const std::vector<std::int64_t> before = histogram(bytes);
  thrust::sort(gimbal::par, bytes.begin(), bytes.end());
  CHECK(thrust::is_sorted(thrust::device, bytes.begin(), bytes.end()));
  CHECK(histogram(bytes) == before);

  // From ascending order, a stable sort by the low four bits leaves equal low bits ascending in the high bits.
  thrust::stable_sort(gimbal::par, bytes.begin(), bytes.end(), compare_low_nibble{});
  std::int64_t position = 0;
  for (int low = 0; low < 16; ++low) {
    for (int high = 0; high < 16; ++high) {
      const int value = high * 16 + low;
      const std::int64_t length = before[value];
      CHECK(
        thrust::count(
          thrust::device, bytes.begin() + position, bytes.begin() + position + length,
          static_cast<unsigned char>(value))
        == length);
      position += length;
    }
  }
}

struct two_bytes_at {
  __host__ __device__ std::uint16_t operator()(std::int64_t i) const
  {
    return static_cast<std::uint16_t>(static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 48);
  }
};

TEST_CASE("radix sorts of small keys beyond 2^32, beside stock's", "[beyond_32_bits]")
{
  const auto numbers = thrust::make_counting_iterator<std::int64_t>(0);
  SECTION("two bytes")
  {
    thrust::device_vector<std::uint16_t> keys(n);
    thrust::transform(thrust::device, numbers, numbers + n, keys.begin(), two_bytes_at{});
    thrust::device_vector<std::uint16_t> expected = keys;
    thrust::sort(gimbal::par, keys.begin(), keys.end());
    thrust::sort(thrust::device, expected.begin(), expected.end());
    CHECK(thrust::equal(thrust::device, keys.begin(), keys.end(), expected.begin()));
  }
  SECTION("one byte, with values")
  {
    thrust::device_vector<unsigned char> keys(n);
    thrust::device_vector<std::uint16_t> values(n);
    thrust::transform(thrust::device, numbers, numbers + n, keys.begin(), byte_at{});
    thrust::transform(thrust::device, numbers, numbers + n, values.begin(), remainder_by{65521});
    thrust::device_vector<unsigned char> expected_keys = keys;
    thrust::device_vector<std::uint16_t> expected = values;
    thrust::stable_sort_by_key(gimbal::par, keys.begin(), keys.end(), values.begin());
    thrust::stable_sort_by_key(thrust::device, expected_keys.begin(), expected_keys.end(), expected.begin());
    CHECK(thrust::equal(thrust::device, keys.begin(), keys.end(), expected_keys.begin()));
    CHECK(thrust::equal(thrust::device, values.begin(), values.end(), expected.begin()));
  }
}

TEST_CASE("radix sort of 3 * 10^9 keys of four bytes", "[beyond_32_bits]")
{
  constexpr std::int64_t many = 3000000000;
  thrust::device_vector<std::uint32_t> keys(many);
  thrust::transform(thrust::device, count, count + many, keys.begin(), scattered{});
  thrust::sort(gimbal::par, keys.begin(), keys.end());
  // All differ, and all are among those that were there: then they are those.
  CHECK(thrust::is_sorted(thrust::device, keys.begin(), keys.end(), thrust::less_equal<std::uint32_t>{}));
  CHECK(thrust::count_if(thrust::device, keys.begin(), keys.end(), is_scattered_from{many}) == many);
}
