// Compares the reduce family through gimbal::par with stock Thrust on the same device system and a reference on the
// host.
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

#include <algorithm>
#include <numeric>

#include "thrust_support.h"

namespace reduce_test {

using gimbal::par;

struct twice {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return static_cast<int>(2u * static_cast<unsigned>(x)); }
};
struct above {
  int bound;
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x > bound; }
};
struct larger {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& l, const T& r) const
  {
    return l < r ? r : l;
  }
};
struct by_last_digit {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return (l & 7) < (r & 7); }
};
struct same_block {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return l / 900 == r / 900; }
};
struct add_pairs {
  using pair = thrust::tuple<int, long>;
  GIMBAL_HOST_DEVICE pair operator()(const pair& l, const pair& r) const
  {
    return {thrust::get<0>(l) + thrust::get<0>(r), thrust::get<1>(l) + thrust::get<1>(r)};
  }
};
// A call operator that is not const, as users write them.
struct forgetful_sum {
  GIMBAL_HOST_DEVICE int operator()(int l, int r) { return l + r; }
};

TEMPLATE_TEST_CASE(
  "reduce", "[reduce]", double GIMBAL_MORE(signed char, unsigned short, int, unsigned long long, float, __int128_t))
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<TestType> values = test::random_values<TestType>(n + 1, n);
    values.resize(n);
    const auto x = test::to_device(values);
    const TestType sum = std::accumulate(
      values.begin(), values.end(), TestType{}, [](TestType l, TestType r) { return static_cast<TestType>(l + r); });
    CHECK((thrust::reduce(par, x.begin(), x.end()) == sum));
    CHECK((thrust::reduce(thrust::device, x.begin(), x.end()) == sum));
    CHECK((thrust::reduce(par, x.begin(), x.end(), TestType{1}) == static_cast<TestType>(sum + 1)));
    const TestType most = std::accumulate(values.begin(), values.end(), TestType{3}, larger{});
    CHECK((thrust::reduce(par, x.begin(), x.end(), TestType{3}, larger{}) == most));
  }
}

TEST_CASE("reduce deduces stock's accumulator")
{
  const std::vector<float> values = {0.6f, 0.6f, 0.6f, 0.6f};
  const auto x = test::to_device(values);
  SECTION("plus<int> adds converted values")
  {
    const int got = thrust::reduce(par, x.begin(), x.end(), 0);
    CHECK(got == thrust::reduce(thrust::device, x.begin(), x.end(), 0));
    CHECK(got == 0);
  }
  SECTION("plus<> adds in float, the result is an int")
  {
    CHECK(thrust::reduce(par, x.begin(), x.end(), 0, ::cuda::std::plus<>{}) == 2);
  }
  SECTION("a double does not overflow")
  {
    const auto y = test::to_device(std::vector<int>(1000, 2000000000));
    CHECK(thrust::reduce(par, y.begin(), y.end(), 0.0) == 2e12);
    CHECK(thrust::reduce(par, y.begin(), y.end(), 0.0) == thrust::reduce(thrust::device, y.begin(), y.end(), 0.0));
    CHECK(thrust::reduce(par, y.begin(), y.end(), 0ll) == 2000000000000ll);
  }
}

TEST_CASE("reduce keeps the order of operands")
{
  for (const std::size_t n : test::call_sizes()) {
    const std::vector<test::matrix> values = test::random_values<test::matrix>(n, 5);
    const auto x = test::to_device(values);
    const test::matrix one{1, 0, 0, 1};
    CHECK(
      thrust::reduce(par, x.begin(), x.end(), one, test::matrix_product{})
      == std::accumulate(values.begin(), values.end(), one, test::matrix_product{}));
  }
}

TEST_CASE("reduce takes values without a default constructor and operators that are not const")
{
  const std::vector<test::tagged> values = test::random_values<test::tagged>(5000, 6);
  const auto x = test::to_device(values);
  const test::tagged* const first = thrust::raw_pointer_cast(x.data());
  const test::tagged zero(0, 7);
  CHECK(
    thrust::reduce(par, first, first + x.size(), zero, test::add_keep_left{})
    == std::accumulate(values.begin(), values.end(), zero, test::add_keep_left{}));
  const auto y = test::to_device(std::vector<int>(3000, 3));
  CHECK(thrust::reduce(par, y.begin(), y.end(), 1, forgetful_sum{}) == 9001);
}

