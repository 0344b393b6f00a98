// The host executor: options, workers, launches and failure reports. See host/executor.h for who includes this.
#pragma once

#include <gimbal/simt/host/options.h>
#include <gimbal/simt/host/phases.h>

#include <condition_variable>
#include <mutex>
#include <thread>

GIMBAL_NAMESPACE_BEGIN

namespace simt {
namespace executor {

/// The one executor of a program. Never destroyed: its helper threads sleep until the process ends.
class machine {
public:
  static machine& instance()
  {
    static machine* const all = new machine;
    return *all;
  }

  /// True on a thread that is running fibers.
  static bool& is_inside()
  {
    static thread_local bool inside = false;
    return inside;
  }

  executor_options options()
  {
    const std::lock_guard<std::mutex> lock(options_mutex_);
    return options_;
  }
  void set_options(const executor_options& options)
  {
    const std::lock_guard<std::mutex> lock(options_mutex_);
    options_ = options;
    launches_ = 0;
  }

  error_code run(const kernel_call& call)
  {
    if (is_inside()) {
      keep_report("a kernel, or an operator it called, launched a kernel");
      return error_launch_failure;
    }
    const std::lock_guard<std::mutex> lock(launch_mutex_);
#ifdef __cpp_exceptions
    try {
      prepare(call);
    } catch (const std::bad_alloc&) {
      return error_memory_allocation;
    }
#else
    prepare(call);
#endif
    tsan_release(&begin_tag);
    is_inside() = true;
    open_gate();
    work(*workers_[0]);
    close_gate();
    is_inside() = false;
    if (launch_.failed) {
      end_interrupted_threads();
    }
    tsan_acquire(&end_tag);
    launch_.call = nullptr;
    return launch_.failed ? error_launch_failure : success;
  }

  unsigned expected_blocks(unsigned block_threads)
  {
    const executor_options own = options();
    if (own.expected_blocks != 0) {
      return own.expected_blocks;
    }
    const unsigned resident = (std::max)(own.resident_blocks, 1u);
    return has_tsan() ? std::clamp(most_tsan_fibers / (block_threads * most_workers) * most_workers, 1u, resident)
                      : resident;
  }

  void keep_report(const std::string& text)
  {
    const std::lock_guard<std::mutex> lock(report_mutex_);
    report_ = text;
  }
  std::string report()
  {
    const std::lock_guard<std::mutex> lock(report_mutex_);
    return report_;
  }

  char begin_tag;  // for ThreadSanitizer: a launch comes after what its caller did before, and before what comes then
  char end_tag;

private:
  machine() : options_(environment_options()) {}

  void prepare(const kernel_call& call)
  {
    {
      const std::lock_guard<std::mutex> lock(options_mutex_);
      launch_.options = options_;
      launch_.number = launches_++;
    }
    const executor_options& options = launch_.options;
    const bool preemptive = options.mode != schedule::fifo;
    random_source random(options.seed * 0x2545f4914f6cdd1du + launch_.number);
    launch_.call = &call;
    launch_.next_block = 0;
    launch_.failed = false;
    launch_.block_order.clear();
    if (!call.starts_in_order && preemptive && call.blocks <= most_shuffled_blocks) {
      launch_.block_order.resize(call.blocks);
      for (unsigned b = 0; b < call.blocks; ++b) {
        const unsigned other = static_cast<unsigned>(random.below(b + 1));
        launch_.block_order[b] = launch_.block_order[other];
        launch_.block_order[other] = b;
      }
    }

    const unsigned cores = options.workers != 0 ? options.workers : std::thread::hardware_concurrency();
    const unsigned workers = preemptive || call.blocks < blocks_worth_helping ? 1 : std::clamp(cores, 1u, most_workers);
    const unsigned resident = (std::max)(options.resident_blocks, 1u);
    unsigned slot_count = (resident + workers - 1) / workers;
    if (has_tsan()) {
      slot_count = (std::min)(slot_count, (std::max)(1u, most_tsan_fibers / workers / call.block_threads));
    }
    launch_.workers.clear();
    for (unsigned w = 0; w < workers; ++w) {
      if (w == workers_.size()) {
        workers_.push_back(std::make_unique<worker>());
      }
      launch_.workers.push_back(workers_[w].get());
      prepare(*workers_[w], (std::min)(slot_count, call.blocks), random);
    }
    while (helpers_ + 1 < workers) {
      ++helpers_;
      std::thread([this, index = helpers_] { help(index); }).detach();
    }
  }

