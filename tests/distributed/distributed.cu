// Tests reductions, searches, scans and selections over a communicator: whatever the parts, they act as one call on the
// whole sequence.
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include <algorithm>

#include "distributed_support.h"

using namespace distributed_test;

namespace {

struct is_odd {
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& x) const
  {
    return static_cast<int>(x) % 2 != 0;
  }
};
struct at_least_ten {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x >= 10; }
};
struct square_of_position {
  GIMBAL_HOST_DEVICE long operator()(gimbal::index_type i) const { return static_cast<long>(i * i); }
};
struct never {
  GIMBAL_HOST_DEVICE bool operator()(int) const { return false; }
};
struct square {
  GIMBAL_HOST_DEVICE long operator()(int x) const { return static_cast<long>(x) * x; }
};

/// Reference of a scan, with the operator applied in order.
template <class T, class Op>
std::vector<T> scanned(const std::vector<T>& x, bool is_exclusive, const T* init, Op op)
{
  std::vector<T> out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_exclusive) {
      out.push_back(i == 0 ? *init : op(out.back(), x[i - 1]));
    } else {
      out.push_back(i > 0 ? op(out.back(), x[i]) : init != nullptr ? op(*init, x[0]) : x[0]);
    }
  }
  return out;
}

/// The same, begun anew at every head.
template <class T, class Op>
std::vector<T> scanned_in_segments(
  const std::vector<T>& x, const std::vector<bool>& heads, bool is_exclusive, const T* init, Op op)
{
  std::vector<T> out;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= x.size(); ++i) {
    if (i == x.size() || heads[i]) {
      const std::vector<T> segment(
        x.begin() + static_cast<std::ptrdiff_t>(begin), x.begin() + static_cast<std::ptrdiff_t>(i));
      const std::vector<T> own = scanned(segment, is_exclusive, init, op);
      out.insert(out.end(), own.begin(), own.end());
      begin = i;
    }
  }
  return out;
}

std::vector<bool> heads_of_runs(const std::vector<int>& keys)
{
  std::vector<bool> heads(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    heads[i] = i == 0 || keys[i] != keys[i - 1];
  }
  return heads;
}

}  // namespace

TEMPLATE_TEST_CASE("reductions over ranks", "", int, double GIMBAL_MORE(unsigned char, std::int64_t, test::wide))
{
  for_cuts(sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<TestType> x = test::random_values<TestType>(at.back(), at.back() + at.size());
    const TestType init = test::random_values<TestType>(1, 5)[0];
    TestType wanted = init;
    for (const TestType& value : x) {
      wanted = static_cast<TestType>(wanted + value);
    }
    const auto sums = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<TestType> own(self.part(x));
      return thrust::reduce(
        par.over(self.ranks()), own.data(), own.data() + own.size(), init, thrust::plus<TestType>());
    });
    require_all_equal(sums, wanted);
  });
}

TEST_CASE("reductions over ranks keep the order of the operands")
{
  for_cuts(sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<test::matrix> x = test::random_values<test::matrix>(at.back(), at.back());
    const test::matrix init{3, 1, 4, 1};
    test::matrix wanted = init;
    for (const test::matrix& m : x) {
      wanted = test::matrix_product{}(wanted, m);
    }
    const auto products = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<test::matrix> own(self.part(x));
      return thrust::reduce(par.over(self.ranks()), own.data(), own.data() + own.size(), init, test::matrix_product{});
    });
    require_all_equal(products, wanted);
  });
}

