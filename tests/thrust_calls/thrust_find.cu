// Compares find, mismatch, equal, is_sorted_until through gimbal::par with the standard library.
#include <thrust/equal.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/mismatch.h>
#include <thrust/sort.h>

#include <algorithm>
#include <numeric>

#include "thrust_support.h"

namespace find_test {

using gimbal::par;

struct above {
  int limit;
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x > limit; }
};
struct same_parity {
  GIMBAL_HOST_DEVICE bool operator()(int x, short y) const { return x % 2 == y % 2; }
};
struct squared {
  GIMBAL_HOST_DEVICE long operator()(long x) const { return x * x; }
};
struct greater {
  GIMBAL_HOST_DEVICE bool operator()(double x, double y) const { return x > y; }
};

/// The first, the last, and some in between.
std::vector<std::size_t> positions(std::size_t n) { return {0, n / 3, n / 2, n - 1}; }

TEST_CASE("find, find_if, find_if_not")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<int> values(n, 1);
    auto x = test::to_device(values);
    CHECK(thrust::find(par, x.begin(), x.end(), 5) == x.end());
    CHECK(thrust::find_if(par, x.begin(), x.end(), above{1}) == x.end());
    CHECK(thrust::find_if_not(par, x.begin(), x.end(), above{0}) == x.end());
    if (n == 0) {
      continue;
    }
    CHECK(thrust::find(par, x.begin(), x.end(), 1) == x.begin());
    CHECK(thrust::find_if_not(par, x.begin(), x.end(), above{1}) == x.begin());
    for (const std::size_t position : positions(n)) {
      values.assign(n, 1);
      values[n - 1] = values[(position + n - 1) / 2] = values[position] = 5;
      x = test::to_device(values);
      const auto found = x.begin() + static_cast<std::ptrdiff_t>(position);
      CHECK(thrust::find(par, x.begin(), x.end(), 5) == found);
      CHECK(thrust::find(par, x.begin(), x.end(), 5.0) == found);
      CHECK(thrust::find_if(par, x.begin(), x.end(), above{1}) == found);
      const int* const first = thrust::raw_pointer_cast(x.data());
      CHECK(thrust::find_if(par, first, first + n, above{1}) == first + position);
      const auto last = static_cast<std::size_t>(std::find(values.rbegin(), values.rend(), 1) - values.rbegin());
      CHECK(thrust::find(par, x.rbegin(), x.rend(), 1) == x.rbegin() + static_cast<std::ptrdiff_t>(last));
    }
  }
}

TEST_CASE("find over computed and zipped items")
{
  const auto squares = thrust::make_transform_iterator(thrust::make_counting_iterator(0l), squared{});
  CHECK(thrust::find(par, squares, squares + 100000, 1521 * 1521l) - squares == 1521);
  CHECK(thrust::find(par, squares, squares + 1000, 1521 * 1521l) - squares == 1000);

  const auto a = test::to_device(std::vector<int>{1, 2, 2, 3});
  const auto b = test::to_device(std::vector<short>{4, 5, 6, 6});
  const auto both = thrust::make_zip_iterator(a.begin(), b.begin());
  CHECK(thrust::find(par, both, both + 4, thrust::make_tuple(2, short{6})) - both == 2);
}

TEST_CASE("mismatch, equal")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 0);
    const auto x = test::to_device(values);
    std::vector<short> others(values.begin(), values.end());
    auto y = test::to_device(others);
    CHECK(thrust::equal(par, x.begin(), x.end(), y.begin()));
    CHECK(thrust::mismatch(par, x.begin(), x.end(), y.begin()).first == x.end());
    CHECK(thrust::mismatch(par, x.begin(), x.end(), y.begin()).second == y.end());
    if (n == 0) {
      continue;
    }
    for (const std::size_t position : positions(n)) {
      std::vector<short> changed = others;
      changed[position] = static_cast<short>(changed[position] + 2);
      changed[n - 1] = static_cast<short>(changed[n - 1] + 2);
      y = test::to_device(changed);
      CHECK_FALSE(thrust::equal(par, x.begin(), x.end(), y.begin()));
      CHECK(thrust::equal(par, x.begin(), x.end(), y.begin(), same_parity{}));
      const auto found = thrust::mismatch(par, x.begin(), x.end(), y.begin());
      CHECK(found.first - x.begin() == static_cast<std::ptrdiff_t>(position));
      CHECK(found.second - y.begin() == static_cast<std::ptrdiff_t>(position));
      CHECK(thrust::mismatch(par, x.begin(), x.end(), y.begin(), same_parity{}).first == x.end());
    }
  }
}

