// Compares gimbal::DeviceRadixSort with CUB's.
#include <gimbal/cub/radix_sort.h>
#include <thrust/iterator/transform_iterator.h>

#include "device_support.h"

#if GIMBAL_GPU
#include <cub/device/device_radix_sort.cuh>
#endif

#include <numeric>

using namespace device_calls;

namespace {

#if GIMBAL_GPU
using stock_sort = cub::DeviceRadixSort;
#else
using stock_sort = void;
#endif

template <class Key>
std::vector<Key> random_keys(std::size_t count, unsigned seed)
{
  std::mt19937_64 random(seed);
  std::vector<Key> keys(count);
  for (Key& key : keys) {
    key = static_cast<Key>(random());
  }
  return keys;
}

/// Positions of the keys in sorted order, by the bits [begin_bit, end_bit) of unsigned keys.
template <class Key>
std::vector<unsigned> order_of(const std::vector<Key>& keys, bool is_descending, int begin_bit, int end_bit)
{
  const auto digits = [&](unsigned i) {
    const std::uint64_t key = static_cast<std::uint64_t>(keys[i]) >> begin_bit;
    const int bits = end_bit - begin_bit;
    return bits == 64 ? key : key & ((std::uint64_t{1} << bits) - 1);
  };
  std::vector<unsigned> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return is_descending ? digits(b) < digits(a) : digits(a) < digits(b);
  });
  return order;
}

template <class T>
std::vector<T> gather(const std::vector<T>& values, const std::vector<unsigned>& order)
{
  std::vector<T> result;
  for (const unsigned i : order) {
    result.push_back(values[i]);
  }
  return result;
}

struct five_words {
  unsigned word[5];
  bool operator==(const five_words& other) const { return std::equal(word, word + 5, other.word); }
};

struct add_one {
  GIMBAL_HOST_DEVICE unsigned operator()(unsigned value) const { return value + 1; }
};

/// Every form for keys and, if `Value` is not void, for pairs; bits may be left out where they are all of the key's.
template <class Key, class Value>
void check_sorts(int n, bool is_descending, int begin_bit, int end_bit)
{
  CAPTURE(n, is_descending, begin_bit, end_bit);
  const std::vector<Key> key = random_keys<Key>(n, 7);
  const std::vector<Value> value = random_keys<Value>(n, 8);
  const thrust::device_vector<Key> keys(key.begin(), key.end());
  const thrust::device_vector<Value> values(value.begin(), value.end());
  const std::vector<unsigned> order = order_of(key, is_descending, begin_bit, end_bit);
  const std::vector<Key> sorted_keys = gather(key, order);
  const std::vector<Value> sorted_values = gather(value, order);

  check<gimbal::DeviceRadixSort, stock_sort>(
    [&](auto calls) {
      using type = typename decltype(calls)::type;
      thrust::device_vector<Key> out(n, 77);
      two_phases([&](void* s, std::size_t& b) {
        return is_descending ? type::SortKeysDescending(s, b, raw(keys), raw(out), n, begin_bit, end_bit)
                             : type::SortKeys(s, b, raw(keys), raw(out), n, begin_bit, end_bit);
      });
      check_equal(to_host(keys), key);  // the input stays
      return to_host(out);
    },
    sorted_keys);
  check<gimbal::DeviceRadixSort, stock_sort>(
    [&](auto calls) {
      using type = typename decltype(calls)::type;
      thrust::device_vector<Key> front = keys, back(n, 77);
      gimbal::DoubleBuffer<Key> both(raw(front), raw(back));
      two_phases([&](void* s, std::size_t& b) {
        return is_descending ? type::SortKeysDescending(s, b, both, n, begin_bit, end_bit)
                             : type::SortKeys(s, b, both, n, begin_bit, end_bit);
      });
      return to_host(both.Current() == raw(front) ? front : back);
    },
    sorted_keys);
  const auto sort_pairs = [&](auto calls) {
    using type = typename decltype(calls)::type;
    thrust::device_vector<Key> out(n, 77);
    thrust::device_vector<Value> values_out(n, 77);
    two_phases([&](void* s, std::size_t& b) {
      return is_descending
               ? type::SortPairsDescending(
                 s, b, raw(keys), raw(out), raw(values), raw(values_out), n, begin_bit, end_bit)
               : type::SortPairs(s, b, raw(keys), raw(out), raw(values), raw(values_out), n, begin_bit, end_bit);
    });
    check_equal(to_host(keys), key);
    check_equal(to_host(values), value);
    return std::make_pair(to_host(out), to_host(values_out));
  };
  check<gimbal::DeviceRadixSort, stock_sort>([&](auto calls) { return sort_pairs(calls).first; }, sorted_keys);
  check<gimbal::DeviceRadixSort, stock_sort>([&](auto calls) { return sort_pairs(calls).second; }, sorted_values);
  const auto sort_buffers = [&](auto calls) {
    using type = typename decltype(calls)::type;
    thrust::device_vector<Key> front = keys, back(n, 77);
    thrust::device_vector<Value> values_front = values, values_back(n, 77);
    gimbal::DoubleBuffer<Key> both(raw(front), raw(back));
    gimbal::DoubleBuffer<Value> values_both(raw(values_front), raw(values_back));
    two_phases([&](void* s, std::size_t& b) {
      return is_descending ? type::SortPairsDescending(s, b, both, values_both, n, begin_bit, end_bit)
                           : type::SortPairs(s, b, both, values_both, n, begin_bit, end_bit);
    });
    return std::make_pair(
      to_host(both.Current() == raw(front) ? front : back),
      to_host(values_both.Current() == raw(values_front) ? values_front : values_back));
  };
  check<gimbal::DeviceRadixSort, stock_sort>([&](auto calls) { return sort_buffers(calls).first; }, sorted_keys);
  check<gimbal::DeviceRadixSort, stock_sort>([&](auto calls) { return sort_buffers(calls).second; }, sorted_values);
}

}  // namespace

