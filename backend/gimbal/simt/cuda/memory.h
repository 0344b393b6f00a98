// Memory and waiting on the GPU: what the pool (simt/pool.h) needs of the driver, pinned memory for results, fills and
// waits. host/memory.h offers the same on the host executor.
#pragma once

#include <cuda_runtime_api.h>
#include <gimbal/simt/device_life.h>
#include <gimbal/simt/instrument.h>
#include <gimbal/simt/status.h>

#include <cstdlib>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// `code`, of a call that leaves no error for the caller's next check to find.
inline error_code cleared(error_code code)
{
  if (code != success) {
    cudaGetLastError();
  }
  return code;
}

/// Of such a call.
inline status checked(error_code code, const char* step) { return failure(cleared(code), step); }

/// Sets `bytes` bytes at `memory` to `value`, in stream order.
inline status fill_bytes(void* memory, int value, std::size_t bytes, cudaStream_t stream, const char* step)
{
  GIMBAL_TRY(instrument::begin(instrument::point::fill, step));
  return failure(cudaMemsetAsync(memory, value, bytes, stream), step);
}

/// Copies `bytes` bytes between device-accessible addresses, in stream order.
inline status copy_bytes(void* target, const void* source, std::size_t bytes, cudaStream_t stream, const char* step)
{
  return failure(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream), step);
}

/// While this object lives, this thread may do what cannot be recorded and uses no stream, even if a stream is being
/// captured in any mode.
class outside_capture {
public:
  outside_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~outside_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  outside_capture(const outside_capture&) = delete;
  outside_capture& operator=(const outside_capture&) = delete;

private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Blocks the host until `stream` is idle. Reports a fault of any earlier kernel.
inline status wait(cudaStream_t stream, const char* step)
{
  GIMBAL_TRY(instrument::begin(instrument::point::wait, step));
  const outside_capture outside;
  return failure(cudaStreamSynchronize(stream), step);
}

/// Whether all that was enqueued in `stream` is done.
inline status query(cudaStream_t stream, bool& is_done, const char* step)
{
  const outside_capture outside;
  const cudaError_t code = cudaStreamQuery(stream);
  is_done = code == cudaSuccess;
  return failure(code == cudaErrorNotReady ? cudaSuccess : code, step);
}

inline status count_devices(int& count) { return failure(cudaGetDeviceCount(&count), "count of the devices"); }
/// Makes it the calling thread's current one.
inline status set_device(int device) { return failure(cudaSetDevice(device), "choice of a device"); }

/// Gives the number of a context: cuCtxGetId, whose header, cuda.h, would be a tenth of what gimbal adds to a program.
using context_number_function = int (*)(void* context, unsigned long long* number);
/// The driver's, without linking it; null if it has none.
inline context_number_function context_number()
{
  void* function = nullptr;
  constexpr unsigned since = 12000;
  const error_code code = cudaGetDriverEntryPointByVersion("cuCtxGetId", &function, since, cudaEnableDefault);
  return cleared(code) == success ? reinterpret_cast<context_number_function>(function) : nullptr;
}

inline status current_life(device_life& life)
{
  static const auto number = context_number();
  error_code code = cudaGetDevice(&life.device);
  if (code == success && number != nullptr && number(nullptr, &life.number) != cudaSuccess) {
    const outside_capture outside;
    code = cudaFree(nullptr);  // gives a thread that has not used the device yet its context
    if (code == success && number(nullptr, &life.number) != cudaSuccess) {
      code = cudaErrorDeviceUninitialized;
    }
  }
  return checked(code, "query of the current device");
}

/// Whether work enqueued on `stream` is recorded into a graph now. The legacy stream cannot be used, and fails, while a
/// stream that waits for it is captured.
inline status query_capture(cudaStream_t stream, bool& is_capturing)
{
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  const error_code code = cudaStreamIsCapturing(stream, &capture);
  is_capturing = capture != cudaStreamCaptureStatusNone;
  return checked(code, "query whether the stream is being captured");
}

/// Which stream a handle means: streams that are created after others were destroyed may reuse their handles, and the
/// two default streams share one.
struct stream_identity {
  int device = 0;
  unsigned long long id = 0;
  bool is_lasting = false;  // false: work enqueued now may run again at any time, or the stream has no identity
};
inline status identify(cudaStream_t stream, stream_identity& identity)
{
  identity.is_lasting = false;
  // The id of a stream that is being captured must not be queried, so capture is tested first. The launch will meet the
  // same error.
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cleared(cudaStreamIsCapturing(stream, &capture)) != success) {
    return {};
  }
  if (capture == cudaStreamCaptureStatusNone) {
    error_code code = cudaGetDevice(&identity.device);
    if (code == success) {
      code = cudaStreamGetId(stream, &identity.id);
    }
    GIMBAL_TRY(checked(code, "query of a stream's identity"));
    identity.is_lasting = true;
  }
  return {};
}

