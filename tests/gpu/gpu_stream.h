// A CUDA stream and a graph as objects, for tests that run on a GPU alone.
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

/// The graph of what `record()` puts into a stream.
class capture {
public:
  template <class Record>
  capture(cudaStream_t stream, cudaStreamCaptureMode mode, const Record& record)
  {
    test::check_cuda(cudaStreamBeginCapture(stream, mode));
    record();
    test::check_cuda(cudaStreamEndCapture(stream, &graph_));
  }
  capture(const capture&) = delete;
  capture& operator=(const capture&) = delete;
  ~capture()
  {
    if (executable_ != nullptr) {
      cudaGraphExecDestroy(executable_);
    }
    cudaGraphDestroy(graph_);
  }

  /// What its nodes are.
  std::vector<cudaGraphNodeType> nodes() const
  {
    std::size_t count = 0;
    test::check_cuda(cudaGraphGetNodes(graph_, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    test::check_cuda(cudaGraphGetNodes(graph_, nodes.data(), &count));
    std::vector<cudaGraphNodeType> types(count);
    for (std::size_t i = 0; i < count; ++i) {
      test::check_cuda(cudaGraphNodeGetType(nodes[i], &types[i]));
    }
    return types;
  }

  /// Enqueues it.
  void launch(cudaStream_t stream)
  {
    if (executable_ == nullptr) {
      test::check_cuda(cudaGraphInstantiate(&executable_, graph_, 0));
    }
    test::check_cuda(cudaGraphLaunch(executable_, stream));
  }
  /// And waits for its end.
  void replay(cudaStream_t stream)
  {
    launch(stream);
    test::check_cuda(cudaStreamSynchronize(stream));
  }

private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace test
