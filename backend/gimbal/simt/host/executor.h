// The host executor: runs the blocks of a kernel with every CUDA thread as a fiber, so that kernels can be run, checked
// under many schedules and put through sanitizers on a machine without a GPU.
//
// This file is what contexts and launches see. The executor itself is host/executor_impl.h, by default part of every
// translation unit (header-only, by way of host/launch.h). With GIMBAL_SEPARATE_EXECUTOR defined one translation unit
// that includes host/executor_impl.h supplies the definitions: ThreadSanitizer needs the executor uninstrumented,
// or its own bookkeeping would order the fibers and hide the kernels' races.
#pragma once

#include <gimbal/simt/config.h>
#include <gimbal/simt/status.h>

#include <atomic>
#include <cstdint>

#ifdef GIMBAL_SEPARATE_EXECUTOR
#define GIMBAL_EXECUTOR_INLINE
#else
#define GIMBAL_EXECUTOR_INLINE inline
#endif

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// Which ready fiber runs next. Under random and priority schedules blocks start in random order, too, and find shared
/// memory overwritten.
enum class schedule {
  fifo,      ///< in turn, switching only where a thread must wait; fast, may use several worker threads
  random,    ///< any, also before and after every atomic operation; repeatable from the seed
  priority,  ///< by random priorities with a few random demotions (PCT): long delays of single threads; repeatable
};

struct executor_options {
  schedule mode = schedule::fifo;
  std::uint64_t seed = 1;        ///< of the random and priority schedules
  unsigned workers = 0;          ///< OS threads in fifo mode; 0: one per core. The other modes use one.
  unsigned resident_blocks = 8;  ///< blocks that run at the same time
  unsigned expected_blocks = 0;  ///< how many of these launches expect, as if other kernels held the rest; 0: all
  bool shuffle_lanes = false;    ///< count_by_lanes serves the lanes in random order
  unsigned active_streams = 1;   ///< how many streams calls assume to work at the same time
  bool streams_last = true;      ///< false: no stream keeps its state, as during capture on a GPU (launch_plan.h)
  std::uint64_t livelock_spins = 1u << 20;  ///< waiting turns without progress anywhere that count as a livelock
};

/// The options of the next launch; at first those of the environment: GIMBAL_SCHEDULE (fifo, random, priority),
/// GIMBAL_SEED, GIMBAL_WORKERS, GIMBAL_RESIDENT_BLOCKS, GIMBAL_EXPECTED_BLOCKS, GIMBAL_ACTIVE_STREAMS,
/// GIMBAL_STREAMS_LAST (0: false).
executor_options get_executor_options();
/// Schedules repeat from here: the n-th launch after this call draws from (seed, n).
void set_executor_options(const executor_options& options);

/// Options for the life of this object.
class scoped_executor_options {
public:
  explicit scoped_executor_options(const executor_options& options) : before_(get_executor_options())
  {
    set_executor_options(options);
  }
  scoped_executor_options(const scoped_executor_options&) = delete;
  scoped_executor_options& operator=(const scoped_executor_options&) = delete;
  ~scoped_executor_options() { set_executor_options(before_); }

private:
  executor_options before_;
};

namespace executor {

/// What a context reads of its fiber; written by the executor only.
struct thread_record {
  unsigned thread = 0;
  unsigned block = 0;
  unsigned blocks = 0;
  bool preemptive = false;        // atomics are preemption points
  unsigned quiet_operations = 0;  // atomics since the last that wrote, for loops that forget spin_wait
  std::atomic<std::uint64_t>* progress = nullptr;
};

/// One kernel launch, without its type.
struct kernel_call {
  const void* kernel;
  void (*invoke)(const void* kernel, thread_record& self, void* shared);
  unsigned blocks;
  unsigned block_threads;
  std::size_t shared_bytes;
  std::size_t shared_alignment;
  bool starts_in_order;
  const char* type_text;  // text that contains the kernel's type name
};

struct fiber;

/// A phase barrier in a block's shared memory; touched by the executor only.
struct phase_barrier {
  const phase_barrier* self;  // points here once initialised
  unsigned arrivals;
  unsigned pending;
  int bytes;  // announced and not yet copied
  unsigned phase;
  fiber* first_waiting;
  char tag[2];  // for ThreadSanitizer, by parity of the phase
};

enum class collective { sync, ballot, match_any, shfl, shfl_up, shfl_down, count };

/// A lane's part in a collective of its warp. The last lane to arrive computes every lane's result.
struct lane_call {
  collective kind;
  const void* in = nullptr;  // shuffles: this lane's value and where its result goes
  void* out = nullptr;       // count: the counter
  std::size_t bytes = 0;
  unsigned source = 0;      // shuffles: the lane to read
  std::uint64_t value = 0;  // votes
  unsigned result = 0;      // votes
};

error_code run(const kernel_call& call);
void sync_block(thread_record& self);
void warp_collective(thread_record& self, lane_call& call);
void preempt(thread_record& self);
void spin_wait(thread_record& self);

void init_barrier(phase_barrier& barrier, unsigned arrivals);
void end_barrier(thread_record& self, phase_barrier& barrier);
void arrive(thread_record& self, phase_barrier& barrier, unsigned bytes);
void wait_phase(thread_record& self, phase_barrier& barrier, unsigned parity);
bool test_phase(thread_record& self, phase_barrier& barrier, unsigned parity);
void check_bulk_copy(thread_record& self, const void* target, const void* source, unsigned bytes);
void check_vector(thread_record& self, const void* address);
void fetch_ahead(thread_record& self, const void* first, std::size_t bytes);
bool copies_later(const thread_record& self);
void copy_later(thread_record& self, void* target, const void* source, unsigned bytes, phase_barrier& barrier);
void complete_bytes(thread_record& self, phase_barrier& barrier, unsigned bytes);

/// How many blocks of `block_threads` threads would run at the same time if other kernels held nothing.
unsigned expected_blocks(unsigned block_threads);

}  // namespace executor
}  // namespace simt

GIMBAL_NAMESPACE_END