/// Memory of the device that exists, and is zero, as soon as code of this program is loaded, without an allocation.
inline constexpr std::size_t static_words_count = std::size_t{7} << 15;  // 1.75 MB: a page of 2 MB with the code
[[maybe_unused]] static __device__ std::uint64_t static_words_memory[static_words_count];

/// The address on the current device.
inline status static_words(std::uint64_t*& words)
{
  void* memory = nullptr;
  const error_code code = cudaGetSymbolAddress(&memory, static_words_memory);
  words = static_cast<std::uint64_t*>(memory);
  return checked(code, "query of the address of static memory");
}

/// This is AddressSanitizer's work on the host executor.
inline constexpr std::size_t guard_bytes = 0;
inline void guard(void*, std::size_t, std::size_t) {}

/// What a block_cache needs of the driver.
struct block_driver {
  using stream = cudaStream_t;
  using event = cudaEvent_t;

  static error_code allocate(void*& memory, std::size_t bytes) { return cleared(cudaMalloc(&memory, bytes)); }
  /// Waits for work that may use it, and in practice for all of the device.
  static void free(void* memory, std::size_t) { cleared(cudaFree(memory)); }
  static error_code create(event& e) { return cleared(cudaEventCreateWithFlags(&e, cudaEventDisableTiming)); }
  static void destroy(event e) { cleared(cudaEventDestroy(e)); }
  static error_code record(event e, stream s) { return cleared(cudaEventRecord(e, s)); }
  static bool has_happened(event e) { return cleared(cudaEventQuery(e)) == success; }
  static void wait_for_event(event e) { cleared(cudaEventSynchronize(e)); }
  static void wait_for_stream(stream s) { cleared(cudaStreamSynchronize(s)); }
  static error_code wait_for_device() { return cleared(cudaDeviceSynchronize()); }
  static void guard(void*, std::size_t, std::size_t) {}

  /// In order of a stream's work: while it is captured into a graph, which may be replayed at any time, by nodes of it.
  static error_code allocate_in_order(void*& memory, std::size_t bytes, stream s)
  {
    return cleared(cudaMallocAsync(&memory, bytes, s));
  }
  static void free_in_order(void* memory, stream s)
  {
    cleared(cudaFreeAsync(memory, s));  // fails only after a fault that the call's own status already reports
  }
};

/// Pages of the heap, page-locked; null if kernels would know them by another address. Takes less time than the first
/// cudaHostAlloc() of a process takes.
inline void* register_pages(std::size_t bytes)
{
  constexpr std::size_t page = 4096;
  int device = 0;
  int is_same_address = 0;
  if (
    cudaGetDevice(&device) != success
    || cudaDeviceGetAttribute(&is_same_address, cudaDevAttrCanUseHostPointerForRegisteredMem, device) != success
    || is_same_address == 0) {
    return nullptr;
  }
  const std::size_t whole = (bytes + page - 1) / page * page;
  void* const memory = std::aligned_alloc(page, whole);
  if (
    memory != nullptr
    && cleared(cudaHostRegister(memory, whole, cudaHostRegisterPortable | cudaHostRegisterMapped)) != success) {
    std::free(memory);  // what is refused here can still be allocated
    return nullptr;
  }
  return memory;
}

/// Page-locked host memory, readable and writable by kernels on every device.
inline status pinned_allocate(void*& memory, std::size_t bytes, const char* step)
{
  memory = nullptr;
  GIMBAL_TRY(instrument::begin(instrument::point::pinned_allocate, step, bytes));
  const outside_capture outside;
  memory = register_pages(bytes);
  if (memory != nullptr) {
    return {};
  }
  const error_code code = cleared(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped));
  return failure(code, step, code == error_memory_allocation ? bytes : 0);
}

}  // namespace simt

GIMBAL_NAMESPACE_END
