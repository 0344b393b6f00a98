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
      failing_allocator allocator{static_cast<int>(self.rank()) == bad ? 1 : 0};
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

TEST_CASE("offsets of segments that are out of order or of no item are refused on all ranks")
{
  struct offsets_of_ranks {
    std::vector<std::int64_t> of_rank[3];
    int refused;  ///< the rank that is named
    const char* why;
  };
  const char* const order = "offset of a segment that is less than the one before";
  const char* const place = "offset of a segment that is no position in the whole sequence";
  const offsets_of_ranks wrong[] = {
    {{{0, 5, 4}, {70}, {80}}, 0, order},
    {{{0, 5}, {}, {4, 80}}, 2, order},
    {{{-1, 5}, {70}, {80}}, 0, place},
    {{{0, 5}, {70, 101}, {102}}, 1, place},
    {{{}, {}, {std::int64_t{1} << 40}}, 2, place},
    {{{0, 5}, {70}, {-80}}, 2, order}};
  const auto at = cuts(100, 3, cut::evenly, 1);
  for (const offsets_of_ranks& passed : wrong) {
    const auto told = failures(at, [&](const rank_of_test& self) {
      test::device_array<int> own(std::vector<int>(self.size(), 1));
      test::device_array<std::int64_t> offsets(passed.of_rank[self.rank()]);
      test::device_array<int> totals(offsets.size());
      gimbal::inclusive_segmented_scan(
        par.over(self.ranks()), own.data(), own.data() + own.size(),
        gimbal::segment_offsets(offsets.data(), offsets.data() + offsets.size()),
        gimbal::with_totals(own.data(), totals.data()));
    });
    for (const std::string& text : told) {
      INFO(text);
      CHECK(text.rfind(std::to_string(passed.refused) + ": gimbal inclusive_segmented_scan of ", 0) == 0);
      CHECK(text.find(passed.why) != std::string::npos);
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
