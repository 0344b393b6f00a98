// What is known of iterators: which arrays they read, in which memory their items lie, and outputs that are function
// calls.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/contiguous_iterator.h>
#include <gimbal/tuning.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdint>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <iterator>

GIMBAL_NAMESPACE_BEGIN

namespace block {

// ---- the base arrays of an iterator: those of which it reads one item for each of its own, in order, so that they can
// be prefetched ahead of the loads that go through the iterator

/// True where the iterator is as good as a pointer to values of its own value type.
template <class Iterator>
inline constexpr bool is_array_v =
  ::cuda::std::is_same<block::raw_iterator_t<Iterator>, value_type_of<Iterator>*>::value
  || ::cuda::std::is_same<block::raw_iterator_t<Iterator>, const value_type_of<Iterator>*>::value;

/// The same of values of another type, which may be written.
template <class Iterator, class Value>
inline constexpr bool is_array_of_v = ::cuda::std::is_same<block::raw_iterator_t<Iterator>, Value*>::value;

/// `fetch_ahead(ctx, iterator, items)`: what so many items from the iterator's on are read from goes to the L2 cache.
/// By one thread. Of any other iterator nothing is known.
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

/// True where its positions come from no array but are computed, as from a counting iterator: which takes warps, where
/// a list takes cache.
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

// ---- whether two ranges may have bytes in common

/// The bytes [begin, end).
struct byte_span {
  std::uintptr_t begin;
  std::uintptr_t end;
};

/// Which memory the n items from an iterator on lie in: `any(it, n, f)` tells whether `f(byte_span)` is true of one of
/// its spans. Of an iterator that is none of these nothing is known.
template <class Iterator, class = void>
struct spans_of {
  static constexpr bool are_known = false;
  static constexpr bool are_none = false;
  template <class F>
  static bool any(const Iterator&, index_type, F)
  {
    return true;
  }
};

struct no_spans {
  static constexpr bool are_known = true;
  static constexpr bool are_none = true;
  template <class Iterator, class F>
  static bool any(const Iterator&, index_type, F)
  {
    return false;
  }
};

template <class Iterator>
struct spans_of<Iterator, ::cuda::std::enable_if_t<::cuda::std::is_pointer<block::raw_iterator_t<Iterator>>::value>> {
  static constexpr bool are_known = true;
  static constexpr bool are_none = false;
  template <class F>
  static bool any(const Iterator& it, index_type n, F f)
  {
    const auto begin = reinterpret_cast<std::uintptr_t>(block::raw_iterator(it));
    return f(byte_span{begin, begin + static_cast<std::uintptr_t>(n) * sizeof(value_type_of<Iterator>)});
  }
};

/// Items that are computed from their numbers alone, or that nobody keeps.
template <class Value, class System, class Traversal, class Difference>
struct spans_of<thrust::counting_iterator<Value, System, Traversal, Difference>> : no_spans {
};
template <class Value, class Number, class System>
struct spans_of<thrust::constant_iterator<Value, Number, System>> : no_spans {
};
template <class System>
struct spans_of<thrust::discard_iterator<System>> : no_spans {
};

/// What a function makes of items, if it is too small to hold an address of its own.
template <class Function, class Base, class Reference, class Value>
struct spans_of<thrust::transform_iterator<Function, Base, Reference, Value>> {
  static constexpr bool holds_no_address = sizeof(Function) < sizeof(void*);
  static constexpr bool are_known = spans_of<Base>::are_known && holds_no_address;
  static constexpr bool are_none = spans_of<Base>::are_none && holds_no_address;
  template <class F>
  static bool any(const thrust::transform_iterator<Function, Base, Reference, Value>& it, index_type n, F f)
  {
    return spans_of<Base>::any(it.base(), n, f);
  }
};

template <class Base>
struct spans_of<thrust::reverse_iterator<Base>> {
  static constexpr bool are_known = spans_of<Base>::are_known;
  static constexpr bool are_none = spans_of<Base>::are_none;
  template <class F>
  static bool any(const thrust::reverse_iterator<Base>& it, index_type n, F f)
  {
    return spans_of<Base>::any(it.base() - n, n, f);
  }
};

template <class... Iterators>
struct spans_of<thrust::zip_iterator<::cuda::std::tuple<Iterators...>>> {
  static constexpr bool are_known = (spans_of<Iterators>::are_known && ...);
  static constexpr bool are_none = (spans_of<Iterators>::are_none && ...);
  template <class F>
  static bool any(const thrust::zip_iterator<::cuda::std::tuple<Iterators...>>& it, index_type n, F f)
  {
    return ::cuda::std::apply(
      [&](const Iterators&... each) { return (spans_of<Iterators>::any(each, n, f) || ...); }, it.get_iterator_tuple());
  }
};

/// True unless one has none, or all memory of n items of each is known, and none of one lies within that of the other.
template <class A, class B>
bool may_overlap(const A& a, const B& b, index_type n)
{
  if constexpr (spans_of<A>::are_none || spans_of<B>::are_none) {
    return false;
  } else if constexpr (spans_of<A>::are_known && spans_of<B>::are_known) {
    return spans_of<A>::any(a, n, [&](byte_span x) {
      return spans_of<B>::any(b, n, [&](byte_span y) { return x.begin < y.end && y.begin < x.end; });
    });
  } else {
    return true;
  }
}

}  // namespace block

