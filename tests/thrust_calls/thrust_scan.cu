// Compares the scan family through gimbal::par with stock Thrust on the same device system and a reference on the host.
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include <numeric>

#include "thrust_support.h"

namespace scan_test {

using gimbal::par;

struct twice {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return static_cast<int>(2u * static_cast<unsigned>(x)); }
};
struct same_hundred {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return l / 100 == r / 100; }
};
struct forgetful_sum {
  GIMBAL_HOST_DEVICE int operator()(int l, int r) { return l + r; }
};
struct add_pairs {
  using pair = thrust::tuple<int, long>;
  GIMBAL_HOST_DEVICE pair operator()(const pair& l, const pair& r) const
  {
    return {thrust::get<0>(l) + thrust::get<0>(r), thrust::get<1>(l) + thrust::get<1>(r)};
  }
};

template <class T, class Value, class Op>
std::vector<T> inclusive(const std::vector<Value>& values, Op op)
{
  std::vector<T> results;
  for (const Value& value : values) {
    results.push_back(
      results.empty() ? static_cast<T>(value) : static_cast<T>(op(results.back(), static_cast<T>(value))));
  }
  return results;
}

template <class T, class Value, class Op>
std::vector<T> exclusive(const std::vector<Value>& values, T init, Op op)
{
  std::vector<T> results;
  for (const Value& value : values) {
    results.push_back(init);
    init = static_cast<T>(op(init, static_cast<T>(value)));
  }
  return results;
}

// Stock takes long to compile for a GPU; what it says of these types is what the reference says.
template <class T>
inline constexpr bool is_beside_stock = !GIMBAL_GPU || std::is_same_v<T, int> || std::is_same_v<T, double>;

TEMPLATE_TEST_CASE("scans", "[scan]", double GIMBAL_MORE(signed char, unsigned short, int, long long, float))
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    const std::vector<TestType> values = test::random_values<TestType>(n, n);
    const auto x = test::to_device(values);
    thrust::device_vector<TestType> out(n), stock(n);
    const ::cuda::std::plus<> plus;

    CHECK(thrust::inclusive_scan(par, x.begin(), x.end(), out.begin()) == out.end());
    test::require_equal(test::to_host(out), inclusive<TestType>(values, plus));
    if constexpr (is_beside_stock<TestType>) {
      thrust::inclusive_scan(thrust::device, x.begin(), x.end(), stock.begin());
      test::require_equal(test::to_host(out), test::to_host(stock));
    }

    CHECK(thrust::exclusive_scan(par, x.begin(), x.end(), out.begin(), TestType{3}) == out.end());
    test::require_equal(test::to_host(out), exclusive(values, TestType{3}, plus));
    if constexpr (is_beside_stock<TestType>) {
      thrust::exclusive_scan(thrust::device, x.begin(), x.end(), stock.begin(), TestType{3});
      test::require_equal(test::to_host(out), test::to_host(stock));
    }

    out = x;
    thrust::exclusive_scan(par, out.begin(), out.end(), out.begin());  // in place
    test::require_equal(test::to_host(out), exclusive(values, TestType{}, plus));
  }
}

TEST_CASE("scans deduce stock's accumulators")
{
  const std::size_t n = 3000;
  SECTION("exclusive: the type of init")
  {
    const auto x = test::to_device(std::vector<float>(n, 0.75f));
    thrust::device_vector<double> out(n), stock(n);
    thrust::exclusive_scan(par, x.begin(), x.end(), out.begin(), 1);
    thrust::exclusive_scan(thrust::device, x.begin(), x.end(), stock.begin(), 1);
    test::require_equal(test::to_host(out), std::vector<double>(n, 1.0));  // 0.75 becomes 0 as an int
#if GIMBAL_GPU
    test::require_equal(test::to_host(out), test::to_host(stock));
#endif
    thrust::exclusive_scan(par, x.begin(), x.end(), out.begin(), 0.0);
    CHECK(out[n - 1] == 0.75 * (n - 1));
  }
  SECTION("inclusive: the type of the input")
  {
    const auto x = test::to_device(std::vector<unsigned char>(n, 1));
    thrust::device_vector<int> out(n), stock(n);
    thrust::inclusive_scan(par, x.begin(), x.end(), out.begin());
    CHECK(out[299] == 300 % 256);
#if GIMBAL_GPU
    thrust::inclusive_scan(thrust::device, x.begin(), x.end(), stock.begin());
    test::require_equal(test::to_host(out), test::to_host(stock));
#endif
  }
  SECTION("inclusive with init: what the operator returns")
  {
    const auto x = test::to_device(std::vector<unsigned char>(n, 1));
    thrust::device_vector<int> out(n);
    thrust::inclusive_scan(par, x.begin(), x.end(), out.begin(), 100000, ::cuda::std::plus<>{});
    CHECK(out[n - 1] == 100000 + static_cast<int>(n));
  }
}

