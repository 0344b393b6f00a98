// Compares the partition family through gimbal::par with stock Thrust on the same device system and references on the
// host.
#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/unique.h>

#include <algorithm>

#include "thrust_support.h"

namespace partition_test {

using gimbal::par;

struct is_chosen {
  int divisor;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& x) const
  {
    return static_cast<unsigned>(x) % static_cast<unsigned>(divisor) == 0;
  }
};
struct is_marked {
  GIMBAL_HOST_DEVICE bool operator()(const test::bytes3& x) const { return x.x % 2 == 0; }
  GIMBAL_HOST_DEVICE bool operator()(const test::tagged& x) const { return x.value() % 2 == 0; }
  GIMBAL_HOST_DEVICE bool operator()(const test::wide& x) const { return x.y % 2 == 0; }
};
struct same_block {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return l / 16 == r / 16; }
};
/// Not the same with its operands exchanged, and not const.
struct one_more {
  GIMBAL_HOST_DEVICE bool operator()(int before, int item) { return item == before + 1; }
};
struct forgetful {
  GIMBAL_HOST_DEVICE bool operator()(int x) { return x % 2 != 0; }
};

template <class T, class Predicate>
std::vector<T> chosen(const std::vector<T>& values, Predicate pred, bool wanted = true)
{
  std::vector<T> result;
  for (const T& value : values) {
    if (pred(value) == wanted) {
      result.push_back(value);
    }
  }
  return result;
}

template <class T>
std::ptrdiff_t size(const std::vector<T>& values)
{
  return static_cast<std::ptrdiff_t>(values.size());
}

