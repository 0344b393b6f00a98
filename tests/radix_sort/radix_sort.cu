// Radix sort against std::stable_sort by an order written down independently of the kernels' own.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>
#include <limits>
#include <numeric>

#include "radix_reference.h"
#include "support.h"

namespace algorithm = gimbal::algorithm;
using gimbal::index_type;
using gimbal::algorithm::no_values;
using test::ascending;
using test::cell;
using test::descending;
using test::every_shape;
using test::make_keys;
using test::permuted;
using test::require_same_bits;
using test::shape;
using test::sorted_order;

namespace {

/// Tiles so small, and launches of so few of them, that short inputs take every path.
struct small {
  using look_back = small;
  using large = void;
  static constexpr index_type most_all_pairs_items(unsigned) { return 0; }
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 2;
  static constexpr unsigned look_back_window = 2;
  static constexpr index_type most_tiles = 5;
  static constexpr unsigned histogram_threads = 64;
  static constexpr unsigned histogram_items_per_thread = 2;
  static constexpr unsigned histogram_copies = 2;
  static constexpr unsigned histogram_blocks = 3;
};
constexpr std::size_t small_tile = 128;

/// A number of warps that is no power of two, threads that hold three digits, and one tile per launch.
struct odd : small {
  using look_back = odd;
  static constexpr unsigned block_threads = 96;
  static constexpr unsigned items_per_thread = 1;
  static constexpr unsigned look_back_window = 1;
  static constexpr index_type most_tiles = 1;
  static constexpr unsigned histogram_threads = 96;
  static constexpr unsigned histogram_copies = 1;
};

template <class Value>
Value value_of_index(std::uint32_t i)
{
  if constexpr (std::is_same_v<Value, test::bytes3>) {
    return {static_cast<unsigned char>(i), static_cast<unsigned char>(i >> 8), static_cast<unsigned char>(i >> 16)};
  } else if constexpr (std::is_same_v<Value, test::tagged>) {
    return {static_cast<std::int32_t>(i), static_cast<std::int32_t>(~i)};
  } else if constexpr (std::is_same_v<Value, test::matrix>) {
    return {i, ~i, i * 3, i * 5};
  } else if constexpr (std::is_same_v<Value, thrust::tuple<int, double>>) {
    return Value(static_cast<int>(i), i * 0.5);
  } else {
    return static_cast<Value>(i);
  }
}

/// 128 bytes, the largest value.
struct large {
  std::uint32_t word[32];
  large() = delete;
  explicit large(std::uint32_t i)
  {
    for (std::uint32_t w = 0; w < 32; ++w) {
      word[w] = i * 32 + w;
    }
  }
  friend bool operator==(const large& l, const large& r) { return std::memcmp(&l, &r, sizeof(large)) == 0; }
  friend std::ostream& operator<<(std::ostream& out, const large& v) { return out << v.word[0] / 32; }
};

template <class Value>
std::vector<Value> values_of_indices(std::size_t n)
{
  std::vector<Value> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(value_of_index<Value>(static_cast<std::uint32_t>(i)));
  }
  return values;
}

template <class Key>
constexpr int all_bits = 8 * sizeof(Key);

template <class Key>
Key* pointer(test::device_array<cell<Key>>& keys)
{
  return reinterpret_cast<Key*>(keys.data());
}

