// Merge sort in pairs, and as its table says, against std::stable_sort: sizes, comparators, key and value types,
// iterators, schedules.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include "merge_sort_reference.h"

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

TEST_CASE("merge sort through iterators")
{
  using multiway = small_multiway<4, 64, 3>;
  const std::size_t n = GENERATE(std::size_t{60}, 4 * small_tile + 5, 7 * small_tile);
  INFO("n = " << n);
  const index_type count = static_cast<index_type>(n);
  const std::vector<unsigned> keys = make_keys<unsigned>(n, shape::few, n);
  const std::vector<std::uint32_t> order = sorted_order(keys, less{});
  SECTION("zipped values in place")
  {
    test::device_array<unsigned> data(keys);
    test::device_array<std::uint32_t> low(make_values<std::uint32_t>(n));
    test::device_array<double> high(make_values<double>(n));
    const auto zipped = thrust::make_zip_iterator(low.data(), high.data());
    test::run([&](void* storage, std::size_t& bytes) {
      return merge_sort<small>(storage, bytes, data.data(), data.data(), zipped, zipped, count, less{});
    });
    test::require_equal(data.to_host(), permuted(keys, order));
    test::require_equal(low.to_host(), order);
    test::require_equal(high.to_host(), std::vector<double>(order.begin(), order.end()));
  }
  SECTION("zipped keys in place")
  {
    test::device_array<unsigned> major(keys);
    test::device_array<std::uint32_t> minor(make_values<std::uint32_t>(n));
    const auto zipped = thrust::make_zip_iterator(major.data(), minor.data());
    test::run([&](void* storage, std::size_t& bytes) {
      return merge_sort<multiway>(
        storage, bytes, zipped, zipped, no_values{}, no_values{}, count, less{});  // compares tuples
    });
    test::require_equal(major.to_host(), permuted(keys, order));
    test::require_equal(minor.to_host(), order);
  }
  SECTION("computed keys, counting-iterator values, permuted output")
  {
    std::vector<int> places(n);
    std::iota(places.rbegin(), places.rend(), 0);
    test::device_array<unsigned> data(keys);
    test::device_array<unsigned> keys_out(n);
    test::device_array<int> backward(places);
    test::device_array<int> values_out(n);
    const auto negated = thrust::make_transform_iterator(data.data(), thrust::negate<unsigned>{});
    test::run([&](void* storage, std::size_t& bytes) {
      return merge_sort<multiway>(
        storage, bytes, negated, keys_out.data(), thrust::make_counting_iterator(0),
        thrust::make_permutation_iterator(values_out.data(), backward.data()), count, less{});
    });
    std::vector<unsigned> computed;
    for (const unsigned key : keys) {
      computed.push_back(0u - key);
    }
    const std::vector<std::uint32_t> wanted = sorted_order(computed, less{});
    test::require_equal(keys_out.to_host(), permuted(computed, wanted));
    test::require_equal(values_out.to_host(), std::vector<int>(wanted.rbegin(), wanted.rend()));
    test::require_equal(data.to_host(), keys);
  }
  SECTION("reversed in place")
  {
    test::device_array<unsigned> data(keys);
    const auto backward = thrust::make_reverse_iterator(data.data() + n);
    test::run([&](void* storage, std::size_t& bytes) {
      return merge_sort<small>(storage, bytes, backward, backward, no_values{}, no_values{}, count, less{});
    });
    std::vector<unsigned> wanted = permuted(keys, order);
    std::reverse(wanted.begin(), wanted.end());
    test::require_equal(data.to_host(), wanted);
  }
}

TEST_CASE("merge sort calls the comparator with keys of the input only")
{
  const auto check = [](std::size_t n) {
    INFO("n = " << n);
    const std::vector<unsigned> table = make_keys<unsigned>(n, shape::few, n);
    test::device_array<unsigned> device_table(table);
    test::device_array<unsigned> foreign(std::vector<unsigned>{0});
    test::device_array<unsigned> indices(make_values<unsigned>(n));
    const by_table compare{device_table.data(), static_cast<unsigned>(n), foreign.data()};
    test::run([&](void* storage, std::size_t& bytes) {
      return merge_sort<small>(
        storage, bytes, indices.data(), indices.data(), no_values{}, no_values{}, static_cast<index_type>(n), compare);
    });
    REQUIRE(foreign.to_host()[0] == 0);
    test::require_equal(indices.to_host(), sorted_order(table, less{}));
  };
  for (const std::size_t n : test::edge_sizes(small_tile, 9)) {
    check(n);
  }
  test::under_schedules([&] { check(3 * small_tile + 50); });  // these poison shared memory
}

TEST_CASE("merge sort under schedules")
{
  const std::vector<unsigned> keys = make_keys<unsigned>(5 * small_tile + 50, shape::few, 3);
  test::under_schedules([&] {
    check_pairs<small, std::uint32_t>(keys, less{});
    check_pairs<odd, test::bytes3>(keys, greater{});
  });
}

TEST_CASE("merge sort asks for no more storage than a copy, and refuses less")
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
    CHECK(bytes <= static_cast<std::size_t>(4 * n + 512));
    CHECK((n > 700 || bytes == 1));
    CHECK((n <= 5000 || bytes >= static_cast<std::size_t>(4 * n)));
    --bytes;
    CHECK(sort(data.data()) == gimbal::simt::error_invalid_value);
  }
}

#ifdef GIMBAL_INSTRUMENT
TEST_CASE("merge sort of one tile takes one launch")
{
  namespace instrument = gimbal::simt::instrument;
  test::device_array<unsigned> data(make_keys<unsigned>(small_tile, shape::random, 1));
  const long launches = instrument::counted(instrument::point::launch);
  test::run([&](void* storage, std::size_t& bytes) {
    return merge_sort<small>(storage, bytes, data.data(), data.data(), no_values{}, no_values{}, small_tile, less{});
  });
  CHECK(instrument::counted(instrument::point::launch) == launches + 1);
}
#endif
