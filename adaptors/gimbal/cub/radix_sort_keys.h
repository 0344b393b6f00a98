// The calls of gimbal::DeviceRadixSort that sort keys alone: radix_sort.h describes what they do.
#pragma once

#include <gimbal/cub/radix_sort_bodies.h>

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

struct radix_sorts_of_keys : radix_sorts {
  /// keys_out = the keys in ascending order.
  template <class Key, class NumItems>
  static error_code SortKeys(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return keys<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, num_items, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <class Key, class NumItems, class Env = stream_type, if_environment<Env> = 0>
  static error_code SortKeys(
    const Key* keys_in, Key* keys_out, NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
    const Env& env = {})
  {
    return keys<algorithm::ascending>(device_wide::in_one_phase(env), keys_in, keys_out, num_items, begin_bit, end_bit);
  }

  /// Sorts by the given bits of the members that a decomposer names.
  template <class Key, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortKeys(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, NumItems num_items,
    Decomposer decomposer, int begin_bit, int end_bit, any_stream stream = {})
  {
    return decomposed_keys<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, num_items, decomposer, begin_bit,
      end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortKeys(
    const Key* keys_in, Key* keys_out, NumItems num_items, Decomposer decomposer, int begin_bit, int end_bit,
    const Env& env = {})
  {
    return decomposed_keys<algorithm::ascending>(
      device_wide::in_one_phase(env), keys_in, keys_out, num_items, decomposer, begin_bit, end_bit);
  }

  /// Sorts by all bits of them.
  template <class Key, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortKeys(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, NumItems num_items,
    Decomposer decomposer, any_stream stream = {})
  {
    return decomposed_keys<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, num_items, decomposer);
  }
  /// The same in one phase.
  template <
    class Key, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortKeys(
    const Key* keys_in, Key* keys_out, NumItems num_items, Decomposer decomposer, const Env& env = {})
  {
    return decomposed_keys<algorithm::ascending>(
      device_wide::in_one_phase(env), keys_in, keys_out, num_items, decomposer);
  }

  /// SortKeys between two buffers.
  template <class Key, class NumItems>
  static error_code SortKeys(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return keys_between<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, num_items, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <class Key, class NumItems, class Env = stream_type, if_environment<Env> = 0>
  static error_code SortKeys(
    DoubleBuffer<Key>& keys, NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8, const Env& env = {})
  {
    return keys_between<algorithm::ascending>(device_wide::in_one_phase(env), keys, num_items, begin_bit, end_bit);
  }

  /// Sorts by the members that a decomposer names.
  template <class Key, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortKeys(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, NumItems num_items, Decomposer decomposer,
    any_stream stream = {})
  {
    return decomposed_keys_between<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, num_items, decomposer);
  }
  /// The same in one phase.
  template <
    class Key, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortKeys(DoubleBuffer<Key>& keys, NumItems num_items, Decomposer decomposer, const Env& env = {})
  {
    return decomposed_keys_between<algorithm::ascending>(device_wide::in_one_phase(env), keys, num_items, decomposer);
  }

  /// Sorts by the given bits of them.
  template <class Key, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortKeys(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, NumItems num_items, Decomposer decomposer,
    int begin_bit, int end_bit, any_stream stream = {})
  {
    return decomposed_keys_between<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, num_items, decomposer, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortKeys(
    DoubleBuffer<Key>& keys, NumItems num_items, Decomposer decomposer, int begin_bit, int end_bit, const Env& env = {})
  {
    return decomposed_keys_between<algorithm::ascending>(
      device_wide::in_one_phase(env), keys, num_items, decomposer, begin_bit, end_bit);
  }

  /// keys_out = the keys in descending order.
  template <class Key, class NumItems>
  static error_code SortKeysDescending(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return keys<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, num_items, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <class Key, class NumItems, class Env = stream_type, if_environment<Env> = 0>
  static error_code SortKeysDescending(
    const Key* keys_in, Key* keys_out, NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8,
    const Env& env = {})
  {
    return keys<algorithm::descending>(
      device_wide::in_one_phase(env), keys_in, keys_out, num_items, begin_bit, end_bit);
  }

  /// Sorts by the given bits of the members that a decomposer names.
  template <class Key, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortKeysDescending(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, NumItems num_items,
    Decomposer decomposer, int begin_bit, int end_bit, any_stream stream = {})
  {
    return decomposed_keys<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, num_items, decomposer, begin_bit,
      end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortKeysDescending(
    const Key* keys_in, Key* keys_out, NumItems num_items, Decomposer decomposer, int begin_bit, int end_bit,
    const Env& env = {})
  {
    return decomposed_keys<algorithm::descending>(
      device_wide::in_one_phase(env), keys_in, keys_out, num_items, decomposer, begin_bit, end_bit);
  }

  /// Sorts by all bits of them.
  template <class Key, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortKeysDescending(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, NumItems num_items,
    Decomposer decomposer, any_stream stream = {})
  {
    return decomposed_keys<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, num_items, decomposer);
  }
  /// The same in one phase.
  template <
    class Key, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortKeysDescending(
    const Key* keys_in, Key* keys_out, NumItems num_items, Decomposer decomposer, const Env& env = {})
  {
    return decomposed_keys<algorithm::descending>(
      device_wide::in_one_phase(env), keys_in, keys_out, num_items, decomposer);
  }

  /// SortKeysDescending between two buffers.
  template <class Key, class NumItems>
  static error_code SortKeysDescending(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return keys_between<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, num_items, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <class Key, class NumItems, class Env = stream_type, if_environment<Env> = 0>
  static error_code SortKeysDescending(
    DoubleBuffer<Key>& keys, NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8, const Env& env = {})
  {
    return keys_between<algorithm::descending>(device_wide::in_one_phase(env), keys, num_items, begin_bit, end_bit);
  }

  /// Sorts by the members that a decomposer names.
  template <class Key, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortKeysDescending(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, NumItems num_items, Decomposer decomposer,
    any_stream stream = {})
  {
    return decomposed_keys_between<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, num_items, decomposer);
  }
  /// The same in one phase.
  template <
    class Key, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortKeysDescending(
    DoubleBuffer<Key>& keys, NumItems num_items, Decomposer decomposer, const Env& env = {})
  {
    return decomposed_keys_between<algorithm::descending>(device_wide::in_one_phase(env), keys, num_items, decomposer);
  }

  /// Sorts by the given bits of them.
  template <class Key, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortKeysDescending(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, NumItems num_items, Decomposer decomposer,
    int begin_bit, int end_bit, any_stream stream = {})
  {
    return decomposed_keys_between<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, num_items, decomposer, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortKeysDescending(
    DoubleBuffer<Key>& keys, NumItems num_items, Decomposer decomposer, int begin_bit, int end_bit, const Env& env = {})
  {
    return decomposed_keys_between<algorithm::descending>(
      device_wide::in_one_phase(env), keys, num_items, decomposer, begin_bit, end_bit);
  }
};

}  // namespace device_wide

GIMBAL_NAMESPACE_END