TEST_CASE("other reductions over ranks")
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<int> x = values_in_runs(at.back(), 3);
    const std::vector<unsigned char> bytes = test::random_values<unsigned char>(at.back(), 4);
    struct found {
      long plain, squares, dot, odd, threes, wide, written;
      bool operator==(const found& other) const
      {
        return plain == other.plain && squares == other.squares && dot == other.dot && odd == other.odd
               && threes == other.threes && wide == other.wide && written == other.written;
      }
    };
    found wanted{};
    for (std::size_t i = 0; i < x.size(); ++i) {
      wanted.plain += x[i];
      wanted.squares += static_cast<long>(x[i]) * x[i];
      wanted.dot += x[i] * bytes[i];
      wanted.odd += x[i] % 2;
      wanted.threes += x[i] == 3;
      wanted.wide += bytes[i];
    }
    wanted.wide += 7;
    wanted.written = 3 * wanted.plain + 1;
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<int> own(self.part(x));
      test::device_array<unsigned char> own_bytes(self.part(bytes));
      const int* const first = own.data();
      const int* const last = own.data() + own.size();
      auto policy = par.over(self.ranks());
      found own_found{};
      own_found.plain = thrust::reduce(policy, first, last);
      own_found.squares = thrust::transform_reduce(policy, first, last, square{}, 0L, thrust::plus<long>());
      own_found.dot = thrust::inner_product(policy, first, last, own_bytes.data(), 0L);
      own_found.odd = thrust::count_if(policy, first, last, is_odd{});
      own_found.threes = thrust::count(policy, first, last, 3);
      own_found.wide = thrust::reduce(policy, own_bytes.data(), own_bytes.data() + own_bytes.size(), 7);
      // As Thrust calls it from 3.1 on.
      test::device_array<long> written(3);
      gimbal::reduce_into(policy, first, last, written.data());
      gimbal::reduce_into(policy, first, last, written.data() + 1, 0L);
      gimbal::reduce_into(policy, first, last, written.data() + 2, 1L, thrust::plus<long>());
      for (const long sum : written.to_host()) {
        own_found.written += sum;
      }
      return own_found;
    });
    require_all_equal(all, wanted);
  });
}

TEST_CASE("floating-point sums over ranks are the same bits in every run")
{
  const std::vector<float> x = [] {
    std::mt19937_64 random(9);
    std::vector<float> values(20000);
    for (float& value : values) {
      value = std::ldexp(static_cast<float>(random() % 1000), static_cast<int>(random() % 40) - 20);
    }
    return values;
  }();
  for (const int ranks : rank_counts()) {
    const auto at = cuts(x.size(), ranks, cut::at_random, 5);
    const auto sum = [&] {
      return on_ranks(at, [&](const rank_of_test& self) {
        test::device_array<float> own(self.part(x));
        return thrust::reduce(par.over(self.ranks()), own.data(), own.data() + own.size());
      });
    };
    const float first = sum()[0];
    for (int run = 0; run < 4; ++run) {
      require_all_equal(sum(), first);
    }
  }
}

TEST_CASE("searches over ranks")
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<int> x = values_in_runs(at.back(), at.size());
    const int looked_for = x.empty() ? 1 : x[x.size() * 2 / 3];
    const auto position = [&](auto iterator) { return static_cast<std::ptrdiff_t>(iterator - x.begin()); };
    const std::ptrdiff_t wanted = position(std::find(x.begin(), x.end(), looked_for));
    const std::ptrdiff_t wanted_greatest = position(std::max_element(x.begin(), x.end()));
    const std::ptrdiff_t wanted_least = position(std::min_element(x.begin(), x.end()));
    struct found {
      std::ptrdiff_t value, greatest, least, both_least, both_greatest, not_odd;
      bool any, all, none, sorted;
    };
    // Of those that this rank has, the position in the whole sequence.
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<int> own(self.part(x));
      const int* const first = own.data();
      const int* const last = first + own.size();
      auto policy = par.over(self.ranks());
      const auto global = [&](const int* iterator) -> std::ptrdiff_t {
        return iterator == last ? -1 : static_cast<std::ptrdiff_t>(self.begin()) + (iterator - first);
      };
      const auto both = thrust::minmax_element(policy, first, last);
      return found{
        global(thrust::find(policy, first, last, looked_for)),
        global(thrust::max_element(policy, first, last)),
        global(thrust::min_element(policy, first, last)),
        global(both.first),
        global(both.second),
        global(thrust::find_if_not(policy, first, last, is_odd{})),
        thrust::any_of(policy, first, last, is_odd{}),
        thrust::all_of(policy, first, last, is_odd{}),
        thrust::none_of(policy, first, last, is_odd{}),
        thrust::is_sorted(policy, first, last)};
    });
    const auto one = [&](std::ptrdiff_t found::*which) {
      std::ptrdiff_t position = static_cast<std::ptrdiff_t>(x.size());
      for (const found& f : all) {
        if (f.*which >= 0) {
          REQUIRE(position == static_cast<std::ptrdiff_t>(x.size()));  // on one rank alone
          position = f.*which;
        }
      }
      return position;
    };
    CHECK(one(&found::value) == wanted);
    CHECK(one(&found::greatest) == wanted_greatest);
    CHECK(one(&found::least) == wanted_least);
    CHECK(one(&found::both_least) == wanted_least);
    CHECK(one(&found::both_greatest) == wanted_greatest);
    CHECK(one(&found::not_odd) == position(std::find_if_not(x.begin(), x.end(), is_odd{})));
    for (const found& f : all) {
      CHECK(f.any == std::any_of(x.begin(), x.end(), is_odd{}));
      CHECK(f.all == std::all_of(x.begin(), x.end(), is_odd{}));
      CHECK(f.none == std::none_of(x.begin(), x.end(), is_odd{}));
      CHECK(f.sorted);
    }
  });
}