TEST_CASE("DeviceRadixSort: keys and pairs, both directions")
{
  for (const int n : sizes()) {
    check_sorts<std::uint32_t, std::uint32_t>(n, false, 0, 32);
    check_sorts<std::uint32_t, std::uint32_t>(n, true, 0, 32);
  }
}

TEST_CASE("DeviceRadixSort: bit ranges")
{
  for (const int n : {0, 1, 1000, 20011}) {
    for (const auto& bits :
         {std::make_pair(0, 0), std::make_pair(5, 6), std::make_pair(3, 20), std::make_pair(31, 32)}) {
      check_sorts<std::uint32_t, std::uint32_t>(n, false, bits.first, bits.second);
      check_sorts<std::uint32_t, std::uint32_t>(n, true, bits.first, bits.second);
    }
  }
}

TEST_CASE("DeviceRadixSort: in one phase")
{
  for (const int n : {0, 1, 1000, 20011}) {
    CAPTURE(n);
    const std::vector<unsigned> key = random_keys<unsigned>(n, 12), value = random_keys<unsigned>(n, 13);
    const thrust::device_vector<unsigned> keys(key.begin(), key.end()), values(value.begin(), value.end());
    const auto sorted = [&](bool is_descending, int end_bit, bool has_values) {
      const std::vector<unsigned> order = order_of(key, is_descending, 0, end_bit);
      std::vector<unsigned> both = gather(key, order);
      const std::vector<unsigned> moved = has_values ? gather(value, order) : std::vector<unsigned>(n, 77);
      both.insert(both.end(), moved.begin(), moved.end());
      return both;
    };
    // Keys and values as a call leaves them, whichever buffers they are in.
    const auto run = [&](auto call) {
      thrust::device_vector<unsigned> in = keys, in2 = values, out(n, 77), out2(n, 77);
      gimbal::DoubleBuffer<unsigned> both(raw(in), raw(out)), both2(raw(in2), raw(out2));
      one_phase([&] { return call(both, both2); });
      std::vector<unsigned> result = to_host(both.Current() == raw(in) ? in : out);
      const std::vector<unsigned> moved = to_host(both2.Current() == raw(in2) ? in2 : out2);
      result.insert(result.end(), moved.begin(), moved.end());
      return result;
    };
    const auto copied = [&](auto call) {
      return run([&](auto& k, auto& v) {
        const auto code = call(k.d_buffers[0], k.d_buffers[1], v.d_buffers[0], v.d_buffers[1]);
        k.selector = v.selector = 1;
        return code;
      });
    };
    const auto check_call = [](auto body, const std::vector<unsigned>& expected) {
      check_in_one_phase<gimbal::DeviceRadixSort, stock_sort>(body, expected);
    };
    check_call(
      [&](auto calls) {
        return copied([&](auto* k, auto* o, auto*, auto*) { return decltype(calls)::type::SortKeys(k, o, n); });
      },
      sorted(false, 32, false));
    check_call(
      [&](auto calls) {
        return copied(
          [&](auto* k, auto* o, auto*, auto*) { return decltype(calls)::type::SortKeysDescending(k, o, n, 0, 9); });
      },
      sorted(true, 9, false));
    check_call(
      [&](auto calls) {
        return copied(
          [&](auto* k, auto* o, auto* v, auto* w) { return decltype(calls)::type::SortPairs(k, o, v, w, n, 0, 9); });
      },
      sorted(false, 9, true));
    check_call(
      [&](auto calls) {
        return copied([&](auto* k, auto* o, auto* v, auto* w) {
          return decltype(calls)::type::SortPairsDescending(k, o, v, w, n);
        });
      },
      sorted(true, 32, true));
    check_call(
      [&](auto calls) { return run([&](auto& k, auto& v) { return decltype(calls)::type::SortPairs(k, v, n); }); },
      sorted(false, 32, true));
    check_call(
      [&](auto calls) {
        return run([&](auto& k, auto& v) { return decltype(calls)::type::SortPairsDescending(k, v, n, 0, 9); });
      },
      sorted(true, 9, true));
    for (const bool is_descending : {false, true}) {
      check_call(
        [&](auto calls) {
          return run([&](auto& k, auto& v) {
            using type = typename decltype(calls)::type;
            const auto code = is_descending ? type::SortKeysDescending(k, n, 0, 9) : type::SortKeys(k, n, 0, 32);
            v.selector = 1;
            return code;
          });
        },
        sorted(is_descending, is_descending ? 9 : 32, false));
    }
  }
}

