// Counts every access to memory. -fsanitize=thread makes the compiler put a call of __tsan_read4(address) or the like
// in front of each access, and of __tsan_atomic32_load and the like in its place. The program is linked without
// ThreadSanitizer's run-time library: this file defines these functions. Global memory (the pool, pinned memory and the
// arrays of the test) comes from one range of addresses and the blocks' shared memory from another, so two comparisons
// say what an access is; everything else (registers that became locals, kernel parameters, the host's own) is not
// counted. The calls of memset, memcpy and aligned_alloc and the executor's entry points are caught by the linker
// (--wrap).
//
// One worker thread runs all fibers in order, so the counts are exact and the same in every run with one compiler.
#include "count.h"

#include <gimbal/simt/host/executor.h>
#include <gimbal/simt/host/schedule.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <unordered_set>

namespace {

constexpr std::size_t range_bytes = std::size_t{1} << 36;

/// Addresses that are handed out one after the other and never again.
class range {
public:
  void* allocate(std::size_t bytes, std::size_t alignment)
  {
    if (begin_ == nullptr) {
      void* const memory =
        mmap(nullptr, range_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) {
        std::perror("mmap");
        std::abort();
      }
      begin_ = static_cast<char*>(memory);
    }
    used_ = (used_ + alignment - 1) / alignment * alignment;
    void* const memory = begin_ + used_;
    used_ += bytes;
    return memory;
  }
  bool holds(const volatile void* address) const
  {
    return static_cast<std::size_t>(static_cast<const volatile char*>(address) - begin_) < range_bytes;
  }

private:
  char* begin_ = nullptr;
  std::size_t used_ = 0;
};

range global;
range shared;
cost::counts now;

constexpr std::uintptr_t sector = 32;        // what a GPU fetches at a time
std::unordered_set<std::uintptr_t> fetched;  // sectors that were fetched ahead and not read yet, by number

void fetch_ahead(const void* first, std::size_t bytes)
{
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  for (std::uintptr_t s = begin / sector; bytes != 0 && s <= (begin + bytes - 1) / sector; ++s) {
    fetched.insert(s);
  }
}

void read(const volatile void* address, std::size_t bytes)
{
  if (global.holds(address)) {
    now.read += static_cast<double>(bytes);
    if (!fetched.empty()) {
      fetched.erase(reinterpret_cast<std::uintptr_t>(address) / sector);
      fetched.erase((reinterpret_cast<std::uintptr_t>(address) + bytes - 1) / sector);
    }
  } else if (shared.holds(address)) {
    now.shared += static_cast<double>(bytes);
  }
}
void write(const volatile void* address, std::size_t bytes)
{
  if (global.holds(address)) {
    now.written += static_cast<double>(bytes);
  } else if (shared.holds(address)) {
    now.shared += static_cast<double>(bytes);
  }
}
void look(const volatile void* address, std::size_t bytes)
{
  if (global.holds(address)) {
    ++now.looks;
    now.looked_at += static_cast<double>(bytes);
  } else if (shared.holds(address)) {
    ++now.shared_atomics;
    now.shared += static_cast<double>(bytes);
  }
}
void atomic(const volatile void* address)
{
  if (global.holds(address)) {
    ++now.atomics;
  } else if (shared.holds(address)) {
    ++now.shared_atomics;
  }
}

}  // namespace

namespace cost {

void* array(std::size_t bytes) { return global.allocate(bytes, 256); }
void start()
{
  now = counts{};
  fetched.clear();
}
counts stop()
{
  now.never_read = static_cast<double>(fetched.size() * sector);
  return now;
}

}  // namespace cost

// The executor asks for aligned memory for two things: the blocks' shared memory, and its own worker threads' state.
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
  using gimbal::simt::executor::worker;
  static range other;
  const bool is_worker = bytes == sizeof(worker) && static_cast<std::size_t>(alignment) == alignof(worker);
  return (is_worker ? other : shared).allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void*, std::align_val_t) noexcept {}
void operator delete(void*, std::size_t, std::align_val_t) noexcept {}

