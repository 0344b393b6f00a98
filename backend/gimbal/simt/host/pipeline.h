// The host half of phase barriers and bulk copies: the members of cuda/pipeline.cuh for a thread that is a fiber of the
// host executor.
//
// Under random and priority schedules a bulk copy happens at some later time, so that a missing wait shows. Under
// ThreadSanitizer, and in order, the calling thread copies at once: then the sanitizer sees the access.
#pragma once

#include <gimbal/simt/host/executor.h>

#include <cuda/std/atomic>
#include <gimbal/simt/value.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

using executor::phase_barrier;

/// On a host processor it does (see cuda/pipeline.cuh), and ThreadSanitizer checks that.
inline constexpr bool reuse_needs_order = true;

/// ThreadSanitizer knows no fences.
inline constexpr auto poll_order = ::cuda::std::memory_order_acquire;

/// Not under ThreadSanitizer, to which that is a race.
#ifdef __SANITIZE_THREAD__
inline constexpr bool may_load_on_a_guess = false;
#else
inline constexpr bool may_load_on_a_guess = true;
#endif

class host_pipeline {
public:
  explicit host_pipeline(executor::thread_record& self) : self_(self) {}

  void init(phase_barrier& barrier, unsigned arrivals) const { executor::init_barrier(barrier, arrivals); }
  void invalidate(phase_barrier& barrier) const { executor::end_barrier(self_, barrier); }
  void arrive(phase_barrier& barrier) const { executor::arrive(self_, barrier, 0); }
  void arrive_expecting(phase_barrier& barrier, unsigned bytes) const { executor::arrive(self_, barrier, bytes); }
  void wait(phase_barrier& barrier, unsigned parity) const { executor::wait_phase(self_, barrier, parity); }
  bool is_complete(phase_barrier& barrier, unsigned parity) const
  {
    return executor::test_phase(self_, barrier, parity);
  }

  void bulk_load(void* target, const void* source, unsigned bytes, phase_barrier& barrier) const
  {
    executor::check_bulk_copy(self_, target, source, bytes);
    if (executor::copies_later(self_)) {
      executor::copy_later(self_, target, source, bytes, barrier);
    } else {
      copy_words(target, source, bytes / sizeof(word));
      executor::complete_bytes(self_, barrier, bytes);
    }
  }
  void bulk_store(void* target, const void* source, unsigned bytes) const
  {
    executor::check_bulk_copy(self_, source, target, bytes);
    copy_words(target, source, bytes / sizeof(word));
  }
  void wait_for_bulk_reads() const {}
  void wait_for_bulk_stores() const {}
  void bulk_fence() const {}

  template <class Value>
  void copy_async(uninit<Value>& target, const Value* source) const
  {
    target.set(*source);
  }
  void wait_copies() const {}

  void store_vector(void* target, const vector16& v) const
  {
    executor::check_vector(self_, target);
    copy_words(target, &v, sizeof v / sizeof(word));
  }

protected:
  /// A call of memcpy that the compiler expands would be hidden from ThreadSanitizer.
  using word [[gnu::may_alias]] = std::uint64_t;
  static void copy_words(void* target, const void* source, std::size_t words)
  {
    for (std::size_t w = 0; w < words; ++w) {
      static_cast<word*>(target)[w] = static_cast<const word*>(source)[w];
      asm volatile("" ::: "memory");  // keeps the loop from becoming one
    }
  }

  executor::thread_record& self_;
};

}  // namespace simt

GIMBAL_NAMESPACE_END