template <class T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second)
{
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

template <class T>
std::vector<T> prefix(const thrust::device_vector<T>& values, std::ptrdiff_t size)
{
  const std::vector<T> all = test::to_host(values);
  REQUIRE(size >= 0);
  REQUIRE(size <= static_cast<std::ptrdiff_t>(all.size()));
  return std::vector<T>(all.begin(), all.begin() + size);
}

/// All, none, half and few of the items.
const int divisors[] = {1, 1 << 30, 2, 100};

TEMPLATE_TEST_CASE("selection by predicate", "[partition]", unsigned char, int, unsigned long long)
{
  for (const std::size_t n : test::call_sizes()) {
    for (const int divisor : divisors) {
      INFO("n = " << n << ", every " << divisor);
      std::vector<TestType> values = test::random_values<TestType>(n, n);
      for (TestType& value : values) {
        value |= divisor == 1 << 30;
      }
      const is_chosen pred{divisor};
      const auto yes = chosen(values, pred);
      const auto no = chosen(values, pred, false);
      const std::ptrdiff_t yeses = yes.size();
      const std::ptrdiff_t noes = no.size();
      const auto x = test::to_device(values);
      thrust::device_vector<TestType> out(n), out2(n);

      REQUIRE(thrust::copy_if(par, x.begin(), x.end(), out.begin(), pred) - out.begin() == yeses);
      test::require_equal(prefix(out, yeses), yes);
      REQUIRE(thrust::remove_copy_if(par, x.begin(), x.end(), out.begin(), pred) - out.begin() == noes);
      test::require_equal(prefix(out, noes), no);
      const auto ends = thrust::partition_copy(par, x.begin(), x.end(), out.begin(), out2.begin(), pred);
      REQUIRE(ends.first - out.begin() == yeses);
      REQUIRE(ends.second - out2.begin() == noes);
      test::require_equal(prefix(out, yeses), yes);
      test::require_equal(prefix(out2, noes), no);

      out = x;
      REQUIRE(thrust::remove_if(par, out.begin(), out.end(), pred) - out.begin() == noes);
      test::require_equal(prefix(out, noes), no);
      out = x;
      REQUIRE(thrust::stable_partition(par, out.begin(), out.end(), pred) - out.begin() == yeses);
      test::require_equal(test::to_host(out), joined(yes, no));
      CHECK(thrust::is_partitioned(par, out.begin(), out.end(), pred));
      CHECK(thrust::partition_point(par, out.begin(), out.end(), pred) - out.begin() == yeses);
      const auto first_no = std::find_if_not(values.begin(), values.end(), pred) - values.begin();
      CHECK(thrust::partition_point(par, x.begin(), x.end(), pred) - x.begin() == first_no);
      CHECK(thrust::partition_point(thrust::device, x.begin(), x.end(), pred) - x.begin() == first_no);
      out2 = x;
      thrust::stable_partition(thrust::device, out2.begin(), out2.end(), pred);
      test::require_equal(test::to_host(out), test::to_host(out2));
    }
  }
}

TEST_CASE("selection by stencil")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    const std::vector<double> values = test::random_values<double>(n, n);
    const std::vector<int> stencil = test::random_values<int>(n, n + 1);
    const is_chosen pred{3};
    std::vector<double> yes, no;
    for (std::size_t i = 0; i < n; ++i) {
      (pred(stencil[i]) ? yes : no).push_back(values[i]);
    }
    const std::ptrdiff_t yeses = yes.size();
    const std::ptrdiff_t noes = no.size();
    const auto x = test::to_device(values);
    const auto s = test::to_device(stencil);
    thrust::device_vector<double> out(n), out2(n);

    REQUIRE(thrust::copy_if(par, x.begin(), x.end(), s.begin(), out.begin(), pred) - out.begin() == yeses);
    test::require_equal(prefix(out, yeses), yes);
    REQUIRE(thrust::remove_copy_if(par, x.begin(), x.end(), s.begin(), out.begin(), pred) - out.begin() == noes);
    test::require_equal(prefix(out, noes), no);
    const auto ends =
      thrust::stable_partition_copy(par, x.begin(), x.end(), s.begin(), out.begin(), out2.begin(), pred);
    REQUIRE(ends.first - out.begin() == yeses);
    REQUIRE(ends.second - out2.begin() == noes);
    test::require_equal(prefix(out, yeses), yes);
    test::require_equal(prefix(out2, noes), no);
    out = x;
    REQUIRE(thrust::remove_if(par, out.begin(), out.end(), s.begin(), pred) - out.begin() == noes);
    test::require_equal(prefix(out, noes), no);
    out = x;
    REQUIRE(thrust::partition(par, out.begin(), out.end(), s.begin(), pred) - out.begin() == yeses);
    test::require_equal(test::to_host(out), joined(yes, no));
  }
}

TEMPLATE_TEST_CASE("selection of structs", "[partition]", test::bytes3, test::tagged, test::wide)
{
  for (const std::size_t n : {std::size_t{1}, std::size_t{257}, std::size_t{10000}}) {
    INFO("n = " << n);
    const std::vector<TestType> values = test::random_values<TestType>(n, n);
    const is_marked pred;
    const auto yes = chosen(values, pred);
    auto x = test::to_device(values);
    auto out = x;
    REQUIRE(
      thrust::copy_if(par, x.begin(), x.end(), out.begin(), pred) - out.begin()
      == static_cast<std::ptrdiff_t>(yes.size()));
    test::require_equal(prefix(out, yes.size()), yes);
    thrust::stable_partition(par, x.begin(), x.end(), pred);
    test::require_equal(test::to_host(x), joined(yes, chosen(values, pred, false)));
  }
}

/// Whether the table entry at a number is odd.
struct gathered_is_odd {
  const int* table;
  template <class Number>
  GIMBAL_HOST_DEVICE bool operator()(Number number) const
  {
    return table[number] % 2 != 0;
  }
};

