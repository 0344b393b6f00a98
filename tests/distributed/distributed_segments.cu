// Tests segmented scans over a communicator: by head flags and by offsets, with and without totals.
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>

#include <algorithm>

#include "distributed_support.h"

using namespace distributed_test;

namespace {

using test::matrix;
using test::matrix_product;
using items = std::vector<matrix>;

const matrix init{1, 2, 3, 4};
const matrix untouched{9, 9, 9, 9};

/// What one call makes of a sequence whose segments begin at `heads`, in order; items before them are a segment, too.
struct reference {
  items inclusive, inclusive_after_init, exclusive;  ///< results
  items totals, totals_after_init;                   ///< of heads[s]; `untouched`, or init, without items

  reference(const items& x, const std::vector<std::int64_t>& heads)
      : totals(heads.size(), untouched), totals_after_init(heads.size(), init)
  {
    std::size_t next = 0;  // of the heads
    for (std::size_t i = 0; i < x.size(); ++i) {
      bool is_head = i == 0;
      for (; next < heads.size() && heads[next] == static_cast<std::int64_t>(i); ++next) {
        is_head = true;
      }
      exclusive.push_back(is_head ? init : inclusive_after_init.back());
      inclusive.push_back(is_head ? x[i] : matrix_product{}(inclusive.back(), x[i]));
      inclusive_after_init.push_back(matrix_product{}(exclusive.back(), x[i]));
      if (next > 0) {
        totals[next - 1] = inclusive.back();
        totals_after_init[next - 1] = inclusive_after_init.back();
      }
    }
  }
};

/// Where segments begin, among them some without items, and at the end of all items; in order.
std::vector<std::int64_t> random_heads(std::size_t n, std::size_t count, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> heads(count);
  for (std::size_t s = 0; s < count; ++s) {
    heads[s] = s % 3 == 1 ? heads[s - 1] : static_cast<std::int64_t>(random() % (n + 1));
  }
  std::sort(heads.begin(), heads.end());
  return heads;
}

/// Results of all ranks, joined.
template <class Results, class Part>
auto joined_of(const std::vector<Results>& all, Part Results::*which)
{
  parts<typename Part::value_type> found;
  for (const Results& made : all) {
    found.push_back(made.*which);
  }
  return joined(found);
}

template <class Offset>
void check_offsets(
  const std::vector<std::size_t>& at, const std::vector<std::size_t>& cuts_of_heads,
  const std::vector<std::int64_t>& heads)
{
  const items x = test::random_values<matrix>(at.back(), at.size());
  const std::vector<Offset> offsets(heads.begin(), heads.end());
  const reference wanted(x, heads);
  struct results {
    items inclusive, in_place, exclusive, totals, totals_after_init, reduced;
  };
  const auto all = on_ranks(at, [&](const rank_of_test& self) {
    test::device_array<matrix> own(self.part(x));
    test::device_array<matrix> out(own.size());
    const rank_of_test of_heads(self.ranks(), cuts_of_heads);
    test::device_array<Offset> own_offsets(of_heads.part(offsets));
    test::device_array<matrix> totals(items(of_heads.size(), untouched));
    const gimbal::segment_offsets segments(own_offsets.data(), own_offsets.data() + own_offsets.size());
    matrix* const first = own.data();
    matrix* const last = first + own.size();
    auto policy = par.over(self.ranks());
    results made;
    const matrix* const end =
      gimbal::inclusive_segmented_scan(policy, first, last, segments, out.data(), matrix_product{});
    made.inclusive = end == out.data() + out.size() ? out.to_host() : items();
    gimbal::inclusive_segmented_scan(
      policy, first, last, segments, gimbal::with_totals(out.data(), totals.data()), matrix_product{});
    made.totals = totals.to_host();
    gimbal::exclusive_segmented_scan(
      policy, first, last, segments, gimbal::with_totals(out.data(), totals.data()), init, matrix_product{});
    made.exclusive = out.to_host();
    made.totals_after_init = totals.to_host();
    test::raw_fill(totals.data(), 0xcd, totals.size() * sizeof(matrix));
    gimbal::inclusive_segmented_scan(
      policy, first, last, segments, gimbal::with_totals(thrust::make_discard_iterator(), totals.data()), init,
      matrix_product{});
    made.reduced = totals.to_host();
    gimbal::inclusive_segmented_scan(
      policy, first, last, segments, gimbal::with_totals(first, totals.data()), init, matrix_product{});
    made.in_place = own.to_host();
    return made;
  });
  test::require_equal(joined_of(all, &results::inclusive), wanted.inclusive);
  test::require_equal(joined_of(all, &results::exclusive), wanted.exclusive);
  test::require_equal(joined_of(all, &results::in_place), wanted.inclusive_after_init);
  test::require_equal(joined_of(all, &results::totals), wanted.totals);
  test::require_equal(joined_of(all, &results::totals_after_init), wanted.totals_after_init);
  test::require_equal(joined_of(all, &results::reduced), wanted.totals_after_init);
}

}  // namespace

