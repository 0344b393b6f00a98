// Radix sort of any items by the keys that a projection takes from them, of several keys the last one first.
//
// Algorithm: for each key, one stable radix sort of (key, item) pairs (radix_sort.cuh), the first from the input to the output, the
// others in place there, whose first pass reads the keys through the projection: they are computed from the items, never stored
// beforehand. Because each sort is stable, sorting by the last key first leaves the items in the lexicographic order of all keys.
// Traffic, launches: those of a radix sort of pairs per key; of a key, 2p times its bytes and once more the item's.
// Storage: the largest of these sorts', and n of its keys. Order, progress, determinism: see radix_sort.cuh.
#pragma once

#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/tuple>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>
#include <tuple>
#include <utility>

GIMBAL_NAMESPACE_BEGIN

/// A key that is sorted by in descending order.
template <class Key>
struct descending {
  Key key;
};
template <class Key>
descending(Key) -> descending<Key>;

namespace algorithm {

/// The bits of the keys that a projected sort sorts by.
struct all_bits {};
struct bit_range {
  int begin;
  int end;
};
/// The bits of all keys one above the other, those of the last key lowest.
struct joined_bit_range {
  int begin;
  int end;
};

namespace detail {

// Of a key of so many bits, those of the keys behind it being `lower`.
inline bit_range bits_of_key(all_bits, int bits, int) { return {0, bits}; }
inline bit_range bits_of_key(bit_range range, int, int) { return range; }
inline bit_range bits_of_key(joined_bit_range range, int bits, int lower)
{
  const auto within = [=](int bit) { return bit < lower ? 0 : bit < lower + bits ? bit - lower : bits; };
  return {within(range.begin), within(range.end)};
}

/// How one key of a projection is sorted by.
template <class Key>
struct projected_key {
  using type = Key;
  using order = ascending;
  static GIMBAL_HOST_DEVICE Key of(const Key& key) { return key; }
};
template <class Key>
struct projected_key<gimbal::descending<Key>> {
  using type = Key;
  using order = algorithm::descending;
  static GIMBAL_HOST_DEVICE Key of(const gimbal::descending<Key>& wrapped) { return wrapped.key; }
};

/// The keys of what a projection returns: a single one, or the elements of a tuple or pair.
template <class Result>
struct projected_keys {
  static constexpr std::size_t count = 1;
  template <std::size_t>
  using key = projected_key<Result>;
  template <std::size_t>
  static GIMBAL_HOST_DEVICE auto get(const Result& result)
  {
    return projected_key<Result>::of(result);
  }
};
template <class Tuple>
struct projected_keys_of_tuple {
  static constexpr std::size_t count = ::cuda::std::tuple_size<Tuple>::value;
  template <std::size_t At>
  using key = projected_key<::cuda::std::decay_t<typename ::cuda::std::tuple_element<At, Tuple>::type>>;
  template <std::size_t At>
  static GIMBAL_HOST_DEVICE auto get(const Tuple& result)
  {
    return key<At>::of(::cuda::std::get<At>(result));
  }
};
template <class... Keys>
struct projected_keys<::cuda::std::tuple<Keys...>> : projected_keys_of_tuple<::cuda::std::tuple<Keys...>> {
};
template <class First, class Second>
struct projected_keys<::cuda::std::pair<First, Second>> : projected_keys_of_tuple<::cuda::std::pair<First, Second>> {
};

/// The standard library's own, where device code has them.
template <class First, class Second>
struct projected_keys<::std::pair<First, Second>> {
  static constexpr std::size_t count = 2;
  template <std::size_t At>
  using key = projected_key<::cuda::std::decay_t<::cuda::std::conditional_t<At == 0, First, Second>>>;
  template <std::size_t At>
  static GIMBAL_HOST_DEVICE auto get(const ::std::pair<First, Second>& result)
  {
    if constexpr (At == 0) {
      return key<At>::of(result.first);
    } else {
      return key<At>::of(result.second);
    }
  }
};
template <class... Keys>
struct projected_keys<::std::tuple<Keys...>> {
  static constexpr std::size_t count = sizeof...(Keys);
  template <std::size_t At>
  using key = projected_key<::cuda::std::decay_t<::std::tuple_element_t<At, ::std::tuple<Keys...>>>>;
  _CCCL_EXEC_CHECK_DISABLE
  template <std::size_t At>
  static GIMBAL_HOST_DEVICE auto get(const ::std::tuple<Keys...>& result)
  {
    return key<At>::of(::std::get<At>(result));
  }
};

template <class Projection, class Item>
using projected_keys_t = projected_keys<::cuda::std::decay_t<::cuda::std::invoke_result_t<Projection, const Item&>>>;

/// item -> its key number At
template <std::size_t At, class Keys, class Projection>
struct project {
  mutable Projection projection;

