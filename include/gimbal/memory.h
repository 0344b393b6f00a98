// What gimbal keeps between calls, how to give it back, and how to limit it.
#pragma once

#include <gimbal/thrust/error.h>
#include <gimbal/workspace.h>

GIMBAL_NAMESPACE_BEGIN

struct memory_usage {
  std::size_t held;  ///< bytes taken from the driver and kept for the next call
  std::size_t used;  ///< bytes of these in use by calls that have not returned
};

/// What the current device's pool of temporary storage holds. Calls under a policy without a user allocator borrow from
/// it and give back in stream order when they return; what was given back stays in the pool: 256 MB, or, if that is
/// more, twice what was ever in use at the same time. A call that takes the pool further frees some first, for which it
/// waits. Device-wide calls use the storage they are given. cudaDeviceReset() takes all of it away, and later calls
/// start again. Throws thrust::system_error if the device cannot be queried.
inline memory_usage memory_held()
{
  memory_usage usage{};
  if (const status failed = simt::pool_usage(usage.held, usage.used)) {
    adaptor::throw_failure(failed, "gimbal memory_held");
  }
  return usage;
}

/// Gives back to the driver what the current device's pool does not use. Waits for the device. The next call that needs
/// temporary storage pays for an allocation again. The pinned memory for results, a few kilobytes, stays.
inline void release_memory()
{
  if (const status failed = simt::pool_release()) {
    adaptor::throw_failure(failed, "gimbal release_memory");
  }
}

/// From now on the current device's pool holds no more than `bytes`, those in use counted, unless calls in flight use
/// more. If it holds more now, waits for the device and gives back to the driver what it does not use. Later a call
/// that exceeds it gives its storage back to the driver when it returns: it then waits for its work, under par_nosync
/// too, and cudaFree waits for all work of the device. Returns the limit there was, in bytes: at first the greatest
/// std::size_t, no limit. The limit holds until the next one or cudaDeviceReset(), and may be set before the first
/// call.
///
/// Calls still get what they need: memory beyond the limit is taken from the driver and given back. With 0 each call
/// that takes storage does so. May be called by any thread at any time. Throws thrust::system_error if the device
/// cannot be queried.
inline std::size_t limit_memory(std::size_t bytes)
{
  std::size_t previous = 0;
  if (const status failed = simt::pool_limit(bytes, previous)) {
    adaptor::throw_failure(failed, "gimbal limit_memory");
  }
  return previous;
}

GIMBAL_NAMESPACE_END
