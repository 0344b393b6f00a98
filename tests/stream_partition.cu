// Select and partition as a stream, at kernel level: small stages and few blocks, so that small arrays make many rounds
// of the ring. Sizes, shares of selected items, types, misaligned arrays, arrays beside the items, in place, schedules.

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <gimbal/algorithm/select/partition_in_place.cuh>
#include <numeric>

#include "support.h"

namespace {

using gimbal::index_type;
using gimbal::algorithm::discard_rejected;
using gimbal::algorithm::persistent_rejected_behind;
using gimbal::algorithm::rejected_before;
using gimbal::algorithm::rejected_to;
using gimbal::algorithm::select_flagged;
using gimbal::algorithm::select_if;
using gimbal::algorithm::select_if_stencil;

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

/// A number derived from the bytes of any value.
template <class T>
GIMBAL_HOST_DEVICE unsigned digest(const T& value)
{
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&value);
  unsigned digest = 2166136261u;
  for (unsigned b = 0; b < sizeof(T); ++b) {
    digest = (digest ^ bytes[b]) * 16777619u;
  }
  return digest >> 8;
}

/// True for about `percent` of 100 values. Its call operator is not const, as users' sometimes are not.
struct selects_percent {
  unsigned percent;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& value)
  {
    return digest(value) % 100 < percent;
  }
};

/// A struct of 12 bytes, which are no power of two.
struct bytes12 {
  std::uint32_t x, y, z;
  friend bool operator==(const bytes12& l, const bytes12& r) { return l.x == r.x && l.y == r.y && l.z == r.z; }
  friend std::ostream& operator<<(std::ostream& out, const bytes12& v)
  {
    return out << "(" << v.x << " " << v.y << " " << v.z << ")";
  }
};

template <class T>
std::vector<T> values_of(std::size_t n, std::uint64_t seed)
{
  if constexpr (std::is_same_v<T, bytes12>) {
    std::vector<T> values;
    for (const test::matrix& m : test::random_values<test::matrix>(n, seed)) {
      values.push_back({m.a, m.b, m.c});
    }
    return values;
  } else {
    return test::random_values<T>(n, seed);
  }
}

constexpr bool is_slow = test::hunts_races;

struct same {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& x) const
  {
    return x;
  }
};

/// The numbers for items that come through an iterator.
template <class Tuning>
struct tuning_of_loaded {
  using type = Tuning;
};
template <std::size_t ValueBytes, std::size_t StencilBytes, bool KeepsRejected>
struct tuning_of_loaded<gimbal::tuning::stream_partition<ValueBytes, StencilBytes, KeepsRejected>> {
  using type =
    gimbal::tuning::stream_partition<ValueBytes, StencilBytes, KeepsRejected, gimbal::tuning::select_input::loaded>;
};

template <class T>
struct parts {
  std::vector<T> selected;
  std::vector<T> rejected;
};

template <class T, class IsSelected>
parts<T> reference(const std::vector<T>& values, IsSelected is_selected)
{
  parts<T> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    (is_selected(i) ? result.selected : result.rejected).push_back(values[i]);
  }
  return result;
}

template <class Tuning, class InputIt, class T, class Selector, class Rejected>
void stream_select(InputIt in, std::size_t n, Selector selector, T* selected, Rejected rejected, std::size_t wanted)
{
  using gimbal::algorithm::stencil_of;
  using kernel = gimbal::algorithm::persistent_select_policy<
    Tuning, gimbal::algorithm::detail::streamed_input<InputIt>, typename stencil_of<Selector>::selector, Rejected,
    index_type*>;
  test::device_array<index_type> count(1);
  auto row = gimbal::algorithm::persistent_select_row<kernel>(
    true, in, static_cast<index_type>(n), selector, selected, rejected, count.data());
  gimbal::launch_words words(nullptr);
  gimbal::status state;
  REQUIRE(row.takes(words, state));
  state = row.launch(words);
  INFO((state.step ? state.step : "") << ": " << gimbal::simt::error_string(state.code));
  REQUIRE(state.code == gimbal::simt::success);
  REQUIRE_FALSE(gimbal::simt::wait(0, "test"));
  REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted));
}

