// What the device-wide calls share: checks of counts and value types, and type deduction by CUB's rules.
#pragma once

#include <cuda/std/iterator>
#include <cuda/std/type_traits>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

/// What a device-wide call returns: cudaError_t on the GPU, an enumeration of the same names on the host executor.
using simt::error_code;
using simt::stream_type;

namespace device_wide {

template <class It>
using value_of = typename ::cuda::std::iterator_traits<It>::value_type;

template <class T>
inline constexpr bool is_count_v = ::cuda::std::is_integral<T>::value
                                   && !::cuda::std::is_same<::cuda::std::remove_cv_t<T>, bool>::value && sizeof(T) <= 8;

/// Constrains the overloads that differ only in the place of the count.
template <class NumItems>
using if_count = ::cuda::std::enable_if_t<is_count_v<NumItems>, int>;

/// A count the kernels can take: not negative and, where the type is unsigned, below 2^63.
template <class NumItems>
bool is_valid_count(NumItems num_items)
{
  static_assert(is_count_v<NumItems>, "gimbal: num_items must be an integer of at most 8 bytes, and not bool");
  return static_cast<index_type>(num_items) >= 0;
}

template <class Value>
constexpr void require_supported_value()
{
  static_assert(
    simt::is_supported_value_v<Value>,
    "gimbal: device-wide calls take values of at most 128 bytes that survive a bytewise copy: trivially "
    "copyable types, tuples, pairs and complex numbers of such, or types named with "
    "THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE");
}

}  // namespace device_wide

GIMBAL_NAMESPACE_END
