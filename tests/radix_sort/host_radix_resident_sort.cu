// Tests the radix sort in one launch (algorithm/radix_sort/radix_resident_sort.cuh), against std::stable_sort on the
// host executor.
#include <cmath>
#include <limits>
#include <numeric>

#include "host_radix_checks.h"

namespace {

/// Three blocks of two warps, whose buckets have room for 512 items.
using wide = one_launch<64, 8>;
constexpr std::size_t one_round = 1300;   // a bucket for each block
constexpr std::size_t two_rounds = 1500;  // two

template <class Key>
void check_all(const std::vector<Key>& keys)
{
  check_keys<wide, ascending, Key>(keys);
  check_keys<wide, descending, Key>(keys);
  check_pairs<wide, ascending, Key>(keys);
  check_pairs<wide, descending, Key, double>(keys);
}

template <class Key>
std::vector<Key> uniform_keys(std::size_t n, Key first, Key last)
{
  std::mt19937_64 random(n);
  std::vector<Key> keys(n);
  for (Key& key : keys) {
    if constexpr (std::is_floating_point_v<Key>) {
      key = std::uniform_real_distribution<Key>(first, last)(random);
    } else {
      key = std::uniform_int_distribution<Key>(first, last)(random);
    }
  }
  return keys;
}

/// Positions that no warp compares with others when it looks for duplicates.
std::size_t unseen(std::size_t i) { return i % 256 / 32 == 0 ? i + 32 : i; }  // less than n if i + 32 is

template <class Key>
constexpr Key least = std::numeric_limits<Key>::lowest();
template <class Key>
constexpr Key most = std::numeric_limits<Key>::max();

}  // namespace

TEST_CASE("radix engine in one launch where what fills a block up is served before a key")
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = true;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    const gimbal::simt::scoped_executor_options scope(options);
    for (const std::size_t n : {std::size_t{10}, std::size_t{40}}) {  // each digit once in a warp, but for the last
      std::vector<unsigned> keys(n);
      std::iota(keys.begin(), keys.end(), 256 - static_cast<unsigned>(n));
      std::swap(keys[0], keys[1]);
      check_keys<one_launch<64, 4>, ascending, unsigned>(keys);
      check_pairs<one_launch<64, 4>, ascending, unsigned>(keys);
    }
  }
}

TEMPLATE_TEST_CASE(
  "radix engine in one launch", "", unsigned GIMBAL_MORE(signed char, unsigned short, long long, float))
{
  using blocks = one_launch<64, 4>;
  for (const std::size_t n : {0, 1, 128, 129, 383, 512, 767, 768}) {
    for (const shape s : {shape::random, shape::special, shape::few, shape::constant, shape::sorted, shape::reversed}) {
      check_keys<blocks, ascending, TestType>(make_keys<TestType>(n, s, n));
      check_pairs<blocks, descending, TestType>(make_keys<TestType>(n, s, n));
    }
  }
}

TEST_CASE("radix engine in one launch of blocks of one warp and of many")
{
  for (const auto& keys : distributions(450)) {
    check_keys<one_launch<32, 5>, ascending, unsigned>(keys);
    check_pairs<one_launch<32, 5>, descending, unsigned>(keys);
  }
  for (const auto& keys : distributions(1600)) {
    check_keys<one_launch<288, 3>, descending, unsigned>(keys);
    check_pairs<one_launch<288, 3>, ascending, unsigned>(keys);
  }
  check_pairs<one_launch<96, 3>, ascending, unsigned, test::bytes3>(make_keys<unsigned>(700, shape::random, 1));
  check_pairs<one_launch<96, 3>, ascending, double, double>(make_keys<double>(700, shape::random, 1));
}

TEST_CASE("radix engine in one launch of keys that are in order, or in reverse, but for two neighbours")
{
  for (std::size_t first = 0; first + 1 < 700; first += first % 3 == 0 ? 31 : 32) {
    std::vector<unsigned> keys(700);
    std::iota(keys.begin(), keys.end(), 5u);
    std::swap(keys[first], keys[first + 1]);
    check_pairs<one_launch<64, 4>, ascending, unsigned>(keys);
    check_pairs<one_launch<64, 4>, descending, unsigned>(keys);
  }
}

