// Radix sorts as CUB's calls have them and Thrust's have not: between the two buffers of a DoubleBuffer, and by a range of bits.
#include <string>

#include "radix_sort.h"

namespace perf {

namespace {

/// Two arrays, the first with the input, of which each side says where its result is.
template <class T>
struct twin_buffers {
  twin<T> first, second;
  twin<int> selected;

  twin_buffers(comparison& c, const T* in, twin<int> where)
      : first{c.array<T>(c.n()), c.array<T>(c.n())}, second{c.array<T>(c.n()), c.array<T>(c.n())}, selected(where)
  {
    const auto n = static_cast<std::size_t>(c.n());
    c.in_place(first, in, n, [=] { return *where.stock == 0 ? n : 0; });
    c.in_place(second, in, n, [=] { return *where.stock == 0 ? 0 : n; });
  }
};

template <class Key>
void compare_between(comparison& c)
{
  const int n = c.n();
  const Key* const in = make_keys<Key>(c);
  c.moves([=] { return 2 * sizeof(Key) * n; });
  const twin_buffers<Key> keys(c, in, c.returned<int>());
  c.device(
    [=](void* storage, std::size_t& bytes) {
      cub::DoubleBuffer<Key> both(keys.first.stock, keys.second.stock);
      const cudaError_t error = cub::DeviceRadixSort::SortKeys(storage, bytes, both, n);
      *keys.selected.stock = both.selector;
      return error;
    },
    [=](void* storage, std::size_t& bytes) {
      cub::DoubleBuffer<Key> both(keys.first.gimbal, keys.second.gimbal);
      const cudaError_t error = gimbal::DeviceRadixSort::SortKeys(storage, bytes, both, n);
      *keys.selected.gimbal = both.selector;
      return error;
    });
}

template <class Key, class Value>
void compare_pairs_between(comparison& c)
{
  const int n = c.n();
  const Key* const in = make_keys<Key>(c);
  const Value* const values_in = make_items<Value>(c);
  c.moves([=] { return 2 * (sizeof(Key) + sizeof(Value)) * n; });
  const twin_buffers<Key> keys(c, in, c.returned<int>());
  const twin_buffers<Value> values(c, values_in, c.returned<int>());
  c.device(
    [=](void* storage, std::size_t& bytes) {
      cub::DoubleBuffer<Key> both(keys.first.stock, keys.second.stock);
      cub::DoubleBuffer<Value> both_values(values.first.stock, values.second.stock);
      const cudaError_t error = cub::DeviceRadixSort::SortPairs(storage, bytes, both, both_values, n);
      *keys.selected.stock = both.selector;
      *values.selected.stock = both_values.selector;
      return error;
    },
    [=](void* storage, std::size_t& bytes) {
      cub::DoubleBuffer<Key> both(keys.first.gimbal, keys.second.gimbal);
      cub::DoubleBuffer<Value> both_values(values.first.gimbal, values.second.gimbal);
      const cudaError_t error = gimbal::DeviceRadixSort::SortPairs(storage, bytes, both, both_values, n);
      *keys.selected.gimbal = both.selector;
      *values.selected.gimbal = both_values.selector;
      return error;
    });
}

/// By so many of the low bits as the distribution says.
int low_bits(const comparison& c) { return std::stoi(c.distribution().substr(std::string("bits_").size())); }

template <class Key>
void compare_low_bits(comparison& c)
{
  const int n = c.n();
  const int bits = low_bits(c);
  const Key* const in = make_items<Key>(c);
  c.moves([=] { return 2 * sizeof(Key) * n; });
  const twin<Key> out = c.output<Key>(n);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out.stock, n, 0, bits);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceRadixSort::SortKeys(storage, bytes, in, out.gimbal, n, 0, bits);
    });
}

template <class Key, class Value>
void compare_pairs_by_low_bits(comparison& c)
{
  const int n = c.n();
  const int bits = low_bits(c);
  const Key* const in = make_items<Key>(c);
  const Value* const values = make_items<Value>(c);
  c.moves([=] { return 2 * (sizeof(Key) + sizeof(Value)) * n; });
  const twin<Key> out = c.output<Key>(n);
  const twin<Value> values_out = c.output<Value>(n);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(storage, bytes, in, out.stock, values, values_out.stock, n, 0, bits);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceRadixSort::SortPairs(storage, bytes, in, out.gimbal, values, values_out.gimbal, n, 0, bits);
    });
}

const implementation here[] = {
  {"radix_sort_between", "u32", compare_between<std::uint32_t>},
  {"radix_sort_between", "u64", compare_between<std::uint64_t>},
  {"radix_sort_between", "u32+u32", compare_pairs_between<std::uint32_t, std::uint32_t>},
  {"radix_sort_low_bits", "u32", compare_low_bits<std::uint32_t>},
  {"radix_sort_low_bits", "u32+u32", compare_pairs_by_low_bits<std::uint32_t, std::uint32_t>},
};

}  // namespace

}  // namespace perf
