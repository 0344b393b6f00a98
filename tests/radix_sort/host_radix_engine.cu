#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <numeric>

#include "host_radix_checks.h"

namespace {

/// Two helper warps, a number of main warps that is no power of two, launches of few tiles, ranks by match_any alone.
struct odd_shape : small_shape {
  static constexpr unsigned main_threads = 96;
  static constexpr unsigned helper_warps = 2;
  static constexpr unsigned items_per_thread = 1;
  static constexpr unsigned batch = 1;
  static constexpr bool ranks_by_atomics = false;
  static constexpr index_type most_tiles = 5;
};

template <unsigned Threads, unsigned Batch>
struct pairs_shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned resident_blocks = 0;
  static constexpr unsigned batch = Batch;
  static constexpr index_type least_shared_items = 1;
  static constexpr index_type most_shared_pairs = 0;
};

/// More groups of keys than a batch of all warps takes.
template <unsigned Threads, unsigned Batch>
struct pairs_of : in_passes<small_shape> {
  using all_pairs = pairs_shape<Threads, Batch>;
  static constexpr index_type most_all_pairs_items = 1000;
  static constexpr unsigned executed_blocks = 12;  // as many as there are groups of keys
};
using few_pairs = pairs_of<96, 2>;
using small = in_passes<small_shape>;
using odd = in_passes<odd_shape>;

/// Keys or values alone in place, values that are read backward, and values of which it is not known that they are in
/// place.
template <class Tuning, class Value = std::uint32_t, class Key>
void check_mixed(const std::vector<Key>& keys)
{
  const std::size_t n = keys.size();
  const std::vector<Value> values = values_of_indices<Value>(n);
  const std::vector<std::uint32_t> order = sorted_order<ascending, Key>(keys, 0, all_bits<Key>);
  const std::vector<Value> wanted = permuted(values, order);
  test::device_array<Key> keys_in(keys);
  test::device_array<Value> values_in(values);
  const auto check = [&](auto keys_out, auto from, auto to, auto& result) {
    driver<Tuning>::template sort<ascending>(keys_in.data(), keys_out, from, to, n, 0, all_bits<Key>);
    test::require_equal(result.to_host(), wanted);
  };
  test::device_array<Key> keys_out(n);
  test::device_array<Value> values_out(n);
  test::device_array<Value> backward({values.rbegin(), values.rend()});
  check(keys_out.data(), thrust::make_reverse_iterator(backward.data() + n), values_out.data(), values_out);
  test::require_equal(keys_out.to_host(), permuted(keys, order));
  test::device_array<Value> zipped(values);
  test::device_array<Value> zipped_too(values);
  const auto both = thrust::make_zip_iterator(zipped.data(), zipped_too.data());
  check(keys_out.data(), both, both, zipped_too);
  test::device_array<Value> moved(values);
  check(keys_out.data(), moved.data(), moved.data(), moved);
  test::device_array<Value> beside(n);
  check(keys_in.data(), values_in.data(), beside.data(), beside);
  test::require_equal(keys_in.to_host(), permuted(keys, order));
}

}  // namespace

TEMPLATE_TEST_CASE(
  "radix engine orders every key type", "", unsigned,
  double GIMBAL_MORE(bool, signed char, unsigned short, long long, float))
{
  const std::size_t n = GENERATE(std::size_t{50}, 8 * small_tile + 7);
  for (const shape s : every_shape) {
    check_keys<small, ascending, TestType>(make_keys<TestType>(n, s, n));
    check_keys<small, descending, TestType>(make_keys<TestType>(n, s, n));  // among them +0.0 without a -0.0
    check_pairs<small, descending, TestType>(make_keys<TestType>(n, s, n));
  }
}

TEST_CASE("radix engine of every size")
{
  for (const std::size_t n : test::edge_sizes(small_tile, 9)) {
    check_keys<small, ascending, unsigned>(make_keys<unsigned>(n, shape::random, n));
    check_pairs<small, ascending, unsigned>(make_keys<unsigned>(n, shape::few, n));
  }
  for (const std::size_t n : test::edge_sizes(96, 11)) {
    check_keys<odd, descending, unsigned short>(make_keys<unsigned short>(n, shape::random, n));
    check_pairs<odd, ascending, unsigned short>(make_keys<unsigned short>(n, shape::random, n));
  }
}

