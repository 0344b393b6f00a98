// What is known of iterators: pointers and plain references for what iterators and references of Thrust's containers
// stand for, as Thrust's own functions ask for an item's address by &, which a user's type may overload; how items are
// read and written through any of them; which arrays they read, in which memory their items lie; and outputs that are
// function calls.
#pragma once

#include <gimbal/simt/config.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/tuning.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/detail/raw_reference_cast.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cstdint>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <iterator>
#if THRUST_VERSION >= 300500
#include <cuda/iterator>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// A pointer for an iterator that walks over an array, any other iterator unchanged.
_CCCL_EXEC_CHECK_DISABLE
template <class Iterator>
GIMBAL_HOST_DEVICE auto raw_iterator(Iterator it)
{
  if constexpr (::cuda::std::is_pointer_v<Iterator> || !thrust::is_contiguous_iterator<Iterator>::value) {
    return it;
  } else if constexpr (::cuda::std::is_lvalue_reference_v<decltype(*it)>) {
    return __builtin_addressof(*it);  // ::cuda::std's comes with all of <cuda/std/memory>
  } else {
    return thrust::raw_pointer_cast(&*it);  // a proxy's own &
  }
}

template <class Iterator>
using raw_iterator_t = decltype(block::raw_iterator(::cuda::std::declval<Iterator>()));

/// `exists`: there is an array of `item` from `begin(iterator)` on, in which the iterator's items are; or, if it
/// `maps`, those of which `made(iterator, item)` makes them. If these `are_pairs`, there is a second array of as large
/// items, from `second_begin(iterator)` on, for the last argument of `made`.
template <class Iterator>
struct array_items {
  static constexpr bool exists = false;
  static constexpr bool maps = false;
  static constexpr bool are_pairs = false;
  using item = value_type_of<Iterator>;
};
template <class T>
struct array_items<T*> {
  static constexpr bool exists = true;
  static constexpr bool maps = false;
  static constexpr bool are_pairs = false;
  using item = ::cuda::std::remove_cv_t<T>;

  static GIMBAL_DEVICE const item* begin(T* iterator) { return iterator; }
};
/// What a proxy refers to, a tuple of references for one of proxies; any other reference unchanged.
_CCCL_EXEC_CHECK_DISABLE
template <class Reference>
GIMBAL_HOST_DEVICE decltype(auto) raw_reference(Reference&& x)
{
  using value = ::cuda::std::remove_cv_t<::cuda::std::remove_reference_t<Reference>>;
  if constexpr (!::cuda::std::is_same_v<typename thrust::detail::raw_reference<value>::type, value&>) {
    return thrust::raw_reference_cast(::cuda::std::forward<Reference>(x));
  } else if constexpr (::cuda::std::is_lvalue_reference_v<Reference>) {
    return static_cast<Reference>(x);
  } else {
    return static_cast<const value&>(x);
  }
}

/// `*it` as a T by way of the iterator's own value type, so that a proxy reference is read before it is converted.
template <class T, class Iterator>
GIMBAL_DEVICE T load_as(const Iterator& it)
{
  return static_cast<T>(static_cast<value_type_of<Iterator>>(*it));
}

/// `*it = value`. Among numbers the conversion to what lies there is written out: results may be wider than the output.
template <class Iterator, class T>
GIMBAL_DEVICE void store_as(Iterator it, const T& value)
{
  using reference = decltype(*it);
  using target = ::cuda::std::remove_reference_t<reference>;
  if constexpr (
    ::cuda::std::is_lvalue_reference<reference>::value && ::cuda::std::is_arithmetic<target>::value
    && ::cuda::std::is_arithmetic<T>::value) {
    *it = static_cast<target>(value);
  } else {
    *it = value;
  }
}

/// True where the iterator is as good as a pointer to values of its own value type.
template <class Iterator>
inline constexpr bool is_array_v =
  ::cuda::std::is_same<block::raw_iterator_t<Iterator>, value_type_of<Iterator>*>::value
  || ::cuda::std::is_same<block::raw_iterator_t<Iterator>, const value_type_of<Iterator>*>::value;

/// The same of values of another type, which may be written.
template <class Iterator, class Value>
inline constexpr bool is_array_of_v = ::cuda::std::is_same<block::raw_iterator_t<Iterator>, Value*>::value;

/// A function object that is as large as a pointer may hold one and read what it points to.
template <class Function>
inline constexpr bool may_point_v = sizeof(Function) >= sizeof(void*);

// ---- the arrays of an iterator

