// The calls of gimbal::DeviceRadixSort that sort keys with values: radix_sort.h describes what they do.
#pragma once

#include <gimbal/cub/radix_sort_bodies.h>

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

struct radix_sorts_of_pairs : radix_sorts {
  /// Keys in ascending order, each followed by its value.
  template <class Key, class Value, class NumItems>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
    Value* values_out, NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return pairs<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, values_in, values_out, num_items,
      begin_bit, end_bit);
  }
  /// The same in one phase.
  template <class Key, class Value, class NumItems, class Env = stream_type, if_environment<Env> = 0>
  static error_code SortPairs(
    const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, const Env& env = {})
  {
    return pairs<algorithm::ascending>(
      device_wide::in_one_phase(env), keys_in, keys_out, values_in, values_out, num_items, begin_bit, end_bit);
  }

  /// The same for values from any iterator.
  template <class Key, class ValuesIn, class Value, class NumItems, if_other_values<ValuesIn, Value> = 0>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, ValuesIn values_in, Value* values_out,
    NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return pairs<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, values_in, values_out, num_items,
      begin_bit, end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class ValuesIn, class Value, class NumItems, class Env = stream_type,
    if_other_values<ValuesIn, Value> = 0, if_environment<Env> = 0>
  static error_code SortPairs(
    const Key* keys_in, Key* keys_out, ValuesIn values_in, Value* values_out, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, const Env& env = {})
  {
    return pairs<algorithm::ascending>(
      device_wide::in_one_phase(env), keys_in, keys_out, values_in, values_out, num_items, begin_bit, end_bit);
  }

  /// Sorts by the given bits of the members that a decomposer names.
  template <class Key, class Value, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
    Value* values_out, NumItems num_items, Decomposer decomposer, int begin_bit, int end_bit, any_stream stream = {})
  {
    return decomposed_pairs<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, values_in, values_out, num_items,
      decomposer, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class Value, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortPairs(
    const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, NumItems num_items,
    Decomposer decomposer, int begin_bit, int end_bit, const Env& env = {})
  {
    return decomposed_pairs<algorithm::ascending>(
      device_wide::in_one_phase(env), keys_in, keys_out, values_in, values_out, num_items, decomposer, begin_bit,
      end_bit);
  }

  /// Sorts by all bits of them.
  template <class Key, class Value, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
    Value* values_out, NumItems num_items, Decomposer decomposer, any_stream stream = {})
  {
    return decomposed_pairs<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, values_in, values_out, num_items,
      decomposer);
  }
  /// The same in one phase.
  template <
    class Key, class Value, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortPairs(
    const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, NumItems num_items,
    Decomposer decomposer, const Env& env = {})
  {
    return decomposed_pairs<algorithm::ascending>(
      device_wide::in_one_phase(env), keys_in, keys_out, values_in, values_out, num_items, decomposer);
  }

  /// SortPairs between two pairs of buffers.
  template <class Key, class Value, class NumItems>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items,
    int begin_bit = 0, int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return pairs_between<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, values, num_items, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <class Key, class Value, class NumItems, class Env = stream_type, if_environment<Env> = 0>
  static error_code SortPairs(
    DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, const Env& env = {})
  {
    return pairs_between<algorithm::ascending>(
      device_wide::in_one_phase(env), keys, values, num_items, begin_bit, end_bit);
  }

  /// Sorts by the members that a decomposer names.
  template <class Key, class Value, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items,
    Decomposer decomposer, any_stream stream = {})
  {
    return decomposed_pairs_between<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, values, num_items, decomposer);
  }
  /// The same in one phase.
  template <
    class Key, class Value, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortPairs(
    DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items, Decomposer decomposer,
    const Env& env = {})
  {
    return decomposed_pairs_between<algorithm::ascending>(
      device_wide::in_one_phase(env), keys, values, num_items, decomposer);
  }

  /// Sorts by the given bits of them.
  template <class Key, class Value, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortPairs(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items,
    Decomposer decomposer, int begin_bit, int end_bit, any_stream stream = {})
  {
    return decomposed_pairs_between<algorithm::ascending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, values, num_items, decomposer, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class Value, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortPairs(
    DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items, Decomposer decomposer, int begin_bit,
    int end_bit, const Env& env = {})
  {
    return decomposed_pairs_between<algorithm::ascending>(
      device_wide::in_one_phase(env), keys, values, num_items, decomposer, begin_bit, end_bit);
  }

  /// Keys in descending order, each followed by its value.
  template <class Key, class Value, class NumItems>
  static error_code SortPairsDescending(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
    Value* values_out, NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return pairs<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, values_in, values_out, num_items,
      begin_bit, end_bit);
  }
  /// The same in one phase.
  template <class Key, class Value, class NumItems, class Env = stream_type, if_environment<Env> = 0>
  static error_code SortPairsDescending(
    const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, const Env& env = {})
  {
    return pairs<algorithm::descending>(
      device_wide::in_one_phase(env), keys_in, keys_out, values_in, values_out, num_items, begin_bit, end_bit);
  }

  /// The same for values from any iterator.
  template <class Key, class ValuesIn, class Value, class NumItems, if_other_values<ValuesIn, Value> = 0>
  static error_code SortPairsDescending(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, ValuesIn values_in, Value* values_out,
    NumItems num_items, int begin_bit = 0, int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return pairs<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, values_in, values_out, num_items,
      begin_bit, end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class ValuesIn, class Value, class NumItems, class Env = stream_type,
    if_other_values<ValuesIn, Value> = 0, if_environment<Env> = 0>
  static error_code SortPairsDescending(
    const Key* keys_in, Key* keys_out, ValuesIn values_in, Value* values_out, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, const Env& env = {})
  {
    return pairs<algorithm::descending>(
      device_wide::in_one_phase(env), keys_in, keys_out, values_in, values_out, num_items, begin_bit, end_bit);
  }

  /// Sorts by the given bits of the members that a decomposer names.
  template <class Key, class Value, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortPairsDescending(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
    Value* values_out, NumItems num_items, Decomposer decomposer, int begin_bit, int end_bit, any_stream stream = {})
  {
    return decomposed_pairs<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, values_in, values_out, num_items,
      decomposer, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class Value, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortPairsDescending(
    const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, NumItems num_items,
    Decomposer decomposer, int begin_bit, int end_bit, const Env& env = {})
  {
    return decomposed_pairs<algorithm::descending>(
      device_wide::in_one_phase(env), keys_in, keys_out, values_in, values_out, num_items, decomposer, begin_bit,
      end_bit);
  }

  /// Sorts by all bits of them.
  template <class Key, class Value, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortPairsDescending(
    void* storage, std::size_t& storage_bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
    Value* values_out, NumItems num_items, Decomposer decomposer, any_stream stream = {})
  {
    return decomposed_pairs<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys_in, keys_out, values_in, values_out, num_items,
      decomposer);
  }
  /// The same in one phase.
  template <
    class Key, class Value, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortPairsDescending(
    const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, NumItems num_items,
    Decomposer decomposer, const Env& env = {})
  {
    return decomposed_pairs<algorithm::descending>(
      device_wide::in_one_phase(env), keys_in, keys_out, values_in, values_out, num_items, decomposer);
  }

  /// SortPairsDescending between two pairs of buffers.
  template <class Key, class Value, class NumItems>
  static error_code SortPairsDescending(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items,
    int begin_bit = 0, int end_bit = sizeof(Key) * 8, any_stream stream = {})
  {
    return pairs_between<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, values, num_items, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <class Key, class Value, class NumItems, class Env = stream_type, if_environment<Env> = 0>
  static error_code SortPairsDescending(
    DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items, int begin_bit = 0,
    int end_bit = sizeof(Key) * 8, const Env& env = {})
  {
    return pairs_between<algorithm::descending>(
      device_wide::in_one_phase(env), keys, values, num_items, begin_bit, end_bit);
  }

  /// Sorts by the members that a decomposer names.
  template <class Key, class Value, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortPairsDescending(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items,
    Decomposer decomposer, any_stream stream = {})
  {
    return decomposed_pairs_between<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, values, num_items, decomposer);
  }
  /// The same in one phase.
  template <
    class Key, class Value, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortPairsDescending(
    DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items, Decomposer decomposer,
    const Env& env = {})
  {
    return decomposed_pairs_between<algorithm::descending>(
      device_wide::in_one_phase(env), keys, values, num_items, decomposer);
  }

  /// Sorts by the given bits of them.
  template <class Key, class Value, class NumItems, class Decomposer, if_decomposer<Decomposer> = 0>
  static error_code SortPairsDescending(
    void* storage, std::size_t& storage_bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items,
    Decomposer decomposer, int begin_bit, int end_bit, any_stream stream = {})
  {
    return decomposed_pairs_between<algorithm::descending>(
      device_wide::two_phases(storage, storage_bytes, stream), keys, values, num_items, decomposer, begin_bit, end_bit);
  }
  /// The same in one phase.
  template <
    class Key, class Value, class NumItems, class Decomposer, class Env = stream_type, if_decomposer<Decomposer> = 0,
    if_environment<Env> = 0>
  static error_code SortPairsDescending(
    DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items, Decomposer decomposer, int begin_bit,
    int end_bit, const Env& env = {})
  {
    return decomposed_pairs_between<algorithm::descending>(
      device_wide::in_one_phase(env), keys, values, num_items, decomposer, begin_bit, end_bit);
  }
};

}  // namespace device_wide

GIMBAL_NAMESPACE_END
