// The executor's part in phase barriers and bulk copies. A block stays with one OS thread, so plain variables do for
// what its threads share; annotations show ThreadSanitizer what orders what.
#pragma once

#include <gimbal/simt/host/collectives.h>

#include <cstring>

GIMBAL_NAMESPACE_BEGIN

namespace simt {
namespace executor {

GIMBAL_EXECUTOR_INLINE void init_barrier(phase_barrier& barrier, unsigned arrivals)
{
  barrier.self = &barrier;
  barrier.arrivals = arrivals;
  barrier.pending = arrivals;
  barrier.bytes = 0;
  barrier.phase = 0;
  barrier.first_waiting = nullptr;
}

inline void check_barrier(fiber& self, const phase_barrier& barrier)
{
  if (barrier.self != &barrier) {
    fail(self, "use of a phase barrier that has not been initialised");
  }
}

/// All waiting threads may test again once the phase is complete. They may be too late: by then the barrier may be a
/// phase further on, where the same parity is not complete, just as on a GPU.
inline void complete_phase(block_slot& slot, worker& w, phase_barrier& barrier)
{
  if (barrier.pending != 0 || barrier.bytes != 0) {
    return;
  }
  barrier.pending = barrier.arrivals;
  ++barrier.phase;
  while (barrier.first_waiting != nullptr) {
    fiber* const f = barrier.first_waiting;
    barrier.first_waiting = f->next;
    --slot.at_phase_count;
    w.ready.push(f);
  }
}

GIMBAL_EXECUTOR_INLINE void end_barrier(thread_record& record, phase_barrier& barrier)
{
  fiber& self = static_cast<fiber&>(record);
  check_barrier(self, barrier);
  if (barrier.first_waiting != nullptr || barrier.bytes != 0) {
    fail(self, "the end of a phase barrier at which a thread waits or bytes are to land");
  }
  barrier.self = nullptr;
}

GIMBAL_EXECUTOR_INLINE void arrive(thread_record& record, phase_barrier& barrier, unsigned bytes)
{
  fiber& self = static_cast<fiber&>(record);
  check_barrier(self, barrier);
  if (barrier.pending == 0) {
    fail(self, "more threads arrive at a phase barrier than it was initialised for");
  }
  tsan_release(&barrier.tag[barrier.phase % 2]);
  made_progress(*self.home);
  --barrier.pending;
  barrier.bytes += static_cast<int>(bytes);
  complete_phase(*self.slot, *self.home, barrier);
  if (self.preemptive) {
    preempt(self);
  }
}

GIMBAL_EXECUTOR_INLINE void wait_phase(thread_record& record, phase_barrier& barrier, unsigned parity)
{
  fiber& self = static_cast<fiber&>(record);
  check_barrier(self, barrier);
  while (barrier.phase % 2 == parity) {
    self.next = barrier.first_waiting;
    barrier.first_waiting = &self;
    ++self.slot->at_phase_count;
    wait_until_ready(self);
  }
  tsan_acquire(&barrier.tag[parity]);
  if (self.preemptive) {
    preempt(self);
  }
}

/// This does not count as progress: a thread that only polls must call spin_wait between polls.
GIMBAL_EXECUTOR_INLINE bool test_phase(thread_record& record, phase_barrier& barrier, unsigned parity)
{
  fiber& self = static_cast<fiber&>(record);
  check_barrier(self, barrier);
  const bool is_complete = barrier.phase % 2 != parity;
  if (is_complete) {
    tsan_acquire(&barrier.tag[parity]);
  }
  if (self.preemptive) {
    preempt(self);
  }
  return is_complete;
}

// ---- bulk copies

GIMBAL_EXECUTOR_INLINE void check_bulk_copy(
  thread_record& record, const void* target, const void* source, unsigned bytes)
{
  fiber& self = static_cast<fiber&>(record);
  if ((reinterpret_cast<std::uintptr_t>(target) | reinterpret_cast<std::uintptr_t>(source) | bytes) % 16 != 0) {
    fail(self, "a bulk copy whose addresses and size are not all multiples of 16");
  }
  const char* const shared = static_cast<const char*>(self.slot->shared);
  const char* const to = static_cast<const char*>(target);
  if (to < shared || to + bytes > shared + self.slot->shared_bytes) {
    fail(self, "a bulk copy to memory that is not the block's shared memory");
  }
}

GIMBAL_EXECUTOR_INLINE void check_vector(thread_record& record, const void* address)
{
  if (reinterpret_cast<std::uintptr_t>(address) % 16 != 0) {
    fail(static_cast<fiber&>(record), "an access of 16 bytes at an address that is not a multiple of 16");
  }
}

GIMBAL_EXECUTOR_INLINE void fetch_ahead(
  [[maybe_unused]] thread_record& record, [[maybe_unused]] const void* first, [[maybe_unused]] std::size_t bytes)
{
#if GIMBAL_ASAN
  if (__asan_region_is_poisoned(const_cast<void*>(first), bytes) != nullptr) {
    fail(static_cast<fiber&>(record), "fetching ahead what lies in no array");
  }
#endif
}

GIMBAL_EXECUTOR_INLINE bool copies_later(const thread_record& record) { return record.preemptive && !has_tsan(); }

GIMBAL_EXECUTOR_INLINE void copy_later(
  thread_record& record, void* target, const void* source, unsigned bytes, phase_barrier& barrier)
{
  fiber& self = static_cast<fiber&>(record);
  check_barrier(self, barrier);
  constexpr unsigned late_ones = 4;  // one in this many
  const bool is_late = self.home->random.below(late_ones) == 0;
  self.home->copies.push_back({target, source, bytes, &barrier, self.slot, is_late});
  ++self.slot->copies;
  preempt(self);
}

/// To be called by the thread that has copied.
GIMBAL_EXECUTOR_INLINE void complete_bytes(thread_record& record, phase_barrier& barrier, unsigned bytes)
{
  fiber& self = static_cast<fiber&>(record);
  check_barrier(self, barrier);
  tsan_release(&barrier.tag[barrier.phase % 2]);
  made_progress(*self.home);
  barrier.bytes -= static_cast<int>(bytes);
  complete_phase(*self.slot, *self.home, barrier);
}

inline void finish_copy(worker& w, std::size_t chosen)
{
  const bulk_copy copy = w.copies[chosen];
  w.copies[chosen] = w.copies.back();
  w.copies.pop_back();
  --copy.slot->copies;
  std::memcpy(copy.target, copy.source, copy.bytes);
  made_progress(w);
  copy.barrier->bytes -= static_cast<int>(copy.bytes);
  complete_phase(*copy.slot, w, *copy.barrier);
}

/// Bulk copies end at any time, at the latest when no thread can run otherwise. Some take much longer than others, so
/// that later ones overtake them.
inline void finish_copies(worker& w)
{
  constexpr unsigned chance = 8;
  constexpr unsigned chance_of_late = 256;
  if (!w.copies.empty() && w.random.below(chance) == 0) {
    const std::size_t chosen = w.random.below(w.copies.size());
    if (!w.copies[chosen].is_late || w.random.below(chance_of_late) == 0) {
      finish_copy(w, chosen);
    }
  }
  while (w.ready.empty() && !w.copies.empty()) {
    finish_copy(w, w.random.below(w.copies.size()));
  }
}

}  // namespace executor
}  // namespace simt

GIMBAL_NAMESPACE_END