/// The arrays of which an iterator reads one item for each of its own, in order: `visit(it, n, f)` calls f with a
/// pointer to the first item of each that n items from `it` on are made of. `are_all`: it reads no other memory, as far
/// as its type tells. `are_none`: it reads none.
template <class Iterator, class = void>
struct base_arrays {
  static constexpr bool are_all = ::cuda::std::is_pointer<block::raw_iterator_t<Iterator>>::value;
  static constexpr bool are_none = false;

  _CCCL_EXEC_CHECK_DISABLE
  template <class F>
  static GIMBAL_HOST_DEVICE void visit(const Iterator& it, index_type, const F& f)
  {
    if constexpr (are_all) {
      f(block::raw_iterator(it));
    }
  }
};

/// Of items that are computed from their numbers alone, or that nobody keeps.
struct no_base_arrays {
  static constexpr bool are_all = true;
  static constexpr bool are_none = true;

  template <class Iterator, class F>
  static GIMBAL_HOST_DEVICE void visit(const Iterator&, index_type, const F&)
  {
  }
};
template <class Value, class System, class Traversal, class Difference>
struct base_arrays<thrust::counting_iterator<Value, System, Traversal, Difference>> : no_base_arrays {
};
_CCCL_SUPPRESS_DEPRECATED_PUSH
template <class Value, class Number, class System>
struct base_arrays<thrust::constant_iterator<Value, Number, System>> : no_base_arrays {
};
_CCCL_SUPPRESS_DEPRECATED_POP
template <class System>
struct base_arrays<thrust::discard_iterator<System>> : no_base_arrays {
};

template <class Function, class Base, class Reference, class Value>
struct base_arrays<thrust::transform_iterator<Function, Base, Reference, Value>> {
  static constexpr bool are_all = base_arrays<Base>::are_all && !may_point_v<Function>;
  static constexpr bool are_none = base_arrays<Base>::are_none && !may_point_v<Function>;

  _CCCL_EXEC_CHECK_DISABLE
  template <class Iterator, class F>
  static GIMBAL_HOST_DEVICE void visit(const Iterator& it, index_type n, const F& f)
  {
    base_arrays<Base>::visit(it.base(), n, f);
  }
};

template <class Base>
struct base_arrays<thrust::reverse_iterator<Base>> {
  static constexpr bool are_all = base_arrays<Base>::are_all;
  static constexpr bool are_none = base_arrays<Base>::are_none;

  _CCCL_EXEC_CHECK_DISABLE
  template <class Iterator, class F>
  static GIMBAL_HOST_DEVICE void visit(const Iterator& it, index_type n, const F& f)
  {
    base_arrays<Base>::visit(it.base() - n, n, f);
  }
};

/// The positions, not what is gathered.
template <class Element, class Place>
struct base_arrays<thrust::permutation_iterator<Element, Place>> {
  static constexpr bool are_all = false;
  static constexpr bool are_none = false;

  _CCCL_EXEC_CHECK_DISABLE
  template <class Iterator, class F>
  static GIMBAL_HOST_DEVICE void visit(const Iterator& it, index_type n, const F& f)
  {
    base_arrays<Place>::visit(it.base(), n, f);
  }
};

template <class... Iterators>
struct base_arrays<thrust::zip_iterator<::cuda::std::tuple<Iterators...>>> {
  static constexpr bool are_all = (base_arrays<Iterators>::are_all && ...);
  static constexpr bool are_none = (base_arrays<Iterators>::are_none && ...);

  _CCCL_EXEC_CHECK_DISABLE
  template <class Iterator, class F>
  static GIMBAL_HOST_DEVICE void visit(const Iterator& it, index_type n, const F& f)
  {
    ::cuda::std::apply(
      [&](const Iterators&... each) { (base_arrays<Iterators>::visit(each, n, f), ...); }, it.get_iterator_tuple());
  }
};

#if THRUST_VERSION >= 300500
// libcu++'s, for which newer versions give Thrust's up. A zip does not say what it is made of, nor a permutation where
// its positions are.
template <class Iterator>
using counting_as = ::cuda::counting_iterator<
  ::cuda::std::conditional_t<::cuda::std::is_integral<value_type_of<Iterator>>::value, value_type_of<Iterator>, int>>;
template <class Iterator>
struct base_arrays<Iterator, ::cuda::std::enable_if_t<::cuda::std::is_same<Iterator, counting_as<Iterator>>::value>>
    : no_base_arrays {
};
template <class Value, class Number>
struct base_arrays<::cuda::constant_iterator<Value, Number>> : no_base_arrays {
};
template <>
struct base_arrays<::cuda::discard_iterator> : no_base_arrays {
};
template <class Function, class Base>
struct base_arrays<::cuda::transform_iterator<Function, Base>>
    : base_arrays<thrust::transform_iterator<Function, Base>> {
};
#endif