template <class T, class Op = ::cuda::std::plus<>>
constexpr bool adds_words()
{
  using op = decltype(gimbal::adaptor::scan_operator<gimbal::algorithm::exclusive_scan_tag, const T*, T>(Op{}));
  return gimbal::block::packed_sums<op, T, T, 4>::can_fold;
}

TEST_CASE("sums of small integers are taken a word at a time")
{
  STATIC_REQUIRE(adds_words<signed char>());
  STATIC_REQUIRE(adds_words<unsigned char>());
  STATIC_REQUIRE(adds_words<short>());
  STATIC_REQUIRE(adds_words<unsigned short, ::cuda::std::plus<unsigned short>>());
  STATIC_REQUIRE(adds_words<short, ::cuda::std::plus<int>>());
  STATIC_REQUIRE_FALSE(adds_words<short, ::cuda::std::plus<signed char>>());
  STATIC_REQUIRE_FALSE(adds_words<bool>());
}

TEST_CASE("scans keep the order of operands")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    const std::vector<test::matrix> values = test::random_values<test::matrix>(n, 5);
    const auto x = test::to_device(values);
    thrust::device_vector<test::matrix> out(n, test::matrix{});
    thrust::inclusive_scan(par, x.begin(), x.end(), out.begin(), test::matrix_product{});
    test::require_equal(test::to_host(out), inclusive<test::matrix>(values, test::matrix_product{}));
    const test::matrix init{1, 2, 3, 4};
    thrust::exclusive_scan(par, x.begin(), x.end(), out.begin(), init, test::matrix_product{});
    test::require_equal(test::to_host(out), exclusive(values, init, test::matrix_product{}));
  }
}

TEST_CASE("scans over fancy iterators, unaligned memory and with non-const operators")
{
  const int n = 3000;
  const std::vector<int> values = test::random_values<int>(n, 6);
  std::vector<int> reversed(values.rbegin(), values.rend());
  auto x = test::to_device(values);
  thrust::device_vector<int> out(n);
  thrust::inclusive_scan(par, x.rbegin(), x.rend(), out.rbegin(), forgetful_sum{});
  const std::vector<int> got = test::to_host(out);
  const auto plus = [](int l, int r) { return static_cast<int>(static_cast<unsigned>(l) + static_cast<unsigned>(r)); };
  test::require_equal(std::vector<int>(got.rbegin(), got.rend()), inclusive<int>(reversed, plus));

  const thrust::counting_iterator<int> count(0);
  const auto halves = thrust::make_transform_output_iterator(out.begin(), twice{});
  CHECK(thrust::exclusive_scan(par, count, count + n, halves) - halves == n);
  CHECK(out[n - 1] == (n - 1) * (n - 2));

  thrust::device_vector<long> longs(n);
  const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(count, thrust::constant_iterator<long>(2)));
  const auto zipped_out = thrust::make_zip_iterator(thrust::make_tuple(out.begin(), longs.begin()));
  thrust::inclusive_scan(par, zipped, zipped + n, zipped_out, add_pairs{});
  CHECK(out[n - 1] == n * (n - 1) / 2);
  CHECK(longs[n - 1] == 2 * n);

  int* const raw = thrust::raw_pointer_cast(x.data());
  thrust::inclusive_scan(par, raw + 1, raw + n, raw + 1, ::cuda::std::plus<unsigned>{});
  CHECK(x[0] == values[0]);
  CHECK(x[n - 1] == inclusive<int>(std::vector<int>(values.begin() + 1, values.end()), plus).back());
}

