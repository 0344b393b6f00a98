// Tests the radix engine with its default tuning on a GPU: both shapes of tiles, keys
// and pairs, against std::stable_sort.
#include <cmath>
#include <random>

#include "radix_checks.h"

template <class Tuning>
struct driver {
  static constexpr std::size_t values_shift = 0;

  template <class Order, class Key, class ValuesIn, class ValuesOut>
  static void sort(
    Key* keys_in, Key* keys_out, ValuesIn values_in, ValuesOut values_out, std::size_t n, int begin, int end)
  {
    test::run([=](void* storage, std::size_t& bytes) {
      return algorithm::radix_sort<Tuning>(
        storage, bytes, Order{}, keys_in, keys_out, values_in, values_out, static_cast<index_type>(n), begin, end, 0);
    });
  }
};

namespace {

constexpr shape shapes[] = {shape::random,  shape::clustered, shape::two_values, shape::few,
                            shape::special, shape::sorted,    shape::constant};

/// Aligned to half its size.
struct two_words {
  unsigned first;
  unsigned second;
};

/// Values that begin `in` and `out` words behind a boundary of their size.
template <class Key>
void check_split_values(const std::vector<test::cell<Key>>& keys, std::size_t in, std::size_t out)
{
  const std::size_t n = keys.size();
  const std::vector<std::uint32_t> order = sorted_order<ascending, Key>(keys, 0, 8 * sizeof(Key));
  std::vector<unsigned> words(2 * n);
  std::vector<unsigned> wanted(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    words[2 * i] = static_cast<unsigned>(i);
    words[2 * i + 1] = ~static_cast<unsigned>(i);
    wanted[2 * i] = order[i];
    wanted[2 * i + 1] = ~order[i];
  }
  test::device_array<test::cell<Key>> keys_in(keys);
  test::device_array<test::cell<Key>> keys_out(n);
  test::device_array<unsigned> values_in(words, in);
  test::device_array<unsigned> values_out(2 * n, out);
  test::run([&](void* storage, std::size_t& bytes) {
    return algorithm::radix_sort(
      storage, bytes, ascending{}, reinterpret_cast<Key*>(keys_in.data()), reinterpret_cast<Key*>(keys_out.data()),
      reinterpret_cast<two_words*>(values_in.data()), reinterpret_cast<two_words*>(values_out.data()),
      static_cast<index_type>(n), 0, 8 * sizeof(Key), 0);
  });
  require_same_bits(keys_out.to_host(), permuted(keys, order));
  test::require_equal(values_out.to_host(), wanted);
}

}  // namespace

TEMPLATE_TEST_CASE(
  "radix engine sorts values that are not aligned to their size", "",
  unsigned char GIMBAL_MORE(unsigned short, unsigned, float, unsigned long long))
{
  const std::size_t n = GENERATE(std::size_t{3000}, std::size_t{300001}, (std::size_t{1} << 22) + 12345);
  for (const shape s : {shape::random, shape::few}) {
    const auto keys = make_keys<TestType>(n, s, n);
    check_split_values<TestType>(keys, 1, 1);
    check_split_values<TestType>(keys, 0, 1);
    check_split_values<TestType>(keys, 1, 0);
  }
}

TEMPLATE_TEST_CASE(
  "radix engine sorts keys of one and two bytes with values", "", unsigned char,
  short GIMBAL_MORE(signed char, bool, unsigned short))
{
  const std::size_t n = GENERATE(std::size_t{300001}, std::size_t{1} << 21, (std::size_t{1} << 22) + 12345);
  for (const shape s : shapes) {
    const auto keys = make_keys<TestType>(n, s, n);
    check_pairs<void, ascending, TestType>(keys, 0, all_bits<TestType>, 1);
    check_pairs<void, descending, TestType, std::uint64_t>(keys, 0, all_bits<TestType>, 0);
    check_pairs<void, ascending, TestType, std::uint8_t>(keys, 0, all_bits<TestType>, 3);
  }
}

