// What gimbal keeps between calls, and how to give it back.
#pragma once

#include <gimbal/thrust/error.h>
#include <gimbal/workspace.h>

GIMBAL_NAMESPACE_BEGIN

struct memory_usage {
  std::size_t held;  ///< bytes taken from the driver and kept for the next call
  std::size_t used;  ///< bytes of these that calls in flight use now
};

/// What the current device's pool of temporary storage holds. Calls under a policy without a user allocator borrow from
/// it and give back in stream order when they return; what was given back stays in the pool. Device-wide calls use the
/// storage they are given. cudaDeviceReset() takes all of it away, and later calls begin anew. Throws
/// thrust::system_error if the device cannot be asked.
inline memory_usage memory_held()
{
  memory_usage usage{};
  if (const status failed = simt::pool_usage(usage.held, usage.used)) {
    adaptor::throw_failure(failed, "gimbal memory_held");
  }
  return usage;
}

/// Give back to the driver what the current device's pool does not use. Waits for the device. The next call that needs
/// temporary storage pays for an allocation again. The pinned memory for results, a few kilobytes, stays.
inline void release_memory()
{
  if (const status failed = simt::pool_release()) {
    adaptor::throw_failure(failed, "gimbal release_memory");
  }
}

GIMBAL_NAMESPACE_END
