// What the executor does for a fiber: barriers, warp collectives, waiting, yielding, ending.
#pragma once

#include <gimbal/simt/host/schedule.h>
#include <sched.h>

#include <exception>

GIMBAL_NAMESPACE_BEGIN

namespace simt {
namespace executor {

/// Keeps the report of a launch's first failure. In host/executor_impl.h.
void write_report(const fiber& self, const std::string& cause);

/// Lets some bulk copies happen. In host/phases.h.
void finish_copies(worker& w);

inline void made_progress(worker& w)
{
  w.progress.store(w.progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Ends the launch: back to the worker, which abandons every fiber of the launch. `cause` must not be owned by the
/// caller's frame, as that frame is never left.
[[noreturn]] inline void abandon(fiber& self)
{
  self.own.switch_to(self.home->own);
  std::abort();  // an abandoned fiber is reset before it runs again
}

[[noreturn]] inline void fail(fiber& self, const char* cause)
{
  write_report(self, cause);
  abandon(self);
}

/// Runs the next ready fiber; returns when this one is next.
inline void dispatch(fiber& self)
{
  worker& w = *self.home;
  if (w.launch->failed.load(std::memory_order_relaxed)) {
    abandon(self);
  }
  finish_copies(w);
  if (w.ready.empty()) {
    return self.own.switch_to(w.own);
  }
  fiber* const next = w.ready.pop();
  if (next != &self) {
    self.own.switch_to(next->own);
  }
}

inline void give_way(fiber& self)
{
  self.home->ready.push(&self);
  dispatch(self);
}

inline const char* name(collective kind)
{
  constexpr const char* names[] = {"sync_warp", "ballot",    "match_any",     "shfl",
                                   "shfl_up",   "shfl_down", "count_by_lanes"};
  return names[static_cast<unsigned>(kind)];
}

inline std::string describe_deadlock(const block_slot& slot)
{
  std::string text = "deadlock: no thread of the block can run; " + std::to_string(slot.at_barrier_count)
                     + " wait in sync_block, " + std::to_string(slot.in_collective_count) + " in warp collectives, "
                     + std::to_string(slot.at_phase_count) + " at phase barriers, " + std::to_string(slot.exited)
                     + " have exited";
  for (unsigned t = 0; t < slot.threads; ++t) {
    const fiber& f = *slot.fibers[t];
    if (f.call != nullptr) {
      return text + "; thread " + std::to_string(t) + " waits in " + name(f.call->kind);
    }
  }
  return text;
}

inline void check_deadlock(fiber& self)
{
  const block_slot& slot = *self.slot;
  const unsigned stopped = slot.at_barrier_count + slot.in_collective_count + slot.at_phase_count + slot.exited;
  if (stopped == slot.threads && slot.copies == 0) {
    write_report(self, describe_deadlock(slot));
    abandon(self);
  }
}

/// Until another thread makes this one ready.
inline void wait_until_ready(fiber& self)
{
  check_deadlock(self);
  dispatch(self);
}

GIMBAL_EXECUTOR_INLINE void sync_block(thread_record& record)
{
  fiber& self = static_cast<fiber&>(record);
  block_slot& slot = *self.slot;
  worker& w = *self.home;
  if (slot.exited != 0) {
    fail(self, "sync_block after another thread of the block has exited");
  }
  char* const tag = &slot.barrier_tag[slot.barriers % 2];
  tsan_release(tag);
  made_progress(w);
  if (++slot.at_barrier_count == slot.threads) {
    slot.at_barrier_count = 0;
    ++slot.barriers;
    w.ready.push_all(slot.at_barrier);
    if (self.preemptive) {
      give_way(self);
    }
  } else {
    slot.at_barrier.push(&self);
    wait_until_ready(self);
  }
  tsan_acquire(tag);
}

/// Copies without a library call and without instrumentation: a shuffle orders no memory, so it must look like none.
inline void copy_value(void* target, const void* source, std::size_t bytes)
{
  auto* to = static_cast<unsigned char*>(target);
  auto* from = static_cast<const unsigned char*>(source);
  for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
    __builtin_memcpy(to, from, 8);
    asm volatile("" ::: "memory");  // keeps the loop from becoming a call of memcpy
  }
  for (; bytes != 0; --bytes, ++to, ++from) {
    *to = *from;
    asm volatile("" ::: "memory");
  }
}

/// Every lane adds to its counter: in the order of the lanes, or in random order.
inline void count_by_lanes(const std::unique_ptr<fiber>* lanes, random_source* random)
{
  unsigned order[warp_threads];
  for (unsigned l = 0; l < warp_threads; ++l) {
    order[l] = l;
    if (random != nullptr) {
      std::swap(order[l], order[random->below(l + 1)]);
    }
  }
  for (const unsigned l : order) {
    lane_call& call = *lanes[l]->call;
    auto& counter = *static_cast<volatile unsigned*>(call.out);
    call.result = counter;
    counter = call.result + 1;
  }
}

/// Every lane's result, once all have arrived.
inline void complete(const std::unique_ptr<fiber>* lanes, collective kind)
{
  for (unsigned l = 0; l < warp_threads && kind != collective::sync; ++l) {
    lane_call& call = *lanes[l]->call;
    if (kind != collective::ballot && kind != collective::match_any) {
      copy_value(call.out, lanes[call.source]->call->in, call.bytes);
      continue;
    }
    for (unsigned o = 0; o < warp_threads; ++o) {
      const std::uint64_t other = lanes[o]->call->value;
      const bool is_set = kind == collective::ballot ? other != 0 : other == call.value;
      call.result |= static_cast<unsigned>(is_set) << o;
    }
  }
}

/// All lanes of a warp take part in each of its collectives.
inline void check_call(fiber& self, const warp_state& warp, const lane_call& call)
{
  if (warp.has_exited) {
    write_report(self, name(call.kind) + std::string(" after another lane of the warp has exited"));
    abandon(self);
  }
  if (warp.arrived == 0) {
    return;
  }
  const fiber& other = *warp.last_arrived;
  if (other.call->kind != call.kind || other.call->bytes != call.bytes) {
    const auto describe = [](const lane_call& of_lane) {
      return name(of_lane.kind) + (" of " + std::to_string(of_lane.bytes) + " bytes");
    };
    write_report(
      self, "mismatched collectives: " + describe(call) + ", while thread " + std::to_string(other.thread)
              + " waits in " + describe(*other.call));
    abandon(self);
  }
}

GIMBAL_EXECUTOR_INLINE void warp_collective(thread_record& record, lane_call& call)
{
  fiber& self = static_cast<fiber&>(record);
  block_slot& slot = *self.slot;
  const unsigned warp_index = self.thread / warp_threads;
  warp_state& warp = slot.warps[warp_index];
  check_call(self, warp, call);
  self.call = &call;
  char* const tag = &warp.tag[warp.turns % 2];
  const bool orders = call.kind == collective::sync;
  if (orders) {
    tsan_release(tag);
  }
  if (++warp.arrived == warp_threads) {
    const std::unique_ptr<fiber>* const lanes = &slot.fibers[warp_index * warp_threads];
    if (call.kind == collective::count) {
      count_by_lanes(lanes, self.home->launch->options.shuffle_lanes ? &self.home->random : nullptr);
    } else {
      complete(lanes, call.kind);
    }
    warp.arrived = 0;
    ++warp.turns;
    slot.in_collective_count -= warp_threads - 1;
    for (unsigned l = 0; l < warp_threads; ++l) {
      if (lanes[l].get() != &self) {
        self.home->ready.push(lanes[l].get());
      }
    }
    if (self.preemptive) {
      give_way(self);
    }
  } else {
    warp.last_arrived = &self;
    ++slot.in_collective_count;
    wait_until_ready(self);
  }
  self.call = nullptr;
  if (orders) {
    tsan_acquire(tag);
  }
}

GIMBAL_EXECUTOR_INLINE void preempt(thread_record& record)
{
  fiber& self = static_cast<fiber&>(record);
  worker& w = *self.home;
  if (w.launch->options.mode == schedule::random) {
    if (w.random.below(w.switch_chance) == 0) {
      give_way(self);
    }
  } else if (w.demote_in-- == 0) {
    w.demote_in = w.random.below(2 * w.demote_period);
    self.priority = --w.lowest_priority;
    give_way(self);
  }
}

inline std::uint64_t total_progress(const launch_state& launch)
{
  std::uint64_t total = 0;
  for (const worker* w : launch.workers) {
    total += w->progress.load(std::memory_order_relaxed);
  }
  return total;
}

/// True if no worker can make progress any more: each has nothing left to do, or has waited for long, all of them since
/// the same last progress. (A worker that the operating system suspended has not seen the others' latest progress.)
inline bool is_livelock(const launch_state& launch)
{
  const std::uint64_t total = total_progress(launch);
  for (const worker* w : launch.workers) {
    const bool may_yet_start = !w->started && launch.next_block < launch.call->blocks;
    const bool waits = w->idle_turns >= launch.options.livelock_spins && w->seen_total == total;
    if (may_yet_start || (w->active && !waits)) {
      return false;
    }
  }
  return true;
}

bool start_block(worker& w);

GIMBAL_EXECUTOR_INLINE void spin_wait(thread_record& record)
{
  fiber& self = static_cast<fiber&>(record);
  worker& w = *self.home;
  const launch_state& launch = *w.launch;
  std::uint64_t turns = w.idle_turns.load(std::memory_order_relaxed) + 1;
  const std::uint64_t progress = w.progress.load(std::memory_order_relaxed);
  if (progress != w.seen_progress) {
    w.seen_progress = progress;
    turns = 0;
  }
  if (turns % 256 == 255) {
    const std::uint64_t total = total_progress(launch);
    if (total != w.seen_total.load(std::memory_order_relaxed)) {
      turns = 0;
    }
    w.idle_turns = turns;  // before the total they were counted from
    w.seen_total = total;
    if (launch.workers.size() > 1) {
      sched_yield();
    }
  }
  w.idle_turns.store(turns, std::memory_order_relaxed);
  if (turns >= launch.options.livelock_spins && is_livelock(launch)) {
    fail(self, "livelock: this and all other runnable threads only wait in spin_wait");
  }
  // In fifo mode a worker takes another block only when one that it has waits for another.
  if (!self.preemptive && w.active_blocks < w.used_slots) {
    start_block(w);
  }
  if (launch.options.mode == schedule::priority) {
    self.priority = --w.lowest_priority;
  }
  give_way(self);
}

/// The end of a thread. Returns when the fiber has a thread of another block to run.
inline void finish(fiber& self)
{
  block_slot& slot = *self.slot;
  worker& w = *self.home;
  warp_state& warp = slot.warps[self.thread / warp_threads];
  if (slot.at_barrier_count != 0) {
    fail(self, "the thread exits while others of its block wait for it in sync_block");
  }
  if (warp.arrived != 0) {
    fail(self, "the thread exits while other lanes wait for it in a warp collective");
  }
  ++slot.exited;
  warp.has_exited = true;
  made_progress(w);
  if (slot.exited == slot.threads) {
    if (slot.copies != 0) {
      fail(self, "the block ends while a bulk copy into its shared memory is under way");
    }
    slot.busy = false;
    --w.active_blocks;
    self.own.switch_to(w.own);
  } else {
    wait_until_ready(self);
  }
}

/// False if the kernel threw; the report is written then.
inline bool run_thread(fiber& self)
{
  const kernel_call& call = *self.home->launch->call;
#ifdef __cpp_exceptions
  try {
    call.invoke(call.kernel, self, self.slot->shared);
    return true;
  } catch (const std::exception& error) {
    write_report(self, std::string("an exception left the kernel: ") + error.what());
  } catch (...) {
    write_report(self, "an exception left the kernel");
  }
  return false;
#else
  call.invoke(call.kernel, self, self.slot->shared);
  return true;
#endif
}

}  // namespace executor
}  // namespace simt

GIMBAL_NAMESPACE_END
