// Select, partition, unique and copy at kernel level: sizes, shares of selected items, types, iterators, places,
// schedules.

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <gimbal/algorithm/select/partition_in_place.cuh>

#include "support.h"

namespace {

using gimbal::index_type;
using gimbal::algorithm::discard_rejected;
using gimbal::algorithm::select_flagged;
using gimbal::algorithm::select_if;
using gimbal::algorithm::select_if_stencil;
using gimbal::algorithm::select_unique;

struct small_tuning {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
  static constexpr unsigned append_blocks = 3;
};
constexpr std::size_t small_tile = 64 * 3;

/// Of one item a thread, so that few items make more than the 1024 tiles of a row of look-back descriptors.
struct tiny_tuning {
  static constexpr unsigned block_threads = 32;
  static constexpr unsigned items_per_thread = 1;
  static constexpr unsigned append_blocks = 3;
};

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

/// Groups values into classes of equality, so that runs are neither all long nor all short.
struct same_class {
  unsigned classes;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& a, const T& b)
  {
    return digest(a) % classes == digest(b) % classes;
  }
};

template <class T>
struct parts {
  std::vector<T> selected;
  std::vector<T> rejected;

  std::vector<T> both() const
  {
    std::vector<T> all = selected;
    all.insert(all.end(), rejected.begin(), rejected.end());
    return all;
  }
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

template <class T>
std::vector<T> front(test::device_array<T>& values, std::size_t count)
{
  std::vector<T> all = values.to_host();
  REQUIRE(count <= all.size());
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  return all;
}

/// Runs select with both outputs of exactly the size needed.
template <class Tuning, class T, class InputIt, class Selector>
void check_select(InputIt in, std::size_t n, Selector selector, const parts<T>& wanted)
{
  const index_type size = static_cast<index_type>(n);
  test::device_array<index_type> count(1);
  {
    test::device_array<T> selected(wanted.selected.size());
    test::device_array<T> rejected(wanted.rejected.size());
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::select<Tuning>(
        storage, bytes, in, size, selector, selected.data(), rejected.data(), count.data(), 0);
    });
    REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
    test::require_equal(selected.to_host(), wanted.selected);
    test::require_equal(rejected.to_host(), wanted.rejected);
  }
  test::device_array<T> selected(wanted.selected.size());
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::select<Tuning>(
      storage, bytes, in, size, selector, selected.data(), discard_rejected{}, count.data(), 0);
  });
  REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
  test::require_equal(selected.to_host(), wanted.selected);
}

/// Runs select and the stable partition in place.
template <class Tuning, class T, class Selector>
void check_in_place(const std::vector<T>& values, Selector selector, const parts<T>& wanted)
{
  const index_type size = static_cast<index_type>(values.size());
  test::device_array<index_type> count(1);
  {
    test::device_array<T> data(values);
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::select<Tuning>(
        storage, bytes, data.data(), size, selector, data.data(), discard_rejected{}, count.data(), 0);
    });
    REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
    test::require_equal(front(data, wanted.selected.size()), wanted.selected);
  }
  test::device_array<T> data(values);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::stable_partition_in_place<Tuning>(
      storage, bytes, data.data(), size, selector, count.data(), 0);
  });
  REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
  test::require_equal(data.to_host(), wanted.both());
}

const std::vector<unsigned> shares =
  test::hunts_races ? std::vector<unsigned>{50} : std::vector<unsigned>{0, 3, 50, 97, 100};

template <class Tuning, class T>
void check_shares(std::size_t n, const std::vector<unsigned>& percents = shares)
{
  const std::vector<T> values = test::random_values<T>(n, n + 1);
  test::device_array<T> in(values, n % 3);
  for (unsigned percent : percents) {
    INFO("n = " << n << ", " << percent << " % selected");
    const auto wanted = reference(values, [&](std::size_t i) { return selects_percent{percent}(values[i]); });
    const select_if<selects_percent> selector{{percent}};
    check_select<Tuning>(in.data(), n, selector, wanted);
    check_in_place<Tuning>(values, selector, wanted);
  }
}

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

template <class Tuning, class T>
void check_unique(std::size_t n)
{
  for (unsigned run : test::hunts_races ? std::vector<unsigned>{3} : std::vector<unsigned>{1, 3, 1000}) {
    INFO("n = " << n << ", runs of about " << run);
    const std::vector<T> values = values_in_runs<T>(n, run);
    test::device_array<T> in(values);
    const same_class equal{1000};
    const auto wanted = unique_reference(values, equal);
    const select_unique<same_class> selector{equal};
    check_select<Tuning>(in.data(), n, selector, wanted);
    test::device_array<index_type> count(1);
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::select<Tuning>(
        storage, bytes, in.data(), static_cast<index_type>(n), selector, in.data(), discard_rejected{}, count.data(),
        0);
    });
    REQUIRE(count.to_host()[0] == static_cast<index_type>(wanted.selected.size()));
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
    check_shares<small_tuning, TestType>(n);
  }
}

TEMPLATE_TEST_CASE(
  "select and partition with default tuning", "[partition]", std::int8_t GIMBAL_MORE(std::int32_t, test::wide))
{
  for (std::size_t n : default_sizes) {
    check_shares<void, TestType>(n);
  }
}

TEST_CASE("select and partition over several rows of look-back descriptors", "[partition]")
{
  for (std::size_t n : {1024 * 32, 1024 * 32 + 1, 2 * 1024 * 32 + 32 * 32 + 5}) {
    if (test::hunts_races && n != 1024 * 32 + 1) {
      continue;
    }
    check_shares<tiny_tuning, std::int32_t>(n, {50});
  }
}

