// Sorts that are made of others: argsort, which gives the positions of the keys in sorted order and leaves the keys as
// they are; and radix sorts by several keys: of tuples from several arrays, one element from each, as a zip iterator
// has them, and of any items by the keys that a projection takes from them.
//
// Argsort: a stable sort of pairs out of place, whose first pass generates the positions: no memory is read or written
// for them before. A radix sort (radix_sort.cuh) takes a null input of values for that, so its kernels are those of
// sort_by_key; a merge sort (merge_sort.cuh) takes a counting iterator. Positions of fewer than 4 bytes are sorted as 4
// bytes and then copied. Storage: that of the sort, and n keys; where `indices` cannot be read back, as the passes
// need, also n indices, which are then copied.
//
// By several keys: for each, the last one first, a stable radix sort of pairs, which leaves the items in the
// lexicographic order of the keys from that one on. Tuples are sorted by the elements of one array at a time; those of
// the other arrays, and the values, move with them. Items are sorted by what the first pass reads through the
// projection, computed from the items and never stored beforehand; the first sort goes from the input to the output,
// the others work in place there. Storage: the largest of these sorts', n tuples and values and small tables; n
// projected keys.
//
// Traffic, launches, order of equals, NaN and zeros, progress, determinism: those of the sorts of pairs; of argsort,
// less n positions read; of a projected key, 2p times its bytes and once more the item's.
#pragma once

#include <gimbal/tile/iterators.h>
#include <gimbal/tuning.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cuda/std/tuple>
#include <gimbal/algorithm/merge_sort/merge_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>
#include <gimbal/algorithm/transform/transform.cuh>
#include <tuple>
#include <utility>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// From this many tuples on, a radix sort by each array of a zip iterator in turn replaces a merge sort: two sorts cost
/// more than a merge sort of few. record: least_lexicographic_items (2^22 two of 183 microseconds, a merge sort 420).
constexpr index_type least_lexicographic_items(bool has_values)
{
  return index_type{1} << (!GIMBAL_GPU ? 11 : has_values ? 18 : 21);
}

}  // namespace tuning

/// A key that is sorted by in descending order.
template <class Key>
struct descending {
  Key key;
};
template <class Key>
descending(Key) -> descending<Key>;