TEST_CASE("segmented scans by offsets over ranks")
{
  std::uint64_t seed = 1;
  for (const std::size_t segments : {0, 1, 3, 200}) {
    for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
      INFO(segments << " segments");
      const auto heads = random_heads(at.back(), segments, ++seed);
      for (const cut how : {cut::evenly, cut::at_random, cut::all_on_one}) {
        const auto cuts_of_heads = cuts(segments, static_cast<int>(at.size() - 1), how, seed);
        check_offsets<std::int64_t>(at, cuts_of_heads, heads);
      }
      check_offsets<unsigned>(at, cuts(segments, static_cast<int>(at.size() - 1), cut::at_random, seed), heads);
    });
  }
}

TEST_CASE("segmented scans by head flags over ranks give totals where segments begin")
{
  std::uint64_t seed = 1;
  for (const std::size_t segments : {1, 3, 200}) {
    for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
      const items x = test::random_values<matrix>(at.back(), at.size());
      std::vector<std::int64_t> heads = random_heads(at.back(), segments, ++seed);
      heads.push_back(0);
      std::sort(heads.begin(), heads.end());
      heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
      heads.erase(std::lower_bound(heads.begin(), heads.end(), static_cast<std::int64_t>(at.back())), heads.end());
      std::vector<unsigned char> flags(at.back());
      for (const std::int64_t head : heads) {
        flags[static_cast<std::size_t>(head)] = head > 0;
      }
      const reference wanted(x, heads);
      struct results {
        items scanned, totals;
      };
      const auto all = on_ranks(at, [&](const rank_of_test& self) {
        test::device_array<matrix> own(self.part(x));
        test::device_array<unsigned char> own_flags(self.part(flags));
        test::device_array<matrix> totals(own.size());
        gimbal::inclusive_segmented_scan(
          par.over(self.ranks()), own.data(), own.data() + own.size(), own_flags.data(),
          gimbal::with_totals(own.data(), totals.data()), matrix_product{});
        items own_totals = totals.to_host();
        const auto begin = [&](std::size_t position) {
          return std::lower_bound(heads.begin(), heads.end(), static_cast<std::int64_t>(position));
        };
        own_totals.resize(static_cast<std::size_t>(begin(self.begin() + self.size()) - begin(self.begin())));
        return results{own.to_host(), own_totals};
      });
      test::require_equal(joined_of(all, &results::scanned), wanted.inclusive);
      test::require_equal(joined_of(all, &results::totals), wanted.totals);
    });
  }
}

TEST_CASE("segmented scans over ranks through iterators that are not contiguous, with sums of another type")
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::size_t n = at.back();
    const std::vector<int> x(n, 1);
    const std::vector<int> heads = {0, static_cast<int>(n / 3), static_cast<int>(n / 3), static_cast<int>(n / 2)};
    const auto cuts_of_heads = cuts(heads.size(), static_cast<int>(at.size() - 1), cut::at_random, n);
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<int> own(self.part(x));
      test::device_array<int> out(own.size());
      const rank_of_test of_heads(self.ranks(), cuts_of_heads);
      std::vector<int> reversed = of_heads.part(heads);
      std::reverse(reversed.begin(), reversed.end());
      test::device_array<int> offsets(reversed);
      test::device_array<double> totals(of_heads.size());
      const auto from_end = [](auto& array) { return thrust::make_reverse_iterator(array.data() + array.size()); };
      const gimbal::segment_offsets segments(
        from_end(offsets), from_end(offsets) + static_cast<std::ptrdiff_t>(offsets.size()));
      auto policy = par.over(self.ranks());
      const gimbal::with_totals results(out.data(), from_end(totals));
      gimbal::exclusive_segmented_scan(policy, own.data(), own.data() + own.size(), segments, results, 7);
      gimbal::inclusive_segmented_scan(policy, own.data(), own.data() + own.size(), segments, results);
      gimbal::exclusive_segmented_scan(policy, own.data(), own.data() + own.size(), segments, results);
      std::vector<double> made = totals.to_host();
      std::reverse(made.begin(), made.end());
      return made;
    });
    const auto whole = static_cast<double>(n);
    test::require_equal(
      joined(all),
      std::vector<double>{
        static_cast<double>(n / 3), 0, static_cast<double>(n / 2 - n / 3), whole - static_cast<double>(n / 2)});
  });
}