TEST_CASE("select and partition by a stencil and by flags", "[partition]")
{
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, small_tile, 7 * small_tile + 5}) {
    for (unsigned percent : shares) {
      INFO("n = " << n << ", " << percent << " % selected");
      const std::vector<std::int32_t> values = test::random_values<std::int32_t>(n, n);
      const std::vector<float> stencil = test::random_values<float>(n, n + 7);
      std::vector<int> flags;
      for (float value : stencil) {
        flags.push_back(selects_percent{percent}(value) ? 2 : 0);
      }
      test::device_array<std::int32_t> in(values);
      test::device_array<float> device_stencil(stencil);
      test::device_array<int> device_flags(flags);
      const auto wanted = reference(values, [&](std::size_t i) { return flags[i] != 0; });
      const select_if_stencil<const float*, selects_percent> by_stencil{device_stencil.data(), {percent}};
      const select_flagged<const int*> by_flag{device_flags.data()};
      check_select<small_tuning>(in.data(), n, by_stencil, wanted);
      check_select<small_tuning>(in.data(), n, by_flag, wanted);
      check_in_place<small_tuning>(values, by_stencil, wanted);
      check_in_place<small_tuning>(values, by_flag, wanted);
    }
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
    return gimbal::algorithm::select<small_tuning>(
      storage, bytes, in.data(), static_cast<index_type>(n),
      select_if_stencil<decltype(items), decltype(counting)>{items, counting}, out.data(),
      thrust::make_discard_iterator(), count.data(), 0);
  });
  REQUIRE(count.to_host()[0] == static_cast<index_type>((n + 2) / 3));
  test::require_equal(calls.to_host(), std::vector<unsigned>(n, 1));
}

TEMPLATE_TEST_CASE(
  "unique keeps the first of each run", "[partition]", double,
  test::bytes3 GIMBAL_MORE(std::int8_t, std::int32_t, test::tagged))
{
  for (std::size_t n : small_sizes) {
    check_unique<small_tuning, TestType>(n);
  }
  check_unique<void, TestType>(test::hunts_races ? 10001 : 50001);
}

TEST_CASE("unique in place over several rows of look-back descriptors", "[partition]")
{
  check_unique<tiny_tuning, std::int32_t>((test::hunts_races ? 1 : 2) * 1024 * 32 + 77);
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
        return gimbal::algorithm::select_unique_by_key<small_tuning>(
          storage, bytes, keys_in.data(), values_in.data(), keys_out.data(), values_out.data(), count.data(),
          static_cast<index_type>(n), equal, 0);
      });
      REQUIRE(count.to_host()[0] == static_cast<index_type>(runs));
      test::require_equal(keys_out.to_host(), wanted_keys);
      test::require_equal(values_out.to_host(), wanted_values);

      const test::tagged* const same_keys = keys_in.data();
      test::run([&](void* storage, std::size_t& bytes) {
        return gimbal::algorithm::select_unique_by_key<small_tuning>(
          storage, bytes, same_keys, values_in.data(), keys_in.data(), values_in.data(), count.data(),
          static_cast<index_type>(n), equal, 0);
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
    check_select<small_tuning>(items, n, select_if<selects_percent>{half}, wanted);
  }
  SECTION("reverse and permutation inputs")
  {
    const std::vector<std::int32_t> reversed(values.rbegin(), values.rend());
    const auto wanted = reference(reversed, [&](std::size_t i) { return selects_percent{half}(reversed[i]); });
    check_select<small_tuning>(
      thrust::make_reverse_iterator(in.data() + n), n, select_if<selects_percent>{half}, wanted);

    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < n; ++i) {
      order.push_back(static_cast<std::int32_t>(n - 1 - i));
    }
    test::device_array<std::int32_t> map(order);
    check_select<small_tuning>(
      thrust::make_permutation_iterator(in.data(), map.data()), n, select_if<selects_percent>{half}, wanted);
  }
  SECTION("one output filled from both ends, as CUB does")
  {
    auto wanted = reference(values, [&](std::size_t i) { return selects_percent{half}(values[i]); });
    std::reverse(wanted.rejected.begin(), wanted.rejected.end());
    test::device_array<std::int32_t> out(n);
    test::device_array<int> count(1);  // a count of another type
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::select<small_tuning>(
        storage, bytes, in.data(), size, select_if<selects_percent>{half}, out.data(),
        thrust::make_reverse_iterator(out.data() + n), count.data(), 0);
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
      return gimbal::algorithm::stable_partition_in_place<small_tuning>(
        storage, bytes, thrust::make_reverse_iterator(in.data() + n), size, select_if<selects_percent>{half},
        count.data(), 0);
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
      return gimbal::algorithm::stable_partition_in_place<small_tuning>(
        storage, bytes, zipped, size, select_if<decltype(selects)>{selects}, count.data(), 0);
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
    check_shares<small_tuning, std::int32_t>(small_tile - 1);
    check_shares<small_tuning, std::int64_t>(9 * small_tile + 3);
    check_shares<small_tuning, std::int32_t>(4 * small_tile - 3);
    check_shares<tiny_tuning, std::int32_t>(70 * 32 + 1, {50, 97});
    check_unique<small_tuning, std::int32_t>(9 * small_tile + 3);
    check_unique<tiny_tuning, test::bytes3>(70 * 32 + 1);
  });
}

TEST_CASE("partition where not all blocks can be resident", "[partition]")
{
  test::with_few_blocks([] {
    check_shares<small_tuning, std::int32_t>(3 * small_tile + 5);
    check_shares<small_tuning, test::bytes3>(4 * small_tile, {0, 30, 100});
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