TEST_CASE("transform scans")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    const std::vector<int> values = test::random_values<int>(n, 7);
    const auto x = test::to_device(values);
    thrust::device_vector<unsigned> out(n), stock(n);
    const ::cuda::std::plus<unsigned> plus;
    thrust::transform_inclusive_scan(par, x.begin(), x.end(), out.begin(), twice{}, plus);
    thrust::transform_inclusive_scan(thrust::device, x.begin(), x.end(), stock.begin(), twice{}, plus);
    test::require_equal(test::to_host(out), test::to_host(stock));
    thrust::transform_inclusive_scan(par, x.begin(), x.end(), out.begin(), twice{}, 9u, plus);
    thrust::transform_inclusive_scan(thrust::device, x.begin(), x.end(), stock.begin(), twice{}, 9u, plus);
    test::require_equal(test::to_host(out), test::to_host(stock));
    thrust::transform_exclusive_scan(par, x.begin(), x.end(), out.begin(), twice{}, 9u, plus);
    thrust::transform_exclusive_scan(thrust::device, x.begin(), x.end(), stock.begin(), twice{}, 9u, plus);
    test::require_equal(test::to_host(out), test::to_host(stock));
  }
}

TEST_CASE("scans by key")
{
  for (const std::size_t n : test::call_sizes()) {
    for (const int run : {1, 40, 3000}) {
      INFO("n = " << n << ", runs of up to " << run);
      std::mt19937_64 random(n + run);
      std::vector<int> keys;
      while (keys.size() < n) {
        keys.insert(keys.end(), random() % run + 1, static_cast<int>(random() % 5));
      }
      keys.resize(n);
      const auto k = test::to_device(keys);
      const auto v = test::to_device(test::random_values<int>(n, n));
      thrust::device_vector<int> out(n), stock(n);
      const auto compare = [&] { test::require_equal(test::to_host(out), test::to_host(stock)); };
      CHECK(thrust::inclusive_scan_by_key(par, k.begin(), k.end(), v.begin(), out.begin()) == out.end());
      thrust::inclusive_scan_by_key(thrust::device, k.begin(), k.end(), v.begin(), stock.begin());
      compare();
      CHECK(thrust::exclusive_scan_by_key(par, k.begin(), k.end(), v.begin(), out.begin(), 5) == out.end());
      thrust::exclusive_scan_by_key(thrust::device, k.begin(), k.end(), v.begin(), stock.begin(), 5);
      compare();
      out = v;
      thrust::exclusive_scan_by_key(par, k.begin(), k.end(), out.begin(), out.begin());  // over the values
      thrust::exclusive_scan_by_key(thrust::device, k.begin(), k.end(), v.begin(), stock.begin());
      compare();
      out = k;
      thrust::inclusive_scan_by_key(par, out.begin(), out.end(), v.begin(), out.begin());  // over the keys
      thrust::inclusive_scan_by_key(thrust::device, k.begin(), k.end(), v.begin(), stock.begin());
      compare();
    }
  }
}

TEST_CASE("scans by key keep the order of operands and take any predicate")
{
  const int n = 5000;
  const std::vector<test::matrix> values = test::random_values<test::matrix>(n, 12);
  const auto v = test::to_device(values);
  const thrust::counting_iterator<int> keys(0);
  const test::matrix init{1, 2, 3, 4};
  std::vector<test::matrix> inclusive_values, exclusive_values;
  test::matrix running = init;
  for (int i = 0; i < n; ++i) {
    const bool is_head = i % 100 == 0;
    running = is_head ? init : running;
    exclusive_values.push_back(running);
    running = test::matrix_product{}(running, values[i]);
    inclusive_values.push_back(is_head ? values[i] : test::matrix_product{}(inclusive_values.back(), values[i]));
  }
  thrust::device_vector<test::matrix> out(n, test::matrix{});
  thrust::inclusive_scan_by_key(par, keys, keys + n, v.begin(), out.begin(), same_hundred{}, test::matrix_product{});
  test::require_equal(test::to_host(out), inclusive_values);
  thrust::exclusive_scan_by_key(
    par, keys, keys + n, v.begin(), out.begin(), init, same_hundred{}, test::matrix_product{});
  test::require_equal(test::to_host(out), exclusive_values);
}

TEST_CASE("floating-point scans give the same bits every time")
{
  std::vector<float> values(50000);
  std::mt19937 random(3);
  for (float& value : values) {
    value = std::uniform_real_distribution<float>(-1, 1)(random);
  }
  const auto x = test::to_device(values);
  thrust::device_vector<float> first(values.size()), again(values.size());
  thrust::inclusive_scan(par, x.begin(), x.end(), first.begin());
  for (int run = 0; run < 3; ++run) {
    thrust::inclusive_scan(par, x.begin(), x.end(), again.begin());
    test::require_equal(test::to_host(again), test::to_host(first));
  }
}

}  // namespace scan_test