/// Keys and values, copied and in place, with the input compared afterwards.
template <class Tuning, class Order, class Key, class Value>
void check_pairs(const std::vector<cell<Key>>& keys, int begin = 0, int end = all_bits<Key>)
{
  const index_type n = static_cast<index_type>(keys.size());
  const std::vector<Value> values = values_of_indices<Value>(keys.size());
  const std::vector<std::uint32_t> order = sorted_order<Order, Key>(keys, begin, end);
  const std::vector<cell<Key>> wanted_keys = permuted(keys, order);
  const std::vector<Value> wanted_values = permuted(values, order);
  INFO("n = " << n << ", bits " << begin << " to " << end);
  test::device_array<cell<Key>> keys_in(keys);
  test::device_array<Value> values_in(values);
  {
    INFO("copied");
    test::device_array<cell<Key>> keys_out(keys.size());
    test::device_array<Value> values_out(keys.size());
    test::run([&](void* storage, std::size_t& bytes) {
      return algorithm::radix_sort<Tuning>(
        storage, bytes, Order{}, static_cast<const Key*>(pointer<Key>(keys_in)), pointer<Key>(keys_out),
        static_cast<const Value*>(values_in.data()), values_out.data(), n, begin, end, 0);
    });
    require_same_bits(keys_out.to_host(), wanted_keys);
    test::require_equal(values_out.to_host(), wanted_values);
    require_same_bits(keys_in.to_host(), keys);
    test::require_equal(values_in.to_host(), values);
  }
  INFO("in place");
  test::run([&](void* storage, std::size_t& bytes) {
    return algorithm::radix_sort<Tuning>(
      storage, bytes, Order{}, pointer<Key>(keys_in), pointer<Key>(keys_in), values_in.data(), values_in.data(), n,
      begin, end, 0);
  });
  require_same_bits(keys_in.to_host(), wanted_keys);
  test::require_equal(values_in.to_host(), wanted_values);
}

template <class Tuning, class Order, class Key>
void check_keys(const std::vector<cell<Key>>& keys, int begin = 0, int end = all_bits<Key>)
{
  const index_type n = static_cast<index_type>(keys.size());
  const std::vector<cell<Key>> wanted = permuted(keys, sorted_order<Order, Key>(keys, begin, end));
  INFO("n = " << n << ", bits " << begin << " to " << end);
  test::device_array<cell<Key>> in(keys, 1);
  test::device_array<cell<Key>> out(keys.size(), 1);
  test::run([&](void* storage, std::size_t& bytes) {
    return algorithm::radix_sort<Tuning>(
      storage, bytes, Order{}, pointer<Key>(in), pointer<Key>(out), no_values{}, no_values{}, n, begin, end, 0);
  });
  require_same_bits(out.to_host(), wanted);
  require_same_bits(in.to_host(), keys);
  test::run([&](void* storage, std::size_t& bytes) {
    return algorithm::radix_sort<Tuning>(
      storage, bytes, Order{}, pointer<Key>(in), pointer<Key>(in), no_values{}, no_values{}, n, begin, end, 0);
  });
  require_same_bits(in.to_host(), wanted);
}

}  // namespace

#if GIMBAL_HAS_HALF && GIMBAL_HAS_BFLOAT16
#define GIMBAL_TEST_HALVES , __half, __nv_bfloat16
#else
#define GIMBAL_TEST_HALVES
#endif

TEMPLATE_TEST_CASE(
  "radix sort orders every key type", "", unsigned,
  double GIMBAL_MORE(
    bool, signed char, unsigned char, char, short, unsigned short, int, long long, unsigned long long, __int128,
    unsigned __int128, float GIMBAL_TEST_HALVES))
{
  for (const std::size_t n : {std::size_t{50}, 3 * small_tile + 7, 12 * small_tile + 1}) {
    for (const shape s : every_shape) {
      check_pairs<small, ascending, TestType, std::uint32_t>(make_keys<TestType>(n, s, n));
    }
  }
}

TEMPLATE_TEST_CASE(
  "radix sort in descending order", "", unsigned, double GIMBAL_MORE(bool, unsigned char, short, long long, float))
{
  for (const std::size_t n : {std::size_t{50}, 3 * small_tile + 7, 12 * small_tile + 1}) {
    for (const shape s : every_shape) {
      check_pairs<small, descending, TestType, std::uint32_t>(make_keys<TestType>(n, s, n));
    }
  }
}