#if GIMBAL_HAS_MISMATCH_OF_RANGES
TEST_CASE("mismatch of ranges of different lengths")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 0);
    const auto x = test::to_device(values);
    for (const std::size_t length : {std::size_t{0}, n / 2, n, n + 1, 2 * n}) {
      INFO("beside " << length << " items");
      std::vector<short> others(length);
      std::iota(others.begin(), others.end(), short{0});
      const std::size_t shorter = std::min(n, length);
      for (const std::size_t position : {shorter, shorter / 2}) {
        if (position < shorter) {
          others[position] = static_cast<short>(others[position] + 2);
        }
        const auto y = test::to_device(others);
        const auto found = thrust::mismatch(par, x.begin(), x.end(), y.begin(), y.end());
        CHECK(found == thrust::mismatch(thrust::device, x.begin(), x.end(), y.begin(), y.end()));
        CHECK(found.first - x.begin() == static_cast<std::ptrdiff_t>(position));
        CHECK(found.second - y.begin() == static_cast<std::ptrdiff_t>(position));
        const auto end = thrust::mismatch(par, x.begin(), x.end(), y.begin(), y.end(), same_parity{});
        CHECK(end.first - x.begin() == static_cast<std::ptrdiff_t>(shorter));
        CHECK(end.second - y.begin() == static_cast<std::ptrdiff_t>(shorter));
      }
    }
  }
}
#endif

TEST_CASE("items of different types are compared as stock does")
{
  const auto x = test::to_device(std::vector<int>{1, 2, 3});
  const auto y = test::to_device(std::vector<double>{1, 2.5, 4});
  CHECK(
    thrust::mismatch(par, x.begin(), x.end(), y.begin()).first
    == thrust::mismatch(thrust::device, x.begin(), x.end(), y.begin()).first);
  CHECK(
    thrust::equal(par, x.begin(), x.begin() + 2, y.begin())
    == thrust::equal(thrust::device, x.begin(), x.begin() + 2, y.begin()));
#if GIMBAL_HAS_MISMATCH_OF_RANGES
  CHECK(
    thrust::mismatch(par, x.begin(), x.end(), y.begin(), y.end())
    == thrust::mismatch(thrust::device, x.begin(), x.end(), y.begin(), y.end()));
#endif
}

TEST_CASE("is_sorted_until")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 0.0);
    auto x = test::to_device(values);
    CHECK(thrust::is_sorted_until(par, x.begin(), x.end()) == x.end());
    CHECK(thrust::is_sorted_until(par, x.rbegin(), x.rend(), greater{}) == x.rend());
    CHECK(
      thrust::is_sorted_until(par, x.begin(), x.end(), greater{}) - x.begin()
      == static_cast<std::ptrdiff_t>(std::min<std::size_t>(n, 1)));
    if (n < 2) {
      continue;
    }
    for (const std::size_t position : {std::size_t{1}, n / 2, n - 1}) {
      values[position] = -1;
      x = test::to_device(values);
      const auto expected = std::is_sorted_until(values.begin(), values.end()) - values.begin();
      CHECK(thrust::is_sorted_until(par, x.begin(), x.end()) - x.begin() == expected);
      values[position] = static_cast<double>(position);
    }
  }
}

}  // namespace find_test
