// Counts what a call costs (launches, allocations, waits) and lets a test make one of these steps fail.
// Compiled to nothing unless GIMBAL_INSTRUMENT is defined; the tests define it for whole programs.
#pragma once

#include <gimbal/simt/status.h>

#ifdef GIMBAL_INSTRUMENT
#include <atomic>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace simt {
namespace instrument {

enum class point { launch, fill, allocate, pinned_allocate, wait, count_ };

#ifdef GIMBAL_INSTRUMENT

struct state {
  std::atomic<long> counted[static_cast<int>(point::count_)] = {};
  std::atomic<long> fail_after[static_cast<int>(point::count_)] = {};  // 0: never; k: the k-th next one fails
};

inline state& current()
{
  static state instance;
  return instance;
}

inline void count(point p) { ++current().counted[static_cast<int>(p)]; }
inline long counted(point p) { return current().counted[static_cast<int>(p)]; }

/// Makes the `k`-th next step of kind `p` fail, once.
inline void fail_next(point p, long k = 1) { current().fail_after[static_cast<int>(p)] = k; }

inline bool fail_here(point p)
{
  std::atomic<long>& left = current().fail_after[static_cast<int>(p)];
  return left > 0 && --left == 0;
}

#else

inline void count(point) {}
inline constexpr bool fail_here(point) { return false; }

#endif

/// A step of this kind begins, and is counted, or fails, as a test wants it to.
inline status begin(point p, const char* step, std::size_t bytes = 0)
{
  if (fail_here(p)) {
    const bool allocates = p == point::allocate || p == point::pinned_allocate;
    return failure(allocates ? error_memory_allocation : error_launch_failure, step, bytes);
  }
  count(p);
  return {};
}

}  // namespace instrument
}  // namespace simt

GIMBAL_NAMESPACE_END