TEST_CASE("radix engine in launches of which the last of a pass has one tile, or all but one")
{
  constexpr std::size_t tile = odd_shape::main_threads * odd_shape::items_per_thread;
  for (const std::size_t tiles : test::all_or_few({31, 34}, {31})) {
    const auto keys = make_keys<unsigned>(tiles * tile - 3, shape::random, tiles);
    test::under_schedules([&] { check_keys<odd, ascending, unsigned>(keys); });
  }
}

TEST_CASE("radix engine at every distance from a sector")
{
  for (std::size_t shift = 0; shift < 9; ++shift) {
    INFO("shift " << shift);
    check_keys<small, ascending, unsigned>(make_keys<unsigned>(5 * small_tile, shape::few, 1), 0, 32, shift);
    check_keys<small, ascending, unsigned char>(make_keys<unsigned char>(5 * small_tile, shape::few, 1), 0, 8, shift);
  }
}

TEST_CASE("radix engine of awkward distributions")
{
  for (const auto& keys : distributions(9 * small_tile + 77)) {
    check_keys<small, ascending, unsigned>(keys);
    check_keys<small, descending, unsigned>(keys);
    check_pairs<small, ascending, unsigned>(keys);
  }
}

TEST_CASE("radix engine of keys that are in order, all or but for two neighbours")
{
  const std::size_t n = 3 * small_tile + 3;
  std::vector<cell<unsigned>> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<unsigned>(3 * i);
  }
  check_pairs<small, ascending, unsigned>(keys);
  check_pairs<small, descending, unsigned>(keys);
  check_pairs<small, ascending, unsigned>(keys, 4, 32);
  check_pairs<small, ascending, unsigned>(keys, 0, 5);
  for (const std::size_t first : {std::size_t{0}, std::size_t{31}, std::size_t{63}, std::size_t{127}, n - 2}) {
    auto swapped = keys;
    std::swap(swapped[first], swapped[first + 1]);
    check_keys<small, ascending, unsigned>(swapped);
    check_pairs<small, ascending, unsigned>(swapped);
  }
}

TEST_CASE("radix engine of small keys that are in order, at every distance from a vector")
{
  for (std::size_t shift = 0; shift < 17; ++shift) {
    std::vector<unsigned char> keys(1000 + shift);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<unsigned char>(i / 7);
    }
    check_keys<in_passes<small_shape>, ascending, unsigned char>(keys, 0, 8, shift);
    check_pairs<in_passes<small_shape>, ascending, unsigned char, unsigned short>(keys);
    check_keys<one_launch<64, 4>, ascending, unsigned char>(std::vector<unsigned char>(700, 'a'), 0, 8, shift);
  }
}

TEST_CASE("radix engine of one-byte keys with values")
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = true;
  for (const std::size_t n : test::edge_sizes(small_tile, 7)) {
    for (const shape s : {shape::random, shape::clustered, shape::two_values, shape::few}) {
      if (test::hunts_races && s != shape::clustered) {
        continue;
      }
      const auto keys = make_keys<unsigned char>(n, s, n);
      check_pairs<small, ascending, unsigned char>(keys);
      check_pairs<small, descending, unsigned char, std::uint64_t>(keys);
      check_pairs<odd, ascending, unsigned char, unsigned short>(keys);
      const gimbal::simt::scoped_executor_options scope(options);  // tiles are ranked again
      check_pairs<small, ascending, unsigned char>(keys);
    }
  }
  for (const shape s : every_shape) {
    if (test::hunts_races && s != shape::random) {
      continue;
    }
    check_mixed<small>(make_keys<unsigned char>(750, s, 1));
    check_mixed<odd>(make_keys<unsigned char>(750, s, 2));
  }
}

namespace {

/// In place with a buffer that is given, or into the other array with the input for a buffer.
template <class T>
auto between(test::device_array<T>& first, test::device_array<T>& second, bool ends_in_second)
{
  const T* const from = first.data();
  return ends_in_second ? algorithm::make_sort_array(from, second.data(), first.data())
                        : algorithm::make_sort_array(from, first.data(), second.data());
}

}  // namespace

