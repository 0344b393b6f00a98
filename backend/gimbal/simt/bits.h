// Counts of bits as unsigned numbers, which ranks and places are. The standard's are int.
#pragma once

#include <gimbal/simt/config.h>

#include <cuda/std/bit>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

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
