// Tests that every form of every algorithm that is there over a communicator gives what stock gives for the whole
// sequence.
#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/generate.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>
#include <thrust/unique.h>

#include "distributed_support.h"

using namespace distributed_test;

namespace {

struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};
struct is_small {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x < 60; }
};
struct twice {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return 2 * x; }
};
struct seven {
  GIMBAL_HOST_DEVICE int operator()() const { return 7; }
};
struct add_one {
  GIMBAL_HOST_DEVICE void operator()(int& x) const { ++x; }
};
struct sum {
  GIMBAL_HOST_DEVICE int operator()(int l, int r) const { return l + r; }
};
struct greater {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return l > r; }
};
struct same_tens {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return l / 10 == r / 10; }
};

struct tens_of {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return x / 10; }
};

/// Whole sequences of the same length: in order, with runs; the same but one item; and random.
struct sequences {
  std::vector<int> x, changed, y;
};
sequences sequences_of(std::size_t n)
{
  sequences all;
  int value = 0;
  std::mt19937 random(7);
  for (std::size_t i = 0; i < n; ++i) {
    value += random() % 3 == 0;
    all.x.push_back(value);
    all.y.push_back(static_cast<int>(random() % 100));
  }
  all.changed = all.x;
  all.changed[n * 2 / 3] = -1;
  return all;
}

/// Copies of them, or of a rank's parts, that calls work on, and what they have made.
struct fixture {
  fixture(const sequences& all, std::size_t begin)
      : original(all),
        first_position(begin),
        n(static_cast<std::ptrdiff_t>(all.x.size())),
        x(all.x.size()),
        changed(x.size()),
        y(x.size()),
        out(x.size()),
        rest(x.size())
  {
    reset();
  }

  void reset()
  {
    const auto copy = [](test::device_array<int>& to, const std::vector<int>& from) {
      test::raw_copy(to.data(), from.data(), from.size() * sizeof(int));
    };
    copy(x, original.x);
    copy(changed, original.changed);
    copy(y, original.y);
    copy(out, std::vector<int>(out.size(), 0));
    copy(rest, std::vector<int>(out.size(), 0));
  }

  /// What is the same on all ranks.
  template <class T>
  void all(const char* name, T value)
  {
    same.push_back({name, static_cast<long>(value)});
    reset();
  }
  /// This rank's share.
  void share(const char* name, std::vector<int> own)
  {
    shares.push_back({name, std::move(own)});
    reset();
  }
  /// What is from the begin of an array to `end`, or of two.
  void until(const char* name, test::device_array<int>& array, int* end) { share(name, front(array, end)); }
  void until(
    const char* name, thrust::pair<int*, int*> ends, test::device_array<int>& one, test::device_array<int>& other)
  {
    until_both(name, front(one, ends.first), front(other, ends.second));
  }
  /// Where something is, if it is there.
  void place(const char* name, test::device_array<int>& array, const int* at)
  {
    const auto index = at - array.data();
    share(
      name,
      index == n ? std::vector<int>() : std::vector<int>{static_cast<int>(first_position) + static_cast<int>(index)});
  }
  static std::vector<int> front(test::device_array<int>& array, const int* end)
  {
    std::vector<int> items = array.to_host();
    items.resize(static_cast<std::size_t>(end - array.data()));
    return items;
  }
  /// Two shares.
  void until_both(const char* name, std::vector<int> one, std::vector<int> other)
  {
    shares.push_back({name, std::move(one)});
    share(name, std::move(other));
  }

  const sequences original;
  std::size_t first_position;
  std::ptrdiff_t n;
  test::device_array<int> x, changed, y, out, rest;
  std::vector<std::pair<const char*, long>> same;
  std::vector<std::pair<const char*, std::vector<int>>> shares;
};