TEST_CASE("radix engine between two buffers, where as many digits differ as there are, and fewer")
{
  using range = std::pair<int, int>;
  for (const auto& keys : distributions(5 * small_tile + 77)) {
    for (const range& bits : {range{0, 32}, range{0, 24}, range{4, 23}, range{16, 32}}) {
      for (const bool ends_in_second : {false, true}) {
        if (test::hunts_races && (bits.first != 4 || !ends_in_second)) {
          continue;
        }
        INFO("bits " << bits.first << " to " << bits.second << ", " << ends_in_second);
        const std::vector<std::uint32_t> values = values_of_indices<std::uint32_t>(keys.size());
        const std::vector<std::uint32_t> order = sorted_order<ascending, unsigned>(keys, bits.first, bits.second);
        test::device_array<unsigned> first(keys, 1), second(keys.size(), 1);
        sort_arrays<small, ascending>(
          between(first, second, ends_in_second), algorithm::make_sort_array(no_values{}, no_values{}), keys.size(),
          bits.first, bits.second);
        test::require_equal((ends_in_second ? second : first).to_host(), permuted(keys, order));
        test::device_array<unsigned> both_first(keys, 1), both_second(keys.size(), 1);
        test::device_array<std::uint32_t> values_first(values), values_second(keys.size());
        sort_arrays<small, ascending>(
          between(both_first, both_second, ends_in_second), between(values_first, values_second, ends_in_second),
          keys.size(), bits.first, bits.second);
        test::require_equal((ends_in_second ? both_second : both_first).to_host(), permuted(keys, order));
        test::require_equal((ends_in_second ? values_second : values_first).to_host(), permuted(values, order));
      }
    }
  }
}

TEST_CASE("radix engine takes no buffers for one digit that is not sorted by in place")
{
  const auto storage_bytes = [](const unsigned char* keys_in, int end) {
    unsigned char keys[1];
    unsigned value[2];
    std::size_t bytes = 0;
    REQUIRE(!algorithm::radix_sort_arrays<in_passes<small_shape>>(
      nullptr, bytes, ascending{}, algorithm::make_sort_array(keys_in == nullptr ? keys : keys_in, keys),
      algorithm::make_sort_array(value, value + 1), 100000, 0, end, 0));
    return bytes;
  };
  const unsigned char other[1] = {};
  REQUIRE(storage_bytes(other, 8) + 500000 <= storage_bytes(nullptr, 8));
  REQUIRE(storage_bytes(other, 0) + 500000 <= storage_bytes(nullptr, 0));
}

TEST_CASE("radix engine of keys and values of which some are in place")
{
  std::vector<std::vector<unsigned>> inputs = distributions(750);
  inputs.push_back(make_keys<unsigned>(750, shape::constant, 1));
  for (std::size_t i = test::hunts_races; i < inputs.size(); i += test::hunts_races ? 4 : 1) {
    check_mixed<small>(inputs[i]);
    check_mixed<small, std::uint64_t>(inputs[i]);  // two of them stand as they came
    check_mixed<odd>(inputs[i]);
    check_mixed<one_launch<64, 4>>(inputs[i]);
    check_mixed<few_pairs>(inputs[i]);
  }
}

TEMPLATE_TEST_CASE("radix engine of few and many zeros of both signs among others", "", double GIMBAL_MORE(float))
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = true;
  const gimbal::simt::scoped_executor_options scope(options);
  for (const std::size_t rarity : test::all_or_few({2, 5, 100, 1000}, {5})) {
    auto keys = make_keys<TestType>(6 * small_tile + 50, shape::random, rarity);
    std::mt19937_64 random(rarity);
    for (TestType& key : keys) {
      key = random() % rarity == 0 ? static_cast<TestType>(random() % 2 == 0 ? 0.0 : -0.0) : key;
    }
    check_keys<small, ascending, TestType>(keys);
    check_keys<small, descending, TestType>(keys);
    check_pairs<small, ascending, TestType>(keys);
    keys.resize(767);
    check_keys<one_launch<64, 4>, ascending, TestType>(keys);
    check_keys<one_launch<64, 4>, descending, TestType>(keys);
  }
}

TEST_CASE("radix engine of small numbers of both signs")
{
  for (const std::size_t bound : test::all_or_few({1, 100, 1000, 70000}, {100})) {
    const int most = static_cast<int>(bound);
    std::mt19937_64 random(1);
    std::vector<int> keys(7 * small_tile + 1);
    for (int& key : keys) {
      key = static_cast<int>(random() % (2 * most + 1)) - most;
    }
    const std::vector<long long> wide_keys(keys.begin(), keys.end());
    const std::vector<double> real_keys(keys.begin(), keys.end());
    check_keys<small, ascending, int>(keys);
    check_pairs<small, descending, int>(keys);
    check_pairs<small, ascending, long long>(wide_keys);
    check_keys<odd, descending, long long>(wide_keys);
    check_pairs<small, ascending, double>(real_keys);
  }
}