TEMPLATE_TEST_CASE("radix engine sorts many two-byte keys", "", unsigned short, short)
{
  const std::size_t n =
    GENERATE((std::size_t{1} << 21) + 1, (std::size_t{1} << 22) + 12345, (std::size_t{1} << 24) + 4321);
  for (const shape s : shapes) {
    check_keys<void, ascending, TestType>(make_keys<TestType>(n, s, n), 0, all_bits<TestType>, n % 8);
    check_keys<void, descending, TestType>(make_keys<TestType>(n, s, n), 0, all_bits<TestType>, 3);
  }
}

TEST_CASE("radix engine sorts keys")
{
  const std::size_t n = GENERATE(
    std::size_t{1000}, std::size_t{4097}, std::size_t{20000}, std::size_t{300001}, std::size_t{1} << 20,
    (std::size_t{1} << 22) + 12345);
  for (const shape s : shapes) {
    check_keys<void, ascending, unsigned>(make_keys<unsigned>(n, s, n), 0, all_bits<unsigned>, 1);
    check_keys<void, descending, float>(make_keys<float>(n, s, n), 0, all_bits<float>, 0);
    check_keys<void, ascending, unsigned long long>(
      make_keys<unsigned long long>(n, s, n), 0, all_bits<unsigned long long>, 1);
    check_keys<void, descending, signed char>(make_keys<signed char>(n, s, n), 0, all_bits<signed char>, 1);
  }
}

TEST_CASE("radix engine sorts pairs")
{
  const std::size_t n = GENERATE(
    std::size_t{1000}, std::size_t{4097}, std::size_t{20000}, std::size_t{300001}, std::size_t{1} << 20,
    (std::size_t{1} << 22) + 12345);
  for (const shape s : shapes) {
    check_pairs<void, ascending, unsigned>(make_keys<unsigned>(n, s, n), 0, all_bits<unsigned>, 1);
  }
}

/// Of any range, and some of them often: as many as overflow one bin, a few, or a bucket.
TEMPLATE_TEST_CASE("radix engine sorts even keys in one launch", "", int GIMBAL_MORE(unsigned long long, float, double))
{
  const std::size_t n = GENERATE(
    std::size_t{8193}, std::size_t{100000}, std::size_t{300001}, std::size_t{1000000}, std::size_t{1} << 20,
    std::size_t{2000000}, (std::size_t{1} << 21) - 77);
  for (const unsigned copies : {0u, 25u, 500u}) {
    std::mt19937_64 random(n + copies);
    std::vector<TestType> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t any = i % 64 < 32 || random() % (n / 4) > copies ? random() : std::uint64_t{1} << 63;
      keys[i] =
        std::is_floating_point_v<TestType>
          ? static_cast<TestType>(static_cast<double>(any) * (copies == 25 ? 1e-19 : 1e3) - 0.25)
          : static_cast<TestType>(static_cast<TestType>(any >> (64 - 8 * sizeof(TestType))) / (copies == 25 ? 100 : 1));
    }
    check_keys<void, ascending, TestType>(keys, 0, all_bits<TestType>, 1);
    check_keys<void, descending, TestType>(keys, 0, all_bits<TestType>, 0);
    check_pairs<void, ascending, TestType>(keys, 0, all_bits<TestType>, 1);
    check_pairs<void, descending, TestType, std::uint64_t>(keys, 0, all_bits<TestType>, 0);
  }
}