TEST_CASE("where sequences differ or are out of order over ranks")
{
  for_cuts({2, 100, 1500}, [&](const std::vector<std::size_t>& at) {
    const std::size_t n = at.back();
    // At every cut, and between: where neighbours are on two ranks is what can go wrong.
    std::vector<std::size_t> places = {1, n / 2, n - 1};
    places.insert(places.end(), at.begin(), at.end() - 1);
    for (const std::size_t place : places) {
      if (place == n) {
        continue;  // a cut behind which there is nothing
      }
      std::vector<int> x(n);
      std::iota(x.begin(), x.end(), 10);
      std::vector<int> changed = x;
      changed[place] = place == 0 ? 100000 : 5;  // out of order with a neighbour
      const std::size_t until = place == 0 ? 1 : place;
      struct found {
        std::ptrdiff_t different, until;
        bool equal, sorted, partitioned;
      };
      const auto all = on_ranks(at, [&](const rank_of_test& self) {
        test::device_array<int> one(self.part(x));
        test::device_array<int> other(self.part(changed));
        auto policy = par.over(self.ranks());
        int* const end = other.data() + other.size();
        const auto different = thrust::mismatch(policy, one.data(), one.data() + one.size(), other.data());
        const auto sorted_until = thrust::is_sorted_until(policy, other.data(), end);
        return found{
          different.second == end ? -1 : different.second - other.data() + static_cast<std::ptrdiff_t>(self.begin()),
          sorted_until == end ? -1 : sorted_until - other.data() + static_cast<std::ptrdiff_t>(self.begin()),
          thrust::equal(policy, one.data(), one.data() + one.size(), other.data()),
          thrust::is_sorted(policy, other.data(), end),
          thrust::is_partitioned(policy, other.data(), end, at_least_ten{})};
      });
      std::ptrdiff_t different = -1;
      std::ptrdiff_t out_of_order = -1;
      for (const found& f : all) {
        different = std::max(different, f.different);
        out_of_order = std::max(out_of_order, f.until);
        CHECK(!f.equal);
        CHECK(!f.sorted);
        CHECK(f.partitioned == (place == 0 || place == n - 1));
      }
      INFO("place " << place);
      CHECK(different == static_cast<std::ptrdiff_t>(place));
      CHECK(out_of_order == static_cast<std::ptrdiff_t>(until));
    }
  });
}