TEST_CASE("selection by a predicate that gathers, of a list and of a counting iterator")
{
  for (const std::size_t n : {std::size_t{1}, std::size_t{40009}, std::size_t{530003}}) {  // all strategies of a select
    INFO("n = " << n);
    const std::vector<int> values = test::random_values<int>(n, n);
    std::vector<int> list(n);
    std::vector<long long> numbers(n);
    for (std::size_t i = 0; i < n; ++i) {
      list[i] = static_cast<int>(i * 2654435761u % n);
      numbers[i] = static_cast<long long>(i);
    }
    const auto table = test::to_device(values);
    const gathered_is_odd pred{thrust::raw_pointer_cast(table.data())};
    const gathered_is_odd on_host{values.data()};
    const std::vector<int> listed = chosen(list, on_host);
    const auto in = test::to_device(list);
    thrust::device_vector<int> out(n), rejected(n);
    REQUIRE(thrust::copy_if(par, in.begin(), in.end(), out.begin(), pred) - out.begin() == size(listed));
    CHECK(prefix(out, size(listed)) == listed);
    const auto ends = thrust::partition_copy(par, in.begin(), in.end(), out.begin(), rejected.begin(), pred);
    REQUIRE(ends.first - out.begin() == size(listed));
    CHECK(prefix(out, size(listed)) == listed);
    CHECK(prefix(rejected, ends.second - rejected.begin()) == chosen(list, on_host, false));
    auto changed = in;
    REQUIRE(thrust::stable_partition(par, changed.begin(), changed.end(), pred) - changed.begin() == size(listed));
    CHECK(test::to_host(changed) == joined(listed, chosen(list, on_host, false)));

    const std::vector<long long> counting = chosen(numbers, on_host);
    const thrust::counting_iterator<long long> count(0);
    thrust::device_vector<long long> out_counting(n);
    REQUIRE(
      thrust::copy_if(par, count, count + static_cast<long long>(n), out_counting.begin(), pred) - out_counting.begin()
      == size(counting));
    CHECK(prefix(out_counting, size(counting)) == counting);
  }
}

TEST_CASE("remove and remove_copy by value")
{
  const std::size_t n = 5000;
  std::vector<int> values = test::random_values<int>(n, 2);
  for (int& value : values) {
    value &= 3;
  }
  auto x = test::to_device(values);
  thrust::device_vector<int> out(n);
  std::vector<int> expected = values;
  expected.erase(std::remove(expected.begin(), expected.end(), 2), expected.end());
  const std::ptrdiff_t size = expected.size();
  REQUIRE(thrust::remove_copy(par, x.begin(), x.end(), out.begin(), 2) - out.begin() == size);
  test::require_equal(prefix(out, size), expected);
  REQUIRE(thrust::remove(par, x.begin(), x.end(), 2) - x.begin() == size);
  test::require_equal(prefix(x, size), expected);
}

TEST_CASE("unique")
{
  for (const std::size_t n : test::call_sizes()) {
    for (const int distinct : {1, 3, 1000000}) {
      INFO("n = " << n << ", distinct " << distinct);
      std::vector<int> values = test::random_values<int>(n, n);
      for (int& value : values) {
        value = (value & 0xfffff) % distinct;
      }
      std::vector<int> positions(n);
      for (std::size_t i = 0; i < n; ++i) {
        positions[i] = static_cast<int>(i);
      }
      std::vector<int> expected, expected_positions;
      for (std::size_t i = 0; i < n; ++i) {
        if (i == 0 || values[i] != values[i - 1]) {
          expected.push_back(values[i]);
          expected_positions.push_back(static_cast<int>(i));
        }
      }
      const std::ptrdiff_t size = expected.size();
      auto x = test::to_device(values);
      auto p = test::to_device(positions);
      thrust::device_vector<int> out(n), out2(n);
      CHECK(thrust::unique_count(par, x.begin(), x.end()) == size);
      CHECK(thrust::unique_count(thrust::device, x.begin(), x.end()) == size);
      CHECK(thrust::unique_count(par, x.rbegin(), x.rend()) == size);
      REQUIRE(thrust::unique_copy(par, x.begin(), x.end(), out.begin()) - out.begin() == size);
      test::require_equal(prefix(out, size), expected);
      REQUIRE(thrust::unique_copy(thrust::device, x.begin(), x.end(), out.begin()) - out.begin() == size);
      test::require_equal(prefix(out, size), expected);
      auto ends = thrust::unique_by_key_copy(par, x.begin(), x.end(), p.begin(), out.begin(), out2.begin());
      REQUIRE(ends.first - out.begin() == size);
      REQUIRE(ends.second - out2.begin() == size);
      test::require_equal(prefix(out, size), expected);
      test::require_equal(prefix(out2, size), expected_positions);
      out = x;
      REQUIRE(thrust::unique(par, out.begin(), out.end()) - out.begin() == size);
      test::require_equal(prefix(out, size), expected);
      ends = thrust::unique_by_key(par, x.begin(), x.end(), p.begin());
      REQUIRE(ends.first - x.begin() == size);
      REQUIRE(ends.second - p.begin() == size);
      test::require_equal(prefix(x, size), expected);
      test::require_equal(prefix(p, size), expected_positions);
    }
  }
}