/// All keys twice; with some clustered in few bins, which overflow, or with one bucket of more than fit, passes follow.
/// The histogram must see little of it, or no buckets are made.
TEMPLATE_TEST_CASE("radix engine sorts in buckets", "", unsigned long long, long long)
{
  const std::size_t n = (std::size_t{1} << 22) + 12345;
  const bool is_clustered = GENERATE(false, true);
  const std::size_t large = GENERATE(std::size_t{0}, std::size_t{7300});
  std::mt19937_64 random(large);
  std::vector<TestType> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t any = random();
    const std::uint64_t key = is_clustered && any % 1009 == 0 ? (any >> 20) % 40 << 48 | any >> 62
                              : i % 2 == 0                    ? any
                                                              : keys[i - 1];
    keys[i] = static_cast<TestType>(i < large ? key >> 16 : key);
  }
  std::shuffle(keys.begin(), keys.end(), random);
  check_keys<void, ascending, TestType>(keys, 0, all_bits<TestType>, 1);
  check_keys<void, descending, TestType>(keys, 0, all_bits<TestType>, 0);
  check_pairs<void, ascending, TestType>(keys, 0, all_bits<TestType>, 0);
  check_pairs<void, descending, TestType>(keys, 0, all_bits<TestType>, 1);
}

/// The r-th most frequent is n / 14 r of all.
TEMPLATE_TEST_CASE("radix engine sorts keys that repeat", "", unsigned long long, double)
{
  const std::size_t n = (std::size_t{1} << 22) + 12345;
  std::mt19937_64 random(n);
  std::vector<TestType> keys(n);
  for (TestType& key : keys) {
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
    const auto rank = static_cast<std::uint64_t>(std::exp2(20 * uniform));
    key = static_cast<TestType>(static_cast<long long>(rank * 0xbf58476d1ce4e5b9u));
  }
  check_keys<void, ascending, TestType>(keys, 0, all_bits<TestType>, 1);
  check_keys<void, descending, TestType>(keys, 0, all_bits<TestType>, 0);
  check_pairs<void, ascending, TestType>(keys, 0, all_bits<TestType>, 0);
  check_pairs<void, descending, TestType, std::uint64_t>(keys, 0, all_bits<TestType>, 1);
}

TEMPLATE_TEST_CASE("radix engine sorts zeros of one sign and of both", "", float GIMBAL_MORE(double))
{
  const std::size_t n = GENERATE(std::size_t{20000}, std::size_t{1} << 20, (std::size_t{1} << 22) + 12345);
  for (const unsigned rarity : {3u, 1000u, 100000u}) {
    for (const unsigned signs : {1u, 2u}) {
      auto keys = make_keys<TestType>(n, shape::random, n);
      std::mt19937_64 random(rarity);
      for (TestType& key : keys) {
        key = random() % rarity == 0 ? static_cast<TestType>(random() % signs == 0 ? 0.0 : -0.0) : key;
      }
      check_keys<void, ascending, TestType>(keys, 0, all_bits<TestType>, 1);
      check_keys<void, descending, TestType>(keys, 0, all_bits<TestType>, 1);
      check_pairs<void, descending, TestType>(keys, 0, all_bits<TestType>, 1);
    }
  }
}

TEMPLATE_TEST_CASE(
  "radix engine sorts small numbers of both signs and keys in reverse order", "", int GIMBAL_MORE(long long, double))
{
  const std::size_t n = GENERATE(std::size_t{20000}, (std::size_t{1} << 22) + 12345);
  for (const int most : {1, 1000, 100000000}) {
    std::mt19937_64 random(n);
    std::vector<TestType> keys(n);
    for (TestType& key : keys) {
      key = static_cast<TestType>(static_cast<int>(random() % (2 * most + 1)) - most);
    }
    check_keys<void, ascending, TestType>(keys, 0, all_bits<TestType>, 1);
    check_pairs<void, descending, TestType>(keys, 0, all_bits<TestType>, 0);
    std::sort(keys.begin(), keys.end());
    check_keys<void, descending, TestType>(keys, 0, all_bits<TestType>, 0);
    check_pairs<void, descending, TestType>(keys, 0, all_bits<TestType>, 1);
    std::swap(keys[n / 2], keys[n / 3]);
    check_pairs<void, descending, TestType>(keys, 0, all_bits<TestType>, 1);
  }
}
