// Tests selections, runs, partitions and rebalancing over a communicator.
#include <thrust/iterator/discard_iterator.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/unique.h>

#include <algorithm>

#include "distributed_support.h"

using namespace distributed_test;

namespace {

struct is_third {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 3 == 0; }
};

/// The first `size` items of an array.
template <class T>
std::vector<T> front(test::device_array<T>& array, std::ptrdiff_t size)
{
  std::vector<T> all = array.to_host();
  all.resize(static_cast<std::size_t>(size), all.empty() ? T{} : all[0]);
  return all;
}

template <class T>
using lists = std::vector<std::vector<T>>;
/// List `which` of every rank, joined.
template <class T>
std::vector<T> list(const std::vector<lists<T>>& all, std::size_t which)
{
  parts<T> found;
  for (const lists<T>& made : all) {
    found.push_back(made.at(which));
  }
  return joined(found);
}

}  // namespace

TEST_CASE("what is selected over ranks")
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<int> x = test::random_values<int>(at.back(), at.size());
    std::vector<int> thirds, others;
    std::partition_copy(x.begin(), x.end(), std::back_inserter(thirds), std::back_inserter(others), is_third{});
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<int> own(self.part(x));
      test::device_array<int> out(own.size());
      test::device_array<int> rest(own.size());
      int* const first = own.data();
      int* const last = first + own.size();
      auto policy = par.over(self.ranks());
      lists<int> made;
      made.push_back(front(out, thrust::copy_if(policy, first, last, out.data(), is_third{}) - out.data()));
      made.push_back(front(out, thrust::copy_if(policy, first, last, first, out.data(), is_third{}) - out.data()));
      made.push_back(front(out, thrust::remove_copy_if(policy, first, last, out.data(), is_third{}) - out.data()));
      const auto ends = thrust::partition_copy(policy, first, last, out.data(), rest.data(), is_third{});
      made.push_back(front(out, ends.first - out.data()));
      made.push_back(front(rest, ends.second - rest.data()));
      made.push_back(front(own, thrust::remove_if(policy, first, last, is_third{}) - first));
      return made;
    });
    test::require_equal(list(all, 0), thirds);
    test::require_equal(list(all, 1), thirds);
    test::require_equal(list(all, 2), others);
    test::require_equal(list(all, 3), thirds);
    test::require_equal(list(all, 4), others);
    test::require_equal(list(all, 5), others);
  });
}

TEST_CASE("runs of equals over ranks")
{
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
      const std::vector<int> x = values_in_runs(at.back(), seed + at.size());
      std::vector<int> firsts, positions, values(x.size());
      std::iota(values.begin(), values.end(), 0);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (i == 0 || x[i] != x[i - 1]) {
          firsts.push_back(x[i]);
          positions.push_back(static_cast<int>(i));
        }
      }
      const auto all = on_ranks(at, [&](const rank_of_test& self) {
        test::device_array<int> own(self.part(x));
        test::device_array<int> own_values(self.part(values));
        test::device_array<int> out(own.size());
        test::device_array<int> out_values(own.size());
        int* const first = own.data();
        int* const last = first + own.size();
        auto policy = par.over(self.ranks());
        lists<int> made;
        made.push_back(front(out, thrust::unique_copy(policy, first, last, out.data()) - out.data()));
        const auto ends = thrust::unique_by_key_copy(
          policy, first, last, own_values.data(), out.data(), out_values.data(), thrust::equal_to<int>());
        made.push_back(front(out, ends.first - out.data()));
        made.push_back(front(out_values, ends.second - out_values.data()));
        made.push_back({static_cast<int>(thrust::unique_count(policy, first, last))});
        test::raw_copy(out.data(), first, own.size() * sizeof(int));
        made.push_back(front(out, thrust::unique(policy, out.data(), out.data() + own.size()) - out.data()));
        const auto in_place = thrust::unique_by_key(policy, first, last, own_values.data());
        made.push_back(front(own, in_place.first - first));
        made.push_back(front(own_values, in_place.second - own_values.data()));
        return made;
      });
      test::require_equal(list(all, 0), firsts);
      test::require_equal(list(all, 1), firsts);
      test::require_equal(list(all, 2), positions);
      for (const int count : list(all, 3)) {
        REQUIRE(count == static_cast<int>(firsts.size()));
      }
      test::require_equal(list(all, 4), firsts);
      test::require_equal(list(all, 5), firsts);
      test::require_equal(list(all, 6), positions);
    });
  }
}

