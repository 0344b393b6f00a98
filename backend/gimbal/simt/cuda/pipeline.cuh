// The CUDA half of what warps of a block use to hand work to each other without a block barrier: phase barriers, bulk
// copies into shared memory, stores of 16 bytes. host/pipeline.h offers the same members.
//
// Phase barriers and bulk copies need sm_90. In code for older GPUs a kernel with `copies_in_bulk`, as those are that
// use them, has no body, and expected_blocks returns that none of its blocks can run.
#pragma once

#include <gimbal/simt/config.h>

#include <gimbal/simt/value.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// In shared memory, initialised by one thread before a block barrier. Phases count from 0; one is complete when as
/// many threads have arrived as init() was given and every byte announced has landed. A wait names the phase by its
/// parity, so a thread may lag by at most one phase.
struct phase_barrier {
  std::uint64_t state;
};

/// Whether memory that a block has copied into shared memory needs releases and acquires before another block that
/// learns so from a dependent word may overwrite it. Here it does not: a copy that its barrier has reported complete
/// has bound every value it brought, stores are never done ahead of the branches and values they depend on, and so none
/// of another block that depends on such a word can be what the copy reads. The same holds for a load on whose value
/// the word itself depends.
inline constexpr bool reuse_needs_order = false;

/// The order of loads that poll what another block releases, before acquire_polled(). Acquiring loads wait for each
/// other.
inline constexpr auto poll_order = ::cuda::std::memory_order_relaxed;

/// Whether a block may load what it may not need, while others write there, if it does not look at it then.
inline constexpr bool may_load_on_a_guess = true;

class cuda_pipeline {
public:
  __device__ void init(phase_barrier& barrier, unsigned arrivals) const
  {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");  // also before bulk copies name it
  }

  /// The end of a barrier: afterwards init() may make a new one there. Nobody waits at it, and all bytes announced have
  /// landed.
  __device__ void invalidate(phase_barrier& barrier) const
  {
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
  }

  /// Releases what this thread did before to those whose wait for the current phase returns.
  __device__ void arrive(phase_barrier& barrier) const
  {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
  }

  /// The same, and the phase is not complete before bulk copies have brought another `bytes`.
  __device__ void arrive_expecting(phase_barrier& barrier, unsigned bytes) const
  {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
                 : "memory");
  }

  /// Waits for the end of the phase with this parity; of a new barrier the phase "before the first" has parity 1 and is
  /// complete. Acquires what the arriving threads released and the bytes that were copied.
  __device__ void wait(phase_barrier& barrier, unsigned parity) const
  {
    unsigned is_complete = 0;
    while (is_complete == 0) {
      asm volatile(
        "{\n"
        "  .reg .pred done;\n"
        "  mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "  selp.u32 %0, 1, 0, done;\n"
        "}"
        : "=r"(is_complete)
        : "r"(shared_address(&barrier)), "r"(parity)
        : "memory");
    }
  }

  /// Whether wait() would return at once; if so, acquires as it does.
  __device__ bool is_complete(phase_barrier& barrier, unsigned parity) const
  {
    unsigned is_complete = 0;
    asm volatile(
      "{\n"
      "  .reg .pred done;\n"
      "  mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
      "  selp.u32 %0, 1, 0, done;\n"
      "}"
      : "=r"(is_complete)
      : "r"(shared_address(&barrier)), "r"(parity)
      : "memory");
    return is_complete != 0;
  }

  /// Starts copying `bytes` bytes from global to shared memory; they count towards the current phase of `barrier`. Both
  /// addresses and the size are multiples of 16.
  __device__ void bulk_load(void* target, const void* source, unsigned bytes, phase_barrier& barrier) const
  {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(target)),
                 "l"(__cvta_generic_to_global(source)), "r"(bytes), "r"(shared_address(&barrier))
                 : "memory");
  }

  /// Starts copying `bytes` bytes from shared to global memory. Both addresses and the size are multiples of 16.
  __device__ void bulk_store(void* target, const void* source, unsigned bytes) const
  {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(target)),
                 "r"(shared_address(source)), "r"(bytes)
                 : "memory");
  }
  /// Waits until all that this thread has given to bulk_store() has been read from shared memory.
  __device__ void wait_for_bulk_reads() const
  {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
  /// Waits until it has also been written: to be called before the thread ends.
  __device__ void wait_for_bulk_stores() const
  {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }

  /// Starts copying a value from global to shared memory. The calling thread has it there after wait_copies().
  template <class Value>
  __device__ void copy_async(uninit<Value>& target, const Value* source) const
  {
#if __CUDA_ARCH__ >= 800
    if constexpr (alignof(Value) % 4 == 0) {
      constexpr unsigned part = alignof(Value) < 16 ? alignof(Value) : 16;
      const unsigned to = shared_address(&target);
      const auto from = reinterpret_cast<const char*>(source);
      _Pragma("unroll") for (unsigned at = 0; at < sizeof(Value); at += part)
      {
        // No clobber: the compiler need not fetch again what it knows; barriers and the wait order other accesses.
        asm volatile(
          "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to + at), "l"(__cvta_generic_to_global(from + at)),
          "n"(part));
      }
      return;
    }
#endif
    target.set(*source);
  }
  /// Waits for the values that the calling thread copies.
  __device__ void wait_copies() const
  {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }

  /// To be called between a thread's own accesses to shared memory and its arrival at the barrier after which a bulk
  /// copy refills that memory, or reads it.
  __device__ void bulk_fence() const { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

  /// 16 bytes to global memory, at an address that is a multiple of 16.
  __device__ void store_vector(void* target, const vector16& v) const
  {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(target)), "r"(v.word[0]),
                 "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
                 : "memory");
  }

private:
  static __device__ unsigned shared_address(const void* p)
  {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
  }
};

}  // namespace simt

GIMBAL_NAMESPACE_END