extern "C" {

void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int order) { __atomic_thread_fence(order); }
void __tsan_atomic_signal_fence(int order) { __atomic_signal_fence(order); }
void __tsan_read_range(void* address, std::size_t bytes) { read(address, bytes); }
void __tsan_write_range(void* address, std::size_t bytes) { write(address, bytes); }

#define COUNTED_ACCESS(BYTES)                                                \
  void __tsan_read##BYTES(void* address) { read(address, BYTES); }           \
  void __tsan_write##BYTES(void* address) { write(address, BYTES); }         \
  void __tsan_unaligned_read##BYTES(void* address) { read(address, BYTES); } \
  void __tsan_unaligned_write##BYTES(void* address) { write(address, BYTES); }
COUNTED_ACCESS(1)
COUNTED_ACCESS(2)
COUNTED_ACCESS(4)
COUNTED_ACCESS(8)
COUNTED_ACCESS(16)

// Every order is as good as the strongest: one thread runs everything.
#define COUNTED_UPDATE(BITS, T, NAME, OPERATION)                   \
  T __tsan_atomic##BITS##_##NAME(volatile T* object, T value, int) \
  {                                                                \
    atomic(object);                                                \
    read(object, sizeof(T));                                       \
    write(object, sizeof(T));                                      \
    return OPERATION(object, value, __ATOMIC_SEQ_CST);             \
  }
#define COUNTED_EXCHANGE_IF(BITS, T, NAME)                                                                             \
  bool __tsan_atomic##BITS##_compare_exchange_##NAME(volatile T* object, T* expected, T value, int, int)               \
  {                                                                                                                    \
    atomic(object);                                                                                                    \
    read(object, sizeof(T));                                                                                           \
    const bool same = __atomic_compare_exchange_n(object, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    if (same) {                                                                                                        \
      write(object, sizeof(T));                                                                                        \
    }                                                                                                                  \
    return same;                                                                                                       \
  }
#define COUNTED_ATOMICS(BITS, T)                                     \
  T __tsan_atomic##BITS##_load(const volatile T* object, int)        \
  {                                                                  \
    look(object, sizeof(T));                                         \
    return __atomic_load_n(object, __ATOMIC_SEQ_CST);                \
  }                                                                  \
  void __tsan_atomic##BITS##_store(volatile T* object, T value, int) \
  {                                                                  \
    atomic(object);                                                  \
    write(object, sizeof(T));                                        \
    __atomic_store_n(object, value, __ATOMIC_SEQ_CST);               \
  }                                                                  \
  COUNTED_UPDATE(BITS, T, exchange, __atomic_exchange_n)             \
  COUNTED_UPDATE(BITS, T, fetch_add, __atomic_fetch_add)             \
  COUNTED_UPDATE(BITS, T, fetch_sub, __atomic_fetch_sub)             \
  COUNTED_UPDATE(BITS, T, fetch_and, __atomic_fetch_and)             \
  COUNTED_UPDATE(BITS, T, fetch_or, __atomic_fetch_or)               \
  COUNTED_UPDATE(BITS, T, fetch_xor, __atomic_fetch_xor)             \
  COUNTED_EXCHANGE_IF(BITS, T, strong)                               \
  COUNTED_EXCHANGE_IF(BITS, T, weak)
COUNTED_ATOMICS(8, std::uint8_t)
COUNTED_ATOMICS(16, std::uint16_t)
COUNTED_ATOMICS(32, std::uint32_t)
COUNTED_ATOMICS(64, std::uint64_t)

// ---- calls that the linker sends here (--wrap)

void* __real_memset(void* target, int value, std::size_t bytes);
void* __real_memcpy(void* target, const void* source, std::size_t bytes);
void* __real_memmove(void* target, const void* source, std::size_t bytes);
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
void __real_free(void* memory);

void* __wrap_memset(void* target, int value, std::size_t bytes)
{
  write(target, bytes);
  return __real_memset(target, value, bytes);
}
void* __wrap_memcpy(void* target, const void* source, std::size_t bytes)
{
  read(source, bytes);
  write(target, bytes);
  return __real_memcpy(target, source, bytes);
}
void* __wrap_memmove(void* target, const void* source, std::size_t bytes)
{
  read(source, bytes);
  write(target, bytes);
  return __real_memmove(target, source, bytes);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes)
{
  ++now.allocations;
  return global.allocate(bytes, alignment);
}
void __wrap_free(void* memory)
{
  if (!global.holds(memory)) {
    __real_free(memory);
  }
}

}  // extern "C"