TEST_CASE("radix engine by a range of bits")
{
  const std::pair<int, int> ranges[] = {{0, 0}, {7, 7}, {0, 1}, {31, 32}, {3, 20}, {8, 16}, {5, 30}, {32, 32}};
  for (const auto& [begin, end] : ranges) {
    const std::size_t n = 6 * small_tile + 3;
    check_keys<small, ascending, unsigned>(make_keys<unsigned>(n, shape::random, n), begin, end);
    check_pairs<small, descending, float>(make_keys<float>(n, shape::special, n), begin, end);
    check_keys<small, descending, float>(make_keys<float>(n, shape::special, n), begin, end);
  }
  check_keys<small, ascending, unsigned long long>(make_keys<unsigned long long>(999, shape::random, 1), 30, 47);
  check_keys<small, ascending, unsigned char>(make_keys<unsigned char>(999, shape::random, 1), 2, 7);
}

TEMPLATE_TEST_CASE(
  "radix engine carries values of any type", "", double, test::bytes3 GIMBAL_MORE(char, unsigned short, test::matrix))
{
  const std::size_t n = 5 * small_tile + 9;
  check_pairs<small, ascending, unsigned char, TestType>(make_keys<unsigned char>(n, shape::random, n));
  check_pairs<small, descending, int, TestType>(make_keys<int>(n, shape::random, n));
  check_pairs<small, ascending, unsigned long long, TestType>(make_keys<unsigned long long>(n, shape::few, n));
  check_pairs<odd, descending, unsigned char, TestType>(make_keys<unsigned char>(n, shape::constant, n));
}

TEST_CASE("radix engine where lanes are served in any order")
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = true;
  const gimbal::simt::scoped_executor_options scope(options);
  for (const auto& keys : distributions(6 * small_tile + 77)) {
    check_keys<small, ascending, unsigned>(keys);
    check_pairs<small, ascending, unsigned>(keys);
  }
  const std::size_t n = 7 * small_tile + 50;
  check_keys<small, ascending, float>(make_keys<float>(n, shape::special, n));
  check_keys<small, ascending, unsigned>(make_keys<unsigned>(n, shape::random, n), 3, 20);
  check_pairs<small, descending, unsigned long long>(make_keys<unsigned long long>(n, shape::few, n));
  for (const auto& keys : distributions(750)) {
    check_keys<one_launch<64, 4>, ascending, unsigned>(keys);
    check_pairs<one_launch<64, 4>, descending, unsigned>(keys);
  }
  check_keys<one_launch<64, 4>, descending, float>(make_keys<float>(750, shape::special, n));
  check_keys<one_launch<64, 4>, ascending, unsigned short>(make_keys<unsigned short>(750, shape::random, n));
}

TEMPLATE_TEST_CASE("radix engine of all pairs", "", unsigned GIMBAL_MORE(bool, short, double))
{
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 96, 97, 193, 255, 384}) {
    for (const shape s : {shape::random, shape::special, shape::few, shape::constant}) {
      check_keys<few_pairs, ascending, TestType>(make_keys<TestType>(n, s, n));
      check_pairs<few_pairs, descending, TestType>(make_keys<TestType>(n, s, n));
    }
  }
  check_pairs<pairs_of<32, 1>, ascending, TestType>(make_keys<TestType>(250, shape::few, 1));
}

TEST_CASE("radix engine of all pairs where not all blocks can be resident")
{
  test::with_few_blocks([] {
    check_keys<few_pairs, ascending, unsigned short>(make_keys<unsigned short>(384, shape::few, 3));
    check_pairs<few_pairs, descending, double>(make_keys<double>(333, shape::special, 4));
  });
}