TEST_CASE("reduce over fancy iterators")
{
  const std::size_t n = 5000;
  const std::vector<int> values = test::random_values<int>(n, 8);
  const auto x = test::to_device(values);
  const unsigned sum = static_cast<unsigned>(std::accumulate(values.begin(), values.end(), 0u));
  const unsigned zero = 0;
  const thrust::counting_iterator<int> count(0);
  CHECK(thrust::reduce(par, count, count + 5000, 0l) == 5000l * 4999 / 2);
  CHECK(
    thrust::reduce(par, thrust::make_reverse_iterator(x.end()), thrust::make_reverse_iterator(x.begin()), zero) == sum);
  const auto doubled = thrust::make_transform_iterator(x.begin(), twice{});
  CHECK(thrust::reduce(par, doubled, doubled + n, zero) == 2 * sum);
  const auto permuted = thrust::make_permutation_iterator(x.begin(), thrust::make_reverse_iterator(count + 5000));
  CHECK(thrust::reduce(par, permuted, permuted + n, zero) == sum);
  const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(count, thrust::constant_iterator<long>(2)));
  const add_pairs::pair pairs = thrust::reduce(par, zipped, zipped + 100, add_pairs::pair(0, 0), add_pairs{});
  CHECK(thrust::get<0>(pairs) == 4950);
  CHECK(thrust::get<1>(pairs) == 200);
  const int* raw = thrust::raw_pointer_cast(x.data());
  CHECK(
    thrust::reduce(par, raw + 1, raw + n, zero)
    == sum - static_cast<unsigned>(values[0]));  // not on a 16-byte boundary
}

/// Of integers: exact in any order.
struct moments {
  long count;
  long sum;
  long squares;
};
bool operator==(const moments& l, const moments& r)
{
  return l.count == r.count && l.sum == r.sum && l.squares == r.squares;
}
struct to_moments {
  GIMBAL_HOST_DEVICE moments operator()(const int& x) const { return {1, x, long{x} * x}; }
};
struct add_moments {
  GIMBAL_HOST_DEVICE moments operator()(const moments& l, const moments& r) const
  {
    return {l.count + r.count, l.sum + r.sum, l.squares + r.squares};
  }
};

TEST_CASE("transform_reduce to structs, by a function that takes references, of pointers and of a device_vector")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<int> values(n);
    moments wanted{7, 0, 0};
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<int>(i * 37 % 101);
      wanted = add_moments{}(wanted, to_moments{}(values[i]));
    }
    const auto x = test::to_device(values);
    const int* const first = thrust::raw_pointer_cast(x.data());
    const moments init{7, 0, 0};
    CHECK(thrust::transform_reduce(par, first, first + n, to_moments{}, init, add_moments{}) == wanted);
    CHECK(thrust::transform_reduce(par, x.begin(), x.end(), to_moments{}, init, add_moments{}) == wanted);
    const auto made = thrust::make_transform_iterator(first, to_moments{});
    CHECK(thrust::reduce(par, made, made + n, init, add_moments{}) == wanted);
    CHECK(thrust::transform_reduce(thrust::device, first, first + n, to_moments{}, init, add_moments{}) == wanted);
  }
}

TEST_CASE("transform_reduce, inner_product, count")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<int> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<int>(i * 37 % 101);
    }
    const auto x = test::to_device(values);
    const auto first = x.begin();
    const auto last = x.end();
    const long squares = std::inner_product(values.begin(), values.end(), values.begin(), 5l);
    CHECK(thrust::inner_product(par, first, last, first, 5l) == squares);
    CHECK(thrust::inner_product(thrust::device, first, last, first, 5l) == squares);
    const int most = thrust::inner_product(thrust::device, first, last, first, 1, larger{}, ::cuda::std::plus<int>{});
    CHECK(thrust::inner_product(par, first, last, first, 1, larger{}, ::cuda::std::plus<int>{}) == most);
    CHECK(
      thrust::transform_reduce(par, first, last, twice{}, 1l, ::cuda::std::plus<long>{})
      == thrust::transform_reduce(thrust::device, first, last, twice{}, 1l, ::cuda::std::plus<long>{}));
    CHECK(thrust::count(par, first, last, 50) == std::count(values.begin(), values.end(), 50));
    CHECK(thrust::count_if(par, first, last, above{70}) == std::count_if(values.begin(), values.end(), above{70}));
    CHECK(thrust::count_if(par, first, last, above{70}) == thrust::count_if(thrust::device, first, last, above{70}));
  }
}