TEMPLATE_TEST_CASE("radix sort in one launch of even integers of any range", "", int GIMBAL_MORE(unsigned, long long))
{
  using limits = std::numeric_limits<TestType>;
  for (const std::size_t n : test::all_or_few({385, 700, one_round, two_rounds}, {700, two_rounds})) {
    check_all(uniform_keys<TestType>(n, limits::min(), limits::max()));
    check_all(uniform_keys<TestType>(n, 5, 10 * static_cast<TestType>(n)));
    check_all(uniform_keys<TestType>(n, limits::max() - 1000000, limits::max()));
    check_all(uniform_keys<TestType>(n, limits::min(), limits::min() + 0xffffff));
    check_all(uniform_keys<TestType>(n, limits::max() / 2 - 7, limits::max() / 2 + 5000));
  }
}

TEMPLATE_TEST_CASE(
  "radix sort in one launch of few integers close to each other", "", int GIMBAL_MORE(unsigned, long long))
{
  using limits = std::numeric_limits<TestType>;
  for (const std::size_t n : {std::size_t{700}, one_round}) {
    for (const TestType spread : {TestType{40}, TestType{300}}) {
      check_all(uniform_keys<TestType>(n, limits::min(), limits::min() + spread));
      check_all(uniform_keys<TestType>(n, limits::max() - spread, limits::max()));
      check_all(uniform_keys<TestType>(n, limits::max() / 2 - spread, limits::max() / 2 + spread));
      if constexpr (std::is_signed_v<TestType>) {
        check_all(uniform_keys<TestType>(n, -spread, spread));
      }
    }
  }
}

TEMPLATE_TEST_CASE(
  "radix sort in one launch of uniform numbers, and of such as cannot be binned linearly", "",
  double GIMBAL_MORE(float))
{
  using limits = std::numeric_limits<TestType>;
  for (const std::size_t n : test::all_or_few({700, two_rounds}, {two_rounds})) {
    const std::vector<TestType> even = uniform_keys<TestType>(n, -3, 1000);
    check_all(even);
    check_all(uniform_keys<TestType>(n, 0, limits::min()));  // hardly any normal ones
    check_all(uniform_keys<TestType>(n, -limits::max() / 2, limits::max() / 2));
    for (const TestType other :
         {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), -limits::quiet_NaN(), limits::max(),
          TestType(-0.0)}) {
      std::vector<TestType> keys = even;
      keys[unseen(n / 2)] = other;
      keys[unseen(n / 3)] = 0;
      if (test::hunts_races && other != limits::infinity()) {
        continue;
      }
      check_all(keys);
      keys[0] = -other;
      check_all(keys);
    }
    std::mt19937_64 random(n);
    std::vector<TestType> keys(n);
    for (TestType& key : keys) {
      key = std::normal_distribution<TestType>(-1, 5)(random);
    }
    check_all(keys);
    for (TestType& key : keys) {
      key = std::exp(30 * key);
    }
    check_all(keys);
  }
}

TEST_CASE("radix sort in one launch of uniform keys with overflowing bins")
{
  for (const std::size_t n : test::all_or_few({900, one_round, two_rounds}, {two_rounds})) {
    for (const std::size_t clusters : test::all_or_few({1, 2, 7}, {2, 7})) {
      for (const std::size_t copies : test::all_or_few({3, 15, 40}, {15})) {
        INFO(clusters << " keys " << copies << " times");
        auto keys = uniform_keys<unsigned>(n, 0, most<unsigned>);
        for (std::size_t i = 0; i < clusters * copies; ++i) {
          keys[unseen(i * 37 % (n - 32))] =
            static_cast<unsigned>(i % clusters * 599999999u);  // a bin, or its neighbours, have them all
        }
        check_all(keys);
        std::vector<std::uint64_t> wide_keys(keys.begin(), keys.end());
        for (std::uint64_t& key : wide_keys) {
          key = key << 31 | key % 3;  // nearly equal, too
        }
        check_all(wide_keys);
      }
    }
  }
}

TEST_CASE("radix sort in one launch of keys too many of which go to one block")
{
  for (const std::size_t n : test::all_or_few({900, two_rounds}, {two_rounds})) {
    for (const unsigned part : {2u, 3u, 9u}) {
      auto keys = uniform_keys<unsigned>(n, 0, most<unsigned>);
      for (std::size_t i = 0; i < n; ++i) {
        keys[i] = i % part == 0 ? keys[i] : 0x12300000u + keys[i] % 0x100000u;
      }
      check_all(keys);
    }
  }
}