// ---- outputs that are function calls

/// Whether `f` has fetch() of such values.
template <class F, class T, class = void>
inline constexpr bool fetches_v = false;
template <class F, class T>
inline constexpr bool fetches_v<
  F, T,
  ::cuda::std::void_t<decltype(::cuda::std::declval<const F&>().fetch(index_type{}, ::cuda::std::declval<T>()))>> =
  true;

/// The output iterator whose writes are calls of `f` with the position and the value.
///
/// A function that loads something and stores what that decides has, in place of a call operator, `fetch(i, value)`,
/// whose result `put(i, fetched)` stores: a tile's threads fetch several before they put the first (tile::store), so
/// that their loads are under way together. What is fetched must not depend on what is put for other items. Scans with
/// such outputs do not stream: many small blocks hide the loads' latency, which few large ones do not.
template <class F>
class output_by_function {
public:
  class place {
  public:
    GIMBAL_HOST_DEVICE place(const F& f, index_type i) : f_(f), i_(i) {}
    template <class T>
    GIMBAL_DEVICE const place& operator=(const T& value) const
    {
      if constexpr (fetches_v<F, T>) {
        f_.put(i_, f_.fetch(i_, value));
      } else {
        f_(i_, value);
      }
      return *this;
    }

  private:
    const F& f_;
    index_type i_;
  };

  using iterator_category = std::random_access_iterator_tag;
  using difference_type = index_type;
  using value_type = void;
  using pointer = void;
  using reference = place;

  explicit output_by_function(F f) : f_(f) {}

  GIMBAL_HOST_DEVICE place operator*() const { return {f_, at_}; }
  GIMBAL_HOST_DEVICE place operator[](index_type i) const { return {f_, at_ + i}; }
  GIMBAL_HOST_DEVICE output_by_function& operator+=(index_type i)
  {
    at_ += i;
    return *this;
  }
  GIMBAL_HOST_DEVICE friend output_by_function operator+(output_by_function it, index_type i) { return it += i; }
  GIMBAL_HOST_DEVICE friend bool operator==(const output_by_function& a, const output_by_function& b)
  {
    return a.at_ == b.at_;
  }
  GIMBAL_HOST_DEVICE friend bool operator!=(const output_by_function& a, const output_by_function& b)
  {
    return a.at_ != b.at_;
  }

  template <class T, class Function = F>
  GIMBAL_DEVICE auto fetch(index_type i, const T& value) const
    -> decltype(::cuda::std::declval<const Function&>().fetch(i, value))
  {
    return f_.fetch(at_ + i, value);
  }
  template <class Fetched>
  GIMBAL_DEVICE void put(index_type i, const Fetched& fetched) const
  {
    f_.put(at_ + i, fetched);
  }

private:
  F f_;
  index_type at_ = 0;
};

template <class F>
output_by_function<F> written_by(F f)
{
  return output_by_function<F>(f);
}

GIMBAL_NAMESPACE_END
