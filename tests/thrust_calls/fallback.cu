// Tests the calls that leave gimbal's kernels for stock: exactly the cases that fallback.h lists, with stock's results.
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <complex>
#include <cuda/std/complex>
#include <list>
#include <numeric>
#include <string>

#include "thrust_support.h"

namespace fallback_test {

using gimbal::par;
using gimbal::adaptor::fallback_reason;
using gimbal::adaptor::fallback_reason_v;
using gimbal::adaptor::iterators;
using gimbal::adaptor::values;
using test::fat;

struct is_even {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 == 0; }
  GIMBAL_HOST_DEVICE bool operator()(const fat& x) const { return x.key % 2 == 0; }
};

struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};

template <class T>
struct almost {
  T bytes[128 / sizeof(T)];
};

struct counted_copies {
  counted_copies(const counted_copies&) {}
};

TEST_CASE("the rules")
{
  REQUIRE(std::size(gimbal::adaptor::fallback_rules) == 2);
  CHECK(gimbal::adaptor::fallback_rules[0].reason == fallback_reason::value_type);
  CHECK(gimbal::adaptor::fallback_rules[1].reason == fallback_reason::iterator);
}

TEST_CASE("values the kernels take, and values they leave to stock")
{
  using pointer = int*;
  const auto reason = [](auto wrapped) { return fallback_reason_v<iterators<pointer>, decltype(wrapped)>; };
  CHECK(reason(values<bool, char, long long, __int128_t, float, double>{}) == fallback_reason::none);
  CHECK(reason(values<thrust::tuple<int, thrust::pair<char, double>>>{}) == fallback_reason::none);
  CHECK(reason(values<thrust::complex<double>, ::cuda::std::complex<float>>{}) == fallback_reason::none);
  CHECK(
    reason(values<test::bytes3, test::tagged, test::wide, almost<char>, almost<double>>{}) == fallback_reason::none);
  CHECK(reason(values<fat>{}) == fallback_reason::value_type);
  CHECK(reason(values<int, fat>{}) == fallback_reason::value_type);
  CHECK(reason(values<std::string>{}) == fallback_reason::value_type);
  CHECK(reason(values<counted_copies>{}) == fallback_reason::value_type);
}

TEST_CASE("iterators the kernels take, and iterators they leave to stock")
{
  const auto reason = [](auto wrapped) { return fallback_reason_v<decltype(wrapped), values<int>>; };
  CHECK(reason(iterators<int*, const int*, thrust::device_vector<int>::iterator>{}) == fallback_reason::none);
  CHECK(reason(iterators<thrust::device_ptr<int>, thrust::counting_iterator<int>>{}) == fallback_reason::none);
  CHECK(reason(iterators<std::vector<int>::iterator>{}) == fallback_reason::none);
  CHECK(reason(iterators<std::list<int>::iterator>{}) == fallback_reason::iterator);
  CHECK(reason(iterators<std::back_insert_iterator<std::vector<int>>>{}) == fallback_reason::iterator);
}

std::vector<fat> fat_values(std::size_t n)
{
  std::vector<fat> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    result[i].key = static_cast<int>(i * 7919 % 101 / 2);
  }
  return result;
}

/// Makes `call`, which must fall back. (Stock may come back with another signature of the same algorithm.)
template <class Call>
auto falls_back(Call call)
{
  const long before = gimbal::route::fallbacks();
  const auto result = call();
  CHECK(gimbal::route::fallbacks() > before);
  return result;
}

