// Tests gimbal::argsort, and device-wide sorts of counting-iterator values, against std::stable_sort of the positions.
#include <gimbal/argsort.h>
#include <gimbal/cub/radix_sort.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "device_support.h"
#include "thrust_support.h"

namespace argsort_test {

using gimbal::par;

template <class Index, class Key, class Less>
std::vector<Index> order_of(const std::vector<Key>& keys, Less less)
{
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index l, Index r) {
    return less(keys[static_cast<std::size_t>(l)], keys[static_cast<std::size_t>(r)]);
  });
  return order;
}

template <class Index, class Key, class... Compare>
void check(const std::vector<Key>& keys, Compare... comp)
{
  INFO("n = " << keys.size());
  const auto x = test::to_device(keys);
  thrust::device_vector<Index> indices(keys.size(), Index{7});
  gimbal::argsort(par, x.begin(), x.end(), indices.begin(), comp...);
  const auto less = [&](const Key& l, const Key& r) {
    if constexpr (sizeof...(Compare) == 0) {
      return l < r;
    } else {
      return (comp, ...)(l, r);
    }
  };
  test::require_equal(test::to_host(indices), order_of<Index>(keys, less));
  test::require_equal(test::to_host(x), keys);
}

template <class Key>
std::vector<Key> few_different(std::size_t n)
{
  std::vector<Key> keys(n);
  std::mt19937 random(static_cast<unsigned>(n) + 1);
  for (Key& key : keys) {
    key = static_cast<Key>(static_cast<int>(random() % 300) - 100);
  }
  return keys;
}

TEST_CASE("argsort of each kind of key, ascending and descending")
{
  for (const std::size_t n : test::call_sizes()) {
    check<std::uint32_t>(few_different<std::uint32_t>(n));
    check<std::int64_t>(few_different<float>(n), thrust::greater<float>{});
    check<int>(few_different<std::uint8_t>(n), ::cuda::std::less<>{});
  }
  check<int>(test::random_values<double>(5000, 1));
  check<int>(test::random_values<std::int64_t>(9000, 2), ::cuda::std::greater<>{});
}

struct last_digit_less {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return l % 10 < r % 10; }
};
struct point {
  int x;
  int y;
  int z;

  friend GIMBAL_HOST_DEVICE bool operator==(const point& l, const point& r)
  {
    return l.x == r.x && l.y == r.y && l.z == r.z;
  }
  friend std::ostream& operator<<(std::ostream& out, const point& p)
  {
    return out << '{' << p.x << ' ' << p.y << ' ' << p.z << '}';
  }
};
struct by_y {
  GIMBAL_HOST_DEVICE bool operator()(const point& l, const point& r) const { return l.y < r.y; }
};

TEST_CASE("argsort by a comparison, structs too")
{
  for (const std::size_t n : test::call_sizes()) {
    const std::vector<int> keys = few_different<int>(n);
    check<int>(keys, last_digit_less{});
    std::vector<point> points(n);
    for (std::size_t i = 0; i < n; ++i) {
      points[i] = {static_cast<int>(i), keys[i], -1};
    }
    check<std::uint32_t>(points, by_y{});
  }
}

TEST_CASE("argsort through iterators")
{
  const std::size_t n = 6000;
  const std::vector<int> keys = few_different<int>(n);
  const auto x = test::to_device(keys);
  thrust::device_vector<int> indices(n);
  gimbal::argsort(
    par, thrust::make_transform_iterator(x.begin(), thrust::negate<int>{}),
    thrust::make_transform_iterator(x.end(), thrust::negate<int>{}), thrust::make_reverse_iterator(indices.end()));
  std::vector<int> expected = order_of<int>(keys, [](int l, int r) { return l > r; });
  std::reverse(expected.begin(), expected.end());
  test::require_equal(test::to_host(indices), expected);
}

TEST_CASE("argsort of a policy with a stream and an allocator")
{
  const std::vector<std::uint32_t> keys = few_different<std::uint32_t>(20000);
  const auto x = test::to_device(keys);
  thrust::device_vector<int> indices(keys.size());
  test::counting_allocator::counts counts;
  test::counting_allocator allocator{&counts};
  gimbal::argsort(par(allocator), x.begin(), x.end(), indices.begin());
  test::require_equal(test::to_host(indices), order_of<int>(keys, std::less<>{}));
  CHECK(counts.allocated > 0);
  CHECK(counts.live == 0);
}

TEST_CASE("an index type that cannot hold the last position is refused, and nothing leaks")
{
  const std::vector<int> keys = few_different<int>(257);
  const auto x = test::to_device(keys);
  thrust::device_vector<std::uint8_t> indices(257, std::uint8_t{9});
  const std::size_t used = test::pool_used();
  try {
    gimbal::argsort(par, x.begin(), x.end(), indices.begin());
    FAIL("nothing thrown");
  } catch (const thrust::system_error& error) {
    const std::string what = error.what();
    INFO(what);
    CHECK(what.find("argsort of 257 elements of 4 bytes") != std::string::npos);
    CHECK(what.find("positions in the type of the indices") != std::string::npos);
  }
  CHECK(test::pool_used() == used);
  test::require_equal(test::to_host(indices), std::vector<std::uint8_t>(257, std::uint8_t{9}));
  gimbal::argsort(par, x.begin(), x.end() - 1, indices.begin());  // 256 positions do fit
  std::vector<std::uint8_t> expected =
    order_of<std::uint8_t>(std::vector<int>(keys.begin(), keys.end() - 1), std::less<>{});
  expected.push_back(9);
  test::require_equal(test::to_host(indices), expected);
}

#if GIMBAL_GPU
TEST_CASE("argsort of many tiles")
{
  check<std::uint32_t>(test::random_values<std::uint32_t>(5000011, 3));
  check<std::int64_t>(few_different<std::uint64_t>(3000001));
}
#endif

TEST_CASE("a device-wide sort takes values of a counting iterator")
{
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{3000}, std::size_t{40000}}) {
    INFO("n = " << n);
    const std::vector<std::uint32_t> keys = few_different<std::uint32_t>(n);
    const std::vector<int> order = order_of<int>(keys, std::greater<>{});
    std::vector<std::uint32_t> sorted = keys;
    std::stable_sort(sorted.begin(), sorted.end(), std::greater<>{});
    test::device_array<std::uint32_t> x(keys);
    test::device_array<std::uint32_t> keys_out(n);
    test::device_array<int> indices(n);
    device_calls::two_phases([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceRadixSort::SortPairsDescending(
        storage, bytes, x.data(), keys_out.data(), thrust::counting_iterator<int>(0), indices.data(), n);
    });
    test::require_equal(keys_out.to_host(), sorted);
    test::require_equal(indices.to_host(), order);
    test::require_equal(x.to_host(), keys);
  }
}

}  // namespace argsort_test
