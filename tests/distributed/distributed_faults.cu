// Tests what a call over a communicator does to all ranks when it fails on one: every rank throws, none waits, and the
// exception names where and why.
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>

#include "distributed_support.h"

using namespace distributed_test;

namespace {

/// What each rank's call says when it fails; "" if it does not.
template <class Call>
std::vector<std::string> failures(const std::vector<std::size_t>& at, Call call)
{
  return on_ranks(at, [&](const rank_of_test& self) -> std::string {
    std::string text;
    try {
      call(self);
    } catch (const gimbal::rank_error& thrown) {
      text = std::to_string(thrown.rank()) + ": " + thrown.what();
    }
    // The next call works.
    test::device_array<int> own(std::vector<int>(10, 1));
    const int sum = thrust::reduce(par.over(self.ranks()), own.data(), own.data() + own.size());
    return sum == 10 * self.ranks().size() ? text : "the next call is wrong";
  });
}

/// Throws on one rank.
struct failing_allocator {
  using value_type = char;
  bool fails;
  char* allocate(std::ptrdiff_t n)
  {
    if (fails) {
      throw std::runtime_error("no memory for you");
    }
    return static_cast<char*>(test::raw_allocate(static_cast<std::size_t>(n)));
  }
  void deallocate(char* memory, std::size_t) { test::raw_free(memory); }
};

struct never_equal {
  GIMBAL_HOST_DEVICE bool operator()(int, int) const { return true; }
};

}  // namespace

TEST_CASE("a call that fails on one rank fails on all, and says where and why")
{
  for (const int ranks : rank_counts()) {
    const std::size_t n = 50000;  // enough that one rank's sort takes memory, too
    const auto at = cuts(n, ranks, cut::evenly, 1);
    const int bad = ranks - 1;
    const auto told = failures(at, [&](const rank_of_test& self) {
      test::device_array<int> own(self.part(test::random_values<int>(n, 1)));
      failing_allocator allocator{static_cast<int>(self.rank()) == bad};
      thrust::sort(par.over(self.ranks())(allocator), own.data(), own.data() + own.size());
    });
    for (const std::string& text : told) {
      INFO(text);
      CHECK(text.rfind(std::to_string(bad) + ": gimbal sort of ", 0) == 0);
      CHECK(text.find("rank " + std::to_string(bad) + " failed: no memory for you") != std::string::npos);
    }
  }
}

TEST_CASE("outputs that do not add up are refused on all ranks")
{
  for (const int ranks : rank_counts()) {
    const auto at = cuts(100, ranks, cut::evenly, 1);
    const auto told = failures(at, [&](const rank_of_test& self) {
      test::device_array<int> own(self.part(test::random_values<int>(100, 1)));
      test::device_array<int> out(own.size() + 1);
      gimbal::rebalance(
        par.over(self.ranks()), own.data(), own.data() + own.size(), out.data(), out.data() + out.size());
    });
    for (const std::string& text : told) {
      INFO(text);
      CHECK(text.find("do not add up") != std::string::npos);
    }
  }
}

TEST_CASE("a rank that leaves does not leave the others waiting")
{
  for (const int ranks : {2, 3, 5}) {
    std::vector<std::string> told(static_cast<std::size_t>(ranks));
    std::string thrown_here;
    try {
      run_ranks(ranks, [&](gimbal::communicator& group) {
        test::device_array<int> own(std::vector<int>(10, 1));
        if (group.rank() == 1) {
          throw std::runtime_error("no more of this");
        }
        try {
          thrust::reduce(par.over(group), own.data(), own.data() + own.size());
        } catch (const gimbal::rank_error& thrown) {
          told[static_cast<std::size_t>(group.rank())] = std::to_string(thrown.rank()) + ": " + thrown.what();
        }
      });
    } catch (const std::runtime_error& thrown) {
      thrown_here = thrown.what();
    }
    CHECK(thrown_here == "no more of this");
    for (int r = 0; r < ranks; ++r) {
      INFO(told[static_cast<std::size_t>(r)]);
      CHECK((r == 1 || told[static_cast<std::size_t>(r)].find("1: gimbal reduce") == 0));
      CHECK(
        (r == 1 || told[static_cast<std::size_t>(r)].find("rank 1 has left: no more of this") != std::string::npos));
    }
  }
}

