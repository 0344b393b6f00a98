// gimbal::DeviceRadixSort beside CUB's on a GPU, where a host reference would take too long: random sorts, of up to
// 2^25 items, whose results are compared on the device; and the storage that both ask for. A file for each size of
// keys: gpu_stock_radix_sort_*.cu.
#pragma once

#include <gimbal/cub/radix_sort.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/tabulate.h>

#include <cub/device/device_radix_sort.cuh>
#include <random>
#include <type_traits>

#include "device_support.h"

namespace stock_radix_sort {

using device_calls::raw;

using bytes = thrust::device_vector<unsigned char>;

/// Aligned to half its size.
struct two_words {
  std::uint32_t first;
  std::uint32_t second;
};

/// Moved by passes of few digits, fetched from its position otherwise.
struct three_words {
  two_words front;
  std::uint32_t more;
};

/// So large that it is fetched from its position.
struct five_words {
  two_words front;
  std::uint32_t more[3];
};

enum class shape {
  random,
  few_bits,
  two_values,
  in_order,
  in_reverse,
  one_in_most,
  low_bits,
  long_runs,
  few_values,
  equal
};
constexpr unsigned shapes = 10;

__host__ __device__ inline std::uint64_t scattered(std::uint64_t x)
{
  x *= 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
  return x ^ x >> 32;
}

/// The bits of key i of n.
template <class Bits>
struct make_bits {
  shape kind;
  std::uint64_t seed;
  std::uint64_t n;

  __host__ __device__ Bits operator()(std::uint64_t i) const { return static_cast<Bits>(wide(i)); }

private:
  static constexpr unsigned key_bits = 8 * sizeof(Bits);

  /// Evenly from the least number to the greatest.
  __host__ __device__ std::uint64_t spread(std::uint64_t place) const
  {
    return key_bits <= 32 ? (place << key_bits) / n : place * (~std::uint64_t{0} / n);
  }

  __host__ __device__ std::uint64_t wide(std::uint64_t i) const
  {
    const std::uint64_t word = scattered(i + seed);
    switch (kind) {
      case shape::random:
        return word;
      case shape::few_bits:
        return word & scattered(word);
      case shape::two_values:
        return word & 1 ? 0x07 : 0x55;
      case shape::in_order:
        return spread(i);
      case shape::in_reverse:
        return spread(n - 1 - i);
      case shape::one_in_most:
        return word % 100 < 70 ? 3 : word >> 8;
      case shape::low_bits:
        return word << key_bits / 2;
      case shape::long_runs:
        return i / (1 + seed % 777);
      case shape::few_values:
        return word % (1 + seed % 40);
      default:
        return seed;
    }
  }
};

/// What tells where an item came from.
template <class Value>
struct make_value {
  __host__ __device__ Value operator()(std::uint64_t i) const
  {
    if constexpr (std::is_same_v<Value, two_words>) {
      return {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(~i)};
    } else if constexpr (std::is_same_v<Value, five_words>) {
      const auto word = static_cast<std::uint32_t>(i);
      return {{word, ~word}, {word + 1, word + 2, word ^ 0x5555}};
    } else if constexpr (std::is_same_v<Value, three_words>) {
      const auto word = static_cast<std::uint32_t>(i);
      return {{word, ~word}, word + 1};
    } else {
      return static_cast<Value>(scattered(i));
    }
  }
};

/// One sort of the bits [begin_bit, end_bit), chosen at random.
struct random_sort {
  std::int64_t n;
  bool is_descending;
  bool is_in_place;
  bool is_between;  ///< two buffers
  int begin_bit;
  int end_bit;
};

template <class Random>
random_sort make_random_sort(Random& random, int key_bits)
{
  const auto one_in = [&](unsigned odds) { return random() % odds == 0; };
  random_sort sort{};
  sort.n = std::int64_t{1} << (one_in(5) ? 10 + random() % 11 : 21 + random() % 4);
  sort.n += static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(sort.n));
  if (one_in(3)) {
    sort.n &= ~std::int64_t{4095};
  }
  sort.is_descending = one_in(2);
  sort.is_in_place = one_in(3);
  sort.is_between = !sort.is_in_place && one_in(3);
  sort.end_bit = key_bits;
  if (one_in(6)) {
    sort.begin_bit = static_cast<int>(random() % static_cast<unsigned>(key_bits));
    sort.end_bit = sort.begin_bit + static_cast<int>(random() % static_cast<unsigned>(key_bits - sort.begin_bit + 1));
  }
  return sort;
}

/// An array that begins anywhere an array of T may.
template <class T>
class array {
public:
  template <class Random>
  array(Random& random, std::int64_t n)
      : memory_(static_cast<std::size_t>(n + most_shift) * sizeof(T), 0xcd), shift_(random() % most_shift), n_(n)
  {
  }