/// Thrust's is deprecated in newer versions, for an iterator that older ones do not have.
#if THRUST_VERSION >= 300500
template <class Value>
using constant_iterator = ::cuda::constant_iterator<Value>;
#else
template <class Value>
using constant_iterator = thrust::constant_iterator<Value>;
#endif
template <class Value>
constant_iterator<Value> make_constant_iterator(const Value& value)
{
  return constant_iterator<Value>(value);
}

/// What so many items from the iterator's on are read from, as far as that is known, goes to the L2 cache ahead of the
/// loads through the iterator. By one thread.
template <class Context, class Iterator>
GIMBAL_DEVICE void fetch_ahead(Context& ctx, const Iterator& iterator, index_type items)
{
  base_arrays<Iterator>::visit(iterator, items, [&](const auto* array) {
    ctx.fetch_ahead(array, static_cast<std::size_t>(items) * sizeof(*array));
  });
}

/// True unless one has none, or all memory of n items of each is known, and none of one lies within that of the other.
template <class A, class B>
bool may_overlap(const A& a, const B& b, index_type n)
{
  if constexpr (base_arrays<A>::are_none || base_arrays<B>::are_none) {
    return false;
  } else if constexpr (base_arrays<A>::are_all && base_arrays<B>::are_all) {
    bool overlap = false;
    base_arrays<A>::visit(a, n, [&](const auto* x) {
      base_arrays<B>::visit(b, n, [&](const auto* y) {
        const auto address = [](const auto* p) { return reinterpret_cast<std::uintptr_t>(p); };
        overlap = overlap || (address(x) < address(y + n) && address(y) < address(x + n));
      });
    });
    return overlap;
  } else {
    return true;
  }
}

// ---- iterators that gather

/// What an iterator does beside reading arrays in order: some of what it reads is scattered in memory; the positions of
/// that come from no array but are computed, as from a counting iterator, which takes warps where a list takes cache;
/// it has a function that may gather, too.
enum scattered : unsigned { gathered = 1, with_computed_places = 2, by_a_function = 4 };
template <class Iterator>
inline constexpr unsigned scattered_of_v = 0;
template <class Element, class Place>
inline constexpr unsigned scattered_of_v<thrust::permutation_iterator<Element, Place>> =
  gathered | (::cuda::std::is_pointer<block::raw_iterator_t<Place>>::value ? 0 : with_computed_places);
template <class Function, class Iterator, class Reference, class Value>
inline constexpr unsigned scattered_of_v<thrust::transform_iterator<Function, Iterator, Reference, Value>> =
  scattered_of_v<Iterator> | (may_point_v<Function> ? by_a_function : 0);
template <class... Iterators>
inline constexpr unsigned scattered_of_v<thrust::zip_iterator<::cuda::std::tuple<Iterators...>>> =
  (scattered_of_v<Iterators> | ...);
#if THRUST_VERSION >= 300500
template <class Element, class Place>
inline constexpr unsigned scattered_of_v<::cuda::permutation_iterator<Element, Place>> =
  scattered_of_v<thrust::permutation_iterator<Element, Place>>;
template <class Function, class Iterator>
inline constexpr unsigned scattered_of_v<::cuda::transform_iterator<Function, Iterator>> =
  scattered_of_v<thrust::transform_iterator<Function, Iterator>>;
template <class... Iterators>
inline constexpr unsigned scattered_of_v<::cuda::zip_iterator<Iterators...>> = (scattered_of_v<Iterators> | ...);
#endif

template <class Iterator>
inline constexpr bool gathers_v = (scattered_of_v<Iterator> & gathered) != 0;
template <class Iterator>
inline constexpr bool computes_places_v = (scattered_of_v<Iterator> & with_computed_places) != 0;
/// True where an iterator may gather, as far as its type tells.
template <class Iterator>
inline constexpr bool may_gather_v = (scattered_of_v<Iterator> & (gathered | by_a_function)) != 0;

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
/// whose result `put(i, fetched)` stores: a tile's threads fetch several before they put the first (store_run), so
/// that their loads are under way together. What is fetched must not depend on what is put for other items. Scans with
/// such outputs are not persistent: many small blocks hide the loads' latency, which few large ones do not.
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
  GIMBAL_HOST_DEVICE output_by_function& operator+=(index_type i)
  {
    at_ += i;
    return *this;
  }
  GIMBAL_HOST_DEVICE friend output_by_function operator+(output_by_function it, index_type i) { return it += i; }
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
