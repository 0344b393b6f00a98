// Whether two ranges may have bytes in common.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/contiguous_iterator.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cstdint>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// The bytes [begin, end).
struct byte_span {
  std::uintptr_t begin;
  std::uintptr_t end;
};

/// Which memory the n items from an iterator on lie in: `any(it, n, f)` tells whether `f(byte_span)` is true of one of its
/// spans. Of an iterator that is none of these nothing is known.
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

GIMBAL_NAMESPACE_END
