// Tests the persistent segmented scan at kernel level, with small stages and few blocks: keys, flags and offsets,
// sizes, types, alignment, in place, schedules.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cuda/std/iterator>

#include "persistent_row.h"
#include "segments_checks.h"

namespace {

using namespace segments_checks;

struct small_ring {
  static constexpr gimbal::tuning::scan_row row{2, 2, 2, 32, 100, 7};  // six stages, head flags for four
};

struct row_of {
  int items;
  GIMBAL_HOST_DEVICE int operator()(int i) const { return i / items; }
};

/// False if this device cannot run the kernel.
template <class Kind, class Heads, class InputIt, class T, class Op, class Init>
bool scan(Kind kind, Heads heads, InputIt in, T* out, std::size_t n, Op op, Init init)
{
  const auto row = gimbal::algorithm::persistent_segmented_scan_row<small_ring>(
    true, kind, heads, in, out, static_cast<index_type>(n), op, init);
  REQUIRE(row.is_possible);
  return test::run_row(row);
}

/// By flags, by keys of two sizes and by offsets; into other memory and in place.
template <class Key, class T, class Op>
void check(std::size_t n, std::size_t length, Op op, T init, std::size_t shift = 0)
{
  INFO("n = " << n << ", a head in " << length << ", shift " << shift);
  const std::vector<T> values = test::random_values<T>(n, n + length);
  const segments made = random_segments(n, length, n, n % 2);
  test::device_array<T> in(values, shift);
  test::device_array<T> out(n, shift + 1);
  test::device_array<unsigned char> device_flags(made.flags, shift);
  test::device_array<Key> device_keys(made.keys<Key>(), shift);
  test::device_array<std::uint32_t> device_offsets(made.offsets);
  const auto flags = by_flags(static_cast<const unsigned char*>(device_flags.data()));
  const auto keys = by_keys(static_cast<const Key*>(device_keys.data()));
  const auto offsets = by_offsets(static_cast<const std::uint32_t*>(device_offsets.data()), made.offsets.size());
  const auto check_of = [&](auto kind, auto heads, auto from, T* to, auto first) {
    if (!scan(kind, heads, from, to, n, op, first)) {
      return false;
    }
    std::vector<T> results(n);
    test::raw_copy(results.data(), to, n * sizeof(T));
    test::require_equal(results, reference(kind, made.flags, values, op, first).out);
    return true;
  };
  if (!check_of(inclusive{}, flags, in.data(), out.data(), no_init{})) {
    return;
  }
  check_of(exclusive{}, keys, in.data(), out.data(), init);
  const auto loaded = thrust::make_transform_iterator(in.data(), test::same{});
  check_of(inclusive{}, keys, loaded, out.data(), no_init{});
  check_of(exclusive{}, flags, loaded, out.data(), init);
  const auto loaded_keys = by_keys(thrust::make_transform_iterator(device_keys.data(), test::same{}));
  check_of(inclusive{}, loaded_keys, loaded, out.data(), no_init{});
  check_of(exclusive{}, loaded_keys, in.data(), out.data(), init);
  if constexpr (std::is_same_v<Key, T>) {  // over the keys
    const auto check_over = [&](auto kind, auto first) {
      test::device_array<Key> over(made.keys<Key>());
      check_of(kind, by_keys(thrust::make_transform_iterator(over.data(), test::same{})), loaded, over.data(), first);
    };
    check_over(inclusive{}, no_init{});
    check_over(inclusive{}, init);
    check_over(exclusive{}, init);
  }
  check_of(exclusive{}, offsets, in.data(), out.data(), init);
  check_of(inclusive{}, offsets, loaded, out.data(), init);
  check_of(inclusive{}, keys, in.data(), in.data(), init);
}

template <class Key, class T, class Op>
void check_sizes(Op op, T init)
{
  using tiles = typename decltype(gimbal::algorithm::persistent_segmented_scan_row<small_ring>(
                                    true, inclusive{}, by_flags(static_cast<const unsigned char*>(nullptr)),
                                    static_cast<const T*>(nullptr), static_cast<T*>(nullptr), 1, op, no_init{})
                                    .policy)::tiles_type;
  const std::size_t tile = tiles::tile_items;
  for (const std::size_t n : test::all_or_few(
         {1, 33, tile - 1, tile, tile + 1, 3 * tile + 7, 33 * tile - 1, 70 * tile + 5}, {1, tile + 1, 33 * tile - 1})) {
    for (const unsigned length : {3u, 1u, 700u}) {
      check<Key, T>(n, length, op, init);
      if (test::hunts_races && n != 33 * tile - 1) {
        break;  // few tiles wait for each other alike, whatever is in them
      }
    }
  }
}

}  // namespace

