// The device-wide calls that several host threads make at the same time, gimbal's and stock's.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace perf {

/// The arrays of a thread's calls, of `items` items each, and its storage.
struct call_arrays {
  const unsigned* in;
  unsigned* out;
  const unsigned* values;
  unsigned* values_out;
  long long* count;
  void* storage;
  std::size_t storage_bytes;
  long long items;
};

/// Enqueues a call on a stream; with no storage says in `storage_bytes` how much it needs.
using device_call = cudaError_t (*)(call_arrays& arrays, cudaStream_t stream);

struct call_family {
  const char* name;
  device_call gimbal;
  device_call stock;
};

inline constexpr int family_count = 8;
extern const call_family families[family_count];

}  // namespace perf
