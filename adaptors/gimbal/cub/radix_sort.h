// gimbal::DeviceRadixSort: the calls of cub::DeviceRadixSort on gimbal's kernels.
#pragma once

#include <gimbal/cub/call.h>

#include <gimbal/kernel/radix_sort.cuh>

#if GIMBAL_GPU
#include <cub/util_type.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

#if GIMBAL_GPU
/// Two buffers of equal size, one of which holds the data; the same type as CUB's.
template <class T>
using DoubleBuffer = cub::DoubleBuffer<T>;
#else
/// The same, with CUB's member names: CUB's own header needs a CUDA toolkit, which the host executor does not.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {};
  int selector = 0;

  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};
#endif

/// Sorts of arithmetic keys, alone or with values, by the bits [begin_bit, end_bit) of the key, in two phases: a call
/// with `storage` null stores in `storage_bytes` what the second call needs and does nothing else.
///
/// Stable. Keys: bool, characters, integers up to 128 bits, float, double, __half, __nv_bfloat16. Bits are counted from
/// the least significant one of the key's unsigned image, in which floating-point keys are ordered by value: -0.0
/// equals +0.0, and NaNs stand beyond the infinity of their sign. Values: any type copied bytewise. The pointer forms
/// leave the input as it was, unless it is the output, which is allowed. The DoubleBuffer forms sort from Current()
/// into Alternate(), may overwrite both, and leave `selector` at the sorted one; keys and values flip together. Counts
/// go to 2^63 - 1; zero items do nothing. With begin_bit == end_bit the pointer forms copy and the DoubleBuffer forms
/// do nothing. Least significant digit first; every pass reads and writes each item once, on `stream`; no wait. Storage
/// is a copy of keys and values and some words per tile of items. The result does not depend on timing. Returns
/// error_invalid_value for a negative count or too little storage, otherwise the first failed launch's own error.
/// Nothing falls back to CUB: value types the kernels cannot take do not compile; decomposers are not offered. Host
/// code only.
struct DeviceRadixSort {
  /// keys_out = the keys in ascending order.
  template <class Key, class NumItems>
  static error_code SortKeys(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, stream_type stream = {})
  {
    return sort(
      storage, storage_bytes, kernel::ascending{}, keys_in, keys_out, kernel::no_values{}, kernel::no_values{},
      num_items, begin_bit, end_bit, stream);
  }

  /// keys_out = the keys in descending order.
  template <class Key, class NumItems>
  static error_code SortKeysDescending(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, stream_type stream = {})
  {
    return sort(
      storage, storage_bytes, kernel::descending{}, keys_in, keys_out, kernel::no_values{}, kernel::no_values{},
      num_items, begin_bit, end_bit, stream);
  }

  /// Keys in ascending order, each followed by its value.
  template <class Key, class Value, class NumItems>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
    Value* values_out, NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8, stream_type stream = {})
  {
    return sort(
      storage, storage_bytes, kernel::ascending{}, keys_in, keys_out, values_in, values_out, num_items, begin_bit,
      end_bit, stream);
  }

  /// Keys in descending order, each followed by its value.
  template <class Key, class Value, class NumItems>
  static error_code SortPairsDescending(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
    Value* values_out, NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8, stream_type stream = {})
  {
    return sort(
      storage, storage_bytes, kernel::descending{}, keys_in, keys_out, values_in, values_out, num_items, begin_bit,
      end_bit, stream);
  }

  /// SortKeys between two buffers.
  template <class Key, class NumItems>
  static error_code SortKeys(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, stream_type stream = {})
  {
    return sort_keys(storage, storage_bytes, kernel::ascending{}, keys, num_items, begin_bit, end_bit, stream);
  }

  /// SortKeysDescending between two buffers.
  template <class Key, class NumItems>
  static error_code SortKeysDescending(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, stream_type stream = {})
  {
    return sort_keys(storage, storage_bytes, kernel::descending{}, keys, num_items, begin_bit, end_bit, stream);
  }

  /// SortPairs between two pairs of buffers.
  template <class Key, class Value, class NumItems>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items,
    int begin_bit = 0, int end_bit = sizeof(Key) * 8, stream_type stream = {})
  {
    return sort_pairs(storage, storage_bytes, kernel::ascending{}, keys, values, num_items, begin_bit, end_bit, stream);
  }

  /// SortPairsDescending between two pairs of buffers.
  template <class Key, class Value, class NumItems>
  static error_code SortPairsDescending(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items,
    int begin_bit = 0, int end_bit = sizeof(Key) * 8, stream_type stream = {})
  {
    return sort_pairs(
      storage, storage_bytes, kernel::descending{}, keys, values, num_items, begin_bit, end_bit, stream);
  }

private:
  template <class Order, class Key, class ValuesIn, class ValuesOut, class NumItems>
  static error_code sort(
    void* storage, std::size_t& storage_bytes, Order order, const Key* keys_in, Key* keys_out, ValuesIn values_in,
    ValuesOut values_out, NumItems num_items, int begin_bit, int end_bit, stream_type stream)
  {
    if constexpr (!::cuda::std::is_same<ValuesIn, kernel::no_values>::value) {
      device_wide::require_supported_value<device_wide::value_of<ValuesIn>>();
    }
    if (!device_wide::is_valid_count(num_items)) {
      return simt::error_invalid_value;
    }
    return kernel::radix_sort(
             storage, storage_bytes, order, keys_in, keys_out, values_in, values_out,
             static_cast<index_type>(num_items), begin_bit, end_bit, stream)
      .code;
  }

  template <class Order, class Key, class NumItems>
  static error_code sort_keys(
    void* storage, std::size_t& storage_bytes, Order order, DoubleBuffer<Key>& keys, NumItems num_items, int begin_bit,
    int end_bit, stream_type stream)
  {
    if (num_items == 0 || begin_bit == end_bit) {
      return leave_as_is(storage, storage_bytes);
    }
    const Key* const keys_in = keys.Current();
    const error_code code = sort(
      storage, storage_bytes, order, keys_in, keys.Alternate(), kernel::no_values{}, kernel::no_values{}, num_items,
      begin_bit, end_bit, stream);
    if (storage != nullptr && code == simt::success) {
      keys.selector ^= 1;
    }
    return code;
  }

  template <class Order, class Key, class Value, class NumItems>
  static error_code sort_pairs(
    void* storage, std::size_t& storage_bytes, Order order, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
    NumItems num_items, int begin_bit, int end_bit, stream_type stream)
  {
    if (num_items == 0 || begin_bit == end_bit) {
      return leave_as_is(storage, storage_bytes);
    }
    const Key* const keys_in = keys.Current();
    const Value* const values_in = values.Current();
    const error_code code = sort(
      storage, storage_bytes, order, keys_in, keys.Alternate(), values_in, values.Alternate(), num_items, begin_bit,
      end_bit, stream);
    if (storage != nullptr && code == simt::success) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return code;
  }

  /// Nothing to sort: the current buffers hold the result already.
  static error_code leave_as_is(void* storage, std::size_t& storage_bytes)
  {
    if (storage == nullptr) {
      storage_bytes = 1;
    }
    return simt::success;
  }
};

GIMBAL_NAMESPACE_END