TEST_CASE("radix sort of every size")
{
  for (const std::size_t n : test::edge_sizes(small_tile, 20)) {
    check_keys<small, ascending, unsigned>(make_keys<unsigned>(n, shape::random, n));
    check_pairs<small, ascending, unsigned, std::uint32_t>(make_keys<unsigned>(n, shape::few, n));
  }
  for (const std::size_t n : test::edge_sizes(96, 10)) {
    check_pairs<odd, ascending, short, std::uint32_t>(make_keys<short>(n, shape::random, n));
  }
}

TEST_CASE("radix sort with the default tuning")
{
  using tuning = gimbal::tuning::radix_sort<4, 4>;
  const std::size_t one_launch = gimbal::tuning::radix_engine<4, 4>::most_all_pairs_items(4);
  const std::size_t tile = tuning::block_threads * tuning::items_per_thread;
  for (const std::size_t n : {one_launch, one_launch + 1, 2 * tile, 2 * tile + 1}) {
    check_pairs<void, ascending, unsigned, std::uint32_t>(make_keys<unsigned>(n, shape::random, n));
  }
  check_keys<void, descending, double>(make_keys<double>(20000, shape::random, 1));
  check_pairs<void, ascending, unsigned char, std::uint32_t>(make_keys<unsigned char>(20000, shape::random, 2));
}

TEST_CASE("radix sort by a range of bits")
{
  const std::pair<int, int> ranges[] = {{0, 0}, {7, 7}, {0, 1}, {31, 32}, {3, 20}, {8, 16}, {5, 30}, {32, 32}};
  for (const std::size_t n : {std::size_t{40}, 6 * small_tile + 3}) {
    for (const auto& [begin, end] : ranges) {
      check_pairs<small, ascending, unsigned, std::uint32_t>(make_keys<unsigned>(n, shape::random, n), begin, end);
      check_pairs<small, descending, float, std::uint32_t>(make_keys<float>(n, shape::special, n), begin, end);
    }
    check_keys<small, ascending, unsigned long long>(make_keys<unsigned long long>(n, shape::random, n), 1, 64);
    check_keys<small, ascending, unsigned long long>(make_keys<unsigned long long>(n, shape::random, n), 30, 47);
    check_keys<small, ascending, unsigned char>(make_keys<unsigned char>(n, shape::random, n), 2, 7);
  }
}

TEMPLATE_TEST_CASE(
  "radix sort carries values of any type", "", double,
  test::bytes3 GIMBAL_MORE(char, unsigned short, test::matrix, test::tagged, (thrust::tuple<int, double>), large))
{
  for (const std::size_t n : {std::size_t{33}, 5 * small_tile + 9}) {
    check_pairs<small, ascending, unsigned char, TestType>(make_keys<unsigned char>(n, shape::random, n));
  }
}

TEST_CASE("radix sort of large values with the default tuning")
{
  for (const std::size_t n : {std::size_t{300}, std::size_t{9000}}) {
    check_pairs<void, ascending, unsigned short, large>(make_keys<unsigned short>(n, shape::random, n));
  }
}