/// Partition to two arrays, forwards and backwards, select to one, select in place. Every array is exactly as large as needed,
/// and none needs to begin at a multiple of 16.
template <class Tuning, class T, class Selector>
void check_selections(const std::vector<T>& values, std::size_t shift, Selector selector, const parts<T>& wanted)
{
  const std::size_t n = values.size();
  const std::size_t selected_count = wanted.selected.size();
  test::device_array<T> in(values, shift);
  test::device_array<T> selected(selected_count, shift / 2);
  test::device_array<T> rejected(wanted.rejected.size(), shift / 3);
  const rejected_to<T*> to_rejected{rejected.data()};
  const auto check_selected = [&](test::device_array<T>& where) {
    std::vector<T> all = where.to_host();
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(selected_count), all.end());
    test::require_equal(all, wanted.selected);
  };
  const auto clear = [&](test::device_array<T>& where) {
    test::raw_fill(where.data(), 0xcd, where.size() * sizeof(T));
  };

  stream_select<Tuning>(in.data(), n, selector, selected.data(), to_rejected, selected_count);
  check_selected(selected);
  test::require_equal(rejected.to_host(), wanted.rejected);
  clear(selected);
  clear(rejected);

  stream_select<Tuning>(in.data(), n, selector, selected.data(), discard_rejected{}, selected_count);
  check_selected(selected);

  const rejected_before<T> from_end{rejected.data() + rejected.size()};
  stream_select<Tuning>(in.data(), n, selector, selected.data(), from_end, selected_count);
  std::vector<T> backwards = rejected.to_host();
  std::reverse(backwards.begin(), backwards.end());
  test::require_equal(backwards, wanted.rejected);

  if constexpr (!is_slow || sizeof(T) == 8) {  // more would be too many threads for ThreadSanitizer
    const auto through = thrust::make_transform_iterator(static_cast<const T*>(in.data()), same{});
    using loaded = typename tuning_of_loaded<Tuning>::type;
    clear(selected);
    clear(rejected);
    stream_select<loaded>(through, n, selector, selected.data(), to_rejected, selected_count);
    check_selected(selected);
    test::require_equal(rejected.to_host(), wanted.rejected);
    clear(selected);
    stream_select<loaded>(through, n, selector, selected.data(), discard_rejected{}, selected_count);
    check_selected(selected);
  }

  stream_select<Tuning>(in.data(), n, selector, in.data(), discard_rejected{}, selected_count);
  check_selected(in);
}

/// Partition in place: the last rejected items behind the selected ones at once, the first by way of a buffer.
template <class Tuning, class T, class Selector>
void check_in_place(const std::vector<T>& values, std::size_t shift, Selector selector, const parts<T>& wanted)
{
  test::device_array<T> data(values, shift);
  test::device_array<T> buffer(wanted.rejected.size(), shift / 3);
  test::raw_fill(buffer.data(), 0xcd, buffer.size() * sizeof(T));
  stream_select<Tuning>(
    data.data(), values.size(), selector, data.data(), persistent_rejected_behind<T>{buffer.data()},
    wanted.selected.size());
  std::vector<T> expected = wanted.selected;
  expected.insert(expected.end(), wanted.rejected.begin(), wanted.rejected.end());
  test::require_equal(data.to_host(), expected);
}

template <class Tuning, class T, class Selector>
void check_forms(const std::vector<T>& values, std::size_t shift, Selector selector, const parts<T>& wanted)
{
  check_selections<Tuning>(values, shift, selector, wanted);
  check_in_place<Tuning>(values, shift, selector, wanted);
}

template <class Tuning, class T>
void check_shares(std::size_t n, const std::vector<unsigned>& percents)
{
  const std::vector<T> values = values_of<T>(n, n + 1);
  for (unsigned percent : percents) {
    const std::size_t shift = sizeof(T) == alignof(T) || sizeof(T) == 12 ? (n + percent) % 7 : 0;
    INFO("n = " << n << ", " << percent << " % selected, shifted by " << shift << " items");
    const auto wanted = reference(values, [&](std::size_t i) { return selects_percent{percent}(values[i]); });
    check_forms<Tuning>(values, shift, select_if<selects_percent>{{percent}}, wanted);
  }
}

