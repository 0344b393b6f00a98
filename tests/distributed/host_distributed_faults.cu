// Tests that every call over a communicator fails on all ranks, whatever of it fails on one: an allocation, a launch, a
// wait, an operator. None waits for ever, and a new communicator works.
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/unique.h>

#include <algorithm>
#include <functional>

#include "distributed_support.h"

using namespace distributed_test;

namespace {

using policy = decltype(par.over(std::declval<gimbal::communicator&>())(std::declval<failing_allocator&>()));

/// f, if it is to be called.
template <class F>
struct risky {
  F f;
  bool throws;

  template <class... Arguments>
  auto operator()(const Arguments&... arguments) const
  {
    if (throws) {
      throw std::runtime_error("no such result");
    }
    return f(arguments...);
  }
};
struct is_odd {
  bool operator()(int x) const { return x % 2 != 0; }
};
struct square {
  int operator()(gimbal::index_type x) const { return static_cast<int>(x * x); }
};
/// What one rank calls with.
struct arguments {
  policy ranks;
  risky<std::plus<int>> add;
  risky<std::equal_to<int>> same;
  risky<std::less<int>> before;
  risky<is_odd> odd;
  risky<square> squared;
  int* first;
  int* last;
  int* values;  // as many as from `first` to `last`, as those of the outputs
  int* out;
  int* other_out;
  std::int64_t* positions;
};
struct family {
  const char* name;
  bool has_operator;
  std::function<void(const arguments&)> call;
};

/// A call of each form in which ranks wait for each other.
const family families[] = {
  {"reduce", true, [](arguments a) { thrust::reduce(a.ranks, a.first, a.last, 0, a.add); }},
  {"find_if", true, [](arguments a) { thrust::find_if(a.ranks, a.first, a.last, a.odd); }},
  {"is_sorted", true, [](arguments a) { thrust::is_sorted(a.ranks, a.first, a.last, a.before); }},
  {"max_element", true, [](arguments a) { thrust::max_element(a.ranks, a.first, a.last, a.before); }},
  {"minmax_element", true, [](arguments a) { thrust::minmax_element(a.ranks, a.first, a.last, a.before); }},
  {"tabulate", true, [](arguments a) { thrust::tabulate(a.ranks, a.first, a.last, a.squared); }},
  {"inclusive_scan", true, [](arguments a) { thrust::inclusive_scan(a.ranks, a.first, a.last, a.out, a.add); }},
  {"inclusive_scan_by_key", true,
   [](arguments a) { thrust::inclusive_scan_by_key(a.ranks, a.first, a.last, a.values, a.out, a.same, a.add); }},
  {"inclusive_segmented_scan", true,
   [](arguments a) {
     *a.positions = 5;
     const gimbal::segment_offsets segments(a.positions, a.positions + 1);
     const gimbal::with_totals out(a.out, a.other_out);
     gimbal::inclusive_segmented_scan(a.ranks, a.first, a.last, segments, out, a.add);
   }},
  {"copy_if", true, [](arguments a) { thrust::copy_if(a.ranks, a.first, a.last, a.out, a.odd); }},
  {"stable_partition", true, [](arguments a) { thrust::stable_partition(a.ranks, a.first, a.last, a.odd); }},
  {"unique", true, [](arguments a) { thrust::unique(a.ranks, a.first, a.last, a.same); }},
  {"unique_by_key", true, [](arguments a) { thrust::unique_by_key(a.ranks, a.first, a.last, a.values, a.same); }},
  {"unique_count", true, [](arguments a) { thrust::unique_count(a.ranks, a.first, a.last, a.same); }},
  {"reduce_by_key", true,
   [](arguments a) {
     const thrust::equal_to<int> same;
     thrust::reduce_by_key(a.ranks, a.first, a.last, a.values, a.out, a.other_out, same, a.add);
   }},
  {"rebalance", false,
   [](arguments a) { gimbal::rebalance(a.ranks, a.first, a.last, a.out, a.out + (a.last - a.first)); }},
  {"sort", true, [](arguments a) { thrust::sort(a.ranks, a.first, a.last, a.before); }},
  {"sort_by_key", true, [](arguments a) { thrust::sort_by_key(a.ranks, a.first, a.last, a.values, a.before); }},
  {"argsort", true, [](arguments a) { gimbal::argsort(a.ranks, a.first, a.last, a.positions, a.before); }},
  {"sort by digits", false, [](arguments a) { thrust::sort(a.ranks, a.first, a.last); }},
  {"sort with memory of the pool", false,
   [](arguments a) { thrust::sort(par.over(a.ranks.ranks()), a.first, a.last); }}};

constexpr int ranks = 3;
constexpr int bad = 1;
const std::vector<std::size_t> at = {0, 700, 1200, 2000};

/// What a rank is told by the call, and by one after it, where it knew already when another failed that all was done.
struct told {
  std::string now, later;
};

/// Calls on all ranks, with operators that throw or an allocator that does, on one. `prepare` is called on it first.
template <class Prepare>
std::vector<told> attempt(const family& tried, bool throws, int failing_allocation, Prepare prepare)
{
  const std::vector<int> x = values_in_runs(at.back(), 3);
  return on_ranks(at, [&](const rank_of_test& self) {
    const bool is_bad = self.rank() == bad;
    test::device_array<int> own(self.part(x)), values(self.part(x)), out(own.size()), other_out(own.size());
    test::device_array<std::int64_t> positions(own.size());
    failing_allocator allocator{is_bad ? failing_allocation : 0};
    const bool fails = throws && is_bad;
    const arguments with{
      par.over(self.ranks())(allocator),
      {{}, fails},
      {{}, fails},
      {{}, fails},
      {{}, fails},
      {{}, fails},
      own.data(),
      own.data() + own.size(),
      values.data(),
      out.data(),
      other_out.data(),
      positions.data()};
    told rank{};
    const auto sum = [&] {
      return thrust::reduce(par.over(self.ranks()), values.data(), values.data() + values.size());
    };
    try {
      sum();  // all are there
      if (is_bad) {
        prepare();
      }
      tried.call(with);
    } catch (const gimbal::rank_error& thrown) {
      rank.now = thrown.what();
    }
    try {
      sum();
    } catch (const gimbal::rank_error& thrown) {
      rank.later = thrown.what();
    }
    return rank;
  });
}

bool all_succeed(const std::vector<told>& all)
{
  return std::all_of(all.begin(), all.end(), [](const told& rank) { return rank.now.empty(); });
}

/// All ranks know of it.
void check_failed(const std::vector<told>& all)
{
  for (const told& rank : all) {
    INFO(all[0].now << " / " << all[1].now << " / " << all[2].now);
    CHECK((rank.now + rank.later).find("rank ") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("an allocator that throws on one rank, at whatever allocation, is reported by all, and the next call works")
{
  int failed_calls = 0;
  for (const family& tried : families) {
    for (int k = 1; k <= (test::hunts_races ? 2 : 1000); ++k) {
      INFO(tried.name << ", allocation " << k);
      const std::vector<told> all = attempt(tried, false, k, [] {});
      if (all_succeed(all)) {
        break;
      }
      ++failed_calls;
      for (const told& rank : all) {
        INFO(rank.now);
        CHECK(rank.now.find("rank 1 failed: no memory for you") != std::string::npos);
        CHECK(rank.later.empty());
      }
    }
  }
  CHECK(failed_calls > (test::hunts_races ? 10 : 30));
}

TEST_CASE("an operator that throws on one rank is reported by all")
{
  for (const family& tried : families) {
    INFO(tried.name);
    if (tried.has_operator) {
      const std::vector<told> all = attempt(tried, true, 0, [] {});
      CHECK(!all_succeed(all));
      check_failed(all);
    }
  }
}

TEST_CASE("whatever launch, wait or allocation of the pool fails on whatever rank, all ranks throw or none")
{
  using gimbal::simt::instrument::point;
  for (const family& tried : families) {
    for (const point p : {point::launch, point::allocate, point::wait}) {
      for (long k = 1; k <= (test::hunts_races ? 2 : 1000); ++k) {
        INFO(tried.name << ", point " << static_cast<int>(p) << ", step " << k);
        const std::vector<told> all = attempt(tried, false, 0, [&] { gimbal::simt::instrument::fail_next(p, k); });
        gimbal::simt::instrument::fail_next(p, 0);
        if (all_succeed(all)) {
          break;
        }
        check_failed(all);
      }
    }
  }
}
