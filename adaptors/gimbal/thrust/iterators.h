// Iterators that turn a Thrust call's arguments into what the kernels take.
#pragma once

#include <gimbal/described_iterator.h>
#include <gimbal/tile/functors.h>
#include <gimbal/tile/iterators.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <gimbal/tile/array_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class Iterator>
using value_of = value_type_of<Iterator>;

/// The type that a function's results have as items of an algorithm's input.
template <class F, class... InputIts>
using result_value = ::cuda::std::decay_t<thrust::detail::invoke_result_t<F, value_of<InputIts>...>>;

template <class Reference>
struct held_by_reference {
  using type = void;
};
template <class T>
struct held_by_reference<T&> {
  using type = ::cuda::std::conditional_t<::cuda::std::is_arithmetic<T>::value, T, void>;
};

/// A raw pointer for a contiguous iterator, so that fewer kernels are instantiated; any other iterator as kernels take
/// it.
template <class Iterator>
auto unwrap(Iterator it)
{
  if constexpr (::cuda::std::is_pointer_v<block::raw_iterator_t<Iterator>>) {
    return block::raw_iterator(it);
  } else {
    return adaptor::described(block::raw_iterator(it));
  }
}

/// What an output holds, where its references show that; void for one that makes something of the values that it is
/// given, or discards them. No other type of an output iterator shows what it should be given.
template <class OutputIt>
using held_value = typename held_by_reference<decltype(*adaptor::unwrap(::cuda::std::declval<OutputIt>()))>::type;

template <class T>
inline constexpr bool is_count_v =
  ::cuda::std::is_integral<T>::value && !::cuda::std::is_same<::cuda::std::remove_cv_t<T>, bool>::value;

/// True where functions of an array's items are given copies, as references are proxies.
template <class Iterator>
inline constexpr bool gives_copies_of_array =
  ::cuda::std::is_pointer_v<block::raw_iterator_t<
    Iterator>> && !::cuda::std::is_reference_v<typename cuda_iterator_traits<Iterator>::reference>;

/// The items from `it` on, each passed through `f` and converted to Value. `GivesCopies`: by stock, too, `f` is given
/// copies of items that a pointer names, as it always is where references are proxies.
template <class Value, bool GivesCopies = false, class Iterator, class F>
auto transformed(Iterator it, F f)
{
  constexpr bool gives_copies = gives_copies_of_array<Iterator> || (GivesCopies && ::cuda::std::is_pointer_v<Iterator>);
  using function = ::cuda::std::conditional_t<gives_copies, block::of_copies<F>, F>;
  return thrust::transform_iterator<function, decltype(adaptor::unwrap(it)), Value, Value>(
    adaptor::unwrap(it), function{f});
}

/// How many bytes are read for each item.
template <class Iterator>
struct read_bytes : ::cuda::std::integral_constant<std::size_t, sizeof(value_of<Iterator>)> {
};
template <class F, class Base, class Reference, class Value>
struct read_bytes<thrust::transform_iterator<F, Base, Reference, Value>> : read_bytes<Base> {
};

/// The items of two ranges, pairwise.
template <class Iterator1, class Iterator2>
auto zipped(Iterator1 it1, Iterator2 it2)
{
  return thrust::make_zip_iterator(thrust::make_tuple(adaptor::unwrap(it1), adaptor::unwrap(it2)));
}

/// What `f` makes of the items of two ranges, pairwise, converted to Value.
template <class Value, class Iterator1, class Iterator2, class F>
auto transformed_pairs(Iterator1 it1, Iterator2 it2, F f)
{
  using function = ::cuda::std::conditional_t<
    gives_copies_of_array<Iterator1> && gives_copies_of_array<Iterator2>, block::of_copies<F>, F>;
  auto pairs = adaptor::zipped(it1, it2);
  return thrust::transform_iterator<function, decltype(pairs), Value, Value>(pairs, function{f});
}

/// Elements in [first, last) of random access iterators; an inverted range counts as empty, as in stock.
template <class Iterator>
index_type length(Iterator first, Iterator last)
{
  const auto n = static_cast<index_type>(last - first);
  return n < 0 ? 0 : n;
}

}  // namespace adaptor

GIMBAL_NAMESPACE_END
