// Counts comparisons that hold, by instructions that do not wait for each other's unit: a comparison and an addition of
// integers take turns on the same half-wide unit, an addition of floating-point numbers does not.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// Adds 1 to `count` where a < b. Exact up to 2^24. Words of 4 or 8 bytes.
template <class Word>
GIMBAL_DEVICE void count_less(float& count, Word a, Word b)
{
#if GIMBAL_GPU
  if constexpr (sizeof(Word) == 4) {
    asm(
      "{\n"
      "  .reg .pred is_less;\n"
      "  setp.lt.u32 is_less, %1, %2;\n"
      "  @is_less add.f32 %0, %0, 0f3F800000;\n"
      "}"
      : "+f"(count)
      : "r"(a), "r"(b));
  } else {
    asm(
      "{\n"
      "  .reg .pred is_less;\n"
      "  setp.lt.u64 is_less, %1, %2;\n"
      "  @is_less add.f32 %0, %0, 0f3F800000;\n"
      "}"
      : "+f"(count)
      : "l"(a), "l"(b));
  }
#else
  count += a < b ? 1.0f : 0.0f;
#endif
}

/// Two numbers below 2^10 in the halves of a word: each is added to 2^10 in 16-bit floating point, whose low bits it
/// then is.
struct number_pair {
  static constexpr std::uint32_t base = 0x6400;  // of 2^10
  std::uint32_t halves;

  static GIMBAL_DEVICE number_pair both(unsigned number) { return {(base | number) * 0x10001u}; }
  GIMBAL_DEVICE unsigned sum() const { return (halves & 0xffffu) + (halves >> 16) - 2 * base; }
};

/// Adds 1 to each half of `counts` where that of a is less than that of b. Counts must stay below 2^10.
GIMBAL_DEVICE void count_less(number_pair& counts, number_pair a, number_pair b)
{
#if GIMBAL_GPU
  // The difference of two integers is 0 or less, or 1 or more: held between 0 and 1 it is the comparison's result.
  asm(
    "{\n"
    "  .reg .b32 is_less;\n"
    "  sub.sat.f16x2 is_less, %2, %1;\n"
    "  add.f16x2 %0, %0, is_less;\n"
    "}"
    : "+r"(counts.halves)
    : "r"(a.halves), "r"(b.halves));
#else
  counts.halves += (a.halves & 0xffffu) < (b.halves & 0xffffu) ? 1u : 0u;
  counts.halves += (a.halves >> 16) < (b.halves >> 16) ? 0x10000u : 0u;
#endif
}

}  // namespace simt

GIMBAL_NAMESPACE_END