TEMPLATE_TEST_CASE("scans over ranks", "", int GIMBAL_MORE(double, test::bytes3))
{
  for_cuts(sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<TestType> x = test::random_values<TestType>(at.back(), at.size());
    const TestType init = test::random_values<TestType>(1, 8)[0];
    const auto plus = [](const TestType& l, const TestType& r) { return l + r; };
    parts<TestType> plain, with_init, exclusive, in_place;
    struct results {
      std::vector<TestType> plain, with_init, exclusive, in_place;
    };
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<TestType> own(self.part(x));
      test::device_array<TestType> out(own.size());
      TestType* const first = own.data();
      TestType* const last = first + own.size();
      auto policy = par.over(self.ranks());
      results made;
      thrust::inclusive_scan(policy, first, last, out.data());
      made.plain = out.to_host();
      thrust::inclusive_scan(policy, first, last, out.data(), init, thrust::plus<TestType>());
      made.with_init = out.to_host();
      thrust::exclusive_scan(policy, first, last, out.data(), init);
      made.exclusive = out.to_host();
      thrust::exclusive_scan(policy, first, last, first, init);
      made.in_place = own.to_host();
      return made;
    });
    for (const results& made : all) {
      plain.push_back(made.plain);
      with_init.push_back(made.with_init);
      exclusive.push_back(made.exclusive);
      in_place.push_back(made.in_place);
    }
    test::require_equal(joined(plain), scanned<TestType>(x, false, nullptr, plus));
    test::require_equal(joined(with_init), scanned<TestType>(x, false, &init, plus));
    test::require_equal(joined(exclusive), scanned<TestType>(x, true, &init, plus));
    test::require_equal(joined(in_place), scanned<TestType>(x, true, &init, plus));
  });
}

TEST_CASE("scans over ranks keep the order of the operands")
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<test::matrix> x = test::random_values<test::matrix>(at.back(), at.size());
    const test::matrix init{3, 1, 4, 1};
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<test::matrix> own(self.part(x));
      test::device_array<test::matrix> out(own.size());
      thrust::exclusive_scan(
        par.over(self.ranks()), own.data(), own.data() + own.size(), out.data(), init, test::matrix_product{});
      return out.to_host();
    });
    test::require_equal(joined(all), scanned(x, true, &init, test::matrix_product{}));
  });
}

TEST_CASE("scans of what a function makes of items, over ranks")
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<int> x = values_in_runs(at.back(), 3);
    std::vector<long> squares(x.size());
    std::transform(x.begin(), x.end(), squares.begin(), square{});
    const long init = 11;
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<int> own(self.part(x));
      test::device_array<long> out(own.size());
      auto policy = par.over(self.ranks());
      std::vector<std::vector<long>> made;
      thrust::transform_inclusive_scan(
        policy, own.data(), own.data() + own.size(), out.data(), square{}, thrust::plus<long>());
      made.push_back(out.to_host());
      thrust::transform_exclusive_scan(
        policy, own.data(), own.data() + own.size(), out.data(), square{}, init, thrust::plus<long>());
      made.push_back(out.to_host());
      return made;
    });
    parts<long> inclusive, exclusive;
    for (const auto& made : all) {
      inclusive.push_back(made[0]);
      exclusive.push_back(made[1]);
    }
    test::require_equal(joined(inclusive), scanned<long>(squares, false, nullptr, std::plus<long>()));
    test::require_equal(joined(exclusive), scanned<long>(squares, true, &init, std::plus<long>()));
  });
}