  void prepare(worker& w, unsigned slot_count, random_source& random)
  {
    const kernel_call& call = *launch_.call;
    w.launch = &launch_;
    w.used_slots = slot_count;
    w.next_slot = 0;
    w.active_blocks = 0;
    w.random = random_source(random.next());
    w.ready.restart(launch_.options.mode, &w.random);
    w.switch_chance = std::uint64_t{1} << w.random.below(6);
    w.demote_period = std::uint64_t{1} << (4 + w.random.below(12));
    w.demote_in = w.random.below(2 * w.demote_period);
    w.lowest_priority = 0;
    w.copies.clear();
    w.idle_turns = 0;
    w.started = false;
    w.active = false;
    while (w.block_slots.size() < slot_count) {
      w.block_slots.push_back(std::make_unique<block_slot>());
    }
    for (unsigned s = 0; s < slot_count; ++s) {
      block_slot& slot = *w.block_slots[s];
      slot.provide_shared(call.shared_bytes, call.shared_alignment);
      while (slot.fibers.size() < call.block_threads) {
        auto f = std::make_unique<fiber>();
        f->slot = &slot;
        f->home = &w;
        f->thread = static_cast<unsigned>(slot.fibers.size());
        f->progress = &w.progress;
        f->own.reset(&body, f.get(), f->thread);
        slot.fibers.push_back(std::move(f));
      }
    }
  }

  static void body(void* argument)
  {
    fiber& self = *static_cast<fiber*>(argument);
    for (;;) {
      tsan_acquire(&instance().begin_tag);
      tsan_acquire(&self.slot->end_tag[(self.slot->turns - 1) % 2]);
      if (!run_thread(self)) {
        abandon(self);
      }
      tsan_release(&self.slot->end_tag[self.slot->turns % 2]);
      tsan_release(&instance().end_tag);
      finish(self);
    }
  }

  /// Runs blocks until none is left or the launch has failed.
  static void work(worker& w)
  {
    w.started = true;
    w.active = true;
    const bool preemptive = w.launch->options.mode != schedule::fifo;
    while (!w.launch->failed) {
      while (w.active_blocks < (preemptive ? w.used_slots : 1u) && start_block(w)) {
      }
      if (w.active_blocks == 0) {
        break;
      }
      finish_copies(w);  // a block has ended: all other threads may wait for bytes
      w.own.switch_to(w.ready.pop()->own);
    }
    w.active = false;
  }

  void open_gate()
  {
    if (launch_.workers.size() < 2) {
      return;
    }
    {
      const std::lock_guard<std::mutex> lock(gate_mutex_);
      ++generation_;
      is_open_ = true;
    }
    gate_.notify_all();
  }

  /// Helpers that have not started by now are not waited for.
  void close_gate()
  {
    if (launch_.workers.size() < 2) {
      return;
    }
    std::unique_lock<std::mutex> lock(gate_mutex_);
    is_open_ = false;
    left_.wait(lock, [&] { return inside_ == 0; });
  }

  void help(unsigned index)
  {
    is_inside() = true;
    std::uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(gate_mutex_);
    for (;;) {
      gate_.wait(lock, [&] { return is_open_ && generation_ != seen && index < launch_.workers.size(); });
      seen = generation_;
      ++inside_;
      lock.unlock();
      work(*workers_[index]);
      lock.lock();
      if (--inside_ == 0) {
        left_.notify_one();
      }
    }
  }

  /// After a failure: what the interrupted threads did comes before what the caller does next, as if they had ended.
  void end_interrupted_threads()
  {
    for (worker* w : launch_.workers) {
      for (auto& slot : w->block_slots) {
        for (auto& f : slot->fibers) {
          if (slot->busy) {
            f->own.release_for(&end_tag);
            f->own.reset(&body, f.get(), f->thread);
          }
        }
        slot->busy = false;
      }
    }
  }

  static constexpr unsigned blocks_worth_helping = 4;
  static constexpr unsigned most_workers = 8;
  static constexpr unsigned most_shuffled_blocks = 1u << 20;
  static constexpr unsigned most_tsan_fibers = 7000;  // ThreadSanitizer has room for about 8100 threads

