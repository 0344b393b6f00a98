// Unsigned integers by their size, and counts of bits as unsigned numbers, as ranks and indices are. Those of the
// standard library are int.
#pragma once

#include <gimbal/simt/config.h>

#include <cstdint>
#include <cuda/std/bit>
#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

#if GIMBAL_HAS_INT128
using widest_unsigned = __uint128_t;
#else
using widest_unsigned = void;
#endif
/// The unsigned integer of `Bytes` bytes, a power of two up to 16.
template <std::size_t Bytes>
using unsigned_of_size = ::cuda::std::conditional_t<
  Bytes == 1, std::uint8_t,
  ::cuda::std::conditional_t<
    Bytes == 2, std::uint16_t,
    ::cuda::std::conditional_t<
      Bytes == 4, std::uint32_t, ::cuda::std::conditional_t<Bytes == 8, std::uint64_t, widest_unsigned>>>>;

template <class Word>
constexpr GIMBAL_HOST_DEVICE unsigned popcount(Word word)
{
  return static_cast<unsigned>(::cuda::std::popcount(word));
}
template <class Word>
constexpr GIMBAL_HOST_DEVICE unsigned bit_width(Word word)
{
  return static_cast<unsigned>(::cuda::std::bit_width(word));
}
template <class Word>
constexpr GIMBAL_HOST_DEVICE unsigned countl_zero(Word word)
{
  return static_cast<unsigned>(::cuda::std::countl_zero(word));
}
template <class Word>
constexpr GIMBAL_HOST_DEVICE unsigned countr_zero(Word word)
{
  return static_cast<unsigned>(::cuda::std::countr_zero(word));
}

}  // namespace simt

GIMBAL_NAMESPACE_END
