// What the calls of gimbal::DeviceRadixSort have in common: what its kernels take, decomposers as projections, and one
// body for each kind of call, whatever its order and its phases.
#pragma once

#include <gimbal/cub/call.h>
#include <gimbal/cub/environment.h>
#include <gimbal/cub/types.h>
#include <thrust/iterator/zip_iterator.h>

#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <gimbal/algorithm/argsort/argsort.cuh>

#if GIMBAL_GPU
#include <cub/device/device_radix_sort.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

/// Keys whose order the kernels know. Others go to CUB, which uses its own traits.
template <class Key>
struct sorts_by : ::cuda::std::bool_constant<block::is_radix_key_v<Key>> {
};

/// Constrains what may be a decomposer: not a number, at which bits begin.
template <class Decomposer>
using if_decomposer = ::cuda::std::enable_if_t<!::cuda::std::is_convertible_v<Decomposer, int>, int>;

/// Values from an iterator that is no pointer to what is written, which CUB does not take.
template <class ValuesIn, class Value>
using if_other_values = ::cuda::std::enable_if_t<
  !(::cuda::std::is_same_v<ValuesIn, Value*> || ::cuda::std::is_same_v<ValuesIn, const Value*>), int>;

// ---- decomposers

/// What a decomposer returns: a tuple of references to the members that a key is sorted by, the most significant first.
template <class Result>
struct members {
  static constexpr bool are_keys = false;
  static constexpr std::size_t bytes = 0;
};
template <class... Ts>
struct members<::cuda::std::tuple<Ts&...>> {
  static constexpr bool are_keys = takes_v<sorts_by<Ts>...>;
  static constexpr std::size_t bytes = (sizeof(Ts) + ...);
};
template <class Decomposer, class Key>
using members_of = members<::cuda::std::decay_t<::cuda::std::invoke_result_t<Decomposer, Key&>>>;

/// Decomposers that are a projection, too, and items that the kernels hold, keys or keys and values.
template <class Decomposer, class Key, class Item>
struct decomposes
    : ::cuda::std::bool_constant<members_of<Decomposer, Key>::are_keys && simt::is_supported_value_v<Item>> {
};

/// The projection of a decomposer, of keys or of pairs of a key and a value: copies of the members.
template <class Order, class Key, class Decomposer>
struct project_members {
  Decomposer decomposer;

  _CCCL_EXEC_CHECK_DISABLE
  template <class Item>
  GIMBAL_HOST_DEVICE auto operator()(const Item& item) const
  {
    Key key = key_of(item);
    Decomposer own = decomposer;  // the user's call operator may be non-const
    return copied(own(key));
  }

private:
  template <class T>
  using ordered =
    ::cuda::std::conditional_t<::cuda::std::is_same_v<Order, algorithm::descending>, gimbal::descending<T>, T>;

  template <class Item>
  static GIMBAL_HOST_DEVICE const Key& key_of(const Item& item)
  {
    if constexpr (::cuda::std::is_same_v<Item, Key>) {
      return item;
    } else {
      return ::cuda::std::get<0>(item);
    }
  }
  template <class... Ts>
  static GIMBAL_HOST_DEVICE ::cuda::std::tuple<ordered<Ts>...> copied(const ::cuda::std::tuple<Ts&...>& references)
  {
    return copied(references, ::cuda::std::index_sequence_for<Ts...>{});
  }
  template <class... Ts, std::size_t... I>
  static GIMBAL_HOST_DEVICE ::cuda::std::tuple<ordered<Ts>...> copied(
    const ::cuda::std::tuple<Ts&...>& references, ::cuda::std::index_sequence<I...>)
  {
    return ::cuda::std::tuple<ordered<Ts>...>(ordered<Ts>{::cuda::std::get<I>(references)}...);
  }
};

// ---- CUB's methods, by the order. What is changed by the call goes to them by reference.

template <class T>
struct by_reference {
  T& value;
};
template <class T>
T& passed(T& value)
{
  return value;
}
template <class T>
T& passed(const by_reference<T>& reference)
{
  return reference.value;
}