TEST_CASE("DeviceRadixSort: defaults, signed keys, in place")
{
  const int n = 20011;
  const std::vector<int> key = random_keys<int>(n, 9);
  const thrust::device_vector<int> keys(key.begin(), key.end());
  std::vector<int> ascending = key;
  std::sort(ascending.begin(), ascending.end());
  check<gimbal::DeviceRadixSort, stock_sort>(
    [&](auto calls) {
      thrust::device_vector<int> out(n, 77);
      two_phases([&](void* s, std::size_t& b) {
        return decltype(calls)::type::SortKeys(s, b, raw(keys), raw(out), static_cast<std::int64_t>(n));
      });
      return to_host(out);
    },
    ascending);
  thrust::device_vector<int> both = keys;
  two_phases([&](void* s, std::size_t& b) { return gimbal::DeviceRadixSort::SortKeys(s, b, raw(both), raw(both), n); });
  check_equal(to_host(both), ascending);
}

TEST_CASE("DeviceRadixSort: keys or values alone in place, computed values")
{
  std::vector<int> sizes{1000, 20011};
  if (GIMBAL_GPU) {  // in one launch from where on it asks for the order of the keys, and in passes
    sizes.insert(sizes.end(), {700001, 3000001});
  }
  for (const int n : sizes) {
    const int some = n / 3 + 1;
    for (const int step : {0, 1, -1, some}) {  // equal, in order, in reverse, in neither
      CAPTURE(n, step);
      std::vector<unsigned> key(n), value(n);
      for (int i = 0; i < n; ++i) {
        key[i] = step == some ? static_cast<unsigned>(static_cast<std::int64_t>(i) * some % n) : n + step * i;
      }
      std::iota(value.begin(), value.end(), 1u);
      const std::vector<unsigned> order = order_of(key, false, 0, 32);
      const std::vector<unsigned> sorted_keys = gather(key, order);
      const std::vector<unsigned> sorted_values = gather(value, order);
      const thrust::device_vector<unsigned> keys_in = key;
      const auto sort = [&](const unsigned* keys, unsigned* keys_out, auto values, unsigned* values_out) {
        two_phases([&](void* s, std::size_t& b) {
          return gimbal::DeviceRadixSort::SortPairs(s, b, keys, keys_out, values, values_out, n);
        });
      };
      thrust::device_vector<unsigned> keys = keys_in, values = value, keys_out(n, 77), values_out(n, 77);
      const unsigned* const read_only = raw(keys_in);
      sort(read_only, raw(keys_out), thrust::make_transform_iterator(raw(values), add_one{}), raw(values_out));
      check_equal(to_host(keys_out), sorted_keys);
      std::vector<unsigned> computed = sorted_values;
      for (unsigned& v : computed) {
        ++v;
      }
      check_equal(to_host(values_out), computed);
      thrust::fill(values_out.begin(), values_out.end(), 77u);
      sort(raw(keys), raw(keys), raw(values), raw(values_out));
      check_equal(to_host(keys), sorted_keys);
      check_equal(to_host(values_out), sorted_values);
      thrust::fill(keys_out.begin(), keys_out.end(), 77u);
      sort(read_only, raw(keys_out), raw(values), raw(values));
      check_equal(to_host(keys_out), sorted_keys);
      check_equal(to_host(values), sorted_values);
    }
  }
}

