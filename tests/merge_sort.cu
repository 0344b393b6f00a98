// Merge sort against std::stable_sort: sizes, comparators, key and value types, iterators, schedules.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <gimbal/kernel/merge_sort.cuh>
#include <numeric>

#include "support.h"

namespace kernel = gimbal::kernel;
using gimbal::index_type;
using gimbal::kernel::no_values;

namespace {

/// Tiles so small that short inputs take many merges.
struct small {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
};
constexpr std::size_t small_tile = 192;

/// A number of threads that is no power of two, and one warp that searches both ends of a tile.
struct odd {
  static constexpr unsigned block_threads = 96;
  static constexpr unsigned items_per_thread = 2;
};
struct one_warp {
  static constexpr unsigned block_threads = 32;
  static constexpr unsigned items_per_thread = 1;
};

struct less {
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& l, const T& r) const
  {
    return l < r;
  }
};
struct greater {
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& l, const T& r) const
  {
    return r < l;
  }
};

/// Keys with equal last digits are equivalent: a weak ordering with large classes, and a comparator with a state.
struct by_last_digit {
  unsigned base;
  GIMBAL_HOST_DEVICE bool operator()(unsigned l, unsigned r) const { return l % base < r % base; }
};

/// 128 bytes, the largest key; only the address of a real one leads from its first word to its last.
struct large {
  std::uint32_t word[32];
  large() = delete;
  explicit large(std::uint32_t value) : word{}
  {
    word[0] = value;
    word[31] = ~value;
  }
  friend GIMBAL_HOST_DEVICE bool operator<(const large& l, const large& r) { return l.word[0] < r.word[0]; }
  friend bool operator==(const large& l, const large& r) { return std::memcmp(&l, &r, sizeof(large)) == 0; }
  friend std::ostream& operator<<(std::ostream& out, const large& v) { return out << v.word[0]; }
};

template <class T>
T make(std::uint32_t v)
{
  if constexpr (std::is_same_v<T, test::bytes3>) {
    return {static_cast<unsigned char>(v), static_cast<unsigned char>(v >> 8), static_cast<unsigned char>(v >> 16)};
  } else if constexpr (std::is_same_v<T, test::tagged>) {
    return {static_cast<std::int32_t>(v % 1000), static_cast<std::int32_t>(v)};
  } else if constexpr (std::is_same_v<T, test::matrix>) {
    return {v, ~v, v * 3, v * 5};
  } else if constexpr (std::is_same_v<T, test::wide>) {
    return {v * 0.5, static_cast<std::int64_t>(v % 1000) - 500};
  } else if constexpr (std::is_same_v<T, thrust::tuple<int, double>>) {
    return T(static_cast<int>(v % 100), v * 0.5);
  } else {
    return static_cast<T>(v);
  }
}

enum class shape { random, few, constant, sorted, reversed };
constexpr shape every_shape[] = {shape::random, shape::few, shape::constant, shape::sorted, shape::reversed};

template <class T>
std::vector<T> make_keys(std::size_t n, shape s, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<T> keys;
  for (std::size_t i = 0; i < n; ++i) {
    const auto place = static_cast<std::uint32_t>(i);
    switch (s) {
      case shape::random:
        keys.push_back(make<T>(static_cast<std::uint32_t>(random())));
        break;
      case shape::few:
        keys.push_back(make<T>(random() % 4));
        break;
      case shape::constant:
        keys.push_back(make<T>(7));
        break;
      case shape::sorted:
        keys.push_back(make<T>(place));
        break;
      case shape::reversed:
        keys.push_back(make<T>(static_cast<std::uint32_t>(n) - place));
        break;
    }
  }
  return keys;
}

template <class T>
std::vector<T> make_values(std::size_t n)
{
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(make<T>(static_cast<std::uint32_t>(i)));
  }
  return values;
}

