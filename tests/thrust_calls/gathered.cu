// Compares scans, scans by key, reduce by key and unique where keys, values or the equality gather what they read, from
// few items to large tiles, with the same calls on what was gathered beforehand, on the host.
#include <thrust/fill.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/unique.h>

#include "thrust_support.h"

namespace gathered_test {

using gimbal::par;
#if THRUST_VERSION >= 300500
namespace iterators = ::cuda;
#else
namespace iterators = thrust;
#endif

/// Two numbers are equal if the table has equal entries there.
struct gathered_equal {
  const int* table;
  GIMBAL_HOST_DEVICE bool operator()(unsigned l, unsigned r) const { return table[l] == table[r]; }
};
/// The table entry at the i-th position of the list.
struct gathered_by_list {
  const int* table;
  const unsigned* list;
  GIMBAL_HOST_DEVICE int operator()(unsigned i) const { return table[list[i]]; }
};

/// What keys are made of.
struct low_bit {
  GIMBAL_HOST_DEVICE unsigned operator()(unsigned x) const { return x & 1; }
};

/// Items gathered in the order of a random list: `keys` and `values` are `table` and `placed` in that order.
struct gathered_items {
  std::vector<unsigned> list;
  std::vector<int> table;  // of two kinds
  std::vector<int> placed;
  std::vector<int> keys;
  std::vector<int> values;

  explicit gathered_items(std::size_t n) : list(n), table(n), placed(n), keys(n), values(n)
  {
    const std::vector<unsigned> random = test::random_values<unsigned>(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      list[i] = static_cast<unsigned>(i * 2654435761u % n);
      table[i] = static_cast<int>(random[i] & 1);
      placed[i] = static_cast<int>(random[i] >> 12);
    }
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = table[list[i]];
      values[i] = placed[list[i]];
    }
  }
  bool is_head(std::size_t i) const { return i == 0 || keys[i - 1] != keys[i]; }

  std::vector<unsigned> sums() const
  {
    std::vector<unsigned> made(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      made[i] = static_cast<unsigned>(values[i]) + (is_head(i) ? 0 : made[i - 1]);
    }
    return made;
  }
  /// Of each run one of `all`, its first or its last.
  template <class T>
  std::vector<T> of_runs(const std::vector<T>& all, bool first) const
  {
    std::vector<T> made;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (first ? is_head(i) : i + 1 == keys.size() || is_head(i + 1)) {
        made.push_back(all[i]);
      }
    }
    return made;
  }
};

std::vector<std::size_t> sizes()
{
  // On a GPU tiles of blocks, and the tiny, small and large tiles of streams.
  return GIMBAL_GPU ? std::vector<std::size_t>{1, 700, 50001, 300007, 9000001}
                    : std::vector<std::size_t>{1, 700, 9001, 40009};
}

TEST_CASE("what iterators read is known from their types")
{
  using list = const unsigned*;
  const auto rows = iterators::make_transform_iterator(iterators::make_counting_iterator(0u), low_bit{});
  const auto bits = iterators::make_transform_iterator(list{}, low_bit{});
  const auto looked_up = iterators::make_transform_iterator(list{}, gathered_by_list{});
  const iterators::constant_iterator<unsigned> ones(1);
  const auto listed = iterators::make_permutation_iterator(list{}, list{});
  const auto computed = iterators::make_permutation_iterator(list{}, rows);
  using gimbal::block::base_arrays;
  using gimbal::block::scattered_of_v;
  STATIC_REQUIRE(base_arrays<std::decay_t<decltype(rows)>>::are_none);
  STATIC_REQUIRE(base_arrays<std::decay_t<decltype(ones)>>::are_none);
  STATIC_REQUIRE(base_arrays<std::decay_t<decltype(bits)>>::are_all);
  STATIC_REQUIRE_FALSE(base_arrays<std::decay_t<decltype(bits)>>::are_none);
  STATIC_REQUIRE_FALSE(base_arrays<std::decay_t<decltype(looked_up)>>::are_all);
  STATIC_REQUIRE_FALSE(base_arrays<std::decay_t<decltype(listed)>>::are_all);
  STATIC_REQUIRE(scattered_of_v<std::decay_t<decltype(bits)>> == 0);
  STATIC_REQUIRE(scattered_of_v<std::decay_t<decltype(looked_up)>> == gimbal::block::by_a_function);
  STATIC_REQUIRE(scattered_of_v<std::decay_t<decltype(listed)>> == gimbal::block::gathered);
  STATIC_REQUIRE(
    scattered_of_v<
      std::decay_t<decltype(computed)>> == (gimbal::block::gathered | gimbal::block::with_computed_places));
}

TEST_CASE("scans of what is gathered")
{
  for (const std::size_t n : sizes()) {
    INFO("n = " << n);
    const gathered_items items(n);
    const auto list = test::to_device(items.list);
    const auto placed = test::to_device(items.placed);
    std::vector<unsigned> expected(n);
    std::vector<double> expected_doubles(n);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = static_cast<unsigned>(items.values[i]) + (i == 0 ? 0 : expected[i - 1]);
      expected_doubles[i] = items.values[i] + (i == 0 ? 0.0 : expected_doubles[i - 1]);  // all exact
    }
    thrust::device_vector<unsigned> out(n);
    const auto permuted = iterators::make_permutation_iterator(placed.begin(), list.begin());
    thrust::inclusive_scan(par, permuted, permuted + n, out.begin(), ::cuda::std::plus<unsigned>{});
    test::require_equal(test::to_host(out), expected);

    thrust::device_vector<double> doubles(placed.begin(), placed.end()), sums(n);
    const auto permuted_doubles = iterators::make_permutation_iterator(doubles.begin(), list.begin());
    thrust::inclusive_scan(par, permuted_doubles, permuted_doubles + n, sums.begin());
    test::require_equal(test::to_host(sums), expected_doubles);
  }
}