TEST_CASE("persistent segmented scan adds", "[persistent_segmented_scan]")
{
  check_sizes<std::uint8_t, std::int64_t>(cuda::std::plus<std::int64_t>{}, std::int64_t{7});
  if (!test::hunts_races) {
    check_sizes<std::int16_t, std::int8_t>(cuda::std::plus<std::int8_t>{}, std::int8_t{7});
    check_sizes<std::int32_t, std::int32_t>(cuda::std::plus<std::int32_t>{}, 7);
    check_sizes<std::int64_t, double>(cuda::std::plus<double>{}, 7.0);
  }
}

TEST_CASE("persistent segmented scan keeps the order of operands", "[persistent_segmented_scan]")
{
  check_sizes<std::int32_t, test::matrix>(test::matrix_product{}, test::matrix{1, 2, 3, 4});
}

TEST_CASE("iterators tell which memory they read", "[persistent_segmented_scan]")
{
  std::vector<int> memory(40);
  int* const p = memory.data();
  const auto overlap = [](const auto& a, const auto& b) { return gimbal::block::may_overlap(a, b, 10); };
  CHECK_FALSE(overlap(p, p + 10));
  CHECK(overlap(p, p + 9));
  CHECK(overlap(p + 9, p));
  const thrust::counting_iterator<int> count(0);
  CHECK_FALSE(overlap(count, p));
  const auto backwards = thrust::make_reverse_iterator(p + 20);  // items 10 to 19
  CHECK_FALSE(overlap(backwards, p));
  CHECK_FALSE(overlap(backwards, p + 20));
  CHECK(overlap(backwards, p + 1));
  CHECK(overlap(backwards, p + 19));
  const auto made = thrust::make_transform_iterator(p, test::same{});
  CHECK_FALSE(overlap(made, p + 10));
  CHECK(overlap(made, p + 9));
  const auto zipped = thrust::make_zip_iterator(p, count, backwards);
  CHECK_FALSE(overlap(zipped, p + 20));
  CHECK(overlap(zipped, p + 19));
  CHECK(overlap(p + 9, zipped));
  const auto out = thrust::make_zip_iterator(p + 20, p + 30);
  CHECK_FALSE(overlap(zipped, out));
  CHECK(overlap(zipped, thrust::make_zip_iterator(p + 20, p + 15)));
  CHECK(overlap(thrust::make_permutation_iterator(p, count), p + 30));  // nobody knows
}

TEST_CASE("persistent segmented scan by keys that are computed from a count", "[persistent_segmented_scan]")
{
  const auto rows = thrust::make_transform_iterator(thrust::make_counting_iterator(0), row_of{37});
  using rows_type = std::decay_t<decltype(rows)>;
  static_assert(gimbal::block::base_arrays<rows_type>::are_none);
  static_assert(!gimbal::block::base_arrays<thrust::transform_iterator<test::same, const int*>>::are_none);
  static_assert(!gimbal::block::base_arrays<
                thrust::transform_iterator<const int* (*)(int), thrust::counting_iterator<int>>>::are_all);
  for (const std::size_t n : test::all_or_few({1, 36, 37, 38, 5000}, {37, 2000})) {
    std::vector<unsigned char> heads(n);
    for (std::size_t i = 0; i < n; i += 37) {
      heads[i] = 1;
    }
    const std::vector<int> values = test::random_values<int>(n, n);
    test::device_array<int> data(values);
    if (scan(inclusive{}, by_keys(rows), data.data(), data.data(), n, cuda::std::plus<>{}, no_init{})) {
      test::require_equal(data.to_host(), reference(inclusive{}, heads, values, cuda::std::plus<>{}, no_init{}).out);
    }
  }
}