template <class Policy>
void reduce_and_search(const Policy& policy, fixture& f)
{
  int* const x = f.x.data();
  int* const end = x + f.n;
  int* const y = f.y.data();
  int* const y_end = y + f.n;
  int* const changed = f.changed.data();
  f.all("reduce", thrust::reduce(policy, x, end));
  f.all("reduce init", thrust::reduce(policy, x, end, 5));
  f.all("reduce op", thrust::reduce(policy, x, end, 5, sum{}));
  f.all("transform_reduce", thrust::transform_reduce(policy, x, end, twice{}, 5, sum{}));
  f.all("inner_product", thrust::inner_product(policy, x, end, y, 5));
  f.all("inner_product ops", thrust::inner_product(policy, x, end, y, 5, sum{}, sum{}));
  f.all("count", thrust::count(policy, x, end, 8));
  f.all("count_if", thrust::count_if(policy, x, end, is_odd{}));
  f.all("all_of", thrust::all_of(policy, x, end, is_odd{}));
  f.all("any_of", thrust::any_of(policy, x, end, is_odd{}));
  f.all("none_of", thrust::none_of(policy, x, end, is_odd{}));
  f.all("equal", thrust::equal(policy, x, end, changed));
  f.all("equal pred", thrust::equal(policy, x, end, x, same_tens{}));
  f.all("is_sorted", thrust::is_sorted(policy, x, end));
  f.all("is_sorted comp", thrust::is_sorted(policy, x, end, greater{}));
  f.all("is_partitioned", thrust::is_partitioned(policy, x, end, is_small{}));
  f.all("unique_count", thrust::unique_count(policy, x, end));
  f.all("unique_count pred", thrust::unique_count(policy, x, end, same_tens{}));
  f.place("find", f.x, thrust::find(policy, x, end, 8));
  f.place("find_if", f.y, thrust::find_if(policy, y, y_end, is_odd{}));
  f.place("find_if_not", f.x, thrust::find_if_not(policy, x, end, is_small{}));
  f.place("mismatch", f.changed, thrust::mismatch(policy, x, end, changed).second);
  f.place("mismatch pred", f.changed, thrust::mismatch(policy, x, end, changed, same_tens{}).second);
  f.place("is_sorted_until", f.y, thrust::is_sorted_until(policy, y, y_end));
  f.place("is_sorted_until comp", f.x, thrust::is_sorted_until(policy, x, end, greater{}));
  f.place("partition_point", f.x, thrust::partition_point(policy, x, end, is_small{}));
  f.place("min_element", f.y, thrust::min_element(policy, y, y_end));
  f.place("min_element comp", f.y, thrust::min_element(policy, y, y_end, greater{}));
  f.place("max_element", f.y, thrust::max_element(policy, y, y_end));
  f.place("max_element comp", f.y, thrust::max_element(policy, y, y_end, greater{}));
  f.place("minmax_element", f.y, thrust::minmax_element(policy, y, y_end).second);
  f.place("minmax_element comp", f.y, thrust::minmax_element(policy, y, y_end, greater{}).second);
}

template <class Policy>
void scan(const Policy& policy, fixture& f)
{
  int* const x = f.x.data();
  int* const end = x + f.n;
  int* const y = f.y.data();
  int* const y_end = y + f.n;
  int* const out = f.out.data();
  const auto made = [&](const char* name, int* until) { f.until(name, f.out, until); };
  made("inclusive_scan", thrust::inclusive_scan(policy, y, y_end, out));
  made("inclusive_scan op", thrust::inclusive_scan(policy, y, y_end, out, sum{}));
  made("inclusive_scan init", thrust::inclusive_scan(policy, y, y_end, out, 5, sum{}));
  made("exclusive_scan", thrust::exclusive_scan(policy, y, y_end, out));
  made("exclusive_scan init", thrust::exclusive_scan(policy, y, y_end, out, 5));
  made("exclusive_scan op", thrust::exclusive_scan(policy, y, y_end, out, 5, sum{}));
  made("transform_inclusive_scan", thrust::transform_inclusive_scan(policy, y, y_end, out, twice{}, sum{}));
  made("transform_inclusive_scan init", thrust::transform_inclusive_scan(policy, y, y_end, out, twice{}, 5, sum{}));
  made("transform_exclusive_scan", thrust::transform_exclusive_scan(policy, y, y_end, out, twice{}, 5, sum{}));
  made("inclusive_scan_by_key", thrust::inclusive_scan_by_key(policy, x, end, y, out));
  made("inclusive_scan_by_key pred", thrust::inclusive_scan_by_key(policy, x, end, y, out, same_tens{}));
  made("inclusive_scan_by_key op", thrust::inclusive_scan_by_key(policy, x, end, y, out, same_tens{}, sum{}));
  made("exclusive_scan_by_key", thrust::exclusive_scan_by_key(policy, x, end, y, out));
  made("exclusive_scan_by_key init", thrust::exclusive_scan_by_key(policy, x, end, y, out, 5));
  made("exclusive_scan_by_key pred", thrust::exclusive_scan_by_key(policy, x, end, y, out, 5, same_tens{}));
  made("exclusive_scan_by_key op", thrust::exclusive_scan_by_key(policy, x, end, y, out, 5, same_tens{}, sum{}));
  made("adjacent_difference", thrust::adjacent_difference(policy, y, y_end, out));
  made("adjacent_difference op", thrust::adjacent_difference(policy, y, y_end, out, sum{}));
  f.until("adjacent_difference in place", f.y, thrust::adjacent_difference(policy, y, y_end, y));
}

