// Tests select, partition, unique and copy at kernel level: sizes, shares of selected items, types, iterators,
// alignment, schedules.

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <gimbal/algorithm/transform/transform.cuh>

#include "select_checks.h"

namespace {

using gimbal::algorithm::select_unique;
using namespace select_checks;

using small_tuning = test::tiles_of<64, 3>;
constexpr std::size_t small_tile = 64 * 3;

/// Of one item a thread, so that few items make more than the 1024 tiles of a row of look-back descriptors.
using tiny_tuning = test::tiles_of<32, 1>;

/// A block for each tile; `Tuning` void: as the table says.
template <class Tuning>
struct tile_driver {
  template <class T>
  static constexpr bool takes_any_place = true;

  using no_rejected = discard_rejected;
  template <class T>
  static T* rejected_to(T* array)
  {
    return array;
  }

  template <class InputIt, class Selector, class T, class Rejected>
  static std::size_t select(InputIt in, std::size_t n, Selector selector, T* selected, Rejected rejected)
  {
    return counted([&](void* storage, std::size_t& bytes, index_type* count) {
      return gimbal::algorithm::select_plan<Tuning>(in, static_cast<index_type>(n), selector, selected, rejected, count)
        .run(storage, bytes, 0);
    });
  }
  template <class T, class Selector>
  static std::size_t partition_in_place(T* data, std::size_t n, Selector selector)
  {
    return counted([&](void* storage, std::size_t& bytes, index_type* count) {
      return gimbal::algorithm::stable_partition_plan<Tuning>(data, static_cast<index_type>(n), selector, count)
        .run(storage, bytes, 0);
    });
  }
  template <class T, class Selector>
  static void check_forms(const std::vector<T>& values, std::size_t shift, Selector selector, const parts<T>& wanted)
  {
    test::device_array<T> in(values, shift);
    check_select<tile_driver>(in.data(), values.size(), selector, wanted, shift);
    check_in_place<tile_driver>(values, selector, wanted, shift);
  }

private:
  template <class Call>
  static std::size_t counted(Call call)
  {
    test::device_array<index_type> count(1);
    test::run([&](void* storage, std::size_t& bytes) { return call(storage, bytes, count.data()); });
    return static_cast<std::size_t>(count.to_host()[0]);
  }
};
using small_tiles = tile_driver<small_tuning>;
using tiny_tiles = tile_driver<tiny_tuning>;
using default_call = tile_driver<void>;

/// Groups values into classes of equality, so that runs are neither all long nor all short.
struct same_class {
  unsigned classes;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& a, const T& b)
  {
    return digest(a) % classes == digest(b) % classes;
  }
};

/// Values in runs: each is equal to the one before it with probability 1 - 1 / `run`.
template <class T>
std::vector<T> values_in_runs(std::size_t n, unsigned run)
{
  std::mt19937_64 random(n + run);
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(i == 0 || random() % run == 0 ? test::random_value<T>(random) : values.back());
  }
  return values;
}

template <class T, class Equal>
parts<T> unique_reference(const std::vector<T>& values, Equal equal)
{
  return reference(values, [&](std::size_t i) { return i == 0 || !equal(values[i - 1], values[i]); });
}

template <class Driver, class T>
void check_unique(std::size_t n)
{
  for (unsigned run : test::hunts_races ? std::vector<unsigned>{3} : std::vector<unsigned>{1, 3, 1000}) {
    INFO("n = " << n << ", runs of about " << run);
    const std::vector<T> values = values_in_runs<T>(n, run);
    test::device_array<T> in(values);
    const same_class equal{1000};
    const auto wanted = unique_reference(values, equal);
    const select_unique<same_class> selector{equal};
    check_select<Driver>(in.data(), n, selector, wanted);
    REQUIRE(Driver::select(in.data(), n, selector, in.data(), discard_rejected{}) == wanted.selected.size());
    test::require_equal(front(in, wanted.selected.size()), wanted.selected);
  }
}