template <class T, class Compare>
std::vector<std::uint32_t> sorted_order(const std::vector<T>& keys, Compare compare)
{
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(
    order.begin(), order.end(), [&](std::uint32_t l, std::uint32_t r) { return compare(keys[l], keys[r]); });
  return order;
}

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<std::uint32_t>& order)
{
  std::vector<T> result;
  for (const std::uint32_t from : order) {
    result.push_back(values[from]);
  }
  return result;
}

/// Keys and values, copied and in place, with the input compared afterwards.
template <class Tuning, class Value, class Key, class Compare>
void check_pairs(const std::vector<Key>& keys, Compare compare)
{
  const index_type n = static_cast<index_type>(keys.size());
  const std::vector<Value> values = make_values<Value>(keys.size());
  const std::vector<std::uint32_t> order = sorted_order(keys, compare);
  INFO("n = " << n);
  test::device_array<Key> keys_in(keys);
  test::device_array<Value> values_in(values);
  {
    INFO("copied");
    test::device_array<Key> keys_out(keys.size());
    test::device_array<Value> values_out(keys.size());
    test::run([&](void* storage, std::size_t& bytes) {
      return kernel::merge_sort<Tuning>(
        storage, bytes, static_cast<const Key*>(keys_in.data()), keys_out.data(),
        static_cast<const Value*>(values_in.data()), values_out.data(), n, compare, 0);
    });
    test::require_equal(keys_out.to_host(), permuted(keys, order));
    test::require_equal(values_out.to_host(), permuted(values, order));
    test::require_equal(keys_in.to_host(), keys);
    test::require_equal(values_in.to_host(), values);
  }
  INFO("in place");
  test::run([&](void* storage, std::size_t& bytes) {
    return kernel::merge_sort<Tuning>(
      storage, bytes, keys_in.data(), keys_in.data(), values_in.data(), values_in.data(), n, compare, 0);
  });
  test::require_equal(keys_in.to_host(), permuted(keys, order));
  test::require_equal(values_in.to_host(), permuted(values, order));
}

