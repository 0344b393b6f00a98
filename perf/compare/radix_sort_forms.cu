// Radix sorts as CUB's calls have them and Thrust's have not: between the two buffers of a DoubleBuffer, and by a range of bits.
#include <memory>
#include <string>

#include "radix_sort.h"

namespace perf {

namespace {

/// The two buffers of each side, the first with the input. Where a side's result lies is its own affair.
template <class T>
struct twin_buffers {
  twin<T> first, second;
  std::shared_ptr<int[]> selected{new int[2]{}};  ///< by stock, by gimbal

  twin_buffers(comparison& c, const T* in)
      : first{c.array<T>(c.n()), c.array<T>(c.n())}, second{c.array<T>(c.n()), c.array<T>(c.n())}
  {
    const auto n = static_cast<std::size_t>(c.n());
    const twin<T> result{c.array<T>(n), c.array<T>(n)};
    const auto none = [] { return std::size_t{0}; };
    c.in_place(first, in, n, none);
    c.in_place(second, in, n, none);  // nothing sorted is left there by the call before
    c.in_place(result, in, n, [own = *this, result, n] {
      copy(result.stock, own.selected[0] == 0 ? own.first.stock : own.second.stock, n * sizeof(T));
      copy(result.gimbal, own.selected[1] == 0 ? own.first.gimbal : own.second.gimbal, n * sizeof(T));
      return n;
    });
  }
};

template <class Key>
void compare_between(comparison& c)
{
  const int n = c.n();
  const Key* const in = make_keys<Key>(c);
  c.moves([=] { return 2 * sizeof(Key) * n; });
  const twin_buffers<Key> keys(c, in);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      cub::DoubleBuffer<Key> both(keys.first.stock, keys.second.stock);
      const cudaError_t error = cub::DeviceRadixSort::SortKeys(storage, bytes, both, n);
      keys.selected[0] = both.selector;
      return error;
    },
    [=](void* storage, std::size_t& bytes) {
      cub::DoubleBuffer<Key> both(keys.first.gimbal, keys.second.gimbal);
      const cudaError_t error = gimbal::DeviceRadixSort::SortKeys(storage, bytes, both, n);
      keys.selected[1] = both.selector;
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
  const twin_buffers<Key> keys(c, in);
  const twin_buffers<Value> values(c, values_in);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      cub::DoubleBuffer<Key> both(keys.first.stock, keys.second.stock);
      cub::DoubleBuffer<Value> both_values(values.first.stock, values.second.stock);
      const cudaError_t error = cub::DeviceRadixSort::SortPairs(storage, bytes, both, both_values, n);
      keys.selected[0] = both.selector;
      values.selected[0] = both_values.selector;
      return error;
    },
    [=](void* storage, std::size_t& bytes) {
      cub::DoubleBuffer<Key> both(keys.first.gimbal, keys.second.gimbal);
      cub::DoubleBuffer<Value> both_values(values.first.gimbal, values.second.gimbal);
      const cudaError_t error = gimbal::DeviceRadixSort::SortPairs(storage, bytes, both, both_values, n);
      keys.selected[1] = both.selector;
      values.selected[1] = both_values.selector;
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
