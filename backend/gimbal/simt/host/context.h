// The host half of the SIMT layer: the members of cuda/context.cuh for a thread that is a fiber of the host executor.
#pragma once

#include <gimbal/simt/host/executor.h>
#include <gimbal/simt/host/pipeline.h>

#include <cstring>
#include <cuda/atomic>
#include <gimbal/simt/value.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// cuda::atomic_ref with a preemption point before and after each operation. Stores and read-modify-writes that write
/// count as progress for the livelock detector; loads do not.
template <class T, ::cuda::thread_scope Scope>
class host_atomic {
  using order = ::cuda::std::memory_order;
  static constexpr order strongest = ::cuda::std::memory_order_seq_cst;

public:
  host_atomic(executor::thread_record& self, T& object) : self_(self), object_(object) {}

  T load(order o = strongest) const
  {
    preempt();
    const T value = object_.load(o);
    unchanged();
    return value;
  }
  void store(T value, order o = strongest) const
  {
    preempt();
    object_.store(value, o);
    changed();
  }
  T exchange(T value, order o = strongest) const
  {
    return modify([&] { return object_.exchange(value, o); });
  }
  bool compare_exchange_strong(T& expected, T value, order success, order failure) const
  {
    preempt();
    const bool exchanged = object_.compare_exchange_strong(expected, value, success, failure);
    exchanged ? changed() : unchanged();
    return exchanged;
  }
  T fetch_add(T value, order o = strongest) const
  {
    return modify([&] { return object_.fetch_add(value, o); });
  }
  T fetch_or(T value, order o = strongest) const
  {
    return modify([&] { return object_.fetch_or(value, o); });
  }
  T fetch_max(T value, order o = strongest) const
  {
    return modify([&] { return object_.fetch_max(value, o); });
  }

private:
  /// Preemption point, before and after each operation.
  void preempt() const
  {
    if (self_.preemptive) {
      executor::preempt(self_);
    }
  }
  void changed() const
  {
    self_.quiet_operations = 0;
    self_.progress->store(self_.progress->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    preempt();
  }
  void unchanged() const
  {
    if (++self_.quiet_operations % 1024 == 0) {  // a waiting loop without spin_wait must not keep the worker for ever
      executor::spin_wait(self_);
    } else {
      preempt();
    }
  }
  template <class Operation>
  auto modify(Operation operation) const
  {
    preempt();
    const auto result = operation();
    changed();
    return result;
  }

  executor::thread_record& self_;
  ::cuda::atomic_ref<T, Scope> object_;
};

template <unsigned BlockThreads>
class host_context : public host_pipeline {
public:
  static constexpr unsigned block_threads = BlockThreads;

  explicit host_context(executor::thread_record& self) : host_pipeline(self) {}

  unsigned thread() const { return self_.thread; }
  unsigned lane() const { return self_.thread % warp_threads; }
  unsigned warp() const { return self_.thread / warp_threads; }
  unsigned block() const { return self_.block; }
  unsigned blocks() const { return self_.blocks; }

  void sync_block() const { executor::sync_block(self_); }
  void let_next_launch_start() const {}  // each launch here ends before the next begins
  void sync_warp() const
  {
    executor::lane_call call{executor::collective::sync};
    executor::warp_collective(self_, call);
  }

  unsigned ballot(bool predicate) const { return vote(executor::collective::ballot, predicate); }

  template <class T>
  unsigned match_any(T value) const
  {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match_any compares values of 4 or 8 bytes");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return vote(executor::collective::match_any, bits);
  }

  template <class T>
  T shfl(const T& value, unsigned source) const
  {
    return shuffle(executor::collective::shfl, value, source % warp_threads);
  }
  template <class T>
  T shfl_up(const T& value, unsigned delta) const
  {
    return shuffle(executor::collective::shfl_up, value, delta <= lane() ? lane() - delta : lane());
  }
  template <class T>
  T shfl_down(const T& value, unsigned delta) const
  {
    const unsigned source = delta < warp_threads - lane() ? lane() + delta : lane();
    return shuffle(executor::collective::shfl_down, value, source);
  }

  template <class T>
  host_atomic<T, ::cuda::thread_scope_device> atomic(T& object) const
  {
    return {self_, object};
  }
  template <class T>
  host_atomic<T, ::cuda::thread_scope_block> atomic_shared(T& object) const
  {
    return {self_, object};
  }

  /// Only checks whether that can be read. The cost program makes sure that it is read later.
  void fetch_ahead(const void* first, std::size_t bytes) const { executor::fetch_ahead(self_, first, bytes); }

  unsigned draw_ticket(unsigned& counter, unsigned count) const
  {
    const unsigned before = atomic(counter).fetch_add(1u, ::cuda::std::memory_order_relaxed);
    if (before + 1 == count) {
      atomic(counter).store(0u, ::cuda::std::memory_order_relaxed);
    }
    return before;
  }

  /// As on a GPU: in the order of the lanes, unless executor_options::shuffle_lanes is set.
  unsigned count_by_lanes(unsigned& counter) const
  {
    // Adds nothing: the access that ThreadSanitizer sees, as the executor, which it does not, counts for all lanes.
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_block>(counter).fetch_add(0, ::cuda::std::memory_order_relaxed);
    executor::lane_call call{executor::collective::count};
    call.out = &counter;
    executor::warp_collective(self_, call);
    return call.result;
  }
  unsigned count_by_lanes(unsigned& counter, bool counts) const
  {
    unsigned nobodys = 0;
    return count_by_lanes(counts ? counter : nobodys);
  }

  void acquire_polled() const {}
  void spin_wait() const { executor::spin_wait(self_); }

private:
  unsigned vote(executor::collective kind, std::uint64_t value) const
  {
    executor::lane_call call{kind};
    call.value = value;
    executor::warp_collective(self_, call);
    return call.result;
  }

  template <class T>
  T shuffle(executor::collective kind, const T& value, unsigned source) const
  {
    uninit<T> in;  // read here, by this thread: the caller's value may be in shared memory
    uninit<T> out;
    in.set(value);
    executor::lane_call call{kind, in.bytes, out.bytes, sizeof(T), source};
    executor::warp_collective(self_, call);
    return out.get();
  }
};

}  // namespace simt

GIMBAL_NAMESPACE_END