TEST_CASE("extrema return the first of equivalent items")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    const std::vector<int> values = test::random_values<int>(n, n + 1);
    const auto x = test::to_device(values);
    const auto first = x.begin();
    const auto last = x.end();
    const by_last_digit digits;
    const auto least = std::min_element(values.begin(), values.end(), digits) - values.begin();
    const auto greatest = std::max_element(values.begin(), values.end(), digits) - values.begin();
    CHECK(thrust::min_element(par, first, last, digits) - first == least);
    CHECK(thrust::max_element(par, first, last, digits) - first == greatest);
    const auto both = thrust::minmax_element(par, first, last, digits);
    CHECK(both.first - first == least);
    CHECK(both.second - first == greatest);
    CHECK(thrust::min_element(par, first, last) == thrust::min_element(thrust::device, first, last));
    CHECK(thrust::max_element(par, first, last) == thrust::max_element(thrust::device, first, last));
    CHECK(thrust::minmax_element(par, first, last).first == thrust::min_element(thrust::device, first, last));
  }
}

TEMPLATE_TEST_CASE("counts and extrema wherever the array starts", "[reduce]", signed char, unsigned short, double)
{
  for (const std::size_t n : {1, 100, 40001}) {
    const auto x = test::to_device(test::random_values<TestType>(n, n));
    for (const std::size_t shift : {0, 1}) {
      INFO("n = " << n << ", shifted by " << shift);
      const auto values = test::to_host(x);
      const TestType* const first = thrust::raw_pointer_cast(x.data()) + shift;
      const TestType* const last = first + (n - shift);
      const auto wanted = values.begin() + shift;
      CHECK(thrust::count(par, first, last, values[n / 2]) == std::count(wanted, values.end(), values[n / 2]));
      CHECK(thrust::min_element(par, first, last) - first == std::min_element(wanted, values.end()) - wanted);
      CHECK(thrust::minmax_element(par, first, last).second - first == std::max_element(wanted, values.end()) - wanted);
    }
  }
}

TEST_CASE("extrema of structs and of fancy iterators")
{
  const std::vector<test::tagged> values = test::random_values<test::tagged>(3000, 9);
  const auto x = test::to_device(values);
  const auto reverse = thrust::make_reverse_iterator(thrust::raw_pointer_cast(x.data()) + 3000);
  CHECK(
    thrust::max_element(par, reverse, reverse + 3000, ::cuda::std::less<>{}) - reverse
    == std::max_element(values.rbegin(), values.rend()) - values.rbegin());
  const thrust::counting_iterator<long> count(10);
  CHECK(*thrust::max_element(par, count, count + 100) == 109);
}

TEST_CASE("all_of, any_of, none_of")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    const auto low = test::to_device(std::vector<int>(n, 1));
    CHECK(thrust::all_of(par, low.begin(), low.end(), above{0}));
    CHECK_FALSE(thrust::any_of(par, low.begin(), low.end(), above{1}));
    CHECK(thrust::none_of(par, low.begin(), low.end(), above{1}));
    if (n == 0) {
      continue;
    }
    for (const std::size_t position : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<int> values(n, 1);
      values[position] = 9;
      const auto x = test::to_device(values);
      CHECK(thrust::any_of(par, x.begin(), x.end(), above{5}));
      CHECK_FALSE(thrust::none_of(par, x.begin(), x.end(), above{5}));
      CHECK(thrust::all_of(par, x.begin(), x.end(), above{5}) == (n == 1));
    }
  }
}