TEMPLATE_TEST_CASE(
  "radix sort in one launch of two keys, and of a third one", "", float GIMBAL_MORE(unsigned, long long))
{
  for (const std::size_t n : test::all_or_few({500, one_round}, {one_round})) {
    auto keys = uniform_keys<TestType>(n, 1, 1000);
    for (TestType& key : keys) {
      key = key > 400 ? TestType(30000) : TestType(-7);
    }
    check_all(keys);
    keys[unseen(n / 2)] = 5;
    check_all(keys);
    keys[unseen(n / 2)] = -8;
    check_all(keys);
    keys[unseen(n / 2)] = most<TestType>;
    check_all(keys);
    keys[unseen(n / 2)] = least<TestType>;
    check_all(keys);
    for (TestType& key : keys) {
      key = key > 0 ? TestType(0) : TestType(-0.0);
    }
    check_all(keys);
  }
}

TEMPLATE_TEST_CASE("radix sort in one launch of one-byte keys", "", unsigned char GIMBAL_MORE(bool, signed char))
{
  for (const std::size_t n : test::all_or_few({0, 1, 16, 127, 128, 129, 500, 1000, 1500}, {129, 1000})) {
    for (const shape s : {shape::random, shape::few, shape::constant, shape::sorted}) {
      for (const std::size_t shift : {std::size_t{0}, std::size_t{5}}) {
        check_keys<wide, ascending, TestType>(make_keys<TestType>(n, s, n), 0, 8, shift);
        check_keys<wide, descending, TestType>(make_keys<TestType>(n, s, n), 0, 8, shift);
      }
    }
  }
  check_keys<wide, ascending, TestType>(make_keys<TestType>(300, shape::random, 1), 2, 7);
}

TEST_CASE("radix sort in one launch of even keys where lanes are served in any order")
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = true;
  for (options.seed = 1; options.seed <= 3; ++options.seed) {
    const gimbal::simt::scoped_executor_options scope(options);
    check_all(uniform_keys<int>(two_rounds, -100000000, 700));
    check_all(uniform_keys<int>(one_round, 0, 1000));
    check_all(uniform_keys<int>(one_round, -200, 333));
    check_all(uniform_keys<unsigned>(two_rounds, 250, 700));
    check_all(uniform_keys<double>(700, -1, 1));
    check_pairs<one_launch<96, 6>, ascending, unsigned, test::bytes3>(uniform_keys<unsigned>(900, 0, most<unsigned>));
  }
}

TEST_CASE("radix sort in one launch of even keys under schedules")
{
  const auto even = uniform_keys<std::uint32_t>(two_rounds, 0, most<std::uint32_t>);
  auto clustered = uniform_keys<std::uint64_t>(one_round, 0, most<std::uint64_t>);
  for (unsigned i = 0; i < 30; ++i) {
    clustered[unseen(i * 37)] = 1ull << 62;
  }
  auto two = even;
  for (std::uint32_t& key : two) {
    key = key % 2 == 0 ? 77u : 0xabcdefu;
  }
  const auto bytes = make_keys<unsigned char>(900, shape::random, 1);
  test::under_schedules([&] {
    check_pairs<wide, ascending, std::uint32_t>(even);
    check_keys<wide, descending, std::uint64_t>(clustered);
    check_pairs<wide, ascending, std::uint64_t>(clustered);
    check_pairs<wide, ascending, std::uint32_t>(two);
    check_keys<wide, ascending, unsigned char>(bytes);
  });
}

TEST_CASE("radix sort in one launch of keys that crowd towards a point")
{
  for (const std::size_t n : {one_round, two_rounds}) {
    std::vector<unsigned> squares = uniform_keys<unsigned>(n, 0, 0xffff);
    std::vector<float> near_zero = uniform_keys<float>(n, -1, 1);
    for (unsigned& key : squares) {
      key *= key;
    }
    for (float& key : near_zero) {
      key *= std::fabs(key);
    }
    check_all(squares);
    check_all(near_zero);
  }
}

TEST_CASE("radix sort in one launch by the blocks that have begun")
{
  const std::vector<unsigned> even = uniform_keys<unsigned>(1400, 0, most<unsigned>);
  const std::vector<long long> few = uniform_keys<long long>(1111, -2, 2);  // most digits are the same in all keys
  const std::vector<unsigned> same(1100, 7);
  std::vector<unsigned> in_order = even;
  std::sort(in_order.begin(), in_order.end());
  const std::vector<unsigned char> bytes = uniform_keys<unsigned char>(1300, 0, 255);
  test::with_few_blocks([&] {
    check_all(even);
    check_all(few);
    check_keys<wide, descending, unsigned>(same);
    check_keys<wide, descending, unsigned>(in_order);
    check_pairs<one_launch<96, 5>, ascending, unsigned>(even);
    check_keys<wide, descending, unsigned char>(bytes);
    check_pairs<wide, ascending, unsigned char>(bytes);
  });
}