template <class Order, class Seen>
struct stock_sort_keys {
  template <class... All>
  error_code operator()(All&&... all) const
  {
    using calls = stock_for<stock::DeviceRadixSort, Seen>;
    if constexpr (::cuda::std::is_same_v<Order, algorithm::ascending>) {
      return calls::SortKeys(device_wide::passed(all)...);
    } else {
      return calls::SortKeysDescending(device_wide::passed(all)...);
    }
  }
};
template <class Order, class Seen>
struct stock_sort_pairs {
  template <class... All>
  error_code operator()(All&&... all) const
  {
    using calls = stock_for<stock::DeviceRadixSort, Seen>;
    if constexpr (::cuda::std::is_same_v<Order, algorithm::ascending>) {
      return calls::SortPairs(device_wide::passed(all)...);
    } else {
      return calls::SortPairsDescending(device_wide::passed(all)...);
    }
  }
};

// ---- the bodies

class radix_sorts {
protected:
  template <class Order, class How, class Key, class NumItems>
  static error_code keys(
    const How& how, const Key* keys_in, Key* keys_out, NumItems num_items, int begin_bit, int end_bit)
  {
    const auto given = how.arguments(num_items).bits(begin_bit, end_bit, sizeof(Key)).items(keys_in).items(keys_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (takes_v<sorts_by<Key>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
        return algorithm::radix_sort(
                 storage, bytes, Order{}, keys_in, keys_out, algorithm::no_values{}, algorithm::no_values{},
                 given.count(), begin_bit, end_bit, stream)
          .code;
      });
    } else {
      return how.on_stock(stock_sort_keys<Order, Key>{}, keys_in, keys_out, num_items, begin_bit, end_bit);
    }
  }

  template <class Order, class How, class Key, class ValuesIn, class Value, class NumItems>
  static error_code pairs(
    const How& how, const Key* keys_in, Key* keys_out, ValuesIn values_in, Value* values_out, NumItems num_items,
    int begin_bit, int end_bit)
  {
    const auto given = how.arguments(num_items)
                         .bits(begin_bit, end_bit, sizeof(Key))
                         .items(keys_in)
                         .items(keys_out)
                         .items(values_in)
                         .items(values_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (takes_v<sorts_by<Key>, reads<ValuesIn>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
        return algorithm::radix_sort(
                 storage, bytes, Order{}, keys_in, keys_out, device_wide::described(values_in), values_out,
                 given.count(), begin_bit, end_bit, stream)
          .code;
      });
    } else {
      return how.on_stock(
        stock_sort_pairs<Order, Key>{}, keys_in, keys_out, values_in, values_out, num_items, begin_bit, end_bit);
    }
  }

  template <class Order, class How, class Key, class NumItems>
  static error_code keys_between(
    const How& how, DoubleBuffer<Key>& keys, NumItems num_items, int begin_bit, int end_bit)
  {
    const auto given =
      how.arguments(num_items).bits(begin_bit, end_bit, sizeof(Key)).items(keys.Current()).items(keys.Alternate());
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (takes_v<sorts_by<Key>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) -> error_code {
        if (given.count() == 0 || begin_bit == end_bit) {
          return leave_as_is(storage, bytes);
        }
        algorithm::sort_buffers<Key> keys_of{keys.Current(), keys.Alternate(), false};
        algorithm::sort_buffers<algorithm::no_values> values_of{false};
        const error_code code =
          algorithm::radix_sort_between(
            storage, bytes, Order{}, keys_of, values_of, given.count(), begin_bit, end_bit, stream)
            .code;
        if (storage != nullptr && code == simt::success) {
          keys.selector ^= static_cast<int>(keys_of.ends_in_other);
        }
        return code;
      });
    } else {
      return how.on_stock(
        stock_sort_keys<Order, Key>{}, by_reference<DoubleBuffer<Key>>{keys}, num_items, begin_bit, end_bit);
    }
  }

  template <class Order, class How, class Key, class Value, class NumItems>
  static error_code pairs_between(
    const How& how, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items, int begin_bit,
    int end_bit)
  {
    const auto given = how.arguments(num_items)
                         .bits(begin_bit, end_bit, sizeof(Key))
                         .items(keys.Current())
                         .items(keys.Alternate())
                         .items(values.Current())
                         .items(values.Alternate());
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (takes_v<sorts_by<Key>, holds<Value>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) -> error_code {
        if (given.count() == 0 || begin_bit == end_bit) {
          return leave_as_is(storage, bytes);
        }
        algorithm::sort_buffers<Key> keys_of{keys.Current(), keys.Alternate(), false};
        algorithm::sort_buffers<Value> values_of{values.Current(), values.Alternate(), false};
        const error_code code =
          algorithm::radix_sort_between(
            storage, bytes, Order{}, keys_of, values_of, given.count(), begin_bit, end_bit, stream)
            .code;
        if (storage != nullptr && code == simt::success) {
          keys.selector ^= static_cast<int>(keys_of.ends_in_other);
          values.selector ^= static_cast<int>(values_of.ends_in_other);
        }
        return code;
      });
    } else {
      return how.on_stock(
        stock_sort_pairs<Order, Key>{}, by_reference<DoubleBuffer<Key>>{keys},
        by_reference<DoubleBuffer<Value>>{values}, num_items, begin_bit, end_bit);
    }
  }

  // Sorts by a decomposer's members; `bits` are none, for all of them, or where they begin and end.

  template <class Order, class How, class Key, class NumItems, class Decomposer, class... Bits>
  static error_code decomposed_keys(
    const How& how, const Key* keys_in, Key* keys_out, NumItems num_items, const Decomposer& decomposer, Bits... bits)
  {
    const auto range = range_of<Decomposer, Key>(bits...);
    const auto given = checked<Decomposer, Key>(how.arguments(num_items), range).items(keys_in).items(keys_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (takes_v<decomposes<Decomposer, Key, Key>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
        return sort_members<Order, Key>(
          storage, bytes, some(keys_in, 1), some(keys_out, 2), given.count(), decomposer, range, stream);
      });
    } else {
      return how.on_stock(stock_sort_keys<Order, Key>{}, keys_in, keys_out, num_items, decomposer, bits...);
    }
  }

  template <class Order, class How, class Key, class Value, class NumItems, class Decomposer, class... Bits>
  static error_code decomposed_pairs(
    const How& how, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, NumItems num_items,
    const Decomposer& decomposer, Bits... bits)
  {
    const auto range = range_of<Decomposer, Key>(bits...);
    const auto given = checked<Decomposer, Key>(how.arguments(num_items), range)
                         .items(keys_in)
                         .items(keys_out)
                         .items(values_in)
                         .items(values_out);
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (takes_v<decomposes<Decomposer, Key, thrust::tuple<Key, Value>>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) {
        return sort_members<Order, Key>(
          storage, bytes, zipped(keys_in, values_in), zipped(keys_out, values_out), given.count(), decomposer, range,
          stream);
      });
    } else {
      return how.on_stock(
        stock_sort_pairs<Order, Key>{}, keys_in, keys_out, values_in, values_out, num_items, decomposer, bits...);
    }
  }

  template <class Order, class How, class Key, class NumItems, class Decomposer, class... Bits>
  static error_code decomposed_keys_between(
    const How& how, DoubleBuffer<Key>& keys, NumItems num_items, const Decomposer& decomposer, Bits... bits)
  {
    const auto range = range_of<Decomposer, Key>(bits...);
    const auto given =
      checked<Decomposer, Key>(how.arguments(num_items), range).items(keys.Current()).items(keys.Alternate());
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (takes_v<decomposes<Decomposer, Key, Key>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) -> error_code {
        if (given.count() == 0 || range.begin == range.end) {
          return leave_as_is(storage, bytes);
        }
        const Key* const in = some(keys.Current(), 1);
        const error_code code = sort_members<Order, Key>(
          storage, bytes, in, some(keys.Alternate(), 2), given.count(), decomposer, range, stream);
        keys.selector ^= static_cast<int>(storage != nullptr && code == simt::success);
        return code;
      });
    } else {
      return how.on_stock(
        stock_sort_keys<Order, Key>{}, by_reference<DoubleBuffer<Key>>{keys}, num_items, decomposer, bits...);
    }
  }

  template <class Order, class How, class Key, class Value, class NumItems, class Decomposer, class... Bits>
  static error_code decomposed_pairs_between(
    const How& how, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values, NumItems num_items,
    const Decomposer& decomposer, Bits... bits)
  {
    const auto range = range_of<Decomposer, Key>(bits...);
    const auto given = checked<Decomposer, Key>(how.arguments(num_items), range)
                         .items(keys.Current())
                         .items(keys.Alternate())
                         .items(values.Current())
                         .items(values.Alternate());
    if (!given.are_valid()) {
      return simt::error_invalid_value;
    }
    if constexpr (takes_v<decomposes<Decomposer, Key, thrust::tuple<Key, Value>>> && How::template takes_v<>) {
      return how.run([&](void* storage, std::size_t& bytes, stream_type stream) -> error_code {
        if (given.count() == 0 || range.begin == range.end) {
          return leave_as_is(storage, bytes);
        }
        const Key* const keys_in = keys.Current();
        const Value* const values_in = values.Current();
        const error_code code = sort_members<Order, Key>(
          storage, bytes, zipped(keys_in, values_in), zipped(keys.Alternate(), values.Alternate()), given.count(),
          decomposer, range, stream);
        const int is_sorted = static_cast<int>(storage != nullptr && code == simt::success);
        keys.selector ^= is_sorted;
        values.selector ^= is_sorted;
        return code;
      });
    } else {
      return how.on_stock(
        stock_sort_pairs<Order, Key>{}, by_reference<DoubleBuffer<Key>>{keys},
        by_reference<DoubleBuffer<Value>>{values}, num_items, decomposer, bits...);
    }
  }