const std::vector<std::size_t> small_sizes = test::hunts_races
                                               ? std::vector<std::size_t>{1, 65, small_tile + 1, 35 * small_tile + 7}
                                               : test::edge_sizes(small_tile, 40);
const std::vector<std::size_t> default_sizes = test::hunts_races
                                                 ? std::vector<std::size_t>{20001}
                                                 : std::vector<std::size_t>{0, 1, 33, 4095, 4096, 4097, 8193, 50001};

struct negate {
  GIMBAL_HOST_DEVICE std::int32_t operator()(std::int32_t value) const { return ~value; }
};
struct double_of {
  GIMBAL_HOST_DEVICE std::int64_t operator()(std::int64_t value) const { return 2 * value; }
};

}  // namespace

TEMPLATE_TEST_CASE(
  "select and partition move every type", "[partition]",
  test::bytes3 GIMBAL_MORE(std::int8_t, std::int16_t, std::int32_t, std::int64_t, float, test::wide, test::tagged))
{
  for (std::size_t n : small_sizes) {
    check_shares<small_tiles, TestType>(n);
  }
}

TEMPLATE_TEST_CASE(
  "select and partition with default tuning", "[partition]", std::int8_t GIMBAL_MORE(std::int32_t, test::wide))
{
  for (std::size_t n : default_sizes) {
    check_shares<default_call, TestType>(n);
  }
}

TEST_CASE("select and partition over several rows of look-back descriptors", "[partition]")
{
  for (std::size_t n : {1024 * 32, 1024 * 32 + 1, 2 * 1024 * 32 + 32 * 32 + 5}) {
    if (test::hunts_races && n != 1024 * 32 + 1) {
      continue;
    }
    check_shares<tiny_tiles, std::int32_t>(n, {50});
  }
}

TEST_CASE("select and partition by a stencil and by flags", "[partition]")
{
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, small_tile, 7 * small_tile + 5}) {
    check_beside<small_tiles, float, std::int32_t>(n, 0);
    check_beside<small_tiles, int, std::int32_t>(n, 0);
  }
}

TEST_CASE("a selector is asked once per item", "[partition]")
{
  // The stencil is read through a transformation that counts, so each reading is seen.
  const std::size_t n = 5 * small_tile + 17;
  test::device_array<std::int32_t> in(test::random_values<std::int32_t>(n, 1));
  test::device_array<unsigned> calls(std::vector<unsigned>(n, 0));
  test::device_array<std::int32_t> out(n);
  test::device_array<index_type> count(1);
  unsigned* const counters = calls.data();
  const auto counting = [counters] _CCCL_DEVICE(index_type i) {
    ++counters[i];
    return i % 3 == 0;
  };
  const auto items = thrust::counting_iterator<index_type>(0);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::select_plan<small_tuning>(
             in.data(), static_cast<index_type>(n),
             select_if_stencil<decltype(items), decltype(counting)>{items, counting}, out.data(),
             thrust::make_discard_iterator(), count.data())
      .run(storage, bytes, 0);
  });
  REQUIRE(count.to_host()[0] == static_cast<index_type>((n + 2) / 3));
  test::require_equal(calls.to_host(), std::vector<unsigned>(n, 1));
}

TEMPLATE_TEST_CASE(
  "unique keeps the first of each run", "[partition]", double,
  test::bytes3 GIMBAL_MORE(std::int8_t, std::int32_t, test::tagged))
{
  for (std::size_t n : small_sizes) {
    check_unique<small_tiles, TestType>(n);
  }
  check_unique<default_call, TestType>(test::hunts_races ? 10001 : 50001);
}

TEST_CASE("unique in place over several rows of look-back descriptors", "[partition]")
{
  check_unique<tiny_tiles, std::int32_t>((test::hunts_races ? 1 : 2) * 1024 * 32 + 77);
}

