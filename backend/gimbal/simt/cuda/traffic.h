// Estimates whether this process also gives work to other streams of a device: a launch that takes all of a GPU is the
// fastest alone, but not beside others.
#pragma once

#include <gimbal/simt/cuda/memory.h>

#include <atomic>
#include <chrono>
#include <cstdint>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// Until when the last few streams of a device are assumed to work. Host threads write without locks: an update that is
/// lost only makes the estimate worse.
class stream_traffic {
public:
  /// How many streams work or have worked within the last 200 us, at most 16. One of them is given `work` now: that
  /// many nanoseconds of the whole GPU, of which it has its share. Calls that do not know their work give none.
  unsigned note(std::uint64_t stream, std::int64_t work = 0)
  {
    const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    entry* own = nullptr;
    entry* unused = nullptr;
    unsigned others = 0;
    for (entry& e : entries_) {
      if (e.stream.load(std::memory_order_relaxed) == stream) {
        own = &e;
      } else if (now - e.until.load(std::memory_order_relaxed) < window) {
        ++others;
      } else {
        unused = &e;
      }
    }
    if (own == nullptr && unused != nullptr) {
      own = unused;
      own->stream.store(stream, std::memory_order_relaxed);
    }
    if (own == nullptr) {
      return others;
    }
    const std::int64_t until = own->until.load(std::memory_order_relaxed);
    if (work > 0) {
      const std::int64_t all = (until > now ? until : now) + work * (others + 1);
      own->until.store(all < now + most_queued ? all : now + most_queued, std::memory_order_relaxed);
    } else if (now - until > window / 4) {  // seldom, so that the cache line stays with all threads that read it
      own->until.store(now, std::memory_order_relaxed);
    }
    return others + 1;
  }

private:
  static constexpr std::int64_t window = 200000;         // nanoseconds
  static constexpr std::int64_t most_queued = 20000000;  // so that overestimates do not add up

  struct entry {
    std::atomic<std::uint64_t> stream{0};
    std::atomic<std::int64_t> until{-2 * window};
  };
  entry entries_[16];
};

/// How many streams of this process work on the current device about now, `stream` among them: an estimate, which
/// affects how long a call takes but not its result. What the call will take, in nanoseconds of the whole GPU, is
/// noted, so that other streams know of it while it waits in the queue.
inline unsigned active_streams(cudaStream_t stream, std::int64_t work = 0)
{
  constexpr int devices = 64;
  static stream_traffic* const all =
    new stream_traffic[devices];  // never destroyed: streams may outlive static objects
  int device = 0;
  if (cleared(cudaGetDevice(&device)) != success || device >= devices) {
    return 1;
  }
  auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(stream)) + 1;
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  const bool is_of_thread = stream == nullptr || stream == cudaStreamPerThread;
#else
  const bool is_of_thread = stream == cudaStreamPerThread;
#endif
  if (is_of_thread) {
    static thread_local char mark;  // at an address that is the thread's alone
    key += std::uint64_t{reinterpret_cast<std::uintptr_t>(&mark)} << 8;
  }
  return all[device].note(key, work);
}

}  // namespace simt

GIMBAL_NAMESPACE_END