private:
  template <class Order, class Key, class InputIt, class OutputIt, class Decomposer>
  static error_code sort_members(
    void* storage, std::size_t& bytes, InputIt in, OutputIt out, index_type n, const Decomposer& decomposer,
    algorithm::joined_bit_range range, stream_type stream)
  {
    const project_members<Order, Key, Decomposer> projection{decomposer};
    return algorithm::projected_radix_sort(storage, bytes, in, out, n, projection, range, stream).code;
  }

  template <class Decomposer, class Key, class... Bits>
  static algorithm::joined_bit_range range_of(Bits... bits)
  {
    if constexpr (sizeof...(Bits) == 0) {
      return {0, static_cast<int>(8 * members_of<Decomposer, Key>::bytes)};
    } else {
      return {bits...};
    }
  }

  /// What only CUB decomposes has members of other types: only it knows their bits.
  template <class Decomposer, class Key>
  static arguments checked(arguments given, algorithm::joined_bit_range range)
  {
    using all = members_of<Decomposer, Key>;
    constexpr std::size_t bytes = all::bytes == 0 ? std::size_t{1} << 20 : all::bytes;
    return given.bits(range.begin, range.end, bytes).stored_bytes(sizeof(Key));
  }

  /// A size query may come without pointers; none is dereferenced, but they show whether a sort is in place.
  template <class T>
  static T* some(T* pointer, std::uintptr_t number)
  {
    return pointer == nullptr ? reinterpret_cast<T*>(number << 20) : pointer;
  }

  template <class Key, class Value>
  static auto zipped(Key* keys, Value* values)
  {
    return thrust::make_zip_iterator(thrust::make_tuple(keys, values));
  }

  /// Nothing to sort: the current buffers hold the result already.
  static error_code leave_as_is(const void* storage, std::size_t& storage_bytes)
  {
    if (storage == nullptr) {
      storage_bytes = 1;
      return simt::success;
    }
    return storage_bytes == 0 ? simt::error_invalid_value : simt::success;
  }
};

}  // namespace device_wide

GIMBAL_NAMESPACE_END
