// Tests the persistent select and partition at kernel level: small stages and few blocks, so that small arrays make
// many rounds of the ring. Covered are sizes, shares of selected items, types, misaligned arrays, stencils, in place,
// schedules.

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <numeric>

#include "persistent_row.h"
#include "select_checks.h"

namespace {

using gimbal::algorithm::discard_rejected;
using gimbal::algorithm::rejected_in_place;
using namespace select_checks;

/// A tile of i32 is 256 items.
struct small_tuning {
  static constexpr unsigned rows = 1;
  static constexpr unsigned scatter_warps = 2;
  static constexpr unsigned scatter_groups = 1;
  static constexpr unsigned count_warps = 1;
  static constexpr unsigned count_groups = 1;
  static constexpr unsigned loader_warps = 2;
  static constexpr unsigned stages = 2;
  static constexpr unsigned buffers = 1;
  static constexpr unsigned resident_blocks = 1;
};
/// Several rows of a share, several shares of a counting warp, groups that take the tiles in turn.
struct row_tuning {
  static constexpr unsigned rows = 2;
  static constexpr unsigned scatter_warps = 4;
  static constexpr unsigned scatter_groups = 2;
  static constexpr unsigned count_warps = 2;
  static constexpr unsigned count_groups = 3;
  static constexpr unsigned loader_warps = 2;
  static constexpr unsigned stages = 4;  // more than there are for what stands beside the items
  static constexpr unsigned buffers = 2;
  static constexpr unsigned resident_blocks = 1;
};
template <class T>
constexpr std::size_t small_tile = gimbal::simt::items_of_vectors(sizeof(T)) * 64;

constexpr bool is_slow = test::hunts_races;

/// The numbers for items that come through an iterator.
template <class Tuning>
struct tuning_of_loaded {
  using type = Tuning;
};
template <std::size_t ValueBytes, std::size_t StencilBytes, bool KeepsRejected>
struct tuning_of_loaded<gimbal::tuning::persistent_partition<ValueBytes, StencilBytes, KeepsRejected>> {
  using type = gimbal::tuning::persistent_partition<ValueBytes, StencilBytes, KeepsRejected, true>;
};

/// Persistent blocks.
template <class Tuning>
struct ring_driver {
  template <class T>
  static constexpr bool takes_any_place = sizeof(T) == alignof(T) || sizeof(T) == 12;

  using no_rejected = discard_rejected;
  template <class OutputIt>
  static gimbal::algorithm::rejected_to<OutputIt> rejected_to(OutputIt out)
  {
    return {out};
  }

  template <class InputIt, class Selector, class T, class Rejected>
  static std::size_t select(InputIt in, std::size_t n, Selector selector, T* selected, Rejected rejected)
  {
    test::device_array<index_type> count(1);
    auto row = gimbal::algorithm::persistent_select_row<Tuning>(
      in, static_cast<index_type>(n), selector, selected, rejected, count.data());
    row.fits = true;
    REQUIRE(test::run_row(row));
    return static_cast<std::size_t>(count.to_host()[0]);
  }
  /// The last rejected items after the selected ones at once, the first by way of a buffer.
  template <class T, class Selector>
  static std::size_t partition_in_place(T* data, std::size_t n, Selector selector)
  {
    return select(data, n, selector, data, rejected_in_place<T>{});
  }

  /// Every array is exactly as large as needed, and none needs to begin at a multiple of 16.
  template <class T, class Selector>
  static void check_forms(const std::vector<T>& values, std::size_t shift, Selector selector, const parts<T>& wanted)
  {
    const std::size_t n = values.size();
    test::device_array<T> in(values, shift);
    check_select<ring_driver>(in.data(), n, selector, wanted, shift);
    check_from_end(in.data(), n, selector, wanted, shift);
    if constexpr (!is_slow || sizeof(T) == 8) {  // more would be too many threads for ThreadSanitizer
      const auto through = thrust::make_transform_iterator(static_cast<const T*>(in.data()), test::same{});
      check_select<ring_driver<typename tuning_of_loaded<Tuning>::type>>(through, n, selector, wanted, shift);
    }
    check_in_place<ring_driver>(values, selector, wanted, shift);
  }

private:
  template <class T, class Selector>
  static void check_from_end(const T* in, std::size_t n, Selector selector, const parts<T>& wanted, std::size_t shift)
  {
    test::device_array<T> selected(wanted.selected.size(), shift / 2);
    test::device_array<T> rejected(wanted.rejected.size(), shift / 3);
    const auto from_end = thrust::make_reverse_iterator(rejected.data() + rejected.size());
    REQUIRE(select(in, n, selector, selected.data(), rejected_to(from_end)) == wanted.selected.size());
    test::require_equal(selected.to_host(), wanted.selected);
    std::vector<T> backwards = rejected.to_host();
    std::reverse(backwards.begin(), backwards.end());
    test::require_equal(backwards, wanted.rejected);
  }
};
using small_ring = ring_driver<small_tuning>;
using row_ring = ring_driver<row_tuning>;

/// Selected in long runs, so that whole tiles are selected and others rejected.
template <class Driver>
void check_runs(std::size_t n)
{
  std::vector<std::int32_t> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(static_cast<std::int32_t>(2 * i + i / 700 % 2));
  }
  const auto is_odd = [] _CCCL_DEVICE(std::int32_t value) { return value % 2 != 0; };
  Driver::check_forms(
    values, 3, select_if<decltype(is_odd)>{is_odd}, reference(values, [&](std::size_t i) { return i / 700 % 2 != 0; }));
}