TEST_CASE("values that are too large run on stock, with the same results")
{
  const std::size_t n = 700;
  const std::vector<fat> source = fat_values(n);
  const auto x = test::to_device(source);
  auto out = x;
  const fat zero{};
  SECTION("reduce")
  {
    const fat sum = falls_back([&] { return thrust::reduce(par, x.begin(), x.end(), zero); });
    CHECK(sum == std::accumulate(source.begin(), source.end(), zero));
  }
  SECTION("max_element")
  {
    const auto most = falls_back([&] { return thrust::max_element(par, x.begin(), x.end()); });
    CHECK(most - x.begin() == std::max_element(source.begin(), source.end()) - source.begin());
  }
  SECTION("scans")
  {
    std::vector<fat> expected(n);
    std::partial_sum(source.begin(), source.end(), expected.begin());
    falls_back([&] { return thrust::inclusive_scan(par, x.begin(), x.end(), out.begin()); });
    test::require_equal(test::to_host(out), expected);
    falls_back([&] { return thrust::exclusive_scan(par, x.begin(), x.end(), out.begin(), zero); });
    expected.insert(expected.begin(), zero);
    expected.pop_back();
    test::require_equal(test::to_host(out), expected);
  }
  SECTION("copy_if, remove_if")
  {
    std::vector<fat> expected;
    std::copy_if(source.begin(), source.end(), std::back_inserter(expected), is_even{});
    const auto end = falls_back([&] { return thrust::copy_if(par, x.begin(), x.end(), out.begin(), is_even{}); });
    out.resize(end - out.begin());
    test::require_equal(test::to_host(out), expected);
    out = x;
    const auto rest = falls_back([&] { return thrust::remove_if(par, out.begin(), out.end(), is_even{}); });
    CHECK(rest - out.begin() == static_cast<std::ptrdiff_t>(n - expected.size()));
  }
  SECTION("unique")
  {
    std::vector<fat> expected = source;
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    const auto end = falls_back([&] { return thrust::unique(par, out.begin(), out.end()); });
    out.resize(end - out.begin());
    test::require_equal(test::to_host(out), expected);
  }
  SECTION("sort")
  {
    std::vector<fat> expected = source;
    std::stable_sort(expected.begin(), expected.end());
    falls_back([&] {
      thrust::sort(par, out.begin(), out.end());
      return 0;
    });
    test::require_equal(test::to_host(out), expected);
  }
}

TEST_CASE("what needs no storage for a value takes values of any size")
{
  const auto x = test::to_device(fat_values(500));
  const long before = gimbal::route::fallbacks();
  CHECK(thrust::count_if(par, x.begin(), x.end(), is_even{}) > 0);
  CHECK(thrust::any_of(par, x.begin(), x.end(), is_even{}));
  CHECK_FALSE(thrust::is_sorted(par, x.begin(), x.end()));
  CHECK(thrust::unique_count(par, x.begin(), x.end()) > 1);
  CHECK(thrust::partition_point(par, x.begin(), x.end(), is_even{}) != x.end());
  CHECK(gimbal::route::fallbacks() == before);
}

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CPP  // the other systems refuse these themselves
TEST_CASE("iterators that are not random access, and values with destructors, run on stock")
{
  const std::list<int> numbers = {3, 1, 4, 1, 5, 9, 2, 6};
  CHECK(falls_back([&] { return thrust::reduce(par, numbers.begin(), numbers.end()); }) == 31);
  CHECK(*falls_back([&] { return thrust::find(par, numbers.begin(), numbers.end(), 4); }) == 4);
  CHECK(falls_back([&] { return thrust::equal(par, numbers.begin(), numbers.end(), numbers.begin()); }));
  CHECK(
    falls_back([&] { return thrust::mismatch(par, numbers.begin(), numbers.end(), numbers.begin()); }).first
    == numbers.end());
#if GIMBAL_HAS_MISMATCH_OF_RANGES
  const auto end = std::next(numbers.begin(), 3);
  CHECK(
    falls_back([&] { return thrust::mismatch(par, numbers.begin(), numbers.end(), numbers.begin(), end); }).first
    == end);
#endif
  CHECK(*falls_back([&] { return thrust::is_sorted_until(par, numbers.begin(), numbers.end()); }) == 1);
  CHECK(falls_back([&] { return thrust::unique_count(par, numbers.begin(), numbers.end()); }) == 8);
  CHECK(*falls_back([&] { return thrust::partition_point(par, numbers.begin(), numbers.end(), is_odd{}); }) == 4);
  std::vector<int> even;
  falls_back([&] { return thrust::copy_if(par, numbers.begin(), numbers.end(), std::back_inserter(even), is_even{}); });
  CHECK(even == std::vector<int>{4, 2, 6});
  std::vector<std::string> words = {"to", "be", "or", "not", "to", "be"};
  falls_back([&] {
    thrust::sort(par, words.begin(), words.end());
    return 0;
  });
  CHECK(words == std::vector<std::string>{"be", "be", "not", "or", "to", "to"});
}
#endif

}  // namespace fallback_test
