// Measuring two implementations beside each other: the method, in one place.
//
// Every sample is taken alone: outputs are poisoned and inputs restored, a buffer several times the size of the L2 is
// written, then the call is timed by one of three clocks:
//   device   CUDA events around the work, submitted while the flush still runs
//   queued   the same behind a kernel that spins until the host has submitted everything: no gap in it is the host's
//   wall     the host's clock until the call returns
// Samples of the sides alternate, and so does who goes first. Reported are median and quartiles.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "record.h"

#ifndef GIMBAL_INSTRUMENT
#error "build with GIMBAL_INSTRUMENT defined: by the count of its launches a call is known to run on gimbal's kernels"
#endif

namespace perf {

/// A CUDA call of the harness, or of a device-wide call, failed.
struct device_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t code, const char* what)
{
  if (code != cudaSuccess) {
    // The message names the error; left behind, it would be taken for the next call's.
    static_cast<void>(cudaGetLastError());
    throw device_error(std::string(what) + ": " + cudaGetErrorString(code));
  }
}

#define PERF_CHECK(call) ::perf::check((call), #call)

enum class clock_kind { device, queued, wall };

/// One side of a comparison. `reset` poisons outputs and restores inputs that `run` changes; it is never timed.
struct contender {
  std::function<void()> reset;
  std::function<void()> run;
};

/// How long a clock may take for one cell.
struct budget {
  int least, most;  // samples of each side
  double seconds;   // after which no more than `least` samples are taken
};

/// Microseconds of each side, of as many samples.
struct measured {
  int samples = 0;
  std::vector<quartiles> sides;
};

class stopwatch {
public:
  stopwatch();
  ~stopwatch();
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

  /// Samples of all sides, who take turns. None if the work cannot be queued, because it waits for the device itself.
  measured measure(clock_kind clock, const std::vector<contender>& sides, const budget& allowed);

private:
  /// Microseconds; negative if the device was faster than the host could submit.
  double sample(clock_kind clock, const contender& side);
  double sample_queued(const contender& side);
  double sample_wall(const contender& side);
  void flush();
  double elapsed();

  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  void* flush_buffer_ = nullptr;
  std::size_t flush_bytes_ = 0;
  long long spin_cycles_ = 0;
};

/// Device memory of cells: a block given back is used again by a later cell.
class device_memory {
public:
  struct exhausted : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  device_memory() = default;
  ~device_memory()
  {
    give_back_all();
    release_unused(0);
  }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  void* take(std::size_t bytes);
  void give_back(const void* memory);
  /// All memory taken so far is free for the next cell.
  void give_back_all();
  /// Back to the driver: blocks in nobody's use that have at least `least` bytes.
  void release_unused(std::size_t least);

private:
  struct block {
    void* memory;
    std::size_t bytes;
    bool used;
  };
  std::vector<block> blocks_;
};

/// A two-phase call `call(storage, storage_bytes)` with the storage that it asks for, which is kept.
template <class Call>
std::function<void()> with_storage(device_memory& memory, Call call)
{
  std::size_t bytes = 0;
  PERF_CHECK(call(static_cast<void*>(nullptr), bytes));
  void* const storage = memory.take(bytes);
  return [call, bytes, storage] {
    std::size_t available = bytes;
    PERF_CHECK(call(storage, available));
  };
}

/// What stock's calls allocate from where users would give them such an allocator, so that what is seen is not
/// cudaMalloc: it keeps what it is given back, for the next request of about as many bytes.
class kept_memory {
public:
  using value_type = char;

  char* allocate(std::ptrdiff_t bytes) { return static_cast<char*>(memory_.take(static_cast<std::size_t>(bytes))); }
  void deallocate(char* memory, std::size_t) { memory_.give_back(memory); }
  /// Back to the driver: what is in nobody's use.
  void release() { memory_.release_unused(0); }

private:
  device_memory memory_;
};
kept_memory& memory_of_stock();

/// Of the device in use, and of today.
setting where_am_i(const std::string& commit);

/// False if an error of this process' device came to stay, as that of a kernel that read a wrong address does.
bool device_is_usable();

void poison(void* memory, std::size_t bytes);
void copy(void* target, const void* source, std::size_t bytes);
/// How many bytes of two arrays differ. Waits for the device.
std::size_t count_differences(const void* a, const void* b, std::size_t bytes);
void read_all(const void* memory, std::size_t bytes);

}  // namespace perf