TEMPLATE_TEST_CASE("radix engine without passes, by a range of bits", "", few_pairs, (one_launch<64, 4>))
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.shuffle_lanes = GENERATE(false, true);
  const gimbal::simt::scoped_executor_options scope(options);
  const std::size_t n = std::is_same_v<TestType, one_launch<64, 4>> ? 700 : 200;
  const std::pair<int, int> ranges[] = {{0, 0}, {7, 7}, {0, 1}, {31, 32}, {3, 20}, {8, 16}, {5, 30}, {32, 32}};
  for (const auto& [begin, end] : ranges) {
    check_keys<TestType, ascending, unsigned>(make_keys<unsigned>(n, shape::random, 1), begin, end);
    check_pairs<TestType, descending, float>(make_keys<float>(n, shape::special, 1), begin, end);
  }
}

#ifdef GIMBAL_INSTRUMENT
TEST_CASE("radix engine of all pairs takes one launch and no storage")
{
  namespace instrument = gimbal::simt::instrument;
  const long launches = instrument::counted(instrument::point::launch);
  test::device_array<unsigned> data(make_keys<unsigned>(200, shape::random, 1));
  driver<few_pairs>::sort<ascending>(data.data(), data.data(), no_values{}, no_values{}, 200, 0, 32);
  CHECK(instrument::counted(instrument::point::launch) == launches + 1);
}

namespace {

/// The launch of a sort by the default tuning where so many streams work, by the step that it says has failed.
std::string failing_launch(std::size_t n, unsigned streams)
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.active_streams = streams;
  const gimbal::simt::scoped_executor_options scope(options);
  test::device_array<unsigned> data(n);
  std::size_t bytes = 0;
  const auto sort = [&](void* storage) {
    return algorithm::radix_sort(
      storage, bytes, ascending{}, data.data(), data.data(), no_values{}, no_values{}, static_cast<index_type>(n), 0,
      32, 0);
  };
  REQUIRE_FALSE(sort(nullptr));
  test::device_array<unsigned char> storage(bytes);
  gimbal::simt::instrument::fail_next(gimbal::simt::instrument::point::launch);
  const gimbal::status failed = sort(storage.data());
  REQUIRE(failed);
  return failed.step;
}

}  // namespace

TEST_CASE("radix engine beside other streams compares fewer pairs")
{
  CHECK(failing_launch(8192, 2) == "sort of all pairs");
  CHECK(failing_launch(8192, 3) == "radix sort in one launch");
  CHECK(failing_launch(4864, 5) == "sort of all pairs");
  CHECK(failing_launch(4864, 6) == "radix sort in one launch");
  CHECK(failing_launch(3500, 16) == "sort of all pairs");
}
#endif

TEST_CASE("radix engine under schedules")
{
  const std::vector<unsigned short> keys = make_keys<unsigned short>(7 * small_tile + 50, shape::random, 3);
  const std::vector<unsigned> wide_keys = make_keys<unsigned>(2 * small_tile + 50, shape::few, 3);
  const std::vector<unsigned> few_keys = make_keys<unsigned>(250, shape::few, 3);
  test::under_schedules([&] {
    check_keys<small, ascending, unsigned short>(keys);
    check_pairs<small, descending, unsigned>(wide_keys);
    check_pairs<odd, descending, unsigned>(wide_keys);
    check_pairs<few_pairs, descending, unsigned>(few_keys);
    check_pairs<one_launch<64, 4>, ascending, unsigned>(wide_keys);
  });
}

namespace {

using large_tiles = in_passes<gimbal::tuning::radix_engine<4, 0>::large>;

}  // namespace

#ifndef __SANITIZE_THREAD__  // slow with threads in such numbers, and not another program than with few
TEST_CASE("radix engine with the default tuning")
{
  using tuning = gimbal::tuning::radix_engine<4, 0>;
  const std::size_t tile = tuning::large::main_threads * tuning::large::items_per_thread / 4;
  check_keys<void, ascending, unsigned>(make_keys<unsigned>(5 * tile + 5, shape::random, 1));
  check_keys<void, ascending, unsigned>(make_keys<unsigned>(8192, shape::random, 1));
  check_pairs<void, ascending, unsigned>(make_keys<unsigned>(5 * tile + 5, shape::random, 2));
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.active_streams = 16;
  const gimbal::simt::scoped_executor_options scope(options);
  check_pairs<void, ascending, unsigned>(make_keys<unsigned>(8192, shape::few, 5));
  check_keys<large_tiles, descending, unsigned>(make_keys<unsigned>(150000, shape::random, 3));
  check_keys<large_tiles, ascending, unsigned>(make_keys<unsigned>(150000, shape::random, 4), 3, 20);
}
#endif
