// Tests radix sorts of large values, which move only once their keys are sorted with their positions.
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "radix_sort/radix_reference.h"
#include "support.h"

namespace algorithm = gimbal::algorithm;
using gimbal::index_type;
using test::ascending;
using test::cell;
using test::descending;
using test::make_keys;
using test::permuted;
using test::shape;

namespace {

/// `Words` words that all hold the number it was made of; no default constructor.
template <class Word, unsigned Words>
struct block_of_words {
  Word word[Words];
  block_of_words() = delete;
  explicit block_of_words(std::uint32_t i)
  {
    for (unsigned w = 0; w < Words; ++w) {
      word[w] = static_cast<Word>((i + w) * 0x9e3779b1u >> (w % 3));
    }
  }
  friend bool operator==(const block_of_words& l, const block_of_words& r)
  {
    return std::equal(l.word, l.word + Words, r.word);
  }
  friend std::ostream& operator<<(std::ostream& out, const block_of_words& v) { return out << +v.word[0]; }
};

template <unsigned Bytes>
using bytes = block_of_words<unsigned char, Bytes>;
template <unsigned Words>
using shorts = block_of_words<std::uint16_t, Words>;
template <unsigned Words>
using ints = block_of_words<std::uint32_t, Words>;
template <unsigned Words>
using longs = block_of_words<std::uint64_t, Words>;
struct alignas(16) aligned : longs<4> {
  using longs<4>::longs;
};

template <class Value>
std::vector<Value> numbered(std::size_t n)
{
  std::vector<Value> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(Value(static_cast<std::uint32_t>(i)));
  }
  return values;
}

template <class Order, class KeyIn, class Key, class ValuesIn, class ValuesOut>
void sort(KeyIn in, Key* out, ValuesIn values_in, ValuesOut values_out, std::size_t n, int begin, int end)
{
  test::run([&](void* storage, std::size_t& bytes) {
    return algorithm::radix_sort(
      storage, bytes, Order{}, in, out, values_in, values_out, static_cast<index_type>(n), begin, end, 0);
  });
}

/// Copied, values alone in place, and all in place.
template <class Order, class Value, class Key>
void check(const std::vector<Key>& keys, int begin = 0, int end = 8 * sizeof(Key))
{
  const std::size_t n = keys.size();
  INFO("n = " << n << ", " << sizeof(Value) << " bytes, bits " << begin << " to " << end);
  const std::vector<Value> values = numbered<Value>(n);
  const std::vector<std::uint32_t> order = test::sorted_order<Order, Key>(keys, begin, end);
  test::device_array<Key> keys_in(keys);
  test::device_array<Key> keys_out(n);
  test::device_array<Value> values_in(values, 1);
  test::device_array<Value> values_out(n, 1);
  const Value* const from = values_in.data();
  sort<Order>(static_cast<const Key*>(keys_in.data()), keys_out.data(), from, values_out.data(), n, begin, end);
  test::require_same_bits(keys_out.to_host(), permuted(keys, order));
  test::require_equal(values_out.to_host(), permuted(values, order));
  test::require_same_bits(keys_in.to_host(), keys);
  test::require_equal(values_in.to_host(), values);
  test::device_array<Value> moved(values);
  sort<Order>(keys_in.data(), keys_out.data(), moved.data(), moved.data(), n, begin, end);
  test::require_equal(moved.to_host(), permuted(values, order));
  sort<Order>(keys_in.data(), keys_in.data(), values_in.data(), values_in.data(), n, begin, end);
  test::require_same_bits(keys_in.to_host(), permuted(keys, order));
  test::require_equal(values_in.to_host(), permuted(values, order));
}

}  // namespace

TEMPLATE_TEST_CASE(
  "position sort moves values of every size and alignment", "", bytes<17>, longs<3>,
  aligned GIMBAL_MORE(bytes<33>, bytes<128>, shorts<9>, shorts<63>, ints<5>, ints<8>, ints<32>, longs<4>, longs<16>))
{
  constexpr std::size_t word = alignof(TestType);
  using tuned = gimbal::tuning::gather<word>;
  constexpr unsigned tile = tuned::block_threads * tuned::items_per_thread * word / sizeof(TestType);
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{tile - 1}, std::size_t{tile}, std::size_t{tile + 1},
        std::size_t{2 * tile + 33}}) {
    check<ascending, TestType>(make_keys<unsigned>(n, shape::few, n));
  }
}