TEST_CASE("a comparison that is no order ends with an error or a result")
{
  const auto at = cuts(1000, 3, cut::evenly, 1);
  failures(at, [&](const rank_of_test& self) {
    test::device_array<int> own(self.part(test::random_values<int>(1000, 1)));
    thrust::sort(par.over(self.ranks()), own.data(), own.data() + own.size(), never_equal{});
  });
}

#if !GIMBAL_GPU

TEST_CASE("whatever step fails on whatever rank, all ranks throw or none")
{
  using gimbal::simt::instrument::point;
  const int ranks = 3;
  const auto at = cuts(20000, ranks, cut::at_random, 5);
  const std::vector<int> x = values_in_runs(at.back(), 3);
  int failed_calls = 0;
  const auto check = [&](point p, long k, auto call) {
    INFO("point " << static_cast<int>(p) << ", step " << k);
    std::vector<std::string> told(static_cast<std::size_t>(ranks));
    std::vector<std::string> missed(static_cast<std::size_t>(ranks));
    gimbal::run_on_devices(
      [&](gimbal::communicator& group) {
        const rank_of_test self(group, at);
        test::device_array<int> own(self.part(x));
        test::device_array<int> out(own.size());
        test::device_array<int> values(own.size());
        try {
          thrust::reduce(par.over(group), own.data(), own.data() + own.size());  // all ranks are there
          if (self.rank() == 0) {
            gimbal::simt::instrument::fail_next(p, k);
          }
          call(par.over(group), own, out, values);
        } catch (const gimbal::rank_error& thrown) {
          told[self.rank()] = thrown.what();
        }
        // Where a rank's last wait fails, the others may know already that all is done: then they miss it in their next
        // call.
        try {
          thrust::reduce(par.over(group), own.data(), own.data() + own.size());
        } catch (const gimbal::rank_error& thrown) {
          missed[self.rank()] = thrown.what();
        }
      },
      ranks);
    gimbal::simt::instrument::fail_next(p, 0);
    const bool has_failed =
      std::any_of(told.begin(), told.end(), [](const std::string& text) { return !text.empty(); });
    for (std::size_t r = 0; has_failed && r < told.size(); ++r) {
      INFO(told[0] << " / " << told[1] << " / " << told[2]);
      REQUIRE((!told[r].empty() || !missed[r].empty()));
      REQUIRE((told[r] + missed[r]).find("rank ") != std::string::npos);
    }
    failed_calls += has_failed ? 1 : 0;
  };
  for (const point p : {point::launch, point::allocate, point::wait}) {
    for (long k = 1; k <= (test::hunts_races ? 3 : 16); ++k) {
      check(
        p, k, [](auto policy, auto& own, auto&, auto&) { thrust::sort(policy, own.data(), own.data() + own.size()); });
      check(p, k, [](auto policy, auto& own, auto& out, auto&) {
        thrust::inclusive_scan(policy, own.data(), own.data() + own.size(), out.data());
      });
      check(p, k, [](auto policy, auto& own, auto& out, auto& values) {
        thrust::reduce_by_key(
          policy, own.data(), own.data() + own.size(), own.data(), out.data(), values.data(), thrust::equal_to<int>());
      });
      check(p, k, [](auto policy, auto& own, auto&, auto&) {
        thrust::unique(policy, own.data(), own.data() + own.size());
      });
    }
  }
  CHECK(failed_calls > (test::hunts_races ? 10 : 30));
}

#endif
