// Which lanes of a warp agree in the low bits of a value, for few bits: one vote per bit. For up to about ten bits that
// takes fewer cycles than match_any.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// Mask of the lanes whose `value` has the same low `Bits` bits as this lane's. To be called by the whole warp.
template <unsigned Bits, class Context>
GIMBAL_DEVICE unsigned match_bits(const Context& ctx, unsigned value)
{
#if GIMBAL_GPU
  (void)ctx;
  unsigned peers = full_mask;
  GIMBAL_UNROLL
  for (unsigned b = 0; b < Bits; ++b) {
    // In C++ the compiler materialises the predicate twice; written so, it moves all bits to predicates at once.
    unsigned agreeing;
    asm volatile(
      "{\n"
      "  .reg .pred is_set;\n"
      "  and.b32 %0, %1, %2;\n"
      "  setp.ne.u32 is_set, %0, 0;\n"
      "  vote.sync.ballot.b32 %0, is_set, 0xffffffff;\n"
      "  @!is_set not.b32 %0, %0;\n"
      "}"
      : "=r"(agreeing)
      : "r"(value), "r"(1u << b));
    peers &= agreeing;
  }
  return peers;
#else
  return ctx.match_any(value & ((1u << Bits) - 1));
#endif
}

}  // namespace simt

GIMBAL_NAMESPACE_END