TEST_CASE("unique by key carries the values", "[partition]")
{
  for (std::size_t n : test::edge_sizes(small_tile, 12)) {
    for (unsigned run : {1u, 4u, 500u}) {
      INFO("n = " << n << ", runs of about " << run);
      const std::vector<test::tagged> keys = values_in_runs<test::tagged>(n, run);
      const std::vector<std::int64_t> values = test::random_values<std::int64_t>(n, n + run);
      const same_class equal{1000};
      const auto is_first = [&](std::size_t i) { return i == 0 || !same_class{equal}(keys[i - 1], keys[i]); };
      const auto wanted_keys = reference(keys, is_first).selected;
      const auto wanted_values = reference(values, is_first).selected;
      const std::size_t runs = wanted_keys.size();

      test::device_array<test::tagged> keys_in(keys);
      test::device_array<std::int64_t> values_in(values);
      test::device_array<test::tagged> keys_out(runs);
      test::device_array<std::int64_t> values_out(runs);
      test::device_array<index_type> count(1);
      test::run([&](void* storage, std::size_t& bytes) {
        return gimbal::algorithm::select_unique_by_key_plan<small_tuning>(
                 keys_in.data(), values_in.data(), keys_out.data(), values_out.data(), count.data(),
                 static_cast<index_type>(n), equal)
          .run(storage, bytes, 0);
      });
      REQUIRE(count.to_host()[0] == static_cast<index_type>(runs));
      test::require_equal(keys_out.to_host(), wanted_keys);
      test::require_equal(values_out.to_host(), wanted_values);

      const test::tagged* const same_keys = keys_in.data();
      test::run([&](void* storage, std::size_t& bytes) {
        return gimbal::algorithm::select_unique_by_key_plan<small_tuning>(
                 same_keys, values_in.data(), keys_in.data(), values_in.data(), count.data(),
                 static_cast<index_type>(n), equal)
          .run(storage, bytes, 0);
      });
      REQUIRE(count.to_host()[0] == static_cast<index_type>(runs));
      test::require_equal(front(keys_in, runs), wanted_keys);
      test::require_equal(front(values_in, runs), wanted_values);
    }
  }
}