template <class Tuning, class Key, class Compare>
void check_keys(const std::vector<Key>& keys, Compare compare)
{
  const index_type n = static_cast<index_type>(keys.size());
  const std::vector<Key> wanted = permuted(keys, sorted_order(keys, compare));
  INFO("n = " << n);
  test::device_array<Key> in(keys, 1);
  test::device_array<Key> out(keys.size(), 1);
  test::run([&](void* storage, std::size_t& bytes) {
    return kernel::merge_sort<Tuning>(storage, bytes, in.data(), out.data(), no_values{}, no_values{}, n, compare, 0);
  });
  test::require_equal(out.to_host(), wanted);
  test::require_equal(in.to_host(), keys);
  test::run([&](void* storage, std::size_t& bytes) {
    return kernel::merge_sort<Tuning>(storage, bytes, in.data(), in.data(), no_values{}, no_values{}, n, compare, 0);
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
  const std::size_t tile =
    gimbal::tuning::merge_sort<4, 4>::block_threads * gimbal::tuning::merge_sort<4, 4>::items_per_thread;
  for (const std::size_t n : {std::size_t{5}, tile - 1, tile, tile + 1, 5 * tile + 100}) {
    check_pairs<void, std::uint32_t>(make_keys<unsigned>(n, shape::random, n), less{});
    check_keys<void>(make_keys<unsigned>(n, shape::few, n), greater{});
  }
}

TEMPLATE_TEST_CASE(
  "merge sort of keys of any type", "", unsigned char, short, float, double, test::bytes3, test::tagged, test::wide,
  (thrust::tuple<int, double>), large)
{
  for (const std::size_t n : {std::size_t{33}, 5 * small_tile + 9}) {
    check_keys<small>(make_keys<TestType>(n, shape::random, n), less{});
    check_pairs<small, std::uint32_t>(make_keys<TestType>(n, shape::few, n), less{});
  }
  check_keys<void>(make_keys<TestType>(3000, shape::random, 1), less{});
}

TEMPLATE_TEST_CASE(
  "merge sort carries values of any type", "", char, unsigned short, double, test::bytes3, test::tagged, test::matrix,
  (thrust::tuple<int, double>), large)
{
  for (const std::size_t n : {std::size_t{33}, 5 * small_tile + 9}) {
    check_pairs<small, TestType>(make_keys<unsigned>(n, shape::few, n), less{});
  }
  check_pairs<void, TestType>(make_keys<unsigned>(3000, shape::few, 1), less{});
}

TEST_CASE("merge sort through iterators")
{
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
      return kernel::merge_sort<small>(storage, bytes, data.data(), data.data(), zipped, zipped, count, less{}, 0);
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
      return kernel::merge_sort<small>(
        storage, bytes, zipped, zipped, no_values{}, no_values{}, count, less{}, 0);  // compares tuples
    });
    test::require_equal(major.to_host(), permuted(keys, order));
    test::require_equal(minor.to_host(), order);
  }
  SECTION("computed keys, counted values, permuted output")
  {
    std::vector<int> places(n);
    std::iota(places.rbegin(), places.rend(), 0);
    test::device_array<unsigned> data(keys);
    test::device_array<unsigned> keys_out(n);
    test::device_array<int> backward(places);
    test::device_array<int> values_out(n);
    const auto negated = thrust::make_transform_iterator(data.data(), thrust::negate<unsigned>{});
    test::run([&](void* storage, std::size_t& bytes) {
      return kernel::merge_sort<small>(
        storage, bytes, negated, keys_out.data(), thrust::make_counting_iterator(0),
        thrust::make_permutation_iterator(values_out.data(), backward.data()), count, less{}, 0);
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
      return kernel::merge_sort<small>(storage, bytes, backward, backward, no_values{}, no_values{}, count, less{}, 0);
    });
    std::vector<unsigned> wanted = permuted(keys, order);
    std::reverse(wanted.begin(), wanted.end());
    test::require_equal(data.to_host(), wanted);
  }
}

namespace {

/// Looks its keys up in a table, as a sort of indices does, and reports a key that is none of the input's.
struct by_table {
  const unsigned* table;
  unsigned size;
  unsigned* foreign;
  GIMBAL_DEVICE bool operator()(unsigned l, unsigned r) const
  {
    if (l >= size || r >= size) {
      *foreign = 1;
      return false;
    }
    return table[l] < table[r];
  }
};

}  // namespace

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
      return kernel::merge_sort<small>(
        storage, bytes, indices.data(), indices.data(), no_values{}, no_values{}, static_cast<index_type>(n), compare,
        0);
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

TEST_CASE("merge sort refuses storage that is too small")
{
  test::device_array<unsigned> data(1000);
  std::size_t bytes = 0;
  const auto sort = [&](void* storage) {
    return kernel::merge_sort<small>(
             storage, bytes, data.data(), data.data(), no_values{}, no_values{}, 1000, less{}, 0)
      .code;
  };
  CHECK(sort(nullptr) == gimbal::simt::success);
  CHECK(bytes >= 4000);
  --bytes;
  CHECK(sort(data.data()) == gimbal::simt::error_invalid_value);
}

#ifdef GIMBAL_INSTRUMENT
TEST_CASE("merge sort of one tile takes one launch and no storage")
{
  namespace instrument = gimbal::simt::instrument;
  test::device_array<unsigned> data(make_keys<unsigned>(small_tile, shape::random, 1));
  const long launches = instrument::counted(instrument::point::launch);
  test::run([&](void* storage, std::size_t& bytes) {
    const gimbal::status state = kernel::merge_sort<small>(
      storage, bytes, data.data(), data.data(), no_values{}, no_values{}, small_tile, less{}, 0);
    CHECK(bytes == 1);
    return state;
  });
  CHECK(instrument::counted(instrument::point::launch) == launches + 1);
}
#endif
