// Whether this process gives other streams of a device work, too: a launch that takes all of a GPU is the fastest alone, but not
// beside others.
#pragma once

#include <gimbal/simt/cuda_memory.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// When the last few streams of a device were given work. Threads of the host write without locks: what they lose of each other is
/// an estimate's.
class stream_traffic {
public:
  /// How many streams have been given work within the last 200 us, at most 16, one of which is given some now.
  unsigned note(std::uint64_t stream)
  {
    const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    entry* own = nullptr;
    entry* unused = nullptr;
    unsigned others = 0;
    for (entry& e : entries_) {
      if (e.stream.load(std::memory_order_relaxed) == stream) {
        own = &e;
      } else if (now - e.time.load(std::memory_order_relaxed) < window) {
        ++others;
      } else {
        unused = &e;
      }
    }
    if (own == nullptr && unused != nullptr) {
      own = unused;
      own->stream.store(stream, std::memory_order_relaxed);
    }
    if (own == nullptr) { return others; }
    // Seldom, so that the line of memory stays in the caches of all threads that read it.
    if (now - own->time.load(std::memory_order_relaxed) > window / 4) { own->time.store(now, std::memory_order_relaxed); }
    return others + 1;
  }

private:
  static constexpr std::int64_t window = 200000; // nanoseconds

  struct entry {
    std::atomic<std::uint64_t> stream{0};
    std::atomic<std::int64_t> time{-2 * window};
  };
  entry entries_[16];
};

/// How many streams of this process work on the current device about now, `stream` among them: an estimate, which changes how long a
/// call takes and no result.
inline unsigned active_streams(cudaStream_t stream)
{
  constexpr int devices = 64;
  static stream_traffic* const all = new stream_traffic[devices]; // never destroyed: streams may outlive static objects
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device >= devices) {
    cudaGetLastError();
    return 1;
  }
  auto key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(stream)) + 1;
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  const bool is_of_thread = stream == nullptr || stream == cudaStreamPerThread;
#else
  const bool is_of_thread = stream == cudaStreamPerThread;
#endif
  if (is_of_thread) { key += std::uint64_t{std::hash<std::thread::id>{}(std::this_thread::get_id())} << 8; }
  return all[device].note(key);
}

} // namespace simt

GIMBAL_NAMESPACE_END