TEST_CASE("unique_count by any predicate, of each item and the one before it")
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    std::vector<int> values = test::random_values<int>(n, n);
    std::ptrdiff_t expected = n == 0 ? 0 : 1;
    for (std::size_t i = 1; i < n; ++i) {
      values[i] = values[i] % 3 != 0 ? values[i - 1] + 1 : values[i] % 1000;
      expected += values[i] != values[i - 1] + 1;
    }
    const auto x = test::to_device(values);
    CHECK(thrust::unique_count(par, x.begin(), x.end(), one_more{}) == expected);
    const int* const raw = thrust::raw_pointer_cast(x.data());
    CHECK(thrust::unique_count(par, raw, raw + n, one_more{}) == expected);
  }
  const thrust::counting_iterator<int> count(0);
  CHECK(thrust::unique_count(par, count, count + 5000) == 5000);
  CHECK(thrust::unique_count(par, count, count + 5000, same_block{}) == (5000 + 15) / 16);
  const auto structs = test::to_device(test::random_values<test::bytes3>(1000, 3));
  CHECK(
    thrust::unique_count(par, structs.begin(), structs.end())
    == thrust::unique_count(thrust::device, structs.begin(), structs.end()));
  static_assert(
    std::is_same_v<
      decltype(thrust::unique_count(par, count, count)), decltype(thrust::unique_count(thrust::device, count, count))>);
}

TEST_CASE("selection over fancy iterators and with predicates that are not const")
{
  const int n = 5000;
  const thrust::counting_iterator<int> count(0);
  thrust::device_vector<int> out(n), out2(n);
  CHECK(thrust::copy_if(par, count, count + n, out.begin(), forgetful{}) - out.begin() == n / 2);
  CHECK(out[7] == 15);
  CHECK(thrust::unique_copy(par, count, count + n, out.begin(), same_block{}) - out.begin() == (n + 15) / 16);
  CHECK(out[3] == 48);
  const auto ends = thrust::partition_copy(
    par, count, count + n, thrust::make_discard_iterator(), thrust::make_reverse_iterator(out.end()), is_chosen{4});
  CHECK(ends.second - thrust::make_reverse_iterator(out.end()) == n - n / 4);
  CHECK(out[n - 1] == 1);
  const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(count, count + 1));
  const auto zipped_out = thrust::make_zip_iterator(thrust::make_tuple(out.begin(), out2.begin()));
  CHECK(thrust::copy_if(par, zipped, zipped + n, count, zipped_out, is_chosen{5}) - zipped_out == n / 5);
  CHECK(out[2] == 10);
  CHECK(out2[2] == 11);
  out.assign(count, count + n);
  CHECK(thrust::stable_partition(par, out.rbegin(), out.rend(), is_chosen{2}) - out.rbegin() == n / 2);
  CHECK(out[n - 1] == n - 2);
  CHECK(out[0] == 1);
  int* const raw = thrust::raw_pointer_cast(out.data());
  out.assign(count, count + n);
  CHECK(thrust::remove_if(par, raw + 1, raw + n, is_chosen{2}) - raw == 1 + n / 2);
  CHECK(out[0] == 0);
  CHECK(out[2] == 3);
}

}  // namespace partition_test