TEST_CASE("scans by key of what is gathered")
{
  for (const std::size_t n : sizes()) {
    INFO("n = " << n);
    const gathered_items items(n);
    const auto list = test::to_device(items.list);
    const auto table = test::to_device(items.table);
    const auto keys = test::to_device(items.keys);
    const auto values = test::to_device(items.values);
    const std::vector<unsigned> expected = items.sums();
    thrust::device_vector<unsigned> out(n);
    const auto check = [&](const char* what) {
      INFO(what);
      test::require_equal(test::to_host(out), expected);
      thrust::fill(out.begin(), out.end(), 0u);
    };
    const int* const table_data = thrust::raw_pointer_cast(table.data());

    const auto placed = test::to_device(items.placed);
    const auto permuted = iterators::make_permutation_iterator(placed.begin(), list.begin());
    thrust::inclusive_scan_by_key(par, keys.begin(), keys.end(), permuted, out.begin());
    check("permuted values");

    const auto permuted_keys = iterators::make_permutation_iterator(table.begin(), list.begin());
    thrust::inclusive_scan_by_key(par, permuted_keys, permuted_keys + n, values.begin(), out.begin());
    check("permuted keys");
    thrust::inclusive_scan_by_key(par, permuted_keys, permuted_keys + n, permuted, out.begin());
    check("permuted keys and values");

    const gathered_by_list gather{table_data, thrust::raw_pointer_cast(list.data())};
    const auto made = iterators::make_transform_iterator(iterators::make_counting_iterator(0u), gather);
    thrust::inclusive_scan_by_key(par, made, made + n, values.begin(), out.begin());
    check("keys that a function gathers");

    thrust::inclusive_scan_by_key(
      par, list.begin(), list.end(), values.begin(), out.begin(), gathered_equal{table_data});
    check("an equality that gathers");

    thrust::device_vector<double> doubles(values.begin(), values.end()), sums(n);
    thrust::inclusive_scan_by_key(
      par, list.begin(), list.end(), doubles.begin(), sums.begin(), gathered_equal{table_data});
    test::require_equal(test::to_host(sums), std::vector<double>(expected.begin(), expected.end()));  // all exact
  }
}

TEST_CASE("scans by key over what the keys are read from")
{
  for (const std::size_t n : sizes()) {
    INFO("n = " << n);
    const std::vector<unsigned> random = test::random_values<unsigned>(n, n);
    const auto before = test::to_device(random);
    std::vector<unsigned> sums(n);
    std::vector<unsigned> counts(n);
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_head = i == 0 || (random[i - 1] & 1) != (random[i] & 1);
      sums[i] = random[i] + (is_head ? 0 : sums[i - 1]);
      counts[i] = is_head ? 5 : counts[i - 1] + 1;
    }
    const iterators::constant_iterator<unsigned> ones(1);
    for (int run = 0; run < (GIMBAL_GPU ? 10 : 1); ++run) {
      thrust::device_vector<unsigned> data(before);
      const auto keys = iterators::make_transform_iterator(data.begin(), low_bit{});
      thrust::inclusive_scan_by_key(par, keys, keys + n, data.begin(), data.begin());
      test::require_equal(test::to_host(data), sums);

      data = before;
      thrust::exclusive_scan_by_key(par, keys, keys + n, ones, data.begin(), 5u);
      test::require_equal(test::to_host(data), counts);
    }
  }
}

TEST_CASE("runs of what is gathered")
{
  for (const std::size_t n : sizes()) {
    INFO("n = " << n);
    const gathered_items items(n);
    const auto list = test::to_device(items.list);
    const auto table = test::to_device(items.table);
    const auto keys = test::to_device(items.keys);
    const gathered_equal equal{thrust::raw_pointer_cast(table.data())};
    const std::vector<unsigned> firsts = items.of_runs(items.list, true);

    thrust::device_vector<unsigned> unique(n);
    unique.resize(thrust::unique_copy(par, list.begin(), list.end(), unique.begin(), equal) - unique.begin());
    test::require_equal(test::to_host(unique), firsts);

    const std::vector<unsigned> totals = items.of_runs(items.sums(), false);
    const auto values = test::to_device(items.values);
    thrust::device_vector<unsigned> heads(n), sums(n);
    const auto check = [&](std::size_t runs) {
      REQUIRE(runs == totals.size());
      std::vector<unsigned> got = test::to_host(sums);
      got.resize(runs);
      test::require_equal(got, totals);
      thrust::fill(sums.begin(), sums.end(), 0u);
    };
    check(
      thrust::reduce_by_key(par, list.begin(), list.end(), values.begin(), heads.begin(), sums.begin(), equal).second
      - sums.begin());
    std::vector<unsigned> got = test::to_host(heads);
    got.resize(firsts.size());
    test::require_equal(got, firsts);

    const auto permuted_keys = iterators::make_permutation_iterator(table.begin(), list.begin());
    check(
      thrust::reduce_by_key(par, permuted_keys, permuted_keys + n, values.begin(), heads.begin(), sums.begin()).second
      - sums.begin());

    const auto placed = test::to_device(items.placed);
    const auto permuted = iterators::make_permutation_iterator(placed.begin(), list.begin());
    check(
      thrust::reduce_by_key(par, keys.begin(), keys.end(), permuted, heads.begin(), sums.begin()).second
      - sums.begin());
  }
}

}  // namespace gathered_test