TEST_CASE("is_sorted, is_partitioned")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 0);
    auto x = test::to_device(values);
    CHECK(thrust::is_sorted(par, x.begin(), x.end()));
    CHECK(thrust::is_sorted(par, x.begin(), x.end(), by_last_digit{}) == (n <= 8));
    CHECK(thrust::is_partitioned(par, x.rbegin(), x.rend(), above{10}));
    CHECK(thrust::is_partitioned(par, x.begin(), x.end(), above{10}) == (n <= 11));
    if (n < 2) {
      continue;
    }
    for (const std::size_t position : {std::size_t{0}, (n - 2) / 2, n - 2}) {
      std::vector<int> swapped = values;
      std::swap(swapped[position], swapped[position + 1]);
      x = test::to_device(swapped);
      CHECK_FALSE(thrust::is_sorted(par, x.begin(), x.end()));
      CHECK_FALSE(thrust::is_partitioned(par, x.rbegin(), x.rend(), above{static_cast<int>(position)}));
    }
  }
}

TEMPLATE_TEST_CASE("reduce_by_key", "[reduce_by_key]", int, double)
{
  for (const std::size_t n : test::call_sizes()) {
    for (const std::size_t run : {std::size_t{1}, std::size_t{3}, std::size_t{700}}) {
      INFO("n = " << n << ", runs of up to " << run);
      std::mt19937_64 random(n + run);
      std::vector<int> keys;
      while (keys.size() < n) {
        keys.insert(
          keys.end(), std::min<std::size_t>(n - keys.size(), random() % run + 1), static_cast<int>(random() % 3));
      }
      const std::vector<TestType> values = test::random_values<TestType>(n, n);
      const auto k = test::to_device(keys);
      const auto v = test::to_device(values);
      thrust::device_vector<int> keys_out(n), stock_keys_out(n);
      thrust::device_vector<TestType> values_out(n), stock_values_out(n);
      const auto end = thrust::reduce_by_key(par, k.begin(), k.end(), v.begin(), keys_out.begin(), values_out.begin());
      const auto stock_end = thrust::reduce_by_key(
        thrust::device, k.begin(), k.end(), v.begin(), stock_keys_out.begin(), stock_values_out.begin());
      REQUIRE(end.first - keys_out.begin() == stock_end.first - stock_keys_out.begin());
      REQUIRE(end.second - values_out.begin() == stock_end.second - stock_values_out.begin());
      const std::size_t runs = end.first - keys_out.begin();
      for (auto* out : {&keys_out, &stock_keys_out}) {
        out->resize(runs);
      }
      for (auto* out : {&values_out, &stock_values_out}) {
        out->resize(runs);
      }
      test::require_equal(test::to_host(keys_out), test::to_host(stock_keys_out));
      test::require_equal(test::to_host(values_out), test::to_host(stock_values_out));
    }
  }
}

TEST_CASE("reduce_by_key keeps the order of operands and discards keys")
{
  const std::size_t n = 5000;
  const std::vector<test::matrix> values = test::random_values<test::matrix>(n, 12);
  const auto v = test::to_device(values);
  const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), ::cuda::std::negate<int>{});
  std::vector<test::matrix> expected;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || !same_block{}(-static_cast<int>(i - 1), -static_cast<int>(i))) {
      expected.push_back(values[i]);
    } else {
      expected.back() = test::matrix_product{}(expected.back(), values[i]);
    }
  }
  thrust::device_vector<test::matrix> out(expected.size());
  const auto end = thrust::reduce_by_key(
    par, keys, keys + n, v.begin(), thrust::make_discard_iterator(), out.begin(), same_block{}, test::matrix_product{});
  REQUIRE(end.second - out.begin() == static_cast<std::ptrdiff_t>(expected.size()));
  test::require_equal(test::to_host(out), expected);
}

#if GIMBAL_HAS_REDUCE_INTO
TEST_CASE("reduce_into")
{
  for (const std::size_t n : test::call_sizes()) {
    const std::vector<int> values = test::random_values<int>(n, 3);
    const auto x = test::to_device(values);
    thrust::device_vector<unsigned> out(3);
    thrust::reduce_into(par, x.begin(), x.end(), out.begin(), 4u);
    thrust::reduce_into(par, x.begin(), x.end(), out.begin() + 1, 4u, ::cuda::std::plus<unsigned>{});
    thrust::reduce_into(thrust::device, x.begin(), x.end(), out.begin() + 2, 4u);
    CHECK(out[0] == std::accumulate(values.begin(), values.end(), 4u));
    CHECK(out[1] == out[0]);
    CHECK(out[2] == out[0]);
  }
}
#endif

}  // namespace reduce_test