/// Selected in long runs, so that whole tiles are selected and others rejected.
template <class Tuning>
void check_runs(std::size_t n)
{
  std::vector<std::int32_t> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(static_cast<std::int32_t>(2 * i + i / 700 % 2));
  }
  const auto is_odd = [] _CCCL_DEVICE(std::int32_t value) { return value % 2 != 0; };
  check_forms<Tuning>(
    values, 3, select_if<decltype(is_odd)>{is_odd}, reference(values, [&](std::size_t i) { return i / 700 % 2 != 0; }));
}

template <class Flag, class T>
void check_beside(std::size_t n, std::size_t flag_shift)
{
  const std::vector<T> values = values_of<T>(n, n);
  const std::vector<Flag> flags = test::random_values<Flag>(n, n + 7);
  test::device_array<Flag> device_flags(flags, flag_shift);
  INFO("n = " << n << ", flags shifted by " << flag_shift);
  if constexpr (std::is_convertible_v<Flag, bool>) {
    check_forms<small_tuning>(
      values, n % 5, select_flagged<const Flag*>{device_flags.data()},
      reference(values, [&](std::size_t i) { return static_cast<bool>(flags[i]); }));
  }
  for (unsigned percent : {0u, 40u, 100u}) {
    INFO(percent << " % selected");
    check_forms<small_tuning>(
      values, n % 3, select_if_stencil<const Flag*, selects_percent>{device_flags.data(), {percent}},
      reference(values, [&](std::size_t i) { return selects_percent{percent}(flags[i]); }));
  }
}

/// The calls as others make them, which choose the kernel by the number of items.
template <class T>
void check_call(std::size_t n, std::size_t shift)
{
  INFO("n = " << n << ", shifted by " << shift << " items");
  const std::vector<T> values = values_of<T>(n, n);
  const index_type size = static_cast<index_type>(n);
  const select_if<selects_percent> selector{{30}};
  auto wanted = reference(values, [&](std::size_t i) { return selects_percent{30}(values[i]); });
  test::device_array<T> in(values, shift);
  test::device_array<T> selected(wanted.selected.size());
  test::device_array<index_type> count(1);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::select(
      storage, bytes, in.data(), size, selector, selected.data(), discard_rejected{}, count.data(), 0);
  });
  REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
  test::require_equal(selected.to_host(), wanted.selected);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::stable_partition_in_place(storage, bytes, in.data(), size, selector, count.data(), 0);
  });
  REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
  wanted.selected.insert(wanted.selected.end(), wanted.rejected.begin(), wanted.rejected.end());
  test::require_equal(in.to_host(), wanted.selected);
}

std::vector<std::size_t> sizes(std::size_t tile)
{
  return test::all_or_few(
    {1, 2, 31, 33, tile - 1, tile, tile + 1, 2 * tile + 5, 40 * tile, 70 * tile + 7}, {1, tile + 1, 20 * tile + 5});
}
std::vector<unsigned> shares()
{
  return is_slow ? std::vector<unsigned>{50} : std::vector<unsigned>{0, 3, 50, 97, 100};
}

}  // namespace

TEMPLATE_TEST_CASE(
  "a stream selects and partitions every size of item", "[stream_partition]", test::bytes3,
  double GIMBAL_MORE(std::int8_t, std::int16_t, std::int32_t, bytes12, test::wide))
{
  for (std::size_t n : sizes(small_tile<TestType>)) {
    check_shares<small_tuning, TestType>(n, shares());
  }
}

TEST_CASE("a stream with several rows of segments", "[stream_partition]")
{
  for (std::size_t n : {1, 1023, 1025, is_slow ? 5007 : 33 * 1024 + 7}) {
    check_shares<row_tuning, std::int8_t>(n, shares());
    check_shares<row_tuning, std::int32_t>(n, shares());
  }
}

