// Iterators that only cuda::std::iterator_traits knows, as CCCL requires of its users; iterators of C++20 that have
// random access by their concept alone; and outputs that name no value.
//
// The iterator adaptors of CCCL 3.0 (transform, zip, reverse) use std::iterator_traits, and a zip iterator of any
// version makes tuples of values and references, even where it is only written to; and all of them depend on the
// category. Calls put such adaptors around what they are given. So kernels get a described_iterator of it, which names
// all types itself and does what the iterator does.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>

#include <cuda/std/iterator>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <iterator>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class Iterator>
using category_of = typename cuda_iterator_traits<Iterator>::iterator_category;
template <class Iterator>
using traversal_of_category = typename thrust::detail::iterator_category_to_traversal<category_of<Iterator>>::type;

template <class Iterator, class = void>
inline constexpr bool has_random_access_category_v = false;
template <class Iterator>
inline constexpr bool has_random_access_category_v<Iterator, ::cuda::std::void_t<category_of<Iterator>>> =
  ::cuda::std::is_convertible_v<traversal_of_category<Iterator>, thrust::random_access_traversal_tag>;

/// True also for iterators of C++20, whose category reflects that their references are no references, and whose concept
/// shows what they can do.
template <class Iterator, class = void>
inline constexpr bool has_random_access_concept_v = false;
template <class Iterator>
inline constexpr bool has_random_access_concept_v<Iterator, ::cuda::std::void_t<typename Iterator::iterator_concept>> =
  ::cuda::std::disjunction_v<
    ::cuda::std::is_convertible<typename Iterator::iterator_concept, ::std::random_access_iterator_tag>,
    ::cuda::std::is_convertible<typename Iterator::iterator_concept, ::cuda::std::random_access_iterator_tag>>;

/// False also for what no traits know.
template <class Iterator>
inline constexpr bool is_random_access_v =
  has_random_access_category_v<Iterator> || has_random_access_concept_v<Iterator>;

/// True if the standard library's traits agree with CCCL's, name a value and a reference, and show random access.
template <class Iterator, class = void>
inline constexpr bool is_described_v = false;
template <class Iterator>
inline constexpr bool
  is_described_v<Iterator, ::cuda::std::void_t<typename ::std::iterator_traits<Iterator>::iterator_category>> =
    ::cuda::std::conjunction_v<
      ::cuda::std::bool_constant<has_random_access_category_v<Iterator>>,
      ::cuda::std::is_same<typename ::std::iterator_traits<Iterator>::value_type, value_type_of<Iterator>>,
      ::cuda::std::negation<::cuda::std::is_void<value_type_of<Iterator>>>,
      ::cuda::std::negation<::cuda::std::is_void<typename ::std::iterator_traits<Iterator>::reference>>>;

template <class Iterator, class = void>
inline constexpr bool has_brackets_v = false;
template <class Iterator>
inline constexpr bool has_brackets_v<
  Iterator,
  ::cuda::std::enable_if_t<::cuda::std::is_same_v<
    decltype(::cuda::std::declval<const Iterator&>()[0]), decltype(*::cuda::std::declval<const Iterator&>())>>> = true;

template <class Iterator>
class described_iterator {
public:
  using reference = decltype(*::cuda::std::declval<const Iterator&>());
  using value_type = ::cuda::std::conditional_t<
    ::cuda::std::is_void_v<value_type_of<Iterator>>, ::cuda::std::decay_t<reference>, value_type_of<Iterator>>;
  using difference_type = typename cuda_iterator_traits<Iterator>::difference_type;
  using pointer = void;
  using iterator_category = ::std::random_access_iterator_tag;

  described_iterator() = default;
  _CCCL_EXEC_CHECK_DISABLE
  explicit GIMBAL_HOST_DEVICE described_iterator(Iterator it) : it_(it) {}

  _CCCL_EXEC_CHECK_DISABLE
  GIMBAL_HOST_DEVICE reference operator*() const { return *it_; }
  /// The iterator's own, if it has one: a proxy may refer to its iterator, and would outlive the sum of the two.
  _CCCL_EXEC_CHECK_DISABLE
  GIMBAL_HOST_DEVICE reference operator[](difference_type n) const
  {
    if constexpr (has_brackets_v<Iterator>) {
      return it_[n];
    } else {
      return *(it_ + n);
    }
  }

  _CCCL_EXEC_CHECK_DISABLE
  friend GIMBAL_HOST_DEVICE described_iterator operator+(const described_iterator& it, difference_type n)
  {
    return described_iterator(it.it_ + n);
  }
  friend GIMBAL_HOST_DEVICE described_iterator operator+(difference_type n, const described_iterator& it)
  {
    return it + n;
  }
  friend GIMBAL_HOST_DEVICE described_iterator operator-(const described_iterator& it, difference_type n)
  {
    return it + -n;
  }
  GIMBAL_HOST_DEVICE described_iterator& operator+=(difference_type n) { return *this = *this + n; }
  GIMBAL_HOST_DEVICE described_iterator& operator-=(difference_type n) { return *this = *this - n; }
  GIMBAL_HOST_DEVICE described_iterator& operator++() { return *this += 1; }
  GIMBAL_HOST_DEVICE described_iterator& operator--() { return *this -= 1; }
  GIMBAL_HOST_DEVICE described_iterator operator++(int)
  {
    const described_iterator before = *this;
    ++*this;
    return before;
  }
  GIMBAL_HOST_DEVICE described_iterator operator--(int)
  {
    const described_iterator before = *this;
    --*this;
    return before;
  }

  _CCCL_EXEC_CHECK_DISABLE
  friend GIMBAL_HOST_DEVICE difference_type operator-(const described_iterator& l, const described_iterator& r)
  {
    return l.it_ - r.it_;
  }
  _CCCL_EXEC_CHECK_DISABLE
  friend GIMBAL_HOST_DEVICE bool operator==(const described_iterator& l, const described_iterator& r)
  {
    return l.it_ == r.it_;
  }
  friend GIMBAL_HOST_DEVICE bool operator!=(const described_iterator& l, const described_iterator& r)
  {
    return !(l == r);
  }
  friend GIMBAL_HOST_DEVICE bool operator<(const described_iterator& l, const described_iterator& r)
  {
    return l - r < 0;
  }

private:
  Iterator it_;
};

/// What the kernels are given for an iterator: a described one where the adaptors around it need that, else the same.
/// Sequential algorithms that put adaptors around it, and return none, are given it as well.
template <class Iterator>
GIMBAL_HOST_DEVICE auto described(Iterator it)
{
  if constexpr (is_random_access_v<Iterator> && !is_described_v<Iterator>) {
    return described_iterator<Iterator>(it);
  } else {
    return it;
  }
}

}  // namespace adaptor

GIMBAL_NAMESPACE_END
