// Order between the work of streams, also of several devices, and what one device may know of another's memory. On the
// host executor every step is over when it returns, and all memory is one.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

#if GIMBAL_GPU

/// A point in the work of a stream.
class event {
public:
  event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event()
  {
    if (handle_ != nullptr) {
      cleared(cudaEventDestroy(handle_));
    }
  }

  /// To be called once, with the device of the streams in which it will be recorded as the current one.
  status create()
  {
    return failure(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming), "creation of an event");
  }
  /// The point is now the end of what `stream` was given so far.
  status record(cudaStream_t stream) const { return failure(cudaEventRecord(handle_, stream), "record of an event"); }
  /// What `stream` is given from now on begins after the point. The stream may be another device's.
  status hold(cudaStream_t stream) const
  {
    return failure(cudaStreamWaitEvent(stream, handle_, 0), "wait of a stream for an event");
  }

private:
  cudaEvent_t handle_ = nullptr;
};

/// A stream that waits for no default stream, and whose kernels begin before those of other streams that wait: what it
/// is given, others wait for.
class own_stream {
public:
  own_stream() = default;
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  ~own_stream()
  {
    if (handle_ != nullptr) {
      cleared(cudaStreamDestroy(handle_));
    }
  }

  /// To be called once, on the current device.
  status create()
  {
    int least = 0;
    int greatest = 0;
    const error_code asked = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    return failure(
      asked != success ? asked : cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking, greatest),
      "creation of a stream");
  }
  cudaStream_t get() const { return handle_; }

private:
  cudaStream_t handle_ = nullptr;
};

inline status current_device(int& device) { return failure(cudaGetDevice(&device), "query of the current device"); }

/// Whether `device` can be given `other`'s memory.
inline status can_reach(int device, int other, bool& can)
{
  int found = 1;
  const error_code code = device == other ? success : cudaDeviceCanAccessPeer(&found, device, other);
  can = found != 0;
  return failure(code, "query whether a device reaches another's memory");
}
/// From now on the current device reaches the memory of `other` (that of cudaMalloc).
inline status reach(int other)
{
  int device = 0;
  GIMBAL_TRY(current_device(device));
  const error_code code = device == other ? success : cudaDeviceEnablePeerAccess(other, 0);
  cleared(code);
  return failure(code == cudaErrorPeerAccessAlreadyEnabled ? success : code, "access to another device's memory");
}

#else

class event {
public:
  status create() { return {}; }
  status record(stream_type stream) const { return failure(check_stream(stream), "record of an event"); }
  status hold(stream_type stream) const { return failure(check_stream(stream), "wait of a stream for an event"); }
};

class own_stream {
public:
  status create() { return {}; }
  stream_type get() const { return {}; }
};

inline status current_device(int& device)
{
  device = 0;
  return {};
}
inline status set_device(int) { return {}; }
inline status reach(int) { return {}; }

#endif

}  // namespace simt

GIMBAL_NAMESPACE_END