TEST_CASE("a stream whose rejected items begin where a count in memory says", "[stream_partition]")
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
    stream_select<small_tuning>(in.data(), n, selector, out.data(), behind, wanted.selected.size());
    std::vector<std::int32_t> both = wanted.selected;
    both.insert(both.end(), wanted.rejected.begin(), wanted.rejected.end());
    test::require_equal(out.to_host(), both);
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
  "a stream of counting-iterator input by a predicate that gathers", "[stream_partition]",
  std::int32_t GIMBAL_MORE(std::int64_t))
{
  using gimbal::tuning::select_input;
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
    const auto check = [&](test::device_array<TestType>& where, const std::vector<TestType>& expected) {
      std::vector<TestType> all = where.to_host();
      all.resize(expected.size());
      test::require_equal(all, expected);
    };
    const thrust::counting_iterator<TestType> in(0);
    stream_select<gimbal::tuning::stream_partition<sizeof(TestType), 0, false, select_input::counting, true>>(
      in, n, select_if<gathered_is_odd<TestType>>{is_selected}, selected.data(), discard_rejected{},
      wanted.selected.size());
    check(selected, wanted.selected);
    test::raw_fill(selected.data(), 0xcd, n * sizeof(TestType));
    stream_select<gimbal::tuning::stream_partition<sizeof(TestType), 0, true, select_input::counting, true>>(
      in, n, select_if<gathered_is_odd<TestType>>{is_selected}, selected.data(),
      rejected_to<TestType*>{rejected.data()}, wanted.selected.size());
    check(selected, wanted.selected);
    check(rejected, wanted.rejected);
  }
}

TEST_CASE("a stream of the default shape", "[stream_partition]")
{
  check_shares<gimbal::tuning::stream_partition<1>, std::int8_t>(300001, {50});
  check_shares<gimbal::tuning::stream_partition<12>, bytes12>(30011, {50});
}

TEST_CASE("large calls are streamed, others not", "[stream_partition]")
{
  constexpr std::size_t least = gimbal::tuning::stream_partition<4>::least_bytes / 4;
  check_call<std::int32_t>(least - 1, 0);
  check_call<std::int32_t>(least, 0);
  check_call<std::int32_t>(least + 100, 1);
  check_call<test::wide>(least, 0);
}
#endif

TEST_CASE("a stream of long runs of selected items", "[stream_partition]")
{
  check_runs<small_tuning>(is_slow ? 6011 : 20011);
  check_runs<row_tuning>(is_slow ? 8011 : 40013);
}

TEST_CASE("a stream by flags and by a stencil", "[stream_partition]")
{
  for (std::size_t n : test::all_or_few({1, 15, 257, 5000}, {15, 1000})) {
    for (std::size_t flag_shift : test::all_or_few({0, 1, 5}, {5})) {
      check_beside<std::int8_t, std::int32_t>(n, flag_shift);
      check_beside<std::int32_t, std::int16_t>(n, flag_shift);
      check_beside<std::int64_t, double>(n, flag_shift);
      check_beside<test::bytes3, std::int32_t>(n, flag_shift);
    }
  }
}

TEST_CASE("a stream with the blocks that have begun", "[stream_partition]")
{
  const std::vector<std::int32_t> values = values_of<std::int32_t>(17 * 256 + 3, 5);
  const selects_percent half{50};
  const auto wanted = reference(values, [&](std::size_t i) { return selects_percent{50}(values[i]); });
  test::with_few_blocks([&] {
    check_forms<small_tuning>(values, 3, select_if<selects_percent>{half}, wanted);
    if (!is_slow) {
      check_forms<row_tuning>(values, 0, select_if<selects_percent>{half}, wanted);
    }
  });
}

TEST_CASE("a stream under many schedules", "[stream_partition][schedules]")
{
  test::under_schedules([] {
    check_shares<small_tuning, std::int32_t>(17 * 256 + 3, {50});
    check_shares<row_tuning, std::int8_t>(9 * 4096 + 5, {3});
#if !GIMBAL_GPU
    {
      // Rings that turn often: a counting group must not come to a stage before the load that it passes over has landed.
      gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
      options.resident_blocks = 2;  // one that serves, one that takes all tiles
      const gimbal::simt::scoped_executor_options scope(options);
      check_shares<row_tuning, std::int32_t>(40 * 1024 + 5, {50});
    }
#endif
    if (!is_slow) {
      check_shares<small_tuning, std::int32_t>(100, {50});
      check_beside<std::int8_t, std::int64_t>(1003, 3);
      check_runs<small_tuning>(6007);
    }
  });
}