/// The calls as others make them, which choose the kernel by the number of items.
template <class T>
void check_call(std::size_t n, std::size_t shift)
{
  INFO("n = " << n << ", shifted by " << shift << " items");
  const std::vector<T> values = values_of<T>(n, n);
  const index_type size = static_cast<index_type>(n);
  const select_if<selects_percent> selector{{30}};
  const auto wanted = reference(values, [&](std::size_t i) { return selects_percent{30}(values[i]); });
  test::device_array<T> in(values, shift);
  test::device_array<T> selected(wanted.selected.size());
  test::device_array<index_type> count(1);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::select_plan(in.data(), size, selector, selected.data(), discard_rejected{}, count.data())
      .run(storage, bytes, 0);
  });
  REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
  test::require_equal(selected.to_host(), wanted.selected);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::stable_partition_plan(in.data(), size, selector, count.data()).run(storage, bytes, 0);
  });
  REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
  test::require_equal(in.to_host(), wanted.both());
}

std::vector<std::size_t> sizes(std::size_t tile)
{
  return test::all_or_few(
    {1, 2, 31, 33, tile - 1, tile, tile + 1, 2 * tile + 5, 40 * tile, 70 * tile + 7}, {1, tile + 1, 20 * tile + 5});
}
}  // namespace

TEMPLATE_TEST_CASE(
  "a stream selects and partitions every size of item", "[persistent_partition]", test::bytes3,
  double GIMBAL_MORE(std::int8_t, std::int16_t, std::int32_t, bytes12, test::wide))
{
  for (std::size_t n : sizes(small_tile<TestType>)) {
    check_shares<small_ring, TestType>(n);
  }
}

TEST_CASE("a stream with several rows of segments", "[persistent_partition]")
{
  for (std::size_t n : {1, 1023, 1025, is_slow ? 5007 : 33 * 1024 + 7}) {
    check_shares<row_ring, std::int8_t>(n);
    check_shares<row_ring, std::int32_t>(n);
  }
}

TEST_CASE("a stream whose rejected items begin where a count in memory says", "[persistent_partition]")
{
  const auto is_even = [](const std::int32_t& value) { return value % 2 == 0; };
  for (std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{is_slow ? 5007 : 40009}}) {
    INFO("n = " << n);
    const std::vector<std::int32_t> values = test::random_values<std::int32_t>(n, n);
    std::vector<unsigned char> flags(n);
    const parts<std::int32_t> wanted = reference(values, [&](std::size_t i) {
      flags[i] = is_even(values[i]);
      return flags[i] != 0;
    });
    test::device_array<std::int32_t> in(values), out(n);
    test::device_array<unsigned char> stencil(flags);
    test::device_array<index_type> count(std::vector<index_type>{static_cast<index_type>(wanted.selected.size())});
    const gimbal::algorithm::output_behind_count<std::int32_t*> behind{out.data(), count.data()};
    const select_flagged<const unsigned char*> selector{stencil.data()};
    REQUIRE(small_ring::select(in.data(), n, selector, out.data(), behind) == wanted.selected.size());
    test::require_equal(out.to_host(), wanted.both());
  }
}

/// Whether the table entry at a number is odd.
template <class T>
struct gathered_is_odd {
  const T* table;
  GIMBAL_HOST_DEVICE bool operator()(T number) const { return (digest(table[number]) & 1) != 0; }
};