TEST_CASE("scans by key and by segment over ranks")
{
  for (const std::uint64_t seed : {1, 2, 3}) {
    for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
      const std::vector<int> keys = values_in_runs(at.back(), seed + at.size());
      const std::vector<test::matrix> x = test::random_values<test::matrix>(at.back(), seed);
      const std::vector<bool> heads = heads_of_runs(keys);
      const std::vector<unsigned char> flags(heads.begin(), heads.end());
      const test::matrix init{1, 2, 3, 4};
      const auto all = on_ranks(at, [&](const rank_of_test& self) {
        test::device_array<int> own_keys(self.part(keys));
        test::device_array<unsigned char> own_flags(self.part(flags));
        test::device_array<test::matrix> own(self.part(x));
        test::device_array<test::matrix> out(own.size());
        int* const first = own_keys.data();
        int* const last = first + own_keys.size();
        auto policy = par.over(self.ranks());
        std::vector<std::vector<test::matrix>> made;
        const auto keep = [&] {
          made.push_back(out.to_host());
          test::raw_fill(out.data(), 0xcd, out.size() * sizeof(test::matrix));
        };
        thrust::inclusive_scan_by_key(
          policy, first, last, own.data(), out.data(), thrust::equal_to<int>(), test::matrix_product{});
        keep();
        thrust::exclusive_scan_by_key(
          policy, first, last, own.data(), out.data(), init, thrust::equal_to<int>(), test::matrix_product{});
        keep();
        gimbal::inclusive_segmented_scan(
          policy, own.data(), own.data() + own.size(), own_flags.data(), out.data(), test::matrix_product{});
        keep();
        gimbal::exclusive_segmented_scan(
          policy, own.data(), own.data() + own.size(), own_flags.data(), out.data(), init, test::matrix_product{});
        keep();
        gimbal::inclusive_segmented_scan(
          policy, own.data(), own.data() + own.size(), own_flags.data(), own.data(), init, test::matrix_product{});
        made.push_back(own.to_host());
        return made;
      });
      const auto of = [&](std::size_t which) {
        parts<test::matrix> found;
        for (const auto& made : all) {
          found.push_back(made[which]);
        }
        return joined(found);
      };
      const auto inclusive = scanned_in_segments<test::matrix>(x, heads, false, nullptr, test::matrix_product{});
      const auto exclusive = scanned_in_segments<test::matrix>(x, heads, true, &init, test::matrix_product{});
      test::require_equal(of(0), inclusive);
      test::require_equal(of(1), exclusive);
      test::require_equal(of(2), inclusive);
      test::require_equal(of(3), exclusive);
      test::require_equal(of(4), scanned_in_segments<test::matrix>(x, heads, false, &init, test::matrix_product{}));
    });
  }
}

TEST_CASE("items made one by one, and by their positions, over ranks")
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::size_t n = at.back();
    std::vector<long> squares(n), twos(n, 2), odds(n), steps(n);
    for (std::size_t i = 0; i < n; ++i) {
      squares[i] = static_cast<long>(i * i);
      odds[i] = i % 2 == 0 ? static_cast<long>(i) : -1;
      steps[i] = 5 + 3 * static_cast<long>(i);
    }
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<int> numbers(self.size());
      test::device_array<long> out(self.size());
      auto policy = par.over(self.ranks());
      int* const first = numbers.data();
      int* const last = first + numbers.size();
      long* const end = out.data() + out.size();
      std::vector<std::vector<long>> made;
      thrust::sequence(policy, first, last);
      thrust::transform(policy, first, last, out.data(), square{});
      made.push_back(out.to_host());
      // As newer versions of Thrust call them.
      gimbal::transform_n(policy, first, last - first, out.data(), square{});
      gimbal::transform_if_n(policy, out.data(), end - out.data(), first, out.data(), square{}, never{});
      made.push_back(out.to_host());
      thrust::tabulate(policy, out.data(), end, square_of_position{});
      made.push_back(out.to_host());
      thrust::fill(policy, out.data(), end, 2L);
      made.push_back(out.to_host());
      thrust::copy(policy, first, last, out.data());
      thrust::replace_if(policy, out.data(), end, is_odd{}, -1L);
      made.push_back(out.to_host());
      thrust::sequence(policy, out.data(), end, 5L, 3L);
      made.push_back(out.to_host());
      return made;
    });
    const std::vector<long>* const wanted[] = {&squares, &squares, &squares, &twos, &odds, &steps};
    for (std::size_t which = 0; which < 6; ++which) {
      parts<long> found;
      for (const auto& made : all) {
        found.push_back(made[which]);
      }
      INFO("list " << which);
      test::require_equal(joined(found), *wanted[which]);
    }
  });
}
