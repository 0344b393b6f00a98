// Compares the sort family through gimbal::par with stock Thrust on the same device system and std::stable_sort on the
// host.
#if __has_include(<cuda_fp16.h>)  // part of the CUDA toolkit, not of CCCL
#include <cuda_fp16.h>
#define GIMBAL_TEST_HALF
#endif
#include <thrust/functional.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>

#include "thrust_support.h"

namespace sort_test {

using gimbal::par;

// Before CCCL 3.1 the host systems' sort puts negative int keys behind positive ones.
constexpr bool stock_sorts_negative_keys = GIMBAL_GPU || CCCL_VERSION >= 3001000;

struct by_last_digit {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return (l & 15) < (r & 15); }
};
struct by_first {
  template <class Left, class Right>
  GIMBAL_HOST_DEVICE bool operator()(const Left& l, const Right& r) const
  {
    return static_cast<int>(thrust::get<0>(l)) < static_cast<int>(thrust::get<0>(r));
  }
};

/// Few distinct keys, so that stability shows.
template <class Key>
std::vector<Key> repeating_keys(std::size_t n, std::uint64_t seed)
{
  std::vector<Key> keys = test::random_values<Key>(n, seed);
  for (std::size_t i = 40; i < n; ++i) {
    keys[i] = keys[i % 40];
  }
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(seed));
  return keys;
}

template <class Key, class Compare>
void check_sort(const std::vector<Key>& keys, Compare comp)
{
  const std::size_t n = keys.size();
  INFO("n = " << n);
  std::vector<Key> expected = keys;
  std::stable_sort(expected.begin(), expected.end(), comp);
  auto x = test::to_device(keys);
  Key* const first = thrust::raw_pointer_cast(x.data());  // stock's iterators ask for default constructors
  thrust::sort(par, first, first + n, comp);
  test::require_equal(test::to_host(x), expected);
  CHECK(thrust::is_sorted(par, first, first + n, comp));
}

template <class Key, class Compare>
void check_sort_by_key(const std::vector<Key>& keys, Compare comp)
{
  const std::size_t n = keys.size();
  INFO("n = " << n);
  std::vector<Key> expected = keys;
  std::stable_sort(expected.begin(), expected.end(), comp);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int l, int r) { return comp(keys[l], keys[r]); });

  auto x = test::to_device(keys);
  Key* const first = thrust::raw_pointer_cast(x.data());
  thrust::device_vector<int> positions(n);
  thrust::sequence(positions.begin(), positions.end());
  thrust::stable_sort_by_key(par, first, first + n, positions.begin(), comp);
  test::require_equal(test::to_host(x), expected);
  test::require_equal(test::to_host(positions), order);
}

// Which order the keys are in is a matter of a few instructions at either end of the kernels: each order once, one of
// them with values. The tests of the kernels have all four.
TEMPLATE_TEST_CASE(
  "sort of arithmetic keys", "[sort]", int GIMBAL_MORE(signed char, unsigned short, unsigned, long long, float, double))
{
  using less = ::cuda::std::less<TestType>;
  for (const std::size_t n : test::call_sizes()) {
    const std::vector<TestType> keys = test::random_values<TestType>(n, n);
    const std::vector<TestType> repeating = repeating_keys<TestType>(n, n);
    check_sort(keys, less{});
    check_sort_by_key(repeating, ::cuda::std::greater<>{});
  }
}

TEST_CASE("sort beside stock")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<int> keys = test::random_values<int>(n, n);
    if (!stock_sorts_negative_keys) {
      for (int& key : keys) {
        key &= std::numeric_limits<int>::max();
      }
    }
    auto x = test::to_device(keys), y = x;
    thrust::sort(par, x.begin(), x.end());
    thrust::sort(thrust::device, y.begin(), y.end());
    test::require_equal(test::to_host(x), test::to_host(y));
    thrust::device_vector<int> values(n), stock_values(n);
    thrust::sequence(values.begin(), values.end());
    thrust::sequence(stock_values.begin(), stock_values.end());
    const auto repeated = test::to_device(repeating_keys<unsigned>(n, 1));
    auto k = repeated, stock_k = repeated;
    thrust::sort_by_key(par, k.begin(), k.end(), values.begin(), ::cuda::std::greater<unsigned>{});
    thrust::stable_sort_by_key(
      thrust::device, stock_k.begin(), stock_k.end(), stock_values.begin(), ::cuda::std::greater<unsigned>{});
    test::require_equal(test::to_host(k), test::to_host(stock_k));
    test::require_equal(test::to_host(values), test::to_host(stock_values));
  }
}