#ifndef __SANITIZE_THREAD__
TEMPLATE_TEST_CASE(
  "a stream of counting-iterator input by a predicate that gathers", "[persistent_partition]",
  std::int32_t GIMBAL_MORE(std::int64_t))
{
  for (const std::size_t n : {std::size_t{1}, std::size_t{4095}, std::size_t{4097}, std::size_t{100003}}) {
    INFO("n = " << n);
    const std::vector<TestType> values = test::random_values<TestType>(n, n);
    test::device_array<TestType> table(values);
    const gathered_is_odd<TestType> is_selected{table.data()};
    std::vector<TestType> numbers(n);
    std::iota(numbers.begin(), numbers.end(), TestType{0});
    const parts<TestType> wanted =
      reference(numbers, [&](TestType number) { return gathered_is_odd<TestType>{values.data()}(number); });
    test::device_array<TestType> selected(n);
    test::device_array<TestType> rejected(n);
    const thrust::counting_iterator<TestType> in(0);
    const select_if<gathered_is_odd<TestType>> selector{is_selected};
    using alone = gimbal::tuning::persistent_partition<sizeof(TestType), 0, false, true, true>;
    REQUIRE(ring_driver<alone>::select(in, n, selector, selected.data(), discard_rejected{}) == wanted.selected.size());
    test::require_equal(front(selected, wanted.selected.size()), wanted.selected);
    test::raw_fill(selected.data(), 0xcd, n * sizeof(TestType));
    using both = gimbal::tuning::persistent_partition<sizeof(TestType), 0, true, true, true>;
    REQUIRE(
      ring_driver<both>::select(in, n, selector, selected.data(), ring_driver<both>::rejected_to(rejected.data()))
      == wanted.selected.size());
    test::require_equal(front(selected, wanted.selected.size()), wanted.selected);
    test::require_equal(front(rejected, wanted.rejected.size()), wanted.rejected);
  }
}

TEST_CASE("a stream of the default shape", "[persistent_partition]")
{
  check_shares<ring_driver<gimbal::tuning::persistent_partition<1>>, std::int8_t>(300001, {50});
  check_shares<ring_driver<gimbal::tuning::persistent_partition<12>>, bytes12>(30011, {50});
}

TEST_CASE("large calls are persistent, others not", "[persistent_partition]")
{
  constexpr std::size_t least = gimbal::tuning::persistent_partition<4>::least_bytes / 4;
  check_call<std::int32_t>(least - 1, 0);
  check_call<std::int32_t>(least, 0);
  check_call<std::int32_t>(least + 100, 1);
  check_call<test::wide>(least, 0);
}
#endif

TEST_CASE("a stream of long runs of selected items", "[persistent_partition]")
{
  check_runs<small_ring>(is_slow ? 6011 : 20011);
  check_runs<row_ring>(is_slow ? 8011 : 40013);
}

TEST_CASE("a stream by flags and by a stencil", "[persistent_partition]")
{
  for (std::size_t n : test::all_or_few({1, 15, 257, 5000}, {15, 1000})) {
    for (std::size_t flag_shift : test::all_or_few({0, 1, 5}, {5})) {
      check_beside<small_ring, std::int8_t, std::int32_t>(n, flag_shift);
      check_beside<small_ring, std::int32_t, std::int16_t>(n, flag_shift);
      check_beside<small_ring, std::int64_t, double>(n, flag_shift);
      check_beside<small_ring, test::bytes3, std::int32_t>(n, flag_shift);
    }
  }
}

TEST_CASE("a stream with the blocks that have begun", "[persistent_partition]")
{
  const std::vector<std::int32_t> values = values_of<std::int32_t>(17 * 256 + 3, 5);
  const selects_percent half{50};
  const auto wanted = reference(values, [&](std::size_t i) { return selects_percent{50}(values[i]); });
  test::with_few_blocks([&] {
    small_ring::check_forms(values, 3, select_if<selects_percent>{half}, wanted);
    if (!is_slow) {
      row_ring::check_forms(values, 0, select_if<selects_percent>{half}, wanted);
    }
  });
}

TEST_CASE("a stream under many schedules", "[persistent_partition][schedules]")
{
  test::under_schedules([] {
    check_shares<small_ring, std::int32_t>(17 * 256 + 3, {50});
    check_shares<row_ring, std::int8_t>(9 * 4096 + 5, {3});
#if !GIMBAL_GPU
    {
      // Rings that turn often: a counting group must not come to a stage before the load that it passes over has
      // landed.
      gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
      options.resident_blocks = 2;  // one that serves, one that takes all tiles
      const gimbal::simt::scoped_executor_options scope(options);
      check_shares<row_ring, std::int32_t>(40 * 1024 + 5, {50});
    }
#endif
    if (!is_slow) {
      check_shares<small_ring, std::int32_t>(100, {50});
      check_beside<small_ring, std::int8_t, std::int64_t>(1003, 3);
      check_runs<small_ring>(6007);
    }
  });
}