// The executor's functions keep their types: these names are what the linker's --wrap looks for (see
// host_checks.cmake).
namespace exec = gimbal::simt::executor;
#define EXECUTOR_SYMBOL(PREFIX, NAME) #PREFIX EXECUTOR_NAME NAME

namespace real {
void sync_block(exec::thread_record&) __asm__(EXECUTOR_SYMBOL(__real_, "10sync_blockERNS2_13thread_recordE"));
void warp_collective(exec::thread_record&, exec::lane_call&) __asm__(
  EXECUTOR_SYMBOL(__real_, "15warp_collectiveERNS2_13thread_recordERNS2_9lane_callE"));
void complete_bytes(exec::thread_record&, exec::phase_barrier&, unsigned) __asm__(
  EXECUTOR_SYMBOL(__real_, "14complete_bytesERNS2_13thread_recordERNS2_13phase_barrierEj"));
void arrive(exec::thread_record&, exec::phase_barrier&, unsigned) __asm__(
  EXECUTOR_SYMBOL(__real_, "6arriveERNS2_13thread_recordERNS2_13phase_barrierEj"));
void fetch_ahead(exec::thread_record&, const void*, std::size_t) __asm__(
  EXECUTOR_SYMBOL(__real_, "11fetch_aheadERNS2_13thread_recordEPKvm"));
}  // namespace real

namespace wrap {
void sync_block(exec::thread_record&) __asm__(EXECUTOR_SYMBOL(__wrap_, "10sync_blockERNS2_13thread_recordE"));
void warp_collective(exec::thread_record&, exec::lane_call&) __asm__(
  EXECUTOR_SYMBOL(__wrap_, "15warp_collectiveERNS2_13thread_recordERNS2_9lane_callE"));
void complete_bytes(exec::thread_record&, exec::phase_barrier&, unsigned) __asm__(
  EXECUTOR_SYMBOL(__wrap_, "14complete_bytesERNS2_13thread_recordERNS2_13phase_barrierEj"));
void arrive(exec::thread_record&, exec::phase_barrier&, unsigned) __asm__(
  EXECUTOR_SYMBOL(__wrap_, "6arriveERNS2_13thread_recordERNS2_13phase_barrierEj"));
void fetch_ahead(exec::thread_record&, const void*, std::size_t) __asm__(
  EXECUTOR_SYMBOL(__wrap_, "11fetch_aheadERNS2_13thread_recordEPKvm"));

void fetch_ahead(exec::thread_record& self, const void* first, std::size_t bytes)
{
  ::fetch_ahead(first, bytes);
  real::fetch_ahead(self, first, bytes);
}
void sync_block(exec::thread_record& self)
{
  ++now.barriers;
  real::sync_block(self);
}
void arrive(exec::thread_record& self, exec::phase_barrier& barrier, unsigned bytes)
{
  ++now.barriers;
  real::arrive(self, barrier, bytes);
}
void complete_bytes(exec::thread_record& self, exec::phase_barrier& barrier, unsigned bytes)
{
  now.bulk_bytes += bytes;
  real::complete_bytes(self, barrier, bytes);
}
void warp_collective(exec::thread_record& self, exec::lane_call& call)
{
  using exec::collective;
  if (call.kind == collective::sync) {
    ++now.warp_barriers;
  } else if (call.kind == collective::ballot || call.kind == collective::match_any) {
    ++now.votes;
  } else {
    ++now.shuffles;
  }
  real::warp_collective(self, call);
}
}  // namespace wrap
