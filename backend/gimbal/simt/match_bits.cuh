// Which lanes of a warp agree in the low bits of a value, for few bits: one vote per bit. For up to about ten bits that
// takes fewer cycles than match_any.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// Mask of the lanes whose `value` has the same low `Bits` bits as this lane's. To be called by the whole warp. Seven
/// bits at once take all the predicates that ptxas has. Within code that needs some itself, as loops do, it may fail to
/// compile that (CUDA 13.0, error C7600); with `AmongOthers`, each bit is tested by itself.
template <unsigned Bits, bool AmongOthers = false, class Context>
GIMBAL_DEVICE unsigned match_bits(const Context& ctx, unsigned value)
{
#if GIMBAL_GPU
  (void)ctx;
  unsigned peers = full_mask;
  GIMBAL_UNROLL
  for (unsigned b = 0; b < Bits; ++b) {
    // In C++ the compiler materialises the predicate twice; in this form it moves all bits to predicates at once.
    unsigned agreeing;
    if constexpr (AmongOthers) {
      const int is_set = static_cast<int>(value << (31 - b)) >> 31;  // all bits
      agreeing = ~(__ballot_sync(full_mask, is_set < 0) ^ is_set);
    } else {
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
    }
    peers &= agreeing;
  }
  return peers;
#else
  return ctx.match_any(value & ((1u << Bits) - 1));
#endif
}

}  // namespace simt

GIMBAL_NAMESPACE_END
