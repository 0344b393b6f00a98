// Words that hold several small integers: instructions that work on all of them at once, and what they mean in C++.
#pragma once

#include <gimbal/simt/config.h>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// `sum` + the four bytes of `word`.
template <bool IsSigned>
GIMBAL_DEVICE std::uint32_t add_bytes(std::uint32_t word, std::uint32_t sum)
{
#if GIMBAL_GPU
  if constexpr (IsSigned) {
    return static_cast<std::uint32_t>(__dp4a(static_cast<int>(word), 0x01010101, static_cast<int>(sum)));
  } else {
    return __dp4a(word, 0x01010101u, sum);
  }
#else
  for (unsigned b = 0; b < 4; ++b) {
    const std::uint32_t byte = word >> 8 * b & 0xff;
    sum += IsSigned && byte >= 0x80 ? byte - 0x100 : byte;
  }
  return sum;
#endif
}

/// `sum` + the two halves of `word`.
template <bool IsSigned>
GIMBAL_DEVICE std::uint32_t add_halves(std::uint32_t word, std::uint32_t sum)
{
#if GIMBAL_GPU
  if constexpr (IsSigned) {
    return static_cast<std::uint32_t>(__dp2a_lo(static_cast<int>(word), 0x0101, static_cast<int>(sum)));
  } else {
    return __dp2a_lo(word, 0x0101u, sum);
  }
#else
  for (unsigned h = 0; h < 2; ++h) {
    const std::uint32_t half = word >> 16 * h & 0xffff;
    sum += IsSigned && half >= 0x8000 ? half - 0x10000 : half;
  }
  return sum;
#endif
}

/// The bytes of `low` (0 to 3) and `high` (4 to 7) that the hexadecimal digits of `selector` name, the lowest first.
GIMBAL_DEVICE std::uint32_t select_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector)
{
#if GIMBAL_GPU
  return __byte_perm(low, high, selector);
#else
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  std::uint32_t selected = 0;
  for (unsigned b = 0; b < 4; ++b) {
    selected |= static_cast<std::uint32_t>(both >> 8 * (selector >> 4 * b & 7) & 0xff) << 8 * b;
  }
  return selected;
#endif
}

}  // namespace simt

GIMBAL_NAMESPACE_END
