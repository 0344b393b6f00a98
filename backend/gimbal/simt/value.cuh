// Values the kernels can hold: which types qualify, raw storage for them, and copies word by word.
//
// Kernels keep values in uninitialised shared and local arrays and pass them between lanes as words, so a value type
// must survive a bytewise copy. Trivially copyable types do; so do tuples and pairs of such types and complex numbers,
// whose copy functions are user-provided yet bytewise; other types may opt in with
// thrust::proclaim_trivially_relocatable.
#pragma once

#include <cuda/std/__fwd/complex.h>  // all headers of complex numbers would be a tenth of what gimbal adds to a program
#include <gimbal/simt/config.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>
#include <thrust/type_traits/is_trivially_relocatable.h>

#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

THRUST_NAMESPACE_BEGIN
template <typename T>
struct complex;
THRUST_NAMESPACE_END

GIMBAL_NAMESPACE_BEGIN

namespace simt {

template <class T>
struct is_bytewise_copyable
    : ::cuda::std::bool_constant<
        ::cuda::std::is_trivially_copyable<T>::value || thrust::is_trivially_relocatable<T>::value> {
};
template <class... Ts>
struct is_bytewise_copyable<::cuda::std::tuple<Ts...>> : ::cuda::std::conjunction<is_bytewise_copyable<Ts>...> {
};
template <class First, class Second>
struct is_bytewise_copyable<::cuda::std::pair<First, Second>>
    : ::cuda::std::conjunction<is_bytewise_copyable<First>, is_bytewise_copyable<Second>> {
};
template <class T>
struct is_bytewise_copyable<::cuda::std::complex<T>> : ::cuda::std::true_type {
};
template <class T>
struct is_bytewise_copyable<thrust::complex<T>> : ::cuda::std::true_type {
};

/// Largest value, in bytes, that tiles in shared memory are laid out for. Larger values fall back to stock.
inline constexpr std::size_t largest_value_bytes = 128;

/// True for every value type the kernels take: an object type, copied bytewise, of at most `largest_value_bytes`.
template <class T>
inline constexpr bool is_supported_value_v =
  ::cuda::std::is_object<T>::value && !::cuda::std::is_array<T>::value && is_bytewise_copyable<T>::value
  && ::cuda::std::is_copy_constructible<T>::value && ::cuda::std::is_trivially_destructible<T>::value
  && sizeof(T) <= largest_value_bytes;

/// 16 bytes, which are moved at once and may represent values of any type.
struct __attribute__((may_alias, aligned(16))) vector16 {
  std::uint32_t word[4];
};

/// Storage for one T without constructing it; for shared memory and register arrays of types without a default
/// constructor. `get()` reads what `set()` wrote. Copied as a T: nvcc would move an array of bytes byte by byte.
template <class T>
struct uninit {
  alignas(T) unsigned char bytes[sizeof(T)];

  uninit() = default;
  GIMBAL_HOST_DEVICE uninit(const uninit& other) { set(other.get()); }
  GIMBAL_HOST_DEVICE uninit& operator=(const uninit& other)
  {
    set(other.get());
    return *this;
  }

  GIMBAL_HOST_DEVICE T& get() { return *reinterpret_cast<T*>(bytes); }
  GIMBAL_HOST_DEVICE const T& get() const { return *reinterpret_cast<const T*>(bytes); }
  GIMBAL_HOST_DEVICE void set(const T& value) { ::new (static_cast<void*>(bytes)) T(value); }
};

/// True for integers of 128 bits: if they are put together from words, or taken apart, by way of memory, nvcc leaves
/// them there.
template <class T>
inline constexpr bool is_wide_integer_v = ::cuda::std::is_integral<T>::value && sizeof(T) == 16;

/// `takes` ? first : second, in registers: nvcc would choose between the addresses of two structs, which puts both into
/// memory.
template <class T>
GIMBAL_HOST_DEVICE uninit<T> choose(bool takes, const uninit<T>& first, const uninit<T>& second)
{
  if constexpr (::cuda::std::is_arithmetic<T>::value) {
    return takes ? first : second;  // for the numbers themselves nvcc makes branches
  } else {
    uninit<T> chosen;
    constexpr unsigned whole_words = sizeof(T) / sizeof(std::uint32_t);
    GIMBAL_UNROLL
    for (unsigned w = 0; w != whole_words; ++w) {
      const unsigned at = w * sizeof(std::uint32_t);
      std::uint32_t a;
      std::uint32_t b;
      std::memcpy(&a, first.bytes + at, sizeof(a));
      std::memcpy(&b, second.bytes + at, sizeof(b));
      a = takes ? a : b;
      std::memcpy(chosen.bytes + at, &a, sizeof(a));
    }
    GIMBAL_UNROLL
    for (unsigned at = whole_words * sizeof(std::uint32_t); at < sizeof(T); ++at) {
      chosen.bytes[at] = takes ? first.bytes[at] : second.bytes[at];
    }
    return chosen;
  }
}

}  // namespace simt

using simt::choose;
using simt::uninit;

GIMBAL_NAMESPACE_END