  T* data() { return reinterpret_cast<T*>(raw(memory_)) + shift_; }
  template <class Make>
  void fill(Make make)
  {
    thrust::tabulate(thrust::device, data(), data() + n_, make);
  }
  void copy(array& other) { thrust::copy_n(thrust::device, other.data(), n_, data()); }
  bool has_bytes_of(array& other)
  {
    const auto* const own = reinterpret_cast<unsigned char*>(data());
    const auto* const theirs = reinterpret_cast<unsigned char*>(other.data());
    return thrust::equal(thrust::device, own, own + n_ * static_cast<std::int64_t>(sizeof(T)), theirs);
  }

private:
  static constexpr std::int64_t most_shift = 9;
  bytes memory_;
  std::uint64_t shift_;
  std::int64_t n_;
};

/// What a sort left in one of two buffers.
template <class T>
void bring(gimbal::DoubleBuffer<T>& both, T* to, std::int64_t n)
{
  if (both.Current() != to) {
    thrust::copy_n(thrust::device, both.Current(), n, to);
  }
}

template <class Calls, class Key>
void sort_keys(const random_sort& sort, const Key* in, Key* out)
{
  device_calls::two_phases([&](void* storage, std::size_t& bytes) {
    return sort.is_descending ? Calls::SortKeysDescending(storage, bytes, in, out, sort.n, sort.begin_bit, sort.end_bit)
                              : Calls::SortKeys(storage, bytes, in, out, sort.n, sort.begin_bit, sort.end_bit);
  });
}

template <class Calls, class Key, class Value>
void sort_pairs(const random_sort& sort, const Key* in, Key* out, const Value* values_in, Value* values_out)
{
  device_calls::two_phases([&](void* storage, std::size_t& bytes) {
    return sort.is_descending
             ? Calls::SortPairsDescending(
               storage, bytes, in, out, values_in, values_out, sort.n, sort.begin_bit, sort.end_bit)
             : Calls::SortPairs(storage, bytes, in, out, values_in, values_out, sort.n, sort.begin_bit, sort.end_bit);
  });
}

/// gimbal's sort of the keys between the two arrays, `keys` last.
template <class Key>
void sort_keys_between(const random_sort& sort, Key* keys, Key* spare)
{
  gimbal::DoubleBuffer<Key> both(keys, spare);
  device_calls::two_phases([&](void* storage, std::size_t& bytes) {
    using calls = gimbal::DeviceRadixSort;
    return sort.is_descending ? calls::SortKeysDescending(storage, bytes, both, sort.n, sort.begin_bit, sort.end_bit)
                              : calls::SortKeys(storage, bytes, both, sort.n, sort.begin_bit, sort.end_bit);
  });
  bring(both, keys, sort.n);
}

template <class Key, class Value>
void sort_pairs_between(const random_sort& sort, Key* keys, Key* spare, Value* values, Value* spare_values)
{
  gimbal::DoubleBuffer<Key> both(keys, spare);
  gimbal::DoubleBuffer<Value> both_values(values, spare_values);
  device_calls::two_phases([&](void* storage, std::size_t& bytes) {
    using calls = gimbal::DeviceRadixSort;
    return sort.is_descending
             ? calls::SortPairsDescending(storage, bytes, both, both_values, sort.n, sort.begin_bit, sort.end_bit)
             : calls::SortPairs(storage, bytes, both, both_values, sort.n, sort.begin_bit, sort.end_bit);
  });
  bring(both, keys, sort.n);
  bring(both_values, values, sort.n);
}

/// Sorts by both libraries; `Value` void: of keys alone.
template <class Key, class Value, class Random>
void check_sort(Random& random)
{
  using bits = std::conditional_t<
    sizeof(Key) == 1, std::uint8_t,
    std::conditional_t<
      sizeof(Key) == 2, std::uint16_t, std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>>>;
  const random_sort sort = make_random_sort(random, 8 * sizeof(Key));
  const auto kind = static_cast<shape>(random() % shapes);
  const std::uint64_t seed = random() % 100000;
  CAPTURE(
    sizeof(Key), sort.n, sort.is_descending, sort.is_in_place, sort.is_between, sort.begin_bit, sort.end_bit, kind,
    seed);

  array<bits> keys(random, sort.n), stock_keys(random, sort.n), own_keys(random, sort.n), spare(random, sort.n);
  const auto as_keys = [](array<bits>& bits) { return reinterpret_cast<Key*>(bits.data()); };
  keys.fill(make_bits<bits>{kind, seed, static_cast<std::uint64_t>(sort.n)});
  if (sort.is_in_place || sort.is_between) {
    own_keys.copy(keys);
  }
  const Key* const own_in = as_keys(sort.is_in_place ? own_keys : keys);
  if constexpr (std::is_void_v<Value>) {
    sort_keys<cub::DeviceRadixSort>(sort, as_keys(keys), as_keys(stock_keys));
    if (sort.is_between) {
      sort_keys_between(sort, as_keys(own_keys), as_keys(spare));
    } else {
      sort_keys<gimbal::DeviceRadixSort>(sort, own_in, as_keys(own_keys));
    }
  } else {
    CAPTURE(sizeof(Value));
    array<Value> values(random, sort.n), stock_values(random, sort.n), own_values(random, sort.n);
    values.fill(make_value<Value>{});
    if (sort.is_in_place || sort.is_between) {
      own_values.copy(values);
    }
    sort_pairs<cub::DeviceRadixSort>(sort, as_keys(keys), as_keys(stock_keys), values.data(), stock_values.data());
    if (sort.is_between) {
      array<Value> spare_values(random, sort.n);
      sort_pairs_between(sort, as_keys(own_keys), as_keys(spare), own_values.data(), spare_values.data());
    } else {
      sort_pairs<gimbal::DeviceRadixSort>(
        sort, own_in, as_keys(own_keys), sort.is_in_place ? own_values.data() : values.data(), own_values.data());
    }
    CHECK(own_values.has_bytes_of(stock_values));
  }
  CHECK(own_keys.has_bytes_of(stock_keys));
}