  template <class Item>
  GIMBAL_HOST_DEVICE auto operator()(const Item& item) const
  {
    return Keys::template get<At>(projection(item));
  }
};

template <std::size_t At, class Keys>
inline constexpr int bits_of_projected = static_cast<int>(8 * sizeof(typename Keys::template key<At>::type));

/// The sort by key number At. `scratch` holds n keys; it is not accessed in a size query.
template <std::size_t At, class Tuning, class InputIt, class OutputIt, class Projection>
status sort_by_projected_key(
  temporary_storage storage, std::size_t& storage_bytes, InputIt in, OutputIt out, index_type n, Projection projection,
  void* scratch, bit_range bits, simt::stream_type stream)
{
  using keys = projected_keys_t<Projection, value_type_of<InputIt>>;
  using key = typename keys::template key<At>;
  using key_type = typename key::type;
  static_assert(block::is_radix_key_v<key_type>, "a projection returns integers, bool or floating-point keys");
  using take = project<At, keys, Projection>;
  const thrust::transform_iterator<take, InputIt, key_type, key_type> keys_in(in, take{projection});
  return algorithm::radix_sort<Tuning>(
    storage, storage_bytes, typename key::order{}, keys_in, static_cast<key_type*>(scratch), in, out, n, bits.begin,
    bits.end, stream);
}

/// Bytes of the largest key and of the largest storage among the sorts by key At and those before it, from the input and in place.
template <std::size_t At, class Tuning, class InputIt, class OutputIt, class Projection, class Bits>
status projected_sort_sizes(
  InputIt in, OutputIt out, index_type n, Projection projection, Bits bits, int lower, simt::stream_type stream,
  std::size_t& key_bytes, std::size_t& storage_bytes)
{
  using keys = projected_keys_t<Projection, value_type_of<InputIt>>;
  const bit_range own = detail::bits_of_key(bits, bits_of_projected<At, keys>, lower);
  constexpr bool is_in_place = ::cuda::std::is_same_v<InputIt, OutputIt>;
  for (int sort = is_in_place ? 1 : 0; sort < 2; ++sort) {
    const InputIt from = sort == 0 ? in : static_cast<InputIt>(out);
    std::size_t bytes = 0;
    GIMBAL_TRY(
      (detail::sort_by_projected_key<At, Tuning>(nullptr, bytes, from, out, n, projection, nullptr, own, stream)));
    storage_bytes = storage_bytes < bytes ? bytes : storage_bytes;
  }
  constexpr std::size_t own_bytes = sizeof(typename keys::template key<At>::type);
  key_bytes = key_bytes < own_bytes ? own_bytes : key_bytes;
  if constexpr (At > 0) {
    return detail::projected_sort_sizes<At - 1, Tuning>(
      in, out, n, projection, bits, lower + bits_of_projected<At, keys>, stream, key_bytes, storage_bytes);
  } else {
    return {};
  }
}

/// The sorts by key At and then by those before it, of keys with bits to sort by.
template <std::size_t At, class Tuning, class InputIt, class OutputIt, class Projection, class Bits>
status sort_by_projected_keys(
  void* storage, std::size_t storage_bytes, InputIt in, OutputIt out, index_type n, Projection projection,
  void* scratch, Bits bits, int lower, bool is_moved, simt::stream_type stream)
{
  using keys = projected_keys_t<Projection, value_type_of<InputIt>>;
  const bit_range own = detail::bits_of_key(bits, bits_of_projected<At, keys>, lower);
  if (own.begin < own.end || (At == 0 && !is_moved)) {
    const InputIt from = is_moved ? static_cast<InputIt>(out) : in;
    GIMBAL_TRY((detail::sort_by_projected_key<At, Tuning>(
      storage, storage_bytes, from, out, n, projection, scratch, own, stream)));
    is_moved = true;
  }
  if constexpr (At > 0) {
    return detail::sort_by_projected_keys<At - 1, Tuning>(
      storage, storage_bytes, in, out, n, projection, scratch, bits, lower + bits_of_projected<At, keys>, is_moved,
      stream);
  } else {
    return {};
  }
}

}  // namespace detail

/// out = the n items of `in` in the order of the keys that `projection` returns for them: one radix key, or a tuple or pair of them
/// (most significant first), each as it is or as descending{key}. `bits` is all_bits{}, a range of those of a single key, or a
/// joined_bit_range. `out` may be `in`, is it where both are of one type, and converts to the type of `in`.
template <class Tuning = void, class InputIt, class OutputIt, class Projection, class Bits>
[[nodiscard]] status projected_radix_sort(
  temporary_storage storage, std::size_t& storage_bytes, InputIt in, OutputIt out, index_type n, Projection projection,
  Bits bits, simt::stream_type stream)
{
  constexpr std::size_t last = detail::projected_keys_t<Projection, value_type_of<InputIt>>::count - 1;
  std::size_t key_bytes = 0;
  std::size_t sort_bytes = 0;
  GIMBAL_TRY(
    (detail::projected_sort_sizes<last, Tuning>(in, out, n, projection, bits, 0, stream, key_bytes, sort_bytes)));
  unsigned char* sort_storage = nullptr;
  unsigned char* scratch = nullptr;
  storage_layout layout;
  layout.add(&sort_storage, sort_bytes);
  layout.add(&scratch, static_cast<std::size_t>(n) * key_bytes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  return detail::sort_by_projected_keys<last, Tuning>(
    sort_storage, sort_bytes, in, out, n, projection, scratch, bits, 0, false, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
