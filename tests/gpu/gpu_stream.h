// A CUDA stream as an object, for tests that run on a GPU alone.
#pragma once

#include <cuda_runtime.h>

#include "support.h"

namespace test {

/// A stream of the given priority, destroyed with this object. `flags`: whether it waits for the legacy default stream.
class stream {
public:
  explicit stream(int priority = 0, unsigned flags = cudaStreamNonBlocking)
  {
    test::check_cuda(cudaStreamCreateWithPriority(&stream_, flags, priority));
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace test