template <class Key, class Value>
void check_sorts()
{
  std::mt19937_64 random(8 * sizeof(Key) + std::is_void_v<Value>);
  for (unsigned i = 0; i < 150; ++i) {
    check_sort<Key, Value>(random);
  }
}

/// For n items, not in place, sorted by their lowest bits. Nothing is sorted.
template <class Calls, class Key, class Value>
std::size_t storage_bytes(Key* buffer, std::int64_t n, int bits)
{
  std::size_t bytes = 0;
  if constexpr (std::is_void_v<Value>) {
    REQUIRE(Calls::SortKeys(nullptr, bytes, buffer, buffer + 1, n, 0, bits) == cudaSuccess);
  } else {
    auto* const values = reinterpret_cast<Value*>(buffer);
    REQUIRE(Calls::SortPairs(nullptr, bytes, buffer, buffer + 1, values, values + 1, n, 0, bits) == cudaSuccess);
  }
  return bytes;
}

/// The same between two buffers; a size query may come without pointers.
template <class Calls, class Key, class Value>
std::size_t storage_bytes_between(Key* buffer, std::int64_t n, int bits)
{
  std::size_t bytes = 0;
  gimbal::DoubleBuffer<Key> keys(buffer, buffer == nullptr ? nullptr : buffer + 1);
  if constexpr (std::is_void_v<Value>) {
    REQUIRE(Calls::SortKeys(nullptr, bytes, keys, n, 0, bits) == cudaSuccess);
  } else {
    auto* const first = reinterpret_cast<Value*>(buffer);
    gimbal::DoubleBuffer<Value> values(first, first == nullptr ? nullptr : first + 1);
    REQUIRE(Calls::SortPairs(nullptr, bytes, keys, values, n, 0, bits) == cudaSuccess);
  }
  return bytes;
}

constexpr std::int64_t most_items_of_one_launch = std::int64_t{3} << 20;

/// Large values are fetched from their positions, which are sorted between two arrays.
template <class Value>
constexpr std::size_t position_bytes(std::int64_t n)
{
  if constexpr (std::is_void_v<Value>) {
    return 0;
  } else {
    return sizeof(Value) > 8 ? 2 * sizeof(std::uint32_t) * static_cast<std::size_t>(n) : 0;
  }
}

template <class Key, class Value>
void check_storage()
{
  thrust::device_vector<Key> buffer(64);
  constexpr int key_bits = 8 * sizeof(Key);
  for (std::int64_t n = 1024; n <= std::int64_t{1} << 30; n += n / 2) {
    for (int bits = 8; bits <= key_bits; bits += 8) {
      const std::size_t own = storage_bytes<gimbal::DeviceRadixSort, Key, Value>(raw(buffer), n, bits);
      const std::size_t stock = storage_bytes<cub::DeviceRadixSort, Key, Value>(raw(buffer), n, bits);
      const std::size_t own_between = storage_bytes_between<gimbal::DeviceRadixSort, Key, Value>(raw(buffer), n, bits);
      const std::size_t blind = storage_bytes_between<gimbal::DeviceRadixSort, Key, Value>(nullptr, n, bits);
      const std::size_t stock_between = storage_bytes_between<cub::DeviceRadixSort, Key, Value>(raw(buffer), n, bits);
      // A launch whose blocks wait for each other has room for their words, should its stream keep none: it must not
      // allocate.
      const std::size_t room = n <= most_items_of_one_launch ? std::size_t{300} << 10 : 0;
      CAPTURE(sizeof(Key), std::is_void_v<Value>, n, bits, own, stock, own_between, stock_between);
      CHECK(own <= stock + room + position_bytes<Value>(n));
      CHECK(own_between <= stock_between + room + position_bytes<Value>(n));
      CHECK(blind == own_between);
    }
  }
}

}  // namespace stock_radix_sort
