// The base arrays of an iterator: those of which it reads one item for each of its own, in order, so that they can be prefetched ahead
// of the loads that go through the iterator.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/contiguous_iterator.h>
#include <gimbal/tuning.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cuda/std/tuple>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// True where the iterator is as good as a pointer to values of its own value type.
template <class Iterator>
inline constexpr bool is_array_v =
  ::cuda::std::is_same<block::raw_iterator_t<Iterator>, value_type_of<Iterator>*>::value
  || ::cuda::std::is_same<block::raw_iterator_t<Iterator>, const value_type_of<Iterator>*>::value;

/// The same of values of another type, which may be written.
template <class Iterator, class Value>
inline constexpr bool is_array_of_v = ::cuda::std::is_same<block::raw_iterator_t<Iterator>, Value*>::value;

/// `fetch_ahead(ctx, iterator, items)`: what so many items from the iterator's on are read from goes to the L2 cache. By one thread.
/// Of any other iterator nothing is known.
template <class Iterator>
struct base_arrays {
  template <class Context>
  static GIMBAL_DEVICE void fetch_ahead(Context& ctx, const Iterator& iterator, index_type items)
  {
    if constexpr (::cuda::std::is_pointer<block::raw_iterator_t<Iterator>>::value) {
      const auto array = block::raw_iterator(iterator);
      ctx.fetch_ahead(array, static_cast<std::size_t>(items) * sizeof(*array));
    }
  }
};

template <class Function, class Iterator, class Reference, class Value>
struct base_arrays<thrust::transform_iterator<Function, Iterator, Reference, Value>> {
  template <class Context>
  static GIMBAL_DEVICE void fetch_ahead(
    Context& ctx, const thrust::transform_iterator<Function, Iterator, Reference, Value>& iterator, index_type items)
  {
    base_arrays<Iterator>::fetch_ahead(ctx, iterator.base(), items);
  }
};

template <class Iterator>
struct base_arrays<thrust::reverse_iterator<Iterator>> {
  template <class Context>
  static GIMBAL_DEVICE void fetch_ahead(
    Context& ctx, const thrust::reverse_iterator<Iterator>& iterator, index_type items)
  {
    base_arrays<Iterator>::fetch_ahead(ctx, iterator.base() - items, items);
  }
};

/// The positions, not what is gathered.
template <class Element, class Place>
struct base_arrays<thrust::permutation_iterator<Element, Place>> {
  template <class Context>
  static GIMBAL_DEVICE void fetch_ahead(
    Context& ctx, const thrust::permutation_iterator<Element, Place>& iterator, index_type items)
  {
    base_arrays<Place>::fetch_ahead(ctx, iterator.base(), items);
  }
};

template <class... Iterators>
struct base_arrays<thrust::zip_iterator<::cuda::std::tuple<Iterators...>>> {
  template <class Context>
  static GIMBAL_DEVICE void fetch_ahead(
    Context& ctx, const thrust::zip_iterator<::cuda::std::tuple<Iterators...>>& iterator, index_type items)
  {
    ::cuda::std::apply(
      [&](const Iterators&... each) { (base_arrays<Iterators>::fetch_ahead(ctx, each, items), ...); },
      iterator.get_iterator_tuple());
  }
};

/// True where an iterator gathers: some of what it reads is scattered in memory.
template <class Iterator>
inline constexpr bool gathers_v = false;
template <class Element, class Place>
inline constexpr bool gathers_v<thrust::permutation_iterator<Element, Place>> = true;
template <class Function, class Iterator, class Reference, class Value>
inline constexpr bool gathers_v<thrust::transform_iterator<Function, Iterator, Reference, Value>> = gathers_v<Iterator>;
template <class... Iterators>
inline constexpr bool gathers_v<thrust::zip_iterator<::cuda::std::tuple<Iterators...>>> = (gathers_v<Iterators> || ...);

/// True where its positions come from no array but are computed, as from a counting iterator: which takes warps, where a list takes cache.
template <class Iterator>
inline constexpr bool computes_places_v = false;
template <class Element, class Place>
inline constexpr bool computes_places_v<thrust::permutation_iterator<Element, Place>> =
  !::cuda::std::is_pointer<block::raw_iterator_t<Place>>::value;
template <class Function, class Iterator, class Reference, class Value>
inline constexpr bool computes_places_v<thrust::transform_iterator<Function, Iterator, Reference, Value>> =
  computes_places_v<Iterator>;
template <class... Iterators>
inline constexpr bool computes_places_v<thrust::zip_iterator<::cuda::std::tuple<Iterators...>>> =
  (computes_places_v<Iterators> || ...);

/// A function object that is as large as a pointer may hold one and read what it points to.
template <class Function>
inline constexpr bool may_point_v = sizeof(Function) >= sizeof(void*);

/// True where an iterator may gather, as far as its type tells: it does, or it has a function that may.
template <class Iterator>
inline constexpr bool may_gather_v = gathers_v<Iterator>;
template <class Function, class Iterator, class Reference, class Value>
inline constexpr bool may_gather_v<thrust::transform_iterator<Function, Iterator, Reference, Value>> =
  may_point_v<Function> || may_gather_v<Iterator>;
template <class... Iterators>
inline constexpr bool may_gather_v<thrust::zip_iterator<::cuda::std::tuple<Iterators...>>> =
  (may_gather_v<Iterators> || ...);

/// An iterator's class in tuning.h, in this.
template <class Iterator>
inline constexpr tuning::gathering gathering_of_v = computes_places_v<Iterator> ? tuning::gathering::computed
                                                    : may_gather_v<Iterator>    ? tuning::gathering::listed
                                                                                : tuning::gathering::none;

/// An input's class in tuning.h.
template <class Iterator>
inline constexpr tuning::input input_of_v = is_array_v<Iterator>          ? tuning::input::array
                                            : computes_places_v<Iterator> ? tuning::input::computed_gather
                                            : gathers_v<Iterator>         ? tuning::input::gather
                                                                          : tuning::input::iterator;

}  // namespace block

GIMBAL_NAMESPACE_END
