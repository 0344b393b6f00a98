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

}  // namespace simt

GIMBAL_NAMESPACE_END
