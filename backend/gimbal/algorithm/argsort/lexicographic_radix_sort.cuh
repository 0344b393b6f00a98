// Radix sort of keys that are tuples from several arrays, one element from each, as a zip iterator has them.
//
// Algorithm: for each array, the last one first, one stable radix sort (radix_sort.cuh) by its elements, which moves those
// of the other arrays, and the values, with them. Because each sort is stable, the tuples end up in lexicographic order.
// Traffic, launches: those of a radix sort with values per array. Storage: the largest of these sorts', n tuples and
// values and small tables. Order of equals, NaN and zeros, progress, determinism: see radix_sort.cuh.
#pragma once

#include <gimbal/algorithm/argsort/tuning.h>
#include <gimbal/tile/contiguous_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cuda/std/tuple>
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

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

inline ::cuda::std::tuple<> iterators_in(no_values) { return {}; }
template <class Iterator>
auto iterators_in(Iterator it)
{
  return ::cuda::std::make_tuple(block::raw_iterator(it));
}
/// Those of a zip iterator, so that zipping them with others does not nest tuples.
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

/// The sort by array number I of `all`, which are the keys' arrays and those that are moved with them.
template <std::size_t At, class Order, class... Iterators>
status sort_by_array(
  temporary_storage storage, std::size_t& storage_bytes, const ::cuda::std::tuple<Iterators...>& all, index_type n,
  simt::stream_type stream)
{
  auto keys = ::cuda::std::get<At>(all);
  auto others = detail::zip_all(detail::all_but<At>(
    all, ::cuda::std::make_index_sequence<At>{}, ::cuda::std::make_index_sequence<sizeof...(Iterators) - At - 1>{}));
  constexpr int bits = 8 * static_cast<int>(sizeof(value_type_of<decltype(keys)>));
  return algorithm::radix_sort(storage, storage_bytes, Order{}, keys, keys, others, others, n, 0, bits, stream);
}

/// The sorts by array number I and then by those before it, all in the same storage; or a size query of all of them.
template <std::size_t At, class Order, class... Iterators>
status sort_by_arrays(
  temporary_storage storage, std::size_t& storage_bytes, const ::cuda::std::tuple<Iterators...>& all, index_type n,
  simt::stream_type stream)
{
  std::size_t bytes = storage_bytes;
  GIMBAL_TRY((detail::sort_by_array<At, Order>(storage, bytes, all, n, stream)));
  if (storage.asks() && storage_bytes < bytes) {
    storage_bytes = bytes;
  }
  if constexpr (At > 0) {
    return detail::sort_by_arrays<At - 1, Order>(storage, storage_bytes, all, n, stream);
  } else {
    return {};
  }
}

}  // namespace detail

/// The n tuples of `keys`, a zip iterator of which is_zip_of_radix_keys_v is true, in lexicographic order, `values` moved
/// alike, both in place. `Order` is ascending or descending, of all elements.
template <class Order, class Keys, class Values>
[[nodiscard]] status lexicographic_radix_sort(
  temporary_storage storage, std::size_t& storage_bytes, Order, Keys keys, Values values, index_type n,
  simt::stream_type stream)
{
  static_assert(is_zip_of_radix_keys_v<Keys>, "keys are a zip iterator's, over arrays of radix keys");
  const auto arrays = detail::iterators_in(keys);
  constexpr std::size_t last = ::cuda::std::tuple_size<::cuda::std::remove_const_t<decltype(arrays)>>::value - 1;
  if (storage.asks()) {
    storage_bytes = 0;
  }
  return detail::sort_by_arrays<last, Order>(
    storage, storage_bytes, ::cuda::std::tuple_cat(arrays, detail::iterators_in(values)), n, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