TEST_CASE("zeros of both signs stay in order, NaN go to the ends by their sign")
{
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> keys = {0.0f, nan, -0.0f, -infinity, 1.0f, -nan, 0.0f, infinity, -0.0f, -1.0f};
  auto x = test::to_device(keys);
  thrust::device_vector<int> positions(keys.size());
  thrust::sequence(positions.begin(), positions.end());
  SECTION("ascending")
  {
    thrust::stable_sort_by_key(par, x.begin(), x.end(), positions.begin());
    test::require_equal(test::to_host(positions), std::vector<int>{5, 3, 9, 0, 2, 6, 8, 4, 7, 1});
  }
  SECTION("descending")
  {
    thrust::stable_sort_by_key(par, x.begin(), x.end(), positions.begin(), ::cuda::std::greater<>{});
    test::require_equal(test::to_host(positions), std::vector<int>{1, 7, 4, 0, 2, 6, 8, 9, 3, 5});
  }
#if GIMBAL_GPU
  SECTION("as stock")
  {
    auto y = test::to_device(keys);
    thrust::device_vector<int> stock_positions(keys.size());
    thrust::sequence(stock_positions.begin(), stock_positions.end());
    thrust::stable_sort_by_key(par, x.begin(), x.end(), positions.begin());
    thrust::stable_sort_by_key(thrust::device, y.begin(), y.end(), stock_positions.begin());
    test::require_equal(test::to_host(positions), test::to_host(stock_positions));
  }
#endif
}

TEST_CASE("sort by any order, and of keys that are structs")
{
  for (const std::size_t n : test::call_sizes()) {
    check_sort(test::random_values<int>(n, n), by_last_digit{});
    check_sort_by_key(test::random_values<int>(n, n), by_last_digit{});
    check_sort(test::random_values<test::bytes3>(n, n), ::cuda::std::less<>{});
    check_sort_by_key(repeating_keys<test::tagged>(n, n), ::cuda::std::less<test::tagged>{});
  }
}

#ifdef GIMBAL_TEST_HALF
TEST_CASE("sort of __half keys")
{
  std::vector<float> keys = repeating_keys<float>(3000, 3);
  thrust::device_vector<__half> x(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    x[i] = __float2half(keys[i]);
  }
  thrust::sort(par, x.begin(), x.end());
  std::sort(keys.begin(), keys.end());
  std::vector<float> got;
  for (const __half& key : test::to_host(x)) {
    got.push_back(__half2float(key));
  }
  test::require_equal(got, keys);
}
#endif

TEST_CASE("sort over fancy iterators and unaligned memory")
{
  const std::size_t n = 5000;
  const std::vector<int> keys = test::random_values<int>(n, 4);
  std::vector<int> expected = keys;
  std::sort(expected.begin(), expected.end());
  auto x = test::to_device(keys);
  SECTION("reversed")
  {
    thrust::sort(par, x.rbegin(), x.rend());
    const std::vector<int> got = test::to_host(x);
    test::require_equal(std::vector<int>(got.rbegin(), got.rend()), expected);
  }
  SECTION("zipped")
  {
    auto y = x;
    const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
    thrust::sort(par, zipped, zipped + n, by_first{});
    test::require_equal(test::to_host(x), expected);
    test::require_equal(test::to_host(y), expected);
  }
  SECTION("values through an iterator")
  {
    thrust::device_vector<int> positions(n), reversed(n);
    thrust::sequence(positions.begin(), positions.end());
    thrust::sequence(reversed.begin(), reversed.end());
    auto y = x;
    thrust::sort_by_key(par, x.begin(), x.end(), positions.begin());
    thrust::sort_by_key(par, y.begin(), y.end(), thrust::make_reverse_iterator(reversed.end()));
    for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
      CHECK(reversed[n - 1 - i] == static_cast<int>(n) - 1 - positions[i]);
    }
  }
  SECTION("unaligned")
  {
    int* const raw = thrust::raw_pointer_cast(x.data());
    thrust::sort(par, raw + 1, raw + n);
    std::vector<int> got = test::to_host(x);
    CHECK(got[0] == keys[0]);
    std::vector<int> rest(keys.begin() + 1, keys.end());
    std::sort(rest.begin(), rest.end());
    test::require_equal(std::vector<int>(got.begin() + 1, got.end()), rest);
  }
}