TEST_CASE("reductions by key over ranks keep the order of the operands")
{
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
      const std::vector<int> keys = values_in_runs(at.back(), seed + at.size());
      const std::vector<test::matrix> x = test::random_values<test::matrix>(at.back(), seed);
      std::vector<int> wanted_keys;
      std::vector<test::matrix> wanted;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) {
          wanted_keys.push_back(keys[i]);
          wanted.push_back(x[i]);
        } else {
          wanted.back() = test::matrix_product{}(wanted.back(), x[i]);
        }
      }
      struct results {
        std::vector<int> keys;
        std::vector<test::matrix> products, without_keys;
      };
      const auto all = on_ranks(at, [&](const rank_of_test& self) {
        test::device_array<int> own_keys(self.part(keys));
        test::device_array<test::matrix> own(self.part(x));
        test::device_array<int> out_keys(own.size());
        test::device_array<test::matrix> out(own.size());
        auto policy = par.over(self.ranks());
        results made;
        const auto ends = thrust::reduce_by_key(
          policy, own_keys.data(), own_keys.data() + own_keys.size(), own.data(), out_keys.data(), out.data(),
          thrust::equal_to<int>(), test::matrix_product{});
        made.keys = front(out_keys, ends.first - out_keys.data());
        made.products = front(out, ends.second - out.data());
        const auto others = thrust::reduce_by_key(
          policy, own_keys.data(), own_keys.data() + own_keys.size(), own.data(), thrust::make_discard_iterator(),
          out.data(), thrust::equal_to<int>(), test::matrix_product{});
        made.without_keys = front(out, others.second - out.data());
        return made;
      });
      parts<int> of_keys;
      parts<test::matrix> products, without_keys;
      for (const results& made : all) {
        of_keys.push_back(made.keys);
        products.push_back(made.products);
        without_keys.push_back(made.without_keys);
      }
      test::require_equal(joined(of_keys), wanted_keys);
      test::require_equal(joined(products), wanted);
      test::require_equal(joined(without_keys), wanted);
    });
  }
}

TEMPLATE_TEST_CASE("partitions over ranks keep counts and order", "", int GIMBAL_MORE(std::int64_t))
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<int> drawn = test::random_values<int>(at.back(), at.size());
    const std::vector<TestType> x(drawn.begin(), drawn.end());
    std::vector<TestType> wanted = x;
    const auto point =
      static_cast<std::size_t>(std::stable_partition(wanted.begin(), wanted.end(), is_third{}) - wanted.begin());
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<TestType> own(self.part(x));
      test::device_array<int> stencil(self.part(drawn));
      test::device_array<TestType> other(self.part(x));
      auto policy = par.over(self.ranks());
      const auto end = thrust::stable_partition(policy, own.data(), own.data() + own.size(), is_third{});
      thrust::partition(policy, other.data(), other.data() + other.size(), stencil.data(), is_third{});
      return lists<TestType>{own.to_host(), other.to_host(), {static_cast<TestType>(end - own.data())}};
    });
    test::require_equal(list(all, 0), wanted);
    test::require_equal(list(all, 1), wanted);
    for (std::size_t r = 0; r + 1 < at.size(); ++r) {
      REQUIRE(all[r][0].size() == at[r + 1] - at[r]);
      const std::size_t clamped = std::min(std::max(point, at[r]), at[r + 1]) - at[r];
      REQUIRE(all[r][2][0] == static_cast<TestType>(clamped));
    }
  });
}

TEST_CASE("items are moved to ranks that want them")
{
  std::uint64_t seed = 50;
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<test::bytes3> x = test::random_values<test::bytes3>(at.back(), at.size());
    for (const cut how : {cut::evenly, cut::at_random, cut::all_on_one}) {
      const auto to = cuts(at.back(), static_cast<int>(at.size() - 1), how, ++seed);
      const auto all = on_ranks(at, [&](const rank_of_test& self) {
        test::device_array<test::bytes3> own(self.part(x));
        test::device_array<test::bytes3> out(to[self.rank() + 1] - to[self.rank()]);
        const auto end = gimbal::rebalance(
          par.over(self.ranks()), own.data(), own.data() + own.size(), out.data(), out.data() + out.size());
        return front(out, end - out.data());
      });
      test::require_equal(joined(all), x);
    }
  });
}