namespace algorithm {

/// indices[k] = the position among the n keys of the one that is k-th in the order, as an Index, which holds n - 1.
/// `Order` is ascending or descending for keys that are sorted by their bits, else the comparison.
template <class Index, class Order, class KeyIt, class IndexIt>
[[nodiscard]] status argsort(
  temporary_storage storage, std::size_t& storage_bytes, Order order, KeyIt keys, IndexIt indices, index_type n,
  simt::stream_type stream)
{
  using key_type = value_type_of<KeyIt>;
  using position =
    ::cuda::std::conditional_t<(sizeof(Index) < 4), std::uint32_t, Index>;  // a value that a radix sort can generate
  constexpr bool are_held =
    ::cuda::std::is_lvalue_reference_v<
      decltype(*indices)> && ::cuda::std::is_integral_v<::cuda::std::remove_reference_t<decltype(*indices)>> && sizeof(*indices) >= 4;
  const auto sort = [&](const temporary_storage& given, std::size_t& bytes, key_type* sorted, auto sorted_positions) {
    if constexpr (::cuda::std::is_same_v<Order, ascending> || ::cuda::std::is_same_v<Order, descending>) {
      return algorithm::radix_sort(
        given, bytes, order, keys, sorted, static_cast<const position*>(nullptr), sorted_positions, n, 0,
        static_cast<int>(8 * sizeof(key_type)), stream);
    } else {
      using unsaid = thrust::use_default;
      const thrust::counting_iterator<position, unsaid, unsaid, index_type> positions(0);
      return algorithm::merge_sort(given, bytes, keys, sorted, positions, sorted_positions, n, order, stream);
    }
  };
  const auto sort_to_indices = [&](const temporary_storage& given, std::size_t& bytes, key_type* sorted) -> status {
    if constexpr (are_held) {
      return sort(given, bytes, sorted, indices);
    } else {
      const auto sort_and_copy = [&](
                                   const temporary_storage& room, std::size_t& room_bytes, position* found) -> status {
        GIMBAL_TRY(sort(room, room_bytes, sorted, found));
        return room.asks() ? status{} : algorithm::copy(found, indices, n, stream);
      };
      return algorithm::call_with_array<position>(given, bytes, n, sort_and_copy);
    }
  };
  return algorithm::call_with_array<key_type>(storage, storage_bytes, n, sort_to_indices);
}

/// True of a zip iterator over arrays of radix keys, up to four of them.
template <class Iterator>
inline constexpr bool is_zip_of_radix_keys_v = false;
template <class... Arrays>
inline constexpr bool is_zip_of_radix_keys_v<thrust::zip_iterator<::cuda::std::tuple<Arrays...>>> =
  sizeof...(Arrays) <= 4
  && ((
    ::cuda::std::is_pointer<block::raw_iterator_t<Arrays>>::value
    && block::is_radix_key_v<value_type_of<Arrays>>)&&...);

namespace detail {

/// Calls sort_by(number, storage, bytes) for keys number `Last` and down, number as a constant, as far as each
/// succeeds, all in the same storage: as much as the one takes that takes the most.
template <std::size_t Last, class SortBy>
status sort_by_keys_last_first(const temporary_storage& storage, std::size_t& storage_bytes, SortBy sort_by)
{
  std::size_t bytes = storage.asks() ? 0 : storage_bytes;
  std::size_t bytes_of_others = bytes;
  GIMBAL_TRY(sort_by(::cuda::std::integral_constant<std::size_t, Last>{}, storage, bytes));
  if constexpr (Last > 0) {
    GIMBAL_TRY(detail::sort_by_keys_last_first<Last - 1>(storage, bytes_of_others, sort_by));
  }
  storage_bytes = bytes < bytes_of_others ? bytes_of_others : bytes;
  return {};
}

inline ::cuda::std::tuple<> iterators_in(no_values) { return {}; }
template <class Iterator>
auto iterators_in(Iterator it)
{
  return ::cuda::std::make_tuple(block::raw_iterator(it));
}
/// The iterators of a zip iterator, so that zipping them with others does not nest tuples.
template <class... Iterators>
auto iterators_in(const thrust::zip_iterator<::cuda::std::tuple<Iterators...>>& zipped)
{
  return ::cuda::std::apply(
    [](const Iterators&... each) { return ::cuda::std::make_tuple(block::raw_iterator(each)...); },
    zipped.get_iterator_tuple());
}

inline no_values zip_all(::cuda::std::tuple<>) { return {}; }
template <class Iterator>
Iterator zip_all(const ::cuda::std::tuple<Iterator>& alone)
{
  return ::cuda::std::get<0>(alone);
}
template <class First, class Second, class... Others>
auto zip_all(const ::cuda::std::tuple<First, Second, Others...>& all)
{
  return thrust::make_zip_iterator(all);
}

template <std::size_t At, std::size_t... Before, std::size_t... Behind, class... Iterators>
auto all_but(
  const ::cuda::std::tuple<Iterators...>& all, ::cuda::std::index_sequence<Before...>,
  ::cuda::std::index_sequence<Behind...>)
{
  return ::cuda::std::make_tuple(::cuda::std::get<Before>(all)..., ::cuda::std::get<At + 1 + Behind>(all)...);
}

}  // namespace detail

/// The n tuples of `keys`, a zip iterator of which is_zip_of_radix_keys_v is true, are sorted lexicographically, and
/// `values` are moved in the same way, both in place. `Order` is ascending or descending, of all elements.
template <class Order, class Keys, class Values>
[[nodiscard]] status lexicographic_radix_sort(
  temporary_storage storage, std::size_t& storage_bytes, Order, Keys keys, Values values, index_type n,
  simt::stream_type stream)
{
  static_assert(is_zip_of_radix_keys_v<Keys>, "keys are a zip iterator's, over arrays of radix keys");
  const auto arrays = detail::iterators_in(keys);
  const auto all = ::cuda::std::tuple_cat(arrays, detail::iterators_in(values));
  constexpr std::size_t key_count = ::cuda::std::tuple_size<::cuda::std::remove_const_t<decltype(arrays)>>::value;
  constexpr std::size_t count = ::cuda::std::tuple_size<::cuda::std::remove_const_t<decltype(all)>>::value;
  return detail::sort_by_keys_last_first<key_count - 1>(
    storage, storage_bytes, [&](auto number, const temporary_storage& given, std::size_t& bytes) {
      constexpr std::size_t at = decltype(number)::value;
      const auto by = ::cuda::std::get<at>(all);
      const auto others = detail::zip_all(detail::all_but<at>(
        all, ::cuda::std::make_index_sequence<at>{}, ::cuda::std::make_index_sequence<count - at - 1>{}));
      constexpr int bits = 8 * static_cast<int>(sizeof(value_type_of<::cuda::std::remove_const_t<decltype(by)>>));
      return algorithm::radix_sort(given, bytes, Order{}, by, by, others, others, n, 0, bits, stream);
    });
}

/// The bits of the keys that a projected sort sorts by.
struct all_bits {};
struct bit_range {
  int begin;
  int end;
};
/// The bits of all keys together, those of the last key lowest.
struct joined_bit_range {
  int begin;
  int end;
};

namespace detail {

// The range within a key of `bits` bits, if the keys after it have `lower` bits.
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
template <class Tuple, class... Keys>
struct projected_keys_of_tuple {
  static constexpr std::size_t count = sizeof...(Keys);
  template <std::size_t At>
  using key =
    projected_key<::cuda::std::decay_t<typename ::cuda::std::tuple_element<At, ::cuda::std::tuple<Keys...>>::type>>;
  _CCCL_EXEC_CHECK_DISABLE
  template <std::size_t At>
  static GIMBAL_HOST_DEVICE auto get(const Tuple& result)
  {
    using ::cuda::std::get;  // or the standard library's own
    return key<At>::of(get<At>(result));
  }
};
template <class... Keys>
struct projected_keys<::cuda::std::tuple<Keys...>> : projected_keys_of_tuple<::cuda::std::tuple<Keys...>, Keys...> {
};
template <class First, class Second>
struct projected_keys<::cuda::std::pair<First, Second>>
    : projected_keys_of_tuple<::cuda::std::pair<First, Second>, First, Second> {
};
/// The standard library's own, where device code has them: for pairs it may lack std::get.
template <class... Keys>
struct projected_keys<::std::tuple<Keys...>> : projected_keys_of_tuple<::std::tuple<Keys...>, Keys...> {
};
template <class First, class Second>
struct projected_keys<::std::pair<First, Second>> : projected_keys_of_tuple<::std::pair<First, Second>, First, Second> {
  template <std::size_t At>
  static GIMBAL_HOST_DEVICE auto get(const ::std::pair<First, Second>& result)
  {
    if constexpr (At == 0) {
      return projected_key<::cuda::std::decay_t<First>>::of(result.first);
    } else {
      return projected_key<::cuda::std::decay_t<Second>>::of(result.second);
    }
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
/// Bits of all keys after this one.
template <std::size_t At, class Keys>
constexpr int lower_bits()
{
  if constexpr (At + 1 < Keys::count) {
    return bits_of_projected<At + 1, Keys> + detail::lower_bits<At + 1, Keys>();
  } else {
    return 0;
  }
}

}  // namespace detail

/// out = the n items of `in` in the order of the keys that `projection` returns for them: one radix key, or a tuple or
/// pair of them (most significant first), each as it is or as descending{key}. `bits` is all_bits{}, a range of those
/// of a single key, or a joined_bit_range. `out` may be `in`, is it where both are of one type, and converts to the
/// type of `in`.
template <class Tuning = void, class InputIt, class OutputIt, class Projection, class Bits>
[[nodiscard]] status projected_radix_sort(
  temporary_storage storage, std::size_t& storage_bytes, InputIt in, OutputIt out, index_type n, Projection projection,
  Bits bits, simt::stream_type stream)
{
  using keys = detail::projected_keys_t<Projection, value_type_of<InputIt>>;
  bool is_moved = false;
  const auto sort_by = [&](auto number, const temporary_storage& given, std::size_t& bytes) -> status {
    constexpr std::size_t at = decltype(number)::value;
    using projected = typename keys::template key<at>;
    using key_type = typename projected::type;
    static_assert(block::is_radix_key_v<key_type>, "a projection returns integers, bool or floating-point keys");
    using take = detail::project<at, keys, Projection>;
    const bit_range own =
      detail::bits_of_key(bits, detail::bits_of_projected<at, keys>, detail::lower_bits<at, keys>());
    if (own.begin >= own.end && (at != 0 || is_moved)) {
      return {};  // no bits of the key to sort by
    }
    const InputIt from = is_moved ? static_cast<InputIt>(out) : in;
    is_moved = true;
    const thrust::transform_iterator<take, InputIt, key_type, key_type> keys_in(from, take{projection});
    const auto sort = [&](const temporary_storage& room, std::size_t& room_bytes, key_type* scratch) {
      return algorithm::radix_sort<Tuning>(
        room, room_bytes, typename projected::order{}, keys_in, scratch, from, out, n, own.begin, own.end, stream);
    };
    return algorithm::call_with_array<key_type>(given, bytes, n, sort);
  };
  return detail::sort_by_keys_last_first<keys::count - 1>(storage, storage_bytes, sort_by);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