/// The positions of `n` items in the stable order of `before`.
template <class Before>
std::vector<std::size_t> stable_order(std::size_t n, Before before)
{
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}
template <class T>
std::vector<T> taken(const std::vector<T>& items, const std::vector<std::size_t>& order)
{
  std::vector<T> result;
  for (const std::size_t i : order) {
    result.push_back(items[i]);
  }
  return result;
}
/// Few different numbers, so that the arrays behind decide.
template <class T>
std::vector<T> few_different(std::size_t n, unsigned seed, int different)
{
  std::vector<T> items;
  for (const int any : test::random_values<int>(n, seed)) {
    items.push_back(static_cast<T>(any % different));
  }
  return items;
}

TEST_CASE("tuples of a zip iterator are sorted in lexicographic order, few and many")
{
  const auto least = static_cast<std::size_t>(gimbal::tuning::least_lexicographic_items(GENERATE(false, true)));
  const std::size_t n = GENERATE_COPY(std::size_t{0}, std::size_t{1}, std::size_t{700}, least - 1, least + 77);
  const auto a = few_different<int>(n, 1, 50);
  const auto b = few_different<float>(n, 2, 40);
  const auto c = few_different<std::uint8_t>(n, 3, 200);
  auto signed_zeros = b;
  for (std::size_t i = 0; i < n; ++i) {
    signed_zeros[i] = b[i] == 0 && i % 2 == 0 ? -0.0f : b[i];
  }
  const auto positions = test::random_values<std::int64_t>(n, 4);
  auto x = test::to_device(a);
  auto y = test::to_device(signed_zeros);
  auto z = test::to_device(c);
  auto v = test::to_device(positions);
  const auto check_all = [&](const std::vector<std::size_t>& order) {
    test::require_equal(test::to_host(x), taken(a, order));
    const auto got = test::to_host(y);
    const auto wanted = taken(signed_zeros, order);
    CHECK((n == 0 || std::memcmp(got.data(), wanted.data(), n * sizeof(float)) == 0));  // zeros kept their signs
    test::require_equal(test::to_host(z), taken(c, order));
    test::require_equal(test::to_host(v), taken(positions, order));
  };
  SECTION("three arrays, no values")
  {
    const auto keys = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin(), z.begin()));
    thrust::stable_sort(par, keys, keys + n);
    const auto order = stable_order(n, [&](std::size_t i, std::size_t j) {
      return std::make_tuple(a[i], b[i], c[i]) < std::make_tuple(a[j], b[j], c[j]);
    });
    test::require_equal(test::to_host(x), taken(a, order));
    test::require_equal(test::to_host(z), taken(c, order));
  }
  SECTION("two arrays and values")
  {
    const auto keys = thrust::make_zip_iterator(thrust::make_tuple(z.begin(), y.begin()));
    const auto values = thrust::make_zip_iterator(thrust::make_tuple(v.begin(), x.begin()));
    thrust::stable_sort_by_key(par, keys, keys + n, values);
    check_all(stable_order(
      n, [&](std::size_t i, std::size_t j) { return std::make_tuple(c[i], b[i]) < std::make_tuple(c[j], b[j]); }));
  }
  SECTION("descending, values of one array")
  {
    const auto keys =
      thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin(), thrust::raw_pointer_cast(z.data())));
    thrust::sort_by_key(par, keys, keys + n, v.begin(), thrust::greater<>{});
    check_all(stable_order(n, [&](std::size_t i, std::size_t j) {
      return std::make_tuple(a[i], b[i], c[i]) > std::make_tuple(a[j], b[j], c[j]);
    }));
  }
  SECTION("one array")
  {
    const auto keys = thrust::make_zip_iterator(thrust::make_tuple(z.begin()));
    const auto values = thrust::make_zip_iterator(thrust::make_tuple(v.begin(), x.begin(), y.begin()));
    thrust::sort_by_key(par, keys, keys + n, values);
    check_all(stable_order(n, [&](std::size_t i, std::size_t j) { return c[i] < c[j]; }));
  }
}

}  // namespace sort_test