template <class Policy>
void select(const Policy& policy, fixture& f)
{
  int* const x = f.x.data();
  int* const end = x + f.n;
  int* const y = f.y.data();
  int* const y_end = y + f.n;
  int* const out = f.out.data();
  int* const rest = f.rest.data();
  const is_odd odd;
  const auto made = [&](const char* name, int* until) { f.until(name, f.out, until); };
  const auto both = [&](const char* name, thrust::pair<int*, int*> ends) { f.until(name, ends, f.out, f.rest); };
  made("copy_if", thrust::copy_if(policy, x, end, out, odd));
  made("copy_if stencil", thrust::copy_if(policy, x, end, y, out, odd));
  made("remove_copy", thrust::remove_copy(policy, x, end, out, 8));
  made("remove_copy_if", thrust::remove_copy_if(policy, x, end, out, odd));
  made("remove_copy_if stencil", thrust::remove_copy_if(policy, x, end, y, out, odd));
  both("partition_copy", thrust::partition_copy(policy, x, end, out, rest, odd));
  both("partition_copy stencil", thrust::partition_copy(policy, x, end, y, out, rest, odd));
  both("stable_partition_copy", thrust::stable_partition_copy(policy, x, end, out, rest, odd));
  both("stable_partition_copy stencil", thrust::stable_partition_copy(policy, x, end, y, out, rest, odd));
  made("unique_copy", thrust::unique_copy(policy, x, end, out));
  made("unique_copy pred", thrust::unique_copy(policy, x, end, out, same_tens{}));
  both("unique_by_key_copy", thrust::unique_by_key_copy(policy, x, end, y, out, rest));
  both("unique_by_key_copy pred", thrust::unique_by_key_copy(policy, x, end, y, out, rest, same_tens{}));
  both("reduce_by_key", thrust::reduce_by_key(policy, x, end, y, out, rest));
  // Of keys that are equal but not identical stock gives the last, gimbal the first.
  const auto by_tens =
    thrust::reduce_by_key(policy, x, end, y, thrust::make_transform_output_iterator(out, tens_of{}), rest, same_tens{});
  both("reduce_by_key pred", {by_tens.first.base(), by_tens.second});
  both("reduce_by_key op", thrust::reduce_by_key(policy, x, end, y, out, rest, thrust::equal_to<int>(), sum{}));
  f.until("remove", f.x, thrust::remove(policy, x, end, 8));
  f.until("remove_if", f.x, thrust::remove_if(policy, x, end, odd));
  f.until("remove_if stencil", f.x, thrust::remove_if(policy, x, end, y, odd));
  f.until("unique", f.x, thrust::unique(policy, x, end));
  f.until("unique pred", f.x, thrust::unique(policy, x, end, same_tens{}));
  f.until("unique_by_key", thrust::unique_by_key(policy, x, end, y), f.x, f.y);
  f.until("unique_by_key pred", thrust::unique_by_key(policy, x, end, y, same_tens{}), f.x, f.y);
  const auto whole = [&](const char* name, int*) { f.until(name, f.y, y_end); };  // its end is a rank's own
  whole("stable_partition", thrust::stable_partition(policy, y, y_end, odd));
  whole("stable_partition stencil", thrust::stable_partition(policy, y, y_end, x, odd));
}

template <class Policy>
void sort(const Policy& policy, fixture& f)
{
  int* const x = f.x.data();
  int* const y = f.y.data();
  int* const y_end = y + f.n;
  thrust::sort(policy, y, y_end);
  f.until("sort", f.y, y_end);
  thrust::sort(policy, y, y_end, greater{});
  f.until("sort comp", f.y, y_end);
  thrust::stable_sort(policy, y, y_end);
  f.until("stable_sort", f.y, y_end);
  thrust::stable_sort(policy, y, y_end, greater{});
  f.until("stable_sort comp", f.y, y_end);
  const auto both = [&](const char* name) { f.until(name, {y_end, x + f.n}, f.y, f.x); };
  thrust::sequence(policy, x, x + f.n);  // values, which show that the sort is stable
  thrust::stable_sort_by_key(policy, y, y_end, x);
  both("stable_sort_by_key");
  thrust::sequence(policy, x, x + f.n);
  thrust::stable_sort_by_key(policy, y, y_end, x, greater{});
  both("stable_sort_by_key comp");
  thrust::copy(policy, y, y_end, x);
  thrust::sort_by_key(policy, y, y_end, x);
  both("sort_by_key");
  thrust::copy(policy, y, y_end, x);
  thrust::sort_by_key(policy, y, y_end, x, greater{});
  both("sort_by_key comp");
}