TEST_CASE("persistent segmented scan where the input is not at a multiple of 16 bytes", "[persistent_segmented_scan]")
{
  for (std::size_t shift = 1; shift < 16; shift += 2) {
    check<std::int8_t, std::int8_t>(3000, 20, cuda::std::plus<std::int8_t>{}, std::int8_t{1}, shift);
  }
}

TEMPLATE_TEST_CASE(
  "persistent segmented float scans are the same bits wherever arrays lie", "[persistent_segmented_scan]",
  double GIMBAL_MORE(float))
{
  const std::size_t n = 2777;
  const std::vector<TestType> values = test::random_fractions<TestType>(n, 4);
  const segments made = random_segments(n, 300, 5);
  test::device_array<std::uint32_t> offsets(made.offsets);
  std::vector<TestType> first;
  for (std::size_t shift = 0; shift < 4; ++shift) {
    for (std::size_t flag_shift = 0; flag_shift < 4; ++flag_shift) {
      INFO("values at item " << shift << ", keys and flags at item " << flag_shift);
      test::device_array<TestType> in(values, shift);
      test::device_array<TestType> out(n, flag_shift);
      test::device_array<std::int32_t> keys(made.keys<std::int32_t>(), flag_shift);
      test::device_array<unsigned char> flags(made.flags, flag_shift);
      const cuda::std::plus<TestType> plus;
      const auto check_same = [&](auto by_heads) {
        if (scan(inclusive{}, by_heads, in.data(), out.data(), n, plus, TestType(0.3))) {
          first = first.empty() ? out.to_host() : first;
          test::require_equal(out.to_host(), first);
        }
      };
      check_same(by_keys(static_cast<const std::int32_t*>(keys.data())));
      check_same(by_flags(static_cast<const unsigned char*>(flags.data())));
      check_same(by_offsets(static_cast<const std::uint32_t*>(offsets.data()), made.offsets.size()));
    }
  }
}

TEST_CASE(
  "the persistent segmented scan takes arrays wherever they lie but over each other", "[persistent_segmented_scan]")
{
  test::device_array<int> values(100);
  test::device_array<int> keys(100);
  const auto is_taken = [&](const int* first_key, const int* in, int* out) {
    return gimbal::algorithm::persistent_segmented_scan_row<small_ring>(
             true, inclusive{}, by_keys(first_key), in, out, 90, cuda::std::plus<int>{}, no_init{})
      .is_possible;
  };
  CHECK(is_taken(keys.data(), values.data(), values.data()));
  CHECK(is_taken(keys.data() + 1, values.data() + 1, values.data()));
  CHECK(is_taken(keys.data() + 1, values.data(), values.data()));
  CHECK_FALSE(is_taken(keys.data(), values.data(), keys.data()));  // keys of other blocks' tiles are overwritten
}

TEST_CASE("persistent segmented scan over its own flags", "[persistent_segmented_scan]")
{
  const std::size_t n = 4000;
  const std::vector<unsigned char> heads = random_segments(n, 30, 1).flags;
  const std::vector<unsigned char> values = test::random_values<unsigned char>(n, 2);
  test::device_array<unsigned char> flags(heads);
  test::device_array<unsigned char> in(values);
  const cuda::std::plus<unsigned char> plus;
  const auto own_flags = by_flags(static_cast<const unsigned char*>(flags.data()));
  if (scan(inclusive{}, own_flags, in.data(), flags.data(), n, plus, no_init{})) {
    test::require_equal(flags.to_host(), reference(inclusive{}, heads, values, plus, no_init{}).out);
  }
}

