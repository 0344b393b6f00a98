// Whether two ranges may have bytes in common.
#pragma once

#include <gimbal/simt/config.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <cstdint>
#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// True of an iterator whose items are computed from their numbers alone: a count, a constant, or what a function makes of
/// these that is too small to hold an address.
template <class Iterator>
inline constexpr bool reads_no_memory_v = false;
template <class Value, class System, class Traversal, class Difference>
inline constexpr bool reads_no_memory_v<thrust::counting_iterator<Value, System, Traversal, Difference>> = true;
template <class Value, class Number, class System>
inline constexpr bool reads_no_memory_v<thrust::constant_iterator<Value, Number, System>> = true;
template <class Function, class Iterator, class Reference, class Value>
inline constexpr bool reads_no_memory_v<thrust::transform_iterator<Function, Iterator, Reference, Value>> =
  reads_no_memory_v<Iterator> && sizeof(Function) < sizeof(void*);

/// True unless one reads no memory, or both are plain memory and no item of one lies within the other.
template <class A, class B>
bool may_overlap(A a, B b, index_type n)
{
  using raw_a = thrust::try_unwrap_contiguous_iterator_t<A>;
  using raw_b = thrust::try_unwrap_contiguous_iterator_t<B>;
  if constexpr (reads_no_memory_v<A> || reads_no_memory_v<B>) {
    return false;
  } else if constexpr (::cuda::std::is_pointer<raw_a>::value && ::cuda::std::is_pointer<raw_b>::value) {
    const raw_a first_a = thrust::try_unwrap_contiguous_iterator(a);
    const raw_b first_b = thrust::try_unwrap_contiguous_iterator(b);
    const auto begin_a = reinterpret_cast<std::uintptr_t>(first_a);
    const auto begin_b = reinterpret_cast<std::uintptr_t>(first_b);
    return begin_a < begin_b + n * sizeof(*first_b) && begin_b < begin_a + n * sizeof(*first_a);
  } else {
    return true;
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