TEST_CASE("DeviceRadixSort: between two buffers, of the storage positions alone, and of any alignment")
{
  std::vector<int> sizes{1, 1000, 20011};
  if (GIMBAL_GPU) {  // in one launch, and in passes, with a sample of keys and without
    sizes.insert(sizes.end(), {700001, 3000001, 20000003});
  }
  for (const int n : sizes) {
    for (const int end_bit : {8, 24, 32}) {
      for (const int shift : {0, 1}) {
        CAPTURE(n, end_bit, shift);
        const std::vector<unsigned> key = random_keys<unsigned>(n, 11);
        const std::vector<unsigned> order = order_of(key, false, 0, end_bit);
        std::vector<five_words> value(n);
        for (unsigned i = 0; i < value.size(); ++i) {
          std::fill_n(value[i].word, 5, i);
        }
        thrust::device_vector<unsigned> front(n + shift, 77), back(n + shift, 77);
        thrust::device_vector<five_words> values_front(n + shift), values_back(n + shift);
        thrust::copy(key.begin(), key.end(), front.begin() + shift);
        thrust::copy(value.begin(), value.end(), values_front.begin() + shift);
        gimbal::DoubleBuffer<unsigned> both(raw(front) + shift, raw(back) + shift);
        gimbal::DoubleBuffer<five_words> values_both(raw(values_front) + shift, raw(values_back) + shift);
        std::size_t bytes = 0;
        two_phases([&](void* s, std::size_t& b) {
          const auto code = gimbal::DeviceRadixSort::SortPairs(s, b, both, values_both, n, 0, end_bit);
          bytes = b;
          return code;
        });
        // Words of a tile, tables, and the values' positions in two arrays.
        CHECK(bytes <= 70000 + static_cast<std::size_t>(n) / 2 + 8 * static_cast<std::size_t>(n));
        const auto sorted = [&](auto& buffers, auto& array, auto& other) {
          return std::vector(to_host(buffers.Current() == raw(array) + shift ? array : other));
        };
        std::vector<unsigned> keys_out = sorted(both, front, back);
        std::vector<five_words> values_out = sorted(values_both, values_front, values_back);
        keys_out.erase(keys_out.begin(), keys_out.begin() + shift);
        values_out.erase(values_out.begin(), values_out.begin() + shift);
        check_equal(keys_out, gather(key, order));
        CHECK(values_out == gather(value, order));
      }
    }
  }
}

TEST_CASE("DeviceRadixSort: a double buffer without work stays as it is")
{
  thrust::device_vector<unsigned> front = std::vector<unsigned>{3, 1, 2}, back(3, 77);
  gimbal::DoubleBuffer<unsigned> both(raw(front), raw(back));
  two_phases([&](void* s, std::size_t& b) { return gimbal::DeviceRadixSort::SortKeys(s, b, both, 0); });
  CHECK(both.selector == 0);
  two_phases([&](void* s, std::size_t& b) { return gimbal::DeviceRadixSort::SortKeys(s, b, both, 3, 4, 4); });
  CHECK(both.selector == 0);
  two_phases([&](void* s, std::size_t& b) { return gimbal::DeviceRadixSort::SortKeys(s, b, both, 3); });
  check_equal(to_host(both.Current() == raw(front) ? front : back), std::vector<unsigned>{1, 2, 3});
}

TEST_CASE("DeviceRadixSort: refused calls")
{
  const int n = 100003;
  thrust::device_vector<unsigned> keys(n, 1), out(n, 77);
  gimbal::DoubleBuffer<unsigned> both(raw(keys), raw(out));
  using gimbal::DeviceRadixSort;
  refuses_small_storage(
    [&](void* s, std::size_t& b) { return DeviceRadixSort::SortKeys(s, b, raw(keys), raw(out), n); });
  refuses_small_storage([&](void* s, std::size_t& b) { return DeviceRadixSort::SortPairs(s, b, both, both, n); });
  check_equal(to_host(out), std::vector<unsigned>(n, 77));
  CHECK(both.selector == 0);

  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(DeviceRadixSort::SortKeys(nullptr, bytes, raw(keys), raw(out), -1) == invalid);
  CHECK(DeviceRadixSort::SortKeysDescending(nullptr, bytes, both, std::int64_t{-1}) == invalid);
  CHECK(DeviceRadixSort::SortKeys(nullptr, bytes, raw(keys), raw(out), n, 8, 4) == invalid);
  CHECK(DeviceRadixSort::SortKeys(nullptr, bytes, raw(keys), raw(out), n, 0, 33) == invalid);
}