  std::mutex options_mutex_;
  executor_options options_;
  std::uint64_t launches_ = 0;
  std::mutex report_mutex_;
  std::string report_;
  std::mutex launch_mutex_;  // one launch at a time
  launch_state launch_;
  std::vector<std::unique_ptr<worker>> workers_;
  unsigned helpers_ = 0;
  std::mutex gate_mutex_;  // of everything below
  std::condition_variable gate_;
  std::condition_variable left_;
  std::uint64_t generation_ = 0;
  bool is_open_ = false;
  unsigned inside_ = 0;
};

/// Starts the next block in a free slot. False if no block is left.
GIMBAL_EXECUTOR_INLINE bool start_block(worker& w)
{
  launch_state& launch = *w.launch;
  const kernel_call& call = *launch.call;
  if (launch.next_block.load(std::memory_order_relaxed) >= call.blocks) {
    return false;
  }
  const unsigned turn = launch.next_block.fetch_add(1, std::memory_order_relaxed);
  if (turn >= call.blocks) {
    return false;
  }
  const bool preemptive = launch.options.mode != schedule::fifo;
  // Reusing one slot again and again helps the caches; all in turn shows ThreadSanitizer more of the races between
  // blocks.
  unsigned s = preemptive || has_tsan() ? w.next_slot : 0;
  while (w.block_slots[s]->busy) {
    s = (s + 1) % w.used_slots;
  }
  w.next_slot = (s + 1) % w.used_slots;
  block_slot& slot = *w.block_slots[s];
  slot.busy = true;
  ++slot.turns;
  ++w.active_blocks;
  slot.threads = call.block_threads;
  slot.exited = 0;
  slot.at_barrier.first = nullptr;
  slot.at_barrier_count = 0;
  slot.in_collective_count = 0;
  slot.at_phase_count = 0;
  slot.copies = 0;
  for (unsigned first = 0; first < slot.threads; first += warp_threads) {
    slot.warps[first / warp_threads].has_exited = false;
    slot.warps[first / warp_threads].arrived = 0;
  }
  if (preemptive) {
    const auto pattern = static_cast<unsigned char>(w.random.next() | 0x81);  // no byte that looks like a small number
    auto* const bytes = static_cast<volatile unsigned char*>(slot.shared);
    for (std::size_t b = 0; b < slot.shared_bytes; ++b) {
      bytes[b] = pattern;
    }
  }
  const unsigned block = launch.block_order.empty() ? turn : launch.block_order[turn];
  for (unsigned t = 0; t < slot.threads; ++t) {
    fiber& f = *slot.fibers[t];
    f.block = block;
    f.blocks = call.blocks;
    f.preemptive = preemptive;
    f.quiet_operations = 0;
    f.call = nullptr;
    if (launch.options.mode == schedule::priority) {
      f.priority = static_cast<std::int64_t>(w.random.next() >> 2) + 1;
    }
    w.ready.push(&f);
  }
  return true;
}

inline const char* name(schedule mode)
{
  return mode == schedule::fifo ? "fifo" : mode == schedule::random ? "random" : "priority";
}

GIMBAL_EXECUTOR_INLINE void write_report(const fiber& self, const std::string& cause)
{
  launch_state& launch = *self.home->launch;
  if (launch.failed.exchange(true)) {
    return;
  }
  std::string kernel = launch.call->type_text;
  const std::size_t begin = kernel.find("Kernel = ");
  const std::size_t end = kernel.rfind(']');
  if (begin != std::string::npos && end != std::string::npos) {
    kernel = kernel.substr(begin + 9, end - begin - 9);
  }
  std::string text = "kernel " + kernel + ", block " + std::to_string(self.block) + " of " + std::to_string(self.blocks)
                     + ", thread " + std::to_string(self.thread) + ": " + cause
                     + " [GIMBAL_SCHEDULE=" + name(launch.options.mode);
  if (launch.options.mode != schedule::fifo) {
    text += " GIMBAL_SEED=" + std::to_string(launch.options.seed) + ", launch " + std::to_string(launch.number);
  }
  machine::instance().keep_report(text + "]");
}

GIMBAL_EXECUTOR_INLINE error_code run(const kernel_call& call) { return machine::instance().run(call); }

GIMBAL_EXECUTOR_INLINE unsigned expected_blocks(unsigned block_threads)
{
  return machine::instance().expected_blocks(block_threads);
}

}  // namespace executor

GIMBAL_EXECUTOR_INLINE executor_options get_executor_options() { return executor::machine::instance().options(); }

GIMBAL_EXECUTOR_INLINE void set_executor_options(const executor_options& options)
{
  executor::machine::instance().set_options(options);
}

GIMBAL_EXECUTOR_INLINE const char* error_string(error_code code)
{
  if (code == error_launch_failure) {
    static thread_local std::string text;  // stays valid for this thread until its next call
    text = executor::machine::instance().report();
    if (!text.empty()) {
      return text.c_str();
    }
  }
  return error_name(code);
}

}  // namespace simt

GIMBAL_NAMESPACE_END