TEST_CASE("select and partition read and write through iterators", "[partition]")
{
  const std::size_t n = 6 * small_tile + 41;
  const index_type size = static_cast<index_type>(n);
  const selects_percent half{50};
  const std::vector<std::int32_t> values = test::random_values<std::int32_t>(n, 5);
  test::device_array<std::int32_t> in(values);

  SECTION("counting and transform")
  {
    std::vector<std::int64_t> doubles;
    for (std::size_t i = 0; i < n; ++i) {
      doubles.push_back(2 * static_cast<std::int64_t>(i) + 2);
    }
    const auto wanted = reference(doubles, [&](std::size_t i) { return selects_percent{half}(doubles[i]); });
    const auto items = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(1), double_of{});
    check_select<small_tiles>(items, n, select_if<selects_percent>{half}, wanted);
  }
  SECTION("reverse and permutation inputs")
  {
    const std::vector<std::int32_t> reversed(values.rbegin(), values.rend());
    const auto wanted = reference(reversed, [&](std::size_t i) { return selects_percent{half}(reversed[i]); });
    check_select<small_tiles>(
      thrust::make_reverse_iterator(in.data() + n), n, select_if<selects_percent>{half}, wanted);

    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < n; ++i) {
      order.push_back(static_cast<std::int32_t>(n - 1 - i));
    }
    test::device_array<std::int32_t> map(order);
    check_select<small_tiles>(
      thrust::make_permutation_iterator(in.data(), map.data()), n, select_if<selects_percent>{half}, wanted);
  }
  SECTION("one output filled from both ends, as CUB does")
  {
    auto wanted = reference(values, [&](std::size_t i) { return selects_percent{half}(values[i]); });
    std::reverse(wanted.rejected.begin(), wanted.rejected.end());
    test::device_array<std::int32_t> out(n);
    test::device_array<int> count(1);  // a count of another type
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::select_plan<small_tuning>(
               in.data(), size, select_if<selects_percent>{half}, out.data(),
               thrust::make_reverse_iterator(out.data() + n), count.data())
        .run(storage, bytes, 0);
    });
    REQUIRE(count.to_host()[0] == static_cast<int>(wanted.selected.size()));
    test::require_equal(out.to_host(), wanted.both());
  }
  SECTION("reverse in place")
  {
    const std::vector<std::int32_t> reversed(values.rbegin(), values.rend());
    auto wanted = reference(reversed, [&](std::size_t i) { return selects_percent{half}(reversed[i]); }).both();
    std::reverse(wanted.begin(), wanted.end());
    test::device_array<index_type> count(1);
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::stable_partition_plan<small_tuning>(
               thrust::make_reverse_iterator(in.data() + n), size, select_if<selects_percent>{half}, count.data())
        .run(storage, bytes, 0);
    });
    test::require_equal(in.to_host(), wanted);
  }
  SECTION("zip in place")
  {
    test::device_array<std::int32_t> beside(values);
    const auto zipped = thrust::make_zip_iterator(in.data(), beside.data());
    test::device_array<index_type> count(1);
    const auto selects = [] _CCCL_DEVICE(const thrust::tuple<std::int32_t, std::int32_t>& both) {
      return selects_percent{50}(thrust::get<1>(both));
    };
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::stable_partition_plan<small_tuning>(
               zipped, size, select_if<decltype(selects)>{selects}, count.data())
        .run(storage, bytes, 0);
    });
    const auto wanted = reference(values, [&](std::size_t i) { return selects_percent{half}(values[i]); });
    REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
    test::require_equal(in.to_host(), wanted.both());
    test::require_equal(beside.to_host(), wanted.both());
  }
}

TEST_CASE("select, partition and unique under many schedules", "[partition][schedules]")
{
  test::under_schedules([] {
    check_shares<small_tiles, std::int32_t>(small_tile - 1);
    check_shares<small_tiles, std::int64_t>(9 * small_tile + 3);
    check_shares<small_tiles, std::int32_t>(4 * small_tile - 3);
    check_shares<tiny_tiles, std::int32_t>(70 * 32 + 1, {50, 97});
    check_unique<small_tiles, std::int32_t>(9 * small_tile + 3);
    check_unique<tiny_tiles, test::bytes3>(70 * 32 + 1);
  });
}

TEST_CASE("partition where not all blocks can be resident", "[partition]")
{
  test::with_few_blocks([] {
    check_shares<small_tiles, std::int32_t>(3 * small_tile + 5);
    check_shares<small_tiles, test::bytes3>(4 * small_tile, {0, 30, 100});
  });
}

TEST_CASE("copy through iterators and between arrays", "[partition]")
{
  for (std::size_t n : {0, 1, 2047, 2048, 2049, 10007}) {
    INFO("n = " << n);
    const std::vector<std::int32_t> values = test::random_values<std::int32_t>(n, n);
    std::vector<std::int32_t> negated;
    for (std::int32_t value : values) {
      negated.push_back(negate{}(value));
    }
    test::device_array<std::int32_t> in(values);
    test::device_array<std::int32_t> out(n);
    const std::int32_t* const source = in.data();
    REQUIRE_FALSE(gimbal::algorithm::copy(source, out.data(), static_cast<index_type>(n), 0));
    REQUIRE_FALSE(gimbal::simt::wait(0, "test"));
    test::require_equal(out.to_host(), values);
    REQUIRE_FALSE(gimbal::algorithm::copy(
      thrust::make_transform_iterator(source, negate{}), out.data(), static_cast<index_type>(n), 0));
    REQUIRE_FALSE(gimbal::simt::wait(0, "test"));
    test::require_equal(out.to_host(), negated);
  }
}