TEMPLATE_TEST_CASE(
  "persistent segmented scan by many offsets", "[persistent_segmented_scan]",
  std::int16_t GIMBAL_MORE(std::uint32_t, std::uint64_t))
{
  const std::size_t n = 30000;
  const cuda::std::plus<std::int32_t> plus;
  const std::vector<std::int32_t> values = test::random_values<std::int32_t>(n, 3);
  test::device_array<std::int32_t> in(values, 1);
  test::device_array<std::int32_t> out(n);
  const auto check_from =
    [&](std::size_t items, const TestType* offsets, std::size_t count, const std::vector<unsigned char>& heads) {
      if (scan(inclusive{}, by_offsets(offsets, count), in.data(), out.data(), items, plus, no_init{})) {
        const std::vector<std::int32_t> all = reference(inclusive{}, heads, values, plus, no_init{}).out;
        const std::vector<std::int32_t> found = out.to_host();
        test::require_equal(
          std::vector<std::int32_t>(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(items)),
          std::vector<std::int32_t>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(items)));
      }
    };
  const auto check_offsets = [&](const std::vector<TestType>& offsets) {
    std::vector<unsigned char> heads(n);
    for (const TestType o : offsets) {
      if (static_cast<std::size_t>(o) < n) {
        heads[static_cast<std::size_t>(o)] = 1;
      }
    }
    const std::size_t shift = offsets.size() % 9;
    test::device_array<TestType> at(offsets, shift);
    check_from(n, at.data(), offsets.size(), heads);
    const std::size_t before = static_cast<std::size_t>(
      std::lower_bound(offsets.begin(), offsets.end(), static_cast<TestType>(900)) - offsets.begin());
    check_from(900, at.data(), before, heads);
  };
  // Runs of 1 + `others` items with odds of `odds` in 8, else of 1, `times` each, from one position to another.
  const auto make = [](std::size_t begin, std::size_t end, std::size_t others, std::size_t odds, std::size_t times) {
    std::mt19937_64 random(odds);
    std::vector<TestType> made;
    for (std::size_t i = begin; i < end; i += random() % 8 < odds ? 1 + others : 1) {
      made.insert(made.end(), times, static_cast<TestType>(i));
    }
    return made;
  };
  check_offsets(make(0, n, 0, 0, 1));  // nothing but heads
  check_offsets(make(0, n, 1, 4, 1));  // runs of random length
  check_offsets(make(0, n, 9, 2, 1));
  check_offsets(make(0, n / 2, 0, 0, 1));  // all in one half
  check_offsets(make(n / 2, n, 0, 0, 1));
  check_offsets(make(n / 2, n / 2 + 999, 0, 0, 1));
  check_offsets(make(0, n, 0, 0, 3));       // more offsets than items
  check_offsets(make(0, n, 2000, 1, 700));  // equal ones, more than are loaded together
  check_offsets({TestType{5}});
  check_offsets(std::vector<TestType>(n, TestType{0}));
  check_offsets(std::vector<TestType>(n, static_cast<TestType>(n - 1)));
  check_offsets(std::vector<TestType>(n, static_cast<TestType>(n)));
}

TEST_CASE("persistent segmented scan with the blocks that have begun", "[persistent_segmented_scan]")
{
  test::with_few_blocks([] {
    check<std::int32_t, test::matrix>(1500, 40, test::matrix_product{}, test::matrix{1, 2, 3, 4});
    if (!test::hunts_races) {
      check<std::int32_t, std::int32_t>(6000, 2, cuda::std::plus<std::int32_t>{}, 3);
    }
  });
}

TEST_CASE("persistent segmented scan is right under every schedule", "[persistent_segmented_scan]")
{
  test::under_schedules([] {
    check<std::int32_t, test::matrix>(1500, 40, test::matrix_product{}, test::matrix{1, 2, 3, 4});
    if (!test::hunts_races) {
      check<std::int32_t, std::int32_t>(3000, 700, cuda::std::plus<std::int32_t>{}, 3);
    }
    check<std::int32_t, std::int32_t>(test::hunts_races ? 3000 : 9000, 2, cuda::std::plus<std::int32_t>{}, 3);
  });
}