TEMPLATE_TEST_CASE(
  "position sort by every kind of key", "", unsigned char,
  double GIMBAL_MORE(short, int, float, long long, unsigned __int128))
{
  for (const shape s : {shape::random, shape::special, shape::constant, shape::sorted, shape::reversed}) {
    check<ascending, longs<3>>(make_keys<TestType>(700, s, 1));
    check<descending, longs<3>>(make_keys<TestType>(700, s, 2));
  }
  check<ascending, longs<3>>(make_keys<TestType>(700, shape::random, 3), 3, 7);
  check<descending, longs<3>>(make_keys<TestType>(700, shape::random, 3), 5, 5);
}

TEST_CASE("position sort of values that are no arrays")
{
  const std::size_t n = 1000;
  const std::vector<unsigned> keys = make_keys<unsigned>(n, shape::few, 1);
  const std::vector<longs<3>> values = numbered<longs<3>>(n);
  const auto wanted = permuted(values, test::sorted_order<ascending, unsigned>(keys, 0, 32));
  test::device_array<unsigned> keys_in(keys);
  test::device_array<unsigned> keys_out(n);

  test::device_array<longs<3>> backward({values.rbegin(), values.rend()});
  test::device_array<longs<3>> values_out(n);
  const auto from = thrust::make_reverse_iterator(backward.data() + n);
  sort<ascending>(keys_in.data(), keys_out.data(), from, values_out.data(), n, 0, 32);
  test::require_equal(values_out.to_host(), wanted);

  sort<ascending>(
    keys_in.data(), keys_out.data(), from, thrust::make_reverse_iterator(values_out.data() + n), n, 0, 32);
  test::require_equal(values_out.to_host(), {wanted.rbegin(), wanted.rend()});

  test::device_array<longs<3>> first(values);
  test::device_array<longs<3>> second(values);
  const auto both = thrust::make_zip_iterator(first.data(), second.data());
  sort<ascending>(keys_in.data(), keys_out.data(), both, both, n, 0, 32);
  test::require_equal(first.to_host(), wanted);
  test::require_equal(second.to_host(), wanted);
}

TEST_CASE("position sort takes no more storage than n keys and n values")
{
  const std::size_t n = 100000;
  const auto bytes_of = [&](auto* keys_in, auto* keys_out, auto* values_in, auto* values_out) {
    std::size_t bytes = 0;
    REQUIRE(!algorithm::radix_sort(
      nullptr, bytes, ascending{}, keys_in, keys_out, values_in, values_out, index_type{n}, 0,
      static_cast<int>(8 * sizeof(*keys_in)), 0));
    return bytes;
  };
  test::device_array<std::uint64_t> memory(2);
  auto* const keys = reinterpret_cast<unsigned*>(memory.data());
  auto* const other_keys = keys + 1;
  auto* const values = reinterpret_cast<longs<3>*>(memory.data());
  auto* const other_values = reinterpret_cast<longs<3>*>(memory.data() + 1);
  constexpr std::size_t rounding = 1024;
  CHECK(bytes_of(keys, keys, values, values) <= n * (4 + sizeof(longs<3>)) + rounding);
  CHECK(bytes_of(keys, other_keys, values, other_values) <= n * 13 + 65536);
}

TEST_CASE("position sort of values of 16 bytes, where it begins")
{
  using tuned = gimbal::tuning::position_sort<4, 16>;
  const std::size_t least = static_cast<std::size_t>(tuned::least_items);
  CHECK(least > gimbal::tuning::radix_engine<4, 16>::most_resident_items);
  if constexpr (GIMBAL_GPU) {
    for (const std::size_t n : {least - 1, least, 2 * least + 77}) {
      check<ascending, longs<2>>(make_keys<unsigned>(n, shape::random, n));
    }
  }
}

#if GIMBAL_GPU
TEST_CASE("position sort of many values")
{
  check<ascending, ints<8>>(make_keys<unsigned>(3000017, shape::random, 1));
  check<descending, bytes<17>>(make_keys<double>(3000017, shape::random, 2));
  check<ascending, longs<4>>(make_keys<unsigned char>(3000017, shape::random, 3));
}
#endif