TEST_CASE("radix sort through iterators")
{
  const std::size_t n = GENERATE(std::size_t{60}, 4 * small_tile + 5);
  INFO("n = " << n);
  const index_type count = static_cast<index_type>(n);
  const std::vector<unsigned> keys = make_keys<unsigned>(n, shape::few, n);
  const std::vector<std::uint32_t> order = sorted_order<ascending, unsigned>(keys, 0, 32);
  SECTION("zipped values in place")
  {
    test::device_array<unsigned> data(keys);
    test::device_array<std::uint32_t> low(values_of_indices<std::uint32_t>(n));
    test::device_array<double> high(values_of_indices<double>(n));
    const auto zipped = thrust::make_zip_iterator(low.data(), high.data());
    test::run([&](void* storage, std::size_t& bytes) {
      return algorithm::radix_sort<small>(
        storage, bytes, ascending{}, data.data(), data.data(), zipped, zipped, count, 0, 32, 0);
    });
    test::require_equal(data.to_host(), permuted(keys, order));
    test::require_equal(low.to_host(), order);
    test::require_equal(high.to_host(), std::vector<double>(order.begin(), order.end()));
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
      return algorithm::radix_sort<small>(
        storage, bytes, descending{}, negated, keys_out.data(), thrust::make_counting_iterator(0),
        thrust::make_permutation_iterator(values_out.data(), backward.data()), count, 0, 32, 0);
    });
    std::vector<unsigned> computed;
    for (const unsigned key : keys) {
      computed.push_back(0u - key);
    }
    const std::vector<std::uint32_t> wanted = sorted_order<descending, unsigned>(computed, 0, 32);
    test::require_equal(keys_out.to_host(), permuted(computed, wanted));
    test::require_equal(values_out.to_host(), std::vector<int>(wanted.rbegin(), wanted.rend()));
    test::require_equal(data.to_host(), keys);
  }
  SECTION("reversed in place")
  {
    test::device_array<unsigned> data(keys);
    const auto backward = thrust::make_reverse_iterator(data.data() + n);
    test::run([&](void* storage, std::size_t& bytes) {
      return algorithm::radix_sort<small>(
        storage, bytes, ascending{}, backward, backward, no_values{}, no_values{}, count, 0, 32, 0);
    });
    std::vector<unsigned> wanted = permuted(keys, order);
    std::reverse(wanted.begin(), wanted.end());
    test::require_equal(data.to_host(), wanted);
  }
}

TEST_CASE("radix sort under schedules")
{
  const std::vector<unsigned short> keys = make_keys<unsigned short>(7 * small_tile + 50, shape::random, 3);
  const std::vector<unsigned> wide_keys = make_keys<unsigned>(2 * small_tile + 50, shape::few, 3);
  test::under_schedules([&] {
    check_pairs<small, ascending, unsigned short, std::uint32_t>(keys);
    check_pairs<small, descending, unsigned, std::uint32_t>(wide_keys);
  });
}

TEST_CASE("radix sort refuses what it cannot do")
{
  test::device_array<unsigned> data(1000);
  std::size_t bytes = 0;
  const auto sort = [&](void* storage, int begin, int end) {
    return algorithm::radix_sort<small>(
             storage, bytes, ascending{}, data.data(), data.data(), no_values{}, no_values{}, 1000, begin, end, 0)
      .code;
  };
  CHECK(sort(nullptr, -1, 32) == gimbal::simt::error_invalid_value);
  CHECK(sort(nullptr, 9, 8) == gimbal::simt::error_invalid_value);
  CHECK(sort(nullptr, 0, 33) == gimbal::simt::error_invalid_value);
  CHECK(sort(nullptr, 0, 32) == gimbal::simt::success);
  CHECK(bytes > 4000);
  --bytes;
  CHECK(sort(data.data(), 0, 32) == gimbal::simt::error_invalid_value);
}

#ifdef GIMBAL_INSTRUMENT
TEST_CASE("radix sort of few keys through iterators takes one launch")
{
  namespace instrument = gimbal::simt::instrument;
  const std::vector<unsigned> keys = make_keys<unsigned>(60, shape::few, 1);
  test::device_array<unsigned> data(keys);
  const auto backward = thrust::make_reverse_iterator(data.data() + 60);
  const long launches = instrument::counted(instrument::point::launch);
  test::run([&](void* storage, std::size_t& bytes) {
    return algorithm::radix_sort(
      storage, bytes, ascending{}, backward, backward, no_values{}, no_values{}, 60, 0, 32, 0);
  });
  CHECK(instrument::counted(instrument::point::launch) == launches + 1);
  std::vector<unsigned> wanted = keys;
  std::sort(wanted.rbegin(), wanted.rend());
  test::require_equal(data.to_host(), wanted);
}
#endif
