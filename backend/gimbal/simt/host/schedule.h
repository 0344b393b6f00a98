// The executor's data: fibers, block slots and the ready queue in its three orders.
#pragma once

#include <gimbal/simt/host/executor.h>
#include <gimbal/simt/host/fiber.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

GIMBAL_NAMESPACE_BEGIN

namespace simt {
namespace executor {

/// splitmix64: small, seedable by any number.
class random_source {
public:
  explicit random_source(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next()
  {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

private:
  std::uint64_t state_;
};

struct worker;
struct block_slot;

struct fiber : thread_record {
  flow own;
  fiber* next = nullptr;  // in the ready queue or in the list of threads that wait at the block's barrier
  block_slot* slot = nullptr;
  worker* home = nullptr;
  lane_call* call = nullptr;  // that it takes part in
  std::int64_t priority = 0;
};

/// Intrusive list, first in, first out.
struct fiber_list {
  fiber* first = nullptr;
  fiber* last = nullptr;

  bool empty() const { return first == nullptr; }
  void push(fiber* f)
  {
    f->next = nullptr;
    (first == nullptr ? first : last->next) = f;
    last = f;
  }
  fiber* pop()
  {
    fiber* const f = first;
    first = f->next;
    return f;
  }
  void append(fiber_list& other)
  {
    if (other.empty()) {
      return;
    }
    (first == nullptr ? first : last->next) = other.first;
    last = other.last;
    other.first = nullptr;
  }
};

/// The fibers that could run.
class ready_queue {
public:
  void restart(schedule mode, random_source* random)
  {
    mode_ = mode;
    random_ = random;
    list_.first = nullptr;
    heap_.clear();
  }
  bool empty() const { return mode_ == schedule::fifo ? list_.empty() : heap_.empty(); }

  void push(fiber* f)
  {
    if (mode_ == schedule::fifo) {
      return list_.push(f);
    }
    heap_.push_back(f);
    if (mode_ == schedule::priority) {
      std::push_heap(heap_.begin(), heap_.end(), lower{});
    }
  }
  void push_all(fiber_list& fibers)
  {
    if (mode_ == schedule::fifo) {
      return list_.append(fibers);
    }
    while (!fibers.empty()) {
      push(fibers.pop());
    }
  }
  fiber* pop()
  {
    if (mode_ == schedule::fifo) {
      return list_.pop();
    }
    if (mode_ == schedule::priority) {
      std::pop_heap(heap_.begin(), heap_.end(), lower{});
    } else {
      std::swap(heap_[random_->below(heap_.size())], heap_.back());
    }
    fiber* const f = heap_.back();
    heap_.pop_back();
    return f;
  }

private:
  struct lower {
    bool operator()(const fiber* a, const fiber* b) const { return a->priority < b->priority; }
  };
  schedule mode_ = schedule::fifo;
  random_source* random_ = nullptr;
  fiber_list list_;
  std::vector<fiber*> heap_;
};

struct warp_state {
  unsigned arrived = 0;  // lanes that wait in a collective
  const fiber* last_arrived = nullptr;
  bool has_exited = false;  // some lane
  unsigned turns = 0;       // collectives that all lanes have arrived in
  char tag[2];              // for ThreadSanitizer; two, as of the block's barrier
};

/// A bulk copy that has not happened yet.
struct bulk_copy {
  void* target;
  const void* source;
  unsigned bytes;
  phase_barrier* barrier;
  block_slot* slot;
  bool is_late;
};

/// Room for one resident block: fibers, shared memory and what its threads wait for.
struct block_slot {
  std::vector<std::unique_ptr<fiber>> fibers;
  warp_state warps[1024 / warp_threads];
  void* shared = nullptr;
  std::size_t shared_bytes = 0;
  std::size_t shared_alignment = 0;
  bool busy = false;
  unsigned threads = 0;
  unsigned exited = 0;
  fiber_list at_barrier;
  unsigned at_barrier_count = 0;
  unsigned in_collective_count = 0;
  unsigned at_phase_count = 0;  // threads that wait at a phase barrier
  unsigned copies = 0;          // bulk copies that have not happened yet
  unsigned barriers = 0;
  char barrier_tag[2];  // for ThreadSanitizer; two, so that a late leaver does not see the next barrier's arrivals
  char end_tag[2];      // for ThreadSanitizer: a slot's next block, but no thread of the same, comes after this one
  unsigned turns = 0;   // blocks started in this slot

  block_slot() = default;
  block_slot(const block_slot&) = delete;
  block_slot& operator=(const block_slot&) = delete;
  ~block_slot() { release_shared(); }

  // Exactly as large as the kernel's shared memory, for AddressSanitizer.
  void provide_shared(std::size_t bytes, std::size_t alignment)
  {
    if (shared != nullptr && bytes == shared_bytes && alignment == shared_alignment) {
      return;
    }
    release_shared();
    shared = ::operator new (bytes, std::align_val_t{alignment});
    shared_bytes = bytes;
    shared_alignment = alignment;
  }
  void release_shared()
  {
    if (shared != nullptr) {
      ::operator delete (shared, std::align_val_t{shared_alignment});
    }
    shared = nullptr;
  }
};

struct launch_state;

/// One OS thread's share of the executor: block slots and the fibers in them. A block stays with its worker, so that
/// nothing but the counters below is shared between workers.
struct worker {
  flow own;
  std::vector<std::unique_ptr<block_slot>> block_slots;
  unsigned used_slots = 0;
  unsigned next_slot = 0;
  unsigned active_blocks = 0;
  ready_queue ready;
  std::vector<bulk_copy> copies;  // that have not happened yet
  launch_state* launch = nullptr;
  random_source random;
  std::uint64_t switch_chance = 4;  // random: one atomic in this many switches
  std::uint64_t demote_in = 0;      // priority: atomics until the next demotion
  std::uint64_t demote_period = 1;
  std::int64_t lowest_priority = 0;
  std::uint64_t seen_progress = 0;
  alignas(64) std::atomic<std::uint64_t> progress{0};
  std::atomic<std::uint64_t> idle_turns{0};  // waiting turns since progress was last seen
  std::atomic<std::uint64_t> seen_total{0};  // of all workers' progress, in turns not long ago
  std::atomic<bool> started{false};
  std::atomic<bool> active{false};
};

/// The kernel being run.
struct launch_state {
  const kernel_call* call = nullptr;
  executor_options options;
  std::uint64_t number = 0;
  std::atomic<unsigned> next_block{0};
  std::vector<unsigned> block_order;  // empty: ascending
  std::atomic<bool> failed{false};
  std::vector<worker*> workers;
};

}  // namespace executor
}  // namespace simt

GIMBAL_NAMESPACE_END
