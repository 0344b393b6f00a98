// Tests merge sort in pairs, and as its table chooses, against std::stable_sort: sizes, comparators, key and value
// types, iterators, schedules.
#include "merge_sort_reference.h"
#include "sort_iterators.h"

using namespace merge_sort_reference;

namespace {

/// Tiles so small that short inputs take many merges.
struct small : in_pairs<small> {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
};
constexpr std::size_t small_tile = 192;

/// A number of threads that is no power of two, and one warp that searches both ends of a tile.
struct odd : in_pairs<odd> {
  static constexpr unsigned block_threads = 96;
  static constexpr unsigned items_per_thread = 2;
};
struct one_warp : in_pairs<one_warp> {
  static constexpr unsigned block_threads = 32;
  static constexpr unsigned items_per_thread = 1;
};

/// Keys with equal last digits are equivalent: a weak ordering with large classes, and a comparator with a state.
struct by_last_digit {
  unsigned base;
  GIMBAL_HOST_DEVICE bool operator()(unsigned l, unsigned r) const { return l % base < r % base; }
};

template <class Tuning, class Key, class Compare>
void check_keys(const std::vector<Key>& keys, Compare compare)
{
  const index_type n = static_cast<index_type>(keys.size());
  const std::vector<Key> wanted = permuted(keys, sorted_order(keys, compare));
  INFO("n = " << n);
  test::device_array<Key> in(keys, 1);
  test::device_array<Key> out(keys.size(), 1);
  test::run([&](void* storage, std::size_t& bytes) {
    return merge_sort<Tuning>(storage, bytes, in.data(), out.data(), no_values{}, no_values{}, n, compare);
  });
  test::require_equal(out.to_host(), wanted);
  test::require_equal(in.to_host(), keys);
  test::run([&](void* storage, std::size_t& bytes) {
    return merge_sort<Tuning>(storage, bytes, in.data(), in.data(), no_values{}, no_values{}, n, compare);
  });
  test::require_equal(in.to_host(), wanted);
}

}  // namespace

TEST_CASE("merge sort of every size")
{
  for (const std::size_t n : test::edge_sizes(small_tile, 20)) {
    check_pairs<small, std::uint32_t>(make_keys<unsigned>(n, shape::few, n), less{});
    check_keys<small>(make_keys<unsigned>(n, shape::random, n), less{});
    check_pairs<odd, std::uint32_t>(make_keys<unsigned>(n, shape::few, n), less{});
  }
  for (const std::size_t n : test::edge_sizes(32, 40)) {
    check_pairs<one_warp, std::uint32_t>(make_keys<unsigned>(n, shape::few, n), less{});
  }
}

TEST_CASE("merge sort of every shape by several comparators")
{
  for (const std::size_t n : {std::size_t{100}, 6 * small_tile + 17}) {
    for (const shape s : every_shape) {
      const std::vector<unsigned> keys = make_keys<unsigned>(n, s, n);
      check_pairs<small, std::uint32_t>(keys, less{});
      check_pairs<small, std::uint32_t>(keys, greater{});
      check_pairs<small, std::uint32_t>(keys, by_last_digit{10});
    }
  }
}

TEST_CASE("merge sort with the default tuning")
{
  using in_pairs = gimbal::tuning::pairwise_merge_sort<4, 4>;
  const std::size_t tile = in_pairs::block_threads * in_pairs::items_per_thread;
  const auto most_all_pairs = static_cast<std::size_t>(gimbal::tuning::all_pairs_merge_sort<4>::most_items);
  const auto most_ranks = static_cast<std::size_t>(gimbal::tuning::rank_merge_sort<4>::most_items);
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{5}, most_all_pairs, most_all_pairs + 1, most_ranks, most_ranks + 1, tile - 1, tile,
        tile + 1, 5 * tile + 100}) {
    check_pairs<void, std::uint32_t>(make_keys<unsigned>(n, shape::random, n), less{});
    check_keys<void>(make_keys<unsigned>(n, shape::few, n), greater{});
  }
}

TEMPLATE_TEST_CASE(
  "merge sort of keys of any type", "", double,
  test::bytes3 GIMBAL_MORE(unsigned char, short, float, test::tagged, test::wide, (thrust::tuple<int, double>), large))
{
  for (const std::size_t n : {std::size_t{33}, 5 * small_tile + 9}) {
    check_keys<small>(make_keys<TestType>(n, shape::random, n), less{});
    check_pairs<small, std::uint32_t>(make_keys<TestType>(n, shape::few, n), less{});
  }
  check_keys<void>(make_keys<TestType>(3000, shape::random, 1), less{});
}

TEMPLATE_TEST_CASE(
  "merge sort carries values of any type", "", double,
  test::bytes3 GIMBAL_MORE(char, unsigned short, test::tagged, test::matrix, (thrust::tuple<int, double>), large))
{
  for (const std::size_t n : {std::size_t{33}, 5 * small_tile + 9}) {
    check_pairs<small, TestType>(make_keys<unsigned>(n, shape::few, n), less{});
  }
  check_pairs<void, TestType>(make_keys<unsigned>(3000, shape::few, 1), less{});
}

namespace {

/// As many keys as said, by `less`.
template <class Way>
auto sort_of(std::size_t n)
{
  return [n](auto... arrays) {
    test::run([&](void* storage, std::size_t& bytes) {
      return merge_sort<Way>(storage, bytes, arrays..., static_cast<index_type>(n), less{});
    });
  };
}

}  // namespace