template <class Policy>
void make_items(const Policy& policy, fixture& f)
{
  int* const x = f.x.data();
  int* const end = x + f.n;
  int* const y = f.y.data();
  int* const out = f.out.data();
  int* const out_end = out + f.n;
  const is_odd odd;
  const auto made = [&](const char* name, int* until) { f.until(name, f.out, until); };
  const auto in_place = [&](const char* name) { f.until_both(name, f.x.to_host(), f.y.to_host()); };
  made("copy", thrust::copy(policy, x, end, out));
  made("copy_n", thrust::copy_n(policy, x, f.n, out));
  made("uninitialized_copy", thrust::uninitialized_copy(policy, x, end, out));
  made("uninitialized_copy_n", thrust::uninitialized_copy_n(policy, x, f.n, out));
  made("fill_n", thrust::fill_n(policy, out, f.n, 3));
  made("uninitialized_fill_n", thrust::uninitialized_fill_n(policy, out, f.n, 3));
  made("generate_n", thrust::generate_n(policy, out, f.n, seven{}));
  made("replace_copy", thrust::replace_copy(policy, x, end, out, 8, 9));
  made("replace_copy_if", thrust::replace_copy_if(policy, x, end, out, odd, 9));
  made("replace_copy_if stencil", thrust::replace_copy_if(policy, x, end, y, out, odd, 9));
  made("transform", thrust::transform(policy, x, end, out, twice{}));
  made("transform binary", thrust::transform(policy, x, end, y, out, sum{}));
  made("transform_if", thrust::transform_if(policy, x, end, out, twice{}, odd));
  made("transform_if stencil", thrust::transform_if(policy, x, end, y, out, twice{}, odd));
  made("transform_if binary", thrust::transform_if(policy, x, end, y, y, out, sum{}, odd));
  thrust::fill(policy, x, end, 3);
  in_place("fill");
  thrust::uninitialized_fill(policy, x, end, 3);
  in_place("uninitialized_fill");
  thrust::generate(policy, x, end, seven{});
  in_place("generate");
  thrust::for_each(policy, x, end, add_one{});
  in_place("for_each");
  thrust::for_each_n(policy, x, f.n, add_one{});
  in_place("for_each_n");
  thrust::replace(policy, x, end, 8, 9);
  in_place("replace");
  thrust::replace_if(policy, x, end, odd, 9);
  in_place("replace_if");
  thrust::replace_if(policy, x, end, y, odd, 9);
  in_place("replace_if stencil");
  thrust::swap_ranges(policy, x, end, y);
  in_place("swap_ranges");
  thrust::sequence(policy, out, out_end);
  made("sequence", out_end);
  thrust::sequence(policy, out, out_end, 3);
  made("sequence init", out_end);
  thrust::sequence(policy, out, out_end, 3, 2);
  made("sequence step", out_end);
  thrust::tabulate(policy, out, out_end, twice{});
  made("tabulate", out_end);
}

/// Calls `forms` on the whole sequence under stock's policy, and on each rank's part.
template <class Forms>
void check_forms(Forms forms)
{
  const std::vector<std::size_t> at = {0, 90, 90, 91, 150, 240};
  const sequences whole = sequences_of(at.back());
  fixture wanted(whole, 0);
#if GIMBAL_GPU
  forms(thrust::cuda::par, wanted);
#else
  forms(thrust::cpp::par, wanted);
#endif
  struct results {
    std::vector<std::pair<const char*, long>> same;
    std::vector<std::pair<const char*, std::vector<int>>> shares;
  };
  const auto all = on_ranks(at, [&](const rank_of_test& self) {
    fixture own({self.part(whole.x), self.part(whole.changed), self.part(whole.y)}, self.begin());
    forms(par.over(self.ranks()), own);
    return results{own.same, own.shares};
  });
  for (std::size_t i = 0; i < wanted.same.size(); ++i) {
    INFO(wanted.same[i].first);
    for (const results& made : all) {
      CHECK(made.same.at(i).second == wanted.same[i].second);
    }
  }
  for (std::size_t i = 0; i < wanted.shares.size(); ++i) {
    INFO(wanted.shares[i].first);
    parts<int> shares;
    for (const results& made : all) {
      shares.push_back(made.shares.at(i).second);
    }
    test::require_equal(joined(shares), wanted.shares[i].second);
  }
}

}  // namespace

TEST_CASE("every form over ranks gives what stock gives for the whole sequence")
{
  check_forms([](const auto& policy, fixture& f) { reduce_and_search(policy, f); });
  check_forms([](const auto& policy, fixture& f) { scan(policy, f); });
  check_forms([](const auto& policy, fixture& f) { select(policy, f); });
  check_forms([](const auto& policy, fixture& f) { sort(policy, f); });
  check_forms([](const auto& policy, fixture& f) { make_items(policy, f); });
}