TEST_CASE("merge sort through iterators")
{
  using multiway = small_multiway<4, 64, 3>;
  const std::size_t n = GENERATE(std::size_t{60}, 4 * small_tile + 5, 7 * small_tile);
  INFO("n = " << n);
  const std::vector<unsigned> keys = make_keys<unsigned>(n, shape::few, n);
  sort_iterators::check_zipped_values_in_place(keys, less{}, sort_of<small>(n));
  sort_iterators::check_computed_keys(keys, less{}, sort_of<multiway>(n));
  sort_iterators::check_reversed_in_place(keys, less{}, sort_of<small>(n));

  const std::vector<std::uint32_t> order = sorted_order(keys, less{});
  test::device_array<unsigned> major(keys);
  test::device_array<std::uint32_t> minor(make_values<std::uint32_t>(n));
  const auto zipped = thrust::make_zip_iterator(major.data(), minor.data());
  sort_of<multiway>(n)(zipped, zipped, no_values{}, no_values{});  // compares tuples
  test::require_equal(major.to_host(), permuted(keys, order));
  test::require_equal(minor.to_host(), order);
}

TEST_CASE("merge sort calls the comparator with keys of the input only")
{
  for (const std::size_t n : test::edge_sizes(small_tile, 9)) {
    check_compared_keys<small>(n);
  }
  test::under_schedules([&] { check_compared_keys<small>(3 * small_tile + 50); });  // these poison shared memory
}

TEST_CASE("merge sort under schedules")
{
  const std::vector<unsigned> keys = make_keys<unsigned>(5 * small_tile + 50, shape::few, 3);
  test::under_schedules([&] {
    check_pairs<small, std::uint32_t>(keys, less{});
    check_pairs<odd, test::bytes3>(keys, greater{});
  });
}

TEST_CASE("merge sort asks for hardly more storage than a copy, and refuses less")
{
  for (const index_type n : {1, 700, 701, 3000, 3001, 5000, 20000}) {  // on the host executor, of each row of the table
    INFO("n = " << n);
    test::device_array<unsigned> data(make_keys<unsigned>(static_cast<std::size_t>(n), shape::random, 1));
    std::size_t bytes = 0;
    const auto sort = [&](void* storage) {
      return algorithm::merge_sort(storage, bytes, data.data(), data.data(), no_values{}, no_values{}, n, less{}, 0)
        .code;
    };
    CHECK(sort(nullptr) == gimbal::simt::success);
    CHECK(bytes <= static_cast<std::size_t>(4 * n + 4 * n / 100 + 512));
    CHECK((n > 700 || bytes == 1));
    CHECK((n <= 5000 || bytes >= static_cast<std::size_t>(4 * n)));
    --bytes;
    CHECK(sort(data.data()) == gimbal::simt::error_invalid_value);
  }
}

#ifdef GIMBAL_INSTRUMENT
TEST_CASE("merge sort of one tile takes one launch") { CHECK(launches_of<small>(small_tile) == 1); }
#endif

TEMPLATE_TEST_CASE(
  "two runs of any lengths are merged stably", "", unsigned GIMBAL_MORE(unsigned char, double, test::bytes3))
{
  for (const std::size_t n : {0u, 1u, 2u, 33u, 1000u, 5000u, 20001u}) {
    for (const std::size_t first : {n / 2, std::size_t{0}, n, n / 7, n - n / 7, n == 0 ? n : n - 1}) {
      INFO("n = " << n << ", the first run has " << first);
      std::vector<TestType> keys = test::random_values<TestType>(n, n + first);
      for (std::size_t i = 40; i < n; ++i) {
        keys[i] = keys[i % 40];  // ties within the runs and between them
      }
      const auto middle = keys.begin() + static_cast<std::ptrdiff_t>(first);
      std::sort(keys.begin(), middle);
      std::sort(middle, keys.end());
      const std::vector<std::uint32_t> order = sorted_order(keys, thrust::less<TestType>());
      std::vector<std::uint32_t> positions(n);
      std::iota(positions.begin(), positions.end(), 0u);
      test::device_array<TestType> in(keys, 1);
      test::device_array<TestType> out(n, 1);
      test::device_array<TestType> out_alone(n);
      test::device_array<std::uint32_t> values(positions);
      test::device_array<std::uint32_t> out_values(n);
      const auto merge = [&](auto* to, auto values_in, auto values_out) {
        const auto code = gimbal::algorithm::merge_two_runs(
                            in.data(), to, values_in, values_out, static_cast<index_type>(first),
                            static_cast<index_type>(n), thrust::less<TestType>(), nullptr)
                            .code;
        REQUIRE(code == gimbal::simt::success);
        REQUIRE(gimbal::simt::wait(nullptr, "test").code == gimbal::simt::success);
      };
      merge(out.data(), values.data(), out_values.data());
      merge(out_alone.data(), no_values{}, no_values{});
      test::require_equal(out.to_host(), permuted(keys, order));
      test::require_equal(out_alone.to_host(), permuted(keys, order));
      test::require_equal(out_values.to_host(), permuted(positions, order));
      test::require_equal(in.to_host(), keys);
    }
  }
}
